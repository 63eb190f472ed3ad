"""A published ladder as the pages show it: boards, and what it says about a key. What it says is its keeper's word.

The folder is what a ladder publishes (docs/ladder.md): `ladder.json`, signed by its keeper, and the files that it
counts. Pages show what the manifest says and link the files beside it; `kontor ladder check` computes all of it again,
from these very pages too. Names that were removed are empty there, so they are nowhere here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from kontor_games.net.wire.identity import fingerprint

MANIFEST: Final = "ladder.json"
FILES: Final = "files"
MAX_MANIFEST: Final = 64 * 1024 * 1024
SHOWN_PEOPLE: Final = 500  # of one board
SHOWN_MATCHES: Final = 200  # of one person, the newest
SHOWN_NAMED: Final = 200  # the newest
Hex32 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class LadderPerson(Struct, frozen=True):
    """Somebody on a board."""

    rank: int
    key: Hex32
    name: str
    points: int
    matches: int
    won: int
    provisional: bool
    marks: dict[str, int] = {}


class LadderBoard(Struct, frozen=True):
    """One table: a season, a list, a game, a number of players."""

    season: int
    list: str
    game: str
    players: int
    people: tuple[LadderPerson, ...]


class LadderFile(Struct, frozen=True):
    """A file in the ladder's book, and what became of it."""

    file: Hex32
    game: str
    list: str
    keys: tuple[Hex32, ...]
    state: str
    reason: str = ""
    at: int = 0
    places: tuple[int, ...] = ()


class LadderNamed(Struct, frozen=True):
    """Somebody who signed two different things for one place, and the files that prove it."""

    match: Hex32
    key: Hex32
    name: str
    files: tuple[Hex32, ...]


class _Said(Struct, frozen=True):
    season: int
    boards: list[LadderBoard]
    files: list[LadderFile]
    named: tuple[LadderNamed, ...] = ()


class _Rules(Struct, frozen=True):
    keeper: Hex32


class _Page(Struct, frozen=True):
    title: str
    as_of: int
    rules: _Rules
    said: _Said


class _Signed(Struct, frozen=True):
    ladder: _Page


_decoder: Final = msgspec.json.Decoder(_Signed)


class ShownLadder:
    """What one manifest says, ready to be asked."""

    def __init__(self, data: bytes, titles: Mapping[str, str]) -> None:
        """ValueError if it is not a manifest that can be shown."""
        try:
            self._page = _decoder.decode(data).ladder
        except (msgspec.MsgspecError, RecursionError) as error:
            raise ValueError(f"{MANIFEST} cannot be read: {error!s:.200}") from None
        self._titles = titles
        self._boards = {(b.season, b.list, b.game, b.players): b for b in self._page.said.boards}
        self._names = {person.key: person.name for board in self._boards.values() for person in board.people}
        self._proven = _one_each(self._page.said.named)
        self._files: dict[str, list[LadderFile]] = {}
        for each in self._page.said.files:
            for key in dict.fromkeys(each.keys):
                self._files.setdefault(key, []).append(each)

    def told(self) -> dict[str, Any]:
        """The ladder and the list of its boards, those of this season first."""
        boards = sorted(self._boards.values(), key=lambda b: (-b.season, b.list, b.game, b.players))
        return {
            "title": self._page.title,
            "as_of": self._page.as_of // 1000,
            "season": self._page.said.season,
            "keeper": fingerprint(bytes.fromhex(self._page.rules.keeper)),
            "boards": [{**self._named(board), "people": len(board.people)} for board in boards],
            "named": [_proof(each) for each in reversed(self._proven[-SHOWN_NAMED:])],
        }

    def board(self, season: int, list_name: str, game: str, players: int) -> dict[str, Any] | None:
        """One board with its people in order."""
        board = self._boards.get((season, list_name, game, players))
        if board is None:
            return None
        people = [_row(person) for person in board.people[:SHOWN_PEOPLE]]
        return {**self._named(board), "people": people, "total": len(board.people)}

    def person(self, key: str) -> dict[str, Any] | None:
        """What the ladder says about a key: name, standings, matches with their outcome."""
        found = [(board, person) for board in self._boards.values() for person in board.people if person.key == key]
        files = self._files.get(key, [])
        if not found and not files:
            return None
        newest = sorted(found, key=lambda each: (-each[0].season, each[0].list, each[0].game, each[0].players))
        return {
            "key": key,
            "name": self._names.get(key, ""),
            "since": min(each.at for each in files) // 1000 if files else None,
            "fingerprint": fingerprint(bytes.fromhex(key)),
            "standings": [{**self._named(board), **_row(person)} for board, person in newest],
            "matches": [self._match(each, key) for each in reversed(files[-SHOWN_MATCHES:])],
            "total": len(files),
            "named": [_proof(each) for each in reversed(self._proven) if each.key == key][:SHOWN_NAMED],
        }

    def _match(self, each: LadderFile, key: str) -> dict[str, Any]:
        seat = each.keys.index(key)
        return {
            "id": each.file[:32],
            "game": each.game,
            "title": self._titles.get(each.game, each.game),
            "players": len(each.keys),
            "others": [self._names.get(other, "") for other in each.keys if other != key],
            "state": each.state,
            "reason": each.reason,
            "at": each.at // 1000,
            "place": each.places[seat] if seat < len(each.places) else None,
        }

    def _named(self, board: LadderBoard) -> dict[str, Any]:
        return {
            "season": board.season,
            "list": board.list,
            "game": board.game,
            "title": self._titles.get(board.game, board.game),
            "players": board.players,
        }


def _row(person: LadderPerson) -> dict[str, Any]:
    return {**msgspec.to_builtins(person), "fingerprint": fingerprint(bytes.fromhex(person.key))}


def _one_each(named: Sequence[LadderNamed]) -> list[LadderNamed]:
    """Each person once for each match, in the order of the book, however many places were signed twice there."""
    return list({(each.match, each.key): each for each in named}.values())


def _proof(each: LadderNamed) -> dict[str, Any]:
    return {
        "key": each.key,
        "name": each.name,
        "fingerprint": fingerprint(bytes.fromhex(each.key)),
        "match": each.match,
        "files": list(each.files),
    }


class LadderFolder:
    """The folder of a ladder, read again whenever its manifest is another one."""

    def __init__(self, folder: Path, titles: Mapping[str, str]) -> None:
        self.manifest = folder / MANIFEST
        self.files = folder / FILES
        self._titles = titles
        self._stamp: tuple[int, int, int] | None = None
        self.shown: ShownLadder | None = None

    def look(self) -> None:
        """Read the manifest if it is new; ValueError if it cannot be shown, and the one before stays."""
        try:
            found = self.manifest.stat()
        except OSError:
            self.shown = self._stamp = None
            return
        stamp = (found.st_ino, found.st_mtime_ns, found.st_size)
        if stamp == self._stamp:
            return
        self._stamp = stamp
        with self.manifest.open("rb") as file:
            data = file.read(MAX_MANIFEST + 1)
        if len(data) > MAX_MANIFEST:
            raise ValueError(f"{MANIFEST} has more than {MAX_MANIFEST} bytes")
        self.shown = ShownLadder(data, self._titles)
