"""What legal actions, chance and leaving do to a state."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from kontor_games.engine.core.action import Action, Event
from kontor_games.engine.core.chance import Chance, Left

from .actions import (
    Aim,
    BonusDraw,
    Decline,
    Design,
    DragonMove,
    DragonsStay,
    MoveTo,
    Pass,
    Pick,
    Place,
    Play,
    ScoreTask,
    SwapWith,
    TaskDraw,
    TaskKeep,
)
from .cards import Step, draw, draw_tasks, go_on, keep_tasks, receive, take_from_hand, tidy, with_player
from .data import ACTIONS_PER_TURN, DOUBLE, MOVE, RAYS, SHOP_CARDS, SWAP, Cell
from .events import (
    BonusDeclined,
    BonusUseless,
    CardPlayed,
    DragonDiscarded,
    DragonMoved,
    DragonPlaced,
    DragonPoints,
    DragonsStayed,
    FairLeft,
    FairOpened,
    FinalScoring,
    GameEnded,
    Passed,
    PointsDoubled,
    PointsScored,
    ShopBuilt,
    ShopMoved,
    ShopRemoved,
    ShopsSwapped,
    TaskScored,
)
from .field import compact, free_shops, lookup
from .rules import bonus_possible
from .scoring import build_points, line_points, owner_points, scored_cells, scored_dragons, winners
from .setup import next_shuffle
from .state import (
    AIM,
    BONUS,
    DRAGONS,
    DRAWN,
    FINAL,
    FROM_DOUBLE,
    FROM_DRAGONS,
    FROM_FINAL_DRAGONS,
    FROM_SHOPS,
    FROM_TASKS,
    NOBODY,
    OVER,
    PLACE,
    SCORE,
    SETUP,
    TARGET,
    TURN,
    State,
)


def apply(state: State, action: Action) -> Step:
    """The state after a legal action, and what happened."""
    match action:
        case Design(pile=pile):
            return draw(state, (pile,))
        case Play():
            return _play(state, action)
        case Place(cell=cell):
            return _place(state, cell)
        case Aim(direction=direction):
            return _score(state, direction)
        case Pick(cell=cell):
            return replace(state, picked=cell, phase=TARGET), ()
        case SwapWith(cell=cell):
            return _swap(state, cell)
        case MoveTo(cell=cell):
            return _move(state, cell)
        case BonusDraw(piles=piles):
            return draw(state, piles)
        case TaskDraw():
            return draw_tasks(state)
        case TaskKeep(keep=keep):
            return _then(keep_tasks(state, keep), _finish_build)
        case Decline(seat=seat):
            return _then((state, (BonusDeclined(seat),)), _finish_build)
        case DragonMove():
            return _move_dragon(state, action)
        case DragonsStay(seat=seat):
            state = replace(state, queue=state.queue[1:])
            return _then((state, (DragonsStayed(seat),)), _next_dragons)
        case ScoreTask():
            return _score_task(state, action)
        case Pass(seat=seat):
            return _then((state, (Passed(seat),)), _next_action)
        case _:
            raise AssertionError(f"no action of this game: {action}")


def chance(state: State, answer: Chance) -> Step:
    """Go on with what waited for chance."""
    state = receive(state, answer)
    if state.phase == SETUP:
        return next_shuffle(state), ()
    if state.phase == TURN:  # only the deal of the first tasks ends here
        return state, (FairOpened(state.first),)
    step = go_on(state)
    if step[0].phase != DRAWN or step[0].desk.want is not None:
        return step
    return _then(step, _next_action if state.card == NOBODY else _finish_build)


def left(state: State, leaving: Left) -> Step:
    """The cards of these seats lie open from now on; the rules go on unchanged."""
    return tidy(state), tuple(FairLeft(seat) for seat in leaving.seats)


def _then(step: Step, go: Callable[[State], Step]) -> Step:
    """Continue a step with another one and join their events."""
    state, events = go(step[0])
    return state, (*step[1], *events)


def _book(state: State, seat: int, category: int, points: int) -> State:
    player = state.players[seat]
    tally = (*player.points[:category], player.points[category] + points, *player.points[category + 1 :])
    return with_player(state, seat, replace(player, points=tally))


def _play(state: State, action: Play) -> Step:
    seat = action.seat
    hand = take_from_hand(state.players[seat], SHOP_CARDS[action.card].colour, action.slot)
    state = replace(with_player(state, seat, hand), card=action.card, mode=action.mode, phase=PLACE)
    return tidy(state), (CardPlayed(seat, action.card, action.mode),)


def _place(state: State, cell: Cell) -> Step:
    seat = state.active
    colour = SHOP_CARDS[state.card].colour
    dragon = NOBODY if state.mode == SCORE else seat
    field = tuple(sorted((*state.field, (*cell, colour, dragon))))
    state = replace(state, field=field, new=cell)
    built = ShopBuilt(seat, cell, colour)
    if state.mode == SCORE:
        if RAYS[SHOP_CARDS[state.card].pattern]:
            return replace(state, phase=AIM), (built,)
        return _then((state, (built,)), lambda after: _score(after, None))
    player = state.players[seat]
    state = with_player(state, seat, replace(player, reserve=player.reserve - 1))
    return _then((state, (built, DragonPlaced(seat, cell))), _begin_bonus)


def _score(state: State, direction: int | None) -> Step:
    """§7: points of the builder, points of dragon owners, then dragon moves."""
    assert state.new is not None
    seat = state.active
    shops = lookup(state.field)
    cells = scored_cells(shops, state.card, state.new, direction)
    points = build_points(shops, cells, seat)
    queue = scored_dragons(shops, cells, seat, len(state.players))
    events: list[Event] = [PointsScored(seat, points, len(cells), sum(len(dragons) for _, dragons in queue))]
    state = _book(state, seat, FROM_SHOPS, points)
    if state.double:  # R8: the double came first
        state = _book(state, seat, FROM_DOUBLE, points)
        events.append(PointsDoubled(seat, points))
    for owner, dragons in queue:
        gained = owner_points(len(dragons))
        state = _book(state, owner, FROM_DRAGONS, gained)
        events.append(DragonPoints(owner, gained))
    state = replace(state, earned=points, queue=queue)
    return _then((state, tuple(events)), _next_dragons)


def _next_dragons(state: State) -> Step:
    """Let the next owner decide who can move a scored dragon, or go on with the turn."""
    queue = state.queue
    shops = lookup(state.field) if queue else {}
    while queue and not any(free_shops(shops, cell) for cell in queue[0][1]):
        queue = queue[1:]
    state = replace(state, queue=queue)
    return (replace(state, phase=DRAGONS), ()) if queue else _finish_build(state)


def _move_dragon(state: State, action: DragonMove) -> Step:
    shops = lookup(state.field)
    shops[action.origin] = (shops[action.origin][0], NOBODY)
    shops[action.target] = (shops[action.target][0], action.seat)
    (owner, waiting), *rest = state.queue
    waiting = tuple(cell for cell in waiting if cell != action.origin)
    state = replace(state, field=compact(shops), queue=((owner, waiting), *rest))
    return _then((state, (DragonMoved(action.seat, action.origin, action.target),)), _next_dragons)


def _begin_bonus(state: State) -> Step:
    bonus = SHOP_CARDS[state.card].bonus
    if bonus == DOUBLE:
        return _then(_double(state), _finish_build)
    if bonus_possible(state):
        return replace(state, phase=BONUS), ()
    return _then((state, (BonusUseless(state.active, bonus),)), _finish_build)


def _double(state: State) -> Step:
    """R8: book the points of this turn's scoring build once more, or wait for one."""
    if state.earned == NOBODY:
        return replace(state, double=1), ()
    return _book(state, state.active, FROM_DOUBLE, state.earned), (PointsDoubled(state.active, state.earned),)


def _swap(state: State, cell: Cell) -> Step:
    assert state.picked is not None and SHOP_CARDS[state.card].bonus == SWAP
    shops = lookup(state.field)
    shops[state.picked], shops[cell] = shops[cell], shops[state.picked]
    swapped = ShopsSwapped(state.active, state.picked, cell)
    return _then((replace(state, field=compact(shops)), (swapped,)), _finish_build)


def _move(state: State, cell: Cell) -> Step:
    origin = state.picked
    assert origin is not None and SHOP_CARDS[state.card].bonus == MOVE
    shops = lookup(state.field)
    events: list[Event] = []
    replaced = shops.get(cell)
    if replaced is not None:
        colour, dragon = replaced
        events.append(ShopRemoved(cell, colour))
        if dragon != NOBODY:
            owner = state.players[dragon]
            state = with_player(state, dragon, replace(owner, lost=owner.lost + 1))
            events.append(DragonDiscarded(dragon, cell))
    shops[cell] = shops.pop(origin)
    events.append(ShopMoved(state.active, origin, cell))
    return _then((replace(state, field=compact(shops)), tuple(events)), _finish_build)


def _finish_build(state: State) -> Step:
    """The card is resolved and goes to the open discard pile."""
    state = replace(state, discard=(*state.discard, state.card), card=NOBODY, mode=SCORE, new=None, picked=None)
    return _next_action(state)


def _next_action(state: State) -> Step:
    if state.action_no < ACTIONS_PER_TURN:
        return replace(state, action_no=state.action_no + 1, phase=TURN), ()
    following = (state.active + 1) % len(state.players)
    state = replace(state, active=following, action_no=1, earned=NOBODY, double=0, phase=TURN)
    if state.ended and following == state.first:  # the round is complete; R17
        return replace(state, phase=FINAL), (FinalScoring(following),)
    return state, ()


def _score_task(state: State, action: ScoreTask) -> Step:
    """§11: the line counts at once; R13: dragons do not move."""
    seat = action.seat
    points, owners = line_points(lookup(state.field), action.task, action.line, seat, state.own_dragons)
    state = _book(state, seat, FROM_TASKS, points)
    events: list[Event] = [TaskScored(seat, action.task, action.line, points)]
    for owner in sorted(owners):
        state = _book(state, owner, FROM_FINAL_DRAGONS, owners[owner])
        events.append(DragonPoints(owner, owners[owner]))
    player = state.players[seat]
    tasks = tuple(slot for slot in player.tasks if slot != action.slot)
    scored = (*player.scored, (action.task, action.line, points))
    state = tidy(with_player(state, seat, replace(player, tasks=tasks, scored=scored)))
    if tasks:
        return state, tuple(events)
    following = (seat + 1) % len(state.players)
    if following != state.first:
        return replace(state, active=following), tuple(events)
    scores = tuple(each.score for each in state.players)
    return replace(state, phase=OVER), (*events, GameEnded(winners(scores), scores))
