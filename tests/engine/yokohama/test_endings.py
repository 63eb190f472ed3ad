"""Every way the match can end really happens in play."""

from __future__ import annotations

import pytest

from kontor_games.clients import bots
from kontor_games.engine import LocalMatch
from kontor_games.engine.core.stream import H, u32
from kontor_games.engine.games.yokohama.state import State

from .endings import ENDINGS, REASONS
from .position import GAME


@pytest.mark.parametrize(("name", "options", "seats", "seed", "policy"), ENDINGS, ids=[row[0] for row in ENDINGS])
def test_a_match_ends_for_this_reason(name: str, options: dict[str, int], seats: int, seed: str, policy: str) -> None:
    raw = bytes.fromhex(seed)
    match: LocalMatch[State] = LocalMatch(GAME, options, seats, raw)
    players = [bots.make(policy, H("bot-seed", raw, u32(seat), size=32)) for seat in range(seats)]
    while match.result is None:
        for _ in match.settle():
            pass
        turn = match.turn
        if turn is not None:
            match.play(players[turn].choose(GAME, match.state, match.known(turn), turn, match.ply))
    assert match.result.reason == REASONS[name]
    last = match.state.final_round or match.state.switches.max_rounds
    assert match.state.round == last


def test_the_list_names_every_reason() -> None:
    assert set(REASONS.values()) == {"trading_houses", "shops", "port", "church", "customs", "rounds"}
    assert {row[0] for row in ENDINGS} == set(REASONS)
