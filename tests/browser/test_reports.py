"""Pages that an organiser makes: the report of an archive, its statistics, the page of an event, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kontor_games.engine import load
from kontor_games.net.archive.archive import Archive
from kontor_games.net.archive.reports.report_files import write_page
from kontor_games.net.tournament.event_page import event_page
from kontor_games.net.tournament.event_records import EventEnded, PlayerAdded, PlayerDropped
from kontor_games.net.tournament.standings import standings
from kontor_games.net.tournament.tournament import event_data
from tests.net.tournament.events import ChainBook, key_of
from tests.worlds.local_matches import finished

from . import axe
from .driver import Browser
from .test_hostile import LURE, NAMES
from .test_pages import SCHEME, WIDE

pytestmark = pytest.mark.browser
FILES = Path(__file__).parents[1] / "frozen" / "files"
SEALED = ("hansa-3", "hansa-5-two-voted-out", "joban-4-tasks", "osaka-2", "evidence-bye")
FOREIGN = (
    "return [...document.querySelectorAll('img, iframe, object, embed, base, link, [onerror], [onload], [onclick], "
    "script:not(body > script:last-child)')].map((each) => each.outerHTML.slice(0, 200))"
)
COLUMN = (
    "return [...document.querySelectorAll('section:last-of-type tbody tr:not([hidden])')]"
    ".map((row) => row.cells[arguments[0]].textContent)"
)
SIZES = {"desk": (1280, 900, 1, False), "phone": (390, 844, 2, True)}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `report.html`, `stats.html` and `event.html`."""
    out = tmp_path_factory.mktemp("organiser")
    folder = out / "archive"
    folder.mkdir()
    for name in SEALED:
        (folder / f"{name}.kontor").write_bytes((FILES / f"{name}.kontor").read_bytes())
    finished(folder / f"{NAMES[3]}.kontor", game=load("joban"), seats=[(name, "person") for name in NAMES[:2]])
    local = (folder / f"{NAMES[3]}.kontor").read_bytes()
    (folder / "copy.kontor").write_bytes(local)
    (folder / "torn.kontor").write_bytes(local[:-9])
    archive = Archive([str(folder)])
    try:
        assert len(list(archive.verify(1))) == len(SEALED) + 3
        archive.write_report(str(out / "report.html"))
        archive.write_stats(str(out / "stats.html"), archive.stats())
    finally:
        archive.close()
    write_page(out / "event.html", event_page(event_data(event().state)))
    return out


def event() -> ChainBook:
    """Two rounds and a third under way, of people with names of all lengths, some of whom come late or leave."""
    book = ChainBook(rounds=3)
    book.add(*range(11))
    for number, name in enumerate((NAMES[0], "W" * 24, "Ōsaka no machi"), 30):
        book.take(PlayerAdded(key_of(number), name))
    for _ in range(2):
        book.draw()
        book.decide(lambda key: int(key[:8], 16))
    book.take(PlayerDropped(key_of(3)))
    book.add(20)
    book.draw()
    return book


@contextmanager
def looking(browser: Browser, page: Path, size: str) -> Iterator[Browser]:
    """The page in a window of this size, in which every script that gets a foot in the door leaves a trace."""
    added = browser.devtools("Page.addScriptToEvaluateOnNewDocument", {"source": LURE})
    width, height, scale, is_phone = SIZES[size]
    metrics = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": is_phone}
    browser.devtools("Emulation.setDeviceMetricsOverride", metrics)
    browser.open(page.as_uri())
    browser.wait_for("h1")
    try:
        yield browser
    finally:
        browser.devtools("Emulation.setEmulatedMedia", {"features": []})
        browser.devtools("Emulation.clearDeviceMetricsOverride", {})
        browser.devtools("Page.removeScriptToEvaluateOnNewDocument", {"identifier": added["identifier"]})


def check(window: Browser, text: str) -> None:
    """Whole, legible for everybody in both schemes, and nothing but its own script ran."""
    assert window.run(WIDE) is False
    axe.load(window, text)
    for scheme in ("light", "dark"):
        window.devtools("Emulation.setEmulatedMedia", {"features": [{"name": SCHEME, "value": scheme}]})
        found = [fault for fault in axe.faults(window) if not fault.startswith("meta-refresh")]  # a wall is never asked
        assert found == [], scheme
    assert window.run("return window.hit ?? 0") == 0 and window.run(FOREIGN) == []
    assert window.complaints() == []


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["report", "stats", "event"])
def test_pages_are_whole_and_legible_and_names_stay_text(browser: Browser, written: Path, name: str, size: str) -> None:
    text = axe.axe_text()
    with looking(browser, written / f"{name}.html", size) as window:
        assert window.run("return document.body.textContent.includes(arguments[0])", NAMES[0])
        check(window, text)


def test_the_tables_of_a_report_are_sorted_and_searched(browser: Browser, written: Path) -> None:
    """The page's own script is the only one that its policy lets run: a wrong hash would stop it, too."""
    with looking(browser, written / "report.html", "desk") as window:
        files = window.run(COLUMN, 0)
        assert len(files) == len(SEALED) + 3 and files == sorted(files)
        heads = "section:last-of-type th:nth-child({}) button"
        window.click(heads.format(6))
        plies = [int(each.replace(",", "")) for each in window.run(COLUMN, 5)]
        assert plies == sorted(plies) and len(set(plies)) > 3
        window.click(heads.format(6))
        assert [int(each.replace(",", "")) for each in window.run(COLUMN, 5)] == plies[::-1]
        window.click("section:last-of-type input")
        window.press(*"OSAKA-2")
        assert window.run(COLUMN, 0) == ["osaka-2.kontor"]
        assert window.complaints() == []


def test_an_event_shows_a_phone_what_it_looks_for_first(browser: Browser, tmp_path: Path) -> None:
    book = event()
    for number, done in enumerate((False, True)):
        page = tmp_path / f"{number}.html"
        if done:
            book.decide(lambda key: int(key[:8], 16))
            book.take(EventEnded(standings(book.state, is_closed=True)))
        write_page(page, event_page(event_data(book.state)))
        with looking(browser, page, "phone") as window:
            assert window.text("h2") == ("Final standings" if done else "Round 3")
            assert window.has("meta[http-equiv=refresh]") is not done
