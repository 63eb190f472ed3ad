"""Hints for a person: the line of play that an expert would choose in their place, and the next best."""

from __future__ import annotations

import json
import sys
import threading
import time
from itertools import islice
from typing import Any

from kontor_games.engine import Game, GameState, advance

from .analysis.decision_judging import FRESH, worded
from .expert import Expert
from .expert.continuation import WON, Question
from .expert.lines import Actions
from .expert.workers import Workers
from .states import read_position

WORLDS = 24  # in which the two lines that are told are measured, if there is time
CHUNK = 4
SECONDS = 3.0


class HintThread(threading.Thread):
    """One hint; its answer is a line on standard output."""

    def __init__(self, order: dict[str, Any], workers: Workers) -> None:
        super().__init__(daemon=True, name=f"hint {order['hint']}")
        self._order = order
        self._workers = workers

    def run(self) -> None:
        """Think for a few seconds at most, and answer."""
        answer = {"hint": self._order["hint"], **compared(self._order, self._workers)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def compared(order: dict[str, Any], workers: Workers) -> dict[str, Any]:
    """The best line in this position, and the best that begins with another choice if there is one.

    Both are measured in the same fresh worlds: in the search the best of many lines is often just the luckiest, and
    those that were dropped early met other worlds.
    """
    game, state, known = read_position(order)
    question, verdicts = Expert(workers=workers).ponder(game, state, known, order["seat"], order["ply"])
    lines = question.lines
    best = verdicts[0].line
    begins = worded(game, state, lines[best], known)[0].text
    ranked = sorted(verdicts[1:], key=lambda verdict: (-verdict.worlds, -verdict.mean, verdict.line))
    others = (each.line for each in ranked if worded(game, state, lines[each.line], known)[0].text != begins)
    told = [best, *islice(others, 1)]
    worlds, totals = _measured(question, told, workers)
    found = [
        {"texts": _texts(game, state, lines[line]), "chance": (100 * total + WON * worlds // 2) // (WON * worlds)}
        for line, total in zip(told, totals, strict=True)
    ]
    return {"worlds": worlds, "lines": found}


def _measured(question: Question, told: list[int], workers: Workers) -> tuple[int, list[int]]:
    """In how many fresh worlds these lines were played on, and the sum of what each was worth there."""
    worlds, totals = 0, [0] * len(told)
    until = time.monotonic() + SECONDS
    while not worlds or (worlds < WORLDS and time.monotonic() < until):
        new = range(FRESH + worlds, FRESH + worlds + CHUNK)
        values = workers.judge(question, [(line, world) for line in told for world in new])
        for place in range(len(told)):
            totals[place] += sum(values[place * CHUNK : (place + 1) * CHUNK])
        worlds += CHUNK
    return worlds, totals


def _texts(game: Game[Any], state: GameState, actions: Actions) -> list[str]:
    texts = []
    for action in actions:
        texts.append(game.notation.say(state, action))
        state, _ = advance(game, state, action)
    return texts
