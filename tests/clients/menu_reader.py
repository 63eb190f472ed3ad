"""One who reads every text of every menu that they come to, and players who come to rare ones.

What is read: what the seat to act is asked, the phrases of its choices, the lines that a choice would add to the log,
the figures on the board, the buttons and why a button is greyed, the question before a turn is ended early; each as
the seat to act reads it and as the seat after it does.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from importlib import resources
from typing import Any, NamedTuple

from kontor_games.clients.text.api_words import CatalogueWording
from kontor_games.clients.text.phrases import Words, load_catalogue
from kontor_games.engine import Action, Choice, Event, Game, Known, choices, event_dict, to_act
from kontor_games.engine.core.offer import Figure
from kontor_games.engine.core.stream import Stream
from kontor_games.net.api.matches.wording import Audience, worded

from .test_words import goes_without_saying

NAMES = ["Anna", "Bruno", "Clara", "Dora", "Emil"]
# Words with underscores, routes, cells, cards and places in notation, rulings, templates, lists, nothing.
CODE = re.compile(
    r"\w_\w|\b[a-z]{3}-[a-z]{3}\b|\b[a-z]{1,2}\d+\b|\b[RE]\d\d\b|\w@\w|\?\d|[{}|\[\]#]"
    r"|\d/-?\d|\(-?\d+[,)]|¥-|\bNone\b|\bseat \d|\border \d|–\."
)
WORDING = CatalogueWording()
OTHERS = 4  # menus until the seat after the one to act reads the phrases, too: only an analysis shows them to it
SELDOM = 12  # times that a choice of its sort is taken before curiosity is satisfied


def spoken(text: str | None) -> str:
    """The text, if it is one that a person may read."""
    assert text and text.isprintable() and text == text.strip() and "  " not in text, repr(text)
    assert not CODE.search(text), f"a code is shown: {text}"
    return text


class Entry(NamedTuple):
    """One entry of a menu: its choice, and what is offered of it."""

    choice: Choice
    kind: str
    details: dict[str, Any]
    figures: tuple[Figure, ...]

    @property
    def phrase(self) -> str:
        """The name of its template."""
        return str(self.details.get("phrase", "+".join(_tags(self.choice))))

    @property
    def sort(self) -> tuple[str, str, frozenset[str]]:
        return self.kind, self.phrase, frozenset(figure.id for figure in self.figures)


class Reader:
    """Reads the menus of one game and keeps what occurred."""

    def __init__(self, game: Game[Any]) -> None:
        self.game = game
        self.catalogue = load_catalogue(game.id)
        self.elements = elements(game)
        self.kinds: set[str] = set()
        self.figures: dict[str, set[str]] = defaultdict(set)
        self.phrases: set[str] = set()
        self.menus = self.entries = 0
        self._spoken: set[str] = set()  # texts that were looked at before
        self._told: set[tuple[int, Event | Figure]] = set()  # what was told to a seat before
        self._last: tuple[Any, list[Entry]] | None = None

    def menu(self, state: Any, known: Known) -> list[Entry]:
        """The entries of the seat to act."""
        if self._last is None or self._last[0] is not state:
            offer = self.game.offer
            found = []
            for choice in choices(self.game, state, known):
                path = choice.actions
                details, figures = offer.details(state, path, known), offer.foresee(state, path, known)
                found.append(Entry(choice, offer.kind(state, path), details, figures))
            self._last = state, found
        return self._last[1]

    def read(self, state: Any, known: Known) -> None:
        """Every text of this menu."""
        game, turn = self.game, to_act(self.game, state)
        assert turn is not None
        found = self.menu(state, known)
        self.menus += 1
        self.entries += len(found)
        for entry in found:
            self.offered(state, entry)
        for you in (turn, (turn + 1) % len(game.points(state))):
            words = Words(game.id, NAMES, you=you)
            asked = self.spoken(words.now(game.offer.now(state), turn))
            assert asked.endswith(".") and not asked[0].islower(), asked
            phrases: set[str] = set()
            for entry in found:
                self.told(words, you, entry)
                if you != turn and self.menus % OTHERS:
                    continue
                phrase = self.spoken(words.phrase(entry.details, _tags(entry.choice)))
                assert phrase not in phrases, f"two entries of a menu read alike: {phrase}"
                phrases.add(phrase)
        self.buttons(state, known, turn, {entry.kind for entry in found})

    def offered(self, state: Any, entry: Entry) -> None:
        """A choice has a button and elements that mean it; keeps what occurred."""
        assert self.catalogue["kinds"][entry.kind], f"{entry.kind} has no button"
        self.kinds.add(entry.kind)
        self.phrases.add(entry.phrase)
        self.figures[entry.kind].update(figure.id for figure in entry.figures)
        targets = self.game.offer.targets(state, entry.choice.actions)
        assert targets, f"{entry.kind} has no target"
        for target in (*targets, *(figure.element for figure in entry.figures)):
            assert target.partition(":")[0] in self.elements, f"RULES.md does not name the element {target}"

    def told(self, words: Words, you: int, entry: Entry) -> None:
        """What stands beside a phrase: the lines that the choice would add to the log, and its figures."""
        for fact in (*(event for events in entry.choice.events for event in events), *entry.figures):
            if (you, fact) in self._told or goes_without_saying(fact):
                continue
            self._told.add((you, fact))
            if isinstance(fact, Figure):
                facts = {name: getattr(fact, name) for name in fact.__struct_fields__}
                self.spoken(words.fill(self.catalogue["figures"][fact.id], facts))
            else:
                self.spoken(words.event(event_dict(fact)))

    def buttons(self, state: Any, known: Known, turn: int, offered: set[str]) -> None:
        """The name of each kind and the question to whoever could do something else; or why there is none of it."""
        reader = Audience(self.game.id, tuple(NAMES), turn)
        for kind in (*self.game.offer.kinds, *self.game.offer.steps):
            why_none = self.game.offer.why_none(state, kind, known)
            assert (why_none is None) == (kind in offered), f"{kind}: {why_none}"
            if why_none is not None:
                self.spoken(worded(WORDING, reader, why_none))
                continue
            self.spoken(self.catalogue["kinds"][kind])
            if offered & {*self.game.offer.kinds} - {kind}:
                asked = WORDING.ask(reader, kind, self.game.offer.now(state))
                assert asked is None or self.spoken(asked).endswith("?"), asked

    def spoken(self, text: str | None) -> str:
        """The text, looked at the first time that it is met."""
        if text not in self._spoken:
            self._spoken.add(spoken(text))
        assert text is not None
        return text


class Curious:
    """Takes choices of a sort that was seldom taken so far, and plays on like somebody else where there are none."""

    def __init__(self, reader: Reader, taken: Counter[Any], usual: Any, seed: bytes) -> None:
        self._reader, self._taken, self._usual = reader, taken, usual
        self._stream = Stream("curious", seed)
        self._rest: list[Action] = []  # of the choice that was taken

    def choose(self, game: Game[Any], state: Any, known: Known, seat: int, ply: int) -> Action:
        if self._rest:
            return self._rest.pop(0)
        menu = self._reader.menu(state, known)
        least = min(self._taken[entry.sort] for entry in menu)
        if least >= SELDOM:
            action: Action = self._usual.choose(game, state, known, seat, ply)
            return action
        rare = [entry for entry in menu if self._taken[entry.sort] == least]
        chosen = rare[self._stream.below(len(rare))]
        self._taken[chosen.sort] += 1
        first, *self._rest = chosen.choice.actions
        return first


class Stubborn:
    """Always takes the first choice under the first button: this may lead to where nothing can be done any more."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._order = (*reader.game.offer.kinds, *reader.game.offer.steps)

    def choose(self, game: Game[Any], state: Any, known: Known, seat: int, ply: int) -> Action:
        menu = self._reader.menu(state, known)
        return min(menu, key=lambda entry: self._order.index(entry.kind)).choice.actions[0]


def _tags(choice: Choice) -> list[str]:
    return [str(action.__struct_config__.tag) for action in choice.actions]


def _offered(game: Game[Any]) -> str:
    """The chapter of RULES.md that says how the game is offered to people."""
    text = resources.files("kontor_games.engine.games").joinpath(game.id, "RULES.md").read_text(encoding="utf-8")
    return text.split("## Offered")[1].split("\n## ")[0]


def elements(game: Game[Any]) -> set[str]:
    """How the names of elements begin that RULES.md has."""
    return set(re.findall(r"`([a-z][a-z-]*)(?::[^`]*)?`", _offered(game)))


def tables(game: Game[Any]) -> Iterator[tuple[list[str], list[str]]]:
    """The rows of the tables of kinds in RULES.md, each with the head of its table."""
    head: list[str] = []
    for line in _offered(game).splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if cells and not head:
            head = cells
        elif cells and head[0].lower() in ("kind", "step") and not cells[0].startswith("--"):
            yield head, cells
        elif not cells:
            head = []


def promised(game: Game[Any]) -> dict[str, set[str]]:
    """Kind → the figures that its row names, no more and no less."""
    found: dict[str, set[str]] = {}
    for head, cells in tables(game):
        (column,) = (place for place, title in enumerate(head) if title.lower() == "figures")
        for kind in re.findall(r"`(\w+)`", cells[0]):
            assert kind not in found, f"RULES.md of {game.id} has {kind} twice"
            found[kind] = set(re.findall(r"`(\w+)`", cells[column]))
    named = set().union(*found.values())
    assert named == set(game.offer.figures), (
        f"figures in RULES.md or in the offer only: {named ^ {*game.offer.figures}}"
    )
    return found
