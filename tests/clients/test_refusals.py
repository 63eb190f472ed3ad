"""What the rules refuse is told in words: no id, no notation, no number of a seat or of a card reaches a person."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from kontor_games import engine
from kontor_games.clients.text.api_words import CatalogueWording
from kontor_games.clients.text.phrases import load_catalogue
from kontor_games.engine import LocalMatch, Reason
from kontor_games.engine.core.game import why_not
from kontor_games.engine.core.stream import Stream
from kontor_games.net.api.matches.wording import Audience, worded
from tests.engine.anything import any_action
from tests.engine.playouts import policies, steps

ENGINE = Path(engine.__file__).parent
CODE = re.compile(
    r"[a-z]{3}-[a-z]{3}\b(?!\w)"  # ham-lub
    r"|\w_\w|[{}#@]"  # swap_offices, places without values, #7
    r"|\d/-?\d"  # cells as 2/-1
    r"|\b(seat|card|task|pile|half) -?\d"
    r"|\b[rgby][235]\b"
    r"|\b[RE]\d\d\b"
    r"|-\d|\d{4}"  # bounds that only a program sends
)
MATCHES: list[tuple[str, int, dict[str, Any]]] = [
    ("hansa", 3, {"map": "base_3", "favour": True}),
    ("hansa", 2, {"map": "east"}),
    ("hansa", 4, {"map": "britannia_45"}),
    ("joban", 3, {}),
    ("osaka", 3, {}),
    ("yokohama", 3, {}),
]
WORDING = CatalogueWording()


def refusals(game: str, seats: int, options: dict[str, Any], plies: int, tries: int) -> dict[str, set[str]]:
    """Sentences by their ids: whatever a person or a program may try, in every position of a playout."""
    record = engine.load(game)
    match: LocalMatch[Any] = LocalMatch(record, options, seats, b"refused")
    chance, found = Stream(b"refusals".ljust(32, b"\0")), dict[str, set[str]]()
    names = ("Ada", "Ben", "Cleo", "Dora", "Emil")[:seats]
    for _ in steps(match, policies("random", seats, b"refusals"), plies):
        seat = match.turn
        if seat is None or seat < 0:
            continue
        to = Audience(game, names, seat)
        reasons: list[str | None] = [
            why_not(record, match.state, any_action(cls, who, chance.below))
            for cls in record.actions
            for who in (*[seat] * tries, (seat + 1) % seats)
        ]
        known = match.known(seat)
        kinds = {record.offer.kind(match.state, (action,)) for action in engine.legal(record, match.state, known)}
        reasons += [record.offer.why_none(match.state, kind, known) for kind in record.offer.kinds if kind not in kinds]
        for reason in reasons:
            if reason is not None:
                assert isinstance(reason, Reason), f"{reason!r} has no id"
                found.setdefault(reason.id, set()).add(worded(WORDING, to, reason))
    return found


@pytest.mark.parametrize(("game", "seats", "options"), MATCHES)
def test_no_refusal_names_anything_by_a_code(game: str, seats: int, options: dict[str, Any]) -> None:
    found = refusals(game, seats, options, 100, 3)
    assert len(found) > 12
    wrong = {text for texts in found.values() for text in texts if CODE.search(text)}
    assert not wrong
    assert all(text and text == text.strip() and not text.endswith(".") for texts in found.values() for text in texts)


def test_a_refusal_names_a_post_by_its_cities_and_a_card_by_its_colour() -> None:
    to = Audience("hansa", ("Ada", "Ben"), 0)
    post = Reason("post_occupied", "{post} is occupied", post="ham-lub:2", route="hamburg_lubeck", number=2)
    assert worded(WORDING, to, post) == "Hamburg–Lübeck, post 2, is occupied"
    turn = Reason("not_your_turn", "seat {turn} is to act, not seat {seat}", turn=1, seat=0)
    assert worded(WORDING, to, turn) == "it is Ben’s turn"
    cards = Reason("lay_next", "lay {cards} next", cards="r2 or g3", faces=("r2", "g3"))
    said = worded(WORDING, Audience("osaka", ("Ada", "Ben"), 0), cards)
    assert said.startswith("lay red 2, green 3 next") and isinstance(said, Reason) and said.id == "lay_next"
    cell = Reason("touches_none", "{cell} touches no shop", cell="2/-1", at=(2, -1))
    assert worded(WORDING, Audience("joban", (), 0), cell) == "the place 2 right and 1 below the middle touches no shop"
    assert worded(WORDING, to, "the match is stopped") == "the match is stopped"


@pytest.mark.parametrize("game", ["common", *engine.game_ids()])
def test_the_catalogue_words_only_refusals_that_there_are(game: str) -> None:
    folders = [ENGINE / "core", ENGINE / "games"] if game == "common" else [ENGINE / "games" / game]
    source = "\n".join(path.read_text(encoding="utf-8") for folder in folders for path in folder.rglob("*.py"))
    ids = set(re.findall(r'Reason\(\s*"(\w+)"', source))
    made = ("not_in_", "bonus_is_")  # ids that end in a word of the game's data
    own = load_catalogue(game).get("refusals", {})
    common = load_catalogue("common").get("refusals", {})
    assert {id for id in own if id not in common or game == "common"} <= ids | {id for id in own if id.startswith(made)}
