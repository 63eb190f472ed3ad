"""What an archive comes to: copies together, contradictions both ways, people by key, reports that stand alone."""

from __future__ import annotations

import csv
import json
import os
import re
import sqlite3
from pathlib import Path

import pytest

from kontor_games.engine.errors import StoreError
from kontor_games.net.archive.archive import Archive
from kontor_games.net.archive.judge_identity import differences, identity_mark, judge_identity
from kontor_games.net.archive.reports.html_parts import isolated, said
from kontor_games.net.archive.reports.report_files import COLUMNS
from kontor_games.net.archive.run_book import RunBook
from kontor_games.net.archive.verdict_cache import VerdictCache
from kontor_games.net.record.transcript import TermsRecord
from tests.net.record.test_compare import gone_back
from tests.net.record.test_verdicts import short_match
from tests.worlds.local_matches import new_table, play_on
from tests.worlds.match_files import last_frame, packed, played, transcript

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match by two of its peers and cut short, as two made it up later, a forgery, and a file with a hostile name."""
    folder = tmp_path_factory.mktemp("reports")
    true = played(short_match(3), "lost")
    frames = [k for k, item in enumerate(true.nodes[0].session.ledger.items) if item.kind == "frame"]
    whole = transcript(true)
    made = {
        "a/whole": whole,
        "a/copy": whole,
        "b/cut": whole[: last_frame(whole)],
        "c/false": transcript(gone_back(true, gone=0, count=frames[4], seed="again"), 1),
        "d/forged": [*whole[:-2], whole[-1]],
    }
    for name, records in made.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / f"{name}.kontor").write_bytes(packed(records))
    (folder / f"=1+1 {EVIL}.kontor").write_bytes(packed([TermsRecord(b"\x80")]))
    return folder


@pytest.fixture(scope="module")
def told(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[dict[str, object]], Path]:
    """All reports, as they were told and as files."""
    out = tmp_path_factory.mktemp("out")
    archive = Archive([str(folder)])
    try:
        found = list(archive.verify(1))
        for kind in ("html", "csv", "jsonl", "parquet"):
            assert archive.why_not_report(str(out / f"r.{kind}")) is None
            archive.write_report(str(out / f"r.{kind}"))
        summary = archive.summary()
    finally:
        archive.close()
    assert summary["clashes"] == 1 and summary["matches"] == 1 and summary["people"] == 3
    assert summary["verdicts"] == {"verified": 2, "contradicting": 2, "refuted": 2}
    return found, out


def lines(out: Path) -> dict[str, dict[str, object]]:
    found = [json.loads(line) for line in (out / "r.jsonl").read_text().splitlines()]
    return {Path(str(each["path"])).stem: each for each in found}


def test_contradictions_are_told_of_both_files(told: tuple[list[dict[str, object]], Path]) -> None:
    reports = lines(told[1])
    assert [Path(str(each["path"])).stem for each in told[0]][1:] == ["copy", "whole", "cut", "false", "forged"]
    text = "Bruno signed two different final signatures; Clara signed two different final signatures"
    (other,) = reports["copy"]["contradicts"]  # type: ignore[misc]
    assert other["path"].endswith("false.kontor") and other["text"] == text
    assert [each["path"][-11:] for each in reports["false"]["contradicts"]] == ["copy.kontor"]  # type: ignore[attr-defined]
    assert str(reports["whole"]["copy_of"]).endswith("copy.kontor")
    assert str(reports["cut"]["copy_of"]).endswith("copy.kontor")
    assert reports["forged"]["code"] == 1 and not reports["forged"]["contradicts"]


def test_the_page_stands_alone_and_lets_no_name_run(told: tuple[list[dict[str, object]], Path]) -> None:
    page = (told[1] / "r.html").read_text()
    assert not re.search(r"""(?:src|href)\s*=\s*["']""", page) and "@import" not in page and "url(" not in page
    assert EVIL not in page and "&lt;img src=x" in page
    assert page.count("<script>") == 1 and "script-src 'sha256-" in page and "unsafe-inline'; script" in page
    assert "the record does not follow from the chain" in page or "the end names another" in page
    assert "Bruno signed two different final signatures" in page
    assert said("a\x1b[31m\u202eb") == "a\ufffd[31m\ufffdb" and isolated("<b>") == "<bdi>&lt;b&gt;</bdi>"


def test_the_page_names_the_folder_of_all_files_once(folder: Path, told: tuple[list[dict[str, object]], Path]) -> None:
    page = (told[1] / "r.html").read_text()
    assert f"<code><bdi>{folder}/</bdi></code>" in page and page.count(str(folder)) == 1
    assert "<td><bdi>a/copy.kontor</bdi></td><td><bdi>c/false.kontor</bdi></td>" in page


@pytest.mark.parametrize(
    ("names", "shared"),
    [
        (["/a/b/c.kontor", "/a/b/d/e.kontor", "/a/bb.kontor"], "/a/"),
        (["ar/1.kontor", "ar/10.kontor"], "ar/"),
        (["ar/1.kontor", "art/1.kontor"], ""),
        (["1.kontor", "ar/1.kontor"], ""),
        ([], ""),
    ],
)
def test_the_folder_of_all_files_is_what_every_name_begins_with(names: list[str], shared: str) -> None:
    book = RunBook()
    book.list_files(names)
    assert book.folder() == shared
    book.close()


@pytest.mark.parametrize("name", ["Ada", "Player {}"])
def test_names_with_several_keys_are_found_in_one_pass_over_all_people(name: str) -> None:
    """Counted in steps of SQLite: with as many again as there are people, a large archive never came to its summary."""
    book = RunBook()
    people = 2_000
    for number in range(people):
        book.met({"key": f"{number:064}", "names": [name.format(number)], "fingerprint": "A"})
    book.met({"key": "b", "names": [name.format(7)], "fingerprint": "B"})
    hundreds: list[int] = []
    book.store.set_progress_handler(lambda: hundreds.append(100), 100)
    found = list(book.people())
    book.close()
    assert sum(hundreds) < 100 * people, sum(hundreds)
    assert sum(is_shared for *_, is_shared in found) == (people + 1 if name == "Ada" else 2)


def test_tables_have_the_columns_that_are_documented(told: tuple[list[dict[str, object]], Path]) -> None:
    import pyarrow.parquet as parquet

    with (told[1] / "r.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(COLUMNS) and len(rows) == 6
    table = parquet.read_table(told[1] / "r.parquet").to_pylist()
    assert [each["path"] for each in table] == [row["path"].removeprefix("'") for row in rows]
    assert {each["verdict"] for each in table} == {"verified", "refuted"}
    documented = (Path(__file__).parents[3] / "docs" / "organising.md").read_text()
    assert all(f"`{name}`" in documented for name in COLUMNS)


def test_no_cell_is_a_formula(tmp_path: Path) -> None:
    book = RunBook()
    (tmp_path / "x").mkdir()
    path = "=cmd.kontor"
    book.list_files([path])
    from kontor_games.net.archive.reports.report_files import write_report
    from kontor_games.net.record.verify import unreadable

    book.put(0, b"", unreadable(path, "@SUM(1)").as_dict())
    write_report(tmp_path / "r.csv", book, {})
    book.close()
    assert "'=cmd.kontor" in (tmp_path / "r.csv").read_text()


def test_where_a_report_cannot_be_written_is_said_before_the_work(folder: Path, tmp_path: Path) -> None:
    assert "is called .html" in str(Archive.why_not_report("report.txt"))
    assert "no folder" in str(Archive.why_not_report(str(tmp_path / "none" / "r.csv")))


def test_a_folder_that_cannot_be_looked_into_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("open", "shut"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.kontor").write_bytes(b"x")
    scandir = os.scandir

    def closed(path: str) -> object:
        if str(path).endswith("shut"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", closed)
    archive = Archive([str(tmp_path)])
    try:
        found = {Path(each["path"]).name: each["line"] for each in archive.verify(1)}
    finally:
        archive.close()
    assert found.keys() == {"a.kontor", "shut"} and "cannot be looked into" in found["shut"]


def test_two_courses_of_an_unsigned_match_accuse_nobody(tmp_path: Path) -> None:
    from kontor_games import engine
    from kontor_games.engine.core.stream import Stream

    game, seats = engine.load("joban"), (("Ada", "person"), ("Bob", "person"))
    for name in ("a", "b"):
        table = new_table(tmp_path / f"{name}.kontor", "7", game, seats)
        play_on(table, 30, Stream(name))
        table.close()
    archive = Archive([str(tmp_path)])
    try:
        one, two = archive.verify(1)
    finally:
        archive.close()
    assert one["code"] == two["code"] == 0 and not two["contradicts"] and not two["copy_of"]
    assert any("another course of this unsigned match" in note for note in two["notes"])


def test_the_cache_answers_for_its_own_judge_and_content_alone(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "c.sqlite"
    cache = VerdictCache(path, b"judge")
    cache.put(b"content", "judge", b"answer")
    assert cache.get(b"content", "judge") == b"answer" and not cache.hits  # a copy of a file of this very run
    cache.close()
    again = VerdictCache(path, b"judge")
    assert again.get(b"content", "judge") == b"answer" and again.hits == 1
    assert again.get(b"content", "describe") is None and again.get(b"other", "judge") is None
    again.close()
    other = VerdictCache(path, b"other judge")
    assert other.get(b"content", "judge") is None
    other.close()
    store = sqlite3.connect(path)
    store.execute("update answers set answer = ?", (b"forged",))
    store.commit()
    store.close()
    damaged = VerdictCache(path, b"judge")
    assert damaged.get(b"content", "judge") is None
    damaged.close()


def test_notes_that_cannot_be_kept_stop_the_run_with_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.kontor").write_bytes(b"x")

    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    archive = Archive([str(tmp_path)])
    monkeypatch.setattr(RunBook, "put", full)
    try:
        with pytest.raises(StoreError, match=r"notes of this run cannot be kept \(database or disk is full\)"):
            list(archive.verify(1))
    finally:
        archive.close()


def test_a_cache_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "file" / "c.sqlite"):
        (tmp_path / "file").write_text("x")
        cache = VerdictCache(path, b"judge")
        cache.put(b"content", "judge", b"answer")
        assert cache.get(b"content", "judge") is None
        cache.close()


def test_the_identity_of_a_judge_names_what_differs() -> None:
    ours = dict(judge_identity())
    assert {"rules", "data", "engine", "net", "python", "msgspec"} <= ours.keys()
    theirs = {**ours, "engine": "0" * 32}
    assert identity_mark(ours) != identity_mark(theirs)
    (words,) = differences(ours, theirs)
    assert words.startswith("engine (0000") and "here" in words and not differences(ours, dict(ours))
