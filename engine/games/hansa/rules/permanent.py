"""Step E4: permanent markers of the eastern map and of Britannia (20.4, 21.5). `move_any_2` is in move.py."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.reason import Reason
from kontor_games.engine.games.hansa.actions import Develop, Done, Extra, GreenOffice, Lift, Put
from kontor_games.engine.games.hansa.data import (
    DEVELOP_PRIVILEGE,
    GREEN_OFFICE,
    MERCHANT,
    PIECES,
    PLACE_2,
    PRIVILEGE,
    REUSE_2,
    TRADER,
)
from kontor_games.engine.games.hansa.events import ExtraPlaced
from kontor_games.engine.games.hansa.position import free_posts
from kontor_games.engine.games.hansa.state import (
    Bonus,
    State,
    add,
    change,
    owner_of,
    piece_code,
    pop,
    put_post,
    retask,
    shape_of,
)

from .common import (
    HAND_FULL,
    Log,
    at_post,
    develop,
    place_of,
    supply_lacks,
    why_not_city,
    why_not_develop,
    why_not_piece,
    why_not_post,
)
from .office import GREEN, establish
from .relocate import FROM_BOARD, in_source, source_of, take_from_source


def _spots(state: State, task: Bonus, shape: int) -> list[int]:
    """Free posts for a piece of this marker."""
    spots = free_posts(state, shape)
    if task.kind == REUSE_2:
        return spots  # R23: the posts of the claimed route are free again
    board = state.board
    return [post for post in spots if board.post_region[post] != board.home]


def _shapes(state: State, task: Bonus) -> list[int]:
    """Shapes that can be taken in hand from a stock."""
    if task.kind not in (REUSE_2, PLACE_2) or task.hand or not task.left:
        return []
    stock = task.held if task.kind == REUSE_2 else in_source(state, task.by)
    return [shape for shape in (TRADER, MERCHANT) if stock[shape] and _spots(state, task, shape)]


def _liftable(state: State, task: Bonus) -> list[int]:
    """R24: pieces on the board serve when both stocks are empty."""
    if task.kind != PLACE_2 or task.hand or not task.left or source_of(state, task.by) != FROM_BOARD:
        return []
    possible = [shape for shape in (TRADER, MERCHANT) if _spots(state, task, shape)]
    return [
        post
        for post, code in enumerate(state.posts)
        if code and owner_of(code) == task.by and post not in task.placed and shape_of(code) in possible
    ]


def why_not_develop_privilege(state: State, task: Bonus, action: Develop) -> str | None:
    if task.kind != DEVELOP_PRIVILEGE:
        return Reason("develops_nothing", "this marker develops nothing")
    if action.ability != PRIVILEGE:
        return Reason("privilege_only", "this marker develops the privilege only")
    return why_not_develop(state, task.by, PRIVILEGE)


def apply_develop_privilege(state: State, task: Bonus, action: Develop, log: Log) -> State:
    return develop(pop(state), task.by, PRIVILEGE, log)


def why_not_green(state: State, task: Bonus, action: GreenOffice) -> str | None:
    if task.kind != GREEN_OFFICE:
        return Reason("gives_no_office", "this marker gives no office")
    reason = why_not_city(state, action.city) or why_not_piece(action.piece)
    if reason:
        return reason
    if not state.board.cities[action.city].green:
        return Reason("not_green", "{city} is not a green city", city=state.board.cities[action.city].name)
    if not state.players[task.by].personal[action.piece]:
        return supply_lacks(action.piece)
    return None


def apply_green(state: State, task: Bonus, action: GreenOffice, log: Log) -> State:
    state = change(pop(state), task.by, personal=add(state.players[task.by].personal, action.piece, -1))
    return establish(state, action.city, piece_code(task.by, action.piece), GREEN, log)


def why_not_extra(state: State, task: Bonus, action: Extra) -> str | None:
    reason = why_not_piece(action.piece)
    if reason:
        return reason
    if task.kind not in (REUSE_2, PLACE_2):
        return Reason("places_nothing", "this marker places no pieces")
    if task.hand:
        return HAND_FULL
    if action.piece not in _shapes(state, task):
        text = "no {piece} can be placed with this marker now"
        return Reason("not_with_marker", text, piece=PIECES[action.piece])
    return None


def apply_extra(state: State, task: Bonus, action: Extra, log: Log) -> State:
    hand = piece_code(task.by, action.piece)
    if task.kind == REUSE_2:
        return retask(state, replace(task, hand=hand, left=task.left - 1, held=add(task.held, action.piece, -1)))
    return retask(take_from_source(state, task.by, action.piece), replace(task, hand=hand, left=task.left - 1))


def why_not_lift(state: State, task: Bonus, action: Lift) -> str | None:
    reason = why_not_post(state, action.post)
    if reason:
        return reason
    if action.post in _liftable(state, task):
        return None
    return Reason("piece_not_usable", "the piece on {post} cannot be used now", **at_post(state, action.post))


def apply_lift(state: State, task: Bonus, action: Lift, log: Log) -> State:
    return retask(state, replace(task, hand=state.posts[action.post], origin=action.post, left=task.left - 1))


def why_not_put(state: State, task: Bonus, action: Put) -> str | None:
    if not task.hand:
        return Reason("hand_empty", "no piece is in hand")
    reason = why_not_post(state, action.post)
    if reason:
        return reason
    if action.post not in _spots(state, task, shape_of(task.hand)):
        return Reason("cannot_go_there", "this piece cannot go to {post}", **at_post(state, action.post))
    return None


def apply_put(state: State, task: Bonus, action: Put, log: Log) -> State:
    log.append(ExtraPlaced(task.by, shape_of(task.hand), *place_of(state, action.post)))
    state = put_post(state, action.post, task.hand)
    if task.origin >= 0:
        state = put_post(state, task.origin, 0)
    return retask(state, replace(task, hand=0, origin=-1, placed=(*task.placed, action.post)))


def why_not_done(state: State, task: Bonus, action: Done) -> str | None:
    return HAND_FULL if task.hand else None


def apply_done(state: State, task: Bonus, action: Done, log: Log) -> State:
    return _finish(state, task)


def _finish(state: State, task: Bonus) -> State:
    """What was kept from the route goes to the general stock."""
    traders, merchants = state.players[task.by].general
    return change(pop(state), task.by, general=(traders + task.held[0], merchants + task.held[1]))


def auto(state: State, task: Bonus, log: Log) -> State | None:
    """A marker that can do nothing (more) is over."""
    if task.hand or any(True for _ in _uses(state, task)):
        return None
    return _finish(state, task)


def _uses(state: State, task: Bonus) -> Iterator[Action]:
    if task.kind == DEVELOP_PRIVILEGE and why_not_develop(state, task.by, PRIVILEGE) is None:
        yield Develop(task.by, PRIVILEGE)
    if task.kind == GREEN_OFFICE:
        stock = state.players[task.by].personal
        for city, found in enumerate(state.board.cities):
            if found.green:
                for shape in (TRADER, MERCHANT):
                    if stock[shape]:
                        yield GreenOffice(task.by, city, shape)
    for shape in _shapes(state, task):
        yield Extra(task.by, shape)
    for post in _liftable(state, task):
        yield Lift(task.by, post)


def candidates(state: State, task: Bonus) -> Iterator[Action]:
    if task.hand:
        for post in _spots(state, task, shape_of(task.hand)):
            yield Put(task.by, post)
        return
    yield from _uses(state, task)
    yield Done(task.by)
