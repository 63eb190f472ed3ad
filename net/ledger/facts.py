"""What a ledger tells: what happened to the match, and what does not fit."""

from __future__ import annotations

from typing import Any, TypeAlias

from msgspec import Struct

from kontor_games.engine import Action, Event, GameState
from kontor_games.engine.core.chance import Chance
from kontor_games.engine.core.notation import Notation
from kontor_games.net.wire.chain import Frame, decode
from kontor_games.net.wire.match_talk import Item, Signed


class Ply(Struct, frozen=True):
    """One action was applied; `author` is the peer that sent it, None for chance, stand-ins and local matches."""

    number: int
    before: GameState
    action: Action | Chance
    events: tuple[Event, ...]
    author: int | None
    notation: Notation[Any]  # of the game

    @property
    def text(self) -> str | None:
        """The action in notation, None for chance; made when somebody asks: who verifies or plays along does not."""
        return self.notation.say(self.before, self.action) if isinstance(self.action, Action) else None


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


class FrameRefused(Struct, frozen=True):
    """A message that has no place here: of another match, for another tip, of another author. It accuses nobody."""

    reason: str


def two_frames(one: Signed, other: Signed) -> Fault | None:
    """The fork that two different frames of one author for one place are; None if they are not that.

    The place is match, tip and digest: one key plays many matches, and equal states occur in several of them.
    """
    if one.peer != other.peer or one.raw == other.raw:
        return None
    first, second = decode(Frame, one.raw), decode(Frame, other.raw)
    if (first.m, first.h, first.d) != (second.m, second.h, second.d):
        return None
    return Fault(other.peer, "fork", "signed two different frames for one tip", (one, other))


Fact: TypeAlias = Ply | Grown | Fault | Differs | Missing | FrameRefused
