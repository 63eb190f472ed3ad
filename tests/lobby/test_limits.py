"""Buckets, fair shares, codes, hall news, log lines: the small machines of the lobby."""

from __future__ import annotations

import json
from collections import Counter
from math import log2

from hypothesis import given
from hypothesis import strategies as st
from twisted.logger import LogLevel

from lobby.codes import ALPHABET, new_code, new_id, read_code
from lobby.fairness import QUANTUM, Shares
from lobby.hall import MAX_ENTRIES, Gathered
from lobby.limits import Buckets, Limits, Rate, network_of
from lobby.log import DAY, Tags, line_of
from lobby.store.base import HALL, News
from net.frames import FrameReader
from net.lobby_messages import HallNews, Person, Said, decode_from_lobby, encode


def test_a_bucket_gives_its_burst_at_once_and_its_rate_in_the_long_run() -> None:
    buckets = Buckets(Rate(2.0, 5))
    assert [buckets.take("a", 0.0) for _ in range(6)] == [0, 0, 0, 0, 0, 0.5]
    assert buckets.take("b", 0.0) == 0
    assert buckets.take("a", 0.5) == 0 and buckets.take("a", 0.5) > 0
    assert sum(buckets.take("a", 1.0 + step / 100) == 0 for step in range(1000)) in (20, 21)


def test_a_debt_is_waited_out_and_a_clock_that_goes_back_gives_nothing() -> None:
    buckets = Buckets(Rate(10.0, 10))
    assert buckets.spend("a", 0.0, 30) == 2.0
    assert buckets.take("a", 1.0) > 0
    assert buckets.spend("a", -100.0, 0) == 1.0
    assert buckets.take("a", 2.2) == 0


@given(st.lists(st.tuples(st.integers(0, 200), st.floats(0, 3)), max_size=300))
def test_the_number_of_buckets_is_bounded_and_nobody_gets_more_than_burst_and_rate(
    asks: list[tuple[int, float]],
) -> None:
    buckets = Buckets(Rate(1.0, 3), most=250)
    now = 0.0
    given_out: Counter[int] = Counter()
    for who, wait in asks:
        now += wait
        given_out[who] += buckets.take(who, now) == 0
    assert len(buckets) <= 250
    assert all(count <= 3 + now + 1e-6 for count in given_out.values())


def test_when_there_are_too_many_buckets_the_one_touched_longest_ago_goes() -> None:
    buckets = Buckets(Rate(0.001, 1), most=2)
    for who in ("a", "b"):
        buckets.take(who, 0)
    assert buckets.take("a", 0) > 0
    buckets.take("c", 0)
    assert len(buckets) == 2 and buckets.take("a", 0) > 0


def test_an_ipv6_household_is_one_network_and_a_mapped_address_is_ipv4() -> None:
    assert network_of("2001:db8:1:2:3::4") == network_of("2001:db8:1:2:ffff::9") == "2001:db8:1:2::/64"
    assert network_of("2001:db8:1:3::4") != network_of("2001:db8:1:2::4")
    assert network_of("::ffff:203.0.113.5") == network_of("203.0.113.5")
    assert network_of("fe80::1%eth0") == "fe80::/64"


def test_many_keys_of_one_network_share_its_bucket() -> None:
    limits = Limits({"chat": Rate(0.001, 2)})
    said = sum(limits.wait("chat", bytes([key]), "net", 0.0) == 0 for key in range(50) for _ in range(2))
    assert said == 2 * Limits.SHARED
    assert limits.wait("chat", b"other", "elsewhere", 0.0) == 0


def test_codes_have_forty_bits_and_forgive_how_they_are_typed() -> None:
    code = new_code()
    assert log2(len(ALPHABET)) * len(code.replace("-", "")) == 40
    assert read_code(f" {code.lower().replace('-', ' ')} ") == code
    assert read_code("oOiI-lL00") == "0011-1100"
    assert read_code("K7QD-3MX") is None and read_code("K7QD-3MXU") is None and read_code("") is None
    assert len({new_code() for _ in range(1000)}) == 1000
    assert len(new_id()) * log2(len(ALPHABET)) == 80


def test_the_relay_is_shared_by_key_however_many_streams_one_opens() -> None:
    shares: Shares[str] = Shares(Rate(10**9, 10**9), Rate(10 * QUANTUM, QUANTUM))
    owner = {"a1": b"a", "a2": b"a", "a3": b"a", "a4": b"a", "b1": b"b"}
    carried: Counter[bytes] = Counter()
    for stream, key in owner.items():
        shares.spent(stream, key, QUANTUM, 0.0)
    now = 0.0
    while now < 60:
        now += 0.02
        for stream in shares.turn(now):
            carried[owner[stream]] += QUANTUM
            shares.spent(stream, owner[stream], QUANTUM, now)
    assert 0.9 < carried[b"a"] / carried[b"b"] < 1.1
    assert 0.9 < sum(carried.values()) / (60 * 10 * QUANTUM) < 1.1


def test_one_key_cannot_exceed_its_own_rate_in_an_idle_relay() -> None:
    shares: Shares[str] = Shares(Rate(QUANTUM, QUANTUM), Rate(10**9, 10**9))
    carried, now, may = 0, 0.0, True
    while now < 100:
        now += 0.02
        if may:
            carried += QUANTUM
            may = shares.spent("s", b"k", QUANTUM, now)
        else:
            may = bool(shares.turn(now))
    assert 0.9 < carried / (100 * QUANTUM) < 1.1
    shares.spent("s", b"k", QUANTUM * 5, now)
    assert shares.is_waiting
    shares.forget("s")
    assert not shares.is_waiting


def hall_news(gathered: Gathered, muted: frozenset[bytes] = frozenset()) -> HallNews:
    reader = FrameReader()
    reader.greeted = True
    reader.feed(gathered.frame(muted))
    frame = reader.next()
    assert frame is not None
    message = decode_from_lobby(frame[1])
    assert isinstance(message, HallNews)
    return message


def line(author: bytes, text: str) -> News:
    return News(HALL, encode(Said("hall", Person(author, "A"), text, 1)), author, "lines:")


def test_hall_news_keeps_the_last_about_each_thing_and_leaves_out_muted_lines() -> None:
    gathered = Gathered()
    key = b"k" * 32
    gathered.add(News(HALL, encode(Person(key, "Anna", "", True)), b"", "people:1"))
    gathered.add(News(HALL, encode(Person(key, "Anna", "", False)), b"", "people:1"))
    gathered.add(line(b"a" * 32, "one"))
    gathered.add(line(b"b" * 32, "two"))
    assert [person.here for person in hall_news(gathered).people] == [False]
    assert [said.text for said in hall_news(gathered, frozenset({b"a" * 32})).lines] == ["two"]


def test_too_much_hall_news_is_stale_and_never_longer_than_a_frame() -> None:
    gathered = Gathered()
    for number in range(5 * MAX_ENTRIES):
        gathered.add(line(b"a" * 32, "ж" * 500 if number % 2 else "x"))
        gathered.add(News(HALL, b"", b"", f"gone:{number}"))
    news = hall_news(gathered)
    assert news.stale and 0 < len(news.lines) <= MAX_ENTRIES and len(news.gone) <= MAX_ENTRIES


def test_log_lines_are_json_and_hold_no_address_and_tags_change_every_day() -> None:
    tags = Tags(0.0)
    assert tags.of("203.0.113.9", 5.0) == tags.of("203.0.113.9", DAY - 1)
    assert tags.of("203.0.113.9", DAY - 1) != tags.of("203.0.113.9", DAY + 1)
    event = {
        "log_namespace": "kontor.lobby",
        "log_level": LogLevel.info,
        "log_time": 0.0,
        "log_format": "signed in",
        "who": tags.of(b"key", 1.0),
        "thing": object(),
    }
    written = json.loads(line_of(event) or "")
    assert written["event"] == "signed in" and "thing" not in written
    assert (
        line_of({"log_namespace": "twisted.internet", "log_level": LogLevel.info, "log_format": "203.0.113.9"}) is None
    )
