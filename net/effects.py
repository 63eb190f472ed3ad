"""Effects: what a session asks its adapter to do, in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from engine import Action, Chance, Event

from .talk import Signed, Talk


@dataclass(frozen=True)
class Send:
    """Say this to one linked peer."""

    peer: int
    talk: Talk


@dataclass(frozen=True)
class Publish:
    """Say this to every spectator."""

    talk: Talk


@dataclass(frozen=True)
class Journal:
    """Write this down; `sync` before anything that follows is sent."""

    signed: Signed
    sync: bool


@dataclass(frozen=True)
class Work:
    """Run `job` (a pure function) in a worker, then call `session.worked` with what it returned."""

    job: Callable[[], Any] = field(compare=False)


@dataclass(frozen=True)
class Applied:
    """One ply was applied."""

    ply: int
    action: Action | Chance
    events: tuple[Event, ...]
    digest: bytes


@dataclass(frozen=True)
class Waiting:
    """Nothing moves until these peers are heard; `why` is a word for the client."""

    peers: tuple[int, ...]
    why: str


@dataclass(frozen=True)
class Blamed:
    """A signed message broke the protocol or the rules; the evidence convinces a stranger."""

    peer: int
    code: str
    detail: str
    evidence: tuple[Signed, ...]


@dataclass(frozen=True)
class Diverged:
    """A peer's state differs from ours at this tip: a defect or a fault of memory, never fraud."""

    peer: int
    tip: bytes
    ours: bytes
    theirs: bytes


@dataclass(frozen=True)
class Report:
    """Write the divergence bundle: both states are here."""

    peer: int
    tip: bytes
    ours: bytes
    theirs: bytes
    versions: str


@dataclass(frozen=True)
class Replay:
    """Replay the chain in a clean process and call `session.replayed` with the canonical state bytes."""


@dataclass(frozen=True)
class Healed:
    """The replay agreed with the others; the match goes on."""


@dataclass(frozen=True)
class Heard:
    """A line of chat."""

    peer: int
    number: int
    text: str


@dataclass(frozen=True)
class Departed:
    """These peers are gone for good."""

    peers: tuple[int, ...]


@dataclass(frozen=True)
class Ended:
    """The match is over; `how` is played, forfeit, unfinished or void."""

    how: str


@dataclass(frozen=True)
class Completed:
    """All final signatures that can come are in: the transcript can be closed."""


Effect: TypeAlias = (
    Send
    | Publish
    | Journal
    | Work
    | Applied
    | Waiting
    | Blamed
    | Diverged
    | Report
    | Replay
    | Healed
    | Heard
    | Departed
    | Ended
    | Completed
)
