"""Figures that stand on the board before a choice is made: prices, voyages, sales, losses."""

from __future__ import annotations

from collections.abc import Iterator

from kontor_games.engine.core.offer import Figure, Path
from kontor_games.engine.core.value import Known

from ..actions import Buy, Decline, Done, Pay, Take
from ..data import COLOUR, EDO, VALUE
from ..effects import apply
from ..flow import sailed, set_vp
from ..insurance import sunk_colours
from ..state import COVER, FACE_BITS, INSURE, PAY, State, takeable, worth
from .choice import chosen, discards, is_paid, left_to_pay, paid, ship, targets, unused_icons

FIGURES = (
    "money",
    "price",
    "overpaid",
    "left",
    "sail",
    "arrives",
    "sale",
    "ends",
    "sinks",
    "risk",
    "points",
    "insured",
    "unused",
    "lost",
)


def points(state: State) -> tuple[int, ...]:
    """Victory points of each seat so far."""
    return tuple(player.vp for player in state.players)


def foresee(state: State, path: Path, known: Known) -> tuple[Figure, ...]:
    """What a choice would bring."""
    first = path[0]
    if isinstance(first, Take):
        value = VALUE[state.market[first.place] & FACE_BITS]
        return (Figure("money", value, first.seat, f"market:{first.place}"),)
    if isinstance(first, Buy | Pay) or (isinstance(first, Done) and state.phase == PAY):
        return tuple(_purchase(state, path))
    if state.phase in (INSURE, COVER):
        return tuple(_insurance(state, path))
    return ()


def _purchase(state: State, path: Path) -> Iterator[Figure]:
    seat, left = state.seat, left_to_pay(state, path)
    begins, ends = isinstance(path[0], Buy), is_paid(state, path)
    if begins:
        yield Figure("price", worth(takeable(state.market, seat)), seat, "market")
    if left > 0 and paid(path):
        yield Figure("left", left, seat, "market")
    if left < 0:
        yield Figure("overpaid", -left, seat, "market")
    if begins or ends:
        yield from _voyage(state)
    if ends:
        yield from _at_once(state, path)


def _voyage(state: State) -> Iterator[Figure]:
    """Where ships sail when the goods of the Market are bought, who sells what, and what sinks."""
    bought = takeable(state.market, state.seat)
    ships = sailed(state.ships, bought)
    for colour, (space, to) in enumerate(zip(state.ships, ships, strict=True)):
        if to != space:
            yield Figure("sail", to - space, None, ship(colour))
    arrivals = [colour for colour, space in enumerate(ships) if space == EDO]
    for colour in arrivals:
        yield Figure("arrives", 1, None, ship(colour))
    tokens = [sum(player.tokens) for player in state.players]
    for colour in arrivals:
        for seat in range(len(tokens)):
            insured = state.players[seat].insured
            goods = _of_colour(_uninsured(state, seat, bought) + insured, colour)
            if goods:
                tokens[seat] += 1
                yield Figure("sale", set_vp(goods, state.players[seat].tokens[colour]), seat, ship(colour))
    if arrivals and max(tokens) >= state.options.tokens_to_end:
        yield Figure("ends", 1, None, "market")  # §8.3: before any ship sinks
    elif arrivals:
        yield from _storm(state, ships, bought)


def _storm(state: State, ships: tuple[int, ...], bought: bytes) -> Iterator[Figure]:
    for colour in sunk_colours(ships):
        yield Figure("sinks", 1, None, ship(colour))
        for seat in range(len(state.players)):
            goods = _of_colour(_uninsured(state, seat, bought), colour)
            if goods:
                yield Figure("risk", len(goods), seat, ship(colour))


def _uninsured(state: State, seat: int, bought: bytes) -> bytes:
    """A seat's uninsured goods after the purchase."""
    goods = state.players[seat].goods
    return goods + bought if seat == state.seat else goods


def _of_colour(goods: bytes, colour: int) -> bytes:
    return bytes(good for good in goods if COLOUR[good] == colour)


def _at_once(state: State, path: Path) -> Iterator[Figure]:
    """Points of a sale that no card of chance comes before; most sales wait for the refill."""
    after = state
    for action in path:
        after, _ = apply(after, action)
    for seat, (before, now) in enumerate(zip(points(state), points(after), strict=True)):
        if now != before:
            yield Figure("points", now - before, seat, f"points:{seat}")


def _insurance(state: State, path: Path) -> Iterator[Figure]:
    seat, element = state.seat, targets(state, path)[0]
    goods = b"" if isinstance(path[0], Decline) else chosen(state, path)
    if goods:
        yield Figure("insured", len(goods), seat, element)
    unused = unused_icons(state, path) if discards(path) else 0
    if unused:
        yield Figure("unused", unused, seat, element)
    sunk = sunk_colours(state.ships)
    lost = sum(1 for good in state.players[seat].goods if COLOUR[good] in sunk)
    lost -= sum(1 for good in goods if COLOUR[good] in sunk)
    if lost:
        yield Figure("lost", lost, seat, element)
