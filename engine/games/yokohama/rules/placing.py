"""B1: placement of assistants, one at a time."""

from __future__ import annotations

from functools import lru_cache

from kontor_games.engine.core.action import Action
from kontor_games.engine.games.yokohama import events as e
from kontor_games.engine.games.yokohama.actions import Done, Place
from kontor_games.engine.games.yokohama.state import MOVE, State
from kontor_games.engine.games.yokohama.tables import ASSISTANT, Tables

from . import reasons
from .draft import Draft, added
from .queries import count_others, is_cell, kind_of, owns


def _is_stack(s: State) -> bool:
    return len(s.steps) > 1 and s.steps[0] == s.steps[1]


def _spread_limit(t: Tables, s: State) -> int:
    limit = int(t.rules["placement_spread_max"])
    return max(limit, t.param("newspaper", "spread_max")) if owns(t, s.me, "newspaper") else limit


def _extra_limit(t: Tables, s: State) -> int:
    """R33: Telegraph adds to a stack only."""
    return t.param("telegraph", "extra_assistants") if owns(t, s.me, "telegraph") else 0


def most(t: Tables, s: State) -> int:
    """How many assistants may be placed in all, as they stand so far."""
    return 2 + _extra_limit(t, s) if _is_stack(s) else _spread_limit(t, s)


def why_not_place(t: Tables, s: State, a: Place) -> str | None:
    """One more assistant: another area spreads, the first area again stacks."""
    if not is_cell(s, a.area):
        return reasons.NO_AREA
    if not kind_of(t, s, a.area).assistants:
        return reasons.NO_STANDING
    if not s.me.hand[ASSISTANT]:
        return reasons.NONE_IN_HAND
    if _is_stack(s):
        if len(s.steps) - 2 >= _extra_limit(t, s):
            return reasons.STACK_FULL
        if a.area not in t.counts[s.seats].layout.next_to[s.steps[0]]:
            return reasons.EXTRA_NEXT_TO
    elif a.area in s.steps:
        if len(s.steps) > 1:
            return reasons.SPREAD_APART
    elif len(s.steps) >= _spread_limit(t, s):
        return reasons.spread_at_most(_spread_limit(t, s))
    # R03: the fees of all assistants must be affordable; each is paid when placed
    fee = count_others(s, s.active, a.area) * int(t.rules["president_fee_yen"])
    return reasons.fee_too_dear(fee, s.me.yen) if fee > s.me.yen else None


def place(d: Draft, a: Place) -> None:
    seat = d.s.active
    if count_others(d.s, seat, a.area):
        d.pay_presidents(a.area)
    d.update(seat, hand=added(d.me.hand, ASSISTANT, -1), placed=added(d.me.placed, a.area, 1))
    d.set(steps=(*d.s.steps, a.area))
    d.say(e.AssistantPlaced(seat, d.board(a.area)))
    if len(d.s.steps) >= most(d.t, d.s):
        stop(d)


def why_not_stop(t: Tables, s: State) -> str | None:
    """R02: placing nothing is allowed; with the switch off, only if nothing can be placed."""
    if s.steps or s.switches.placement_zero:
        return None
    if any(why_not_place(t, s, Place(s.active, cell)) is None for cell in range(len(s.cells))):
        return reasons.PLACE_ONE
    return None


def stop(d: Draft) -> None:
    d.set(stage=MOVE, steps=())


@lru_cache(maxsize=256)
def _standing(t: Tables, cells: tuple[int, ...]) -> tuple[int, ...]:
    """The cells in which assistants may stand."""
    return tuple(cell for cell, board in enumerate(cells) if t.boards[board].kind.assistants)


def _open_cells(t: Tables, s: State) -> tuple[int, ...]:
    """Where the next assistant may go, fees aside; the same as `why_not_place`, for all cells at once."""
    cells, steps = _standing(t, s.cells), s.steps
    if not s.me.hand[ASSISTANT]:
        return ()
    if not steps:
        return cells
    if _is_stack(s):
        beside = t.counts[s.seats].layout.next_to[steps[0]]
        return tuple(cell for cell in cells if cell in beside) if len(steps) - 2 < _extra_limit(t, s) else ()
    if len(steps) >= _spread_limit(t, s):
        return steps if len(steps) == 1 else ()
    return cells if len(steps) == 1 else tuple(cell for cell in cells if cell not in steps)


@lru_cache(maxsize=1024)
def _places(seat: int, cells: tuple[int, ...]) -> tuple[Action, ...]:
    """Menus ask for the same few all the time."""
    return tuple(Place(seat, cell) for cell in cells)


def candidates(t: Tables, s: State) -> list[Action]:
    """Exactly the legal actions."""
    seat, yen = s.active, s.me.yen
    cells = _open_cells(t, s)
    fee = int(t.rules["president_fee_yen"])
    if yen < fee * (s.seats - 1):
        presidents = [player.president for other, player in enumerate(s.players) if other != seat]
        cells = tuple(cell for cell in cells if presidents.count(cell) * fee <= yen)
    return [Done(seat), *_places(seat, cells)] if why_not_stop(t, s) is None else [*_places(seat, cells)]
