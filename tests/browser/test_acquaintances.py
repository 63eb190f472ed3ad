"""People beside the lobby in a real browser: friends, who is here, an invitation, a report; names are only text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kontor_games.lobby.admin.operator_asking import ask_lobby
from tests.lobby.child import LobbyProcess
from tests.net.api.kit import NodeProcess

from .axe import axe_text, faults, load
from .driver import Browser
from .play import sign_in

pytestmark = [pytest.mark.browser, pytest.mark.long]

HOSTILE = "<b>Eve</b>"
ROW = "return [...document.querySelectorAll('[data-list=here] li .who')].map((each) => each.textContent)"
CLICK = """
const rows = [...document.querySelectorAll(`[data-list=${arguments[0]}] li`)];
const row = rows.find((each) => each.textContent.includes(arguments[1]));
[...row.querySelectorAll('button')].find((each) => each.textContent === arguments[2]).click();
"""
SAID = "return document.body.textContent.includes(arguments[0])"


@pytest.fixture
def lobby(tmp_path: Path) -> Iterator[LobbyProcess]:
    process = LobbyProcess(tmp_path / "lobby")
    yield process
    process.stop()


def test_friends_are_added_invited_and_reported(
    browser: Browser, node: NodeProcess, lobby: LobbyProcess, tmp_path: Path
) -> None:
    eve = NodeProcess(tmp_path / "eve").start()
    try:
        for each, name in ((node, "Anna"), (eve, HOSTILE)):
            each.link().put("settings", {"name": name, "lobby": f"127.0.0.1:{lobby.port}"})
            each.link().post("lobby")
        mine, theirs = (each.link().get("lobby")["you"]["key"] for each in (node, eve))
        eve.link().put("people/appears", {"to": "everybody"})
        eve.link().post("lobby/chat", {"text": "spam"})
        sign_in(browser, node)
        browser.wait(f"return ({ROW.removeprefix('return ')}).length === 1")
        assert browser.run(ROW) == [HOSTILE] and not browser.has("[data-list=here] b b")
        browser.run(CLICK, "here", HOSTILE, "Add friend")
        browser.wait_for("[data-list=friends] .badge.here")
        load(browser, axe_text())
        assert faults(browser) == []
        browser.run(CLICK, "here", HOSTILE, "Report")
        browser.wait_for("dialog textarea")
        browser.run(
            "const field = document.querySelector('dialog textarea'); field.value = 'sells things';"
            " field.dispatchEvent(new Event('input', { bubbles: true }));"
        )
        browser.run("[...document.querySelectorAll('dialog button')].at(-1).click()")
        browser.wait(SAID, "told about")
        answer = ask_lobby(lobby.data, {"do": "reports"})
        assert answer is not None and [report["reason"] for report in answer["reports"]] == ["sells things"]
        eve.link().post("people", {"key": mine, "name": "Anna", "standing": "friend"})
        table = eve.link().post("tables", {"game": "osaka", "seats": 2, "where": "lobby"})["id"]
        eve.link().post(f"people/{mine}/invite", {"table": table})
        browser.wait_for("dialog[open]")
        assert HOSTILE in browser.text("dialog[open]")
        browser.run("[...document.querySelectorAll('dialog[open] button')].at(-1).click()")
        browser.wait(f"return location.hash === '#/table/{table}'")
        assert theirs
    finally:
        eve.end()
