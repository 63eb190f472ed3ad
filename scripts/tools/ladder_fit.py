"""The weights by which the plan of a game foretells final points, from matches of its quick form against itself.

    scripts/bot_ladder fit --games joban --matches 160

Three players; one decision in twenty-five is any legal one, so that positions differ. Where a turn begins, the
features of all seats are noted (`prospects.features` of the plan), and what each seat scored in the end. Least squares
find the worth of each feature when no action is left, and its change with ten of them. Everything is compared with the
mean of the table, because the luck of a deal is everybody's. A quarter of the matches is kept apart: the share of the
spread of their points that is foretold is printed by the actions that were left. The same command gives the same
figures everywhere; they are put into the plan by hand.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from kontor_games import engine
from kontor_games.clients.bots.expert.continuation import turns_of
from kontor_games.clients.bots.plans.joban import prospects
from kontor_games.clients.bots.plans.joban.worth import actions_left
from kontor_games.clients.bots.skilled import Brisk
from kontor_games.clients.bots.worlds import World
from kontor_games.engine import Action, LocalMatch, allowed
from kontor_games.engine.core.stream import H, u32

NAMES = ("line", "placed", "reserve", "card", "hand (per cent)", "on turn", "next")
SEATS, ODD, RIDGE = 3, 25, 200.0
STAGES = ((0, 7), (8, 14), (15, 99))  # actions left

Vector = list[float]


class FittedMoment(NamedTuple):
    """A position: what each seat has, less the mean of the table, its score, and its points at the end, so too."""

    left: int
    rows: list[Vector]
    scores: Vector
    points: Vector


def centred(values: list[Vector]) -> list[Vector]:
    """Each column less its mean."""
    means = [sum(column) / len(values) for column in zip(*values, strict=True)]
    return [[value - mean for value, mean in zip(row, means, strict=True)] for row in values]


def moments(game: Any, number: int) -> Iterator[FittedMoment]:
    """The beginnings of turns of one match."""
    seed = H("bot-fit", u32(number), size=32)
    dice, player = random.Random(number), Brisk()  # figures are the same every time
    state: Any = None
    begun = LocalMatch(game, {}, SEATS, seed).state
    world = World(game, begun, {}, seed)
    seen: list[tuple[int, list[Vector], Vector]] = []

    def choose(state: Any, turn: int, ply: int) -> Action:
        nonlocal player
        if dice.randrange(ODD):
            return player.choose(game, state, world.faces, turn, ply)
        player = Brisk()
        return dice.choice(allowed(game, state, world.faces))

    for turn, state in turns_of(game, begun, world, choose):
        if turn is not None:
            left = min(prospects.LONG, actions_left(state, turn))
            rows = [_row(state, seat, world.faces, left) for seat in range(SEATS)]
            seen.append((left, rows, [float(player.score) for player in state.players]))
    result = game.result(state)
    if result is not None:
        points = _less_mean([float(score) for score in result.scores])
        yield from (FittedMoment(left, centred(rows), _less_mean(scores), points) for left, rows, scores in seen)


def _less_mean(values: Vector) -> Vector:
    return [row[0] for row in centred([[value] for value in values])]


def _row(state: Any, seat: int, known: Any, left: int) -> Vector:
    plain = [float(value) for value in prospects.features(state, seat, known)[1:]]  # the score counts in full
    plain[4] /= 100  # the hand is told in hundredths of a point
    return plain + [value * left / 10 for value in plain]


def solved(matrix: list[Vector], right: Vector) -> Vector:
    """The solution of linear equations, by elimination."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    size = len(right)
    for place in range(size):
        best = max(range(place, size), key=lambda number: abs(rows[number][place]))
        rows[place], rows[best] = rows[best], rows[place]
        for number in range(size):
            if number != place:
                factor = rows[number][place] / rows[place][place]
                rows[number] = [a - factor * b for a, b in zip(rows[number], rows[place], strict=True)]
    return [rows[place][size] / rows[place][place] for place in range(size)]


def fitted(found: list[FittedMoment]) -> Vector:
    """The weights with the least squares; a little ridge keeps rare features small."""
    size = 2 * len(NAMES)
    matrix = [[RIDGE * (row == column) for column in range(size)] for row in range(size)]
    right = [0.0] * size
    for moment in found:
        for row, score, points in zip(moment.rows, moment.scores, moment.points, strict=True):
            for place, value in enumerate(row):
                if value:
                    right[place] += value * (points - score)
                    matrix[place] = [old + value * other for old, other in zip(matrix[place], row, strict=True)]
    return solved(matrix, right)


def foretold(found: list[FittedMoment], weights: Vector) -> float:
    """The share of the spread of points that the weights foretell."""
    missed = spread = 0.0
    for moment in found:
        for row, score, points in zip(moment.rows, moment.scores, moment.points, strict=True):
            missed += (points - score - sum(map(float.__mul__, weights, row))) ** 2
            spread += points * points
    return 1 - missed / spread if spread else 0.0


def report(name: str, count: int) -> Iterator[str]:
    """Play so many matches; how much the weights foretell, and the weights."""
    game = engine.load(name)
    matches = [list(moments(game, number)) for number in range(count)]
    learned = [moment for number, match in enumerate(matches) if number % 4 for moment in match]
    kept = [moment for number, match in enumerate(matches) if not number % 4 for moment in match]
    weights = fitted(learned)
    for low, high in STAGES:
        part = [moment for moment in kept if low <= moment.left <= high]
        share, plain = foretold(part, weights), foretold(part, [0.0] * len(weights))
        yield f"{low} to {high} actions left: {share:.0%} foretold, {plain:.0%} by the score, in {len(part)} positions"
    weights = fitted(learned + kept)
    for place, feature in enumerate(NAMES):
        yield f"{feature}: {100 * weights[place]:.0f}, and {100 * weights[place + len(NAMES)]:.0f} for ten actions"
