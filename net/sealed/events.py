"""What passes between a session and the chance entries: signed messages in, events, jobs and duties out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from msgspec import Raw

from kontor_games.engine.core.chance import Chance
from kontor_games.net.wire.chain import DealerMessage

from .algebra.group import Reject
from .bodies import Body, Cheat, encode, kind
from .checks import Check, Verdict
from .player import BodyDraft
from .tasks import Message


@dataclass(frozen=True, slots=True)
class SignedBody:
    """One authenticated dealer message."""

    peer: int
    h: bytes
    d: bytes
    body: Body
    raw: bytes
    hash: bytes
    own: bool = False

    @property
    def key(self) -> Message:
        return kind(self.body), self.peer


@dataclass(frozen=True, slots=True)
class EntryClosed:
    """An entry is complete: its messages in order, the new tip, the chance action for the engine."""

    kind: str  # keys, escrow, want, gone, open
    before: bytes
    tip: bytes
    raws: tuple[bytes, ...]
    chance: Chance | None


@dataclass(frozen=True, slots=True)
class Blamed:
    """Proof that a peer cheated, with the messages that show it."""

    peer: int
    code: str
    raws: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class DigestDiffers:
    """A message names another state digest than ours at its tip: void here, and not evidence of fraud."""

    peer: int
    raw: bytes


@dataclass(frozen=True, slots=True)
class MessagesMissing:
    """Messages that a departure names and this node lacks: ask the others."""

    hashes: tuple[bytes, ...]


Event: TypeAlias = EntryClosed | Blamed | DigestDiffers | MessagesMissing


@dataclass(frozen=True)
class CheckJob:
    """A heavy check; `run` is pure."""

    signed: SignedBody
    check: Check

    def run(self) -> Verdict | Cheat:
        """The verdict or the proof of cheating; never raises for what a peer sent."""
        try:
            return self.check.run(own=self.signed.own)
        except Cheat as cheat:
            return cheat


def as_message(match_id: bytes, me: int, h: bytes, d: bytes, body: Body) -> DealerMessage:
    """A body that this node made, under a tip and a state digest, ready to be signed."""
    return DealerMessage(match_id, me, h, d, Raw(encode(body)))


@dataclass(frozen=True, repr=False)
class Duty:
    """A message this node has to make, sign, write down, send and hand to `receive` with own=True."""

    name: str
    h: bytes
    draft: BodyDraft
    seal: Callable[[Body], DealerMessage]

    @property
    def heavy(self) -> bool:
        """Whether `make` belongs in a worker thread."""
        return self.draft.heavy

    def make(self) -> DealerMessage:
        """The message; pure."""
        return self.seal(self.draft.run())


@dataclass(frozen=True, repr=False)
class Ahead:
    """Work that will be owed if the message that is being checked holds."""

    draft: BodyDraft

    def make(self) -> Body | None:
        """The body, None if the message cannot hold; pure."""
        try:
            return self.draft.run()
        except Reject:
            return None
