"""Bonus markers played between actions: base and promo ones (15.3, 16)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.reason import Reason
from kontor_games.engine.games.hansa.actions import Develop, Exchange, Lay, Swap, UseMarker
from kontor_games.engine.games.hansa.data import (
    ABILITIES,
    DEVELOP_ABILITY,
    EXCHANGE_MARKER,
    EXTRA_OFFICE,
    MARKERS,
    MOVE_3,
    OFFICE_TRIBUTE,
    PLUS_3,
    PLUS_4,
    ROUTE_BLOCK,
    SWAP_OFFICES,
    TRADER,
)
from kontor_games.engine.games.hansa.events import (
    ActionsGained,
    MarkerLaid,
    MarkersExchanged,
    MarkerUsed,
    OfficesSwapped,
)
from kontor_games.engine.games.hansa.state import MARKER, Moving, Promo, State, Using, add, change, owner_of, pop, push

from .claim import spend_marker
from .common import Log, develop, why_not_city, why_not_develop, why_not_marker, why_not_route
from .move import can_start

_NEEDS_TRADER = Reason("needs_trader", "you need a trader in your personal supply")
_WORDS = {
    SWAP_OFFICES: Reason("no_swap", "no two neighbouring offices, one of them yours, can be exchanged"),
    MOVE_3: Reason("no_move_of_others", "no piece of another player can be moved"),
    DEVELOP_ABILITY: Reason("all_developed", "all your abilities are fully developed"),
    EXCHANGE_MARKER: Reason("no_exchange", "no opponent has a used marker that you could take"),
    OFFICE_TRIBUTE: _NEEDS_TRADER,
    ROUTE_BLOCK: _NEEDS_TRADER,
}


def why_not_use(state: State, task: None, action: UseMarker) -> str | None:
    reason = why_not_marker(state.players[action.seat].unused, action.marker)
    if reason:
        return reason
    if action.marker == EXTRA_OFFICE:
        return Reason("extra_office_by_claim", "an additional office is taken as the result of a claim")
    if action.marker in (PLUS_3, PLUS_4) or _choices(state, action.seat, action.marker):
        return None
    return _WORDS[action.marker]


def _choices(state: State, seat: int, marker: int) -> bool:
    """The marker can be used to some effect."""
    if marker == MOVE_3:
        return can_start(state, Moving(seat, MARKER, 3))
    if marker in (OFFICE_TRIBUTE, ROUTE_BLOCK):
        return state.players[seat].personal[TRADER] > 0
    return any(True for _ in candidates(state, Using(seat, marker)))


def use_candidates(state: State) -> Iterator[Action]:
    for marker in sorted(set(state.players[state.active].unused)):
        action = UseMarker(state.active, marker)
        if why_not_use(state, None, action) is None:
            yield action


def apply_use(state: State, task: None, action: UseMarker, log: Log) -> State:
    seat, marker = action.seat, action.marker
    log.append(MarkerUsed(seat, marker))
    state = replace(state, fresh=0)
    if marker in (EXCHANGE_MARKER, OFFICE_TRIBUTE, ROUTE_BLOCK):
        return push(state, Using(seat, marker))  # these leave the own piles, with the choice
    state = spend_marker(state, seat, marker)
    if marker == MOVE_3:
        return push(state, Moving(seat, MARKER, 3))
    if marker in (PLUS_3, PLUS_4):
        count = 3 if marker == PLUS_3 else 4
        log.append(ActionsGained(seat, count))
        return replace(state, actions=state.actions + count)
    return push(state, Using(seat, marker))


def _why_not_kind(task: Using, *markers: int) -> str | None:
    if task.marker in markers:
        return None
    return Reason("other_marker_in_use", "the marker in use is {marker}", marker=MARKERS[task.marker])


def why_not_swap(state: State, task: Using, action: Swap) -> str | None:
    reason = _why_not_kind(task, SWAP_OFFICES) or why_not_city(state, action.city)
    if reason:
        return reason
    row = state.rows[action.city]  # additional offices never take part (R20)
    if not 0 <= action.left < len(row) - 1:
        text = "{city} has no two offices there that could be exchanged"
        return Reason("no_pair_there", text, city=state.board.cities[action.city].name)
    if task.by not in (owner_of(row[action.left]), owner_of(row[action.left + 1])):
        return Reason("none_of_pair_yours", "one of the two offices must be yours")
    return None


def apply_swap(state: State, task: Using, action: Swap, log: Log) -> State:
    row = state.rows[action.city]
    left = action.left
    swapped = row[:left] + bytes((row[left + 1], row[left])) + row[left + 2 :]
    log.append(OfficesSwapped(task.by, state.board.cities[action.city].id, left + 1))
    return pop(replace(state, rows=(*state.rows[: action.city], swapped, *state.rows[action.city + 1 :])))


def why_not_step(state: State, task: Using, action: Develop) -> str | None:
    return _why_not_kind(task, DEVELOP_ABILITY) or why_not_develop(state, task.by, action.ability)


def apply_step(state: State, task: Using, action: Develop, log: Log) -> State:
    return develop(pop(state), task.by, action.ability, log)


def why_not_exchange(state: State, task: Using, action: Exchange) -> str | None:
    reason = _why_not_kind(task, EXCHANGE_MARKER)
    if reason:
        return reason
    if not 0 <= action.opponent < state.seats or action.opponent == task.by:
        return Reason("not_an_opponent", "choose one of the other players")
    if action.marker == EXCHANGE_MARKER:
        return Reason("exchange_for_exchange", "an exchange marker cannot fetch an exchange marker")  # R26
    if action.marker not in state.players[action.opponent].used:
        return Reason("no_such_used", "that player has no such used marker")
    return None


def apply_exchange(state: State, task: Using, action: Exchange, log: Log) -> State:
    state = change(state, task.by, unused=_without(state.players[task.by].unused, EXCHANGE_MARKER))
    given = _without(state.players[action.opponent].used, action.marker)
    state = change(state, action.opponent, used=tuple(sorted((*given, EXCHANGE_MARKER))))
    state = change(state, task.by, unused=tuple(sorted((*state.players[task.by].unused, action.marker))))
    log.append(MarkersExchanged(task.by, action.opponent, action.marker))
    return pop(state)


def _without(pile: tuple[int, ...], marker: int) -> tuple[int, ...]:
    at = pile.index(marker)
    return (*pile[:at], *pile[at + 1 :])


def why_not_lay(state: State, task: Using, action: Lay) -> str | None:
    return _why_not_kind(task, OFFICE_TRIBUTE, ROUTE_BLOCK) or why_not_route(state, action.route)


def apply_lay(state: State, task: Using, action: Lay, log: Log) -> State:
    player = state.players[task.by]
    state = change(
        state, task.by, unused=_without(player.unused, task.marker), personal=add(player.personal, TRADER, -1)
    )
    log.append(MarkerLaid(task.by, task.marker, state.board.routes[action.route].id))
    return pop(replace(state, promos=(*state.promos, Promo(action.route, task.marker, task.by))))


def candidates(state: State, task: Using) -> Iterator[Action]:
    """What the played marker can be used for."""
    if task.marker == SWAP_OFFICES:
        for city, row in enumerate(state.rows):
            for left in range(len(row) - 1):
                if task.by in (owner_of(row[left]), owner_of(row[left + 1])):
                    yield Swap(task.by, city, left)
    elif task.marker == DEVELOP_ABILITY:
        for ability in range(len(ABILITIES)):
            if why_not_develop(state, task.by, ability) is None:
                yield Develop(task.by, ability)
    elif task.marker == EXCHANGE_MARKER:
        for seat, player in enumerate(state.players):
            if seat != task.by:
                for marker in sorted(set(player.used) - {EXCHANGE_MARKER}):
                    yield Exchange(task.by, seat, marker)
    else:
        for route in range(len(state.board.routes)):
            yield Lay(task.by, route)
