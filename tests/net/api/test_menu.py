"""A menu is the same on every machine: what it tells depends on the position alone."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from kontor_games import engine
from kontor_games.clients.text.api_words import CatalogueWording
from kontor_games.engine.core.stream import Stream
from kontor_games.net.api.matches.menu import MAX_TOLD
from kontor_games.net.api.matches.shown_local import ShownLocalMatch
from kontor_games.net.api.matches.state import state_of
from kontor_games.net.api.matches.wording import Audience, PlainWording
from kontor_games.net.record.local_match import RecordedMatch

WORDS = CatalogueWording()


class SlowWording(PlainWording):
    """Words of a machine that is busy with something else for a while."""

    def event(self, to: Audience, event: dict[str, Any]) -> str:
        time.sleep(0.002)
        return super().event(to, event)


def test_a_slow_machine_shows_the_same_menu(tmp_path: Path) -> None:
    game = engine.load("hansa")
    seats = [(f"Player {number}", "person") for number in range(5)]
    table = RecordedMatch.create(tmp_path / "match.kontor", game, {}, seats, bytes(32))
    shown = ShownLocalMatch(table, lambda _: None, lambda job: job())
    shown.go_on()
    seat = shown.to_act
    quick, slow = (state_of(shown, seat, wording)["menu"] for wording in (PlainWording(), SlowWording()))
    assert quick == slow and len(quick) > MAX_TOLD
    assert [entry["effect"] is not None for entry in slow] == [number < MAX_TOLD for number in range(len(slow))]
    table.close()


def test_whoever_ends_a_turn_with_something_left_is_asked(tmp_path: Path) -> None:
    """Yokohama: to end the turn is worth a question while there is an order to fulfil, and only then."""
    game = engine.load("yokohama")
    table = RecordedMatch.create(tmp_path / "match.kontor", game, {}, [(n, "person") for n in "ABC"], bytes(32))
    shown = ShownLocalMatch(table, lambda _: None, lambda job: job())
    shown.go_on()
    rng, asked, silent = Stream("ask"), 0, 0
    while shown.to_act is not None and not (asked and silent > 3):
        seat, state = shown.to_act, shown.draft.state
        actions = engine.legal(game, state, shown.draft.known(seat)) if shown.draft.turn == seat else []
        ending = [action for action in actions if game.offer.kind(state, (action,)) == "end"]
        if actions:  # a menu in words is dear: asked for where a turn may end
            menu = state_of(shown, seat, WORDS)["menu"] if ending else []
            shown.draft.add(seat, game.notation.say(state, (ending or actions)[rng.below(len(ending or actions))]))
            ask = state_of(shown, seat, WORDS)["draft"]["ask"] if ending else None
            if {"fulfil", "claim", "agent"} & {entry["kind"] for entry in menu}:
                assert ask and ask.endswith("End the turn all the same?")
                asked += 1
            else:
                assert ask is None
                silent += bool(ending)
        if shown.draft.must_commit:
            shown.commit()
    table.close()
    assert asked, "there was never anything left"


def test_a_menu_is_worded_once_for_each_position(tmp_path: Path) -> None:
    table = RecordedMatch.create(tmp_path / "match.kontor", engine.load("osaka"), {}, [("A", "person")] * 3, bytes(32))
    shown = ShownLocalMatch(table, lambda _: None, lambda job: job())
    shown.go_on()
    seat, wording = shown.to_act, PlainWording()
    assert seat is not None
    first = state_of(shown, seat, wording)["menu"]
    assert state_of(shown, seat, wording)["menu"] is first
    shown.draft.add(seat, first[0]["text"])
    assert state_of(shown, seat, wording)["menu"] is not first
    shown.draft.undo()
    assert state_of(shown, seat, wording)["menu"] == first
    table.close()
