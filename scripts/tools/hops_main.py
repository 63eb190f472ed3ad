"""Counts what one click passes: two nodes in this process, one committed turn, every function of ours that runs.

Two counts. *Called* is everything that runs in the reactor's thread from the request at one node until the event is
written to the other player's stream. *On the way* are the functions that pass it on: those that stand on the stack
when the first node writes to its link, and when the second writes to its stream. `--list` names these.
"""

from __future__ import annotations

import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from twisted.internet import reactor as installed
from twisted.internet.threads import blockingCallFromThread, deferToThread

from kontor_games.clients.node.node_link import NodeLink
from kontor_games.net.api.http.feed import Feed
from kontor_games.net.api.local_api import LocalApi
from kontor_games.net.api.matches.hub import Setup
from kontor_games.net.node.home import Home
from kontor_games.net.wire.identity import load_or_create
from tests.net.api.kit import Listener
from tests.net.api.test_network import Party, wait_for_turn

ROOMS = ("engine", "net")
WARM_UP = 2  # turns before those that are looked at: caches are filled, modules imported
TURNS = 3  # that are looked at; the one with the fewest functions counts, for no clock ticked in between
Function = tuple[str, str]  # file, name
reactor: Any = installed


class Tracer:
    """Notes functions of ours while they run; ends by itself when the event of the turn has been written."""

    def __init__(self, feed: Feed) -> None:
        self.called: set[Function] = set()
        self.sent: list[Function] = []  # the stack when the first node first writes to a link
        self.told: list[Function] = []  # the stack when the second last writes to its streams
        self._feed = feed
        self._known: dict[CodeType, Function | None] = {}

    def start(self) -> None:
        sys.setprofile(self._event)

    def _event(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            if function := self._ours(frame.f_code):
                self.called.add(function)
            elif frame.f_code.co_name in ("write", "doWrite"):
                self._written(frame)
        elif event == "return" and frame.f_code is Feed.add.__code__:
            local = frame.f_locals
            if local["self"] is self._feed and local["data"].get("lines"):
                sys.setprofile(None)

    def _written(self, frame: FrameType) -> None:
        stack = self._stack(frame)
        files = {file for file, _ in stack}
        if not self.sent and any(file.startswith("net/links/") for file in files):
            self.sent = stack
        elif any(file == "net/api/http/event_stream.py" for file in files):
            self.told = stack

    def _stack(self, frame: FrameType | None) -> list[Function]:
        stack = []
        while frame is not None:
            if function := self._ours(frame.f_code):
                stack.append(function)
            frame = frame.f_back
        return stack[::-1]

    def _ours(self, code: CodeType) -> Function | None:
        """None for other people's code and for comprehensions, which are functions in some versions of Python only."""
        if code not in self._known:
            path = Path(code.co_filename)
            inside = path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in ROOMS
            is_part = code.co_name in ("<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>")
            self._known[code] = None if not inside or is_part else (str(path.relative_to(ROOT)), code.co_qualname)
        return self._known[code]


class InThisProcess(Party):
    """Two nodes of this process; their clients live in another thread."""

    def __init__(self, apis: list[LocalApi], ports: list[int], tokens: list[str]) -> None:
        self.apis = apis
        self.links = [NodeLink(port, token) for port, token in zip(ports, tokens, strict=True)]
        self.nodes = self.links  # type: ignore[assignment]  # only their number is asked for
        self.ears = [Listener(link.another(), 0) for link in self.links]

    def turn(self, match: str, tracers: list[Tracer] | None = None) -> Tracer | None:
        """One turn of whoever is to act; of the tracers the one that looks at the other node is used."""
        number, state = wait_for_turn(self, match)
        link, other = self.links[number], 1 - number
        heard = len(self.ears[other].seen)
        while not state["draft"]["must_commit"]:
            body = {"seat": state["seat"], "text": state["menu"][0]["text"]}
            state = link.post(f"matches/{match}/draft", body)
        if tracers is not None:
            blockingCallFromThread(reactor, tracers[other].start)
        link.post(f"matches/{match}/commit", {"seat": state["seat"]})
        self.ears[other].wait_for(lambda event: event["kind"] == "match" and bool(event["lines"]), heard)
        return None if tracers is None else tracers[other]


def look(apis: list[LocalApi], ports: list[int], homes: list[Path]) -> Tracer:
    """Play a few turns and look at the last ones."""
    party = InThisProcess(apis, ports, [(home / "node.token").read_text().strip() for home in homes])
    match = party.begin("osaka", {})
    for _ in range(WARM_UP):
        party.turn(match)
    traced = [party.turn(match, [Tracer(api.hub.feed) for api in apis]) for _ in range(TURNS)]
    found = min((tracer for tracer in traced if tracer is not None), key=lambda tracer: len(tracer.called))
    for ear, link in zip(party.ears, party.links, strict=True):
        ear.stop()
        link.close()
    return found


def report(tracer: Tracer) -> None:
    """Print the figures."""
    for room in ROOMS:
        functions = [function for function in tracer.called if function[0].startswith(f"{room}/")]
        files = {file for file, _ in functions}
        print(f"one click, called in {room}: {len(functions)} functions in {len(files)} files")
    way = [*tracer.sent, *tracer.told]
    folders = [str(Path(file).parent) for file, _ in way]
    changes = sum(before != after for before, after in pairwise(folders))
    files = {file for file, _ in way}
    print(f"one click, on the way: {len(way)} functions in {len(files)} files, {changes} changes of folder")
    if "--list" in sys.argv:
        for file, name in way:
            print(f"  {file} {name}")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        homes = [Path(folder) / name for name in ("one", "two")]
        setup = Setup(bind="127.0.0.1", lan=False)
        locks = [Home(home) for home in homes]
        apis = [LocalApi(reactor, lock, load_or_create(lock.directory, None), setup) for lock in locks]
        ports = [api.listen() for api in apis]
        done = deferToThread(look, apis, ports, homes).addCallback(report)
        done.addErrback(lambda failure: print(failure.getTraceback(), file=sys.stderr))
        done.addBoth(lambda _: apis[0].stop()).addBoth(lambda _: apis[1].stop()).addBoth(lambda _: reactor.stop())
        reactor.run()


if __name__ == "__main__":
    main()
