"""Rated matches on their way to the lobby's ladder: handed in by themselves, also after a restart.

What is still to be handed in has a note beside the match (`.handin`), written before anything is tried and deleted when
the lobby has the file on its disk, knows it, or refuses it for good. So a node that is stopped, or a lobby that is away
for days, loses nobody a result. When:

1. Everybody has signed the end: at once, the players one after another, for all have the same file.
2. The match is over, but somebody has not signed: after a while. Otherwise a loser who never signs had a veto. If the
   signature comes later, the file is handed in again with it.
3. Our machine came to another state than somebody else's, and the match still stands there after a while: the file as
   far as it goes, and our signed word on our state. Whose machine is right the ladder finds out by itself; but without
   the word, the one whose turn it was would count as having vanished.

A lobby that says that it cannot take the file now is asked again, ever more rarely, for as long as a result can matter:
a note that is older than MAX_AGE is thrown away, whether the node was restarted meanwhile or not.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from kontor_games.engine.errors import KontorError
from kontor_games.net.lobbies.lobbies import Lobbies
from kontor_games.net.lobbies.lobby_book import Origin
from kontor_games.net.lobbies.lobby_link import LobbyRefused
from kontor_games.net.lobbies.lobby_room import LobbyRoom
from kontor_games.net.lockstep.effects import Completed, Diverged, Effect, Ended
from kontor_games.net.lockstep.match import Match
from kontor_games.net.record.match_files import MatchFiles, page_path
from kontor_games.net.system.private_file import write_private
from kontor_games.net.system.steady import logged
from kontor_games.net.wire.chain import Mark, encode
from kontor_games.net.wire.identity import Signer
from kontor_games.net.wire.ladder_messages import HandWord, LadderWord

ONE_AFTER_ANOTHER: Final = 3.0  # seconds between the players of a match: all have the same file, one is enough
UNSIGNED_AFTER: Final = 120.0  # seconds in which the others may still sign
DIFFERS_AFTER: Final = 300.0  # seconds in which a clean replay may still put things right
AFTER_RESTART: Final = 5.0
AGAIN_AFTER: Final = 30.0  # the first time; twice as long each time after it
LONGEST: Final = 3600.0
MAX_AGE: Final = 30 * 86_400.0  # seconds: then nobody waits for it any more
LATER: Final = frozenset({"later", "too-fast", "busy", "store"})  # refusals that pass
_log = Logger(namespace="kontor.ladder")


class Errand(Struct, frozen=True):
    """What a note says: the file is to be handed in, and with it perhaps our word on another state."""

    word: HandWord | None = None

    def write(self, path: Path) -> None:
        """Keep it beside the match."""
        word = self.word
        said = {} if word is None else {"match": word.match, "mark": word.mark, "signature": word.signature}
        write_private(path, json.dumps({name: data.hex() for name, data in said.items()}))

    @classmethod
    def read(cls, path: Path) -> Errand | None:
        """What was kept, None if there is nothing of use."""
        try:
            said = {name: bytes.fromhex(text) for name, text in json.loads(path.read_text(encoding="utf-8")).items()}
            return cls(HandWord(**said) if said else None)
        except (OSError, ValueError, TypeError, AttributeError):
            return None


def age_of(note: Path, now: float) -> float | None:
    """How many seconds ago it was written, None if there is none; `now` is the time as people read it."""
    try:
        return now - note.stat().st_mtime
    except OSError:
        return None


class HandingIn:
    """One match on its way."""

    def __init__(
        self, reactor: Any, room: LobbyRoom, files: MatchFiles, errand: Errand, clock: Callable[[], float]
    ) -> None:
        self._reactor, self._room, self._files, self._errand, self._clock = reactor, room, files, errand, clock
        self._tries = 0
        self._call: Any = None

    @property
    def is_waiting(self) -> bool:
        """Whether it will be tried, or tried again."""
        return self._call is not None and self._call.active()

    def stop(self) -> None:
        """Try no more; the note stays."""
        if self.is_waiting:
            self._call.cancel()

    def start(self, delay: float) -> None:
        """Hand it in after so many seconds."""
        self._call = self._reactor.callLater(delay, self._try)

    def _try(self) -> None:
        self._tries += 1
        if self._room.seen is None:
            self._again("the lobby is not reached")
            return
        try:
            data = self._files.transcript.read_bytes()
        except OSError as error:
            self._again(str(error))
            return
        sent: Deferred[Any] = self._room.hand_in(data, self._errand.word)
        logged(sent.addCallbacks(self._done, self._failed), _log, "handing a match in")

    def _done(self, word: LadderWord) -> None:
        if word.page:
            write_private(page_path(self._files.transcript), word.page)
        self._files.handing_in.unlink(missing_ok=True)
        _log.info("{path}: {text}", path=self._files.transcript.name, text=word.text)

    def _failed(self, failure: Failure) -> None:
        error = failure.value
        if not isinstance(error, KontorError):
            failure.raiseException()
        if isinstance(error, LobbyRefused) and error.code not in LATER:
            self._files.handing_in.unlink(missing_ok=True)
            text = failure.getErrorMessage()
            _log.warn("{path}: the ladder refused it: {text}", path=self._files.transcript.name, text=text)
        else:
            self._again(failure.getErrorMessage())

    def _again(self, reason: str) -> None:
        name = self._files.transcript.name
        age = age_of(self._files.handing_in, self._clock())
        if age is None or age > MAX_AGE:
            self._files.handing_in.unlink(missing_ok=True)
            _log.warn("{path} is not handed in any more: {reason}", path=name, reason=reason)
            return
        if self._tries == 1:
            _log.info("{path} waits to be handed in: {reason}", path=name, reason=reason)
        self.start(min(LONGEST, AGAIN_AFTER * 2 ** min(self._tries - 1, 16)))


class LadderErrands:
    """All that this node has to hand in; told of what happens in its matches."""

    def __init__(
        self, reactor: Any, identity: Signer, lobbies: Lobbies, clock: Callable[[], float] = time.time
    ) -> None:
        self._reactor, self._identity, self._lobbies = reactor, identity, lobbies
        self._clock = clock  # as people read it: notes are as old as their files
        self._running: dict[str, HandingIn] = {}  # by the name of the match
        self._looking: dict[str, Any] = {}  # matches that stand still because machines differ, and when to look again

    def resume(self, files: MatchFiles) -> None:
        """Take up what was not handed in when the node stopped."""
        age = age_of(files.handing_in, self._clock())
        if age is None:
            return
        errand, origin = Errand.read(files.handing_in), Origin.read(files.lobby)
        if errand is None or origin is None or age > MAX_AGE:
            files.handing_in.unlink(missing_ok=True)
            return
        self._start(files, origin, errand, AFTER_RESTART)

    def told(self, match: Match, origin: Origin, effect: Effect) -> None:
        """Something happened in a match that began at this lobby."""
        terms = match.session.ledger.terms
        if terms.clauses is None or not terms.clauses.is_on_ladder:
            return
        me = terms.index_of(self._identity.key) or 0
        if isinstance(effect, Completed):
            self._begin(match, origin, Errand(), me * ONE_AFTER_ANOTHER)
        elif isinstance(effect, Ended) and effect.how != "fault":
            self._begin(match, origin, Errand(), UNSIGNED_AFTER + me * ONE_AFTER_ANOTHER)
        elif isinstance(effect, Diverged) and match.session.reads_only is None:
            self._look_later(match, origin, effect)

    def _look_later(self, match: Match, origin: Origin, found: Diverged) -> None:
        before = self._looking.get(match.files.name)
        if before is not None and before.active():
            before.cancel()
        later = self._reactor.callLater(DIFFERS_AFTER, self._still_differs, match, origin, found)
        self._looking[match.files.name] = later

    def _still_differs(self, match: Match, origin: Origin, found: Diverged) -> None:
        """Our word on a state is what we have told the others already; it is never another one for the same place."""
        ledger = match.session.ledger
        del self._looking[match.files.name]
        if match.is_closed or ledger.me is None or ledger.is_over:
            return
        if (ledger.tip, ledger.digest) != (found.tip, found.ours):
            return  # the match went on, or our memory was put right
        mark = encode(Mark(ledger.match, ledger.me, found.tip, found.ours))
        word = HandWord(ledger.match, mark, self._identity.sign("ack", mark))
        try:
            match.write_transcript()
        except KontorError as error:
            _log.error("{match}: {error}", match=match.files.name, error=str(error))
            return
        self._begin(match, origin, Errand(word), 0)

    def _begin(self, match: Match, origin: Origin, errand: Errand, delay: float) -> None:
        errand.write(match.files.handing_in)
        self._start(match.files, origin, errand, delay)

    def _start(self, files: MatchFiles, origin: Origin, errand: Errand, delay: float) -> None:
        if (before := self._running.pop(files.name, None)) is not None:
            before.stop()
        self._running = {name: each for name, each in self._running.items() if each.is_waiting}
        handing = HandingIn(self._reactor, self._lobbies.open_again(origin), files, errand, self._clock)
        self._running[files.name] = handing
        handing.start(delay)

    def stop(self) -> None:
        """Let go; the notes stay."""
        for each in self._running.values():
            each.stop()
        for later in self._looking.values():
            later.cancel()
        self._looking.clear()
