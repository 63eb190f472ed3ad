"""Sentences of the fair, word by word."""

from __future__ import annotations

import pytest

from kontor_games.clients.text.phrases import Words

NAMES = ["Anna", "Bruno"]


def test_events_say_you_to_the_reader() -> None:
    words = Words("joban", NAMES, you=0)
    assert words.event({"event": "ShopBuilt", "seat": 0, "cell": [2, -1], "colour": 0}) == (
        "You build a green shop 2 right and 1 below the middle."
    )
    assert words.event({"event": "ShopBuilt", "seat": 1, "cell": [0, 0], "colour": 1}) == (
        "Bruno builds a red shop in the middle."
    )
    assert words.event({"event": "PointsScored", "seat": 0, "points": 4, "shops": 3, "dragons": 1}) == (
        "You score 4 points for 3 shops and one dragon of others."
    )
    assert words.event({"event": "PointsScored", "seat": 1, "points": 0, "shops": 0, "dragons": 0}) == (
        "Bruno scores nothing."
    )
    assert words.event({"event": "TaskScored", "seat": 1, "task": 36, "line": -2, "points": -4}) == (
        "Bruno scores the row 2 below the middle, where green pays and red costs: minus 4 points."
    )
    assert words.event({"event": "TaskScored", "seat": 0, "task": 47, "line": 0, "points": 8}) == (
        "You score the falling diagonal through the middle, where yellow pays and red costs: 8 points."
    )
    assert words.event({"event": "BonusUseless", "seat": 0, "bonus": 3}) == (
        "Your bonus can do nothing: look for new tasks."
    )


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ([0, 0], "in the middle"),
        ([3, 0], "3 right of the middle"),
        ([-1, 0], "1 left of the middle"),
        ([0, 2], "2 above the middle"),
        ([0, -2], "2 below the middle"),
        ([3, 2], "3 right and 2 above the middle"),
        ([-3, -2], "3 left and 2 below the middle"),
    ],
)
def test_a_cell_is_said_from_the_middle(cell: list[int], said: str) -> None:
    assert Words("joban", NAMES).fill("{cell:cell}", {"cell": cell}) == said
