"""A counter for benchmarks: two or more seats count in turn; the state can be made as large as one likes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from msgspec.structs import replace

from kontor_games import engine
from kontor_games.engine.core.action import Action, Event
from kontor_games.engine.core.chance import Chance, Desk, Left
from kontor_games.engine.core.game import Game, GameState, Option, Result
from kontor_games.engine.core.notation import Notation

GAME_ID = "counter"


class State(GameState, frozen=True):
    seats: int
    count: int
    goal: int
    pad: tuple[tuple[int, int, int], ...]


class Count(Action, tag="count", frozen=True):
    """One more."""


class Counted(Event, tag="counted", frozen=True):
    seat: int


def setup(options: dict[str, Any], seats: int, entropy: bytes) -> State:
    state = State(Desk(), seats, 0, options["goal"], tuple((i, i * 7, 1000 + i) for i in range(options["pad"])))
    if options["cards"]:
        desk, _ = state.desk.mix(faces=range(options["cards"]))
        state = replace(state, desk=desk)
    return state


def turn(state: State) -> int | None:
    return None if state.count >= state.goal else state.count % state.seats


def apply(state: State, action: Action) -> tuple[State, tuple[Event, ...]]:
    return replace(state, count=state.count + 1), (Counted(action.seat),)


def chance(state: State, answer: Chance) -> tuple[State, tuple[Event, ...]]:
    return state, ()


def left(state: State, gone: Left) -> tuple[State, tuple[Event, ...]]:
    return state, ()


def result(state: State) -> Result | None:
    if state.count < state.goal:
        return None
    each = (0,) * state.seats
    return Result("goal", tuple(range(state.seats)), each, (1,) * state.seats, ())


GAME: Game[State] = Game(
    id=GAME_ID,
    title="Counter",
    rules_version=1,
    data_digest=bytes(32),
    seats=(2, 3, 4, 5),
    options=(
        Option("goal", 1000, (), "How far to count."),
        Option("pad", 0, (), "How many triples of numbers the state carries along."),
        Option("cards", 0, (), "How many cards are shuffled at the start."),
    ),
    actions=(Count,),
    events=(Counted,),
    notation=Notation({Count: "count"}, {}),
    faces=tuple(map(str, range(256))),
    setup=setup,
    turn=turn,
    why_not=lambda state, action: None,
    candidates=lambda state, known: (Count(state.count % state.seats),),
    apply=apply,
    chance=chance,
    left=left,
    stand_in=lambda state: Count(state.count % state.seats),
    result=result,
    view=lambda state, seat, known: {"count": state.count},
    evaluate=lambda state, seat, known: 0,
    exact=True,
)


def install() -> None:
    """Make `engine.load` know the counter, in this process alone."""
    real = engine.load

    def load(game: str, rules: int | None = None) -> Game[Any]:
        return GAME if game == GAME_ID else real(game, rules)

    engine.load = load  # type: ignore[assignment]
