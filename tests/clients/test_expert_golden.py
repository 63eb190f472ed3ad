"""Moves of an expert with a fixed budget are the same on every machine, Python and number of workers.

    python -m tests.clients.test_expert_golden        write tests/golden/expert.json

A better plan or a new rule changes them; then write the file anew and say so in the commit. A faster engine must not.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kontor_games import engine
from kontor_games.clients import bots
from kontor_games.engine import Action, LocalMatch
from tests.engine.playouts import steps

FILE = Path(__file__).parent.parent / "golden" / "expert.json"
KIND, PLIES, SEED = "expert:8", 16, b"expert golden"


def moves(name: str) -> list[str]:
    """The first plies of a match of three experts, in notation."""
    game = engine.load(name)
    match: LocalMatch[Any] = LocalMatch(game, {}, 3, SEED)
    players = [bots.make(KIND, SEED + bytes([seat])) for seat in range(3)]
    return [
        f"{action.seat} {game.notation.say(before, action)}"
        for before, action, _, _ in steps(match, players, PLIES)
        if isinstance(action, Action)
    ]


@pytest.mark.parametrize("name", engine.game_ids())
def test_an_expert_moves_as_it_did_elsewhere(name: str) -> None:
    golden = json.loads(FILE.read_text(encoding="utf-8"))
    assert golden["kind"] == KIND
    assert moves(name) == golden["moves"][name]


def main() -> None:
    found = {"kind": KIND, "moves": {name: moves(name) for name in engine.game_ids()}}
    FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
