"""A table as a value: who is at it, who sits where, what would be played, how far the agreement is.

The keeper (net/table/keeper.py) makes a new value with every change. A node keeps it in memory; a lobby's record of a
table is this value with fields of the lobby's own behind it (lobby/model/records.py). Values are therefore stored as
they are declared here: packed as arrays, in the order of the fields. Files of earlier versions must stay readable, so
no field is ever moved, and a new one is added with a default to the class of later fields. Those are keyword-only:
msgspec packs them after all other fields, also after the ones that a record adds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import Struct

from kontor_games.net.wire.messages import OLDEST, PROTOCOL, Clauses, OptionValue, Recovery, SeatInfo, Start

Phase: TypeAlias = Literal["open", "signing", "started", "closed"]


class _LaterMemberFields(Struct, frozen=True, array_like=True, kw_only=True):
    protocol: int = OLDEST  # what its node speaks


class MemberState(_LaterMemberFields, frozen=True):
    """A member of a table."""

    key: bytes
    addresses: tuple[str, ...]
    nonce: bytes | None = None  # the fresh bytes of its Ready; None means not ready
    lost_at: float | None = None  # when its link broke, while it is broken
    sig: bytes | None = None  # of the terms that are being signed

    @property
    def is_older(self) -> bool:
        """Whether its node is too old to read the terms."""
        return self.protocol < PROTOCOL


class _LaterTableFields(Struct, frozen=True, array_like=True, kw_only=True):
    clauses: Clauses | None = None
    is_over: bool = False  # a player said that its match is over; a lobby keeps it for those who need its relay
    kept_for: tuple[bytes, ...] = ()  # by seat, whose it is; nobody else can sit there. Empty: whoever comes first


class TableState(_LaterTableFields, frozen=True):
    """A table: everything with which another process can go on."""

    id: str
    host: bytes
    game: str
    options: Mapping[str, OptionValue]
    seats: tuple[SeatInfo | None, ...]
    recovery: Recovery = "majority"
    spectators: bool = False
    phase: Phase = "open"
    revision: int = 0
    notice: str = ""  # why the last start did not come off
    members: tuple[MemberState, ...] = ()  # in order of arrival
    terms: bytes = b""  # that are being signed, or were
    order: tuple[bytes, ...] = ()  # of the peers in the terms
    signatures: tuple[bytes, ...] = ()  # of the started match
    sign_by: float = 0.0

    def member(self, key: bytes) -> MemberState | None:
        """The member with this key, or None."""
        return next((member for member in self.members if member.key == key), None)

    @property
    def holders(self) -> tuple[bytes, ...]:
        """The peers that hold seats, each once, in order of seats."""
        return tuple(dict.fromkeys(seat.peer for seat in self.seats if seat is not None))

    def name_of(self, peer: bytes) -> str:
        """How the others know this peer: by the name at its first seat."""
        return next((seat.name for seat in self.seats if seat is not None and seat.peer == peer), "a visitor")

    @property
    def heir(self) -> bytes:
        """The next host: the first seated member that is here, else whoever came first."""
        here = [member.key for member in self.members if member.lost_at is None]
        here = here or [member.key for member in self.members]
        return next((peer for peer in self.holders if peer in here), here[0])

    @property
    def is_complete(self) -> bool:
        """Whether every seat is taken and every peer that holds one is ready."""
        ready = {member.key for member in self.members if member.nonce is not None}
        # one peer alone needs no terms: that is local play
        return None not in self.seats and len(self.holders) >= 2 and ready.issuperset(self.holders)

    @property
    def start(self) -> Start | None:
        """The message with which the match began here, if one has."""
        return Start(self.id, self.terms, self.signatures) if self.signatures else None
