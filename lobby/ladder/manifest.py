"""The manifest: one file that holds a ladder's rules, its book and what it says, signed with the lobby's key.

    ladder.json            {"ladder": {…}, "signature": "…"}
    files/DIGEST.kontor    every file in the book that is still published

The signature (kind `ladder`) stands under the one encoding of what it is about: JSON with sorted keys, no spaces and
nothing but ASCII. So the file can be laid out for people, and is still one file, exchanged as a whole.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from kontor_games.engine.errors import RemoteError
from kontor_games.net.archive.rated_facts import RatedFacts
from kontor_games.net.wire.identity import Signer, verify

from .book import BookEntry
from .ladder_rules import FORMAT, Hex32, Hex64, LadderRules, Millis

NAME: Final = "ladder.json"
FILES: Final = "files"
MAX_MANIFEST: Final = 64 * 1024 * 1024
MAX_ENTRIES: Final = 200_000
SHOWN_REFUSALS: Final = 500  # the newest; older ones are in the operator's log


class RefusedFile(Struct, frozen=True, forbid_unknown_fields=True):
    """A file that was handed in and not accepted. Who handed it in is not told: they may have been given it."""

    at: Millis
    file: Hex32
    reason: Annotated[str, Meta(max_length=400)]


class LadderPage(Struct, frozen=True, forbid_unknown_fields=True):
    """All that a ladder publishes besides the files."""

    title: Annotated[str, Meta(max_length=80)]
    rules: LadderRules
    as_of: Millis
    book: Annotated[tuple[BookEntry, ...], Meta(max_length=MAX_ENTRIES)]
    withdrawn: dict[Hex32, RatedFacts]  # files that are not published any more, because a name in them was removed
    refused: Annotated[tuple[RefusedFile, ...], Meta(max_length=SHOWN_REFUSALS)]
    said: dict[str, Any]
    format: int = FORMAT


class _Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    ladder: LadderPage
    signature: Hex64


def sealed_page(page: LadderPage, signer: Signer) -> bytes:
    """The bytes of a manifest."""
    said = msgspec.to_builtins(page)
    signature = signer.sign("ladder", _one_encoding(said)).hex()
    return json.dumps({"ladder": said, "signature": signature}, indent=1, ensure_ascii=False).encode() + b"\n"


def page_in(data: bytes) -> LadderPage:
    """What a manifest holds, signed by the keeper that it names; RemoteError says why it cannot be read."""
    if len(data) > MAX_MANIFEST:
        raise RemoteError(f"{NAME} has more than {MAX_MANIFEST} bytes")
    try:
        raw = json.loads(data)
        found = msgspec.convert(raw, _Manifest)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise RemoteError(f"{NAME} cannot be read: {ascii(str(error))[1:-1][:200]}") from None
    if found.ladder.format != FORMAT:
        raise RemoteError(f"{NAME} has format {found.ladder.format}; this Kontor reads format {FORMAT}")
    keeper = bytes.fromhex(found.ladder.rules.keeper)
    if not verify(keeper, "ladder", _one_encoding(raw["ladder"]), bytes.fromhex(found.signature)):
        raise RemoteError(f"{NAME} is not signed by the key that it names as its keeper")
    return found.ladder


def _one_encoding(said: Any) -> bytes:
    return json.dumps(said, sort_keys=True, separators=(",", ":")).encode()
