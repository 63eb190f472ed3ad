"""The matches that this node only watches, each through one of its peers at a time. An adapter.

A watcher sees nothing more of a match once the peer that shows it is gone, although the others play on. So:

1. While that peer is not reached, or if it refuses, nothing happens for `MOVE_AFTER` seconds: most losses heal by
   themselves, and the match is asked for again as soon as there is a new link.
2. Then the next peer in the order of the terms is asked, if there is a way to it: a link, or addresses that the keeper
   of the table told. If it is not reached either, the one after it has its turn, round and round; the first one too.
3. Whoever shows it, the chain goes on where it was. Every piece is proven by itself, so nobody has to be believed.

A match that is over is not looked for any more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from kontor_games.engine import canonical
from kontor_games.net.links.mesh import Mesh
from kontor_games.net.lockstep.spectator import Spectator
from kontor_games.net.wire.match_talk import Talk
from kontor_games.net.wire.messages import MatchTalk, Spectate, Unspectate

from .node_news import News, WatchBegun, WatchMoved

MOVE_AFTER: Final = 4.0  # seconds

Ways = Mapping[bytes, tuple[str, ...]]  # by peer of a match: the addresses where it may be called


@dataclass
class _Watch:
    """One match that is watched."""

    spectator: Spectator
    ways: Ways
    lost_at: float | None = None  # since when its peer does not show it
    shown_by: bytes | None = None  # who did so last

    def next_peer(self, linked: tuple[bytes, ...]) -> bytes:
        """Who is asked next; the same one if there is nobody else."""
        ledger, before = self.spectator.ledger, self.spectator.peer
        keys = [*self.ways] if ledger is None else [peer.key for peer in ledger.terms.peers]
        place = keys.index(before) + 1 if before in keys else 0
        round_ = [*keys[place:], *keys[:place]]
        return next((key for key in round_ if key in linked or self.ways.get(key)), before)


class Watching:
    """What one node watches; calls come from the reactor thread."""

    def __init__(self, reactor: Any, mesh: Mesh, announce: Callable[[News], None]) -> None:
        self._reactor = reactor
        self._mesh = mesh
        self._announce = announce
        self._watches: dict[bytes, _Watch] = {}

    def __contains__(self, match: bytes) -> bool:
        return match in self._watches

    def needs(self, peer: bytes) -> bool:
        """Whether something that is not over is watched through this peer."""
        return any(not _is_over(watch.spectator) for watch in self._through(peer))

    def is_over(self, match: bytes) -> bool:
        """Whether a match that is watched is over."""
        return match in self._watches and _is_over(self._watches[match].spectator)

    def spectator(self, match: bytes) -> Spectator:
        """Who sees this match, which is watched."""
        return self._watches[match].spectator

    # ---- what the person wants

    def watch(self, match: bytes, peer: bytes, ways: Ways, table: str = "") -> None:
        """Watch a match, first through this peer of it, which was met or is said to be at some of these addresses."""
        watch = self._watches[match] = _Watch(Spectator(match, peer, table), ways)
        self._announce(WatchBegun(match))
        self._ask(watch)

    def unwatch(self, match: bytes) -> None:
        """Watch it no longer."""
        watch = self._watches.pop(match, None)
        if watch is not None:
            self._mesh.send(watch.spectator.peer, Unspectate(match))

    # ---- what happens

    def linked(self, peer: bytes) -> None:
        """There is a new link to a peer: go on with what we watch through it."""
        for watch in self._through(peer):
            watch.lost_at = None
            self._mesh.send(peer, Spectate(watch.spectator.match))

    def lost(self, peer: bytes) -> None:
        """A peer is not reached now."""
        for watch in self._through(peer):
            watch.lost_at = self._reactor.seconds()

    def refused(self, peer: bytes) -> bool:
        """A peer does not show a match; whether people wait for it and have seen nothing of it yet."""
        self.lost(peer)
        return any(watch.spectator.ledger is None for watch in self._through(peer))

    def charter(self, peer: bytes, raw: bytes, sigs: tuple[bytes, ...]) -> None:
        """The terms of a match came from the peer that shows it; RemoteError ends its link."""
        for watch in self._through(peer):
            self._answer(watch, watch.spectator.charter(raw, sigs))
            before, watch.shown_by = watch.shown_by, peer
            if before not in (None, peer):
                self._announce(WatchMoved(watch.spectator.match, peer))

    def heard(self, peer: bytes, match: bytes, talk: Talk) -> None:
        """A piece of a match came; RemoteError ends the link of its sender."""
        watch = self._watches[match]
        if peer == watch.spectator.peer:
            self._answer(watch, watch.spectator.heard(peer, talk))

    def tick(self, now: float) -> None:
        """Time passes."""
        for watch in self._watches.values():
            if watch.lost_at is not None and now >= watch.lost_at + MOVE_AFTER and not _is_over(watch.spectator):
                self._mesh.send(watch.spectator.peer, Unspectate(watch.spectator.match))
                watch.spectator.peer = watch.next_peer(self._mesh.linked)
                self._ask(watch)

    # ---- how

    def _ask(self, watch: _Watch) -> None:
        spectator = watch.spectator
        self._mesh.want_also(spectator.peer, watch.ways.get(spectator.peer, ()))
        is_asked = self._mesh.send(spectator.peer, Spectate(spectator.match))
        watch.lost_at = None if is_asked else self._reactor.seconds()

    def _answer(self, watch: _Watch, answers: list[Talk]) -> None:
        for answer in answers:
            self._mesh.send(watch.spectator.peer, MatchTalk(watch.spectator.match, canonical(answer)))

    def _through(self, peer: bytes) -> list[_Watch]:
        return [watch for watch in self._watches.values() if watch.spectator.peer == peer]


def _is_over(spectator: Spectator) -> bool:
    return spectator.ledger is not None and spectator.ledger.is_over
