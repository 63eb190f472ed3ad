"""The only home of legality: when each action may come, and the rule that forbids it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kontor_games.engine.core.action import Action
from kontor_games.engine.games.yokohama import actions as a
from kontor_games.engine.games.yokohama.state import (
    ACT,
    BUILD,
    FIVE,
    KEEP,
    MOVE,
    NONE,
    PHASE_A,
    PHASE_C,
    PLACE,
    RECALL,
    RECOVER,
    State,
)
from kontor_games.engine.games.yokohama.tables import Tables

from . import areas, building, cards, moving, pending, phases, placing, queries, reasons

WhyNot = Callable[[Tables, State, Any], str | None]

_PENDING = {
    "good": reasons.GOOD_FIRST,
    "hire": reasons.HIRE_FIRST,
    "move": reasons.MOVE_FIRST,
    "station": reasons.STATION_FIRST,
    "reward": reasons.REWARD_FIRST,
}
_STAGE = {
    KEEP: reasons.KEEP_NOW,
    PHASE_A: reasons.BEFORE_MAIN,
    PLACE: reasons.PLACE_NOW,
    MOVE: reasons.MOVE_NOW,
    RECALL: reasons.TAKE_BACK_NOW,
    ACT: reasons.ACT_NOW,
    FIVE: reasons.TOKEN_NOW,
    BUILD: reasons.BUILD_NOW,
    RECOVER: reasons.RECOVER_NOW,
    PHASE_C: reasons.AFTER_MAIN,
}


def _done(t: Tables, s: State, action: a.Done) -> str | None:
    if s.queue:
        return pending.why_not_stop(t, s)
    if s.stage == PLACE:
        return placing.why_not_stop(t, s)
    if s.stage == MOVE:
        return moving.why_not_stop(t, s)
    if s.stage == ACT:
        if s.card != NONE or s.extra:
            return reasons.PAY_CHOSEN
        if s.steps and queries.kind_of(t, s, s.area).action == "church":
            return reasons.DONATED
    return None


def _hire(t: Tables, s: State, action: a.Hire) -> str | None:
    return pending.why_not_pending_hire(t, s, action) if s.queue else areas.why_not_employ(t, s, action)


def _token(t: Tables, s: State, action: a.TakeToken) -> str | None:
    return None if building.has_token(t, s) else reasons.NO_TOKEN


def _house(t: Tables, s: State, action: a.BuildHouse) -> str | None:
    return queries.why_not_house(s)


def _free(t: Tables, s: State, action: Action) -> str | None:
    return None


def _mill(t: Tables, s: State, action: Action) -> str | None:
    return queries.why_not_mill(t, s)


def _university(t: Tables, s: State, action: Action) -> str | None:
    return queries.why_not_university(t, s)


_BOTH = (PHASE_A, PHASE_C)
# action -> stages in which it may come, sub-decisions it answers, the rule
RULES: dict[type[Action], tuple[tuple[str, ...], tuple[str, ...], WhyNot]] = {
    a.KeepOrder: ((KEEP,), (), phases.why_not_keep),
    a.UseAgent: (_BOTH, (), phases.why_not_agent),
    a.Claim: (_BOTH, (), phases.why_not_claim),
    a.Fulfil: (_BOTH, (), phases.why_not_fulfil),
    a.OpenOrder: (_BOTH, (), phases.why_not_open),
    a.SpinningMill: (queries.FREE_STAGES, (), _mill),
    a.University: (queries.FREE_STAGES, (), _university),
    a.EndPhase: (_BOTH, (), _free),
    a.Place: ((PLACE,), (), placing.why_not_place),
    a.Deploy: ((MOVE,), (), moving.why_not_deploy),
    a.Walk: ((MOVE,), (), moving.why_not_walk),
    a.Tram: ((MOVE,), (), moving.why_not_tram),
    a.ToStation: ((MOVE,), (), moving.why_not_to_station),
    a.Recall: ((MOVE,), (), moving.why_not_recall),
    a.TakeBack: ((RECALL,), (), moving.why_not_take_back),
    a.TakeAll: ((RECALL,), (), moving.why_not_take_all),
    a.Exchange: ((ACT,), (), areas.why_not_exchange),
    a.Donate: ((ACT,), (), areas.why_not_donate),
    a.Worship: ((ACT,), (), areas.why_not_worship),
    a.Clear: ((ACT,), (), areas.why_not_clear),
    a.Hire: ((ACT,), ("hire",), _hire),
    a.Research: ((ACT,), (), cards.why_not_research),
    a.TakeOrder: ((ACT,), (), cards.why_not_take),
    a.Pay: ((ACT,), (), cards.why_not_pay),
    a.TakeToken: ((FIVE,), (), _token),
    a.BuildShop: ((BUILD,), (), building.why_not_shop),
    a.BuildHouse: ((BUILD,), (), _house),
    a.Recover: ((RECOVER,), (), building.why_not_recover),
    a.ChooseGood: ((), ("good",), pending.why_not_good),
    a.Lift: ((), ("move",), pending.why_not_lift),
    a.Drop: ((), ("move",), pending.why_not_drop),
    a.PlaceStation: ((), ("station",), pending.why_not_station),
    a.ChooseReward: ((), ("reward",), pending.why_not_reward),
    a.Done: ((PLACE, MOVE, RECALL, ACT, FIVE, BUILD), ("hire", "move"), _done),
}


def why_not(t: Tables, s: State, action: Action) -> str | None:
    """The rule that forbids this action of the active player, or None."""
    rule = RULES.get(type(action))
    if rule is None:
        return reasons.NO_ACTION
    stages, answers, judge = rule
    if s.queue:
        if s.queue[0].what not in answers:
            return _PENDING.get(s.queue[0].what, reasons.SOMETHING_FIRST)
    elif s.stage not in stages:
        return _STAGE.get(s.stage, reasons.NOT_NOW)
    return judge(t, s, action)
