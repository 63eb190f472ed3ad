"""Slots, and the proofs about them: shares, shuffles, moves, openings (docs/wire-sealed.md, «Slots»)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import Refuted
from .group import (
    GENERATOR,
    ZERO,
    BadValue,
    Equation,
    H,
    add,
    check_proof,
    combine,
    face_point,
    generator,
    h2g,
    h2s,
    minus,
    negative,
    points,
    proper,
    raw_sum,
    scalars,
    times,
    to_int,
    to_scalar,
    u32,
)

Cipher = tuple[bytes, bytes]  # A, B


@dataclass(frozen=True)
class Slot:
    """A card on the table: ciphertext, the peers whose layers are on it, and the seat that holds it alone."""

    a: bytes
    b: bytes
    holders: frozenset[int]
    seat: int | None = None
    face: int | None = None  # of a public card

    @property
    def public(self) -> bool:
        """Whether everybody can read it."""
        return not self.holders


class Deck:
    """All slots of a match and the deck keys of its peers."""

    def __init__(self, match_id: bytes, seats: Sequence[int]) -> None:
        self.ctx = H("table", match_id, size=32)
        self.seats = tuple(seats)  # seat -> peer
        self.keys: dict[int, bytes] = {}  # Y by peer
        self.transports: dict[int, bytes] = {}  # T by peer
        self.secrets: dict[int, bytes] = {}  # x by peer, as far as it is public
        self.gone: set[int] = set()
        self.slots: dict[int, Slot] = {}
        self._used: set[int] = set()
        self._faces: dict[bytes, int] = {}  # point -> face of everything that entered some shuffle

    def bind(self, kind: str, peer: int, *more: bytes) -> bytes:
        """Ties a proof to its kind, match and sender."""
        return H("bind", kind.encode(), self.ctx, u32(peer), *more, size=32)

    def joint(self, holders: Iterable[int]) -> bytes:
        """The joint key of some peers."""
        return add(*(self.keys[peer] for peer in sorted(holders)))

    def peer_of(self, seat: int) -> int:
        """The peer that plays a seat; a want that names another one is a defect."""
        if not 0 <= seat < len(self.seats):
            raise Refuted(f"the game asks for seat {seat}, which does not exist")
        return self.seats[seat]

    # Slots

    def claim(self, numbers: Iterable[int]) -> None:
        """Reserve new slot numbers; none is ever used twice."""
        for number in numbers:
            if number in self._used:
                raise Refuted(f"the game uses slot {number} twice")
            self._used.add(number)

    def enter(self, face: int) -> None:
        """Note that a face entered a shuffle."""
        self._faces[face_point(face)] = face

    def entered(self, face: int) -> bool:
        """Whether a face ever entered a shuffle."""
        return 0 <= face <= 1023 and face_point(face) in self._faces

    def face_at(self, point: bytes) -> int:
        """The face whose point this is."""
        face = self._faces.get(point)
        if face is None:
            raise Refuted("an open card is none that entered a shuffle")
        return face

    def look(self, number: int) -> Slot:
        """A slot as it lies there, with the layers of the departed taken off."""
        slot = self.slots.get(number)
        if slot is None:
            raise Refuted(f"the game asks for slot {number}, which does not exist")
        if slot.holders & self.gone:
            layers = [times(self.secrets[peer], slot.a) for peer in sorted(slot.holders & self.gone)]
            left = slot.holders - self.gone
            b = minus(slot.b, *layers)
            slot = Slot(slot.a, b, left, slot.seat) if left else self.public_slot(slot.a, self.face_at(b))
            self.slots[number] = slot
        return slot

    @staticmethod
    def public_slot(a: bytes, face: int) -> Slot:
        """An open card."""
        return Slot(a, face_point(face), frozenset(), None, face)

    def depart(self, secrets: Mapping[int, bytes]) -> tuple[tuple[int, int], ...]:
        """These peers left and their keys are known: the cards that are readable now, with their faces."""
        self.secrets.update(secrets)
        self.gone.update(secrets)
        readable = [number for number, slot in self.slots.items() if slot.holders and slot.holders <= self.gone]
        shown = []
        for number in sorted(readable):
            face = self.look(number).face
            assert face is not None
            shown.append((number, face))
        return tuple(shown)

    def held_by(self, seat: int) -> dict[int, Cipher]:
        """The cards that a seat holds alone and hidden."""
        peer = frozenset((self.seats[seat],))
        return {
            number: (slot.a, slot.b)
            for number, slot in self.slots.items()
            if slot.holders == peer and slot.seat == seat
        }

    def read(self, cipher: Cipher, peer: int) -> int:
        """The face of a card that one peer held alone, when its key is known."""
        return self.face_at(minus(cipher[1], times(self.secrets[peer], cipher[0])))

    # Proofs

    def check_shares(self, peer: int, r: int, bases: Sequence[bytes], body: Mapping[str, Any]) -> list[bytes]:
        """The shares in a `shr` or an opening: one for each base."""
        if body["r"] != r:
            raise BadValue("form", f"want {r} is meant, not {body['r']}")
        shares = points(body["S"], len(bases))
        c, s = scalars(body["c"], 1), scalars(body["s"], 1)
        key = self.keys[peer]
        pairs = [a + share for a, share in zip(bases, shares, strict=True)]
        stmt = H("shr", self.bind("shr", peer, u32(r)), key, *pairs)
        equations: list[Equation] = [(key, [(0, GENERATOR)])]
        equations += [(share, [(0, a)]) for a, share in zip(bases, shares, strict=True)]
        check_proof(stmt, equations, c[0], s)
        return shares

    def check_move(self, peer: int, r: int, card: Cipher, target: bytes, body: Mapping[str, Any]) -> Cipher:
        """The new ciphertext in an `rky`, under the key `target`."""
        if body["r"] != r:
            raise BadValue("form", f"want {r} is meant, not {body['r']}")
        a, b = card
        (new_a,), (new_b,) = points(body["A"], 1), points(body["B"], 1)
        c, s = scalars(body["c"], 1), scalars(body["s"], 2)
        key = self.keys[peer]
        stmt = H("rky", self.bind("rky", peer, u32(r)), key, target, a + b + new_a + new_b)
        equations: list[Equation] = [
            (key, [(0, GENERATOR)]),
            (negative(new_a), [(1, GENERATOR)]),
            (minus(b, new_b), [(0, a), (1, target)]),
        ]
        check_proof(stmt, equations, c[0], s)
        return new_a, new_b

    def check_mix(
        self, peer: int, r: int, key: bytes, inputs: Sequence[Cipher], body: Mapping[str, Any]
    ) -> list[Cipher]:
        """The outputs of a shuffle by one peer."""
        if body["r"] != r:
            raise BadValue("form", f"want {r} is meant, not {body['r']}")
        m = len(inputs)
        sizes = (("o", 2 * m), ("p", m), ("h", m), ("s", 2 * m + 4))
        for name, count in sizes:
            if len(body[name]) != 32 * count:
                raise BadValue("form", f"{name} has {32 * count} bytes, not {len(body[name])}")
        flat, cs, hats = points(body["o"], 2 * m), points(body["p"], m), points(body["h"], m)
        outputs = list(zip(flat[::2], flat[1::2], strict=True))
        c, s = scalars(body["c"], 1)[0], scalars(body["s"], 2 * m + 4)
        packed = b"".join(a + b for a, b in inputs)
        d = H("mix-u", self.bind("mix", peer, u32(r)), key, packed, body["o"], body["p"])
        us = [h2s("mix-ui", d, u32(j)) for j in range(m)]
        stmt = H("mix", d, body["h"])
        check_proof(stmt, _shuffle_equations(key, inputs, outputs, cs, hats, us), c, s)
        return outputs

    def roll_base(self, r: int) -> bytes:
        """The point that every peer multiplies with its key for roll `r`."""
        return h2g("roll", self.ctx, u32(r))

    def roll_value(self, r: int, shares: Iterable[bytes]) -> bytes:
        """The 32 bytes of roll `r`."""
        return H("roll-out", self.ctx, u32(r), add(*shares), size=32)


def _shuffle_equations(
    key: bytes,
    inputs: Sequence[Cipher],
    outputs: Sequence[Cipher],
    cs: Sequence[bytes],
    hats: Sequence[bytes],
    us: Sequence[bytes],
) -> Iterable[Equation]:
    """Equations (0) to (5…); witnesses W0, W1, W2, v, then r_i, then u'_i."""
    m = len(inputs)
    product = 1
    for u in us:
        product = product * to_int(u)
    blinds, secret = range(4, 4 + m), range(4 + m, 4 + 2 * m)
    generators = [generator(i) for i in range(m + 1)]
    image = raw_sum((*cs, *(negative(each) for each in generators[1:])))
    yield proper(image), [(0, GENERATOR)]
    scale = to_scalar(product)
    image = hats[-1] if scale == ZERO else minus(hats[-1], times(scale, generators[0]))
    yield image, [(1, GENERATOR)]
    yield combine(zip(us, cs, strict=True)), [(2, GENERATOR), *zip(secret, generators[1:], strict=True)]
    firsts = combine((u, a) for u, (a, _) in zip(us, inputs, strict=True))
    yield firsts, [(3, GENERATOR), *zip(secret, (a for a, _ in outputs), strict=True)]
    seconds = combine((u, b) for u, (_, b) in zip(us, inputs, strict=True))
    yield seconds, [(3, key), *zip(secret, (b for _, b in outputs), strict=True)]
    previous = generators[0]
    for i, hat in enumerate(hats):
        yield hat, [(blinds[i], GENERATOR), (secret[i], previous)]
        previous = hat
