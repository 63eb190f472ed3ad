"""The first start and home: three things to do, matches with people and results, options in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.net.api.kit import NodeProcess

from .driver import Browser
from .play import CAN, ask, new_match, sign_in
from .screenshots import reach
from .together import nodes_at, write

pytestmark = [pytest.mark.browser, pytest.mark.long]


def test_a_first_start_asks_for_a_name_and_offers_three_things(browser: Browser, tmp_path: Path) -> None:
    with nodes_at(tmp_path, 1) as (fresh,):
        sign_in(browser, fresh)
        proposed = browser.run("return document.querySelector('.first-name input').value")
        assert proposed and browser.run("return document.querySelectorAll('[data-first]').length") == 3
        assert not browser.has(".shelf, .past")
        write(browser, ".first-name input", "Anna")
        browser.click("[data-name=save]")
        browser.wait("return document.querySelector('.first-name') === null")
        assert browser.run("return document.querySelectorAll('[data-first]').length") == 3, "a name takes nothing away"
        assert ask(fresh, "settings")["name"] == "Anna"
        fresh.link().put("settings", {**fresh.link().get("settings"), "name": ""})
        browser.reload()
        browser.wait_for(".first-name")
        write(browser, ".first-name input", "Anna")
        browser.click("[data-first=learn] [data-learn=osaka]")
        browser.wait_for("[data-guide], " + CAN)
        assert ask(fresh, "settings")["name"] == "Anna", "what was typed is kept without a further click"
        browser.run("location.hash = '#/'")
        browser.wait_for(".shelf [data-play]")
        assert not browser.has(".welcome")


def test_home_shows_whose_turn_results_and_finds_a_finished_match(browser: Browser, node: NodeProcess) -> None:
    base = sign_in(browser, node)
    for name in ("Bertram", "Cosima"):
        reach(node, new_match(node, "osaka", ["Ann", name], {"tokens_to_end": 6}, seed=name), 2000)
    new_match(node, "joban", ["Ann", "Detlef"])
    browser.open("about:blank")
    browser.open(f"{base}#/")
    browser.wait("return document.querySelectorAll('.past .matches li').length === 2")
    assert "last move" in browser.text(".matches .yours") and "Detlef" in browser.text(".matches .yours")
    rows = browser.run("return [...document.querySelectorAll('.past .badge')].map((each) => each.textContent)")
    assert all("won" in row.lower() and " : " in row for row in rows)
    browser.run(
        "const who = document.querySelector('[data-filter=who]'); who.focus(); who.value = 'cosi';"
        "who.dispatchEvent(new Event('input'))"
    )
    browser.wait("return document.querySelectorAll('.past .matches li').length === 1")
    assert "Cosima" in browser.text(".past .matches")
    assert not browser.complaints()


def test_a_finished_match_is_put_away_found_again_and_deleted(browser: Browser, tmp_path: Path) -> None:
    own = NodeProcess(tmp_path).start()
    try:
        own.link().put("settings", {**own.link().get("settings"), "name": "Ann"})
        base = sign_in(browser, own)
        for name in ("Bertram", "Cosima"):
            reach(own, new_match(own, "osaka", ["Ann", name], {"tokens_to_end": 6}, seed=name), 2000)
        browser.open("about:blank")
        browser.open(f"{base}#/")
        rows = "document.querySelectorAll('.past .matches li').length"
        browser.wait(f"return {rows} === 2")

        def choose(what: str) -> None:
            browser.click(".past [data-more-of-match]")
            browser.wait_for(f"[data-history={what}]")
            browser.click(f"[data-history={what}]")

        choose("archive")
        browser.wait(f"return {rows} === 1")
        left = browser.text(".past .matches")
        browser.click("[data-filter=away]")
        browser.wait("return document.querySelector('.past .matches').textContent !== arguments[0]", left)
        assert browser.run(f"return {rows}") == 1, "the other one, and it alone"
        choose("delete")
        browser.wait_for("dialog .danger")
        browser.click("dialog .danger")
        browser.wait("return document.querySelector('[data-filter=away]') === null")
        assert browser.text(".past .matches") == left and len(ask(own, "matches")["matches"]) == 1
        assert not browser.complaints()
    finally:
        own.end()


def test_options_have_names_for_players_and_the_rare_ones_are_folded_away(browser: Browser, node: NodeProcess) -> None:
    sign_in(browser, node)
    browser.click("[data-more=yokohama]")
    browser.wait_for("dialog .option")
    assert browser.run("return document.querySelector('dialog').scrollTop") == 0
    assert not browser.run("return document.querySelector('dialog .rare').open")
    text = browser.text("dialog .options")
    assert "_" not in text and "R02" not in text and "Who begins" in text
    browser.run("document.querySelector('dialog .rare').open = true")
    browser.run(
        "const row = [...document.querySelectorAll('dialog .option')]"
        ".find((each) => each.textContent.includes('begins'));"
        "row.querySelector('select').selectedIndex = 2"
    )
    browser.click("dialog button.primary")
    browser.wait_for(".board svg")
    match = browser.run("return location.hash.split('/').pop()")
    assert ask(node, f"matches/{match}")["options"]["start"] == 1


def test_a_used_link_leads_to_the_page_and_not_to_data(browser: Browser, node: NodeProcess) -> None:
    url = ask(node, "links", {})["url"]
    browser.open(url)
    browser.wait_for("[data-play]")
    browser.open(url)
    browser.wait_for("[data-play]")


def test_a_table_is_opened_with_a_time_of_grace(browser: Browser, node: NodeProcess) -> None:
    sign_in(browser, node)
    browser.click("[data-open=table]")
    browser.wait_for("dialog .field select")
    browser.run(
        "const seats = document.querySelectorAll('dialog .field select')[1]; seats.value = '3';"
        "seats.dispatchEvent(new Event('change', { bubbles: true }))"
    )
    browser.wait_for("[data-grace='120']")
    browser.run(
        "const grace = document.querySelector('[data-grace]'); grace.value = '600';"
        "grace.dispatchEvent(new Event('change', { bubbles: true }))"
    )
    browser.click("dialog button.primary")
    browser.wait_for("[data-ready]")
    table = ask(node, f"tables/{browser.run('return location.hash.split(`/`).pop()')}")
    assert any("10 minutes" in said["text"] for said in table["says"]), table["says"]
