"""Small steps that several rules share: points, stocks, words for reasons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from kontor_games.engine.core.action import Event
from kontor_games.engine.games.hansa.data import (
    ABILITIES,
    ACTIONS,
    END_POINTS,
    MERCHANT,
    PIECES,
    RELEASES,
    STEPS,
    TRADER,
    VALUES,
)
from kontor_games.engine.games.hansa.events import Developed, EndTriggered, Paid
from kontor_games.engine.games.hansa.state import State, add, change

Log = list[Event]
Rule = tuple[Callable[[State, Any, Any], str | None], Callable[[State, Any, Any, Log], State]]


def trigger_end(state: State, reason: str, log: Log) -> State:
    """Remember the first trigger; the running action is finished first (section 22)."""
    if state.ended:
        return state
    log.append(EndTriggered(reason))
    return replace(state, ended=reason)


def gain(state: State, seat: int, points: int, log: Log) -> State:
    """Points on the prestige track; twenty end the game."""
    score = state.players[seat].score + points
    state = change(state, seat, score=score)
    return trigger_end(state, "points", log) if score >= END_POINTS else state


def hire(state: State, seat: int, traders: int, merchants: int) -> State:
    """General stock -> personal supply."""
    player = state.players[seat]
    return change(
        state,
        seat,
        general=(player.general[0] - traders, player.general[1] - merchants),
        personal=(player.personal[0] + traders, player.personal[1] + merchants),
    )


def dismiss(state: State, seat: int, traders: int, merchants: int, log: Log) -> State:
    """Personal supply -> general stock: a toll."""
    log.append(Paid(seat, traders, merchants))
    return hire(state, seat, -traders, -merchants)


def develop(state: State, seat: int, ability: int, log: Log) -> State:
    """One step on a track: the piece is released, and more actions count at once (E3 b)."""
    player = state.players[seat]
    level = player.levels[ability] + 1
    levels = bytes((*player.levels[:ability], level, *player.levels[ability + 1 :]))
    state = change(state, seat, levels=levels, personal=add(player.personal, RELEASES[ability]))
    if ability == ACTIONS:
        more = VALUES[ACTIONS][level] - VALUES[ACTIONS][level - 1]
        state = replace(state, actions=state.actions + more)
    log.append(Developed(seat, ability, level))
    return state


def why_not_develop(state: State, seat: int, ability: int) -> str | None:
    """A track must exist and not be at its end."""
    if not 0 <= ability < len(ABILITIES):
        return f"there is no ability {ability}"
    if state.players[seat].levels[ability] >= STEPS[ability]:
        return f"{ABILITIES[ability]} is fully developed already"
    return None


def why_not_post(state: State, post: int) -> str | None:
    """A post must exist on this map."""
    return None if 0 <= post < len(state.posts) else f"this map has posts 0 to {len(state.posts) - 1}, not {post}"


def why_not_route(state: State, route: int) -> str | None:
    """A route must exist on this map."""
    routes = state.board.routes
    return None if 0 <= route < len(routes) else f"this map has routes 0 to {len(routes) - 1}, not {route}"


def why_not_city(state: State, city: int) -> str | None:
    """A city must exist on this map."""
    cities = state.board.cities
    return None if 0 <= city < len(cities) else f"this map has cities 0 to {len(cities) - 1}, not {city}"


def why_not_piece(piece: int) -> str | None:
    """A piece is a trader or a merchant."""
    return None if piece in (TRADER, MERCHANT) else f"a piece is 0 (trader) or 1 (merchant), not {piece}"


def post_name(state: State, post: int) -> str:
    """A post as people write it."""
    board = state.board
    route = board.routes[board.post_route[post]]
    return f"{route.code}:{post - route.first + 1}"


def place_of(state: State, post: int) -> tuple[str, int]:
    """Route id and number of a post, for events."""
    board = state.board
    route = board.routes[board.post_route[post]]
    return route.id, post - route.first + 1


def a_piece(shape: int) -> str:
    """«a trader», «a merchant»."""
    return f"a {PIECES[shape]}"
