"""A bundle: wheels made of what runs here, an installer that asks nobody, and files that were changed on the way."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from kontor_games.engine.errors import StoreError
from kontor_games.net.bundle import bundle, bundle_offer, wheel_files
from kontor_games.net.bundle.machine import this_machine, this_python
from tests.scripts.building import ROOT, build

HERE = f"{this_machine()}, Python {this_python()}"


@pytest.fixture(scope="module")
def made() -> bundle.MadeBundle:
    return bundle.make(lambda _: None, asks_index=False)


def contents(wheel: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(wheel)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def unzip(data: bytes, folder: Path) -> Path:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        archive.extractall(folder)
    return folder / bundle.FOLDER


def install(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the installer with an empty home and settings that would lead it astray."""
    hostile = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_NO_INDEX": "0", "HOME": str(folder / "nobody")}
    command = [sys.executable, "-I", str(folder / "install.py"), *words]
    environment = {"PATH": os.environ["PATH"], **hostile}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=220)


def test_the_wheel_of_the_checkout_is_the_one_that_hatchling_builds(tmp_path: Path) -> None:
    name, data = wheel_files.own_wheel()
    real = build("wheel", ROOT, tmp_path)
    assert name == real.name
    ours, theirs = contents(data), contents(real.read_bytes())
    assert {each: ours[each] for each in ours if ".dist-info/" not in each} == {
        each: theirs[each] for each in theirs if ".dist-info/" not in each
    }
    info = "kontor_games-0.1.0.dist-info"
    assert set(ours) == set(theirs)
    assert ours[f"{info}/entry_points.txt"].split() == theirs[f"{info}/entry_points.txt"].split()

    def needs(metadata: bytes) -> set[str]:
        head = metadata.decode().partition("\n\n")[0].splitlines()
        said = [line for line in head if line.startswith(("Requires-", "Name", "Version"))]
        return {line.replace(" ", "").lower() for line in said if "extra" not in line}

    def normal(lines: set[str]) -> set[str]:
        return {line.replace("_", "-") for line in lines}

    assert normal(needs(ours[f"{info}/METADATA"])) == normal(needs(theirs[f"{info}/METADATA"]))


def test_it_holds_everything_with_its_hash_and_the_same_parts_give_the_same_bytes(made: bundle.MadeBundle) -> None:
    files = bundle.unpacked(made.data)
    assert made.made_for == (HERE,) and not made.missing
    pins = [line.split("==")[0] for line in files["requirements.txt"].decode().splitlines()]
    assert {"kontor-games", "twisted", "cryptography", "cffi", "pycparser", "pyopenssl", "wsproto"} <= set(pins)
    assert all("--hash=sha256:" in line for line in files["requirements.txt"].decode().splitlines())
    assert not {"pytest", "mypy", "hypothesis", "ruff"} & set(pins), "nothing that only developers need"
    assert any(name.startswith("wheels/pip-") for name in files), "the guest's Python may have none"
    assert "Python 3.11" in files["README.txt"].decode() and "trust" in files["README.txt"].decode()
    again = bundle.make(lambda _: None, asks_index=False, earlier=made.data)
    assert again.data == made.data


def test_an_earlier_bundle_that_was_altered_or_is_of_other_versions_is_refused(made: bundle.MadeBundle) -> None:
    files = contents(made.data)
    wheel = next(name for name in files if "/wheels/h11" in name)

    def refused(**changes: bytes | None) -> str:
        new = {name: data for name, data in {**files, **changes}.items() if data is not None}
        with pytest.raises(StoreError) as error:
            bundle.make(lambda _: None, asks_index=False, earlier=wheel_files.zipped(new))
        return str(error.value)

    assert "damaged" in refused(**{wheel: files[wheel] + b"x"})
    assert "damaged" in refused(**{wheel: None})
    assert "damaged" in refused(**{f"{bundle.FOLDER}/wheels/more-1.0-py3-none-any.whl": b"x"})
    assert "not a bundle" in refused(**{f"{bundle.FOLDER}/SHA256SUMS": None})
    with pytest.raises(StoreError, match="not a bundle"):
        bundle.make(lambda _: None, earlier=b"nonsense")
    parts = {name.removeprefix(f"{bundle.FOLDER}/"): data for name, data in files.items()}

    def signed(name: str, data: bytes) -> bytes:
        """Altered by somebody who can count: its hashes fit."""
        new = {**parts, name: data}
        del new["SHA256SUMS"]
        sums = "".join(f"{hashlib.sha256(data).hexdigest()}  {each}\n" for each, data in sorted(new.items()))
        return wheel_files.zipped({**new, "SHA256SUMS": sums.encode()})

    with pytest.raises(StoreError, match=r"\.\./evil\.whl"):
        bundle.unpacked(signed("wheels/../evil.whl", b"x"))
    older = parts["requirements.txt"].replace(b"h11==", b"h11==0")
    with pytest.raises(StoreError, match="other versions of h11"):
        bundle.make(lambda _: None, asks_index=False, earlier=signed("requirements.txt", older))


def test_a_package_that_was_changed_after_it_was_installed_is_not_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "victim-1.0.dist-info"
    info.mkdir()
    (tmp_path / "victim.py").write_text("good = 1\n")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: victim\nVersion: 1.0\n")
    tags = "Tag: cp311-cp311-manylinux_2_17_x86_64\nTag: cp311-cp311-manylinux2014_x86_64\n"
    (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\n{tags}")
    digest = wheel_files._hash(b"good = 1\n")
    rows = [f"victim.py,sha256={digest},9", "../../bin/victim,,", "victim-1.0.dist-info/METADATA,,"]
    (info / "RECORD").write_text(
        "\n".join([*rows, "victim-1.0.dist-info/WHEEL,,", "victim-1.0.dist-info/RECORD,,", ""])
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    name, data = wheel_files.installed_wheel("victim")
    assert name == "victim-1.0-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl".replace("-cp311-", "-cp311-cp311-")
    assert "../../bin/victim" not in contents(data)
    (tmp_path / "victim.py").write_text("evil = 1\n")
    with pytest.raises(StoreError, match="changed after it was installed"):
        wheel_files.installed_wheel("victim")


def test_the_installer_refuses_what_is_damaged_missing_or_added(made: bundle.MadeBundle, tmp_path: Path) -> None:
    folder = unzip(made.data, tmp_path)
    wheel = next((folder / "wheels").glob("h11-*"))
    whole = wheel.read_bytes()
    wheel.write_bytes(whole[:-1])
    assert "is damaged" in install(folder).stderr
    wheel.unlink()
    assert "is missing" in install(folder).stderr
    wheel.write_bytes(whole)
    (folder / "wheels" / "evil-1.0-py3-none-any.whl").write_bytes(b"x")
    assert "does not belong to the bundle" in install(folder).stderr
    done = install(folder, str(folder))
    assert done.returncode == 1 and "exists already" in done.stderr


def test_an_older_python_is_told_so_before_anything_else(made: bundle.MadeBundle, tmp_path: Path) -> None:
    text = (unzip(made.data, tmp_path) / "install.py").read_text()
    old = text.replace("OLDEST = (3, 11)", "OLDEST = (9, 0)")
    done = subprocess.run([sys.executable, "-"], input=old, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1 and "Traceback" not in done.stderr and "this is 3." in done.stderr
    compile(text, "install.py", "exec", flags=0, dont_inherit=True)
    assert "match " not in text and " := " not in text and "from __future__" not in text, "Python 3.6 reads it too"


@pytest.mark.slow
def test_it_is_installed_without_any_index_and_runs(made: bundle.MadeBundle, tmp_path: Path) -> None:
    folder = unzip(made.data, tmp_path)
    done = install(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    program = folder / "kontor-games" / ("Scripts" if os.name == "nt" else "bin") / "kontor"
    said = subprocess.run([str(program), "games"], capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert said.returncode == 0 and "Merchants of Osaka" in said.stdout


def test_the_page_says_first_what_is_needed_and_whom_one_trusts(made: bundle.MadeBundle, tmp_path: Path) -> None:
    assert bundle_offer.newest(tmp_path) is None
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle" / "kontor-bundle-0.1.0.zip").write_bytes(made.data)
    (tmp_path / "bundle" / "kontor-bundle-<script>.zip").write_bytes(b"x")
    offer = bundle_offer.newest(tmp_path)
    assert offer is not None and offer.made_for == (HERE,) and offer.size == len(made.data)
    text = bundle_offer.page(offer, "<b>Anna", '/bundle/"x')
    assert text.index("Python 3.11 or newer") < text.index("<a href=") and text.index("trust") < text.index("<a href=")
    assert "<b>Anna" not in text and "&lt;b&gt;Anna" in text and '"/bundle/&quot;x"' in text
    assert offer.digest in text and offer.mark.replace(" ", "") == offer.digest[:20]
    assert "<script" not in text and "style=" not in text
    (tmp_path / "bundle" / "kontor-bundle-0.1.0.zip").write_bytes(b"broken")
    with pytest.raises(StoreError, match="cannot be read"):
        bundle_offer.newest(tmp_path)
