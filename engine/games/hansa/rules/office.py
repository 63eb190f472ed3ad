"""Establishing an office, and all that follows at once: coin, completion, East–West, tributes (section 13)."""

from __future__ import annotations

from msgspec.structs import replace

from kontor_games.engine.games.hansa.data import NEUTRAL, OFFICE_TRIBUTE
from kontor_games.engine.games.hansa.events import CityCompleted, CoinPaid, EastWestLinked, OfficeFounded
from kontor_games.engine.games.hansa.position import is_linked
from kontor_games.engine.games.hansa.state import Collecting, State, change, owner_of, push, shape_of

from .common import Log, gain, trigger_end

PRINTED, ADDITIONAL, GREEN = range(3)


def establish(state: State, city: int, code: int, kind: int, log: Log) -> State:
    """A piece becomes an office: on the next printed space, to the left of the row, or at a green row's right end."""
    found = state.board.cities[city]
    owner = owner_of(code)
    first = not state.rows[city] and not state.extras[city]
    if kind == ADDITIONAL:
        state = replace(state, extras=_set_row(state.extras, city, bytes((code,)) + state.extras[city]))
    else:
        state = replace(state, rows=_set_row(state.rows, city, state.rows[city] + bytes((code,))))
    if owner != NEUTRAL:
        log.append(OfficeFounded(owner, shape_of(code), found.id, kind))
    if kind == PRINTED:
        coin = found.spaces[len(state.rows[city]) - 1].coin
        if coin and owner != NEUTRAL:
            log.append(CoinPaid(owner, found.id, coin))
            state = gain(state, owner, coin, log)
    # R21: additional offices never complete a printed city; a green city is complete with its first office
    if (found.green and first) or (kind == PRINTED and len(state.rows[city]) == len(found.spaces)):
        state = _complete(state, city, log)
    if owner != NEUTRAL:
        state = _link(state, owner, log)
    return push(state, *(Collecting(seat) for seat in _tributes(state, city)))


def _set_row(rows: tuple[bytes, ...], city: int, row: bytes) -> tuple[bytes, ...]:
    return (*rows[:city], row, *rows[city + 1 :])


def _complete(state: State, city: int, log: Log) -> State:
    """The black cube advances (13.2)."""
    board = state.board
    state = replace(state, completed=state.completed + 1)
    log.append(CityCompleted(board.cities[city].id, state.completed, board.limit))
    return trigger_end(state, "cities", log) if state.completed >= board.limit else state


def _link(state: State, seat: int, log: Log) -> State:
    """East–West: once per player, for the first three (13.4)."""
    if state.players[seat].linked or not is_linked(state, seat):
        return state
    place = state.linked + 1
    values = state.board.east_west_points
    points = values[place - 1] if place <= len(values) else 0
    log.append(EastWestLinked(seat, place, points))
    state = change(replace(state, linked=place), seat, linked=place)
    return gain(state, seat, points, log) if points else state


def _tributes(state: State, city: int) -> list[int]:
    """Owners of the tributes that this office triggers, clockwise from the active player (R40)."""
    if not state.promos:
        return []
    routes = state.board.cities[city].routes
    owners = [promo.owner for promo in state.promos if promo.marker == OFFICE_TRIBUTE and promo.route in routes]
    return sorted(owners, key=lambda seat: (seat - state.active) % state.seats)
