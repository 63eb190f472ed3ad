"""Sessions under chaos: loss, repetition and reordering of messages, crashes with restart, departures.

Safety: honest nodes never hold two different chains, never blame each other, and no hidden card reaches a view.
Liveness: once the network is kind again, the match ends.
"""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from kontor_games.net.ledger.facts import Fault
from kontor_games.net.lockstep.effects import Diverged
from tests.worlds.world import World, make_terms

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
    """One run: a world and the misfortunes that may befall it."""

    def __init__(self, game: str, peers: int, seed: str) -> None:
        self.peers = peers
        self.world = World(make_terms(game, peers, **QUICK.get(game, {"max_rounds": 3})), peers, seed)
        self.departed: set[int] = set()

    def arrive(self, pick: int) -> None:
        """A message or a worker's outcome arrives; links keep their order, the world does not."""
        if self.world.works and pick % 2:
            self.world.work()
        elif self.world.flying:
            self.world.deliver(pick // 2 % len(self.world.flying))

    def repeat(self, pick: int) -> None:
        """A message under way comes once more, later."""
        if self.world.flying:
            self.world.flying.append(self.world.flying[pick % len(self.world.flying)])

    def move(self, number: int) -> None:
        node = self.world.nodes[number % self.peers]
        if node.alive:
            self.world.move_of(node)

    def pair(self, pick: int) -> tuple[int, int]:
        pairs = list(itertools.combinations(range(self.peers), 2))
        return pairs[pick % len(pairs)]

    def notice(self, pick: int) -> None:
        """One end of a link that is dead learns it, the other need not."""
        ends = sorted(self.world.unnoticed)
        if ends:
            self.world.notice(*ends[pick % len(ends)])

    def crash(self, number: int) -> None:
        node = self.world.nodes[number % self.peers]
        if node.alive and node.number not in self.departed:
            self.world.crash(node.number, at_once=False)

    def restart_all(self) -> None:
        for node in self.world.nodes:
            if not node.alive and node.number not in self.departed:
                self.world.restart(node.number)

    def depart(self, number: int) -> None:
        """One peer is gone for good, and all others agree on it."""
        victim = number % self.peers
        self.restart_all()
        ledgers = [n.session.ledger for n in self.world.nodes if n.number != victim]
        if any(ledger.table.why_not_gone((victim,)) or victim not in ledger.active for ledger in ledgers):
            return
        self.departed.add(victim)
        self.world.crash(victim, at_once=False)
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


RUNS: Counter[str] = Counter()
PICK = st.integers(0, 2**16)
TABLES = (("osaka", 3), ("joban", 3), ("joban", 4), ("osaka", 4), ("hansa", 5))


class Misfortunes(RuleBasedStateMachine):
    """What hypothesis tries: in any order, as often as it likes; it shrinks what fails."""

    @initialize(table=st.sampled_from(TABLES), seed=PICK)
    def begin(self, table: tuple[str, int], seed: int) -> None:
        self.chaos = Chaos(*table, f"chaos {seed}")
        self.chaos.world.begin()

    @rule(picks=st.lists(PICK, min_size=1, max_size=40))
    def messages_arrive(self, picks: list[int]) -> None:
        for pick in picks:
            self.chaos.arrive(pick)

    @rule()
    def all_is_quiet_and_somebody_plays(self) -> None:
        self.chaos.world.play_on(moves=3, ticks=1)

    @rule(pick=PICK)
    def a_message_comes_twice(self, pick: int) -> None:
        self.chaos.repeat(pick)

    @rule(pick=PICK)
    def somebody_plays(self, pick: int) -> None:
        self.chaos.move(pick)

    @rule()
    def time_passes(self) -> None:
        self.chaos.world.tick()

    @rule(pick=PICK)
    def a_link_breaks_and_loses_what_was_under_way(self, pick: int) -> None:
        self.chaos.world.lose(*self.chaos.pair(pick))

    @rule(pick=PICK)
    def one_end_of_a_dead_link_notices(self, pick: int) -> None:
        self.chaos.notice(pick)

    @rule(pick=PICK)
    def a_link_comes(self, pick: int) -> None:
        self.chaos.world.link(*self.chaos.pair(pick))

    @rule(pick=PICK)
    def a_node_is_killed(self, pick: int) -> None:
        self.chaos.crash(pick)

    @rule()
    def the_killed_are_started(self) -> None:
        self.chaos.restart_all()

    @precondition(lambda self: not self.chaos.departed)
    @rule(pick=PICK)
    def a_peer_is_gone_for_good(self, pick: int) -> None:
        self.chaos.depart(pick)

    @invariant()
    def nobody_holds_another_chain(self) -> None:
        common_prefix(self.chaos.world)

    def teardown(self) -> None:
        if not hasattr(self, "chaos"):
            return
        self.chaos.calm()
        ledger = next(node.session.ledger for node in self.chaos.world.nodes if node.alive)
        RUNS[f"{ledger.terms.game}, {self.chaos.peers} peers: {ledger.how_ended}"] += 1


def test_sessions_survive_chaos() -> None:
    run_state_machine_as_test(Misfortunes, settings=settings(max_examples=5, stateful_step_count=40))


@pytest.mark.long
def test_sessions_survive_five_hundred_runs_of_chaos() -> None:
    RUNS.clear()
    run_state_machine_as_test(Misfortunes, settings=settings(max_examples=500, stateful_step_count=60))
    for how, count in sorted(RUNS.items()):
        print(f"{count:4d} {how}")
    print(f"{RUNS.total()} runs, no fork, no blame, no leak, all ended")
    assert RUNS.total() >= 500
