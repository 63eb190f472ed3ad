"""Cards on their way: drawing, shuffling hands, changing tasks; what waits for chance and goes on after it."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from kontor_games.engine.core.action import Event
from kontor_games.engine.core.chance import Chance, Dealt

from .data import TASK_DRAW
from .events import CardDrawn, EndTriggered, TaskChanged, TasksDrawn, TasksReshuffled
from .scoring import is_last_round
from .state import DRAWN, KEEP, NOBODY, RESHUFFLE, TASKS_DRAWN, TASKS_MIXED, Player, State

Step = tuple[State, tuple[Event, ...]]


def with_player(state: State, seat: int, player: Player) -> State:
    """The state with one player exchanged."""
    return replace(state, players=(*state.players[:seat], player, *state.players[seat + 1 :]))


def _with_cards(player: Player, colour: int, slots: Iterable[int]) -> Player:
    return replace(player, hand=(*player.hand[:colour], tuple(slots), *player.hand[colour + 1 :]))


def draw(state: State, colours: tuple[int, ...]) -> Step:
    """The active player takes the top card of each of these piles; the last round may begin."""
    seat = state.active
    player = state.players[seat]
    piles = list(state.piles)
    asked = []
    for colour in colours:
        slot, *rest = piles[colour]
        piles[colour] = tuple(rest)
        player = _with_cards(player, colour, (*player.hand[colour], slot))
        asked.append((slot, seat))
    events: list[Event] = [CardDrawn(seat, colour) for colour in colours]
    ended = int(is_last_round(piles, len(state.players)))
    if ended > state.ended:
        events.append(EndTriggered(seat))
    state = replace(
        with_player(state, seat, player),
        desk=state.desk.deal(asked),
        piles=tuple(piles),
        ended=ended,
        phase=DRAWN,
        to_mix=colours,
    )
    return state, tuple(events)


def mix_drawn(state: State) -> State:
    """Ask the owner to shuffle its cards of a colour just drawn, so that slots do not tell which is the new one.

    A single card needs no shuffle, and a hand that lies open has nothing to hide.
    """
    seat = state.active
    player = state.players[seat]
    for place, colour in enumerate(state.to_mix):
        if len(player.hand[colour]) > 1 and seat not in state.desk.gone:
            desk, out = state.desk.mix(slots=player.hand[colour], own=seat)
            state = with_player(state, seat, _with_cards(player, colour, out))
            return replace(state, desk=desk, to_mix=state.to_mix[place + 1 :])
    return replace(state, to_mix=())


def take_from_hand(player: Player, colour: int, slot: int) -> Player:
    """The player without this card."""
    return _with_cards(player, colour, (each for each in player.hand[colour] if each != slot))


def tasks_available(state: State) -> int:
    """How many tasks a change of task could draw."""
    return len(state.task_pile) + (len(state.task_discard) if state.reshuffle else 0)


def draw_tasks(state: State) -> Step:
    """Take the top tasks; a short pile is first filled up from the discards if the option says so (R10)."""
    if state.reshuffle and len(state.task_pile) < TASK_DRAW and state.task_discard:
        return _gather_discards(state), (TasksReshuffled(len(state.task_discard)),)
    seat = state.active
    drawn = state.task_pile[:TASK_DRAW]
    player = state.players[seat]
    state = replace(
        with_player(state, seat, replace(player, tasks=(*player.tasks, *drawn))),
        desk=state.desk.deal((slot, seat) for slot in drawn),
        task_pile=state.task_pile[TASK_DRAW:],
        phase=TASKS_DRAWN,
    )
    return state, (TasksDrawn(seat, len(drawn)),)


def _gather_discards(state: State) -> State:
    """Ask for the next discard that only its owner can read to go under everybody's layer, then for the shuffle."""
    for place, (slot, holder) in enumerate(state.task_discard):
        if holder != NOBODY and state.desk.face(slot) is None:
            desk, new = state.desk.move(slot, by=holder)
            discard = (*state.task_discard[:place], (new, NOBODY), *state.task_discard[place + 1 :])
            return replace(state, desk=desk, task_discard=discard, phase=RESHUFFLE)
    desk, out = state.desk.mix(slots=(*state.task_pile, *(slot for slot, _ in state.task_discard)))
    return replace(state, desk=desk, task_pile=out, task_discard=(), phase=RESHUFFLE)


def _mix_tasks(state: State) -> State:
    """The owner shuffles old and new tasks, so that nobody sees whether the old one is kept."""
    seat = state.active
    player = state.players[seat]
    if seat in state.desk.gone:
        return replace(state, phase=KEEP)
    desk, out = state.desk.mix(slots=player.tasks, own=seat)
    return replace(with_player(state, seat, replace(player, tasks=out)), desk=desk, phase=TASKS_MIXED)


def keep_tasks(state: State, keep: tuple[int, ...]) -> Step:
    """Keep some tasks; the others are discarded face down."""
    seat = state.active
    player = state.players[seat]
    gone = tuple((slot, seat) for slot in player.tasks if slot not in keep)
    state = with_player(state, seat, replace(player, tasks=keep))
    return replace(state, task_discard=(*state.task_discard, *gone)), (TaskChanged(seat, len(gone)),)


def tidy(state: State) -> State:
    """Forget public faces of slots that are no longer on the table; only while no want is open."""
    if not state.desk.faces or state.desk.want is not None:
        return state
    kept = {slot for slot, _ in state.task_discard}.union(state.task_pile)
    for player in state.players:
        kept.update(player.tasks, *player.hand)
    return replace(state, desk=state.desk.forget(slot for slot, _ in state.desk.faces if slot not in kept))


def receive(state: State, answer: Chance) -> State:
    """Note faces that were opened to all because their owner has left."""
    if isinstance(answer, Dealt):
        shown = [(slot, face) for slot, _, face in answer.cards if face is not None]
        if shown:
            state = replace(state, desk=state.desk.show(shown))
    return tidy(state)


def go_on(state: State) -> Step:
    """The next step of what chance interrupted; a state in DRAWN without a want has all its cards."""
    if state.phase == DRAWN:
        return mix_drawn(state), ()
    if state.phase == RESHUFFLE:
        return (_gather_discards(state), ()) if state.task_discard else draw_tasks(state)
    if state.phase == TASKS_DRAWN:
        return _mix_tasks(state), ()
    assert state.phase == TASKS_MIXED, state.phase
    return replace(state, phase=KEEP), ()
