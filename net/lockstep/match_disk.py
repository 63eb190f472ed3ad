"""The adapter that writes the journal of a match and the second place of its words, also when the disk refuses.

What the disk refuses waits here, in order and in the same bytes, and is tried again. A message of our own is confirmed
when everything before it and the message itself are synced in both files.
"""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kontor_games.engine.errors import StoreError
from kontor_games.net.record.chain_records import MatchJournal
from kontor_games.net.record.match_files import MatchFiles
from kontor_games.net.record.own_words import Copy, OwnWords
from kontor_games.net.wire.match_talk import Signed
from kontor_games.net.wire.terms import Terms, decode_terms

from .effects import Journal, Pledge

SECRET_BYTES = 32


def make_secret(path: Path) -> bytes:
    """A new table secret, stored (0600) before the first message of the match is sent."""
    secret = os.urandom(SECRET_BYTES)
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(secret)
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        raise StoreError(f"{path.name}: there is a secret of this match already") from None
    except OSError as error:
        path.unlink(missing_ok=True)
        raise StoreError(f"{path.name}: {error.strerror}") from None
    return secret


def load_secret(path: Path) -> bytes | None:
    """The table secret of a match that goes on, None if it is not there; it is never made anew."""
    try:
        secret = path.read_bytes()
    except OSError:
        return None
    return secret if len(secret) == SECRET_BYTES else None


@dataclass(frozen=True)
class Found:
    """What the files of a match hold."""

    terms: bytes
    signatures: tuple[bytes, ...]
    messages: list[Signed]  # of the journal
    words: tuple[Signed, ...]  # of the second place: our own newest
    doubt: str | None  # why messages of ours may be missing in both


class MatchDisk:
    """The journal and the second place of one match."""

    def __init__(self, journal: MatchJournal, words: OwnWords) -> None:
        self.trouble: str | None = None  # why the disk takes nothing now
        self._journal = journal
        self._words = words
        self._waiting: deque[Journal | Pledge] = deque()
        self._is_journaled = False  # the first of those that wait is in the journal, but not in the second place
        self._confirmed: list[int] = []
        self._repair: tuple[Signed, ...] | None = None  # what the second place lacks since the last start

    @classmethod
    def create(cls, files: MatchFiles, terms: bytes, signatures: Sequence[bytes]) -> tuple[MatchDisk, bytes]:
        """The files of a match that begins, and its secret; all of them, or none and a StoreError."""
        made: list[Path] = []
        try:
            secret = make_secret(files.secret)
            made.append(files.secret)
            words = OwnWords.create(files.signed)
            made.append(files.signed)
            return cls(MatchJournal.create(files.journal, terms, signatures), words), secret
        except StoreError:
            for path in made:
                path.unlink(missing_ok=True)
            raise

    @classmethod
    def resume(cls, path: Path, me: bytes) -> tuple[MatchDisk, Found]:
        """The files of a match that goes on, and what is in them."""
        journal, terms, signatures, messages = MatchJournal.resume(path)
        decoded = decode_terms(terms)
        index = decoded.index_of(me)
        mine = [signed for signed in messages if signed.peer == index and signed.kind != "ack"]
        signed_path = MatchFiles.beside(path).signed
        try:
            if signed_path.exists():
                words, copy = OwnWords.resume(signed_path)
                doubt = copy.why_doubt(mine)
            else:
                words, copy = OwnWords.create(signed_path), Copy()
                doubt = None if _may_lack_words(decoded) else "the file of what this node has signed is missing"
        except BaseException:
            journal.close()
            raise
        disk = cls(journal, words)
        if doubt is None:
            disk._repair = copy.brought_up_to_date(mine)
            disk.retry()
        return disk, Found(terms, signatures, messages, copy.words, doubt)

    def write(self, effect: Journal | Pledge) -> None:
        """Write this behind everything before it, now or as soon as the disk takes it again."""
        self._waiting.append(effect)
        if self.trouble is None:
            self.retry()

    def retry(self) -> None:
        """Write what waits, as far as it goes."""
        try:
            if self._repair is not None:
                self._words.write(self._repair)
                self._repair = None
            while self._waiting:
                self._put(self._waiting[0])
                self._waiting.popleft()
        except StoreError as error:
            self.trouble = str(error)
        else:
            self.trouble = None

    def take_confirmed(self) -> list[int]:
        """The pledges that are on the disk by now, in order; each is told once."""
        confirmed, self._confirmed = self._confirmed, []
        return confirmed

    def close(self) -> None:
        """Let go of the files; what still waits was never shown to anybody."""
        with contextlib.suppress(OSError):
            self._journal.close()
        with contextlib.suppress(OSError):
            self._words.close()

    def _put(self, effect: Journal | Pledge) -> None:
        if isinstance(effect, Journal):
            self._journal.append(effect.signed, sync=False)
            return
        if not self._is_journaled:
            self._journal.append(effect.signed, sync=True)
            self._is_journaled = True
        self._words.write(effect.open_words)
        self._is_journaled = False
        self._confirmed.append(effect.number)


def _may_lack_words(terms: Terms) -> bool:
    """Whether a match may have begun before there was a second place for our own messages."""
    return int(terms.version) == 1
