"""Matches and files under both versions of the terms: what a stranger makes of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from kontor_games.engine.errors import RemoteError
from kontor_games.net.lockstep.spectator import Spectator
from kontor_games.net.record.chain_records import records_of, write_transcript
from kontor_games.net.record.transcript import TermsRecord
from kontor_games.net.record.verify import CANNOT_JUDGE, REFUTED, VERIFIED, verify
from kontor_games.net.wire.chain import match_id
from kontor_games.net.wire.messages import Ladder, Pace, Package
from kontor_games.net.wire.terms import decode_terms, encode_terms
from tests.worlds.world import World, identity, make_terms

PACKAGE = Package("kontor-joban", "2.0", b"c" * 32)
KINDS: dict[str, dict[str, Any]] = {
    "version 1": {"version": 1},
    "version 2": {"version": 2},
    "grace, guests and pace": {"version": 2, "grace": 120, "guests": (1,), "pace": Pace("days", 86400)},
    "rated": {"version": 2, "rated": Ladder("open", identity(7).key)},
}


def terms_with(**fields: Any) -> bytes:
    return encode_terms(replace(decode_terms(make_terms("joban", 2)), **fields))


def begun(raw: bytes) -> World:
    """A match of two in which some moves were made."""
    world = World(raw, 2, "terms")
    world.begin()
    world.play_on(moves=6)
    world.quiet()  # the last move arrives
    return world


def records(world: World, raw: bytes) -> list[Any]:
    session = world.nodes[0].session
    return list(records_of(session.ledger, signed(raw), session.finals()))


def signed(raw: bytes) -> list[bytes]:
    return [identity(peer).sign("terms", raw) for peer in range(2)]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_match_is_played_and_verified_under_the_terms_it_began_with(kind: str, tmp_path: Path) -> None:
    raw = terms_with(**KINDS[kind])
    world = begun(raw)
    path = tmp_path / "match.kontor"
    write_transcript(path, records(world, raw))
    report = verify(path)
    assert report.code == VERIFIED and report.sealed
    assert world.nodes[1].session.ledger.ply == world.nodes[0].session.ledger.ply > 0


def test_terms_exchanged_for_others_refute_the_file_even_if_all_sign_them(tmp_path: Path) -> None:
    raw = terms_with(version=2, grace=120)
    found = records(begun(raw), raw)
    path = tmp_path / "match.kontor"
    for fields in ({"grace": 60}, {"grace": None}, {"grace": None, "version": 1}, {"recovery": "none", "grace": None}):
        other = encode_terms(replace(decode_terms(raw), **fields))
        write_transcript(path, [TermsRecord(other, tuple(signed(other))), *found[1:]])
        assert verify(path).code == REFUTED, fields


def test_a_match_of_a_package_that_is_not_here_is_neither_judged_nor_watched(tmp_path: Path) -> None:
    raw = terms_with(version=2, package=PACKAGE)
    path = tmp_path / "match.kontor"
    write_transcript(path, [TermsRecord(raw, tuple(signed(raw)))])
    report = verify(path)
    assert report.code == CANNOT_JUDGE and "kontor-joban 2.0" in report.message
    spectator = Spectator(match_id(raw), identity(0).key)
    with pytest.raises(RemoteError, match="the game's package kontor-joban"):
        spectator.charter(raw, tuple(signed(raw)))
