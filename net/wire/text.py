"""What people may write: names and chat lines, checked at the door before anybody sees them."""

from __future__ import annotations

import unicodedata
from typing import Final

MAX_NAME: Final = 24
MAX_CHAT: Final = 500
MAX_MARKS: Final = 2  # combining marks in a row; enough for every script in use, too few to paint over a line
# Letters, signs and marks that show nothing, whatever their category says: fillers, blank patterns, joiners of marks.
_BLANKS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\u180b\u180c\u180d\u180f")
_SELECTORS: Final = frozenset(chr(code) for code in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
_IN_CHAT: Final = _SELECTORS | {"\u200c", "\u200d"}  # Persian and Indic spelling and composed emoji need them
HIDDEN: Final = _BLANKS | _SELECTORS

_REASONS: Final = {
    "Cc": "a control character",
    "Cf": "an invisible or direction-changing character",
    "Cs": "half a character",
    "Co": "a private-use character",
    "Cn": "an unassigned character",
    "Zl": "a line break",
    "Zp": "a paragraph break",
    "Zs": "an unusual space",
}


def why_not_name(text: str) -> str | None:
    """Why `text` cannot be a person's, bot's or table's name, or None."""
    if not text or len(text) > MAX_NAME:
        return f"a name has 1 to {MAX_NAME} characters, not {len(text)}"
    if text != text.strip(" ") or "  " in text:
        return "a name has no spaces at its ends and no two in a row"
    if all(unicodedata.category(char)[0] in "MZP" for char in text):
        return "a name needs a letter, a digit or a sign that can be seen"
    return _why_not_text(text, "a name", frozenset())


def why_not_chat(text: str) -> str | None:
    """Why `text` cannot be said in a chat, or None."""
    if not text.strip() or len(text) > MAX_CHAT:
        return f"a line has 1 to {MAX_CHAT} characters, not {len(text)}"
    return _why_not_text(text, "a line", _IN_CHAT)


def same_name(one: str, other: str) -> bool:
    """Whether two names could be taken for each other by case or by width of letters."""
    return _folded(one) == _folded(other)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _why_not_text(text: str, what: str, allowed: frozenset[str]) -> str | None:
    if text.isascii() and text.isprintable():
        return None  # most lines; nothing below can apply to them
    marks = 0
    for place, char in enumerate(text):
        category = unicodedata.category(char)
        if char != " " and char not in allowed and (category in _REASONS or char in HIDDEN):
            reason = _REASONS.get(category, "an invisible character")
            return f"{what} cannot contain {reason} (U+{ord(char):04X} at place {place + 1})"
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if marks > MAX_MARKS:
            return f"{what} cannot pile up more than {MAX_MARKS} marks on one letter (place {place + 1})"
    if not unicodedata.is_normalized("NFC", text):
        return f"{what} must be in composed form (Unicode NFC)"
    return None
