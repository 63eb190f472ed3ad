"""Rules versions side by side: a file is judged, gone on with and shown under the rules that it was begun by."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from kontor_games import engine
from kontor_games.engine import Action, ConfigError, Game
from kontor_games.engine.games import osaka
from kontor_games.net.ledger.game_run import GameRun
from kontor_games.net.record.local_match import RecordedMatch
from kontor_games.net.record.replay import Replay
from kontor_games.net.record.verify import CANNOT_JUDGE, REFUTED, VERIFIED, verify
from tests import golden
from tests.net.record.test_verify import changed_terms
from tests.worlds.local_matches import finished, new_table, play_on

FIRST: Game[Any] = osaka.GAME
SEATS = (("Ada", "person"), ("Bob", "random"))
VERSIONS = "kontor_games.engine.games.osaka.versions"


def _no_token(state: Any, action: Action) -> str | None:
    """What the second version forbids: the action with which every match of the first one begins."""
    return "not any more" if isinstance(action, FIRST.actions[0]) else FIRST.why_not(state, action)


@pytest.fixture
def second(monkeypatch: pytest.MonkeyPatch) -> Iterator[Game[Any]]:
    """Osaka with a second version of its rules; the first stands beside it."""
    newest = replace(FIRST, rules_version=2, why_not=_no_token)
    older = ModuleType(VERSIONS)
    older.__spec__ = ModuleSpec(VERSIONS, None)
    older.OLDER = (FIRST,)  # type: ignore[attr-defined]
    monkeypatch.setattr(osaka, "GAME", newest)
    monkeypatch.setitem(sys.modules, VERSIONS, older)
    engine.load.cache_clear()
    yield newest
    engine.load.cache_clear()


def test_the_newest_rules_are_taken_unless_a_version_is_named(second: Game[Any]) -> None:
    assert engine.load("osaka") is engine.load("osaka", 2) is second
    assert engine.load("osaka", 1) is FIRST
    assert engine.rules_versions("osaka") == (1, 2)


def test_a_version_that_is_not_here_is_refused_with_a_sentence(second: Game[Any]) -> None:
    with pytest.raises(ConfigError, match="osaka: rules version 3 is not known here; this program has version 1, 2"):
        engine.load("osaka", 3)


def test_a_file_of_the_first_version_is_verified_by_it(tmp_path: Path, second: Game[Any]) -> None:
    path = finished(tmp_path / "a.kontor", game=FIRST, seats=SEATS)
    assert verify(path).code == VERIFIED
    assert Replay(path).info()["finished"]


def test_a_file_is_not_judged_by_rules_that_it_does_not_name(tmp_path: Path, second: Game[Any]) -> None:
    path = finished(tmp_path / "a.kontor", game=FIRST, seats=SEATS)
    whole = path.read_bytes()
    for rules, code in ((2, REFUTED), (3, CANNOT_JUDGE)):
        path.write_bytes(changed_terms(whole, rules=rules))
        assert verify(path).code == code
    assert "rules version 3 is not known here" in verify(path).message


def test_a_match_goes_on_under_the_rules_it_was_begun_by(tmp_path: Path, second: Game[Any]) -> None:
    path = tmp_path / "a.kontor"
    table = new_table(path, game=FIRST, seats=SEATS)
    play_on(table, plies=20)
    table.close()
    table = RecordedMatch.resume(path)
    assert table.game is FIRST
    play_on(table)
    table.close()
    assert verify(path).code == VERIFIED


def test_a_match_among_peers_is_played_by_the_rules_of_its_terms(second: Game[Any]) -> None:
    class Named:
        game, rules = "osaka", 1

    assert GameRun(Named()).game is FIRST  # type: ignore[arg-type]


def test_a_golden_of_the_first_version_is_replayed_by_it(second: Game[Any]) -> None:
    stored = json.loads(golden.path_of("osaka", "tokens").read_text(encoding="utf-8"))
    assert golden.replayed(stored) == stored
    with pytest.raises(engine.KontorError):
        golden.replayed({**stored, "rules": 2})
