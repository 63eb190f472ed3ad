"""Which actions a person thinks of as one decision: a purchase with its payment, an insurance with its discards.

They are joined where all ways to finish are few and short enough for one menu. Where they are not, the purchase is
begun first and paid card by card until the rest is few; goods are chosen one by one, and then the discards together.
So a menu holds whole decisions or single steps of one, never both for the same cards.
"""

from __future__ import annotations

from functools import lru_cache

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.choices import MOST_ENDINGS, MOST_STEPS
from kontor_games.engine.core.offer import Path

from ..actions import Buy, Done
from ..effects import apply
from ..rules import candidates
from ..state import COVER, INSURE, PAY, State


def is_begun(state: State) -> bool:
    """Whether the seat to decide has begun something that is not finished."""
    return state.phase in (PAY, COVER) or (state.phase == INSURE and state.chosen != b"")


def at_rest(state: State) -> bool:
    """Whether a turn could end here. A storm belongs to the turn of the purchase that raised it."""
    return state.phase not in (PAY, INSURE, COVER)


def continues(state: State, path: Path, after: State) -> bool:
    """Whether the decision after a path belongs to it."""
    if not is_begun(after):
        return False
    first = path[0]
    return _is_few(state, first if isinstance(first, Buy | Done) else None)


@lru_cache(maxsize=16)
def _is_few(state: State, first: Action | None) -> bool:
    """Whether one menu can hold all ways to finish what begins with this action, or with any action."""
    endings: set[tuple[bytes, bytes]] = set()
    for action in candidates(state, {}) if first is None else (first,):
        found = _endings(state, action)
        if found is None:
            return False
        endings |= found
    return len(endings) <= MOST_ENDINGS


def _endings(state: State, first: Action) -> set[tuple[bytes, bytes]] | None:
    """What may be chosen and laid in the end, None if there are too many ways or one is too long."""
    endings: list[tuple[bytes, bytes]] = []
    unfinished = [(state, first)]
    for _ in range(MOST_STEPS):
        longer: list[tuple[State, Action]] = []
        for before, action in unfinished:
            after, _ = apply(before, action)
            if is_begun(after):
                longer += [(after, following) for following in candidates(after, {})]
            else:
                endings.append((before.chosen, before.laid + bytes((getattr(action, "card", 255),))))
            if len(endings) + len(longer) > MOST_ENDINGS:
                return None
        unfinished = longer
        if not unfinished:
            return set(endings)
    return None
