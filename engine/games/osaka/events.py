"""What happens in Merchants of Osaka, as facts. Cards are faces, colours and spaces are indexes."""

from __future__ import annotations

from kontor_games.engine.core.action import Event


class PileShuffled(Event, tag="shuffled", frozen=True):
    cards: int


class HandDealt(Event, tag="hand", frozen=True):
    """Starting hands are shown to all."""

    seat: int
    cards: tuple[int, ...]


class FirstPlayerSet(Event, tag="first", frozen=True):
    seat: int


class TokenTaken(Event, tag="token", frozen=True):
    """A starting token was chosen."""

    seat: int
    colour: int


class FarmMoved(Event, tag="moved", frozen=True):
    """The cards of the Farm slid into the Market."""

    cards: tuple[int, ...]


class MarketFilled(Event, tag="market", frozen=True):
    cards: tuple[int, ...]


class FarmFilled(Event, tag="farm", frozen=True):
    cards: tuple[int, ...]


class PurchaseBegun(Event, tag="buying", frozen=True):
    seat: int
    price: int


class CardLaid(Event, tag="laid", frozen=True):
    """One card of a payment or an insurance."""

    seat: int
    card: int


class GoodsBought(Event, tag="bought", frozen=True):
    seat: int
    goods: tuple[int, ...]
    payment: tuple[int, ...]


class PieceReturned(Event, tag="piece", frozen=True):
    seat: int


class ShipSailed(Event, tag="sailed", frozen=True):
    colour: int
    to: int


class CoinTaken(Event, tag="coin", frozen=True):
    seat: int
    card: int
    place: int  # in the Market, from 1


class CardReserved(Event, tag="reserved", frozen=True):
    seat: int
    card: int
    row: int  # 0 Market, 1 Farm
    place: int  # in that row, from 1


class Passed(Event, tag="passed", frozen=True):
    seat: int


class SetSold(Event, tag="sold", frozen=True):
    """All goods of one colour of one player; `drawn` of the VP cards came unseen from the pile."""

    seat: int
    colour: int
    goods: tuple[int, ...]
    price: int
    vp: int
    drawn: int


class TokenAwarded(Event, tag="awarded", frozen=True):
    seat: int
    colour: int


class ShipsSunk(Event, tag="sunk", frozen=True):
    colours: tuple[int, ...]


class GoodChosen(Event, tag="chosen", frozen=True):
    seat: int
    good: int


class InsuranceDeclined(Event, tag="declined", frozen=True):
    seat: int


class GoodsInsured(Event, tag="insured", frozen=True):
    seat: int
    goods: tuple[int, ...]
    discards: tuple[int, ...]


class GoodsLost(Event, tag="lost", frozen=True):
    seat: int
    goods: tuple[int, ...]


class ShipReturned(Event, tag="returned", frozen=True):
    colour: int
    to: int


class MatchEnded(Event, tag="ended", frozen=True):
    reason: str
    winners: tuple[int, ...]


EVENTS = (
    PileShuffled,
    HandDealt,
    FirstPlayerSet,
    TokenTaken,
    FarmMoved,
    MarketFilled,
    FarmFilled,
    PurchaseBegun,
    CardLaid,
    GoodsBought,
    PieceReturned,
    ShipSailed,
    CoinTaken,
    CardReserved,
    Passed,
    SetSold,
    TokenAwarded,
    ShipsSunk,
    GoodChosen,
    InsuranceDeclined,
    GoodsInsured,
    GoodsLost,
    ShipReturned,
    MatchEnded,
)
