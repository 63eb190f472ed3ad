"""Pure checks of dealer messages: everything a check needs is in its ground, so it may run in any thread.

A `Ground` is what public state contributes to the verdict on one message. `Check.run` costs up to a tenth of a
second for a large shuffle and touches nothing but its own immutable fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from . import escrow, proofs
from .algebra import mix
from .algebra.group import Point, Reject, dec_scalar, dec_scalars, face_point, pieces, sub
from .algebra.mix import Pair, Shuffle
from .bodies import Body, Cheat, Cmp, Esc, Giv, Key, MixBody, Opening, Rky, Shr, kind
from .escrow import DealtShares

HEAVY = 40  # multiplications; about 5 ms


class Ground(Protocol):
    @property
    def work(self) -> int:
        """About how many multiplications `verify` takes."""

    def verify(self, body: Any) -> object:
        """What the message establishes; raises Reject, or Cheat where another than the sender is to blame."""

    def trust(self, body: Any) -> object:
        """The same for a message that this node made itself."""


@dataclass(frozen=True)
class Verdict:
    """A message found good."""

    check: Check
    result: Any


@dataclass(frozen=True)
class Check:
    """One message with the ground to judge it on."""

    peer: int
    body: Body | Opening
    ground: Ground

    @property
    def kind(self) -> str:
        return "shr" if isinstance(self.body, Opening) else kind(self.body)

    @property
    def heavy(self) -> bool:
        """Whether this belongs in a worker thread."""
        return self.ground.work >= HEAVY

    def run(self, own: bool = False) -> Verdict:
        """Judge the message; raises Cheat. `own`: this node made it, so proofs are not checked again."""
        try:
            return Verdict(self, self.ground.trust(self.body) if own else self.ground.verify(self.body))
        except Reject as reject:
            raise Cheat(self.peer, f"{self.kind}.{reject.cause}") from None


@dataclass(frozen=True)
class Plain:
    """Nothing to compute: form and turn say it all."""

    work = 0

    def verify(self, body: Any) -> object:
        return None

    trust = verify


@dataclass(frozen=True)
class KeyGround:
    ctx: bytes
    peer: int
    taken: tuple[tuple[int, Point], ...]
    work = 9

    def verify(self, body: Key) -> tuple[Point, Point]:
        Y, T = proofs.verify_key(self.ctx, self.peer, body)
        if Y == T:
            raise Reject("key")
        for other, point in self.taken:
            if point in (Y, T):  # both know the secret; the higher index is blamed, whoever came first
                raise Cheat(max(self.peer, other), "key.key")
        return Y, T

    trust = verify


@dataclass(frozen=True)
class EscGround:
    ctx: bytes
    peer: int
    epoch: int
    members: tuple[int, ...]
    Y: Point
    work = 4

    def verify(self, body: Esc) -> DealtShares:
        return escrow.verify(self.ctx, self.peer, self.epoch, self.Y, self.members, body)

    trust = verify


@dataclass(frozen=True)
class CmpGround:
    ctx: bytes
    peer: int
    T: Point
    dealt: DealtShares
    work = 8

    def verify(self, body: Cmp) -> object:
        """A complaint always ends in blame: of the dealer, or of the one who complained without cause."""
        bad = escrow.verify_complaint(self.ctx, self.peer, self.T, self.dealt, body)
        raise Cheat(body.d, "esc.share") if bad else Reject("complaint")

    trust = verify


@dataclass(frozen=True)
class MixGround:
    bound: bytes
    key: Point
    inputs: tuple[Pair, ...]

    @property
    def work(self) -> int:
        return 12 * len(self.inputs)

    def verify(self, body: MixBody) -> tuple[Pair, ...]:
        return mix.verify(self.bound, self.key, self.inputs, Shuffle(body.o, body.p, body.h, body.c, body.s))

    def trust(self, body: MixBody) -> tuple[Pair, ...]:
        return mix.pairs_of([Point(piece) for piece in pieces(body.o)])


@dataclass(frozen=True)
class ShareGround:
    bound: bytes
    Y: Point
    bases: tuple[Point, ...]

    @property
    def work(self) -> int:
        return 3 * len(self.bases) + 3

    def verify(self, body: Shr) -> tuple[Point, ...]:
        return proofs.verify_shares(self.bound, self.Y, self.bases, body.S, body.c, body.s)

    def trust(self, body: Shr) -> tuple[Point, ...]:
        return tuple(Point(piece) for piece in pieces(body.S))


@dataclass(frozen=True)
class OpenGround:
    """Cards shown inside an action: shares, and the faces that the action names."""

    r: int
    bound: bytes
    Y: Point
    cards: tuple[tuple[int, Pair, int], ...]  # hidden ones: slot, ciphertext under one layer, face claimed

    @property
    def work(self) -> int:
        return 3 * len(self.cards) + 3

    def verify(self, body: Opening) -> object:
        bases = [A for _, (A, _), _ in self.cards]
        shares = proofs.verify_shares(self.bound, self.Y, bases, body.S, body.c, body.s)
        for (_, (_, B), face), share in zip(self.cards, shares, strict=True):
            if sub(B, share) != face_point(face):
                raise Reject("card")
        return None

    trust = verify


@dataclass(frozen=True)
class RkyGround:
    bound: bytes
    Y: Point
    target: Point
    A: Point
    B: Point
    work = 10

    def verify(self, body: Rky) -> Pair:
        return proofs.verify_rekey(self.bound, self.Y, self.target, self.A, self.B, body)

    trust = verify


@dataclass(frozen=True)
class GivGround:
    peer: int
    gone: tuple[int, ...]
    commitments: tuple[Sequence[Point], ...]
    work = 9

    def verify(self, body: Giv) -> tuple[int, ...]:
        shares = dec_scalars(body.f)
        for share, commitment in zip(shares, self.commitments, strict=True):
            if not escrow.fits(share, self.peer, commitment):
                raise Reject("share")
        return shares

    trust = verify


@dataclass(frozen=True)
class SecretGround:
    """A deck key handed over: `bye` and `opn`."""

    Y: Point
    work = 1

    def verify(self, body: Any) -> int:
        x = dec_scalar(body.x)
        if not proofs.opens(x, self.Y):
            raise Reject("key")
        return x

    trust = verify
