"""The ladder's book: all that happened, in order. What the ladder says follows from it and from the files."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from .ladder_rules import Hex32, Hex64, Millis

Number = Annotated[int, Meta(ge=1, le=10**9)]


class HandedIn(Struct, frozen=True, forbid_unknown_fields=True, tag_field="what", tag="file"):
    """A file that was accepted: it holds, and it is of a match of this ladder."""

    n: Number
    at: Millis
    file: Hex32  # the digest of its bytes (BLAKE2b, 32 bytes)
    size: Annotated[int, Meta(ge=0, le=2**31)]


class Differed(Struct, frozen=True, forbid_unknown_fields=True, tag_field="what", tag="differs"):
    """A node's signed word that its state is another one than the file's: that match is nobody's loss."""

    n: Number
    at: Millis
    match: Hex32
    mark: Annotated[str, Meta(pattern="^([0-9a-f]{2})+$", max_length=512)]  # an acknowledgement, as it was signed
    signature: Hex64


class NameHidden(Struct, frozen=True, forbid_unknown_fields=True, tag_field="what", tag="hide"):
    """The name of a key is no longer told, and the files before this that hold it are no longer published."""

    n: Number
    at: Millis
    key: Hex32


BookEntry: TypeAlias = HandedIn | Differed | NameHidden
