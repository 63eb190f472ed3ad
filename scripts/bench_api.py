"""The local API: a committed turn from one node to the client of another, against its parts; memory of nodes."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "scripts"))

import bench_net
from twisted.internet import reactor
from twisted.internet.defer import inlineCallbacks

from clients.link import NodeLink
from tests.api.kit import NodeProcess
from tests.api.test_network import Party, wait_for_turn

TURNS = 20  # per round
MATCHES = 20
GOAL = 1.5


def commits(party: Party, match: str, count: int) -> list[float]:
    """Seconds from the POST that commits a turn to the event at the other node's client."""
    times = []
    for _ in range(count):
        number, state = wait_for_turn(party, match)
        if state["status"] == "over":
            break
        link, other = party.links[number], party.ears[1 - number]
        while not state["draft"]["must_commit"]:
            state = link.post(f"matches/{match}/draft", {"text": state["menu"][0]["text"]})
        place = len(other.seen)
        start = time.perf_counter()
        link.post(f"matches/{match}/commit", {"seat": state["seat"]})
        at = other.wait_for(lambda event: event.get("id") == match and bool(event.get("lines")), place)
        times.append(other.times[at - 1] - start)
    return times


def bare_post(link: NodeLink, count: int = 60) -> float:
    """A POST that does next to nothing, there and back."""
    times = []
    for _ in range(count):
        start = time.perf_counter()
        link.post("links")
        times.append(time.perf_counter() - start)
    return median(times)


def bare_push(node: NodeProcess, count: int = 60) -> float:
    """Half of a round trip on the WebSocket."""
    import socket

    from wsproto import ConnectionType, WSConnection
    from wsproto.events import Request, TextMessage

    with socket.create_connection(("127.0.0.1", node.port)) as wire:
        talk = WSConnection(ConnectionType.CLIENT)
        token = [(b"Authorization", f"Bearer {node.token}".encode())]
        wire.sendall(talk.send(Request(f"127.0.0.1:{node.port}", "/api/1/events", extra_headers=token)))
        talk.receive_data(wire.recv(4096))
        list(talk.events())
        times = []
        for _ in range(count):
            start = time.perf_counter()
            wire.sendall(talk.send(TextMessage('{"ping":1}')))
            wire.recv(4096)
            times.append(time.perf_counter() - start)
            time.sleep(0.012)  # within the stream's allowance
    return median(times) / 2


def rss(node: NodeProcess) -> float:
    """Megabytes of memory in use."""
    assert node.process is not None
    fields = Path(f"/proc/{node.process.pid}/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def net_figure(rounds: int) -> float:
    """The same run's figure for an action between two nodes without any API: played until acknowledged."""
    import bench_games

    bench_games.install()
    found: list[float] = []

    @inlineCallbacks
    def measure() -> Any:
        for number in range(rounds):
            outcome = yield bench_net.duel(900, f"api {number}")
            found.append(outcome["latency"])
        reactor.stop()

    reactor.callWhenRunning(measure)
    reactor.run()
    return median(found)


def run(rounds: int, seconds: float) -> dict[str, Any]:
    """All figures; `seconds` is not used, a round is a fixed number of turns."""
    ratios, whole, posts, pushes = [], [], [], []
    net = net_figure(max(1, min(rounds, 3)))
    with tempfile.TemporaryDirectory() as name:
        party = Party(Path(name), 2)
        try:
            match = party.begin("osaka", {})
            commits(party, match, 4)
            for _ in range(min(rounds, 4)):
                took = commits(party, match, TURNS // 2)
                if not took:
                    break
                whole.append(median(took))
                posts.append(bare_post(party.links[0]))
                pushes.append(bare_push(party.nodes[1]))
                ratios.append(whole[-1] / (net + posts[-1] + pushes[-1]))
        finally:
            party.end()
        idle, per_match = memory(Path(name))
    rows = [
        {"what": "commit at one client to event at the other", "figure": f"{median(whole) * 1e3:.2f} ms"},
        {"what": "net: an action until acknowledged (6 kB state)", "figure": f"{net * 1e3:.2f} ms"},
        {"what": "bare HTTP POST", "figure": f"{median(posts) * 1e3:.2f} ms"},
        {"what": "WebSocket push", "figure": f"{median(pushes) * 1e3:.2f} ms"},
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
