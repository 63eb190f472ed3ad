"""The first moves of three experts with a fixed budget, as JSON; needs Kontor alone, so that any Python can play it."""

from __future__ import annotations

import json
from typing import Any

from kontor_games import engine
from kontor_games.clients import bots
from kontor_games.engine import LocalMatch

KIND, PLIES, SEED = "expert:8", 28, b"expert golden"


def moves(name: str) -> list[str]:
    """The first plies of a match of three experts, in notation."""
    game = engine.load(name)
    match: LocalMatch[Any] = LocalMatch(game, {}, 3, SEED)
    players = [bots.make(KIND, SEED + bytes([seat])) for seat in range(3)]
    said: list[str] = []
    while match.turn is not None and match.ply < PLIES:
        if any(True for _ in match.settle()):
            continue
        seat = match.turn
        action = players[seat].choose(game, match.state, match.known(seat), seat, match.ply)
        said.append(f"{action.seat} {game.notation.say(match.state, action)}")
        match.play(action)
    return said


def all_moves() -> dict[str, Any]:
    """What the golden file holds."""
    return {"kind": KIND, "moves": {name: moves(name) for name in engine.game_ids()}}


if __name__ == "__main__":
    print(json.dumps(all_moves(), indent=1))
