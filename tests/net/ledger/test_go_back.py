"""A ledger goes back in place, so that others can hold it, and changes nothing if it cannot."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from kontor_games.engine.errors import LocalError
from kontor_games.net.ledger.game_run import GameRun
from kontor_games.net.ledger.ledger import Ledger
from tests.worlds.world import World, make_terms


@pytest.fixture(scope="module")
def ledger() -> Ledger:
    world = World(make_terms("osaka", 2), 2)
    world.begin()
    world.play_on(moves=4)
    return world.nodes[0].session.ledger


def where(ledger: Ledger) -> tuple[object, ...]:
    return ledger.tip, ledger.digest, ledger.ply, ledger.position, ledger.turn, ledger.known(0), list(ledger.chain.tips)


def test_the_same_items_lead_from_an_earlier_place_to_the_same_tip(ledger: Ledger) -> None:
    before, items = where(ledger), list(ledger.items)
    ledger.go_back(len(items) - 3)
    ledger.go_on()
    assert ledger.position >= len(items) - 3 and ledger.items == items[: ledger.position]
    for item in items[ledger.position :]:
        ledger.take_item(item, trusted=True)
    assert where(ledger) == before


def test_a_ledger_that_cannot_go_back_stays_where_it_was(ledger: Ledger) -> None:
    before, held = where(ledger), ledger.held()
    with patch.object(GameRun, "take_turn", side_effect=LocalError("this memory is bad")), pytest.raises(LocalError):
        ledger.go_back(ledger.position - 1)
    assert where(ledger) == before and ledger.held() == held
