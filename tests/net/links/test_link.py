"""The link machine and its limits: two halves pumped into each other, time passed in by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kontor_games.engine.errors import LocalError
from kontor_games.net.links.limits import MAX_REMEMBERED, LinkDoor, LinkLimits, Meter, Meters
from kontor_games.net.links.link import LATE, Close, Link, LinkState, Opened, Pause, Received, Resume, Write
from kontor_games.net.wire.frames import pack_frame
from kontor_games.net.wire.messages import About, Error, Hello, LinkBye, Ping, Pong, Spectate, encode

LIMITS = LinkLimits()
ONE = Hello((1,), b"1" * 16)
TWO = Hello((1,), b"2" * 16)
MESSAGE = Spectate(b"m" * 32)


def written(effects: list[Any]) -> bytes:
    return b"".join(effect.data for effect in effects if isinstance(effect, Write))


def of(effects: list[Any], kind: type) -> list[Any]:
    return [effect for effect in effects if isinstance(effect, kind)]


def secured(hello: Hello = ONE, limits: LinkLimits = LIMITS) -> tuple[Link, bytes]:
    link = Link(hello, limits, 0.0)
    return link, written(link.secured(Meter(limits), 0.0))


def opened(limits: LinkLimits = LIMITS) -> Link:
    link, _ = secured(limits=limits)
    link.bytes_received(pack_frame(encode(TWO)), 0.0)
    assert link.state is LinkState.OPEN
    return link


def test_both_halves_open_after_the_others_hello_and_talk() -> None:
    one, from_one = secured(ONE)
    two, from_two = secured(TWO)
    at_one, at_two = one.bytes_received(from_two, 0.1), two.bytes_received(from_one, 0.1)
    assert of(at_one, Opened) == [Opened(TWO)] and of(at_two, Opened) == [Opened(ONE)]
    at_two = two.bytes_received(written(at_one) + written(one.send(MESSAGE)), 0.3)
    assert of(at_two, Received) == [Received(MESSAGE)]
    one.bytes_received(written(at_two), 0.5)  # the pong to the ping sent at 0.1
    assert one.round_trip == pytest.approx(0.4)


def test_two_sides_speak_the_highest_protocol_that_both_list() -> None:
    for ours, theirs, spoken in (((1, 2), (1, 2), 2), ((1, 2), (1,), 1), ((1, 2), (2, 3), 2), ((1,), (1, 2), 1)):
        link, _ = secured(Hello(ours, b"1" * 16))
        link.bytes_received(pack_frame(encode(Hello(theirs, b"2" * 16))), 0.0)
        assert link.state is LinkState.OPEN and link.protocol == spoken


def test_without_a_common_protocol_both_sides_are_told_who_has_to_update() -> None:
    for theirs, who in (((3, 4), "protocol 3, 4, the other 1, 2"), ((0,), "protocol 0, the other 1, 2")):
        link, _ = secured(Hello((1, 2), b"1" * 16))
        effects = link.bytes_received(pack_frame(encode(Hello(theirs, b"2" * 16))), 0.0)
        (close,) = of(effects, Close)
        assert (
            f"{who}: the one with the lower numbers has to be updated" in close.reason
            and not close.abort
            and link.is_closed
        )
        assert written(effects) == pack_frame(encode(LinkBye(close.reason)))


def test_nothing_is_sent_before_the_others_hello() -> None:
    link, _ = secured()
    with pytest.raises(LocalError):
        link.send(MESSAGE)
    assert link.state is LinkState.GREETING


def test_a_link_that_never_gets_a_hello_is_cut_in_time() -> None:
    for link in (Link(ONE, LIMITS, 0.0), secured()[0]):
        assert link.wake_at == LIMITS.handshake
        assert link.tick(LIMITS.handshake - 0.01) == []
        (close,) = link.tick(LIMITS.handshake)
        assert isinstance(close, Close) and close.abort and link.wake_at is None


def test_a_quiet_link_is_pinged_and_a_silent_one_is_cut() -> None:
    link = opened()
    now = 0.0
    pings = 0
    while not link.is_closed:
        assert link.wake_at is not None and link.wake_at > now
        now = link.wake_at
        effects = link.tick(now)
        pings += len(of(effects, Write))
    assert now == LIMITS.silence
    assert pings == LIMITS.silence / LIMITS.ping_every - 1
    assert of(effects, Close) == [Close("nothing heard for 20 s", True)]


def test_any_byte_is_a_sign_of_life() -> None:
    link = opened()
    link.tick(19.0)
    link.bytes_received(b"\0", 19.5)
    assert not of(link.tick(39.0), Close)
    assert of(link.tick(39.5), Close)


def test_a_doubted_link_must_answer_quickly() -> None:
    link = opened()
    (ping,) = link.probe(10.0)
    assert isinstance(ping, Write) and link.wake_at == 10.0 + LIMITS.probe
    link.bytes_received(pack_frame(encode(Pong(999))), 11.0)
    assert not of(link.tick(10.0 + LIMITS.probe), Close)
    link.probe(20.0)
    assert of(link.tick(20.0 + LIMITS.probe), Close)


def test_a_doubt_does_not_make_a_silent_link_live_for_longer() -> None:
    link = opened()
    for now in (5.0, 10.0, 15.0):
        link.tick(now)
    link.probe(LIMITS.silence - 1.0)
    assert link.wake_at == LIMITS.silence
    assert of(link.tick(LIMITS.silence), Close)


def test_a_link_that_is_watched_closely_is_so_from_the_answer_to_its_first_ping() -> None:
    limits = replace(LIMITS, ping_every=0.5, silence=2.25, first_silence=LIMITS.silence)
    link = opened(limits)  # it says Ping(1) with that
    link.bytes_received(pack_frame(encode(Pong(1))), 0.4)
    link.tick(0.5)
    closed = [now / 20 for now in range(10, 400) if of(link.tick(now / 20), Close)]
    assert closed == [2.65]


def test_a_process_that_stood_still_reads_what_waits_before_it_speaks_of_silence() -> None:
    link = opened()
    link.tick(LIMITS.ping_every)
    assert not of(link.tick(60.0), Close)  # the reactor did not run for 50 s
    assert link.wake_at == 60.0 + LATE
    link.bytes_received(b"\0", 60.1)
    assert not of(link.tick(60.0 + LATE), Close)
    silent = opened()
    silent.tick(LIMITS.ping_every)
    silent.tick(60.0)
    assert of(silent.tick(60.0 + LATE), Close)


def test_pings_are_answered_and_foreign_pongs_ignored() -> None:
    link = opened()
    assert link.bytes_received(pack_frame(encode(Ping(7))), 1.0) == [Write(pack_frame(encode(Pong(7))))]
    assert link.bytes_received(pack_frame(encode(Pong(77))), 1.0) == []
    assert link.round_trip is None


def test_the_end_in_order_says_why_and_only_once() -> None:
    one, two = opened(), opened()
    said, close = one.close("enough")
    assert close == Close("enough", False)
    assert of(two.bytes_received(written([said]), 1.0), Close) == [Close("the other side ended it: enough", False)]
    assert one.close("again") == [] and one.send(MESSAGE) == [] and one.bytes_received(b"x", 2.0) == []


def test_what_the_other_side_says_cannot_forge_the_log() -> None:
    link = opened()
    (close,) = link.bytes_received(pack_frame(encode(LinkBye("x\n\x1b[2Jline"))), 1.0)
    assert isinstance(close, Close) and close.reason.isprintable()


def test_messages_after_a_bye_are_not_heard() -> None:
    link = opened()
    effects = link.bytes_received(pack_frame(encode(LinkBye(""))) + pack_frame(encode(MESSAGE)), 1.0)
    assert not of(effects, Received)


def test_what_came_before_a_malformed_message_still_counts() -> None:
    link = opened()
    effects = link.bytes_received(pack_frame(encode(MESSAGE)) + pack_frame(b"\xc1"), 1.0)
    assert [type(effect) for effect in effects] == [Received, Close]


def test_too_many_messages_stop_the_reading_until_the_debt_is_paid() -> None:
    limits = replace(LIMITS, message_rate=10.0, message_burst=5.0)
    link = opened(limits)
    flood = pack_frame(encode(Error("x", "y"))) * 24  # and one hello: 20 over the burst
    effects = link.bytes_received(flood, 0.0)
    assert len(of(effects, Received)) == 24 and effects[-1] == Pause()
    assert link.wake_at == pytest.approx(2.0)
    assert not of(link.tick(1.9), Resume)
    assert of(link.tick(2.0), Resume) == [Resume()]


def test_a_pause_of_our_own_is_not_taken_for_silence() -> None:
    limits = replace(LIMITS, message_rate=1.0, message_burst=1.0)
    link = opened(limits)
    link.bytes_received(pack_frame(encode(Error("x", "y"))) * 100, 0.0)
    assert not of(link.tick(50.0), Close)
    assert of(link.tick(101.0), Resume)
    assert not of(link.tick(110.0), Close)


def test_a_flood_without_a_break_is_cut() -> None:
    limits = replace(LIMITS, message_rate=10.0, message_burst=5.0, patience=3.0)
    link = opened(limits)
    now, rounds = 0.0, 0
    while not link.is_closed:
        effects = link.bytes_received(pack_frame(encode(Error("x", "y"))) * 10, now)
        rounds += 1
        now += 1.0
        link.tick(now)
    assert of(effects, Close) == [Close("flood: over the rate for 3 s", True)] and rounds <= 5


def test_bytes_count_too_and_the_peer_pays_over_all_its_links() -> None:
    limits = replace(LIMITS, byte_rate=100.0, byte_burst=1000.0)
    meters = Meters(limits)
    for number in range(3):
        link = Link(ONE, limits, 0.0)
        link.secured(meters.of(b"peer"), 0.0)
        link.bytes_received(pack_frame(encode(TWO)), 0.0)
        effects = link.bytes_received(pack_frame(encode(Error("x", "y" * 390))), 0.0)
        assert (effects[-1] == Pause()) == (number == 2), number


def test_what_waits_for_a_slow_reader_is_bounded_and_comes_in_order() -> None:
    link = opened(replace(LIMITS, outbox=10_000))
    link.write_paused(1.0)
    assert link.send(Error("a", "1")) == [] and link.send(Error("b", "2")) == []
    assert link.is_waiting_to_write
    data = written(link.write_resumed())
    assert data == pack_frame(encode(Error("a", "1"))) + pack_frame(encode(Error("b", "2")))
    assert not link.is_waiting_to_write
    link.write_paused(2.0)
    sent = 0
    while not (effects := link.send(Error("a", "x" * 390))):
        sent += 1
    assert of(effects, Close)[0].reason.startswith("slow reader") and sent < 26
    assert not link.is_waiting_to_write


def test_a_reader_that_takes_nothing_is_cut_in_time() -> None:
    link = opened()
    link.write_paused(1.0)
    link.bytes_received(b"\0", 30.0)
    assert not of(link.tick(30.9), Close)
    assert of(link.tick(31.0), Close) == [Close("the other side took nothing for 30 s", True)]


@settings(max_examples=200)
@given(st.lists(st.binary(max_size=200), max_size=12), st.booleans())
def test_any_stream_is_survived(pieces: list[bytes], greeted: bool) -> None:
    link = opened() if greeted else secured()[0]
    closed = 0
    for number, piece in enumerate(pieces):
        closed += len(of(link.bytes_received(piece, float(number)), Close))
        if link.is_closed:
            assert link.wake_at is None
    assert closed == int(link.is_closed)
    assert link._reader.kept <= 200 * 12


def test_meters_are_kept_for_a_bounded_number_of_peers() -> None:
    meters = Meters(LIMITS)
    first = meters.of(b"first")
    assert meters.of(b"first") is first
    for number in range(MAX_REMEMBERED + 5):
        meters.of(number.to_bytes(4, "big"))
    assert len(meters._of) == MAX_REMEMBERED


def test_at_the_door_an_ipv4_address_written_as_ipv6_is_the_same_household() -> None:
    door: LinkDoor[str] = LinkDoor(LinkLimits(connect_rate=0.001, connect_burst=1))
    hosts = ("203.0.113.5", "::ffff:203.0.113.5", "203.0.113.5", "::ffff:203.0.113.5")
    assert door.why_not(hosts[0], 0.0) is None and [door.why_not(host, 0.0) for host in hosts][-2:].count(None) == 0
    assert door.why_not("::ffff:198.51.100.7", 0.0) is None
    door.recognise("known", "::ffff:203.0.113.5")
    assert door.enter("again", "203.0.113.5", 1.0) is None and "again" in door._returning


def test_at_the_door_the_oldest_silent_connection_of_the_largest_network_goes() -> None:
    door: LinkDoor[str] = LinkDoor(LinkLimits(pending=4))
    comers = {"a": "10.0.0.1", "b": "10.0.0.2", "c": "10.0.0.3", "d": "10.9.9.9"}
    assert [door.enter(who, host, float(at)) for at, (who, host) in enumerate(comers.items())] == [None] * 4
    assert door.enter("e", "10.7.7.7", 20.0) == "a"
    assert door.enter("f", "10.0.0.1", 20.0) == "b", "the network that holds most pays for its own"
    for who in "cdef":
        door.leave(who)
    assert door.is_empty


def test_whoever_comes_from_where_a_known_peer_came_from_has_a_room_of_its_own() -> None:
    door: LinkDoor[str] = LinkDoor(LinkLimits(pending=2, pending_returning=1))
    door.recognise("friend", "10.0.0.1")
    door.leave("friend")
    assert door.enter("back", "10.0.0.1", 0.0) is None
    assert "back" not in [door.enter(f"flood {number}", f"11.{number}.0.1", 9.0) for number in range(9)]
    assert door.enter("another", "10.0.0.1", 9.0) == "back"


def test_among_visitors_the_newest_of_the_largest_network_goes_and_known_peers_need_no_place() -> None:
    door: LinkDoor[str] = LinkDoor(LinkLimits(visitors=3))
    for who, host in (("a", "10.0.0.1"), ("b", "10.0.0.2"), ("c", "10.9.9.9")):
        assert door.enter(who, host, 0.0) is None and door.settle(who, host) is None
    assert door.settle("d", "10.7.7.7") == "b"
    assert door.settle("e", "10.9.9.8") == "e", "all are equal: whoever came first stays"
    door.recognise("known", "10.9.9.9")
    for who in "acd":
        door.leave(who)
    assert door.is_empty


def test_the_door_slows_an_address_down_and_counts_an_ipv6_network_as_one() -> None:
    door: LinkDoor[str] = LinkDoor(LinkLimits(connect_burst=2.0, connect_rate=1.0))
    for number in range(3):
        door.why_not(f"2001:db8::{number}", 0.0)
    assert "short time" in (door.why_not("2001:db8::9", 0.0) or "")
    assert door.why_not("2001:db8:1::9", 0.0) is None
    assert door.why_not("2001:db8::9", 5.0) is None


def acquainted(ahead: float) -> tuple[Link, Link]:
    """Two open links that tell what they run; the second's clock is `ahead` seconds ahead of the first's."""
    now = [1000.0]
    told = [About("0.1.0", {"osaka": 1}), About("0.2.0", {"osaka": 2})]
    links = []
    for number, (hello, late) in enumerate(((ONE, 0.0), (TWO, ahead))):
        wall = lambda late=late: now[0] + late  # noqa: E731
        hello = Hello(hello.versions, hello.nonce, ("about",))
        links.append(Link(hello, LIMITS, 1000.0, wall, lambda number=number: told[number]))
    one, two = links
    from_one, from_two = (written(link.secured(Meter(LIMITS), 1000.0)) for link in links)
    at_one, at_two = one.bytes_received(from_two, 1000.0), two.bytes_received(from_one, 1000.0)
    now[0] = 1000.2  # each way takes a fifth of a second
    at_one, at_two = one.bytes_received(written(at_two), 1000.2), two.bytes_received(written(at_one), 1000.2)
    now[0] = 1000.4
    one.bytes_received(written(at_two), 1000.4)
    two.bytes_received(written(at_one), 1000.4)
    return one, two


def test_both_sides_learn_what_the_other_runs_and_how_far_its_clock_is_off() -> None:
    one, two = acquainted(ahead=90.0)
    assert one.about == About("0.2.0", {"osaka": 2}) and two.about == About("0.1.0", {"osaka": 1})
    assert one.round_trip == pytest.approx(0.4)
    assert one.skew == pytest.approx(90.0, abs=0.01) and two.skew == pytest.approx(-90.0, abs=0.01)


def test_a_node_without_the_feature_is_told_nothing_that_it_would_refuse() -> None:
    link = Link(Hello((1,), b"1" * 16, ("about",)), LIMITS, 0.0, lambda: 5.0, lambda: About("0.1.0", {}))
    link.secured(Meter(LIMITS), 0.0)
    answer = link.bytes_received(pack_frame(encode(TWO)) + pack_frame(encode(Ping(3))), 0.0)
    assert written(answer) == pack_frame(encode(Ping(1))) + pack_frame(encode(Pong(3)))
    link.bytes_received(pack_frame(encode(Pong(1))), 0.1)
    assert link.skew is None and link.about is None


def test_of_several_answers_the_quickest_tells_the_clock() -> None:
    link = Link(ONE, LIMITS, 0.0, lambda: 100.0)
    link.secured(Meter(LIMITS), 0.0)
    link.bytes_received(pack_frame(encode(TWO)), 0.0)
    link.bytes_received(pack_frame(encode(Pong(1, 108_000))), 4.0)  # stuck on the way back: looks 10 s ahead
    link.tick(5.0)
    link.bytes_received(pack_frame(encode(Pong(2, 102_000))), 5.2)
    assert link.skew == pytest.approx(2.1)
