"""The child processes of `bench_lobby`: bare servers to compare with, and the load on either.

Each role prints one JSON line when it is ready and one with its result; commands come as lines on its standard input.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

sys.path.insert(0, str(Path(__file__).parents[2]))

from twisted.internet import reactor as _reactor
from twisted.internet.defer import Deferred, DeferredSemaphore, gatherResults
from twisted.internet.endpoints import TCP4ClientEndpoint, TCP4ServerEndpoint
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.stdio import StandardIO
from twisted.protocols.basic import LineOnlyReceiver
from twisted.protocols.tls import TLSMemoryBIOFactory

from kontor_games.engine.errors import RemoteError
from kontor_games.net.links.tls import ConnectionCreator
from kontor_games.net.lobbies.lobby_link import LobbyLink, lobby_factory
from kontor_games.net.wire.frames import pack_frame
from kontor_games.net.wire.identity import Identity
from kontor_games.net.wire.lobby_messages import Describe, ListPeople, ListTables, MakeTable, Say, WatchHall, encode
from kontor_games.net.wire.messages import Ping, Pong, Sit, Stand

reactor: Any = _reactor


def say(**facts: Any) -> None:
    print(json.dumps(facts), flush=True)


def later(seconds: float) -> Deferred[None]:
    done: Deferred[None] = Deferred()
    reactor.callLater(seconds, done.callback, None)
    return done


# Bare servers.


class BareLines(LineOnlyReceiver):
    """Echoes lines; `broadcast` goes to everybody."""

    delimiter = b"\n"
    everybody: ClassVar[set[BareLines]] = set()

    def accepts_key(self, key: bytes | None) -> bool:
        return key is not None

    def connectionMade(self) -> None:
        self.everybody.add(self)

    def lineReceived(self, line: bytes) -> None:
        if line == b"broadcast":
            for other in self.everybody:
                other.sendLine(b"x" * 200)
        else:
            self.sendLine(line)

    def connectionLost(self, reason: Any = None) -> None:
        self.everybody.discard(self)


async def line_server() -> None:
    """A bare Twisted line server with mutual TLS, as the lobby uses it."""
    factory = TLSMemoryBIOFactory(ConnectionCreator(Identity.generate()), False, Factory.forProtocol(BareLines))
    port = await TCP4ServerEndpoint(reactor, 0, interface="127.0.0.1", backlog=1024).listen(factory)
    say(port=port.getHost().port)


class Half(Protocol):
    """One end of a bare forwarder: every second connection is joined with the one before."""

    alone: Half | None = None
    other: Half | None = None

    def connectionMade(self) -> None:
        if Half.alone is None:
            Half.alone = self
            return
        self.other, Half.alone = Half.alone, None
        self.other.other = self
        self.transport.registerProducer(self.other.transport, True)
        self.other.transport.registerProducer(self.transport, True)
        self.transport.write(b"\x06")
        self.other.transport.write(b"\x06")

    def dataReceived(self, data: bytes) -> None:
        assert self.other is not None
        self.other.transport.write(data)

    def connectionLost(self, reason: Any = None) -> None:
        if self.other is not None:
            self.other.transport.loseConnection()


async def forwarder() -> None:
    """The least that passes bytes from one connection to another."""
    port = await TCP4ServerEndpoint(reactor, 0, interface="127.0.0.1").listen(Factory.forProtocol(Half))
    say(port=port.getHost().port)


# Connections.


class Bare(Protocol):
    """A connection to the line server that counts what comes back."""

    def __init__(self) -> None:
        self.ready: Deferred[None] = Deferred()
        self.received = 0
        self.on_bytes: Callable[[int], None] = lambda size: None

    def accepts_key(self, key: bytes | None) -> bool:
        return True

    def connectionMade(self) -> None:
        self.transport.write(b"hello\n")  # an answer tells that the server has accepted our certificate

    def dataReceived(self, data: bytes) -> None:
        self.received += len(data)
        if not self.ready.called:
            self.ready.callback(None)
        else:
            self.on_bytes(len(data))


async def connect_bare(port: int) -> Bare:
    factory = TLSMemoryBIOFactory(ConnectionCreator(Identity.generate()), True, Factory.forProtocol(Bare))
    tls = await TCP4ClientEndpoint(reactor, "127.0.0.1", port, timeout=120).connect(factory)
    bare: Bare = tls.wrappedProtocol
    await bare.ready
    return bare


async def connect_node(port: int, name: str, on_event: Callable[[Any], None] = lambda event: None) -> LobbyLink:
    identity = Identity.generate()
    make = lambda: LobbyLink(reactor, identity, name, 4000, None, on_event)  # noqa: E731
    tls = await TCP4ClientEndpoint(reactor, "127.0.0.1", port, timeout=120).connect(lobby_factory(identity, make))
    link: LobbyLink = tls.wrappedProtocol
    await link.accepted
    return link


async def many(count: int, connect: Callable[[int], Any]) -> list[Any]:
    """So many connections, a few at a time."""
    gate = DeferredSemaphore(32)
    return await gatherResults(
        [gate.run(lambda n=n: Deferred.fromCoroutine(connect(n))) for n in range(count)], consumeErrors=True
    )


class LoadOrders(LineOnlyReceiver):
    """What the bench asks for, one line at a time."""

    delimiter = b"\n"

    def __init__(self, act: Callable[[str], Any]) -> None:
        self._act = act

    def lineReceived(self, line: bytes) -> None:
        Deferred.fromCoroutine(self._act(line.decode())).addErrback(_fail)

    def connectionLost(self, reason: Any = None) -> None:
        if reactor.running:
            reactor.stop()


def _fail(failure: Any) -> None:
    failure.printTraceback(sys.stderr)
    os._exit(1)


def _step_back() -> None:
    """Leave the processor to whoever measures: the people that this process stands for have machines of their own."""
    with contextlib.suppress(AttributeError, OSError):
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    os.nice(10)


async def hold(kind: str, port: int) -> None:
    """Hold idle connections: `connect N`, `watch 1` (the hall, without unpacking its news), `broadcast N`."""
    held: list[Any] = []
    hall = 0

    def heard(event: Any) -> None:
        nonlocal hall
        hall += type(event).__name__ == "HallNews"

    async def connect(number: int) -> Any:
        if kind == "line":
            return await connect_bare(port)
        return await connect_node(port, f"Node {len(held)}-{number}", heard)

    async def act(line: str) -> None:
        what, count = line.split()
        if what == "connect":
            held.extend(await many(int(count), connect))
        elif what == "watch":
            _step_back()
            for link in held:
                await link.ask(WatchHall(True))
                link.dataReceived = lambda data: None
        elif kind == "line":
            for _ in range(int(count)):
                held[0].transport.write(b"broadcast\n")
                await later(0.5)
        else:
            for link in held:
                await link.ask(WatchHall(True))
            for number in range(int(count)):
                await held[number % len(held)].ask(Say("hall", "x" * 150))
                await later(0.6)
        say(done=line, connections=len(held), hall=hall)

    StandardIO(LoadOrders(act))
    say(ready=True)


async def pings(kind: str, port: int, seconds: float, connections: int = 16, window: int = 64) -> None:
    """Small messages there and back as fast as they go, `window` at a time on each connection."""
    counted = 0
    until = 0.0

    async def one(number: int) -> None:
        nonlocal counted
        frame, size = (b"ping 1234567\n", 13)
        if kind == "line":
            wire = (await connect_bare(port)).transport
            owner: Any = wire.wrappedProtocol if hasattr(wire, "wrappedProtocol") else wire.protocol
        else:
            link = await connect_node(port, f"Pinger {number}")
            wire, owner = link.transport, link
            frame = pack_frame(encode(Ping(7)))
            size = len(pack_frame(encode(Pong(7))))
        part = 0
        done: Deferred[None] = Deferred()

        def got(data: bytes) -> None:
            nonlocal part, counted
            part += len(data)
            whole, part = divmod(part, size)
            counted += whole
            if time.perf_counter() < until:
                wire.write(frame * whole)
            elif not done.called:
                done.callback(None)

        owner.dataReceived = got
        waiting.append(lambda: wire.write(frame * window))
        finished.append(done)

    waiting: list[Callable[[], None]] = []
    finished: list[Deferred[None]] = []
    await many(connections, one)
    begun = time.perf_counter()
    until = begun + seconds
    for start in waiting:
        start()
    await gatherResults(finished)
    say(per_second=round(counted / (time.perf_counter() - begun)))
    reactor.stop()


async def stored(port: int, seconds: float, connections: int = 16, window: int = 32) -> None:
    """Chat lines at a table; each counts when the lobby says that it is safe."""
    links = [await connect_node(port, f"Writer {number}") for number in range(connections)]
    counted = 0
    until = time.perf_counter() + seconds

    async def write(link: LobbyLink, table: str) -> None:
        nonlocal counted
        while time.perf_counter() < until:
            await link.ask(Say(table, "x" * 150))
            counted += 1

    jobs = []
    for link in links:
        table = (await link.ask(MakeTable("osaka", {}, 2, "unlisted"))).table
        jobs.append((link, table))
    say(ready=True)
    begun = time.perf_counter()
    until = begun + seconds
    await gatherResults([Deferred.fromCoroutine(write(*job)) for job in jobs for _ in range(window)])
    say(per_second=round(counted / (time.perf_counter() - begun)), count=counted)
    reactor.stop()


class Crowd:
    """Many people in a lobby: they chat and change tables, and somebody comes and goes all the time."""

    def __init__(self, port: int, links: list[LobbyLink]) -> None:
        self._port, self._links = port, links
        self._chooser = random.Random(1)
        self._tables: dict[LobbyLink, str] = {}
        self.took: dict[str, list[float]] = {}  # seconds of each answer, by kind of command
        self.visitors_lost = 0
        self.is_over = False

    async def settle_down(self) -> None:
        """Everybody watches the hall, and some host a table."""
        for link in self._links:
            await link.ask(WatchHall(True))
        for link in self._links[:200]:
            self._tables[link] = (await link.ask(MakeTable("osaka", {}, 2, note="come in"))).table
            await link.ask(Sit(self._tables[link], 0, "Host"))

    def _command(self, number: int) -> tuple[LobbyLink, Any]:
        roll = self._chooser.random()
        if roll >= 0.5:
            link = self._chooser.choice(self._links)
            if roll < 0.7:
                return link, Say("hall", "good evening everybody")
            return link, ListTables() if roll < 0.85 else ListPeople()
        link = self._chooser.choice(list(self._tables))
        table = self._tables[link]
        if roll < 0.15:
            return link, Describe(table, f"note {number}", "public")
        if roll < 0.25:
            return link, Stand(table, 0) if number % 2 else Sit(table, 1, f"Guest {number}")
        return link, Say(table, "good evening everybody")

    async def ask(self, number: int) -> None:
        """One command of somebody."""
        link, command = self._command(number)
        begun = time.perf_counter()
        try:
            await link.ask(command)
        except Exception as error:  # a seat that is taken is an answer too
            if not hasattr(error, "code"):
                raise
        self.took.setdefault(type(command).__name__, []).append(time.perf_counter() - begun)

    async def come_and_go(self) -> None:
        """One visitor after the other, until it is over."""
        number = 0
        while not self.is_over:
            number += 1
            try:
                link = await connect_node(self._port, f"Visitor {number}")
            except RemoteError:
                self.visitors_lost += 1
                continue
            await later(0.5)
            link.close()


async def busy(port: int, count: int, per_second: float, seconds: float, is_niced: int = 0) -> None:
    """Many connections; people come, go, chat and change tables; how long each answer takes."""
    if is_niced:  # where the servers have no processor to themselves
        os.nice(5)  # before those who only watch
    crowd = Crowd(port, await many(count, lambda number: connect_node(port, f"Person {number}")))
    await crowd.settle_down()
    say(ready=True, connections=count)
    open_asks: list[Deferred[None]] = []
    visitors = Deferred.fromCoroutine(crowd.come_and_go())
    begun = time.perf_counter()
    number = 0
    while time.perf_counter() - begun < seconds:
        number += 1
        wait = begun + number / per_second - time.perf_counter()
        if wait > 0:
            await later(wait)
        open_asks.append(Deferred.fromCoroutine(crowd.ask(number)))
    elapsed = time.perf_counter() - begun
    crowd.is_over = True
    await gatherResults([*open_asks, visitors], consumeErrors=True)
    everything = sorted(one for times in crowd.took.values() for one in times)
    say(
        per_second=round(number / elapsed),
        p50_ms=percentile_ms(everything, 0.5),
        p99_ms=percentile_ms(everything, 0.99),
        visitors_lost=crowd.visitors_lost,
        worst_ms=round(everything[-1] * 1000, 1),
        by_kind={name: percentile_ms(sorted(times), 0.99) for name, times in sorted(crowd.took.items())},
    )
    reactor.stop()


def percentile_ms(times: list[float], share: float) -> float:
    """Of sorted seconds, the one below which this share of them lies, in milliseconds."""
    return round(times[int(len(times) * share)] * 1000, 1)


class Pipe(Protocol):
    """One end of a relayed or forwarded connection."""

    def __init__(self) -> None:
        self.joined: Deferred[None] = Deferred()
        self.complete: Deferred[None] = Deferred()
        self.left = 0

    def dataReceived(self, data: bytes) -> None:
        if not self.joined.called:
            data = data[1:]
            self.joined.callback(None)
        self.left -= len(data)
        if data and self.left <= 0 and not self.complete.called:
            self.complete.callback(None)


class Source:
    """Writes so many bytes as fast as they are taken."""

    def __init__(self, transport: Any, size: int) -> None:
        self._transport, self._left = transport, size
        self._chunk = bytes(256 * 1024)
        self._on = True
        transport.registerProducer(self, True)
        self.resumeProducing()

    def resumeProducing(self) -> None:
        self._on = True
        while self._on and self._left > 0:
            self._transport.write(self._chunk[: self._left])
            self._left -= len(self._chunk)
        if self._left <= 0:
            self._transport.unregisterProducer()

    def pauseProducing(self) -> None:
        self._on = False

    def stopProducing(self) -> None:
        self._left = 0


async def pump(kind: str, port: int, size: int) -> None:
    """Bytes through the relay or the bare forwarder."""
    preambles = [b"", b""]
    if kind == "lobby":
        from kontor_games.net.wire.lobby_messages import AskRelay, RelayPass
        from kontor_games.net.wire.messages import Enter

        passes: list[RelayPass] = []
        one = await connect_node(port, "Left")
        other = await connect_node(port, "Right", lambda e: passes.append(e) if isinstance(e, RelayPass) else None)
        table = (await one.ask(MakeTable("osaka", {}, 2))).table
        await other.ask(Enter(table))
        mine = await one.ask(AskRelay(table, other._identity.key))
        while not passes:
            await later(0.01)
        preambles = [b"KRL1" + mine.token, b"KRL1" + passes[0].token]
    ends = []
    for preamble in preambles:
        pipe = await TCP4ClientEndpoint(reactor, "127.0.0.1", port).connect(Factory.forProtocol(Pipe))
        if preamble:
            pipe.transport.write(preamble)
        ends.append(pipe)
    await gatherResults([end.joined for end in ends])
    ends[1].left = size
    begun = time.perf_counter()
    Source(ends[0].transport, size)
    await ends[1].complete
    say(mb_per_second=round(size / 1e6 / (time.perf_counter() - begun), 1))
    reactor.stop()


ROLES: dict[str, Callable[..., Any]] = {
    "line-server": line_server,
    "forwarder": forwarder,
    "hold": hold,
    "pings": pings,
    "stored": stored,
    "busy": busy,
    "pump": pump,
}


def main() -> None:
    core, role, *arguments = sys.argv[1:]
    if hasattr(os, "sched_setaffinity") and (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(0, {int(core)})
    values = [float(a) if "." in a else int(a) if a.isdigit() else a for a in arguments]
    reactor.callWhenRunning(lambda: Deferred.fromCoroutine(ROLES[role](*values)).addErrback(_fail))
    reactor.run()


if __name__ == "__main__":
    main()
