"""A person at the screen: clicks what is seen with a real pointer, and keeps count of what annoys."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from typing import Any

from .driver import Browser

# What no person should have to read: words of files and scripts, and slips of the program.
CODE = r"[a-z]+_[a-z0-9_]+|\b[a-z]{3}-[a-z]{3}\b(?::\d)?|\b[A-Z]\d{2}\b|@\w?\d|\bNone\b|undefined|NaN|\[object|[{}]"

# Counts every scroll from now on: this person never scrolls.
WATCH = """
if (!window.__scrolls) {
  window.__scrolls = [];
  document.addEventListener('scroll', (event) => {
    const at = event.target === document ? document.scrollingElement : event.target;
    window.__scrolls.push(`${at.className || at.tagName} ${at.scrollLeft} ${at.scrollTop}`);
  }, true);
}
"""

# Everything that can be clicked to play: a point that hits it, its size, and what it is.
OFFERS = """
const shown = (element) => {
  const box = element.getBoundingClientRect();
  return box.width > 0 && box.height > 0
    && box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight;
};
const hit = (element, css) => {
  const box = element.getBoundingClientRect();
  for (const part of [.5, .3, .7, .15, .85]) for (const other of [.5, .3, .7, .15, .85]) {
    const [x, y] = [box.left + box.width * part, box.top + box.height * other];
    const there = document.elementFromPoint(x, y);
    if (there && there.closest(css) === element) return [x, y];
  }
  return null;
};
const list = (css, what) => [...document.querySelectorAll(css)].filter(shown).map((element) => {
  const box = element.getBoundingClientRect();
  const closest = what === 'target' ? '[data-entries]' : 'button';
  return { what, at: hit(element, closest), width: box.width, height: box.height,
           entries: element.dataset.entries ?? '',
           name: element.dataset.target ?? element.dataset.kind ?? element.textContent };
});
const items = list('.popover [data-choice]', 'item');
if (items.length) return items;
return [
  ...list('.frame .can[data-entries], .desk .can[data-entries], .seats-box .can[data-entries]', 'target'),
  ...list('.kinds [data-loose]', 'loose'),
  ...list('.kinds .kind:not([aria-disabled]):not(.chosen)', 'kind'),
  ...list('[data-draft=commit]:not(:disabled)', 'commit'),
];
"""

LOOK = """
const [pattern, names] = arguments;
const line = document.querySelector('.whose');
const inside = (element, whole) => {
  if (!element) return false;
  const box = element.getBoundingClientRect();
  if (box.width < 1 || box.height < 1) return false;
  return box.left >= -1 && box.top >= -1 && box.right <= innerWidth + 1 && box.bottom <= innerHeight + 1;
};
const desk = document.querySelector('.desk');
const texts = [];
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = walk.nextNode(); node; node = walk.nextNode())
  if (node.parentElement.getClientRects().length) texts.push(node.nodeValue);
for (const element of document.querySelectorAll('[aria-label], [title], [data-tip]'))
  for (const name of ['aria-label', 'title', 'data-tip'])
    if (element.hasAttribute(name)) texts.push(element.getAttribute(name));
const code = new RegExp(pattern, 'g');
const nameless = (text) => names.reduce((left, name) => left.replaceAll(name, ''), text);
const found = [...new Set(texts.flatMap((text) => nameless(text).match(code) ?? []))];
return {
  now: inside(line) && line.scrollHeight <= line.clientHeight + 2,
  board: inside(document.querySelector('.frame')),
  desk: inside(desk), deskCut: desk ? desk.scrollHeight - desk.clientHeight : 0,
  page: [scrollX, scrollY, document.documentElement.scrollHeight - innerHeight],
  scrolls: window.__scrolls.splice(0), code: found,
};
"""

STATE = """
const frame = document.querySelector('.frame');
return [frame?.dataset.drawn, document.querySelector('.popover') !== null,
        document.querySelector('.kind.chosen')?.dataset.kind,
        document.querySelector('.whose')?.dataset.turn].join('|');
"""
READY = """
if (document.querySelector('.play[aria-busy=true]')) return false;
if (document.querySelector('.popover, .result, [data-curtain]')) return true;
return document.querySelector('[data-turn=you]') !== null && document.querySelector('.caption.staged') === null;
"""


@dataclass
class Counts:
    """What a person met on the way."""

    clicks: int = 0
    scrolls: list[str] = field(default_factory=list)
    line_hidden: int = 0
    board_hidden: int = 0
    desk_hidden: int = 0
    desk_cut: int = 0  # pixels of one's own desk that were out of sight, at most
    smallest: float = 1e9
    smallest_is: str = ""
    lone: list[str] = field(default_factory=list)  # clicks that were the only one possible
    code: set[str] = field(default_factory=set)
    unreachable: set[str] = field(default_factory=set)
    over: bool = False


class Person:
    """Plays at one window by what it shows."""

    def __init__(self, browser: Browser, names: list[str], seed: str = "person") -> None:
        self.browser = browser
        self.names = names
        self.counts = Counts()
        self._luck = random.Random(seed)

    def play(self, clicks: int) -> Counts:
        """That many clicks, or until the match is over."""
        self.browser.run(WATCH)
        for _ in range(clicks):
            self.browser.wait(READY, seconds=90)
            if self.browser.has(".result"):
                self.counts.over = True
                break
            self._look()
            self._click()
        return self.counts

    def _look(self) -> None:
        seen = self.browser.run(LOOK, CODE, self.names)
        counts = self.counts
        counts.scrolls += seen["scrolls"]
        counts.line_hidden += not seen["now"]
        counts.board_hidden += not seen["board"]
        counts.desk_hidden += not seen["desk"]
        counts.desk_cut = max(counts.desk_cut, int(seen["deskCut"]))
        counts.code |= set(seen["code"])
        if any(seen["page"]):
            counts.scrolls.append(f"page {seen['page']}")

    def _click(self) -> None:
        offers = self.browser.run(OFFERS)
        counts = self.counts
        for offer in offers:
            if offer["at"] is None and offer["what"] != "item":  # a long list has a scroll of its own
                counts.unreachable.add(str(offer["name"]))
            if offer["what"] == "target" and min(offer["width"], offer["height"]) < counts.smallest:
                counts.smallest, counts.smallest_is = min(offer["width"], offer["height"]), str(offer["name"])
        can = [offer for offer in offers if offer["at"] is not None]
        assert can, f"the page waits for a click and offers nothing: {self.browser.text('.play')[:400]}"
        meant = {offer["entries"] or offer["name"] for offer in can}
        if len(meant) == 1 and can[0]["what"] != "commit":
            counts.lone.append(str(can[0]["name"]))
        chosen = self._choose(can)
        before = self.browser.run(STATE)
        self.tap(*chosen["at"])
        counts.clicks += 1
        until = time.monotonic() + 20
        while self.browser.run(STATE) == before:
            if time.monotonic() > until:
                raise AssertionError(f"a click on {chosen} changed nothing")
            time.sleep(0.02)

    def _choose(self, can: list[dict[str, Any]]) -> dict[str, Any]:
        """Confirm now and then, otherwise anything; a kind is chosen less often than a target."""
        commit = [offer for offer in can if offer["what"] == "commit"]
        others = [offer for offer in can if offer["what"] != "commit"]
        if commit and (not others or self._luck.random() < 0.4):
            return commit[0]
        things = [offer for offer in others if offer["what"] != "kind"]
        return self._luck.choice(things if things and self._luck.random() < 0.7 else others)

    def tap(self, x: float, y: float) -> None:
        """A press and release of the mouse at a point of the window."""
        self.browser.point(x, y)
