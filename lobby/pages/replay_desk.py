"""Replays for visitors: from the disk, or prepared once, however many ask for the same one meanwhile.

A visitor can make a process work only by asking for a match that nobody prepared yet. So there is a bound on how many
are being prepared, each costs its asker a token of a small bucket, and a file that could not be prepared is not tried
again while this lobby runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec
from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger

from kontor_games.engine.errors import StoreError
from kontor_games.net.api.http.api_errors import ApiError
from kontor_games.net.record.transcript import MAX_FILE
from kontor_games.net.system.buckets import Buckets, Rate

from .page_worker import CANNOT_SHOW
from .page_workers import FileGivenUp, PageWorkers
from .prepared_replays import INFO, PreparedReplays
from .published_files import PublishedMatch
from .replay_pack import ReplayPack

UNDER_WAY: Final = 16  # replays that are being prepared
PATIENCE: Final = 20.0  # seconds that an answer waits for its replay
ASKING: Final = Rate(0.2, 10)  # replays that one visitor may have prepared
MAX_FAILED: Final = 10_000
_log = Logger(namespace="kontor.lobby.pages")
_packs = msgspec.msgpack.Decoder(ReplayPack)


class ReplayDesk:
    """Hands out replays."""

    def __init__(self, reactor: Any, workers: PageWorkers, prepared: PreparedReplays) -> None:
        self._reactor = reactor
        self._workers, self._prepared = workers, prepared
        self._under_way: dict[str, list[Deferred[None]]] = {}
        self._failed: dict[str, str] = {}
        self._asking = Buckets(ASKING)

    def part(self, match: PublishedMatch, name: str) -> bytes | None:
        """A part that is on the disk."""
        return self._prepared.part(match.id, name)

    async def info(self, match: PublishedMatch, visitor: str) -> bytes:
        """What a replay begins with; ApiError if it cannot be had, or not yet."""
        found = self._prepared.part(match.id, INFO)
        if found is not None:
            return found
        if match.id in self._failed:
            raise ApiError(409, "cannot-show", self._failed[match.id])
        if match.id not in self._under_way:
            self._begin(match, visitor)
        ready: Deferred[None] = Deferred()
        self._under_way[match.id].append(ready)
        ready.addTimeout(PATIENCE, self._reactor, lambda _, __: None)
        await ready
        found = self._prepared.part(match.id, INFO)
        if found is None:
            said = self._failed.get(match.id)
            raise ApiError(409, "cannot-show", said) if said else _soon("the replay is being prepared; ask again")
        return found

    def _begin(self, match: PublishedMatch, visitor: str) -> None:
        if len(self._under_way) >= UNDER_WAY:
            raise _soon("many replays are being prepared; ask again in a moment")
        if self._asking.take(visitor, self._reactor.seconds()) > 0:
            raise ApiError(429, "too-many", "you asked for many replays that have to be prepared; wait a little")
        self._under_way[match.id] = []
        Deferred.fromCoroutine(self._prepare(match)).addErrback(
            lambda failure: _log.failure("a replay", failure=failure)
        ).addBoth(self._done, match.id)

    async def _prepare(self, match: PublishedMatch) -> None:
        try:
            data = await self._in_thread(lambda: _content(match))
            answer = await self._workers.ask("describe", data)
            if answer == CANNOT_SHOW:
                raise FileGivenUp("this match cannot be shown here; its file can be had")
            pack = _packs.decode(answer)
            await self._in_thread(lambda: self._prepared.put(match.id, pack))
        except FileGivenUp as error:
            self._failed[match.id] = str(error)
            while len(self._failed) > MAX_FAILED:
                del self._failed[next(iter(self._failed))]
        except (StoreError, OSError, msgspec.MsgspecError) as error:  # the next who asks tries again
            _log.warn("a replay cannot be prepared: {reason}", reason=str(error))

    def _done(self, _: object, id: str) -> None:
        for ready in self._under_way.pop(id):
            if not ready.called:
                ready.callback(None)

    def _in_thread(self, job: Callable[[], Any]) -> Deferred[Any]:
        return deferToThreadPool(self._reactor, self._reactor.getThreadPool(), job)


def _content(match: PublishedMatch) -> bytes:
    file = match.open()
    if file is None:
        raise StoreError(f"{match.path.name} has changed")
    with file:
        return file.read(MAX_FILE)


def _soon(message: str) -> ApiError:
    return ApiError(503, "not-yet", message)
