"""Matches of an event's tables, played in this process: the files that players would hand in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from msgspec.structs import replace

from kontor_games.net.wire.messages import Ladder
from kontor_games.net.wire.terms import Terms, decode_terms, encode_terms

from . import match_files, world
from .match_files import packed, played, transcript, without_end

PEOPLE = [world.identity(number) for number in range(40)]
KEYS = {identity.key.hex(): identity for identity in PEOPLE}


def table_terms(invitation: Mapping[str, Any], tag: str = "", **changed: Any) -> bytes:
    """The terms that the players of an invitation would agree to; `changed` are fields that somebody altered."""
    options = dict(invitation["options"])
    count = len(invitation["seats"])
    terms = decode_terms(
        world.make_terms(
            invitation["game"], count, recovery=invitation["recovery"], rules=invitation["rules"], **options
        )
    )
    peers = tuple(
        replace(peer, key=bytes.fromhex(seat["key"]), nonce=(tag.encode() + peer.nonce)[:16])
        for peer, seat in zip(terms.peers, invitation["seats"], strict=True)
    )
    seats = tuple(replace(seat, name=who["name"]) for seat, who in zip(terms.seats, invitation["seats"], strict=True))
    mark = Ladder(invitation["mark"], bytes.fromhex(invitation["organiser"]))
    made: Terms = replace(
        terms, peers=peers, seats=seats, rated=mark, grace=invitation["grace"] or None,
        spectators=invitation["spectators"],
    )  # fmt: skip
    return encode_terms(replace(made, **changed))


@contextmanager
def players_of(raw: bytes) -> Iterator[None]:
    """Whoever plays meanwhile holds the keys of these terms."""
    keys: Sequence[bytes] = [peer.key for peer in decode_terms(raw).peers]

    def identity(number: int) -> Any:
        return KEYS[keys[number].hex()]

    with patch.object(world, "identity", identity), patch.object(match_files, "identity", identity):
        yield


def table_file(
    raw: bytes, finals: bool = True, until: Callable[[world.World], bool] | None = None, seed: str = "event"
) -> bytes:
    """The file of a match with these terms, as its first player has it."""
    with players_of(raw):
        done = played(raw, seed, until)
        records = transcript(done, finals=finals)
        return packed(records if until is None and finals else without_end(records))
