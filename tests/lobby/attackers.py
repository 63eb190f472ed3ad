"""Attackers for the flood tests: a process of their own, blocking sockets, many 127.x addresses, a printed rate.

    python -m tests.lobby.attackers KIND PORT LOBBY_KEY COUNT RATE

prints one JSON line: what was tried, how fast, and how it ended.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import random
import resource
import socket
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator

from OpenSSL import SSL

from kontor_games.engine.errors import RemoteError
from kontor_games.lobby.model.codes import new_code
from kontor_games.net.links.tls import ConnectionCreator
from kontor_games.net.lobbies.lobby_talk import Accepted, Answered, CloseTalk, LobbyTalk, WriteTalk
from kontor_games.net.wire.frames import pack_frame
from kontor_games.net.wire.identity import Identity
from kontor_games.net.wire.lobby_messages import (
    MAX_REQUEST,
    Answer,
    Command,
    EnterByCode,
    ListPeople,
    ListTables,
    Made,
    MakeTable,
    Queue,
    Recall,
    Refusal,
    Request,
    Say,
    Unqueue,
    WatchHall,
    encode,
)
from kontor_games.net.wire.messages import Enter
from kontor_games.net.wire.way_messages import (
    AskRelay,
)

SOURCES = 200
UNREAD = 3  # answers of 48 kB each
STAY = 4.0  # seconds that those stay who did what they came for
SILENT_FOR = 16.0  # seconds: longer than a stranger may
LINGER = 10.0  # seconds: some waited in the system's queue first, and strangers have three seconds to say something


def source(number: int) -> str:
    """One of many addresses of this machine."""
    return f"127.0.{1 + number % SOURCES}.{1 + number // SOURCES % 250}"


def network(number: int) -> str:
    """An address in a network of its own; that of number 0 is shared with honest people in some tests."""
    return f"127.{20 + number // 250}.{number % 250}.66"


def dial(port: int, host: str, timeout: float = 5.0) -> socket.socket:
    wire = socket.socket()
    wire.settimeout(timeout)
    wire.bind((host, 0))
    wire.connect(("127.0.0.1", port))
    return wire


def paced(count: int, rate: float) -> Iterator[int]:
    """Numbers at a steady rate."""
    begun = time.monotonic()
    for number in range(count):
        wait = begun + number / rate - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        yield number


class _Pinless:
    """Attackers accept any lobby."""

    def accepts_key(self, key: bytes | None) -> bool:
        return True

    @property
    def wrappedProtocol(self) -> _Pinless:
        return self


class BadNode:
    """A node on a blocking socket; signs in properly and then does what it likes."""

    def __init__(self, port: int, lobby: bytes, host: str, name: str = "") -> None:
        self.identity = Identity.generate()
        self.raw = dial(port, host, timeout=20)
        self.raw.setblocking(True)
        self.tls = ConnectionCreator(self.identity).clientConnectionForTLS(_Pinless())
        self._wire = SSL.Connection(self.tls.get_context(), self.raw)
        self._wire.set_app_data(_Pinless())
        self._wire.set_connect_state()
        self._wire.do_handshake()
        self.talk = LobbyTalk(self.identity, name or f"Node {random.randrange(10**9)}", 0, lobby)
        self.outcomes: Counter[str] = Counter()
        self.tables: list[str] = []
        while not self.talk.is_open:
            self.pump()

    def pump(self) -> None:
        """Read once and react."""
        for effect in self.talk.bytes_received(self._wire.recv(65536)):
            match effect:
                case WriteTalk(data):
                    self._wire.sendall(data)
                case Answered(answer):
                    self.outcomes[answer.code if isinstance(answer, Refusal) else "done"] += 1
                    if isinstance(answer, Answer) and isinstance(answer.result, Made):
                        self.tables.append(answer.result.table)
                case CloseTalk(reason, _):
                    raise RemoteError(reason)
                case Accepted():
                    pass

    def ask(self, command: Command) -> None:
        """Send a request and wait for its answer."""
        before = self.outcomes.total()
        _, effects = self.talk.ask(command)
        self.send(b"".join(effect.data for effect in effects if isinstance(effect, WriteTalk)))
        while self.outcomes.total() == before:
            self.pump()

    def send(self, data: bytes) -> None:
        self._wire.sendall(data)

    def receive(self) -> bytes:
        return self._wire.recv(65536)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.raw.close()


def connections(port: int, lobby: bytes, count: int, rate: float) -> Counter[str]:
    """Connect, say nothing, go after a while; half of it comes from one address, the rest from everywhere."""
    outcome: Counter[str] = Counter()
    open_ones: list[socket.socket] = []
    for number in paced(count, rate):
        try:
            open_ones.append(dial(port, source(number if number % 2 else 0)))
            outcome["connected"] += 1
        except OSError as error:
            outcome[type(error).__name__] += 1
        if len(open_ones) > 300:
            open_ones.pop(0).close()
    _linger(open_ones)
    return outcome


def _linger(wires: list[socket.socket]) -> None:
    """Stay for longer than a stranger may, then go."""
    time.sleep(LINGER)
    for wire in wires:
        wire.close()


def client_hello() -> bytes:
    """A real TLS greeting, made once and sent thousands of times."""
    tls = ConnectionCreator(Identity.generate()).clientConnectionForTLS(_Pinless())
    tls.set_connect_state()
    with contextlib.suppress(SSL.WantReadError):
        tls.do_handshake()
    return bytes(tls.bio_read(65536))


def handshakes(port: int, lobby: bytes, count: int, rate: float) -> Counter[str]:
    """Make the lobby begin TLS, which is dear for it, and never go on."""
    hello = client_hello()
    return _send_and_leave(port, count, rate, lambda number: hello)


def garbage(port: int, lobby: bytes, count: int, rate: float) -> Counter[str]:
    """Random bytes, other protocols, broken TLS, guessed relay tokens."""
    kinds: list[Callable[[], bytes]] = [
        lambda: os.urandom(200),
        lambda: b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        lambda: b"\x16\x03\x01\x40\x00" + os.urandom(400),
        lambda: b"KRL1" + os.urandom(32),
        lambda: b"\x16",
    ]
    return _send_and_leave(port, count, rate, lambda number: kinds[number % len(kinds)]())


def _send_and_leave(port: int, count: int, rate: float, data: Callable[[int], bytes]) -> Counter[str]:
    outcome: Counter[str] = Counter()
    open_ones: list[socket.socket] = []
    for number in paced(count, rate):
        try:
            wire = dial(port, source(number))
            open_ones.append(wire)
            wire.sendall(data(number))
            outcome["sent"] += 1
        except OSError as error:
            outcome[type(error).__name__] += 1
        if len(open_ones) > 200:
            open_ones.pop(0).close()
    _linger(open_ones)
    return outcome


def slow(port: int, lobby: bytes, count: int, rate: float) -> Counter[str]:
    """Nodes that ask and never read, and others that send their requests byte by byte."""
    outcome: Counter[str] = Counter()
    nodes: list[BadNode] = []
    for number in range(20):
        with contextlib.suppress(OSError, RemoteError, SSL.Error):
            node = BadNode(port, lobby, source(number))
            node.ask(WatchHall(True))
            for _ in range(6):
                node.ask(Say("hall", "x" * 480))  # so that there is much to read
            node.raw.settimeout(0.05)
            nodes.append(node)
    outcome["signed in"] = len(nodes)
    frame = pack_frame(encode(Request(10**6, Recall("hall"))))
    for number in paced(count, rate):
        node = nodes[number % len(nodes)]
        turn = number // len(nodes)
        try:
            node.send(frame if number % 2 else frame[turn % len(frame) :][:1])
            outcome["sent"] += 1
        except (OSError, SSL.Error):
            outcome["cut or blocked"] += 1
    for node in nodes:
        node.close()
    return outcome


def giants(port: int, lobby: bytes, count: int, rate: float) -> Counter[str]:
    """Frames that claim to be huge, and long ones that are not messages."""
    outcome: Counter[str] = Counter()
    for number in paced(count, rate):
        try:
            node = BadNode(port, lobby, source(number))
            outcome["signed in"] += 1
            if number % 2:
                node.send((2**31 - 1).to_bytes(4, "big") + b"\x01\x01" + os.urandom(60_000))
            else:
                node.send(pack_frame(os.urandom(64_000)))
            node.raw.settimeout(5)
            while True:
                node.pump()
        except (OSError, RemoteError, SSL.Error) as error:
            outcome[f"ended by {type(error).__name__}"] += 1
    return outcome


def _busy(port: int, lobby: bytes, count: int, rate: float, ask: Callable[[int], Command]) -> Counter[str]:
    outcome: Counter[str] = Counter()
    nodes: list[BadNode] = []
    for number in range(12):
        with contextlib.suppress(OSError, RemoteError, SSL.Error):
            nodes.append(BadNode(port, lobby, source(number)))
    for number in paced(count, rate):
        node = nodes[number % len(nodes)]
        try:
            node.ask(ask(number))
        except (OSError, RemoteError, SSL.Error):
            outcome["cut"] += 1
    for node in nodes:
        outcome += node.outcomes
        node.close()
    return outcome


def guessing(port: int, lobby: bytes, count: int, rate: float) -> Counter[str]:
    """Invite codes at random."""
    return _busy(port, lobby, count, rate, lambda number: EnterByCode(new_code()))


def spam(port: int, lobby: bytes, count: int, rate: float) -> Counter[str]:
    """Lines for the hall."""
    return _busy(port, lobby, count, rate, lambda number: Say("hall", f"buy {number} " + "x" * 400))


def churn(port: int, lobby: bytes, count: int, rate: float) -> Counter[str]:
    """Into the queue and out of it."""
    return _busy(port, lobby, count, rate, lambda number: Unqueue() if number // 12 % 2 else Queue(("osaka",), (2,)))


# From many networks at once: what one lobby with the default limits has to stand (tests/lobby/test_siege.py).


def silent(port: int, lobby: bytes, count: int, rate: float) -> Counter[str]:
    """Each of `rate` networks opens one connection a second and never says a word."""
    outcome: Counter[str] = Counter()
    open_ones: deque[tuple[float, socket.socket]] = deque()
    for number in paced(count, rate):
        try:
            open_ones.append((time.monotonic(), dial(port, network(number % int(rate)))))
            outcome["connected"] += 1
        except OSError as error:
            outcome[type(error).__name__] += 1
        while open_ones and time.monotonic() - open_ones[0][0] > SILENT_FOR:
            open_ones.popleft()[1].close()
    for _, wire in open_ones:
        wire.close()
    return outcome


def _many(port: int, lobby: bytes, count: int, rate: float, act: Callable[[BadNode], None]) -> Counter[str]:
    """Four keys of each network sign in, act once and stay."""
    outcome: Counter[str] = Counter()
    nodes: list[BadNode] = []
    for number in paced(count, rate):
        try:
            node = BadNode(port, lobby, network(number // 4))
            nodes.append(node)
            act(node)
        except (OSError, RemoteError, SSL.Error) as error:
            outcome[f"ended by {type(error).__name__}"] += 1
    outcome["signed in"] = len(nodes)
    time.sleep(STAY)
    for node in nodes:
        outcome += node.outcomes
        node.close()
    return outcome


def tables(port: int, lobby: bytes, count: int, rate: float) -> Counter[str]:
    """Each key makes five tables."""

    def act(node: BadNode) -> None:
        for _ in range(5):
            node.ask(MakeTable("osaka", {}, 3, note="spam"))

    return _many(port, lobby, count, rate, act)


def passes(port: int, lobby: bytes, count: int, rate: float) -> Counter[str]:
    """Keys of one network after the other make a table and ask for all the passes to each other they can get."""
    outcome: Counter[str] = Counter()
    nodes: list[BadNode] = []
    for number in paced(count // 2, rate / 2):
        try:
            one, other = (BadNode(port, lobby, network(number)) for _ in range(2))
            nodes += [one, other]
            one.ask(MakeTable("osaka", {}, 2))
            other.ask(Enter(one.tables[0]))
            for _ in range(9):
                one.ask(AskRelay(one.tables[0], other.identity.key))
                other.ask(AskRelay(one.tables[0], one.identity.key))
        except (OSError, RemoteError, SSL.Error, IndexError) as error:
            outcome[f"ended by {type(error).__name__}"] += 1
    for node in nodes:
        outcome += node.outcomes
        node.close()
    return outcome


def bulk(port: int, lobby: bytes, count: int, rate: float) -> Counter[str]:
    """Long frames that are never finished, on the channel for bulk, which no node needs here."""
    head, body = (512 * 1024 + 2).to_bytes(4, "big") + b"\x01\x01", os.urandom(60_000)

    def act(node: BadNode) -> None:
        node.send(head)
        for _ in range(8):
            node.send(body)

    return _many(port, lobby, count, rate, act)


def unfinished(port: int, lobby: bytes, count: int, rate: float) -> Counter[str]:
    """The longest frame that is allowed, without its last byte."""
    frame = (MAX_REQUEST + 2).to_bytes(4, "big") + b"\x01\x00" + os.urandom(MAX_REQUEST - 1)
    return _many(port, lobby, count, rate, lambda node: node.send(frame))


def unread(port: int, lobby: bytes, count: int, rate: float) -> Counter[str]:
    """Ask for the longest answer there is, as often as does not get one cut, and read none."""
    frames = b"".join(pack_frame(encode(Request(n, Recall("hall")))) for n in range(10**6, 10**6 + UNREAD))
    filled: list[bool] = []

    def act(node: BadNode) -> None:
        if len(filled) < 12:
            for _ in range(8):
                node.ask(Say("hall", "ж" * 500))
        filled.append(True)
        node.raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        node.send(frames)

    return _many(port, lobby, count, rate, act)


def look(port: int, lobby: bytes, count: int, rate: float) -> Counter[str]:
    """Each key lists tables, people and lines as fast as it may, for ten seconds, all of them at once."""
    frames = b"".join(
        pack_frame(encode(Request(10**6 + n, ask)))
        for n, ask in enumerate((ListTables(), ListPeople(), Recall("hall"), WatchHall(True)) * 4)
    )
    outcome: Counter[str] = Counter()
    nodes = [BadNode(port, lobby, network(number // 4)) for number in paced(count, rate)]
    for node in nodes:
        node.raw.setblocking(False)
    begun = time.monotonic()
    while time.monotonic() - begun < 10:
        for node in nodes:
            with contextlib.suppress(SSL.WantReadError, SSL.WantWriteError, SSL.Error, OSError):
                while True:
                    outcome["bytes read"] += len(node.receive())
            try:
                node.send(frames)
                outcome["asked"] += 16
            except (SSL.Error, OSError):
                outcome["blocked"] += 1
    for node in nodes:
        node.close()
    return outcome


FLOODS = (connections, handshakes, garbage, slow, giants, guessing, spam, churn)
SIEGES = (silent, tables, passes, bulk, unfinished, unread, look)
KINDS = {kind.__name__: kind for kind in (*FLOODS, *SIEGES)}


def main() -> None:
    kind, port, lobby, count, rate = sys.argv[1:]
    # Attackers have machines of their own: here they must not take the processors from those they attack.
    with contextlib.suppress(AttributeError, OSError):
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    os.nice(10)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    faulthandler.dump_traceback_later(180 + 3 * int(count) / float(rate), exit=True)  # an answer that never comes
    begun = time.monotonic()
    outcome = KINDS[kind](int(port), bytes.fromhex(lobby), int(count), float(rate))
    took = time.monotonic() - begun
    print(json.dumps({"kind": kind, "tried": int(count), "per second": round(int(count) / took), **outcome}))


if __name__ == "__main__":
    main()
