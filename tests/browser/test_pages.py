"""A lobby's pages in a real browser, on a desk and on a phone, as people without Kontor see them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
from pytest_twisted import ensureDeferred
from twisted.internet.threads import deferToThread

from kontor_games.engine import load
from kontor_games.net.record.verify import verify
from kontor_games.net.wire.lobby_messages import MakeTable
from kontor_games.net.wire.messages import Sit
from kontor_games.net.wire.people_messages import Appear
from tests.lobby.pages.ladder_folder import make_ladder
from tests.lobby.pages.served import FILES, PagesProcess
from tests.worlds.lobby_hall import Node
from tests.worlds.local_matches import finished

from . import axe
from .driver import Browser
from .test_hostile import FOREIGN, LURE, NAMES

pytestmark = pytest.mark.browser
TITLE = "Contor <b>of</b> Lübeck"
LOOK_THROUGH = (
    "const eyes = document.querySelector('[data-replay=eyes]');"
    "eyes.value = arguments[0]; eyes.dispatchEvent(new Event('change'))"
)
SCHEME = "prefers-color-scheme"
WIDE = "return document.documentElement.scrollWidth > window.innerWidth"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PagesProcess]:
    folder = tmp_path_factory.mktemp("pages")
    (folder / "files").mkdir()
    seats = [(name, "random") for name in NAMES[:2]]
    finished(folder / "files" / "hostile.kontor", game=load("osaka"), seats=seats)
    make_ladder(folder / "published", anna=NAMES[2], title=TITLE)
    made = PagesProcess(
        folder / "data",
        ("osaka-2", "osaka-3-unfinished"),
        f'ladder = "{folder / "published"}"',
        top=f'title = "{TITLE}"',
    )
    made.wait_for_matches(3)
    yield made
    made.stop()


@contextlib.contextmanager
def looking(window: Browser, size: str) -> Iterator[Browser]:
    """The window as a desk's or as a phone, in which every script that gets a foot in the door leaves a trace."""
    added = window.devtools("Page.addScriptToEvaluateOnNewDocument", {"source": LURE})
    if size == "phone":
        metrics = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
        window.devtools("Emulation.setDeviceMetricsOverride", metrics)
        window.devtools("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 5})
    yield window
    window.devtools("Emulation.setTouchEmulationEnabled", {"enabled": False})
    window.devtools("Page.removeScriptToEvaluateOnNewDocument", {"identifier": added["identifier"]})


def check(window: Browser, text: str) -> None:
    """Nothing to complain about: not for the console, not for axe, not for who would run a script here."""
    assert window.run(WIDE) is False
    axe.load(window, text)
    for scheme in ("light", "dark"):
        window.devtools("Emulation.setEmulatedMedia", {"features": [{"name": SCHEME, "value": scheme}]})
        assert axe.faults(window) == [], scheme
    assert window.run("return window.hit ?? 0") == 0 and window.run(FOREIGN) == []
    assert window.complaints() == []


def match_of(pages: PagesProcess, name: str) -> str:
    line = verify(FILES / f"{name}.kontor").match
    rows = pages.get("/api/1/matches").json["matches"]
    return next(str(row["id"]) for row in rows if pages.get(f"/api/1/matches/{row['id']}").json["match"] == line)


@pytest.mark.parametrize("size", ["desk", "phone"])
@ensureDeferred
async def test_the_hall_shows_public_tables_and_finished_matches_and_markup_as_text(
    pages: PagesProcess, browser: Browser, size: str
) -> None:
    text = axe.axe_text()
    eve, ben = Node(NAMES[0]), Node("Secret Ben")
    await eve.come(pages.port, pages.key)
    await ben.come(pages.port, pages.key)
    await eve.ask(Appear("everybody"))
    table = (await eve.ask(MakeTable("joban", {}, 3, note=NAMES[1]))).table
    await eve.ask(Sit(table, 0, NAMES[0]))
    hidden = (await ben.ask(MakeTable("yokohama", {}, 3, "unlisted", note="hidden note"))).table
    await ben.ask(Sit(hidden, 0, "Secret Ben"))

    def look() -> None:
        with looking(browser, size) as window:
            window.open(pages.base)
            window.wait_for("[data-section=open] .public-row")
            for part, said in (
                ("open", NAMES[0]),
                ("open", NAMES[1]),
                ("finished", NAMES[0]),
                ("finished", "Bruno 24"),
            ):
                window.wait(
                    "return document.querySelector(arguments[0]).textContent.includes(arguments[1])",
                    f"[data-section={part}]",
                    said,
                )
            assert window.text("h1") == TITLE
            shown = window.run("return document.documentElement.outerHTML")
            assert "Secret Ben" not in shown and "hidden note" not in shown and "Yokohama" not in shown
            assert window.run("return document.cookie + localStorage.length + sessionStorage.length") == "00"
            check(window, text)

    await deferToThread(look)
    await eve.leave()
    await ben.leave()


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_a_shared_link_opens_the_replay_at_its_place_with_the_verdict(
    pages: PagesProcess, browser: Browser, size: str
) -> None:
    text = axe.axe_text()
    id = match_of(pages, "osaka-2")
    with looking(browser, size) as window:
        window.open(f"{pages.base}/match/{id}#40")
        window.wait_for(".verdict.verified")
        assert verify(FILES / "osaka-2.kontor").line in window.text(".verdict summary")
        assert "40 / 253" in window.text(".replay-where") and window.has(".board-osaka svg")
        check(window, text)
        desks = ".replay-desks" if size == "phone" else ".replay .side"  # on a wide screen they stand with the players
        all_open = window.text(desks)
        window.run(LOOK_THROUGH, "0")  # with Anna's eyes Bruno's hand is closed
        window.wait("return document.querySelector(arguments[0]).textContent !== arguments[1]", desks, all_open)
        window.click("[aria-label='To the end']")
        window.wait("return document.querySelector('.replay-where').textContent.includes('253 / 253')")
        window.wait("return location.hash === '#253'")
        assert window.run("return document.querySelector('a[download]').pathname") == f"/files/{id}.kontor"
        assert not window.has("[data-analyse]") and window.has("[data-replay=share]")
        assert window.complaints() == []


def test_names_with_markup_are_text_on_the_page_of_their_match(pages: PagesProcess, browser: Browser) -> None:
    text = axe.axe_text()
    rows = pages.get("/api/1/matches").json["matches"]
    id = next(row["id"] for row in rows if row["seats"][0]["name"] == NAMES[0])
    for size in ("desk", "phone"):
        with looking(browser, size) as window:
            window.open(f"{pages.base}/match/{id}")
            window.wait_for(".verdict.consistent")
            for name in NAMES[:2]:
                assert name in window.text("main") and name in window.run("return document.title")
            check(window, text)


def test_an_address_that_leads_nowhere_says_so(pages: PagesProcess, browser: Browser) -> None:
    browser.open(f"{pages.base}/match/{'0' * 32}")
    browser.wait_for("[role=alert]")
    assert "no such page" in browser.text("main")
    assert pages.get(f"/match/{'0' * 32}").status == 404


def test_a_board_is_the_web_clients_own(pages: PagesProcess, browser: Browser) -> None:
    browser.open(f"{pages.base}/match/{match_of(pages, 'hansa-3')}")
    browser.wait_for(".verdict.verified")
    assert browser.has(".board-hansa svg") and browser.run("return document.querySelectorAll('.turns li').length") > 3


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_the_ladder_and_a_player_are_shown_with_marks_and_markup_as_text(
    pages: PagesProcess, browser: Browser, size: str
) -> None:
    text = axe.axe_text()
    with looking(browser, size) as window:
        window.open(f"{pages.base}/ladder")
        window.wait_for(".ladder-table tbody tr")
        rows = window.run("return [...document.querySelectorAll('tbody tr')].map((row) => row.textContent)")
        assert NAMES[2] in rows[0] and "1234" in rows[0] and "vanished: 2" in rows[0] and "provisional" in rows[1]
        assert "kontor ladder check" in window.text("main")
        proofs = (
            "return [...document.querySelectorAll('[data-section=named] a[download]')].map((each) => each.pathname)"
        )
        assert "Bruno" in window.text("[data-section=named]") and len(window.run(proofs)) == 2
        assert pages.get(window.run(proofs)[0]).body == (FILES / "hansa-3.kontor").read_bytes()
        check(window, text)
        window.click("tbody tr a")
        window.wait_for("[data-section=matches] a")
        assert window.text("h1") == NAMES[2] and "<b>again</b>" in window.text("main")
        check(window, text)
        window.click("[data-section=matches] a")
        window.wait_for(".verdict.verified")
        assert window.has(".board-hansa svg")
