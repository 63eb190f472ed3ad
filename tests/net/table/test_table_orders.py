"""Honest people at one table over slow wires: whatever crosses whatever, a match begins for all of them or for none."""

from __future__ import annotations

from collections import deque
from typing import Any

from hypothesis import event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from kontor_games.net.table.guest import Guest, Signing, TellKeeper, Voided
from kontor_games.net.table.keeper import SIGNING_TIME, Started, Tell
from kontor_games.net.wire.identity import Identity
from kontor_games.net.wire.messages import AnyMessage, Configure, Enter, Rename, Sit, decode, encode
from tests.worlds.doubles import Shelf
from tests.worlds.room import ANN, BEN, CEM, opened

PEOPLE = (ANN, BEN, CEM)
WHO = st.sampled_from(PEOPLE)


class Wires:
    """A keeper and three guests; each direction of each wire is a queue that somebody has to empty."""

    def __init__(self) -> None:
        self.table = opened(Shelf(), ANN.key, "hansa", {}, 3)
        self.now = 0.0
        self.nonces = 0
        self.notes: dict[bytes, bytes] = {}  # the disk of each node: what it signed last
        self.guests: dict[bytes, Guest] = {}
        self.started: dict[bytes, bytes] = {}
        self.up: dict[bytes, deque[AnyMessage]] = {person.key: deque() for person in PEOPLE}
        self.down: dict[bytes, deque[AnyMessage]] = {person.key: deque() for person in PEOPLE}
        for person in PEOPLE:
            self.restart(person)
        self.sit_down()

    def sit_down(self) -> None:
        """All are there; whoever was away for too long takes the seat again."""
        self.drain()
        for number, person in enumerate(PEOPLE):
            if self.table.state.seats[number] is None:
                self.up[person.key].append(Sit("t", number, "ABC"[number] + "nn"))
        self.drain()

    def restart(self, who: Identity) -> None:
        """The node is killed, what was on its wire is lost, and it comes back with what is on its disk."""
        self.lose(who)
        if who.key not in self.started:
            self.guests[who.key] = Guest("t", who, Shelf(), self.notes.get(who.key))
        self.up[who.key].append(Enter("t"))

    def lose(self, who: Identity) -> None:
        self.up[who.key].clear()
        self.down[who.key].clear()
        self.keeper(self.table.link_lost(who.key, self.now))

    def keeper(self, effects: list[Any]) -> None:
        for effect in effects:
            if isinstance(effect, Tell):
                self.down[effect.peer].append(decode(encode(effect.message)))

    def guest(self, key: bytes, effects: list[Any]) -> None:
        for effect in effects:
            match effect:
                case Signing(match=match):
                    self.notes[key] = match
                case Voided():
                    self.notes.pop(key, None)
                case TellKeeper(message=message):
                    self.up[key].append(decode(encode(message)))
                case Started(raw=raw):
                    assert self.started.setdefault(key, raw) == raw
                    self.notes.pop(key, None)

    def deliver(self, key: bytes, to_keeper: bool) -> bool:
        """The next message of one direction, if there is one."""
        queue = (self.up if to_keeper else self.down)[key]
        if not queue:
            return False
        message = queue.popleft()
        if to_keeper:
            self.keeper(self.table.received(key, message, self.now))
        else:
            self.guest(key, self.guests[key].received(message))
        return True

    def drain(self) -> None:
        while any(self.deliver(person.key, way) for person in PEOPLE for way in (True, False)):
            pass

    def ready(self, who: Identity) -> None:
        self.nonces += 1
        self.guest(who.key, self.guests[who.key].ready(self.nonces.to_bytes(16, "big")))


class AnyOrder(RuleBasedStateMachine):
    """People agree, change their minds and lose their links while messages are on their way."""

    def __init__(self) -> None:
        super().__init__()
        self.wires = Wires()

    @rule(who=WHO)
    def ready(self, who: Identity) -> None:
        self.wires.ready(who)

    @rule()
    def all_ready(self) -> None:
        for person in PEOPLE:
            self.wires.ready(person)

    @rule(who=WHO)
    def unready(self, who: Identity) -> None:
        self.wires.guest(who.key, self.wires.guests[who.key].unready())

    @rule(who=WHO, name=st.sampled_from(["Xan", "Yan"]))
    def rename(self, who: Identity, name: str) -> None:
        self.wires.up[who.key].append(Rename("t", PEOPLE.index(who), name + "ABC"[PEOPLE.index(who)]))

    @rule(recovery=st.sampled_from(["majority", "none"]))
    def configure(self, recovery: Any) -> None:
        self.wires.up[ANN.key].append(Configure("t", {}, 3, recovery, False))

    @rule(who=WHO, to_keeper=st.booleans(), count=st.integers(1, 4))
    def deliver(self, who: Identity, to_keeper: bool, count: int) -> None:
        for _ in range(count):
            self.wires.deliver(who.key, to_keeper)

    @rule(who=WHO)
    def link_breaks(self, who: Identity) -> None:
        self.wires.lose(who)
        self.wires.up[who.key].append(Enter("t"))

    @rule(who=WHO)
    def node_is_killed(self, who: Identity) -> None:
        self.wires.restart(who)

    @precondition(lambda self: self.wires.table.state.phase == "signing")
    @rule()
    def nobody_says_anything_for_long(self) -> None:
        self.wires.now += SIGNING_TIME
        self.wires.keeper(self.wires.table.tick(self.wires.now))

    @invariant()
    def all_that_begins_is_the_same(self) -> None:
        assert len(set(self.wires.started.values())) <= 1

    def teardown(self) -> None:
        """Everything arrives at last: then the match has begun for all, or a new agreement begins it for all."""
        wires = self.wires
        wires.drain()
        event(f"at the end {wires.table.state.phase}")
        if wires.table.state.phase != "started":
            assert not wires.started, "somebody plays alone"
            wires.sit_down()
            for _ in range(2):  # the first may meet an agreement that its keeper has forgotten
                if wires.table.state.phase == "signing":
                    wires.now += SIGNING_TIME
                    wires.keeper(wires.table.tick(wires.now))
                    wires.drain()
                for person in PEOPLE:
                    wires.ready(person)
                wires.drain()
                if wires.table.state.phase == "started":
                    break
        assert wires.table.state.phase == "started", wires.table.state.notice
        assert set(wires.started) == {person.key for person in PEOPLE}, "the match began without somebody"
        assert set(wires.started.values()) == {wires.table.state.terms}


AnyOrder.TestCase.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
TestAnyOrder = AnyOrder.TestCase
