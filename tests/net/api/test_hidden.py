"""What a seat is sent does not depend on cards that it may not know: exchange them, and not one byte changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kontor_games import engine
from kontor_games.clients.text.api_words import CatalogueWording
from kontor_games.engine.core.dealer import PUBLIC
from kontor_games.engine.core.stream import Stream
from kontor_games.net.api.http.feed import Feed
from kontor_games.net.api.http.router import ApiCall
from kontor_games.net.api.http.tokens import Scope
from kontor_games.net.api.matches.draft import Draft
from kontor_games.net.api.matches.menu import explain
from kontor_games.net.api.matches.shown_local import ShownLocalMatch
from kontor_games.net.api.matches.state import lines_since, state_of, summary
from kontor_games.net.api.routes.match_routes import MatchRoutes
from kontor_games.net.record.local_match import RecordedMatch

PLIES = {"hansa": 120, "joban": 120, "osaka": 120, "yokohama": 160}
WORDS = CatalogueWording()


def everything_sent(shown: ShownLocalMatch, seat: int | None) -> bytes:
    """All that the API has to say to a seat (None: a spectator) at this point."""
    settings: Any = None  # a position has nothing to do with them
    hub: Any = type("Hub", (), {"match": lambda self, _: shown, "seat": lambda self, call, c, s: seat})()
    hub.own_seat = hub.seat
    if seat == shown.to_act:
        shown._draft = Draft(shown, shown.state, shown.draft.actions)  # one that remembers no choices
    state = state_of(shown, seat, WORDS)
    told: list[Any] = [state, summary(shown), lines_since(shown, 0, WORDS)]
    if seat is not None:
        position = ApiCall(Scope(shown.id, seat), {"id": shown.id}, {})
        told.append(MatchRoutes(hub, settings).position(position))
        told += [explain(shown, shown.draft, seat, entry["text"], WORDS) for entry in state["menu"][:6]]
    return json.dumps(told, sort_keys=True).encode()


@pytest.mark.parametrize("game", engine.game_ids())
def test_exchanging_hidden_cards_of_others_changes_nothing_for_a_seat(game: str, tmp_path: Path) -> None:
    record = engine.load(game)
    seats = [(f"Player {n}", "person") for n in range(3)]
    table = RecordedMatch.create(tmp_path / "match.kontor", record, {}, seats, bytes(31) + b"\x07")
    feed = Feed(1)
    shown = ShownLocalMatch(table, lambda c: feed.add("match", c.id, lines=lines_since(c, 0, WORDS)), lambda job: job())
    shown.go_on()
    rng = Stream("hidden", game)
    exchanged = 0
    while shown.ply < PLIES.get(game, 100) and shown.to_act is not None:
        seat = shown.to_act
        if rng.below(4) == 0:
            exchanged += exchange_and_compare(shown, table, rng)
        menu = state_of(shown, seat, WORDS)["menu"]
        if menu:
            shown.draft.add(seat, menu[rng.below(len(menu))]["text"])
        if shown.draft.must_commit:
            shown.commit()
    table.close()
    assert exchanged > 20, "there was nothing hidden to exchange"


def exchange_and_compare(shown: ShownLocalMatch, table: RecordedMatch, rng: Stream) -> int:
    dealer = table.dealer
    done = 0
    for seat in (0, 1, 2, None):
        foreign = [slot for slot, holder in dealer._holder.items() if holder not in (seat, PUBLIC)]
        foreign += [slot for slot in dealer._face if slot not in dealer._holder]
        if len(foreign) < 2:
            continue
        before = everything_sent(shown, seat)
        faces = {slot: dealer._face[slot] for slot in foreign}
        shuffled = list(faces.values())[::-1]
        dealer._face.update(zip(faces, shuffled, strict=True))
        after = everything_sent(shown, seat)
        changed = list(faces.values()) != list(shuffled)
        dealer._face.update(faces)
        assert before == after, f"seat {seat} is sent something that depends on cards it may not know"
        done += changed
    return done
