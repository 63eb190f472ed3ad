"""People over the local API: friends find each other in a real lobby, invite, block and report; files of the home."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from kontor_games.clients.node.node_link import Refused
from kontor_games.engine.errors import ConfigError
from kontor_games.lobby.admin.operator_asking import ask_lobby
from kontor_games.net.api.network.people_book import FILE, PeopleBook
from kontor_games.net.lobbies.home_number import home_number
from tests.lobby.child import LobbyProcess

from .test_network import Party, pair  # noqa: F401 - a fixture

KEY, OTHER = b"k" * 32, b"o" * 32


def test_friends_see_each_other_invite_talk_block_and_report(pair: Party, tmp_path: Path) -> None:  # noqa: F811
    lobby = LobbyProcess(tmp_path / "lobby")
    try:
        anna, ben = pair.links
        hear_anna, hear_ben = pair.ears
        for link, name in ((anna, "Anna"), (ben, "Ben")):
            link.put("settings", {"name": name, "lobby": f"127.0.0.1:{lobby.port}"})
            link.post("lobby")
        keys = [link.get("lobby")["you"]["key"] for link in (anna, ben)]
        assert anna.get("people")["here"] == [], "nobody is listed who did not say so"
        anna.post("people", {"key": keys[1], "name": "Ben", "standing": "friend"})
        assert not anna.get("people")["friends"][0]["online"], "he has not named her"
        with pytest.raises(Refused, match="not here, or does not show"):
            anna.get(f"people/{keys[1]}")
        ben.post("people", {"key": keys[0], "name": "Anna", "standing": "friend"})
        hear_anna.wait_for(lambda e: e["kind"] == "people" and e.get("friend", {}).get("name") == "Ben")
        assert anna.get("people")["friends"][0]["online"] and anna.get(f"people/{keys[1]}")["matches"] == 0
        table = anna.post("tables", {"game": "osaka", "seats": 2, "where": "lobby", "visibility": "invite"})["id"]
        anna.post(f"people/{keys[1]}/invite", {"table": table})
        at = hear_ben.wait_for(lambda e: e["kind"] == "invited" and e["by"]["name"] == "Anna")
        ben.post("join", {"code": hear_ben.seen[at - 1]["code"]})
        ben.post("lobby/chat", {"text": "Anna cheats"})
        hear_anna.wait_for(lambda e: e["kind"] == "chat" and e["line"]["text"] == "Anna cheats")
        assert anna.post(f"people/{keys[1]}/report", {"reason": "slander"}) == {"lines": 1}
        answer = ask_lobby(lobby.data, {"do": "reports"})
        assert answer is not None
        (report,) = answer["reports"]
        assert (report["name"], report["by_name"], report["reason"]) == ("Ben", "Anna", "slander")
        assert [(line["text"], line["kept"]) for line in report["lines"]] == [("Anna cheats", True)]
        ben.put("people/appears", {"to": "everybody"})
        hear_anna.wait_for(lambda e: e["kind"] == "people" and bool(anna.get("people")["here"]))
        known = anna.post("people", {"key": keys[1], "name": "Ben", "standing": "block"})
        assert known["friends"] == [] and known["here"] == [] and known["blocked"][0]["name"] == "Ben"
    finally:
        lobby.stop()


def test_the_book_is_private_bounded_and_kept_when_it_cannot_be_read(tmp_path: Path) -> None:
    book = PeopleBook(tmp_path)
    assert book.appears == "friends"
    book.put(KEY, "Anna", "friend", 5)
    book.put(OTHER, "Mal", "block", 6)
    book.appear("nobody")
    assert os.stat(tmp_path / FILE).st_mode & 0o777 == 0o600
    again = PeopleBook(tmp_path)
    assert (again.appears, again.keys("friend"), again.is_blocked(OTHER)) == ("nobody", (KEY,), True)
    assert again.poses_as(OTHER, "ANNA") and not again.poses_as(KEY, "Anna")
    again.put(KEY, "Anna", "block", 7)
    assert again.keys("friend") == () and again.is_blocked(KEY), "nobody is both"
    again.drop(KEY)
    (tmp_path / FILE).write_text(json.dumps({"version": 9}))
    (tmp_path / FILE).chmod(0o600)
    assert PeopleBook(tmp_path).keys("block") == ()
    assert json.loads((tmp_path / f"{FILE}.unreadable").read_text()) == {"version": 9}


def test_there_is_room_for_so_many_friends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kontor_games.net.api.network.people_book.MAX_FRIENDS", 2)
    book = PeopleBook(tmp_path)
    for number in (1, 2):
        book.put(bytes([number]) * 32, "x", "friend", 1)
    with pytest.raises(ConfigError, match="room for 2"):
        book.put(KEY, "x", "friend", 1)
    book.put(bytes([1]) * 32, "renamed", "friend", 1)


def test_a_copied_home_has_another_number(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for home in (one, other):
        home.mkdir()
    number = home_number(one)
    assert number == home_number(one) and len(number) == 32
    (other / "home-number").write_bytes((one / "home-number").read_bytes())
    (other / "home-number").chmod(0o600)
    assert home_number(other) != number
