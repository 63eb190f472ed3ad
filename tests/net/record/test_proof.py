"""The file of a sealed match convinces a stranger, and nothing less does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kontor_games import engine
from kontor_games.net.record.chain_records import records_of, write_transcript
from kontor_games.net.record.transcript import FrameRecord, Placed, open_file, read
from kontor_games.net.record.verify import REFUTED, VERIFIED, verify
from kontor_games.net.wire.chain import Frame, decode
from tests.worlds.world import World, identity, make_terms


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole sealed match of two, as a file."""
    raw = make_terms("joban", 2)
    world = World(raw, 2, "proof")
    world.begin()
    world.play_on()
    session = world.nodes[0].session
    path = tmp_path_factory.mktemp("proof") / "match.kontor"
    signatures = [identity(p).sign("terms", raw) for p in range(2)]
    write_transcript(path, records_of(session.ledger, signatures, session.finals()))
    return path


def records(path: Path) -> list[Placed]:
    with open_file(path) as file:
        return [item for item in read(file) if isinstance(item, Placed)]


def test_a_finished_sealed_match_verifies_with_all_signatures(finished: Path) -> None:
    report = verify(finished)
    assert (report.code, report.line) == (VERIFIED, "verified: finished, signed by all 2")
    assert (report.sealed, report.final, report.notes) == (True, True, ())


@pytest.mark.parametrize("change", ["drop", "swap", "repeat"])
def test_dropped_swapped_and_repeated_records_are_found(finished: Path, tmp_path: Path, change: str) -> None:
    found = [placed.record for placed in records(finished)]
    places = [k for k, record in enumerate(found) if isinstance(record, FrameRecord)][4:40:9]
    for place in places:
        changed = list(found)
        if change == "drop":
            del changed[place]
        elif change == "swap":
            changed[place], changed[place + 1] = changed[place + 1], changed[place]
        else:
            changed.insert(place, changed[place])
        path = tmp_path / "changed.kontor"
        write_transcript(path, changed)
        assert verify(path).code == REFUTED


def test_a_flipped_byte_in_any_signed_message_is_found(finished: Path, tmp_path: Path) -> None:
    found = [placed.record for placed in records(finished)]
    for place, record in list(enumerate(found))[8:60:13]:
        if isinstance(record, FrameRecord):
            raw = bytearray(record.raw)
            raw[len(raw) // 2] ^= 1
            changed = [*found[:place], FrameRecord(bytes(raw), record.signature), *found[place + 1 :]]
            path = tmp_path / "flipped.kontor"
            write_transcript(path, changed)
            assert verify(path).code == REFUTED


def test_a_broken_rule_about_hidden_cards_is_found_once_the_keys_are_open(
    finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A made-up rule «seat 1 plays its lowest hidden card first»: the verifier reads the hands and names the player."""
    real = engine.load
    frames = [decode(Frame, p.record.raw) for p in records(finished) if isinstance(p.record, FrameRecord)]
    assert any(frame.u for frame in frames), "cards were shown in this match"

    def lowest_first(state: Any, action: Any, known: dict[int, int]) -> str | None:
        shown = real("joban").opens(state, action)
        if action.seat != 1 or not shown:
            return None
        assert all(known[slot] == face for slot, face in shown), "the verifier knows the hand"
        return "a lower card was in the hand" if len(known) > len(shown) else None

    def load(game: str, rules: int) -> Any:
        return replace(real(game, rules), why_not_hidden=lowest_first)

    monkeypatch.setattr(engine, "load", load)
    report = verify(finished)
    assert report.code == REFUTED
    assert "Player 1 broke a rule about hidden cards" in report.message
