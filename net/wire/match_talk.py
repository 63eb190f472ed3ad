"""What the peers of a match say to each other over their links.

Signed things travel as they were signed (`Signed`), so that anybody may pass them on. The rest is
about a link's two ends alone and is authenticated by the link itself.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from kontor_games.engine.core.value import Bytes32, Value
from kontor_games.engine.errors import RemoteError

from .chain import MAX_FRAME_BYTES, PeerIndex, entry_tip, frame_tip

Kind = Literal["frame", "dealer", "ack", "final", "chat"]
Signature = Annotated[bytes, Meta(min_length=64, max_length=64)]
SignedBytes = Annotated[bytes, Meta(max_length=MAX_FRAME_BYTES)]
Position = Annotated[int, Meta(ge=0, lt=2**31)]

MAX_ITEMS = 256  # of the chain in one answer
CHUNK_BYTES = 48 * 1024  # what one answer to `Ask` carries at most, one item excepted


class Signed(Value, tag="signed", frozen=True):
    """A frame, dealer message, relayed acknowledgement, final signature or chat line with its author's signature."""

    kind: Kind
    peer: PeerIndex
    raw: SignedBytes
    sig: Signature


class Item(Value, frozen=True):
    """One link of the chain: a frame, or all messages of a chance entry in their order."""

    kind: Literal["frame", "entry"]
    parts: Annotated[tuple[Signed, ...], Meta(min_length=1, max_length=64)]

    def tip_after(self, tip: bytes) -> bytes:
        """The tip of the chain with this item behind `tip`."""
        raws = [part.raw for part in self.parts]
        return frame_tip(tip, raws[0]) if self.kind == "frame" else entry_tip(tip, raws)


class Where(Value, tag="where", frozen=True):
    """Where I stand: an acknowledgement of the tip, and whom I am linked to."""

    position: Position
    tip: Bytes32
    digest: Bytes32
    linked: Annotated[tuple[PeerIndex, ...], Meta(max_length=8)]


class MovedTalk(Value, tag="moved", frozen=True):
    """My frame, and where I stand after it: what an author has to say about a turn."""

    frame: Signed
    where: Where


class Ask(Value, tag="ask", frozen=True):
    """Please send the chain from this position on."""

    position: Position


class Chunk(Value, tag="chunk", frozen=True):
    """The chain from `position` on; `more` says that the sender has further items."""

    position: Position
    items: Annotated[tuple[Item, ...], Meta(max_length=MAX_ITEMS)]
    more: Annotated[int, Meta(ge=0, le=1)]


class Dump(Value, tag="dump", frozen=True):
    """The canonical bytes of my state at a tip where we differ; for the divergence report alone."""

    tip: Bytes32
    versions: Annotated[str, Meta(max_length=200)]
    state: Annotated[bytes, Meta(max_length=MAX_FRAME_BYTES)]


class Need(Value, tag="need", frozen=True):
    """Please send these dealer messages, named by their hashes."""

    hashes: Annotated[tuple[Bytes32, ...], Meta(max_length=8)]


Talk: TypeAlias = Signed | Where | MovedTalk | Ask | Chunk | Dump | Need
_decoder: msgspec.msgpack.Decoder[Talk] = msgspec.msgpack.Decoder(Talk)


def decode_talk(raw: bytes) -> Talk:
    """What was said; raises RemoteError for anything malformed."""
    try:
        return _decoder.decode(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise RemoteError(f"malformed talk: {ascii(str(error))[1:-1][:200]}") from None
