"""What the driver of an archive and its workers say to each other: typed msgpack messages, each behind its length.

The driver reads the files; a worker sees bytes and nothing else. So what is judged is what was hashed, a worker on
another machine needs no folder of ours, and the answer depends on the bytes alone.
"""

from __future__ import annotations

from typing import IO, Any, Literal, TypeVar

import msgspec
from msgspec import Struct

from kontor_games.net.record.transcript import MAX_FILE

Duty = Literal["judge", "describe", "rate"]
LONGEST = MAX_FILE + 64 * 1024  # bytes of a message: a whole file and what is around it
T = TypeVar("T")


class FileOrder(Struct, frozen=True, array_like=True):
    """One file to be judged, described or rated; `cpu` bounds the seconds of a processor it may cost, 0 does not."""

    duty: Duty
    content: bytes
    cpu: int = 0


class JudgeReady(Struct, frozen=True, array_like=True):
    """What a worker says first: it runs, and this is what it judges by (`judge_identity.py`)."""

    identity: dict[str, str]


def write(pipe: IO[bytes], message: Any) -> None:
    """Send one message whole."""
    data = msgspec.msgpack.encode(message)
    pipe.write(len(data).to_bytes(4, "big") + data)
    pipe.flush()


def read(pipe: IO[bytes], kind: type[T]) -> T:
    """The next message; raises EOFError if the other end has gone, ValueError for nonsense."""
    return msgspec.msgpack.decode(read_bytes(pipe), type=kind)


def read_bytes(pipe: IO[bytes]) -> bytes:
    """The next message as it stands, for whoever knows its type."""
    size = int.from_bytes(_exactly(pipe, 4), "big")
    if size > LONGEST:
        raise ValueError(f"a message of {size} bytes")
    return _exactly(pipe, size)


def _exactly(pipe: IO[bytes], size: int) -> bytes:
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return data
