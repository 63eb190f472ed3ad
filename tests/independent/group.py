"""Hashing, the group of prime order, gates, signatures and the one proof (docs/wire.md, docs/wire-sealed.md).

Points and scalars stay what they are on the wire: 32 bytes. Whatever fails raises `BadValue`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import blake2b

import nacl.exceptions
from nacl.bindings import (
    crypto_core_ed25519_add,
    crypto_core_ed25519_from_uniform,
    crypto_core_ed25519_is_valid_point,
    crypto_core_ed25519_sub,
    crypto_scalarmult_ed25519_base_noclamp,
    crypto_scalarmult_ed25519_noclamp,
    crypto_sign_open,
)

Q = 2**252 + 27742317777372353535851937790883648493
ZERO = bytes(32)
NEUTRAL = b"\x01" + bytes(31)
GENERATOR = crypto_scalarmult_ed25519_base_noclamp(b"\x01" + bytes(31))
FACES = 1024

Term = tuple[bytes, bytes]  # scalar, point


class BadValue(ValueError):
    """Bytes that do not pass their gate, or a check that does not hold; `cause` as in the blame codes."""

    def __init__(self, cause: str, reason: str) -> None:
        super().__init__(reason)
        self.cause = cause


def H(label: str, *parts: bytes, size: int = 64) -> bytes:
    """BLAKE2b over the label and the parts, each with its length before it."""
    hasher = blake2b(digest_size=size)
    for part in (b"kontor/sd/1/" + label.encode(), *parts):
        hasher.update(len(part).to_bytes(4, "big"))
        hasher.update(part)
    return hasher.digest()


def u32(number: int) -> bytes:
    """Four bytes, big-endian."""
    return number.to_bytes(4, "big")


def to_scalar(number: int) -> bytes:
    """A number mod q as 32 bytes, little-endian."""
    return (number % Q).to_bytes(32, "little")


def to_int(scalar: bytes) -> int:
    """The number in the bytes of a scalar."""
    return int.from_bytes(scalar, "little")


def h2s(label: str, *parts: bytes) -> bytes:
    """A hash as a scalar."""
    return to_scalar(int.from_bytes(H(label, *parts), "little"))


def h2g(label: str, *parts: bytes) -> bytes:
    """A hash as a point of which nobody knows the logarithm."""
    u = H(label, *parts)
    return crypto_core_ed25519_add(crypto_core_ed25519_from_uniform(u[:32]), crypto_core_ed25519_from_uniform(u[32:]))


@cache
def generator(i: int) -> bytes:
    """H_i of the shuffle proof."""
    return h2g("gen", u32(i))


@cache
def face_point(face: int) -> bytes:
    """M_f, the point of a card face."""
    if not 0 <= face < FACES:
        raise BadValue("card", f"{face} is not a card face")
    return h2g("face", u32(face))


def points(raw: bytes, count: int) -> list[bytes]:
    """A list of exactly `count` points, each through its gate."""
    found = _pieces(raw, count)
    for each in found:
        if not crypto_core_ed25519_is_valid_point(each):
            raise BadValue("point", f"{each.hex()} is not a point of the group")
    return found


def scalars(raw: bytes, count: int) -> list[bytes]:
    """A list of exactly `count` scalars, each through its gate."""
    found = _pieces(raw, count)
    for each in found:
        if to_int(each) >= Q:
            raise BadValue("scalar", f"{each.hex()} is not below q")
    return found


def _pieces(raw: bytes, count: int) -> list[bytes]:
    if len(raw) != 32 * count:
        raise BadValue("form", f"{32 * count} bytes are due, not {len(raw)}")
    return [raw[i : i + 32] for i in range(0, len(raw), 32)]


def times(scalar: bytes, point: bytes) -> bytes:
    """A product; one that gives the neutral element fails."""
    try:
        if point == GENERATOR:
            return crypto_scalarmult_ed25519_base_noclamp(scalar)
        return crypto_scalarmult_ed25519_noclamp(scalar, point)
    except nacl.exceptions.CryptoError:
        raise BadValue("proof", "a product gives the neutral element") from None


def raw_sum(items: Iterable[bytes]) -> bytes:
    """A sum of points, which may be the neutral element."""
    total = NEUTRAL
    for each in items:
        total = each if total == NEUTRAL else crypto_core_ed25519_add(total, each)
    return total


def proper(point: bytes) -> bytes:
    """The point, unless it is the neutral element."""
    if point == NEUTRAL:
        raise BadValue("proof", "a sum gives the neutral element")
    return point


def add(*items: bytes) -> bytes:
    """A sum of points that must not be the neutral element."""
    return proper(raw_sum(items))


def minus(point: bytes, *others: bytes) -> bytes:
    """A difference that must not be the neutral element."""
    for other in others:
        point = crypto_core_ed25519_sub(point, other)
    return proper(point)


def negative(point: bytes) -> bytes:
    """The inverse of a point."""
    return crypto_core_ed25519_sub(NEUTRAL, point)


def combine(terms: Iterable[Term]) -> bytes:
    """A sum of products, possibly the neutral element; a term with scalar 0 adds nothing."""
    return raw_sum(times(scalar, point) for scalar, point in terms if scalar != ZERO)


Equation = tuple[bytes, Sequence[tuple[int, bytes]]]  # image, then (index of the witness, base) for each term


def check_proof(stmt: bytes, equations: Iterable[Equation], c: bytes, s: Sequence[bytes]) -> None:
    """Raise BadValue unless the proof `(c, s)` holds for all equations."""
    commitments = []
    for image, terms in equations:
        left = combine((s[index], base) for index, base in terms)
        commitments.append(minus(left, times(c, proper(image))))
    if h2s("chal", stmt, b"".join(commitments)) != c:
        raise BadValue("proof", "the proof does not hold")


def signature_fits(kind: str, raw: bytes, signature: bytes, key: bytes) -> bool:
    """Whether this is the signature of `key` under `raw` for this purpose."""
    if len(signature) != 64 or len(key) != 32:
        return False
    try:
        crypto_sign_open(signature + b"kontor/" + kind.encode() + b"/1\x00" + raw, key)
    except nacl.exceptions.BadSignatureError:
        return False
    return True
