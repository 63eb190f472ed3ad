"""Two nodes on one network find each other and play Osaka in typed notation, a third watches: plainly, and in tmux."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kontor_games.net.api import daemon
from kontor_games.net.record.verify import verify
from kontor_games.net.system import child

from .terminals import PATIENCE, Seat

ON_LAN = {"KONTOR_LAN": "1"}  # on the loopback, where nodes of one machine hear each other


@pytest.fixture
def homes(tmp_path: Path) -> Iterator[Path]:
    """A folder of homes whose nodes end with the test."""
    yield tmp_path
    for home in filter(Path.is_dir, tmp_path.iterdir()):
        daemon.stop(home)


def test_two_people_find_each_other_on_the_network_and_a_third_watches(homes: Path) -> None:
    def kontor(name: str, *arguments: str) -> Seat:
        seats.append(Seat(homes / name.lower(), [*arguments, "--me", name] if name != "Zoe" else arguments, ON_LAN))
        return seats[-1]

    def listed(name: str, line: str) -> None:
        """The network may still know the table as it was a moment before."""
        until = time.monotonic() + PATIENCE
        while True:
            look = kontor(name, "tables")
            assert look.wait() == 0
            if line in look.text:
                return
            assert time.monotonic() < until, look.text

    seats: list[Seat] = []
    try:
        anna = kontor("Anna", "host", "osaka", "--spectators", "--tokens-to-end", "6")
        anna.until(r"Anna \(you\)")
        listed("Bruno", "osaka, 1 of 2 seats taken, host Anna, on the local network")
        bruno = kontor("Bruno", "join", "anna")
        for seat in (anna, bruno):
            seat.until("Type r when you agree")
            seat.type("r")
        words = {seat.until(r"six words:\n    ([a-z ]+)\n")[1] for seat in (anna, bruno)}
        assert len(words) == 1
        listed("Zoe", "kontor watch ")
        zoe = kontor("Zoe", "watch", "anna")
        zoe.until(f"Six words: {words.pop()}")
        turns = 0
        until = time.monotonic() + PATIENCE
        while turns < 4:
            assert time.monotonic() < until
            turns += sum(answer(seat) for seat in (anna, bruno))
        zoe.until(r"\n(Anna|Bruno) (starts|takes|buys|reserves) ")
        while not bruno.is_asked:
            assert time.monotonic() < until
            answer(anna)
            bruno.read()
        bruno.type("bye")
        bruno.until("Type bye again")
        bruno.type("bye")
        for seat in (anna, bruno, zoe):
            assert seat.wait() == 0 and "a forfeit" in seat.text
    finally:
        for seat in seats:
            seat.close()


def answer(seat: Seat) -> bool:
    """Answer a prompt, if there is one; True if a turn was confirmed."""
    prompt = re.search(r"(Enter confirms[^>\n]*)?> $", seat.text[seat.passed :])
    if prompt is None:
        seat.read()
        return False
    seat.passed += prompt.end()
    if prompt[1]:
        seat.type("")
        return True
    seat.type("1")
    return False


class Pane:
    """A terminal of tmux, 100 columns wide unless it says otherwise, in which `kontor` runs."""

    def __init__(self, server: list[str], name: str, home: Path, arguments: str, width: int = 100) -> None:
        self._server = server
        self._name = name
        self.home = home
        kontor = " ".join([*child.python(), "-m", "kontor_games.clients.entry", arguments, "--home", str(home)])
        started = ["new-session", "-d", "-s", name, "-x", str(width), "-y", "30"]
        self._tmux(*started, f"{kontor}; echo ended with $?; read -r")
        self._tmux("set-option", "-t", f"={name}:", "history-limit", "50000")

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run([*self._server, *arguments], capture_output=True, text=True, check=True, timeout=60)
        return done.stdout

    @property
    def text(self) -> str:
        """All lines, those that have scrolled away included; what was wrapped by the terminal is joined again."""
        return self._tmux("capture-pane", "-p", "-J", "-S", "-", "-t", f"={self._name}:").rstrip()

    def type(self, text: str) -> None:
        self._tmux("send-keys", "-t", f"={self._name}:", "-l", text)
        self._tmux("send-keys", "-t", f"={self._name}:", "Enter")

    def until(self, pattern: str, patience: float = PATIENCE) -> re.Match[str]:
        end = time.monotonic() + patience
        while not (found := re.search(pattern, self.text)):
            assert time.monotonic() < end, f"{pattern!r} is not on the screen, but: {self.text[-3000:]}"
            time.sleep(0.2)
        return found

    def answer(self) -> bool:
        """Answer a prompt in notation, if there is one; True if there was."""
        text = self.text
        if not text.endswith(">"):
            return False
        if re.search(r"Enter confirms[^>\n]*>$", text):
            self.type("")
        else:
            self.type("1")
        self.until(r"(?s)\A" + re.escape(text) + ".")  # it was taken
        return True


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[list[str]]:
    """A server of tmux of our own."""
    if shutil.which("tmux") is None or sys.platform == "win32":
        pytest.skip("tmux is not installed")
    server = ["tmux", "-S", str(tmp_path / "tmux.socket"), "-f", "/dev/null"]
    environment = {**child.environment(), "KONTOR_BIND": "127.0.0.1", **ON_LAN, "LC_ALL": "C.UTF-8"}
    subprocess.run([*server, "new-session", "-d", "-s", "first"], env=environment, check=True, timeout=60)
    subprocess.run([*server, "set-option", "-g", "history-limit", "50000"], check=True, timeout=60)
    yield server
    subprocess.run([*server, "kill-server"], check=True, timeout=60)


@pytest.mark.long
def test_two_terminals_play_osaka_to_the_end_and_a_third_watches(homes: Path, tmux: list[str]) -> None:
    anna = Pane(tmux, "anna", homes / "anna", "host osaka --me Anna --spectators --tokens-to-end 6", 80)
    anna.until(r"Anna \(you\)")
    bruno = Pane(tmux, "bruno", homes / "bruno", "join Anna --me Bruno")
    for pane in (anna, bruno):
        pane.until("Type r when you agree")
        pane.type("r")
    match = anna.until(r"Match ([0-9a-f]{32})")[1]
    zoe = Pane(tmux, "zoe", homes / "zoe", "watch anna", 80)
    zoe.until(f"Match {match}")
    quiet_since = time.monotonic()
    while "ended with" not in anna.text:
        if anna.answer() or bruno.answer():
            quiet_since = time.monotonic()
        assert time.monotonic() - quiet_since < PATIENCE, (anna.text[-1500:], bruno.text[-1500:])
    for pane in (anna, bruno, zoe):
        pane.until("ended with 0")
        assert re.search(r"Winners?: ", pane.text) and "Points" in pane.text
        lines = pane.text.splitlines()
        assert not [line for line in lines if len(line) > 100 and str(homes) not in line]
    results = {pane.text.split("Winner")[1].split("Place")[0] for pane in (anna, bruno, zoe)}
    assert len(results) == 1, "all three saw the same end"
    for home in (anna.home, bruno.home):
        report = verify(home / "matches" / f"{match}.kontor")
        assert (report.code, report.sealed, report.finished) == (0, True, True)
