"""The locks fit pyproject.toml and each other; `./scripts/lock` renews them."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from .building import ROOT, candidates, usable

RUN = ROOT / "scripts" / "requirements.lock"
DEV = ROOT / "scripts" / "requirements-dev.lock"
ENTRY = re.compile(r"(?m)^([a-z0-9-]+)==([^ ;\\]+)(?: ; (.+?))? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)")
ADVICE = "the lock no longer fits; run ./scripts/lock"


def locked(path: Path) -> dict[str, tuple[str, str]]:
    """Version and marker of each package."""
    return {name: (version, marker) for name, version, marker, _ in ENTRY.findall(path.read_text(encoding="utf-8"))}


def asked(*extras: str) -> list[Requirement]:
    """What pyproject.toml asks for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    texts = [*project["dependencies"], *(text for extra in extras for text in project["optional-dependencies"][extra])]
    return [Requirement(text) for text in texts]


def needs(requirements: list[Requirement]) -> Iterator[Requirement]:
    """These and all that they need in turn, as the packages of this environment declare it."""
    waiting = list(requirements)
    seen: set[tuple[str, str]] = set()
    while waiting:
        each = waiting.pop()
        yield each
        for extra in {"", *each.extras}:
            if (canonicalize_name(each.name), extra) in seen:
                continue
            seen.add((canonicalize_name(each.name), extra))
            further = [Requirement(text) for text in metadata.requires(each.name) or ()]
            waiting += [one for one in further if one.marker is None or one.marker.evaluate({"extra": extra})]


@pytest.mark.parametrize(("path", "extras"), [(RUN, ()), (DEV, ("dev",))])
def test_every_package_is_locked_in_a_version_that_all_accept(path: Path, extras: tuple[str, ...]) -> None:
    have = locked(path)
    wrong = set()
    used = set()
    for each in needs(asked(*extras)):
        name = canonicalize_name(each.name)
        used.add(name)
        if name not in have or not each.specifier.contains(have[name][0], prereleases=True):
            wrong.add(f"{each} is needed, {have.get(name, ('nothing',))[0]} is locked")
    assert not wrong, f"{ADVICE}: {sorted(wrong)}"
    here = {name for name, (_, marker) in have.items() if not marker or Marker(marker).evaluate()}
    assert here <= used, f"{ADVICE}: nobody needs {sorted(here - used)}"


def test_both_locks_agree() -> None:
    have = locked(DEV)
    assert {name: have[name] for name in locked(RUN)} == locked(RUN)


@pytest.mark.parametrize("path", [RUN, DEV])
def test_a_lock_has_hashes_for_all_and_names_no_place(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    left = [line for line in ENTRY.sub("", text).splitlines() if not re.match(r" *#|$", line)]
    assert left == []
    assert not re.search(r"://|file:|index|(?<![\w.])/|\\\\", text.partition("\n")[2])
    assert len(locked(path)) >= 27


@pytest.mark.long  # resolves from the package index
@pytest.mark.parametrize("version", sorted(candidates()))
def test_pip_accepts_the_lock_on_every_python(version: str, tmp_path: Path) -> None:
    subprocess.run([usable(version), "-m", "venv", tmp_path / "venv"], check=True)
    pip = [tmp_path / "venv" / "bin" / "python", "-m", "pip", "--disable-pip-version-check"]
    for lock in (RUN, DEV):
        command = [*pip, "install", "--dry-run", "-q", "--require-hashes", "-r", lock]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if "Could not find a version" in run.stderr:
            pytest.skip(f"the package index does not have it: {run.stderr.splitlines()[-1]}")
        assert run.returncode == 0, run.stderr
