"""Actions B and C up to the moment the piece stands: place, displace, choose the shape, pay (sections 9, 10)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.reason import Reason
from kontor_games.engine.games.hansa.actions import DISPLACES, PLACES, Choose, Displace, Pay, Place
from kontor_games.engine.games.hansa.data import DOUBLE_RETURN, MERCHANT, NEUTRAL, TRADER
from kontor_games.engine.games.hansa.events import Displaced, NeutralDisplaced, Placed
from kontor_games.engine.games.hansa.position import BARRED, FREE, accepts, blocks_on, has_destination, permit_for
from kontor_games.engine.games.hansa.state import (
    Choosing,
    Paying,
    Relocating,
    State,
    add,
    change,
    owner_of,
    piece_code,
    pop,
    push,
    put_post,
    retask,
    shape_of,
)

from .common import (
    NO_ACTIONS,
    Log,
    at_post,
    dismiss,
    occupied,
    place_of,
    supply_lacks,
    why_not_piece,
    why_not_post,
)


def price_of(state: State, post: int, displaced: int) -> int:
    """Pieces to pay besides the one put down: blocks (9), or the toll (10.1)."""
    if displaced:
        return 1 + shape_of(displaced)
    return blocks_on(state, state.board.post_route[post]) if state.promos else 0


def _why_not_supply(state: State, seat: int, post: int, price: int) -> str | None:
    """The personal supply must hold a fitting piece and the price."""
    traders, merchants = state.players[seat].personal
    if state.board.post_ship[post] and not merchants:
        text = "{post} takes a merchant only, and your personal supply has none"
        return Reason("ship_post_no_merchant", text, **at_post(state, post))
    if traders + merchants < 1 + price:
        text = "this needs {needed} pieces of your personal supply, which holds {held}"
        return Reason("too_few_pieces", text, needed=1 + price, held=traders + merchants)
    return None


def _why_not_permit(state: State, seat: int, post: int) -> str | None:
    board = state.board
    route = board.post_route[post]
    if permit_for(state, seat, route) != BARRED:
        return None
    region = board.routes[route].region
    cities = " or ".join(board.cities[city].name for city in board.permit_cities[region])
    text = "{region} needs an unused permit: the best office of {cities}"
    return Reason("no_permit", text, region=board.regions[region].capitalize(), cities=cities)


def why_not_place(state: State, task: None, action: Place) -> str | None:
    if state.actions < 1:
        return NO_ACTIONS
    reason = why_not_post(state, action.post)
    if reason:
        return reason
    if state.posts[action.post]:
        return occupied(state, action.post)
    price = price_of(state, action.post, 0)
    return _why_not_supply(state, action.seat, action.post, price) or _why_not_permit(state, action.seat, action.post)


def why_not_displace(state: State, task: None, action: Displace) -> str | None:
    if state.actions < 1:
        return NO_ACTIONS
    reason = why_not_post(state, action.post)
    if reason:
        return reason
    code = state.posts[action.post]
    if not code:
        text = "{post} is empty; place a piece there instead"
        return Reason("place_instead", text, **at_post(state, action.post))
    if owner_of(code) == action.seat:
        return Reason("own_piece_there", "your own piece stands on {post}", **at_post(state, action.post))
    reason = _why_not_supply(state, action.seat, action.post, price_of(state, action.post, code))
    reason = reason or _why_not_permit(state, action.seat, action.post)
    if reason:
        return reason
    if not has_destination(state, state.board.post_route[action.post], owner_of(code), shape_of(code)):
        return Reason("displaced_nowhere", "the displaced piece would have nowhere to go")  # R11
    return None


def candidates(state: State) -> list[Action]:
    """All legal Place and Displace actions, judged route by route."""
    seat = state.active
    traders, merchants = state.players[seat].personal
    total = traders + merchants
    found: list[Action] = []
    if state.actions < 1 or not total:
        return found
    posts = state.posts
    own = (1 + 2 * seat, 2 + 2 * seat)
    places, displaces = PLACES[seat], DISPLACES[seat]
    for number, route in enumerate(state.board.routes):
        if permit_for(state, seat, number) == BARRED:
            continue
        cost = 1 + (blocks_on(state, number) if state.promos else 0)
        for post in range(route.first, route.end):
            code = posts[post]
            if code in own or (not merchants and route.ship[post - route.first]):
                continue
            if not code:
                if total >= cost:
                    found.append(places[post])
            elif total >= 2 + shape_of(code) and has_destination(state, number, owner_of(code), shape_of(code)):
                found.append(displaces[post])
    return found


def _begin(state: State, seat: int, post: int) -> State:
    """Spend the action and the permit, then ask for the shape."""
    permit = permit_for(state, seat, state.board.post_route[post])
    permits = state.permits if permit == FREE else (*state.permits, permit)
    state = replace(state, actions=state.actions - 1, permits=permits, fresh=0)
    return push(state, Choosing(seat, post, state.posts[post]))


def apply_place(state: State, task: None, action: Place, log: Log) -> State:
    return _begin(state, action.seat, action.post)


def apply_displace(state: State, task: None, action: Displace, log: Log) -> State:
    return _begin(state, action.seat, action.post)


def shapes_for(state: State, task: Choosing) -> list[int]:
    """The shapes that can be put down so that the rest of the price remains payable."""
    stock = state.players[task.by].personal
    return [shape for shape in (TRADER, MERCHANT) if stock[shape] and accepts(state.board, task.post, shape)]


def why_not_choose(state: State, task: Choosing, action: Choose) -> str | None:
    reason = why_not_piece(action.piece)
    if reason:
        return reason
    if not state.players[task.by].personal[action.piece]:
        return supply_lacks(action.piece)
    if action.piece in shapes_for(state, task):
        return None
    return Reason("merchant_only", "this post takes a merchant only")


def apply_choose(state: State, task: Choosing, action: Choose, log: Log) -> State:
    return put_chosen(state, task, action.piece, log)


def put_chosen(state: State, task: Choosing, shape: int, log: Log) -> State:
    """The piece takes the post at once; then the price, then the relocation (10.2)."""
    seat, post, displaced = task.by, task.post, task.displaced
    price = price_of(state, post, displaced)
    state = change(state, seat, personal=add(state.players[seat].personal, shape, -1))
    state = pop(put_post(state, post, piece_code(seat, shape)))
    if displaced:
        owner, lost = owner_of(displaced), shape_of(displaced)
        if owner == NEUTRAL:
            log.append(NeutralDisplaced(seat, *place_of(state, post)))
            by, extra = 1 - seat, 1  # the other of the two players puts it down (section 19)
        else:
            log.append(Displaced(seat, owner, lost, *place_of(state, post)))
            doubled = DOUBLE_RETURN in state.players[owner].favours
            by, extra = owner, 2 if lost == MERCHANT or doubled else 1
        state = push(state, Relocating(by, state.board.post_route[post], owner, displaced, extra))
    log.append(Placed(seat, shape, *place_of(state, post)))
    return push(state, Paying(seat, price)) if price else state


def auto_choosing(state: State, task: Choosing, log: Log) -> State | None:
    """Nothing to choose if only one shape will do."""
    shapes = shapes_for(state, task)
    return put_chosen(state, task, shapes[0], log) if len(shapes) == 1 else None


def auto_paying(state: State, task: Paying, log: Log) -> State | None:
    """The price is paid without a question where only one payment is possible."""
    traders, merchants = state.players[task.by].personal
    if traders and merchants and traders + merchants > task.due:
        return None
    if traders + merchants == task.due:
        return pop(dismiss(state, task.by, traders, merchants, log))
    due = (task.due, 0) if traders else (0, task.due)
    return pop(dismiss(state, task.by, *due, log))


def why_not_pay(state: State, task: Paying, action: Pay) -> str | None:
    reason = why_not_piece(action.piece)
    if reason:
        return reason
    if not state.players[task.by].personal[action.piece]:
        return supply_lacks(action.piece)
    return None


def apply_pay(state: State, task: Paying, action: Pay, log: Log) -> State:
    state = dismiss(state, task.by, int(action.piece == TRADER), int(action.piece == MERCHANT), log)
    return retask(state, Paying(task.by, task.due - 1)) if task.due > 1 else pop(state)


def choosing_candidates(state: State, task: Choosing) -> Iterator[Action]:
    return (Choose(task.by, shape) for shape in shapes_for(state, task))


def paying_candidates(state: State, task: Paying) -> Iterator[Action]:
    stock = state.players[task.by].personal
    return (Pay(task.by, shape) for shape in (TRADER, MERCHANT) if stock[shape])
