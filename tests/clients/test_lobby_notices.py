"""What operators say reaches the person, whatever client is open, and one that is opened later (B15)."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from kontor_games.clients.text.lobby_words import lobby_says
from kontor_games.lobby.admin.operator_asking import ask_lobby
from tests.lobby.child import LobbyProcess

from .command import COMMAND, ROOT, environment, kontor


@pytest.fixture
def lobby(tmp_path: Path) -> Iterator[LobbyProcess]:
    process = LobbyProcess(tmp_path / "lobby")
    try:
        yield process
    finally:
        process.stop()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "home"
    folder.mkdir()
    try:
        yield folder
    finally:
        kontor(folder, "node", "stop")


@contextmanager
def open_terminal(home: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A command that somebody left open; a line that never comes ends it."""
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=home,
        env=environment(home, PYTHONUNBUFFERED="1", COLUMNS="200"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    alarm = Timer(60, process.kill)
    alarm.start()
    try:
        yield process
    finally:
        alarm.cancel()
        process.kill()
        process.communicate()


def read_until(process: subprocess.Popen[str], words: str) -> str:
    assert process.stdout is not None
    read = ""
    while words not in read:
        more = process.stdout.read(1)  # a prompt has no end of line
        assert more, f"{words!r} is not in {read!r}"
        read += more
    return read


def operate(lobby: LobbyProcess, **ask: Any) -> dict[str, Any]:
    answer = ask_lobby(lobby.data, ask)
    assert answer is not None and "error" not in answer, answer
    return answer


def test_announce_warn_and_mute_reach_every_command_of_the_terminal(lobby: LobbyProcess, home: Path) -> None:
    address = f"127.0.0.1:{lobby.port}"
    assert kontor(home, "tables", "--lobby", address, "--me", "Anna").returncode == 0
    with open_terminal(home, "queue", "osaka", "--seats", "3") as waiting:
        read_until(waiting, "Waiting for others")
        assert operate(lobby, do="announce", reason="restart at six") == {"told": 1}
        read_until(waiting, "The lobby announces: restart at six")
    with open_terminal(home, "host", "osaka", "--lobby", "--seats", "3") as table:
        read_until(table, "Anna (you)")
        operate(lobby, do="warn", who="Anna", reason="please be kind")
        read_until(table, "The operators of the lobby warn you: please be kind")
    with open_terminal(home, "play", "osaka", "--seats", "me,bot") as match:
        read_until(match, "> ")
        operate(lobby, do="mute", who="Anna", reason="shouting", **{"for": "2h"})
        assert "until" in read_until(match, ": shouting")
    later = kontor(home, "tables").stdout
    for text in ("restart at six", "please be kind", "shouting"):
        assert text in later.replace("\n  ", " ")


def test_notices_about_tables_are_not_the_lobbys() -> None:
    assert lobby_says({"kind": "notice", "id": "4f2a", "about": "table", "text": "gone"}) is None
    assert lobby_says({"kind": "notice", "about": "sit", "text": "taken"}) is None
    assert lobby_says({"kind": "notice", "about": "warning", "id": "4f2a", "text": "x"}) is None


def test_an_end_beyond_all_calendars_is_left_out() -> None:
    assert lobby_says({"about": "ban", "text": "spam", "until": 2**52}) == (
        "The operators of the lobby have banned you: spam"
    )


WEB = """
import { readFileSync } from "node:fs";
import { useWords } from "./clients/web/words.js";
import { lobbySays } from "./clients/web/ui/table/lobby.js";
useWords(JSON.parse(readFileSync("clients/web/words/en.json", "utf8")));
const kinds = ["warning", "mute", "ban", "announcement", "shutdown", "elsewhere"];
const said = kinds.map((about) => lobbySays({ about, text: "TEXT", until: about === "mute" ? 1794801600 : null }));
const others = [lobbySays({ about: "sit", text: "x" }), lobbySays({ about: "warning", id: "t", text: "x" })];
console.log(JSON.stringify({ said, others }));
"""


def test_the_web_client_has_a_sentence_for_everything_a_lobby_says() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node.js here to run the web client's code")
    run = subprocess.run(
        [node, "--input-type=module", "-e", WEB], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    assert told["others"] == [None, None]
    assert all("TEXT" in text and "{" not in text for text in told["said"])
    assert told["said"][0] == lobby_says({"about": "warning", "text": "TEXT"})
    assert " until " in told["said"][1] and " until " not in told["said"][2]
