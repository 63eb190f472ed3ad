"""What experts and their workers send each other: msgpack that names its types, a length before each message.

A duty is one kind of work: a function, and the types of what goes to it and comes back. Values of a game (states,
actions) have types of that game, so a duty is told the game first. Whatever is of another shape is refused.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import IO, Any, NamedTuple

import msgspec
from msgspec import Struct

from ..states import GameTypes, types_of

LENGTH = struct.Struct(">I")
_BOTS = __package__.rpartition(".")[0]


class WorkerDuty(NamedTuple):
    """`function(shared, *job)`; `shared` is a named tuple that begins with a game and its rules version."""

    place: str  # module within the bots, and name there: how a worker finds it
    function: Callable[..., Any]
    kind: Callable[..., Any]  # of what is shared
    shared: Callable[[GameTypes], Any]
    job: Callable[[GameTypes], Any]
    answer: Any


class Order(Struct, array_like=True):
    """Jobs for a worker; what they share is told with the first of them."""

    place: str
    game: str
    rules: int
    shared: bytes | None
    jobs: list[bytes]


class WorkerMemory:
    """The duty and the shared value that a worker has been told last."""

    def __init__(self) -> None:
        self._duty: WorkerDuty | None = None
        self._shared: Any = None
        self._job: Any = None

    def answers(self, order: Order) -> list[Any]:
        """What an order asks for."""
        if order.shared is not None:
            module, _, name = order.place.partition(":")
            duty: WorkerDuty = getattr(import_module(f"{_BOTS}.{module}"), name)
            types = types_of(order.game, order.rules)
            self._shared = duty.kind(*msgspec.msgpack.decode(order.shared, type=duty.shared(types)))
            self._duty, self._job = duty, msgspec.msgpack.Decoder(duty.job(types))
        assert self._duty is not None
        return [self._duty.function(self._shared, *self._job.decode(job)) for job in order.jobs]


def order(duty: WorkerDuty, shared: Any, jobs: Sequence[tuple[Any, ...]], is_new: bool) -> Order:
    """The order for these jobs."""
    encode = msgspec.msgpack.encode
    return Order(duty.place, shared[0], shared[1], encode(shared) if is_new else None, [encode(job) for job in jobs])


def write(pipe: IO[bytes], value: Any) -> None:
    """Send one value, its length first."""
    raw = msgspec.msgpack.encode(value)
    pipe.write(LENGTH.pack(len(raw)) + raw)
    pipe.flush()


def read(pipe: IO[bytes], kind: Any) -> Any:
    """The next value; EOFError where there is none."""
    head = pipe.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    return msgspec.msgpack.decode(pipe.read(*LENGTH.unpack(head)), type=kind)
