"""Effects: what a session asks its adapter to do, in order, and what it tells the node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from msgspec import Struct

from kontor_games.net.ledger.facts import Fact
from kontor_games.net.wire.match_talk import Signed, Talk


class Send(Struct, frozen=True):
    """Say this to one linked peer."""

    peer: int
    talk: Talk


class Publish(Struct, frozen=True):
    """Say this to every spectator."""

    talk: Talk


class Journal(Struct, frozen=True):
    """Write down what somebody else signed; it need not be on the disk yet."""

    signed: Signed


class Pledge(Struct, frozen=True):
    """A message of our own, which nobody sees yet.

    Write it to the journal, behind everything written before, and with `open_words` to the second place of our own
    messages; when both are on the disk for certain and this list is carried out, call `session.written(number)`. If
    that fails, try again later with the same bytes: until it has worked, the session shows the message to nobody and
    signs no other in its stead.
    """

    number: int
    signed: Signed
    open_words: tuple[Signed, ...]  # this message and the others of ours whose places are still open


class DropPeer(Struct, frozen=True):
    """End the link to this peer: what it sent is not what an honest peer sends."""

    peer: int
    reason: str


class ReadsOnly(Struct, frozen=True):
    """This node signs nothing more in this match: it cannot know what it has signed, or lacks its secret."""

    reason: str


class DiskTrouble(Struct, frozen=True):
    """The disk takes nothing, and why; empty: it does again. Our own messages wait for it, nothing is lost."""

    reason: str


class SecretSpent(Struct, frozen=True):
    """The keys are opened and our last word is on the disk: the table secret can go."""


class DoWork(Struct, frozen=True):
    """Run `job` (pure) in a worker, then call `session.worked(number, what it returned)`."""

    number: int
    job: Callable[[], Any]


class Again(Struct, frozen=True):
    """Carry out everything else first, then call `session.again()`: our own part takes some milliseconds."""


class ReplayClean(Struct, frozen=True):
    """Replay our chain in a clean process, then call `session.replayed` with the canonical state bytes.

    A replay that failed, for want of memory or disk, is reported with None: it confirms nothing.
    """


class Waiting(Struct, frozen=True):
    """The turn is committed, but not sent until these peers have caught up."""

    peers: tuple[int, ...]


class Dropped(Struct, frozen=True):
    """A committed turn could not be sent after all."""

    reason: str


class Diverged(Struct, frozen=True):
    """A peer signed another state than ours at this tip: a defect or faulty memory, never fraud.

    This node signs no turn and no draw until a clean replay has shown whether its own memory is right.
    """

    peer: int
    tip: bytes
    ours: bytes
    theirs: bytes


class WriteBundle(Struct, frozen=True):
    """Both states at the tip where they differ: write the bundle."""

    peer: int
    tip: bytes
    ours: bytes
    theirs: bytes
    versions: str


class Healed(Struct, frozen=True):
    """Our replay is done, and this node goes on; `differing` are those who still claim another state."""

    differing: tuple[int, ...] = ()


class Heard(Struct, frozen=True):
    """A line of chat."""

    peer: int
    number: int
    text: str


class Ended(Struct, frozen=True):
    """Nothing more can be played; `how` is played, stand-in, forfeit or fault."""

    how: str


class GoesOn(Struct, frozen=True):
    """The match is not over after all: what ended it was taken back, or can be put right."""


class Completed(Struct, frozen=True):
    """All final signatures are in: the transcript is complete."""


Effect: TypeAlias = (
    Send
    | Publish
    | Journal
    | Pledge
    | DropPeer
    | ReadsOnly
    | DiskTrouble
    | SecretSpent
    | DoWork
    | Again
    | ReplayClean
    | Waiting
    | Dropped
    | Diverged
    | WriteBundle
    | Healed
    | Heard
    | Ended
    | GoesOn
    | Completed
    | Fact
)
