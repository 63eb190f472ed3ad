"""A node of protocol 1 as far as tests need one: what it can read, and how it greets. Its messages are frozen here."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from kontor_games.net.wire.messages import AnyMessage, Hello, encode


class OldSeat(Struct, frozen=True, forbid_unknown_fields=True):
    """Who sits on a seat."""

    peer: bytes
    name: str
    kind: str


class OldMember(Struct, frozen=True, forbid_unknown_fields=True):
    """A peer at the table."""

    key: bytes
    addresses: tuple[str, ...]
    is_here: bool
    is_ready: bool


class OldTable(Struct, frozen=True, forbid_unknown_fields=True, tag_field="t", tag="table"):
    """The whole table."""

    table: str
    revision: int
    phase: str
    host: bytes
    game: str
    rules: int
    data: bytes
    options: dict[str, Any]
    recovery: str
    spectators: bool
    seats: tuple[OldSeat | None, ...]
    members: tuple[OldMember, ...]
    notice: Annotated[str, Meta(max_length=400)] = ""


class OldOffers(Struct, frozen=True, forbid_unknown_fields=True, tag_field="t", tag="offers"):
    """The tables of a node."""

    tables: tuple[OldTable, ...]


class OldError(Struct, frozen=True, forbid_unknown_fields=True, tag_field="t", tag="error"):
    """Something cannot be done."""

    about: str
    reason: Annotated[str, Meta(max_length=400)]


def old_hello() -> Hello:
    """How a node of protocol 1 greets."""
    return Hello((1,), b"o" * 16, ("about",))


def old_read(message: AnyMessage) -> OldTable | OldOffers | OldError:
    """What such a node makes of a message; ValidationError for anything it does not know, which ends its link."""
    return msgspec.msgpack.decode(encode(message), type=OldTable | OldOffers | OldError)
