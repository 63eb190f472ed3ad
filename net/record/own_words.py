"""The second place on the disk for what a node signs: the file `<match>.signed`.

A journal can lose its tail: a damaged sector, a copy from yesterday put back. A node that then signed again what it had
signed before would convict itself. So its own newest messages are written to a second file too, before anybody sees
them. The file has two slots, written in turn, so that a power cut while one is written leaves the other whole:

    slot    = 16-byte check, 8-byte number, 4-byte length, payload
    payload = msgpack list of [kind, peer, raw, signature]

The number says which slot is newer. A slot holds all messages of ours whose places are still open (`session.py` says
which those are), so the newest slot alone suffices. On resume it is compared with the journal:

- all its messages are in the journal: all is well;
- some are not: those are what the session must stand by, and catch up with, before it signs anything;
- one slot cannot be read: that is well if it was being written when the machine stopped, for then the journal has a
  message of ours that is newer than the other slot. If it has none, or the other slot's messages are missing as well,
  or neither slot can be read, nobody can say what was signed. The node then only reads.

Before anything new is signed the last message of the journal is written here too, if it is in no slot: what was lost
twice could not be told from what was never written.

The journal's record is written and synced first, the slot after it: a crash never damages both.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

import msgspec

from kontor_games.engine.errors import StoreError
from kontor_games.net.wire.match_talk import Signed

SLOT = 4 * 1024 * 1024  # more than all open messages of one peer can have
HEADER = 28
_decoder: msgspec.msgpack.Decoder[list[Signed]] = msgspec.msgpack.Decoder(list[Signed])
_encode = msgspec.msgpack.Encoder().encode


@dataclass(frozen=True)
class Copy:
    """What the second place says."""

    words: tuple[Signed, ...] = ()
    slots: int = 2  # that can be read

    def why_doubt(self, journal: Sequence[Signed]) -> str | None:
        """Why a message of ours may be missing here and among these, which are ours in the journal; or None."""
        if self.slots == 2:
            return None
        raws = {signed.raw for signed in journal}
        is_newer = bool(journal) and journal[-1] not in self.words
        if self.slots == 1 and is_newer and all(word.raw in raws for word in self.words):
            return None
        return "what this node has signed cannot be read any more"

    def brought_up_to_date(self, journal: Sequence[Signed]) -> tuple[Signed, ...] | None:
        """What to write here before anything else, after a start without doubt; None if nothing is missing.

        Only a slot that holds our last message of the journal can show that a later one is lost. After a power cut
        between the two files, or with a damaged slot, neither does.
        """
        if not journal or (self.slots == 2 and journal[-1] in self.words):
            return None
        return (*self.words, *(journal[-1:] if journal[-1] not in self.words else ()))


class OwnWords:
    """The file of one match."""

    def __init__(self, path: Path, file: BinaryIO, number: int, slot: int) -> None:
        self._path = path
        self._file = file
        self._number = number  # of the newest slot
        self._slot = slot  # the one that is written next

    @classmethod
    def create(cls, path: Path) -> OwnWords:
        """A new file with nothing in it."""
        try:
            file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "r+b", buffering=0)
        except OSError as error:
            raise StoreError(f"{path.name}: {error.strerror}") from None
        words = cls(path, file, 0, 0)
        try:
            words.write(())
            words.write(())
        except StoreError:
            words.close()
            path.unlink(missing_ok=True)
            raise
        return words

    @classmethod
    def resume(cls, path: Path) -> tuple[OwnWords, Copy]:
        """The file of a match that goes on, and what it says; raises StoreError if it cannot be opened."""
        try:
            file = path.open("r+b", buffering=0)
            slots = [_read(file, slot * SLOT) for slot in (0, 1)]
        except OSError as error:
            raise StoreError(f"{path.name}: {error.strerror}") from None
        whole = [(slot[0], index, slot[1]) for index, slot in enumerate(slots) if slot is not None]
        number, newest, words = max(whole, default=(0, 0, ()))
        return cls(path, file, number, 1 - newest), Copy(tuple(words), len(whole))

    def write(self, words: Sequence[Signed]) -> None:
        """Our open messages; on the disk when this returns. After a StoreError the other slot is as it was."""
        payload = _encode(list(words))
        if HEADER + len(payload) > SLOT:
            raise StoreError(f"{self._path.name}: {len(payload)} bytes are too many")
        body = (self._number + 1).to_bytes(8, "big") + len(payload).to_bytes(4, "big") + payload
        try:
            self._file.seek(self._slot * SLOT)
            view = memoryview(_check(body) + body)
            while view:
                view = view[self._file.write(view) :]
            os.fsync(self._file.fileno())
        except (OSError, ValueError) as error:
            raise StoreError(f"{self._path.name}: {getattr(error, 'strerror', None) or error}") from None
        self._number += 1
        self._slot = 1 - self._slot

    def close(self) -> None:
        self._file.close()


def _check(body: bytes) -> bytes:
    return blake2b(body, digest_size=16).digest()


def _read(file: BinaryIO, offset: int) -> tuple[int, tuple[Signed, ...]] | None:
    """The number and the messages of a slot, None if it cannot be read."""
    file.seek(offset)
    header = file.read(HEADER)
    length = int.from_bytes(header[24:], "big")
    if len(header) < HEADER or length > SLOT - HEADER:
        return None
    payload = file.read(length)
    if header[:16] != _check(header[16:] + payload):
        return None
    try:
        return int.from_bytes(header[16:24], "big"), tuple(_decoder.decode(payload))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
