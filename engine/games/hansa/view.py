"""What one seat, or a spectator, sees: the whole board, and of hidden cards only its own mission."""

from __future__ import annotations

from functools import cache
from typing import Any

from kontor_games.engine.core.value import Known

from . import state as s
from .data import (
    ABILITIES,
    BOARDS,
    COLOURS,
    FIRST_MISSION,
    MARKERS,
    MISSIONS,
    NEUTRAL,
    PERMANENTS,
    PIECES,
    PRIVILEGES,
    STEPS,
    TILES,
    VALUES,
    Board,
    City,
    Route,
)
from .elements import post_element
from .position import controller
from .scoring import breakdown, marker_count
from .state import AnyTask, State, owner_of, shape_of


@cache
def board_facts(number: int) -> dict[str, Any]:
    """The printed map: everything a client needs to draw it."""
    board = BOARDS[number]
    return {
        "id": board.id,
        "name": board.name,
        "width": board.canvas[0],
        "height": board.canvas[1],
        "office_step": board.office_step,
        "limit": board.limit,
        "east_west": [board.cities[city].code for city in board.east_west],
        "east_west_points": list(board.east_west_points),
        "regions": list(board.regions),
        "home": board.regions[board.home],
        "cities": [_city_facts(board, index, city) for index, city in enumerate(board.cities)],
        "routes": [_route_facts(board, index, route) for index, route in enumerate(board.routes)],
        "prestige": [
            {
                "target": f"prestige:{index}",
                "value": spot.value,
                "privilege": PRIVILEGES[spot.privilege],
                "x": spot.x,
                "y": spot.y,
            }
            for index, spot in enumerate(board.spots)
        ],
    }


def _city_facts(board: Board, index: int, city: City) -> dict[str, Any]:
    return {
        "target": f"city:{index}",
        "id": city.id,
        "code": city.code,
        "name": city.name,
        "x": city.x,
        "y": city.y,
        "spaces": [
            {"colour": PRIVILEGES[space.colour], "piece": PIECES[space.shape], "coin": space.coin}
            for space in city.spaces
        ],
        "abilities": [ABILITIES[ability] for ability in city.abilities],
        "regions": [board.regions[region] for region in city.regions],
        "permits": [board.regions[region] for region in city.permits],
        "green": bool(city.green),
        "special": bool(city.special),
        "east_west_end": index in board.east_west,
    }


def _route_facts(board: Board, index: int, route: Route) -> dict[str, Any]:
    return {
        "target": f"route:{index}",
        "id": route.id,
        "code": route.code,
        "a": route.a,
        "b": route.b,
        "region": board.regions[route.region],
        "sea": bool(route.sea),
        "tavern": bool(route.tavern),
        "permanent": None if route.permanent is None else PERMANENTS[route.permanent],
        "accepts_markers": bool(route.accepts),
        "marker_x": route.marker_xy[0],
        "marker_y": route.marker_xy[1],
        "posts": [
            {"target": f"post:{index}:{place}", "ship": bool(ship), "x": x, "y": y}
            for place, (ship, (x, y)) in enumerate(zip(route.ship, route.xy, strict=True))
        ],
    }


def _owner(code: int) -> int | str | None:
    """A seat, «neutral», or nobody."""
    owner = owner_of(code)
    return None if owner < 0 else "neutral" if owner == NEUTRAL else owner


def _piece(code: int) -> dict[str, Any] | None:
    return {"owner": _owner(code), "piece": PIECES[shape_of(code)]} if code else None


def _task(state: State, task: AnyTask) -> dict[str, Any]:
    """The open decision in words and numbers."""
    board = state.board
    out: dict[str, Any] = {"kind": type(task).__name__.casefold(), "by": task.by}
    match task:
        case s.Choosing(post=post, displaced=displaced):
            out |= {"post": post_element(board, post), "displaced": _piece(displaced)}
        case s.Paying(due=due) | s.Giving(due=due):
            out["due"] = due
        case s.Relocating():
            out |= {
                "route": board.routes[task.route].code,
                "piece": _piece(task.piece),
                "extra_left": task.left,
                "hand": _piece(task.hand),
            }
        case s.Moving():
            out |= {
                "why": ("action", "marker", "permanent")[task.why],
                "limit": task.limit,
                "hand": [_piece(code) for _, code in task.lifted],
                "putting": bool(task.putting),
            }
        case s.Claiming(route=route):
            out["route"] = board.routes[route].code
        case s.Using(marker=marker):
            out["marker"] = MARKERS[marker]
        case s.Bonus():
            out |= {"permanent": PERMANENTS[task.kind], "left": task.left, "hand": _piece(task.hand)}
            out["held"] = {"traders": task.held[0], "merchants": task.held[1]}
        case _:
            pass
    return out


def _mission(state: State, seat: int, viewer: int | None, known: Known) -> dict[str, Any] | None:
    """A mission card, if the viewer may see it."""
    player = state.players[seat]
    face = state.desk.face(player.mission) if player.mission >= 0 else None
    if face is None and viewer == seat:
        face = known.get(player.mission)
    if face is None:
        return None
    return {"number": face - FIRST_MISSION + 1, "cities": list(MISSIONS[face - FIRST_MISSION])}


def _player(state: State, seat: int, table: dict[str, tuple[int, ...]]) -> dict[str, Any]:
    player = state.players[seat]
    return {
        "colour": COLOURS[seat],
        "position": (seat - state.start) % state.seats,
        "score": player.score,
        "would_score": sum(points[seat] for points in table.values()),
        "personal": {"traders": player.personal[0], "merchants": player.personal[1]},
        "general": {"traders": player.general[0], "merchants": player.general[1]},
        "abilities": [
            {
                "id": ABILITIES[ability],
                "level": level,
                "steps": STEPS[ability],
                "value": PRIVILEGES[level] if ability == 2 else VALUES[ability][level],
                "values": [PRIVILEGES[worth] if ability == 2 else worth for worth in VALUES[ability]],
            }
            for ability, level in enumerate(player.levels)
        ],
        "unused": [MARKERS[marker] for marker in player.unused],
        "used": [MARKERS[marker] for marker in player.used],
        "markers": marker_count(state, seat),
        "plate": len(player.plate),
        "waiting": [MARKERS[marker] for marker in player.waiting],
        "favours": [TILES[tile] for tile in player.favours],
        "has_mission": player.mission >= 0,
        "linked": player.linked,
    }


def view(state: State, seat: int | None, known: Known) -> dict[str, Any]:
    """Plain data for clients."""
    board = state.board
    table = dict(breakdown(state))
    return {
        "board": board_facts(state.map),
        "round": state.round,
        "max_rounds": state.max_rounds,
        "start": state.start,
        "active": state.active,
        "actions_left": state.actions,
        "fresh": bool(state.fresh),
        "permits_used": [board.cities[city].code for city in state.permits],
        "task": _task(state, state.todo[0]) if state.todo else None,
        "posts": [[_piece(code) for code in state.posts[route.first : route.end]] for route in board.routes],
        "markers": [MARKERS[marker - 1] if marker else None for marker in state.markers],
        "promos": [
            {"route": promo.route, "marker": MARKERS[promo.marker], "owner": promo.owner} for promo in state.promos
        ],
        "offices": [
            {
                "extra": [_piece(code) for code in state.extras[city]],
                "row": [_piece(code) for code in state.rows[city]],
                "controller": _owner(1 + 2 * controller(state, city)),
            }
            for city in range(len(board.cities))
        ],
        "prestige": [owner - 1 if owner else None for owner in state.prestige],
        "supply": len(state.supply),
        "silver": {MARKERS[marker]: count for marker, count in enumerate(state.silver) if count},
        "removed": [MARKERS[marker] for marker in state.removed],
        "display": [TILES[tile] for tile in state.display],
        "completed": state.completed,
        "east_west_awarded": state.linked,
        "ended": state.ended,
        "players": [
            {**_player(state, each, table), "mission": _mission(state, each, seat, known)}
            for each in range(state.seats)
        ],
    }
