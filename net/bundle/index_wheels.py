"""Wheels for other machines than this one, from the package index, through the pip of this installation. An adapter."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

PYTHONS: Final = ("3.11", "3.12", "3.13", "3.14")
PATIENCE: Final = 600  # seconds for the wheels of one kind of machine
_GLIBC: Final = (5, 12, 17, 24, 26, 27, 28, 31, 34)


@dataclass(frozen=True)
class Machine:
    """A kind of computer, and the platforms whose wheels it can use."""

    name: str
    platforms: tuple[str, ...]


def _linux(kind: str) -> tuple[str, ...]:
    old = ("2014", "2010", "1") if kind == "x86_64" else ("2014",)
    return (*(f"manylinux_2_{minor}_{kind}" for minor in _GLIBC), *(f"manylinux{year}_{kind}" for year in old))


def _mac(kind: str) -> tuple[str, ...]:
    tens = [f"macosx_10_{minor}" for minor in range(9, 16)] if kind == "x86_64" else []
    return tuple(
        f"{system}_{each}" for system in (*tens, "macosx_11_0", "macosx_12_0") for each in (kind, "universal2")
    )


MACHINES: Final = (
    Machine("Linux (x86-64)", _linux("x86_64")),
    Machine("Linux (ARM)", _linux("aarch64")),
    Machine("macOS (Apple silicon)", _mac("arm64")),
    Machine("macOS (Intel)", _mac("x86_64")),
    Machine("Windows (x86-64)", ("win_amd64",)),
)


def has_pip() -> bool:
    """Whether this installation can ask the index."""
    command = [sys.executable, "-m", "pip", "--version"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0  # noqa: S603 - our own interpreter


def download(
    needed: Mapping[str, str], machine: Machine, python: str, progress: Callable[[str], None]
) -> tuple[dict[str, bytes], list[str]]:
    """The wheels of these versions for one kind of machine, by file name; and the names of those that there are not."""
    progress(f"{machine.name}, Python {python}")
    pins = [f"{name}=={version}" for name, version in needed.items()]
    found, is_whole = _ask(pins, machine, python)
    if is_whole:
        return found, []
    missing = []
    for pin in pins:  # one that is missing spoils the whole question: name it
        one, is_there = _ask([pin], machine, python)
        found |= one
        missing += [] if is_there else [pin.partition("==")[0]]
    return found, missing


def _ask(pins: list[str], machine: Machine, python: str) -> tuple[dict[str, bytes], bool]:
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input"]
        command += ["--no-deps", "--only-binary=:all:", "--implementation", "cp", "--python-version", python]
        command += [word for platform in machine.platforms for word in ("--platform", platform)]
        command += ["--dest", folder, *pins]
        try:
            done = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)  # noqa: S603 - our own interpreter
        except subprocess.TimeoutExpired:
            return {}, False
        wheels = {path.name: path.read_bytes() for path in sorted(Path(folder).glob("*.whl"))}
        return wheels, done.returncode == 0
