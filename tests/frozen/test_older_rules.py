"""Matches of an older rules version: they are judged, shown and gone on with by the rules they were begun by."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kontor_games import engine
from kontor_games.net.record.local_match import RecordedMatch
from kontor_games.net.record.replay import Replay
from kontor_games.net.record.verify import VERIFIED, verify
from tests.engine.playouts import new_match, play, policies
from tests.mutants.both import agreed
from tests.worlds.local_matches import new_table, play_on
from tests.worlds.world import World, make_terms

from .facts import FILES, LOCAL_SEATS

OLDER = [(game, rules) for game in engine.game_ids() for rules in engine.rules_versions(game)[:-1]]
LONG_AGO = {  # written under the first version, with stand-ins in them
    "hansa": "hansa-5-bye-and-votes",
    "joban": "joban-3-vote",
    "osaka": "osaka-3-bye",
    "yokohama": "yokohama-4-bye-and-vote",
}
SHORT: dict[str, dict[str, Any]] = {
    "hansa": {"max_rounds": 3},
    "osaka": {"tokens_to_end": 6},
    "yokohama": {"max_rounds": 3},
}


def test_every_game_has_an_older_version_and_a_file_of_it() -> None:
    assert {game for game, _ in OLDER} == set(LONG_AGO)


@pytest.mark.parametrize("game", sorted(LONG_AGO))
def test_both_verifiers_judge_a_file_of_the_first_version(game: str) -> None:
    path = FILES / f"{LONG_AGO[game]}.kontor"
    ours, _ = agreed(path.read_bytes(), game)
    assert ours.code == VERIFIED and ("left in order" in ours.line or "voted out" in ours.line)
    shown = Replay(path)
    assert shown.game is engine.load(game, 1) and shown.info()["finished"]
    assert shown.view(len(shown.plies), None)["result"] is not None


@pytest.mark.parametrize(("game", "rules"), OLDER)
def test_a_local_match_of_an_older_version_is_resumed_under_it(game: str, rules: int, tmp_path: Path) -> None:
    path = tmp_path / "a.kontor"
    older = engine.load(game, rules)
    table = new_table(path, "resumed", older, LOCAL_SEATS, **SHORT.get(game, {}))
    play_on(table, plies=20)
    table.close()
    table = RecordedMatch.resume(path)
    assert table.game is older
    play_on(table)
    table.close()
    assert verify(path).code == VERIFIED


@pytest.mark.parametrize(("game", "rules"), OLDER)
def test_a_match_among_peers_of_an_older_version_goes_on_after_a_restart(game: str, rules: int) -> None:
    world = World(make_terms(game, 2, rules=rules, **SHORT.get(game, {})), 2, "older")
    world.begin()
    while world.nodes[0].session.ledger.ply < 12:
        world.step()
    world.crash(1)
    world.quiet()
    world.restart(1)
    world.link(0, 1)
    while world.nodes[1].session.ledger.ply < 20:
        world.step()
    ledgers = [node.session.ledger for node in world.nodes]
    assert all(ledger.game is engine.load(game, rules) for ledger in ledgers)


@pytest.mark.parametrize(("game", "rules"), OLDER)
def test_options_that_are_gone_are_understood_where_they_belong(game: str, rules: int) -> None:
    older, newest = engine.load(game, rules), engine.load(game)
    seats = newest.seats[-1]
    full = older.check_options({}, seats)
    gone = set(full) - {option.id for option in newest.options}
    for name in gone:
        with pytest.raises(engine.ConfigError, match=f"has no option '{name}'"):
            newest.check_options({name: full[name]}, seats)
    assert gone == ({"max_dragons_per_shop"} if game == "joban" else set())


@pytest.mark.parametrize(("game", "rules"), OLDER)
def test_a_match_of_an_older_version_ends_when_all_leave(game: str, rules: int) -> None:
    older = engine.load(game, rules)
    match = new_match(older, {}, older.seats[0], b"older")
    play(match, policies("random", older.seats[0], b"older"), 30)
    match.leave(*range(older.seats[0]))
    assert play(match, []).result is not None
