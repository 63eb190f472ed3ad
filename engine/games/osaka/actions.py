"""Every decision of Merchants of Osaka, staged into single cards."""

from __future__ import annotations

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.value import Face, Index


class ChooseToken(Action, tag="token", frozen=True):
    """Take the starting token (§4.7)."""

    colour: Index


class Buy(Action, tag="buy", frozen=True):
    """Buy all goods of the Market that are free or reserved by oneself (§6.1); the payment follows."""


class Pay(Action, tag="pay", frozen=True):
    """Lay one card of the hand as payment, dearest first; the last needed card completes the purchase."""

    card: Face


class Take(Action, tag="take", frozen=True):
    """Take a card of the Market as money (§6.2)."""

    place: Index


class Reserve(Action, tag="reserve", frozen=True):
    """Put the reservation piece on a card (§6.3); places count through the Market, then the Farm."""

    place: Index


class Pass(Action, tag="pass", frozen=True):
    """Do nothing, only when nothing else is possible (R9)."""


class Insure(Action, tag="insure", frozen=True):
    """Choose one uninsured good of one's own to be insured (§8.4); the discards follow after `Done`."""

    good: Face


class Discard(Action, tag="discard", frozen=True):
    """Throw one card of the hand for its insurance icons: colour by colour, twos before threes."""

    card: Face


class Decline(Action, tag="decline", frozen=True):
    """Insure nothing."""


class Done(Action, tag="done", frozen=True):
    """No more goods to insure; or, where needless cards may be paid, no more cards."""


ACTIONS = (ChooseToken, Buy, Pay, Take, Reserve, Pass, Insure, Discard, Decline, Done)
