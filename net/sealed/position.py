"""Where the dealer's half of the chain stands: its tip, the entry that is open there, and one that waits behind it.

The chain starts with the match id as its tip. From then on it is always in one of these states:

    open        The table has a task. Its messages are collected; when all are here and good, the entry closes.
    idle        No task: the chain waits for a frame, and the engine says whose seat is to act (`awaits`).
    unsettled   An entry with a chance action, or a frame, has just moved the tip. The engine acts first: until it says
                what came of that (`settle`), no digest belongs to this tip and nothing is taken under it.
    parked      A departure moved the tip while an entry was open. That entry waits until the survivors have a new
                escrow, which is open meanwhile, and then goes on.

An entry's messages name the tip and the digest of the moment when it was opened. One that was parked keeps them, so
that nobody has to sign anything twice; only an entry that starts afresh gets those of the moment when it goes on.
The entries themselves are kept here and not with their messages' judges, because votes, goodbyes, forks and checks all
look at the same ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from kontor_games.engine.core.chance import Want
from kontor_games.net.wire.chain import DealerMessage

from .card_table import CardTable
from .events import SignedBody
from .tasks import Message, MixPlan, Task

NO_STATE = bytes(32)  # the digest before the first state


@dataclass
class Open:
    """The messages of one open task; `h` and `d` are those of the tip before its entry."""

    task: Task
    h: bytes
    d: bytes
    waiting: dict[Message, SignedBody] = field(default_factory=dict)  # received, not judged
    applied: dict[Message, SignedBody] = field(default_factory=dict)

    @property
    def is_shuffle(self) -> bool:
        """Whether each message of this entry rests on the one before."""
        return isinstance(self.task.plan, MixPlan)

    def plans(self, peer: int) -> bool:
        """Whether messages of this peer belong here."""
        return any(m[1] == peer for phase in self.task.phases for m in phase)

    def expects(self, peer: int) -> bool:
        """Whether a message of this peer has not come yet."""
        planned = [m for phase in self.task.phases for m in phase if m[1] == peer]
        return any(m not in self.applied and m not in self.waiting for m in planned)

    def raws(self) -> tuple[bytes, ...]:
        """The messages that were found good, in the order of the entry."""
        return tuple(self.applied[message].raw for message in self.task.order())

    def start_afresh(self) -> None:
        """Forget everything; the tip is the one at which the entry goes on."""
        self.h, self.d, self.waiting, self.applied = b"", b"", {}, {}


class Position:
    """The tip, what is open there, and what the engine waits for."""

    def __init__(self, table: CardTable, match_id: bytes, restarts: bool) -> None:
        assert table.task is not None
        self.table = table
        self.match_id = match_id
        self.restarts = restarts  # an open shuffle starts again after every departure; not in terms of version 1
        self.tip = match_id
        self.digest = NO_STATE
        self.settled = True
        self.past: dict[bytes, bytes] = {}  # tips that were left behind, with their state digests
        self.open: Open | None = Open(table.task, self.tip, self.digest)
        self.parked: Open | None = None
        self.named: dict[bytes, int] = {}  # messages of departed peers that belong to the open task
        self.want: Want | None = None
        self.awaits: int | None = None
        self.over = False

    # --- looking

    @property
    def is_idle(self) -> bool:
        """Whether nothing is open or wanted: so it is between most frames."""
        if self.open is not None or self.want is not None or self.over or self.table.task is not None:
            return False
        return self.parked is None

    @property
    def is_alone(self) -> bool:
        """Whether one peer is left: it must finish what is open, and the engine is not told of anybody any more."""
        return len(self.table.active) == 1

    @property
    def entries(self) -> list[Open]:
        """The open entry and the one that waits behind it, as far as there are any."""
        return [entry for entry in (self.open, self.parked) if entry is not None]

    @property
    def main(self) -> Open | None:
        """The open entry that outlives a departure; an escrow does not."""
        if self.parked is not None:
            return self.parked
        return self.open if self.open is not None and self.open.task.kind != "escrow" else None

    def digest_at(self, h: bytes) -> bytes | None:
        """The digest that messages under this tip must name, None if the tip is not open."""
        for entry in self.entries:
            if entry.h == h:
                return entry.d
        return self.digest if h == self.tip and self.settled else None

    def open_tips(self) -> frozenset[bytes]:
        """The tips under which this node may still have to sign something."""
        return frozenset((self.tip, *(entry.h for entry in self.entries)))

    def age(self, tip: bytes) -> int:
        """How many tips have been left behind since this one."""
        return len(self.past) - list(self.past).index(tip) if tip in self.past else 0

    def starts_afresh(self, entry: Open | None) -> bool:
        """Whether a departure makes this entry start again from nothing.

        Each shuffle rests on the one before, and a peer that departs may have shown its own to some and not to others.
        Under the tip of the departure everybody who stays shuffles once more, so that no honest peer has to sign a
        second shuffle for one place, or is blamed for one that rests on what others never saw.
        """
        return self.restarts and entry is not None and entry.is_shuffle

    def is_rested_on(self, message: DealerMessage) -> bool:
        """Whether others will rest their own parts of the open entry on this one, so that all must see it first."""
        return self.open is not None and self.open.h == message.h and self.open.is_shuffle

    def may_complete_escrow(self, cheat: int) -> bool:
        """Whether the open entry is an escrow that lacks nothing of this peer, whose messages do not count any more."""
        return self.open is not None and self.open.task.kind == "escrow" and not self.open.expects(cheat)

    # --- moving

    def move(self, tip: bytes) -> None:
        """The chain has one item more."""
        self.past[self.tip] = self.digest
        self.tip = tip

    def settle(self, digest: bytes, want: Want | None, awaits: int | None, over: bool) -> None:
        """The engine has acted: the digest at this tip, its open want, or the peer whose seat is to act, or the end."""
        self.digest, self.want, self.awaits, self.over = digest, want, awaits, over
        self.settled = True

    def start(self) -> None:
        """Open the task that the table or the engine wants next."""
        table = self.table
        if table.task is None and self.want is not None and self.want.r >= table.next_r:
            table.serve(self.want)
        if table.task is None and self.over and not table.final:
            table.finish()
        if self.parked is not None and self.parked.task is table.task:
            self.open, self.parked = self.parked, None
            if not self.open.h:  # it starts afresh
                self.open.h, self.open.d = self.tip, self.digest
        elif table.task is None:
            self.open = None
        elif self.open is None or self.open.task is not table.task:
            self.open = Open(table.task, self.tip, self.digest)

    def park(self, entry: Open | None, departed: Iterable[int], named: Iterable[SignedBody], afresh: bool) -> None:
        """Keep of an open entry what a departure leaves of it; `named`: what the votes of departures name."""
        self.open, self.parked = None, entry
        if entry is None:
            return
        if afresh:
            entry.start_afresh()
            return
        for key, signed in list(entry.applied.items()):
            if key not in entry.task.got:  # void, or resting on what is void
                del entry.applied[key]
                entry.waiting[key] = signed
        for signed in named:
            if signed.key not in entry.task.got:
                entry.waiting[signed.key] = signed
        gone = set(departed)
        entry.waiting = {key: s for key, s in entry.waiting.items() if s.peer not in gone or s.hash in self.named}
