"""Whole nodes as child processes that play one match, driven through their APIs; the test kills and restarts them."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from kontor_games.clients.entry import LocalServices
from kontor_games.clients.node.child_nodes import ChildNodes
from kontor_games.clients.node.node_link import Refused
from kontor_games.net.record.match_files import MatchFiles
from kontor_games.net.record.verify import Report, verify

Data = dict[str, Any]
T = TypeVar("T")
NAMES = ("Anna", "Bruno", "Clara", "David", "Elsa")
PATIENCE = 60.0
WAITS = "This computer has done its part to go on without"  # a vote that is not counted out yet: nobody's fault
LOOK_SECONDS = 0.25  # between two looks at what no event tells


class Party:
    """A match of bots among child processes; remembers what each of them told about every ply."""

    def __init__(self, folder: Path, game: str, count: int, bot: str = "random", **options: Any) -> None:
        self.folder = folder
        self.names = list(NAMES[:count])
        self.nodes = self._make_nodes(folder)
        self.table = ""
        self.match = ""  # the full id
        self.plies: dict[int, set[tuple[int | None, str | None]]] = {}  # what was told about each ply, by anybody
        self.chains: dict[str, Data] = {}  # how far each node's chain goes: count, tip, digest, its last link
        self.completed: set[str] = set()
        self.ended: dict[str, str] = {}
        self.refused: list[str] = []  # wishes of ours
        self._wish = {"game": game, "seats": count, "options": options, "spectators": True, "grace": 0}
        self._bot = bot
        self.begun_at = 0.0  # when the first node told that the match began
        self._begun: set[str] = set()
        self._dead: set[int] = set()  # processes that the test ended itself
        self._heard_at = self._looked_at = time.monotonic()

    def _make_nodes(self, folder: Path) -> ChildNodes:
        nodes: ChildNodes = LocalServices().nodes(folder)
        return nodes

    # ---- the table

    def open(self) -> None:
        """The first node starts and opens a table."""
        self._start(self.names[0])
        self.table = patiently(lambda: str(self.nodes[self.names[0]].post("tables", self._wish)["id"]))
        patiently(lambda: self._sit(self.names[0]))

    def invite(self) -> None:
        """The others start and come to the table."""
        self._start(*self.names[1:])
        for name in self.names[1:]:
            patiently(lambda name=name: self._come(name))
            patiently(lambda name=name: self._sit(name))

    def begin(self) -> None:
        """Gather, agree, and listen until all nodes are in the match."""
        if not self.table:
            self.open()
        if len(self.nodes.running) < len(self.names):
            self.invite()
        while not self._begun >= set(self.names):
            for name in set(self.names) - self._begun:
                self._agree(name)
            self.next()

    def _start(self, *names: str) -> None:
        self.nodes.start(*names)
        for name in names:
            self._prepare(name)

    def _prepare(self, name: str) -> None:
        """What a node needs to know before it comes to the table."""

    def _come(self, name: str) -> None:
        here = self.nodes[self.names[0]].get(f"tables/{self.table}")
        self.nodes[name].post("join", {"address": here["addresses"][0], "fingerprint": here["fingerprint"]})

    def _sit(self, name: str) -> None:
        seat = {"seat": self.names.index(name), "kind": self._bot, "name": name}
        self.nodes[name].post(f"tables/{self.table}/bot", seat)

    def _agree(self, name: str) -> None:
        """Say ready once all sit; what was lost on its way to the keeper is said again."""
        try:
            table = self.nodes[name].get(f"tables/{self.table}")
            assert not table["notice"], table["notice"]  # why a start came to nothing
            if table["phase"] != "open":
                return
            if not table["seats"][self.names.index(name)]["name"]:
                self._sit(name)
            elif all(seat["name"] for seat in table["seats"]) and not table["you_ready"]:
                self.nodes[name].post(f"tables/{self.table}/ready")
        except Refused:
            return  # the table is not within reach, or has just changed

    # ---- what happens

    def next(self, patience: float = PATIENCE) -> None:
        """Take one event into account, or look at all nodes if none comes; raises Silent after a long silence."""
        try:
            name, event = self.nodes.next(LOOK_SECONDS)
        except self.nodes.Silent:
            if time.monotonic() - self._heard_at > patience:
                raise
            self.look()
            return
        self._heard_at = time.monotonic()
        self.heard(name, event)
        if time.monotonic() - self._looked_at > 2 * LOOK_SECONDS:
            self.look()

    def heard(self, name: str, event: Data) -> None:
        """A node told something."""
        match event["kind"]:
            case "table" if "started" in event:
                self._begun.add(name)
                self.begun_at = self.begun_at or time.monotonic()
                self._see(name, event["started"])
            case "match":
                self._note(event["lines"])
                if not event["lines"] or event["status"] in ("over", "stopped"):
                    self._see(name, event["id"])
            case "reset" if self.match:
                self._note(self.nodes[name].get(f"matches/{self.match[:32]}/log")["log"])
            case "exit":
                assert event["pid"] in self._dead, f"the node of {name} ended with code {event['code']}"

    def _note(self, lines: list[Data]) -> None:
        for line in lines:
            self.plies.setdefault(line["ply"], set()).add((line["seat"], line["text"]))

    def look(self) -> None:
        """Ask every node for what no event tells: its chain, its links, its troubles."""
        self._looked_at = time.monotonic()
        for name in list(self.nodes.running) if self.match else ():
            self._see(name, self.match[:32])

    def _see(self, name: str, match: str) -> None:
        if name not in self.nodes.running:
            return  # what it told before it was killed
        node = self.nodes[name]
        try:
            state = node.get(f"matches/{match}?seat=none")
            chain = node.get(f"matches/{match}/chain?from={max(0, self.chains.get(name, {}).get('count', 0) - 1)}")
        except Refused:  # it has just started: the match is not taken up yet, or was complete before
            if self.file(name).with_suffix(".done").exists():
                self.completed.add(name)
            return
        self.chains[name] = {**chain, "last": chain["links"][-1] if chain["links"] else None}
        self.saw(name, state)

    def saw(self, name: str, state: Data) -> None:
        """A node's state of the match."""
        self.match = state["match"]
        faults = [text for text in state["faults"] if not text.startswith(WAITS)]
        if faults or state["status"] == "stopped":
            self.troubled(name, {**state, "faults": faults})
        if state["ended"]:
            self.ended[name] = state["ended"]
        if state["complete"] and name not in self.completed:
            self._note(self.nodes[name].get(f"matches/{state['id']}/log")["log"])  # nothing told before was taken back
            self.completed.add(name)

    def troubled(self, name: str, state: Data) -> None:
        """A node blames another, or differs from it: honest nodes with sound engines never do."""
        raise AssertionError(f"{name}: {state['status']}, {state['faults']}")

    def until(self, is_so: Callable[[], bool], patience: float = PATIENCE) -> None:
        """Listen until something is so."""
        while not is_so():
            self.next(patience)

    def pass_time(self, seconds: float) -> None:
        """Listen for so long, whatever happens."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.next()

    # ---- what the test does to them

    def watch(self, name: str, through: str) -> None:
        """One more node starts and watches the match through one that plays it."""
        self._start(name)
        there = self.nodes[through]
        address = there.get(f"matches/{self.match[:32]}?seat=none")["addresses"][0]
        mark = there.get("hello")["node"]["fingerprint"]
        self.nodes[name].post("watch", {"match": self.match, "address": address, "fingerprint": mark})

    def bye(self, name: str) -> None:
        """A node leaves the match for good."""
        self.nodes[name].post(f"matches/{self.match[:32]}/bye")

    def vote(self, name: str, gone: str) -> None:
        """A node votes to go on without another; a refusal is kept."""
        try:
            self.nodes[name].post(f"matches/{self.match[:32]}/vote", {"peers": [self._peer(name, gone)]})
        except Refused as error:
            self.refused.append(str(error))

    def _peer(self, name: str, other: str) -> int:
        seats = self.nodes[name].get(f"matches/{self.match[:32]}?seat=none")["seats"]
        return next(int(seat["peer"]) for seat in seats if seat["name"] == other)

    def kill(self, name: str) -> None:
        """kill -9"""
        self._dead.add(self.nodes[name].process.pid)
        self.nodes.kill(name)

    def restart(self, *names: str) -> None:
        """Start nodes again: each finds its match by itself."""
        self.nodes.start(*names)

    def finish(self) -> None:
        """Listen until every node has all final signatures, then end them in order."""
        self.until(lambda: self.completed >= set(self.names))
        self.stop()

    def stop(self) -> None:
        """End all nodes."""
        self._dead |= {node.process.pid for node in self.nodes.running.values()}
        self.nodes.stop()

    # ---- what remains

    def reports(self) -> dict[str, Report]:
        """What verification says about each node's file."""
        return {name: verify(self.file(name)) for name in self.names}

    def file(self, name: str) -> Path:
        """The transcript of a node."""
        return MatchFiles.of(self.nodes.home(name) / "matches", bytes.fromhex(self.match)).transcript


def patiently(wish: Callable[[], T]) -> T:
    """Ask until it is granted: a keeper or a lobby may not be within reach yet."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return wish()
        except Refused:
            if time.monotonic() > until:
                raise
        time.sleep(LOOK_SECONDS)
