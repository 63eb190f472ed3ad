"""One lobby process: listens, lets commands run, and carries their news to the connections it holds."""

from __future__ import annotations

import gc
import secrets
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

from twisted.internet.defer import Deferred, gatherResults, maybeDeferred
from twisted.internet.protocol import Factory
from twisted.internet.task import LoopingCall
from twisted.logger import Logger
from twisted.protocols.tls import TLSMemoryBIOFactory

from kontor_games.engine.errors import StoreError
from kontor_games.lobby.commands import HANDLERS
from kontor_games.lobby.commands.connect import note_use
from kontor_games.lobby.commands.expiry import expire
from kontor_games.lobby.commands.queue import match_round
from kontor_games.lobby.commands.sign_in import Claim, come_back, gone, sign_in
from kontor_games.lobby.model.codes import new_id
from kontor_games.lobby.model.records import PRESENCE, QUEUE, TABLE
from kontor_games.lobby.model.work import Refused, Work, run
from kontor_games.lobby.settings.config import Config
from kontor_games.lobby.settings.log import Tags
from kontor_games.lobby.settings.metrics import Metrics
from kontor_games.lobby.store.base import HALL, Busy, News, Store
from kontor_games.net.system.admission import Residents
from kontor_games.net.system.buckets import Buckets, Rate
from kontor_games.net.system.uptime import uptime
from kontor_games.net.table.catalogue import Catalogue
from kontor_games.net.wire.frames import pack_frame
from kontor_games.net.wire.identity import Identity, verify
from kontor_games.net.wire.lobby_messages import (
    LOBBY_VERSIONS,
    Answer,
    EnterByCode,
    Marks,
    Notice,
    RawAnswer,
    RawLines,
    Refusal,
    Request,
    SignIn,
    WatchHall,
    Welcome,
    decode_from_lobby,
    encode,
    sign_in_bytes,
)
from kontor_games.net.wire.messages import Enter

from .certificate import server_tls
from .connection import NOBODY, Connection
from .counter import Counter
from .door import Caller, Door, DoorFactory
from .hall import Hall
from .relay import Relay
from .throttle import Throttle

SWEEP_EVERY: Final = 1.0
LONGEST_SWEEP: Final = 10.0  # seconds without one before the lobby no longer calls itself healthy
SWEEP_BATCH: Final = 200
DEFECT: Final = "a defect of the lobby"
_log = Logger(namespace="kontor.lobby")


class Lobby:
    """Everything that one process keeps in memory: connections, buckets, counters. The rest is in the store."""

    def __init__(
        self,
        reactor: Any,
        config: Config,
        identity: Identity,
        store: Store,
        catalogue: Catalogue,
        metrics: Metrics | None = None,
        clock: Callable[[], float] = time.time,
        passing: Callable[[], float] = uptime,
    ) -> None:
        self.reactor = reactor
        self.config = config
        self.store = store
        self.catalogue = catalogue
        self.metrics = metrics or Metrics()
        self.creator, self.key = server_tls(config, identity)
        self.here: dict[bytes, Connection] = {}
        self.connections: set[Connection] = set()
        self.residents: Residents[Connection] = Residents(config.limits.max_connections)
        self.is_closing = False
        self._clock = clock  # as people read it: for what is stored or told
        self._passing = passing  # as it passes, whatever the reactor believes: for the proof that its timers fire
        self.throttle = Throttle(config.limits, self.metrics)
        self._tags = Tags(reactor.seconds())
        self._noted = Buckets(Rate(1, 20))
        self.door = Door(reactor, config.limits, self.metrics, self._build_tls, self._build_relay)
        self.relay = Relay(reactor, config.relay, self.metrics, self._note_relay_use)
        self._counter: Counter[Connection, Request] = Counter(reactor, self._serve)
        self.hall = Hall(reactor, config.hall_every, self.metrics, self._watchers)
        factory: Any = Factory()
        self._tls: Any = TLSMemoryBIOFactory(self.creator, False, factory)
        self._sweeper = LoopingCall(lambda: Deferred.fromCoroutine(self._sweep()))
        self._sweeper.clock = reactor
        self._port: Any = None
        self._swept_at = passing()
        store.subscribe(self._news)

    # Life.

    async def start(self, endpoint: Any) -> Any:
        """Take over what an earlier process of this name left, then listen."""
        await self._adopt()
        self._port = await endpoint.listen(DoorFactory(self.door))
        self.door.listen_at(self._port)
        self._begin_sweeping()
        return self._port

    def _begin_sweeping(self) -> None:
        self._swept_at = self._passing()
        self._sweeper.start(SWEEP_EVERY, now=False).addErrback(self._sweeper_died)

    def _sweeper_died(self, failure: Any) -> None:
        """It catches everything itself, so this is a defect; but without it nobody is ever cut or offered a match."""
        _log.failure("the sweeper died and begins again", failure=failure)
        if not self.is_closing:
            self.reactor.callLater(SWEEP_EVERY, self._begin_sweeping)

    async def _adopt(self) -> None:
        """Everybody who was here when the process ended is away now; their places are kept as usual."""
        after = ""
        while True:
            page = await self.work().page(PRESENCE, None, after, SWEEP_BATCH)
            left = [p for _, p in page if p.process == self.config.process and p.away is None]
            await self._all(partial(gone, key=presence.key, session=presence.session) for presence in left)
            if len(page) < SWEEP_BATCH:
                return
            after = page[-1][0]

    async def _all(self, jobs: Iterable[Any]) -> None:
        """Do many jobs at once, so that they share the disk's commits; one that fails stops none of the others."""
        await gatherResults([Deferred.fromCoroutine(self._run(job)).addErrback(self._failed) for job in jobs])

    async def stop(self, reason: str) -> None:
        """Tell everybody, let their answers out, close."""
        if self.is_closing:
            return
        self.is_closing = True
        if self._port is not None:
            await maybeDeferred(self._port.stopListening)
        if self._sweeper.running:
            self._sweeper.stop()
        self.hall.close()
        self._counter.close()
        self.door.close()
        frame = pack_frame(encode(Notice("shutdown", reason)))
        for connection in list(self.connections):
            if connection.who is not None:
                connection.send_frame(frame)
            connection.end()
        await self.relay.close()
        drained = self.reactor.seconds() + self.config.times.drain
        while self.connections and self.reactor.seconds() < drained:
            await _later(self.reactor, 0.05)
        for connection in list(self.connections):
            connection.transport.abortConnection()
        await _later(self.reactor, 0)
        await self.store.close()

    def why_not_healthy(self) -> str | None:
        """Why this process should get no more work, or None."""
        if self.is_closing:
            return "closing"
        if self._port is None:
            return "not listening yet"
        late = self._passing() - self._swept_at
        if late > LONGEST_SWEEP:
            return (
                f"no timer has done its work for {late:.0f} s: the store or the machine is overloaded, or they stopped"
            )
        return None

    # Connections.

    def _build_tls(self, caller: Caller) -> Any:
        connection = Connection(self, caller)
        self.connections.add(connection)
        tls = self._tls.protocol(self._tls, connection)
        tls.factory = self._tls
        return tls

    def _build_relay(self, caller: Caller) -> Any:
        return self.relay.build(caller.host, caller.known)

    def welcome(self, connection: Connection) -> None:
        """TLS is up: send what to sign."""
        if self.is_closing:
            connection.cut("closing")
            return
        connection.challenge = secrets.token_bytes(32)
        connection.send(Welcome(LOBBY_VERSIONS, self.key, connection.challenge, self.config.title))

    def sign_in(self, connection: Connection, ask: SignIn) -> None:
        """Somebody asks to come in; the challenge is good for one attempt."""
        challenge, connection.challenge = connection.challenge, b""
        if ask.version not in LOBBY_VERSIONS:
            connection.turn_away("version", f"this lobby speaks version {LOBBY_VERSIONS[-1]}, not {ask.version}")
        elif ask.key != connection.key or not verify(ask.key, "lobby", sign_in_bytes(self.key, challenge), ask.sig):
            connection.turn_away("signature", "the signature does not prove the key of this connection")
        elif not self._finds_place(connection):
            connection.turn_away("full", "this lobby is full, and your network holds as many places as any; try later")
        else:
            self._spawn(self._signed(connection, ask))

    def _finds_place(self, connection: Connection) -> bool:
        """Whether there is a place for somebody who is known; whoever has to go for it is told why."""
        gone = self.residents.enter(connection, connection.host)
        if gone is not None and gone is not connection:
            self.metrics.cut.labels("crowded-out").inc()
            gone.send(Notice("announcement", "this lobby is full, and your network holds most places; try again later"))
            gone.end()
        return gone is not connection

    async def _signed(self, connection: Connection, ask: SignIn) -> None:
        may_claim = partial(self.throttle.may, "names", ask.key, connection.household, self.reactor.seconds())
        claim = Claim(ask.key, ask.name, connection.host, ask.port, new_id(), may_claim, ask.version)
        try:
            who, answer = await self._run(partial(sign_in, claim=claim))
        except Refused as refused:
            until = int(self._clock() * 1000 + refused.wait * 1000) if refused.wait else 0
            connection.turn_away(refused.code, refused.reason, until)
            if self._noted.take("refusals", self.reactor.seconds()) == 0:  # a storm must not fill the log
                _log.info("turned away", code=refused.code, network=self._tag(connection.household))
            return
        connection.who = who
        if connection.is_gone:  # while the store was busy
            await self._run(partial(gone, key=who.key, session=who.session))
            return
        connection.greeted()
        connection.muted = frozenset(mark.key for mark in answer.marks) or NOBODY
        self.here[who.key] = connection
        self.metrics.signed_in.inc()
        connection.send(answer)
        _log.info("signed in", who=self._tag(who.key), network=self._tag(connection.household))
        await self._run(partial(come_back, who=who))

    def _tag(self, what: str | bytes) -> str:
        return self._tags.of(what, self.reactor.seconds())

    def lost(self, connection: Connection) -> None:
        """A connection has ended."""
        self.connections.discard(connection)
        self.residents.leave(connection)
        who = connection.who
        if who is not None and self.here.get(who.key) is connection:
            del self.here[who.key]
            _log.info("left", who=self._tag(who.key))
            self._spawn(self._run(partial(gone, key=who.key, session=who.session)))

    # Requests.

    def request(self, connection: Connection, request: Request) -> None:
        """Do what somebody asks when it is their turn, and answer once it is safe."""
        self._counter.ask(connection, request)

    def _serve(self, connection: Connection, request: Request) -> None:
        self._spawn(self._answer(connection, request))

    async def _answer(self, connection: Connection, request: Request) -> None:
        begun = self.reactor.seconds()
        outcome = "done"
        answer: Answer | RawAnswer | Refusal
        try:
            result = await self._perform(connection, request.do)
            answer = RawAnswer(request.n, result) if isinstance(result, RawLines) else Answer(request.n, result)
        except Refused as refused:
            outcome = refused.code
            answer = Refusal(request.n, refused.code, refused.reason[:400], int(refused.wait * 1000))
        except Busy as error:
            outcome = "busy"
            answer = Refusal(request.n, "busy", str(error)[:400], 1000)
        except Exception:
            connection.send(Refusal(request.n, "failed", "this went wrong in the lobby; its operators can see it"))
            connection.request_done()
            raise
        connection.send(answer)
        connection.request_done()
        self.metrics.commands.note(type(request.do).__name__, outcome, self.reactor.seconds() - begun)

    async def _perform(self, connection: Connection, ask: Any) -> Any:
        who = connection.who
        assert who is not None
        if isinstance(ask, WatchHall):
            connection.watches = ask.on
            return None
        entry = HANDLERS[type(ask)]
        if entry.limit:
            self.throttle.demand(entry.limit, who.key, connection.household, self.reactor.seconds())
        job = partial(entry.handler, who=who, ask=ask)
        if not isinstance(ask, Enter | EnterByCode):
            return await self._run(job)
        self.throttle.demand_guess(who.key, connection.household, self.reactor.seconds())
        try:
            result = await self._run(job)
        except Refused as refused:
            self.throttle.guessed(who.key, connection.household, refused)
            raise
        self.throttle.guessed(who.key, connection.household, None)
        return result

    # Work.

    def work(self) -> Work:
        """A fresh unit of work."""
        return Work(self.store, self.config, self.catalogue, int(self._clock() * 1000), self.relay)

    async def _run(self, job: Any) -> Any:
        return await run(self.work, job)

    def _spawn(self, job: Any) -> None:
        Deferred.fromCoroutine(job).addErrback(self._failed)

    def _failed(self, failure: Any) -> None:
        if failure.check(StoreError):
            _log.error("store: {text}", text=failure.getErrorMessage())
        else:
            _log.failure(DEFECT, failure=failure)

    def _note_relay_use(self, key: bytes, size: int) -> None:
        self._spawn(self._run(partial(note_use, key=key, size=size)))

    # News.

    def _news(self, batch: list[News]) -> None:
        for news in batch:
            try:
                if news.audience == HALL:
                    self.hall.add(news)
                else:
                    self._deliver(news)
            except Exception:  # the store tells many at once: what one piece of news breaks, it breaks alone
                _log.failure(DEFECT)

    def _deliver(self, news: News) -> None:
        frame = pack_frame(news.payload)
        for key in news.audience:
            connection = self.here.get(key)
            if connection is None or (news.author and news.author in connection.muted):
                continue
            self._carry_out(connection, news, frame)

    def _carry_out(self, connection: Connection, news: News, frame: bytes) -> None:
        order, _, session = news.order.partition(":")
        match order:
            case "":
                connection.send_frame(frame)
            case "close":
                connection.send_frame(frame)
                connection.end()
            case "displace":
                if connection.who is not None and connection.who.session == session:
                    del self.here[connection.who.key]
                    connection.send_frame(frame)
                    connection.end()
            case "marks":
                marks = decode_from_lobby(news.payload)
                assert isinstance(marks, Marks)
                connection.muted = frozenset(mark.key for mark in marks.marks) or NOBODY

    def _watchers(self) -> list[Connection]:
        return [connection for connection in self.here.values() if connection.watches]

    # What falls due.

    async def _sweep(self) -> None:
        """Everything that is due by itself; a step that fails stops none of the others, and health tells."""
        now = self.reactor.seconds()
        is_whole = True
        for step in (
            partial(self.door.sweep, now),
            partial(self._cut_late, now),
            partial(self.relay.sweep, now),
            self._expire,
            self._match,
            self._count,
        ):
            try:
                work = step()
                if work is not None:
                    await work
            except Exception:
                is_whole = False
                _log.failure(DEFECT)
        if is_whole:
            self._swept_at = self._passing()

    def _cut_late(self, now: float) -> None:
        for connection in list(self.connections):
            reason = connection.why_not_alive(now)
            if reason is not None:
                connection.cut(reason)

    async def _expire(self) -> None:
        due = await self.store.due(int(self._clock() * 1000), SWEEP_BATCH)
        await self._all(partial(expire, kind=kind, id=id) for kind, id in due)
        for kind, _ in due:
            self.metrics.sweeps.labels(kind).inc()

    async def _match(self) -> None:
        self.metrics.matches.inc(await self._run(match_round))

    async def _count(self) -> None:
        self.metrics.connections.set(self.door.open)
        self.metrics.people.set(len(self.here))
        self.metrics.tables.set(await self.store.count(TABLE.name))
        self.metrics.queue.set(await self.store.count(QUEUE.name))


def _later(reactor: Any, seconds: float) -> Deferred[None]:
    done: Deferred[None] = Deferred()
    reactor.callLater(seconds, done.callback, None)
    return done


def tune_interpreter() -> None:
    """Make the interpreter fit for a server: call it once everything is imported."""
    sys.setswitchinterval(0.001)  # the writer thread must not wait long behind a busy reactor
    gc.collect()
    gc.freeze()  # modules and games never become garbage; looking at them again took a tenth of a second each time
