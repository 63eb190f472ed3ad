"""An analysis from its first part to its last: shares the work out, stores what is done, goes on where it was."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import isqrt
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from kontor_games.engine import Action, Game, GameState, Known, allowed
from kontor_games.engine.core.stream import H
from kontor_games.engine.errors import StoreError

from ..expert.continuation import WON
from ..expert.workers import Workers
from .decision_judging import DECISION, POSITION, AnalysisTask, Judged, Worded
from .stored import MAX_ITEMS, CurvePoint, Decision, MatchKey, StoredAnalysis, load, path_of, save

CURVE = 40  # positions of the curve, at most
AT_ONCE = 6  # parts between two savings
FULFILLED = {"best": "points"}  # figures that promise something, and those that say what came of it later in the line

Progress = Callable[[int, int], None]


class SayChoice(Protocol):
    """Words for what a choice does and brings."""

    def phrase(self, details: dict[str, Any], tags: list[str]) -> str | None: ...
    def figure(self, figure: dict[str, Any]) -> str: ...


class Moment(NamedTuple):
    """A run of actions of one seat without a reveal between them, and what it knew before."""

    ply: int
    seat: int
    state: GameState
    known: Known
    actions: tuple[Action, ...]


class PlyLike(Protocol):
    @property
    def number(self) -> int: ...
    @property
    def before(self) -> GameState: ...
    @property
    def action(self) -> Any: ...


class Analysis:
    """Of one match; `plies` are the actions of its players with what each seat knew."""

    def __init__(
        self,
        file: Path,
        game: Game[Any],
        match: MatchKey,
        plies: Iterable[tuple[PlyLike, Known]],
        budget: int,
    ) -> None:
        self._path = path_of(file)
        self._moments = list(moments_of(game, plies))
        last = self._moments[-1].ply + len(self._moments[-1].actions) if self._moments else 0
        total = len(self._moments) + len(spread(self._moments))
        if total > MAX_ITEMS:
            raise StoreError(f"{file}: a match of more than {MAX_ITEMS} decisions is too long to be analysed")
        wanted = StoredAnalysis(match.id, game.id, game.rules_version, last, budget, match.end, total, match.seats)
        self.stored = load(self._path, wanted)
        self._task = AnalysisTask(game.id, game.rules_version, H("analysis-seed", match.id, size=32), budget)

    def run(self, workers: Workers, say: SayChoice, progress: Progress) -> StoredAnalysis:
        """Do what is missing; may be stopped at any moment and begun again."""
        done = {decision.ply for decision in self.stored.decisions}
        missing = [moment for moment in self._moments if moment.ply not in done]
        drawn = {point.ply for point in self.stored.curve}
        points = [(moment.state, moment.ply) for moment in spread(self._moments) if moment.ply not in drawn]
        progress(self.stored.done, self.stored.total)
        for jobs in _batches(points):
            for (_, ply), wins in zip(jobs, workers.each(POSITION, self._task, jobs, chunk=1), strict=True):
                self.stored.curve.append(_point(ply, wins, self._task.matches))
            self._save(progress)
        for moments in _batches(missing):
            for moment, judged in zip(moments, workers.each(DECISION, self._task, moments, chunk=1), strict=True):
                self.stored.decisions.append(_decision(moment, judged, say))
            self._save(progress)
        return self.stored

    def _save(self, progress: Progress) -> None:
        self.stored.curve.sort(key=lambda point: point.ply)
        self.stored.decisions.sort(key=lambda decision: decision.ply)
        save(self._path, self.stored)
        progress(self.stored.done, self.stored.total)


def spread(moments: list[Moment]) -> list[Moment]:
    """Moments for the curve, evenly over the match."""
    count = len(moments)
    return moments if count <= CURVE else [moments[number * count // CURVE] for number in range(CURVE)]


def _batches(jobs: list[Any]) -> Iterable[list[Any]]:
    return (jobs[start : start + AT_ONCE] for start in range(0, len(jobs), AT_ONCE))


def moments_of(game: Game[Any], plies: Iterable[tuple[PlyLike, Known]]) -> Iterable[Moment]:
    """The decisions of players: runs of actions, where the first left a choice."""
    current: Moment | None = None
    for ply, known in plies:
        action = ply.action
        if current and (current.seat, current.ply + len(current.actions)) == (action.seat, ply.number):
            current = current._replace(actions=(*current.actions, action))
            continue
        if current:
            yield current
        is_free = len(allowed(game, ply.before, known)) > 1
        current = Moment(ply.number, action.seat, ply.before, known, (action,)) if is_free else None
    if current:
        yield current


def _point(ply: int, wins: tuple[int, ...], count: int) -> CurvePoint:
    chances = [win // count for win in wins]
    # One win and one loss more than were seen: a chance of 0 or 100 % after twenty matches is not certain.
    errors = [isqrt((win + WON) * (count * WON + WON - win) // (count + 2) ** 2 // (count + 2)) for win in wins]
    return CurvePoint(ply, chances, errors)


def _decision(moment: Moment, judged: Judged | None, say: SayChoice) -> Decision:
    if judged is None:
        return Decision(moment.ply, moment.seat, 1, 0, [], [], 0, 0, 0, [], [])
    return Decision(
        moment.ply,
        moment.seat,
        judged.lines,
        judged.worlds,
        _said(judged.played, say),
        _said(judged.better, say),
        judged.chance,
        judged.best,
        judged.error,
        list(judged.points),
        list(judged.best_points),
        judged.rounds,
        _facts(judged.played, moment.seat, say),
        _facts(judged.better, moment.seat, say),
        list(judged.ends),
    )


def _said(choices: tuple[Worded, ...], say: SayChoice) -> list[str]:
    return [(say.phrase(choice.details, list(choice.tags)) or choice.text)[:600] for choice in choices][:40]


def _facts(choices: tuple[Worded, ...], seat: int, say: SayChoice) -> list[str]:
    """What the choices bring at once to whoever chooses, each once; what came true is not told as a promise too."""
    own = [figure for choice in choices for figure in choice.figures if figure["seat"] in (None, seat)]
    own.sort(key=lambda figure: figure["id"] != "points")  # what counts comes first
    told = {figure["id"] for figure in own}
    facts = [say.figure(figure)[:600] for figure in own if FULFILLED.get(figure["id"]) not in told]
    return list(dict.fromkeys(facts))[:40]
