"""Friends and blocked people of this node's owner, by key, in a file of the home that nobody else can read.

A name is what the owner saw when the person was added; whoever uses that name later with another key is somebody else.
A file that cannot be read is moved aside, not overwritten: a list of blocked people must not vanish without a trace.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct
from twisted.logger import Logger

from kontor_games.engine.errors import ConfigError, StoreError
from kontor_games.net.system.private_file import read_private, write_private
from kontor_games.net.wire.names import skeleton
from kontor_games.net.wire.people_messages import MAX_FRIENDS, Appears

FILE: Final = "people.json"
MAX_BLOCKED: Final = 500
_log = Logger(namespace="kontor.api")

Standing = Literal["friend", "block"]
KeyHex = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]


class Acquaintance(Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody whom the owner has named."""

    key: KeyHex
    name: Annotated[str, Meta(max_length=24)]
    standing: Standing
    since: int  # seconds since 1970


class PeopleFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The file."""

    version: Literal[1] = 1
    appears: Appears = "friends"
    people: Annotated[tuple[Acquaintance, ...], Meta(max_length=MAX_FRIENDS + MAX_BLOCKED)] = ()


class PeopleBook:
    """Whom the owner named, and to whom they want to appear in a lobby."""

    def __init__(self, home: Path) -> None:
        self._path = home / FILE
        self._value = self._read()

    def _read(self) -> PeopleFile:
        try:
            return msgspec.json.decode(read_private(self._path), type=PeopleFile)
        except FileNotFoundError:
            return PeopleFile()
        except (StoreError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            aside = self._path.with_name(f"{FILE}.unreadable")
            _log.warn("{path} cannot be read ({error}); it is kept as {aside}", path=FILE, error=error, aside=aside)
            os.replace(self._path, aside)
            return PeopleFile()

    @property
    def appears(self) -> Appears:
        """To whom the owner appears in a lobby."""
        return self._value.appears

    def all(self, standing: Standing) -> list[Acquaintance]:
        """All friends, or all who are blocked, in the order in which they were named."""
        return [person for person in self._value.people if person.standing == standing]

    def keys(self, standing: Standing) -> tuple[bytes, ...]:
        """Their keys."""
        return tuple(bytes.fromhex(person.key) for person in self.all(standing))

    def standing_of(self, key: bytes) -> Standing | Literal[""]:
        """What somebody is to the owner."""
        return next((person.standing for person in self._value.people if person.key == key.hex()), "")

    def is_blocked(self, key: bytes) -> bool:
        """Whether the owner wants nothing to do with somebody."""
        return self.standing_of(key) == "block"

    def poses_as(self, key: bytes, name: str) -> bool:
        """Whether somebody else than a friend is called as that friend was when the owner added them."""
        looks = skeleton(name)
        return any(skeleton(friend.name) == looks and friend.key != key.hex() for friend in self.all("friend"))

    def put(self, key: bytes, name: str, standing: Standing, now: int) -> None:
        """Name somebody; ConfigError if there is no room. A friend whom one blocks is a friend no longer."""
        most = MAX_FRIENDS if standing == "friend" else MAX_BLOCKED
        others = tuple(person for person in self._value.people if person.key != key.hex())
        if sum(person.standing == standing for person in others) >= most:
            raise ConfigError(f"there is room for {most} of them; take somebody out first")
        fresh = Acquaintance(key.hex(), name[:24], standing, now)
        self._write(msgspec.structs.replace(self._value, people=(*others, fresh)))

    def drop(self, key: bytes) -> None:
        """Name somebody no longer."""
        others = tuple(person for person in self._value.people if person.key != key.hex())
        self._write(msgspec.structs.replace(self._value, people=others))

    def appear(self, to: Appears) -> None:
        """Appear to others, or not."""
        self._write(msgspec.structs.replace(self._value, appears=to))

    def _write(self, value: PeopleFile) -> None:
        write_private(self._path, msgspec.json.format(msgspec.json.encode(value), indent=1), sync=True)
        self._value = value
