"""`kontor party`: a host at the terminal lets phones in, begins the match, and closes the door."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kontor_games.clients.text.qr_lines import BLACK_ON_WHITE, BLOCKS, PLAIN, QUIET, qr_lines
from tests.net.api.guests.door_phone import Closed, DoorPhone, RawSocket

from .command import COMMAND, environment, kontor


class Terminal:
    """A command that runs, and what it has printed."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.seen = ""

    def until(self, pattern: str) -> re.Match[str]:
        """Read on until this stands there."""
        assert self.process.stdout is not None
        end = time.monotonic() + 90
        while (found := re.search(pattern, self.seen)) is None:
            assert time.monotonic() < end
            letter = self.process.stdout.read(1)
            assert letter, self.seen
            self.seen += letter
        self.seen = self.seen[found.end() :]
        return found

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()


@contextmanager
def running(home: Path, *arguments: str) -> Iterator[Terminal]:
    command = [*COMMAND, *arguments]
    with subprocess.Popen(
        command, cwd=home, env=environment(home), stdin=-1, stdout=-1, stderr=subprocess.STDOUT, text=True
    ) as process:
        yield Terminal(process)
        process.kill()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    RawSocket.close_all()
    kontor(tmp_path, "node", "stop")


def test_a_host_lets_phones_in_begins_the_match_and_ctrl_c_closes_the_door(home: Path) -> None:
    with running(home, "party", "osaka", "--seats", "4", "--bots", "1", "--me", "Anna", "--port", "0") as host:
        host.until("Merchants of Osaka")
        link = host.until(r"Seat 2: (\S+)\s")[1]
        code = host.until(r"the code (\w{6})")[1]
        bruno = DoorPhone.by_link(link, "Bruno")
        host.until(r"Bruno's phone wants seat 2\. Let them in\? y or n: ")
        host.type("y")
        bruno.until(lambda told: told.get("you", {}).get("accepted"))
        link = host.until(r"Seat 3: (\S+)\s")[1]
        eve = DoorPhone.by_link(link, "Eve")
        host.until("wants seat 3.*y or n: ")
        host.type("n")
        assert eve.until(lambda told: "end" in told)["end"] == "refused"
        host.until(r"Seat 3: (\S+)\s")
        clara = DoorPhone.by_code(bruno.url, code, "Clara")
        clara.post("wish", {"seat": 2})
        host.until(" ".join(clara.phone.words))
        host.until("y or n: ")
        host.type("y")
        host.until("Every seat is taken")
        host.type("who")
        host.until("Clara, seat 3: connected")
        host.type("r")
        host.until("The match has begun")
        clara.until(lambda told: told.get("you", {}).get("match"))
        state = clara.get(f"matches/{clara.you['match']}")
        assert [seat["name"] for seat in state["seats"]] == ["Anna", "Bruno", "Clara", "Bot 1"] and state["seat"] == 2
        host.type("replace 2")
        new = DoorPhone.by_link(host.until(r"Seat 2: (\S+)\s")[1], "Bruno")
        host.until("y or n: ")
        host.type("y")
        assert bruno.until(lambda told: "end" in told)["end"] == "replaced"
        new.until(lambda told: told.get("you", {}).get("accepted"))
        host.type("remove clara")
        assert clara.until(lambda told: "end" in told)["end"] == "removed"
        host.type("nonsense")
        host.until("end the party")
        host.process.send_signal(signal.SIGINT)
        host.until("The door is closed")
        assert new.until(lambda told: "end" in told)["end"] == "closed"
        assert host.process.wait(60) == 0
        with pytest.raises((Closed, OSError)):
            new.again()


def test_what_cannot_be_is_said_in_words(home: Path) -> None:
    for arguments, words in (
        (("party",), "which game?"),
        (("party", "osaka", "--seats", "9"), "9 is not in the range"),
        (("party", "hansa", "--seats", "2", "--bots", "1"), "leave none for phones"),
        (("party", "osaka", "--address", "192.0.2.9"), "not an address of this machine"),
    ):
        run = kontor(home, *arguments)
        assert run.returncode != 0 and words in run.stderr, run.stderr


def test_a_code_in_the_terminal_is_black_on_white_and_whole() -> None:
    import segno

    link = "http://192.168.178.123:7480/#LCFP-UgK29iGM6ktTa_hPQ"
    lines = qr_lines(link)
    halves = {block: pair for pair, block in BLOCKS.items()}
    rows: list[list[int]] = []
    for line in lines:
        assert line.startswith(BLACK_ON_WHITE) and line.endswith(PLAIN)
        pairs = [halves[block] for block in line.removeprefix(BLACK_ON_WHITE).removesuffix(PLAIN)]
        rows += [[top for top, _ in pairs], [bottom for _, bottom in pairs]]
    inside = [row[QUIET:-QUIET] for row in rows[QUIET:]]
    code = segno.make(link, error="l", micro=False, boost_error=False).matrix
    assert inside[: len(code)] == [list(row) for row in code] and len(lines) <= 20, "it fits on a small terminal"
