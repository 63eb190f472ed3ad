"""The first state: the start field and first player from entropy, then the sealed shuffles one by one."""

from __future__ import annotations

from msgspec.structs import replace

from kontor_games.engine.core.chance import Desk
from kontor_games.engine.core.game import OptionValue
from kontor_games.engine.core.stream import Stream

from .data import DECKS, DRAGONS, START_CELLS, START_COLOURS, START_REMOVED, TASK_DECK, TASKS_PER_PLAYER
from .state import NOBODY, SETUP, TURN, Player, State


def setup(options: dict[str, OptionValue], seats: int, entropy: bytes) -> State:
    """Start cards, then the first player, from one stream; the first shuffle is asked for."""
    stream = Stream(entropy)
    order = stream.permutation(len(START_COLOURS))[START_REMOVED:]  # the first is set aside unseen
    colours = [START_COLOURS[index] for index in order]
    first = stream.below(seats)
    state = State(
        desk=Desk(),
        half=int(options["field_half_extent"]),
        may_decline=int(options["bonus_may_be_declined"]),
        spare_new=int(options["bonus_excludes_new_shop"]),
        keep_connected=int(options["move_must_keep_field_connected"]),
        own_dragons=int(options["final_own_dragons_count"]),
        reshuffle=int(options["reshuffle_task_discards"]),
        first=first,
        active=first,
        action_no=1,
        phase=SETUP,
        field=tuple(sorted((x, y, colour, NOBODY) for (x, y), colour in zip(START_CELLS, colours, strict=True))),
        players=(Player(reserve=DRAGONS),) * seats,
    )
    return next_shuffle(state)


def next_shuffle(state: State) -> State:
    """Ask for the next of: three pile shuffles, the task shuffle, the deal of the first tasks."""
    for colour, pile in enumerate(state.piles):
        if not pile:
            desk, out = state.desk.mix(faces=DECKS[colour])
            return replace(state, desk=desk, piles=(*state.piles[:colour], out, *state.piles[colour + 1 :]))
    if not state.task_pile:
        desk, out = state.desk.mix(faces=TASK_DECK)
        return replace(state, desk=desk, task_pile=out)
    seats = len(state.players)
    each = TASKS_PER_PLAYER[seats]
    hands = [state.task_pile[seat * each : (seat + 1) * each] for seat in range(seats)]
    return replace(
        state,
        desk=state.desk.deal((slot, seat) for seat, hand in enumerate(hands) for slot in hand),
        task_pile=state.task_pile[seats * each :],
        players=tuple(replace(player, tasks=hand) for player, hand in zip(state.players, hands, strict=True)),
        phase=TURN,
    )
