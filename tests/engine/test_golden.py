"""Goldens: matches that must go exactly as they went when the rules were settled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kontor_games.engine import game_ids, rules_versions
from tests import golden

from .playouts import all_games

GAMES = [*game_ids(), "toy"]
SETTLED = [game for game in GAMES if golden.is_settled(game)]
LISTED = [(game, ending) for game in SETTLED for ending in golden.endings(game)[0]]
ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("game", GAMES)
def test_every_reason_to_end_has_a_golden(game: str) -> None:
    if game not in SETTLED:
        pytest.xfail(f"the endings of {game} are not recorded yet: python -m tests.golden record {game}")
    listed, reasons = golden.endings(game)
    assert listed, f"tests/engine/{game}/endings.py lists no ending"
    assert {name for name, *_ in listed} == set(reasons)
    stored = {path.stem for path in (golden.FOLDER / game).glob("*.json")}
    assert stored == set(reasons), f"run: python -m tests.golden record {game}"
    from kontor_games.clients.text.phrases import load_catalogue

    worded = set(load_catalogue(game).get("reasons", {})) if game != "toy" else set(reasons.values())
    assert worded == set(reasons.values()), "each reason in the catalogue needs a golden, and each golden a word"


@pytest.mark.parametrize(("game", "ending"), LISTED, ids=[f"{game}-{ending[0]}" for game, ending in LISTED])
def test_the_match_goes_as_it_went(game: str, ending: golden.Ending) -> None:
    name, options, seats, seed_hex, policy = ending
    stored = json.loads(golden.path_of(game, name).read_text(encoding="utf-8"))
    played = golden.play_ending(golden.load_game(game), options, seats, seed_hex, policy)
    assert played["rules"] == stored["rules"], "another rules version needs new goldens"
    for number, (now, then) in enumerate(zip(played["plies"], stored["plies"], strict=False)):
        assert now == then, f"ply {number} differs"
    assert played == stored
    assert stored["result"]["reason"] == golden.endings(game)[1][name]


@pytest.mark.parametrize("path", golden.of_older_rules(), ids=lambda path: "-".join(path.parts[-3:]))
def test_older_rules_are_what_they_were(path: Path) -> None:
    stored = json.loads(path.read_text(encoding="utf-8"))
    assert path.parts[-3:-1] == (stored["game"], f"v{stored['rules']}")
    assert golden.replayed(stored) == stored


def test_each_older_version_of_the_rules_has_goldens() -> None:
    stored = {path.parts[-3:-1] for path in golden.of_older_rules()}
    assert stored == {(game, f"v{rules}") for game in game_ids() for rules in rules_versions(game)[:-1]}


@pytest.mark.parametrize("game", [game for game in all_games() if game.id in SETTLED], ids=SETTLED)
def test_the_numbers_of_legal_actions_are_what_they_were(game: Any) -> None:
    stored = json.loads((golden.FOLDER / "counts.json").read_text(encoding="utf-8"))
    assert golden.counts(game) == stored[game.id], "if the rules changed on purpose: python -m tests.golden counts"


CHILD = """
import json
from kontor_games.engine import digest
from tests.engine.playouts import all_games, new_match, policies, steps
for game in all_games():
    for policy, plies in (("random", 250), ("greedy", 50)):
        seats = game.seats[-1]
        match = new_match(game, {}, seats, b"hash")
        line = [digest(after).hex() for _, _, after, _ in steps(match, policies(policy, seats, b"hash"), plies)]
        print(game.id, policy, *line, json.dumps(game.view(match.state, 0, match.known(0))))
"""


def test_processes_with_different_hash_seeds_agree_on_every_digest() -> None:
    outputs = set()
    for seed in ("0", "1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run(
            [sys.executable, "-c", CHILD], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        )
        outputs.add(run.stdout)
    assert len(outputs) == 1 and len(outputs.pop().splitlines()) == 2 * len(GAMES)
