"""A peer that tells two stories: all others see it, agree on what counts, go on without it; nobody else is blamed."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import pytest
from msgspec import Raw
from msgspec.structs import replace

from kontor_games.net.ledger.facts import Fault
from kontor_games.net.lockstep.effects import Effect, Send
from kontor_games.net.sealed import bodies
from kontor_games.net.sealed.player import BodyDraft, Player
from kontor_games.net.wire.chain import DealerMessage, decode, encode
from kontor_games.net.wire.match_talk import Signed
from tests.samples import combined
from tests.worlds.world import Node, World, identity, make_terms

from .test_session import a_turn, at_a_turn, forged

CHEAT, VICTIM = 2, 1


class Liar:
    """Makes one node of a world send another version of its first message of one kind to one peer."""

    def __init__(self, world: World, kind: str, is_valid: bool) -> None:
        self.node = world.nodes[CHEAT]
        self.has_lied = False
        self._kind = kind
        self._is_valid = is_valid
        self._other: BodyDraft | None = None
        self._carry_out = world._carry_out
        world._carry_out = self.carry_out  # type: ignore[method-assign]
        player = self.node.session.ledger.player
        assert player is not None
        player.draft = self.draft  # type: ignore[method-assign]

    def draft(self, name: str) -> BodyDraft:
        """What the player owes; beside it the same with other randomness, as good as the first."""
        player = self.node.session.ledger.player
        assert player is not None
        if name == self._kind:
            twin = copy.copy(player)
            twin._z = bytes(32)
            self._other = Player.draft(twin, name)
        return Player.draft(player, name)

    def carry_out(self, node: Node, effects: Sequence[Effect]) -> bool:
        return self._carry_out(node, [self._told(effect) for effect in effects] if node is self.node else effects)

    def _told(self, effect: Effect) -> Effect:
        if self.has_lied or not isinstance(effect, Send) or effect.peer != VICTIM:
            return effect
        signed = effect.talk
        if not isinstance(signed, Signed) or signed.kind != "dealer" or signed.peer != CHEAT:
            return effect
        message = decode(DealerMessage, signed.raw)
        body = bodies.decode(CHEAT, bytes(message.b))
        if bodies.kind(body) != self._kind:
            return effect
        self.has_lied = True
        assert self._other is not None
        other = self._other.run() if self._is_valid else replace(body, c=bytes(32))  # type: ignore[call-arg]
        assert other != body
        raw = encode(replace(message, b=Raw(bodies.encode(other))))
        return Send(VICTIM, Signed("dealer", CHEAT, raw, identity(CHEAT).sign("dealer", raw)))


def lied(seed: str, kind: str, is_valid: bool, stays: bool) -> World:
    """A world in which the two stories have just been told, or a little later; then the cheat is silent."""
    world = World(make_terms("joban", 4), 4, seed)
    liar = Liar(world, kind, is_valid)
    world.begin()
    while not liar.has_lied:
        world.step()
    stories = [item for item in world.flying if item[0] == CHEAT]
    while any(story in world.flying for story in stories):  # they must arrive, or nobody would ever know
        world.deliver(world.rng.below(len(world.flying)))
    for _ in range(world.rng.below(12)):
        if world.flying:
            world.deliver(world.rng.below(len(world.flying)))
    if stays:
        liar.node.alive = False  # it hears and says nothing more, and its links stay
    else:
        world.crash(CHEAT)
    return world


@pytest.mark.parametrize(
    ("seed", "kind", "is_valid", "stays"), combined("abc", ("mix", "shr"), (False, True), (False, True), more=3)
)
def test_two_stories_in_one_entry_are_seen_by_all_and_the_others_go_on(
    seed: str, kind: str, is_valid: bool, stays: bool
) -> None:
    world = lied(seed, kind, is_valid, stays)
    others = [node for node in world.nodes if node.number != CHEAT]
    world.play_on()
    for node in others:
        faults = [(effect.peer, effect.code) for effect in node.told if isinstance(effect, Fault)]
        assert {peer for peer, _ in faults} == {CHEAT} and len(faults) == len(set(faults))
    chains = world.chains()
    assert all(chain == chains[0] for chain in chains)
    assert all(node.session.ledger.is_complete for node in others)


def test_a_second_frame_for_an_old_ply_throws_nobody_back() -> None:
    """Not even a node that has just begun again and has heard nothing of the others yet."""
    world, cheat = at_a_turn()
    two = forged(cheat, None, 1)
    world.perform(cheat, cheat.session.play([a_turn(cheat)]))
    world.play_on(moves=8)
    world.quiet()
    node = next(node for node in world.nodes if node is not cheat)
    world.crash(node.number)
    world.restart(node.number)
    position = node.session.ledger.position
    effects = node.session.heard(cheat.number, two)
    assert [e.code for e in effects if isinstance(e, Fault)] == ["fork"]
    assert node.session.ledger.position == position


@pytest.mark.parametrize("seed", ["a", "b", *(pytest.param(seed, marks=pytest.mark.long) for seed in "cd")])
def test_who_went_back_finds_its_way_after_a_restart(seed: str) -> None:
    world = lied(seed, "shr", True, stays=True)
    others = [node for node in world.nodes if node.number != CHEAT]
    world.play_on(moves=2)
    for node in others:
        world.crash(node.number)
        world.restart(node.number)
        for other in others:
            world.link(min(node.number, other.number), max(node.number, other.number)) if other is not node else None
        world.play_on(moves=1)
    world.play_on()
    chains = world.chains()
    assert all(chain == chains[0] for chain in chains)
    assert all(node.session.ledger.is_complete for node in others)
    assert {e.peer for node in others for e in node.told if isinstance(e, Fault)} <= {CHEAT}
