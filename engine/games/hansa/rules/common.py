"""Small steps that several rules share: points, stocks, words for reasons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from kontor_games.engine.core.action import Event
from kontor_games.engine.core.reason import Reason
from kontor_games.engine.games.hansa.data import (
    ABILITIES,
    ACTIONS,
    END_POINTS,
    MARKERS,
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

NO_ACTIONS = Reason("no_actions", "you have no actions left")
HAND_FULL = Reason("hand_full", "first put down the piece in hand")


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
        return Reason("unknown_ability", "there is no ability {ability}", ability=ability)
    if state.players[seat].levels[ability] >= STEPS[ability]:
        return Reason("fully_developed", "{ability} is fully developed already", ability=ABILITIES[ability])
    return None


def why_not_post(state: State, post: int) -> str | None:
    """A post must exist on this map."""
    if 0 <= post < len(state.posts):
        return None
    return Reason("unknown_post", "this map has posts 0 to {last}, not {post}", last=len(state.posts) - 1, post=post)


def why_not_route(state: State, route: int) -> str | None:
    """A route must exist on this map."""
    last = len(state.board.routes) - 1
    if 0 <= route <= last:
        return None
    return Reason("unknown_route", "this map has routes 0 to {last}, not {route}", last=last, route=route)


def why_not_city(state: State, city: int) -> str | None:
    """A city must exist on this map."""
    last = len(state.board.cities) - 1
    if 0 <= city <= last:
        return None
    return Reason("unknown_city", "this map has cities 0 to {last}, not {city}", last=last, city=city)


def why_not_piece(piece: int) -> str | None:
    """A piece is a trader or a merchant."""
    if piece in (TRADER, MERCHANT):
        return None
    return Reason("unknown_piece", "a piece is 0 (trader) or 1 (merchant), not {piece}", piece=piece)


def why_not_marker(unused: tuple[int, ...], marker: int) -> str | None:
    """A marker must exist and lie unused in front of the player."""
    if not 0 <= marker < len(MARKERS):
        return Reason("unknown_marker", "there is no marker {marker}", marker=marker)
    if marker not in unused:
        return Reason("marker_not_unused", "you have no unused {marker}", marker=MARKERS[marker])
    return None


def supply_lacks(shape: int) -> Reason:
    """The personal supply has no such piece."""
    return Reason("supply_lacks", "your personal supply has no {piece}", piece=PIECES[shape])


def stock_holds(traders: int, merchants: int) -> Reason:
    """More is wanted than the general stock has."""
    text = "your general stock holds {traders} traders and {merchants} merchants"
    return Reason("stock_holds", text, traders=traders, merchants=merchants)


def at_post(state: State, post: int) -> dict[str, int | str]:
    """A post in a reason: as people write it, and as its route and number."""
    board = state.board
    route = board.routes[board.post_route[post]]
    number = post - route.first + 1
    return {"post": f"{route.code}:{number}", "route": route.id, "number": number}


def occupied(state: State, post: int) -> Reason:
    """Somebody stands on a post."""
    return Reason("post_occupied", "{post} is occupied", **at_post(state, post))


def place_of(state: State, post: int) -> tuple[str, int]:
    """Route id and number of a post, for events."""
    board = state.board
    route = board.routes[board.post_route[post]]
    return route.id, post - route.first + 1
