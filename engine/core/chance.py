"""What the engine asks of chance (wants), what chance answers, and the desk that keeps count.

The engine never rolls and never shuffles. A state carries a `Desk`; while its `want` is open,
nobody may act but chance. Wants are numbered: number 0 is the roll that feeds `setup`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from msgspec.structs import replace

from .value import Bytes32, Face, Known, Seat, Slot, Value

CHANCE = -1


class Mix(Value, tag="mix", frozen=True):
    """Shuffle known `faces` and hidden `slots` (in this order) into the new slots `out`.

    `own` names the seat that shuffles a hand of its own; otherwise everybody shuffles.
    """

    r: int
    faces: tuple[Face, ...]
    slots: tuple[Slot, ...]
    out: tuple[Slot, ...]
    own: Seat | None = None


class Deal(Value, tag="deal", frozen=True):
    """Open each slot to one seat, or to everybody where the seat is None."""

    r: int
    cards: tuple[tuple[Slot, Seat | None], ...]


class Move(Value, tag="move", frozen=True):
    """The only holder of `slot` hands it on as slot `new`: to a seat, or under everybody's layer (None)."""

    r: int
    slot: Slot
    new: Slot
    by: Seat
    to: Seat | None = None
    keep: int = 0  # 1: the old slot stays (showing a card)


class Roll(Value, tag="roll", frozen=True):
    """Thirty-two bytes that nobody chose."""

    r: int


Want: TypeAlias = Mix | Deal | Move | Roll


class Mixed(Value, tag="mixed", frozen=True):
    r: int


class Dealt(Value, tag="dealt", frozen=True):
    """Slot, receiver, and the face where everybody may see it."""

    r: int
    cards: tuple[tuple[Slot, Seat | None, Face | None], ...]


class Moved(Value, tag="moved", frozen=True):
    r: int
    face: Face | None = None


class Rolled(Value, tag="rolled", frozen=True):
    r: int
    value: Bytes32


class Left(Value, tag="left", frozen=True):
    """These seats are gone for good; `faces` are the hidden cards that became readable with them."""

    seats: tuple[Seat, ...]
    faces: tuple[tuple[Slot, Face], ...]


Chance: TypeAlias = Mixed | Dealt | Moved | Rolled | Left
CHANCE_TYPES = (Mixed, Dealt, Moved, Rolled, Left)


class Desk(Value, frozen=True):
    """The part of every state that the dealer cares about."""

    next_slot: int = 0
    next_want: int = 1
    want: Want | None = None
    gone: tuple[int, ...] = ()  # seats that a stand-in plays, ascending
    faces: tuple[tuple[int, int], ...] = ()  # public (slot, face) pairs, ascending by slot

    def mix(
        self, faces: Iterable[int] = (), slots: Iterable[int] = (), own: int | None = None
    ) -> tuple[Desk, tuple[int, ...]]:
        """Ask for a shuffle; returns the desk and the new slots. Slots whose face is public go in as faces.

        A hand of a seat that has left is public already: then nobody shuffles it, see `closed`.
        """
        assert self.want is None, "one want at a time"
        given, hidden = list(faces), list(slots)
        rest = self.faces
        if rest and own not in self.gone:
            public = dict(rest)
            given += [public[slot] for slot in hidden if slot in public]
            rest = tuple(pair for pair in rest if pair[0] not in hidden)
            hidden = [slot for slot in hidden if slot not in public]
        out = tuple(range(self.next_slot, self.next_slot + len(given) + len(hidden)))
        want = Mix(self.next_want, tuple(given), tuple(hidden), out, own)
        return replace(
            self, next_slot=self.next_slot + len(out), next_want=self.next_want + 1, want=want, faces=rest
        ), out

    def deal(self, cards: Iterable[tuple[int, int | None]]) -> Desk:
        """Ask for cards to be opened; what goes to a seat that has left, or is public already, is for everybody."""
        assert self.want is None, "one want at a time"
        public = {slot for slot, _ in self.faces}
        pairs = tuple((slot, None if seat in self.gone or slot in public else seat) for slot, seat in cards)
        return replace(self, next_want=self.next_want + 1, want=Deal(self.next_want, pairs))

    def move(self, slot: int, by: int, to: int | None = None, keep: int = 0) -> tuple[Desk, int]:
        """Ask the holder `by` to hand a card on; returns the desk and the card's new slot."""
        assert self.want is None, "one want at a time"
        want = Move(self.next_want, slot, self.next_slot, by, to, keep)
        return replace(self, next_slot=self.next_slot + 1, next_want=self.next_want + 1, want=want), want.new

    def roll(self) -> Desk:
        """Ask for agreed entropy."""
        assert self.want is None, "one want at a time"
        return replace(self, next_want=self.next_want + 1, want=Roll(self.next_want))

    def face(self, slot: int, known: Known | None = None) -> int | None:
        """The face of a slot if it is public, or known to the one who asks."""
        if known and slot in known:
            return known[slot]
        for shown, face in self.faces:
            if shown == slot:
                return face
        return None

    def show(self, pairs: Iterable[tuple[int, int]]) -> Desk:
        """Record faces that everybody has seen."""
        return replace(self, faces=tuple(sorted(set(self.faces) | set(pairs))))

    def forget(self, slots: Iterable[int]) -> Desk:
        """Drop slots that are no longer on the table as such."""
        dropped = frozenset(slots)
        return replace(self, faces=tuple(pair for pair in self.faces if pair[0] not in dropped))

    def opened(self) -> Desk:
        """Count an opening inside an action: it takes a number like a want."""
        return replace(self, next_want=self.next_want + 1)

    def closed(self, answer: Chance) -> Desk:
        """The desk after `answer`; faces that became public only because a seat left are recorded here."""
        want = self.want
        pairs: list[tuple[int, int]] = []
        if isinstance(want, Move) and isinstance(answer, Moved) and answer.face is not None:
            pairs = [(want.new, answer.face)]
        elif self.gone:
            match want, answer:
                case Mix(own=int(), slots=slots, faces=given, out=out), Mixed():
                    if want.own in self.gone:  # nobody shuffled: the order stays, the faces are public
                        public = dict(self.faces)
                        sources = [*given, *(public[slot] for slot in slots if slot in public)]
                        pairs = list(zip(out, sources, strict=True))
                case Deal(), Dealt(cards=cards):
                    pairs = [(slot, face) for slot, seat, face in cards if seat in self.gone and face is not None]
                case _:
                    pass
        desk = replace(self, want=None)
        return desk.show(pairs) if pairs else desk


def why_not_answer(desk: Desk, answer: Chance) -> str | None:
    """Why this chance action does not fit the open want, or None."""
    if isinstance(answer, Left):
        again = sorted(set(answer.seats) & set(desk.gone))
        if again or not answer.seats:
            return f"seats {again or answer.seats} cannot leave"
        return None
    want = desk.want
    if want is None:
        return f"chance may not act: no want is open, got {type(answer).__name__}"
    if answer.r != want.r:
        return f"want {want.r} is open, not {answer.r}"
    match want, answer:
        case Mix(), Mixed():
            return None
        case Roll(), Rolled(value=value):
            return None if len(value) == 32 else f"a roll has 32 bytes, not {len(value)}"
        case Deal(cards=asked), Dealt(cards=cards):
            if tuple((slot, seat) for slot, seat, _ in cards) != asked:
                return f"want {want.r} asks for cards {asked}, not {cards}"
            for slot, seat, face in cards:
                if (face is not None) != (seat is None or seat in desk.gone):
                    return f"slot {slot} for seat {seat} must {'not ' if face is not None else ''}show its face"
            return None
        case Move(slot=slot, by=by, to=to), Moved(face=face):
            public = by in desk.gone or to in desk.gone or desk.face(slot) is not None
            return None if (face is not None) == public else f"a move by seat {by} shows {face}"
        case _:
            return f"want {want.r} is a {type(want).__name__}, not answered by {type(answer).__name__}"
