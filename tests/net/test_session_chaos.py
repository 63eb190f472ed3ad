"""Sessions under chaos: loss of links, reordering between links, crashes with restart, departures.

Safety: honest nodes never hold two different chains, never blame each other, and no hidden card reaches a view.
Liveness: once the network is kind again, the match ends.
"""

from __future__ import annotations

import itertools

import pytest

import engine
from engine.core.stream import Stream
from net.effects import Diverged
from net.facts import Fault
from tests.net.world import World, make_terms

GAMES = ("osaka", "joban")
QUICK = {"osaka": {"tokens_to_end": 6}, "joban": {}}


def common_prefix(world: World) -> None:
    chains = sorted((n.session.ledger.items for n in world.nodes if n.alive), key=len)
    for shorter, longer in itertools.pairwise(chains):
        assert longer[: len(shorter)] == shorter, "two honest nodes have different chains"


def no_blame(world: World) -> None:
    for node in world.nodes:
        for effect in node.told:
            assert not isinstance(effect, Fault | Diverged), f"node {node.number}: {effect}"
    assert not world.refused, world.refused


def nothing_leaks(world: World) -> None:
    """A node sees its own seats' hidden cards and no others."""
    for node in world.nodes:
        ledger = node.session.ledger
        for seat in range(len(ledger.terms.seats)):
            if ledger.seat_peer(seat) != node.number:
                assert not ledger.known(seat)


class Chaos:
    """One run: a world and a stream of misfortunes."""

    def __init__(self, seed: str) -> None:
        self.rng = Stream("chaos", seed)
        self.peers = 3 + self.rng.below(3)
        game = GAMES[self.rng.below(2)] if self.peers < 5 else "hansa"
        if game not in engine.game_ids():
            game, self.peers = "osaka", 4
        self.world = World(make_terms(game, self.peers, **QUICK.get(game, {"max_rounds": 3})), self.peers, seed)
        self.departed: set[int] = set()

    def run(self, steps: int) -> None:
        self.world.begin()
        for _ in range(steps):
            self.step()
            common_prefix(self.world)
        self.calm()

    def step(self) -> None:
        world, pick = self.world, self.rng.below(100)
        if pick < 50:
            for _ in range(self.rng.below(12)):
                if world.works and self.rng.below(2):
                    world.work()
                elif world.flying:
                    world.deliver(self.rng.below(len(world.flying)))
        elif pick < 72:
            node = world.nodes[self.rng.below(self.peers)]
            if node.alive:
                world.move_of(node)
        elif pick < 80:
            world.tick()
        elif pick < 86:
            world.unlink(*self.pair())
        elif pick < 92:
            world.link(*self.pair())
        elif pick < 96:
            self.crash_one()
        elif pick < 98:
            self.restart_all()
        elif not self.departed:
            self.depart()

    def pair(self) -> tuple[int, int]:
        a = self.rng.below(self.peers)
        b = (a + 1 + self.rng.below(self.peers - 1)) % self.peers
        return min(a, b), max(a, b)

    def crash_one(self) -> None:
        node = self.world.nodes[self.rng.below(self.peers)]
        if node.alive and node.number not in self.departed:
            self.world.crash(node.number)

    def restart_all(self) -> None:
        for node in self.world.nodes:
            if not node.alive and node.number not in self.departed:
                self.world.restart(node.number)

    def depart(self) -> None:
        """One peer is gone for good, and all others agree on it."""
        victim = self.rng.below(self.peers)
        self.restart_all()
        ledgers = [n.session.ledger for n in self.world.nodes if n.number != victim]
        if any(ledger.table.why_not_gone((victim,)) or victim not in ledger.active for ledger in ledgers):
            return
        self.departed.add(victim)
        self.world.crash(victim)
        for node in self.world.nodes:
            if node.alive:
                self.world.perform(node, node.session.vote_gone({victim}))

    def calm(self) -> None:
        """The network is kind again: everybody is up and linked, and the match ends."""
        self.restart_all()
        for a in range(self.peers):
            for b in range(a + 1, self.peers):
                self.world.link(a, b)
        for node in self.world.nodes:  # a vote is not in the journal of a node that was killed before it was cast
            against = self.departed & set(node.session.ledger.active)
            if node.alive and against:
                self.world.perform(node, node.session.vote_gone(against))
        self.world.play_on()
        common_prefix(self.world)
        no_blame(self.world)
        nothing_leaks(self.world)
        alive = [node for node in self.world.nodes if node.alive]
        assert all(node.session.ledger.is_complete for node in alive), "the match did not end"
        assert len({node.session.ledger.tip for node in alive}) == 1


@pytest.mark.parametrize("seed", range(6))
def test_sessions_survive_chaos(seed: int) -> None:
    Chaos(f"sample {seed}").run(120)


@pytest.mark.long
def test_sessions_survive_five_hundred_runs_of_chaos() -> None:
    endings: dict[str, int] = {}
    for seed in range(500):
        chaos = Chaos(f"long {seed}")
        chaos.run(150)
        ledger = next(node.session.ledger for node in chaos.world.nodes if node.alive)
        how = f"{ledger.terms.game} {chaos.peers} peers: {ledger.how_ended}"
        endings[how] = endings.get(how, 0) + 1
    for how, count in sorted(endings.items()):
        print(f"{count:4d} {how}")
    print(f"{sum(endings.values())} runs, no fork, no blame, no leak, all ended")
