"""The terminal: width, colour, and the one gate through which every text reaches it."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterable
from typing import TextIO

STYLES = {
    "bold": 1, "dim": 2, "underline": 4, "reverse": 7,
    "black": 30, "red": 31, "green": 32, "yellow": 33, "blue": 34, "magenta": 35, "cyan": 36, "white": 37,
    "grey": 90, "orange": 33, "brown": 33, "pink": 95, "purple": 35,
    "paper": 107,  # the ground, in bright white
}  # fmt: skip
_OURS = re.compile("(\x1b\\[(?:" + "|".join(str(code) for code in sorted({0, *STYLES.values()})) + ")m)")
_CLEAR = "\x1b[2J\x1b[3J\x1b[H"


def clean(text: str) -> str:
    """The text without anything that could steer a terminal or hide what it says."""
    return "".join(
        char
        if char == "\n" or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
        else "\N{MIDDLE DOT}"
        for char in text
    )


def one_line(text: str) -> str:
    """The same in one line: a name with a line end in it must not look like two."""
    return clean(text).replace("\n", "\N{MIDDLE DOT}")


class Terminal:
    """Where the client prints and asks; `paint` styles a text if colours are wanted."""

    def __init__(self, out: TextIO | None = None, colour: bool | None = None) -> None:
        self._out = out or sys.stdout
        self.is_tty = self._out.isatty()
        wanted = self.is_tty and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
        self.colour = wanted if colour is None else colour
        if sys.platform == "win32" and self.is_tty:
            os.system("")  # noqa: S605, S607 - switches the console to escape sequences

    @property
    def width(self) -> int:
        """Columns to fill: the terminal's, within reason."""
        return max(40, min(shutil.get_terminal_size((80, 24)).columns, 120)) if self.is_tty else 80

    def paint(self, text: str, style: str) -> str:
        """The text in a style such as «red» or «bold blue»; unchanged without colours."""
        codes = [STYLES[word] for word in style.split() if word in STYLES]
        if not self.colour or not codes or not text:
            return text
        return "".join(f"\x1b[{code}m" for code in codes) + text + "\x1b[0m"

    def print(self, text: str = "", end: str = "\n") -> None:
        """Print through the gate: of escape sequences only our own styles pass."""
        pieces = _OURS.split(text) if self.colour else [text]
        safe = "".join(piece if self.colour and _OURS.fullmatch(piece) else clean(piece) for piece in pieces)
        try:
            self._out.write(safe + end)
        except UnicodeEncodeError:  # a terminal that knows few characters
            encoding = self._out.encoding or "ascii"
            self._out.write((safe + end).encode(encoding, "replace").decode(encoding))
        self._out.flush()

    def lines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.print(line)

    def wrapped(self, text: str, indent: str = "  ", head: str = "", style: str = "") -> None:
        """A plain text, broken at the width; it may begin with a word of ours in a style of its own.

        No word is broken: whoever copies the name of a file or a key wants all of it.
        """
        said = textwrap.fill(head + clean(text), self.width, subsequent_indent=indent, break_long_words=False)
        self.print(self.paint(said[: len(head)], style) + said[len(head) :])

    def clear(self) -> None:
        """Hide what was shown; where the screen cannot be cleared, push it out of sight."""
        self._out.write(_CLEAR if self.is_tty else "\n" * 3)
        self._out.flush()

    def ask(self, prompt: str) -> str | None:
        """One line from the player, None at the end of input."""
        self.print(prompt, end="")
        line = sys.stdin.readline()
        if not line:
            self.print()
            return None
        if not sys.stdin.isatty():
            self.print(clean(line.strip()))  # nobody's typing shows what was answered
        return clean(line.strip())


def columns(cells: list[str], width: int) -> list[str]:
    """Short cells side by side, filled downwards."""
    if not cells:
        return []
    widest = max(map(len, cells)) + 2
    count = max(1, min(len(cells), width // widest))
    rows = -(-len(cells) // count)
    return ["".join(cell.ljust(widest) for cell in cells[row::rows]).rstrip() for row in range(rows)]
