"""Which elements of the board or of a desk mean a choice when clicked, and what elements are called."""

from __future__ import annotations

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.offer import Path

from . import actions as a
from .data import ABILITIES, MARKERS, NEUTRAL, PIECES, TILES, Board
from .state import Bonus, Choosing, Claiming, Relocating, State, Using


def post_element(board: Board, post: int) -> str:
    """A post: its route, and its place counted from 0."""
    route = board.post_route[post]
    return f"post:{route}:{post - board.routes[route].first}"


def along(board: Board, route: int) -> tuple[str, ...]:
    """A route with its posts."""
    found = board.routes[route]
    return (f"route:{route}", *(f"post:{route}:{place}" for place in range(found.end - found.first)))


def whole_route(board: Board, route: int) -> tuple[str, ...]:
    """A route with its posts and both cities."""
    found = board.routes[route]
    return (*along(board, route), f"city:{found.a}", f"city:{found.b}")


def targets(state: State, path: Path) -> tuple[str, ...]:
    """Every element whose click may mean the choice; it is drawn at the first."""
    return tuple(dict.fromkeys(_elements(state, path)))


def _elements(state: State, path: Path) -> tuple[str, ...]:
    board = state.board
    task = state.todo[0] if state.todo else None
    match path[0], task:
        case a.Extra(piece=piece), _:
            return (_post_of(board, path[1]) if path[1:] else _pile(state, piece),)
        case a.Choose(piece=piece), Choosing(post=post):
            return f"supply:{PIECES[piece]}", post_element(board, post)
        case a.Claim(route=route), _:
            return (*(_result(board, route, path[1]) if path[1:] else ()), *whole_route(board, route))
        case action, Claiming(route=route):
            return (*_result(board, route, action), *whole_route(board, route))
        case a.UseMarker(marker=marker), _:
            return (*(_use(path[1]) if path[1:] else ()), f"marker:{MARKERS[marker]}")
        case action, Using(marker=marker) if not isinstance(action, a.Lay):
            return (*_use(action), f"marker:{MARKERS[marker]}")
    return _single(board, path[0])


def _single(board: Board, action: Action) -> tuple[str, ...]:
    """The elements of an action that means the same wherever it comes."""
    match action:
        case a.Lay(route=route):
            return along(board, route)
        case a.PlaceMarker(marker=marker, route=route):
            return (*along(board, route), f"waiting:{MARKERS[marker]}")
        case a.NeutralOffice(route=route, city=city):
            return (*(() if city is None else (f"city:{city}",)), *whole_route(board, route))
        case a.GreenOffice(city=city):
            return (f"city:{city}",)
        case a.Choose(piece=piece) | a.Pay(piece=piece):
            return (f"supply:{PIECES[piece]}",)
        case a.Income(traders=traders, merchants=merchants) | a.Collect(traders=traders, merchants=merchants):
            return tuple(f"stock:{name}" for name, count in zip(PIECES, (traders, merchants), strict=True) if count)
        case a.Develop(ability=ability):
            return (f"ability:{ABILITIES[ability]}",)
        case a.GiveUp(marker=marker):
            return (f"marker:{MARKERS[marker]}",)
        case a.BuyFavour(tile=tile):
            return (f"favour:{TILES[tile]}",)
        case a.Done():
            return ("button:done",)
        case a.EndTurn():
            return ("button:end_turn",)
    return (_post_of(board, action),)


def _post_of(board: Board, action: Action) -> str:
    assert isinstance(action, a.Place | a.Displace | a.Settle | a.Lift | a.Put)
    return post_element(board, action.post)


def _pile(state: State, piece: int) -> str:
    """Where an additional piece comes from."""
    task = state.todo[0]
    if isinstance(task, Bonus) and any(task.held):
        return f"held:{PIECES[piece]}"
    if isinstance(task, Relocating) and task.owner == NEUTRAL:
        return f"button:add_{PIECES[piece]}"
    return f"{'stock' if any(state.players[task.by].general) else 'supply'}:{PIECES[piece]}"


def _result(board: Board, route: int, action: Action) -> tuple[str, ...]:
    """The elements of what a claim brings, besides the route."""
    match action:
        case a.Office(city=city) | a.ExtraOffice(city=city):
            return (f"city:{city}",)
        case a.Develop(ability=ability):
            found = board.routes[route]
            here = [f"city:{city}" for city in (found.a, found.b) if ability in board.cities[city].abilities]
            return (*here, f"ability:{ABILITIES[ability]}")
        case a.Prestige(space=space):
            return (f"prestige:{space}",)
    return ()


def _use(action: Action) -> tuple[str, ...]:
    """The elements of what a played marker does, besides the marker."""
    match action:
        case a.Swap(city=city, left=left):
            return f"office:{city}:{left}", f"office:{city}:{left + 1}", f"city:{city}"
        case a.Exchange(opponent=opponent, marker=marker):
            return (f"used:{opponent}:{MARKERS[marker]}",)
        case a.Develop(ability=ability):
            return (f"ability:{ABILITIES[ability]}",)
    return ()
