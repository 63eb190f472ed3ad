"""Building Kontor's wheel and sdist without the package index, and the Pythons that they can be tried on."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
NEWEST = 20  # minor versions of Python that are looked for: 3.11 to 3.20


def build(kind: str, source: Path, target: Path) -> Path:
    """The `wheel` or `sdist` of a source tree, made by the hatchling of this environment."""
    code = f"import sys, hatchling.build as b; print(b.build_{kind}(sys.argv[1]))"
    target.mkdir(parents=True, exist_ok=True)
    run = subprocess.run(
        [sys.executable, "-P", "-c", code, str(target)], cwd=source, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return target / run.stdout.split()[-1]


def unpacked(sdist: Path, target: Path) -> Path:
    """The source tree inside an sdist."""
    with tarfile.open(sdist) as archive:
        archive.extractall(target, filter="data")
    (folder,) = target.iterdir()
    return folder


def foreign_wheel(folder: Path, name: str, modules: dict[str, str]) -> Path:
    """Somebody else's distribution of this name, with these files at the top of site-packages."""
    info = f"{name}-1.0.dist-info"
    files = {
        **modules,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for each, text in files.items():
            archive.writestr(each, text)
        archive.writestr(f"{info}/RECORD", "".join(f"{each},,\n" for each in [*files, f"{info}/RECORD"]))
    return path


def candidates() -> dict[str, list[Path]]:
    """The Pythons of this machine that Kontor promises to run on, by version; some may lack what they need."""
    found: dict[str, list[Path]] = {f"3.{sys.version_info.minor}": []}
    for minor in range(11, NEWEST + 1):
        places = sorted(Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python3"), reverse=True)
        on_path = shutil.which(f"python3.{minor}")
        found.setdefault(f"3.{minor}", []).extend([*places, *([Path(on_path)] if on_path else [])])
    found[f"3.{sys.version_info.minor}"].append(Path(sys.executable))
    return {version: places for version, places in found.items() if places}


def usable(version: str) -> Path:
    """A Python of this version that can make environments; to find it takes a process each, so not at collection."""
    for place in candidates()[version]:
        if _has_venv(place):
            return place
    pytest.skip(f"Python {version} of this machine has no venv, ensurepip or ssl")


def _has_venv(python: Path) -> bool:
    command = [str(python), "-c", "import venv, ensurepip, ssl"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
