"""A person with a screen reader: knows the accessibility tree and nothing else.

What others do is told in one live region; every line of it is kept, so that a test can compare it with what happened.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import Any

from ..driver import Browser

PATIENCE = 90.0
CLICK = (
    "function () { this.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, view: window })); }"
)


@dataclass(frozen=True)
class Item:
    """One thing that a screen reader can name."""

    role: str
    name: str
    inside: tuple[str, ...]  # names of what it is in, from the outside
    roles: tuple[str, ...]  # and their roles
    dead: bool
    pressed: bool
    node: int

    def is_in(self, *names: str) -> bool:
        return any(each.startswith(name) for each in self.inside for name in names)


class Reader:
    """Plays by names and roles."""

    def __init__(self, browser: Browser, names: list[str], seed: str) -> None:
        self.browser = browser
        self.names = names
        self.told: list[str] = []
        self.nameless: set[str] = set()
        self._heard: set[int] = set()
        self._luck = random.Random(seed)
        browser.devtools("Accessibility.enable", {})

    def play(self, choices: int) -> bool:
        """That many choices; whether the match is over."""
        for _ in range(choices):
            items = self._until_due()
            if self._over(items):
                return True
            self._act(items)
        return False

    def settle(self) -> None:
        """Listen until it is one's own turn or the match is over."""
        self._until_due()

    def look(self) -> list[Item]:
        """The tree, in the order in which it is read; what is new in the live region is heard."""
        nodes = self.browser.devtools("Accessibility.getFullAXTree", {})["nodes"]
        known = {node["nodeId"]: node for node in nodes}
        items: list[Item] = []
        _walk(nodes[0], known, (), (), items)
        for item in items:
            if item.role == "StaticText" and "log" in item.roles and item.node not in self._heard:
                self._heard.add(item.node)
                self.told.append(item.name)
        return items

    def now(self, items: list[Item]) -> str:
        """What the page says is to be done."""
        return next((item.name for item in items if _says_now(item)), "")

    def offers(self, items: list[Item]) -> list[Item]:
        """What can be chosen: the entries of an open list, or what board, desks and kinds of action offer."""
        entries = [item for item in items if item.role == "menuitem"]
        if entries:
            return entries
        places = ("What you can do", "Board of ", "Your ")
        found = [
            item
            for item in items
            if item.role == "button" and not item.dead and (item.is_in(*places) or _on_desk(item, self.names))
        ]
        self.nameless |= {f"a button in {item.inside}" for item in found if not item.name}
        return [item for item in found if item.name]

    def confirm(self, items: list[Item]) -> Item | None:
        """The button that ends a turn, where it can be pressed."""
        return next(
            (item for item in items if item.role == "button" and item.name == "Confirm" and not item.dead), None
        )

    def _over(self, items: list[Item]) -> bool:
        return any(item.role == "heading" and item.name.endswith(("wins", "win", "win together")) for item in items)

    def _until_due(self) -> list[Item]:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            items = self.look()
            if self._over(items) or self.offers(items) or self.confirm(items):
                return items
            time.sleep(0.05)
        raise AssertionError(f"nothing to do for {PATIENCE} s: {[item.name for item in self.look()]}")

    def _act(self, items: list[Item]) -> None:
        offers, confirm = self.offers(items), self.confirm(items)
        before = self._sight(items)
        if confirm and (not offers or self._luck.random() < 0.4):
            chosen = confirm
        else:
            fresh = [item for item in offers if not item.pressed]
            chosen = self._luck.choice(fresh or offers)
        self._click(chosen)
        until = time.monotonic() + 20
        while self._sight(self.look()) == before:
            assert time.monotonic() < until, f"{chosen} changed nothing that can be read"
            time.sleep(0.03)

    def _sight(self, items: list[Item]) -> Any:
        return [(item.role, item.name, item.dead, item.pressed) for item in items if item.role != "timer"]

    def _click(self, item: Item) -> None:
        found = self.browser.devtools("DOM.resolveNode", {"backendNodeId": item.node})
        call = {"functionDeclaration": CLICK, "objectId": found["object"]["objectId"]}
        self.browser.devtools("Runtime.callFunctionOn", call)


def _says_now(item: Item) -> bool:
    return item.role == "StaticText" and "paragraph" in item.roles and item.is_in("What now")


def _on_desk(item: Item, names: list[str]) -> bool:
    """Whether it lies in the region that bears a player's name."""
    return any(role == "region" and name in names for role, name in zip(item.roles, item.inside, strict=True))


def _walk(
    node: dict[str, Any], known: dict[str, Any], inside: tuple[str, ...], roles: tuple[str, ...], out: list[Item]
) -> None:
    role = node.get("role", {}).get("value", "")
    name = node.get("name", {}).get("value", "")
    if not node["ignored"] and role != "InlineTextBox":
        facts = {each["name"]: each["value"].get("value") for each in node.get("properties", [])}
        out.append(
            Item(role, name, inside, roles, bool(facts.get("disabled")), facts.get("pressed") == "true", _id(node))
        )
        inside, roles = (*inside, name), (*roles, role)
    for child in node.get("childIds", ()):
        if child in known:
            _walk(known[child], known, inside, roles, out)


def _id(node: dict[str, Any]) -> int:
    return int(node.get("backendDOMNodeId", 0))
