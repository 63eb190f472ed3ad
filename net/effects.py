"""Effects: what a session asks its adapter to do, in order, and what it tells the node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from .ledger import Fact
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
    """Write this down; with `sync` it must be on the disk before anything that follows is sent."""

    signed: Signed
    sync: bool


@dataclass(frozen=True)
class Work:
    """Run `job` (pure) in a worker, then call `session.worked(number, what it returned)`."""

    number: int
    job: Callable[[], Any]


@dataclass(frozen=True)
class Replay:
    """Replay our chain in a clean process, then call `session.replayed` with the canonical state bytes."""


@dataclass(frozen=True)
class Waiting:
    """The turn is committed, but not sent until these peers have caught up."""

    peers: tuple[int, ...]


@dataclass(frozen=True)
class Dropped:
    """A committed turn could not be sent after all."""

    reason: str


@dataclass(frozen=True)
class Diverged:
    """A peer's state differs from ours at this tip: a defect or faulty memory, never fraud. The match is stopped."""

    peer: int
    tip: bytes
    ours: bytes
    theirs: bytes


@dataclass(frozen=True)
class Report:
    """Both states at the tip where they differ: write the bundle."""

    peer: int
    tip: bytes
    ours: bytes
    theirs: bytes
    versions: str


@dataclass(frozen=True)
class Healed:
    """Everybody agrees again; the match goes on."""


@dataclass(frozen=True)
class Heard:
    """A line of chat."""

    peer: int
    number: int
    text: str


@dataclass(frozen=True)
class Ended:
    """Nothing more can be played; `how` is played, stand-in, forfeit or fault."""

    how: str


@dataclass(frozen=True)
class Completed:
    """All final signatures are in: the transcript is complete."""


Effect: TypeAlias = (
    Send
    | Publish
    | Journal
    | Work
    | Replay
    | Waiting
    | Dropped
    | Diverged
    | Report
    | Healed
    | Heard
    | Ended
    | Completed
    | Fact
)
