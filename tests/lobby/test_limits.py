"""Buckets, fair shares, codes, hall news, log lines: the small machines of the lobby."""

from __future__ import annotations

import json
from collections import Counter
from math import log2
from unittest.mock import Mock

import pytest
from twisted.internet.task import Clock
from twisted.logger import LogLevel

from kontor_games.lobby.model.codes import ALPHABET, new_code, new_id, read_code
from kontor_games.lobby.model.shares import _share
from kontor_games.lobby.model.work import RequestRefused, Who
from kontor_games.lobby.server.allowances import RequestAllowances, StreamAllowance
from kontor_games.lobby.server.counter import SLICE
from kontor_games.lobby.server.counter import Counter as Requests
from kontor_games.lobby.server.door import Caller, Door
from kontor_games.lobby.server.fairness import QUANTUM, Shares, Turns
from kontor_games.lobby.server.hall import MAX_ENTRIES, Gathered
from kontor_games.lobby.server.throttle import Throttle
from kontor_games.lobby.settings.config import LimitSettings, RateSetting
from kontor_games.lobby.settings.log import DAY, Tags, line_of
from kontor_games.lobby.settings.metrics import Metrics
from kontor_games.lobby.store.base import HALL, News
from kontor_games.net.system.buckets import Rate
from kontor_games.net.wire.frames import FrameReader
from kontor_games.net.wire.lobby_messages import HallNews, Person, Said, decode_from_lobby, encode


def test_many_keys_of_one_household_share_its_bucket() -> None:
    limits = RequestAllowances({"chat": Rate(0.001, 2)}, strict=("chat",))
    said = sum(limits.wait("chat", bytes([key]), "net", 0.0) == 0 for key in range(50) for _ in range(2))
    assert said == 2 * RequestAllowances.SHARED
    assert limits.wait("chat", b"other", "elsewhere", 0.0) == 0


def test_a_key_that_asks_for_the_first_time_is_let_through_whatever_its_household_has_used_up() -> None:
    limits = RequestAllowances({"tables": Rate(1 / 30, 5)})
    for number in range(200):
        limits.wait("tables", bytes([number % 10]), "nat", 0.0)
    assert limits.wait("tables", b"honest", "nat", 0.0) == 0
    assert limits.wait("tables", b"honest", "nat", 0.0) > 0  # its second is the household's affair
    assert limits.wait("tables", bytes([3]), "nat", 1.0) > 0


def test_who_uses_little_is_not_slowed_down_by_the_debt_of_others_behind_its_address() -> None:
    stream = StreamAllowance(Rate(30, 120), 16)
    for number in range(12_000):
        stream.spend(bytes([number % 100]), "nat", 1, 0.0)
    assert stream.spend(bytes([1]), "nat", 1, 0.0) > 10
    assert stream.spend(b"honest", "nat", 1, 0.0) == 0
    assert stream.spend(b"honest", "elsewhere", 200, 0.0) > 2  # its own debt it pays


def test_guessers_of_codes_do_not_stop_somebody_who_knows_one() -> None:
    throttle = Throttle(LimitSettings(), Metrics())
    refused = Counter[str]()
    for number in range(3000):  # from fifty networks, fresh keys
        key, household = number.to_bytes(4, "big"), f"10.0.{number % 50}.{number % 200}"
        try:
            throttle.demand_guess(key, household, number / 1000)
            throttle.guessed(key, household, RequestRefused("no-code", "no table has this code"))
        except RequestRefused as error:
            refused[error.code] += 1
    assert refused["too-fast"] > 2500
    for _ in range(5):
        throttle.demand_guess(b"friend", "203.0.113.7", 3.0)
        throttle.guessed(b"friend", "203.0.113.7", None)


def test_everything_that_the_lobby_counts_by_address_takes_ipv4_written_as_ipv6_for_ipv4() -> None:
    hosts = ("203.0.113.5", "::ffff:203.0.113.5")
    door = Door(Clock(), LimitSettings(), Metrics(), Mock(), Mock())
    assert len({(caller.network, caller.household) for caller in (Caller(door, host) for host in hosts)}) == 1
    assert len({_share(Who(b"k", "6b", "Anna", "", "s", host, 0), "table") for host in hosts}) == 1
    throttle = Throttle(LimitSettings(all_codes=RateSetting(0.001, 0.5)), Metrics())
    for number, host in enumerate(hosts):  # the network's spare guesses
        throttle.demand_guess(bytes([number]), host, 0.0)
    with pytest.raises(RequestRefused, match="too many wrong codes"):
        throttle.demand_guess(b"third", hosts[0], 0.0)


def test_handshakes_take_turns_by_network_then_by_household_and_the_newest_of_a_household_first() -> None:
    turns: Turns[str] = Turns(newest_first=True)
    for number in range(3):
        turns.add(f"flood {number}", "10.0.0.0/24", "10.0.0.1")
    turns.add("neighbour", "10.0.0.0/24", "10.0.0.2")
    turns.add("other", "10.0.1.0/24", "10.0.1.1")
    turns.add("gone", "10.0.2.0/24", "10.0.2.1")
    turns.drop("gone", "10.0.2.0/24", "10.0.2.1")
    turns.drop("gone", "10.0.2.0/24", "10.0.2.1")
    order = []
    while turns:
        order.append(turns.next())
    assert order == ["flood 2", "other", "neighbour", "flood 1", "flood 0"]


def test_requests_take_turns_by_network_household_and_key_and_one_keys_stay_in_order() -> None:
    turns: Turns[str] = Turns()
    for number in range(3):
        turns.add(f"flood {number}", "flood", "nat", b"k1")
    turns.add("same address", "flood", "nat", b"k2")
    turns.add("same network", "flood", "other", b"k3")
    turns.add("elsewhere", "own", "own", b"k4")
    order = []
    while turns:
        order.append(turns.next())
    assert order == ["flood 0", "elsewhere", "same network", "same address", "flood 1", "flood 2"]


class Flooding:
    """A connection as far as the counter sees it."""

    is_gone = False

    def __init__(self, network: str, household: str, key: bytes) -> None:
        self.network, self.household, self.key = network, household, key
        self.done = 0

    def request_done(self) -> None:
        self.done += 1


def test_somebody_who_asks_seldom_is_served_within_one_round_whatever_the_flood_asks() -> None:
    clock, served = Clock(), []

    def serve(connection: Flooding, request: int) -> None:
        clock.rightNow += SLICE / 5  # five fit into a slice
        served.append(connection)

    counter: Requests[Flooding, int] = Requests(clock, serve)
    flood = [Flooding(f"net {number % 10}", f"house {number}", bytes([number])) for number in range(100)]
    for number in range(3200):
        counter.ask(flood[number % 100], number)
    assert len(served) == 5  # then the reactor has other things to do
    honest, gone = Flooding("own", "own", b"h"), Flooding("net 1", "gone", b"g")
    counter.ask(honest, 0)
    counter.ask(gone, 0)
    gone.is_gone = True
    before = len(served)
    while counter._turns:
        clock.advance(0)
    assert served.index(honest) - before <= 15
    assert len(served) == 3201 and gone.done == 1


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
        shares.spent(stream, "net", key, QUANTUM, 0.0)
    now = 0.0
    while now < 60:
        now += 0.02
        for stream in shares.turn(now):
            carried[owner[stream]] += QUANTUM
            shares.spent(stream, "net", owner[stream], QUANTUM, now)
    assert 0.9 < carried[b"a"] / carried[b"b"] < 1.1
    assert 0.9 < sum(carried.values()) / (60 * 10 * QUANTUM) < 1.1


def test_the_relay_is_shared_by_network_however_many_keys_one_brings() -> None:
    shares: Shares[str] = Shares(Rate(10**9, 10**9), Rate(10 * QUANTUM, QUANTUM))
    owner = {**{f"flood {number}": ("flood", bytes([number])) for number in range(100)}, "honest": ("own", b"honest")}
    carried: Counter[str] = Counter()
    for stream, (network, key) in owner.items():
        shares.spent(stream, network, key, QUANTUM, 0.0)
    now = 0.0
    while now < 60:
        now += 0.02
        for stream in shares.turn(now):
            carried[owner[stream][0]] += QUANTUM
            shares.spent(stream, *owner[stream], QUANTUM, now)
    assert 0.9 < carried["flood"] / carried["own"] < 1.1


def test_one_key_cannot_exceed_its_own_rate_in_an_idle_relay() -> None:
    shares: Shares[str] = Shares(Rate(QUANTUM, QUANTUM), Rate(10**9, 10**9))
    carried, now, may = 0, 0.0, True
    while now < 100:
        now += 0.02
        if may:
            carried += QUANTUM
            may = shares.spent("s", "net", b"k", QUANTUM, now)
        else:
            may = bool(shares.turn(now))
    assert 0.9 < carried / (100 * QUANTUM) < 1.1
    shares.spent("s", "net", b"k", QUANTUM * 5, now)
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
