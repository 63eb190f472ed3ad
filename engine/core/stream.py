"""Domain-separated hashing and the deterministic byte stream (docs/wire.md, «Hashing»)."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b

DST = b"kontor/sd/1/"


@cache
def _head(label: str) -> bytes:
    """What every hash under this label begins with; there are a few dozen labels, all written in the code."""
    raw = DST + label.encode()
    return len(raw).to_bytes(4, "big") + raw


def H(label: str, *parts: bytes | str, size: int = 64) -> bytes:
    """BLAKE2b over length-prefixed parts; the lengths make every input unambiguous."""
    hasher = blake2b(_head(label), digest_size=size)
    for part in parts:
        raw = part.encode() if isinstance(part, str) else part
        hasher.update(len(raw).to_bytes(4, "big"))
        hasher.update(raw)
    return hasher.digest()


def u32(number: int) -> bytes:
    """Four bytes, big-endian."""
    return number.to_bytes(4, "big")


class Stream:
    """An endless stream of bytes that follows from its seed alone."""

    def __init__(self, *seed: bytes | str) -> None:
        self._key = H("stream-key", *seed, size=32)
        self._block = 0
        self._buffer = b""

    def take(self, count: int) -> bytes:
        """The next `count` bytes."""
        while len(self._buffer) < count:
            self._buffer += H("stream", self._key, u32(self._block))
            self._block += 1
        out, self._buffer = self._buffer[:count], self._buffer[count:]
        return out

    def below(self, bound: int) -> int:
        """A number in 0 … bound − 1, each equally likely (rejection, no modulo bias)."""
        limit = 2**64 - 2**64 % bound
        while True:
            value = int.from_bytes(self.take(8), "big")
            if value < limit:
                return value % bound

    def permutation(self, count: int) -> list[int]:
        """A uniform order of 0 … count − 1 (Fisher–Yates from the end)."""
        order = list(range(count))
        for i in range(count - 1, 0, -1):
            j = self.below(i + 1)
            order[i], order[j] = order[j], order[i]
        return order
