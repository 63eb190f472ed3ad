"""`scripts/kontor` makes its environment, keeps it, and repairs it; shown on a checkout that needs no package index."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from .building import foreign_wheel

SCRIPTS = Path(__file__).parent.parent.parent / "scripts"
PATIENCE = 900  # seconds: packages come from an index, and the machine may be busy; pytest itself ends what hangs
ENTRY = """\
import os, sys
print('ran', *sys.argv[1:], os.environ['KONTOR_PROGRAM'], os.getcwd())
sys.exit(7 if 'fail' in sys.argv else 0)
"""


def make_checkout(folder: Path) -> Path:
    (folder / "scripts").mkdir(parents=True)
    (folder / "clients").mkdir()
    shutil.copytree(SCRIPTS / "package" / "kontor_games", folder / "scripts" / "package" / "kontor_games")
    for name in ("_env.py", "kontor"):
        shutil.copy(SCRIPTS / name, folder / "scripts" / name)
    (folder / "clients" / "__init__.py").touch()
    (folder / "clients" / "entry.py").write_text(ENTRY)
    for name in ("requirements.lock", "requirements-dev.lock"):
        (folder / "scripts" / name).touch()
    return folder


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_checkout(tmp_path_factory.mktemp("env") / "a checkout with spaces")


def environment() -> dict[str, str]:
    hidden = ("PYTHONPATH", "COV_CORE_SOURCE", "COV_CORE_CONFIG", "COV_CORE_DATAFILE", "COVERAGE_PROCESS_START")
    kept = {key: value for key, value in os.environ.items() if key not in hidden}
    return {**kept, "PIP_NO_INDEX": "1"}


def start(checkout: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(checkout / "scripts" / "kontor"), *arguments],
        cwd=checkout.parent,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(checkout: Path, *arguments: str) -> SimpleNamespace:
    process = start(checkout, *arguments)
    out, err = process.communicate(timeout=PATIENCE)
    assert "Traceback" not in err, err
    return SimpleNamespace(code=process.returncode, out=out, err=err)


def test_first_use_makes_it_and_later_uses_say_nothing(checkout: Path) -> None:
    first = run(checkout, "games", "--json")
    script = checkout / "scripts" / "kontor"
    assert (first.code, first.out) == (0, f"ran games --json {script} {checkout.parent}\n")
    assert "first use: making an environment in .venv" in first.err and "ready after" in first.err
    links = checkout / "scripts" / "package" / "links" / "kontor_games"  # a tree without git has none at first
    assert (links / "clients" / "entry.py").samefile(checkout / "clients" / "entry.py")
    assert (links / "__init__.py").samefile(checkout / "scripts" / "package" / "kontor_games" / "__init__.py")
    again = run(checkout, "fail")
    assert (again.code, again.err) == (7, "")


@pytest.mark.long  # each environment takes seconds to make
def test_an_environment_without_its_stamp_was_interrupted_and_is_made_anew(checkout: Path) -> None:
    run(checkout)
    (checkout / ".venv" / "kontor-stamp.json").unlink()
    shutil.rmtree(checkout / ".venv" / "lib")
    repaired = run(checkout, "x")
    assert repaired.code == 0 and "making it anew" in repaired.err
    assert run(checkout, "x").err == ""


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_killed_set_up_is_repaired_by_the_next_start(tmp_path: Path) -> None:
    checkout = make_checkout(tmp_path / "checkout")
    process = start(checkout)
    until = time.monotonic() + 30
    while not (checkout / ".venv" / "pyvenv.cfg").exists():
        assert time.monotonic() < until and process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=PATIENCE)
    assert not (checkout / ".venv" / "kontor-stamp.json").exists()
    repaired = run(checkout, "x")
    assert repaired.code == 0 and "making it anew" in repaired.err


@pytest.mark.long
def test_two_at_once_make_it_once(tmp_path: Path) -> None:
    checkout = make_checkout(tmp_path / "checkout")
    processes = [start(checkout, str(number)) for number in range(2)]
    outcomes = [process.communicate(timeout=PATIENCE) for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert sum("first use" in err for _, err in outcomes) == 1
    assert sum("waiting for it" in err for _, err in outcomes) <= 1


@pytest.mark.long
def test_a_changed_lock_updates_and_a_missing_package_is_explained(checkout: Path) -> None:
    run(checkout)
    lock = checkout / "scripts" / "requirements.lock"
    lock.write_text(f"kontor-no-such-package==1.0 --hash=sha256:{'0' * 64}\n")
    failed = run(checkout)
    assert failed.code == 2 and "out of date" in failed.err and "could not be installed" in failed.err
    lock.write_text("")
    assert run(checkout).code == 0


def test_a_package_with_another_hash_is_refused(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = foreign_wheel(checkout.parent, "quay", {"quay.py": "ashore = True\n"})
    monkeypatch.setenv("PIP_FIND_LINKS", wheel.parent.as_uri())
    run(checkout)
    lock = checkout / "scripts" / "requirements.lock"
    lock.write_text(f"quay==1.0 --hash=sha256:{'0' * 64}\n")
    refused = run(checkout)
    assert refused.code == 2 and refused.out == ""
    assert "is not the file that scripts/requirements.lock names: its hash differs" in " ".join(refused.err.split())
    assert list((checkout / ".venv").rglob("quay.py")) == []
    lock.write_text(f"quay==1.0 --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n")
    assert run(checkout).code == 0
    assert len(list((checkout / ".venv").rglob("quay.py"))) == 1
    lock.write_text("")


def env_module(monkeypatch: pytest.MonkeyPatch, folder: Path) -> object:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.delitem(sys.modules, "_env", raising=False)
    import _env

    monkeypatch.setattr(_env, "VENV", str(folder / ".venv"))
    return _env


def test_an_old_python_is_told_politely(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    env = env_module(monkeypatch, tmp_path)
    monkeypatch.setattr(env, "NEEDED", (99, 0))
    assert env.run(["x"]) == 2  # type: ignore[attr-defined]
    assert "needs Python 99.0 or newer" in capsys.readouterr().err


def test_a_python_without_venv_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    env = env_module(monkeypatch, tmp_path)
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    with pytest.raises(env.SetupError, match="apt install python3"):  # type: ignore[attr-defined]
        env._make_venv()  # type: ignore[attr-defined]
