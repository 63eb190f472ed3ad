"""Messages of one peer to another overtake each other, as while their link moves from a relay to a better way.

What is said over the new link may arrive before what is still under way on the old one (`net/links/link.py`). Nothing
is lost then, and nobody offers anything anew, so the sessions have to make do with what comes in any order.
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from kontor_games.net.ledger.facts import Fault
from tests.worlds.world import World, make_terms

OPTIONS: dict[str, dict[str, Any]] = {"osaka": {"tokens_to_end": 6}, "hansa": {"max_rounds": 3}, "joban": {}}


class MovingWorld(World):
    """All links move all the time: whatever is under way may arrive next."""

    overtaken = 0

    def deliver(self, index: int = 0) -> None:
        source, target, talk = self.flying.pop(index)
        self.overtaken += any(item[:2] == (source, target) for item in self.flying[:index])
        node = self.nodes[target]
        if node.alive:
            self.perform(node, node.session.heard(source, talk))


def world_of(game: str, peers: int, seed: str) -> MovingWorld:
    world = MovingWorld(make_terms(game, peers, **OPTIONS[game]), peers, seed)
    world.begin()
    return world


def assert_all_is_well(world: MovingWorld) -> None:
    alive = [node for node in world.nodes if node.alive]
    assert all(node.session.ledger.is_complete for node in alive), "the match did not end"
    assert len({node.session.ledger.tip for node in alive}) == 1
    assert not world.refused
    assert not [told for node in world.nodes for told in node.told if isinstance(told, Fault)]
    assert world.overtaken > 20


@pytest.mark.parametrize(("game", "peers"), [("osaka", 3), ("joban", 2), ("hansa", 5)])
def test_a_match_is_played_to_its_end_in_whatever_order_messages_come(game: str, peers: int) -> None:
    world = world_of(game, peers, "overtaking")
    world.play_on()
    assert_all_is_well(world)


@pytest.mark.parametrize("leaves", [False, True], ids=["put out", "goodbye"])
def test_a_departure_in_whatever_order_messages_come_parts_nobody(leaves: bool) -> None:
    world = world_of("osaka", 4, "overtaken departure")
    world.play_on(moves=5)
    if leaves:
        world.perform(world.nodes[3], world.nodes[3].session.bye())
        world.play_on()
    else:
        world.crash(3)
        for node in world.nodes[:3]:
            world.perform(node, node.session.vote_gone([3]))
        world.play_on()
    assert {node.session.ledger.active for node in world.nodes[:3]} == {(0, 1, 2)}
    assert_all_is_well(world)


def test_a_node_that_restarts_catches_up_in_whatever_order_messages_come() -> None:
    world = world_of("osaka", 3, "overtaken restart")
    for number in itertools.chain(range(3), range(3)):
        world.play_on(moves=2)
        world.crash(number)
        world.restart(number)
        for other in range(3):
            if other != number:
                world.link(min(number, other), max(number, other))
    world.play_on()
    assert_all_is_well(world)
