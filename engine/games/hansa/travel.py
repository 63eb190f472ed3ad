"""What moves where when something happens, for clients that show it (elements: RULES.md, «Offered»).

A displaced piece waits at `desk:<seat>:hand` until it is put down again. Pieces that a claim takes off its route leave
together with what the claim brings, as they do on the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from kontor_games.engine.core.action import Event
from kontor_games.engine.core.offer import Travel

from . import events as e
from .data import ABILITIES, BOARDS, EXCHANGE_MARKER, MARKERS, MERCHANT, PIECES, RELEASES, REUSE_2, TILES, TRADER
from .elements import post_element
from .position import neutral_routes, owns_route
from .rules.office import ADDITIONAL, GREEN
from .state import Bonus, Claiming, Relocating, State, owner_of, piece_code, shape_of

SUPPLY_OF_MARKERS = "deck:markers"


def travels(state: State, event: Event) -> tuple[Travel, ...]:
    """The travels of one event; `state` is the one before the action it belongs to."""
    return (*_pieces(state, event), *_office(state, event), *_markers(state, event), *_points(state, event))


@cache
def _numbers(board: int) -> tuple[dict[str, int], dict[str, int]]:
    """Cities and routes by id."""
    found = BOARDS[board]
    cities = {city.id: number for number, city in enumerate(found.cities)}
    return cities, {route.id: number for number, route in enumerate(found.routes)}


def _city(state: State, city: str) -> str:
    return f"city:{_numbers(state.map)[0][city]}"


def _route(state: State, route: str) -> str:
    return f"route:{_numbers(state.map)[1][route]}"


def _post(state: State, route: str, post: int) -> str:
    return f"post:{_numbers(state.map)[1][route]}:{post - 1}"


def _some(traders: int, merchants: int, source: str, goal: str, seat: int) -> Iterator[Travel]:
    """Pieces of both shapes, as far as there are any."""
    for name, count in zip(PIECES, (traders, merchants), strict=True):
        if count:
            yield Travel(name, source, goal, seat, count)


def _pieces(state: State, event: Event) -> Iterator[Travel]:
    """Pieces between stocks and posts."""
    match event:
        case (
            e.Hired(seat=seat, traders=traders, merchants=merchants)
            | e.TributeTaken(seat=seat, traders=traders, merchants=merchants)
        ):
            yield from _some(traders, merchants, f"desk:{seat}:stock", f"desk:{seat}:supply", seat)
        case e.Paid(seat=seat, traders=traders, merchants=merchants):
            yield from _some(traders, merchants, f"desk:{seat}:supply", f"desk:{seat}:stock", seat)
        case e.Placed(seat=seat, piece=piece, route=route, post=post):
            yield Travel(PIECES[piece], f"desk:{seat}:supply", _post(state, route, post), seat)
        case e.Displaced(owner=owner, piece=piece, route=route, post=post):
            yield Travel(PIECES[piece], _post(state, route, post), f"desk:{owner}:hand", owner)
        case e.NeutralDisplaced(seat=seat, route=route, post=post):
            yield Travel("trader", _post(state, route, post), f"desk:{1 - seat}:hand")
        case e.Relocated(seat=seat, piece=piece, route=route, post=post):
            yield Travel(PIECES[piece], f"desk:{seat}:hand", _post(state, route, post), seat)
        case e.NeutralRelocated(seat=seat, route=route, post=post):
            yield Travel("trader", _neutral_source(state, seat), _post(state, route, post))
        case e.ExtraPlaced(seat=seat, piece=piece, route=route, post=post):
            yield Travel(PIECES[piece], _extra_source(state, seat), _post(state, route, post), seat)
        case e.Moved(owner=owner, piece=piece, source=source, source_post=origin, route=route, post=post):
            yield Travel(PIECES[piece], _post(state, source, origin), _post(state, route, post), owner)
        case e.NeutralMoved(source=source, source_post=origin, route=route, post=post):
            yield Travel("trader", _post(state, source, origin), _post(state, route, post))
        case e.NeutralPlaced(route=route, post=post):
            yield Travel("trader", "", _post(state, route, post))


def _extra_source(state: State, seat: int) -> str:
    """Where the piece in hand came from: a post, the claimed route, or the stock as long as there is one."""
    task = state.todo[0] if state.todo else None
    if isinstance(task, Relocating | Bonus):
        if task.origin >= 0:
            return post_element(state.board, task.origin)
        if isinstance(task, Bonus) and task.kind == REUSE_2:
            return f"desk:{seat}:held"
    return f"desk:{seat}:{'stock' if any(state.players[seat].general) else 'supply'}"


def _neutral_source(state: State, seat: int) -> str:
    """The displaced neutral trader was in hand; an additional one comes from outside."""
    task = state.todo[0] if state.todo else None
    return "" if isinstance(task, Relocating) and task.hand else f"desk:{seat}:hand"


def _office(state: State, event: Event) -> Iterator[Travel]:
    """What a claim brings, and the pieces that leave its route."""
    match event:
        case e.OfficeFounded(seat=seat, piece=piece, city=city, kind=kind) if kind == GREEN:
            yield Travel(PIECES[piece], f"desk:{seat}:supply", _city(state, city), seat)
        case e.OfficeFounded(seat=seat, piece=piece, city=city, kind=kind):
            if kind == ADDITIONAL:
                yield Travel("marker:extra_office", f"desk:{seat}:markers", f"desk:{seat}:used", seat)
            yield Travel(PIECES[piece], _claimed(state), _city(state, city), seat)
            yield from _leaving(state, seat, piece)
        case e.PrestigeTaken(seat=seat, value=value):
            space = next(number for number, spot in enumerate(state.board.spots) if spot.value == value)
            yield Travel("merchant", _claimed(state), f"prestige:{space}", seat)
            yield from _leaving(state, seat, MERCHANT)
        case e.Developed(seat=seat, ability=ability):
            yield Travel(PIECES[RELEASES[ability]], f"desk:{seat}:{ABILITIES[ability]}", f"desk:{seat}:supply", seat)
            yield from _leaving(state, seat, None)
        case e.NothingTaken(seat=seat):
            yield from _leaving(state, seat, None)
        case e.NeutralOfficeFounded(route=route, city=city):
            yield Travel("trader", _route(state, route), _city(state, city))
        case e.NeutralRouteCleared(route=route):
            found = state.board.routes[_numbers(state.map)[1][route]]
            yield Travel("trader", _route(state, route), "", None, found.end - found.first)
        case e.OfficesSwapped(city=city, left=left):
            number = _numbers(state.map)[0][city]
            for here, there in ((left - 1, left), (left, left - 1)):
                code = state.rows[number][here]
                owner = owner_of(code) if owner_of(code) < state.seats else None
                yield Travel(PIECES[shape_of(code)], f"office:{number}:{here}", f"office:{number}:{there}", owner)


def _claimed(state: State) -> str:
    """The route whose claim is being finished."""
    task = state.todo[0] if state.todo else None
    return f"route:{task.route}" if isinstance(task, Claiming) else ""


def _leaving(state: State, seat: int, used: int | None) -> Iterator[Travel]:
    """The pieces that go from a claimed route to the stock, or wait beside the board."""
    task = state.todo[0] if state.todo else None
    if not isinstance(task, Claiming):
        return
    route = state.board.routes[task.route]
    line = state.posts[route.first : route.end]
    rest = [line.count(piece_code(seat, shape)) - (shape == used) for shape in (TRADER, MERCHANT)]
    goal = "held" if route.permanent == REUSE_2 else "stock"
    yield from _some(rest[0], rest[1], f"route:{task.route}", f"desk:{seat}:{goal}", seat)


def _markers(state: State, event: Event) -> Iterator[Travel]:
    """Bonus markers and favour tiles."""
    match event:
        case e.MarkerTaken(seat=seat, marker=marker):
            yield Travel(_name(marker), _lying_at(state, seat, marker), f"desk:{seat}:markers", seat)
        case e.MarkerDrawn(seat=seat):
            yield Travel("marker", SUPPLY_OF_MARKERS, f"desk:{seat}:plate", seat)
        case e.MarkerUsed(seat=seat, marker=marker) if marker < EXCHANGE_MARKER:  # the others leave with their choice
            yield Travel(_name(marker), f"desk:{seat}:markers", f"desk:{seat}:used", seat)
        case e.MarkerGivenUp(seat=seat, marker=marker):
            yield Travel(_name(marker), f"desk:{seat}:markers", f"desk:{seat}:used", seat)
        case e.MarkersExchanged(seat=seat, opponent=opponent, marker=marker):
            yield Travel(_name(marker), f"desk:{opponent}:used", f"desk:{seat}:markers", seat)
            yield Travel(_name(EXCHANGE_MARKER), f"desk:{seat}:markers", f"desk:{opponent}:used", opponent)
        case e.MarkerLaid(seat=seat, marker=marker, route=route):
            yield Travel(_name(marker), f"desk:{seat}:markers", _route(state, route), seat)
            yield Travel("trader", f"desk:{seat}:supply", _route(state, route), seat)
        case e.PlateTurned(seat=seat, markers=markers):
            for marker in markers:
                yield Travel(_name(marker), f"desk:{seat}:plate", f"desk:{seat}:waiting", seat)
        case e.MarkerPlaced(seat=seat, marker=marker, route=route):
            yield Travel(_name(marker), f"desk:{seat}:waiting", _route(state, route), seat)
        case e.MarkerRemoved(marker=marker):
            full = [route for route in neutral_routes(state) if state.markers[route] == 1 + marker]
            yield Travel(_name(marker), f"route:{full[0]}" if full else SUPPLY_OF_MARKERS, "")
        case e.FavourBought(seat=seat, tile=tile):
            yield Travel(f"favour:{TILES[tile]}", f"favour:{TILES[tile]}", f"desk:{seat}:favours", seat)


def _lying_at(state: State, seat: int, marker: int) -> str:
    """The full route of this seat that the marker lies beside."""
    for number, lying in enumerate(state.markers):
        if lying == 1 + marker and owns_route(state, seat, number):
            return f"route:{number}"
    return ""


def _name(marker: int) -> str:
    return f"marker:{MARKERS[marker]}"


def _points(state: State, event: Event) -> Iterator[Travel]:
    """Points fly from the city that brings them to their owner."""
    match event:
        case e.ControlPaid(seat=seat, city=city, points=points) | e.CoinPaid(seat=seat, city=city, points=points):
            yield Travel("points", _city(state, city), f"points:{seat}", seat, points)
        case e.EastWestLinked(seat=seat, points=points) if points:
            yield Travel("points", f"city:{state.board.east_west[0]}", f"points:{seat}", seat, points)
