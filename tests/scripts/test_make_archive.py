"""The archive with known faults: its report holds against the manifest, and a report that is wrong does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kontor_games.net.archive.archive import Archive
from scripts.archives.comparing import Comparison
from scripts.archives.making_main import NAMES, make


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("archive")
    assert make(folder, 24, 1) == 24
    return folder


@pytest.fixture(scope="module")
def told(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, object]]:
    report = tmp_path_factory.mktemp("told") / "report.jsonl"
    judging = Archive([str(archive)])
    try:
        assert sum(1 for _ in judging.verify(1)) == 24
        judging.write_report(str(report))
    finally:
        judging.close()
    return [json.loads(line) for line in report.read_text().splitlines()]


def compared(archive: Path, told: list[dict[str, object]], tmp_path: Path) -> tuple[str, list[str]]:
    report = tmp_path / "report.jsonl"
    report.write_text("".join(json.dumps(line) + "\n" for line in told))
    comparison = Comparison(archive, report, NAMES)
    return comparison.figures(), list(comparison.mistakes())


def test_what_was_doctored_or_contradicts_is_found_and_nobody_else_accused(
    archive: Path, told: list[dict[str, object]], tmp_path: Path
) -> None:
    figures, mistakes = compared(archive, told, tmp_path)
    assert mistakes == []
    assert figures == "24 of 24 files told; 2 of 2 doctored files refused; 2 of 2 contradicting pairs named"


@pytest.mark.parametrize(
    ("folder", "lie", "mistake"),
    [
        ("sealed", {"verdict": "refuted", "line": "refuted: another state"}, "but nothing is wrong with it"),
        ("doctored", {"verdict": "verified"}, "verified, but it was doctored"),
        ("pair", {"contradicts": []}, "contradict each other, and that is not named"),
    ],
)
def test_a_report_that_is_wrong_is_named(
    archive: Path, told: list[dict[str, object]], tmp_path: Path, folder: str, lie: dict[str, object], mistake: str
) -> None:
    lines = [line | lie if f"/{folder}/" in str(line["path"]) else line for line in told]
    _, mistakes = compared(archive, lines, tmp_path)
    assert mistakes and all(mistake in each for each in mistakes)


def test_a_report_that_accuses_the_wrong_player_or_leaves_files_out_is_named(
    archive: Path, told: list[dict[str, object]], tmp_path: Path
) -> None:
    swapped = [json.loads(json.dumps(line).replace("Bruno signed", "Dora signed")) for line in told]
    swapped = [json.loads(json.dumps(line).replace("Bruno and", "Dora and")) for line in swapped]
    _, mistakes = compared(archive, swapped[1:], tmp_path)
    assert any("Dora" in each for each in mistakes)
    assert any("only in the manifest" in each for each in mistakes)
