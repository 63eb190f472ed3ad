"""Whole matches under disorder, repeats, departures by vote and by goodbye: honest nodes end on one chain."""

from __future__ import annotations

from random import Random

import pytest

from kontor_games.engine.core.chance import Deal, Mix, Move, Roll
from kontor_games.net.wire.chain import DealerMessage
from tests.worlds.ring import Item, Mesh

SCRIPT: tuple[Item, ...] = (
    Mix(1, (5, 6, 7), (), (0, 1, 2)),
    0,
    Deal(2, ((0, 0), (1, 1))),
    1,
    Move(3, 0, 3, 0, 1),
    Mix(4, (9,), (1,), (4, 5), 1),
    Roll(5),
    2,
    Deal(6, ((4, None), (2, 2))),
    Mix(7, (1, 2), (), (6, 7)),
    0,
    None,
)


class Rough(Mesh):
    """A mesh in which messages are also repeated and come from old entries again."""

    def __init__(self, n: int, seed: int) -> None:
        super().__init__(n, SCRIPT, seed)
        self.sent: list[bytes] = []

    def post(self, source: int, message: DealerMessage) -> bytes:
        raw = super().post(source, message)
        self.sent.append(raw)
        if self.rng.random() < 0.3:
            target = self.rng.choice(self.live())
            self.nodes[target].inbox.append(self.rng.choice(self.sent))
        return raw


def play(n: int, seed: int) -> Mesh:
    rng = Random(seed)
    mesh = Rough(n, seed)
    departures = rng.randrange(0, n - 1)
    for _ in range(departures):
        steps = rng.randrange(1, 90)
        count = iter(range(steps))
        mesh.run(lambda count=count: next(count, None) is None)  # type: ignore[misc]
        active = mesh.nodes[mesh.live()[0]].table
        peers = [p for p in mesh.live()[:-1] if p in active.active]
        if len(peers) <= 2:
            break
        leaver = rng.choice(peers)
        entries = mesh.nodes[leaver].entries
        player = mesh.nodes[leaver].player
        if rng.random() < 0.4 and entries.goodbyes.why_not_leave() is None and player is not None:
            mesh.post(leaver, entries.goodbyes.leave(player))
            mesh.kill(leaver)
        else:
            survivors = [p for p in peers if p != leaver]
            if any(mesh.nodes[p].table.why_not_gone((leaver,)) for p in survivors):
                continue  # the escrow is not complete everywhere: they have to wait
            if rng.random() < 0.5:  # what it sent last reached only some
                mesh.nodes[rng.choice(mesh.live())].inbox.clear()
                mesh.kill(leaver)
                gossip(mesh)
            mesh.go_on_without(leaver)
    mesh.run()
    gossip(mesh)
    return mesh.run()


def gossip(mesh: Mesh) -> None:
    """Every live node passes on what it holds, and answers what others miss."""
    for i in mesh.live():
        for j in mesh.live():
            if i != j:
                mesh.nodes[j].inbox += mesh.nodes[i].entries.open_messages()
                for missing in mesh.nodes[j].missing:
                    held = [mesh.nodes[i].entries.held(digest) for digest in missing.hashes]
                    mesh.nodes[j].inbox += [raw for raw in held if raw is not None]
                mesh.nodes[j].inbox += [raw for closed in mesh.nodes[i].closed for raw in closed.raws]


@pytest.mark.parametrize("seed", range(6))
def test_honest_nodes_end_on_one_chain(seed: int) -> None:
    mesh = play(3 + seed % 3, seed)
    mesh.agree()
    assert "open" in mesh.kinds()


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 250))
def test_honest_nodes_end_on_one_chain_for_long(seed: int) -> None:
    mesh = play(3 + seed % 3, seed)
    mesh.agree()
    assert "open" in mesh.kinds()
