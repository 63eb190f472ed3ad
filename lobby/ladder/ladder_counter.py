"""A lobby's ladder while it runs: takes uploads, and lets one thread keep the desk.

What is handed in is on the disk before it is answered. Several processes of a lobby that share a folder all take
uploads; the one that has the lock keeps the desk, and another takes over when it ends.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger

from kontor_games.engine.errors import KontorError
from kontor_games.net.archive.asking import digest_of
from kontor_games.net.system import filelock
from kontor_games.net.wire.identity import Signer
from kontor_games.net.wire.ladder_messages import HandIn, HandWord, LadderWord, lobby_clause
from kontor_games.net.wire.messages import Clauses, Ladder

from .ladder_desk import LadderDesk, put_in_queue, put_word_in_queue, why_other_rules
from .ladder_rules import LadderRules
from .manifest import FILES
from .uploads import Uploads

PAUSE: Final = 1.0  # seconds between looks at the queue
_log = Logger(namespace="kontor.ladder")


class LadderCounter:
    """The ladder of one lobby process."""

    def __init__(
        self, reactor: Any, folder: Path, rules: LadderRules, signer: Signer, title: str, settings: Any
    ) -> None:
        self._reactor = reactor
        self._folder, self._rules, self._signer, self._title = folder, rules, signer, title
        self._settings = settings
        self._uploads = Uploads(settings.max_file, settings.files_per_day, settings.uploads_at_once)
        self._is_over = threading.Event()
        self._news = threading.Event()
        self.pages = ""  # where everybody sees the matches of this ladder, if anywhere
        self.is_stuck = False  # a defect ended the desk; what is handed in waits
        self.on_judged: Callable[[str], None] = lambda state: None  # called in the thread
        self._keeps = False
        self._thread = threading.Thread(target=self._keep, name="ladder", daemon=True)

    @property
    def clause(self) -> Ladder:
        """What the terms of a rated table here say."""
        return lobby_clause(self._signer.key)

    @property
    def files_per_day(self) -> int:
        """What one key may hand in; each process counts it, and all together where they are one lobby."""
        return int(self._settings.files_per_day)

    @property
    def waiting(self) -> int:
        """How many files wait to be judged; 0 where another process keeps the desk."""
        return sum(1 for _ in (self._folder / "queue").iterdir()) if self._keeps else 0

    def start(self) -> None:
        """Begin to judge what is in the queue."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop after what is being judged; the rest is done after the next start."""
        self._is_over.set()
        self._news.set()

    def join(self) -> None:
        """Wait until the desk is closed."""
        self._thread.join(10)

    def why_not_clauses(self, clauses: Clauses | None) -> str | None:
        """Why a table here cannot be rated like this, or None."""
        if clauses is None or clauses.rated is None or clauses.rated == self.clause:
            return None
        return "a rated table of this lobby counts for this lobby's ladder, and not for another one"

    async def hand_in(self, key: bytes, ask: HandIn, network: str) -> LadderWord:
        """One more piece of a file from this network; RemoteError or StoreError says why it is not taken."""
        if ask.offset == 0 and self._is_known(ask.file.hex()):
            return LadderWord("known", "this very file was handed in before", self._page(ask.file))
        data = self._uploads.take(key, ask, self._reactor.seconds(), network)
        if data is None:
            return LadderWord("more")
        await deferToThreadPool(self._reactor, self._reactor.getThreadPool(), self._put, data)
        self._news.set()
        return LadderWord("queued", "the file is safe and will be judged", self._page(ask.file))

    async def hand_word(self, key: bytes, ask: HandWord) -> LadderWord:
        """A machine's word on another state; NotNow or StoreError says why it is not taken."""
        self._uploads.count(key, self._reactor.seconds())
        said = (ask.match.hex(), ask.mark.hex(), ask.signature.hex())
        pool = self._reactor.getThreadPool()
        await deferToThreadPool(self._reactor, pool, put_word_in_queue, self._folder, *said, int(time.time() * 1000))
        self._news.set()
        return LadderWord("queued", "the word is safe and will be held against the files of its match")

    def _page(self, file: bytes) -> str:
        return f"{self.pages}/match/{file.hex()[:32]}" if self.pages else ""

    def _put(self, data: bytes) -> None:
        if not self._is_known(digest_of(data).hex()):
            put_in_queue(self._folder, data, int(time.time() * 1000))

    def _is_known(self, file: str) -> bool:
        return (self._folder / "published" / FILES / f"{file}.kontor").exists()

    # ---- the thread

    def _keep(self) -> None:
        with (self._folder / ".lock").open("ab") as lock:
            while not filelock.try_lock(lock):
                if self._is_over.wait(PAUSE):
                    return
            try:
                self._at_desk()
            except Exception:
                self.is_stuck = True
                _log.failure("the ladder stands still: what is handed in waits until the lobby is started again")

    def _at_desk(self) -> None:
        desk = LadderDesk(
            self._folder,
            self._rules,
            self._signer,
            self._title,
            cpu=self._settings.cpu_seconds,
            jobs=self._settings.jobs,
        )
        if reason := why_other_rules(desk.rules, self._rules):
            _log.warn("{reason}", reason=reason)
        desk.on_decided = self._decided
        self._keeps = True
        try:
            while not self._is_over.is_set():
                try:
                    desk.work(int(time.time() * 1000), PAUSE / 5)
                except (OSError, KontorError) as error:  # a full disk, no memory for judges: tried again
                    _log.error("the ladder waits: {reason}", reason=str(error))
                    self._is_over.wait(10 * PAUSE)
                if desk.is_idle():
                    self._news.wait(PAUSE)
                    self._news.clear()
        finally:
            desk.close()

    def _decided(self, file: str, state: str, reason: str) -> None:
        self.on_judged(state)
        _log.info("ladder file {file}: {state} {reason}", file=file[:16], state=state, reason=ascii(reason)[1:-1])
