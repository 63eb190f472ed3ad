"""What is worked out about one position or one decision; pure, so that any process may do it, in any order.

*Positions*: the match is played to its end in worlds that fit what everybody knows, and the wins are counted.

*Decisions*: seen with what the seat knew at the time. The line that was played is compared with those that an expert
would look at. The best one is found in some worlds and measured against the played one in fresh worlds: a line that was
only lucky in the search would flatter itself otherwise.
"""

from __future__ import annotations

from math import isqrt
from typing import Any, NamedTuple

from msgspec.structs import asdict

from kontor_games import engine
from kontor_games.engine import Action, Game, GameState, Known, advance, public_knowledge
from kontor_games.engine.core.stream import H, u32

from ..expert.continuation import WON, Question, outlook, play_on, played, won
from ..expert.halving import Halving
from ..expert.lines import candidates
from ..expert.parcels import WorkerDuty
from ..expert.styles import style_of
from ..states import GameTypes
from ..worlds import World

FRESH = 1_000_000  # numbers of worlds that no search has met
TO_THE_END = -1


class AnalysisTask(NamedTuple):
    """What all parts of an analysis share."""

    game: str
    rules: int
    seed: bytes
    budget: int

    @property
    def matches(self) -> int:
        """How often a position is played to its end."""
        return max(8, self.budget // 5)

    @property
    def fresh(self) -> int:
        """Worlds in which the best line is measured against the one that was played."""
        return max(8, self.budget // 4)


class Worded(NamedTuple):
    """A choice as facts for its phrase, in notation, and the figures that it brings at once."""

    text: str
    tags: tuple[str, ...]
    details: dict[str, Any]
    figures: tuple[dict[str, Any], ...]


class Judged(NamedTuple):
    """A decision; chances in ten-thousandths, points in tenths, the mean over the fresh worlds."""

    lines: int
    worlds: int
    played: tuple[Worded, ...]
    better: tuple[Worded, ...]  # empty if the expert found nothing better
    chance: int
    best: int
    error: int  # standard error of the difference
    points: tuple[int, ...]
    best_points: tuple[int, ...]
    rounds: int  # after so many, at most, the continuations were judged
    ends: tuple[int, ...]  # how many were won and lost by then, after the played line and after the better one


def judge_position(task: AnalysisTask, state: GameState, ply: int) -> tuple[int, ...]:
    """The wins of each seat in continuations to the end, in ten-thousandths of one each."""
    game = engine.load(task.game, task.rules)
    known = public_knowledge(state)
    seats = len(game.points(state))
    wins = [0] * seats
    style = style_of(game.id)
    for number in range(task.matches):
        world = World(game, state, known, H("analysis", task.seed, u32(ply), u32(number), size=32))
        end = play_on(game, state, world, game.turn(state) or 0, TO_THE_END, style)
        result = game.result(end)
        for seat in range(seats):
            wins[seat] += WON // seats if result is None else won(result, seat)
    return tuple(wins)


def judge_decision(
    task: AnalysisTask, ply: int, seat: int, state: GameState, known: Known, actions: tuple[Action, ...]
) -> Judged | None:
    """What the line that was played cost; None if there was nothing to choose."""
    game = engine.load(task.game, task.rules)
    style = style_of(game.id)
    lines = candidates(game, state, known, seat, ply, style).lines
    ends = [_end(game, state, line) for line in lines]
    if _end(game, state, actions) in ends:
        mine = ends.index(_end(game, state, actions))
    else:
        mine = len(lines)
        lines.append(actions)
    if len(lines) == 1:
        return None
    question = Question(game.id, task.rules, state, known, seat, H("decision", task.seed, u32(ply), size=32), ())
    search = Halving(
        lambda jobs: [played(game, question, lines[line], number, style) for line, number in jobs],
        len(lines),
        nodes=task.budget,
    )
    best = search.run()[0].line
    worlds = range(FRESH, FRESH + task.fresh)
    own = [outlook(game, question, lines[mine], number, style) for number in worlds]
    other = own if best == mine else [outlook(game, question, lines[best], number, style) for number in worlds]
    gains = [theirs - ours for (ours, _), (theirs, _) in zip(own, other, strict=True)]
    if sum(gains) <= 0:
        best, other, gains = mine, own, [0] * len(own)
    count = len(own)
    return Judged(
        len(lines),
        count,
        worded(game, state, actions, known),
        () if best == mine else worded(game, state, lines[best], known),
        sum(chance for chance, _ in own) // count,
        sum(chance for chance, _ in other) // count,
        _error(gains),
        _mean([points for _, points in own]),
        _mean([points for _, points in other]),
        style.judged[-1],
        (*_ended(own), *_ended(other)),
    )


def _task(types: GameTypes) -> Any:
    return tuple[str, int, bytes, int]


def _moment(types: GameTypes) -> Any:
    state, action = types
    return tuple[int, int, state, dict[int, int], tuple[action, ...]]  # type: ignore[valid-type]


def _standing(types: GameTypes) -> Any:
    state = types.state
    return tuple[state, int]  # type: ignore[valid-type]


POSITION = WorkerDuty(
    "analysis.decision_judging:POSITION", judge_position, AnalysisTask, _task, _standing, tuple[int, ...]
)
DECISION = WorkerDuty("analysis.decision_judging:DECISION", judge_decision, AnalysisTask, _task, _moment, Judged | None)


def worded(game: Game[Any], state: GameState, actions: tuple[Action, ...], known: Known) -> tuple[Worded, ...]:
    """The choices of a line, each as a person would name it."""
    found = []
    path: tuple[Action, ...] = ()
    texts: list[str] = []
    start = state
    for place, action in enumerate(actions):
        path = (*path, action)
        texts.append(game.notation.say(state, action))
        state, _ = advance(game, state, action)
        if place + 1 < len(actions) and game.offer.continues(start, path, state):
            continue
        tags = tuple(str(each.__struct_config__.tag) for each in path)
        figures = tuple(asdict(figure) for figure in game.offer.foresee(start, path, known))
        found.append(Worded(" ".join(texts), tags, game.offer.details(start, path, known), figures))
        path, texts, start = (), [], state
    return tuple(found)


def _end(game: Game[Any], state: GameState, actions: tuple[Action, ...]) -> GameState:
    for action in actions:
        state, _ = advance(game, state, action)
    return state


def _ended(found: list[tuple[int, tuple[int, ...]]]) -> tuple[int, int]:
    """How many are won and lost; an evaluation is never quite certain."""
    chances = [chance for chance, _ in found]
    return chances.count(WON), chances.count(0)


def _mean(points: list[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(10 * sum(each) // len(points) for each in zip(*points, strict=True))


def _error(gains: list[int]) -> int:
    """The standard error of their mean."""
    count = len(gains)
    spread = sum(gain * gain for gain in gains) - sum(gains) ** 2 // count
    return isqrt(spread // max(1, count * (count - 1)))
