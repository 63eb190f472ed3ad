"""What a person reads in a menu, over matches of every game.

Two entries of a menu differ in their phrase, no text shows a code, every kind of action has a button, targets and the
figures that RULES.md of its game promises: none that it does not name, and each of those that it names.

A third of the matches is played by aimless players, a third by greedy ones, and a third by curious ones, who do what
was seldom done in the matches before and play skilfully otherwise: chance alone hardly ever comes to the rare choices.
Now and then all take the first choice, always.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from kontor_games.clients.text.phrases import load_catalogue
from kontor_games.engine import CHANCE, Game, LocalMatch, game_ids, load
from tests.engine.playouts import new_match, option_sets, policies, steps
from tests.engine.yokohama.test_offer_yokohama import claiming

from .hansa_oddities import odd_states
from .menu_reader import Curious, Reader, Stubborn, promised, spoken

MANY = 200  # matches of each game in the long run
STUBBORN = 20  # one match of so many is played by those who always take the first choice
# Phrases that nobody reads there: for whoever may not see a card, where the ways to go on are too many to be offered
# as one choice, and in Hansa those of a first step that always goes on within its choice. The tests of these games have
# the others word by word.
GOES_ON = {"place", "displace", "displace_neutral"}
RARE = {
    "hansa": {"claim", "add_neutral_open", *(f"{step}_{what}" for step in GOES_ON for what in ("open", "price"))},
    "joban": {"keep unseen 1", "keep unseen 2", "place alone"},
    "osaka": {"chosen"},
    "yokohama": {"go_on_move", "keep_unseen", "research_open"},
}
# Values of options that have no list of values, where some choices come only with them.
FREE_VALUES: dict[str, list[dict[str, Any]]] = {
    "hansa": [{"silver": "extra:2,swap:2,move:1,develop:1,exchange:2,office:2,route:2"}]
}
GAMES = [load(game) for game in game_ids()]
ODD: dict[str, Callable[[], list[Any]]] = {"hansa": odd_states, "yokohama": lambda: [claiming().s]}
every_game = pytest.mark.parametrize("game", GAMES, ids=[game.id for game in GAMES])


def play(game: Game[Any], matches: int, every: int, plies: int) -> Reader:
    """Read every so manieth menu of matches of all numbers of seats and, in turn, of all options."""
    reader = Reader(game)
    taken: Counter[Any] = Counter()
    for number in range(matches):
        seats = game.seats[number % len(game.seats)]
        options = [*option_sets(game, seats), *FREE_VALUES.get(game.id, [])]
        seed = b"phrases %d" % number
        match = new_match(game, options[number % len(options)], seats, seed)
        players = policies("greedy" if number % 3 else "random", seats, seed)
        if number % 3 == 2:
            able = policies("skilled", seats, seed)
            players = [Curious(reader, taken, usual, seed + bytes([seat])) for seat, usual in enumerate(able)]
        if number % STUBBORN == STUBBORN - 1:
            players = [Stubborn(reader)] * seats
        look(reader, match, every, number)
        for _ in steps(match, players, plies):
            look(reader, match, every, number)
    return reader


def look(reader: Reader, match: LocalMatch[Any], every: int, number: int) -> None:
    if match.turn is not None and match.turn != CHANCE and (match.ply + number) % every == 0:
        reader.read(match.state, match.known(match.turn))


def check_figures(reader: Reader) -> None:
    """Nothing that RULES.md does not promise."""
    table = promised(reader.game)
    assert set(table) == {*reader.game.offer.kinds, *reader.game.offer.steps}
    surplus = {kind: seen - table[kind] for kind, seen in reader.figures.items() if seen - table[kind]}
    assert not surplus, f"RULES.md does not promise {surplus}"


@every_game
def test_entries_of_a_menu_differ_and_no_text_shows_a_code(game: Game[Any]) -> None:
    reader = play(game, 2 * len(game.seats), 7, 250)
    check_figures(reader)
    assert reader.phrases <= set(reader.catalogue["phrases"])


@pytest.mark.long
@every_game
def test_entries_differ_and_promises_are_kept_in_every_menu_of_two_hundred_matches(game: Game[Any]) -> None:
    reader = play(game, MANY, 1, 900)
    for state in ODD.get(game.id, list)():
        reader.read(state, {})
    print(f"{game.id}: {MANY} matches, {reader.menus} menus, {reader.entries} entries")
    check_figures(reader)
    table = promised(game)
    assert set(table) == reader.kinds, f"never offered: {set(table) - reader.kinds}"
    missing = {
        kind: figures - reader.figures[kind] for kind, figures in table.items() if figures - reader.figures[kind]
    }
    assert not missing, f"RULES.md promises what never stood on the board: {missing}"
    assert set(reader.catalogue["phrases"]) - reader.phrases <= RARE[game.id]


@every_game
def test_every_kind_has_a_button_of_at_most_three_words(game: Game[Any]) -> None:
    catalogue = load_catalogue(game.id)
    labels = catalogue["kinds"]
    assert set(labels) == {*game.offer.kinds, *game.offer.steps}
    assert all(1 <= len(spoken(label).split()) <= 3 for label in labels.values())
    assert len(set(labels.values())) == len(labels), "two buttons read alike"
    assert set(catalogue["figures"]) == set(game.offer.figures)
    assert all(len(pair) == 2 for pair in catalogue["now"].values())
