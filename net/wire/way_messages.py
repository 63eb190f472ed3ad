"""What a lobby says about ways between two members of a table: bytes passed on, its relay, holes in their routers.

A hole is made like this (net/links/punching.py says how the nodes do it). A node asks with `AskPunch`; it gets a
`PunchPass`, and so does the other. Each then opens a fresh port and calls the lobby's port *from it*, says PUNCH_MAGIC
and its token, and so shows the lobby where its router lets that port out. When both are there the lobby answers both,
on these connections: ACCEPTED, the length of an address, and the address at which it sees the other. A node that is
done says HOLE_FOUND or HOLE_MISSED on it, which is counted and means nothing else, and hangs up.
"""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta

from .messages import Key, Message, TableId

MAX_SIGNAL: Final = 2048
PUNCH_MAGIC: Final = b"KPH1"
TOKEN_BYTES: Final = 32
ACCEPTED: Final = b"\x06"
REFUSED: Final = b"\x15"
HOLE_FOUND: Final = b"\x01"
HOLE_MISSED: Final = b"\x02"

Token = Annotated[bytes, Meta(min_length=TOKEN_BYTES, max_length=TOKEN_BYTES)]
Millis = Annotated[int, Meta(ge=0, lt=2**53)]


class AskRelay(Message, frozen=True, tag="ask-relay"):
    """A way to another member of a table that cannot be reached directly; answered by RelayPass."""

    table: TableId
    peer: Key


class RelayPass(Message, frozen=True, tag="relay-pass"):
    """Connect here, show the token, and speak TLS with `peer`; both sides get one, with different tokens.

    An empty address means the lobby's own. `is_server` says which side plays the TLS server.
    """

    table: TableId
    peer: Key
    token: Token
    address: Annotated[str, Meta(max_length=128)]
    is_server: bool
    until: Millis


class Signal(Message, frozen=True, tag="signal"):
    """A few bytes for another member of a table; the lobby does not read them."""

    table: TableId
    peer: Key  # to whom; when it arrives, from whom
    data: Annotated[bytes, Meta(min_length=1, max_length=MAX_SIGNAL)]


class AskPunch(Message, frozen=True, tag="ask-punch"):
    """Help to a direct way to another member through both routers; answered by PunchPass. Of lobby version 3."""

    table: TableId
    peer: Key


class PunchPass(Message, frozen=True, tag="punch-pass"):
    """Call the lobby from a fresh port with `token`; the other side does so too, with another one.

    `gate` is the same for both: they show it to each other, so that a stranger at a punched port is not taken for the
    peer before TLS has proven it. The smaller key is the TLS client.
    """

    table: TableId
    peer: Key
    token: Token
    gate: Token
    until: Millis
