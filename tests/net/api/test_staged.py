"""What happened, one position after the other: as the seat saw it then, and no more than it may know."""

from __future__ import annotations

from pathlib import Path

import pytest

from kontor_games import engine
from kontor_games.clients.text.api_words import CatalogueWording
from kontor_games.engine.core.stream import Stream
from kontor_games.net.api.matches.shown import MOST_STAGED
from kontor_games.net.api.matches.shown_local import ShownLocalMatch
from kontor_games.net.api.matches.staged import staged_of
from kontor_games.net.api.matches.state import state_of
from kontor_games.net.record.local_match import RecordedMatch

WORDS = CatalogueWording()


@pytest.mark.parametrize("game", engine.game_ids())
def test_every_position_is_shown_again_as_it_was(game: str, tmp_path: Path) -> None:
    seats = [(f"Player {number}", "person") for number in range(3)]
    path = tmp_path / "match.kontor"
    table = RecordedMatch.create(path, engine.load(game), {}, seats, bytes(31) + b"\x09")
    shown = ShownLocalMatch(table, lambda _: None, lambda job: job())
    shown.go_on()
    seen = {}
    rng = Stream("staged", game)
    while shown.to_act is not None and shown.ply < 100:
        for seat in (0, 1, 2, None):
            seen[shown.ply, seat] = engine.view(shown.game, shown.state, seat, shown.known(seat))
        actions = engine.allowed(shown.game, shown.state, shown.known(shown.to_act))
        shown.play([actions[rng.below(len(actions))]])
    for seat in (0, 1, 2, None):
        staged = staged_of(shown, seat, 0, WORDS)
        assert staged["cut"] and [each["ply"] for each in staged["plies"]] == list(range(shown.ply))[-MOST_STAGED:]
        compared = 0
        for each in staged["plies"]:
            if (each["ply"] + 1, seat) in seen:
                assert each["view"] == seen[each["ply"] + 1, seat], each["ply"]
                compared += 1
        assert compared > 10
        last = state_of(shown, seat, WORDS)
        assert staged["plies"][-1]["line"] == last["log"][-1] and staged["plies"][-1]["points"] == last["points"]
        few = staged_of(shown, seat, shown.ply - 3, WORDS)
        assert few["plies"] == staged["plies"][-3:] and few["cut"] is False
        earlier = staged["plies"][-4]
        assert few["before"] == {"view": earlier["view"], "points": earlier["points"]}, "and what was there before it"
        assert staged_of(shown, seat, shown.ply, WORDS) == {"before": None, "plies": [], "cut": False}
    shown.close()
    again = ShownLocalMatch(RecordedMatch.resume(path), lambda _: None, lambda job: job())
    lost = staged_of(again, 0, 0, WORDS)
    again.close()
    assert lost == {"before": None, "plies": [], "cut": True}
