"""Relocation after a displacement: the displaced piece and additional ones (10.2–10.4)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.reason import Reason
from kontor_games.engine.games.hansa.actions import Done, Extra, Lift, Put, Settle
from kontor_games.engine.games.hansa.data import MERCHANT, NEUTRAL, PIECES, TRADER
from kontor_games.engine.games.hansa.events import ExtraPlaced, NeutralRelocated, Relocated
from kontor_games.engine.games.hansa.position import destinations
from kontor_games.engine.games.hansa.state import (
    Relocating,
    State,
    add,
    change,
    owner_of,
    piece_code,
    pop,
    put_post,
    retask,
    set_byte,
    shape_of,
)

from .common import HAND_FULL, Log, at_post, place_of, why_not_piece, why_not_post

GENERAL, PERSONAL, FROM_BOARD = range(3)


def source_of(state: State, seat: int) -> int:
    """The first source that is not empty now (10.3)."""
    player = state.players[seat]
    if any(player.general):
        return GENERAL
    return PERSONAL if any(player.personal) else FROM_BOARD


def in_source(state: State, seat: int) -> tuple[int, int]:
    """Traders and merchants in the stock that additional pieces come from; none if they come from the board."""
    player = state.players[seat]
    return player.general if any(player.general) else player.personal


def take_from_source(state: State, seat: int, shape: int) -> State:
    """One piece leaves the first stock that is not empty."""
    player = state.players[seat]
    if any(player.general):
        return change(state, seat, general=add(player.general, shape, -1))
    return change(state, seat, personal=add(player.personal, shape, -1))


def _spots(state: State, task: Relocating, code: int, origin: int) -> list[int]:
    """Posts for an additional piece; it never takes the displaced piece's only destination."""
    spots = destinations(state, task.route, task.owner, shape_of(code))
    if not task.piece:
        return spots
    last = destinations(state, task.route, task.owner, shape_of(task.piece))
    if len(last) > 1 or last[0] not in spots:
        return spots
    posts = set_byte(state.posts, last[0], code)
    if origin >= 0:
        posts = set_byte(posts, origin, 0)
    if destinations(replace(state, posts=posts), task.route, task.owner, shape_of(task.piece)):
        return spots
    return [spot for spot in spots if spot != last[0]]


def _shapes(state: State, task: Relocating) -> list[int]:
    """Shapes of additional pieces that a stock offers and that have somewhere to go."""
    if not task.left or task.hand:
        return []
    stock = (1, 0) if task.owner == NEUTRAL else in_source(state, task.owner)
    return [s for s in (TRADER, MERCHANT) if stock[s] and _spots(state, task, piece_code(task.owner, s), -1)]


def _liftable(state: State, task: Relocating) -> list[int]:
    """Own pieces on posts that may serve as additional ones: only when both stocks are empty."""
    if not task.left or task.hand or task.owner == NEUTRAL or source_of(state, task.owner) != FROM_BOARD:
        return []
    out: list[int] = []
    usable: dict[int, bool] = {}
    for post, code in enumerate(state.posts):
        if code and owner_of(code) == task.owner and post not in task.placed:
            if code not in usable or task.piece:
                usable[code] = bool(_spots(state, task, code, post))
            if usable[code]:
                out.append(post)
    return out


def _not_nearest(state: State, post: int) -> Reason:
    text = "{post} is not a free post of the nearest routes"
    return Reason("not_nearest", text, **at_post(state, post))


def why_not_settle(state: State, task: Relocating, action: Settle) -> str | None:
    if not task.piece:
        return Reason("stands_already", "the displaced piece stands already")
    if task.hand:
        return HAND_FULL
    reason = why_not_post(state, action.post)
    if reason:
        return reason
    if action.post not in destinations(state, task.route, task.owner, shape_of(task.piece)):
        return _not_nearest(state, action.post)
    return None


def apply_settle(state: State, task: Relocating, action: Settle, log: Log) -> State:
    _log(state, task, task.piece, action.post, log, extra=False)
    state = put_post(state, action.post, task.piece)
    return retask(state, replace(task, piece=0, placed=(*task.placed, action.post)))


def why_not_extra(state: State, task: Relocating, action: Extra) -> str | None:
    reason = why_not_piece(action.piece)
    if reason:
        return reason
    if not task.left:
        return Reason("none_due", "no additional piece is due")
    if task.hand:
        return HAND_FULL
    if task.owner == NEUTRAL:
        if action.piece == MERCHANT:
            return Reason("neutral_traders_only", "the neutral player has traders only")
    elif source_of(state, task.owner) == FROM_BOARD:
        return Reason("stocks_empty", "both stocks are empty; lift a piece from the board")
    elif not in_source(state, task.owner)[action.piece]:
        return Reason("first_stock_lacks", "the stock that comes first has no {piece}", piece=PIECES[action.piece])
    if action.piece not in _shapes(state, task):
        return Reason("no_post_for", "there is no post for a {piece}", piece=PIECES[action.piece])
    return None


def apply_extra(state: State, task: Relocating, action: Extra, log: Log) -> State:
    if task.owner != NEUTRAL:
        state = take_from_source(state, task.owner, action.piece)
    return retask(state, replace(task, hand=piece_code(task.owner, action.piece), left=task.left - 1))


def why_not_lift(state: State, task: Relocating, action: Lift) -> str | None:
    reason = why_not_post(state, action.post)
    if reason:
        return reason
    if action.post in _liftable(state, task):
        return None
    if task.owner != NEUTRAL and source_of(state, task.owner) != FROM_BOARD:
        text = "additional pieces come from the general stock first, then from the personal supply"
        return Reason("stock_comes_first", text)
    text = "the piece on {post} cannot serve as an additional one"
    return Reason("not_additional", text, **at_post(state, action.post))


def apply_lift(state: State, task: Relocating, action: Lift, log: Log) -> State:
    # 10.4: the piece still stands while its destinations are looked for
    hand = state.posts[action.post]
    return retask(state, replace(task, hand=hand, origin=action.post, left=task.left - 1))


def why_not_put(state: State, task: Relocating, action: Put) -> str | None:
    if not task.hand:
        return Reason("nothing_in_hand", "no piece is in hand; settle the displaced one or take an additional one")
    reason = why_not_post(state, action.post)
    if reason:
        return reason
    if action.post not in _spots(state, task, task.hand, task.origin):
        return _not_nearest(state, action.post)
    return None


def apply_put(state: State, task: Relocating, action: Put, log: Log) -> State:
    _log(state, task, task.hand, action.post, log, extra=True)
    state = put_post(state, action.post, task.hand)
    if task.origin >= 0:
        state = put_post(state, task.origin, 0)
    return retask(state, replace(task, hand=0, origin=-1, placed=(*task.placed, action.post)))


def why_not_done(state: State, task: Relocating, action: Done) -> str | None:
    if task.piece:
        return Reason("displaced_first", "the displaced piece must be put down first")
    return HAND_FULL if task.hand else None


def apply_done(state: State, task: Relocating, action: Done, log: Log) -> State:
    return pop(state)


def auto(state: State, task: Relocating, log: Log) -> State | None:
    """Over once the displaced piece stands and nothing can be added."""
    if task.piece or task.hand:
        return None
    return None if _shapes(state, task) or _liftable(state, task) else pop(state)


def candidates(state: State, task: Relocating) -> Iterator[Action]:
    by = task.by
    if task.hand:
        for post in _spots(state, task, task.hand, task.origin):
            yield Put(by, post)
        return
    if task.piece:
        for post in destinations(state, task.route, task.owner, shape_of(task.piece)):
            yield Settle(by, post)
    for shape in _shapes(state, task):
        yield Extra(by, shape)
    for post in _liftable(state, task):
        yield Lift(by, post)
    if not task.piece:
        yield Done(by)


def _log(state: State, task: Relocating, code: int, post: int, log: Log, extra: bool) -> None:
    if task.owner == NEUTRAL:
        log.append(NeutralRelocated(task.by, *place_of(state, post)))
    else:
        kind = ExtraPlaced if extra else Relocated
        log.append(kind(task.by, shape_of(code), *place_of(state, post)))
