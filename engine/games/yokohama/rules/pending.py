"""Sub-decisions that rewards bring: goods, warehouse, moves, station, reward token."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kontor_games.engine.core.action import Action
from kontor_games.engine.games.yokohama import events as e
from kontor_games.engine.games.yokohama.actions import ChooseGood, ChooseReward, Done, Drop, Hire, Lift, PlaceStation
from kontor_games.engine.games.yokohama.state import NEUTRAL, NONE, State, Task
from kontor_games.engine.games.yokohama.tables import ASSISTANT, ITEMS, Tables

from . import reasons
from .draft import Draft
from .queries import is_cell, item_price, kind_of, why_not_hire

DECISIONS = ("good", "hire", "move", "station", "reward")


def is_asked(t: Tables, s: State, task: Task) -> bool:
    """Whether this sub-decision leaves anything to decide."""
    match task.what:
        case "hire":
            return any(why_not_hire(t, s.me, item) is None for item in range(len(ITEMS)))
        case "move":
            return s.me.hand[ASSISTANT] > 0 or any(s.me.placed)
        case "reward":
            return bool(s.rewards)
        case _:
            return True


def pop(d: Draft) -> None:
    d.set(queue=d.s.queue[1:])


def _used(d: Draft, **changes: int) -> None:
    """One use of the sub-decision at the head is gone."""
    task = d.s.queue[0]
    if task.a > 1:
        d.set(queue=(replace(task, a=task.a - 1, **changes), *d.s.queue[1:]))
    else:
        pop(d)


def why_not_good(t: Tables, s: State, a: ChooseGood) -> str | None:
    return None if a.good < len(t.goods) else reasons.NO_GOOD


def choose_good(d: Draft, a: ChooseGood) -> None:
    """R22: one reward is one gain of copper, whatever its parts."""
    task = d.s.queue[0]
    copper = a.good == d.t.copper
    d.gain_good(d.s.active, a.good, 1, bonus=copper and not task.b)
    _used(d, b=1 if copper or task.b else 0)


def why_not_pending_hire(t: Tables, s: State, a: Hire) -> str | None:
    return why_not_hire(t, s.me, a.item)


def hire(d: Draft, a: Hire) -> None:
    d.hire(d.s.active, a.item, item_price(d.t, d.me, a.item))
    _used(d)


def why_not_lift(t: Tables, s: State, a: Lift) -> str | None:
    if s.lifted != NEUTRAL:
        return reasons.DROP_FIRST
    if a.source == NONE:
        return None if s.me.hand[ASSISTANT] else reasons.NONE_IN_HAND
    if not is_cell(s, a.source):
        return reasons.NO_AREA
    return None if s.me.placed[a.source] else reasons.NONE_THERE


def lift(d: Draft, a: Lift) -> None:
    d.set(lifted=a.source)


def why_not_drop(t: Tables, s: State, a: Drop) -> str | None:
    """Rules 11: any other area, no fee, never the canal."""
    if s.lifted == NEUTRAL:
        return reasons.LIFT_FIRST
    if not is_cell(s, a.area):
        return reasons.NO_AREA
    if not kind_of(t, s, a.area).assistants:
        return reasons.NO_STANDING
    return reasons.THERE_ALREADY if a.area == s.lifted else None


def drop(d: Draft, a: Drop) -> None:
    seat, source = d.s.active, d.s.lifted
    if source == NONE:
        d.hand(seat, ASSISTANT, -1)
    else:
        d.put(seat, source, -1)
    d.put(seat, a.area, 1)
    d.set(lifted=NEUTRAL)
    d.say(e.AssistantMoved(seat, d.board(a.area)))
    _used(d)


def why_not_station(t: Tables, s: State, a: PlaceStation) -> str | None:
    if not is_cell(s, a.area):
        return reasons.NO_AREA
    if not kind_of(t, s, a.area).assistants and not s.switches.station_canal:
        return reasons.NO_STATION_ON_CANAL  # R10
    return None


def place_station(d: Draft, a: PlaceStation) -> None:
    d.set(station=a.area)
    d.say(e.StationPlaced(d.s.active, d.board(a.area)))
    pop(d)


def why_not_reward(t: Tables, s: State, a: ChooseReward) -> str | None:
    return None if a.token in s.rewards else reasons.NOT_OFFERED


def choose_reward(d: Draft, a: ChooseReward) -> None:
    """R26: a flag counts for pairs at once, and the token can be used as an agent."""
    seat = d.s.active
    token = d.t.reward_tokens[a.token]
    d.set(rewards=tuple(other for other in d.s.rewards if other != a.token))
    d.update(seat, reward=a.token)
    d.say(e.RewardChosen(seat, a.token))
    pop(d)
    for _ in range(token.free_agent):
        d.add_agent(seat, len(d.t.countries))
    if token.country >= 0:
        d.later(Task("pair", token.country))


def why_not_stop(t: Tables, s: State) -> str | None:
    """R28: warehouse and moves may be declined, nothing else."""
    if s.queue[0].what not in ("hire", "move"):
        return reasons.MUST_DECIDE
    return None if s.lifted == NEUTRAL else reasons.DROP_FIRST


def candidates(t: Tables, s: State) -> Iterator[Action]:
    seat = s.active
    match s.queue[0].what:
        case "good":
            for good in range(len(t.goods)):
                yield ChooseGood(seat, good)
        case "hire":
            yield Done(seat)
            for item in range(len(ITEMS)):
                yield Hire(seat, item)
        case "move":
            if s.lifted != NEUTRAL:
                for cell in range(len(s.cells)):
                    yield Drop(seat, cell)
                return
            yield Done(seat)
            yield Lift(seat, NONE)
            for cell, count in enumerate(s.me.placed):
                if count:
                    yield Lift(seat, cell)
        case "station":
            for cell in range(len(s.cells)):
                yield PlaceStation(seat, cell)
        case "reward":
            for token in s.rewards:
                yield ChooseReward(seat, token)
