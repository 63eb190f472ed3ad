"""The folder of an event: `event.txt`, its chain, and `matches/`, the files that results come from. An adapter.

Nothing else belongs there, so that everything in it can be checked; names that begin with a dot are not looked at. A
record is appended by writing the whole chain anew beside the old one: a killed command leaves the one or the other. A
match file is on the disk before the record that names it.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from kontor_games.engine.errors import ConfigError, StoreError
from kontor_games.net.system import filelock
from kontor_games.net.wire.identity import Signer

from .event_chain import read_chain, why_not_next, why_not_settings
from .event_records import MAX_CHAIN, NOTHING, EventRecord, EventSettings, read_line, signed_line
from .event_state import EventState

CHAIN: Final = "event.txt"
MATCHES: Final = "matches"
_LOCK: Final = ".lock"


class EventFolder:
    """One event on the disk."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, path: Path, settings: EventSettings, signer: Signer) -> EventFolder:
        """A new folder with the settings; raises ConfigError or StoreError."""
        if reason := why_not_settings(settings):
            raise ConfigError(reason)
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise ConfigError(f"{path} is there already; an event needs a new folder")
        try:
            (path / MATCHES).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{path} cannot be made: {error.strerror}") from None
        _write_whole(path / CHAIN, signed_line(0, NOTHING, settings, signer))
        return cls(path)

    def chain(self) -> bytes:
        """The bytes of the chain; raises StoreError."""
        return chain_in(self.path)

    def state(self) -> EventState:
        """The event as its chain tells it, checked; raises BrokenChain or StoreError."""
        return read_chain(self.chain())

    @contextmanager
    def changing(self) -> Iterator[EventState]:
        """The event while nobody else changes it."""
        self.state()  # says what is wrong with a folder that is not one, before anything is made in it
        try:
            lock = (self.path / _LOCK).open("ab")
        except OSError as error:
            raise StoreError(f"{self.path} cannot be written: {error.strerror}") from None
        with lock:
            if not filelock.try_lock(lock):
                raise StoreError(f"another command is changing {self.path}; try again when it is done")
            yield self.state()

    def append(self, state: EventState, record: EventRecord, signer: Signer) -> None:
        """Write the next record; raises ConfigError if it cannot come now. Only within `changing`."""
        if signer.key.hex() != state.settings.organiser:
            raise ConfigError("this is not the organiser's key: whoever made the event goes on with it (--home)")
        if reason := why_not_next(state, record):
            raise ConfigError(reason)
        line = signed_line(state.count, state.tip, record, signer)
        _, digest = read_line(line[:-1], state.count, state.tip, state.settings.organiser)  # others will read it so
        _write_whole(self.path / CHAIN, self.chain() + line)
        state.take(record, digest)

    def match_path(self, file: str) -> Path:
        """Where the match file with this digest lies."""
        return self.path / MATCHES / f"{file}.kontor"

    def keep(self, file: str, data: bytes) -> None:
        """Put a match file into the folder."""
        try:
            self.match_path(file).parent.mkdir(exist_ok=True)
        except OSError as error:
            raise StoreError(f"{self.path} cannot be written: {error.strerror}") from None
        _write_whole(self.match_path(file), data)

    def strangers(self, state: EventState) -> list[str]:
        """What lies in the folder and is not a part of the event."""
        wanted = {CHAIN, *(f"{MATCHES}/{file}.kontor" for file in state.filed)}
        found = []
        for path in sorted(self.path.rglob("*")):
            name = path.relative_to(self.path).as_posix()
            if any(part.startswith(".") for part in name.split("/")) or (path.is_dir() and name == MATCHES):
                continue
            if name not in wanted or path.is_symlink():
                found.append(name)
        return found


def chain_in(path: Path) -> bytes:
    """The chain of an event: of its folder, or a copy of the file itself; raises StoreError."""
    file = path / CHAIN if path.is_dir() else path
    if not file.is_file():
        raise StoreError(f"{path} is not an event: there is no {file.name if path.is_dir() else 'such file'}")
    try:
        with file.open("rb") as stream:
            return stream.read(MAX_CHAIN + 1)
    except OSError as error:
        raise StoreError(f"{file} cannot be read: {error.strerror}") from None


def _write_whole(path: Path, data: bytes) -> None:
    new = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with new.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from None
    finally:
        with suppress(OSError):
            new.unlink(missing_ok=True)
