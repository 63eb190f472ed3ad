"""Points, shared places, what is declared for everything that is not a finished match, and tie-breaks."""

from __future__ import annotations

import pytest

from kontor_games.net.tournament.event_records import EventEnded
from kontor_games.net.tournament.standings import UNIT, place_points, points_text, scores, standings, tie_text

from .events import ChainBook, key_of, result


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ((1, 2, 3, 4), (12, 8, 4, 0)),
        ((2, 1, 4, 3), (8, 12, 0, 4)),
        ((1, 1, 3, 4), (10, 10, 4, 0)),
        ((1, 2, 2, 2), (12, 4, 4, 4)),
        ((1, 1, 1, 1), (6, 6, 6, 6)),
    ],
)
def test_those_who_share_places_share_their_points(places: tuple[int, ...], expected: tuple[int, ...]) -> None:
    found = [place_points((12, 8, 4, 0), places, seat) for seat in range(4)]
    assert found == [UNIT * points for points in expected]


def test_points_are_exact_however_many_share() -> None:
    found = [place_points((10, 9, 5, 0, 0), (1, 2, 2, 2, 5), seat) for seat in range(5)]
    assert sum(found) == UNIT * 24 and points_text(found[1]) == "4.67"


def one_table(**declared: object) -> ChainBook:
    book = ChainBook(sizes=(2,), **declared)
    book.add(0, 1)
    book.draw()
    return book


def points_of(book: ChainBook, is_closed: bool = False) -> list[str]:
    found = scores(book.state, is_closed)
    return [points_text(found[key].points) for key in book.state.rounds[0].tables[0]]


def test_a_table_without_a_file_scores_as_declared_once_its_round_is_closed() -> None:
    book = one_table(missing=2)
    assert points_of(book) == ["0", "0"] and points_of(book, is_closed=True) == ["2", "2"]


def test_an_unfinished_match_scores_as_declared() -> None:
    book = one_table(unfinished=3)
    book.take(result(1, 1, (), finish="unfinished", scores=()))
    assert points_of(book) == ["3", "3"]


@pytest.mark.parametrize(("declared", "expected"), [("places", ["12", "0"]), ("unfinished", ["1", "1"])])
def test_an_unsigned_end_scores_as_declared(declared: str, expected: list[str]) -> None:
    book = one_table(unsigned=declared, unfinished=1)
    book.take(result(1, 1, (1, 2), finish="unsigned"))
    assert points_of(book) == expected


@pytest.mark.parametrize(("declared", "expected"), [("nothing", ["0", "0"]), ("places", ["12", "0"])])
def test_whoever_left_the_match_scores_as_declared(declared: str, expected: list[str]) -> None:
    book = one_table(left=declared)
    book.take(result(1, 1, (1, 2), left=(0,)))
    assert points_of(book) == expected


def test_late_arrivals_byes_and_absence_score_as_declared() -> None:
    book = ChainBook(sizes=(2,), late=5, bye=7)
    book.add(0, 1, 2)
    book.draw()
    (bye,) = book.state.rounds[0].byes
    book.add(9)
    found = scores(book.state)
    assert points_text(found[bye].points) == "7"
    assert [(each.how, each.points) for each in found[key_of(9)].rounds] == [("late", 5 * UNIT)]


def test_tie_breaks_decide_in_the_declared_order_and_equals_share_a_rank() -> None:
    book = ChainBook(sizes=(2,), rounds=1, tie_breaks=("wins",))
    book.add(0, 1, 2, 3)
    book.draw()
    for table in (1, 2):
        book.take(result(1, table, (1, 2)))
    ranks = [row.rank for row in standings(book.state)]
    assert ranks == [1, 1, 3, 3]
    lots = ChainBook(sizes=(2,), rounds=1, tie_breaks=("wins", "lot"))
    lots.add(0, 1, 2, 3)
    assert [row.rank for row in standings(lots.state)] == [1, 2, 3, 4]


def test_opponents_who_scored_more_count_for_more() -> None:
    book = ChainBook(sizes=(2,), rounds=2, tie_breaks=("opponents", "share"))
    book.add(0, 1, 2, 3)
    book.draw()
    book.decide(lambda key: int(key[:8], 16))
    book.draw()
    book.decide(lambda key: int(key[:8], 16))
    rows = {row.key: row for row in standings(book.state)}
    points = {key: row.points for key, row in rows.items()}
    for key, row in rows.items():
        met = [other for drawn in book.state.rounds for table in drawn.tables if key in table for other in table]
        assert tie_text("opponents", row.ties[0]) == points_text(sum(points[each] for each in met if each != key))


def test_the_last_record_holds_what_the_results_come_to() -> None:
    book = one_table()
    book.take(result(1, 1, (2, 1)))
    book.take(EventEnded(standings(book.state, is_closed=True)))
    assert book.state.is_over and book.state.why_not(result(1, 1, (1, 2))) == "the event is over"
