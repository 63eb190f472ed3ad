"""The page of a table and the way to it: people read what they agree to, and redrawing takes nothing from them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.net.api.kit import ENTRY, NodeProcess

from .driver import Browser
from .play import ask, new_match, sign_in
from .together import PATIENCE, sit, write

pytestmark = pytest.mark.browser

FOCUS = "return document.activeElement.name || document.activeElement.textContent"
CHOSEN = "return document.querySelector('.recovery input:checked').value"
LOOK_ALIKE = "\u0410nn"  # with a Cyrillic letter
OLDER = """
import sys
from kontor_games.net.links import transport
transport.VERSIONS = (1,)
from kontor_games.clients.entry import main
sys.argv[0] = "kontor"
sys.exit(main())
"""


@contextmanager
def beside(folder: Path, name: str, *program: str) -> Iterator[NodeProcess]:
    """Another node, whose owner has this name."""
    other = NodeProcess(folder / "other", program=program or ENTRY).start()
    try:
        other.link().put("settings", {"name": name})
        yield other
    finally:
        other.end()


def hosted(browser: Browser, node: NodeProcess, seats: int = 3) -> str:
    """The window is at a table of its own node; returns the table's id."""
    node.link().put("settings", {"name": "Ann"})
    base = sign_in(browser, node)
    table = str(ask(node, "tables", {"game": "osaka", "seats": seats})["id"])
    browser.open("about:blank")
    browser.open(f"{base}#/table/{table}")
    sit(browser, 0)
    return table


@pytest.fixture
def visited(browser: Browser, node: NodeProcess, tmp_path: Path) -> Iterator[tuple[NodeProcess, str]]:
    """The window is at another node's table with three seats, on the second: that node, and the table's id."""
    with beside(tmp_path, "Hal") as host:
        base = sign_in(browser, node)
        table = str(ask(host, "tables", {"game": "osaka", "seats": 3})["id"])
        ask(host, f"tables/{table}/sit", {"seat": 0})
        ask(node, "join", {"address": ask(host, f"tables/{table}")["addresses"][0]})
        browser.open("about:blank")
        browser.open(f"{base}#/table/{table}")
        sit(browser, 1)
        yield host, table
        ask(node, f"tables/{table}/leave", {})


def test_the_focus_stays_on_a_choice_that_redraws_the_table(node: NodeProcess, browser: Browser) -> None:
    table = hosted(browser, node)
    browser.run("document.querySelector('.recovery input:checked').focus()")
    browser.press("Down")
    until = time.monotonic() + PATIENCE
    while ask(node, f"tables/{table}")["recovery"] != "none":
        assert time.monotonic() < until
        time.sleep(0.05)
    browser.wait("return document.querySelector('.recovery input[value=none]').defaultChecked")
    assert browser.run(CHOSEN) == "none" and browser.run(FOCUS) == "recovery"
    ask(node, f"tables/{table}/leave", {})


def test_the_focus_and_the_choice_outlast_what_others_do(node: NodeProcess, browser: Browser, tmp_path: Path) -> None:
    table = hosted(browser, node)
    browser.run("document.querySelector('.recovery input:checked').focus()")
    browser.press("Down")
    with beside(tmp_path, LOOK_ALIKE) as other:
        ask(other, "join", {"address": ask(node, f"tables/{table}")["addresses"][0]})
        ask(other, f"tables/{table}/sit", {"seat": 1})
        browser.wait_for(".seats .mark", seconds=PATIENCE)
        assert browser.run(CHOSEN) == "none" and browser.run(FOCUS) == "recovery"
        mark = ask(other, "hello")["node"]["fingerprint"][:19]
        assert browser.text(".seats .mark").strip() == f"({mark})"
        browser.run("document.querySelector('[data-ready]').focus()")
        ask(other, f"tables/{table}/stand", {"seat": 1})
        browser.wait("return document.querySelector('.seats .mark') === null", seconds=PATIENCE)
        assert browser.run(FOCUS) == "I am ready"
    ask(node, f"tables/{table}/leave", {})


def test_a_choice_that_was_refused_is_not_shown_as_made(node: NodeProcess, browser: Browser) -> None:
    table = hosted(browser, node)
    browser.run(
        "const ask = window.fetch; window.fetch = (path, more) => String(path).endsWith('/configure')"
        " ? Promise.reject(new Error('refused')) : ask(path, more)"
    )
    browser.click(".recovery input[value=none]")
    browser.wait("return document.querySelector('#toast').textContent !== ''")
    browser.wait(f"{CHOSEN} === 'majority'")
    assert ask(node, f"tables/{table}")["recovery"] == "majority"
    ask(node, f"tables/{table}/leave", {})


def test_whoever_joins_reads_what_a_majority_can_do_above_the_button_that_agrees(
    browser: Browser, visited: tuple[NodeProcess, str]
) -> None:
    for width in (1280, 390):
        browser.resize(width, 900)
        said = browser.text("[data-says=recovery]")
        assert "The others can go on" in said and "any two of the three machines" in said
        assert "The host could choose instead: Nobody can be replaced." in said
        bottom, top = browser.run(
            "return [document.querySelector('[data-says=recovery]').getBoundingClientRect().bottom,"
            " document.querySelector('[data-ready]').getBoundingClientRect().top]"
        )
        assert bottom <= top
        assert not browser.run("return document.documentElement.scrollWidth > innerWidth")
    assert not browser.has(".recovery input"), "only the host chooses"


def test_terms_that_changed_under_the_hand_are_not_agreed_to(
    browser: Browser, node: NodeProcess, visited: tuple[NodeProcess, str]
) -> None:
    host, table = visited
    browser.wait_for("[data-ready=no]:not(:disabled)")
    browser.run(
        "const says = document.querySelector('[data-says=recovery]');"
        "new MutationObserver(() => document.querySelector('[data-ready]').click())"
        ".observe(says, {subtree: true, childList: true, characterData: true})"
    )
    ask(host, f"tables/{table}/configure", {"recovery": "none"})
    browser.wait("return document.querySelector('#toast').textContent.includes('just changed')", seconds=PATIENCE)
    assert "leaves or vanishes ends the match" in browser.text("[data-says=recovery]")
    assert not ask(node, f"tables/{table}")["you_ready"]
    browser.wait(
        "document.querySelector('[data-ready=no]')?.click();return document.querySelector('[data-ready=yes]') !== null",
        seconds=PATIENCE,
    )


def test_the_host_reads_who_has_to_update(node: NodeProcess, browser: Browser, tmp_path: Path) -> None:
    table = hosted(browser, node)
    with beside(tmp_path, "Olde", "-c", OLDER) as older:
        ask(older, "join", {"address": ask(node, f"tables/{table}")["addresses"][0]})
        ask(older, f"tables/{table}/enter", {})
        browser.wait(
            "return document.querySelector('.warn')?.textContent.includes('runs an older Kontor (protocol 1)')",
            seconds=PATIENCE,
        )
        browser.resize(390, 844)
        assert not browser.run("return document.documentElement.scrollWidth > innerWidth")
    ask(node, f"tables/{table}/leave", {})


def test_words_on_the_home_screen_outlast_the_news_even_without_the_focus(node: NodeProcess, browser: Browser) -> None:
    node.link().put("settings", {"name": "Ann"})
    sign_in(browser, node)
    write(browser, ".join input", "half a code")
    browser.run("document.querySelector('[data-open=table]').focus()")
    match = new_match(node, "osaka", ["Ann", "Bo"], seed="news")
    browser.wait("return document.querySelector(`a[href='#/match/${arguments[0]}']`) !== null", match)
    assert browser.run("return document.querySelector('.join input').value") == "half a code"
    assert browser.run("return document.activeElement.dataset.open") == "table"


def test_what_a_table_needs_is_said_while_it_is_opened(node: NodeProcess, browser: Browser) -> None:
    node.link().put("settings", {"name": "Ann"})
    sign_in(browser, node)
    browser.click("[data-open=table]")
    browser.wait_for("dialog.dialog .field select")
    choose = (
        "const field = document.querySelectorAll('dialog .field select')[arguments[0]];"
        "field.value = arguments[1]; field.dispatchEvent(new Event('change'))"
    )
    browser.run(choose, 0, "osaka")
    browser.run(choose, 1, "2")
    assert "Nobody can be voted out" in browser.text("dialog .recovery") and not browser.has("dialog .recovery input")
    browser.run(choose, 1, "3")
    assert "any two of the three machines" in browser.text("dialog .recovery")
    browser.click("dialog .recovery input[value=none]")
    browser.run(choose, 1, "4")
    assert "any three of the four machines" in browser.text("dialog .recovery")
    assert browser.run(CHOSEN) == "none", "a choice outlasts another number of seats"
    browser.click("dialog button.primary")
    browser.wait("return location.hash.startsWith('#/table/')")
    browser.wait_for(".recovery input:checked")
    assert browser.run(CHOSEN) == "none"


def test_a_notice_uses_the_width_of_a_phone(node: NodeProcess, browser: Browser) -> None:
    sign_in(browser, node)
    browser.resize(390, 844)
    browser.run("import('/ui/page/live.js').then((live) => live.toast('The lobby restarts at six. '.repeat(6)))")
    browser.wait("return document.querySelector('#toast').textContent !== ''")
    assert browser.run("return document.querySelector('#toast').getBoundingClientRect().width") > 300
