"""The big screen: the public board in large, staged, with nothing to click and nothing hidden."""

from __future__ import annotations

import pytest

from tests.net.api.guests.door_phone import DoorPhone, RawSocket
from tests.net.api.kit import NodeProcess, state_where

from .driver import Browser
from .phones import link_for
from .play import ask, new_match, sign_in

pytestmark = pytest.mark.browser
NAMES = ["Annabel", "Bertram", "Cosima"]
# Everything fits on the picture; letters are large enough; nothing can be chosen.
FITS = """
const box = (css) => document.querySelector(css).getBoundingClientRect();
const size = (css) => parseFloat(getComputedStyle(document.querySelector(css)).fontSize) / innerHeight;
return {
  scrolls: document.documentElement.scrollHeight > innerHeight || document.documentElement.scrollWidth > innerWidth,
  line: size('.big-now'), name: size('.big-player'), news: size('.big-news'),
  board: box('.big-board').width * box('.big-board').height / innerWidth / innerHeight,
  live: document.querySelectorAll('button, a, input, select, .can').length,
  players: [...document.querySelectorAll('.big-player .name')].map((each) => each.textContent),
};
"""
# Keeps every line that stood on top, and where every piece that flew began.
NOTE = """
[window.lines, window.flights] = [[], []];
new MutationObserver(() => {
  window.lines.push(document.querySelector('.big-now').textContent);
  for (const each of document.querySelectorAll('.ghost')) {
    const {top, left} = each.getBoundingClientRect();
    const isSeen = top < innerHeight && left < innerWidth && document.documentElement.scrollHeight <= innerHeight;
    window.flights.push(isSeen);
  }
}).observe(document.body, {subtree: true, childList: true, characterData: true});
"""


@pytest.mark.parametrize("game", ["osaka", "yokohama"])
def test_the_match_is_shown_to_everybody_in_large(game: str, node: NodeProcess, browser: Browser) -> None:
    address = sign_in(browser, node)
    match = new_match(node, game, NAMES, seed="television")
    for width, height in ((1920, 1080), (1280, 720)):
        browser.resize(width, height)
        browser.open("about:blank")
        browser.open(f"{address}screen#match/{match}")
        browser.wait_for(".big-board svg")
        seen = browser.run(FITS)
        assert not seen["scrolls"] and seen["players"] == NAMES and seen["live"] == 0
        assert seen["line"] > 0.04 and seen["name"] > 0.035 and seen["news"] > 0.025 and seen["board"] > 0.5
    state = ask(node, f"matches/{match}?seat=none")
    assert state["seat"] is None and state["menu"] == [], "the page asks for what a spectator sees"
    asked = browser.run("return performance.getEntriesByType('resource').map((each) => each.name)")
    states = [name for name in asked if f"/matches/{match}" in name]
    assert states and all("seat=none" in name for name in states)


def test_a_move_is_staged_in_words(node: NodeProcess, browser: Browser) -> None:
    address = sign_in(browser, node)
    match = new_match(node, "osaka", NAMES, seed="staged")
    browser.open("about:blank")
    browser.open(f"{address}screen#match/{match}")
    browser.wait_for(".big-board svg")
    browser.run(NOTE)
    state = ask(node, f"matches/{match}")
    seat = state["to_act"]
    while not state["draft"]["must_commit"]:
        state = ask(node, f"matches/{match}/draft", {"seat": seat, "text": state["menu"][0]["text"]})
    ask(node, f"matches/{match}/commit", {"seat": seat})
    browser.wait("return window.lines.some((line) => line.startsWith(arguments[0]))", f"{NAMES[seat]} starts")
    browser.wait("return window.flights.length > 0")
    assert all(browser.run("return window.flights")), "pieces fly over the picture, not below it"
    assert browser.complaints() == []


# A match that has just ended, while its last moves are shown and afterwards: who has won, and the points.
ENDED = """
return import('/screen/match.js').then(async ({BigMatch}) => {
  const match = await BigMatch.open(arguments[0], []);
  const row = (each) => [each.classList.contains('won'), each.querySelector('.points').textContent];
  const shown = () => [...match.element.querySelectorAll('.big-player')].map(row);
  match.state = {...match.state, status: 'over', result: {winners: [1], scores: [41, 42, 43]}};
  return [true, false].map((isPlaying) => {
    match.director.isPlaying = isPlaying;
    match.draw();
    return shown();
  });
});
"""


def test_nobody_has_won_before_the_last_moves_were_shown(node: NodeProcess, browser: Browser) -> None:
    address = sign_in(browser, node)
    match = new_match(node, "osaka", NAMES, seed="ended")
    browser.open(f"{address}screen#match/{match}")
    browser.wait_for(".big-board svg")
    staged, over = browser.run(ENDED, match)
    assert staged == [[False, "0"]] * 3
    assert over == [[False, "41"], [True, "42"], [False, "43"]]


# The codes that are on the picture, wholly, and how large they are.
CODES = """
const boxes = [...document.querySelectorAll(`${arguments[0]} figure`)];
return boxes.map((each) => {
  const box = each.querySelector('img').getBoundingClientRect();
  const isWhole = each.getBoundingClientRect().bottom <= innerHeight && box.right <= innerWidth && box.top >= 0;
  return [each.dataset.link, each.querySelector('figcaption').textContent, isWhole ? box.height / innerHeight : 0];
});
"""


def test_a_television_comes_through_the_door_and_shows_the_codes(node: NodeProcess, browser: Browser) -> None:
    link = node.link()
    table = str(link.post("tables", {"game": "osaka", "seats": 4, "spectators": True})["id"])
    link.post(f"tables/{table}/bot", {"seat": 0, "kind": "greedy", "name": "Greta"})
    link.post("party", {"table": table, "port": 0})
    browser.resize(1920, 1080)
    browser.open(link_for(node, "screen"))
    browser.wait_for(".big-codes img")
    assert "#" not in browser.run("return location.href")
    seen = browser.run(CODES, ".big-codes")
    assert [each[:2] for each in seen] == [
        ["seat", "Seat 2"],
        ["seat", "Seat 3"],
        ["seat", "Seat 4"],
        ["watch", "Watch"],
    ]
    assert all(size > 0.2 for _, _, size in seen), seen
    assert ask(node, "party")["code"] in browser.text(".big-how") and "Greta" in browser.text(".big-seats")
    phones = []
    for seat, name in ((1, "Bruno"), (2, "Clara"), (3, "Dora")):
        phones.append(DoorPhone.by_link(link_for(node, "seat", seat), name))
        link.post("party/accept", {"guest": phones[-1].you["guest"], "seat": seat})
        browser.wait("return document.querySelector('.big-seats')?.textContent.includes(arguments[0])", name)
    assert [each[0] for each in browser.run(CODES, ".big-codes")] == ["watch"]
    match = ask(node, f"tables/{table}/ready", {})["match"]
    browser.wait_for(".big-board svg")
    seen = browser.run(FITS)
    assert not seen["scrolls"] and seen["live"] == 0 and seen["players"] == ["Greta", "Bruno", "Clara", "Dora"]
    (watch,) = browser.run(CODES, ".big-strip")
    assert watch[:2] == ["watch", "Watch"] and watch[2] > 0.12
    browser.reload()  # it was switched off and on
    browser.wait_for(".big-board svg")
    state = state_where(link, match, lambda now: now["to_act"] in (1, 2, 3))
    acting = phones[state["to_act"] - 1]
    state = acting.get(f"matches/{match}")
    while not state["draft"]["may_commit"]:
        state = acting.post(f"matches/{match}/draft", {"text": state["menu"][0]["text"]})
    acting.post(f"matches/{match}/commit", {})
    browser.wait("return document.querySelector('.big-news')?.textContent.includes(arguments[0])", acting.you["name"])
    assert browser.complaints() == []
    link.delete("party")
    browser.wait("return document.querySelector('#screen').textContent.includes('ended the party')")
    browser.wait_for("#screen-code")
    RawSocket.close_all()


def test_a_television_with_a_typed_code_waits_for_the_hosts_yes(node: NodeProcess, browser: Browser) -> None:
    link = node.link()
    match = new_match(node, "osaka", NAMES, seed="typed")
    party = link.post("party", {"match": match, "port": 0})
    browser.resize(1920, 1080)
    browser.open("about:blank")
    browser.open(f"{party['url']}screen")
    browser.wait_for("#screen-code")
    browser.run("document.querySelector('#screen-code').value = arguments[0].toLowerCase()", party["code"])
    browser.click("form button")
    browser.wait_for(".six-words")
    (guest,) = ask(node, "party")["guests"]
    assert guest["kind"] == "screen" and " ".join(guest["words"]) == browser.text(".six-words")
    link.post("party/accept", {"guest": guest["id"]})
    browser.wait_for(".big-board svg")
    assert {each["kind"] for each in ask(node, "party")["guests"]} == {"screen"}
    link.delete("party")
