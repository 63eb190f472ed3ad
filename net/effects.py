"""Effects: what a session asks its adapter to do, in order, and what it tells the node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from msgspec import Struct

from .facts import Fact
from .talk import Signed, Talk


class Send(Struct, frozen=True):
    """Say this to one linked peer."""

    peer: int
    talk: Talk


class Publish(Struct, frozen=True):
    """Say this to every spectator."""

    talk: Talk


class Journal(Struct, frozen=True):
    """Write this down; with `sync` it must be on the disk before anything that follows is sent."""

    signed: Signed
    sync: bool


class Work(Struct, frozen=True):
    """Run `job` (pure) in a worker, then call `session.worked(number, what it returned)`."""

    number: int
    job: Callable[[], Any]


class Again(Struct, frozen=True):
    """Carry out everything else first, then call `session.again()`: our own part takes some milliseconds."""


class Replay(Struct, frozen=True):
    """Replay our chain in a clean process, then call `session.replayed` with the canonical state bytes."""


class Waiting(Struct, frozen=True):
    """The turn is committed, but not sent until these peers have caught up."""

    peers: tuple[int, ...]


class Dropped(Struct, frozen=True):
    """A committed turn could not be sent after all."""

    reason: str


class Diverged(Struct, frozen=True):
    """A peer's state differs from ours at this tip: a defect or faulty memory, never fraud. The match is stopped."""

    peer: int
    tip: bytes
    ours: bytes
    theirs: bytes


class Report(Struct, frozen=True):
    """Both states at the tip where they differ: write the bundle."""

    peer: int
    tip: bytes
    ours: bytes
    theirs: bytes
    versions: str


class Healed(Struct, frozen=True):
    """Everybody agrees again; the match goes on."""


class Heard(Struct, frozen=True):
    """A line of chat."""

    peer: int
    number: int
    text: str


class Ended(Struct, frozen=True):
    """Nothing more can be played; `how` is played, stand-in, forfeit or fault."""

    how: str


class Completed(Struct, frozen=True):
    """All final signatures are in: the transcript is complete."""


Effect: TypeAlias = (
    Send
    | Publish
    | Journal
    | Work
    | Again
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
