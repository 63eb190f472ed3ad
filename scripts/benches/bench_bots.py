"""Figures of bots: what an expert lives from, and how long the analysis of one match takes.

An analysis is far too long for a window of a benchmark. Its three parts are timed instead, at positions all over a
match of three skilled players: finding the lines of a decision, playing a line on to its horizon, playing a position on
to the end of the match. What an analysis needs is their sum, by the numbers of the match and of the usual budget.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from itertools import cycle
from math import gcd
from pathlib import Path
from typing import Any

import bench_rounds
from bench_engine import chess_playouts

from kontor_games import engine
from kontor_games.clients import bots
from kontor_games.clients.bots.analysis import DEFAULT_BUDGET
from kontor_games.clients.bots.analysis.analysis_run import Moment, moments_of, spread
from kontor_games.clients.bots.analysis.decision_judging import TO_THE_END, AnalysisTask
from kontor_games.clients.bots.expert.continuation import Question, outlook, play_on
from kontor_games.clients.bots.expert.lines import candidates
from kontor_games.clients.bots.expert.styles import style_of
from kontor_games.clients.bots.worlds import World
from kontor_games.engine import public_knowledge
from kontor_games.engine.core.stream import H, u32
from kontor_games.net.record.bot_match import BotMatch
from kontor_games.net.record.local_match import RecordedMatch, seed_from
from kontor_games.net.record.replay import Replay

SEATS = 3


def run(rounds: int, seconds: float) -> dict[str, Any]:
    """One row per game; python-chess runs in the same rounds, so that figures of different machines can be compared."""
    games = [engine.load(game) for game in engine.game_ids()]
    contenders: dict[str, bench_rounds.Contender] = {"chess": chess_playouts()}
    found: dict[str, list[Moment]] = {}
    for game in games:
        found[game.id] = played_moments(game)
        contenders[f"lines {game.id}"] = lines(game, found[game.id])
        contenders[f"simulations {game.id}"] = simulations(game, found[game.id])
        contenders[f"ends {game.id}"] = ends(game, found[game.id])
    figures = bench_rounds.rounds(contenders, rounds, seconds)
    chess_rate = bench_rounds.middle(figures, "chess")
    return {
        "rows": [row(game, found[game.id], figures) for game in games],
        "chess moves/s": chess_rate,
        "notes": [
            f"python-chess: {chess_rate:,.0f} random moves/s in the same rounds",
            "simulations: a line of the turn, then all seats to the expert's horizon",
            "ends: positions that are played on to the end of the match",
            f"analysis: one match of {SEATS} skilled players with the usual budget; seconds of all cores together",
            f"this machine has {os.cpu_count()} cores; all rates are per CPU second of one process",
        ],
    }


def row(game: Any, moments: list[Moment], figures: list[dict[str, float]]) -> dict[str, Any]:
    """What was measured for one game, and what follows for an analysis."""
    task = AnalysisTask(game.id, game.rules_version, b"", DEFAULT_BUDGET)
    of = {name: bench_rounds.middle(figures, f"{name} {game.id}") for name in ("lines", "simulations", "ends")}
    positions = len(spread(moments))
    each = 1 / of["lines"] + (task.budget + 2 * task.fresh) / of["simulations"]
    vs = bench_rounds.ratio(figures, f"simulations {game.id}", "chess")
    return {
        "game": game.id,
        "simulations/s": of["simulations"],
        "per 1000 chess moves": {name: 1000 * value for name, value in vs.items()},
        "lines/s": of["lines"],
        "ends/s": of["ends"],
        "decisions": len(moments),
        "analysis CPU s": len(moments) * each + positions * task.matches / of["ends"],
    }


def played_moments(game: Any) -> list[Moment]:
    """The decisions of a match of skilled players."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "match.kontor"
        names = tuple((f"Bot {seat + 1}", "skilled") for seat in range(SEATS))
        table = RecordedMatch.create(path, game, {}, names, seed_from("bench"))
        play = BotMatch(table, {seat: bots.make("skilled", H("bot-seed", u32(seat), size=32)) for seat in range(SEATS)})
        while not play.is_over:
            play.advance()
        play.close()
        return list(moments_of(game, Replay(path).decisions()))


def lines(game: Any, moments: list[Moment]) -> bench_rounds.Contender:
    """How often the lines of a decision are found."""
    style = style_of(game.id)
    places = walk(moments)

    def burst() -> int:
        moment = next(places)
        candidates(game, moment.state, moment.known, moment.seat, moment.ply, style)
        return 1

    return timed(burst)


def simulations(game: Any, moments: list[Moment]) -> bench_rounds.Contender:
    """How many lines are played on, as they were played in the match, in a world each."""
    style = style_of(game.id)
    places = enumerate(walk(moments))

    def burst() -> int:
        number, moment = next(places)
        question = Question(game.id, game.rules_version, moment.state, moment.known, moment.seat, bytes(32), ())
        outlook(game, question, moment.actions, number, style)
        return 1

    return timed(burst)


def ends(game: Any, moments: list[Moment]) -> bench_rounds.Contender:
    """How many positions are played on to the end."""
    style = style_of(game.id)
    places = enumerate(walk(moments))

    def burst() -> int:
        number, moment = next(places)
        world = World(game, moment.state, public_knowledge(moment.state), H("bench", u32(number), size=32))
        play_on(game, moment.state, world, game.turn(moment.state) or 0, TO_THE_END, style)
        return 1

    return timed(burst)


def walk(moments: list[Moment]) -> Iterator[Moment]:
    """Through the match again and again, in steps that leave none out and meet every part of it early."""
    count = len(moments)
    step = next(each for each in range(count * 5 // 13 + 1, 2 * count + 2) if gcd(each, count) == 1)
    return (moments[place * step % count] for place in cycle(range(count)))


def timed(burst: Callable[[], int]) -> bench_rounds.Contender:
    return lambda seconds: bench_rounds.rate(burst, seconds)
