"""Worked examples of end conditions and final scoring."""

from __future__ import annotations

import pytest

from kontor_games.engine.games.yokohama.scoring import (
    board_prizes,
    country_points,
    leftover_points,
    result,
    technology_prizes,
)
from kontor_games.engine.games.yokohama.state import NEUTRAL, NONE

from .position import Position, T, tech


def on_board(x: Position, *owners: int) -> tuple[int, ...]:
    return (*owners, *(NONE,) * (8 - len(owners)))


def test_e09_the_rightmost_assistant_breaks_a_tie_on_the_church_board() -> None:
    x = Position(4)
    assert board_prizes(x.s, on_board(x, 3, 0, 1, 0, 1), T.scoring.church) == [3, 6, 0, 0]


def test_e10_the_customs_board_pays_eight_and_four() -> None:
    x = Position(4)
    assert board_prizes(x.s, on_board(x, 1, 0, 3, 1, 1), T.scoring.customs) == [0, 8, 0, 4]


def techs_worth(total: int) -> tuple[int, ...]:
    """Faces whose production values add up to `total` (kinds may repeat: only the sum counts here)."""
    four, five = tech("stagecoach"), tech("tram")
    table = {12: (four,) * 3, 20: (five,) * 4, 10: (five,) * 2}
    return table[total]


def test_e11_ties_in_technology_go_to_the_earlier_player() -> None:
    x = Position(4)
    for seat, total in enumerate((12, 20, 12, 10)):
        x.player(seat, techs=techs_worth(total))
    assert technology_prizes(T, x.s) == [5, 10, 0, 0]


def test_e12_flags_form_sets_of_different_countries() -> None:
    assert country_points(T, (3, 2, 2, 1, 1)) == 16
    assert country_points(T, (0, 0, 0, 0, 0)) == 0


def test_e13_leftovers_count_imports_pairs_of_yen_and_triples_of_goods() -> None:
    x = Position(4).player(0, imports=1, yen=3, goods=(2, 1, 1, 3), agents=())
    assert leftover_points(T, x.p()) == 4
    x.player(0, agents=(0, 5), used=1)  # a free agent is left
    assert leftover_points(T, x.p()) == 5


def short_port(left: int) -> Position:
    x = Position(2).player(0, yen=2)
    end = x.s.order_deck[1]
    x.set(order_deck=(end - left, end)).acting("port_a", 2)
    x.do("take 1", "take 2")
    if x.s.stage == "act":
        x.do("pay yen")
    return x


def test_e35_a_port_that_cannot_be_refilled_ends_the_match_after_one_more_round() -> None:
    x = short_port(1)
    assert x.s.ports[0].count(NONE) == 1 and x.s.short == 1
    x.do("end")
    assert (x.s.ending, x.s.final_round) == ("port", 2)


def test_e35_a_deck_that_just_suffices_triggers_nothing() -> None:
    x = short_port(2)
    assert NONE not in x.s.ports[0] and not x.s.short
    x.do("end")
    assert x.s.ending == ""


def pass_turn(x: Position) -> None:
    x.do("end", "done", "recall")
    if x.s.stage == "recall":
        x.do("done")
    x.do("end")


def test_e36_the_round_is_finished_and_one_more_is_played() -> None:
    x = Position(3).set(round=7, active=1, stage="phase_c", church=(0, 0, 1, 2, 1, NONE, NONE, NONE))
    x.do("end")
    assert (x.s.ending, x.s.final_round, x.s.active, x.s.round) == ("church", 8, 2, 7)
    for _ in range(4):
        assert result(T, x.s) is None
        pass_turn(x)
    final = result(T, x.s)
    assert final is not None and final.reason == "church" and x.s.round == 8


def test_e37_neutral_assistants_count_for_the_end_and_not_for_the_majority() -> None:
    x = Position(2)
    assert x.s.church.count(NEUTRAL) == 2 and x.s.customs.count(NEUTRAL) == 2
    free = [i for i, owner in enumerate(x.s.church) if owner == NONE]
    board = list(x.s.church)
    for space, owner in zip(free, (0, 1, 1), strict=False):
        board[space] = owner
    x.set(church=tuple(board), stage="phase_c")
    assert board_prizes(x.s, x.s.church, T.scoring.church) == [3, 6]
    x.do("end")
    assert x.s.ending == "church"


def test_e38_a_sole_participant_takes_the_first_prize_only() -> None:
    x = Position(3)
    assert board_prizes(x.s, on_board(x, 2, 2), T.scoring.customs) == [0, 0, 8]


def test_e42_a_final_tie_goes_to_the_earlier_player() -> None:
    x = Position(3)
    for seat in range(3):
        x.player(seat, points=(10 if seat else 0, 0, 0, 0, 0, 0, 0, 0), yen=0, goods=(0, 0, 0, 0))
    final = result(T, x.set(stage="over", ending="church").s)
    assert final is not None and final.scores == (0, 10, 10)
    assert (final.winners, final.places) == ((1,), (3, 1, 2))


@pytest.mark.parametrize(
    ("reason", "changes"),
    [
        ("trading_houses", {"houses": (0, 0, 0, 0, *(NONE,) * 10)}),
        ("shops", {"shops": ((0, NONE, NONE, NONE),) * 8 + ((NONE,) * 4,) * 6}),
        ("port", {"short": 1}),
        ("church", {"church": (0, 1, 2, 0, 1, NONE, NONE, NONE)}),
        ("customs", {"customs": (0, 1, 2, 0, 1, NONE, NONE, NONE)}),
    ],
)
def test_each_end_condition_announces_the_last_round(reason: str, changes: dict[str, object]) -> None:
    x = Position(3).set(**changes, stage="phase_c")
    x.do("end")
    assert (x.s.ending, x.s.final_round) == (reason, 2)


def test_max_rounds_scores_the_match_after_that_round() -> None:
    x = Position(2, max_rounds=1)
    pass_turn(x)
    pass_turn(x)
    final = result(T, x.s)
    assert final is not None and final.reason == "rounds"


@pytest.mark.parametrize(
    ("options", "changes", "reason"),
    [
        ({"houses_end": 2}, {"houses": (0, 0, *(NONE,) * 12)}, "trading_houses"),
        ({"shops_end": 4}, {"shops": ((1, NONE, NONE, NONE),) * 4 + ((NONE,) * 4,) * 10}, "shops"),
        ({}, {"houses": (0, 0, *(NONE,) * 12)}, ""),
    ],
)
def test_the_end_options_move_the_end(options: dict[str, int], changes: dict[str, object], reason: str) -> None:
    x = Position(3, **options).set(**changes, stage="phase_c")
    x.do("end")
    assert x.s.ending == reason
