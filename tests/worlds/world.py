"""A little world for sessions: n peers, a network that can be unkind, disks that survive crashes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from kontor_games import engine
from kontor_games.engine.core.stream import H, Stream
from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.lockstep.effects import (
    Again,
    DoWork,
    DropPeer,
    Effect,
    Journal,
    Pledge,
    Publish,
    ReplayClean,
    Send,
)
from kontor_games.net.lockstep.session import Session
from kontor_games.net.wire.identity import Identity
from kontor_games.net.wire.match_talk import Signed, Talk
from kontor_games.net.wire.terms import Terms, TermsPeer, TermsSeat, encode_terms

VERSION = "test"
NOTICED_WITHIN = 16  # ticks after which the ends of a dead link know it at the latest


def identity(number: int) -> Identity:
    private = Ed25519PrivateKey.from_private_bytes(H("test", f"identity {number}", size=32))
    return Identity(private, private.public_key().public_bytes_raw())


def make_terms(
    game: str,
    peers: int,
    seats: Sequence[int] | None = None,
    recovery: str = "majority",
    rules: int | None = None,
    **options: Any,
) -> bytes:
    """Terms of a test match; `seats` maps seats to peers, `rules` None is the newest version."""
    record = engine.load(game, rules)
    places = tuple(range(peers)) if seats is None else tuple(seats)
    return encode_terms(
        Terms(
            version=2,
            game=game,
            rules=record.rules_version,
            data=record.data_digest,
            options=record.check_options(options, len(places)),  # type: ignore[arg-type]
            peers=tuple(TermsPeer(identity(p).key, H("test", f"nonce {p}", size=16)) for p in range(peers)),
            seats=tuple(TermsSeat(p, f"Player {n}", "human") for n, p in enumerate(places)),
            recovery=recovery,  # type: ignore[arg-type]
            spectators=True,
            deck="sealed/1",
        )
    )


@dataclass
class Node:
    """One peer: its session, what it wrote down, and what it told its player."""

    number: int
    terms: bytes
    session: Session = field(init=False)
    journal: list[Signed] = field(default_factory=list)
    synced: int = 0  # how much of the journal is on the disk for certain
    words: tuple[Signed, ...] = ()  # the second place of its own messages
    disk_is_full: bool = False
    unwritten: list[Journal | Pledge] = field(default_factory=list)  # what the disk refused
    told: list[Effect] = field(default_factory=list)
    alive: bool = True

    def __post_init__(self) -> None:
        self.boot()

    def boot(self) -> list[Effect]:
        """A fresh process: everything follows from the journal, the second place and the table secret."""
        ledger = Ledger(self.terms, self.number, H("test", f"secret {self.number}", size=32))
        self.session = Session(ledger, identity(self.number), VERSION)
        self.alive = True
        self.unwritten = []
        return self.session.restore(self.journal, self.words)

    def write(self) -> list[int]:
        """Write what waits, unless the disk is full; the numbers of the pledges that are safe now."""
        written: list[int] = []
        while self.unwritten and not self.disk_is_full:
            effect = self.unwritten.pop(0)
            self.journal.append(effect.signed)
            if isinstance(effect, Pledge):
                self.synced = len(self.journal)
                self.words = effect.open_words
                written.append(effect.number)
        return written


def written(node: Node, effects: Sequence[Effect]) -> list[Effect]:
    """These effects without those for the disk, and all that follows when the disk has taken them."""
    node.unwritten += [effect for effect in effects if isinstance(effect, Journal | Pledge)]
    rest = [effect for effect in effects if not isinstance(effect, Journal | Pledge)]
    for number in node.write():
        rest += written(node, node.session.written(number))
    return rest


class World:
    """All nodes of one match and the messages under way between them."""

    def __init__(self, terms: bytes, peers: int, seed: str = "world") -> None:
        self.nodes = [Node(p, terms) for p in range(peers)]
        self.flying: list[tuple[int, int, Talk]] = []
        self.works: list[tuple[int, Session, DoWork]] = []
        self.links: set[tuple[int, int]] = set()
        self.unnoticed: dict[tuple[int, int], int] = {}  # ends of dead links that do not know it yet, in how many ticks
        self.rng = Stream("world", seed)
        self.now = 0.0
        self.sent_bytes = 0
        self.in_order = True
        self.refused: list[str] = []
        self.on_replay: Callable[[Node], bytes | None] | None = None

    def begin(self, blocked: Sequence[tuple[int, int]] = ()) -> None:
        for node in self.nodes:
            self.perform(node, node.session.start())
        for a in range(len(self.nodes)):
            for b in range(a + 1, len(self.nodes)):
                if (a, b) not in blocked:
                    self.link(a, b)

    def link(self, a: int, b: int) -> None:
        if (a, b) in self.links or not (self.nodes[a].alive and self.nodes[b].alive):
            return
        self.notice(a, b)  # who dials or answers lets go of the old link first
        self.notice(b, a)
        self.links |= {(a, b), (b, a)}
        for here, there in ((a, b), (b, a)):
            self.perform(self.nodes[here], self.nodes[here].session.linked(there))

    def lose(self, a: int, b: int) -> None:
        """A link dies with everything under way on it; each end notices by itself, at its own time."""
        if (a, b) not in self.links:
            return
        self.links -= {(a, b), (b, a)}
        self.flying = [item for item in self.flying if {item[0], item[1]} != {a, b}]
        for end in ((a, b), (b, a)):
            if self.nodes[end[0]].alive:
                self.unnoticed[end] = 1 + self.rng.below(NOTICED_WITHIN)

    def notice(self, here: int, there: int) -> None:
        """This end of a dead link learns that it is dead."""
        if self.unnoticed.pop((here, there), None) is not None and self.nodes[here].alive:
            self.perform(self.nodes[here], self.nodes[here].session.unlinked(there))

    def unlink(self, a: int, b: int) -> None:
        """A link dies, and both ends know it at once."""
        self.lose(a, b)
        self.notice(a, b)
        self.notice(b, a)

    def crash(self, number: int, at_once: bool = True) -> None:
        """kill -9: memory is gone, and so is what was not synced; `at_once`: all others know."""
        node = self.nodes[number]
        node.alive = False
        node.journal = node.journal[: node.synced]
        for other in range(len(self.nodes)):
            if other != number:
                self.lose(number, other)
                self.unnoticed.pop((number, other), None)
                if at_once:
                    self.notice(other, number)
        self.works = [item for item in self.works if item[0] != number]

    def restart(self, number: int) -> None:
        node = self.nodes[number]
        node.told = [*node.told, *node.boot()]
        self.perform(node, node.session.start())

    def perform(self, node: Node, effects: Sequence[Effect]) -> None:
        while True:
            is_again = self._carry_out(node, effects)
            written = node.write()
            if not (is_again or written):
                return
            effects = [effect for number in written for effect in node.session.written(number)]
            if is_again:
                effects += node.session.again()

    def _carry_out(self, node: Node, effects: Sequence[Effect]) -> bool:
        again = False
        for effect in effects:
            match effect:
                case Send(peer=peer, talk=talk):
                    if (node.number, peer) in self.links:
                        self.flying.append((node.number, peer, talk))
                case Journal() | Pledge():
                    node.unwritten.append(effect)
                case DropPeer(peer=peer, reason=reason):
                    self.refused.append(f"{node.number} refused {peer}: {reason}")
                    self.lose(node.number, peer)
                    self.notice(node.number, peer)
                case DoWork():
                    self.works.append((node.number, node.session, effect))
                case ReplayClean():
                    assert self.on_replay is not None, "a replay was asked for"
                    self.perform(node, node.session.replayed(self.on_replay(node)))
                case Again():
                    again = True
                case Publish():
                    pass
                case _:
                    node.told.append(effect)
        return again

    def deliver(self, index: int = 0) -> None:
        """One message arrives; per link the order holds, as TCP keeps it."""
        source, target, talk = self.flying[index]
        first = next(i for i, item in enumerate(self.flying) if item[:2] == (source, target))
        source, target, talk = self.flying.pop(first)
        node = self.nodes[target]
        if not node.alive:
            return
        self.perform(node, node.session.heard(source, talk))

    def work(self) -> None:
        number, session, work = self.works.pop(0)
        if self.nodes[number].session is session:
            self.perform(self.nodes[number], session.worked(work.number, work.job()))

    def tick(self, seconds: float = 0.5) -> None:
        self.now += seconds
        self.unnoticed = {end: ticks - 1 for end, ticks in self.unnoticed.items()}
        for here, there in [end for end, ticks in self.unnoticed.items() if ticks <= 0]:
            self.notice(here, there)
        for node in self.nodes:
            if node.alive:
                self.perform(node, node.session.tick(self.now))

    def quiet(self, limit: int = 100_000) -> None:
        """Let everything under way arrive."""
        for _ in range(limit):
            if self.works:
                self.work()
            elif self.flying:
                self.deliver(self.rng.below(len(self.flying)))
            else:
                return
        raise AssertionError("the world does not come to rest")

    def step(self) -> None:
        """One thing happens: a proof is checked, a message arrives, somebody plays, or time passes."""
        if self.works:
            self.work()
        elif self.flying:
            self.deliver(self.rng.below(len(self.flying)))
        elif not self.move():
            self.tick()

    def move(self) -> bool:
        """Whoever is to act plays a random legal action; False if nobody can."""
        return any(node.alive and self.move_of(node) for node in self.nodes)

    def move_of(self, node: Node) -> bool:
        ledger = node.session.ledger
        turn = ledger.turn
        if turn is None or ledger.seat_peer(turn) != node.number or ledger.state is None:
            return False
        actions = engine.legal(ledger.game, ledger.state, ledger.known(turn))
        action = actions[self.rng.below(len(actions))]
        if node.session.why_not_play([action]):
            return False
        self.perform(node, node.session.play([action]))
        return True

    def play_on(self, moves: int = 100_000, ticks: int = 60) -> None:
        """Play until the match is complete everywhere or `moves` were made."""
        idle = 0
        while moves and idle < ticks:
            self.quiet()
            if all(n.session.ledger.is_complete for n in self.nodes if n.alive):
                self.tick()
                self.quiet()
                return
            if self.move():
                moves -= 1
                idle = 0
            else:
                idle += 1
                self.tick()

    def chains(self) -> list[list[bytes]]:
        return [[part.raw for item in n.session.ledger.items for part in item.parts] for n in self.nodes if n.alive]
