"""Prepared replays on the disk: whole or not at all, within a bound, good for one program and its words."""

from __future__ import annotations

from pathlib import Path

from kontor_games.lobby.pages.prepared_replays import INFO, PreparedReplays
from kontor_games.lobby.pages.replay_pack import ReplayPack

PACK = ReplayPack(b"i" * 100, (b"a" * 200, b"b" * 200))
IDS = ("a" * 32, "b" * 32, "c" * 32)


def test_parts_are_given_back_and_survive_a_restart(tmp_path: Path) -> None:
    PreparedReplays(tmp_path, "one", 10_000).put(IDS[0], PACK)
    again = PreparedReplays(tmp_path, "one", 10_000)
    assert again.part(IDS[0], INFO) == b"i" * 100 and again.part(IDS[0], "1") == b"b" * 200
    assert again.part(IDS[0], "2") is None and again.part(IDS[1], INFO) is None and again.size == 500


def test_with_another_program_or_other_words_nothing_old_is_shown(tmp_path: Path) -> None:
    PreparedReplays(tmp_path, "one", 10_000).put(IDS[0], PACK)
    other = PreparedReplays(tmp_path, "two", 10_000)
    assert other.part(IDS[0], INFO) is None and not (tmp_path / "one").exists()


def test_what_nobody_looked_at_for_longest_makes_room(tmp_path: Path) -> None:
    kept = PreparedReplays(tmp_path, "one", 1100)
    kept.put(IDS[0], PACK)
    kept.put(IDS[1], PACK)
    assert kept.part(IDS[0], INFO)  # looked at: the other one is older now
    kept.put(IDS[2], PACK)
    assert [kept.part(id, INFO) is not None for id in IDS] == [True, False, True]
    assert kept.size == 1000 and sorted(path.name for path in (tmp_path / "one").iterdir()) == [IDS[0], IDS[2]]


def test_half_a_match_of_a_crash_is_removed(tmp_path: Path) -> None:
    PreparedReplays(tmp_path, "one", 10_000)
    half = tmp_path / "one" / f"{IDS[0]}.new"
    half.mkdir()
    (half / INFO).write_bytes(b"half")
    assert PreparedReplays(tmp_path, "one", 10_000).part(IDS[0], INFO) is None and not half.exists()
