"""One lobby process: wires its parts together, listens, and closes in order.

| part | what it does |
|---|---|
| door | lets connections in, and TLS handshakes begin |
| connection | frames of one node, within bounds |
| reception | signs people in, knows who is here |
| requests | does what they ask for, in turn |
| jobs | runs units of work against the store |
| delivery, hall | carry news to people |
| relay | pipes between nodes that cannot reach each other |
| sweeper | does what falls due by itself |

Everything that must outlive a connection is in the store; these parts hold connections, buckets and counters.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.protocol import Factory
from twisted.protocols.tls import TLSMemoryBIOFactory

from kontor_games.lobby.commands.connect import note_use
from kontor_games.lobby.commands.expiry import expire
from kontor_games.lobby.commands.queue import match_round
from kontor_games.lobby.commands.sign_in import gone
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

from .certificate import server_tls
from .connection import Connection
from .delivery import Delivery
from .door import Caller, Door, DoorFactory
from .hall import Hall
from .jobs import Jobs
from .reception import Reception
from .relay import Relay
from .requests import Requests
from .sweeper import Step, Sweeper
from .throttle import Throttle

BATCH: Final = 200  # records looked at in one go


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
        self.door = Door(reactor, config.limits, self.metrics, self._build_tls, self._build_relay)
        self.relay = Relay(reactor, config.relay, self.metrics, self._note_relay_use)
        self._jobs = Jobs(store, config, catalogue, self.relay, clock)
        self.reception = Reception(reactor, config, self.metrics, self.throttle, self._jobs, self.key)
        self._requests = Requests(reactor, self.metrics, self.throttle, self._jobs)
        self.hall = Hall(reactor, config.hall_every, self.metrics, self.reception.watchers)
        self.sweeper = Sweeper(reactor, self._due, passing)
        factory: Any = Factory()
        self._tls: Any = TLSMemoryBIOFactory(self.creator, False, factory)
        self._port: Any = None
        store.subscribe(Delivery(self.reception, self.hall).deliver)

    # Life.

    async def start(self, endpoint: Any) -> Any:
        """Take over what a process of this name left before a restart, then listen."""
        await self._adopt()
        self._port = await endpoint.listen(DoorFactory(self.door))
        self.door.listen_at(self._port)
        self.sweeper.begin()
        return self._port

    async def _adopt(self) -> None:
        """Everybody who was here when the process ended is away now; their places are kept as usual."""
        after = ""
        while True:
            page = await self.work().page(PRESENCE, None, after, BATCH)
            left = [p for _, p in page if p.process == self.config.process and p.away is None]
            await self._jobs.run_all(partial(gone, key=presence.key, session=presence.session) for presence in left)
            if len(page) < BATCH:
                return
            after = page[-1][0]

    async def stop(self, reason: str) -> None:
        """Tell everybody, let their answers out, close."""
        if self.is_closing:
            return
        self.is_closing = True
        if self._port is not None:
            await maybeDeferred(self._port.stopListening)
        self.sweeper.close()
        self.hall.close()
        self._requests.close()
        self.door.close()
        self._say_goodbye(reason)
        await self.relay.close()
        drained = self.reactor.seconds() + self.config.times.drain
        while self.connections and self.reactor.seconds() < drained:
            await _later(self.reactor, 0.05)
        for connection in list(self.connections):
            connection.transport.abortConnection()
        await _later(self.reactor, 0)
        await self.store.close()

    def _say_goodbye(self, reason: str) -> None:
        frame = pack_frame(encode(Notice("shutdown", reason)))
        for connection in list(self.connections):
            if connection.who is not None:
                connection.send_frame(frame)
            connection.end()

    def why_not_healthy(self) -> str | None:
        """Why this process should get no more work, or None."""
        if self.is_closing:
            return "closing"
        if self._port is None:
            return "not listening yet"
        return self.sweeper.why_not_healthy()

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
        self._jobs.start(partial(note_use, key=key, size=size))

    # What falls due.

    def _due(self, now: float) -> tuple[Step, ...]:
        return (
            partial(self.door.sweep, now),
            partial(self._cut_late, now),
            partial(self.relay.sweep, now),
            self._expire,
            self._match,
            self._count,
        )

    def _cut_late(self, now: float) -> None:
        for connection in list(self.connections):
            reason = connection.why_not_alive(now)
            if reason is not None:
                connection.cut(reason)

    async def _expire(self) -> None:
        due = await self.store.due(self._jobs.now, BATCH)
        await self._jobs.run_all(partial(expire, kind=kind, id=id) for kind, id in due)
        for kind, _ in due:
            self.metrics.sweeps.labels(kind).inc()

    async def _match(self) -> None:
        self.metrics.matches.inc(await self._jobs.run(match_round))

    async def _count(self) -> None:
        self.metrics.connections.set(self.door.open)
        self.metrics.people.set(len(self.reception.here))
        self.metrics.tables.set(await self.store.count(TABLE.name))
        self.metrics.queue.set(await self.store.count(QUEUE.name))


def _later(reactor: Any, seconds: float) -> Deferred[None]:
    done: Deferred[None] = Deferred()
    reactor.callLater(seconds, done.callback, None)
    return done
