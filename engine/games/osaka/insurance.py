"""Insurance (§8.4): which goods can be insured, and with which cards.

The decision is staged goods first, cards second. Goods may be chosen as long as the icons in the hand suffice for
their colour; any such choice can be covered. Cards are then laid colour by colour, twos before threes, which reaches
each set of discards without a needless card (R10) by exactly one sequence:
a two may waste one icon only if it is the last card of its colour, and a three never wastes any.
"""

from __future__ import annotations

from collections.abc import Iterator

from .data import COLOUR, COLOURS, ICONS, IS_WAVES, RANKS

_DOUBLE = ICONS[:RANKS].index(2)  # rank of the cards with two icons
_SINGLE = ICONS[:RANKS].index(1)


def sunk_colours(ships: tuple[int, ...]) -> list[int]:
    """The colours whose ships are in rough water."""
    return [colour for colour, space in enumerate(ships) if IS_WAVES[space]]


def icons(cards: bytes, colour: int) -> int:
    """Insurance icons of one colour on these cards."""
    return sum(ICONS[face] for face in cards if COLOUR[face] == colour)


def count(cards: bytes, colour: int) -> int:
    """Cards of one colour."""
    return sum(1 for face in cards if COLOUR[face] == colour)


def insurable(ships: tuple[int, ...], only_sunk: int, hand: bytes, goods: bytes, chosen: bytes) -> Iterator[int]:
    """The goods that can be chosen beside those chosen already, each face once."""
    for colour in range(len(COLOURS)):
        if only_sunk and not IS_WAVES[ships[colour]]:  # R10
            continue
        if count(chosen, colour) >= icons(hand, colour):
            continue
        for good in range(colour * RANKS, colour * RANKS + RANKS):
            if goods.count(good) > chosen.count(good):
                yield good


def coverings(hand: bytes, chosen: bytes, laid: bytes) -> list[int]:
    """The cards that may be laid next; empty when the chosen goods are covered."""
    for colour in range(len(COLOURS)):
        need = count(chosen, colour) - icons(laid, colour)
        if need > 0:
            double, single = colour * RANKS + _DOUBLE, colour * RANKS + _SINGLE
            cards = []
            if double in hand and single not in laid:
                cards.append(double)
            if hand.count(single) >= need:
                cards.append(single)
            return cards
    return []
