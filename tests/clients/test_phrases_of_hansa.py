"""What Hansa Teutonica says to people: every choice has a phrase of its own, and no text shows a code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from kontor_games.clients.text.api_words import CatalogueWording
from kontor_games.clients.text.phrases import Words, load_catalogue
from kontor_games.engine import CHANCE, LocalMatch, choices, to_act
from kontor_games.engine.games.hansa import GAME
from kontor_games.engine.games.hansa.data import PLUS_3
from kontor_games.engine.games.hansa.state import State
from kontor_games.net.api.matches.wording import Audience
from tests.engine.hansa.playouts import combinations, lively_policy, playout
from tests.engine.hansa.position import position, say

from .hansa_oddities import gottingen, odd_states
from .menu_reader import NAMES, Reader
from .test_phrases import check_figures

CATALOGUE = load_catalogue("hansa")
OFFER = GAME.offer


def positions(every: int, chosen: slice, rounds: int) -> Iterator[tuple[State, dict[int, int]]]:
    """Decisions of lively matches over maps and modules, and the rare ones."""
    for state in odd_states():
        yield state, {}
    for seats, options in combinations()[chosen]:
        found: list[tuple[State, dict[int, int]]] = []

        def watch(match: LocalMatch[State], events: object, found: list[Any] = found) -> None:
            if match.turn not in (None, CHANCE) and (match.ply % every == 0 or match.state.todo):
                assert match.turn is not None
                found.append((match.state, match.known(match.turn)))

        playout({**options, "max_rounds": rounds}, seats, b"phrases", [lively_policy(b"p")], watch, check=False)
        yield from found


def phrase_of(words: Words, state: State, path: Any) -> str:
    phrase = words.phrase(OFFER.details(state, path, {}), [])
    assert phrase is not None, OFFER.details(state, path, {})
    return phrase


def check_texts(every: int, chosen: slice, rounds: int) -> set[str]:
    reader = Reader(GAME)
    asked: set[str] = set()
    for state, known in positions(every, chosen, rounds):
        reader.read(state, known)
        asked.add(OFFER.now(state)["now"])
    check_figures(reader)
    return reader.phrases | asked


def test_the_entries_of_rare_menus_differ_and_no_text_shows_a_code() -> None:
    check_texts(11, slice(1, None, 9), 12)


@pytest.mark.long
def test_every_menu_of_every_combination_differs_and_shows_no_code() -> None:
    seen = check_texts(25, slice(None), 25)
    never = {name for name in CATALOGUE["phrases"] if name.endswith("_open")} | {"claim"}
    never |= {"place_price", "displace_price", "displace_neutral_price"}  # these paths go on
    unseen = {*CATALOGUE["phrases"], *CATALOGUE["now"]} - seen - never - set(load_catalogue("")["now"])
    assert not unseen, sorted(unseen)


def test_a_phrase_begins_with_a_capital_and_has_no_full_stop() -> None:
    assert all(re.fullmatch(r"[A-Z{].*[^.]", phrase) for phrase in CATALOGUE["phrases"].values())


def menu(state: State) -> list[str]:
    words = Words("hansa", NAMES, you=to_act(GAME, state))
    return [phrase_of(words, state, choice.actions) for choice in choices(GAME, state, {})]


def test_a_post_means_a_trader_or_a_merchant() -> None:
    found = menu(position())
    assert "Place a trader on Arnheim–Kampen, post 3" in found
    assert "Place a merchant on Arnheim–Kampen, post 3" in found
    assert [text for text in found if text.startswith("Hire")] == [
        "Hire one trader",
        "Hire 2 traders",
        "Hire 3 traders",
    ]
    assert "End your turn with 2 actions left" in found


def test_displacing_says_whom_with_what_and_at_what_price() -> None:
    state = position(posts={"arnheim_duisburg:0": "1t", "arnheim_duisburg:1": "2m"}, players={0: {"personal": (5, 2)}})
    assert {text for text in menu(state) if text.startswith("Displace")} == {
        "Displace Bruno’s trader from Arnheim–Duisburg, post 1, with a trader; pay one trader",
        "Displace Bruno’s trader from Arnheim–Duisburg, post 1, with a trader; pay one merchant",
        "Displace Bruno’s trader from Arnheim–Duisburg, post 1, with a merchant; pay one trader",
        "Displace Bruno’s trader from Arnheim–Duisburg, post 1, with a merchant; pay one merchant",
        "Displace Clara’s merchant from Arnheim–Duisburg, post 2, with a trader; pay 2 traders",
        "Displace Clara’s merchant from Arnheim–Duisburg, post 2, with a trader; pay one trader and one merchant",
        "Displace Clara’s merchant from Arnheim–Duisburg, post 2, with a trader; pay 2 merchants",
        "Displace Clara’s merchant from Arnheim–Duisburg, post 2, with a merchant; pay 2 traders",
        "Displace Clara’s merchant from Arnheim–Duisburg, post 2, with a merchant; pay one trader and one merchant",
    }


def test_a_claim_names_everything_that_it_may_bring() -> None:
    assert [text for text in menu(gottingen()) if text.startswith("Claim")] == [
        "Claim Göttingen–Quedlinburg: office in Göttingen with a merchant",
        "Claim Göttingen–Quedlinburg: office in Quedlinburg with a merchant",
        "Claim Göttingen–Quedlinburg: additional office in Göttingen with a trader",
        "Claim Göttingen–Quedlinburg: additional office in Göttingen with a merchant",
        "Claim Göttingen–Quedlinburg: develop the actions",
        "Claim Göttingen–Quedlinburg and take nothing else",
    ]


def test_a_displaced_player_is_told_what_to_do_and_the_others_wait() -> None:
    state = position(posts={"arnheim_duisburg:0": "1t"}, players={0: {"personal": (5, 0)}})
    state = say(state, "displace arn-dui:1")
    asked = OFFER.now(state)
    assert Words("hansa", NAMES, you=1).now(asked, 1) == (
        "Put your displaced trader on a nearby route; you may add one more piece."
    )
    assert Words("hansa", NAMES, you=0).now(asked, 1) == "Bruno decides where the displaced trader goes."
    assert "Put your displaced trader on Arnheim–Kampen, post 1" in menu(state)
    assert "Add a trader on Arnheim–Kampen, post 1" in menu(state)


def test_ending_a_turn_early_is_asked_about() -> None:
    idle = position(actions=0, players={0: {"unused": (PLUS_3,)}})
    poor = position(players={0: {"personal": (0, 0)}})
    reader = Audience("hansa", tuple(NAMES), 0)
    asked = [CatalogueWording().ask(reader, "end_turn", OFFER.now(state)) for state in (position(), poor, idle)]
    assert asked == [
        "You have 2 actions left. End the turn all the same?",
        "You have 2 actions left. End the turn all the same?",
        "You may still use a bonus marker. End the turn all the same?",
    ]


def test_a_favour_tile_names_the_markers_that_it_costs() -> None:
    state = position(display=(1,), players={0: {"unused": (2, 2, 3)}})
    assert [text for text in menu(state) if text.startswith("Give up")] == [
        "Give up this turn for the favour tile “Extra action”: turn over “Move 3 tradesmen” and “Develop 1 ability”",
        "Give up this turn for the favour tile “Extra action”: turn over “Move 3 tradesmen” and “Move 3 tradesmen”",
    ]


def test_events_speak_to_the_reader() -> None:
    words = Words("hansa", NAMES, you=0)
    hired = {"event": "Hired", "seat": 0, "traders": 1, "merchants": 0}
    assert words.event(hired) == "You hire one trader."
    assert words.event({**hired, "seat": 1, "traders": 2, "merchants": 1}) == "Bruno hires 2 traders and one merchant."
    displaced = {"event": "Displaced", "seat": 1, "owner": 0, "piece": 1, "route": "arnheim_kampen", "post": 2}
    assert words.event(displaced) == "Bruno displaces your merchant from Arnheim–Kampen, post 2."
    waits = {"event": "MarkerWaits", "seat": 0, "marker": 2}
    assert words.event(waits) == "No route can take the marker “Move 3 tradesmen”; it stays on your plate."
