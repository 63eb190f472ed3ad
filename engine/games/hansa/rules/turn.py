"""The frame of a turn: income, favour, end of turn, replacement markers, the end of the match (7, 8, 15.2, 17, 22)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.reason import Reason
from kontor_games.engine.games.hansa.actions import BuyFavour, Done, EndTurn, GiveUp, Income, PlaceMarker
from kontor_games.engine.games.hansa.data import BANK, SHARED_INCOME, TILES
from kontor_games.engine.games.hansa.events import (
    FavourBought,
    Hired,
    MarkerGivenUp,
    MarkerPlaced,
    MarkerWaits,
    MatchEnded,
    TurnEnded,
    TurnStarted,
)
from kontor_games.engine.games.hansa.position import actions_per_turn, has_free_space, value
from kontor_games.engine.games.hansa.state import (
    OVER,
    SHOWING,
    Giving,
    Replacing,
    Sharing,
    State,
    change,
    pop,
    push,
    retask,
    set_byte,
)

from .claim import spend_marker
from .common import NO_ACTIONS, Log, hire, stock_holds, trigger_end, why_not_marker, why_not_route
from .neutral import attract


def _why_not_hire(state: State, seat: int, action: Income, most: int) -> str | None:
    traders, merchants = state.players[seat].general
    if action.traders < 0 or action.merchants < 0:
        return Reason("less_than_nothing", "nobody hires less than nothing")
    if action.traders > traders or action.merchants > merchants:
        return stock_holds(traders, merchants)
    if action.traders + action.merchants < 1:
        return Reason("hire_one", "at least one piece is hired")  # R13
    if action.traders + action.merchants > most:
        return Reason("hire_most", "at most {most} may be hired", most=most)
    return None


def why_not_income(state: State, task: None, action: Income) -> str | None:
    if state.actions < 1:
        return NO_ACTIONS
    return _why_not_hire(state, action.seat, action, value(state.players[action.seat], BANK))


def _hire_choices(state: State, seat: int, most: int) -> Iterator[Action]:
    traders, merchants = state.players[seat].general
    for merchant in range(min(merchants, most) + 1):
        for trader in range(min(traders, most - merchant) + 1):
            if trader + merchant:
                yield Income(seat, trader, merchant)


def income_candidates(state: State) -> Iterator[Action]:
    if state.actions > 0:
        yield from _hire_choices(state, state.active, value(state.players[state.active], BANK))


def apply_income(state: State, task: None, action: Income, log: Log) -> State:
    log.append(Hired(action.seat, action.traders, action.merchants))
    state = replace(hire(state, action.seat, action.traders, action.merchants), actions=state.actions - 1, fresh=0)
    sharing = [
        Sharing(seat)
        for seat in ((action.seat + step) % state.seats for step in range(1, state.seats))
        if SHARED_INCOME in state.players[seat].favours
    ]
    return push(state, *sharing)


def why_not_shared(state: State, task: Sharing, action: Income) -> str | None:
    return _why_not_hire(state, task.by, action, 1)


def apply_shared(state: State, task: Sharing, action: Income, log: Log) -> State:
    log.append(Hired(task.by, action.traders, action.merchants))
    return pop(hire(state, task.by, action.traders, action.merchants))


def why_not_decline(state: State, task: Sharing, action: Done) -> str | None:
    return None


def apply_decline(state: State, task: Sharing, action: Done, log: Log) -> State:
    return pop(state)


def auto_sharing(state: State, task: Sharing, log: Log) -> State | None:
    return None if any(state.players[task.by].general) else pop(state)


def sharing_candidates(state: State, task: Sharing) -> Iterator[Action]:
    yield from _hire_choices(state, task.by, 1)
    yield Done(task.by)


def why_not_favour(state: State, task: None, action: BuyFavour) -> str | None:
    if not 0 <= action.tile < len(TILES):
        return Reason("unknown_tile", "there is no favour tile {tile}", tile=action.tile)
    if action.tile not in state.display:
        return Reason("tile_not_offered", "the tile {tile} is not on offer", tile=TILES[action.tile])
    if not state.fresh:
        return Reason("favour_first", "a favour tile is bought as the very first decision of a turn")
    if len(state.players[action.seat].unused) < 2:
        return Reason("favour_costs", "a favour tile costs two unused markers")
    return None


def favour_candidates(state: State) -> Iterator[Action]:
    if state.fresh and state.display and len(state.players[state.active].unused) >= 2:
        for tile in state.display:
            yield BuyFavour(state.active, tile)


def apply_favour(state: State, task: None, action: BuyFavour, log: Log) -> State:
    log.append(FavourBought(action.seat, action.tile))
    favours = (*state.players[action.seat].favours, action.tile)
    state = change(state, action.seat, favours=favours)
    display = tuple(tile for tile in state.display if tile != action.tile)
    return push(replace(state, display=display, actions=0, fresh=0), Giving(action.seat, 2))


def why_not_give(state: State, task: Giving, action: GiveUp) -> str | None:
    return why_not_marker(state.players[task.by].unused, action.marker)


def apply_give(state: State, task: Giving, action: GiveUp, log: Log) -> State:
    log.append(MarkerGivenUp(task.by, action.marker))
    state = spend_marker(state, task.by, action.marker)
    if task.due > 1:
        return retask(state, Giving(task.by, task.due - 1))
    return end_turn(pop(state), log)  # R28: the purchase was the whole turn


def auto_giving(state: State, task: Giving, log: Log) -> State | None:
    """No choice if all unused markers are alike."""
    kinds = set(state.players[task.by].unused)
    return apply_give(state, task, GiveUp(task.by, kinds.pop()), log) if len(kinds) == 1 else None


def giving_candidates(state: State, task: Giving) -> Iterator[Action]:
    return (GiveUp(task.by, marker) for marker in sorted(set(state.players[task.by].unused)))


def why_not_end(state: State, task: None, action: EndTurn) -> str | None:
    return None  # R12: also with actions left


def apply_end(state: State, task: None, action: EndTurn, log: Log) -> State:
    return end_turn(state, log)


def end_turn(state: State, log: Log) -> State:
    """The plate is turned up for all (a card of chance), then its markers are placed."""
    player = state.players[state.active]
    log.append(TurnEnded(state.active))
    state = push(replace(state, actions=0, fresh=0), Replacing(state.active))
    if player.plate:
        return replace(state, desk=state.desk.deal((slot, None) for slot in player.plate))
    return state


def open_routes(state: State) -> list[int]:
    """Routes that may get a replacement marker (15.2)."""
    return [
        number
        for number, route in enumerate(state.board.routes)
        if route.accepts
        and not state.markers[number]
        and not any(state.posts[route.first : route.end])
        and (has_free_space(state, route.a) or has_free_space(state, route.b))
    ]


def why_not_place_marker(state: State, task: Replacing, action: PlaceMarker) -> str | None:
    if action.marker not in state.players[task.by].waiting:
        return Reason("not_on_plate", "that marker does not lie on your plate")
    reason = why_not_route(state, action.route)
    if reason:
        return reason
    route = state.board.routes[action.route]
    if not route.accepts:
        return Reason("takes_no_marker", "no marker may be laid beside {code}", code=route.code, route=route.id)
    if state.markers[action.route]:
        return Reason("has_marker", "a marker lies beside {code} already", code=route.code, route=route.id)
    if any(state.posts[route.first : route.end]):
        return Reason("pieces_on_route", "pieces stand on {code}", code=route.code, route=route.id)
    if action.route not in open_routes(state):
        return Reason("cities_full", "neither city of {code} has a free office space", code=route.code, route=route.id)
    return None


def apply_place_marker(state: State, task: Replacing, action: PlaceMarker, log: Log) -> State:
    log.append(MarkerPlaced(task.by, action.marker, state.board.routes[action.route].id))
    waiting = state.players[task.by].waiting
    at = waiting.index(action.marker)
    state = change(state, task.by, waiting=(*waiting[:at], *waiting[at + 1 :]))
    state = replace(state, markers=set_byte(state.markers, action.route, 1 + action.marker))
    return attract(state, action.route, log) if state.seats == 2 else state


def auto_replacing(state: State, task: Replacing, log: Log) -> State | None:
    """The next turn begins once the plate is empty or no route will take what is left (R17)."""
    waiting = state.players[task.by].waiting
    if waiting and open_routes(state):
        return None
    log.extend(MarkerWaits(task.by, marker) for marker in waiting)
    return next_turn(pop(state), log)


def replacing_candidates(state: State, task: Replacing) -> Iterator[Action]:
    routes = open_routes(state)
    for marker in sorted(set(state.players[task.by].waiting)):
        for route in routes:
            yield PlaceMarker(task.by, marker, route)


def next_turn(state: State, log: Log) -> State:
    """The player to the left is next; a limit of rounds, if any, ends the match here."""
    seat = (state.active + 1) % state.seats
    number = state.round + (seat == state.start)
    if state.max_rounds and number > state.max_rounds:
        return trigger_end(state, "rounds", log)
    return start_turn(replace(state, active=seat, round=number), log)


def start_turn(state: State, log: Log) -> State:
    """Actions and permits are fresh."""
    actions = actions_per_turn(state.players[state.active])
    log.append(TurnStarted(state.active, actions, state.round))
    return replace(state, actions=actions, permits=(), fresh=1)


def finish(state: State, log: Log) -> State:
    """The action that triggered the end is complete: show the missions, if there are any, then score."""
    state = replace(state, stage=SHOWING, actions=0)
    hidden = [
        player.mission for player in state.players if player.mission >= 0 and state.desk.face(player.mission) is None
    ]
    if hidden:
        return replace(state, desk=state.desk.deal((slot, None) for slot in hidden))
    return close(state, log)


def close(state: State, log: Log) -> State:
    """The match is over."""
    log.append(MatchEnded(state.ended))
    return replace(state, stage=OVER)
