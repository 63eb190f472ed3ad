"""News for everybody: gathered for a moment, packed once, and sent in slices so that nobody else has to wait."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sized
from typing import Any, Final

from msgspec import Raw
from twisted.logger import Logger

from kontor_games.lobby.settings.metrics import Metrics
from kontor_games.lobby.store.base import News
from kontor_games.net.wire.frames import pack_frame
from kontor_games.net.wire.lobby_messages import RawHallNews, encode

from .connection import NOBODY, Connection

SLICE: Final = 25  # connections written to before the reactor may do something else
BREATH: Final = (
    0.003  # seconds between slices: the writer thread gets the interpreter only while the reactor really sleeps
)
CROWD: Final = 1000  # with more watchers than this the news comes less often, so that its cost stays the same
MAX_ENTRIES: Final = 100  # of each kind in one HallNews
MAX_BYTES: Final = 40 * 1024
_log = Logger(namespace="kontor.lobby")


class Gathered:
    """What happened in the hall since the last HallNews. A machine."""

    def __init__(self) -> None:
        self._rows: dict[str, bytes] = {}
        self._gone: dict[str, None] = {}
        self._people: dict[str, bytes] = {}
        self._lines: list[tuple[bytes, bytes]] = []  # author, payload
        self._is_stale = False
        self._size = 0

    def __bool__(self) -> bool:
        return bool(self._rows or self._gone or self._people or self._lines or self._is_stale)

    def add(self, news: News) -> None:
        """One more; if it does not fit, the news is stale and watchers list again."""
        what, _, about = news.order.partition(":")
        self._size += len(news.payload) + len(about)
        parts: dict[str, Sized] = {"rows": self._rows, "gone": self._gone, "people": self._people, "lines": self._lines}
        if self._size > MAX_BYTES or len(parts[what]) >= MAX_ENTRIES:
            self._is_stale = True
            return
        match what:
            case "rows":
                self._rows[about] = news.payload
            case "gone":
                self._rows.pop(about, None)
                self._gone[about] = None
            case "people":
                self._people[about] = news.payload
            case "lines":
                self._lines.append((news.author, news.payload))

    def spoil(self) -> None:
        """Something is missing: watchers list again."""
        self._is_stale = True

    def frame(self, muted: frozenset[bytes]) -> bytes:
        """The packed HallNews for somebody who muted these keys."""
        news = RawHallNews(
            rows=tuple(map(Raw, self._rows.values())),
            gone=tuple(self._gone),
            people=tuple(map(Raw, self._people.values())),
            lines=tuple(Raw(payload) for author, payload in self._lines if author not in muted),
            stale=self._is_stale,
        )
        return pack_frame(encode(news))

    def authors(self) -> frozenset[bytes]:
        """Whose words are in it."""
        return frozenset(author for author, _ in self._lines)


class Hall:
    """Passes gathered news to the connections that watch."""

    def __init__(
        self, reactor: Any, every: float, metrics: Metrics, watchers: Callable[[], Iterable[Connection]]
    ) -> None:
        self._reactor = reactor
        self.every = every
        self._pause = every
        self._metrics = metrics
        self._watchers = watchers
        self._gathered = Gathered()
        self._call: Any = None
        self._is_closed = False

    def add(self, news: News) -> None:
        """Something for the hall; it goes out within a moment."""
        self._gathered.add(news)
        self._soon()

    def spoil(self) -> None:
        """Some news was lost: everybody who watches lists again."""
        self._gathered.spoil()
        self._soon()

    def _soon(self) -> None:
        if self._call is None and not self._is_closed:
            self._call = self._reactor.callLater(self._pause, self._begin)

    def _begin(self) -> None:
        self._call = None
        gathered, self._gathered = self._gathered, Gathered()
        watchers = list(self._watchers())
        self._pause = self.every * max(1.0, len(watchers) / CROWD)
        self._slice(gathered, gathered.frame(NOBODY), watchers, self._reactor.seconds())

    def _slice(self, gathered: Gathered, frame: bytes, left: list[Connection], begun: float) -> None:
        self._call = None
        authors = gathered.authors()
        for connection in left[-SLICE:]:
            try:
                self._pass_on(connection, gathered, frame, authors)
            except Exception:  # what is wrong with one watcher keeps this news and the next from none of the others
                _log.failure("a defect of the lobby")
                connection.cut("failed")
        self._metrics.hall_news.inc(len(left[-SLICE:]))
        del left[-SLICE:]
        if left:
            self._call = self._reactor.callLater(BREATH, self._slice, gathered, frame, left, begun)
        elif self._gathered:  # the next round begins a while after this one began, however long it took
            wait = max(0.0, begun + self._pause - self._reactor.seconds())
            self._call = self._reactor.callLater(wait, self._begin)

    def _pass_on(self, connection: Connection, gathered: Gathered, frame: bytes, authors: frozenset[bytes]) -> None:
        if connection.is_stalled:
            self._metrics.dropped.labels("stalled").inc()
        elif connection.muted & authors:
            connection.send_frame(gathered.frame(connection.muted))
        else:
            connection.send_frame(frame)

    def close(self) -> None:
        """Send nothing more, whatever is still told."""
        self._is_closed = True
        if self._call is not None:
            self._call.cancel()
            self._call = None
