"""Several sealed tables joined by a network that delivers in any order; each follows the same scripted engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random

from kontor_games.engine.core.chance import Chance, Left, Want
from kontor_games.engine.core.digest import digest
from kontor_games.net.sealed.card_table import CardTable
from kontor_games.net.sealed.entries import Entries
from kontor_games.net.sealed.events import Blamed, DigestDiffers, Duty, EntryClosed, Event, MessagesMissing
from kontor_games.net.sealed.player import Player
from kontor_games.net.sealed.position import NO_STATE
from kontor_games.net.wire.chain import DealerMessage, decode, encode
from tests.net.sealed.kit import MATCH, secret

Item = Want | int | None  # a want, a frame of this peer, or the end


@dataclass
class Node:
    """One peer's chance entries, wired as a ledger wires them, and a script for an engine."""

    entries: Entries
    player: Player | None  # None: a spectator
    script: Sequence[Item]
    place: int = -1  # before roll 0
    chances: list[Chance] = field(default_factory=list)
    closed: list[EntryClosed] = field(default_factory=list)
    blamed: list[Blamed] = field(default_factory=list)
    diverged: list[DigestDiffers] = field(default_factory=list)
    missing: list[MessagesMissing] = field(default_factory=list)
    holds_frames: bool = False  # a test lets the frames come itself
    inbox: list[bytes] = field(default_factory=list)

    @property
    def table(self) -> CardTable:
        return self.entries.table

    @property
    def state_digest(self) -> bytes:
        return digest((self.place, tuple(self.chances))) if self.place >= 0 else NO_STATE

    def take(self, events: Iterable[Event]) -> None:
        """Let the engine follow what happened."""
        for event in events:
            match event:
                case EntryClosed():
                    self.closed.append(event)
                    if event.chance is not None:
                        self.chances.append(event.chance)
                        if not isinstance(event.chance, Left):
                            self.place += 1
                        self.settle()
                case Blamed():
                    self.blamed.append(event)
                case DigestDiffers():
                    self.diverged.append(event)
                case MessagesMissing():
                    self.missing.append(event)

    def settle(self) -> None:
        item = self.script[self.place] if 0 <= self.place < len(self.script) else -1
        if item is None:
            self.take(self.entries.settle(self.state_digest, over=True))
        elif isinstance(item, int):
            awaits = item if item >= 0 else None
            self.take(self.entries.settle(self.state_digest, awaits=awaits))
        else:
            self.take(self.entries.settle(self.state_digest, item))

    def frame(self) -> None:
        """Apply the next frame of the script, if one is next and may come."""
        item = self.script[self.place] if 0 <= self.place < len(self.script) else -1
        raw = b"frame %d" % self.place
        if not isinstance(item, int) or item < 0 or self.holds_frames:
            return
        if self.entries.why_not_frame(raw) is None:
            self.entries.framed(raw)
            self.place += 1
            self.settle()

    def deliver(self, raw: bytes, own: bool = False) -> None:
        self.take(self.entries.receive(decode(DealerMessage, raw), raw, own))
        for job in self.entries.jobs():
            self.take(self.entries.finished(job, job.run()))

    def duties(self) -> list[Duty]:
        return [] if self.player is None else self.entries.due(self.player)


def player_node(table: CardTable, me: int, script: Sequence[Item]) -> Node:
    """A player's node: heavy checks wait for somebody to run them."""
    return Node(Entries(table, MATCH, me), Player(table, me, secret(me)), script)


def spectator_node(table: CardTable, script: Sequence[Item]) -> Node:
    """A node without a secret: it reads no hidden card, and checks everything at once."""
    return Node(Entries(table, MATCH, inline=True), None, script)


class Mesh:
    """n nodes and a spectator (the last node)."""

    def __init__(self, n: int, script: Sequence[Item] = (), seed: int = 0, recovery: str = "majority") -> None:
        seats = tuple(range(n))
        self.nodes = [player_node(CardTable(MATCH, n, seats, recovery), p, script) for p in range(n)]
        self.nodes.append(spectator_node(CardTable(MATCH, n, seats, recovery), script))
        self.rng = Random(seed)
        self.dead: set[int] = set()
        self.pause: int | None = None  # at this place of the script nobody sends anything
        self.drop: Callable[[int, int, bytes], bool] = lambda source, target, raw: False

    def live(self) -> list[int]:
        return [i for i in range(len(self.nodes)) if i not in self.dead]

    def post(self, source: int, message: DealerMessage) -> bytes:
        """A node signs a message and sends it to all."""
        raw = encode(message)
        self.nodes[source].deliver(raw, own=True)
        for target in self.live():
            if target != source and not self.drop(source, target, raw):
                self.nodes[target].inbox.append(raw)
        return raw

    def work(self) -> bool:
        """One node does what it owes, or one message arrives; False when nothing is left to do."""
        live = self.live()
        self.rng.shuffle(live)
        for i in live:
            inbox = self.nodes[i].inbox
            if inbox and self.rng.random() < 0.7:
                self.nodes[i].deliver(inbox.pop(self.rng.randrange(len(inbox))))
                return True
        for i in live:
            duties = [] if self.nodes[i].place == self.pause else self.nodes[i].duties()
            if duties:
                self.post(i, self.rng.choice(duties).make())
                return True
        for i in live:
            inbox = self.nodes[i].inbox
            if inbox:
                self.nodes[i].deliver(inbox.pop(self.rng.randrange(len(inbox))))
                return True
        return self.acknowledge()

    def acknowledge(self) -> bool:
        """Every node learns where the others stand; where all stand together, the next frame may come."""
        before = [(self.nodes[i].entries.tip, self.nodes[i].place) for i in self.live()]
        for i in self.live()[:-1]:
            for j in self.live():
                if i != j:
                    self.nodes[j].take(self.nodes[j].entries.peer_at(i, self.nodes[i].entries.tip))
        if len({self.nodes[i].entries.tip for i in self.live()}) == 1:
            for i in self.live():
                self.nodes[i].frame()
        return before != [(self.nodes[i].entries.tip, self.nodes[i].place) for i in self.live()]

    def run(self, until: Callable[[], bool] = lambda: False) -> Mesh:
        for _ in range(20_000):
            if until() or not self.work():
                return self
        raise AssertionError("the mesh does not come to rest")

    def to(self, place: int) -> Mesh:
        """Everybody comes to this place of the script, and nobody has done anything there."""
        self.pause = place
        self.run()
        assert all(self.nodes[i].place == place and not self.nodes[i].inbox for i in self.live())
        self.pause = None
        return self

    def quiet(self) -> Mesh:
        """Deliver what is under way, but let nobody send anything new."""
        for i in self.live():
            while self.nodes[i].inbox:
                self.nodes[i].deliver(self.nodes[i].inbox.pop(0))
        return self

    def kill(self, *peers: int) -> None:
        self.dead |= set(peers)

    def vote_out(self, *gone: int) -> None:
        self.kill(*gone)
        for p in self.live()[:-1]:
            self.post(p, self.nodes[p].entries.departures.vote(gone))

    def go_on_without(self, *gone: int) -> Mesh:
        """Vote, and vote again whenever the chain moved on meanwhile, until they are gone."""
        self.kill(*gone)

        def done() -> bool:
            return all(not set(gone) & set(self.nodes[i].table.active) for i in self.live())

        for _ in range(30):
            if done():
                return self
            for p in self.live()[:-1]:
                entries = self.nodes[p].entries
                can = entries.settled and entries.table.why_not_gone(gone) is None
                if can and set(gone) <= set(entries.table.active) and entries.departures.deaf != frozenset(gone):
                    self.post(p, entries.departures.vote(gone))
            self.run(done)
        raise AssertionError("they never agreed")

    def agree(self) -> None:
        """All live nodes stand at the same tip with the same history, and nobody was blamed."""
        first = self.nodes[self.live()[0]]
        for i in self.live():
            node = self.nodes[i]
            assert node.closed == first.closed, i
            assert node.entries.tip == first.entries.tip
            assert node.state_digest == first.state_digest
            assert node.blamed == []

    def kinds(self) -> list[str]:
        return [closed.kind for closed in self.nodes[self.live()[0]].closed]
