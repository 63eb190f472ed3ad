"""Rules versions before the newest.

**1.** With `insure_only_sunk_colours` off, a player was asked only if some good of theirs was about to sink, though any
goods could be insured then (R17). That is today's round with those passed over who have nothing at risk. The stand-in
looks one step ahead, so it sees the round of its own version.
"""

from __future__ import annotations

from dataclasses import replace

from msgspec.structs import replace as changed

from kontor_games.engine.core.action import Action, Event
from kontor_games.engine.core.chance import Chance

from . import GAME
from .actions import Decline
from .data import COLOUR
from .effects import Outcome, apply
from .evaluate import best_looking
from .flow import answered
from .insurance import sunk_colours
from .state import BUSY, INSURE, State


def _passed_over(seat: int, outcome: Outcome) -> Outcome:
    """The outcome once everybody without goods at risk was passed over; `seat` is who was named before."""
    state, events = outcome
    is_short = False
    while state.phase == INSURE and not _is_at_risk(state):
        state, (_, *happened) = apply(state, Decline(state.seat))  # without the word that somebody declined
        events += tuple(happened)
        is_short = True
    if is_short and state.phase == BUSY:  # chance comes next: the state still names who was asked last
        state = changed(state, seat=seat)
    return state, events


def _is_at_risk(state: State) -> bool:
    """Whether uninsured goods of the seat that is asked will be lost."""
    sunk = sunk_colours(state.ships)
    return any(COLOUR[good] in sunk for good in state.players[state.seat].goods)


def apply_1(state: State, action: Action) -> Outcome:
    return _passed_over(state.seat, apply(state, action))


def chance_1(state: State, answer: Chance) -> tuple[State, tuple[Event, ...]]:
    return _passed_over(state.seat, answered(state, answer))


OLDER = (
    replace(
        GAME,
        rules_version=1,
        apply=apply_1,
        chance=chance_1,
        stand_in=lambda state: best_looking(state, apply_1),
    ),
)
