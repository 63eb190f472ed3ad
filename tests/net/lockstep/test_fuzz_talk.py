"""Minutes of damaged talk in the middle of a match: refused by ending the link, never a crash, never another chain."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from kontor_games.engine.core.digest import canonical
from kontor_games.engine.errors import RemoteError
from kontor_games.net.lockstep.effects import Effect
from kontor_games.net.wire.match_talk import Chunk, Item, MovedTalk, Signed, Talk, decode_talk
from tests.net.links.test_fuzz_links import damaged, run
from tests.worlds.world import Node, World, identity, make_terms

GAME, PEERS = "joban", 3
AGAIN_AFTER = 50  # runs with one session: whoever cheats is not listened to for long


class Recorded(World):
    """A world that keeps what was said to its first node."""

    def __init__(self, terms: bytes, peers: int, seed: str) -> None:
        super().__init__(terms, peers, seed)
        self.said: list[tuple[int, Talk]] = []

    def deliver(self, index: int = 0) -> None:
        source, target, _ = self.flying[index]
        talk = next(talk for here, there, talk in self.flying if (here, there) == (source, target))
        if target == 0:
            self.said.append((source, talk))
        super().deliver(index)


@pytest.fixture(scope="module")
def world() -> Recorded:
    made = Recorded(make_terms(GAME, PEERS), PEERS, "talk")
    made.begin()
    made.play_on(moves=12)
    made.unlink(0, 1)
    made.play_on(moves=2)
    made.link(0, 1)
    made.play_on(moves=10)
    return made


class TalkTarget:
    """The first node at some point of the match, told what was said to it: damaged, late, early, and twice."""

    def __init__(self, world: Recorded) -> None:
        self._world = world
        self._chain = world.nodes[0].session.ledger.items
        self._journal = world.nodes[0].journal
        self._copy = World(world.nodes[0].terms, PEERS)
        self._runs = 0
        self._is_honest = True

    def __call__(self, source: random.Random) -> None:
        if self._runs % AGAIN_AFTER == 0:
            self._begin(source)
        self._runs += 1
        peer, talk = source.choice(self._world.said)
        raw = canonical(talk if self._is_honest else self._signed_again(source, talk, peer))
        try:
            told = decode_talk(damaged(source, raw) if self._is_honest and source.random() < 0.7 else raw)
            self._perform(self._node.session.heard(peer, told))
        except RemoteError as error:
            assert str(error)
        if self._is_honest:  # nobody signed anything new: there is one chain only
            items = self._node.session.ledger.items
            assert items == self._chain[: len(items)]

    def _begin(self, source: random.Random) -> None:
        """A node that was started again somewhere in the match, with both others linked."""
        self._is_honest = not self._is_honest
        self._copy = World(self._world.nodes[0].terms, PEERS)
        self._copy.on_replay = lambda node: node.session.ledger.state_bytes()
        self._node.journal = self._journal[: source.randrange(len(self._journal))]
        self._copy.restart(0)
        self._perform(self._node.session.linked(1, 2))

    @property
    def _node(self) -> Node:
        return self._copy.nodes[0]

    def _perform(self, effects: Sequence[Effect]) -> None:
        self._copy.perform(self._node, effects)
        while self._copy.works:
            self._copy.work()

    def _signed_again(self, source: random.Random, talk: Talk, peer: int) -> Talk:
        """What a cheat could say: its own messages, damaged and signed."""

        def sign(signed: Signed) -> Signed:
            if signed.peer != peer or source.random() < 0.5:
                return signed
            raw = damaged(source, signed.raw)
            return Signed(signed.kind, peer, raw, identity(peer).sign(signed.kind, raw))

        match talk:
            case Signed():
                return sign(talk)
            case MovedTalk(frame=frame, where=where):
                return MovedTalk(sign(frame), where)
            case Chunk(position=position, items=items, more=more):
                made = tuple(Item(item.kind, tuple(map(sign, item.parts))) for item in items)
                return Chunk(position, made, more)
            case _:
                return talk


def test_a_little_damaged_talk_changes_nothing(world: Recorded) -> None:
    kinds = {type(talk).__name__ for _, talk in world.said}
    assert kinds >= {"Signed", "Where", "MovedTalk", "Chunk", "Ask"}, kinds
    target, source = TalkTarget(world), random.Random(7)
    for _ in range(20 * AGAIN_AFTER):
        target(source)


@pytest.mark.long
def test_damaged_talk_changes_nothing(world: Recorded) -> None:
    run(TalkTarget(world), "talk")
