"""Handing a match file to a lobby's ladder: pieces in order, each answered before the next is sent; and words."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta

from .messages import Digest, Ladder, Message, Reason, Signature

MAX_PIECE: Final = 12 * 1024  # so that a request fits into a frame
MAX_HANDED: Final = 64 * 1024 * 1024  # no file is longer; a lobby may take less
PageLink = Annotated[str, Meta(max_length=300, pattern=r"^(https?://[!-~]+)?$")]
LOBBY_LADDER: Final = "open"  # the name in the terms of a match at a lobby's table
LAN_LADDER: Final = "lan"  # and of one that is played elsewhere


class HandIn(Message, frozen=True, tag="hand-in"):
    """The next piece of a match file, known by the digest of its bytes (BLAKE2b, 32 bytes); answered by LadderWord."""

    file: Digest
    size: Annotated[int, Meta(ge=1, le=MAX_HANDED)]
    offset: Annotated[int, Meta(ge=0, le=MAX_HANDED)]
    piece: Annotated[bytes, Meta(min_length=1, max_length=MAX_PIECE)]


class HandWord(Message, frozen=True, tag="hand-word"):
    """An acknowledgement as its author signed it, of another state than a file of the match gives at that place."""

    match: Digest
    mark: Annotated[bytes, Meta(min_length=1, max_length=256)]
    signature: Signature


class LadderWord(Message, frozen=True, tag="ladder-word", omit_defaults=True):
    """What the ladder says: send on, the file is known already, or it is safe and will be judged."""

    state: Literal["more", "known", "queued"]
    text: Reason = ""
    page: PageLink = ""  # where everybody will see the match, if the lobby has pages; to nodes of WORD_VERSION


def lobby_clause(keeper: bytes) -> Ladder:
    """What makes a table of this lobby a rated one."""
    return Ladder(LOBBY_LADDER, keeper)


LAN_CLAUSE: Final = Ladder(LAN_LADDER, None)
