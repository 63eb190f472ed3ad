"""Guests with phones in a real Chromium: pairing, a whole match by two phones on one host, a lost network, the end."""

from __future__ import annotations

import random
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.net.api.kit import NodeProcess, state_where

from .driver import Browser
from .phones import guest_called, knock, link_for, phone, tap
from .play import DRAWN, STEP, ask, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.long]
# Counts how often the phone vibrates.
BUZZER = """
window.buzzed = 0;
Object.defineProperty(navigator, 'vibrate', { value: () => { window.buzzed += 1; return true; } });
"""


def table_with_phones(node: NodeProcess, browser: Browser) -> str:
    """A table of the owner's where phones may sit; the owner's browser shows who knocks."""
    link = node.link()
    wish = {"game": "osaka", "seats": 3, "spectators": True, "options": {"tokens_to_end": 6}}
    table = str(link.post("tables", wish)["id"])
    link.post(f"tables/{table}/bot", {"seat": 0, "kind": "greedy", "name": "Greta"})
    root = sign_in(browser, node)
    browser.open(f"{root}#/table/{table}")
    browser.wait_for("[data-party=open]")
    browser.click("[data-party=open]")
    browser.wait_for(".qr[data-link=seat]")
    return table


def test_two_phones_play_a_whole_match_on_one_host(node: NodeProcess, browser: Browser, tmp_path: Path) -> None:
    table = table_with_phones(node, browser)
    with ExitStack() as stack:
        phones = [stack.enter_context(phone()) for _ in range(2)]
        for seat, (window, name) in enumerate(zip(phones, ("Bruno", "Clara"), strict=True), 1):
            knock(window, link_for(node, "seat", seat), name)
            window.wait(
                "return document.querySelector('.guest h1')?.textContent.includes(arguments[0])", f"seat {seat + 1}"
            )
            assert "#" not in window.run("return location.href"), "the link does not stay in the address bar"
            browser.wait_for(f"[data-accept={name}]")
            assert f"{name}’s phone wants seat {seat + 1}." in browser.text(".knock")
            browser.click(f"[data-accept={name}]")
            window.wait("return document.querySelector('.guest h1')?.textContent.includes('You are at')")
        match = ask(node, f"tables/{table}/ready", {})["match"]
        for window in phones:
            window.wait_for(".play .frame")
            window.run(BUZZER)
        stack.callback(node.link().delete, "party")
        dice = random.Random("phones")
        end = 400
        for _ in range(end):
            state = node.link().get(f"matches/{match}")
            if state["status"] == "over":
                break
            acting = state_where(node.link(), match, lambda now: now["status"] == "over" or now["to_act"] in (1, 2))
            if acting["status"] == "over":
                break
            window = phones[acting["to_act"] - 1]
            window.wait(
                "return document.querySelector('.result, .play .can, .kinds button, .draft.must, .popover') !== null"
            )
            drawn = window.run(f"return {DRAWN}")
            if window.run(STEP, dice.randrange(50)):
                window.wait(
                    f"return {DRAWN} !== arguments[0] && !document.querySelector('.play[aria-busy=true]')", drawn
                )
        assert node.link().get(f"matches/{match}")["status"] == "over"
        for number, window in enumerate(phones):
            window.wait_for(".result")
            window.picture(tmp_path / f"end-{number}.png")
            assert window.run("return window.buzzed") > 0, "a phone in a pocket tells its person"
            assert not window.has("[data-end=rematch]") and not window.has("[data-end=home]")
            assert window.complaints() == []


def test_a_phone_comes_back_is_replaced_and_is_told_the_end(node: NodeProcess, browser: Browser) -> None:
    link = node.link()
    seats = [{"kind": "me", "name": "Ann"}, {"kind": "me", "name": "Bob"}, {"kind": "me", "name": "Carl"}]
    match = link.post("matches", {"game": "osaka", "seats": seats})["id"]
    link.post("party", {"match": match, "port": 0})
    with phone() as first, phone() as second:
        knock(first, link_for(node, "seat", 1), "Bruno")
        first.wait_for(".guest [data-watch]")
        link.post("party/accept", {"guest": guest_called(node, "Bruno")["id"], "seat": 1})
        first.wait_for(".play .frame")
        first.reload()  # the phone was locked, and its browser has thrown the page away
        first.wait_for(".play .frame")
        assert guest_called(node, "Bruno")["here"]
        link.post("party/invite", {"seat": 1})
        knock(second, link_for(node, "seat", 1), "Bruno")
        second.wait_for(".guest [data-watch]")
        waiting = next(guest for guest in ask(node, "party")["guests"] if not guest["accepted"])
        link.post("party/accept", {"guest": waiting["id"], "seat": 1})
        first.wait_for("[data-over=replaced]")
        second.wait_for(".play .frame")
        second.wait("return !document.querySelector('#online.off') && document.querySelector('.play') !== null")
        assert guest_called(node, "Bruno")["here"]
        link.delete("party")
        second.wait_for("[data-over=closed]", seconds=30)
        assert "ended the party" in second.text("[data-over]")
        second.complaints()


def test_a_name_that_cannot_be_costs_no_link_and_a_held_seat_is_asked_for_with_whom_it_puts_out(
    node: NodeProcess, browser: Browser
) -> None:
    table = table_with_phones(node, browser)
    with phone() as first, phone() as second:
        knock(first, link_for(node, "seat", 1), "Bruno  K")
        first.wait("return document.querySelector('.guest [role=alert]')?.textContent.includes('two in a row')")
        assert not first.has("#guest-code"), "the link is as good as before"
        first.run("document.querySelector('#guest-name').value = 'Bruno'")
        tap(first, "[data-join]")
        browser.wait_for("[data-accept=Bruno]")
        assert not browser.has("[data-out]")
        browser.click("[data-accept=Bruno]")
        first.wait("return document.querySelector('.guest h1')?.textContent.includes('You are at')")
        browser.click("[data-replace='1']")
        knock(second, link_for(node, "seat", 1), "Bruno")
        browser.wait_for("[data-out=Bruno]")
        browser.click("[data-accept=Bruno]")
        first.wait_for("[data-over=replaced]")
    link = node.link()
    link.delete("party")
    link.post(f"tables/{table}/leave")


def test_a_typed_code_shows_the_same_words_on_both_screens(node: NodeProcess, browser: Browser) -> None:
    link = node.link()
    match = link.post(
        "matches", {"game": "osaka", "seats": [{"kind": "me", "name": "Ann"}, {"kind": "me", "name": "Bob"}]}
    )["id"]
    party = link.post("party", {"match": match, "port": 0})
    root = sign_in(browser, node)
    with phone() as window:
        knock_by_code(window, party["url"], "WRONG1", "Clara")
        window.wait("return document.querySelector('.guest [role=alert]')?.textContent.includes('not the code')")
        knock_by_code(window, party["url"], ask(node, "party")["code"], "Clara")
        window.wait_for("[data-wish='1']")
        assert not window.has(".six-words"), "the host sees no words before a seat is asked for"
        tap(window, "[data-wish='1']")
        window.wait_for(".guest .six-words")
        browser.open(f"{root}#/match/{match}")
        browser.wait_for("dialog .knock")
        assert browser.text("dialog .six-words") == window.text(".guest .six-words") != ""
        browser.click("dialog .primary")
        window.wait_for(".play .frame")
    link.delete("party")


def test_a_phone_that_accepts_the_certificate_plays_over_tls(node: NodeProcess, browser: Browser) -> None:
    link = node.link()
    seats = [{"kind": "me", "name": "Ann"}, {"kind": "me", "name": "Bob"}]
    match = link.post("matches", {"game": "osaka", "seats": seats})["id"]
    party = link.post("party", {"match": match, "port": 0, "tls": True})
    assert party["url"].startswith("https://") and len(party["tls"]) == 95
    with phone() as wary, phone(is_trusting=True) as window:
        wary.open(party["url"])
        assert "Privacy" in wary.run("return document.title"), "the browser asks first"
        knock(window, link_for(node, "seat", 1), "Bruno")
        window.wait_for(".guest [data-watch]")
        link.post("party/accept", {"guest": guest_called(node, "Bruno")["id"], "seat": 1})
        window.wait_for(".play .frame")
        assert window.run("return location.protocol") == "https:"
        assert [each for each in window.complaints() if "Content Security" in each] == []
    link.delete("party")


def knock_by_code(window: Browser, url: str, code: str, name: str) -> None:
    window.open(url)
    window.wait_for("#guest-code")
    window.run(
        "document.querySelector('#guest-name').value = arguments[0];"
        "document.querySelector('#guest-code').value = arguments[1]",
        name,
        code,
    )
    tap(window, "[data-join]")
