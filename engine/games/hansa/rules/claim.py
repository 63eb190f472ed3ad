"""Action E: claiming a route, its result, and tributes (sections 12 and 16)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.reason import Reason
from kontor_games.engine.games.hansa.actions import Claim, Collect, Develop, Done, ExtraOffice, Office, Prestige
from kontor_games.engine.games.hansa.data import (
    ABILITIES,
    EXTRA_OFFICE,
    MERCHANT,
    MOVE_ANY_2,
    PIECES,
    PRIVILEGE,
    PRIVILEGES,
    REUSE_2,
    TRADER,
)
from kontor_games.engine.games.hansa.events import (
    Claimed,
    ControlPaid,
    MarkerDrawn,
    MarkerTaken,
    NothingTaken,
    PermanentOffered,
    PrestigeTaken,
    SupplyEmpty,
    TributeTaken,
)
from kontor_games.engine.games.hansa.position import controller, has_free_space, owned_routes, owns_route
from kontor_games.engine.games.hansa.state import (
    PERMANENT,
    Bonus,
    Claiming,
    Collecting,
    Moving,
    State,
    add,
    change,
    piece_code,
    pop,
    push,
    set_byte,
)

from .common import (
    NO_ACTIONS,
    Log,
    develop,
    gain,
    hire,
    stock_holds,
    trigger_end,
    why_not_city,
    why_not_develop,
    why_not_piece,
    why_not_route,
)
from .office import ADDITIONAL, PRINTED, establish


def why_not_claim(state: State, task: None, action: Claim) -> str | None:
    if state.actions < 1:
        return NO_ACTIONS
    reason = why_not_route(state, action.route)
    if reason:
        return reason
    if not owns_route(state, action.seat, action.route):
        route = state.board.routes[action.route]
        text = "not every post of {code} holds a piece of yours"
        return Reason("route_not_full", text, code=route.code, route=route.id)
    return None


def claim_candidates(state: State) -> Iterator[Action]:
    if state.actions > 0:
        for route in owned_routes(state, state.active):
            yield Claim(state.active, route)


def apply_claim(state: State, task: None, action: Claim, log: Log) -> State:
    """E1 and E2; the result is the next decision."""
    seat = action.seat
    log.append(Claimed(seat, state.board.routes[action.route].id))
    state = replace(state, actions=state.actions - 1, fresh=0)
    state = pay_controllers(state, action.route, log)
    marker = state.markers[action.route]
    if marker:
        log.append(MarkerTaken(seat, marker - 1))
        state = change(state, seat, unused=tuple(sorted((*state.players[seat].unused, marker - 1))))
        state = draw_replacement(state, seat, action.route, log)
    return push(state, Claiming(seat, action.route, marker))


def pay_controllers(state: State, route: int, log: Log) -> State:
    """E1: one point per end city to its controller; the neutral player gains nothing."""
    found = state.board.routes[route]
    winners = [(city, controller(state, city)) for city in (found.a, found.b)]
    for city, seat in winners:
        if 0 <= seat < state.seats:
            log.append(ControlPaid(seat, state.board.cities[city].id, 1))
            state = gain(state, seat, 1, log)
    return state


def draw_replacement(state: State, seat: int, route: int, log: Log) -> State:
    """E2: the marker has left the route; another is drawn unseen onto the plate, or the game will end."""
    state = replace(state, markers=set_byte(state.markers, route, 0))
    if not state.supply:
        log.append(SupplyEmpty(seat))
        return trigger_end(state, "markers", log)
    log.append(MarkerDrawn(seat, len(state.supply) - 1))
    state = change(state, seat, plate=(*state.players[seat].plate, state.supply[0]))
    return replace(state, supply=state.supply[1:])


def _on_route(state: State, task: Claiming) -> tuple[int, int]:
    """Traders and merchants standing on the claimed route."""
    route = state.board.routes[task.route]
    merchants = state.posts[route.first : route.end].count(piece_code(task.by, MERCHANT))
    return route.end - route.first - merchants, merchants


def _why_not_end(state: State, task: Claiming, city: int) -> str | None:
    reason = why_not_city(state, city)
    if reason:
        return reason
    route = state.board.routes[task.route]
    if city in (route.a, route.b):
        return None
    name = state.board.cities[city].name
    return Reason("not_an_end", "{city} is not an end of {code}", city=name, code=route.code, route=route.id)


def why_not_office(state: State, task: Claiming, action: Office) -> str | None:
    reason = _why_not_end(state, task, action.city)
    if reason:
        return reason
    city = state.board.cities[action.city]
    if not has_free_space(state, action.city):
        return Reason("no_free_space", "{city} has no free printed office space", city=city.name)
    space = city.spaces[len(state.rows[action.city])]
    if space.colour > state.players[task.by].levels[PRIVILEGE]:
        colour = PRIVILEGES[space.colour]
        text = "the next space of {city} needs the privilege {colour}"
        return Reason("space_needs_privilege", text, city=city.name, colour=colour)
    if not _on_route(state, task)[space.shape]:
        text = "the next space of {city} needs a {piece}, and none stood on the route"
        return Reason("space_needs_piece", text, city=city.name, piece=PIECES[space.shape])
    return None


def apply_office(state: State, task: Claiming, action: Office, log: Log) -> State:
    shape = state.board.cities[action.city].spaces[len(state.rows[action.city])].shape
    state = _clear(state, task, shape, log)
    return establish(state, action.city, piece_code(task.by, shape), PRINTED, log)


def why_not_extra_office(state: State, task: Claiming, action: ExtraOffice) -> str | None:
    reason = _why_not_end(state, task, action.city) or why_not_piece(action.piece)
    if reason:
        return reason
    if not _spare_extra_office(state, task):
        text = "you have no marker for an additional office that was yours before this claim"  # R16
        return Reason("no_extra_office", text)
    city = state.board.cities[action.city]
    if not city.green and not state.rows[action.city]:
        return Reason("first_space_empty", "the first space of {city} is still empty", city=city.name)
    if not _on_route(state, task)[action.piece]:
        return _none_stood(action.piece)
    return None


def _none_stood(shape: int) -> Reason:
    return Reason("none_on_route", "no {piece} stood on the route", piece=PIECES[shape])


def _spare_extra_office(state: State, task: Claiming) -> int:
    """Unused markers of that kind, not counting one taken in this claim (R16)."""
    return state.players[task.by].unused.count(EXTRA_OFFICE) - (task.taken == EXTRA_OFFICE + 1)


def apply_extra_office(state: State, task: Claiming, action: ExtraOffice, log: Log) -> State:
    state = spend_marker(state, task.by, EXTRA_OFFICE)
    state = _clear(state, task, action.piece, log)
    return establish(state, action.city, piece_code(task.by, action.piece), ADDITIONAL, log)


def spend_marker(state: State, seat: int, marker: int) -> State:
    """Unused -> used."""
    player = state.players[seat]
    at = player.unused.index(marker)
    return change(
        state,
        seat,
        unused=(*player.unused[:at], *player.unused[at + 1 :]),
        used=tuple(sorted((*player.used, marker))),
    )


def why_not_ability(state: State, task: Claiming, action: Develop) -> str | None:
    reason = why_not_develop(state, task.by, action.ability)
    if reason:
        return reason
    if action.ability not in _offered(state, task):
        name = ABILITIES[action.ability]
        return Reason("ability_not_offered", "neither city of this route offers {ability}", ability=name)
    return None


def _offered(state: State, task: Claiming) -> tuple[int, ...]:
    route = state.board.routes[task.route]
    return (*state.board.cities[route.a].abilities, *state.board.cities[route.b].abilities)


def apply_ability(state: State, task: Claiming, action: Develop, log: Log) -> State:
    return develop(_clear(state, task, None, log), task.by, action.ability, log)


def why_not_prestige(state: State, task: Claiming, action: Prestige) -> str | None:
    board = state.board
    route = board.routes[task.route]
    if not (board.cities[route.a].special or board.cities[route.b].special):
        return Reason("no_prestige_here", "no special prestige is to be had from this route")
    if not 0 <= action.space < len(board.spots):
        text = "there are special prestige spaces 0 to {last}, not {space}"
        return Reason("unknown_prestige", text, last=len(board.spots) - 1, space=action.space)
    spot = board.spots[action.space]
    if state.prestige[action.space]:
        return Reason("prestige_taken", "the space of {points} points is taken", points=spot.value)
    if spot.privilege > state.players[task.by].levels[PRIVILEGE]:
        text = "the space of {points} points needs the privilege {colour}"
        return Reason("prestige_needs_privilege", text, points=spot.value, colour=PRIVILEGES[spot.privilege])
    return None if _on_route(state, task)[MERCHANT] else _none_stood(MERCHANT)


def apply_prestige(state: State, task: Claiming, action: Prestige, log: Log) -> State:
    state = _clear(state, task, MERCHANT, log)
    log.append(PrestigeTaken(task.by, state.board.spots[action.space].value))
    return replace(state, prestige=set_byte(state.prestige, action.space, 1 + task.by))


def why_not_nothing(state: State, task: Claiming, action: Done) -> str | None:
    return None


def apply_nothing(state: State, task: Claiming, action: Done, log: Log) -> State:
    log.append(NothingTaken(task.by))
    return _clear(state, task, None, log)


def _clear(state: State, task: Claiming, used: int | None, log: Log) -> State:
    """Take all pieces off the route: one of shape `used` stays in play, the others go to the general stock."""
    route = state.board.routes[task.route]
    rest = _on_route(state, task)
    if used is not None:
        rest = add(rest, used, -1)
    posts = state.posts[: route.first] + bytes(route.end - route.first) + state.posts[route.end :]
    state = pop(replace(state, posts=posts))
    kind = route.permanent
    if kind != REUSE_2:  # there the pieces wait beside the board until the marker was used (12.2)
        general = state.players[task.by].general
        state = change(state, task.by, general=(general[0] + rest[0], general[1] + rest[1]))
    if kind is None:
        return state
    log.append(PermanentOffered(task.by, kind))
    if kind == MOVE_ANY_2:
        return push(state, Moving(task.by, PERMANENT, 2))
    return push(state, Bonus(task.by, kind, 2, rest if kind == REUSE_2 else (0, 0)))


def claiming_candidates(state: State, task: Claiming) -> Iterator[Action]:
    route = state.board.routes[task.route]
    for city in (route.a, route.b):
        office = Office(task.by, city)
        if why_not_office(state, task, office) is None:
            yield office
    if _spare_extra_office(state, task) > 0:
        for city in (route.a, route.b):
            for shape in (TRADER, MERCHANT):
                additional = ExtraOffice(task.by, city, shape)
                if why_not_extra_office(state, task, additional) is None:
                    yield additional
    for ability in _offered(state, task):
        if why_not_develop(state, task.by, ability) is None:
            yield Develop(task.by, ability)
    for space in range(len(state.board.spots)):
        prestige = Prestige(task.by, space)
        if why_not_prestige(state, task, prestige) is None:
            yield prestige
    yield Done(task.by)


def tribute_due(state: State, seat: int) -> int:
    """How many pieces a tribute brings to its owner."""
    return min(2, sum(state.players[seat].general))


def why_not_collect(state: State, task: Collecting, action: Collect) -> str | None:
    traders, merchants = state.players[task.by].general
    due = tribute_due(state, task.by)
    if action.traders < 0 or action.merchants < 0 or action.traders + action.merchants != due:
        return Reason("tribute_exact", "a tribute brings exactly {due} pieces", due=due)
    if action.traders > traders or action.merchants > merchants:
        return stock_holds(traders, merchants)
    return None


def apply_collect(state: State, task: Collecting, action: Collect, log: Log) -> State:
    log.append(TributeTaken(task.by, action.traders, action.merchants))
    return pop(hire(state, task.by, action.traders, action.merchants))


def collecting_candidates(state: State, task: Collecting) -> Iterator[Action]:
    traders, merchants = state.players[task.by].general
    due = tribute_due(state, task.by)
    for first in range(max(0, due - merchants), min(due, traders) + 1):
        yield Collect(task.by, first, due - first)


def auto_collecting(state: State, task: Collecting, log: Log) -> State | None:
    """Without a choice of shapes the tribute is paid by itself (R27)."""
    choices = list(collecting_candidates(state, task))
    if len(choices) > 1:
        return None
    only = choices[0]
    assert isinstance(only, Collect)
    return pop(state) if not only.traders + only.merchants else apply_collect(state, task, only, log)
