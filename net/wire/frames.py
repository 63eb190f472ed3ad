"""Link frames: how messages are cut out of a byte stream, with a bound on every one.

A frame is `length (4 bytes, big-endian) | version (1) | channel (1) | body`; the length counts version, channel and
body. The channel says how long the body may be, so that a reader knows its bound before it keeps a byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from kontor_games.engine.errors import LocalError, RemoteError

VERSION: Final = 1
CONTROL: Final = 0  # everything people do
BULK: Final = 1  # pieces of a chain and signed messages with big proofs
MAX_CONTROL: Final = 64 * 1024
MAX_BULK: Final = 512 * 1024
MAX_GREETING: Final = 1024  # until the other side has said hello, it may not make us keep more than this
_head: Final = Struct("!IBB")
_HEAD: Final = _head.size
BETWEEN_NODES: Final = {CONTROL: MAX_CONTROL, BULK: MAX_BULK}


def pack_frame(body: bytes) -> bytes:
    """The frame around `body`, in one piece so that it is written once."""
    if len(body) > MAX_BULK:
        raise LocalError(f"a message of {len(body)} bytes is longer than the bound of {MAX_BULK}")
    channel = CONTROL if len(body) <= MAX_CONTROL else BULK
    return _head.pack(len(body) + 2, VERSION, channel) + body


class FrameReader:
    """Turns pieces of a stream into frames; never keeps more than one frame's bound.

    `limits` are the longest bodies by channel once the other side has greeted; what is not in it may not be used.
    """

    def __init__(self, limits: Mapping[int, int] = BETWEEN_NODES) -> None:
        self._limits = limits
        self._buffer = bytearray()
        self.greeted = False

    def feed(self, data: bytes) -> None:
        """Take the next piece of the stream."""
        self._buffer += data

    def next(self) -> tuple[int, bytes] | None:
        """The next whole frame as (channel, body), or None; RemoteError if the stream is not a Kontor stream."""
        buffer = self._buffer
        if len(buffer) < _HEAD:
            return None
        size, version, channel = _head.unpack_from(buffer)
        size -= 2
        if version != VERSION:
            raise RemoteError(f"link frame of version {version}; this node speaks version {VERSION}")
        if channel not in self._limits:
            raise RemoteError(f"link frame on channel {channel}, which is not used here")
        limit = self._limits[channel] if self.greeted else MAX_GREETING
        if not 0 < size <= limit:
            raise RemoteError(f"link frame of {size} bytes; at most {limit} are allowed here")
        if len(buffer) < _HEAD + size:
            return None
        body = bytes(buffer[_HEAD : _HEAD + size])
        del buffer[: _HEAD + size]
        return channel, body

    @property
    def kept(self) -> int:
        """How many bytes wait for the rest of their frame."""
        return len(self._buffer)
