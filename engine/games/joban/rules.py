"""What may be done: `why_not` is the only home of legality, `candidates` lists exactly what it allows."""

from __future__ import annotations

from itertools import combinations, pairwise

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.reason import Reason
from kontor_games.engine.core.value import Known

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
from .cards import tasks_available
from .data import (
    BONUS_DRAW_PILES,
    BONUSES,
    COLOURS,
    DRAW,
    HAND_LIMIT,
    MOVE,
    PATTERNS,
    RAYS,
    SHOP_CARDS,
    SWAP,
    TASK_DECK,
    TASKS_PER_PLAYER,
    Cell,
)
from .field import (
    bonus_cells,
    building_cells,
    can_move,
    free_shops,
    groups_without,
    joining_cells,
    lookup,
    move_targets,
    neighbours,
    on_cell,
    why_not_build,
)
from .scoring import task_lines
from .state import AIM, BONUS, DRAGONS, FINAL, KEEP, NOBODY, OVER, PLACE, SCORE, TARGET, TURN, USE_BONUS, Player, State

_NOW = {
    TURN: "it is time to design or to play a card",
    PLACE: "the shop of the card in play must be placed",
    AIM: "a direction must be chosen",
    DRAGONS: "the scored dragons may move now",
    BONUS: "the bonus comes first",
    TARGET: "the second cell must be chosen",
    KEEP: "tasks to keep must be chosen",
    FINAL: "tasks are scored now",
}
_ON_THEIR_WAY = "cards are on their way"


def turn(state: State) -> int | None:
    """The seat to decide; owners of scored dragons decide out of turn."""
    if state.phase == OVER:
        return None
    return state.queue[0][0] if state.phase == DRAGONS else state.active


def why_not(state: State, action: Action) -> str | None:
    """The rule that forbids `action`, or None."""
    match state.phase, action:
        case "turn", Design(pile=pile):
            return _why_not_design(state, pile)
        case "turn", Play(slot=slot, card=card, mode=mode):
            return _why_not_play(state, slot, card, mode)
        case "turn", Pass():
            return None if must_pass(state) else can_act()
        case "place", Place(cell=cell):
            return why_not_build(state.half, lookup(state.field), cell)
        case "aim", Aim(direction=direction):
            return _why_not_aim(state, direction)
        case "dragons", DragonMove(origin=origin, target=target):
            return _why_not_dragon(state, origin, target)
        case "dragons", DragonsStay():
            return None
        case "bonus", _:
            return _why_not_bonus(state, action)
        case "target", SwapWith(cell=cell) if _bonus(state) == SWAP:
            return _why_not_partner(state, cell)
        case "target", MoveTo(cell=cell) if _bonus(state) == MOVE:
            return _why_not_target(state, cell)
        case "keep", TaskKeep(keep=keep):
            return _why_not_keep(state, keep)
        case "final", ScoreTask(slot=slot, task=task, line=line):
            return _why_not_score_task(state, slot, task, line)
        case _:
            return not_now(state)


def not_now(state: State) -> Reason:
    """What the phase asks for instead of another action."""
    return Reason(f"not_in_{state.phase}".replace(" ", "_"), f"not now: {_NOW.get(state.phase, _ON_THEIR_WAY)}")


def candidates(state: State, known: Known) -> list[Action]:
    """Exactly the legal actions, as far as `known` tells faces, in a fixed order."""
    seat = turn(state)
    if seat is None:
        return []
    match state.phase:
        case "turn":
            return _turn_candidates(state, seat, known)
        case "place":
            return [Place(seat, cell) for cell in building_cells(state.half, ((x, y) for x, y, _, _ in state.field))]
        case "aim":
            return [Aim(seat, direction) for direction in RAYS[SHOP_CARDS[state.card].pattern]]
        case "dragons":
            shops = lookup(state.field)
            origins = state.queue[0][1]
            moves = [DragonMove(seat, origin, target) for origin in origins for target in free_shops(shops, origin)]
            return [*moves, DragonsStay(seat)]
        case "bonus":
            return _bonus_candidates(state, seat)
        case "target":
            assert state.picked is not None
            if _bonus(state) == SWAP:
                return [SwapWith(seat, cell) for cell in bonus_cells(state) if cell != state.picked]
            return [MoveTo(seat, cell) for cell in move_targets(state, lookup(state.field), state.picked)]
        case "keep":
            tasks = sorted(state.players[seat].tasks)
            return [TaskKeep(seat, keep) for keep in combinations(tasks, _tasks_kept(state))]
        case "final":
            found: list[Action] = []
            for slot in state.players[seat].tasks:
                task = state.desk.face(slot, known)
                if task is not None:
                    found += [ScoreTask(seat, slot, task, line) for line in task_lines(state.field, task)]
            return found
        case _:
            return []


def bonus_possible(state: State) -> bool:
    """Whether the bonus of the card in play can do anything that its player decides."""
    match _bonus(state):
        case 0:  # SWAP
            return len(bonus_cells(state)) > 1
        case 1:  # MOVE
            shops = lookup(state.field)
            return any(can_move(state, shops, cell) for cell in bonus_cells(state))
        case 2:  # DRAW
            return most_bonus_cards(state) > 0
        case 3:  # TASK
            return tasks_available(state) > 0
        case _:
            return False


def most_bonus_cards(state: State) -> int:
    """How many cards the bonus may draw: room in hand, non-empty piles, at most two (R9)."""
    piles = sum(1 for pile in state.piles if pile)
    return min(HAND_LIMIT - state.players[state.active].cards, piles, BONUS_DRAW_PILES)


def _bonus(state: State) -> int:
    return SHOP_CARDS[state.card].bonus


def _tasks_kept(state: State) -> int:
    return TASKS_PER_PLAYER[len(state.players)]


def may_design(state: State, player: Player) -> bool:
    """Whether the player has room for a card and some pile has one."""
    return player.cards < HAND_LIMIT and any(state.piles)


def must_pass(state: State) -> bool:
    """R16: whether an action can be used for nothing."""
    player = state.players[state.active]
    return not player.cards and not may_design(state, player)


def can_act() -> Reason:
    """R16: why an action cannot be passed."""
    return Reason("can_act", "an action can still be used")


def _turn_candidates(state: State, seat: int, known: Known) -> list[Action]:
    player = state.players[seat]
    found: list[Action] = []
    if player.cards < HAND_LIMIT:
        found += [Design(seat, colour) for colour, pile in enumerate(state.piles) if pile]
    modes = (SCORE, USE_BONUS) if player.reserve else (SCORE,)  # R21
    for slots in player.hand:
        for slot in slots:
            card = state.desk.face(slot, known)
            if card is not None:
                found += [Play(seat, slot, card, mode) for mode in modes]
    if must_pass(state):
        found.append(Pass(seat))
    return found


def _bonus_candidates(state: State, seat: int) -> list[Action]:
    bonus = _bonus(state)
    found: list[Action] = []
    if bonus == SWAP:
        found += [Pick(seat, cell) for cell in bonus_cells(state)]
    elif bonus == MOVE:
        shops = lookup(state.field)
        found += [Pick(seat, cell) for cell in bonus_cells(state) if can_move(state, shops, cell)]
    elif bonus == DRAW:
        most = most_bonus_cards(state)
        piles = [colour for colour, pile in enumerate(state.piles) if pile]
        for count in range(1 if state.may_decline else most, most + 1):
            found += [BonusDraw(seat, drawn) for drawn in combinations(piles, count)]
    else:
        found.append(TaskDraw(seat))
    if state.may_decline:
        found.append(Decline(seat))
    return found


def _why_not_design(state: State, pile: int) -> str | None:
    if pile >= len(COLOURS):
        return _no_pile(pile)
    if state.players[state.active].cards >= HAND_LIMIT:
        return Reason("hand_full", "a hand holds at most {limit} cards", limit=HAND_LIMIT)
    return None if state.piles[pile] else _empty_pile(pile)


def _no_pile(pile: int) -> Reason:
    return Reason("no_pile", "there is no pile {pile}", pile=pile)


def _empty_pile(pile: int) -> Reason:
    return Reason("pile_empty", "the {colour} pile is empty", colour=COLOURS[pile])


def _why_not_play(state: State, slot: int, card: int, mode: int) -> str | None:
    player = state.players[state.active]
    colour = next((colour for colour, slots in enumerate(player.hand) if slot in slots), None)
    if colour is None:
        return Reason("not_in_hand", "card {slot} is not in this hand", slot=slot)
    if card >= len(SHOP_CARDS):
        return Reason("no_shop_card", "{card} is not a shop card", card=card)
    if SHOP_CARDS[card].colour != colour:
        other = COLOURS[SHOP_CARDS[card].colour]
        text = "card {slot} has a {colour} back, this one would be {other}"
        return Reason("other_back", text, slot=slot, colour=COLOURS[colour], other=other)
    if state.desk.face(slot) not in (None, card):
        return Reason("other_card", "card {slot} lies open and is another one", slot=slot)
    if mode not in (SCORE, USE_BONUS):
        return Reason("no_half", "a card has no half {mode}", mode=mode)
    if mode == USE_BONUS and not player.reserve:
        return no_dragon_left()
    return None


def no_dragon_left() -> Reason:
    """R21: what a card without a dragon to place is good for."""
    return Reason("no_dragon", "no dragon is left: cards can only be played for points")


def _why_not_aim(state: State, direction: int) -> Reason | None:
    pattern = SHOP_CARDS[state.card].pattern
    if direction in RAYS[pattern]:
        return None
    return Reason("not_there", "a card scoring {pattern} does not look there", pattern=PATTERNS[pattern])


def _why_not_dragon(state: State, origin: Cell, target: Cell) -> str | None:
    if origin not in state.queue[0][1]:
        return Reason("no_scored_dragon", "no scored dragon of this player waits on {cell}", **on_cell(origin))
    if target not in neighbours(origin):
        return Reason("dragon_too_far", "a dragon moves to a neighbouring shop")
    shop = lookup(state.field).get(target)
    if shop is None:
        return _no_shop(target)
    if shop[1] == NOBODY:
        return None
    return Reason("dragon_there", "a dragon sits on {cell} already", **on_cell(target))  # R3


def _no_shop(cell: Cell) -> Reason:
    return Reason("no_shop", "there is no shop on {cell}", **on_cell(cell))


def _why_not_bonus(state: State, action: Action) -> str | None:
    match _bonus(state), action:
        case _, Decline():
            return None if state.may_decline else must_use_bonus()
        case 0, Pick(cell=cell):
            return _why_not_earlier(state, cell)
        case 1, Pick(cell=cell):
            reason = _why_not_earlier(state, cell)
            if reason is None and not can_move(state, lookup(state.field), cell):
                return Reason("nowhere_to_go", "this shop has nowhere to go")
            return reason
        case 2, BonusDraw(piles=piles):
            return _why_not_bonus_draw(state, piles)
        case 3, TaskDraw():
            return None
        case bonus, _:
            word = BONUSES[bonus]
            return Reason(f"bonus_is_{word}", f"not now: the bonus is {word.replace('_', ' ')}")


def must_use_bonus() -> Reason:
    """R5: with the option, why a bonus cannot be declined."""
    return Reason("must_use_bonus", "the bonus must be used")


def _why_not_bonus_draw(state: State, piles: tuple[int, ...]) -> str | None:
    if not piles or any(a >= b for a, b in pairwise(piles)):
        return Reason("piles_in_order", "one or two different piles, in their order")
    for pile in piles:
        if pile >= len(COLOURS):
            return _no_pile(pile)
        if not state.piles[pile]:
            return _empty_pile(pile)
    most = most_bonus_cards(state)
    if len(piles) > most:
        text = "at most {most} can be drawn: one from a pile, never beyond {limit} in hand"
        return Reason("too_many_drawn", text, most=most, limit=HAND_LIMIT)
    if len(piles) < most and not state.may_decline:
        return Reason("too_few_drawn", "{most} must be drawn", most=most)  # R5
    return None


def _why_not_earlier(state: State, cell: Cell) -> str | None:
    """R6: only shops built earlier can be swapped, moved or replaced."""
    if state.spare_new and cell == state.new:
        return Reason("new_shop_stays", "the shop just built stays")
    if all((x, y) != cell for x, y, _, _ in state.field):
        return _no_shop(cell)
    return None


def _why_not_partner(state: State, cell: Cell) -> str | None:
    reason = _why_not_earlier(state, cell)
    if reason is None and cell == state.picked:
        return Reason("same_shop", "a swap needs two shops")
    return reason


def _why_not_target(state: State, cell: Cell) -> str | None:
    shops = lookup(state.field)
    origin = state.picked
    assert origin is not None
    if cell == origin:
        return Reason("must_leave", "the shop must leave its cell")
    replaces = cell in shops
    reason = _why_not_earlier(state, cell) if replaces else why_not_build(state.half, shops, cell, lifted=origin)
    if reason:
        return reason
    groups = groups_without(state, shops, origin)
    if groups and (replaces or cell not in joining_cells(state, shops, groups)):
        return Reason("falls_apart", "the field would fall apart")  # R7
    return None


def _why_not_keep(state: State, keep: tuple[int, ...]) -> str | None:
    tasks = state.players[state.active].tasks
    if len(keep) != _tasks_kept(state):
        return Reason("keep_number", "{count} must be kept", count=_tasks_kept(state))
    if any(a >= b for a, b in pairwise(keep)):
        return Reason("keep_in_order", "different tasks, in their order")
    return None if all(slot in tasks for slot in keep) else Reason("keep_own", "only tasks in hand can be kept")


def _why_not_score_task(state: State, slot: int, task: int, line: int) -> str | None:
    if slot not in state.players[state.active].tasks:
        return Reason("not_your_task", "{slot} is not an open task of this player", slot=slot)
    if task not in TASK_DECK:
        return Reason("no_task", "{task} is not a task", task=task)
    if state.desk.face(slot) not in (None, task):
        return Reason("other_task", "task {slot} lies open and is another one", slot=slot)
    if line not in task_lines(state.field, task):
        return Reason("empty_line", "no shop is on line {line}", line=line)  # R14
    return None


def opens(state: State, action: Action) -> tuple[tuple[int, int], ...]:
    """The hidden card that the action shows; a card that lies open already needs no opening."""
    match action:
        case Play(slot=slot, card=face) | ScoreTask(slot=slot, task=face):
            return ((slot, face),) if state.desk.face(slot) is None else ()
        case _:
            return ()
