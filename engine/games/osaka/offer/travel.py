"""What moves where when something happens: cards, ships, tokens and reservation pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from kontor_games.engine.core.action import Event
from kontor_games.engine.core.offer import Travel

from .. import events as e
from ..data import COLOURS, EDO, FACES, FROM_EDO_TO, SPACES
from ..flow import sailed
from ..state import FACE_BITS, PAY, PIECE, State, owner, takeable

PILE, DISCARD, TOKENS, LAID = "deck:pile", "deck:discard", "deck:tokens", "laid"


def travels(state: State, event: Event) -> tuple[Travel, ...]:
    """What moves; `state` is the one before the action that caused the event."""
    mover = _MOVERS.get(type(event))
    return () if mover is None else tuple(mover(state, event))


def _hand(seat: int) -> str:
    return f"desk:{seat}:hand"


def _goods(seat: int) -> str:
    return f"desk:{seat}:goods"


def _points(seat: int) -> str:
    return f"points:{seat}"


def _each(faces: Iterable[int], source: str, goal: str, seat: int | None = None) -> list[Travel]:
    """Cards on one way, equal ones together."""
    held = list(faces)
    return [
        Travel(f"card:{FACES[face]}", source, goal, seat, held.count(face))
        for face in range(len(FACES))
        if face in held
    ]


def _bought(state: State, event: e.GoodsBought) -> Iterable[Travel]:
    for place, card in enumerate(state.market):
        if owner(card) in (None, event.seat):
            yield Travel(f"card:{FACES[card & FACE_BITS]}", f"market:{place}", _goods(event.seat), event.seat)
    yield from _each(event.payment, LAID, DISCARD, event.seat)


def _piece_back(state: State, event: e.PieceReturned) -> Iterable[Travel]:
    for place, card in enumerate(state.market):
        if card >= PIECE and owner(card) == event.seat:
            yield Travel("piece", f"market:{place}", f"desk:{event.seat}:piece", event.seat)


def _reserved(state: State, event: e.CardReserved) -> Iterable[Travel]:
    row = ("market", "farm")[event.row]
    yield Travel("piece", f"desk:{event.seat}:piece", f"{row}:{event.place - 1}", event.seat)


def _coin(state: State, event: e.CoinTaken) -> Iterable[Travel]:
    yield Travel(f"card:{FACES[event.card]}", f"market:{event.place - 1}", _hand(event.seat), event.seat)


def _farm(state: State, event: e.FarmMoved) -> Iterable[Travel]:
    for place, card in enumerate(event.cards):
        yield Travel(f"card:{FACES[card]}", f"farm:{place}", "market")


def _ship(colour: int, source: int, goal: int) -> Travel:
    name = COLOURS[colour]
    return Travel(f"ship:{name}", f"space:{SPACES[source]}:{name}", f"space:{SPACES[goal]}:{name}")


def _sail(state: State, event: e.ShipSailed) -> Iterable[Travel]:
    yield _ship(event.colour, state.ships[event.colour], event.to)


def _return(state: State, event: e.ShipReturned) -> Iterable[Travel]:
    """The ship may have sailed in the same action."""
    ships = sailed(state.ships, takeable(state.market, state.active)) if state.phase == PAY else state.ships
    yield _ship(event.colour, EDO if event.to == FROM_EDO_TO else ships[event.colour], event.to)


def _sold(state: State, event: e.SetSold) -> Iterable[Travel]:
    """The lowest goods become points, the rest is put away, and what lacks comes unseen from the pile."""
    yield from _each(event.goods[: event.vp], _goods(event.seat), _points(event.seat), event.seat)
    yield from _each(event.goods[event.vp :], _goods(event.seat), DISCARD, event.seat)
    if event.drawn:
        yield Travel("card", PILE, _points(event.seat), event.seat, event.drawn)


def _token(source: str, event: e.TokenTaken | e.TokenAwarded) -> Iterable[Travel]:
    yield Travel(f"token:{COLOURS[event.colour]}", source, f"desk:{event.seat}:tokens", event.seat)


_MOVERS: dict[type[Event], Callable[[State, Any], Iterable[Travel]]] = {
    e.PileShuffled: lambda state, event: [Travel("card", DISCARD, PILE, None, event.cards)],
    e.HandDealt: lambda state, event: _each(event.cards, PILE, _hand(event.seat), event.seat),
    e.TokenTaken: lambda state, event: _token(f"token:{COLOURS[event.colour]}", event),
    e.FarmMoved: _farm,
    e.MarketFilled: lambda state, event: _each(event.cards, PILE, "market"),
    e.FarmFilled: lambda state, event: _each(event.cards, PILE, "farm"),
    e.CardLaid: lambda state, event: _each((event.card,), _hand(event.seat), LAID, event.seat),
    e.GoodsBought: _bought,
    e.PieceReturned: _piece_back,
    e.ShipSailed: _sail,
    e.CoinTaken: _coin,
    e.CardReserved: _reserved,
    e.SetSold: _sold,
    e.TokenAwarded: lambda state, event: _token(TOKENS, event),
    e.GoodsInsured: lambda state, event: _each(event.discards, LAID, DISCARD, event.seat),
    e.GoodsLost: lambda state, event: _each(event.goods, _goods(event.seat), DISCARD, event.seat),
    e.ShipReturned: _return,
}
