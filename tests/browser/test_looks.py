"""What a person sees is whole: no words on words, nothing cut in the middle, in three sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.net.api.kit import NodeProcess

from .driver import Browser
from .play import ask, new_match, sign_in
from .positions import NAMES, TABLES
from .screenshots import SIZES, reach

pytestmark = pytest.mark.browser

SEEN = Path(__file__).with_name("looks.js").read_text(encoding="utf-8")


def opened(browser: Browser, address: str, css: str) -> None:
    browser.open("about:blank")
    browser.open(address)
    browser.wait_for(css)


@pytest.mark.parametrize("size", ["desk", "phone"])
def test_pages_have_no_words_on_words_and_nothing_beyond_the_edge(
    browser: Browser, node: NodeProcess, size: str
) -> None:
    base = sign_in(browser, node)
    browser.resize(*SIZES[size])
    new_match(node, "joban", NAMES[:4], seed=f"looks {size}")
    table = ask(node, "tables", {"game": "hansa", "seats": 5})["id"]
    settings = node.link().get("settings")
    pages = {
        "": ".shelf",
        f"table/{table}": ".seats li",
        "settings": "h1",
        "watch": "h1",
        "help/osaka": "[data-picture]",
    }
    try:
        for path, css in pages.items():
            opened(browser, f"{base}#/{path}", css)
            assert browser.run(SEEN, "main") == [], path
        node.link().put("settings", {**settings, "name": ""})
        opened(browser, base, ".first-name")
        assert browser.run(SEEN, "main") == [], "the first start"
    finally:
        node.link().put("settings", settings)
        ask(node, f"tables/{table}/leave", {})


@pytest.mark.long
@pytest.mark.parametrize("board", ["osaka-4", "joban-4", "yokohama-3", "hansa-base-3"])
def test_desks_of_others_and_drafts_are_whole(browser: Browser, node: NodeProcess, board: str) -> None:
    game, seats, options = TABLES[board]
    base = sign_in(browser, node)
    match = new_match(node, game, NAMES[:seats], options, seed=board)
    assert reach(
        node, match, {"osaka": 8, "joban": 8, "hansa": 40}.get(game, 30)
    )  # in Hansa a rival has four markers then
    drafted: list[Any] = ask(node, f"matches/{match}")["menu"]
    ask(node, f"matches/{match}/draft", {"seat": 0, "text": drafted[0]["text"]})
    for size in ("desk", "large"):
        browser.resize(*SIZES[size])
        opened(browser, f"{base}#/match/{match}", "[data-turn=you]")
        assert browser.run(SEEN, ".top") == [], size
