"""A local match of bots as plain data; and the replay of a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kontor_games.clients import bots
from kontor_games.net.record.bot_match import BotMatch
from kontor_games.net.record.replay import Replay
from kontor_games.net.record.transcript import TranscriptWriter, UnreadableFile
from kontor_games.net.record.verify import UNREADABLE, VERIFIED, verify
from tests.worlds.local_matches import finished, load, new_table, play_on

SEATS = (("Ada", "random"), ("Bob", "random"), ("Cyd", "greedy"))


def new_play(path: Path) -> BotMatch:
    made = {seat: bots.make(kind, bytes([seat])) for seat, (_, kind) in enumerate(SEATS)}
    return BotMatch(new_table(path, seats=SEATS), made)


def test_bots_play_to_the_end_in_plain_data_and_the_file_verifies(tmp_path: Path) -> None:
    path = tmp_path / "a.kontor"
    play = new_play(path)
    told = []
    while not play.is_over:
        assert play.result() is None
        step = play.advance()
        assert step
        told += step
    assert play.advance() == []
    result = play.result()
    assert result is not None and result["winners"]
    for data in (play.info(), play.view(0), play.view(None), told, result):
        assert json.loads(json.dumps(data))
    assert [entry["ply"] for entry in told] == list(range(len(told)))
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
    assert verify(path, load).code == UNREADABLE
    assert not replay.info()["open"] and not replay.info()["finished"] and replay.result() is None
    assert replay.view(5, 0) == {**replay.view(5, None), "seat": 0}
    TranscriptWriter.create(tmp_path / "b.kontor").close()
    with pytest.raises(UnreadableFile, match="no match was begun"):
        Replay(tmp_path / "b.kontor", load)
