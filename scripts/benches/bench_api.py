"""The local API: a committed turn from one node to the client of another, against its parts; memory of nodes."""

from __future__ import annotations

import http.client
import json
import os
import socket
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "scripts" / "benches"))

import bench_games
from bench_duel import duel
from bench_peer import REST
from twisted.internet import reactor
from twisted.internet.defer import inlineCallbacks
from twisted.internet.threads import deferToThread
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, Request, TextMessage

from tests.net.api.kit import NodeProcess
from tests.net.api.test_network import Party, wait_for_turn

WARM_UP = 4
TURNS = 20  # per round
STATE_PAD = 645  # 6 kB
MATCHES = 20
GOAL = 1.5


class Ear:
    """An event stream that is read by hand: the time of an event is when its bytes are here, before anybody parses."""

    def __init__(self, node: NodeProcess) -> None:
        self._wire = socket.create_connection(("127.0.0.1", node.port))
        self._talk = WSConnection(ConnectionType.CLIENT)
        token = [(b"Authorization", f"Bearer {node.token}".encode())]
        self._wire.sendall(self._talk.send(Request(f"127.0.0.1:{node.port}", "/api/1/events", extra_headers=token)))
        self._talk.receive_data(self._wire.recv(4096))
        assert isinstance(next(self._talk.events()), AcceptConnection)

    def close(self) -> None:
        self._wire.close()

    def skip(self) -> None:
        """Forget what has come so far."""
        self._wire.setblocking(False)
        with suppress(BlockingIOError):
            while True:
                self._take()
        self._wire.setblocking(True)

    def wait_for_lines(self, match: str) -> float:
        """When the next lines of this match were here."""
        while True:
            at, events = self._take()
            if any(event.get("id") == match and event.get("lines") for event in events):
                return at

    def ping(self) -> float:
        """Seconds there and back on the stream."""
        self.skip()
        start = time.perf_counter()
        self._wire.sendall(self._talk.send(TextMessage('{"ping":1}')))
        return self._take()[0] - start

    def _take(self) -> tuple[float, list[dict[str, Any]]]:
        data = self._wire.recv(1 << 16)
        at = time.perf_counter()
        self._talk.receive_data(data)
        return at, [json.loads(event.data) for event in self._talk.events() if isinstance(event, TextMessage)]


class Hand:
    """A POST by hand: sent at once, its answer read when there is time."""

    def __init__(self, node: NodeProcess) -> None:
        self._wire = socket.create_connection(("127.0.0.1", node.port))
        self._wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._head = f"Host: 127.0.0.1:{node.port}\r\nAuthorization: Bearer {node.token}\r\n"

    def close(self) -> None:
        self._wire.close()

    def post(self, path: str, body: object) -> float:
        """Send it; when that was."""
        raw = json.dumps(body)
        head = f"POST /api/1/{path} HTTP/1.1\r\n{self._head}Content-Type: application/json\r\n"
        data = f"{head}Content-Length: {len(raw)}\r\n\r\n{raw}".encode()
        start = time.perf_counter()
        self._wire.sendall(data)
        return start

    def answer(self) -> float:
        """Read the answer; when it was complete."""
        answer = http.client.HTTPResponse(self._wire)
        answer.begin()
        answer.read()
        assert answer.status == 200, answer.status
        return time.perf_counter()


class Table:
    """Two nodes with a match of two people, and clients that measure."""

    def __init__(self, party: Party, match: str) -> None:
        self.party = party
        self.match = match
        self.hands = [Hand(node) for node in party.nodes]
        self.ears = [Ear(node) for node in party.nodes]

    def close(self) -> None:
        for each in (*self.hands, *self.ears):
            each.close()

    def commits(self, count: int) -> list[float]:
        """Seconds from the POST that commits a turn to the event at the other node's client."""
        times: list[float] = []
        while len(times) < count:
            number, state = wait_for_turn(self.party, self.match)
            if state["status"] == "over":
                break
            link, other = self.party.links[number], self.ears[1 - number]
            while not state["draft"]["must_commit"]:
                state = link.post(f"matches/{self.match}/draft", {"text": state["menu"][0]["text"]})
            time.sleep(REST)
            other.skip()
            start = self.hands[number].post(f"matches/{self.match}/commit", {"seat": state["seat"]})
            times.append(other.wait_for_lines(self.match) - start)
            self.hands[number].answer()
        return times

    def bare_posts(self, count: int) -> list[float]:
        """POSTs that do next to nothing, there and back, in the rhythm of the commits."""
        times = []
        for _ in range(count):
            time.sleep(REST)
            start = self.hands[0].post("links", {})
            times.append(self.hands[0].answer() - start)
        return times

    def bare_pushes(self, count: int) -> list[float]:
        """Half of round trips on the WebSocket, in the same rhythm."""
        times = []
        for _ in range(count):
            time.sleep(REST)
            times.append(self.ears[1].ping() / 2)
        return times


def rss(node: NodeProcess) -> float:
    """Megabytes of memory in use."""
    assert node.process is not None
    fields = Path(f"/proc/{node.process.pid}/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


@dataclass
class Round:
    """One match, and the parts of a commit measured beside it."""

    commit: float
    post: float
    push: float
    net: float = 0.0  # an action between two nodes without any API, played until acknowledged

    @property
    def ratio(self) -> float:
        return self.commit / (self.net + self.post + self.push)


def one_match() -> Round:
    with tempfile.TemporaryDirectory() as name:
        party = Party(Path(name), 2)
        try:
            table = Table(party, party.begin("osaka", {}))
            for ear in party.ears:
                ear.stop()  # whoever else listens would work beside what is measured
            table.commits(WARM_UP)
            found = Round(median(table.commits(TURNS)), median(table.bare_posts(60)), median(table.bare_pushes(60)))
            table.close()
            return found
        finally:
            party.end()


def all_rounds(count: int) -> list[Round]:
    """Each match beside the net figure of the same seconds."""
    bench_games.install()
    found: list[Round] = []
    problem: list[BaseException] = []

    @inlineCallbacks
    def measure() -> Any:
        try:
            for number in range(count):
                outcome = yield duel(STATE_PAD, f"api {number}", "none")
                one: Round = yield deferToThread(one_match)
                found.append(replace(one, net=outcome["latency"]))
        except BaseException as error:
            problem.append(error)
        reactor.stop()

    reactor.callWhenRunning(measure)
    reactor.run()
    if problem:
        raise problem[0]
    return found


def run(rounds: int, seconds: float) -> dict[str, Any]:
    """All figures; `seconds` is not used, a round is a match of a fixed number of turns."""
    found = all_rounds(rounds)
    ratios = [each.ratio for each in found]

    def middle(part: str) -> str:
        return f"{median(getattr(each, part) for each in found) * 1e3:.2f} ms"

    with tempfile.TemporaryDirectory() as name:
        idle, per_match = memory(Path(name))
    rows = [
        {"what": "commit at one client to event at the other", "figure": middle("commit")},
        {"what": "net: an action until acknowledged (6 kB state)", "figure": middle("net")},
        {"what": "bare HTTP POST", "figure": middle("post")},
        {"what": "WebSocket push", "figure": middle("push")},
        {
            "what": "commit to event against the sum of the three",
            "figure": f"{median(ratios):.2f} x ({min(ratios):.2f} to {max(ratios):.2f}; goal {GOAL})",
        },
        {"what": "memory of an idle node", "figure": f"{idle:.1f} MB"},
        {"what": f"and of each of {MATCHES} matches that run on it", "figure": f"{per_match * 1000:.0f} kB"},
    ]
    return {"rows": rows}


def memory(folder: Path) -> tuple[float, float]:
    """Megabytes of a node that does nothing, and what a match adds."""
    node = NodeProcess(folder / "memory").start()
    try:
        link = node.link()
        people = [{"kind": "me", "name": "Anna"}, {"kind": "me", "name": "Bob"}]
        idle = rss(node)
        link.post("matches", {"game": "osaka", "seats": people})  # brings the game's own tables
        before = rss(node)
        for _ in range(MATCHES):
            link.post("matches", {"game": "osaka", "seats": people})
        return idle, (rss(node) - before) / MATCHES
    finally:
        node.end()
