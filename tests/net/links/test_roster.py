"""The roster: whom to dial when, and which of two links both sides keep."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from kontor_games.net.links.roster import (
    BACK_OFF,
    FIRST_WAIT,
    MAX_BACK_OFF,
    Dial,
    DropLink,
    Linked,
    Lost,
    Probe,
    Roster,
)

LOW, HIGH = b"a" * 32, b"b" * 32
BOOT_1, BOOT_2 = b"1" * 16, b"2" * 16


def steady(value: float = 1.0) -> Callable[[], float]:
    return lambda: value


def test_the_lower_key_dials_at_once_and_the_higher_a_little_later() -> None:
    low, high = Roster(LOW, steady()), Roster(HIGH, steady())
    low.want(HIGH, ["h:1"], 5.0)
    high.want(LOW, ["l:1"], 5.0)
    assert low.wake_at == 5.0 and high.wake_at == 5.0 + FIRST_WAIT
    assert low.tick(5.0) == [Dial(HIGH, "h:1")]
    assert low.wake_at is None and low.tick(99.0) == []


def test_a_peer_without_addresses_is_waited_for() -> None:
    roster = Roster(LOW, steady())
    roster.want(HIGH, [], 0.0)
    roster.want(LOW, ["me:1"], 0.0)
    assert roster.is_wanted(HIGH) and not roster.is_wanted(LOW) and roster.wake_at is None
    assert roster.link_opened(HIGH, 1, False, BOOT_1, 1.0) == [Linked(HIGH, 1)]
    assert roster.link_closed(HIGH, 1, "gone", 2.0) == [Lost(HIGH, "gone")]
    assert roster.wake_at is None


def test_all_addresses_are_tried_before_waiting_and_waits_grow_up_to_a_bound() -> None:
    roster = Roster(LOW, steady())
    roster.want(HIGH, ["h:1", "h:2"], 0.0)
    now, waits, dialled = 0.0, [], []
    for _ in range(20):
        (dial,) = roster.tick(now)
        assert isinstance(dial, Dial)
        dialled.append(dial.address)
        roster.dial_failed(HIGH, now)
        assert roster.wake_at is not None
        waits.append(roster.wake_at - now)
        now = roster.wake_at
    assert dialled == ["h:1", "h:2"] * 10
    assert waits[0::2] == [0.0] * 10
    assert waits[1] == BACK_OFF * 2 and waits[3] == BACK_OFF * 4 and waits[19] == MAX_BACK_OFF


@given(st.floats(0, 1, exclude_max=True), st.integers(1, 40))
def test_back_off_is_bounded_whatever_the_jitter(jitter: float, failures: int) -> None:
    roster = Roster(LOW, steady(jitter))
    roster.want(HIGH, ["h:1"], 0.0)
    now = 0.0
    for _ in range(failures):
        roster.tick(now)
        roster.dial_failed(HIGH, now)
        assert roster.wake_at is not None
        assert BACK_OFF / 2 <= roster.wake_at - now <= MAX_BACK_OFF
        now = roster.wake_at


def test_a_good_link_makes_the_next_attempt_quick_and_a_flapping_one_does_not() -> None:
    for lived, quick in ((60.0, True), (0.1, False)):
        roster = Roster(LOW, steady())
        roster.want(HIGH, ["h:1"], 0.0)
        for now in range(0, 400, 50):
            roster.tick(float(now))
            roster.dial_failed(HIGH, float(now))
        roster.tick(400.0)
        roster.link_opened(HIGH, 1, True, BOOT_1, 400.0)
        roster.link_closed(HIGH, 1, "gone", 400.0 + lived)
        assert roster.wake_at is not None
        assert (roster.wake_at - 400.0 - lived <= BACK_OFF) == quick


def test_new_addresses_are_tried_at_once_and_the_same_ones_change_nothing() -> None:
    roster = Roster(LOW, steady())
    roster.want(HIGH, ["h:1"], 0.0)
    roster.tick(0.0)
    roster.dial_failed(HIGH, 0.0)
    waiting = roster.wake_at
    roster.want(HIGH, ["h:1"], 0.2)
    assert roster.wake_at == waiting
    roster.want(HIGH, ["h:2"], 0.2)
    assert roster.tick(0.2) == [Dial(HIGH, "h:2")]


def test_a_restarted_peer_takes_its_old_link_over() -> None:
    for dialled in (True, False):
        roster = Roster(LOW, steady())
        roster.link_opened(HIGH, 1, True, BOOT_1, 0.0)
        effects = roster.link_opened(HIGH, 2, dialled, BOOT_2, 1.0)
        assert effects == [DropLink(1, "a newer link took over"), Linked(HIGH, 2)]
        assert roster.link_closed(HIGH, 1, "late news", 2.0) == []
        assert roster.link_of(HIGH) == 2


def test_a_second_call_of_the_same_side_takes_over() -> None:
    roster = Roster(LOW, steady())
    roster.link_opened(HIGH, 1, False, BOOT_1, 0.0)
    assert roster.link_opened(HIGH, 2, False, BOOT_1, 1.0)[-1] == Linked(HIGH, 2)


def test_the_kept_link_is_doubted_when_a_second_one_comes() -> None:
    roster = Roster(LOW, steady())
    roster.link_opened(HIGH, 1, True, BOOT_1, 0.0)
    drop, probe = roster.link_opened(HIGH, 2, False, BOOT_1, 1.0)
    assert isinstance(drop, DropLink) and drop.link == 2 and probe == Probe(1)


@settings(max_examples=200)
@given(st.permutations([(LOW, "ours"), (LOW, "theirs"), (HIGH, "ours"), (HIGH, "theirs")]))
def test_when_both_dial_both_keep_the_same_link_in_any_order(order: list[tuple[bytes, str]]) -> None:
    """Link 1 was dialled by the lower key, link 2 by the higher; each side sees both open, in any order."""
    sides = {LOW: Roster(LOW, steady()), HIGH: Roster(HIGH, steady())}
    for me, whose in order:
        other = HIGH if me == LOW else LOW
        dialled = whose == "ours"
        number = 1 if (me == LOW) == dialled else 2
        sides[me].link_opened(other, number, dialled, BOOT_1, 0.0)
    assert sides[LOW].link_of(HIGH) == sides[HIGH].link_of(LOW) == 1


def test_a_forgotten_peer_is_dropped_and_not_dialled() -> None:
    roster = Roster(LOW, steady())
    roster.want(HIGH, ["h:1"], 0.0)
    roster.tick(0.0)
    roster.link_opened(HIGH, 1, True, BOOT_1, 0.1)
    assert roster.forget(HIGH, "match over") == [DropLink(1, "match over")]
    assert roster.link_closed(HIGH, 1, "match over", 0.2) == [Lost(HIGH, "match over")]
    assert roster.wake_at is None and roster.forget(HIGH, "again") == []


@settings(max_examples=150)
@given(st.lists(st.sampled_from(["ok", "fail", "half", "break"]), min_size=1, max_size=25))
def test_whatever_the_network_does_the_pair_is_linked_once_it_behaves(events: list[str]) -> None:
    sides = {LOW: Roster(LOW, steady(0.5)), HIGH: Roster(HIGH, steady(0.5))}
    other = {LOW: HIGH, HIGH: LOW}
    for me, roster in sides.items():
        roster.want(other[me], ["x:1"], 0.0)
    open_links: dict[int, dict[bytes, bool]] = {}  # link -> side -> whether that side dialled; a side may miss
    now, number = 0.0, 0

    def carry_out(me: bytes, effects: list[object]) -> None:
        for effect in effects:
            if isinstance(effect, DropLink):
                ends = open_links.pop(effect.link, {})
                for side in ends:
                    sides[side].link_closed(other[side], effect.link, "dropped", now)

    for event in [*events, *["ok"] * 6]:
        now = min((at for r in sides.values() if (at := r.wake_at) is not None), default=now + 30)
        for me in (LOW, HIGH):
            for effect in sides[me].tick(now):
                assert isinstance(effect, Dial)
                number += 1
                if event in ("fail",):
                    sides[me].dial_failed(other[me], now)
                    continue
                open_links[number] = {me: True} if event == "half" else {me: True, other[me]: False}
                for side, dialled in tuple(open_links[number].items()):
                    carry_out(side, list(sides[side].link_opened(other[side], number, dialled, BOOT_1, now)))
        if event in ("break", "half"):
            for link, ends in list(open_links.items()):
                del open_links[link]
                for side in ends:
                    sides[side].link_closed(other[side], link, "broken", now)
    kept = {side: roster.link_of(other[side]) for side, roster in sides.items()}
    assert kept[LOW] == kept[HIGH] is not None


def calls_of(roster: Roster, until: float) -> list[str]:
    """Every address that is dialled up to then; none of them answers."""
    dialled: list[str] = []
    while roster.wake_at is not None and roster.wake_at < until:
        now = roster.wake_at
        for dial in roster.tick(now):
            assert isinstance(dial, Dial)
            dialled.append(dial.address)
            roster.dial_failed(dial.peer, now)
    return dialled


def test_an_address_that_others_claim_is_called_three_times_and_never_again() -> None:
    roster = Roster(LOW, steady())
    roster.want(HIGH, [], 0.0, ["9.9.9.9:1", "8.8.8.8:1"])
    first = calls_of(roster, 3.0)
    assert 2 <= len(first) <= 4, "the tries are spread out: a peer may be late"
    assert sorted(first + calls_of(roster, 9999.0)) == ["8.8.8.8:1"] * 3 + ["9.9.9.9:1"] * 3
    roster.want(HIGH, [], 9999.0, ["9.9.9.9:1"])
    roster.want(HIGH, [], 9999.0, ["9.9.9.9:1", "8.8.8.8:1"])
    assert roster.wake_at is None, "saying it again brings no new tries"


def test_where_a_peer_has_answered_it_is_called_as_often_as_it_takes() -> None:
    roster = Roster(LOW, steady())
    roster.want(HIGH, [], 0.0, ["9.9.9.9:1", "8.8.8.8:1"])
    calls_of(roster, 1.0)
    roster.link_opened(HIGH, 1, True, BOOT_1, 1.0, address="8.8.8.8:1")
    assert roster.proven(HIGH) == ("8.8.8.8:1",)
    roster.link_closed(HIGH, 1, "gone", 2.0)
    roster.want(HIGH, [], 2.0, ["7.7.7.7:1"])  # what others say does not take the proven way from us
    assert calls_of(roster, 9999.0).count("8.8.8.8:1") > 100


def test_a_link_that_the_peer_opened_proves_none_of_its_claims() -> None:
    roster = Roster(LOW, steady())
    roster.want(HIGH, [], 0.0, ["9.9.9.9:1"])
    roster.link_opened(HIGH, 1, False, BOOT_1, 0.0)
    assert roster.proven(HIGH) == ()
    for link in range(2, 30):
        roster.link_closed(HIGH, link - 1, "gone", link * 60.0)
        roster.link_opened(HIGH, link, False, BOOT_1, link * 60.0 + 30)
    roster.link_closed(HIGH, 29, "gone", 9000.0)
    assert calls_of(roster, 99999.0).count("9.9.9.9:1") == 3


def test_a_person_who_asks_again_has_claims_called_again() -> None:
    roster = Roster(LOW, steady())
    roster.also(HIGH, ["9.9.9.9:1"], 0.0)
    assert calls_of(roster, 999.0) == ["9.9.9.9:1"] * 3
    roster.also(HIGH, ["9.9.9.9:1"], 1000.0)
    assert calls_of(roster, 2000.0) == ["9.9.9.9:1"] * 3
