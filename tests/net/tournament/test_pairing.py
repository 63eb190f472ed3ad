"""Drawing rounds: sizes of tables, byes, who meets whom, who sits where."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kontor_games.net.tournament.event_records import PlayerAdded, PlayerDropped
from kontor_games.net.tournament.pairing import draw, meetings, seat_counts, table_sizes, why_not_draw
from kontor_games.net.tournament.standings import scores, standings

from .events import ChainBook, key_of


def strength(key: str) -> int:
    return int(key[:8], 16)


@pytest.mark.parametrize(
    ("count", "sizes", "expected"),
    [
        (24, (4, 3), (4, 4, 4, 4, 4, 4)),
        (23, (4, 3), (4, 4, 4, 4, 4, 3)),
        (22, (4, 3), (4, 4, 4, 4, 3, 3)),
        (5, (4, 3), (4,)),
        (6, (4, 3), (3, 3)),
        (9, (2,), (2, 2, 2, 2)),
        (7, (5, 2), (5, 2)),
        (6, (4, 2), (4, 2)),
        (11, (3, 4, 5), (4, 4, 3)),
    ],
)
def test_as_few_as_possible_have_a_bye_then_sizes_are_as_liked(
    count: int, sizes: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    assert table_sizes(count, sizes) == expected


@given(st.integers(2, 60), st.lists(st.integers(2, 5), min_size=1, max_size=4, unique=True))
def test_every_cut_uses_declared_sizes_and_leaves_fewer_than_the_smallest(count: int, sizes: list[int]) -> None:
    cut = table_sizes(count, sizes)
    assert set(cut) <= set(sizes) and sum(cut) <= count
    assert count - sum(cut) < min(sizes)


def test_nobody_of_24_meets_anybody_twice_in_five_rounds_of_four() -> None:
    book = ChainBook()
    book.add(*range(24))
    for _ in range(5):
        book.draw()
        book.decide(strength)
    assert max(meetings(book.state).values()) == 1
    sat = seat_counts(book.state)
    for number in range(24):
        counts = [sat[key_of(number), seat] for seat in range(4)]
        assert sum(counts) == 5 and max(counts) <= 2, counts


def test_later_rounds_bring_together_those_with_like_points() -> None:
    book = ChainBook(sizes=(2,), rounds=6)
    book.add(*range(16))
    for _ in range(4):
        book.draw()
        book.decide(strength)
    points = {key: score.points for key, score in scores(book.state, is_closed=True).items()}
    apart = [abs(points[a] - points[b]) for a, b in draw(book.state).tables]
    everybody = [abs(points[a] - points[b]) for a, b in combinations(points, 2)]
    assert sum(apart) / len(apart) < sum(everybody) / len(everybody) / 3
    assert max(meetings(book.state).values()) == 1


def test_byes_go_round_beginning_with_those_who_have_least() -> None:
    book = ChainBook(sizes=(2,), rounds=5)
    book.add(*range(5))
    had: Counter[str] = Counter()
    for number in range(5):
        before = {key: score.points for key, score in scores(book.state, is_closed=True).items()}
        book.draw()
        (bye,) = book.state.rounds[-1].byes
        waiting = [key for key in before if not had[key]]
        assert before[bye] == min(before[key] for key in waiting), number
        had[bye] += 1
        book.decide(strength)
    assert set(had.values()) == {1}


@pytest.mark.parametrize("count", [4, 5, 8])
def test_a_round_robin_of_two_brings_every_two_together_once(count: int) -> None:
    rounds = count - 1 if count % 2 == 0 else count
    book = ChainBook(method="robin", sizes=(2,), rounds=rounds)
    book.add(*range(count))
    for _ in range(rounds):
        book.draw()
        book.decide(strength)
    met = meetings(book.state)
    assert len(met) == count * (count - 1) // 2 and set(met.values()) == {1}
    assert why_not_draw(book.state) == f"all {rounds} rounds that were declared are drawn"
    first = [seat_counts(book.state)[key_of(number), 0] for number in range(count)]
    assert max(first) - min(first) <= 1 + count % 2, first


def test_a_round_robin_of_four_spreads_meetings() -> None:
    book = ChainBook(method="robin", rounds=5)
    book.add(*range(16))
    for _ in range(5):
        book.draw()
    met = meetings(book.state)
    assert len(met) >= 100 and max(met.values()) <= 2  # of 120 pairs, 120 meetings


def test_leavers_are_not_drawn_and_latecomers_are() -> None:
    book = ChainBook()
    book.add(*range(8))
    book.draw()
    book.decide(strength)
    book.take(PlayerDropped(key_of(3)))
    book.add(20)
    book.draw()
    drawn = {key for table in book.state.rounds[-1].tables for key in table}
    assert key_of(3) not in drawn and key_of(20) in drawn and len(drawn) == 8


def test_whoever_is_dropped_before_they_could_be_drawn_never_took_part() -> None:
    """A wrong key was typed: the right one comes under the same name, and a round robin is as large as its players."""
    book = ChainBook(method="robin", sizes=(2,), rounds=3)
    book.add(*range(4))
    name = book.state.entrants[key_of(3)].name
    book.take(PlayerDropped(key_of(3)))
    book.take(PlayerAdded(key_of(9), name))
    for _ in range(3):
        book.draw()
        book.decide(strength)
    assert not any(drawn.byes for drawn in book.state.rounds) and set(meetings(book.state).values()) == {1}
    assert key_of(3) not in {row.key for row in standings(book.state)} and len(meetings(book.state)) == 6
    late = ChainBook()
    late.add(*range(8))
    late.draw()
    late.add(20)
    late.take(PlayerDropped(key_of(20)))
    late.take(PlayerDropped(key_of(0)))
    assert key_of(20) not in late.state.entrants and not late.state.entrants[key_of(0)].is_here


def test_who_plays_a_leaver_in_a_round_robin_of_two_has_a_bye() -> None:
    book = ChainBook(method="robin", sizes=(2,), rounds=3)
    book.add(*range(4))
    book.draw()
    book.take(PlayerDropped(key_of(0)))
    book.draw()
    assert len(book.state.rounds[-1].tables) == 1 and len(book.state.rounds[-1].byes) == 1


def test_a_large_event_is_drawn_without_repeats_within_bounds() -> None:
    book = ChainBook(sizes=(2,), rounds=3)
    for number in range(120):
        book.take(PlayerAdded(f"{number:064x}", f"Player {number}"))
    for _ in range(3):
        book.draw()
        book.decide(lambda key: int(key, 16))
    assert max(meetings(book.state).values()) == 1


def test_the_seed_decides_what_is_drawn_and_nothing_else_does() -> None:
    drawn = []
    for seed in ("one", "one", "two"):
        book = ChainBook(seed=seed)
        book.add(*range(12))
        drawn.append(draw(book.state))
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_drawing_of_a_fixed_event_never_changes() -> None:
    """Whoever checks an old event draws it again: another method needs another name."""
    book = ChainBook(seed="golden")
    book.add(*range(9))
    for _ in range(3):
        book.draw()
        book.decide(strength)
    names = {key: each.name[-2:] for key, each in book.state.entrants.items()}
    told = ["/".join("".join(names[key][1] for key in table) for table in each.tables) for each in book.state.rounds]
    assert told == GOLDEN


GOLDEN = ["BEG/CIF/AHD", "GDC/IAB/HFE", "DEI/FGA/CBH"]
