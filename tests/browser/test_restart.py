"""A match outlives its node: the page finds it again, with what was drafted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.net.api.kit import NodeProcess

from .driver import Browser
from .play import CAN, new_match, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.long]


def test_the_page_finds_a_node_again_that_was_restarted(tmp_path: Path, _window: Browser) -> None:
    browser, home = _window, NodeProcess(tmp_path / "home").start()
    try:
        address = sign_in(browser, home)
        browser.open(f"{address}#/match/{new_match(home, 'osaka', ['Ann', 'Bo'])}")
        browser.wait_for(CAN)
        browser.click(".board [data-target='token:green'].can")
        browser.wait_for(".draft-steps li")
        port = home.port
        home.kill()
        browser.wait_for("#online.off")
        home.start()
        assert home.port == port, "the node comes back where the page looks for it"
        browser.wait("return !document.querySelector('#online.off')", seconds=30)
        browser.wait("return document.querySelector('.draft-steps')?.textContent.includes('a green token')")
        browser.click("[data-draft=commit]")
        browser.wait("return document.querySelector('.log').textContent.includes('green token')")
    finally:
        if home.process is not None:
            home.end()
