"""The prime-order group of edwards25519: gates for outside bytes, arithmetic, hashing to scalars and points.

This is the only module that touches `nacl.bindings`. Points are 32 encoded bytes that passed a gate or came
out of this module; scalars are ints modulo Q. No byte string from outside may reach any function here but
`dec_point`, `dec_scalar` and their plurals: libsodium's addition takes mixed-order points, its
multiplication takes scalars beyond Q.

There is one exception, because a fifth of all time of a verifier went there. libsodium's multiplication checks its
point as the gate does, every time. A proof that multiplies all points that came with it need not check them before:
it takes them as they are (`taken_points`) within `gated_by_products`, where nothing is believed until all products are
made, and where a refusal is looked at again, so that it has the same cause as if the gates had come first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import NewType, TypeVar

from nacl import bindings
from nacl.exceptions import CryptoError

from kontor_games.engine.core.stream import H, Stream, u32
from kontor_games.engine.errors import KontorError

Point = NewType("Point", bytes)
T = TypeVar("T")

Q = 2**252 + 27742317777372353535851937790883648493
MAX_FACE = 1023
_NEUTRAL = (1).to_bytes(32, "little")

# One name per primitive, looked up at each call, so that a test can count them.
_is_valid = bindings.crypto_core_ed25519_is_valid_point
_multiply = bindings.crypto_scalarmult_ed25519_noclamp
_multiply_base = bindings.crypto_scalarmult_ed25519_base_noclamp
_add = bindings.crypto_core_ed25519_add
_sub = bindings.crypto_core_ed25519_sub
_map = bindings.crypto_core_ed25519_from_uniform


class Reject(KontorError):
    """Bytes or a proof that do not hold; `cause` is the second half of a blame code."""

    def __init__(self, cause: str) -> None:
        super().__init__(cause)
        self.cause = cause


def dec_point(raw: object) -> Point:
    """Gate: a canonical encoding of a point of the prime-order subgroup, not the neutral element."""
    if type(raw) is not bytes or len(raw) != 32 or not _is_valid(raw):
        raise Reject("point")
    return Point(raw)


def dec_scalar(raw: object) -> int:
    """Gate: a canonical scalar, 32 bytes little-endian."""
    if type(raw) is not bytes or len(raw) != 32:
        raise Reject("scalar")
    value = int.from_bytes(raw, "little")
    if value >= Q:
        raise Reject("scalar")
    return value


def pieces(raw: bytes) -> tuple[bytes, ...]:
    """A byte string cut into pieces of 32 bytes."""
    return tuple(raw[i : i + 32] for i in range(0, len(raw), 32))


def dec_points(raw: bytes) -> tuple[Point, ...]:
    """Gate: every 32 bytes a point; the caller has checked the length."""
    return tuple(dec_point(piece) for piece in pieces(raw))


def taken_points(raw: bytes) -> tuple[Point, ...]:
    """Every 32 bytes, whatever they are; only within `gated_by_products`."""
    return tuple(map(Point, pieces(raw)))


def gated_by_products(raw: bytes, proof: Callable[[], T]) -> T:
    """What a proof comes to that multiplies each of these points at least once, and refuses if a product is refused."""
    try:
        return proof()
    except Reject:
        dec_points(raw)  # if one of them was the reason, it is named, as by a gate before the proof
        raise


def dec_scalars(raw: bytes) -> tuple[int, ...]:
    """Gate: every 32 bytes a scalar; the caller has checked the length."""
    return tuple(dec_scalar(piece) for piece in pieces(raw))


def enc_scalar(value: int) -> bytes:
    """Thirty-two bytes, little-endian."""
    return (value % Q).to_bytes(32, "little")


def enc_scalars(values: Iterable[int]) -> bytes:
    """The concatenation of all scalars."""
    return b"".join(map(enc_scalar, values))


def mul(scalar: int, point: Point) -> Point:
    """scalar · point; the neutral element as a result is refused."""
    if point == G:
        return base(scalar)
    try:
        return Point(_multiply(enc_scalar(scalar), point))
    except CryptoError:
        raise Reject("proof") from None


def base(scalar: int) -> Point:
    """scalar · G; the neutral element as a result is refused."""
    try:
        return Point(_multiply_base(enc_scalar(scalar)))
    except CryptoError:
        raise Reject("proof") from None


def add(left: Point, right: Point) -> Point:
    """left + right; the neutral element as a result is refused."""
    return _not_neutral(_sum(left, right))


def sub(left: Point, right: Point) -> Point:
    """left − right; the neutral element as a result is refused."""
    try:
        return _not_neutral(_sub(left, right))
    except CryptoError:
        raise Reject("proof") from None


def neg(point: Point) -> Point:
    """The inverse: the encoding with the other sign (a point past the gate has x ≠ 0)."""
    return Point(point[:31] + bytes([point[31] ^ 0x80]))


def total(points: Iterable[Point]) -> Point:
    """The sum of at least one point; only the final result may not be neutral."""
    result: bytes = _NEUTRAL
    for point in points:
        result = point if result == _NEUTRAL else _sum(result, point)
    return _not_neutral(result)


def msm(terms: Iterable[tuple[int, Point]]) -> Point:
    """Σ scalar · point; a term with scalar 0 adds nothing, and its point is checked as a product would have."""
    return total(mul(scalar, point) for scalar, point in terms if scalar % Q or not dec_point(point))


def h2s(label: str, *parts: bytes | str) -> int:
    """Hash to a scalar."""
    return int.from_bytes(H(label, *parts), "little") % Q


def h2g(label: str, *parts: bytes | str) -> Point:
    """Hash to a point whose discrete logarithm nobody knows."""
    uniform = H(label, *parts)
    return add(Point(_map(uniform[:32])), Point(_map(uniform[32:])))


@cache
def generator(index: int) -> Point:
    """H_i: the independent generators of the shuffle proof."""
    return h2g("gen", u32(index))


@cache
def face_point(face: int) -> Point:
    """M_f: the point that stands for a card."""
    assert 0 <= face <= MAX_FACE
    return h2g("face", u32(face))


def prepare(cards: int) -> None:
    """Work out what every deck of so many cards needs: it takes a tenth of a millisecond per point, once."""
    for index in range(cards + 1):
        generator(index)
        face_point(index)


def bind(kind: str, ctx: bytes, peer: int, *parts: bytes) -> bytes:
    """Ties a proof to one table, one message kind, one sender and one request."""
    return H("bind", kind, ctx, u32(peer), *parts, size=32)


def _sum(left: bytes, right: bytes) -> bytes:
    """The sum, also the neutral element; what does not lie on the curve is refused."""
    try:
        return _add(left, right)
    except CryptoError:
        raise Reject("proof") from None


def _not_neutral(raw: bytes) -> Point:
    if raw == _NEUTRAL:
        raise Reject("proof")
    return Point(raw)


def _multiplies(point: bytes) -> bool:
    try:
        return bool(_multiply(enc_scalar(2), point))
    except CryptoError:
        return False


def _self_test() -> None:
    """Refuse to work with a libsodium whose point check is broken (CVE-2025-69277) or whose results differ."""
    order2 = ((1 << 255) - 20).to_bytes(32, "little")
    refused = (_add(G, order2), _NEUTRAL, order2, bytes(32), ((1 << 255) - 18).to_bytes(32, "little"))
    vectors = (
        (H("test", "a", "")[:16], "058b42ee3a5fd6e15a53997fd32e90fa"),
        (enc_scalar(h2s("test", "a")), "84ca57a3e712dbe6eb401ffc45800b26f1fa6d8b1370641ce712c976e19ae202"),
        (generator(0), "cf6b5ee8eb6cdb8004c41e7b7c8724adee3836e8f4d6f7e78abcc6855c938c60"),
        (generator(1), "b314b6c868f0b331c7d02f3439962336b834956dbe58b035646b3dd3ba1b46c2"),
        (face_point(0), "af37c517816b59c04e5f037b26e14a48d95bb5c3c5beccf3f666af1b75fa354a"),
        (face_point(1), "aec4d0032c2ad045cea92c2a2dd3aa1d262eac8f3c8c325a3779dbbc0bc26f8b"),
        (Stream("seed").take(8), "1f3ce19e161d3225"),
        (bytes(Stream("seed").permutation(10)), "05010006080902040307"),
    )
    takes = any(map(_is_valid, refused)) or any(map(_multiplies, refused))
    if takes or not _is_valid(G) or any(raw.hex() != want for raw, want in vectors):
        raise ImportError("libsodium fails the self-test of sealed decks; install PyNaCl 1.6.2 or newer from its wheel")


G = Point(_multiply_base(enc_scalar(1)))
_self_test()
