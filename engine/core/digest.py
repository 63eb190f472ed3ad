"""Canonical bytes of a value, and the digest of a state.

States are trees of `Value` records, tuples, int, str and bytes. Each has exactly one encoding
(arrays in field order, shortest integer forms, no maps), so equal states give equal bytes on
every machine; the `msgpack` package reads them.
"""

from __future__ import annotations

from hashlib import blake2b

import msgspec

canonical = msgspec.msgpack.Encoder().encode


def digest(state: object) -> bytes:
    """BLAKE2b-256 over the canonical bytes of the whole state."""
    return blake2b(canonical(state), digest_size=32).digest()
