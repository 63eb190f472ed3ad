"""Names against impersonation: what looks alike counts as one name, and belongs to the key that used it first."""

from __future__ import annotations

import unicodedata
from typing import Final

# Letters of other scripts and digits that pass for a Latin letter at a glance.
_ALIKE: Final = str.maketrans(
    "0135\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0456\u0458\u0455\u04bb\u0501"
    "\u03b1\u03b2\u03b5\u03b7\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7\u0131\u0251\u0261|!$@",
    "oles" + "abekmhopctyxijshd" + "abenikvoptuxiag" + "llsa",
)


def skeleton(name: str) -> str:
    """What is left of a name at a glance; two names with one skeleton can be taken for each other."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    letters = "".join(char for char in plain if not unicodedata.combining(char) and char not in " -_.'’·")
    alike = unicodedata.normalize("NFKC", letters).translate(_ALIKE)
    return alike.replace("rn", "m").replace("vv", "w").replace("i", "l") or plain
