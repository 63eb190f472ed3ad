"""Files of rated matches for tests: played in a little world by people or bots with keys of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from msgspec.structs import replace

from kontor_games.engine.core.stream import H
from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.lockstep.effects import Effect
from kontor_games.net.lockstep.session import Session
from kontor_games.net.record.bot_match import Bot, bot_turn
from kontor_games.net.record.chain_records import records_of
from kontor_games.net.record.transcript import Record
from kontor_games.net.wire.messages import Ladder as LadderClause
from kontor_games.net.wire.terms import TermsPeer, decode_terms, encode_terms

from .match_files import packed
from .world import VERSION, Node, World, identity, make_terms

KEEPER = identity(900)


def rated_terms(
    game: str,
    people: Sequence[int],
    tag: str,
    ladder: LadderClause | None = None,
    recovery: str = "majority",
    names: Mapping[int, str] | None = None,
    **options: Any,
) -> bytes:
    """Terms of a rated match of these people; another tag makes another match. Without a name they are «Person 3»."""
    terms = decode_terms(make_terms(game, len(people), recovery=recovery, **options))
    peers = tuple(TermsPeer(identity(p).key, H("test", f"nonce {tag} {p}", size=16)) for p in people)
    called = {p: f"Person {p}" for p in people} | dict(names or {})
    seats = tuple(replace(seat, name=called[p]) for seat, p in zip(terms.seats, people, strict=True))
    clause = LadderClause("open", KEEPER.key) if ladder is None else ladder
    return encode_terms(replace(terms, peers=peers, seats=seats, rated=clause))


@dataclass
class PersonNode(Node):
    """A node whose key is a person's, whatever its number at the table."""

    person: int = 0

    def boot(self) -> list[Effect]:
        secret = H("test", f"secret {self.number}", size=32)
        self.session = Session(Ledger(self.terms, self.number, secret), identity(self.person), VERSION)
        self.alive = True
        self.unwritten = []
        return self.session.restore(self.journal, self.words)


@dataclass
class PeopleWorld(World):
    """A world whose nodes belong to people; seats with a bot are played by it, others at random."""

    terms: bytes
    people: Sequence[int]
    seed: str = "people"
    bots: Mapping[int, Bot] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__(self.terms, 0, self.seed)
        self.nodes = [PersonNode(number, self.terms, person=p) for number, p in enumerate(self.people)]

    def move_of(self, node: Node) -> bool:
        ledger = node.session.ledger
        turn = ledger.turn
        if node.number not in self.bots or turn != node.number or ledger.state is None:
            return super().move_of(node)
        known = dict(ledger.known(turn))
        actions = bot_turn(self.bots[turn], ledger.game, ledger.state, known, turn, ledger.ply)
        if node.session.why_not_play(actions):
            return False
        self.perform(node, node.session.play(actions))
        return True


def told(world: PeopleWorld, peer: int = 0, finals: bool = True) -> list[Record]:
    """The file that one node would write now."""
    session = world.nodes[peer].session
    raw = session.ledger.terms_raw
    signatures = [identity(p).sign("terms", raw) for p in world.people]
    return records_of(session.ledger, signatures, session.finals() if finals else None)


def rated_match(game: str, people: Sequence[int], tag: str, **more: Any) -> PeopleWorld:
    """A rated match, played to its end."""
    world = PeopleWorld(rated_terms(game, people, tag, **more), people, tag)
    world.begin()
    world.play_on()
    return world


def file_of(world: PeopleWorld, peer: int = 0, finals: bool = True) -> bytes:
    return packed(told(world, peer, finals))


def name_of(data: bytes) -> str:
    """What a ladder knows these bytes by."""
    return blake2b(data, digest_size=32).hexdigest()
