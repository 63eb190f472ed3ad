"""The state of Merchants of Osaka.

Only the face-down pile and the VP cards drawn from it unseen are slots: every other card was seen by all
when it left the pile, so it is held as its face, one byte per card. A card in the Market or the Farm carries
its reservation piece in the same byte: face + 16 × (seat + 1).
"""

from __future__ import annotations

from kontor_games.engine.core.game import GameState
from kontor_games.engine.core.value import Value

from .data import PAY_PLACE, VALUE

# What the state waits for.
BUSY, TOKEN, TURN, PAY, INSURE, COVER, OVER = range(7)
PHASES = ("busy", "token", "turn", "pay", "insure", "cover", "over")

# Why a match is over.
REASONS = ("", "tokens", "standstill")
BY_TOKENS, BY_STANDSTILL = 1, 2

PIECE = 16  # face + PIECE * (seat + 1)
FACE_BITS = PIECE - 1


class Options(Value, frozen=True):
    """The options of the match; 1 = yes."""

    refill_after_payout: int
    irreducible_payment: int
    insure_only_sunk: int
    show_hands: int
    tokens_to_end: int


class Player(Value, frozen=True):
    """What lies before one seat. Hands are known to all who watched; only the view hides them (R14)."""

    hand: bytes = b""  # dearest first
    goods: bytes = b""  # uninsured merchandise, ascending
    insured: bytes = b""  # insured merchandise, ascending
    tokens: tuple[int, ...] = (0, 0, 0, 0)  # by colour
    vp_cards: bytes = b""  # faces of VP cards that came from sold sets
    vp_unseen: tuple[int, ...] = ()  # slots of VP cards drawn from the pile
    vp_extra: int = 0  # R7: VP for which no card was left

    @property
    def vp(self) -> int:
        return len(self.vp_cards) + len(self.vp_unseen) + self.vp_extra


class State(GameState, frozen=True):
    """What everybody knows."""

    options: Options
    players: tuple[Player, ...]
    phase: int = BUSY
    seat: int = 0  # who decides
    active: int = 0  # whose turn it is
    first: int = 0
    market: bytes = b""
    farm: bytes = b""
    discard: bytes = b""
    pile: tuple[int, int] = (0, 0)  # the next slot to draw, and the one after the last: a shuffle numbers them in a row
    ships: tuple[int, ...] = (0, 0, 0, 0)  # space by colour
    laid: bytes = b""  # cards already laid for the payment or insurance in progress
    chosen: bytes = b""  # goods chosen in the insurance decision in progress, ascending
    due: int = 0  # what the payment in progress still lacks
    passes: int = 0  # in a row
    todo: tuple[tuple[int, ...], ...] = ()  # consequences that still have to happen, see flow.py
    ended: int = 0  # index into REASONS


_VALUES = bytes(VALUE).ljust(256, b"\0")  # face -> value, in the shape that `bytes.translate` wants


def worth(cards: bytes) -> int:
    """The money value of cards."""
    return sum(cards.translate(_VALUES))


def in_hand_order(cards: bytes) -> bytes:
    """Cards sorted as a hand: dearest first, then by colour."""
    return bytes(sorted(cards, key=PAY_PLACE.__getitem__))


def without(cards: bytes, face: int) -> bytes:
    """The cards less one of this face."""
    place = cards.index(face)
    return cards[:place] + cards[place + 1 :]


def owner(card: int) -> int | None:
    """The seat whose reservation piece lies on this card of a row."""
    return (card >> 4) - 1 if card >= PIECE else None


def takeable(market: bytes, seat: int) -> bytes:
    """Faces of the Market cards that this seat may take or buy: free, or under its own piece."""
    mine = seat + 1
    return bytes(card & FACE_BITS for card in market if card < PIECE or card >> 4 == mine)
