"""The small statements of the one proof: possession of keys, decryption shares, re-keying a card."""

from __future__ import annotations

from collections.abc import Sequence

from kontor_games.engine.core.stream import H, u32

from .algebra import sigma
from .algebra.group import (
    G,
    Point,
    Reject,
    add,
    base,
    bind,
    dec_point,
    gated_by_products,
    h2s,
    mul,
    neg,
    sub,
    taken_points,
)
from .bodies import Key, Rky, Shr


def make_key(z: bytes, x: int, t: int, ctx: bytes, p: int) -> Key:
    """Publish Y = xG and T = tG with proof of possession."""
    Y, T = base(x), base(t)
    c, s = sigma.prove(z, _key(ctx, p, Y, T), [[(0, G)], [(1, G)]], [x, t])
    return Key(Y, T, c, s)


def verify_key(ctx: bytes, p: int, body: Key) -> tuple[Point, Point]:
    """The keys (Y, T)."""
    Y, T = dec_point(body.Y), dec_point(body.T)
    sigma.verify(_key(ctx, p, Y, T), [(Y, [(0, G)]), (T, [(1, G)])], body.c, body.s)
    return Y, T


def _key(ctx: bytes, p: int, Y: Point, T: Point) -> bytes:
    return H("key", bind("key", ctx, p), Y, T)


def make_shares(z: bytes, x: int, ctx: bytes, p: int, r: int, bases: Sequence[Point]) -> Shr:
    """S_k = x·A_k for all bases under one proof."""
    shares = [mul(x, A) for A in bases]
    stmt = _shares(bind("shr", ctx, p, u32(r)), base(x), bases, shares)
    c, s = sigma.prove(z, stmt, [[(0, G)], *([(0, A)] for A in bases)], [x])
    return Shr(r, b"".join(shares), c, s)


def verify_shares(bound: bytes, Y: Point, bases: Sequence[Point], S: bytes, c: bytes, s: bytes) -> tuple[Point, ...]:
    """The shares; their number was compared with the number of bases."""
    shares = taken_points(S)  # each is the image of an equation, which is multiplied
    images = [(Y, [(0, G)]), *((share, [(0, A)]) for A, share in zip(bases, shares, strict=True))]
    gated_by_products(S, lambda: sigma.verify(_shares(bound, Y, bases, shares), images, c, s))
    return shares


def _shares(bound: bytes, Y: Point, bases: Sequence[Point], shares: Sequence[Point]) -> bytes:
    return H("shr", bound, Y, *(A + S for A, S in zip(bases, shares, strict=True)))


def make_rekey(z: bytes, x: int, ctx: bytes, p: int, r: int, A: Point, B: Point, target: Point) -> Rky:
    """The card of (A, B), which p alone holds, under the key `target`."""
    k = h2s("kdf", z, "rky", u32(r), A, B, target)
    card = sub(B, mul(x, A))
    A2, B2 = base(k), add(card, mul(k, target))
    stmt = _rekey(bind("rky", ctx, p, u32(r)), base(x), target, A, B, A2, B2)
    c, s = sigma.prove(z, stmt, [[(0, G)], [(1, G)], [(0, A), (1, target)]], [x, -k])
    return Rky(r, A2, B2, c, s)


def verify_rekey(bound: bytes, Y: Point, target: Point, A: Point, B: Point, body: Rky) -> tuple[Point, Point]:
    """The new ciphertext (A', B')."""
    A2, B2 = dec_point(body.A), dec_point(body.B)
    stmt = _rekey(bound, Y, target, A, B, A2, B2)
    equations = [(Y, [(0, G)]), (neg(A2), [(1, G)]), (sub(B, B2), [(0, A), (1, target)])]
    sigma.verify(stmt, equations, body.c, body.s)
    return A2, B2


def _rekey(bound: bytes, Y: Point, target: Point, A: Point, B: Point, A2: Point, B2: Point) -> bytes:
    return H("rky", bound, Y, target, A + B + A2 + B2)


def opens(x: int, Y: Point) -> bool:
    """Whether x is the secret of Y; 0 never is."""
    try:
        return base(x) == Y
    except Reject:
        return False
