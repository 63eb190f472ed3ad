"""What the seat to act is asked, as a word for the catalogue and its values."""

from __future__ import annotations

from kontor_games.engine.core.offer import Details

from .data import DEVELOP_PRIVILEGE, GREEN_OFFICE, NEUTRAL, REUSE_2
from .rules.claim import tribute_due
from .rules.common import place_of
from .rules.markers import use_candidates
from .state import (
    MARKER,
    PERMANENT,
    AnyTask,
    Bonus,
    Choosing,
    Claiming,
    Collecting,
    Giving,
    Moving,
    Neutral,
    Paying,
    Relocating,
    Replacing,
    State,
    Using,
    owner_of,
    shape_of,
)


def now(state: State) -> Details:
    """Who is asked what, and how much is left."""
    return _task(state, state.todo[0]) if state.todo else _turn(state)


def _turn(state: State) -> Details:
    seat = state.active
    if state.actions:
        stands = any(owner_of(code) == seat for code in state.posts if code)
        words = "actions" if any(state.players[seat].personal) else "actions_no_supply" if stands else "actions_hire"
        return {"now": words, "actions": state.actions}
    return {"now": "no_actions_markers" if any(True for _ in use_candidates(state)) else "no_actions"}


def _task(state: State, task: AnyTask) -> Details:
    match task:
        case Choosing(post=post):
            route, number = place_of(state, post)
            return {"now": "choosing", "route": route, "post": number}
        case Paying(due=due):
            return {"now": "paying", "due": due}
        case Relocating():
            return _relocating(task)
        case Moving():
            return _moving(state, task)
        case Claiming(route=route_):
            return {"now": "claiming", "route": state.board.routes[route_].id}
        case Collecting():
            return {"now": "collecting", "due": tribute_due(state, task.by)}
        case Using(marker=marker):
            return {"now": "using", "marker": marker}
        case Bonus():
            return _bonus(task)
        case Neutral():
            return {"now": "neutral"}
        case Giving(due=due):
            return {"now": "giving", "due": due}
        case Replacing():
            return {"now": "replacing", "due": len(state.players[task.by].waiting)}
    return {"now": "sharing"}


def _relocating(task: Relocating) -> Details:
    if task.hand:
        return {"now": "adding", "piece": shape_of(task.hand)}
    neutral = "_neutral" if task.owner == NEUTRAL else ""
    if task.piece:
        return {"now": f"relocating{neutral}", "piece": shape_of(task.piece), "left": task.left}
    return {"now": f"may_add{neutral}", "left": task.left}


def _moving(state: State, task: Moving) -> Details:
    if not task.lifted:
        return {"now": {MARKER: "moving_others", PERMANENT: "moving_any"}[task.why], "left": task.limit}
    origin, code = task.lifted[0]
    route, number = place_of(state, origin)
    left = 0 if task.putting else task.limit - len(task.lifted)
    out: Details = {"piece": shape_of(code), "route": route, "post": number, "left": left}
    return {**out, "now": "moving" if left else "putting"}


def _bonus(task: Bonus) -> Details:
    if task.hand:
        return {"now": "adding", "piece": shape_of(task.hand)}
    words = {DEVELOP_PRIVILEGE: "bonus_privilege", GREEN_OFFICE: "bonus_office", REUSE_2: "bonus_reuse"}
    return {"now": words.get(task.kind, "bonus_place"), "left": task.left}
