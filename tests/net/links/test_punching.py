"""A hole through two routers: the gate in every order, and two real nodes that find each other with a lobby's help."""

from __future__ import annotations

import socket
from itertools import pairwise
from pathlib import Path as Folder
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionRefusedError
from twisted.internet.task import Clock

from kontor_games.engine.errors import ConfigError
from kontor_games.net.links import punch_endpoint, roster
from kontor_games.net.links.claims import Witness, why_not_punch
from kontor_games.net.links.hole_answers import (
    ABSENT,
    place_of,
    refusal_of,
)
from kontor_games.net.links.paths import Path, parse_lobby_way, path_of, punch_address, relay_address
from kontor_games.net.links.punch_endpoint import (
    CALLS_TO_ONE,
    MOST_CALLS,
    Hole,
    HoleMeans,
)
from kontor_games.net.links.punching import GATE_MAGIC, MAX_WIRES, Chosen, EndWire, Gate, SendOnWire
from kontor_games.net.links.roster import Dial, DropLink, Linked, Roster
from kontor_games.net.wire.way_messages import ACCEPTED, PUNCH_MAGIC, AskPunch
from tests.net.links.test_moving import Talker
from tests.net.links.test_paths import Here, two_at_a_table
from tests.worlds.lobby_hall import party, pause

TOKEN = b"t" * 32
WORD = GATE_MAGIC + TOKEN
LOW, HIGH = b"a" * 32, b"b" * 32


class Room:
    """A client's gate and a server's, wires between some of them, strangers at others."""

    def __init__(self) -> None:
        self.gates: list[Gate[int]] = [Gate(TOKEN, True), Gate(TOKEN, False)]
        self.flying: dict[tuple[int, int], bytes] = {}  # (to side, wire)
        self.ended: set[tuple[int, int]] = set()
        self.chosen: list[Chosen[int] | None] = [None, None]

    def perform(self, side: int, effects: list[Any]) -> None:
        for effect in effects:
            if isinstance(effect, SendOnWire):
                self.flying[1 - side, effect.wire] = self.flying.get((1 - side, effect.wire), b"") + effect.data
            elif isinstance(effect, EndWire):
                self.ended.add((side, effect.wire))
            else:
                assert self.chosen[side] is None, "chosen twice"
                self.chosen[side] = effect
                if side == 0:  # TLS begins
                    self.perform(0, [SendOnWire(effect.wire, b"hello of TLS")])

    def deliver(self, side: int, wire: int, size: int) -> bool:
        data = self.flying.get((side, wire), b"")
        if not data or (side, wire) in self.ended or (1 - side, wire) in self.ended:
            return False
        self.flying[side, wire] = data[size:]
        if self.chosen[side] is None:
            self.perform(side, self.gates[side].received(wire, data[:size]))
        return True


@settings(max_examples=300)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 3), st.integers(1, 50)), max_size=60))
def test_in_every_order_both_sides_choose_the_same_wire(steps: list[tuple[int, int, int]]) -> None:
    room = Room()
    for wire in range(4):
        for side in (0, 1):
            room.perform(side, room.gates[side].opened(wire))
    for side, wire, size in steps:
        room.deliver(side, wire, size)
    while sum(room.deliver(side, wire, 50) for side in (0, 1) for wire in range(4)):
        pass
    client, server = room.chosen
    assert client is not None and server is not None and client.wire == server.wire
    assert b"hello of TLS".startswith(server.early)


@pytest.mark.parametrize("said", [b"x", GATE_MAGIC + b"u", WORD[:-1] + b"?", b"\x16\x03\x01" + bytes(40)])
@pytest.mark.parametrize("is_client", [True, False])
def test_whoever_does_not_know_the_token_is_hung_up_on(said: bytes, is_client: bool) -> None:
    gate: Gate[int] = Gate(TOKEN, is_client)
    gate.opened(1)
    assert gate.received(1, said) == [EndWire(1)]
    assert gate.received(1, WORD) == []
    gate.opened(2)
    assert gate.received(2, WORD)[-1] in (SendOnWire(2, WORD), Chosen(2, b""))


def test_a_client_that_is_echoed_by_itself_or_flooded_by_strangers_is_bounded() -> None:
    gate: Gate[int] = Gate(TOKEN, False)
    for wire in range(MAX_WIRES):
        assert gate.opened(wire) == []
    assert gate.opened(99) == [EndWire(99)]


def test_the_address_of_a_hole_names_table_and_peer_and_lies_between_direct_and_relay() -> None:
    address = punch_address("ABCD", HIGH)
    assert parse_lobby_way(address) == ("ABCD", HIGH)
    assert path_of(address) is path_of("punch@203.0.113.5:7") is path_of("[punch@2001:db8::1]:7") is Path.PUNCHED
    assert Path.DIRECT < Path.PUNCHED < Path.RELAY
    assert place_of("203.0.113.5", 4711) == ACCEPTED + b"\x10203.0.113.5:4711"


@pytest.mark.parametrize("place", ["127.0.0.1:22", "10.0.0.1:80", "169.254.169.254:80", "224.0.0.1:1", "router:80", ""])
def test_a_lobby_elsewhere_cannot_set_a_node_on_its_own_network(place: str) -> None:
    assert why_not_punch(place, Witness("203.0.113.1")) is not None
    assert why_not_punch("198.51.100.7:4000", Witness("203.0.113.1")) is None


def test_with_nothing_but_a_relay_a_hole_is_looked_for_ever_more_rarely() -> None:
    server = Roster(LOW, lambda: 1.0)
    hole = punch_address("ABCD", HIGH)
    server.want(HIGH, [], 0.0, [hole])
    server.tick(0.0)
    server.dial_failed(HIGH, 1.0)
    server.link_opened(HIGH, 1, False, b"n" * 16, 2.0, Path.RELAY, can_move=True)
    times = []
    while len(times) < 8:
        now = server.wake_at
        assert now is not None
        assert server.tick(now) == [Dial(HIGH, hole)]
        server.dial_failed(HIGH, now + 10)
        times.append(now)
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert times[0] == 2.0 + roster.BETTER_FIRST and gaps[0] == roster.BETTER_EVERY
    assert gaps == sorted(gaps) and gaps[-1] == roster.BETTER_AT_LAST


def linked_through_a_hole(me: bytes, other: bytes, way: str) -> Roster:
    found = Roster(me, lambda: 1.0)
    found.want(other, [], 0.0, [way, "198.51.100.7:4000"])
    found.tick(0.25)
    found.link_opened(other, 1, me < other, b"n" * 16, 1.0, Path.PUNCHED, can_move=True)
    return found


def test_a_relay_that_is_faster_does_not_put_the_hole_off() -> None:
    hole = punch_address("ABCD", HIGH)
    raced = Roster(LOW, lambda: 1.0)
    raced.want(HIGH, [], 0.0, ["198.51.100.7:4000", hole])
    assert raced.tick(0.0) == [Dial(HIGH, "198.51.100.7:4000")]
    raced.link_opened(HIGH, 1, False, b"n" * 16, 0.2, Path.RELAY, can_move=True)
    assert raced.tick(1.0) == [Dial(HIGH, hole)]
    not_raced = Roster(LOW, lambda: 1.0)
    not_raced.want(HIGH, [], 0.0, [hole])
    not_raced.link_opened(HIGH, 1, False, b"n" * 16, 0.0, Path.RELAY, can_move=True)
    assert not_raced.tick(0.0) == [Dial(HIGH, hole)]
    not_raced.link_opened(HIGH, 2, True, b"n" * 16, 1.0, Path.PUNCHED, can_move=True)
    assert not_raced.wake_at is None


def test_when_a_hole_dies_the_relay_is_called_at_once_beside_every_other_way() -> None:
    relay = relay_address("ABCD", LOW)
    high = linked_through_a_hole(HIGH, LOW, relay)
    high.link_closed(LOW, 1, "nothing heard", 60.0)
    assert high.wake_at is not None and high.wake_at <= 60.0 + roster.SOON
    assert set(high.tick(high.wake_at)) == {Dial(LOW, relay), Dial(LOW, "198.51.100.7:4000")}


def test_a_hole_that_dies_again_and_again_is_not_called_for_in_a_hurry() -> None:
    high = linked_through_a_hole(HIGH, LOW, relay_address("ABCD", LOW))
    high.dial_failed(LOW, 1.0)
    high.dial_failed(LOW, 1.0)
    high.link_closed(LOW, 1, "nothing heard", 1.0 + roster.STEADY / 2)
    assert high.wake_at is not None and high.wake_at > 1.0 + roster.STEADY / 2 + roster.BACK_OFF / 2


def test_whoever_has_not_noticed_that_a_hole_is_dead_believes_the_peer_that_calls_through_the_relay() -> None:
    low = linked_through_a_hole(LOW, HIGH, punch_address("ABCD", HIGH))
    assert low.link_opened(HIGH, 2, False, b"n" * 16, 60.0, Path.RELAY, can_move=True)[-1] == Linked(HIGH, 2)
    young = linked_through_a_hole(LOW, HIGH, punch_address("ABCD", HIGH))  # both came up in one race
    assert isinstance(young.link_opened(HIGH, 2, False, b"n" * 16, 2.0, Path.RELAY, can_move=True)[0], DropLink)
    assert young.link_of(HIGH) == 1


def an_attempt(clock: Clock, means: HoleMeans | None = None) -> Any:
    """One with a lobby that is reached by IPv4."""
    witness = Witness("203.0.113.1")
    return punch_endpoint._Punch(Hole(clock, "203.0.113.1:7460", witness, HIGH, True, means or HoleMeans()), None)


@pytest.mark.parametrize(("way", "least", "most"), [(0.0, 2000, 3000), (0.02, 150, 250)])
def test_far_rejections_are_waited_for_and_near_ones_answered_in_a_hurry(
    way: float, least: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the essay of punch_endpoint.py says about intervals, on a clock, with calls that are rejected."""
    clock = Clock()
    punch: Any = an_attempt(clock)
    punch.begin(Deferred())
    calls: list[Deferred[Any]] = []
    monkeypatch.setattr(punch_endpoint, "TCP4ClientEndpoint", lambda *a, **k: Rejecting(clock, calls, way, k))
    punch.place_told("198.51.100.7:4000")
    clock.pump([0.0005] * 10_000)  # five seconds
    assert least < len(calls) <= most
    punch._done.addErrback(lambda _: None)
    punch._done.cancel()
    assert not [timer for timer in clock.getDelayedCalls() if timer.getTime() - clock.seconds() > way]


def test_a_lobby_that_names_one_victim_again_and_again_gets_few_calls_out_of_a_node(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Attempts without end, as a lobby that lies could have them made: what the victim sees is bounded over all."""
    clock = Clock()
    means = HoleMeans()
    calls: list[Deferred[Any]] = []
    monkeypatch.setattr(punch_endpoint, "TCP4ClientEndpoint", lambda *a, **k: Rejecting(clock, calls, 0.0, k))

    def attempts(times: int, place: str) -> int:
        before = len(calls)
        for _ in range(times):
            punch: Any = an_attempt(clock, means)
            punch.begin(Deferred()).addErrback(lambda _: None)
            punch.place_told(place)
            clock.pump([0.002] * 3_100)  # longer than PUNCH_TIME
        return len(calls) - before

    seen = attempts(10, "198.51.100.7:4000")
    assert seen <= CALLS_TO_ONE.burst + CALLS_TO_ONE.per_second * clock.seconds()
    assert seen < 10 * MOST_CALLS / 2
    assert attempts(1, "198.51.100.7:4001") < 200, "another port of the victim is the victim"
    assert attempts(1, "198.51.100.8:4000") > 1000, "a friend elsewhere is still called"


def test_a_lobby_that_does_not_answer_ends_an_attempt_in_time_and_in_words() -> None:
    clock = Clock()
    punch: Any = an_attempt(clock)
    failed: list[Any] = []
    punch.begin(Deferred()).addErrback(failed.append)
    clock.advance(punch_endpoint.MEETING_TIME)
    assert [failure.value.kind for failure in failed] == ["absent"] and not clock.getDelayedCalls()


@pytest.mark.parametrize("place", ["198.51.100.7:22", "198.51.100.7:1023", "192.0.2.9:4000", "[2001:db8::9]:443"])
def test_neither_services_nor_our_own_router_are_called_as_if_they_were_a_hole(place: str) -> None:
    assert why_not_punch(place, Witness("203.0.113.1", "192.0.2.9")) is not None
    assert why_not_punch("198.51.100.7:1024", Witness("203.0.113.1", "192.0.2.9")) is None


class Rejecting:
    """A call that is rejected after a time; it must not be given less time than that."""

    def __init__(self, clock: Clock, calls: list[Deferred[Any]], way: float, words: Any) -> None:
        assert words["timeout"] > way
        self.clock, self.calls, self.way = clock, calls, way

    def connect(self, factory: Any) -> Deferred[Any]:
        call: Deferred[Any] = Deferred()
        self.calls.append(call)
        self.clock.callLater(self.way, lambda: call.called or call.errback(ConnectionRefusedError()))
        return call


@ensureDeferred
async def test_strangers_who_sit_at_the_punched_port_in_silence_hold_nothing_up(
    tmp_path: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They take places and say nothing; the two still meet, and the strangers are hung up on."""
    monkeypatch.setattr(punch_endpoint, "GATE_TIME", 0.2)
    strangers: list[socket.socket] = []
    told = punch_endpoint._Punch.place_told

    def with_strangers(self: Any, place: str) -> None:
        port = self._port.getHost().port
        for _ in range(MAX_WIRES):
            strangers.append(socket.create_connection(("127.0.0.1", port), 5))
        told(self, place)

    monkeypatch.setattr(punch_endpoint._Punch, "place_told", with_strangers)
    async with party() as it:
        one, two, table = await two_at_a_table(it, tmp_path, Here)
        try:
            two.mesh.want(one.key, [], [punch_address(table, one.key)])
            one.mesh.want(two.key, [])
            await one.until(lambda: one.path_to(two) == "PUNCHED")
            assert len(strangers) == 2 * MAX_WIRES
            for wire in strangers:
                wire.setblocking(False)
            for _ in range(200):
                if all(_is_closed(wire) for wire in strangers):
                    break
                await pause(0.02)
            assert all(_is_closed(wire) for wire in strangers)
        finally:
            for wire in strangers:
                wire.close()
            await one.stop()
            await two.stop()


def _is_closed(wire: socket.socket) -> bool:
    try:
        while wire.recv(100):  # what the gate says to everybody
            pass
        return True
    except BlockingIOError:
        return False
    except OSError:
        return True


@ensureDeferred
async def test_two_nodes_meet_at_a_hole_and_move_there_from_the_relay_losing_nothing(
    tmp_path: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(roster, "BETTER_FIRST", 0.3)
    async with party() as it:
        one, two, table = await two_at_a_table(it, tmp_path, Talker)
        try:
            two.mesh.want(one.key, [])
            one.mesh.want(two.key, [relay_address(table, two.key)])
            await one.until(lambda: one.path_to(two) == "RELAY")
            await two.until(lambda: two.path_to(one) == "RELAY")
            two.mesh.want(one.key, [], [punch_address(table, one.key)])
            before = one.linked_again, two.linked_again
            for turn in range(20_000):
                one.say(two.key)
                two.say(one.key)
                await pause(0)
                moved = one.path_to(two) == two.path_to(one) == "PUNCHED"
                if moved and turn % 50 == 0 and it.count("relay_pairs") == 0:
                    break
            assert moved and it.count("relay_pairs") == 0, "they did not move"
            await one.until(lambda: len(one.heard) == two.said)
            await two.until(lambda: len(two.heard) == one.said)
            assert sorted(one.heard) == list(range(two.said)) and sorted(two.heard) == list(range(one.said))
            assert (one.linked_again, two.linked_again) == before
            assert it.count("punches_total", outcome="found") == 1
        finally:
            await one.stop()
            await two.stop()


@ensureDeferred
async def test_a_hole_that_nobody_comes_to_fails_in_time_and_leaves_no_port_open(
    tmp_path: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(punch_endpoint, "MEETING_TIME", 0.3)
    async with party() as it:
        one, two, table = await two_at_a_table(it, tmp_path, Here)
        try:
            with pytest.raises(Exception, match="did not come in time"):  # one's node does not want two, and stays away
                await two._endpoint_for(two._reactor, punch_address(table, one.key)).connect(None)
        finally:
            await one.stop()
            await two.stop()


@ensureDeferred
async def test_a_node_that_is_told_not_to_neither_looks_for_a_hole_nor_comes_to_one(
    tmp_path: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(punch_endpoint, "MEETING_TIME", 0.3)
    async with party() as it:
        one, two, table = await two_at_a_table(it, tmp_path, Here)
        one, two = sorted((one, two), key=lambda node: node.key)
        try:
            two.where.can_punch = False
            two.mesh.want(one.key, [])
            with pytest.raises(Exception, match="did not come in time"):
                await one._endpoint_for(one._reactor, punch_address(table, two.key)).connect(None)
            with pytest.raises(ConfigError, match="told not to"):
                two._endpoint_for(two._reactor, punch_address(table, one.key))
        finally:
            await one.stop()
            await two.stop()


@ensureDeferred
async def test_only_members_get_a_pass_and_a_wrong_token_gets_nothing(tmp_path: Folder) -> None:
    async with party() as it:
        one, two, table = await two_at_a_table(it, tmp_path, Here)
        try:
            room = two.lobbies.room_of(table)
            assert room is not None
            with pytest.raises(Exception, match="not at the table"):
                await room.ask(AskPunch(table, b"x" * 32))
            for _ in range(4):
                await room.ask_punch(table, one.key)
            with pytest.raises(Exception, match="as many direct ways"):
                await room.ask_punch(table, one.key)
            with socket.create_connection(("127.0.0.1", it.port), 5) as wire:
                wire.sendall(PUNCH_MAGIC + b"?" * 32)
                wire.setblocking(False)
                for _ in range(100):
                    await pause(0.02)
                    try:
                        assert wire.recv(10) == refusal_of(ABSENT)
                        break
                    except BlockingIOError:
                        continue
                else:
                    raise AssertionError("the lobby did not answer")
        finally:
            await one.stop()
            await two.stop()
