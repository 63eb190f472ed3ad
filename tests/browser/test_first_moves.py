"""The short sample of the browser tests: three clicks to a first move, drafts that survive, words that stay words."""

from __future__ import annotations

import pytest

from tests.net.api.kit import NodeProcess

from .driver import Browser
from .play import CAN, ask, new_match, sign_in

pytestmark = pytest.mark.browser

MARKUP = "<img src=x onerror=a()>"


def test_three_clicks_make_a_first_move_and_a_reload_keeps_the_draft(browser: Browser, node: NodeProcess) -> None:
    sign_in(browser, node)
    browser.click("[data-play=osaka]")
    browser.wait_for(CAN)
    browser.click(".board [data-target='token:blue'].can")
    browser.wait_for(".draft-steps li")
    assert "a blue token" in browser.text(".draft-steps")
    assert browser.has(".draft.must .reveal-sign"), "nothing can follow, so the page says that undo ends here"

    browser.reload()
    browser.wait_for(".draft-steps li")
    assert "a blue token" in browser.text(".draft-steps")

    match = ask(node, "matches")["matches"][0]
    assert match["ply"] == ask(node, f"matches/{match['id']}")["ply"]
    browser.press("u")
    browser.wait("return !document.querySelector('.draft-steps')")
    browser.press("r")
    browser.wait_for(".draft-steps li")
    browser.click("[data-draft=commit]")
    browser.wait("return [...document.querySelectorAll('.log li')].some((li) => li.textContent.includes('blue token'))")
    assert not browser.complaints()


def test_what_cannot_be_done_says_why_in_the_words_of_the_engine(browser: Browser, node: NodeProcess) -> None:
    address = sign_in(browser, node)
    browser.open(f"{address}#/match/{new_match(node, 'osaka', ['Ann', 'Bo'])}")
    browser.wait_for(CAN)
    assert not browser.has(".buy.can"), "while tokens are chosen nothing can be bought"
    browser.click(".buy")
    browser.wait("return document.querySelector('#toast').textContent !== ''")
    assert browser.text("#toast").startswith("Not possible:")


def test_names_of_others_are_shown_as_text_wherever_they_appear(browser: Browser, node: NodeProcess) -> None:
    address = sign_in(browser, node)
    browser.run("window.a = () => { window.broken = true; }")
    for game in ("osaka", "joban", "yokohama", "hansa"):
        match = new_match(node, game, ["<b>Me</b>", MARKUP, "<script>a()</script>"])
        browser.open(f"{address}#/match/{match}")
        browser.wait("return document.querySelector('.play')?.textContent.includes(arguments[0])", MARKUP)
        assert not browser.has("main b b, main img, main script")
    browser.open(f"{address}#/")
    browser.wait("return document.querySelector('.matches')?.textContent.includes(arguments[0])", MARKUP)
    assert not browser.has("main img, main script")
    assert browser.run("return window.broken === undefined")
    assert not browser.complaints()


def test_the_page_runs_no_foreign_and_no_inline_script(browser: Browser, node: NodeProcess) -> None:
    sign_in(browser, node)
    browser.run(
        "const script = document.createElement('script'); script.textContent = 'window.inline = 1';"
        "document.body.append(script);"
        "const foreign = document.createElement('script'); foreign.src = 'http://127.0.0.1:9/x.js';"
        "document.body.append(foreign);"
        "document.body.setAttribute('style', 'opacity: 0.5');"
    )
    assert browser.run("return window.inline === undefined")
    assert browser.run("return getComputedStyle(document.body).opacity") == "1"
    assert sum("Content Security Policy" in line for line in browser.complaints()) >= 3


def test_whoever_plays_alone_can_ask_what_an_expert_would_do(browser: Browser, node: NodeProcess) -> None:
    address = sign_in(browser, node)
    browser.open(f"{address}#/match/{new_match(node, 'osaka', ['Ann', 'Bo'], seed='hint')}")
    browser.wait_for(CAN)
    browser.click("[data-more]")
    browser.click("[data-tool=hint]")
    browser.wait_for("[data-hint=told]")
    assert "Choose the" in browser.text("[data-hint]") and "a chance to win of about" in browser.text("[data-hint]")
    assert not browser.has(".draft-steps"), "a hint never acts"
    browser.click(".board [data-target='token:blue'].can")
    browser.wait_for(".draft-steps li")
    assert not browser.has("[data-hint]"), "it was about another position"
    browser.click("[data-more]")
    browser.wait_for("[data-tool=ask]")
    assert not browser.has("[data-tool=hint]"), "nothing is left to choose"
