"""The words of the fair for people: over whole matches nothing is missing, alike, or a code."""

from __future__ import annotations

import re
from typing import Any

import pytest

from kontor_games.clients.text.phrases import Words, load_catalogue
from kontor_games.engine import CHANCE, Choice, Game, LocalMatch, choices, event_dict, load
from tests.engine.playouts import watch

GAMES = ["joban"]
NAMES = ["Anna", "Bruno", "Clara", "Dora", "Emil"]
CODE = re.compile(r"[a-z0-9]_[a-z0-9]|\b[a-z]{3}-[a-z]{3}\b|\b[a-z]\d+@|\bNone\b|\?\d|[{}\[\]]|\d/-?\d|\(-?\d")
every_game = pytest.mark.parametrize("game", [load(game) for game in GAMES], ids=GAMES)


def check_text(text: str | None) -> str:
    assert text and text.isprintable() and text == text.strip() and "  " not in text, text
    assert not CODE.search(text), f"a code is shown: {text}"
    return text


def check_position(game: Game[Any], match: LocalMatch[Any], turn: int) -> None:
    """What is said in one position, to the seat to act and about it to another one."""
    state, known, offer = match.state, match.known(turn), game.offer
    for reader in (turn, (turn + 1) % len(game.points(state))):
        words = Words(game.id, NAMES, you=reader)
        check_text(words.now(offer.now(state), turn))
        found = choices(game, state, known)
        phrases = [check_choice(game, words, state, choice) for choice in found]
        twice = sorted({phrase for phrase in phrases if phrases.count(phrase) > 1})
        assert not twice, f"two entries of a menu read alike: {twice}"
        for choice in found:
            for figure in offer.foresee(state, choice.actions, known):
                facts = {name: getattr(figure, name) for name in figure.__struct_fields__}
                check_text(words.fill(load_catalogue(game.id)["figures"][figure.id], facts))
    for kind in (*offer.kinds, *offer.steps):
        check_text(offer.why_none(state, kind, known) or "there is one")


def check_choice(game: Game[Any], words: Words, state: Any, choice: Choice) -> str:
    tags = [str(action.__struct_config__.tag) for action in choice.actions]
    for events in choice.events:
        for event in events:
            check_text(words.event(event_dict(event)))
    return check_text(words.phrase(game.offer.details(state, choice.actions), tags))


def check_match(game: Game[Any], seats: int, every: int, seed: bytes) -> None:
    def see(match: LocalMatch[Any]) -> None:
        if match.turn is not None and match.turn != CHANCE and match.ply % every == 0:
            check_position(game, match, match.turn)

    watch(game, {}, seats, seed, see, 900)


@every_game
def test_no_two_entries_of_a_menu_read_alike_and_none_shows_a_code(game: Game[Any]) -> None:
    for seats in game.seats:
        check_match(game, seats, 5, b"phrases")


@pytest.mark.long
@every_game
def test_no_two_entries_read_alike_in_many_matches(game: Game[Any]) -> None:
    for number in range(20):
        for seats in game.seats:
            check_match(game, seats, 2, b"phrases %d" % number)


@every_game
def test_every_kind_has_a_label_of_at_most_three_words(game: Game[Any]) -> None:
    labels = load_catalogue(game.id)["kinds"]
    assert set(labels) == {*game.offer.kinds, *game.offer.steps}
    for label in labels.values():
        assert len(check_text(label).split()) <= 3
    assert set(load_catalogue(game.id)["figures"]) == set(game.offer.figures)


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
