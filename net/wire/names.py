"""Names against impersonation: what is left of a name at a glance, so that look-alikes can be found and marked.

The base is the skeleton of Unicode's UTS 39: decompose, replace every character by the prototype of those that look
like it, decompose again. People do not compare names as computers do, so more is thrown away: case, accents, spaces and
punctuation, and what the table leaves out: small capitals, letters in boxes and circles, small letters whose capital
looks like a Latin one (Cyrillic к, т, н), digits and signs that stand for letters, and the letters i and l, which many
fonts draw alike. So two honest names may be one here (Maria and Marla). That is why a look-alike is only ever marked,
never refused. A machine: pure but for its table, which is read once.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib.resources import files
from typing import Final

from .text import HIDDEN

# What the table leaves out: signs that stand for letters, the soft sign as b, two strokes as l, the Coptic alfa.
_OURS: Final = str.maketrans("345$@!\u0185\u044c\u04cf\u13c6\u2c81", "eassalbblla")
_PAIRS: Final = (("rn", "m"), ("vv", "w"), ("cl", "d"))  # written together they are one letter
_LETTER_IN_NAME: Final = re.compile(
    r"(?:SMALL CAPITAL|(?:CIRCLED|SQUARED|NEGATIVE .*) LATIN CAPITAL LETTER|INDICATOR SYMBOL LETTER) ([A-Z])\Z"
)
_LENGTHENER: Final = "\u0640"  # Arabic tatweel


def skeleton(name: str) -> str:
    """What is left of a name at a glance; two names with one skeleton can be taken for each other."""
    seen = _visible(unicodedata.normalize("NFKD", name)).strip("!")
    looks = "".join(map(_look, seen))
    for pair, letter in _PAIRS:
        looks = looks.replace(pair, letter)  # before case is folded: «Cl» is not taken for a d
    looks = unicodedata.normalize("NFKD", looks.casefold()).replace("i", "l")
    return _visible(looks) or unicodedata.normalize("NFKC", name).casefold()


def _visible(text: str) -> str:
    return "".join(char for char in text if not _is_passed_over(char))


def _is_passed_over(char: str) -> bool:
    """Whether nobody looks at it: accents, spaces, punctuation, and what shows nothing."""
    category = unicodedata.category(char)
    if char in "!@":  # these stand for letters
        return False
    is_modifier = category == "Lm" and "\u02b0" <= char <= "\u02ff"
    is_hidden = char in HIDDEN or char == _LENGTHENER
    return bool(unicodedata.combining(char)) or category[0] in "PZC" or category == "Sk" or is_modifier or is_hidden


@cache
def _look(char: str) -> str:
    """The letters that a character passes for, in its own case where that matters."""
    if char.isascii():  # of the table's own prototypes only the digits and signs; m would become rn
        return char if char.isalpha() and char != "I" else _prototypes().get(char, char).translate(_OURS)
    for candidate in (char.translate(_OURS), char, char.upper(), char.lower()):
        looks = _visible(unicodedata.normalize("NFKD", _prototypes().get(candidate, candidate)))
        if looks.isascii():
            return looks.translate(_OURS)
    found = _LETTER_IN_NAME.search(unicodedata.name(char, ""))
    return found[1] if found else _prototypes().get(char, char)


@cache
def _prototypes() -> dict[str, str]:
    """By character, the prototype of all that look like it."""
    found: dict[str, str] = {}
    for line in files("kontor_games.net.wire").joinpath("confusables.txt").read_text(encoding="ascii").splitlines():
        if not line.startswith("#"):
            prototype, *members = (
                "".join(chr(int(point, 16)) for point in word.split("+")) for word in line.split(" ")
            )
            found.update(dict.fromkeys(members, prototype))
    return found
