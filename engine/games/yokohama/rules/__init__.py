"""The rules by phase: legality, candidates and what each action does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from kontor_games.engine.core.action import Action, Event
from kontor_games.engine.core.chance import Chance, Left
from kontor_games.engine.core.value import Known
from kontor_games.engine.games.yokohama import actions as a
from kontor_games.engine.games.yokohama import events as e
from kontor_games.engine.games.yokohama.state import (
    ACT,
    BUILD,
    FIVE,
    KEEP,
    MOVE,
    OVER,
    PHASE_A,
    PHASE_C,
    PLACE,
    RECALL,
    RECOVER,
    SETUP,
    State,
)
from kontor_games.engine.games.yokohama.tables import Tables

from . import areas, building, cards, moving, pending, phases, placing
from .draft import Draft
from .flow import answered, settle
from .legality import why_not
from .queries import FREE_STAGES, kind_of

__all__ = ["apply", "candidates", "chance", "left", "opens", "turn", "why_not"]


def turn(s: State) -> int | None:
    """The seat to decide."""
    return None if s.stage == OVER else s.active


def opens(s: State, action: Action) -> tuple[tuple[int, int], ...]:
    """A starting order is hidden until delivered, unless its owner has left."""
    if isinstance(action, a.OpenOrder) and s.desk.face(action.slot) is None:
        return ((action.slot, action.card),)
    return ()


def candidates(t: Tables, s: State, known: Known) -> list[Action]:
    """Exactly the legal actions, in a fixed order."""
    if s.queue:
        return _legal(t, s, pending.candidates(t, s))
    if s.stage == PLACE:
        found = placing.candidates(t, s)
    elif s.stage in (MOVE, RECALL):
        found = moving.candidates(t, s)
    elif s.stage in (PHASE_A, PHASE_C):
        found = phases.candidates(t, s, known)
    elif s.stage == KEEP:
        found = [a.KeepOrder(s.active, which) for which in range(len(s.me.hidden))]
    elif s.stage == ACT:
        found = _legal(t, s, (a.Done(s.active), *areas.candidates(t, s), *cards.candidates(t, s)))
    else:
        found = _legal(t, s, building.candidates(t, s))
    return [*found, *phases.free_candidates(t, s)] if s.me.techs and s.stage in FREE_STAGES else found


def _legal(t: Tables, s: State, offers: Iterable[Action]) -> list[Action]:
    return [action for action in offers if why_not(t, s, action) is None]


def _done(d: Draft, action: a.Done) -> None:
    if d.s.queue:
        pending.pop(d)
    elif d.s.stage == PLACE:
        placing.stop(d)
    elif d.s.stage == MOVE:
        moving.stop(d)
    elif d.s.stage == RECALL:
        moving.stop_recall(d)
    elif d.s.stage == ACT:
        if d.s.steps and kind_of(d.t, d.s, d.s.area).action == "take_orders":
            cards.finish_port(d)
        else:
            if not d.s.steps:
                d.say(e.ActionSkipped(d.s.active, d.board(d.s.area)))
            d.set(stage=FIVE, steps=())
    else:
        d.set(stage=RECOVER if d.s.stage == BUILD else BUILD)


def _hire(d: Draft, action: a.Hire) -> None:
    pending.hire(d, action) if d.s.queue else areas.employ(d, action)


def _recover(d: Draft, action: a.Recover) -> None:
    building.recover(d, action.leave)


_DO: dict[type[Action], Callable[[Draft, Any], None]] = {
    a.KeepOrder: phases.keep,
    a.UseAgent: phases.use_agent,
    a.Claim: phases.claim,
    a.Fulfil: phases.fulfil,
    a.OpenOrder: phases.open_order,
    a.SpinningMill: phases.mill,
    a.University: phases.university,
    a.EndPhase: phases.end_phase,
    a.Place: placing.place,
    a.Deploy: moving.deploy,
    a.Walk: moving.walk,
    a.Tram: moving.tram,
    a.ToStation: moving.to_station,
    a.Recall: moving.recall,
    a.TakeBack: moving.take_back,
    a.TakeAll: moving.take_all,
    a.Exchange: areas.exchange,
    a.Donate: areas.donate,
    a.Worship: areas.worship,
    a.Clear: areas.clear,
    a.Hire: _hire,
    a.Research: cards.research,
    a.TakeOrder: cards.take,
    a.Pay: cards.pay,
    a.TakeToken: building.take_token,
    a.BuildShop: building.build_shop,
    a.BuildHouse: building.build_house,
    a.Recover: _recover,
    a.ChooseGood: pending.choose_good,
    a.Lift: pending.lift,
    a.Drop: pending.drop,
    a.PlaceStation: pending.place_station,
    a.ChooseReward: pending.choose_reward,
    a.Done: _done,
}


def apply(t: Tables, s: State, action: Action) -> tuple[State, tuple[Event, ...]]:
    """The state after a legal action, and what happened."""
    d = Draft(t, s)
    _DO[type(action)](d, action)
    settle(d)
    return d.s, tuple(d.events)


def chance(t: Tables, s: State, answer: Chance) -> tuple[State, tuple[Event, ...]]:
    """Cards have come: go on with the task that asked for them."""
    d = Draft(t, s)
    answered(d, answer)
    return d.s, tuple(d.events)


def left(t: Tables, s: State, gone: Left) -> tuple[State, tuple[Event, ...]]:
    """Seats are gone; starting orders that nobody holds any more stay unseen."""
    d = Draft(t, s)
    held = {slot for player in s.players for slot in player.hidden}
    if s.stage != SETUP:
        d.set(desk=s.desk.forget(slot for slot, _ in s.desk.faces if slot not in held))
    for seat in gone.seats:
        d.say(e.SeatLeft(seat))
    return d.s, tuple(d.events)
