"""A person at the screen: clicks what is seen with a real pointer, and keeps count of what annoys."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from typing import Any

from .driver import Browser, Page

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

# Everything that can be clicked to play: a point that hits it, its size, and what it is. What lies outside the frame of
# an enlarged board is left out: arrows and "Fit" lead there.
OFFERS = """
const [finger] = arguments;
const offers = (meant) => {
const root = document.querySelector('.play');
const frame = document.querySelector('.frame');
const zoomed = frame.classList.contains('zoomed');
const within = (box, outer) =>
  box.right > outer.left && box.bottom > outer.top && box.left < outer.right && box.top < outer.bottom;
const shown = (element) => {
  const box = element.getBoundingClientRect();
  const inner = frame.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  const beyond = zoomed && frame.contains(element)
    && (x < inner.left + 44 || x > inner.right - 44 || y < inner.top + 44 || y > inner.bottom - 44);
  return box.width > 0 && box.height > 0 && !beyond
    && within(box, { left: 0, top: 0, right: innerWidth, bottom: innerHeight });
};
const hit = (element, css) => {
  const box = element.getBoundingClientRect();
  for (const part of [.5, .3, .7, .15, .85]) for (const other of [.5, .3, .7, .15, .85]) {
    const [x, y] = [box.left + box.width * part, box.top + box.height * other].map(Math.round);  // a pointer's place
    const there = document.elementFromPoint(x, y);
    if (there && there.closest(css) === element) return [x, y];
  }
  return null;
};
const scrolls = (list) => Boolean(list) && list.scrollHeight > list.clientHeight + 1;
const list = (css, what) => [...document.querySelectorAll(css)].filter(shown).map((element) => {
  const box = element.getBoundingClientRect();
  const closest = what === 'target' ? '[data-entries]' : 'button';
  return { what, element, at: hit(element, closest), size: Math.min(box.width, box.height),
           entries: element.dataset.entries ?? '', scrolls: scrolls(element.closest('.kinds')),
           name: element.dataset.target ?? element.dataset.kind ?? element.textContent };
});
// How wide the place is where a finger means a target: the way to its edge, tried in eight directions, also beside its
// middle where the target lies at the edge of what is seen.
const WAYS = [0, 1, 2, 3, 4, 5, 6, 7].map((way) => [Math.cos(way * Math.PI / 4), Math.sin(way * Math.PI / 4)]);
const means = (element, x, y) => meant(root, { target: document.elementFromPoint(x, y), clientX: x, clientY: y }, true)
  .includes(element);
const across = (element, [x, y]) => {
  const places = [[0, 0], ...[6, 12].flatMap((far) => WAYS.map(([dx, dy]) => [dx * far, dy * far]))];
  const wide = (far) => places.some(([px, py]) => WAYS.every(([dx, dy]) =>
    means(element, x + px + dx * far, y + py + dy * far)));
  return 2 * ([22, 18, 12, 8].find(wide) ?? 4);
};
const small = (offers) => {
  const targets = offers.filter((each) => each.what === 'target' && each.at && each.size < 44)
    .sort((a, b) => a.size - b.size);
  for (const each of finger ? new Set([...targets.slice(0, 4), ...targets.slice(-2)]) : [])
    each.across = across(each.element, each.at);
  for (const each of offers) {
    each.size = each.across ?? (finger && each.what === 'target' ? Math.max(each.size, 44) : each.size);
    delete each.element;
  }
  return offers;
};
const items = list('.popover [data-choice]', 'item');
return small(items.length ? items : [
  ...list('.frame .can[data-entries], .desk .can[data-entries], .seats-box .can[data-entries]', 'target'),
  ...list('.kinds [data-loose]', 'loose'),
  ...list('.kinds .kind:not([aria-disabled]):not(.chosen)', 'kind'),
  ...list('.frame.zoomed [data-frame=fit]', 'kind'),
  ...list('[data-draft=commit]:not(:disabled)', 'commit'),
]);
};
return finger ? import('/ui/match/doing/pointing.js').then(({ meant }) => offers(meant)) : offers(null);
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
// Buttons and links; the handle of the sheet is one with the line below it.
const controls = [...document.querySelectorAll(':is(.play, .popover) :is(button, a, input, summary)')]
  .filter((element) => element.getClientRects().length && !element.matches('.sheet-handle'))
  .map((element) => ({ box: element.getBoundingClientRect(), name: element.className || element.textContent }))
  .map(({ box, name }) => [Math.min(box.width, box.height), name]).sort((a, b) => a[0] - b[0]);
const hidden = desk?.querySelector('.can') && !desk.getClientRects().length;
return {
  control: controls[0] ?? [1e9, ''], zoomed: document.querySelector('.frame.zoomed') !== null,
  deskLost: Boolean(hidden) && !document.querySelector('.sheet-more')?.getClientRects().length,
  now: inside(line) && line.scrollHeight <= line.clientHeight + 2,
  board: inside(document.querySelector('.frame')),
  high: Math.ceil(document.querySelector('.now-line').getBoundingClientRect().height),
  desk: inside(desk), deskCut: desk ? desk.scrollHeight - desk.clientHeight : 0,
  page: [scrollX, scrollY, document.documentElement.scrollHeight - innerHeight],
  scrolls: window.__scrolls.splice(0), code: found,
};
"""

STATE = """
const frame = document.querySelector('.frame');
return [frame?.dataset.drawn, document.querySelector('.popover') !== null,
        document.querySelector('.kind.chosen')?.dataset.kind, document.querySelector('.ground')?.style.transform,
        document.querySelector('.play')?.dataset.sheet,
        document.querySelector('.whose')?.dataset.turn].join('|');
"""
DRAWN = "return document.querySelector('.frame').dataset.drawn"
ASKED = "#tip:not([hidden])"  # what a long press shows; a slow machine makes one of a tap
HANDLE = """
const box = document.querySelector('.sheet-handle').getBoundingClientRect();
return [box.left + box.width / 2, box.top + box.height / 2];
"""
HEIGHTS = 3  # of the sheet
PATIENCE = 2.0  # seconds without anything to click after which a person would complain
READY = """
if (document.querySelector('.play[aria-busy=true]')) return false;
if (document.querySelector('.ground')?.getAnimations().length) return false;
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
    line_high: int = 0  # pixels: where long sentences took a line more, the board would move
    desk_hidden: int = 0
    desk_cut: int = 0  # pixels of one's own desk that were out of sight, at most
    desk_lost: int = 0  # times that something of the desk could be chosen and nothing told so
    smallest: float = 1e9  # of the targets; for a finger the place where a tap means it
    smallest_is: str = ""
    control: float = 1e9  # the smallest button
    control_is: str = ""
    closer: int = 0  # taps that only showed the board from closer by
    held: int = 0  # taps that a slow machine made a long press of
    lone: list[str] = field(default_factory=list)  # clicks that were the only one possible
    code: set[str] = field(default_factory=set)
    unreachable: set[str] = field(default_factory=set)
    over: bool = False


class Person:
    """Plays at one window by what it shows."""

    def __init__(self, browser: Page, names: list[str], seed: str = "person", finger: bool = False) -> None:
        self.browser = browser
        self.finger = finger
        self._zoomed = False
        self._drawn_at: str | None = None  # the drawing in which this person moved the sheet
        self._back = 0  # how often it may still be moved to see what can be chosen
        self.names = names
        self.counts = Counts()
        self._luck = random.Random(seed)

    def play(self, clicks: int) -> Counts:
        """That many clicks, or until the match is over."""
        self.browser.run(WATCH)
        while self.counts.clicks < clicks:
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
        counts.line_high = max(counts.line_high, seen["high"])
        counts.desk_hidden += not seen["desk"]
        counts.desk_cut = max(counts.desk_cut, int(seen["deskCut"]))
        counts.desk_lost += seen["deskLost"]
        counts.code |= set(seen["code"])
        if seen["control"][0] < counts.control:
            counts.control, counts.control_is = seen["control"]
        self._zoomed = seen["zoomed"]
        if any(seen["page"]):
            counts.scrolls.append(f"page {seen['page']}")

    def _click(self) -> None:
        if self.finger and not self.browser.has(".popover") and self._luck.random() < 0.08:
            self._back = HEIGHTS
            self._draw_the_sheet()
            return
        offers = self._offers()
        counts = self.counts
        for offer in offers:
            # a long list has a scroll of its own, and an enlarged board is drawn away from what covers it
            if offer["at"] is None and offer["what"] != "item" and not offer["scrolls"] and not self._zoomed:
                counts.unreachable.add(str(offer["name"]))
            if offer["what"] == "target" and offer["at"] and offer["size"] < counts.smallest:
                counts.smallest, counts.smallest_is = offer["size"], f"{offer['name']} at {offer['at']}"
        can = [offer for offer in offers if offer["at"] is not None]
        meant = {offer["entries"] or offer["name"] for offer in can}
        if len(meant) <= 1 and self._back and self._drawn_at == self.browser.run(DRAWN):
            self._back -= 1
            self._draw_the_sheet()  # whoever pulled it over what can be chosen knows how to move it away
            return
        assert can, f"the page waits for a click and offers nothing: {self.browser.text('.play')[:400]}"
        if len(meant) == 1 and can[0]["what"] != "commit" and not self._zoomed:
            counts.lone.append(str(can[0]["name"]))
        chosen = self._choose(can)
        before = self.browser.run(STATE)
        self.tap(*chosen["at"])
        counts.clicks += 1
        self._wait_for_change(before, str(chosen))
        counts.closer += self.browser.has(".frame.zoomed") and not self._zoomed

    def _offers(self) -> list[dict[str, Any]]:
        """What can be clicked; nobody takes a sheet that is still on its way up for a page without choices."""
        until = time.monotonic() + PATIENCE
        while True:
            offers: list[dict[str, Any]] = self.browser.run(OFFERS, self.finger)
            if time.monotonic() > until or any(offer["at"] is not None for offer in offers):
                return offers
            time.sleep(0.05)

    def _draw_the_sheet(self) -> None:
        """A look at the hand, or at more of the board."""
        before = self.browser.run(STATE)
        self.tap(*self.browser.run(HANDLE))
        self._wait_for_change(before, "the handle")
        self._drawn_at = self.browser.run(DRAWN)

    def _wait_for_change(self, before: str, what: str) -> None:
        until = time.monotonic() + 20
        while self.browser.run(STATE) == before:
            if time.monotonic() > until:
                raise AssertionError(f"a click on {what} changed nothing")
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
        """A click, or a tap of a finger, at a point of the window; a tap that was long asks, so it is made again."""
        if self.finger and isinstance(self.browser, Browser):
            self.browser.point(x, y, touch=True)
            if self.browser.has(ASKED):
                self.counts.held += 1
                self.browser.point(x, y, touch=True)
        else:
            self.browser.point(x, y)
