"""The lobby's help with holes, against those who repeat, come late, hang up, talk on, are silent or ask for more."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.task import Clock

from kontor_games.lobby.server.punches import MAX_PER_KEY, PASS_GRACE, WAIT_TIME, Punches
from kontor_games.lobby.settings.config import RelaySettings
from kontor_games.lobby.settings.metrics import Metrics
from kontor_games.net.links.hole_answers import ABSENT, MIXED, ONE_ROUTER, place_of, refusal_of
from kontor_games.net.wire.way_messages import HOLE_FOUND, HOLE_MISSED, PUNCH_MAGIC
from tests.worlds.lobby_hall import Party, party, pause, until

ANNA, BRUNO = b"a" * 32, b"b" * 32


@contextmanager
def caller(it: Party, token: bytes) -> Iterator[socket.socket]:
    """A node that shows its port and this token."""
    with socket.create_connection(("127.0.0.1", it.port), 5) as wire:
        wire.sendall(PUNCH_MAGIC + token)
        wire.setblocking(False)
        yield wire


async def answer(wire: socket.socket) -> bytes:
    """What the lobby says first."""

    def heard() -> list[bytes]:
        try:
            return [wire.recv(100)]
        except BlockingIOError:
            return []

    (found,) = await until(heard)
    return bytes(found)


def own(wire: socket.socket) -> bytes:
    """What the other side is told of this one."""
    return place_of(*wire.getsockname())


def is_forgotten(punches: Punches) -> bool:
    return not (punches._all or punches._tokens or punches._asked or punches._strangers)


@ensureDeferred
async def test_a_token_that_is_shown_again_gets_nothing_and_disturbs_nobody() -> None:
    async with party() as it:
        one, two, _ = it.lobby.punches.expect(ANNA, BRUNO, "127.0.0.1")
        with ExitStack() as wires:
            first = wires.enter_context(caller(it, one))
            await until(lambda: one not in it.lobby.punches._tokens)
            for _ in range(3):  # before the other side comes: a replay takes nobody's place
                assert await answer(wires.enter_context(caller(it, one))) == refusal_of(ABSENT)
            second = wires.enter_context(caller(it, two))
            assert await answer(first) == own(second) and await answer(second) == own(first)
            for token in (one, two):
                assert await answer(wires.enter_context(caller(it, token))) == refusal_of(ABSENT)
            first.send(HOLE_FOUND)
            first.close()
            await until(lambda: it.count("punches_total", outcome="found"))
            assert await answer(second) == b"", "it is over for both"
        await until(lambda: is_forgotten(it.lobby.punches))
        assert it.count("punches_total", outcome="token") == 5 and it.count("punches_total", outcome="missed") == 0


@ensureDeferred
@pytest.mark.parametrize("says", [b"", HOLE_FOUND, HOLE_MISSED, b"\x07", b"much more than one byte"])
async def test_when_both_hang_up_at_once_nothing_is_left(says: bytes) -> None:
    async with party() as it:
        one, two, _ = it.lobby.punches.expect(ANNA, BRUNO, "127.0.0.1")
        with caller(it, one) as first, caller(it, two) as second:
            await answer(first)
            await answer(second)
            first.send(says)
            second.send(says)
        await until(lambda: is_forgotten(it.lobby.punches))
        outcome = {HOLE_FOUND: "found", HOLE_MISSED: "missed"}.get(says, "unknown")
        assert it.count("punches_total", outcome=outcome) == 1


@ensureDeferred
async def test_whoever_comes_when_the_other_has_gone_is_told_so() -> None:
    async with party() as it:
        one, two, _ = it.lobby.punches.expect(ANNA, BRUNO, "127.0.0.1")
        with caller(it, one):
            await until(lambda: one not in it.lobby.punches._tokens)
        await until(lambda: is_forgotten(it.lobby.punches))
        with caller(it, two) as late:
            assert await answer(late) == refusal_of(ABSENT)


@ensureDeferred
async def test_a_pass_that_is_too_old_is_worth_nothing_and_silent_callers_are_ended() -> None:
    async with party() as it:
        one, _, _ = it.lobby.punches.expect(ANNA, BRUNO, "127.0.0.1")
        with socket.create_connection(("127.0.0.1", it.port), 5) as silent:
            silent.sendall(PUNCH_MAGIC + one[:-1])
            await until(lambda: it.lobby.punches._strangers)
            it.lobby.punches.sweep(it.lobby.reactor.seconds() + WAIT_TIME + 1)
            silent.setblocking(False)
            assert await answer(silent) == refusal_of(ABSENT)
        with caller(it, one) as late:
            assert await answer(late) == refusal_of(ABSENT)
        await until(lambda: is_forgotten(it.lobby.punches))
        await pause(0)


class FarCaller:
    """A caller that the lobby sees at some address."""

    def __init__(self, punches: Punches, host: str) -> None:
        self.said = b""
        self.caller = punches.build(lambda: None)
        self.caller.transport = self
        self.host, self.port = host, 40000

    def getPeer(self) -> Any:
        return self

    def write(self, data: bytes) -> None:
        self.said += data

    def loseConnection(self) -> None:
        pass


@pytest.mark.parametrize(
    ("hosts", "why"),
    [
        (("203.0.113.5", "2001:db8::5"), MIXED),
        (("203.0.113.5", "203.0.113.5"), ONE_ROUTER),
        (("203.0.113.5", "::ffff:203.0.113.5"), ONE_ROUTER),
        (("2001:db8::5", "2001:db8::5"), ONE_ROUTER),
        (("2001:db8::5", "2001:db8::6"), ""),
        (("::ffff:203.0.113.5", "203.0.113.6"), ""),
    ],
)
def test_why_two_cannot_be_brought_together_is_said_to_both(hosts: tuple[str, str], why: str) -> None:
    punches = Punches(Clock(), RelaySettings(), Metrics())
    tokens = punches.expect(ANNA, BRUNO, hosts[0])[:2]
    callers = [FarCaller(punches, host) for host in hosts]
    for each, token in zip(callers, tokens, strict=True):
        each.caller.dataReceived(token)
    if why:
        assert [each.said for each in callers] == [refusal_of(why)] * 2 and is_forgotten(punches)
    else:
        plain = [host.removeprefix("::ffff:") for host in hosts]
        assert [each.said for each in callers] == [place_of(host, 40000) for host in reversed(plain)]


def test_a_key_has_four_at_a_time_and_a_network_that_asks_for_all_of_them_loses_its_own() -> None:
    clock = Clock()
    punches = Punches(clock, RelaySettings(max_passes=8), Metrics())
    for _ in range(MAX_PER_KEY):
        punches.expect(ANNA, BRUNO, "203.0.113.5")
    with pytest.raises(ValueError, match="as many direct ways"):
        punches.expect(ANNA, BRUNO, "203.0.113.5")
    punches.expect(BRUNO, ANNA, "198.51.100.7")  # being asked for by others costs nothing


def test_a_network_that_asks_for_ever_more_holes_pays_for_them_itself() -> None:
    clock = Clock()
    punches = Punches(clock, RelaySettings(max_passes=8), Metrics())

    def flood(first: int, count: int) -> None:
        for number in range(first, first + count):
            punches.expect(bytes([number]) * 32, BRUNO, f"203.0.113.{number}")
            clock.advance(0.4)

    flood(0, 40)
    honest = punches.expect(ANNA, BRUNO, "198.51.100.7")[:2]
    flood(40, int(PASS_GRACE / 0.4))
    assert len(punches._all) == 8 and all(token in punches._tokens for token in honest)
    punches.sweep(clock.seconds() + WAIT_TIME + 1)
    assert is_forgotten(punches)
