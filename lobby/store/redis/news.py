"""Hears the news of all processes from the stream in Redis: once, in order, and says when some is lost. An adapter.

Every entry has a number, one more than the one before. We remember the last that was heard and ask for what follows it,
also after a loss of the connection. A number that does not follow means that entries were thrown away while we were
away (the stream is bounded), or that the server came back with less than it had: both are a gap.

A server that came back with less may have a clock that is behind, too: its new entries then have smaller ids than the
last that we heard, and a question for what follows that one is never answered. So whenever nothing comes, the counter
of entries is compared with ours.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from twisted.internet.defer import CancelledError, Deferred
from twisted.logger import Logger

from kontor_games.engine.errors import StoreError
from kontor_games.lobby.store.base import Listener, News, OnGap

from .redis_link import RedisLink

WAIT: Final = 1000  # milliseconds that the server keeps a question open; less than a link's patience
AT_ONCE: Final = 200  # entries
PAUSE: Final = 0.5  # seconds after something went wrong
_decode: Final = msgspec.msgpack.Decoder(list[News]).decode
_log = Logger(namespace="kontor.lobby")


class NewsReader:
    """From the stream to the listeners of this process."""

    def __init__(self, reactor: Any, link: RedisLink, prefix: str) -> None:
        self._reactor = reactor
        self._link = link
        self._stream, self._counter = f"{prefix}news", f"{prefix}newsno"
        self._listeners: list[tuple[Listener, OnGap | None]] = []
        self._at = b"0-0"
        self._number = 0
        self._is_closed = False
        self._reading: Deferred[None] | None = None
        self._pause: Deferred[None] | None = None

    def subscribe(self, listener: Listener, on_gap: OnGap | None) -> None:
        """Call `listener` with what comes from now on."""
        self._listeners.append((listener, on_gap))

    async def open(self) -> None:
        """Begin behind what was told before; whoever comes later is shown how things are."""
        await self._link.open()
        await self._begin_at_the_end()
        self._reading = Deferred.fromCoroutine(self._read())
        self._reading.addErrback(self._died)

    async def _begin_at_the_end(self) -> None:
        last = await self._link.call("XREVRANGE", self._stream, "+", "-", "COUNT", 1)
        if last:
            self._at, self._number = last[0][0], int(last[0][1][1])
        else:
            self._at, self._number = b"0-0", int(await self._link.call("GET", self._counter) or 0)

    async def _read(self) -> None:
        while not self._is_closed:
            try:
                found = await self._news()
            except StoreError as error:
                if not self._is_closed:
                    _log.warn("news not heard", reason=str(error))
                    await self._rest()
                continue
            for id, fields in found[0][1] if found else ():
                self._heard(id, int(fields[1]), fields[3])

    async def _news(self) -> Any:
        """What follows the last that we heard, as the server has it; nothing if nothing comes for a while."""
        ask = ("COUNT", AT_ONCE, "STREAMS", self._stream, self._at)
        found = await self._link.call("XREAD", "BLOCK", WAIT, *ask)
        if found or int(await self._link.call("GET", self._counter) or 0) == self._number:
            return found
        found = await self._link.call("XREAD", *ask)  # it may have come between the two questions
        if not found:
            await self._begin_at_the_end()
            self._tell([], True)
        return found

    def _heard(self, id: bytes, number: int, packed: bytes) -> None:
        is_gap = number != self._number + 1
        self._at, self._number = id, number
        try:
            news = _decode(packed)
        except msgspec.MsgspecError:
            _log.error("news that cannot be read", number=number)
            is_gap, news = True, []
        self._tell(news, is_gap)

    def _tell(self, news: list[News], is_gap: bool) -> None:
        if is_gap:
            _log.warn("news lost", before=self._number)
        for listener, on_gap in list(self._listeners):
            try:
                if is_gap and on_gap is not None:
                    on_gap()
                if news:
                    listener(news)
            except Exception:  # what one listener breaks, it breaks alone
                _log.failure("a defect of the lobby")

    async def _rest(self) -> None:
        self._pause = Deferred()
        call = self._reactor.callLater(PAUSE, self._pause.callback, None)
        try:
            await self._pause
        except CancelledError:
            call.cancel()

    def _died(self, failure: Any) -> None:
        if not self._is_closed:
            _log.failure("the reader of news died and begins again", failure=failure)
            self._reading = Deferred.fromCoroutine(self._read()).addErrback(self._died)

    async def close(self) -> None:
        """Hear nothing more."""
        self._is_closed = True
        self._listeners.clear()
        if self._pause is not None and not self._pause.called:
            self._pause.cancel()
        await self._link.close()
