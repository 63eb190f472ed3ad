"""Colours: the boards paint with words such as «bold red»; here they become styles of the screen.

Letters say everything that colours repeat, so that the screen reads the same without them.
"""

from __future__ import annotations

import re

from prompt_toolkit.styles import Style

from .fitted_text import Line

# Marks around painted text. They are private-use characters, which no cleaned text contains.
_BEGIN, _MIDDLE, _END = "\ue000", "\ue001", "\ue002"
_PAINTED = re.compile(f"{_BEGIN}([a-z ]*){_MIDDLE}([^{_BEGIN}{_END}]*){_END}")

_WORDS = {
    "bold": "bold",
    "dim": "class:dim",
    "underline": "underline",
    "reverse": "reverse",
    "black": "bold",
    "red": "fg:ansired",
    "green": "fg:ansigreen",
    "yellow": "fg:ansiyellow",
    "orange": "fg:ansiyellow",
    "brown": "fg:ansiyellow",
    "blue": "fg:ansibrightblue",
    "magenta": "fg:ansimagenta",
    "purple": "fg:ansimagenta",
    "pink": "fg:ansibrightmagenta",
    "cyan": "fg:ansicyan",
    "white": "",
    "grey": "class:dim",
}

STYLE = Style.from_dict(
    {
        "bar": "reverse",
        "bar.turn": "reverse bold",
        "rule": "dim",
        "title": "bold",
        "dim": "dim",
        "chosen": "reverse",
        "mark": "reverse bold",
        "number": "dim",
        "alert": "bold fg:ansired",
        "end": "bold fg:ansiyellow",
        "good": "bold fg:ansigreen",
        "key": "bold",
        "prompt": "bold",
    }
)


def paint(text: str, style: str) -> str:
    """What a board calls to style a text."""
    return f"{_BEGIN}{style}{_MIDDLE}{text}{_END}" if text and style else text


def plain(line: str) -> str:
    """A board's line without its styles."""
    return _PAINTED.sub(lambda found: found[2], line)


def fragments(line: str, more: str = "") -> Line:
    """A board's line as pieces with styles; `more` is added to each."""
    out: Line = []
    end = 0
    for found in _PAINTED.finditer(line):
        out.append((more, line[end : found.start()]))
        out.append((f"{styled(found[1])} {more}".strip(), found[2]))
        end = found.end()
    out.append((more, line[end:]))
    return [piece for piece in out if piece[1]]


def styled(words: str) -> str:
    """The style of the screen for words such as «bold red»."""
    return " ".join(_WORDS.get(word, "") for word in words.split()).strip()
