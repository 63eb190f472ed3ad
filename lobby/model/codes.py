"""Invite codes and opaque ids: hard to guess, easy to say and to type.

A code is eight letters and digits in two groups (`K7QD-3MXF`), 40 bits. Letters that are read or heard as another
(I, L, O, U) do not occur; typed by mistake they are taken for what was meant.
"""

from __future__ import annotations

import secrets
from typing import Final

ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # five bits each
CODE_LETTERS: Final = 8
ID_LETTERS: Final = 16
_MEANT: Final = str.maketrans({"O": "0", "I": "1", "L": "1", "-": None, " ": None, "_": None})


def new_code() -> str:
    """A fresh invite code as people see it."""
    letters = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LETTERS))
    return f"{letters[:4]}-{letters[4:]}"


def read_code(typed: str) -> str | None:
    """The code that somebody typed, in the form `new_code` gives; None if it cannot be one."""
    letters = typed.upper().translate(_MEANT)
    if len(letters) != CODE_LETTERS or not set(letters) <= set(ALPHABET):
        return None
    return f"{letters[:4]}-{letters[4:]}"


def new_id() -> str:
    """A fresh opaque id of 80 bits, for tables, offers and sessions."""
    return "".join(secrets.choice(ALPHABET) for _ in range(ID_LETTERS))
