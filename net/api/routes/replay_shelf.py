"""The match files of a node that can be looked at: uploads lie in `replays`, one's own matches in `matches`."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any, Final, TypeVar

from twisted.internet.threads import deferToThreadPool

from kontor_games.engine.errors import KontorError
from kontor_games.net.api.http.api_errors import not_found, refused
from kontor_games.net.api.matches.hub import Hub, replay_id
from kontor_games.net.record.match_files import transcripts
from kontor_games.net.record.replay import Replay

KEPT: Final = 4  # replays in memory
T = TypeVar("T")


class ReplayShelf:
    """Finds files by their ids, and keeps the last replays open."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.uploads = hub.home / "replays"
        self.uploads.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = Lock()
        self._open: OrderedDict[str, Replay] = OrderedDict()

    def path(self, wanted: str) -> Path:
        """The file with this id."""
        for folder in (self.uploads, self._hub.directory):
            for path in transcripts(folder):
                if replay_id(path) == wanted:
                    return path
        raise not_found("such replay")

    def replay(self, path: Path) -> Replay:
        """The replay of a file; to be asked for by jobs of `alone`."""
        key = f"{path} {time_of(path)}"
        replay = self._open.pop(key, None)
        if replay is None:
            try:
                replay = Replay(path)
            except KontorError as error:
                raise refused(str(error).replace(str(path), path.name)) from None
        self._open[key] = replay
        while len(self._open) > KEPT:
            self._open.popitem(last=False)
        return replay

    def alone(self, job: Callable[[], T]) -> Any:
        """Do it in a thread, one after the other: replays keep a place in their file."""

        def locked() -> T:
            with self._lock:
                return job()

        return self.in_thread(locked)

    def in_thread(self, job: Callable[[], T]) -> Any:
        reactor = self._hub.reactor
        return deferToThreadPool(reactor, reactor.getThreadPool(), job)


def time_of(path: Path) -> int:
    """When a file was written last."""
    with contextlib.suppress(OSError):
        return int(path.stat().st_mtime)
    return 0
