"""A prepared replay shows the browser, ply by ply and seat by seat, what the replay itself shows."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from kontor_games.clients.text.api_words import CatalogueWording
from kontor_games.lobby.pages.replay_pack import PLIES, pack_replay
from kontor_games.net.api.http.to_json import to_json
from kontor_games.net.record.replay import Replay

FILES = Path(__file__).parents[2] / "frozen" / "files"


def unpacked(data: bytes) -> Any:
    return json.loads(gzip.decompress(data))


@pytest.mark.parametrize("name", ["osaka-3-bye", "joban-3-vote", "hansa-3"])
def test_every_seat_sees_what_it_saw(name: str) -> None:
    content = (FILES / f"{name}.kontor").read_bytes()
    pack = pack_replay(content, CatalogueWording())
    replay = Replay(FILES / f"{name}.kontor")
    info = unpacked(pack.info)
    positions = [position for chunk in pack.chunks for position in unpacked(chunk)["positions"]]
    plies = info["plies"]
    assert [position["ply"] for position in positions] == list(range(plies + 1))
    assert info["chunk"] == PLIES and all(len(unpacked(chunk)["positions"]) <= PLIES for chunk in pack.chunks)
    for ply in {0, 1, plies // 3, plies // 2, plies - 1, plies}:
        public = positions[ply]["view"]
        assert public == json.loads(to_json(replay.view(ply, None)))
        for seat in range(len(info["seats"])):
            seen = {**public, **positions[ply]["seats"][seat]}
            assert seen == json.loads(to_json(replay.view(ply, seat)))


def test_hands_of_a_match_that_nobody_opened_stay_closed() -> None:
    content = (FILES / "osaka-3-unfinished.kontor").read_bytes()
    pack = pack_replay(content, CatalogueWording())
    assert unpacked(pack.info)["opened"] is False
    replay = Replay(FILES / "osaka-3-unfinished.kontor")
    last = unpacked(pack.chunks[-1])["positions"][-1]
    for seat, own in enumerate(last["seats"]):
        assert {**last["view"], **own} == json.loads(to_json(replay.view(last["ply"], seat)))
