"""The menu: what can be done now, narrowed down by typing, chosen by arrow or number."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class MenuItem:
    """One thing to do: a choice of the game, or a command of the screen."""

    label: str
    text: str = ""  # the notation, which is typed and sent but not shown; empty for commands
    command: str = ""
    effect: str | None = ""  # None: the node has not told it yet
    reveals: bool = False
    target: str | None = None
    kind: str = ""  # the title above it and its like


@dataclass
class Menu:
    """All items, and those that the typed text leaves."""

    items: tuple[MenuItem, ...] = ()
    typed: str = ""
    _cursor: int = 0
    _shown: list[int] = field(default_factory=list)

    def fill(self, items: Sequence[MenuItem]) -> None:
        """New items; if they are the old ones the choice stays."""
        changed = [(item.text, item.command) for item in items] != [(item.text, item.command) for item in self.items]
        self.items = tuple(items)
        if changed:
            self._cursor = 0
        self._narrow()

    def type(self, text: str) -> None:
        """The typed text: a number marks that item, anything else leaves the items that contain its words."""
        if text == self.typed:
            return
        self.typed = text
        self._cursor = 0
        self._narrow()
        number = self._number()
        if number is not None:
            self._cursor = number

    @property
    def shown(self) -> list[tuple[int, MenuItem]]:
        """Numbers (from 1 on) and items that can be chosen now."""
        return [(index + 1, self.items[index]) for index in self._shown]

    @property
    def cursor(self) -> int:
        """The place of the marked item among those shown."""
        return self._cursor

    @property
    def marked(self) -> MenuItem | None:
        return self.items[self._shown[self._cursor]] if self._shown else None

    def move(self, steps: int) -> None:
        """Mark another item; the ends are walls."""
        self._cursor = max(0, min(len(self._shown) - 1, self._cursor + steps))

    def mark(self, place: int) -> bool:
        """Mark the item at this place among those shown."""
        if not 0 <= place < len(self._shown):
            return False
        self._cursor = place
        return True

    def meant(self) -> MenuItem | None:
        """What Enter does: what was typed in full or by number, else the marked item; None if nothing fits."""
        wanted = _folded(self.typed)
        for item in self.items:
            if item.text and _folded(item.text) == wanted:
                return item
        return self.marked

    def _number(self) -> int | None:
        text = self.typed.strip()
        if not (text.isascii() and text.isdigit() and len(text) < 5):
            return None
        return int(text) - 1 if 1 <= int(text) <= len(self.items) else None

    def _narrow(self) -> None:
        words = _folded(self.typed).split()
        if not words or self._number() is not None:
            self._shown = list(range(len(self.items)))
        else:
            self._shown = [
                index
                for index, item in enumerate(self.items)
                if all(word in _folded(f"{item.text} {item.label} {item.kind}") for word in words)
            ]
        self._cursor = max(0, min(len(self._shown) - 1, self._cursor))


def _folded(text: str) -> str:
    """Without capitals and accents: «lubeck» finds Lübeck."""
    spread = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(char for char in spread if not unicodedata.combining(char)).split())
