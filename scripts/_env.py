"""The environment that Kontor's scripts run in: `.venv` inside the checkout, made on first use.

Plain Python without dependencies; this file must at least parse on old versions, to say so politely.
"""

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time

NEEDED = (3, 11)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
STAMP = os.path.join(VENV, "kontor-stamp.json")
LOCK = os.path.join(ROOT, ".venv.lock")
PACKAGES = os.path.join(ROOT, "scripts", "requirements.lock")  # what Kontor needs, each with its hashes
PACKAGES_WITH = {"dev": os.path.join(ROOT, "scripts", "requirements-dev.lock")}  # and what an extra needs besides
WINDOWS = os.name == "nt"
PYTHON = os.path.join(VENV, "Scripts" if WINDOWS else "bin", "python.exe" if WINDOWS else "python")


class SetupError(Exception):
    """The environment cannot be made; the text says what to do."""


def say(text):
    """Tell the user; stdout belongs to the command itself."""
    sys.stderr.write("kontor: " + text + "\n")
    sys.stderr.flush()


def ensure(extras=()):
    """The Python of an environment that has Kontor's dependencies and `extras`; makes or repairs it if need be."""
    if sys.version_info < NEEDED:
        raise SetupError(
            f"Kontor needs Python {NEEDED[0]}.{NEEDED[1]} or newer; this is {sys.version.split()[0]} "
            f"({sys.executable}).\nInstall a newer one and run it on this script: python3.12 {sys.argv[0]}"
        )
    if not _is_ready(extras):
        with _locked():
            if not _is_ready(extras):  # another process may have made it while we waited
                _make(extras)
    return PYTHON


def run(arguments, extras=()):
    """Run this environment's Python with `arguments` in place of this process."""
    try:
        python = ensure(extras)
    except SetupError as error:
        say(str(error))
        return 2
    except KeyboardInterrupt:
        say("stopped; the next start goes on from here")
        return 130
    if WINDOWS:  # execv there returns to the shell at once and loses the exit code
        try:
            return subprocess.call([python, *arguments])
        except KeyboardInterrupt:
            return 130
    os.execv(python, [python, *arguments])
    return 0


def _key():
    """Changes whenever the environment must be looked after again."""
    parts = [sys.version.encode(), sys.base_prefix.encode(), ROOT.encode()]
    for path in (PACKAGES, *PACKAGES_WITH.values()):
        with open(path, "rb") as file:
            parts.append(file.read())
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def _stamp():
    try:
        with open(STAMP, encoding="utf-8") as file:
            stamp = json.load(file)
        return stamp if isinstance(stamp, dict) else {}
    except (OSError, ValueError):
        return {}


def _is_ready(extras):
    stamp = _stamp()
    have = stamp.get("extras", [])
    return stamp.get("key") == _key() and all(extra in have for extra in extras) and os.path.exists(PYTHON)


@contextlib.contextmanager
def _locked():
    """Only one process at a time makes the environment; the lock dies with its process."""
    with open(LOCK, "a+b") as file:
        waiting = False
        while True:
            try:
                _try_lock(file)
                break
            except OSError:
                if not waiting:
                    say("another process is making the environment; waiting for it")
                    waiting = True
                time.sleep(0.2)
        yield


def _try_lock(file):
    if WINDOWS:
        import msvcrt

        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


def _make(extras):
    started = time.monotonic()
    stamp = _stamp()
    wanted = sorted(set(extras) | set(stamp.get("extras", [])))
    # Without a stamp an install was interrupted (or never began): its remains are not worth trusting.
    usable = bool(stamp) and os.path.exists(PYTHON) and stamp.get("python") == sys.version
    with contextlib.suppress(FileNotFoundError):
        os.remove(STAMP)
    if usable:
        say("the environment in .venv is out of date; updating it")
        if not _install(wanted):
            say("the update failed; making the environment anew")
            usable = False
    if not usable:
        _make_venv()
        if not _install(wanted):
            raise SetupError(
                "the packages could not be installed (see above). Check the connection to the package index "
                "and start again."
            )
    with open(STAMP + ".new", "w", encoding="utf-8") as file:
        json.dump({"key": _key(), "extras": wanted, "python": sys.version}, file)
    os.replace(STAMP + ".new", STAMP)
    say(f"ready after {time.monotonic() - started:.0f} s")


def _make_venv():
    try:
        import ensurepip  # noqa: F401 - Debian and Ubuntu ship Python without it
        import venv
    except ImportError:
        raise SetupError(
            f"this Python ({sys.executable}) has no venv or ensurepip. "
            f"On Debian or Ubuntu: sudo apt install python{sys.version_info[0]}.{sys.version_info[1]}-venv"
        ) from None
    if os.path.lexists(VENV):
        say("the environment in .venv is incomplete or from another Python; making it anew")
        if os.path.islink(VENV) or not os.path.isdir(VENV):
            os.remove(VENV)
        else:
            shutil.rmtree(VENV)
    else:
        say("first use: making an environment in .venv (once; needs the package index, about a minute)")
    try:
        venv.create(VENV, with_pip=True, symlinks=not WINDOWS)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SetupError(f"the environment could not be made in {VENV}: {error}") from None


def _install(extras):
    """Install the locked packages with pip, which refuses any file whose hash is not in the lock."""
    locks = [PACKAGES_WITH[extra] for extra in extras] or [PACKAGES]  # the lock of an extra has all the others too
    if not all(_pip_install(lock) for lock in locks):
        return False
    _point_at_checkout()
    _link_rooms()
    return True


def _pip_install(lock):
    command = [PYTHON, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--progress-bar", "off"]
    process = subprocess.Popen(
        [*command, "--require-hashes", "-r", lock],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        cwd=ROOT,
    )
    shown = _show_progress(process)
    if process.wait() == 0:
        return True
    sys.stderr.write("".join(shown[-30:]))
    if any("DO NOT MATCH THE HASHES" in line for line in shown):
        raise SetupError(
            f"a package is not the file that {os.path.relpath(lock, ROOT)} names: its hash differs (see above).\n"
            "It was not installed. Either the package index was tampered with or the lock is wrong; do not go on "
            "before you know which."
        )
    return False


def _show_progress(process):
    lines = []
    fetched = 0
    with process:
        for line in process.stdout:
            lines.append(line)
            if line.startswith("Collecting "):
                fetched += 1
                say(f"  {fetched:2}  {line.split()[1]}")
            elif line.startswith("Installing "):
                say("  unpacking")
    return lines


def _point_at_checkout():
    """Let the environment find the rooms of this checkout, whatever the working directory is."""
    where = subprocess.check_output(
        [PYTHON, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True
    ).strip()
    with open(os.path.join(where, "kontor-checkout.pth"), "w", encoding="utf-8") as file:
        file.write(os.path.join(ROOT, "scripts", "package") + "\n")


def _link_rooms():
    """Links to the rooms, by which mypy finds them; git keeps them, an sdist cannot."""
    package = os.path.join(ROOT, "scripts", "package")
    folder = os.path.join(package, "links", "kontor_games")
    if os.path.isdir(folder):
        return
    with contextlib.suppress(OSError):  # Windows does not let everybody make links; only mypy needs them
        os.makedirs(folder)
        os.symlink(
            os.path.relpath(os.path.join(package, "kontor_games", "__init__.py"), folder), f"{folder}/__init__.py"
        )
        for room in ("engine", "net", "lobby", "clients"):
            os.symlink(os.path.relpath(os.path.join(ROOT, room), folder), os.path.join(folder, room))
