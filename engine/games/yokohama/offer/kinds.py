"""Which button a choice belongs to, which actions are one decision, and where a turn may be confirmed.

**What is one decision.** Going on from the additional actions to the placement, and from the placement to the move, is
never a click of its own: `end` joins the assistant placed next, `done` joins the move that follows. While Spinning Mill
or University can be used there, both stand alone: joined, the menu would offer the technology twice. A walk is
one choice to the area where it ends, and a card is one choice with the way it is paid for.

**Too many ways.** `done` joins the moves only while `few_moves` holds, a bound of our own below that of `choices`, so
that `why_none` knows without a menu whether a recall is offered.
"""

from __future__ import annotations

from functools import lru_cache

from msgspec.structs import replace

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.choices import MOST_ENDINGS, MOST_STEPS
from kontor_games.engine.core.offer import Path
from kontor_games.engine.core.value import Known
from kontor_games.engine.games.yokohama import actions as a
from kontor_games.engine.games.yokohama import rules
from kontor_games.engine.games.yokohama.rules import moving, placing, queries
from kontor_games.engine.games.yokohama.state import KEEP, MOVE, NONE, OVER, PHASE_A, PHASE_C, PLACE, State
from kontor_games.engine.games.yokohama.tables import Tables

KINDS = ("place", "move", "recall", "agent", "fulfil", "claim", "end")
STEPS = (
    "keep",
    "exchange",
    "donate",
    "worship",
    "clear",
    "hire",
    "research",
    "take",
    "pay",
    "token",
    "build",
    "recover",
    "back",
    "good",
    "lift",
    "drop",
    "station",
    "reward",
    "mill",
    "university",
    "done",
)
_KIND: dict[type[Action], str] = {
    a.KeepOrder: "keep",
    a.UseAgent: "agent",
    a.Claim: "claim",
    a.Fulfil: "fulfil",
    a.OpenOrder: "fulfil",
    a.SpinningMill: "mill",
    a.University: "university",
    a.Place: "place",
    a.Deploy: "move",
    a.Walk: "move",
    a.Tram: "move",
    a.ToStation: "move",
    a.Recall: "recall",
    a.TakeBack: "back",
    a.TakeAll: "back",
    a.Exchange: "exchange",
    a.Donate: "donate",
    a.Worship: "worship",
    a.Clear: "clear",
    a.Hire: "hire",
    a.Research: "research",
    a.TakeOrder: "take",
    a.Pay: "pay",
    a.TakeToken: "token",
    a.BuildShop: "build",
    a.BuildHouse: "build",
    a.Recover: "recover",
    a.ChooseGood: "good",
    a.Lift: "lift",
    a.Drop: "drop",
    a.PlaceStation: "station",
    a.ChooseReward: "reward",
}
_LONGEST_WALK = MOST_STEPS - 2  # between the two `done` of a joined path


def kind(t: Tables, s: State, path: Path) -> str:
    """The button of a choice."""
    first, second = path[0], path[1] if len(path) > 1 else None
    if isinstance(first, a.EndPhase):
        if s.stage == PHASE_C:
            return "end"
        places = isinstance(second, a.Place) if second else can_place(t, s)
        return "place" if places else "move"
    if isinstance(first, a.Done):
        if s.queue or s.stage not in (PLACE, MOVE):
            return "done"
        return "recall" if isinstance(second, a.Recall) else "move"
    return _KIND[type(first)]


def continues(t: Tables, s: State, path: Path, after: State) -> bool:
    """Whether the next decision belongs to the path."""
    if after.queue:
        return False
    match path[-1]:
        case a.EndPhase():
            return after.stage == PLACE and not _has_free_technology(t, after)
        case a.Done():
            return len(path) == 1 and s.stage == PLACE and _joins_move(t, after)
        case a.Walk():
            return after.stage == MOVE
        case a.Research() | a.TakeOrder() | a.Pay():
            return after.card != NONE or after.extra > 0
        case _:
            return False


def at_rest(s: State) -> bool:
    """Whether nothing begun is unfinished."""
    return not s.queue and s.stage in (KEEP, PHASE_A, PHASE_C, OVER)


def can_place(t: Tables, s: State) -> bool:
    """Whether one more assistant can be placed."""
    return any(placing.why_not_place(t, s, a.Place(s.active, cell)) is None for cell in range(len(s.cells)))


def present(t: Tables, s: State, known: Known) -> frozenset[str]:
    """The kinds that have a choice now."""
    return _present(t, s, tuple(sorted(known.items())))


@lru_cache(16)
def _present(t: Tables, s: State, known: tuple[tuple[int, int], ...]) -> frozenset[str]:
    found: set[str] = set()
    for action in rules.candidates(t, s, dict(known)):
        found.update(_begun_by(t, s, action))
    return frozenset(found)


def _begun_by(t: Tables, s: State, action: Action) -> tuple[str, ...]:
    """The kinds of the choices that begin with an action."""
    if isinstance(action, a.EndPhase) and s.stage == PHASE_A and not _has_free_technology(t, s):
        stops = placing.why_not_stop(t, s) is None
        return (*("place",) * can_place(t, s), *("move",) * stops)
    if isinstance(action, a.Done) and s.stage == PLACE and not s.queue:
        after = replace(s, stage=MOVE, steps=())
        if _joins_move(t, after):
            ways = [way for way in moving.candidates(t, after) if rules.why_not(t, after, way) is None]
            return tuple(_KIND[type(way)] for way in ways)
    return (kind(t, s, (action,)),)


def _has_free_technology(t: Tables, s: State) -> bool:
    return queries.why_not_mill(t, s) is None or queries.why_not_university(t, s) is None


def _joins_move(t: Tables, s: State) -> bool:
    return not _has_free_technology(t, s) and few_moves(t, s)


@lru_cache(64)
def few_moves(t: Tables, s: State) -> bool:
    """Whether all moves of the president, walks to their ends, are few enough for one menu entry each."""
    ends = 0
    unfinished = [(s, 1)]
    while unfinished:
        here, walked = unfinished.pop()
        for action in moving.candidates(t, here):
            if rules.why_not(t, here, action) is not None:
                continue
            after = rules.apply(t, here, action)[0] if isinstance(action, a.Walk) else None
            if after is None or after.stage != MOVE:
                ends += 1
            elif walked == _LONGEST_WALK:
                return False
            else:
                unfinished.append((after, walked + 1))
        if ends + len(unfinished) > MOST_ENDINGS:
            return False
    return True
