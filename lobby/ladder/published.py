"""Where a published ladder is read from: a folder, or an address on the web; within bounds either way."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from kontor_games.engine.errors import RemoteError
from kontor_games.net.record.transcript import MAX_FILE

from .manifest import FILES, MAX_MANIFEST, NAME

TIMEOUT: Final = 30.0
MAX_FETCHED: Final = 4 * 1024 * 1024 * 1024  # bytes from one address in one check


class LadderSource(Protocol):
    """A published ladder."""

    def manifest(self) -> bytes:
        """The bytes of ladder.json; raises RemoteError."""

    def file(self, digest: str, size: int) -> bytes | None:
        """The bytes of a file with this digest in its name, None if there is none; one byte more if it is longer.

        A file that is longer than the book says is a difference like any other; raises RemoteError for anything worse.
        """


def source_at(place: str) -> LadderSource:
    """The ladder in a folder, or at an address that begins with https:// or http://."""
    if "://" in place:
        return WebLadder(place)
    return FolderLadder(Path(place))


class FolderLadder:
    """A ladder in a folder; its ladder.json may be named too."""

    def __init__(self, path: Path) -> None:
        self._folder = path.parent if path.name == NAME else path

    def manifest(self) -> bytes:
        found = self._read(self._folder / NAME, MAX_MANIFEST)  # whoever reads it finds that it is too long
        if found is None:
            raise RemoteError(f"{self._folder} holds no {NAME}; name the folder that a ladder is published in")
        return found

    def file(self, digest: str, size: int) -> bytes | None:
        return self._read(self._folder / FILES / f"{digest}.kontor", min(size, MAX_FILE))

    @staticmethod
    def _read(path: Path, most: int) -> bytes | None:
        try:
            with path.open("rb") as file:
                return file.read(most + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise RemoteError(f"{path} cannot be read: {error.strerror}") from None


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Whoever is checked must not choose where we go next."""

    def redirect_request(self, *_: Any) -> None:
        return None


class WebLadder:
    """A ladder on the web."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        if (
            parts.scheme not in ("http", "https")
            or not parts.hostname
            or parts.username
            or parts.query
            or parts.fragment
        ):
            raise RemoteError(f"{address} is not the address of a ladder; it begins with https:// or http://")
        self._base = address.removesuffix(NAME).rstrip("/")
        self._left = MAX_FETCHED
        self._opener = urllib.request.build_opener(_NoRedirects)

    def manifest(self) -> bytes:
        found = self._fetch(NAME, MAX_MANIFEST)
        if found is None:
            raise RemoteError(f"there is no {NAME} at {self._base}/")
        return found

    def file(self, digest: str, size: int) -> bytes | None:
        return self._fetch(f"{FILES}/{digest}.kontor", min(size, MAX_FILE))

    def _fetch(self, name: str, most: int) -> bytes | None:
        address = f"{self._base}/{name}"
        try:
            with self._opener.open(address, timeout=TIMEOUT) as answer:
                data: bytes = answer.read(most + 1)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code == 404:
                return None
            moved = error.headers.get("Location", "")[:200] if 300 <= error.code < 400 else ""
            text = f"has moved to {moved}; check that address" if moved else f"answers with status {error.code}"
            raise RemoteError(f"{address} {text}") from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise RemoteError(f"{address} cannot be fetched: {str(error)[:200]}") from None
        self._left -= len(data)
        if self._left < 0:
            raise RemoteError(f"{self._base} sends more than {MAX_FETCHED} bytes; copy the folder and check that")
        return data
