"""Minutes of damaged dealer messages against live entries: no crash, no false closing, bounded memory."""

from __future__ import annotations

import random

import pytest
from msgspec import Raw

from kontor_games.engine.core.chance import Deal, Mix, Move
from kontor_games.engine.errors import RemoteError
from kontor_games.net.sealed.bodies import encode as encode_body
from kontor_games.net.sealed.sightings import MAX_EARLY
from kontor_games.net.sealed.votes import MAX_VOTES
from kontor_games.net.wire.chain import DealerMessage, decode, encode
from tests.net.links.test_fuzz_links import damaged, run
from tests.worlds.ring import Item, Mesh, Node

SCRIPT: tuple[Item, ...] = (
    Mix(1, (5, 6, 7), (), (0, 1, 2)),
    Deal(2, ((0, None), (1, 0), (2, 1))),
    Move(3, 1, 3, 0, 1),
    None,
)


def samples() -> list[bytes]:
    """Every message of a match with a departure."""
    mesh = Mesh(4, SCRIPT).to(1)
    mesh.vote_out(3)
    mesh.run()
    goodbye = mesh.nodes[0].player
    assert goodbye is not None
    entries = mesh.nodes[0].entries
    bye = DealerMessage(entries.position.match_id, 0, entries.tip, entries.digest, Raw(encode_body(goodbye.bye())))
    return [*(raw for closed in mesh.nodes[0].closed for raw in closed.raws), encode(bye)]


class Target:
    """A node somewhere in a match, fed with damaged copies of what it waits for and of what it has seen."""

    def __init__(self) -> None:
        self.samples = samples()
        self.node = self.fresh(0)
        self.fed = 0

    def fresh(self, count: int) -> Node:
        node = Mesh(4, SCRIPT).nodes[-1]
        for raw in self.samples[:count]:
            node.deliver(raw)
        return node

    def __call__(self, source: random.Random) -> None:
        if self.fed % 300 == 0:
            self.node = self.fresh(source.randrange(len(self.samples)))
        self.fed += 1
        raw = source.choice(self.samples)
        message = decode(DealerMessage, raw)
        entries = self.node.entries
        h = source.choice([message.h, entries.tip, source.randbytes(32)])
        d = source.choice([message.d, entries.digest, source.randbytes(32)])
        body = source.choice([bytes(message.b), damaged(source, bytes(message.b))])
        peer = source.choice([message.p, source.randrange(8)])
        try:
            made = encode(DealerMessage(message.m, peer, h, d, Raw(body)))
            made = source.choice([made, damaged(source, made)])
            again = decode(DealerMessage, made)
        except RemoteError:
            return
        before = len(self.node.closed)
        self.node.deliver(made)
        if made != raw and len(self.node.closed) > before:  # only true messages close anything
            parts = {part for closed in self.node.closed[before:] for part in closed.raws}
            assert made not in parts or body == bytes(message.b), again
        entries = self.node.entries
        early = entries.sightings._early
        assert all(len(list(early.of(peer))) <= MAX_EARLY for peer in range(8))
        assert len(entries.departures.messages()) <= 2 * 4 * MAX_VOTES
        assert len(entries.forks._known) < 500


@pytest.mark.long
def test_damaged_dealer_messages_do_no_harm() -> None:
    run(Target(), "dealer messages")


def test_a_short_run_of_damaged_dealer_messages_does_no_harm() -> None:
    target, source = Target(), random.Random(3)
    for _ in range(1500):
        target(source)
