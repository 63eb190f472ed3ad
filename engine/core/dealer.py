"""The dealer of local matches: it serves wants from a seed. Among peers `net/sealed` does that."""

from __future__ import annotations

from collections.abc import Iterable

from kontor_games.engine.errors import KontorError

from .chance import Chance, Deal, Dealt, Left, Mix, Mixed, Move, Moved, Roll, Rolled, Want
from .stream import Stream, u32
from .value import Known

EVERYBODY = -1  # sealed by all
PUBLIC = -2  # readable by all


class DealerError(KontorError):
    """The engine asked for what no dealer could do: a defect of the game."""


class LocalDealer:
    """Chance for one machine: everything follows from one seed, and it is strict about who holds what."""

    def __init__(self, seed: bytes) -> None:
        self._seed = seed
        self._face: dict[int, int] = {}
        self._holder: dict[int, int] = {}
        self._gone: set[int] = set()
        self._answer: Chance | None = None

    def entropy(self) -> bytes:
        """Roll 0, which feeds `setup`."""
        return self._stream(0).take(32)

    def serve(self, want: Want) -> None:
        match want:
            case Mix():
                self._answer = self._mix(want)
            case Deal(r=r, cards=cards):
                self._answer = Dealt(r, tuple(self._deal(slot, seat) for slot, seat in cards))
            case Move():
                self._answer = self._move(want)
            case Roll(r=r):
                self._answer = Rolled(r, self._stream(r).take(32))

    def ready(self) -> Chance | None:
        answer, self._answer = self._answer, None
        return answer

    def known(self, seat: int) -> Known:
        return {slot: self._face[slot] for slot, holder in sorted(self._holder.items()) if holder == seat}

    def why_not_open(self, seat: int, pairs: Iterable[tuple[int, int]]) -> str | None:
        """Why this seat cannot show these cards as it claims, or None."""
        for slot, face in pairs:
            if self._holder.get(slot) not in (seat, PUBLIC):
                return f"seat {seat} does not hold slot {slot}"
            if self._face[slot] != face:
                return f"slot {slot} is not card {face}"
        return None

    def open(self, pairs: Iterable[tuple[int, int]]) -> None:
        """The cards were shown to all inside an action."""
        for slot, _ in pairs:
            self._holder[slot] = PUBLIC

    def leave(self, seats: Iterable[int]) -> Left:
        """These seats leave: what they alone held becomes public."""
        leaving = tuple(sorted(seats))
        self._gone.update(leaving)
        slots = [slot for slot, holder in sorted(self._holder.items()) if holder in leaving]
        for slot in slots:
            self._holder[slot] = PUBLIC
        return Left(leaving, tuple((slot, self._face[slot]) for slot in slots))

    def _stream(self, r: int) -> Stream:
        return Stream("local", self._seed, u32(r))

    def _mix(self, want: Mix) -> Mixed:
        need = EVERYBODY if want.own is None else PUBLIC if want.own in self._gone else want.own
        for slot in want.slots:
            if self._holder.get(slot) != need:
                raise DealerError(f"mix {want.r}: slot {slot} is held by {self._holder.get(slot)}, not {need}")
        faces = [*want.faces, *(self._face[slot] for slot in want.slots)]
        if need == PUBLIC:
            order = list(range(len(faces)))  # the only shuffler has left: as in a sealed match, nobody shuffles
        else:
            order = self._stream(want.r).permutation(len(faces))
        for slot in want.slots:
            del self._face[slot], self._holder[slot]
        for slot, source in zip(want.out, order, strict=True):
            if slot in self._holder:
                raise DealerError(f"mix {want.r}: slot {slot} is in use")
            self._face[slot], self._holder[slot] = faces[source], need
        return Mixed(want.r)

    def _deal(self, slot: int, seat: int | None) -> tuple[int, int | None, int | None]:
        held = self._holder.get(slot)
        if held is None or (seat is not None and held not in (EVERYBODY, seat)):
            raise DealerError(f"slot {slot} is held by {held} and cannot be dealt to {seat}")
        public = seat is None or seat in self._gone
        self._holder[slot] = PUBLIC if public or seat is None else seat
        return slot, seat, self._face[slot] if public else None

    def _move(self, want: Move) -> Moved:
        held = self._holder.get(want.slot)
        public = held == PUBLIC or want.by in self._gone or want.to in self._gone
        if held not in (want.by, PUBLIC):
            raise DealerError(f"move {want.r}: slot {want.slot} is held by {held}, not by seat {want.by}")
        face = self._face[want.slot]
        if not want.keep:
            del self._face[want.slot], self._holder[want.slot]
        self._face[want.new] = face
        self._holder[want.new] = PUBLIC if public else EVERYBODY if want.to is None else want.to
        return Moved(want.r, face if public else None)
