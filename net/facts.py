"""What a ledger tells: what happened to the match, and what does not fit."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from engine import Action, Event
from engine.core.chance import Chance

from .talk import Item, Signed


class Ply(Struct, frozen=True):
    """One action was applied; `author` is the peer that sent it, None for chance and stand-ins."""

    number: int
    action: Action | Chance
    events: tuple[Event, ...]
    author: int | None
    text: str | None  # its notation


class Grown(Struct, frozen=True):
    """The chain has one item more."""

    position: int
    item: Item


class Fault(Struct, frozen=True):
    """A peer signed what no honest peer signs; the messages prove it."""

    peer: int
    code: str
    detail: str
    evidence: tuple[Signed, ...]


class Differs(Struct, frozen=True):
    """A peer names another digest than ours for this tip."""

    peer: int
    tip: bytes
    theirs: bytes


class Missing(Struct, frozen=True):
    """Messages that the chain needs and this node lacks, by hash."""

    hashes: tuple[bytes, ...]


def two_frames(one: Signed, other: Signed) -> Fault:
    """The fork that two frames of one author for one tip are."""
    return Fault(other.peer, "fork", "signed two different frames for one tip", (one, other))


Fact: TypeAlias = Ply | Grown | Fault | Differs | Missing
