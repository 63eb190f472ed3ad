"""A process may be killed at any instant: what was shown as made is there when it starts again."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .command import COMMAND, environment, kontor

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
PLAY = ("play", "osaka", "--seats", "me,bot,bot", "--seed", "7", "--save", "a.kontor")


class Screen:
    """`kontor` on a terminal of 80 columns."""

    def __init__(self, home: Path, *arguments: str, **variables: str) -> None:
        import fcntl
        import struct
        import termios

        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.process = subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=home,
            env=environment(home, TERM="xterm", **variables),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        self.text = ""
        self._seen = 0

    def wait_for(self, pattern: str, seconds: float = 30) -> str:
        """Read until what was not yet waited for matches."""
        until = time.monotonic() + seconds
        while not (found := re.search(pattern, self.text[self._seen :])):
            left = until - time.monotonic()
            assert left > 0 and self._read(left), f"no {pattern!r} in:\n{self.text[-2000:]}"
        self._seen += found.end()
        return found.group()

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def kill(self, how: int = signal.SIGKILL) -> int:
        self.process.send_signal(how)
        return self.process.wait(30)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(30)
        os.close(self._master)

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], seconds)
        if not ready:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # the other end is closed
            return False
        self.text += data.decode("utf-8", "replace")
        return bool(data)


def test_kill_9_loses_nothing_that_was_shown_as_made(tmp_path: Path) -> None:
    made = []
    for _ in range(3):
        screen = Screen(tmp_path, *PLAY, NO_COLOR="1")
        try:
            for _ in range(2):
                screen.wait_for(r"\n> ")
                screen.type("1\n")
                while "confirms" not in screen.wait_for(r"(Enter confirms, u undoes > |\[[^\]]*\] > )"):
                    screen.type("1\n")
                screen.type("\n")
                made.append(screen.wait_for(r"Player: \S.*?(?=  |\r)").removeprefix("Player: "))
        finally:
            screen.kill()
            screen.close()
        log = " ".join(kontor(tmp_path, "replay", "a.kontor", "--log").stdout.split())
        assert log.count(" Player: ") >= len(made)
        for text in made:
            assert f" Player: {text}" in log
        assert kontor(tmp_path, "verify", "a.kontor").returncode == 0


def test_a_draft_that_was_shown_is_there_after_kill_9_and_no_action_is_made_twice(tmp_path: Path) -> None:
    screen = Screen(tmp_path, *PLAY, NO_COLOR="1")
    screen.wait_for(r"\n> ")
    screen.type("1\n")
    drafted = screen.wait_for(r"\[[^\]]+\] Enter confirms")
    before = (tmp_path / "a.kontor").read_bytes()
    screen.kill()
    screen.close()
    again = Screen(tmp_path, *PLAY, NO_COLOR="1")
    try:
        assert again.wait_for(r"\[[^\]]+\] Enter confirms") == drafted
        assert (tmp_path / "a.kontor").read_bytes() == before
        again.type("\n")
        again.wait_for(r"Player: ")
    finally:
        again.kill()
        again.close()
    assert kontor(tmp_path, "replay", "a.kontor", "--log").stdout.count("Player: ") == 1


def test_a_record_torn_by_the_kill_is_cut_off_and_the_match_goes_on(tmp_path: Path) -> None:
    kontor(tmp_path, *PLAY, typed="1\n\n1\n\nq\n")
    path = tmp_path / "a.kontor"
    whole = path.read_bytes()
    path.write_bytes(whole[:-7])
    run = kontor(tmp_path, *PLAY, typed="q\n")
    assert run.returncode == 0 and "goes on at ply" in run.stdout
    assert kontor(tmp_path, "verify", "a.kontor").returncode == 0


def test_ctrl_c_saves_and_says_how_to_go_on(tmp_path: Path) -> None:
    screen = Screen(tmp_path, *PLAY)
    try:
        screen.wait_for("Type \\? for help")
        screen.wait_for("> ")
        screen.type("\x03")
        if screen.process.poll() is None:  # not our controlling terminal: send what the keyboard would
            screen.process.send_signal(signal.SIGINT)
        screen.wait_for("The match is saved. Go on with: kontor play a.kontor")
        assert screen.process.wait(30) == 130
    finally:
        screen.close()


def test_a_terminal_gets_colours_and_letters(tmp_path: Path) -> None:
    screen = Screen(tmp_path, *PLAY)
    try:
        screen.wait_for("> ")
        assert "\x1b[" in screen.text
        plain = re.sub("\x1b\\[[0-9;]*[mHJ]", "", screen.text)
        assert all(len(line) <= 80 for line in plain.splitlines()), "80 columns"
    finally:
        screen.kill()
        screen.close()


def test_two_processes_cannot_play_one_match(tmp_path: Path) -> None:
    screen = Screen(tmp_path, *PLAY)
    try:
        screen.wait_for("> ")
        run = kontor(tmp_path, "play", "a.kontor")
        assert run.returncode == 2 and "another process is playing this match" in run.stderr
    finally:
        screen.kill()
        screen.close()
