"""One lobby process: wires its parts together, listens, and closes in order.

| part | what it does |
|---|---|
| door | lets connections in, and TLS handshakes begin |
| connection | frames of one node, within bounds |
| reception | signs people in, knows who is here |
| requests | does what they ask for, in turn |
| jobs | runs units of work against the store |
| delivery, hall | carry news to people |
| punches | shows nodes behind routers where their ports come out |
| relay | pipes between nodes that cannot reach each other |
| sweeper | does what falls due by itself |
| crew | the other processes of this lobby, and which of them does what only one should do |

Everything that must outlive a connection is in the store; these parts hold connections, buckets and counters.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final, cast

from twisted.internet import defer
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.protocol import Factory
from twisted.logger import Logger
from twisted.protocols.tls import TLSMemoryBIOFactory

from kontor_games.engine.errors import ConfigError, StoreError
from kontor_games.lobby.commands.connect import note_use
from kontor_games.lobby.commands.expiry import expire
from kontor_games.lobby.commands.queue import match_round
from kontor_games.lobby.commands.sign_in import gone
from kontor_games.lobby.ladder.ladder_counter import LadderCounter
from kontor_games.lobby.ladder.ladder_rules import LadderRules
from kontor_games.lobby.model.records import PRESENCE, QUEUE, TABLE
from kontor_games.lobby.model.work import Work
from kontor_games.lobby.settings.config import Config
from kontor_games.lobby.settings.metrics import Metrics
from kontor_games.lobby.store.base import Store
from kontor_games.net.system.uptime import uptime
from kontor_games.net.table.catalogue import Catalogue
from kontor_games.net.wire.frames import pack_frame
from kontor_games.net.wire.identity import Identity
from kontor_games.net.wire.lobby_messages import Notice, Request, SignIn, encode
from kontor_games.net.wire.way_messages import PUNCH_MAGIC

from .certificate import operator_tls, server_tls
from .connection import Connection
from .crew import Crew
from .delivery import Delivery
from .door import RELAY_MAGIC, Caller, Door, DoorFactory
from .hall import Hall
from .jobs import Jobs
from .punches import Punches
from .reception import Reception
from .relay import Relay
from .requests import Requests
from .sweeper import Step, Sweeper
from .throttle import Throttle

BATCH: Final = 200  # records looked at in one go
_log = Logger(namespace="kontor.lobby")


class Lobby:
    """The parts of one process."""

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
        self.metrics = metrics or Metrics()
        self.creator, self.key = server_tls(config, identity)
        self.connections: set[Connection] = set()
        self.is_closing = False
        self.throttle = Throttle(config.limits, self.metrics)
        others = {RELAY_MAGIC: self._build_relay, PUNCH_MAGIC: self._build_punch}
        self.door = Door(reactor, config.limits, self.metrics, self._build_tls, others)
        self.relay = Relay(reactor, config.relay, self.metrics, self._note_relay_use)
        self.punches = Punches(reactor, config.relay, self.metrics)
        self._jobs = Jobs(store, config, catalogue, self.relay, self.punches, clock, reactor)
        self.crew = Crew(config, self._jobs, self.key, store.is_shared)
        self.relay.why_not = self.crew.why_not_relay
        self.reception = Reception(reactor, config, self.metrics, self.throttle, self._jobs, self.key)
        self.reception.elsewhere = self.crew.addresses
        self.crew.on_moved = self.reception.tell_elsewhere
        self._requests = Requests(reactor, self.metrics, self.throttle, self._jobs)
        self._requests.ladder = self._ladder(identity) if config.ladder.enabled else None
        self.hall = Hall(reactor, config.hall_every, self.metrics, self.reception.watchers)
        # What waits for a store behind a connection must not keep the rest waiting.
        self.sweeper = Sweeper(reactor, self._due, passing)
        self._rounds = Sweeper(reactor, self._due_in_store, passing) if store.is_shared else None
        self._tls: Any = TLSMemoryBIOFactory(self.creator, False, cast(Any, Factory()))
        self._port: Any = None
        delivery = Delivery(self.reception, self.hall)
        self.reception.carry_out = delivery.pass_on_late
        store.subscribe(delivery.deliver, self._news_lost)

    # Life.

    async def start(self, endpoint: Any) -> Any:
        """Take over what a process of this name left before a restart, then listen."""
        await self.crew.join(self.config.address)
        await self._adopt()
        if self._requests.ladder is not None:
            self._requests.ladder.start()
        self._port = await endpoint.listen(DoorFactory(self.door))
        self.door.listen_at(self._port)
        self.sweeper.begin()
        if self._rounds is not None:
            self._rounds.begin()
        return self._port

    def _ladder(self, identity: Identity) -> LadderCounter:
        settings = self.config.ladder
        rules = LadderRules(
            keeper=identity.key.hex(),
            since=int(time.time() * 1000),
            season_days=settings.season_days,
            window_hours=settings.window_hours,
            return_hours=settings.return_hours,
            provisional=settings.provisional,
            same_people=settings.same_people,
            programs=settings.programs,
        )
        folder = self.config.directory / "ladder"
        ladder = LadderCounter(self.reactor, folder, rules, identity, self.config.title, settings)
        ladder.pages = self.config.pages.shown_at
        ladder.on_judged = lambda state: self.metrics.ladder.judged.labels(state).inc()
        self.metrics.ladder.queue.set_function(lambda: ladder.waiting)
        self.metrics.ladder.stuck.set_function(lambda: ladder.is_stuck)
        return ladder

    async def _adopt(self) -> None:
        """Everybody who was here when the process ended is away now; their places are kept as usual.

        Nobody is here before we listen, and where several processes are one lobby the others keep their people.
        """
        others = {other.name for other in self.crew.others}
        after = ""
        while page := await self.work().page(PRESENCE, None, after, BATCH):
            left = [p for _, p in page if p.process not in others and p.away is None]
            await self._jobs.run_all(partial(gone, key=presence.key, session=presence.session) for presence in left)
            after = page[-1][0]

    async def stop(self, reason: str) -> None:
        """Tell everybody, let their answers out, close."""
        if self.is_closing:
            return
        self.is_closing = True
        if self._port is not None:
            await maybeDeferred(self._port.stopListening)
        self.sweeper.close()
        if self._rounds is not None:
            self._rounds.close()
        self._jobs.is_closed = True
        self.hall.close()
        self._requests.close()
        if self._requests.ladder is not None:
            self._requests.ladder.stop()
        self.door.close()
        self._say_goodbye(reason)
        self.punches.close()
        await self.relay.close()
        drained = self.reactor.seconds() + self.config.times.drain
        while self.connections and self.reactor.seconds() < drained:
            await _later(self.reactor, 0.05)
        for connection in list(self.connections):
            connection.transport.abortConnection()
        await _later(self.reactor, 0)
        left = max(0.5, drained - self.reactor.seconds())
        try:
            await Deferred.fromCoroutine(self.crew.leave()).addTimeout(left, self.reactor)
        except (StoreError, defer.TimeoutError):  # it is away, so nobody can be told; the others find out by themselves
            _log.warn("left without a word: the store is away")
        if self._requests.ladder is not None:
            self._requests.ladder.join()
        await self.store.close()

    def _say_goodbye(self, reason: str) -> None:
        frame = pack_frame(encode(Notice("shutdown", reason)))
        for connection in list(self.connections):
            if connection.who is not None:
                connection.send_frame(frame)
            connection.end()

    def reload(self, config: Config) -> None:
        """Go on with other settings, of which lobby/settings/reloading.py says what may differ.

        ConfigError, and nothing has changed, if the operator's certificate cannot be used or has another key.
        """
        if config.certificate:
            creator, key = operator_tls(config)
            if key != self.key:
                raise ConfigError(f"{config.certificate} has another key now, so every player must pin it: restart")
            self.creator, self._tls = creator, TLSMemoryBIOFactory(creator, False, cast(Any, Factory()))
        self.config = self._jobs.config = config
        self.throttle.reload(config.limits)
        self.relay.settings = config.relay
        self.reception.reload(config)
        self.hall.every = config.hall_every

    def why_not_healthy(self) -> str | None:
        """Why this process should get no more work, or None."""
        if self.is_closing:
            return "closing"
        if self._port is None:
            return "not listening yet"
        trouble = self._rounds.why_not_healthy() if self._rounds is not None else None
        return self.sweeper.why_not_healthy() or trouble

    def work(self) -> Work:
        """A fresh unit of work."""
        return self._jobs.work()

    # Connections.

    def _build_tls(self, caller: Caller) -> Any:
        connection = Connection(self, caller)
        self.connections.add(connection)
        tls = self._tls.protocol(self._tls, connection)
        tls.factory = self._tls
        return tls

    def _build_relay(self, caller: Caller) -> Any:
        return self.relay.build(caller.host, caller.known)

    def _build_punch(self, caller: Caller) -> Any:
        return self.punches.build(caller.known)

    def welcome(self, connection: Connection) -> None:
        """TLS is up."""
        if self.is_closing:
            connection.cut("closing")
        else:
            self.reception.welcome(connection)

    def sign_in(self, connection: Connection, ask: SignIn) -> None:
        """Somebody asks to come in."""
        self.reception.sign_in(connection, ask)

    def request(self, connection: Connection, request: Request) -> None:
        """Somebody who is signed in asks for something."""
        self._requests.add(connection, request)

    def lost(self, connection: Connection) -> None:
        """A connection has ended."""
        self.connections.discard(connection)
        self.reception.lost(connection)

    def _note_relay_use(self, key: bytes, size: int) -> None:
        self._jobs.insist(partial(note_use, key=key, size=size), is_repeatable=False)

    def _news_lost(self) -> None:
        """The store could not keep all news for us."""
        self.hall.spoil()
        self._jobs.spawn(self.reception.catch_up())

    # What falls due.

    def _due(self, now: float) -> tuple[Step, ...]:
        return (
            partial(self.door.sweep, now),
            partial(self._cut_late, now),
            partial(self.relay.sweep, now),
            partial(self.punches.sweep, now),
            *(() if self.store.is_shared else self._due_in_store(now)),
        )

    def _due_in_store(self, now: float) -> tuple[Step, ...]:
        return self._beat, self._expire, self._match, self._count

    async def _beat(self) -> None:
        if await self.crew.beat():
            await self.reception.catch_up()
        await self.crew.adopt()

    def _cut_late(self, now: float) -> None:
        for connection in list(self.connections):
            reason = connection.why_not_alive(now)
            if reason is not None:
                connection.cut(reason)

    async def _expire(self) -> None:
        if not self.crew.leads:
            return
        due = await self.store.due(self._jobs.now, BATCH)
        await self._jobs.run_all(self.crew.led(partial(expire, kind=kind, id=id)) for kind, id in due)
        for kind, _ in due:
            self.metrics.sweeps.labels(kind).inc()

    async def _match(self) -> None:
        if self.crew.leads:
            self.metrics.matches.inc(await self._jobs.run(self.crew.led(match_round)) or 0)

    async def _count(self) -> None:
        self.metrics.connections.set(self.door.open)
        self.metrics.people.set(len(self.reception.here))
        # What all processes have in common is counted by one of them, so that sums over processes are right.
        leads = self.crew.leads
        self.metrics.tables.set(await self.store.count(TABLE.name) if leads else 0)
        self.metrics.queue.set(await self.store.count(QUEUE.name) if leads else 0)


def _later(reactor: Any, seconds: float) -> Deferred[None]:
    done: Deferred[None] = Deferred()
    reactor.callLater(seconds, done.callback, None)
    return done
