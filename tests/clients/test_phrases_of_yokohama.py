"""Every text that Yokohama shows: over matches of aimless players nothing is missing, alike in a menu, or a code."""

from __future__ import annotations

import re
from typing import Any

import pytest

from kontor_games.clients.text.phrases import Words, load_catalogue
from kontor_games.engine import CHANCE, Choice, LocalMatch, choices, event_dict, load
from tests.engine.playouts import watch

GAME = load("yokohama")
OFFER = GAME.offer
CATALOGUE = load_catalogue("yokohama")
PLAYERS = ["Anna", "Bruno", "Clara", "Dora"]
CODE = re.compile(
    r"\b[a-z]+_\w|\b[a-z]{3}-[a-z]{3}\b|\b[a-z]\d+\b|\w@\w|\bNone\b|\?\d|[{}|\[\]#]|\bseat \d|¥-|\border \d"
)
# seldom met by aimless players; tests/engine/yokohama/test_offer_yokohama.py has them word by word
RARE = {
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
}


def spoken(text: str | None) -> str:
    """The text, if it is one that a person may read."""
    assert text, "there are no words"
    assert text.isprintable() and text == text.strip() and "  " not in text, repr(text)
    assert not CODE.search(text), f"a code is shown: {text}"
    return text


class Reader:
    """One who reads all that is said in a match, as the seat to act and as the seat after it."""

    def __init__(self) -> None:
        self.phrases: set[str] = set()

    def read(self, match: LocalMatch[Any]) -> None:
        turn = match.turn
        if turn is None or turn == CHANCE:
            return
        state, known = match.state, match.known(turn)
        found = choices(GAME, state, known)
        for you in (turn, (turn + 1) % len(GAME.points(state))):
            words = Words(GAME.id, PLAYERS, you=you)
            spoken(words.now(OFFER.now(state), turn))
            said = [self._choice(words, state, choice) for choice in found]
            alike = [text for text in said if said.count(text) > 1]
            assert not alike, f"{state.stage}: {alike}"
            for choice in found:
                for figure in OFFER.foresee(state, choice.actions, known):
                    values = {"amount": figure.amount, "seat": figure.seat}
                    spoken(words.fill(CATALOGUE["figures"][figure.id], values))
        for kind in OFFER.kinds:
            reason = OFFER.why_none(state, kind, known)
            assert reason is None or spoken(reason)

    def _choice(self, words: Words, state: Any, choice: Choice) -> str:
        for events in choice.events:
            for event in events:
                spoken(words.event(event_dict(event)))
        details = OFFER.details(state, choice.actions)
        self.phrases.add(details["phrase"])
        return spoken(words.phrase(details, []))


def test_entries_of_a_menu_differ_and_no_text_is_missing_or_a_code() -> None:
    reader = Reader()
    for seats in GAME.seats:
        watch(GAME, {"mini_1": True, "mini_2": True}, seats, b"phrases", reader.read, 300)
    assert reader.phrases <= set(CATALOGUE["phrases"])


@pytest.mark.long
def test_entries_differ_and_every_phrase_is_needed_in_many_matches() -> None:
    reader = Reader()
    for number in range(4):
        for seats in GAME.seats:
            watch(GAME, {"mini_1": bool(number % 2), "mini_2": True}, seats, b"many %d" % number, reader.read, 700)
    assert set(CATALOGUE["phrases"]) - reader.phrases <= RARE


def test_every_button_and_figure_has_words() -> None:
    assert set(CATALOGUE["kinds"]) == {*OFFER.kinds, *OFFER.steps}
    assert all(len(spoken(label).split()) <= 3 for label in CATALOGUE["kinds"].values())
    assert len(set(CATALOGUE["kinds"].values())) == len(CATALOGUE["kinds"])
    assert set(CATALOGUE["figures"]) == set(OFFER.figures)


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ({"event": "AgentGained", "seat": 0, "country": 0}, "You gain an American agent."),
        ({"event": "AgentGained", "seat": 1, "country": 2}, "Bruno gains a British agent."),
        ({"event": "FeePaid", "seat": 1, "to": 0, "yen": 1}, "Bruno pays ¥1 to you."),
        ({"event": "PresidentMoved", "seat": 0, "how": "walk", "area": 8}, "Your president walks to the Bank."),
        ({"event": "PresidentMoved", "seat": 1, "how": "tram", "area": 15},
         "Bruno's president rides the tram to Port A."),
        ({"event": "Gained", "seat": 0, "count": 2, "what": "import"}, "You gain 2 imports."),
        ({"event": "Spent", "seat": 1, "count": 1, "what": "silk"}, "Bruno pays one silk."),
        ({"event": "OrderTaken", "seat": 0, "card": 20}, "You take the British order (3 tea, 2 fish)."),
        ({"event": "RewardChosen", "seat": 0, "token": 2}, "You take the token with the British flag."),
        ({"event": "Scored", "seat": 0, "points": 1, "category": "achievements"},
         "You score one point for an achievement."),
        ({"event": "TurnBegan", "seat": 0, "round": 3}, "Round 3: You begin a turn."),
    ],
)  # fmt: skip
def test_events_say_you_to_the_reader_and_name_things_as_people_do(event: dict[str, Any], said: str) -> None:
    assert Words(GAME.id, PLAYERS, you=0).event(event) == said
