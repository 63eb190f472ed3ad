"""What a person reads in a menu, over matches of aimless players of every game.

Two entries of a menu differ in their phrase, no text shows a code, every kind of action has a button, targets and the
figures that RULES.md of its game promises.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from importlib import resources
from typing import Any

import pytest

from kontor_games.clients.text.phrases import Words, load_catalogue
from kontor_games.engine import CHANCE, Choice, Game, Known, LocalMatch, choices, event_dict, game_ids, load, to_act
from tests.engine.playouts import option_sets, watch

NAMES = ["Anna", "Bruno", "Clara", "Dora", "Emil"]
MANY = 200  # matches of each game in the long run
# Phrases that aimless players hardly ever meet; the tests of these games have them word by word. Hansa counts its own
# over livelier matches, and those of Joban go by the action.
RARE = {
    "osaka": {"chosen", "pass", "pay_besides", "take_own"},
    "yokohama": {
        "clear_hand",
        "go_on_move",
        "mill",
        "put_station",
        "research_free",
        "research_open",
        "reward",
        "stop_hire",
        "to_station",
        "tram",
    },
}
# Words with underscores, routes, cells, cards and places in notation, rulings, templates, lists, nothing.
CODE = re.compile(
    r"\w_\w|\b[a-z]{3}-[a-z]{3}\b|\b[a-z]{1,2}\d+\b|\b[RE]\d\d\b|\w@\w|\?\d|[{}|\[\]#]"
    r"|\d/-?\d|\(-?\d+[,)]|¥-|\bNone\b|\bseat \d|\border \d|–\."
)
GAMES = [load(game) for game in game_ids()]
every_game = pytest.mark.parametrize("game", GAMES, ids=[game.id for game in GAMES])


def spoken(text: str | None) -> str:
    """The text, if it is one that a person may read."""
    assert text and text.isprintable() and text == text.strip() and "  " not in text, repr(text)
    assert not CODE.search(text), f"a code is shown: {text}"
    return text


class Reader:
    """One who reads every text of a menu, as the seat to act and as the seat after it."""

    def __init__(self, game: Game[Any]) -> None:
        self.game = game
        self.catalogue = load_catalogue(game.id)
        self.figures: dict[str, set[str]] = defaultdict(set)
        self.phrases: set[str] = set()
        self.menus = 0

    def read(self, state: Any, known: Known) -> None:
        game = self.game
        turn = to_act(game, state)
        assert turn is not None
        found = choices(game, state, known)
        self.menus += 1
        for you in (turn, (turn + 1) % len(game.points(state))):
            words = Words(game.id, NAMES, you=you)
            asked = spoken(words.now(game.offer.now(state), turn))
            assert asked.endswith(".") and not asked[0].islower(), asked
            phrases = [self.choice(words, state, known, choice) for choice in found]
            alike = sorted({phrase for phrase in phrases if phrases.count(phrase) > 1})
            assert not alike, f"two entries of a menu read alike: {alike}"
        for kind in (*game.offer.kinds, *game.offer.steps):
            spoken(game.offer.why_none(state, kind, known) or self.catalogue["kinds"][kind])

    def choice(self, words: Words, state: Any, known: Known, choice: Choice) -> str:
        offer = self.game.offer
        kind = offer.kind(state, choice.actions)
        assert self.catalogue["kinds"][kind] and offer.targets(state, choice.actions), kind
        for events in choice.events:
            for event in events:
                spoken(words.event(event_dict(event)))
        for figure in offer.foresee(state, choice.actions, known):
            self.figures[kind].add(figure.id)
            facts = {name: getattr(figure, name) for name in figure.__struct_fields__}
            spoken(words.fill(self.catalogue["figures"][figure.id], facts))
        details = offer.details(state, choice.actions)
        self.phrases |= {details["phrase"]} if "phrase" in details else set()
        tags = [str(action.__struct_config__.tag) for action in choice.actions]
        return spoken(words.phrase(details, tags))


def tables(game: Game[Any]) -> Iterator[tuple[list[str], list[str]]]:
    """The rows of the tables of kinds in RULES.md, each with the head of its table."""
    text = resources.files("kontor_games.engine.games").joinpath(game.id, "RULES.md").read_text(encoding="utf-8")
    head: list[str] = []
    for line in text.split("## Offered")[1].split("\n## ")[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if cells and not head:
            head = cells
        elif cells and head[0].lower() in ("kind", "step") and not cells[0].startswith("--"):
            yield head, cells
        elif not cells:
            head = []


def promised(game: Game[Any]) -> dict[str, set[str]]:
    """Kind → figures that its row names; the name of another kind stands for all of that kind's."""
    found: dict[str, set[str]] = {}
    for head, cells in tables(game):
        column = next(place for place, title in enumerate(head) if title.lower().startswith("figures"))
        figures = set(re.findall(r"`(\w+)`", head[column] + cells[column]))
        for kind in re.findall(r"`(\w+)`", cells[0]):
            found[kind] = figures | found.get(kind, set())
    others = {
        kind: figures.union(*(found[each] for each in figures if each in found)) for kind, figures in found.items()
    }
    return {kind: figures & set(game.offer.figures) for kind, figures in others.items()}


def play(game: Game[Any], matches: int, every: int, plies: int) -> Reader:
    """Read matches of all numbers of seats and, in turn, of all options."""
    reader = Reader(game)
    for number in range(matches):
        seats = game.seats[number % len(game.seats)]
        options = list(option_sets(game, seats))

        def see(match: LocalMatch[Any], number: int = number) -> None:
            if match.turn is not None and match.turn != CHANCE and (match.ply + number) % every == 0:
                reader.read(match.state, match.known(match.turn))

        watch(game, options[number % len(options)], seats, b"phrases %d" % number, see, plies)
    return reader


def check_figures(reader: Reader) -> None:
    table = promised(reader.game)
    assert set(table) == {*reader.game.offer.kinds, *reader.game.offer.steps}
    surplus = {kind: seen - table[kind] for kind, seen in reader.figures.items() if seen - table[kind]}
    assert not surplus, f"RULES.md does not promise {surplus}"


@every_game
def test_entries_of_a_menu_differ_and_no_text_shows_a_code(game: Game[Any]) -> None:
    reader = play(game, 2 * len(game.seats), 7, 400)
    check_figures(reader)
    assert reader.phrases <= set(reader.catalogue["phrases"])


@pytest.mark.long
@every_game
def test_entries_differ_and_promises_are_kept_in_two_hundred_matches(game: Game[Any]) -> None:
    reader = play(game, MANY, 13, 900)
    check_figures(reader)
    print(f"{game.id}: {MANY} matches, {reader.menus} menus")
    if game.id in RARE:
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
