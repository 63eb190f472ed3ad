"""A bundle: one file with Kontor's wheel, the wheels of all it needs, an installer, hashes, and three lines to begin.

Who could do harm with it, and what stands against it:

1. **Whoever makes it.** A guest who installs it runs the host's program: nothing in it can protect the guest from the
   host. The page and README say so.
2. **Somebody on the same network** who puts another file in its place on the way. The door cannot prevent that over
   plain HTTP. Host and guest compare the SHA-256 of the file, which `kontor bundle` prints, before anything of it runs.
3. **A download that broke off, a bad stick.** The installer checks every file before it installs any.
4. **A package index or a setting on the guest's machine** that would add other packages: the installer asks no index,
   ignores settings, and takes only wheels with the hashes of `requirements.txt`.
5. **An earlier bundle** that was altered (`--from`): its own hashes must fit, its size is bounded, and no file is
   written under a name that it chose; Kontor's own wheel always comes from the program that runs here.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Final

from kontor_games.engine.errors import StoreError
from kontor_games.net.system.version import version

from .index_wheels import MACHINES, PYTHONS, Machine, download, has_pip
from .machine import this_machine, this_python
from .wheel_files import NAME, installed_wheel, normal, own_wheel, requirements, zipped

FOLDER: Final = "kontor-bundle"  # inside the archive
MAX_BYTES: Final = 1024 * 1024 * 1024
WHEEL: Final = re.compile(r"[A-Za-z0-9_.]+-[A-Za-z0-9_.+!]+(-[A-Za-z0-9_.]+){3,4}\.whl")
_README: Final = """\
Kontor {version}: merchant board games, peer to peer. This bundle needs Python 3.11 or newer, and no network.

  1. Unpack it, and open a terminal in the folder {folder}.
  2. python3 install.py            (Windows: py install.py)
  3. kontor-games/bin/kontor join  (Windows: kontor-games\\Scripts\\kontor join)

Whoever gave you this file wrote the program that you are about to run: take it only from people you trust. Before
you unpack it, compare its SHA-256 with theirs: sha256sum FILE (macOS: shasum -a 256 FILE, Windows: certutil
-hashfile FILE SHA256).

It is made for:
{made_for}"""


@dataclass(frozen=True)
class Parts:
    """What a bundle is made of."""

    wheels: Mapping[str, bytes]  # by file name
    pins: Mapping[str, str]  # version by normal name, Kontor's own among them
    made_for: Sequence[str]  # kinds of machines on which it can be installed


@dataclass(frozen=True)
class MadeBundle:
    """A bundle, and what it lacks."""

    data: bytes
    made_for: Sequence[str]
    missing: Sequence[str]  # sentences


def files_of(parts: Parts) -> dict[str, bytes]:
    """All files of a bundle by their name in the archive. Pure: the same parts give the same files."""
    made_for = "".join(f"  {each}\n" for each in parts.made_for)
    readme = _README.format(version=parts.pins[NAME], folder=FOLDER, made_for=made_for)
    files = {f"wheels/{name}": data for name, data in parts.wheels.items()}
    files["install.py"] = Path(__file__).with_name("install.py").read_bytes()
    files["requirements.txt"] = _requirements(parts).encode()
    files["MADE_FOR.txt"] = made_for.encode()
    files["README.txt"] = readme.encode()
    sums = [f"{_digest(data)}  {name}\n" for name, data in sorted(files.items())]
    files["SHA256SUMS"] = "".join(sums).encode()
    return {f"{FOLDER}/{name}": data for name, data in files.items()}


def _requirements(parts: Parts) -> str:
    lines = []
    for name, pinned in sorted(parts.pins.items()):
        wheels = [data for file, data in sorted(parts.wheels.items()) if _distribution(file) == name]
        if not wheels:
            raise StoreError(f"the bundle has no wheel of {name}")
        lines.append(" ".join((f"{name}=={pinned}", *(f"--hash=sha256:{_digest(data)}" for data in wheels))))
    return "\n".join((*lines, ""))


def _distribution(file: str) -> str:
    return normal(file.partition("-")[0])


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# ---- making one


def make(progress: Callable[[str], None], asks_index: bool = True, earlier: bytes | None = None) -> MadeBundle:
    """The bundle of the Kontor that runs here: for all kinds of machines as far as the index has them, else for this.

    `earlier` is a bundle from which wheels are taken instead; StoreError if it holds other versions.
    """
    progress(f"Kontor {version()}, from the program that runs here")
    needed = requirements()
    own, own_data = own_wheel()
    if earlier is not None:
        wheels, made_for, missing = _from_earlier(earlier, needed)
    else:
        wheels, made_for, missing = _from_here(needed, progress)
        if asks_index and has_pip():
            wheels, made_for, more = _from_index(needed, wheels, made_for, progress)
            missing += more
    parts = Parts({**wheels, own: own_data}, {**needed, NAME: version()}, tuple(dict.fromkeys(made_for)))
    return MadeBundle(zipped(files_of(parts)), parts.made_for, missing)


Gathered = tuple[dict[str, bytes], list[str], list[str]]  # wheels, made for, what is missing


def _from_here(needed: Mapping[str, str], progress: Callable[[str], None]) -> Gathered:
    """The wheels of what is installed here; they fit this kind of machine."""
    progress(f"{this_machine()}, Python {this_python()}: what is installed here")
    wheels = dict(installed_wheel(name) for name in needed)
    try:
        wheels |= dict([installed_wheel("pip")])  # the guest's Python may come without one
    except (ModuleNotFoundError, StoreError):
        return wheels, [f"{this_machine()}, Python {this_python()}"], ["pip: guests need a Python that has its own."]
    return wheels, [f"{this_machine()}, Python {this_python()}"], []


def _from_index(
    needed: Mapping[str, str], here: Mapping[str, bytes], made_for: list[str], progress: Callable[[str], None]
) -> Gathered:
    """Besides what is here, the wheels for every other kind of machine that the index has them all for."""
    wheels, missing = dict(here), []
    pure = {_distribution(name) for name in here if name.endswith("-none-any.whl")}
    compiled = {name: pinned for name, pinned in needed.items() if name not in pure}
    for machine in MACHINES:
        for python in PYTHONS:
            label = _label(machine, python)
            if label in made_for:
                continue
            found, lacking = download(compiled, machine, python, progress)
            if lacking:
                missing.append(f"{label}: {', '.join(lacking)} cannot be had.")
            else:
                wheels |= found
                made_for = [*made_for, label]
    return wheels, made_for, missing


def _label(machine: Machine, python: str) -> str:
    return f"{machine.name}, Python {python}"


def _from_earlier(raw: bytes, needed: Mapping[str, str]) -> Gathered:
    files = unpacked(raw)
    wheels = {name.removeprefix("wheels/"): data for name, data in files.items() if name.startswith("wheels/")}
    pins = dict(re.findall(r"^(\S+)==(\S+)", files["requirements.txt"].decode(), re.MULTILINE))
    others = [name for name, pinned in needed.items() if pins.get(name) != pinned]
    if others:
        raise StoreError(f"the earlier bundle holds other versions of {', '.join(others)} than this Kontor runs with")
    kept = {name: data for name, data in wheels.items() if _distribution(name) in {*needed, "pip"}}
    return kept, [line.strip() for line in files["MADE_FOR.txt"].decode().splitlines() if line.strip()], []


def unpacked(raw: bytes) -> dict[str, bytes]:
    """The files of a bundle, whose hashes fit; StoreError for anything else."""
    try:
        with zipfile.ZipFile(BytesIO(raw)) as archive:
            entries = archive.infolist()
            if sum(entry.file_size for entry in entries) > MAX_BYTES:
                raise StoreError("this bundle is too large")
            files = {entry.filename.removeprefix(f"{FOLDER}/"): archive.read(entry) for entry in entries}
        rows = [line.split("  ", 1) for line in files.pop("SHA256SUMS").decode().splitlines()]
        sums = {name: digest for digest, name in rows}
    except (zipfile.BadZipFile, KeyError, ValueError, NotImplementedError, RuntimeError, EOFError) as error:
        raise StoreError(f"this file is not a bundle of Kontor ({type(error).__name__})") from None
    if sums != {name: _digest(data) for name, data in files.items()}:
        raise StoreError("this bundle is damaged: its hashes do not fit")
    wrong = [name for name in files if name.startswith("wheels/") and not WHEEL.fullmatch(name.removeprefix("wheels/"))]
    if wrong or not {"requirements.txt", "MADE_FOR.txt"} <= set(files):
        raise StoreError(f"this file is not a bundle of Kontor ({', '.join(wrong) or 'parts are missing'})")
    return files
