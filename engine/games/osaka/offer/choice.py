"""What one choice is: its kind, the elements that mean it, and the values of its phrase."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.offer import Details, Path
from kontor_games.engine.core.value import Known

from ..actions import Buy, ChooseToken, Discard, Done, Insure, Pay, Reserve, Take
from ..data import COLOUR, COLOURS, FACES
from ..flow import sailed
from ..insurance import count, icons
from ..state import FACE_BITS, PAY, PIECE, State, takeable, worth

KINDS = ("take", "buy", "reserve")
STEPS = ("token", "pay", "insure", "cover", "decline", "pass")


def kind(state: State, path: Path) -> str:
    """The button of a choice: that of its first action."""
    first = path[0]
    if isinstance(first, Done):
        return "pay" if state.phase == PAY else "cover"
    return "cover" if isinstance(first, Discard) else str(first.__struct_config__.tag)


# Elements


def ship(colour: int) -> str:
    """The element of a ship."""
    return f"ship:{COLOURS[colour]}"


def targets(state: State, path: Path) -> tuple[str, ...]:
    """The elements that mean a choice; ships come last, because the choice is drawn on the first."""
    elements = [element for action in path for element in _elements(state, action)]
    if isinstance(path[0], Buy):
        sail = zip(state.ships, sailed(state.ships, takeable(state.market, state.seat)), strict=True)
        elements += [ship(colour) for colour, (space, to) in enumerate(sail) if to != space]
    elements += [ship(COLOUR[action.good]) for action in path if isinstance(action, Insure)]
    return tuple(dict.fromkeys(elements)) or (f"button:{kind(state, path)}",)


def _elements(state: State, action: Action) -> Iterator[str]:
    split = len(state.market)
    match action:
        case ChooseToken(colour=colour):
            yield f"token:{COLOURS[colour]}"
        case Buy():
            yield "market"
        case Take(place=place):
            yield f"market:{place}"
        case Reserve(place=place) if place < split:
            yield f"market:{place}:piece"
            yield f"market:{place}"
        case Reserve(place=place):
            yield f"farm:{place - split}"
        case Pay(card=card) | Discard(card=card):
            yield f"hand:{FACES[card]}"
        case Insure(good=good):
            yield f"goods:{FACES[good]}"
        case _:
            pass


# Phrases


def details(state: State, path: Path, known: Known) -> Details:
    """The values of a phrase, and which it is."""
    teller = _TELLERS.get(type(path[0]))
    return {"phrase": kind(state, path)} if teller is None else teller(state, path)


def _token(state: State, path: tuple[ChooseToken, ...]) -> Details:
    return {"phrase": "token", "colour": path[0].colour}


def _take(state: State, path: tuple[Take, ...]) -> Details:
    place = path[0].place
    card = state.market[place]
    phrase = "take_own" if card >= PIECE else "take_one_of" if _has_twin(state.market, place) else "take"
    return {"phrase": phrase, "card": card & FACE_BITS, "place": place + 1}


def _reserve(state: State, path: tuple[Reserve, ...]) -> Details:
    place, split = path[0].place, len(state.market)
    row, cards, place = (0, state.market, place) if place < split else (1, state.farm, place - split)
    phrase = "reserve_one_of" if _has_twin(cards, place) else "reserve"
    return {"phrase": phrase, "card": cards[place], "row": row, "place": place + 1}


def _has_twin(row: bytes, place: int) -> bool:
    """Whether the row has another card that looks the same."""
    return sum(1 for card in row if card & FACE_BITS == row[place] & FACE_BITS) > 1


def paid(path: Path) -> bytes:
    """The cards that a path lays as payment."""
    return bytes(action.card for action in path if isinstance(action, Pay))


def left_to_pay(state: State, path: Path) -> int:
    """What is still to be paid after a path; less than nothing if it pays too much."""
    due = state.due if state.phase == PAY else worth(takeable(state.market, state.seat))
    return due - worth(paid(path))


def is_paid(state: State, path: Path) -> bool:
    """Whether a path completes the purchase."""
    return isinstance(path[-1], Done) or (state.options.irreducible_payment == 1 and left_to_pay(state, path) <= 0)


def _purchase(state: State, path: Path) -> Details:
    left = left_to_pay(state, path)
    out: Details = {"payment": list(paid(path)), "over": max(0, -left), "left": left}
    if isinstance(path[0], Buy):
        goods = takeable(state.market, state.seat)
        return out | {"phrase": "buy" if len(path) == 1 else "buy_pay", "goods": len(goods), "price": worth(goods)}
    if is_paid(state, path):
        return out | {"phrase": "pay" if out["payment"] else "paid"}
    if left <= 0:
        return out | {"phrase": "pay_enough" if state.due > 0 else "pay_besides"}
    return out | {"phrase": "pay_next" if state.laid else "pay_first"}


def chosen(state: State, path: Path) -> bytes:
    """The goods to be insured after a path."""
    return bytes(sorted(state.chosen + bytes(action.good for action in path if isinstance(action, Insure))))


def discards(path: Path) -> bytes:
    """The cards that a path discards."""
    return bytes(action.card for action in path if isinstance(action, Discard))


def unused_icons(state: State, path: Path) -> int:
    """Insurance icons that cover nothing after a path."""
    goods, cards = chosen(state, path), state.laid + discards(path)
    return sum(max(0, icons(cards, colour) - count(goods, colour)) for colour in range(len(COLOURS)))


def _insurance(state: State, path: Path) -> Details:
    cards = discards(path)
    if not cards:
        phrase = "choose" if isinstance(path[0], Insure) else "chosen"
        return {"phrase": phrase, "goods": [action.good for action in path if isinstance(action, Insure)]}
    phrase = "discard" if isinstance(path[0], Discard) else "insure"
    out = {"goods": list(chosen(state, path)), "discards": list(cards), "unused": unused_icons(state, path)}
    return {"phrase": phrase, **out}


_TELLERS: dict[type[Action], Callable[[State, Any], Details]] = {
    ChooseToken: _token,
    Take: _take,
    Reserve: _reserve,
    Buy: _purchase,
    Pay: _purchase,
    Insure: _insurance,
    Discard: _insurance,
    Done: lambda state, path: (_purchase if state.phase == PAY else _insurance)(state, path),
}
