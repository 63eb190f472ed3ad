"""Who may ask what: the owner's token, cookies of browsers, one-time links, tokens of single seats.

Secrets lie in files of mode 0600 in the node's home; cookies are kept as hashes only.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from kontor_games.engine.errors import StoreError
from kontor_games.net.system.private_file import read_private, write_private

LINK_SECONDS: Final = 60.0
MAX_LINKS: Final = 32
MAX_COOKIES: Final = 16  # browsers that stay signed in; the oldest is signed out
TOKEN_FILE: Final = "node.token"  # noqa: S105 - the name of a file
COOKIE_FILE: Final = "node.cookies"


@dataclass(frozen=True)
class Scope:
    """What a token is good for: everything, or one seat of one match."""

    match: str | None = None
    seat: int | None = None

    @property
    def is_owner(self) -> bool:
        return self.match is None

    def as_dict(self) -> dict[str, object]:
        """For `hello`."""
        return {"kind": "owner"} if self.is_owner else {"kind": "seat", "match": self.match, "seat": self.seat}


OWNER: Final = Scope()


class Tokens:
    """All secrets that clients may show."""

    def __init__(self, home: Path, seconds: Callable[[], float]) -> None:
        self._home = home
        self._seconds = seconds
        self._owner = _mark(owner_token(home))
        self._cookies = _read_marks(home / COOKIE_FILE)
        self._seats: dict[bytes, Scope] = {}
        self._links: dict[bytes, float] = {}

    def bearer(self, token: str) -> Scope | None:
        """The scope of a token in an Authorization header."""
        mark = _mark(token)
        if hmac.compare_digest(mark, self._owner):
            return OWNER
        # Looked up by its hash: how long that takes tells nothing about the token itself.
        return self._seats.get(mark)

    def cookie(self, value: str) -> Scope | None:
        """The scope of a browser's cookie."""
        mark = _mark(value)
        known = [hmac.compare_digest(mark, each) for each in self._cookies]
        return OWNER if any(known) else None

    def new_link(self) -> str:
        """The secret of a link that signs in one browser, once, soon."""
        self._forget_old_links()
        while len(self._links) >= MAX_LINKS:
            del self._links[next(iter(self._links))]
        secret = secrets.token_urlsafe(24)
        self._links[_mark(secret)] = self._seconds() + LINK_SECONDS
        return secret

    def use_link(self, secret: str) -> str | None:
        """A new cookie for whoever brings the secret first and in time."""
        self._forget_old_links()
        if self._links.pop(_mark(secret), None) is None:
            return None
        value = secrets.token_urlsafe(32)
        self._cookies = [*self._cookies, _mark(value)][-MAX_COOKIES:]
        write_private(self._home / COOKIE_FILE, json.dumps([mark.hex() for mark in self._cookies]))
        return value

    def new_seat(self, match: str, seat: int) -> str:
        """A token for one seat, good while this process lives."""
        token = secrets.token_urlsafe(24)
        self._seats[_mark(token)] = Scope(match, seat)
        return token

    def _forget_old_links(self) -> None:
        now = self._seconds()
        self._links = {mark: until for mark, until in self._links.items() if until > now}


def owner_token(home: Path) -> str:
    """The owner's token; made on first use. StoreError if others could read it."""
    path = home / TOKEN_FILE
    try:
        token = read_private(path).decode("ascii").strip()
    except FileNotFoundError:
        token = secrets.token_urlsafe(32)
        write_private(path, token + "\n")
    except UnicodeDecodeError:
        token = ""
    except StoreError as error:
        raise StoreError(f"{error}; or remove it, and a new one will be made") from None
    if len(token) < 32:
        raise StoreError(f"{path} is damaged; remove it, a new one will be made")
    return token


def _mark(secret: str) -> bytes:
    return sha256(secret.encode("utf-8", "replace")).digest()


def _read_marks(path: Path) -> list[bytes]:
    try:
        found = [bytes.fromhex(each) for each in json.loads(read_private(path))]
    except (OSError, StoreError, ValueError, TypeError):
        return []  # browsers sign in again
    return [mark for mark in found if len(mark) == 32][-MAX_COOKIES:]
