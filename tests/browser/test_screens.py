"""Every screen: no serious fault for assistive technology, nothing wider than a phone, replays that scrub."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.net.api.kit import NodeProcess

from .axe import axe_text, faults, load
from .driver import Browser
from .play import CAN, ask, new_match, play_on, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.long]
GAMES = ("osaka", "joban", "yokohama", "hansa")


@pytest.fixture(scope="module")
def axe() -> str:
    return axe_text()


@pytest.fixture(scope="module")
def screens(node: NodeProcess, _window: Browser) -> Iterator[dict[str, str]]:
    """An address for each screen; a finished match lies on the shelf of replays."""
    base = sign_in(_window, node)
    found = {"home": "#/", "settings": "#/settings", "replays": "#/replay", "watch": "#/watch"}
    people = [{"kind": "me", "name": name} for name in ("Ann", "Bo")]
    found["curtain"] = f"#/match/{ask(node, 'matches', {'game': 'osaka', 'seats': people})['id']}"
    for game in GAMES:
        found[f"help {game}"] = f"#/help/{game}"
        found[f"match {game}"] = f"#/match/{new_match(node, game, ['Ann', 'Bo', 'Cleo'])}"
    match = new_match(node, "osaka", ["Ann", "Bo"], {"tokens_to_end": 6}, seed="replay")
    _window.open(f"{base}#/match/{match}")
    _window.wait_for(CAN)
    play_on(_window, lambda n: n * 7919 + 3, 2000)
    found["over"] = f"#/match/{match}"
    found["replay"] = f"#/replay/{ask(node, 'replays')['replays'][0]['id']}"
    found["table"] = f"#/table/{ask(node, 'tables', {'game': 'joban', 'seats': 3})['id']}"
    yield {name: base + path for name, path in found.items()}


def _open(browser: Browser, address: str) -> None:
    browser.open("about:blank")  # a new address after # alone would leave the last screen in place for a while
    browser.open(address)
    browser.wait("return document.querySelector('main h1') !== null")
    browser.wait(
        "return document.querySelector('.board') === null || document.querySelector('.board').childElementCount > 0"
    )


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_no_serious_fault_on_any_screen(
    browser: Browser, screens: dict[str, str], axe: str, dark: bool
) -> None:
    browser.resize(1280, 900, dark)
    found: list[str] = []
    for name, address in screens.items():
        _open(browser, address)
        load(browser, axe)
        found += [f"{name}: {fault}" for fault in faults(browser)]
    assert not found, "\n".join(found)
    browser.run("document.querySelector('main').append(document.createElement('button'))")
    assert any("button-name" in fault for fault in faults(browser)), "axe itself works"


@pytest.mark.parametrize("width", [390, 640])
def test_no_screen_is_wider_than_a_phone_or_a_window_at_double_size(
    browser: Browser, screens: dict[str, str], width: int
) -> None:
    browser.resize(width, 800)
    wide = []
    for name, address in screens.items():
        _open(browser, address)
        if browser.run("return document.documentElement.scrollWidth > innerWidth"):
            wide.append((name, browser.run("return document.documentElement.scrollWidth")))
    assert not wide


def test_a_replay_is_scrubbed_stepped_and_verified(browser: Browser, screens: dict[str, str]) -> None:
    _open(browser, screens["replay"])
    # A match on one machine has no signatures of others: it can be consistent, not more.
    browser.wait("return document.querySelector('.verdict').classList.contains('consistent')", seconds=60)
    plies = int(browser.run("return Number(document.querySelector('.curve-box input').max)"))
    assert plies > 20
    at = "return document.querySelector('.replay-where .badge').textContent === arguments[0]"
    browser.run(
        "const bar = document.querySelector('.curve-box input'); bar.value = arguments[0];"
        "bar.dispatchEvent(new Event('input'))",
        plies,
    )
    browser.wait(at, f"{plies} / {plies}")
    browser.click(".replay-bar button:nth-of-type(3)")
    browser.wait(at, f"{plies - 1} / {plies}")
    browser.click(".turns li:nth-child(3) button")
    browser.wait("return document.querySelector('.turns li:nth-child(3) .now') !== null")
    step = int(browser.text(".replay-where .badge").split()[0])
    browser.press("Right")  # the focus is still on the turn that was clicked
    browser.wait(at, f"{step + 1} / {plies}")
    assert browser.run("return document.activeElement.closest('.turns') !== null")
    assert browser.run("return document.querySelector('.curve-box input').value") == str(step + 1)
    browser.press("\ue011")
    browser.wait(at, f"0 / {plies}")
    browser.press("\ue010")
    browser.wait(at, f"{plies} / {plies}")
    assert not browser.complaints()


def test_the_time_to_draw_each_board_is_recorded(browser: Browser, screens: dict[str, str]) -> None:
    for game in GAMES:
        _open(browser, screens[f"match {game}"])
        took = browser.run("return Number(document.querySelector('.frame').dataset.drawMs)")
        print(f"{game}: first drawing {took} ms")
        assert took > 0
