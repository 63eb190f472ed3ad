"""A node behind blocking calls, for a client that lives in a thread of the same process and may wait for a person."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.threads import blockingCallFromThread
from twisted.python.failure import Failure

from engine.errors import IllegalAction

from .desk import Desk
from .front_lobby import LobbyFront
from .home import Home
from .identity import Identity, parse_fingerprint
from .logs import begin_logging
from .match import Match
from .messages import Leave, Sit, Stand
from .net_play import NetPlay
from .news import Data, ledger_of, mark_data, names_of
from .play_table import Bot


class Front(LobbyFront):
    """What a client may ask of the node; every call is carried out in the reactor's thread."""

    def __init__(self, reactor: Any, desk: Desk) -> None:
        self._reactor = reactor
        self._desk = desk

    def _call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return blockingCallFromThread(self._reactor, function, *arguments)

    def me(self) -> Data:
        """Who and where this node is."""
        node = self._desk.node
        return {**mark_data(node.key), "addresses": list(node.addresses)}

    # ---- tables

    def host(self, game: str, options: Mapping[str, Any], seats: int, recovery: str, spectators: bool) -> str:
        """Open a table; returns its id."""
        return str(self._call(self._desk.node.host, game, options, seats, recovery, spectators))

    def meet(self, address: str, mark: str | None) -> Data:
        """Reach the node at this address; its tables arrive as news."""
        wanted = None if mark is None else parse_fingerprint(mark)

        def meet() -> Deferred[bytes]:
            meeting = self._desk.node.mesh.meet(address, wanted)
            return meeting.addTimeout(20, self._reactor)

        key: bytes = self._call(meet)
        return {"peer": key.hex(), **mark_data(key)}

    def enter(self, peer: str, table: str, *addresses: str) -> None:
        """Go to a table of that node."""
        self._call(self._desk.node.enter, bytes.fromhex(peer), table, list(addresses))

    def sit(self, table: str, seat: int, name: str, kind: str) -> None:
        """Take a free seat."""
        self._call(self._desk.node.tell_table, table, Sit(table, seat, name, kind))

    def stand(self, table: str, seat: int) -> None:
        """Give a seat back."""
        self._call(self._desk.node.tell_table, table, Stand(table, seat))

    def leave(self, table: str) -> None:
        """Go away from a table."""
        self._call(self._desk.node.tell_table, table, Leave(table))

    def ready(self, table: str) -> None:
        """Agree to the table as shown."""
        self._call(self._desk.node.ready, table)

    # ---- matches

    def matches(self) -> list[Data]:
        """The matches of this node that are not complete, and that it has not left."""

        def found() -> list[Data]:
            going = [match for match in self._desk.node.matches.values() if not match.is_served_only]
            return [_summary(match) for match in going if match.session.me in match.session.ledger.active]

        return list(self._call(found))

    def watch(self, match: str, peer: str, address: str) -> None:
        """Watch a match through one of its peers."""
        self._call(self._desk.node.watch, bytes.fromhex(match), bytes.fromhex(peer), [address])

    def match(self, match: str) -> FrontMatch | None:
        """The screen of a match, None while it is being set up."""
        key = bytes.fromhex(match)
        return None if self._call(self._desk.play, key) is None else FrontMatch(self._call, self._desk, key)


def _summary(match: Match) -> Data:
    ledger = match.session.ledger
    me = match.session.me
    return {
        "match": match.id.hex(),
        "game": ledger.terms.game,
        "title": ledger.game.title,
        "seats": [{"name": seat.name, "you": seat.peer == me} for seat in ledger.terms.seats],
        "ply": ledger.ply,
        "over": ledger.is_over,
        "human": any(seat.peer == me and seat.kind == "human" for seat in ledger.terms.seats),
    }


class FrontMatch:
    """One match at this screen; the client's interface, plus what only a network match has."""

    def __init__(self, call: Callable[..., Any], desk: Desk, match: bytes) -> None:
        self._call = call
        self._desk = desk
        self._id = match

    def _ask(self, name: str, *arguments: Any) -> Any:
        def asked() -> Any:
            play = self._desk.play(self._id)
            assert isinstance(play, NetPlay)
            return getattr(play, name)(*arguments)

        return self._call(asked)

    def info(self) -> Data:
        return dict(self._ask("info"))

    def status(self) -> Data:
        return dict(self._ask("status"))

    def view(self, seat: int | None) -> Data:
        return dict(self._ask("view", seat))

    def menu(self) -> list[Data]:
        return list(self._ask("menu"))

    def draft(self, text: str) -> str | None:
        reason = self._ask("draft", text)
        return None if reason is None else str(reason)

    def undo(self) -> bool:
        return bool(self._ask("undo"))

    def commit(self) -> list[Data]:
        return list(self._ask("commit"))

    def advance(self) -> list[Data]:
        return []

    def log(self) -> list[Data]:
        return list(self._ask("log"))

    def standing(self) -> Data:
        return dict(self._ask("standing"))

    def peers(self) -> int:
        """How many nodes are still at the table."""

        def count() -> int:
            ledger = ledger_of(self._desk.node, self._id)
            return 0 if ledger is None else len(ledger.active)

        return int(self._call(count))

    def close(self) -> None:
        """The node keeps it."""

    def chat(self, text: str) -> None:
        """Say a line to the table."""
        self._call(lambda: self._desk.match(self._id).chat(text))

    def bye(self) -> None:
        """Leave for good, in order."""
        self._call(lambda: self._desk.match(self._id).bye())

    def vote(self, names: list[str]) -> None:
        """Go on without these players; no names take the vote back."""

        def vote() -> None:
            match = self._desk.match(self._id)
            ledger = match.session.ledger
            known = {names_of(ledger, p).lower(): p for p in ledger.active}
            known |= {s.name.lower(): s.peer for s in ledger.terms.seats if s.peer in ledger.active}
            unknown = [name for name in names if name.lower() not in known]
            if unknown:
                raise IllegalAction(f"nobody at the table is called {unknown[0]}")
            match.vote_gone({known[name.lower()] for name in names})

        self._call(vote)


def run(
    directory: Path,
    identity: Callable[[], Identity],
    bind: str,
    port: int,
    make_bot: Callable[[str], Bot | None],
    sink: Callable[[Data], None],
    main: Callable[[Front], int],
    lan: bool = False,
) -> int:
    """Run a node, and `main` in a thread beside it, until `main` returns; Ctrl-C arrives in `sink` as news."""
    from twisted.internet import reactor

    world: Any = reactor
    home = Home(directory)
    key = identity()
    begin_logging(directory)
    desk = Desk(world, home, sink, make_bot)
    ended: list[int | BaseException] = []

    def client() -> None:
        try:
            ended.append(main(Front(world, desk)))
        except BaseException as error:
            ended.append(error)
        world.callFromThread(stop)

    def stop() -> None:
        desk.close().addBoth(lambda _: world.stop())

    def opened(_: object) -> None:
        threading.Thread(target=client, name="client", daemon=True).start()

    def failed(failure: Failure) -> None:
        ended.append(failure.value or RuntimeError("the node could not start"))
        world.stop()

    def interrupted(*_: object) -> None:
        sink({"news": "interrupt"})

    signal.signal(signal.SIGINT, interrupted)
    world.callWhenRunning(lambda: desk.open(key, bind, port, lan).addCallbacks(opened, failed))
    world.run()
    outcome = ended[0] if ended else 130
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome
