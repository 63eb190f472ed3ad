"""A process may be killed at any instant: what was shown as made is there when it starts again."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kontor_games.net.api import daemon

from .command import COMMAND, environment, kontor

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
PLAY = ("play", "osaka", "--seats", "me:Ada,bot:random,bot:random", "--seed", "7")
PROMPT = r"\n> $"


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
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # its keyboard: ^C is a signal
        )
        os.close(slave)
        self.text = ""
        self._seen = 0

    def wait_for(self, pattern: str, seconds: float = 90) -> str:
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


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A person's home; its node is ended with the test."""
    yield tmp_path
    daemon.stop(tmp_path)


def kill_node(home: Path) -> None:
    running = daemon.find(home)
    assert running is not None
    os.kill(running.pid, signal.SIGKILL)


def log_of(home: Path) -> str:
    """What the node has of the match."""
    return " ".join(kontor(home, "resume", typed="L\nq\n").stdout.split())


def draft(screen: Screen) -> str:
    """The first entry of every menu until the turn is complete."""
    screen.wait_for(PROMPT)
    screen.type("1\n")
    while "Enter confirms" not in screen.wait_for(r"Draft: [^>]*u undoes > "):
        screen.type("1\n")
    return screen.text.rsplit("Draft: ", 1)[1].split("\r\n")[0]


@pytest.mark.parametrize(
    "victim", [pytest.param("client", marks=pytest.mark.long), "node", pytest.param("both", marks=pytest.mark.long)]
)
def test_kill_9_of_client_or_node_loses_nothing_that_was_shown_as_made(home: Path, victim: str) -> None:
    made = []
    screen = Screen(home, *PLAY, NO_COLOR="1")
    try:
        for _ in range(2):
            draft(screen)
            screen.type("\n")
            made.append(screen.wait_for(r"You \S.*?(?=\r)"))
            if victim != "client":
                kill_node(home)
            if victim == "node":
                screen.wait_for("The node was started again")
            else:
                screen.kill()
                screen.close()
                screen = Screen(home, "resume", NO_COLOR="1")
        screen.wait_for("> ")
    finally:
        screen.kill()
        screen.close()
    log = log_of(home)
    assert log.count(" Ada: ") >= len(made)
    for text in made:
        assert f" {text}" in log


@pytest.mark.long
def test_a_draft_that_was_shown_is_there_after_kill_9_and_no_action_is_made_twice(home: Path) -> None:
    screen = Screen(home, *PLAY, NO_COLOR="1")
    drafted = draft(screen)
    kill_node(home)
    screen.kill()
    screen.close()
    again = Screen(home, "resume", NO_COLOR="1")
    try:
        again.wait_for(re.escape(f"Draft: {drafted}"))
        again.wait_for("Enter confirms")
        again.type("\n")
        again.wait_for(r"\nYou ")
    finally:
        again.kill()
        again.close()
    log = kontor(home, "resume", typed="L\nq\n").stdout.split("What happened last:")[1]
    assert len(re.findall(r"(?m)^ +\d+  Ada: ", log)) == max(1, len(re.findall(r"\d\. ", drafted)))


def test_ctrl_c_says_how_to_come_back_and_leaves_the_node_alone(home: Path) -> None:
    screen = Screen(home, *PLAY)
    try:
        screen.wait_for("Type \\? for help")
        screen.wait_for("> ")
        screen.type("\x03")
        screen.wait_for("The match is kept, and goes on whenever you come back:\r\n  kontor resume [0-9a-f]{8}\r\n")
        assert screen.process.wait(60) == 130
        assert daemon.find(home) is not None
    finally:
        screen.close()


@pytest.mark.long
def test_a_terminal_gets_colours_and_letters(home: Path) -> None:
    screen = Screen(home, *PLAY)
    try:
        screen.wait_for("> ")
        assert "\x1b[" in screen.text
        plain = re.sub("\x1b\\[[0-9;]*[mHJ]", "", screen.text)
        assert all(len(line) <= 80 for line in plain.splitlines()), "80 columns"
    finally:
        screen.kill()
        screen.close()


@pytest.mark.long
def test_two_screens_show_one_match_and_one_draft(home: Path) -> None:
    screen = Screen(home, *PLAY, NO_COLOR="1")
    other = None
    try:
        screen.wait_for(PROMPT)
        other = Screen(home, "resume", NO_COLOR="1")
        other.wait_for(PROMPT)
        screen.type("token red\n")
        other.wait_for("Draft: You start with a red token")
        other.wait_for("Enter confirms")
        other.type("\n")
        screen.wait_for(r"\nYou start with a red token")
    finally:
        for each in (screen, other):
            if each is not None:
                each.kill()
                each.close()


@pytest.mark.long
def test_the_full_screen_gets_the_keyboard_after_plain_questions(home: Path) -> None:
    for seed in ("1", "2"):
        kontor(home, "play", "osaka", "--seats", "me:Ada,bot", "--seed", seed, typed="q\n")
    screen = Screen(home, "resume", "--full-screen")
    try:
        screen.wait_for("Which one\\? ")
        screen.type("1\r")
        screen.wait_for("What you can do")
        screen.type("\x03")
        screen.wait_for("To come back: kontor screen [0-9a-f]+")
        assert screen.process.wait(60) == 0
    finally:
        screen.close()
