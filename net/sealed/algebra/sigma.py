"""The one proof: knowledge of scalars w with image_e = Σ w[i] · base for every equation e (Fiat–Shamir)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from kontor_games.engine.core.stream import H, u32

from .group import Point, Reject, dec_scalar, dec_scalars, enc_scalar, enc_scalars, h2s, msm, mul, sub

Terms: TypeAlias = Sequence[tuple[int, Point]]  # (index of the witness, base)
Equation: TypeAlias = tuple[Point, Terms]  # (image, terms)


def prove(z: bytes, stmt: bytes, equations: Sequence[Terms], witnesses: Sequence[int]) -> tuple[bytes, bytes]:
    """The pair (c, s); nonces follow from secret, statement and witnesses, so a repeat gives equal bytes."""
    nonce_key = H("nonce-key", z, stmt, enc_scalars(witnesses), size=32)
    nonces = [h2s("nonce", nonce_key, u32(i)) for i in range(len(witnesses))]
    commits = [msm((nonces[i], point) for i, point in terms) for terms in equations]
    c = h2s("chal", stmt, b"".join(commits))
    return enc_scalar(c), enc_scalars(n + c * w for n, w in zip(nonces, witnesses, strict=True))


def verify(stmt: bytes, equations: Sequence[Equation], c_raw: bytes, s_raw: bytes) -> None:
    """Raise `Reject` unless the proof holds; the caller has checked the length of `s_raw`."""
    c, s = dec_scalar(c_raw), dec_scalars(s_raw)
    commits = [sub(msm((s[i], point) for i, point in terms), mul(c, image)) for image, terms in equations]
    if h2s("chal", stmt, b"".join(commits)) != c:
        raise Reject("proof")
