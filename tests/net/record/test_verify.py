"""`verify` finds every change to a file, also by somebody who repairs the checks, and never stumbles."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgpack
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kontor_games.engine import ConfigError, Game
from kontor_games.engine.core.stream import Stream
from kontor_games.net.record.transcript import (
    MAGIC,
    EndRecord,
    EntryRecord,
    FrameRecord,
    Placed,
    TermsRecord,
    pack,
    read,
)
from kontor_games.net.record.verify import CANNOT_JUDGE, REFUTED, UNREADABLE, VERIFIED, verify
from kontor_games.net.wire.chain import match_id
from tests.engine import toy
from tests.worlds.local_matches import finished, load, new_table, play_on

Records = list[Any]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return finished(tmp_path_factory.mktemp("verify") / "a.kontor", rounds=2).read_bytes()


def records(data: bytes) -> Records:
    import io

    return [item.record for item in read(io.BytesIO(data)) if isinstance(item, Placed)]


def judge(tmp_path: Path, data: bytes) -> tuple[int, str]:
    path = tmp_path / "b.kontor"
    path.write_bytes(data)
    report = verify(path, load)
    assert report.as_dict()["verdict"] in ("verified", "refuted", "unreadable", "cannot judge")
    return report.code, report.message


def rebuilt(items: Records) -> bytes:
    return MAGIC + b"".join(map(pack, items))


def test_every_flipped_byte_is_found(tmp_path: Path, whole: bytes) -> None:
    for place in range(0, len(whole), 3):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        code, message = judge(tmp_path, bytes(damaged))
        assert code == UNREADABLE and "byte" in message, place


def test_a_flipped_byte_under_repaired_checks_is_found_by_the_rules(tmp_path: Path, whole: bytes) -> None:
    items = records(whole)
    for number, record in enumerate(items):
        raw = record.messages[0][0] if isinstance(record, EntryRecord) else record.raw
        for place in range(0, len(raw), 5):
            changed = bytearray(raw)
            changed[place] ^= 1 << place % 7
            forged: Any = (
                EntryRecord(((bytes(changed), b""),))
                if isinstance(record, EntryRecord)
                else type(record)(bytes(changed))
            )
            code, message = judge(tmp_path, rebuilt([*items[:number], forged, *items[number + 1 :]]))
            assert code != VERIFIED and message, (number, place)


def test_a_file_cut_within_a_record_is_unreadable_and_names_the_place(tmp_path: Path, whole: bytes) -> None:
    code, message = judge(tmp_path, whole[:-1])
    assert code == UNREADABLE and "incomplete" in message
    code, message = judge(tmp_path, whole[:-40])
    assert code == UNREADABLE and "consistent" in message


def test_a_file_cut_between_records_is_an_unfinished_match(tmp_path: Path, whole: bytes) -> None:
    items = records(whole)
    for count in range(1, len(items)):
        code, message = judge(tmp_path, rebuilt(items[:count]))
        assert code == VERIFIED and "unfinished" in message


def test_records_left_out_or_exchanged_are_refuted(tmp_path: Path, whole: bytes) -> None:
    items = records(whole)
    for number in range(len(items) - 1):
        code, _ = judge(tmp_path, rebuilt(items[:number] + items[number + 1 :]))
        assert code == REFUTED, number
        code, _ = judge(tmp_path, rebuilt([*items[:number], items[number + 1], items[number], *items[number + 2 :]]))
        assert code == REFUTED, number
    assert judge(tmp_path, rebuilt([*items, items[-1]]))[0] == REFUTED
    assert judge(tmp_path, rebuilt([*items, items[0]]))[0] == REFUTED


def frame_at(items: Records) -> int:
    return next(number for number, record in enumerate(items) if isinstance(record, FrameRecord))


def changed_frame(items: Records, change: Callable[[dict[str, Any]], None]) -> bytes:
    number = frame_at(items)
    frame = msgpack.unpackb(items[number].raw)
    change(frame)
    return rebuilt([*items[:number], FrameRecord(msgpack.packb(frame)), *items[number + 1 :]])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda frame: frame.update(m=bytes(32)), "another match"),
        (lambda frame: frame.update(h=bytes(32)), "chain"),
        (lambda frame: frame.update(d=bytes(32)), "state"),
        (lambda frame: frame.update(n=frame["n"] + 1), "ply"),
        (lambda frame: frame.update(s=(frame["s"] + 1) % 3), "acts for seat"),
        (lambda frame: frame.update(a=[["play", frame["s"], 65535, 1023]]), "not in your hand"),
        (lambda frame: frame.update(a=[["gamble", frame["s"]]] * 2), "goes on after"),
        (lambda frame: frame.update(a=[["gamble", 1.5]]), "gamble.seat"),
        (lambda frame: frame.update(a=[["mixed", 1]]), "chance"),
        (lambda frame: frame.update(a=[]), "Frame"),
        (lambda frame: frame.update(a=[["gamble", 0]] * 300), "Frame"),
        (lambda frame: frame.update(u=[1]), "openings"),
        (lambda frame: frame.update(x=1), "Frame"),
    ],
)
def test_a_forged_frame_is_refuted_with_ply_and_reason(
    tmp_path: Path, whole: bytes, change: Callable[[dict[str, Any]], None], words: str
) -> None:
    import re

    code, message = judge(tmp_path, changed_frame(records(whole), change))
    assert code == REFUTED
    assert re.search(words, message) and re.search(r"ply \d+ \(record \d+ at byte \d+\)", message), message


def test_a_card_that_was_never_dealt_is_refuted(tmp_path: Path) -> None:
    table = new_table(tmp_path / "a.kontor", rounds=2)
    while table.follow():
        pass
    seat = table.turn
    assert seat is not None
    slot, face = next(iter(table.known(seat).items()))
    table.dealer._face[slot] = lie = (face + 1) % 6  # a dealer that lets a player cheat
    table.commit([toy.Play(seat, slot, lie), toy.Bonus(seat, 1)])
    play_on(table)
    table.close()
    report = verify(table.path, load)
    assert report.code == REFUTED and f"slot {slot} is not card {lie}" in report.message


def test_a_dealer_that_did_not_follow_the_seed_is_refuted(tmp_path: Path, whole: bytes) -> None:
    items = records(whole)
    end = msgpack.unpackb(items[-1].raw)
    end["z"] = bytes(32)
    code, message = judge(tmp_path, rebuilt([*items[:-1], EndRecord(msgpack.packb(end))]))
    assert code == REFUTED and "seed" in message
    del end["z"]
    code, message = judge(tmp_path, rebuilt([*items[:-1], EndRecord(msgpack.packb(end))]))
    assert code == REFUTED and "`z`" in message


def test_another_result_is_refuted(tmp_path: Path, whole: bytes) -> None:
    items = records(whole)
    end = msgpack.unpackb(items[-1].raw)
    end["r"][1] = [1]
    end["r"][2] = [99, 0, 0]
    code, message = judge(tmp_path, rebuilt([*items[:-1], EndRecord(msgpack.packb(end))]))
    assert code == REFUTED and "result" in message


def test_an_end_before_the_end_is_refuted(tmp_path: Path, whole: bytes) -> None:
    items = records(whole)
    frame = msgpack.unpackb(items[frame_at(items)].raw)
    seed = msgpack.unpackb(items[-1].raw)["z"]
    end = EndRecord(msgpack.packb({"h": frame["h"], "d": frame["d"], "r": ["x", [], [], [], []], "z": seed}))
    code, message = judge(tmp_path, rebuilt([*items[: frame_at(items)], end]))
    assert code == REFUTED and "the rules do not" in message


def test_signatures_have_no_place_in_a_local_file(tmp_path: Path, whole: bytes) -> None:
    items = records(whole)
    at = frame_at(items)
    signed: list[Records] = [
        [TermsRecord(items[0].raw, (b"s",)), *items[1:]],
        [items[0], EntryRecord(((items[1].messages[0][0], b"s"),)), *items[2:]],
        [*items[:at], FrameRecord(items[at].raw, b"s"), *items[at + 1 :]],
        [*items[:-1], EndRecord(items[-1].raw, (b"s",))],
        [items[0], EntryRecord(items[1].messages, b"cached"), *items[2:]],
    ]
    for forged in signed:
        assert judge(tmp_path, rebuilt(forged))[0] == REFUTED


def changed_terms(whole: bytes, **changes: Any) -> bytes:
    items = records(whole)
    terms = {**msgpack.unpackb(items[0].raw), **changes}
    return rebuilt([TermsRecord(msgpack.packb(terms)), *items[1:]])


def test_other_rules_or_data_cannot_be_judged(tmp_path: Path, whole: bytes) -> None:
    for change, words in (
        ({"rules": 2}, "rules version 2"),
        ({"data": b"x" * 32}, "other data"),
        ({"deck": "sealed/9"}, "deck mode"),
    ):
        code, message = judge(tmp_path, changed_terms(whole, **change))
        assert code == CANNOT_JUDGE and words in message

    def knows_nothing(game: str, rules: int) -> Game[Any]:
        raise ConfigError(f"there is no game {game!r}")

    path = tmp_path / "c.kontor"
    path.write_bytes(whole)
    assert verify(path, knows_nothing).code == CANNOT_JUDGE


def test_impossible_options_are_refuted(tmp_path: Path, whole: bytes) -> None:
    items = records(whole)
    terms = {**msgpack.unpackb(items[0].raw), "options": {"rounds": 5}}
    raw = msgpack.packb(terms)
    first = msgpack.unpackb(items[1].messages[0][0])
    first["h"] = match_id(raw)
    entry = EntryRecord(((msgpack.packb(first), b""),))
    code, message = judge(tmp_path, rebuilt([TermsRecord(raw), entry]))
    assert code == REFUTED and "rounds is one of" in message


def test_an_engine_that_stops_gives_a_verdict_not_a_traceback(tmp_path: Path, whole: bytes) -> None:
    from dataclasses import replace

    def broken(state: Any, action: Any) -> Any:
        raise LookupError("made up")

    path = tmp_path / "a.kontor"
    path.write_bytes(whole)
    report = verify(path, lambda *_: replace(toy.GAME, why_not=broken))
    assert report.code == REFUTED and "made up" in report.message


@pytest.mark.parametrize(
    "data", [b"", b"k", MAGIC, MAGIC + b"\0", b"PK\x03\x04" + bytes(100), bytes(10_000), b"\xff" * 99]
)
def test_foreign_files_are_unreadable(tmp_path: Path, data: bytes) -> None:
    assert judge(tmp_path, data)[0] == UNREADABLE


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32))
def test_random_edits_never_verify_and_never_raise(tmp_path: Path, whole: bytes, seed: int) -> None:
    stream = Stream(str(seed))
    items = records(whole)
    number = stream.below(len(items))
    record = items[number]
    raw = bytearray(record.messages[0][0] if isinstance(record, EntryRecord) else record.raw)
    for _ in range(1 + stream.below(3)):
        raw[stream.below(len(raw))] = stream.below(256)
    original = record.messages[0][0] if isinstance(record, EntryRecord) else record.raw
    forged: Any = EntryRecord(((bytes(raw), b""),)) if isinstance(record, EntryRecord) else type(record)(bytes(raw))
    code, _ = judge(tmp_path, rebuilt([*items[:number], forged, *items[number + 1 :]]))
    assert (code == VERIFIED) == (bytes(raw) == original)


def test_progress_is_reported(tmp_path: Path, whole: bytes) -> None:
    seen: list[tuple[int, int]] = []
    path = finished(tmp_path / "a.kontor", rounds=6)
    verify(path, load, lambda done, total: seen.append((done, total)))
    assert all(0 < done < total for done, total in seen)
