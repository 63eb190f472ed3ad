"""The values for the phrase of a choice: ids of cities and routes, seats, and numbers as people count them.

`phrase` names the sentence in the catalogue. Where two choices would read alike, the details say how they differ.
"""

from __future__ import annotations

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.offer import Details, Path
from kontor_games.engine.core.value import Known

from . import actions as a
from .data import MERCHANT, NEUTRAL, TRADER, Board
from .rules.common import place_of
from .rules.place import price_of, shapes_for
from .state import Bonus, Choosing, Claiming, Moving, Paying, Relocating, State, Using, add, owner_of, shape_of


def shape_placed(state: State, path: Path) -> int:
    """The shape that a path beginning with `Place` or `Displace` puts down; a trader where that is still open."""
    first = path[0]
    assert isinstance(first, a.Place | a.Displace)
    if len(path) > 1 and isinstance(path[1], a.Choose):
        return path[1].piece
    return shapes_for(state, Choosing(first.seat, first.post, state.posts[first.post]))[0]


def is_open(state: State, path: Path) -> bool:
    """Whether the shape is still to be chosen after the path."""
    first = path[0]
    assert isinstance(first, a.Place | a.Displace)
    return len(path) == 1 and len(shapes_for(state, Choosing(first.seat, first.post, state.posts[first.post]))) > 1


def details(state: State, path: Path, known: Known) -> Details:
    """What the phrase of a choice is made of."""
    first = path[0]
    task = state.todo[0] if state.todo else None
    match first:
        case a.Place() | a.Displace():
            return _onto_post(state, path)
        case a.Choose():
            return _chosen(state, path)
        case a.Pay():
            return _toll(state, path)
        case a.BuyFavour():
            return _favour(state, path)
        case a.Claim(route=route):
            return _claim(state, route, path[1] if path[1:] else None)
        case a.UseMarker(marker=marker):
            if path[1:]:
                used = _use(state, marker, path[1])
                return {**used, "phrase": f"use_{used['phrase']}"}
            return {"phrase": "use", "marker": marker}
        case a.Extra(piece=piece):
            return _extra(state, piece, path[1] if path[1:] else None)
    if isinstance(task, Claiming):
        result = _claim(state, task.route, first)
        return {**result, "phrase": result["phrase"].removeprefix("claim_")}
    if isinstance(task, Using):
        return _use(state, task.marker, first)
    return _single(state, first)


def _onto_post(state: State, path: Path) -> Details:
    """A piece goes onto a post: which, at what price, and in whose place."""
    first = path[0]
    assert isinstance(first, a.Place | a.Displace)
    route, number = place_of(state, first.post)
    lost = state.posts[first.post]
    price = price_of(state, first.post, lost)
    out: Details = {"route": route, "post": number, "price": price}
    words = "place"
    if lost:
        neutral = owner_of(lost) == NEUTRAL
        words = "displace_neutral" if neutral else "displace"
        out |= {"lost": shape_of(lost)} if neutral else {"lost": shape_of(lost), "owner": owner_of(lost)}
    if is_open(state, path):
        return {**out, "phrase": f"{words}_open"}
    out["piece"] = shape_placed(state, path)
    paid = _paid(path, add(state.players[first.seat].personal, out["piece"], -1), price)
    if paid:
        return {**out, **paid, "phrase": f"{words}_paying"}
    return {**out, "phrase": f"{words}_price" if price else words}


def _paid(path: Path, supply: tuple[int, int], price: int) -> dict[str, int]:
    """What is paid with the path, and after it without a question; nothing if more is to be chosen."""
    paid = (0, 0)
    for action in path:
        if isinstance(action, a.Pay):
            supply, paid = add(supply, action.piece, -1), add(paid, action.piece)
    traders, merchants = supply
    due = price - sum(paid)
    if not price or (due and traders and merchants and traders + merchants > due):
        return {}
    more = min(traders, due)
    return {"traders": paid[TRADER] + more, "merchants": paid[MERCHANT] + due - more}


def _chosen(state: State, path: Path) -> Details:
    """The piece for a post that was named before."""
    first, task = path[0], state.todo[0]
    assert isinstance(first, a.Choose) and isinstance(task, Choosing)
    supply = add(state.players[task.by].personal, first.piece, -1)
    paid = _paid(path, supply, price_of(state, task.post, task.displaced))
    return {"phrase": "choose_paying" if paid else "choose", "piece": first.piece, **paid}


def _toll(state: State, path: Path) -> Details:
    """Pieces of a price that is due."""
    task = state.todo[0]
    assert isinstance(task, Paying)
    pieces = [action.piece for action in path if isinstance(action, a.Pay)]
    paid = {"traders": pieces.count(TRADER), "merchants": pieces.count(MERCHANT)}
    return {"phrase": "pay", **(_paid(path, state.players[task.by].personal, task.due) or paid)}


def _favour(state: State, path: Path) -> Details:
    """A favour tile and the two markers it costs, as far as they are known."""
    first = path[0]
    assert isinstance(first, a.BuyFavour)
    given = [action.marker for action in path if isinstance(action, a.GiveUp)]
    rest = list(state.players[first.seat].unused)
    for marker in given:
        rest.remove(marker)
    while len(given) < 2 and len(set(rest)) == 1:  # no choice if those that are left are alike
        given.append(rest.pop())
    if len(given) < 2:
        return {"phrase": "favour", "tile": first.tile}
    return {"phrase": "favour_giving", "tile": first.tile, "first": min(given), "second": max(given)}


def _claim(state: State, route: int, result: Action | None) -> Details:
    """A claim and what it brings."""
    board = state.board
    out: Details = {"phrase": "claim", "route": board.routes[route].id}
    match result:
        case a.Office(city=city):
            space = board.cities[city].spaces[len(state.rows[city])]
            return {**out, "phrase": "claim_office", "city": board.cities[city].id, "piece": space.shape}
        case a.ExtraOffice(city=city, piece=piece):
            return {**out, "phrase": "claim_extra_office", "city": board.cities[city].id, "piece": piece}
        case a.Develop(ability=ability):
            return {**out, "phrase": "claim_develop", "ability": ability}
        case a.Prestige(space=space_):
            return {**out, "phrase": "claim_prestige", "points": board.spots[space_].value}
        case a.Done():
            return {**out, "phrase": "claim_nothing"}
    return out


def _use(state: State, marker: int, action: Action) -> Details:
    """What a played marker does."""
    match action:
        case a.Swap(city=city, left=left):
            row = state.rows[city]
            owners = [owner_of(row[left]), owner_of(row[left + 1])]
            out: Details = {"city": state.board.cities[city].id, "left": left + 1, "right": left + 2}
            others = [owner for owner in owners if owner != action.seat]
            if not others:
                return {**out, "phrase": "swap_own"}
            if others[0] == NEUTRAL:
                return {**out, "phrase": "swap_neutral"}
            return {**out, "phrase": "swap", "owner": others[0]}
        case a.Develop(ability=ability):
            return {"phrase": "develop", "ability": ability}
        case a.Exchange(opponent=opponent, marker=taken):
            return {"phrase": "exchange", "opponent": opponent, "marker": taken}
    assert isinstance(action, a.Lay)
    return {"phrase": "lay", "marker": marker, "route": state.board.routes[action.route].id}


def _extra(state: State, piece: int, put: Action | None) -> Details:
    """An additional piece, and where it goes."""
    task = state.todo[0]
    neutral = isinstance(task, Relocating) and task.owner == NEUTRAL
    words = "add_neutral" if neutral else "add"
    if put is None:
        return {"phrase": f"{words}_open", "piece": piece}
    assert isinstance(put, a.Put)
    route, number = place_of(state, put.post)
    return {"phrase": words, "piece": piece, "route": route, "post": number}


def _single(state: State, action: Action) -> Details:
    """An action that is a choice by itself."""
    board = state.board
    match action:
        case a.Settle(post=post) | a.Lift(post=post) | a.Put(post=post):
            return _piece_and_post(state, action, post)
        case a.Income(traders=traders, merchants=merchants) | a.Collect(traders=traders, merchants=merchants):
            words = "hire" if isinstance(action, a.Income) else "collect"
            return {"phrase": words, "traders": traders, "merchants": merchants}
        case a.Develop(ability=ability):
            return {"phrase": "develop", "ability": ability}
        case a.GreenOffice(city=city, piece=piece):
            return {"phrase": "green_office", "city": board.cities[city].id, "piece": piece}
        case a.NeutralOffice(route=route, city=city):
            return _neutral_route(board, route, city)
        case a.GiveUp(marker=marker):
            return {"phrase": "give_up", "marker": marker}
        case a.PlaceMarker(marker=marker, route=route):
            return {"phrase": "lay", "marker": marker, "route": board.routes[route].id}
        case a.EndTurn():
            return {"phrase": "end_turn_early", "actions": state.actions} if state.actions else {"phrase": "end_turn"}
    return {"phrase": _declined(state)}


def _piece_and_post(state: State, action: Action, post: int) -> Details:
    """The piece that is picked up or put down, and the post."""
    route, number = place_of(state, post)
    code, origin = _in_question(state, action, post)
    verb = "settle" if isinstance(action, a.Settle) else "lift" if isinstance(action, a.Lift) else "put"
    if verb == "put" and origin == post:
        verb = "put_back"
    out: Details = {"piece": shape_of(code), "route": route, "post": number}
    if owner_of(code) == NEUTRAL:
        return {**out, "phrase": f"{verb}_neutral"}
    return {**out, "phrase": verb, "owner": owner_of(code)}


def _in_question(state: State, action: Action, post: int) -> tuple[int, int]:
    """The piece that an action picks up or puts down, and the post that it was taken from, or -1."""
    if isinstance(action, a.Lift):
        return state.posts[post], post
    match state.todo[0]:
        case Relocating(piece=piece) if isinstance(action, a.Settle):
            return piece, -1
        case Moving(lifted=lifted):
            return lifted[0][1], lifted[0][0]
        case Relocating(hand=hand, origin=origin) | Bonus(hand=hand, origin=origin):
            return hand, origin
    raise AssertionError(state.todo[0])


def _neutral_route(board: Board, route: int, city: int | None) -> Details:
    if city is None:
        return {"phrase": "neutral_clear", "route": board.routes[route].id}
    return {"phrase": "neutral_office", "route": board.routes[route].id, "city": board.cities[city].id}


def _declined(state: State) -> str:
    """What is declined with `Done`."""
    match state.todo[0]:
        case Relocating():
            return "done_relocating"
        case Moving():
            return "done_moving"
        case Bonus(placed=placed) if placed:
            return "done_placing"
        case Bonus():
            return "done_bonus"
    return "done_hiring"
