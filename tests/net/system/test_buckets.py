"""Token buckets: what they give at once and in the long run, their debts, and how many are kept."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kontor_games.net.system.buckets import Bucket, Buckets, Rate


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


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 50)), max_size=30))
def test_a_bucket_never_gives_more_than_burst_and_rate_allow(takes: list[tuple[float, float]]) -> None:
    bucket = Bucket(Rate(2.0, 10.0))
    now = granted = 0.0
    for gap, amount in takes:
        now += gap
        if bucket.spend(now, 0) == 0:
            bucket.spend(now, amount)
            granted += amount
    assert granted <= 10.0 + 2.0 * now + 50


def test_a_clock_set_back_earns_nothing() -> None:
    bucket = Bucket(Rate(1.0, 5.0))
    assert bucket.spend(100.0, 5) == 0
    assert bucket.spend(50.0, 1) == 1.0
    assert bucket.spend(100.5, 0) == pytest.approx(0.5)


def test_what_is_given_back_can_be_taken_again_but_never_fills_more_than_the_bucket() -> None:
    buckets = Buckets(Rate(0.001, 2))
    assert [buckets.take("a", 0.0) for _ in range(2)] == [0, 0] and buckets.take("a", 0.0) > 0
    buckets.give_back("a")
    assert buckets.take("a", 0.0) == 0 and buckets.take("a", 0.0) > 0
    buckets.give_back("a", 100.0)
    buckets.give_back("never seen")
    assert buckets.level("a", 0.0) == buckets.level("never seen", 0.0) == 2
    assert len(buckets) == 1
