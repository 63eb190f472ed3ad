"""How decisions are written: «take r5», «take r5@2», «reserve b3@f1», «pay g2», «token red»."""

from __future__ import annotations

from kontor_games.engine.core.notation import Kind, Notation, names

from .actions import Buy, ChooseToken, Decline, Discard, Done, Insure, Pass, Pay, Reserve, Take
from .data import COLOURS, FACES
from .state import FACE_BITS, PIECE, State


def place_name(state: State, place: int) -> str:
    """A place of the Market (1, 2, …) or the Farm (f1, f2, …)."""
    split = len(state.market)
    return f"{place + 1}" if place < split else f"f{place - split + 1}"


def _say_place(state: State, place: int) -> str:
    rows = state.market + state.farm
    return f"{FACES[rows[place] & FACE_BITS]}@{place_name(state, place)}" if place < len(rows) else f"?{place}"


def _read_face(state: State, text: str) -> int:
    card = text.casefold()
    if card in FACES:
        return FACES.index(card)
    raise ValueError(f"{text!r} is not a card; cards are {', '.join(FACES)}")


def _read_place(state: State, text: str, only_market: bool) -> int:
    """With a place: that one. Without: the first such card, free ones and one's own before those of others."""
    name, _, where = text.casefold().partition("@")
    face = _read_face(state, name)
    rows = state.market if only_market else state.market + state.farm
    found = [place for place, card in enumerate(rows) if card & FACE_BITS == face]
    if where:
        found = [place for place in found if place_name(state, place) == where]
    if not found:
        raise ValueError(f"there is no {text} {'in the Market' if only_market else 'in Market or Farm'}")
    allowed = (0, state.seat + 1) if only_market else (0,)
    return min(found, key=lambda place: (rows[place] // PIECE not in allowed, place))


NOTATION: Notation[State] = Notation(
    {
        ChooseToken: "token {colour:colour}",
        Buy: "buy",
        Pay: "pay {card:card}",
        Take: "take {place:market}",
        Reserve: "reserve {place:rows}",
        Pass: "pass",
        Insure: "insure {good:card}",
        Discard: "discard {card:card}",
        Decline: "decline",
        Done: "done",
    },
    {
        "colour": names(*COLOURS),
        "card": Kind(lambda state, face: FACES[face] if face < len(FACES) else f"?{face}", _read_face),
        "market": Kind(_say_place, lambda state, text: _read_place(state, text, only_market=True)),
        "rows": Kind(_say_place, lambda state, text: _read_place(state, text, only_market=False)),
    },
)
