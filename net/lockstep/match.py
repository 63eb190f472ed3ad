"""The adapter of one match: carries out what its session asks — links, journal, worker threads, clock.

Effects are carried out in order, and one rule says when bytes leave: **whatever is said goes out before anything that
takes time**. Saying something (`Send`, `Publish`) only gathers bytes, so that a turn and its acknowledgement leave
together; writing to the disk (`Journal`, `Pledge`) belongs to what is being said, because nothing of ours is sent
before it is written. Everything else takes time, so what was gathered is pushed first:

- `DoWork`, `ReplayClean` and `DropPeer`, before they begin;
- `Again`: the session's own part takes milliseconds, so it is made after everything else of the list is carried out;
- telling our own side, because clients draw a board before they return.

There is one exception. While we answer a message, an acknowledgement may wait until our own side has heard of the plies
that it acknowledges (`_ANSWERING`): a bot answers at once, and its turn leaves with the acknowledgement. What was said
at the end of an input is pushed in any case, by `perform` here or by the mesh after the message that was answered.

Messages of our own take one more turn: when a `Pledge` is on the disk, `session.written` says what follows, and that is
carried out in the same way. If the disk refuses, it waits (`match_disk.py`), and nobody sees the message.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from twisted.internet.threads import deferToThreadPool
from twisted.internet.utils import getProcessOutputAndValue
from twisted.logger import Logger
from twisted.python.failure import Failure

from kontor_games.engine import Action, canonical
from kontor_games.engine.errors import RemoteError, StoreError
from kontor_games.net.ledger.facts import Fault, Grown, Ply
from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.record.chain_records import records_of, write_transcript
from kontor_games.net.record.evidence import write_evidence
from kontor_games.net.record.match_files import MatchFiles
from kontor_games.net.system import child
from kontor_games.net.system.steady import Steady
from kontor_games.net.system.version import version
from kontor_games.net.wire.identity import Identity
from kontor_games.net.wire.match_talk import Ask, Talk
from kontor_games.net.wire.messages import AnyMessage, MatchTalk

from .divergence import write_bundle
from .effects import (
    Again,
    Completed,
    DiskTrouble,
    DoWork,
    DropPeer,
    Effect,
    Ended,
    Journal,
    Pledge,
    Publish,
    ReadsOnly,
    ReplayClean,
    SecretSpent,
    Send,
    WriteBundle,
)
from .match_disk import MatchDisk, load_secret
from .session import Session

VERSION = f"kontor {version()}, Python {sys.version.split()[0]}, {sys.platform}"
TICK_SECONDS = 0.5
SAVE_AGAIN_SECONDS = 5.0  # after the disk refused the transcript
WORKERS = 2  # one checks, the other makes what will be owed next
_SAYING = (Send, Publish, Journal, Pledge)  # what our turn consists of; nobody waits for it while we tell our own side
_ANSWERING = (*_SAYING, Ply, Grown)  # an acknowledgement may wait for our player, who may answer at once
_log = Logger(namespace="kontor.match")
OnEffect: TypeAlias = Callable[[Effect], None]


class Wire(Protocol):
    """How messages reach other nodes; `net/links/mesh.py` fulfils it."""

    def send(self, peer: bytes, message: AnyMessage) -> bool:
        """Send to the node with this key; False if it is not linked."""

    def push(self) -> None:
        """Everything sent so far goes out now; what answers a message goes out anyway when that is dealt with."""

    def disconnect(self, peer: bytes, reason: str) -> None:
        """End the link to the node with this key."""


class Match:
    """One match of this node; calls come from the reactor thread."""

    def __init__(
        self,
        reactor: Any,
        wire: Wire,
        files: MatchFiles,
        session: Session,
        disk: MatchDisk,
        signatures: Sequence[bytes],
    ) -> None:
        self.session = session
        self.files = files
        self.signatures = tuple(signatures)
        self.id = session.ledger.match
        self.spectators: set[bytes] = set()
        self.is_served_only = False  # over and complete: kept for peers that still lack a final signature
        self._reactor = reactor
        self._wire = wire
        self._disk = disk
        self._trouble: str | None = None  # of the disk, as far as it was told
        self._file_trouble: str | None = None  # why the transcript could not be written
        self._save_at = 0.0  # when to try that again
        self._subscribers: list[OnEffect] = []
        self._restored: list[Effect] = []  # what happened before the restart
        self._keys = [peer.key for peer in session.ledger.terms.peers]
        self._clock = Steady(reactor, TICK_SECONDS, self._tick, _log, f"the clock of match {self.id.hex()[:8]}")
        self._closed = False

    @classmethod
    def begin(
        cls,
        reactor: Any,
        wire: Wire,
        directory: Path,
        identity: Identity,
        terms: bytes,
        signatures: Sequence[bytes],
    ) -> Match:
        """A match that has just been agreed; its secret and its terms are on the disk before anything is sent."""
        ledger = Ledger(terms)
        files = MatchFiles.of(directory, ledger.match)
        me = ledger.terms.index_of(identity.key)
        disk, secret = MatchDisk.create(files, terms, signatures)
        session = Session(Ledger(terms, me, secret), identity, VERSION)
        return cls(reactor, wire, files, session, disk, signatures)

    @classmethod
    def resume(cls, reactor: Any, wire: Wire, journal_path: Path, identity: Identity) -> Match:
        """A match that this node began before it was restarted."""
        disk, found = MatchDisk.resume(journal_path, identity.key)
        terms, signatures = found.terms, found.signatures
        ledger = Ledger(terms)
        files = MatchFiles.of(journal_path.parent, ledger.match)
        me = ledger.terms.index_of(identity.key)
        if me is None:
            disk.close()
            raise StoreError(f"{journal_path.name}: this match is played under another key than this node's")
        session = Session(Ledger(terms, me, load_secret(files.secret)), identity, VERSION)
        match = cls(reactor, wire, files, session, disk, signatures)
        match._restored = session.restore(found.messages, found.words, found.doubt)
        return match

    def subscribe(self, on_effect: OnEffect) -> None:
        """Call `on_effect` with whatever happens in this match; who subscribes before the start hears all of it."""
        self._subscribers.append(on_effect)

    def start(self) -> None:
        """Go: tell what happened before the restart, do what is owed, and keep time."""
        restored, self._restored = self._restored, []
        for effect in restored:
            self._announce(effect)
        pool = self._reactor.getThreadPool()
        if pool.min < WORKERS:
            pool.adjustPoolsize(minthreads=WORKERS)  # a thread that begins beside busy ones keeps us waiting
        self.perform(self.session.start())
        self._clock.start()

    def stop(self) -> None:
        """Let go of everything; the journal has what is needed to go on, the transcript shows how far it went."""
        if self._closed:
            return
        if not self.session.ledger.is_complete and self.session.ledger.position:
            self._save()
        self._closed = True
        self._clock.stop()
        self._disk.close()

    @property
    def is_closed(self) -> bool:
        """Whether this process has let go of it."""
        return self._closed

    # ---- links

    def index(self, key: bytes) -> int | None:
        """The peer with this key, None if it is not of this match."""
        return self._keys.index(key) if key in self._keys else None

    def linked(self, *keys: bytes) -> None:
        """The nodes with these keys are reached."""
        peers = [peer for key in keys if (peer := self.index(key)) not in (None, self.session.me)]
        if peers:
            self.perform(self.session.linked(*peers))

    def lost(self, key: bytes) -> None:
        """The node with this key is not reached now."""
        self.spectators.discard(key)
        peer = self.index(key)
        if peer is not None and peer != self.session.me:
            self.perform(self.session.unlinked(peer))

    def heard(self, key: bytes, talk: Talk) -> None:
        """A node said something about this match; RemoteError ends the link of a stranger."""
        peer = self.index(key)
        if peer is None or peer == self.session.me:
            self._spectator_heard(key, talk)
            return
        self._perform(self.session.heard(peer, talk), _ANSWERING)

    def watch(self, key: bytes) -> None:
        """A spectator comes: it gets everything that is public, now and from now on."""
        if not self.session.ledger.terms.spectators:
            raise RemoteError("this match is played without spectators")
        self.spectators.add(key)

    def _spectator_heard(self, key: bytes, talk: Talk) -> None:
        if key not in self.spectators or not isinstance(talk, Ask):
            raise RemoteError("a stranger speaks about a match that is not theirs")
        for chunk in self.session.chunk_from(talk.position):
            self._wire.send(key, MatchTalk(self.id, canonical(chunk)))

    # ---- the player

    def play(self, actions: Sequence[Action]) -> None:
        """Commit a turn; raises IllegalAction."""
        self.perform(self.session.play(actions))

    def chat(self, text: str) -> None:
        self.perform(self.session.chat(text))

    def vote_gone(self, peers: Iterable[int]) -> None:
        self.perform(self.session.vote_gone(peers))

    def bye(self) -> None:
        self.perform(self.session.bye())

    # ---- effects

    def perform(self, effects: Iterable[Effect]) -> None:
        """Carry out effects in order, and those that follow from our own part of an entry."""
        self._perform(effects, _SAYING)
        self._wire.push()

    def _perform(self, effects: Iterable[Effect], unhurried: tuple[type, ...]) -> None:
        while not self._closed:
            is_again = self._carry_out(effects, unhurried)
            self._tell_trouble()
            written = self._disk.take_confirmed()
            if not (is_again or written):
                return
            effects = [effect for number in written for effect in self.session.written(number)]
            if is_again:
                effects += self.session.again()

    def _carry_out(self, effects: Iterable[Effect], unhurried: tuple[type, ...]) -> bool:
        """Whether the session goes on. Before anything but the `unhurried` effects, all that is said goes out."""
        again = False
        for effect in effects:
            if self._closed:
                return False
            if not isinstance(effect, unhurried):
                self._wire.push()
            match effect:
                case Send(peer=peer, talk=talk):
                    self._wire.send(self._keys[peer], MatchTalk(self.id, canonical(talk)))
                case Publish(talk=talk):
                    for key in tuple(self.spectators):
                        self._wire.send(key, MatchTalk(self.id, canonical(talk)))
                case Journal() | Pledge():
                    self._disk.write(effect)
                case DropPeer(peer=peer, reason=reason):
                    self._wire.disconnect(self._keys[peer], reason)
                case Again():
                    again = True
                case DoWork():
                    self._work(effect)
                case ReplayClean():
                    self._replay()
                case _:
                    self._tell(effect)
        return again

    def _tell(self, effect: Effect) -> None:
        match effect:
            case Fault():
                self._report(f"peer {effect.peer} is at fault ({effect.code})", write_evidence, effect)
            case WriteBundle():
                self._report("the nodes differ", write_bundle, effect, VERSION)
            case Ended() | Completed():
                self._save()
            case ReadsOnly(reason=reason):
                _log.warn("{match}: this node only reads here: {reason}", match=self.id.hex()[:8], reason=reason)
            case SecretSpent():
                self.files.delete_secret()
            case _:
                pass
        self._announce(effect)

    def _announce(self, effect: Effect) -> None:
        """Tell the subscribers; if one of them fails, the rest of what the session wants is done all the same."""
        for on_effect in self._subscribers:
            try:
                on_effect(effect)
            except Exception:
                _log.failure("match {match}: a subscriber failed at {effect}", match=self.id.hex()[:8], effect=effect)

    def _report(self, what: str, write: Callable[..., Path], *about: object) -> None:
        """Put something on record for people; the match goes on if the disk refuses."""
        try:
            name = write(self.files.reports, self.session.ledger, self.signatures, *about).name
        except (OSError, StoreError) as error:
            name = f"nothing, because it could not be written: {error}"
        _log.warn("{match}: {what}; see {name}", match=self.id.hex()[:8], what=what, name=name)

    def _tell_trouble(self) -> None:
        """Say once when the disk begins to refuse, and once when it takes everything again."""
        trouble = self._disk.trouble or self._file_trouble
        if trouble == self._trouble:
            return
        self._trouble = trouble
        if self._trouble is None:
            _log.info("{match}: everything is on the disk again", match=self.id.hex()[:8])
        else:
            _log.error("{match}: the disk takes nothing: {why}", match=self.id.hex()[:8], why=self._trouble)
        self._announce(DiskTrouble(self._trouble or ""))

    def _save(self) -> bool:
        """Write the transcript, now or when the disk takes it again."""
        try:
            self.write_transcript()
        except StoreError as error:
            self._file_trouble = str(error)
            self._save_at = self._reactor.seconds() + SAVE_AGAIN_SECONDS
            return False
        self._file_trouble = None
        return True

    def write_transcript(self) -> Path:
        """Write the chain as far as it goes as a file that proves itself."""
        records = records_of(self.session.ledger, self.signatures, self.session.finals())
        write_transcript(self.files.transcript, records)
        return self.files.transcript

    def _work(self, work: DoWork) -> None:
        done = deferToThreadPool(self._reactor, self._reactor.getThreadPool(), work.job)
        done.addCallback(
            lambda result: None if self._closed else self.perform(self.session.worked(work.number, result))
        )
        done.addErrback(self._failed)

    def _replay(self) -> None:
        """A clean process, so that nothing of ours can be wrong in it. If it fails, that shows nothing."""
        if not self._save():
            self.perform(self.session.replayed(None))
            return
        program, *options = child.python()
        arguments = (*options, "-m", "kontor_games.net.record.clean_replay", str(self.files.transcript))
        run: Any = getProcessOutputAndValue
        done = run(program, arguments, env=child.environment(), reactor=self._reactor)

        def replayed(outcome: tuple[bytes, bytes, int]) -> None:
            state, error, code = outcome
            if code:
                _log.error("the replay failed: {error}", error=error.decode(errors="replace")[-500:])
            if not self._closed:
                self.perform(self.session.replayed(None if code else state))

        def failed(failure: Failure) -> None:
            self._failed(failure)
            if not self._closed:
                self.perform(self.session.replayed(None))

        done.addCallbacks(replayed, failed)
        done.addErrback(self._failed)

    def _tick(self) -> None:
        self._disk.retry()
        if self._file_trouble is not None and self._reactor.seconds() >= self._save_at:
            self._save()
        self.perform(self.session.tick(self._reactor.seconds()))

    def _failed(self, failure: Failure) -> None:
        _log.failure("match {match} failed", failure=failure, match=self.id.hex()[:8])
