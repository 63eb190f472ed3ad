"""What happens at the fair, as facts that everybody may know."""

from __future__ import annotations

from kontor_games.engine.core.action import Event

from .data import Cell


class FairOpened(Event, tag="opened", frozen=True):
    """Cards are shuffled and tasks dealt; `seat` begins every round."""

    seat: int


class CardDrawn(Event, tag="drawn", frozen=True):
    seat: int
    pile: int


class CardPlayed(Event, tag="played", frozen=True):
    seat: int
    card: int
    mode: int


class ShopBuilt(Event, tag="built", frozen=True):
    seat: int
    cell: Cell
    colour: int


class PointsScored(Event, tag="points", frozen=True):
    """Points of one build: `shops` scored, `dragons` of others on them."""

    seat: int
    points: int
    shops: int
    dragons: int


class DragonPoints(Event, tag="dragon points", frozen=True):
    seat: int
    points: int


class DragonPlaced(Event, tag="dragon placed", frozen=True):
    seat: int
    cell: Cell


class DragonMoved(Event, tag="dragon moved", frozen=True):
    seat: int
    origin: Cell
    target: Cell


class DragonsStayed(Event, tag="dragons stayed", frozen=True):
    seat: int


class ShopsSwapped(Event, tag="swapped", frozen=True):
    seat: int
    first: Cell
    second: Cell


class ShopMoved(Event, tag="shop moved", frozen=True):
    seat: int
    origin: Cell
    target: Cell


class ShopRemoved(Event, tag="removed", frozen=True):
    cell: Cell
    colour: int


class DragonDiscarded(Event, tag="dragon lost", frozen=True):
    seat: int
    cell: Cell


class TasksReshuffled(Event, tag="reshuffled", frozen=True):
    tasks: int


class TasksDrawn(Event, tag="tasks drawn", frozen=True):
    seat: int
    tasks: int


class TaskChanged(Event, tag="task changed", frozen=True):
    """Tasks were kept and discarded; nobody else knows whether the old one is among the kept."""

    seat: int
    discarded: int


class BonusDeclined(Event, tag="declined", frozen=True):
    seat: int


class BonusUseless(Event, tag="useless", frozen=True):
    """The bonus could do nothing and was passed over."""

    seat: int
    bonus: int


class PointsDoubled(Event, tag="doubled", frozen=True):
    seat: int
    points: int


class Passed(Event, tag="passed", frozen=True):
    seat: int


class EndTriggered(Event, tag="end", frozen=True):
    """Enough piles are empty: this round is the last."""

    seat: int


class FinalScoring(Event, tag="final", frozen=True):
    """The last turn is over; tasks are scored from `seat` on."""

    seat: int


class TaskScored(Event, tag="task scored", frozen=True):
    seat: int
    task: int
    line: int
    points: int


class FairLeft(Event, tag="fair left", frozen=True):
    """A player is gone for good; the hand and tasks lie open, a stand-in plays on."""

    seat: int


class GameEnded(Event, tag="ended", frozen=True):
    winners: tuple[int, ...]
    scores: tuple[int, ...]


EVENTS: tuple[type[Event], ...] = (
    FairOpened,
    CardDrawn,
    CardPlayed,
    ShopBuilt,
    PointsScored,
    DragonPoints,
    DragonPlaced,
    DragonMoved,
    DragonsStayed,
    ShopsSwapped,
    ShopMoved,
    ShopRemoved,
    DragonDiscarded,
    TasksReshuffled,
    TasksDrawn,
    TaskChanged,
    BonusDeclined,
    BonusUseless,
    PointsDoubled,
    Passed,
    EndTriggered,
    FinalScoring,
    TaskScored,
    FairLeft,
    GameEnded,
)
