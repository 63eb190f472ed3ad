"""Words for everything that Merchants of Osaka offers, over random matches: complete, different, and free of codes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from kontor_games.clients.text.phrases import Words, load_catalogue
from kontor_games.engine import CHANCE, Choice, GameState, LocalMatch, choices, event_dict, load
from tests.engine.playouts import option_sets, policies, steps, watch

GAME = load("osaka")
OFFER = GAME.offer
CATALOGUE = load_catalogue("osaka")
NAMES = ["Anna", "Bruno", "Clara", "Dora"]
CODE = re.compile(r"[a-z]+_[a-z]+|\b[a-z]{3}-[a-z]{3}\b|\b[rbyg][235]\b|@\d|\bNone\b|\?\d|[{}|\[\]]|\bseat \d")
SPARE = {"chosen", "pass", "pay_besides", "take_own"}  # so rare that no match of the test needs them


def tags(choice: Choice) -> list[str]:
    return [str(action.__struct_config__.tag) for action in choice.actions]


def phrase(words: Words, state: GameState, choice: Choice) -> str:
    said = words.phrase(OFFER.details(state, choice.actions), tags(choice))
    assert said is not None, f"no phrase for {OFFER.details(state, choice.actions)}"
    return said


def is_plain(said: str) -> bool:
    return bool(said) and said.isprintable() and CODE.search(said) is None


def check_menu(match: LocalMatch[Any], met: set[str]) -> None:
    """Every text that whoever decides, and whoever looks on, would see here."""
    seat, state = match.turn, match.state
    assert seat is not None
    you, others = Words("osaka", NAMES, you=seat), Words("osaka", NAMES)
    found = choices(GAME, state, match.known(seat))
    said = [phrase(you, state, choice) for choice in found]
    assert len(set(said)) == len(said), f"two entries read alike: {sorted(said)}"
    met.update(OFFER.details(state, choice.actions)["phrase"] for choice in found)
    texts = list(said)
    for words in (you, others):
        asked = words.now(OFFER.now(state), seat)
        assert asked is not None and asked.endswith(".") and asked[0].isupper(), OFFER.now(state)
        texts.append(asked)
    for choice in found:
        for figure in OFFER.foresee(state, choice.actions, match.known(seat)):
            facts = {name: getattr(figure, name) for name in figure.__struct_fields__}
            texts.append(you.fill(CATALOGUE["figures"][figure.id], facts))
    for kind in (*OFFER.kinds, *OFFER.steps):
        texts.append(str(OFFER.why_none(state, kind, match.known(seat)) or CATALOGUE["kinds"][kind]))
    assert all(map(is_plain, texts)), [text for text in texts if not is_plain(text)]


def looker(met: set[str], every: int) -> Callable[[LocalMatch[Any]], None]:
    def look(match: LocalMatch[Any]) -> None:
        if match.turn is not None and match.turn != CHANCE and match.ply % every == 0:
            check_menu(match, met)

    return look


def test_entries_of_a_menu_differ_and_no_text_shows_a_code() -> None:
    met: set[str] = set()
    for number, options in enumerate(option_sets(GAME, 3)):
        watch(GAME, options, 2 + number % 3, b"phrases %d" % number, looker(met, 3), 300)
    assert met >= set(CATALOGUE["phrases"]) - SPARE, sorted(set(CATALOGUE["phrases"]) - met)


@pytest.mark.long
@pytest.mark.parametrize("seats", GAME.seats)
def test_entries_of_a_menu_differ_in_long_matches(seats: int) -> None:
    met: set[str] = set()
    for number in range(14):  # with the options about 100 matches for each number of seats
        for options in list(option_sets(GAME, seats))[:: 1 + number % 2]:
            watch(GAME, options, seats, b"long %d" % number, looker(met, 3), 400)
    assert met <= set(CATALOGUE["phrases"])


def test_every_kind_figure_and_sentence_has_words() -> None:
    assert set(CATALOGUE["kinds"]) == {*OFFER.kinds, *OFFER.steps}
    assert set(CATALOGUE["figures"]) == set(OFFER.figures)
    assert all(len(label.split()) <= 3 for label in CATALOGUE["kinds"].values())
    assert all(len(pair) == 2 for pair in CATALOGUE["now"].values())


@pytest.mark.parametrize("policy", ["random", "greedy"])
def test_a_match_is_told_to_its_players_without_codes(policy: str) -> None:
    match = LocalMatch(GAME, {}, 3, b"told")
    for _, _, _, events in steps(match, policies(policy, 3, b"told"), 400):
        for event in events:
            for you in (None, 0):
                said = Words("osaka", NAMES, you=you).event(event_dict(event))
                assert is_plain(said) and said.endswith(".") and not said[0].islower(), said
                assert not re.search(r"\b[Yy]ou (takes|lays|buys|gets|sells|gains|loses|is|has)\b", said), said
