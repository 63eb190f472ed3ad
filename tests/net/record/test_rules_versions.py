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

LAST: Game[Any] = osaka.GAME
NEXT = LAST.rules_version + 1
SEATS = (("Ada", "person"), ("Bob", "random"))
VERSIONS = "kontor_games.engine.games.osaka.versions"


def _no_token(state: Any, action: Action) -> str | None:
    """What the next version forbids: the action with which every match begins."""
    return "not any more" if isinstance(action, LAST.actions[0]) else LAST.why_not(state, action)


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Iterator[Game[Any]]:
    """Osaka with one more version of its rules; the newest of today stands beside it."""
    newest = replace(LAST, rules_version=NEXT, why_not=_no_token)
    older = ModuleType(VERSIONS)
    older.__spec__ = ModuleSpec(VERSIONS, None)
    older.OLDER = (LAST,)  # type: ignore[attr-defined]
    monkeypatch.setattr(osaka, "GAME", newest)
    monkeypatch.setitem(sys.modules, VERSIONS, older)
    engine.load.cache_clear()
    yield newest
    engine.load.cache_clear()


def test_the_newest_rules_are_taken_unless_a_version_is_named(later: Game[Any]) -> None:
    assert engine.load("osaka") is engine.load("osaka", NEXT) is later
    assert engine.load("osaka", LAST.rules_version) is LAST
    assert engine.rules_versions("osaka") == (LAST.rules_version, NEXT)


def test_a_version_that_is_not_here_is_refused_with_a_sentence(later: Game[Any]) -> None:
    said = f"osaka: rules version {NEXT + 1} is not known here; this program has version {NEXT - 1}, {NEXT}"
    with pytest.raises(ConfigError, match=said):
        engine.load("osaka", NEXT + 1)


def test_a_file_of_an_older_version_is_verified_by_it(tmp_path: Path, later: Game[Any]) -> None:
    path = finished(tmp_path / "a.kontor", game=LAST, seats=SEATS)
    assert verify(path).code == VERIFIED
    assert Replay(path).info()["finished"]


def test_a_file_is_not_judged_by_rules_that_it_does_not_name(tmp_path: Path, later: Game[Any]) -> None:
    path = finished(tmp_path / "a.kontor", game=LAST, seats=SEATS)
    whole = path.read_bytes()
    for rules, code in ((NEXT, REFUTED), (NEXT + 1, CANNOT_JUDGE)):
        path.write_bytes(changed_terms(whole, rules=rules))
        assert verify(path).code == code
    assert f"rules version {NEXT + 1} is not known here" in verify(path).message


def test_a_match_goes_on_under_the_rules_it_was_begun_by(tmp_path: Path, later: Game[Any]) -> None:
    path = tmp_path / "a.kontor"
    table = new_table(path, game=LAST, seats=SEATS)
    play_on(table, plies=20)
    table.close()
    table = RecordedMatch.resume(path)
    assert table.game is LAST
    play_on(table)
    table.close()
    assert verify(path).code == VERIFIED


def test_a_match_among_peers_is_played_by_the_rules_of_its_terms(later: Game[Any]) -> None:
    class Named:
        game, rules = "osaka", LAST.rules_version

    assert GameRun(Named()).game is LAST  # type: ignore[arg-type]


def test_a_golden_of_an_older_version_is_replayed_by_it(later: Game[Any]) -> None:
    stored = json.loads(golden.path_of("osaka", "tokens").read_text(encoding="utf-8"))
    assert golden.replayed(stored) == stored
    with pytest.raises(engine.KontorError):
        golden.replayed({**stored, "rules": NEXT})
