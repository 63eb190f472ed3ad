"""Files of one match brought together across a whole archive, in flat memory.

`net/record/compare.py` decides; here the stories of each match are kept on the disk. The first file of a match costs a
line in a table. Only when another one comes are the two read again and their stories worked out; most matches of most
archives have one file. A file that was changed or removed since it was judged tells nothing any more and is left out.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

import msgspec

from kontor_games.net.record.compare import Compared, Kept, Story, fold, story_of
from kontor_games.net.record.verify import records_in

from .run_book import RunBook

_stories = msgspec.msgpack.Decoder(Story)


class MatchGroups:
    """What each verified file adds to those of the same match before it."""

    def __init__(self, book: RunBook, read: Callable[[int, bytes], bytes | None]) -> None:
        self._store = book.store
        self._path = book.path
        self._clash = book.clash
        self._read = read  # a file's bytes by number, if they still have this digest

    def add(self, number: int, match: bytes, content: bytes) -> Compared:
        """One more verified file."""
        rows = self._store.execute(
            "select label, content, story from stories where match = ? order by place", (match,)
        ).fetchall()
        if not rows:
            self._keep(match, 0, number, content, None)
            return Compared()
        if len(rows) == 1 and rows[0][1] == content:
            return Compared(copy_of=self._path(rows[0][0]))
        story = self._story(number, content)
        if story is None:
            return Compared()
        kept: Kept = []
        for label, known, stored in rows:
            told = self._story(label, known) if stored is None else _stories.decode(stored)
            if told is not None:
                kept.append((str(label), told))
        found = fold(kept, str(number), story)
        contents = {str(label): known for label, known, _ in rows} | {str(number): content}
        self._store.execute("delete from stories where match = ?", (match,))
        for place, (label, told) in enumerate(kept):
            self._keep(match, place, int(label), contents[label], msgspec.msgpack.encode(told))
        for other in found.contradicts:
            self._clash(number, int(other.label), other.twice, other.text)
        return self._named(found)

    def _keep(self, match: bytes, place: int, label: int, content: bytes, story: bytes | None) -> None:
        self._store.execute("insert into stories values (?, ?, ?, ?, ?)", (match, place, label, content, story))

    def _story(self, number: int, content: bytes) -> Story | None:
        data = self._read(number, content)
        return None if data is None else story_of(records_in(io.BytesIO(data))[0])

    def _named(self, found: Compared) -> Compared:
        """With paths in place of numbers."""
        return Compared(
            found.copy_of and self._path(int(found.copy_of)),
            tuple(replace(other, label=self._path(int(other.label))) for other in found.contradicts),
            tuple(self._path(int(label)) for label in found.differs),
        )
