"""A link hands over to a better one: nothing that was on its way is lost, and nothing has to be said again."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path as Folder
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_twisted import ensureDeferred
from twisted.internet.endpoints import TCP4ServerEndpoint

from kontor_games.net.links import roster
from kontor_games.net.links.limits import LinkLimits, Meter
from kontor_games.net.links.link import MOVES, Close, Link, Received, Write
from kontor_games.net.links.paths import Path, relay_address
from kontor_games.net.links.roster import DropLink, Linked, Probe, Relinked, Retire, Roster
from kontor_games.net.wire.frames import pack_frame
from kontor_games.net.wire.messages import AnyMessage, Hello, LinkBye, MatchTalk, Spectate, encode
from tests.net.links.test_paths import Here, two_at_a_table
from tests.worlds.lobby_hall import party, pause, the_reactor

LIMITS = LinkLimits()
LOW, HIGH = b"a" * 32, b"b" * 32
BOOT, REBOOT = b"1" * 16, b"2" * 16
NO_MATCH = b"m" * 32


class Wire:
    """Two ends of one link, and what flies between them; each end notices by itself that it is gone."""

    def __init__(self) -> None:
        self.ends = [Link(Hello((2,), bytes([n]) * 16, (MOVES,)), LIMITS, 0.0) for n in (1, 2)]
        self.flying: list[list[bytes]] = [[], []]  # towards each end
        self.heard: list[list[AnyMessage]] = [[], []]
        self.closed: list[Close | None] = [None, None]
        for end in (0, 1):
            self.perform(end, self.ends[end].secured(Meter(LIMITS), 0.0))
        while self.deliver(0) or self.deliver(1):
            pass
        self.heard = [[], []]

    def perform(self, end: int, effects: list[Any]) -> None:
        for effect in effects:
            if isinstance(effect, Write):
                self.flying[1 - end].append(effect.data)
            elif isinstance(effect, Received):
                self.heard[end].append(effect.message)
            elif isinstance(effect, Close):
                self.closed[end] = effect
                if effect.abort:
                    self.cut()

    def deliver(self, end: int) -> bool:
        """The next bytes, or the end of the connection behind the last."""
        if self.flying[end]:
            self.perform(end, self.ends[end].bytes_received(self.flying[end].pop(0), 1.0))
            return True
        other = self.closed[1 - end]
        if other is not None and self.closed[end] is None:
            self.closed[end] = Close("", False)
            self.ends[end].lost(in_order=not other.abort)
            return True
        return False

    def cut(self) -> None:
        """The network takes the connection away, and what was on its way."""
        self.flying = [[], []]
        for end in (0, 1):
            self.closed[end] = self.closed[end] or Close("cut", True)
            self.ends[end].lost()


def said(number: int) -> MatchTalk:
    return MatchTalk(NO_MATCH, bytes([0xCC, number]))


@settings(max_examples=300)
@given(st.lists(st.sampled_from(["send 0", "send 1", "retire 0", "retire 1", "deliver 0", "deliver 1"]), max_size=40))
def test_in_every_order_all_that_was_sent_before_the_move_arrives_and_both_know_it(steps: list[str]) -> None:
    wire = Wire()
    sent: list[list[AnyMessage]] = [[], []]
    for step in [*steps, "retire 0", "retire 1", *(["deliver 0", "deliver 1"] * 60)]:
        verb, end = step.split()[0], int(step[-1])
        if verb == "send" and wire.ends[end].is_open:
            sent[end].append(said(len(sent[end])))
            wire.perform(end, wire.ends[end].send(sent[end][-1]))
        elif verb == "retire" and wire.ends[end].is_open:
            wire.perform(end, wire.ends[end].retire(speaks_first=end == 0, now=1.0))
        elif verb == "deliver":
            wire.deliver(end)
    assert wire.heard[0] == sent[1]
    if wire.ends[1].was_handed_over:  # not so if the goodbye overtook the new link's hello: then all is offered anew
        assert wire.heard[1] == sent[0]
    assert all(wire.closed) and wire.ends[0].was_handed_over >= wire.ends[1].was_handed_over


def test_a_goodbye_on_a_link_that_is_still_in_use_ends_it_and_the_first_side_knows_that_much_may_be_lost() -> None:
    wire = Wire()
    wire.perform(0, wire.ends[0].retire(True, 1.0))
    while wire.deliver(1) or wire.deliver(0):
        pass
    assert wire.ends[1].is_closed and not wire.ends[0].was_handed_over and not wire.ends[1].was_handed_over


@pytest.mark.parametrize("after", range(4))
def test_wherever_the_old_link_breaks_nobody_believes_that_it_was_read_to_its_end(after: int) -> None:
    wire = Wire()
    wire.perform(1, wire.ends[1].send(said(1)))
    wire.perform(0, wire.ends[0].retire(True, 1.0))
    wire.perform(1, wire.ends[1].retire(False, 1.0))
    for end in (1, 0)[:after]:
        wire.deliver(end)
    wire.cut()
    assert not wire.ends[0].was_handed_over and not wire.ends[1].was_handed_over


def test_a_side_that_never_answers_is_waited_for_no_longer_than_stated() -> None:
    wire = Wire()
    wire.perform(0, wire.ends[0].retire(True, 1.0))
    assert wire.ends[0].wake_at == 1.0 + LIMITS.retire
    (close,) = wire.ends[0].tick(1.0 + LIMITS.retire)
    assert isinstance(close, Close) and close.abort and not wire.ends[0].was_handed_over


def test_whoever_speaks_behind_its_last_word_is_cut_off() -> None:
    wire = Wire()
    wire.perform(1, wire.ends[1].retire(False, 1.0))
    for message in (LinkBye("moved"), Spectate(NO_MATCH)):
        wire.perform(1, wire.ends[1].bytes_received(pack_frame(encode(message)), 1.0))
    assert wire.closed[1] is not None and wire.closed[1].abort and not wire.heard[1]


def test_only_a_better_way_to_the_same_process_that_reads_to_the_end_is_a_move() -> None:
    for path, nonce, can_move, moves in (
        (Path.DIRECT, BOOT, True, True),
        (Path.DIRECT, BOOT, False, False),
        (Path.DIRECT, REBOOT, True, False),
        (Path.RELAY, BOOT, True, False),
    ):
        side = Roster(LOW, lambda: 0.5)
        side.want(HIGH, [], 0.0)
        side.link_opened(HIGH, 1, False, BOOT, 1.0, Path.RELAY, can_move=True)
        effects = side.link_opened(HIGH, 2, False, nonce, 2.0, path, can_move=can_move)
        if moves:
            assert effects == [Retire(1, False), Relinked(HIGH, 2)]
        else:
            assert effects == [DropLink(1, "a newer link took over"), Linked(HIGH, 2)]


@pytest.mark.parametrize("order", list(permutations([1, 2])))
def test_when_both_dial_by_different_ways_both_keep_the_better_in_any_order(order: tuple[int, int]) -> None:
    ways = {1: (LOW, Path.RELAY), 2: (HIGH, Path.DIRECT)}  # by whom it was dialled; by the rule of keys 1 would be kept
    kept = []
    for me, peer in ((LOW, HIGH), (HIGH, LOW)):
        side = Roster(me, lambda: 0.5)
        side.want(peer, [], 0.0)
        for link in order:
            dialler, path = ways[link]
            effects = side.link_opened(peer, link, dialler == me, BOOT, float(link), path, can_move=True)
        if order[-1] == 1:
            assert effects == [DropLink(1, "the better way is kept"), Probe(2)]
        kept.append(side.link_of(peer))
    assert kept == [2, 2]


class Talker(Here):
    """Sends numbers whenever it is told to, and notes those that come."""

    def __init__(self, home: Folder) -> None:
        self.said = 0
        self.heard: list[int] = []
        self.linked_again = 0
        super().__init__(home)

    def peer_linked(self, peer: bytes) -> None:
        self.linked_again += 1
        super().peer_linked(peer)

    def message_received(self, peer: bytes, message: AnyMessage) -> None:
        if isinstance(message, MatchTalk) and message.match == NO_MATCH:
            self.heard.append(int.from_bytes(message.talk[2:], "big"))
            self._look()
        else:
            super().message_received(peer, message)

    def say(self, peer: bytes) -> None:
        raw = b"\xc4\x04" + self.said.to_bytes(4, "big")
        if self.mesh.send(peer, MatchTalk(NO_MATCH, raw)):
            self.said += 1


@ensureDeferred
async def test_two_nodes_that_talk_all_the_time_move_from_the_relay_and_lose_and_repeat_nothing(
    tmp_path: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(roster, "BETTER_FIRST", 0.3)
    async with party() as it:
        one, two, table = await two_at_a_table(it, tmp_path, Talker)
        try:
            two.mesh.want(one.key, [])
            one.mesh.want(two.key, ["127.0.0.1:1", relay_address(table, two.key)])
            await one.until(lambda: one.path_to(two) == "RELAY")
            await two.until(lambda: two.path_to(one) == "RELAY")
            port = await two.listen(TCP4ServerEndpoint(the_reactor(), 0, interface="127.0.0.1"))
            one.mesh.want(two.key, [f"127.0.0.1:{port.getHost().port}", relay_address(table, two.key)])
            before = one.linked_again, two.linked_again
            for turn in range(20_000):
                one.say(two.key)
                two.say(one.key)
                await pause(0)
                moved = one.path_to(two) == "LAN" and two.path_to(one) == "LAN"
                if moved and turn % 50 == 0 and it.count("relay_pairs") == 0:
                    break
            assert moved and it.count("relay_pairs") == 0, "they did not move"
            await one.until(lambda: len(one.heard) == two.said)
            await two.until(lambda: len(two.heard) == one.said)
            assert sorted(one.heard) == list(range(two.said)) and sorted(two.heard) == list(range(one.said))
            assert (one.linked_again, two.linked_again) == before, "nothing was to be offered anew"
        finally:
            await one.stop()
            await two.stop()
