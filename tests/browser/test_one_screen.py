"""One window: a curtain between people, notices, files that are dropped, double size, reasons on every board."""

from __future__ import annotations

import base64

import pytest

from tests.net.api.kit import NodeProcess

from .driver import Browser
from .play import CAN, DRAWN, STEP, ask, new_match, play_on, sign_in
from .positions import NAMES

pytestmark = [pytest.mark.browser, pytest.mark.long]

GAMES = ("osaka", "joban", "yokohama", "hansa")
MARKUP = "<img src=x onerror=a()>"
FACES = ".desk [data-target^='hand:']"  # cards in a hand that are not shown by their backs


def test_the_next_persons_hand_is_not_shown_before_they_say_that_they_are_there(
    browser: Browser, node: NodeProcess
) -> None:
    address = sign_in(browser, node)
    seats = [{"kind": "me", "name": "Ann"}, {"kind": "me", "name": MARKUP}]
    match = ask(node, "matches", {"game": "osaka", "seats": seats, "options": {}, "seed": "curtain"})["id"]
    browser.open(f"{address}#/match/{match}")
    for turn in range(4):
        browser.wait_for("[data-curtain]")
        state = ask(node, f"matches/{match}")
        name = state["seats"][state["to_act"]]["name"]
        assert name in browser.text(".curtain") and not browser.has(".curtain img")
        browser.wait("return document.querySelectorAll(arguments[0]).length === 0", FACES)
        assert not browser.has(CAN), "nobody can act behind the curtain"
        browser.click("[data-curtain]")
        browser.wait_for(CAN)
        assert not browser.has(".curtain") and browser.has(FACES)
        assert browser.text(".player.me .name").startswith(name)
        while not browser.has(".draft.must"):
            drawn = browser.run(f"return {DRAWN}")
            browser.run(STEP, turn)
            browser.wait(f"return {DRAWN} !== arguments[0]", drawn)
        browser.click("[data-draft=commit]")
    browser.wait_for("[data-curtain]")
    browser.reload()
    browser.wait_for("[data-curtain]")
    assert not browser.has(FACES), "a reload lifts no curtain"
    assert not browser.complaints()


def test_one_s_turn_is_told_by_title_sound_and_notice_as_the_settings_say(browser: Browser, node: NodeProcess) -> None:
    address = sign_in(browser, node)
    browser.open(f"{address}#/settings")
    browser.wait_for(".field input[type=checkbox]")
    browser.run(
        "window.told = []; window.tones = 0;"
        "window.Notification = class { static permission = 'granted';"
        " static requestPermission() { return Promise.resolve('granted'); }"
        " constructor(title, more) { window.told.push(more.body); } };"
        "const Real = window.AudioContext;"
        "window.AudioContext = class extends Real { createOscillator() { window.tones++;"
        " return super.createOscillator(); } };"
        "Object.defineProperty(document, 'hidden', { get: () => true });"
    )
    for number in (1, 2):
        browser.click(f".field:nth-of-type({number + 3}) input[type=checkbox]")
    browser.click("form button.primary")
    browser.wait("return document.querySelector('#toast').textContent !== ''")
    assert ask(node, "settings")["client"]["sound"] and ask(node, "settings")["client"]["desktop"]
    heard = browser.run("return window.tones")
    assert heard > 0, "whoever switches the sound on hears it"
    match = new_match(node, "osaka", ["Ann", "Bo", "Cleo"], seed="notices")
    browser.run("location.hash = `#/match/${arguments[0]}`", match)
    browser.wait_for(CAN)
    browser.wait("return document.title.startsWith('● Your turn')")
    browser.wait("return window.told.length === 1 && window.told[0].includes('Merchants of Osaka')")
    browser.wait("return window.tones > arguments[0]", heard)
    browser.run(STEP, 0)
    browser.wait_for(".draft.must")
    browser.click("[data-draft=commit]")
    browser.wait("return window.told.length === 2")  # the others have played
    assert browser.run("return document.title.startsWith('● Your turn')")
    browser.run("location.hash = '#/'")
    browser.wait("return !document.title.startsWith('●')")
    client = {**ask(node, "settings")["client"], "sound": False, "desktop": False}
    node.link().put("settings", {"name": "Ann", "client": client})


def test_a_match_file_is_dropped_on_the_page_and_shown(browser: Browser, node: NodeProcess) -> None:
    address = sign_in(browser, node)
    match = new_match(node, "osaka", ["Ann", MARKUP], {"tokens_to_end": 6}, seed="dropped")
    browser.open(f"{address}#/match/{match}")
    browser.wait_for(CAN)
    play_on(browser, lambda n: n * 7919 + 3, 2000)
    _, _, file = node.raw("GET", f"/api/1/matches/{match}/file", node.as_owner())
    browser.open(f"{address}#/replay")
    browser.wait_for(".drop")
    _drop(browser, file, f"{MARKUP}.kontor")
    browser.wait("return /^#.replay.[0-9a-f]+$/.test(location.hash)")
    browser.wait("return document.querySelector('.verdict.consistent') !== null")
    browser.run("location.hash = '#/replay'")
    browser.wait(
        "return [...document.querySelectorAll('.matches li')].filter((row) => row.textContent.includes('brought'))"
        ".some((row) => row.textContent.includes('Osaka') && row.textContent.includes(arguments[0]))",
        MARKUP,
    )
    assert not browser.has("main img, main script")
    _drop(browser, b"no match at all", "<b>x</b>.kontor")
    browser.wait("return document.querySelector('#toast.bad') !== null")
    assert not browser.has("#toast b") and browser.run("return location.hash") == "#/replay"


def _drop(browser: Browser, content: bytes, name: str) -> None:
    browser.run(
        "const bytes = Uint8Array.from(atob(arguments[0]), (letter) => letter.charCodeAt(0));"
        "const carried = new DataTransfer(); carried.items.add(new File([bytes], arguments[1]));"
        "document.querySelector('.drop').dispatchEvent("
        "new DragEvent('drop', { dataTransfer: carried, bubbles: true, cancelable: true }));",
        base64.b64encode(content).decode(),
        name,
    )


# What is cut off: text that its box neither shows nor lets one scroll to.
CUT = """
return [...document.querySelectorAll('main *')].filter((element) => {
  const style = getComputedStyle(element);
  const hides = style.overflowX === 'hidden' || style.overflowX === 'clip';
  return hides && element.scrollWidth > element.clientWidth + 1 && !element.closest('.unseen');
}).map((element) => element.className || element.tagName);
"""


@pytest.mark.parametrize("game", ["osaka", "joban", "yokohama", "hansa"])
def test_at_double_size_nothing_is_lost_and_a_move_is_made(browser: Browser, node: NodeProcess, game: str) -> None:
    address = sign_in(browser, node)
    browser.resize(640, 450, scale=2)  # a window of 1280 x 900 at 200 %
    browser.open(f"{address}#/match/{new_match(node, game, ['Ann', 'Bo', 'Cleo'], seed='zoom')}")
    browser.wait_for(CAN)
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    assert browser.run(CUT) == []
    browser.click("[data-read]")
    for css in (".whose", ".players", ".log", "[data-draft=commit]"):
        assert browser.run(
            "const box = document.querySelector(arguments[0]).getBoundingClientRect();"
            "return box.width > 20 && box.height > 10 && box.left >= 0 && box.right <= innerWidth",
            css,
        ), css
    browser.click("[data-read]")
    browser.run(STEP, 0)
    browser.wait("return document.querySelector('.draft-steps li, .popover') !== null")


# One element of each kind that can be tried and is not possible now.
TRIED = """
const kinds = new Map();
for (const element of document.querySelectorAll('.play [data-try]:not([data-entries])')) {
  const kind = element.getAttribute('data-try').split(' ')[0];
  if (!kinds.has(kind)) kinds.set(kind, element.getAttribute('data-try'));
}
return [...kinds.values()];
"""
# What is on the board of each game at the start, though nothing of it can be done yet.
REASONS = {
    "osaka": {"take", "reserve", "buy", "pay"},
    "joban": {"design"},
    "yokohama": {"place", "token", "shop", "house", "worship", "clear", "research", "take", "claim", "hire"},
    "hansa": {"claim", "office", "develop", "prestige"},
}


@pytest.mark.parametrize("game", REASONS)
def test_whatever_cannot_be_done_now_says_why_in_words_of_the_rules(
    browser: Browser, node: NodeProcess, game: str
) -> None:
    address = sign_in(browser, node)
    browser.open(f"{address}#/match/{new_match(node, game, ['Ann', 'Bo', 'Cleo'], seed='reasons')}")
    browser.wait_for(CAN)
    if game == "joban":  # take a card, then play it: until its shop stands nothing else can be done
        browser.click(".board [data-target='pile:0'].can")
        browser.wait_for(".draft-steps li")
        browser.click("[data-draft=commit]")
        browser.wait_for(".half.can")
        browser.click(".half.can")
        browser.wait_for(".cell.can")
    tried = browser.run(TRIED)
    assert REASONS[game] <= {text.split(" ")[0] for text in tried}
    for text in tried:
        browser.run("document.querySelector('#toast').textContent = ''")
        browser.run(
            "[...document.querySelectorAll('.play [data-try]:not([data-entries])')]"
            ".find((each) => each.getAttribute('data-try') === arguments[0])"
            ".dispatchEvent(new MouseEvent('click', { bubbles: true }))",
            text,
        )
        browser.wait("return document.querySelector('#toast').textContent !== ''")
        said = browser.text("#toast")
        assert said.startswith("Not possible: ") and len(said) > 25, (text, said)
        assert "expected" not in said and "is no " not in said, (text, said)
        print(f"{game}: {text}: {said}")
    assert not browser.complaints()


LARGE = """
const box = document.querySelector('.player.large .desk-of')?.getBoundingClientRect();
if (!box) return ['there is none'];
const corners = [[.02, .05], [.98, .05], [.02, .95], [.98, .95], [.5, .5]]
  .map(([x, y]) => [box.left + box.width * x, box.top + box.height * y]);
return corners.filter(([x, y]) => !document.elementFromPoint(x, y)?.closest('.player.large .desk-of'));
"""


@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080), (390, 844)], ids=["desk", "large", "phone"])
@pytest.mark.parametrize("game", GAMES)
def test_the_desk_of_another_player_is_enlarged_and_put_back(
    browser: Browser, node: NodeProcess, game: str, size: tuple[int, int]
) -> None:
    base = sign_in(browser, node)
    browser.resize(*size)
    names = NAMES[: 5 if game == "hansa" else 4]
    browser.open(f"{base}#/match/{new_match(node, game, names, seed=f'large {size}')}")
    browser.wait_for(CAN)
    for seat in (1, len(names) - 1):
        browser.click(f"[data-enlarge='{seat}']")
        browser.wait_for(".player.large .desk-of")
        assert browser.run(LARGE) == [], f"all of the desk of seat {seat} can be seen"
        browser.click(f"[data-enlarge='{seat}']")
        browser.wait("return document.querySelector('.player.large') === null")
