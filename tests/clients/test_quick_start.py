"""Commands that begin as forks are what a usual start makes of them, and ours to wait for (tests/worlds)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.worlds import quick_start
from tests.worlds.quick_start import Popen

from .command import COMMAND, environment, kontor


def said(start: Any, folder: Path, *words: str) -> tuple[int, str, str]:
    with start(
        [*COMMAND, *words], cwd=folder, env=environment(folder), stdin=-3, stdout=-1, stderr=-1, text=True
    ) as process:
        out, error = process.communicate(timeout=60)
    return process.returncode, out, error


@pytest.mark.parametrize("words", [("games",), ("play", "chess"), ("verify", "none.kontor"), ("--version",)])
def test_a_fork_says_and_ends_as_a_usual_start_does(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert said(Popen, tmp_path, *words) == said(subprocess.Popen, tmp_path, *words)


def test_a_fork_is_a_child_of_ours_in_its_own_session_and_folder(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "kontor_games.clients.entry", "node", "run", "--no-lan"]
    where: dict[str, Any] = {"cwd": tmp_path, "env": environment(tmp_path), "stdout": -1}
    process = Popen(command, **where, start_new_session=True)
    assert process.stdout is not None and process.stdout.readline().startswith(b"{")
    parent = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[1]
    assert int(parent) == os.getpid() and os.getsid(process.pid) == process.pid
    assert Path(f"/proc/{process.pid}/cwd").resolve() == tmp_path.resolve()
    files = {os.readlink(each) for each in Path(f"/proc/{process.pid}/fd").iterdir()}
    assert os.readlink(f"/proc/self/fd/{process.stdout.fileno()}") in files
    process.send_signal(signal.SIGKILL)
    assert process.wait(30) == -signal.SIGKILL
    process.stdout.close()


def test_what_a_fork_cannot_follow_is_started_in_the_usual_way(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def orders(*command: str, **how: Any) -> bool:
        usual: dict[str, Any] = {"env": None, "cwd": None, "start_new_session": False}
        return quick_start.order_of({"args": command, **usual, **how}) is not None

    assert orders(*COMMAND, "games") and orders(sys.executable, "-c", quick_start.MAIN, "games")
    assert orders(sys.executable, "-P", "-m", quick_start.JUDGE)
    assert not orders("python-of-others", "-m", "kontor_games.clients.entry", "games")
    assert not orders(sys.executable, "-X", "dev", "-m", "kontor_games.clients.entry", "games")
    assert not orders(sys.executable, "-c", "print()")
    assert not orders(*COMMAND, "games", preexec_fn=print) and not orders(*COMMAND, "games", pass_fds=(5,))
    assert not orders(*COMMAND, "games", env={**os.environ, "PYTHONHASHSEED": "1"})
    assert not orders(*COMMAND, "games", env={**os.environ, "PYTHONPATH": str(tmp_path)})
    monkeypatch.setenv("COVERAGE_PROCESS_START", "x")
    assert not orders(*COMMAND, "games"), "forks would not be counted"


def test_a_word_that_is_not_text_reaches_a_command(tmp_path: Path) -> None:
    odd = os.fsdecode(b"\xff.kontor")
    run = kontor(tmp_path, "verify", odd)
    assert run.returncode == 2 and "no such file" in run.stdout + run.stderr
