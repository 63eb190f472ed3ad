"""Which faces the cards may have that a seat has not seen: the three colours apart, and the tasks."""

from __future__ import annotations

from collections.abc import Iterable

from kontor_games.engine.core.chance import Mix, Move
from kontor_games.engine.core.game import Unseen
from kontor_games.engine.core.value import Known

from .data import COLOURS, DECKS, TASK_DECK
from .state import State


def unseen(state: State, known: Known) -> Unseen:
    """Groups of slots with the faces among which theirs are; every face is unique, so there are as many."""
    players = state.players
    shown = {*state.discard, state.card}
    groups = []
    for colour in range(len(COLOURS)):
        slots = [*state.piles[colour], *(slot for player in players for slot in player.hand[colour])]
        groups.append(_group(state, known, DECKS[colour], shown, slots))
    tasks = [*state.task_pile, *(slot for player in players for slot in player.tasks)]
    tasks += [slot for slot, _ in state.task_discard]
    scored = {task for player in players for task, _, _ in player.scored}
    groups.append(_group(state, known, TASK_DECK, scored, tasks))
    return tuple((faces, slots) for faces, slots in groups if slots)


def _group(
    state: State, known: Known, deck: tuple[int, ...], shown: set[int], slots: Iterable[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The faces of a deck that are not seen, and the slots in which they lie."""
    lying, given = _before_chance(state, slots)
    seen = shown | given
    hidden = []
    for slot in lying:
        face = state.desk.face(slot, known)
        if face is None:
            hidden.append(slot)
        else:
            seen.add(face)
    return tuple(face for face in deck if face not in seen), tuple(sorted(hidden))


def _before_chance(state: State, slots: Iterable[int]) -> tuple[list[int], set[int]]:
    """Slots that chance has still to make are taken for those they will come from, or for the faces that go in."""
    want = state.desk.want
    here = list(slots)
    if isinstance(want, Mix) and want.out and want.out[0] in here:
        return [*(slot for slot in here if slot not in want.out), *want.slots], set(want.faces)
    if isinstance(want, Move):
        return [want.slot if slot == want.new else slot for slot in here], set()
    return here, set()
