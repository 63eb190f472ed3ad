"""One class per decision; compound decisions are several small ones (RULES.md, «How a turn is staged»)."""

from __future__ import annotations

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.value import Index, Number

from .data import MAX_SEATS, MOST_POSTS


class Income(Action, tag="income", frozen=True):
    """Hire pieces: general stock -> personal supply."""

    traders: Number
    merchants: Number


class Place(Action, tag="place", frozen=True):
    """Put a piece of the personal supply on an empty post."""

    post: Index


class Displace(Action, tag="displace", frozen=True):
    """Push somebody else's piece off a post."""

    post: Index


class Choose(Action, tag="choose", frozen=True):
    """The shape that goes onto the post just named."""

    piece: Index


class Pay(Action, tag="pay", frozen=True):
    """One piece of the toll."""

    piece: Index


class Settle(Action, tag="settle", frozen=True):
    """Where a displaced piece goes."""

    post: Index


class Extra(Action, tag="extra", frozen=True):
    """Take one additional piece of a stock in hand."""

    piece: Index


class Lift(Action, tag="lift", frozen=True):
    """Take a piece off (or, as an additional one, from) a post."""

    post: Index


class Put(Action, tag="put", frozen=True):
    """Put the piece in hand on a post."""

    post: Index


class Claim(Action, tag="claim", frozen=True):
    """Claim a route full of own pieces."""

    route: Index


class Office(Action, tag="office", frozen=True):
    """Result of a claim: an office on the next printed space."""

    city: Index


class ExtraOffice(Action, tag="extra_office", frozen=True):
    """Result of a claim: an additional office with the marker."""

    city: Index
    piece: Index


class Develop(Action, tag="develop", frozen=True):
    """One step on a track."""

    ability: Index


class Prestige(Action, tag="prestige", frozen=True):
    """Result of a claim: a merchant on a special prestige space."""

    space: Index


class GreenOffice(Action, tag="green_office", frozen=True):
    """Permanent marker: an office in a green city from the personal supply."""

    city: Index
    piece: Index


class NeutralOffice(Action, tag="neutral_office", frozen=True):
    """Resolve a route full of neutral traders; no city if both are full."""

    route: Index
    city: Index | None


class Collect(Action, tag="collect", frozen=True):
    """What the owner of a tribute takes."""

    traders: Number
    merchants: Number


class UseMarker(Action, tag="use", frozen=True):
    """Play an unused bonus marker."""

    marker: Index


class Swap(Action, tag="swap", frozen=True):
    """Exchange the office `left` with the one to its right."""

    city: Index
    left: Index


class Exchange(Action, tag="exchange", frozen=True):
    """Give the exchange marker for a used marker of an opponent."""

    opponent: Index
    marker: Index


class Lay(Action, tag="lay", frozen=True):
    """Lay a tribute or a block beside a route."""

    route: Index


class BuyFavour(Action, tag="favour", frozen=True):
    """Give up the whole turn for a favour tile."""

    tile: Index


class GiveUp(Action, tag="give_up", frozen=True):
    """Turn over one unused marker as the price of the tile."""

    marker: Index


class PlaceMarker(Action, tag="place_marker", frozen=True):
    """Lay a replacement marker beside a route."""

    marker: Index
    route: Index


class Done(Action, tag="done", frozen=True):
    """Decline what is left of a voluntary decision."""


class EndTurn(Action, tag="end_turn", frozen=True):
    """End the own turn."""


ACTION_TYPES: tuple[type[Action], ...] = (
    Income,
    Place,
    Displace,
    Choose,
    Pay,
    Settle,
    Extra,
    Lift,
    Put,
    Claim,
    Office,
    ExtraOffice,
    Develop,
    Prestige,
    GreenOffice,
    NeutralOffice,
    Collect,
    UseMarker,
    Swap,
    Exchange,
    Lay,
    BuyFavour,
    GiveUp,
    PlaceMarker,
    Done,
    EndTurn,
)


# Menus list these by the dozen; each is made once. Seat -> post -> action.
PLACES = tuple(tuple(Place(seat, post) for post in range(MOST_POSTS)) for seat in range(MAX_SEATS))
DISPLACES = tuple(tuple(Displace(seat, post) for post in range(MOST_POSTS)) for seat in range(MAX_SEATS))
LIFTS = tuple(tuple(Lift(seat, post) for post in range(MOST_POSTS)) for seat in range(MAX_SEATS))
PUTS = tuple(tuple(Put(seat, post) for post in range(MOST_POSTS)) for seat in range(MAX_SEATS))
