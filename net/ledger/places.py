"""Places: where in a match a peer may sign once, and this node's own book of what it signed where.

A **place** is what two different signed messages of one peer must never share:

    frame   match, tip before, state digest before
    dealer  match, tip, digest, kind of message; a `gon` also its number, a `giv` also the votes it rests on
    final   match
    chat    match, number of the line

An `ack` has no place: a node may correct it. Votes are numbered because people change their minds; shares (`giv`) are
worked out from the votes they name, so that naming other votes means other shares without any lie.

The book is the last line of defence: whatever a crash, a defect or hostile input brings a session to, nothing is signed
for a place that the book knows, except the very same bytes. It learns from the journal, from the second copy of one's
own messages (`net/record/own_words.py`) and from peers that hand back what this node signed before it lost its memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kontor_games.net.sealed import bodies
from kontor_games.net.wire.chain import Chat, DealerMessage, Frame, Mark, decode
from kontor_games.net.wire.match_talk import Signed


class Place(NamedTuple):
    """Where a peer may sign once."""

    peer: int
    kind: str  # frame, final, chat, or the kind of dealer message
    match: bytes
    tip: bytes = b""
    digest: bytes = b""
    extra: int | bytes = b""


def place_of(signed: Signed) -> Place | None:
    """The place of a well-formed message, None for an `ack`; raises RemoteError for a malformed one."""
    match signed.kind:
        case "frame":
            frame = decode(Frame, signed.raw)
            return Place(signed.peer, "frame", frame.m, frame.h, frame.d)
        case "dealer":
            message = decode(DealerMessage, signed.raw)
            body = bodies.decode(message.p, bytes(message.b))
            extra = bodies.told_apart(body)
            return Place(signed.peer, bodies.kind(body), message.m, message.h, message.d, extra)
        case "final":
            return Place(signed.peer, "final", decode(Mark, signed.raw).m)
        case "chat":
            line = decode(Chat, signed.raw)
            return Place(signed.peer, "chat", line.m, extra=line.n)
        case "ack":
            return None


def tip_before(signed: Signed) -> bytes:
    """The tip that a frame or a dealer message names."""
    return decode(Frame, signed.raw).h if signed.kind == "frame" else decode(DealerMessage, signed.raw).h


class PlaceBook:
    """Everything one node has signed in a match, by place."""

    def __init__(self) -> None:
        self._signed: dict[Place, Signed] = {}

    def learn(self, messages: Iterable[Signed]) -> Signed | None:
        """Take down messages of this node; returns one that contradicts an earlier one, None if none does."""
        clash = None
        for signed in messages:
            place = place_of(signed)
            if place is not None and self._signed.setdefault(place, signed).raw != signed.raw:
                clash = signed
        return clash

    def first(self, signed: Signed) -> Signed:
        """What this node has to stand by at the place of `signed`: what it signed there before, or this."""
        place = place_of(signed)
        return signed if place is None else self._signed.setdefault(place, signed)

    def knows(self, signed: Signed) -> bool:
        """Whether this very message is in the book."""
        place = place_of(signed)
        known = None if place is None else self._signed.get(place)
        return known is not None and known.raw == signed.raw
