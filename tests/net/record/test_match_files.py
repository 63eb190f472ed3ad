"""The names of a match's files are fixed: older homes must be found again."""

from __future__ import annotations

from pathlib import Path

from kontor_games.net.record.match_files import (
    LocalFiles,
    MatchFiles,
    about_path,
    finished_matches,
    local_matches,
    match_name,
    network_matches,
    transcripts,
)

MATCH = bytes(range(32))
NAME = "000102030405060708090a0b0c0d0e0f"


def test_the_files_of_a_network_match_are_called_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    files = MatchFiles.of(tmp_path, MATCH)
    paths = [files.journal, files.signed, files.secret, files.transcript, files.reports]
    paths += [files.peers, files.lobby, files.draft, files.done, about_path(files.transcript)]
    suffixes = ["journal", "signed", "secret", "kontor", "reports", "peers", "lobby", "draft", "done", "about"]
    assert match_name(MATCH) == NAME and paths == [tmp_path / f"{NAME}.{suffix}" for suffix in suffixes]
    assert MatchFiles.beside(files.journal) == files == MatchFiles.beside(files.transcript)


def test_the_files_of_a_local_match_lie_beside_its_transcript_whatever_that_is_called(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path / "an.evening")
    assert (files.seed, files.draft) == (tmp_path / "an.evening.seed", tmp_path / "an.evening.draft")
    assert LocalFiles.named(tmp_path, "hansa-1").transcript == tmp_path / "hansa-1.kontor"


def test_a_home_lists_its_matches_by_what_is_left_to_do(tmp_path: Path) -> None:
    going, done = MatchFiles(tmp_path, "b"), MatchFiles(tmp_path, "a")
    local, over = LocalFiles.named(tmp_path, "local"), LocalFiles.named(tmp_path, "over")
    for path in (going.journal, done.journal, done.done, done.transcript, local.transcript, local.seed):
        path.touch()
    for path in (over.transcript, about_path(over.transcript)):
        path.touch()
    assert network_matches(tmp_path) == [done, going] and [files.is_done for files in (done, going)] == [True, False]
    assert local_matches(tmp_path) == [local]
    assert list(finished_matches(tmp_path)) == [(over.transcript, about_path(over.transcript))]
    assert sorted(transcripts(tmp_path)) == [done.transcript, over.transcript], (
        "hands of a match that goes on are secret"
    )


def test_what_is_not_needed_any_more_is_deleted_and_nothing_else(tmp_path: Path) -> None:
    match, local = MatchFiles(tmp_path, "m"), LocalFiles.named(tmp_path, "l")
    for path in (match.journal, match.secret, match.draft, local.transcript, local.seed, local.draft):
        path.touch()
    for _ in range(2):  # a second time there is nothing to delete
        match.delete_secret()
        match.delete_draft()
        local.delete_secrets()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["l.kontor", "m.journal"]
    local.delete()
    assert [path.name for path in tmp_path.iterdir()] == ["m.journal"]
