"""What lies on disks before the reveal: no file of an unfinished sealed match opens a card for a stranger."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kontor_games.net.record.chain_records import MatchJournal, records_of, write_transcript
from kontor_games.net.record.verify import VERIFIED, verify
from kontor_games.net.sealed.algebra.group import Point, enc_scalar, face_point, mul, sub
from kontor_games.net.sealed.tasks import Slot
from tests.worlds.world import World, identity, make_terms

MATCHES: list[tuple[str, int, dict[str, Any]]] = [
    ("osaka", 2, {}),
    ("joban", 3, {}),
    ("hansa", 3, {"missions": True}),
    ("yokohama", 2, {}),
]


def deck_key(world: World, peer: int) -> int:
    player = world.nodes[peer].session.ledger.player
    assert player is not None
    return player._x


def hidden_slots(world: World) -> dict[int, Slot]:
    return {s: slot for s, slot in world.nodes[0].session.ledger.table.cards.slots.items() if slot.holders}


def face_behind(world: World, slot: Slot) -> Point:
    point = slot.B
    for peer in slot.holders:
        point = sub(point, mul(deck_key(world, peer), slot.A))
    return point


@pytest.mark.parametrize(("game", "peers", "options"), MATCHES, ids=[name for name, _, _ in MATCHES])
def test_no_file_of_an_unfinished_match_opens_a_hidden_card(
    game: str, peers: int, options: dict[str, Any], tmp_path: Path
) -> None:
    raw = make_terms(game, peers, **options)
    world = World(raw, peers, "files")
    world.begin()
    world.play_on(moves=12)
    signatures = [identity(peer).sign("terms", raw) for peer in range(peers)]
    files = []
    for node in world.nodes:
        files += [tmp_path / f"{node.number}.journal", tmp_path / f"{node.number}.kontor"]
        journal = MatchJournal.create(files[-2], raw, signatures)
        for signed in node.journal:
            journal.append(signed, sync=False)
        journal.close()
        write_transcript(files[-1], records_of(node.session.ledger, signatures))
    everything = b"".join(path.read_bytes() for path in files)
    report = verify(files[1])
    assert report.code == VERIFIED and "this file stops there" in report.message, report

    held = {s for node in world.nodes for s in node.session.ledger.known(node.number)}
    hidden = hidden_slots(world)
    assert hidden and held <= set(hidden)
    assert held or game == "osaka", "somebody holds cards that nobody else has seen"  # osaka hides its deck alone
    for node in world.nodes:
        assert enc_scalar(deck_key(world, node.number)) not in everything
    for s, slot in hidden.items():
        # The card opens with the shares of all its holders; the test can do it, the files lack at least one.
        assert face_behind(world, slot) in {
            face_point(face) for face in world.nodes[0].session.ledger.table.cards.faces.values()
        }
        shares = [mul(deck_key(world, peer), slot.A) for peer in slot.holders]
        assert any(share not in everything for share in shares), f"slot {s} can be read from the files"
        if s in held:
            assert not any(share in everything for share in shares)
