"""A local match as plain data: menus, drafts, undo, bots, log; and the replay of a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clients import bots
from engine.errors import KontorError
from net.local_match import LocalTable
from net.local_play import LocalPlay
from net.replay import Replay
from net.transcript import Unreadable, Writer
from net.verify import VERIFIED, verify

from .local import finished, load, new_table, play_on


def new_play(path: Path, seed: str = "7") -> LocalPlay:
    return LocalPlay(new_table(path, seed), {1: bots.make("random", b"b"), 2: bots.make("greedy", b"c")})


def to_person(play: LocalPlay) -> LocalPlay:
    while play.status()["kind"] == "auto":
        play.advance()
    return play


def card(play: LocalPlay) -> str:
    """A menu entry that shows a hidden card."""
    return next(entry["text"] for entry in play.menu() if entry["text"].startswith("play"))


def test_everything_is_plain_data(tmp_path: Path) -> None:
    play = to_person(new_play(tmp_path / "a.kontor"))
    for data in (play.info(), play.status(), play.view(0), play.view(None), play.menu(), play.log()):
        assert json.loads(json.dumps(data))
    assert play.status()["seat"] == 0 and [entry["n"] for entry in play.menu()] == list(range(1, len(play.menu()) + 1))
    play.close()


def test_a_draft_shows_its_effect_and_can_be_undone_without_a_trace(tmp_path: Path) -> None:
    path = tmp_path / "a.kontor"
    play = to_person(new_play(path))
    before, seen = path.read_bytes(), play.view(0)
    assert play.draft(card(play)) is None
    assert play.status()["draft"] and not play.status()["closed"] and play.view(0) != seen
    assert play.draft("bonus point") is None and play.status()["closed"] and play.menu() == []
    assert "confirm it or undo" in str(play.draft("gamble"))
    assert play.advance() == [], "nothing goes on while a draft is open"
    assert play.undo() and play.undo() and not play.undo()
    assert play.view(0) == seen and path.read_bytes() == before
    play.close()


def test_several_actions_are_drafted_together_or_not_at_all(tmp_path: Path) -> None:
    play = to_person(new_play(tmp_path / "a.kontor"))
    text = card(play)
    assert str(play.draft(f"{text}, bonus fish")).startswith("bonus fish: ")
    assert play.status()["draft"] == []
    assert play.draft(f"{text}; bonus point") is None
    entries = play.commit()
    assert [entry["seat"] for entry in entries] == [0, 0] and play.status()["draft"] == []
    play.close()


def test_what_cannot_be_drafted_is_explained(tmp_path: Path) -> None:
    play = new_play(tmp_path / "a.kontor")
    assert play.draft("gamble") == "it is nobody's turn at this screen"
    to_person(play)
    assert play.draft("0") == f"the menu has numbers 1 to {len(play.menu())}"
    assert "no action begins" in str(play.draft("fly")) and play.draft(" , ") == "nothing was typed"
    assert "in your hand" in str(play.draft("give 999"))
    with pytest.raises(KontorError, match="at least one"):
        play.commit()
    play.close()


def test_a_draft_survives_the_process(tmp_path: Path) -> None:
    path = tmp_path / "a.kontor"
    play = to_person(new_play(path))
    play.draft(card(play))
    drafted = play.status()["draft"]
    play.close()
    again = LocalPlay(LocalTable.resume(path, load), {})
    assert again.status()["draft"] == drafted and again.status()["kind"] == "person"
    again.close()


def test_bots_and_persons_play_to_the_end_and_the_file_verifies(tmp_path: Path) -> None:
    path = tmp_path / "a.kontor"
    play = new_play(path)
    while play.status()["kind"] != "over":
        if play.status()["kind"] == "auto":
            assert play.advance()
        else:
            assert play.draft("1") is None
            if play.status()["closed"]:
                play.commit()
    assert play.status()["result"]["winners"] and play.advance() == []
    play.close()
    assert verify(path, load).code == VERIFIED


def test_a_replay_shows_every_position(tmp_path: Path) -> None:
    replay = Replay(finished(tmp_path / "a.kontor"), load)
    info: dict[str, Any] = replay.info()
    assert info["finished"] and info["open"] and info["plies"] == len(replay.log())
    assert len({replay.digest(ply) for ply in range(info["plies"] + 1)}) == info["plies"] + 1
    last = replay.result()
    assert last is not None and replay.view(info["plies"], None)["result"] == last
    middle = info["plies"] // 2
    hands = [replay.view(middle, seat)["hands"] for seat in (0, 1, None)]
    assert hands[0] != hands[2] and hands[1] != hands[0], "a finished match opens the hands, seat by seat"


def test_an_unfinished_or_torn_match_can_be_looked_at_without_its_seed(tmp_path: Path) -> None:
    path = tmp_path / "a.kontor"
    table = new_table(path)
    play_on(table, 12)
    table.close()
    path.write_bytes(path.read_bytes() + b"\0\0")
    replay = Replay(path, load)
    assert replay.is_torn and not replay.info()["open"] and replay.result() is None
    assert replay.view(5, 0) == {**replay.view(5, None), "seat": 0}
    Writer.create(tmp_path / "b.kontor").close()
    with pytest.raises(Unreadable, match="no match was begun"):
        Replay(tmp_path / "b.kontor", load)
