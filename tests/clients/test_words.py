"""Words for facts: complete for every game, and filled in as the templates say."""

from __future__ import annotations

import re
from typing import Any

import pytest

from kontor_games import engine
from kontor_games.clients.text.api_words import CatalogueWording
from kontor_games.clients.text.phrases import Words, load_catalogue, split
from kontor_games.engine import event_dict
from kontor_games.engine.games.yokohama.events import PhaseEnded
from tests.engine import toy
from tests.engine.playouts import SOME_PLIES, all_games, new_match, policies, steps

GAMES = all_games()
each_game = pytest.mark.parametrize("game", GAMES, ids=[game.id for game in GAMES])
CATALOGUE = {
    "events": {"Sold": "{seat:player} sells {n:one card|{n} cards}: {cards:card}.", "Odd": "{missing} {who:player}"},
    "names": {"card": ["red", "blue"], "city": {"7": "Lübeck"}},
    "reasons": {"end": "It is over."},
}


def catalogue(game: Any) -> dict[str, Any]:
    return toy.CATALOGUE if game.id == "toy" else load_catalogue(game.id)


def places(template: str) -> list[str]:
    """Every place in a template, nested ones included."""
    found = []
    for _, inside in split(template):
        if inside is None:
            continue
        found.append(inside)
        if "|" in inside:
            found += places(inside.partition(":")[2])
    return found


def is_worded(kind: str, words: dict[str, Any]) -> bool:
    """Whether a place of this kind can be filled with words."""
    if not kind or "|" in kind or kind in ("player", "whose", "counts") or kind.startswith("verb "):
        return True
    return kind.removeprefix("a ") in words["names"]


def goes_without_saying(event: object) -> bool:
    """The end of Yokohama's opening phase is the one fact that drafts and logs are clearer without."""
    return isinstance(event, PhaseEnded) and event.phase == "phase_a"


@each_game
def test_every_event_has_a_sentence_that_uses_only_its_fields(game: Any) -> None:
    words = catalogue(game)
    events = words.get("events", {})
    assert set(events) == {cls.__name__ for cls in game.events}
    for cls in game.events:
        for place in places(events[cls.__name__]):
            names, _, kind = place.partition(":")
            for name in names.split(","):
                assert name in cls.__struct_fields__, f"{cls.__name__} has no field {name}"
                assert kind != "counts" or name in words["counts"], f"no words for a count of {name}"
            assert is_worded(kind, words), f"no names for {kind}"


@each_game
def test_a_match_is_told_without_gaps(game: Any) -> None:
    seats = game.seats[-1]
    words = Words(game.id, [f"P{seat}" for seat in range(seats)], catalogue(game))
    for policy in ("random", "greedy"):
        match = new_match(game, {}, seats, b"words")
        for _, _, _, events in steps(match, policies(policy, seats, b"words"), SOME_PLIES):
            for event in events:
                said = words.event(event_dict(event))
                assert bool(said) != goes_without_saying(event), event
                assert said.isprintable() and not set("{}|[]") & set(said), said
        result = match.result
        if result is None:
            continue
        assert words.reason(result.reason) != result.reason
        assert all(words.category(name) in catalogue(game)["categories"].values() for name, _ in result.breakdown)


def test_templates_name_players_count_and_look_up() -> None:
    words = Words("none", ["Ada", "Bob"], CATALOGUE)
    assert words.event({"event": "Sold", "seat": 1, "n": 1, "cards": [0]}) == "Bob sells one card: red."
    assert words.event({"event": "Sold", "seat": 0, "n": 2, "cards": (0, 1)}) == "Ada sells 2 cards: red, blue."
    assert words.event({"event": "Sold", "seat": 9, "n": 0, "cards": []}) == "seat 9 sells 0 cards: –."
    assert words.fill("{city:city} {city:card} {x}", {"city": 7, "x": None}) == "Lübeck 7 –"
    assert words.fill("{cards:one|{cards:card}}", {"cards": [1, 1]}) == "blue, blue"
    assert words.fill("{who:player} win", {"who": [0, 1]}) == "Ada and Bob win"


def test_what_the_catalogue_lacks_is_spelled_out() -> None:
    words = Words("none", ["Ada"], CATALOGUE)
    assert words.event({"event": "New", "n": 3, "all": [1, 2]}) == "New: n 3, all 1, 2"
    assert words.event({"event": "Bare"}) == "Bare"
    assert words.event({"event": "Odd", "who": None}) == "{missing} –"
    assert (words.reason("end"), words.reason("other"), words.category("x")) == ("It is over.", "other", "x")
    assert Words("none", []).chance("Mixed") == "The cards are shuffled."


def test_an_unclosed_brace_is_a_mistake_in_the_catalogue() -> None:
    with pytest.raises(ValueError, match="not closed"):
        split("{seat")


@pytest.mark.parametrize("game", engine.game_ids())
def test_the_rules_are_chapters_of_paragraphs_with_addresses(game: str) -> None:
    rules = CatalogueWording().rules(game)
    assert len(rules) >= 6
    ids: list[str] = []
    for chapter in rules:
        assert set(chapter) == {"id", "title", "parts"} and chapter["title"] and chapter["parts"]
        ids += [chapter["id"], *(part["id"] for part in chapter["parts"])]
        for part in chapter["parts"]:
            assert set(part) <= {"id", "text", "list", "picture", "caption"}
            assert ("picture" in part) == ("caption" in part), part
            texts = [part["text"], *part.get("list", []), *([part["caption"]] if "caption" in part else [])]
            assert all(isinstance(text, str) and text.isprintable() and len(text) > 10 for text in texts), part
    assert len(ids) == len(set(ids)) and all(re.fullmatch(r"[a-z]+(-[a-z]+)*", each) for each in ids), ids
