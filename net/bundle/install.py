#!/usr/bin/env python3
# ruff: noqa: S603 - it runs the new environment and nothing else
"""Install Kontor from this folder, without any network. Part of a bundle that `kontor bundle` made.

    python3 install.py              makes the folder kontor-games beside this file
    python3 install.py FOLDER       or that one

Everything that an older Python could stumble over is kept out of this file, so that it can say what is wrong.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import venv

OLDEST = (3, 11)
HERE = os.path.dirname(os.path.abspath(__file__))


def fail(text: str) -> None:
    print("Kontor was not installed: " + text, file=sys.stderr)
    sys.exit(1)


def check_python() -> None:
    if sys.version_info < OLDEST:
        has = ".".join(str(part) for part in sys.version_info[:3])
        fail("it needs Python 3.11 or newer, and this is " + has + ". Install a newer Python, then run this again.")


def check_files() -> None:
    """Every file is as it was packed: a download that broke off, or a bad stick, is found here."""
    with open(os.path.join(HERE, "SHA256SUMS"), encoding="ascii") as file:
        lines = [line.split("  ", 1) for line in file.read().splitlines()]
    named = {name for _, name in lines}
    for digest, name in lines:
        try:
            with open(os.path.join(HERE, *name.split("/")), "rb") as file:
                found = hashlib.sha256(file.read()).hexdigest()
        except OSError:
            fail(name + " is missing. Unpack the bundle again, or download it again.")
        if found != digest:
            fail(name + " is damaged. Download the bundle again.")
    extra = sorted(name for name in os.listdir(os.path.join(HERE, "wheels")) if "wheels/" + name not in named)
    if extra:
        fail("wheels/" + extra[0] + " does not belong to the bundle. Unpack it again into an empty folder.")


def read(name: str) -> str:
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read()


def make(target: str) -> str:
    """The interpreter of a new environment with everything in it."""
    venv.create(target, with_pip=False, symlinks=os.name != "nt")
    python = os.path.join(target, "Scripts" if os.name == "nt" else "bin", "python")
    pips = [name for name in os.listdir(os.path.join(HERE, "wheels")) if name.startswith("pip-")]
    pip = [os.path.join(HERE, "wheels", pips[0], "pip")] if pips else ["-m", "pip"]
    if not pips:
        subprocess.check_call([python, "-m", "ensurepip", "--default-pip"], stdout=subprocess.DEVNULL)
    # Only the wheels of this folder, each with its hash; nothing of this machine's settings.
    options = ["--isolated", "--no-index", "--find-links", os.path.join(HERE, "wheels"), "--require-hashes"]
    options += ["--no-cache-dir", "--disable-pip-version-check", "--quiet", "--only-binary", ":all:"]
    options += ["--no-compile"]  # Python does that for what is used, when it is used
    command = [python, "-I", *pip, "install", *options, "-r", os.path.join(HERE, "requirements.txt")]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON"))}
    if subprocess.call(command, env=environment) != 0:
        shutil.rmtree(target, ignore_errors=True)
        fail("this bundle does not fit this computer. It is made for:\n" + read("MADE_FOR.txt"))
    return python


def main() -> None:
    check_python()
    target = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else os.path.join(HERE, "kontor-games")
    if os.path.exists(target) and os.listdir(target):
        fail(target + " exists already. Name another folder: python3 install.py FOLDER")
    check_files()
    print("All files are whole. Installing ...", flush=True)
    python = make(target)
    program = os.path.join(os.path.dirname(python), "kontor")
    subprocess.check_call([program, "--version"])
    print("Installed, without any network. To play:\n  " + program + " join\nor, for the browser:\n  " + program)


if __name__ == "__main__":
    main()
