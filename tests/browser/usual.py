"""Clicks for a usual turn: what a person wants, done in the shortest way that the screen offers."""

from __future__ import annotations

import time
from typing import Any

from tests.net.api.kit import NodeProcess

from .driver import Browser
from .person import READY
from .play import ask

# The shortest way to one of several entries of the menu: its own button; an element that means nothing else, and best
# one that stands apart; its kind, if that will be wanted again; an element that means several things.
WAY = """
const [wanted, kind, again] = arguments;
const seen = (element) => {
  const box = element.getBoundingClientRect();
  for (const part of [.5, .25, .75]) for (const other of [.5, .25, .75]) {
    const [x, y] = [box.left + box.width * part, box.top + box.height * other];
    if (document.elementFromPoint(x, y)?.closest('[data-entries], button') === element) return [x, y];
  }
  return null;
};
const middle = (element) => {
  const box = element.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
};
const group = (element) => element.dataset.target?.replace(/:[^:]*$/, '');
const live = [...document.querySelectorAll('.can[data-entries]')].filter((element) => element.getClientRects().length);
const apart = (element) => {
  const [x, y] = middle(element);
  const others = live.filter((other) => other !== element && group(other) !== group(element)).map(middle);
  return Math.min(1e9, ...others.map(([ox, oy]) => Math.hypot(ox - x, oy - y)));
};
const numbers = (element) => element.dataset.entries.split(',').map(Number).filter((each) => wanted.includes(each));
const find = (elements, number) => {
  for (const element of elements) {
    const at = seen(element);
    if (at) return [number(element), at];
  }
  return null;
};
const all = (css) => document.querySelectorAll(css);
const alone = live.filter((element) => !element.dataset.entries.includes(',') && numbers(element).length)
  .sort((a, b) => apart(b) - apart(a));
return find([...all('[data-loose]')].filter((each) => wanted.includes(Number(each.dataset.loose))),
            (each) => Number(each.dataset.loose))
  ?? find(alone, (each) => numbers(each)[0])
  ?? (again ? find(all(`.kind[data-kind='${kind}']:not(.chosen)`), () => wanted[0]) : null)
  ?? find(live.filter((each) => numbers(each).length), (each) => numbers(each)[0])
  ?? find(all(`.kind[data-kind='${kind}']:not(.chosen)`), () => wanted[0]);
"""
ITEM = """
const item = [...document.querySelectorAll('.popover [data-choice]')]
  .find((each) => each.querySelector('span').firstChild.nodeValue === arguments[0]);
if (!item) return null;
const box = item.getBoundingClientRect();
return [box.left + box.width / 2, box.top + box.height / 2];
"""
LATER = {"move"}  # possible once something was placed
BUTTON = """
const box = document.querySelector('[data-draft=commit]').getBoundingClientRect();
return [box.left + box.width / 2, box.top + box.height / 2];
"""


def until(node: NodeProcess, match: str, kinds: list[str]) -> None:
    """Decide for the person until a turn begins in which these kinds of action are possible."""
    link = node.link()
    for _ in range(400):
        state = link.get(f"matches/{match}")
        draft = state["draft"]
        if not state["your_turn"]:
            time.sleep(0.03)
        elif draft["must_commit"]:
            link.post(f"matches/{match}/commit", {"seat": 0})
        elif _begins(state) and set(kinds) <= {entry["kind"] for entry in state["menu"]} | LATER:
            return
        else:
            entry = state["menu"][len(state["menu"]) // 2]
            link.post(f"matches/{match}/draft", {"seat": 0, "text": entry["text"]})
    raise AssertionError(f"no turn came in which {kinds} are possible")


def _begins(state: dict[str, Any]) -> bool:
    """Whether the person has done nothing in this turn."""
    last = next((line["seat"] for line in reversed(state["log"]) if line["seat"] is not None), None)
    return not state["draft"]["steps"] and last != 0


class UsualTurn:
    """One turn of a person who knows what they want."""

    def __init__(self, browser: Browser, node: NodeProcess, match: str, finger: bool) -> None:
        self.browser = browser
        self.node = node
        self.match = match
        self.finger = finger
        self.clicks = 0
        self.did: list[str] = []

    def play(self, wanted: list[str]) -> int:
        """Choices of these kinds in their order, whatever they lead to, and confirm; returns the clicks it took."""
        left = list(wanted)
        while True:
            self.browser.wait(READY, seconds=60)
            state = self._state()
            draft = state["draft"]
            done = not left or draft["must_commit"]
            if done and draft["steps"] and draft["may_commit"]:
                self._click(self.browser.run(BUTTON), "confirm")
                if not left:
                    return self.clicks
                self.browser.wait("return document.querySelector('.draft-steps li') === null", seconds=60)
                continue
            assert state["your_turn"], self.did
            kind = left[0] if any(left[:1] == [each["kind"]] for each in state["menu"]) else state["menu"][0]["kind"]
            if left[:1] == [kind]:
                left.pop(0)
            self._choose(state, kind, left[:1] == [kind])

    def _choose(self, state: dict[str, Any], kind: str, again: bool) -> None:
        menu = state["menu"]
        wanted = [number for number, entry in enumerate(menu) if entry["kind"] == kind]
        steps = len(state["draft"]["steps"])
        chosen = wanted[0]
        for _ in range(4):
            at = self.browser.run(ITEM, menu[chosen]["phrase"]) if self.browser.has(".popover") else None
            if at is None:
                way = self.browser.run(WAY, wanted, kind, again)
                assert way is not None, f"{kind} is not in sight: {self.did}"
                chosen, at = way
            self._click(at, menu[chosen]["phrase"])
            self.browser.wait(READY, seconds=60)
            if len(self._state()["draft"]["steps"]) != steps:
                return
        raise AssertionError(f"{kind} cannot be reached: {self.did}")

    def _click(self, at: list[float], what: str) -> None:
        self.browser.point(*at, touch=self.finger)
        self.clicks += 1
        self.did.append(what)
        self.browser.run_async("setTimeout(arguments[0], 120)")

    def _state(self) -> dict[str, Any]:
        state: dict[str, Any] = ask(self.node, f"matches/{self.match}")
        return state
