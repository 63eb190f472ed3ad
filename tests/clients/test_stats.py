"""`kontor stats` and `kontor export`: what they count, what they leave out, and the queries of the documents."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from kontor_games import engine
from kontor_games.net.archive.match_rows import describe
from kontor_games.net.archive.reports.exporting import TABLES, columns
from kontor_games.net.record.replay import Replay
from tests.net.record.test_compare import gone_back
from tests.net.record.test_verdicts import NAMES, short_match
from tests.worlds.local_matches import finished
from tests.worlds.match_files import last_frame, named_terms, packed, played, transcript

from .command import ROOT, kontor

LOCAL = 3


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Local matches, a sealed one with a copy and its beginning, one that is told in two ways, and one doctored."""
    home = tmp_path_factory.mktemp("stats")
    folder = home / "archive"
    folder.mkdir()
    for number in range(LOCAL):
        finished(
            folder / f"local{number}.kontor", str(number), engine.load("joban"), (("Ada", "person"), ("Bob", "person"))
        )
    true = played(short_match(3), "lost")
    whole = transcript(true)
    frames = [k for k, item in enumerate(true.nodes[0].session.ledger.items) if item.kind == "frame"]
    other = transcript(played(named_terms("hansa", NAMES[:2], "other", max_rounds=2)))
    made = {
        "two-a": whole,
        "two-b": transcript(gone_back(true, gone=0, count=frames[4], seed="again"), 1),
        "a-beginning": other[: last_frame(other)],
        "whole": other,
        "x-copy": other,
        "doctored": other[:-3],
    }
    made["doctored"] = [*made["doctored"][:4], *made["doctored"][5:]]
    for name, records in made.items():
        (folder / f"{name}.kontor").write_bytes(packed(records))
    return home


def test_a_match_counts_once_and_only_if_it_is_verified(archive: Path) -> None:
    run = kontor(archive, "stats", "archive", "--json", "--html", "stats.html")
    assert run.returncode == 0 and "left out: 2 contradicting, 1 refuted" in run.stderr
    stats = json.loads(run.stdout)
    assert {name: game["matches"] for name, game in stats["games"].items()} == {"hansa": 1, "joban": LOCAL}
    assert stats["left_out"] == 1
    hansa = stats["games"]["hansa"]
    assert hansa["finished"] == 1 and hansa["endings"] == {"rounds": 1} and hansa["players"] == {"2": 1}
    result = Replay(archive / "archive" / "whole.kontor").result()
    assert result is not None and sum(each["won"] for each in hansa["seats"]) == pytest.approx(1, abs=0.02)
    assert hansa["scores"]["values"] == {
        str(score): result["scores"].count(score) for score in sorted(set(result["scores"]))
    }
    keys = {each["name"]: each["key"] for each in stats["people"]}
    assert keys["Ada"] == "" and len(keys["Anna"]) == 64 and "Clara" not in keys
    page = (archive / "stats.html").read_text()
    assert page.count("<svg") == 6 and "Hansa Teutonica" in page and not re.search(r'(?:src|href)="', page)
    shown = kontor(archive, "stats", "archive").stdout
    assert "joban" in shown and "1 of 2" in shown and "Anna" in shown and "told" not in shown
    (share,) = re.findall(r"all choices +[\d,]+ +(\d+%)", shown)
    assert f"Winners made {share} of them all" in page


def test_exported_tables_have_the_documented_columns_and_the_queries_run(archive: Path) -> None:
    import duckdb
    import pyarrow.parquet as parquet

    run = kontor(archive, "export", "archive", "--parquet", "tables")
    assert run.returncode == 0 and f"{LOCAL + 1} matches written" in run.stderr
    text = (ROOT / "docs" / "organising.md").read_text()
    for name, row in TABLES.items():
        table = parquet.read_table(archive / "tables" / f"{name}.parquet")
        line = next(line for line in text.splitlines() if line.startswith(f"| `{name}.parquet`"))
        assert table.column_names == [column for column, _ in columns(row)]
        documented = re.findall(
            r"`(\w+)`", line.split("|")[2].replace("`human`, `person`", "").replace("`forfeit`", "")
        )
        assert documented == table.column_names
    queries = re.findall(r"```sql\n(.*?)```", text, re.S)
    assert len(queries) == 3
    found = [duckdb.sql(each.replace("'tables/", f"'{archive}/tables/")).fetchall() for each in queries]
    assert {row[0] for row in found[0]} == {"hansa", "joban"} and sum(row[3] for row in found[0]) == 2 * (LOCAL + 1)
    assert sum(row[3] * row[4] for row in found[0]) == pytest.approx(LOCAL + 1), "one victory in every match"
    assert {row[1] for row in found[1]} == {"Anna", "Bruno"} and all(row[2] == 1 for row in found[1])
    assert all(row[2] > 0 and 0 <= row[3] <= 1 for row in found[2]) and len(found[2]) > 5
    assert sorted(path.name for path in (archive / "tables").iterdir()) == sorted(f"{name}.parquet" for name in TABLES)


def test_what_would_fail_after_the_work_is_said_before_it(archive: Path) -> None:
    for words, said in {
        ("stats", "archive", "--html", "none/s.html"): "there is no folder",
        ("export", "archive", "--parquet", "stats.txt/tables"): "stats.txt is not a folder",
    }.items():
        (archive / "stats.txt").write_text("x")
        run = kontor(archive, *words)
        assert run.returncode == 2 and said in run.stderr and "left out" not in run.stderr, run.stderr


def test_an_archive_without_a_verified_match_is_not_shown_as_an_empty_one(archive: Path) -> None:
    for words in (("stats", "nowhere"), ("export", "nowhere", "--parquet", "none")):
        run = kontor(archive, *words)
        assert run.returncode == 2 and not run.stdout, run.stdout
        assert "left out: 1 unreadable" in run.stderr and "no match there is verified" in run.stderr
    assert not (archive / "none").exists()


def test_rows_say_what_the_replay_says(archive: Path) -> None:
    path = archive / "archive" / "whole.kontor"
    told, replay = describe(path.read_bytes()), Replay(path)
    assert [row.text for row in told.plies] == [line["text"] for line in replay.log()]
    assert [row.seat for row in told.plies] == [line["seat"] for line in replay.log()]
    assert told.match.plies == len(told.plies) and told.match.decisions == sum(
        row.seat is not None for row in told.plies
    )
    assert [row.score for row in told.seats] == list(replay.result()["scores"])  # type: ignore[index]


def test_technologies_are_named_though_the_notation_tells_only_their_place() -> None:
    from types import SimpleNamespace
    from typing import Any

    from kontor_games.engine.games.yokohama.events import TechnologyGained
    from kontor_games.net.archive import match_rows
    from kontor_games.net.ledger.facts import Ply

    game: Any = engine.load("yokohama")
    nothing: Any = None
    ply = Ply(0, nothing, nothing, (TechnologyGained(1, 2),), None, nothing)
    rerun: Any = SimpleNamespace(game=game)
    assert match_rows._gained(rerun, [ply]) == [(1, "technology telegraph")]


def test_forfeits_and_stand_ins_are_told() -> None:
    files = ROOT / "tests" / "frozen" / "files"
    forfeit = describe((files / "hansa-2-forfeit.kontor").read_bytes())
    assert (forfeit.match.ending, forfeit.match.finished) == ("forfeit", False)
    assert all(row.won is None for row in forfeit.seats) and sum(row.left for row in forfeit.seats) == 1
    late = describe((files / "hansa-5-two-voted-out.kontor").read_bytes())
    assert late.match.stand_in_plies > 0 and sum(row.left for row in late.seats) == 2
    assert sum(row.decisions for row in late.seats) == late.match.decisions
