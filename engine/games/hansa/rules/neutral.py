"""The neutral player of matches of two: routes full of its traders (section 19)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.reason import Reason
from kontor_games.engine.games.hansa.actions import NeutralOffice
from kontor_games.engine.games.hansa.data import NEUTRAL_TRADER
from kontor_games.engine.games.hansa.events import (
    MarkerRemoved,
    NeutralOfficeFounded,
    NeutralPlaced,
    NeutralRouteCleared,
)
from kontor_games.engine.games.hansa.position import has_free_space, neutral_routes
from kontor_games.engine.games.hansa.state import Moving, Neutral, State, pop, push, put_post

from .claim import draw_replacement, pay_controllers
from .common import Log, place_of, why_not_city, why_not_route
from .office import PRINTED, establish


def interrupt(state: State) -> State:
    """A full neutral route comes before everything but the end of a simultaneous move."""
    if state.todo and isinstance(state.todo[0], (Neutral, Moving)):
        return state
    return push(state, Neutral(state.active)) if neutral_routes(state) else state


def _open_ends(state: State, route: int) -> list[int]:
    found = state.board.routes[route]
    return [city for city in (found.a, found.b) if has_free_space(state, city)]


def why_not_neutral(state: State, task: Neutral, action: NeutralOffice) -> str | None:
    reason = why_not_route(state, action.route)
    if reason:
        return reason
    if action.route not in neutral_routes(state):
        route = state.board.routes[action.route]
        return Reason("route_not_neutral", "{code} is not full of neutral traders", code=route.code, route=route.id)
    ends = _open_ends(state, action.route)
    if action.city is None:
        return Reason("choose_neutral_city", "a city with a free printed space must be chosen") if ends else None
    reason = why_not_city(state, action.city)
    if reason:
        return reason
    if action.city not in ends:
        text = "{city} is not an end of this route with a free printed space"
        return Reason("not_a_free_end", text, city=state.board.cities[action.city].name)
    return None


def apply_neutral(state: State, task: Neutral, action: NeutralOffice, log: Log) -> State:
    route = state.board.routes[action.route]
    state = pay_controllers(pop(state), action.route, log)
    marker = state.markers[action.route]
    if marker:
        log.append(MarkerRemoved(task.by, marker - 1))
        state = replace(state, removed=(*state.removed, marker - 1))
        state = draw_replacement(state, task.by, action.route, log)
    posts = state.posts[: route.first] + bytes(route.end - route.first) + state.posts[route.end :]
    state = replace(state, posts=posts)
    if action.city is None:
        log.append(NeutralRouteCleared(task.by, route.id))
        return state
    log.append(NeutralOfficeFounded(task.by, route.id, state.board.cities[action.city].id))
    return establish(state, action.city, NEUTRAL_TRADER, PRINTED, log)


def candidates(state: State, task: Neutral) -> Iterator[Action]:
    for route in neutral_routes(state):
        ends: list[int | None] = [*_open_ends(state, route)]
        for city in ends or [None]:
            yield NeutralOffice(task.by, route, city)


def attract(state: State, route: int, log: Log) -> State:
    """A neutral trader goes onto the first fitting post of a route that just got a marker (R34)."""
    found = state.board.routes[route]
    for post in range(found.first, found.end):
        if not state.posts[post] and not state.board.post_ship[post]:
            log.append(NeutralPlaced(*place_of(state, post)))
            return put_post(state, post, NEUTRAL_TRADER)
    return state
