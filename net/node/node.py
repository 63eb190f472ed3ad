"""The node: one process that holds identity, links, tables and matches. An adapter that wires machines together."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred, succeed
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger

from kontor_games.engine.errors import ConfigError
from kontor_games.net.links.mesh import ClientEndpoint, ListeningPort, Mesh, ServerEndpoint, tcp_endpoint
from kontor_games.net.links.paths import PUNCH_PREFIX, RELAY_PREFIX, parse_lobby_way
from kontor_games.net.links.port_mapper import PortMapper
from kontor_games.net.links.punch_endpoint import Hole, PunchEndpoint
from kontor_games.net.links.relay_endpoint import RelayEndpoint
from kontor_games.net.lobbies.lobbies import Lobbies
from kontor_games.net.sealed.algebra.group import prepare
from kontor_games.net.system.steady import Steady, logged
from kontor_games.net.wire.identity import Identity
from kontor_games.net.wire.messages import (
    AnyMessage,
    Charter,
    Enter,
    Error,
    LinkBye,
    Look,
    MatchTalk,
    Offers,
    Rematch,
    Spectate,
    TableSaid,
    TableSay,
    Unspectate,
    Ways,
)

from .node_matches import NodeMatches
from .node_news import News, PeerChanged, TableRefused
from .node_tables import NodeTables
from .node_talk import NodeTalk
from .rematches import Rematches
from .software import about
from .whereabouts import Whereabouts

_log = Logger(namespace="kontor.node")
LARGEST_DECK = 108  # cards that a set-up should not have to wait for
LET_GO_AFTER = 30.0  # seconds: somebody whom a person called may be back in a moment
HOST_GONE = "the host has left, and the table is closed"


class Node:
    """Everything one user's process holds; calls come from the reactor thread."""

    def __init__(self, reactor: Any, home: Path, identity: Identity, announce: Callable[[News], None]) -> None:
        self.identity = identity
        self.key = identity.key
        self.directory = home / "matches"
        self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.where = Whereabouts()
        self.mesh = Mesh(
            reactor,
            identity,
            self,
            why_not_stranger=self._why_not_stranger,
            is_known=self._is_known,
            endpoint_for=self._endpoint_for,
            about=about,
        )
        self.lobbies = Lobbies(reactor, home, identity)
        self.matches = NodeMatches(reactor, self.directory, identity, self.mesh, self.lobbies, announce)
        self.tables = NodeTables(reactor, home, identity, self.mesh, self.where, self.lobbies, self.matches, announce)
        self.rematches = Rematches(reactor, identity.key, self.mesh, self.matches, self.tables, self.lobbies, announce)
        self.talk = NodeTalk(reactor, identity.key, self.mesh, self.tables, announce)
        self._reactor = reactor
        self._announce = announce
        self._idle: dict[bytes, float] = {}  # wanted peers that are not linked and owed nothing: since when
        self.mapper: PortMapper | None = None  # where the router may be asked for a port
        self._clock = Steady(reactor, 1.0, self._tick, _log, "the node's clock")

    # ---- life

    def start(self) -> None:
        """Take up the matches from before the restart, and get ready for new ones."""
        logged(
            deferToThreadPool(self._reactor, self._reactor.getThreadPool(), prepare, LARGEST_DECK),
            _log,
            "preparing decks",
        )
        self.matches.start()
        self._clock.start()

    def listen(self, endpoint: ServerEndpoint) -> Deferred[ListeningPort]:
        """Be reachable."""
        return self.mesh.listen(endpoint)

    def stop(self) -> Deferred[None]:
        """End in order; everything can be taken up again."""
        self._clock.stop()
        mapped = succeed(None) if self.mapper is None else self.mapper.stop()
        for table in list(self.tables.kept):
            self.tables.close(table, HOST_GONE)
        self.matches.stop()
        return self.lobbies.stop().addBoth(lambda _: self.mesh.stop()).addBoth(lambda _: mapped)

    def _tick(self) -> None:
        now = self._reactor.seconds()
        self.tables.tick(now)
        self.matches.tick(now)
        self.rematches.tick(now)
        self._let_go(now)

    def _let_go(self, now: float) -> None:
        """Stop dialling peers to whom nothing is owed; a link that is up stays, and they may always call us."""
        idle = {
            peer: self._idle.get(peer, now)
            for peer in self.mesh.wanted
            if peer not in self.mesh.linked and not self.owes(peer)
        }
        for peer in [peer for peer, since in idle.items() if now - since >= LET_GO_AFTER]:
            self.mesh.forget(peer)
            del idle[peer]
        self._idle = idle

    def owes(self, peer: bytes) -> bool:
        """Whether a match, a table or a rematch needs a link to this peer."""
        return self.matches.owes(peer) or self.tables.owes(peer) or self.rematches.owes(peer)

    @property
    def now(self) -> float:
        """The reactor's time."""
        return float(self._reactor.seconds())

    # ---- what the mesh tells

    def peer_linked(self, peer: bytes) -> None:
        """The mesh reached a node."""
        self._announce(PeerChanged(peer, True, ""))
        self.matches.linked(peer)
        self.tables.linked(peer)
        self.rematches.linked(peer)
        self.tables.lookers.look_again(peer, peer in self._known_peers())

    def peer_moved(self, peer: bytes) -> None:
        """A better way to a node took over."""
        self._announce(PeerChanged(peer, True, ""))

    def peer_lost(self, peer: bytes, reason: str) -> None:
        """The mesh lost a node; it goes on trying if the node is wanted."""
        self.matches.lost(peer)
        self.tables.lost(peer)
        self._announce(PeerChanged(peer, False, reason))

    def message_received(self, peer: bytes, message: AnyMessage) -> None:
        """A node said something; RemoteError ends its link."""
        match message:
            case MatchTalk(match=match, talk=raw):
                self.matches.talk_received(peer, match, raw)
            case Spectate() | Unspectate() | Ways() | Charter():
                self.matches.received(peer, message)
            case Look():
                self.tables.lookers.show_to(peer)
            case Rematch():
                self.rematches.received(peer, message)
            case Offers(tables=tables):
                self.tables.offers_received(peer, tables)
            case Error(about=about, reason=reason):
                self.tables.error_received(peer, about, reason)
                if about == "spectate" and self.matches.watching.refused(peer):
                    self._announce(TableRefused("", about, reason))
            case LinkBye():
                pass
            case TableSay() | TableSaid():
                self.talk.received(peer, message)
            case _:
                self.tables.received(peer, message)
                if isinstance(message, Enter):
                    self.talk.came(peer, message.table)

    def _known_peers(self) -> set[bytes]:
        return self.matches.players | self.tables.keepers

    def _is_known(self, key: bytes) -> bool:
        """Whether the key plays with us, now or before, or sits at a table of ours."""
        return key in self._known_peers() or self.matches.played_before(key) or self.tables.is_seated(key)

    def _why_not_stranger(self, key: bytes) -> str | None:
        """Strangers may come to look at tables and to watch; the mesh sees to it that they are not too many."""
        if self.matches.played_before(key) or self.tables.kept or self.matches.has_spectators:
            return None
        return "this node has no table and no match to show"

    def _endpoint_for(self, reactor: Any, address: str) -> ClientEndpoint:
        if not address.startswith((RELAY_PREFIX, PUNCH_PREFIX)):
            return tcp_endpoint(reactor, address)
        table, peer = parse_lobby_way(address)
        room = self.lobbies.room_of(table)
        if room is None:
            raise ConfigError("the lobby of this match is no longer known")
        if address.startswith(PUNCH_PREFIX):
            if not self.where.can_punch:
                raise ConfigError("this node was told not to look for direct ways through routers")
            hole = Hole(reactor, room.at, room.witness, peer, True, self.where.holes)
            return PunchEndpoint(hole, partial(room.ask_punch, table, peer))
        return RelayEndpoint(reactor, room.at, room.witness, False, lambda: room.ask_relay(table, peer))
