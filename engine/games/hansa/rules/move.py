"""Moves of pieces already on the board: action D, the marker `move_3`, the permanent `move_any_2` (section 11).

Pieces are lifted first and then put down in the same order (R14). A lifted piece may go back to its own post,
but at least one must really move (R13).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress, islice

from msgspec.structs import replace

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.reason import Reason
from kontor_games.engine.games.hansa.actions import LIFTS, PUTS, Done, Lift, Put
from kontor_games.engine.games.hansa.data import BOOK, MERCHANT, NEUTRAL
from kontor_games.engine.games.hansa.events import Moved, NeutralMoved
from kontor_games.engine.games.hansa.position import foreign_posts, own_posts, value
from kontor_games.engine.games.hansa.state import (
    ACTION,
    PERMANENT,
    Moving,
    State,
    owner_of,
    pop,
    push,
    put_post,
    retask,
    shape_of,
)

from .common import NO_ACTIONS, Log, at_post, occupied, place_of, why_not_post

Hand = tuple[tuple[int, int], ...]

_OWN_ONLY = Reason("own_pieces_only", "you may lift your own pieces only")
_OTHERS_ONLY = Reason("others_pieces_only", "you may lift pieces of others only")


def _goals(state: State, why: int, origin: int, code: int) -> tuple[int, ...]:
    """The posts to which shape and region allow this piece to go from `origin`, free or not."""
    board = state.board
    # 21.3: an own move may also lead into England; markers keep every piece in its region
    return board.moves[why == ACTION][shape_of(code)][board.post_region[origin]]


def _mine(task: Moving, code: int) -> bool:
    """The piece is one that this kind of move may lift."""
    if task.why == PERMANENT:
        return True
    own = owner_of(code) == task.by
    return own if task.why == ACTION else not own


def _options(state: State, why: int, hand: Hand, taken: int, enough: int) -> list[list[int]]:
    """Per piece in hand the free posts it may take, no more than `enough` of them."""
    posts = state.posts
    return [
        list(islice((p for p in _goals(state, why, origin, code) if not posts[p] and p != taken), enough))
        for origin, code in hand
    ]


def _has_plenty(state: State, why: int, hand: Hand) -> bool:
    """Every piece has more choices than the others could take away: no search is needed."""
    enough = len(hand) + 3
    return all(len(found) >= enough for found in _options(state, why, hand, -1, enough))


def _can_finish(state: State, why: int, hand: Hand, moved: int, taken: int = -1) -> bool:
    """The pieces in hand can all be put down, at least one of the whole move on another post."""
    enough = len(hand) + 2
    options = _options(state, why, hand, taken, enough)
    if hand and all(len(found) >= enough for found in options):
        return True
    return _match(hand, options, 0, moved, ())


def _match(hand: Hand, options: list[list[int]], index: int, moved: int, used: tuple[int, ...]) -> bool:
    if index == len(hand):
        return bool(moved)
    return any(
        _match(hand, options, index + 1, moved or int(post != hand[index][0]), (*used, post))
        for post in options[index]
        if post not in used
    )


def _with_lift(state: State, task: Moving, post: int) -> tuple[State, Hand]:
    return put_post(state, post, 0), (*task.lifted, (post, state.posts[post]))


def _can_lift(state: State, task: Moving, post: int) -> bool:
    """The move can be completed with this piece, perhaps by exchanging it with one lifted next."""
    after, hand = _with_lift(state, task, post)
    if _can_finish(after, task.why, hand, task.moved):
        return True
    if len(hand) >= task.limit:
        return False
    more = replace(task, lifted=hand)
    for other in _all_mine(after, task):
        last, pair = _with_lift(after, more, other)
        if _can_finish(last, task.why, pair, task.moved):
            return True
    return False


def _all_mine(state: State, task: Moving) -> list[int]:
    """The posts with a piece that this kind of move may lift."""
    if task.why == PERMANENT:
        mine = state.posts
    else:
        mine = own_posts(state, task.by) if task.why == ACTION else foreign_posts(state, task.by)
    return list(compress(range(len(mine)), mine))


def liftable(state: State, task: Moving) -> list[int]:
    """Posts whose piece may be lifted now."""
    if task.putting or len(task.lifted) >= task.limit:
        return []
    mine = _all_mine(state, task)
    if task.lifted:
        if _can_finish(state, task.why, task.lifted, task.moved):
            return mine  # a further piece can always go back to its post
        return [post for post in mine if _can_lift(state, task, post)]
    plenty: dict[tuple[int, int], bool] = {}
    out: list[int] = []
    for post in mine:
        code = state.posts[post]
        kind = (shape_of(code), state.board.post_region[post])
        if kind not in plenty:
            plenty[kind] = _has_plenty(state, task.why, ((post, code),))
        if plenty[kind] or _can_lift(state, task, post):
            out.append(post)
    return out


def _may_lift(state: State, task: Moving, post: int) -> bool:
    """This very piece may be lifted: alone, after others that can be finished, or in an exchange."""
    if task.lifted and _can_finish(state, task.why, task.lifted, task.moved):
        return True
    return _can_lift(state, task, post)


def start_task(state: State, seat: int) -> Moving:
    """The task that action D opens with its first lift."""
    return Moving(seat, ACTION, value(state.players[seat], BOOK))


def can_start(state: State, task: Moving) -> bool:
    """Some piece can really be moved."""
    return bool(liftable(state, task))


def why_not_lift(state: State, task: Moving, action: Lift) -> str | None:
    reason = why_not_post(state, action.post)
    if reason:
        return reason
    code = state.posts[action.post]
    if not code:
        return Reason("post_empty", "nothing stands on {post}", **at_post(state, action.post))
    if not _mine(task, code):
        return _OWN_ONLY if task.why == ACTION else _OTHERS_ONLY
    if task.putting:
        return Reason("lift_before_put", "all pieces are lifted before the first is put down")
    if len(task.lifted) >= task.limit:
        return Reason("move_limit", "at most {limit} pieces move at once", limit=task.limit)
    if _may_lift(state, task, action.post):
        return None
    return Reason("nowhere_to_go", "the piece on {post} has nowhere to go", **at_post(state, action.post))


def apply_lift(state: State, task: Moving, action: Lift, log: Log) -> State:
    state, hand = _with_lift(state, task, action.post)
    return retask(state, replace(task, lifted=hand))


def why_not_start(state: State, task: None, action: Lift) -> str | None:
    if state.actions < 1:
        return NO_ACTIONS
    return why_not_lift(state, start_task(state, action.seat), action)


def apply_start(state: State, task: None, action: Lift, log: Log) -> State:
    moving = start_task(state, action.seat)
    state = push(replace(state, actions=state.actions - 1, fresh=0), moving)
    return apply_lift(state, moving, action, log)


def start_candidates(state: State) -> list[Action]:
    if state.actions < 1:
        return []
    lifts = LIFTS[state.active]
    return [lifts[post] for post in liftable(state, start_task(state, state.active))]


def why_not_put(state: State, task: Moving, action: Put) -> str | None:
    if not task.lifted:
        return Reason("lift_first", "lift a piece first")
    reason = why_not_post(state, action.post)
    if reason:
        return reason
    origin, code = task.lifted[0]
    if state.posts[action.post]:
        return occupied(state, action.post)
    if action.post not in _goals(state, task.why, origin, code):
        if state.board.post_ship[action.post] and shape_of(code) != MERCHANT:
            return Reason("ship_post", "{post} takes a merchant only", **at_post(state, action.post))
        return Reason("leaves_region", "this piece may not leave its region that way")
    moved = task.moved or int(action.post != origin)
    if not _can_finish(state, task.why, task.lifted[1:], moved, action.post):
        return Reason("must_really_move", "at least one piece must really move, and every piece needs a post")
    return None


def apply_put(state: State, task: Moving, action: Put, log: Log) -> State:
    origin, code = task.lifted[0]
    if owner_of(code) == NEUTRAL:
        log.append(NeutralMoved(task.by, *place_of(state, origin), *place_of(state, action.post)))
    else:
        ends = (*place_of(state, origin), *place_of(state, action.post))
        log.append(Moved(task.by, owner_of(code), shape_of(code), *ends))
    state = put_post(state, action.post, code)
    rest = task.lifted[1:]
    if not rest:
        return pop(state)
    moved = task.moved or int(action.post != origin)
    return retask(state, replace(task, lifted=rest, moved=moved, putting=1))


def why_not_done(state: State, task: Moving, action: Done) -> str | None:
    if task.why != PERMANENT:
        return Reason("move_not_declined", "this move cannot be declined any more")
    return Reason("put_down_lifted", "put down what you lifted") if task.lifted else None


def apply_done(state: State, task: Moving, action: Done, log: Log) -> State:
    return pop(state)


def auto(state: State, task: Moving, log: Log) -> State | None:
    """A permanent marker that can move nothing is forgone."""
    if task.why == PERMANENT and not task.lifted and not can_start(state, task):
        return pop(state)
    return None


def candidates(state: State, task: Moving) -> list[Action]:
    lifts = LIFTS[task.by]
    found: list[Action] = [lifts[post] for post in liftable(state, task)]
    if task.lifted:
        puts = PUTS[task.by]
        found += [puts[post] for post in _put_posts(state, task)]
    elif task.why == PERMANENT:
        found.append(Done(task.by))
    return found


def _put_posts(state: State, task: Moving) -> Iterable[int]:
    """Where the first of the lifted pieces may be put down so that the move can be finished."""
    origin, code = task.lifted[0]
    rest = task.lifted[1:]
    posts = state.posts
    free = [post for post in _goals(state, task.why, origin, code) if not posts[post]]
    if rest and _has_plenty(state, task.why, rest):
        return free
    if not rest:
        return free if task.moved else [post for post in free if post != origin]
    return [p for p in free if _can_finish(state, task.why, rest, task.moved or int(p != origin), p)]
