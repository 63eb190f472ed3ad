"""Places shared by network: who gets in while others flood, and who has to go."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from kontor_games.net.system.admission import GRACE, Residents, Strangers
from kontor_games.net.system.networks import network_of

# Strangers.


def test_one_network_may_use_every_place_that_nobody_else_wants() -> None:
    strangers: Strangers[int] = Strangers(100)
    assert [strangers.enter(number, f"10.0.0.{number}", 0.0) for number in range(100)] == [None] * 100
    residents: Residents[int] = Residents(100)
    assert [residents.enter(number, "10.0.0.1") for number in range(100)] == [None] * 100


def test_under_pressure_the_oldest_stranger_of_the_largest_network_goes() -> None:
    strangers: Strangers[str] = Strangers(4)
    for name, address, now in (("old", "10.0.1.1", 0.0), ("a", "10.0.0.1", 1.0), ("b", "10.0.0.2", 2.0)):
        strangers.enter(name, address, now)
    strangers.enter("c", "10.0.2.1", 3.0)
    assert strangers.enter("new", "10.0.3.1", 10.0) == "a"
    assert "a" not in strangers and len(strangers) == 4
    assert strangers.enter("newer", "10.0.4.1", 11.0) == "old"  # now all are equal


def test_inside_a_network_the_household_that_holds_most_gives() -> None:
    strangers: Strangers[str] = Strangers(4)
    strangers.enter("honest", "10.0.0.7", 0.0)
    for number in range(3):
        strangers.enter(f"flood {number}", "10.0.0.66", 1.0 + number)
    assert strangers.enter("new", "10.0.0.8", 10.0) == "flood 0"
    assert "honest" in strangers


def test_a_stranger_behind_the_attackers_own_address_still_gets_a_place_and_time_to_greet() -> None:
    strangers: Strangers[str] = Strangers(64)
    for number in range(64):
        strangers.enter(f"flood {number}", "10.0.0.66", number / 100)
    assert strangers.enter("honest", "10.0.0.66", 5.0) == "flood 0"
    for number in range(63):  # as many as fit, within the grace
        assert strangers.enter(f"again {number}", "10.0.0.66", 5.0 + number / 40) != "honest"


def test_churn_in_the_newcomers_own_network_does_not_cut_it_within_its_grace() -> None:
    """The attackers hold one place in each of many networks and keep adding to the one of their victim."""
    strangers: Strangers[str] = Strangers(512)
    for number in range(512):
        strangers.enter(f"spread {number}", f"10.{number % 200}.{number // 200}.1", 0.0)
    strangers.enter("honest", "203.0.113.7", 10.0)
    for number in range(320):  # 160 a second, every other one from the honest network
        address = f"203.0.113.{8 + number % 200}" if number % 2 else f"11.{number % 200}.{number // 200}.1"
        strangers.enter(f"more {number}", address, 10.0 + number / 160)
        assert "honest" in strangers, f"cut after {number / 160:.2f} s"


def test_when_nobody_is_past_the_grace_the_rule_holds_among_all() -> None:
    strangers: Strangers[str] = Strangers(3, grace=5.0)
    for name, address in (("one", "10.0.0.1"), ("two", "10.0.1.1"), ("three", "10.0.1.2")):
        strangers.enter(name, address, 0.0)
    assert strangers.enter("new", "10.0.2.1", 1.0) == "two"


asks = st.lists(st.tuples(st.integers(0, 5), st.integers(1, 4), st.floats(0, 2)), max_size=120)


@given(asks)
def test_a_newcomer_always_gets_a_place_and_the_counts_stay_true(steps: list[tuple[int, int, float]]) -> None:
    strangers: Strangers[int] = Strangers(8)
    inside: dict[int, str] = {}
    now = 0.0
    for number, (network, host, wait) in enumerate(steps):
        now += wait
        address = f"10.0.{network}.{host}"
        gone = strangers.enter(number, address, now)
        assert gone != number
        if gone is not None:
            del inside[gone]
        inside[number] = address
        if wait > 1.5:
            first = next(iter(inside))
            strangers.leave(first)
            del inside[first]
        assert {who for who in range(len(steps)) if who in strangers} == set(inside)
        assert len(strangers) == len(inside) <= 8
        assert strangers._networks == Counter(network_of(address) for address in inside.values())
    for who in list(inside):
        strangers.leave(who)
    assert not strangers._networks and not strangers._households and len(strangers) == 0


# Residents.


def test_among_equals_whoever_came_first_stays() -> None:
    residents: Residents[str] = Residents(3)
    for name, address in (("a", "10.0.0.1"), ("b", "10.0.1.1"), ("c", "10.0.2.1")):
        assert residents.enter(name, address) is None
    assert residents.enter("late", "10.0.3.1") == "late"
    assert "late" not in residents and len(residents) == 3


def test_the_newest_of_the_largest_network_makes_room_and_never_the_one_who_waits() -> None:
    residents: Residents[str] = Residents(5)
    residents.enter("host who waits", "10.0.1.1")
    for number in range(4):
        residents.enter(f"flood {number}", "10.0.0.66")
    assert residents.enter("honest", "10.0.2.1") == "flood 3"
    assert residents.enter("neighbour", "10.0.0.7") == "flood 2"  # same network as the attacker, another household
    assert residents.enter("third", "10.0.3.1") == "flood 1"
    assert "host who waits" in residents and "honest" in residents


def test_a_network_that_holds_most_gets_no_more() -> None:
    residents: Residents[int] = Residents(10)
    for number in range(10):
        residents.enter(number, f"10.0.0.{number}")
    assert residents.enter(10, "10.0.0.10") == 10
    assert [residents.enter(number, f"10.0.{number}.1") for number in range(11, 16)] == [9, 8, 7, 6, 5]
    assert residents.enter(16, "10.0.0.16") == 16


@given(asks)
def test_the_shares_of_residents_are_max_min_fair(steps: list[tuple[int, int, float]]) -> None:
    """Whoever is refused belongs to a network that nobody exceeds; whoever is put out to one that nobody exceeds."""
    residents: Residents[int] = Residents(8)
    inside: dict[int, str] = {}
    for number, (network, host, wait) in enumerate(steps):
        inside[number] = f"10.0.{network}.{host}"
        held = Counter(network_of(address) for address in inside.values())
        gone = residents.enter(number, inside[number])
        if gone is not None:
            assert held[network_of(inside.pop(gone))] == max(held.values())
        if wait > 1.5 and inside:
            first = next(iter(inside))
            residents.leave(first)
            del inside[first]
        assert {who for who in range(len(steps)) if who in residents} == set(inside)
        assert len(residents) == len(inside) <= 8


def test_whoever_enters_twice_or_leaves_unknown_changes_no_count() -> None:
    strangers: Strangers[str] = Strangers(2)
    residents: Residents[str] = Residents(2)
    for now in (0.0, 2 * GRACE):
        assert strangers.enter("a", "10.0.0.1", now) is None
        assert residents.enter("a", f"10.0.{now:.0f}.1") is None
    strangers.leave("nobody")
    residents.leave("nobody")
    assert len(strangers) == len(residents) == 1
