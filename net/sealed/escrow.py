"""Key escrow: Feldman shares of each deck key among the members of an epoch, and rebuilding a key from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kontor_games.engine.core.stream import H, u32

from .algebra import sigma
from .algebra.group import (
    G,
    Point,
    Q,
    Reject,
    add,
    base,
    bind,
    dec_point,
    dec_points,
    dec_scalars,
    enc_scalars,
    h2s,
    mul,
)
from .bodies import Cmp, Esc


@dataclass(frozen=True, slots=True)
class DealtShares:
    """What one dealer published in one epoch: commitments F_0 … F_{τ−1}, R, masked shares by member."""

    F: tuple[Point, ...]
    R: Point
    E: tuple[tuple[int, int], ...]  # (member, masked share), ascending, without the dealer


def threshold(active: int) -> int:
    """τ: the smallest majority."""
    return active // 2 + 1


def _mask(ctx: bytes, dealer: int, member: int, epoch: int, R: Point, K: Point) -> int:
    return h2s("esc-mask", bind("esc", ctx, dealer, u32(member), u32(epoch)), R, K)


def _statement(ctx: bytes, p: int, epoch: int, R: bytes, F: bytes, E: bytes) -> bytes:
    return H("esc", bind("esc", ctx, p, u32(epoch)), R, F, E)


def make(z: bytes, x: int, ctx: bytes, p: int, epoch: int, transport: Mapping[int, Point]) -> Esc:
    """The `esc` of peer p for the members whose transport keys are given."""
    members = sorted(transport)
    who = bytes(members)
    coefficients = [x, *(_coefficient(z, epoch, who, k) for k in range(1, threshold(len(members))))]
    e = h2s("kdf", z, "eph", u32(epoch), who)
    R = base(e)
    masked = [
        evaluate(coefficients, i + 1) + _mask(ctx, p, i, epoch, R, mul(e, transport[i])) for i in members if i != p
    ]
    F, E = b"".join(base(a) for a in coefficients[1:]), enc_scalars(masked)
    c, s = sigma.prove(z, _statement(ctx, p, epoch, R, F, E), [[(0, G)]], [e])
    return Esc(epoch, F, R, E, c, s)


def _coefficient(z: bytes, epoch: int, who: bytes, k: int) -> int:
    return h2s("kdf", z, "poly", u32(epoch), who, u32(k))


def evaluate(coefficients: Sequence[int], position: int) -> int:
    """f(position) mod Q."""
    result = 0
    for coefficient in reversed(coefficients):
        result = (result * position + coefficient) % Q
    return result


def verify(ctx: bytes, p: int, epoch: int, Y: Point, members: Sequence[int], body: Esc) -> DealtShares:
    """Gates and the proof for R; the shares themselves only their members can judge."""
    F, R, E = dec_points(body.F), dec_point(body.R), dec_scalars(body.E)
    sigma.verify(_statement(ctx, p, epoch, body.R, body.F, body.E), [(R, [(0, G)])], body.c, body.s)
    return DealtShares((Y, *F), R, tuple(zip((i for i in members if i != p), E, strict=True)))


def unmask(ctx: bytes, dealer: int, member: int, epoch: int, dealt: DealtShares, K: Point) -> int:
    """The share that `dealer` gave to `member`, with K = t·R."""
    return (dict(dealt.E)[member] - _mask(ctx, dealer, member, epoch, dealt.R, K)) % Q


def fits(share: int, member: int, F: Sequence[Point]) -> bool:
    """Whether share·G == Σ (member+1)^k · F_k."""
    try:
        expected, power = F[0], 1
        for commitment in F[1:]:
            power = power * (member + 1) % Q
            expected = add(expected, mul(power, commitment))
        return base(share) == expected
    except Reject:
        return False


def combine(shares: Mapping[int, int]) -> int:
    """f(0) from at least τ shares by member (Lagrange)."""
    secret = 0
    for i, share in shares.items():
        weight = share
        for j in shares:
            if j != i:
                weight = weight * (j + 1) * pow(j - i, -1, Q) % Q
        secret += weight
    return secret % Q


def complain(z: bytes, t: int, ctx: bytes, p: int, dealer: int, epoch: int, dealt: DealtShares) -> Cmp:
    """Open the channel key of one bad share, and prove that it is the right one."""
    K = mul(t, dealt.R)
    stmt = _complaint(ctx, p, dealer, epoch, base(t), dealt.R, K)
    c, s = sigma.prove(z, stmt, [[(0, G)], [(0, dealt.R)]], [t])
    return Cmp(epoch, dealer, K, c, s)


def verify_complaint(ctx: bytes, p: int, T: Point, dealt: DealtShares, body: Cmp) -> bool:
    """Whether the dealer's share for p is bad; a wrong proof is rejected."""
    K = dec_point(body.K)
    stmt = _complaint(ctx, p, body.d, body.e, T, dealt.R, K)
    sigma.verify(stmt, [(T, [(0, G)]), (K, [(0, dealt.R)])], body.c, body.s)
    return not fits(unmask(ctx, body.d, p, body.e, dealt, K), p, dealt.F)


def _complaint(ctx: bytes, p: int, dealer: int, epoch: int, T: Point, R: Point, K: Point) -> bytes:
    return H("cmp", bind("cmp", ctx, p, u32(dealer), u32(epoch)), T, R, K)
