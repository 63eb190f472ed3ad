"""Real files handed in and checked: forged, foreign, old, contradicting, incomplete; and folders that were changed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from kontor_games.engine.errors import ConfigError
from kontor_games.net.tournament.event_chain import read_chain
from kontor_games.net.tournament.event_check import check
from kontor_games.net.tournament.event_records import BrokenChain
from kontor_games.net.tournament.tournament import Tournament, new_event
from kontor_games.net.wire.messages import Ladder
from tests.net.record.test_compare import gone_back
from tests.worlds.event_matches import PEOPLE, players_of, table_file, table_terms
from tests.worlds.match_files import packed, played, transcript, unpacked
from tests.worlds.world import identity

from .conftest import WISH, invitations, opened
from .events import ORGANISER


@pytest.fixture
def event(begun: Path, tmp_path: Path) -> tuple[Path, Tournament]:
    folder = tmp_path / "event"
    shutil.copytree(begun, folder)
    return folder, opened(folder)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files that were judged once: most of these tests are about what comes after."""
    return tmp_path_factory.mktemp("cache") / "verified.sqlite"


def handed(event: Tournament, *paths: Path, cache: Path | None = None) -> list[tuple[str, str]]:
    known = None if cache is None else str(cache)
    return [(each["fault"], each["text"]) for each in event.hand_in([str(path) for path in paths], known)]


def made(tmp_path: Path, name: str, data: bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


def test_a_whole_evening_holds_and_one_changed_byte_does_not(
    event: tuple[Path, Tournament], files: list[Path], tmp_path: Path, cache: Path
) -> None:
    folder, book = event
    with pytest.raises(ConfigError, match="round 1 has no result of table 1, 2; hand in the files, or say --anyway"):
        book.draw(anyway=False)
    assert handed(book, *files, cache=cache) == [("", ""), ("", "")]
    assert handed(book, files[0], cache=cache) == [("not needed", "this file was handed in before")]
    older = tmp_path / "older.txt"
    shutil.copy(folder / "event.txt", older)
    book.drop("Eve")
    book.draw(anyway=False)
    second = invitations(book)
    assert [len(each["seats"]) for each in second] == [2, 2]  # type: ignore[arg-type]
    late = made(tmp_path, "second.kontor", table_file(table_terms(second[0])))
    assert handed(book, late, files[0], cache=cache) == [
        ("", ""),
        ("not needed", "round 1 is closed: round 2 was drawn"),
    ]
    book.end(anyway=True)
    shown = book.shown()
    assert shown["is_over"] and shown["rounds"][1]["tables"][1]["finish"] is None
    assert shown["standings"][0]["rank"] == 1 and len(shown["standings"]) == 5
    found = check(folder, cache, older=older)
    assert (found.code, found.faults, found.not_judged, found.notes) == (0, [], [], [])

    match = sorted((folder / "matches").iterdir())[1]
    data = match.read_bytes()
    match.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    (fault,) = check(folder, cache).faults
    assert "the bytes of matches/" in fault and "are not those that were handed in" in fault
    match.unlink()
    (fault,) = check(folder, cache).faults
    assert "is missing" in fault
    match.write_bytes(data)
    (folder / "matches" / "more.kontor").write_bytes(data)
    (folder / "notes.txt").write_text("hello")
    assert check(folder, cache).faults == [
        "matches/more.kontor does not belong to the event; no record names it",
        "notes.txt does not belong to the event",
    ]


def test_whatever_byte_of_the_chain_is_changed_it_is_named(event: tuple[Path, Tournament]) -> None:
    data = (event[0] / "event.txt").read_bytes()
    read_chain(data)
    for place in range(0, len(data), 31):
        with pytest.raises(BrokenChain, match=r"event|record"):
            read_chain(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
    lines = data.splitlines(keepends=True)
    for wrong in (lines[:3] + lines[4:], [*lines[:2], lines[3], lines[2], *lines[4:]], [*lines, lines[-1]], lines[1:]):
        with pytest.raises(BrokenChain):
            read_chain(b"".join(wrong))


def test_files_of_other_matches_are_refused_by_name(event: tuple[Path, Tournament], tmp_path: Path) -> None:
    _, book = event
    true: dict[str, Any] = invitations(book)[1]
    seats, friend = true["seats"], {"key": PEOPLE[20].key.hex(), "name": "Friend"}
    wrong: list[tuple[str, bytes]] = [
        ("not of an event", table_terms(true, rated=None)),
        ("another event", table_terms(true, rated=Ladder("event.another", ORGANISER.key))),
        ("another event", table_terms(true, rated=Ladder(true["mark"], identity(7).key))),
        ("another event", table_terms(true, rated=Ladder(true["mark"], None))),
        ("other options", table_terms({**true, "options": {**true["options"], "max_rounds": 13}})),
        ("other terms", table_terms(true, spectators=False)),
        ("other terms", table_terms(true, recovery="none")),
        ("other players", table_terms({**true, "seats": [seats[0], friend]})),
        ("other seats", table_terms({**true, "seats": seats[::-1]})),
    ]
    paths = []
    for number, (_, raw) in enumerate(wrong):
        early = table_file(raw, until=lambda world: world.nodes[0].session.ledger.ply > 1)
        paths.append(made(tmp_path, f"{number}.kontor", early))
    assert [fault for fault, _ in handed(book, *paths)] == [fault for fault, _ in wrong]
    assert book.shown()["missing"] == [1, 2]


def test_a_forged_result_is_refused_and_named(
    event: tuple[Path, Tournament], files: list[Path], tmp_path: Path, cache: Path
) -> None:
    folder, book = event
    records = unpacked(files[0].read_bytes())
    shorter = packed([*records[:-3], *records[-2:]])
    forged, nothing = made(tmp_path, "forged.kontor", shorter), made(tmp_path, "nothing.kontor", b"nothing")
    (refuted, unreadable) = handed(book, forged, nothing)
    assert refuted[0] == "refuted" and refuted[1].startswith("refuted") and unreadable[0] == "unreadable"
    assert list((folder / "matches").iterdir()) == [] and book.shown()["missing"] == [1, 2]


def test_an_early_copy_gives_way_to_the_whole_match_and_not_the_other_way_round(
    event: tuple[Path, Tournament], files: list[Path], tmp_path: Path, cache: Path
) -> None:
    folder, book = event
    raw = table_terms(invitations(book)[1])
    early = table_file(raw, until=lambda world: world.nodes[0].session.ledger.ply > 4)
    unsigned = packed(unpacked(files[1].read_bytes())[:-1])
    paths = [made(tmp_path, "early.kontor", early), made(tmp_path, "unsigned.kontor", unsigned), files[1]]
    later = table_file(raw, until=lambda world: world.nodes[0].session.ledger.ply > 9)
    other = table_file(table_terms(invitations(book)[1], tag="x"))
    paths += [made(tmp_path, "later.kontor", later), made(tmp_path, "other.kontor", other)]
    assert handed(book, *paths, cache=cache) == [
        ("", ""),
        ("", ""),
        ("", ""),
        ("not needed", "this match was handed in before, by a file that says as much or more"),
        ("not needed", "another match of this table was handed in before, and the first counts"),
    ]
    assert book.shown()["rounds"][0]["tables"][1]["finish"] == "signed"
    assert check(folder, cache).code == 0


def test_two_files_that_contradict_each_other_are_named_whichever_comes_first(
    event: tuple[Path, Tournament], tmp_path: Path, cache: Path
) -> None:
    """Two of three play their match again without the third; both files verify, and both are of the right table."""
    folder, book = event
    raw = table_terms(invitations(book)[0])
    with players_of(raw):
        true = played(raw, "true")
        frames = [place for place, item in enumerate(true.nodes[0].session.ledger.items) if item.kind == "frame"]
        again = transcript(gone_back(true, gone=0, count=frames[4], seed="again"), 1)
        whole = made(tmp_path, "true.kontor", packed(transcript(true)))
    rewritten = made(tmp_path, "again.kontor", packed(again))
    early = made(tmp_path, "early.kontor", packed(again[: len(again) // 2]))

    for name in ("other", "third"):
        shutil.copytree(folder, tmp_path / name)
    for files, place in (((whole, rewritten), folder), ((rewritten, whole), tmp_path / "other")):
        first, second = handed(opened(place), *files, cache=cache)
        assert first == ("", "")
        assert second[0] == "contradiction"
        assert "it contradicts a file handed in before: " in second[1]
        assert len(list((place / "matches").iterdir())) == 1
        assert check(place, cache).code == 0

    first, second = handed(opened(tmp_path / "third"), early, whole, cache=cache)
    assert first == ("", "") and second[0] == "" and "it contradicts a file handed in before: " in second[1]
    found = check(tmp_path / "third", cache)
    assert found.code == 0
    (note,) = found.notes
    assert note.startswith("round 1, table 1: the file contradicts one handed in before it: ")


def test_an_organiser_who_draws_again_is_caught_by_the_marks_and_by_an_older_copy(
    event: tuple[Path, Tournament], files: list[Path], tmp_path: Path, cache: Path
) -> None:
    folder, book = event
    assert handed(book, *files, cache=cache) == [("", ""), ("", "")]
    redrawn = tmp_path / "redrawn"
    new_event(redrawn, ORGANISER, WISH)
    second = opened(redrawn)
    for number, name in enumerate(("Bob", "Ada", "Cleo", "Dan", "Eve")):  # the same five, added in another order
        second.add(PEOPLE[(1, 0, 2, 3, 4)[number]].key.hex(), name)
    second.draw(anyway=False)
    assert [fault for fault, _ in handed(second, *files, cache=cache)] == ["another event", "another event"]
    (fault,) = check(redrawn, cache, older=folder).faults
    assert "record 1 differs, and the organiser's key has signed both" in fault
    longer = tmp_path / "longer"
    shutil.copytree(folder, longer)
    opened(longer).drop("Eve")
    (fault,) = check(folder, cache, older=longer).faults
    assert "1 records that the organiser had signed are missing at the end" in fault


def test_only_the_organiser_goes_on_and_names_are_kept_apart(event: tuple[Path, Tournament]) -> None:
    folder, book = event
    with pytest.raises(ConfigError, match="not the organiser's key"):
        Tournament(folder, lambda: PEOPLE[0]).add(PEOPLE[9].key.hex(), "Zoe")
    with pytest.raises(ConfigError, match="takes part already"):
        book.add(PEOPLE[0].key.hex(), "Zoe")
    with pytest.raises(ConfigError, match="is called Ada already"):
        book.add(PEOPLE[9].key.hex(), "Ada")
    with pytest.raises(ConfigError, match="is not a key"):
        book.add("12345", "Zoe")
    with pytest.raises(ConfigError, match="the name of nobody"):
        book.drop("Zoe")
    with pytest.raises(ConfigError, match="inside the event's folder"):
        book.write_page(folder / "page.html")


def test_the_page_and_the_table_escape_what_people_are_called(tmp_path: Path) -> None:
    folder = tmp_path / "event"
    new_event(folder, ORGANISER, WISH)
    book = opened(folder)
    for number, name in enumerate(("=1+1", "<b>Bob</b>", "Cleo")):
        book.add(PEOPLE[number].key.hex(), name)
    book.write_page(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;Bob" in page and "Standings" not in page  # nobody has scored anything
    book.draw(anyway=False)
    book.write_page(tmp_path / "page.html")
    book.write_csv(tmp_path / "table.csv")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<b>Bob" not in page and "&lt;b&gt;Bob" in page and "<script" not in page and "Standings" in page
    assert 'http-equiv="refresh"' in page
    assert "'=1+1" in (tmp_path / "table.csv").read_text(encoding="utf-8")
