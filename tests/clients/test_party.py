"""`kontor party`: a host at the terminal lets phones in, begins the match, and closes the door."""

from __future__ import annotations

import os
import pty
import re
import signal
import socket
import subprocess
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from kontor_games.clients.node.node_client import NodeClient
from kontor_games.clients.node.node_link import Refused
from kontor_games.clients.text.qr_lines import BLOCKS, QUIET, qr_lines
from kontor_games.clients.text.terminal import clean
from tests.net.api.guests.door_phone import Closed, DoorPhone, RawSocket
from tests.net.api.kit import NodeProcess
from tests.worlds.quick_start import Popen

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
    with Popen(
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
        host.until("You play as Anna; kontor party --me NAME")
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
        new = DoorPhone.by_link(host.until(r"Seat 2 \(Bruno\): (\S+)\s")[1], "Bruno")
        host.until("y or n: ")
        host.type("y")
        assert bruno.until(lambda told: "end" in told)["end"] == "replaced"
        new.until(lambda told: told.get("you", {}).get("accepted"))
        host.type("remove clara")
        host.until("Clara's phone is out.")
        assert clara.until(lambda told: "end" in told)["end"] == "removed"
        host.type("who")
        host.until(r"Seat 3 \(Clara\): no phone")
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


def test_a_port_that_was_asked_for_and_is_taken_is_named_and_another_one_is_not_taken_instead(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        run = kontor(home, "party", "osaka", "--port", str(port))
    assert run.returncode != 0 and f"port {port} is taken by another program" in run.stderr
    with running(home, "party", "osaka", "--port", str(port)) as host:
        host.until(rf"Seat 2: http://127.0.0.1:{port}/")


def modules(lines: list[str], link: str) -> None:
    """These lines are the code of this link, with white around it."""
    import segno

    halves = {block: pair for pair, block in BLOCKS.items()}
    rows: list[list[int]] = []
    for line in lines:
        pairs = [halves[block] for block in line]
        rows += [[top for top, _ in pairs], [bottom for _, bottom in pairs]]
    inside = [row[QUIET:-QUIET] for row in rows[QUIET:]]
    code = segno.make(link, error="l", micro=False, boost_error=False).matrix
    assert inside[: len(code)] == [list(row) for row in code] and len(lines) <= 20, "it fits on a small terminal"


def test_a_code_in_the_terminal_is_whole() -> None:
    link = "http://192.168.178.123:7480/#LCFP-UgK29iGM6ktTa_hPQ"
    modules(qr_lines(link), link)


BLACK_ON_WHITE = "\x1b[30m\x1b[107m"
PLAIN = "\x1b[0m"


def test_a_person_at_a_real_terminal_sees_codes_that_a_camera_can_read_and_bold_words(home: Path) -> None:
    ours, theirs = pty.openpty()
    command = [*COMMAND, "party", "osaka", "--seats", "3", "--me", "Anna", "--port", "0"]
    colours = {key: value for key, value in environment(home, TERM="xterm-256color").items() if key != "NO_COLOR"}
    with (
        Popen(command, cwd=home, env=colours, stdin=theirs, stdout=theirs, stderr=theirs) as process,
        ExitStack() as stack,
    ):
        os.close(theirs)
        stack.callback(process.kill)
        seen = read_until(ours, r"\(\? for help\)")
        lines = seen.replace("\r\n", "\n").split("\n")
        code = [line for line in lines if line.startswith(BLACK_ON_WHITE)]
        link = re.search(r"Seat 2\S*: (\S+)", seen)
        typed = re.search(r"the code \x1b\[1m(\w{6})\x1b\[0m", seen)
        assert link is not None and typed is not None
        assert all(line.endswith(PLAIN) for line in code)
        modules([line.removeprefix(BLACK_ON_WHITE).removesuffix(PLAIN) for line in code], link[1])
        clara = DoorPhone.by_code(link[1].partition("#")[0], typed[1], "Clara")
        clara.post("wish", {"seat": 1})
        seen += read_until(ours, "y or n: ")
        assert f"\x1b[1m{' '.join(clara.phone.words)}{PLAIN}" in seen
        assert clean("\x1b") not in seen, "no sequence of ours was taken for somebody else's"
        os.write(ours, b"q\n")
        read_until(ours, "The door is closed")
        assert process.wait(60) == 0
    os.close(ours)


def read_until(terminal: int, pattern: str) -> str:
    """What a terminal has shown when this stands there."""
    seen = b""
    while re.search(pattern, seen.decode("utf-8", "replace")) is None:
        seen += os.read(terminal, 4096)
    return seen.decode()


def test_a_party_that_ends_before_its_match_leaves_no_table_behind(home: Path) -> None:
    for end in ("q", "kill"):
        with running(home, "party", "osaka", "--seats", "3", "--me", "Anna", "--port", "0") as host:
            host.until("Seat 2: ")
            host.type("r")
            host.until(r"Seats 2 and 3 are still free\.")
            if end == "q":
                host.type("q")
            else:
                host.process.send_signal(signal.SIGINT)
            host.until("The door is closed")
            assert host.process.wait(60) == 0
        assert "You are at a table" not in kontor(home, "tables").stdout
    refused = kontor(home, "party", "osaka", "--address", "192.0.2.9")
    assert refused.returncode != 0 and "You are at a table" not in kontor(home, "tables").stdout
    assert "which game?" in kontor(home, "party").stderr


def test_without_a_game_the_party_is_for_what_is_open_and_two_of_it_are_a_question(home: Path) -> None:
    with running(home, "host", "osaka", "--seats", "3", "--me", "Anna") as first:
        first.until(r"3  \(free\)")
        with running(home, "party", "--port", "0") as host:
            host.until("Seat 2: ")
            host.type("q")
            host.until("The door is closed")
            host.process.wait(60)
        assert "You are at a table" in kontor(home, "tables").stdout, "who opened the table is still there"
        with running(home, "host", "joban", "--seats", "2", "--me", "Anna") as second:
            second.until(r"2  \(free\)")
            asked = kontor(home, "party")
            assert asked.returncode != 0 and "There are 2 tables here" in asked.stderr


def test_a_host_is_told_whose_phone_would_be_out_and_how_the_hash_of_the_bundle_begins(home: Path) -> None:
    (home / "bundle").mkdir()
    with zipfile.ZipFile(home / "bundle" / "kontor-bundle-0.1.0.zip", "w") as archive:
        archive.writestr("kontor-bundle/MADE_FOR.txt", "Linux (ARM), Python 3.11\n")
    with running(home, "party", "osaka", "--seats", "3", "--me", "Anna", "--port", "0") as host:
        link = host.until(r"Seat 2: (\S+)\s")[1]
        code = host.until(r"the code (\w{6})")[1]
        host.until(r"get\s+it\s+at\s+\S+/bundle\s+\(SHA-256:(\s+[0-9a-f]{4}){5}\s+…\)")
        bruno = DoorPhone.by_link(link, "Bruno")
        host.until("y or n: ")
        host.type("y")
        bruno.until(lambda told: told.get("you", {}).get("accepted"))
        eve = DoorPhone.by_code(bruno.url, code, "Eve")
        host.until("Eve, chooses a seat: connected\n")
        eve.post("wish", {"seat": 1})
        host.until("Eve, seat 2: connected, waits for your answer")
        host.until(r"Bruno's phone plays there now, and would be out\.\nEve's phone wants seat 2\. .*y or n: ")
        host.type("n")
        assert eve.until(lambda told: "end" in told)["end"] == "refused"
        host.type("who")
        host.until("Bruno, seat 2: connected")


def test_a_host_reads_and_hears_another_machine_at_the_table_and_is_asked_again_when_it_changes(
    home: Path,
) -> None:
    bert = NodeProcess(home / "bert").start()
    try:
        with running(home, "party", "osaka", "--seats", "3", "--me", "Anna", "--port", "0") as host:
            bruno = DoorPhone.by_link(host.until(r"Seat 2: (\S+)\s")[1], "Bruno")
            host.until("y or n: ")
            host.type("y")
            bruno.until(lambda told: told.get("you", {}).get("accepted"))
            anna = NodeClient(home)
            (table,) = [each["id"] for each in anna.get("tables")["tables"]]
            where = {"address": anna.get(f"tables/{table}")["addresses"][0]}
            where["fingerprint"] = anna.get("hello")["node"]["fingerprint"]
            anna.close()
            link = bert.link()
            link.post("join", where)
            until(lambda: link.get(f"tables/{table}")["phase"] == "open")
            link.post(f"tables/{table}/sit", {"seat": 2, "name": "Bert"})
            host.until("Bert, seat 3: at another computer\n")
            host.until("You will play Merchants of Osaka")
            host.until("Bruno plays as a guest at the machine of Anna")
            host.until(r"Type r when you agree and are ready\.")
            link.post(f"tables/{table}/chat", {"text": "where is the beer?"})
            host.until(r"Bert says: where is the beer\?")
            host.type("say in the fridge")
            host.until("Anna says: in the fridge")
            until(lambda: link.get(f"tables/{table}")["chat"][-1]["text"] == "in the fridge")
            host.type("r")
            host.until(r"You are ready\.")
            link.post(f"tables/{table}/stand", {"seat": 2})
            host.until(r"The table has changed since you were ready\.")
            link.post(f"tables/{table}/sit", {"seat": 2, "name": "Bert"})
            host.until(r"Type r when you agree and are ready\.")
            host.type("r")
            host.until(r"You are ready\.")
            link.post(f"tables/{table}/ready")
            words = host.until(r"This match in six words:\n +([a-z ]+)\n")[1]
            assert len(words.split()) == 6
            host.until("The match has begun")
            host.type("q")
            host.until("The door is closed")
    finally:
        bert.end()


def until(found: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while True:
        with suppress(Refused):
            if found():
                return
        assert time.monotonic() < end
        time.sleep(0.05)
