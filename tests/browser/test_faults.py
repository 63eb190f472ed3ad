"""Small things that once annoyed whoever met them: each has a test, so that it does not come back."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.net.api.kit import NodeProcess

from .driver import Browser
from .play import ask, new_match, sign_in

pytestmark = pytest.mark.browser

# What a function of the client draws, as text.
DRAWN = """
const [module, name, given, done] = arguments;
Promise.all([import(module), import('/draw.js')])
  .then(([its, { render }]) => done(render(its[name](...given)).textContent), (error) => done(String(error.stack)));
"""
APP = {"games": [{"id": "osaka", "title": "Merchants of Osaka", "seats": [2, 3]}], "game": None}


def drawn(browser: Browser, module: str, name: str, *given: Any) -> str:
    script = DRAWN.replace("...given", "{ ...given[0], game: (id) => given[0].games[0] }, ...given.slice(1)")
    return str(browser.run_async(script, module, name, [APP, *given]))


def test_people_are_not_called_bots_in_a_replay(browser: Browser, node: NodeProcess) -> None:
    base = sign_in(browser, node)
    match = new_match(node, "osaka", ("Ann", "Bertram"), {"tokens_to_end": 6}, seed="faults")
    ask(node, f"matches/{match}/bye", {})
    until = time.monotonic() + 60
    while not (found := ask(node, "replays")["replays"]):
        assert time.monotonic() < until, "a stand-in plays the match to its end"
        time.sleep(0.1)
    replay = next(each["id"] for each in found if each["seats"] == ["Ann", "Bertram"])
    browser.open(f"{base}#/replay/{replay}")
    browser.wait("return document.querySelector('.replay .panel') !== null")
    text = browser.wait("const all = document.querySelector('main').textContent; return all.includes('(bot)') && all")
    assert "Bertram (bot)" in text and "Ann (bot)" not in text


def test_a_lobby_is_called_by_its_name_and_is_not_new_if_its_key_was_given(browser: Browser, node: NodeProcess) -> None:
    sign_in(browser, node)
    lobby = {"address": "games.example.org:7460", "up": False, "reason": "", "new": True, "fingerprint": "xpxc-7aj5"}
    shown = drawn(browser, "/ui/table/lobby.js", "lobbyPanel", lobby)
    assert "games.example.org" in shown and "7460" not in shown and "new to this node" in shown
    given = drawn(browser, "/ui/table/lobby.js", "lobbyPanel", {**lobby, "address": f"{lobby['address']}#xpxc-7aj5"})
    assert "new to this node" not in given and "xpxc" not in given


def test_a_table_never_says_that_nobody_sits_there(browser: Browser, node: NodeProcess) -> None:
    sign_in(browser, node)
    table = {"id": "t", "game": "osaka", "host": "Bob", "mark": "", "count": 3, "taken": 0, "seats": [], "where": "lan"}
    assert "Bob invites; 3 seats" in drawn(browser, "/ui/table/tables.js", "tableList", [table])
    taken = drawn(browser, "/ui/table/tables.js", "tableList", [{**table, "taken": 2}])
    assert "Bob (2 of 3 seats)" in taken


def test_the_note_of_a_choice_does_not_say_its_phrase_again(browser: Browser, node: NodeProcess) -> None:
    sign_in(browser, node)
    browser.wait_for("[data-play]")
    script = "const [cases, done] = arguments; import('/ui/match/doing/news.js').then(({ newsIn }) =>"
    script += " done(cases.map(([lines, phrase]) => newsIn(lines, phrase))), (error) => done(String(error)))"
    cases: dict[tuple[str, ...], list[str]] = {
        ("Place a trader on Arnheim–Duisburg, post 1", "You place a trader on Arnheim–Duisburg, post 1."): [],
        ("Buy one copper for ¥2", "You gain 1 copper", "You pay ¥2"): [],
        ("Draw one card: green", "You take a green card."): [],
        ("Bring the president to Copper Mine 2", "power 2"): ["power 2"],
        ("Keep the British order (3 tea, 2 fish)", "9 points once fulfilled"): ["9 points once fulfilled"],
        (
            "Do nothing at the Employment Agency",
            "You do nothing at the Employment Agency. You take back one assistant from the Church.",
        ): ["You take back one assistant from the Church."],
        ("Displace Cleo's trader; pay one trader", "You pay one piece", "Cleo may add one piece"): [
            "Cleo may add one piece"
        ],
    }
    asked = [[lines, phrase] for phrase, *lines in cases]
    assert browser.run_async(script, asked) == list(cases.values())


def test_a_link_that_was_used_opens_a_page_and_not_data(browser: Browser, node: NodeProcess) -> None:
    sign_in(browser, node)
    used = ask(node, "links", {})["url"]
    browser.open(used)
    browser.wait_for("[data-play]")
    browser.open(used)
    browser.wait_for("[data-play]")
    browser.devtools("Network.clearBrowserCookies", {})
    browser.open(used)
    browser.wait("return document.querySelector('main')?.textContent.includes('This page is locked')")
    assert "{" not in browser.text("main")
    browser.complaints()  # the page asked and was refused, as it must be


def test_a_dialog_opens_at_its_beginning(browser: Browser, node: NodeProcess) -> None:
    sign_in(browser, node)
    browser.resize(390, 600)
    browser.run(
        "Promise.all([import('/ui/page/dialog.js'), import('/draw.js')]).then(([{ dialog }, { h }]) => dialog('Long',"
        " Array.from({ length: 60 }, (_, n) => n < 59 ? h('p', {}, `Line ${n}`) : h('input', {}))))"
    )
    browser.wait_for("dialog[open] input")
    assert browser.run(
        "const box = document.querySelector('dialog');"
        "return [box.scrollTop, box.querySelector('.dialog-body').scrollTop]"
    ) == [0, 0]
    assert browser.run("return document.querySelector('dialog h2').getBoundingClientRect().top") >= 0
    browser.press("Escape")


@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080), (390, 844)])
def test_a_notice_lies_over_no_button_and_not_over_what_is_to_be_done(
    browser: Browser, node: NodeProcess, size: tuple[int, int]
) -> None:
    match = new_match(node, "osaka", ("Ann", "Bertram"), seed=f"notice {size[0]}")
    browser.resize(*size)
    browser.open(f"{sign_in(browser, node)}#/match/{match}")
    browser.wait_for(".now-line .ends button")
    browser.run("import('/ui/page/live.js').then((live) => live.toast('Bertram is not there. '.repeat(4), 'bad'))")
    browser.wait("return document.querySelector('#toast').textContent !== ''")
    assert not browser.run(
        "const toast = document.querySelector('#toast').getBoundingClientRect();"
        "const read = document.querySelectorAll('.whose, .now-line button, .kinds button, .draft-row button');"
        "return [...read].filter((each) => {"
        "  const box = each.getBoundingClientRect();"
        "  return box.width && box.top < toast.bottom && box.bottom > toast.top"
        "    && box.left < toast.right && box.right > toast.left;"
        "}).map((each) => each.textContent)"
    )


def test_what_the_node_refuses_is_shown_as_a_sentence(browser: Browser, node: NodeProcess) -> None:
    sign_in(browser, node)
    said = browser.run_async(
        "const done = arguments[0];"
        "import('/api.js').then(({ post }) => post('queue', { games: ['osaka'], seats: [2] }))"
        ".then(() => done('no error'), (error) => done(error.message));"
    )
    assert said == "No lobby is chosen; enter its address in the settings."
    browser.complaints()


def test_a_shared_win_is_told_as_people_would(browser: Browser, node: NodeProcess) -> None:
    sign_in(browser, node)
    told = browser.run_async(
        "const [state, done] = arguments; Promise.all([import('/ui/match/scores.js'), import('/draw.js')])"
        ".then(([{ resultTitle }, { h, render }]) => done(render(h('div', {}, resultTitle(state, {}))).textContent),"
        " (error) => done(String(error.stack)))",
        {"result": {"winners": [0, 2], "reason": "over"}, "seats": [{"name": name} for name in ("Ann", "Bo", "Cleo")]},
    )
    assert told.startswith("Ann and Cleo win together")


HELD = """
const done = arguments[arguments.length - 1];
import('/ui/page/tip.js').then(async ({ tipsIn, hideTip }) => {
  const root = document.createElement('div');
  const clicked = [];
  for (const tip of ['What it is', '']) {
    const button = document.createElement('button');
    button.dataset.tip = tip;
    button.addEventListener('click', () => clicked.push(tip));
    root.append(button);
  }
  document.body.append(root);
  tipsIn(root, (element) => element.dataset.tip ? [element.dataset.tip] : []);
  for (const button of root.children) {
    button.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, pointerType: 'touch' }));
    await new Promise((over) => setTimeout(over, 600));
    button.dispatchEvent(new PointerEvent('pointerup', { bubbles: true, pointerType: 'touch' }));
    button.click();
  }
  hideTip();
  root.remove();
  done(clicked);
});
"""


def test_a_long_press_that_is_told_nothing_counts_as_a_tap(browser: Browser, node: NodeProcess) -> None:
    sign_in(browser, node)
    assert browser.run_async(HELD) == [""], "what was told was a question, the other one a tap"
