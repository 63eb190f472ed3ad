"""One peer of an explored match: a real session, its disk, and the only place that carries out effects.

`Host` does what `net/lockstep/match.py` does, without threads, files and sockets: what a worker, a clean process, a
disk or a power cut does is a step of the explored schedule. It keeps book of what must hold at every moment: no
exception leaves the session, nobody honest is blamed or cut off (P3, P5), no place is signed twice (P4).
"""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from msgspec.structs import replace

from kontor_games import engine
from kontor_games.engine.core.stream import H
from kontor_games.engine.errors import IllegalAction, KontorError
from kontor_games.net.ledger.facts import Fault
from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.lockstep.effects import (
    Again,
    DoWork,
    DropPeer,
    Effect,
    Ended,
    GoesOn,
    Journal,
    Pledge,
    Publish,
    ReplayClean,
    Send,
)
from kontor_games.net.lockstep.session import Session
from kontor_games.net.record.own_words import Copy
from kontor_games.net.sealed import bodies
from kontor_games.net.wire.chain import Chat, DealerMessage, Frame, decode
from kontor_games.net.wire.match_talk import Chunk, MovedTalk, Signed, Talk
from tests.worlds.world import VERSION, identity

from .snapshot import fingerprint

BYZANTINE_TRICKS: dict[str, Callable[[Host, int], list[tuple[int, Talk]]]] = {}


HANG = 1.5  # seconds of computing for one input: more is a loop without an end


class Hang(BaseException):
    """The session does not come back; nothing in it may catch this."""


class PowerCut(Exception):
    """The process ended between two effects."""


class Disk:
    """What survives a crash: the journal, the second place of our own messages with its older slot, the secret.

    The first `synced` records of the journal are safe; the rest may be lost. What a full disk refuses waits in memory.
    """

    def __init__(self, secret: bytes) -> None:
        self.secret: bytes | None = secret
        self.journal: list[Signed] = []
        self.synced = 0
        self.words: tuple[Signed, ...] = ()
        self.older: tuple[Signed, ...] = ()
        self.is_whole = True  # both slots of the second place can be read
        self.is_full = False
        self.unwritten: list[Journal | Pledge] = []

    def write(self, burn: Callable[[], None]) -> list[int]:
        """Write what waits; the numbers of pledges that are safe. `burn`: the power may be cut at each of these."""
        done: list[int] = []
        while self.unwritten and not self.is_full:
            burn()
            effect = self.unwritten.pop(0)
            self.journal.append(effect.signed)
            if isinstance(effect, Pledge):
                burn()
                self.synced = len(self.journal)
                self._write_slot(effect.open_words)
                burn()
                done.append(effect.number)
        return done

    def after_crash(self, how: str, me: int) -> None:
        """What is lost beside memory.

        kept: nothing; synced: what was not synced; cut: the last own record of the journal too; slot: the newest slot
        of the second place instead; both: that record and that slot; secret: the file of the secret.
        """
        self.unwritten = []
        if how in ("synced", "cut", "both"):
            del self.journal[self.synced :]
        if how in ("cut", "both"):
            own = [k for k, signed in enumerate(self.journal) if signed.peer == me]
            del self.journal[own[-1] if own else len(self.journal) :]
        if how in ("slot", "both"):
            self.words, self.is_whole = self.older, False
        if how == "secret":
            self.secret = None
        self.synced = len(self.journal)

    def _write_slot(self, words: tuple[Signed, ...]) -> None:
        """The older slot is written, or the one that cannot be read."""
        self.older, self.words, self.is_whole = self.words, words, True

    def resume(self, me: int) -> tuple[tuple[Signed, ...], str | None]:
        """Our words in the second place, and why to doubt them, as `MatchDisk.resume` does it."""
        mine = [signed for signed in self.journal if signed.peer == me and signed.kind != "ack"]
        copy = Copy(self.words, 2 if self.is_whole else 1)
        doubt = copy.why_doubt(mine)
        repair = None if doubt else copy.brought_up_to_date(mine)
        if repair is not None:
            self._write_slot(repair)
        return copy.words, doubt


@lru_cache(maxsize=20_000)
def place_of(signed: Signed) -> tuple[object, ...] | None:
    """The place of a message (P4); an acknowledgement has none. Not `net.ledger.places`: what is judged must not judge.

    Shares (`giv`) rest on a set of votes and may be given again for another set: those votes belong to their place.
    """
    match signed.kind:
        case "frame":
            frame = decode(Frame, signed.raw)
            return "frame", frame.m, frame.h, frame.d
        case "dealer":
            message = decode(DealerMessage, signed.raw)
            body = bodies.decode(message.p, bytes(message.b))
            extra = body.v if isinstance(body, bodies.Gon) else body.g if isinstance(body, bodies.Giv) else None
            return "dealer", message.m, message.h, message.d, bodies.kind(body), extra
        case "final":
            return ("final",)
        case "chat":
            return "chat", decode(Chat, signed.raw).n
        case _:
            return None


class Host:
    """One peer; every public method is something that the world does to it."""

    def __init__(self, number: int, terms: bytes, liars: frozenset[int] = frozenset()) -> None:
        self.number = number
        self.terms = terms
        self.liars = liars  # whose keys the adversary holds
        self.disk = Disk(H("test", f"secret {number}", size=32))
        self.alive = True
        self.boots = 0
        self.linked: set[int] = set()
        self.now = 1.0
        self.works: list[DoWork] = []
        self.replays = 0  # clean processes that were asked for and have not ended
        self.replay_fails = False
        self.muted: set[int] = set()  # whom the adversary does not talk to
        self.fuse: tuple[int, str] | None = None  # the power is cut after so many writes and sends, and what is lost
        self.ended: str | None = None
        self.out: list[tuple[str, int, Any]] = []  # ("send", peer, talk), ("cut", peer, reason)
        self.findings: list[tuple[str, str]] = []
        self.signed: dict[tuple[object, ...], bytes] = {}
        self._looked = 0
        self._print: bytes | None = None
        self._boot()

    def _boot(self) -> None:
        ledger = Ledger(self.terms, self.number, self.disk.secret)
        self.session = Session(ledger, identity(self.number), VERSION)
        self.works, self.replays, self.fuse = [], 0, None
        self._looked = 0
        disk = self.disk
        self._guard("restore", lambda: self.session.restore(disk.journal, *disk.resume(self.number)))

    @property
    def is_honest(self) -> bool:
        return self.number not in self.liars

    @property
    def ledger(self) -> Ledger:
        return self.session.ledger

    @property
    def fingerprint(self) -> bytes:
        """Equal for hosts in the same state."""
        if self._print is None:
            disk = self.disk
            last = disk.journal[-1].raw if disk.journal else b""
            rest = (self.alive, self.boots, sorted(self.linked), self.now, len(self.works), self.replays, self.ended)
            words = [signed.sig[:8] for signed in (*disk.words, *(effect.signed for effect in disk.unwritten))]
            more = (
                self.replay_fails,
                sorted(self.muted),
                self.fuse,
                len(disk.journal),
                disk.synced,
                disk.is_full,
                disk.secret,
                last,
                words,
            )
            signed = sorted(blake2b(raw, digest_size=8).digest() for raw in self.signed.values())
            parts = (
                fingerprint(self.session) if self.alive else b"",
                repr(rest).encode(),
                repr(more).encode(),
                *signed,
            )
            self._print = blake2b(b"".join(parts), digest_size=16).digest()
        return self._print

    def take(self, name: str, *arguments: Any) -> list[tuple[str, int, Any]]:
        """Something happens to this peer: what it says and whom it cuts off."""
        self._print = None
        try:
            with _alarm():
                getattr(self, name)(*arguments)
                if self.alive:
                    self._look()
        except Hang:  # outside the session's own inputs, which `_guard` sees to
            self._find("hang", f"{name} does not return")
        out, self.out = self.out, []
        return out

    # ---- what the world does

    def start(self) -> None:
        self._guard("start", self.session.start)

    def link(self, peer: int) -> None:
        self.linked.add(peer)
        self._guard("linked", lambda: self.session.linked(peer))

    def unlink(self, peer: int) -> None:
        self.linked.discard(peer)
        self._guard("unlinked", lambda: self.session.unlinked(peer))

    def hear(self, source: int, talk: Talk) -> None:
        self._guard("heard", lambda: self.session.heard(source, talk))

    def work(self) -> None:
        work = self.works.pop(0)
        result = work.job()
        self._guard("worked", lambda: self.session.worked(work.number, result))

    def replay(self) -> None:
        """A clean process ends: with the state that our chain gives, or without one."""
        self.replays -= 1
        if self.replay_fails:
            self.replay_fails = False
            self._guard("replayed", lambda: self.session.replayed(None))
            return
        clean = Ledger(self.terms, inline=True)
        for item in self.ledger.items:
            clean.take_item(item, trusted=True)
        self._guard("replayed", lambda: self.session.replayed(clean.state_bytes()))

    def tick(self, seconds: float) -> None:
        self.now += seconds
        self._guard("tick", lambda: self.session.tick(self.now))

    def crash(self, how: str) -> None:
        self.alive = False
        self.disk.after_crash(how, self.number)
        self.linked.clear()
        self.works, self.replays, self.out = [], 0, []

    def restart(self) -> None:
        self.alive = True
        self.boots += 1
        self.disk.is_full = False
        self._boot()
        self.start()

    def fill_disk(self, is_full: bool) -> None:
        self.disk.is_full = is_full

    def light_fuse(self, effects: int, how: str) -> None:
        self.fuse = effects, how

    def fail_replay(self) -> None:
        self.replay_fails = True

    def silence(self) -> None:
        """It hears and says nothing more; its links stay."""
        self.alive = False

    def damage(self) -> None:
        """A bit of the state flips in memory (osaka only)."""
        state: Any = self.ledger.state
        self.ledger.run.state = replace(state, ships=type(state.ships)([*state.ships[:-1], 4]))

    # ---- what its player wants

    def choices(self) -> list[engine.Action]:
        """The actions that its player may play now."""
        ledger = self.ledger
        turn = ledger.turn
        if not self.alive or turn is None or ledger.seat_peer(turn) != self.number or ledger.state is None:
            return []
        if self.session.is_committed or self.session.is_stopped:
            return []
        try:
            return list(engine.legal(ledger.game, ledger.state, ledger.known(turn)))
        except KontorError:
            return []  # a node without its secret cannot read its own cards

    @property
    def can_play(self) -> bool:
        return bool(self.choices())

    def votable(self, against: Sequence[int]) -> list[int] | None:
        """Whom of these its player can declare gone together; none at all takes a vote back. None: that cannot be."""
        wanted = [p for p in against if p in self.ledger.active and p != self.number]
        is_possible = self.alive and (wanted or not against) and not self.ledger.table.why_not_gone(wanted)
        return wanted if is_possible else None

    def play(self, pick: int) -> None:
        """The player commits a turn; after a restart another one than before, as people do."""
        choices = self.choices()
        if not choices:
            return
        action = choices[(pick + self.boots) % len(choices)]
        if self.session.why_not_play([action]) is None:
            self._guard("play", lambda: self.session.play([action]))

    def vote(self, *against: int) -> None:
        self._guard("vote_gone", lambda: self.session.vote_gone(set(against) & set(self.ledger.active)))

    def bye(self) -> None:
        self._guard("bye", self.session.bye)

    def chat(self) -> None:
        self._guard("chat", lambda: self.session.chat(f"line of life {self.boots}"))

    def trick(self, name: str, target: int) -> None:
        """The adversary, who holds this peer's keys, says something that its session would not."""
        self.out += [("send", peer, talk) for peer, talk in BYZANTINE_TRICKS[name](self, target) if peer in self.linked]

    # ---- carrying out effects

    def _guard(self, what: str, call: Callable[[], list[Effect]]) -> None:
        """Run one input of the session and carry out what follows; what leaves it as an exception is a finding."""
        try:
            self._perform(call())
        except Hang:
            self._find("hang", f"{what} does not return")
        except PowerCut as cut:
            said = self.out
            self.crash(str(cut))
            self.out = said  # what had been said may still arrive
        except IllegalAction:
            pass
        except (KontorError, AssertionError, LookupError, TypeError, ValueError, AttributeError) as error:
            self._find("exception", f"{what}: {type(error).__name__}: {error}")

    def _cut(self, peer: int, reason: str) -> None:
        self.out.append(("cut", peer, reason))
        if peer not in self.liars:
            self._find("P5", f"cuts off honest peer {peer}: {reason}")

    def _perform(self, effects: Sequence[Effect]) -> None:
        while True:
            is_again = self._carry_out(effects)
            written = self.disk.write(self._burn)
            if not (is_again or written):
                return
            effects = [effect for number in written for effect in self.session.written(number)]
            if is_again:
                effects += self.session.again()

    def _carry_out(self, effects: Sequence[Effect]) -> bool:
        again = False
        for effect in effects:
            match effect:
                case Send(peer=peer, talk=talk):
                    if peer in self.muted:
                        continue
                    self._burn()
                    self.out.append(("send", peer, talk))
                    self._visible(_inside(talk))
                case Journal() | Pledge():
                    self.disk.unwritten.append(effect)
                case DropPeer(peer=peer, reason=reason):
                    self._cut(peer, reason)
                case DoWork():
                    self.works.append(effect)
                case ReplayClean():
                    self.replays += 1
                case Again():
                    again = True
                case Publish():
                    pass
                case Fault(peer=peer, code=code):
                    if peer not in self.liars:
                        self._find("P3", f"blames honest peer {peer}: {code}")
                case Ended(how=how):
                    self.ended = how
                case GoesOn():
                    self.ended = None
                case _:
                    pass
        return again

    def _burn(self) -> None:
        if self.fuse is not None:
            left, how = self.fuse
            if left == 0:
                raise PowerCut(how)
            self.fuse = left - 1, how

    # ---- what must hold

    def _look(self) -> None:
        """Whatever of our own is in the chain or held for the open entry could be handed out."""
        items = self.ledger.items
        self._looked = min(self._looked, len(items))
        for item in items[self._looked :]:
            self._visible(item.parts)
        self._looked = len(items)
        self._visible(self.ledger.held())

    def _visible(self, messages: Sequence[Signed]) -> None:
        for signed in messages:
            if signed.peer != self.number:
                continue
            place = place_of(signed)
            if place is not None and self.signed.setdefault(place, signed.raw) != signed.raw:
                self._find("P4", f"signs two messages for one place: {place[4] if len(place) > 4 else place[0]}")

    def _find(self, promise: str, text: str) -> None:
        if self.is_honest:
            self.findings.append((promise, f"node {self.number} {text}"))


def _hang(signum: int, frame: object) -> None:
    raise Hang


@contextmanager
def _alarm() -> Iterator[None]:
    """Interrupt what computes for too long; only the main thread can.

    Garbage of a search with millions of states takes seconds to collect; that is not the session's time.
    """
    gc.disable()
    before = signal.signal(signal.SIGVTALRM, _hang)
    signal.setitimer(signal.ITIMER_VIRTUAL, HANG)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        gc.enable()


def _inside(talk: Talk) -> Sequence[Signed]:
    """The signed messages in what is said."""
    match talk:
        case Signed():
            return (talk,)
        case MovedTalk(frame=frame):
            return (frame,)
        case Chunk(items=items):
            return [part for item in items for part in item.parts]
        case _:
            return ()
