"""Positions of every game and every side of a map, as a client gets them: for tests and pictures of the boards."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from kontor_games.engine import CHANCE, LocalMatch, choices, load, view
from tests.engine.playouts import choose, new_match, policies

NAMES = ("Ann", "Bertram", "Cosima", "Detlef", "Eleonore")
# name -> game, seats, options
TABLES: dict[str, tuple[str, int, dict[str, Any]]] = {
    "osaka-2": ("osaka", 2, {}),
    "osaka-4": ("osaka", 4, {}),
    "joban-2": ("joban", 2, {}),
    "joban-4": ("joban", 4, {}),
    "yokohama-2": ("yokohama", 2, {"mini_1": True, "mini_2": True}),
    "yokohama-3": ("yokohama", 3, {}),
    "yokohama-4": ("yokohama", 4, {"mini_1": True, "mini_2": True}),
    "hansa-base-3": ("hansa", 3, {}),
    "hansa-base-5": ("hansa", 5, {"favour": True, "missions": True}),
    "hansa-east": ("hansa", 4, {"map": "east"}),
    "hansa-britannia-3": ("hansa", 3, {"map": "britannia"}),
    "hansa-britannia-5": ("hansa", 5, {"map": "britannia"}),
}
USUAL = ("osaka-4", "joban-4", "yokohama-4", "hansa-base-5", "hansa-east", "hansa-britannia-5")  # the fullest boards
EACH_BOARD = [pytest.param(name, marks=() if name in USUAL else pytest.mark.long) for name in TABLES]
SEED = b"boards"


def position(match: LocalMatch[Any], names: tuple[str, ...] = NAMES) -> dict[str, Any]:
    """What a client knows about a position: the view of whoever is to act, and what that seat may choose."""
    seat = match.turn if match.turn is not None and match.turn != CHANCE else 0
    known = match.known(seat)
    seen = view(match.game, match.state, seat, known)
    found = choices(match.game, match.state, known) if match.turn == seat else []
    offer = match.game.offer
    menu = [
        {
            "targets": offer.targets(match.state, choice.actions),
            "figures": [
                {"id": each.id, "amount": each.amount, "seat": each.seat, "element": each.element, "text": each.id}
                for each in offer.foresee(match.state, choice.actions, known)
            ],
        }
        for choice in found
    ]
    return {"game": match.game.id, "view": seen, "names": names[: len(seen["players"])], "menu": menu, "seat": seat}


@cache
def positions_after(name: str, plies: tuple[int, ...]) -> tuple[dict[str, Any], ...]:
    """Positions of one match of bots after about so many plies each, at a decision of a seat or at the end."""
    game, seats, options = TABLES[name]
    match = new_match(load(game), options, seats, SEED)
    players = policies("greedy", seats, SEED)
    found = []
    for ply in plies:
        while match.turn is not None and (match.ply < ply or match.turn == CHANCE):
            if not any(True for _ in match.settle()):
                match.play(choose(match, players))
        found.append(position(match))
    return tuple(found)
