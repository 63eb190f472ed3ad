"""`kontor people` and the way of a key to another computer, as a person types them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from kontor_games.net.wire.identity import FILE_NAME, load
from tests.lobby.child import LobbyProcess

from .command import kontor

KEY = "ab" * 32
SECRET = "eleven grey herons"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "home").mkdir()
    yield tmp_path / "home"
    kontor(tmp_path / "home", "node", "stop")


def test_people_are_named_shown_and_forgotten(home: Path, tmp_path: Path) -> None:
    lobby = LobbyProcess(tmp_path / "lobby")
    try:
        shown = kontor(home, "people", "--lobby", f"127.0.0.1:{lobby.port}")
        assert "none; kontor people add WHO" in shown.stdout and "In the lobby" in shown.stdout, shown.stderr
        assert kontor(home, "people", "add", KEY).returncode == 0
        told = json.loads(kontor(home, "people", "--json").stdout)
        assert [friend["key"] for friend in told["friends"]] == [KEY] and told["appears"] == "friends"
        mark = told["friends"][0]["fingerprint"]
        hidden = kontor(home, "people", "show", mark[:19])
        assert hidden.returncode == 2 and "not here, or does not show" in hidden.stderr
        assert "is blocked now" in kontor(home, "people", "block", mark[:19]).stdout
        assert "Nobody in a lobby" in kontor(home, "people", "appear", "nobody").stdout
        assert kontor(home, "people", "forget", KEY).returncode == 0
        unknown = kontor(home, "people", "invite", "Nobody")
        assert unknown.returncode == 2 and "nobody called 'Nobody'" in unknown.stderr
    finally:
        lobby.stop()


def test_a_key_moves_to_another_home_and_never_under_a_running_node(home: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(f"{SECRET}\n")
    secret = ("--passphrase-file", str(tmp_path / "secret"))
    known = json.loads(kontor(home, "id", "--json").stdout)
    exported = kontor(home, "id", "export", str(tmp_path / "key.json"), *secret)
    assert exported.returncode == 0 and known["fingerprint"] in exported.stdout
    running = kontor(home, "id", "import", str(tmp_path / "key.json"), "--replace", *secret)
    assert running.returncode == 2 and "kontor node stop" in running.stderr
    (tmp_path / "other").mkdir()
    moved = kontor(tmp_path / "other", "id", "import", str(tmp_path / "key.json"), *secret)
    assert moved.returncode == 0 and known["fingerprint"] in moved.stdout and "one computer at a time" in moved.stdout
    assert load(tmp_path / "other" / FILE_NAME).key == load(home / FILE_NAME).key
    (tmp_path / "secret").write_text("something else\n")
    wrong = kontor(tmp_path / "other", "id", "import", str(tmp_path / "key.json"), "--replace", *secret)
    assert wrong.returncode == 2 and "passphrase is wrong" in wrong.stderr
