"""Every decision of Yokohama, cut into steps of one click."""

from __future__ import annotations

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.value import Face, Index, Number, Slot


class KeepOrder(Action, tag="keep", frozen=True):
    """Keep the first (0) or second (1) starting order."""

    which: Index


class UseAgent(Action, tag="agent", frozen=True):
    """Turn an agent over and act in an area without the own president."""

    area: Index


class Claim(Action, tag="claim", frozen=True):
    """Put an assistant on an achievement tile."""

    tile: Index


class Fulfil(Action, tag="fulfil", frozen=True):
    """Deliver an order that all have seen."""

    card: Face


class OpenOrder(Action, tag="open", frozen=True):
    """Show the starting order and deliver it."""

    slot: Slot
    card: Face


class SpinningMill(Action, tag="mill", frozen=True):
    """Sell silk, once per turn."""


class University(Action, tag="university", frozen=True):
    """Pay for an assistant from the warehouse, once per turn."""


class EndPhase(Action, tag="end", frozen=True):
    """Finish the additional actions."""


class Place(Action, tag="place", frozen=True):
    """Put one assistant from the hand into an area."""

    area: Index


class Deploy(Action, tag="deploy", frozen=True):
    """Put the president from the hand on an area."""

    area: Index


class Walk(Action, tag="walk", frozen=True):
    """Walk the president one area on."""

    area: Index


class Tram(Action, tag="tram", frozen=True):
    """Ride straight to an area."""

    area: Index


class ToStation(Action, tag="station", frozen=True):
    """Travel straight to the station."""


class Recall(Action, tag="recall", frozen=True):
    """Take the president back to the hand."""


class TakeBack(Action, tag="back", frozen=True):
    """Take one assistant back along with the president."""

    area: Index


class TakeAll(Action, tag="all", frozen=True):
    """Take all assistants back along with the president."""


class Exchange(Action, tag="trade", frozen=True):
    """One line of the chinatown table."""

    trade: Index


class Donate(Action, tag="donate", frozen=True):
    """Pay for one more faith."""

    what: Index


class Worship(Action, tag="worship", frozen=True):
    """Put an assistant on the church board, from the area (0) or the hand (1)."""

    space: Index
    source: Index


class Clear(Action, tag="clear", frozen=True):
    """Put an assistant on the customs board, from the area (0) or the hand (1)."""

    space: Index
    source: Index


class Hire(Action, tag="hire", frozen=True):
    """Take one piece from the warehouse."""

    item: Index


class Research(Action, tag="research", frozen=True):
    """Choose the technology in a slot of the laboratory."""

    slot: Index


class TakeOrder(Action, tag="take", frozen=True):
    """Take the order in a slot of the port."""

    slot: Index


class Pay(Action, tag="pay", frozen=True):
    """Pay one due with yen (0) or an import (1)."""

    means: Index


class TakeToken(Action, tag="token", frozen=True):
    """Take the area's 5-power token."""


class BuildShop(Action, tag="shop", frozen=True):
    """Build a shop on a space of the area's tile."""

    space: Index


class BuildHouse(Action, tag="house", frozen=True):
    """Build the trading house of the area's tile."""


class Recover(Action, tag="recover", frozen=True):
    """Take the assistants back, leaving this many (Telephone)."""

    leave: Index


class ChooseGood(Action, tag="good", frozen=True):
    """Choose one good of a reward."""

    good: Index


class Lift(Action, tag="lift", frozen=True):
    """Choose the assistant to move: from an area, or from the hand (−1)."""

    source: Number


class Drop(Action, tag="drop", frozen=True):
    """Put the lifted assistant into an area."""

    area: Index


class PlaceStation(Action, tag="put_station", frozen=True):
    """Choose the area of the station token."""

    area: Index


class ChooseReward(Action, tag="reward", frozen=True):
    """Choose an achievement reward token."""

    token: Index


class Done(Action, tag="done", frozen=True):
    """Decline, or stop here."""


ACTIONS: tuple[type[Action], ...] = (
    KeepOrder,
    UseAgent,
    Claim,
    Fulfil,
    OpenOrder,
    SpinningMill,
    University,
    EndPhase,
    Place,
    Deploy,
    Walk,
    Tram,
    ToStation,
    Recall,
    TakeBack,
    TakeAll,
    Exchange,
    Donate,
    Worship,
    Clear,
    Hire,
    Research,
    TakeOrder,
    Pay,
    TakeToken,
    BuildShop,
    BuildHouse,
    Recover,
    ChooseGood,
    Lift,
    Drop,
    PlaceStation,
    ChooseReward,
    Done,
)
