"""The node: one process that holds identity, links, tables and matches. An adapter that wires machines together."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from twisted.internet.defer import Deferred, succeed
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger

from kontor_games.engine import canonical
from kontor_games.engine.errors import ConfigError, KontorError, RemoteError, StoreError
from kontor_games.net.links.claims import ON_THIS_MACHINE, Witness, as_seen, dialable, hearable
from kontor_games.net.links.mesh import ClientEndpoint, ListeningPort, Mesh, ServerEndpoint, tcp_endpoint
from kontor_games.net.links.paths import RELAY_PREFIX, parse_relay, relay_address
from kontor_games.net.links.relay_endpoint import RelayEndpoint
from kontor_games.net.lobbies.lobbies import Lobbies, LobbyChanged, LobbyTold
from kontor_games.net.lobbies.lobby_book import Origin
from kontor_games.net.lobbies.lobby_room import LobbyRoom
from kontor_games.net.lockstep.effects import Completed, Effect, Ended
from kontor_games.net.lockstep.match import Match
from kontor_games.net.lockstep.spectator import Spectator
from kontor_games.net.sealed.group import prepare
from kontor_games.net.system.private_file import write_private
from kontor_games.net.system.steady import Steady, logged
from kontor_games.net.table import advice
from kontor_games.net.table import guest as g
from kontor_games.net.table import keeper as t
from kontor_games.net.table.catalogue import Installed
from kontor_games.net.table.guest import Guest
from kontor_games.net.table.keeper import TableKeeper, for_older
from kontor_games.net.table.table_state import TableState
from kontor_games.net.wire.address import is_loopback, parse_address, why_not_address
from kontor_games.net.wire.chain import match_id
from kontor_games.net.wire.identity import Identity, fingerprint
from kontor_games.net.wire.lobby_messages import RelayPass
from kontor_games.net.wire.match_talk import decode_talk
from kontor_games.net.wire.messages import (
    PROTOCOL,
    AnyMessage,
    Bye,
    Charter,
    Enter,
    Error,
    Look,
    MatchTalk,
    Object,
    Offers,
    OptionValue,
    Recovery,
    Spectate,
    TableView,
    Unspectate,
)
from kontor_games.net.wire.messages import Ways as WaysTold
from kontor_games.net.wire.terms import Terms, decode_terms

from .agreed import AgreedBook
from .pair_ways import TELL_EVERY, WayBook, ways_of
from .software import about
from .ways_file import WaysFile

_log = Logger(namespace="kontor.node")
LARGEST_DECK = 108  # cards that a set-up should not have to wait for


@dataclass(frozen=True)
class TableShown:
    """A table at which this node is has changed."""

    table: str
    view: TableView


@dataclass(frozen=True)
class TableRefused:
    """Something at a table was refused; the reason is for people."""

    table: str
    about: str
    reason: str


@dataclass(frozen=True)
class TableSigned:
    """This node signed the terms of this match: show its six words."""

    table: str
    match: bytes


@dataclass(frozen=True)
class TableOffers:
    """The open tables of another node."""

    keeper: bytes
    views: tuple[TableView, ...]


@dataclass(frozen=True)
class MatchBegun:
    """A match exists and is about to start: now is the time to subscribe. `table` is None when it was resumed."""

    match: bytes
    table: str | None


@dataclass(frozen=True)
class MatchEnded:
    """Nobody acts any more in a match of this node."""

    match: bytes


@dataclass(frozen=True)
class WatchBegun:
    """This node asked to watch a match; what is seen of it comes from its `Spectator`."""

    match: bytes


@dataclass(frozen=True)
class PeerChanged:
    """A node was reached or lost."""

    peer: bytes
    linked: bool
    reason: str


News: TypeAlias = (
    TableShown
    | TableRefused
    | TableSigned
    | TableOffers
    | MatchBegun
    | MatchEnded
    | WatchBegun
    | PeerChanged
    | LobbyChanged
    | LobbyTold
)


class Node:
    """Everything one user's process holds; calls come from the reactor thread."""

    def __init__(self, reactor: Any, home: Path, identity: Identity, listener: Callable[[News], None]) -> None:
        self.identity = identity
        self.key = identity.key
        self.home = home
        self.directory = home / "matches"
        self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.mesh = Mesh(
            reactor,
            identity,
            self,
            why_not_stranger=self._why_not_stranger,
            is_known=self._is_known,
            endpoint_for=self._endpoint_for,
            about=about,
        )
        self.addresses: tuple[str, ...] = ()  # where others can reach this node
        self.tables: dict[str, TableKeeper[TableState]] = {}  # kept here
        self.guests: dict[str, tuple[Guest, bytes]] = {}  # tables we are at, and who keeps them
        self.matches: dict[bytes, Match] = {}
        self.watching: dict[bytes, Spectator] = {}
        self.ways: dict[bytes, WayBook] = {}  # by match: how the others reach each other
        self.heard_at: Callable[[bytes], Collection[str]] = lambda key: ()  # where a key was heard on the local network
        self._ways_files: dict[bytes, WaysFile] = {}  # by match: where its peers are called
        self._tell_ways_at = 0.0
        self.lobbies = Lobbies(reactor, home, identity, self, listener)
        self._origins: dict[bytes, Origin] = {}  # matches that began in a lobby
        self._reactor = reactor
        self._listener = listener
        self._catalogue = Installed()
        self._agreed = AgreedBook(home)
        self._unbegun: dict[str, tuple[bytes, tuple[bytes, ...]]] = {}  # by table: agreed, but the disk refused
        self._visitors: set[bytes] = set()
        self._asked: set[bytes] = set()  # nodes that owe us their tables: asked again over a new link
        self._finished: dict[str, tuple[Path, frozenset[bytes]]] = {}  # complete matches of earlier lives: their peers
        self._clock = Steady(reactor, 1.0, self._tick, _log, "the node's clock")

    # ---- life

    def start(self) -> None:
        """Take up the matches of an earlier life, and get ready for new ones."""
        logged(
            deferToThreadPool(self._reactor, self._reactor.getThreadPool(), prepare, LARGEST_DECK),
            _log,
            "preparing decks",
        )
        for path in sorted(self.directory.glob("*.journal")):
            if path.with_suffix(".done").exists():
                self._finished[path.stem] = path, WaysFile.of(path).peers
            else:
                self._resume(path)
        self._clock.start()

    def _resume(self, path: Path) -> None:
        try:
            match = Match.resume(self._reactor, self.mesh, path, self.identity)
        except KontorError as error:
            _log.error("{path}: {error}", path=path.name, error=str(error))
            return
        except Exception:  # one match that cannot be taken up must not keep the others away
            _log.failure("{path} could not be taken up", path=path.name)
            return
        origin = Origin.read(path.with_suffix(".lobby"))
        if origin is not None:
            self._origins[match.id] = origin
            self.lobbies.open_again(origin).tables.add(origin.table)
        self._run(match, WaysFile.of(path), {}, None)

    def _serve_finished(self, peer: bytes, match: bytes) -> None:
        """A peer of a match that is complete here may still lack our final signature: take the match up for it."""
        path, peers = self._finished.get(match.hex()[:32], (None, frozenset()))
        if path is None or peer not in peers or match in self.matches:
            return
        del self._finished[path.stem]
        try:
            served = Match.resume(self._reactor, self.mesh, path, self.identity)
        except KontorError as error:
            _log.error("{path}: {error}", path=path.name, error=str(error))
            return
        served.is_served_only = True
        self.matches[served.id] = served
        served.start()
        served.linked(*self._able())

    def listen(self, endpoint: ServerEndpoint) -> Deferred[ListeningPort]:
        """Be reachable."""
        return self.mesh.listen(endpoint)

    def stop(self) -> Deferred[None]:
        """End in order; everything can be taken up again."""
        self._clock.stop()
        for match in self.matches.values():
            match.stop()
        return self.lobbies.stop().addBoth(lambda _: self.mesh.stop())

    def _tick(self) -> None:
        now = self._reactor.seconds()
        for table in list(self.tables.values()):
            self._table_effects(table.state.id, table.tick(now))
        for table_id, (raw, signatures) in list(self._unbegun.items()):
            self._begin(table_id, raw, signatures)
        if now >= self._tell_ways_at:
            self._tell_ways_at = now + TELL_EVERY
            self._tell_ways()

    def _tell_ways(self) -> None:
        """Let the peers of every match know whom we reach, so that each of them sees the whole grid."""
        links = self.mesh.links()
        understand = {link.peer for link in links if link.about is not None}
        for match in self.matches.values():
            indexes = {peer.key: number for number, peer in enumerate(match.session.ledger.terms.peers)}
            if not match.is_served_only:
                self.mesh.send_all(WaysTold(match.id, ways_of(links, indexes)), sorted(understand & set(indexes)))

    # ---- tables

    def host(
        self, game: str, options: Mapping[str, OptionValue], seats: int, recovery: Recovery, spectators: bool
    ) -> str:
        """Open a table here; returns its id. ConfigError if it could never be played."""
        table_id = secrets.token_hex(4)
        blank = TableState(table_id, self.key, game, options, (None,) * seats, recovery, spectators)
        self.tables[table_id] = TableKeeper.open(blank, self._catalogue, self.addresses)
        self.guests[table_id] = (self._guest(table_id), self.key)
        self.tell_table(table_id, Enter(table_id, self.addresses))
        return table_id

    def look(self, keeper: bytes) -> None:
        """Ask another node that was met which tables it keeps; `TableOffers` is the answer."""
        self._asked.add(keeper)
        self.mesh.send(keeper, Look())

    def enter(self, keeper: bytes, table_id: str, announced: Sequence[str]) -> None:
        """Go to a table of another node, which was met, or which announced these addresses on the local network."""
        self.guests[table_id] = (self._guest(table_id), keeper)
        self.mesh.want_also(keeper, hearable(announced, self._is_on_loopback))
        self.tell_table(table_id, Enter(table_id, self.addresses))

    def tell_table(self, table_id: str, message: AnyMessage) -> None:
        """Say something to the keeper of a table we are at."""
        if table_id not in self.guests:
            raise ConfigError(f"this node is not at a table {table_id}")
        keeper = self.guests[table_id][1]
        room = self.lobbies.room_of(table_id)
        if keeper == self.key:
            self._table_effects(table_id, self.tables[table_id].received(self.key, message, self._reactor.seconds()))
        elif room is not None:
            room.tell_table(table_id, message)
        else:
            self.mesh.send(keeper, message)

    def _guest(self, table_id: str) -> Guest:
        return Guest(table_id, self.identity, self._catalogue, self._agreed.match_of(table_id))

    def ready(self, table_id: str, sight: str | None = None) -> None:
        """Agree to the table as shown; `sight` names what the person looked at."""
        self._guest_effects(table_id, self.guests[table_id][0].ready(os.urandom(16), sight))

    def unready(self, table_id: str) -> None:
        """Take the agreement back."""
        self._guest_effects(table_id, self.guests[table_id][0].unready())

    def _table_effects(self, table_id: str, effects: Sequence[t.Effect]) -> None:
        for effect in effects:
            match effect:
                case t.Tell(peer=peer, message=message):
                    if peer == self.key:
                        self.guest_received(table_id, message)
                    else:
                        self.mesh.send(peer, message)
                case t.Closed():
                    self.tables.pop(table_id, None)
                    self.guests.pop(table_id, None)
                case _:
                    pass  # the members, we among them, get the start as a message

    def new_guest(self, table: str, keeper: bytes) -> Guest:
        """We are at a table of this keeper; after a match has begun there the old guest stays what it is."""
        if table not in self.guests:
            self.guests[table] = (self._guest(table), keeper)
        return self.guests[table][0]

    def leave_table(self, table: str) -> None:
        """We are no longer at this table."""
        self.guests.pop(table, None)

    def refused(self, table: str, about: str, reason: str) -> None:
        """A keeper refused something."""
        self._listener(TableRefused(table, about, reason))

    def guest_received(self, table_id: str, message: AnyMessage) -> None:
        """The keeper of a table we are at said something."""
        found = self.guests.get(table_id)
        if found is not None:
            self._guest_effects(table_id, found[0].received(message))

    def _guest_effects(self, table_id: str, effects: Sequence[g.Effect]) -> None:
        for effect in effects:
            match effect:
                case g.Say(message=message):
                    self.tell_table(table_id, message)
                case g.Shown(view=view):
                    self._listener(TableShown(table_id, view))
                case g.Signing(match=match):
                    if not self._noted(table_id, match):
                        return  # the signature stays here
                    self._listener(TableSigned(table_id, match))
                case g.Voided():
                    self._agreed.forget(table_id)
                case g.Refused(about=about, reason=reason):
                    self._listener(TableRefused(table_id, about, reason))
                case t.Started(raw=raw, signatures=signatures):
                    self._begin(table_id, raw, signatures)

    def _noted(self, table_id: str, match: bytes) -> bool:
        """Whether it is on the disk that we sign this match at this table; else we say that we cannot."""
        try:
            self._agreed.note(table_id, match)
        except StoreError as error:
            reason = f"the signature could not be noted on the disk: {_cause(error)}"
            self.tell_table(table_id, Object(table_id, match, reason[:300]))
            self._listener(TableRefused(table_id, "terms", reason))
            return False
        return True

    # ---- matches

    def _begin(self, table_id: str, raw: bytes, signatures: tuple[bytes, ...]) -> None:
        addresses = self._addresses_at(table_id)
        identity = match_id(raw)
        if identity in self.matches or (self.directory / f"{identity.hex()[:32]}.journal").exists():
            self._agreed.forget(table_id)
            return  # a lobby tells of a start again to whoever comes back
        terms = decode_terms(raw)
        if terms.index_of(self.key) is None:
            self._look_on(table_id, identity, terms, addresses)
            return
        try:
            match = Match.begin(self._reactor, self.mesh, self.directory, self.identity, raw, signatures)
        except StoreError as error:
            if table_id not in self._unbegun:
                reason = f"the match cannot begin here until there is room on the disk: {_cause(error)}"
                self._listener(TableRefused(table_id, "start", reason))
            self._unbegun[table_id] = (raw, signatures)
            return
        origin = self.lobbies.origin_of(table_id)
        if origin is not None:
            self._origins[match.id] = origin
            origin.write(match.files.journal.with_suffix(".lobby"))
        self._unbegun.pop(table_id, None)
        self._agreed.forget(table_id)
        self._run(match, WaysFile.of(match.files.journal), addresses, table_id)

    def _addresses_at(self, table_id: str) -> dict[bytes, tuple[str, ...]]:
        """Where the members of a table may be dialled, of what its keeper or its lobby tells."""
        guest, keeper = self.guests[table_id]
        if guest.view is None:
            return {}
        room = self.lobbies.room_of(table_id)
        if room is not None:
            witness = room.witness
        else:
            witness = ON_THIS_MACHINE if keeper == self.key else Witness(self.mesh.host_of(keeper))
        return {
            member.key: dialable(member.addresses, witness, self._heard_at(member.key)) for member in guest.view.members
        }

    def _heard_at(self, key: bytes) -> tuple[str, ...]:
        return hearable(tuple(self.heard_at(key)), self._is_on_loopback)

    def _run(
        self, match: Match, ways: WaysFile, addresses: Mapping[bytes, Sequence[str]], table_id: str | None
    ) -> None:
        self.matches[match.id] = match
        self._ways_files[match.id] = ways
        ways.claimed.update({key: tuple(found) for key, found in addresses.items()})
        ways.write()
        self._listener(MatchBegun(match.id, table_id))
        match.subscribe(lambda effect: self._on_effect(match, effect))
        match.start()
        for peer in match.session.ledger.terms.peers:
            if peer.key != self.key:
                sure = (*ways.proven.get(peer.key, ()), *self._relay_to(match.id, peer.key))
                self.mesh.want(peer.key, sure, ways.claimed.get(peer.key, ()))
        match.linked(*self._able())  # all at once: nobody needs what is said on the way from none to all

    def _on_effect(self, match: Match, effect: Effect) -> None:
        """What a match means for the node; whoever shows it to people has a subscription of its own."""
        if isinstance(effect, Ended):
            self._listener(MatchEnded(match.id))
        elif isinstance(effect, Completed):
            write_private(match.files.journal.with_suffix(".done"), "")
            origin = self._origins.get(match.id)
            if origin is not None:
                self.lobbies.open_again(origin).finished(origin, match.id, "complete")

    def _look_on(self, table_id: str, match: bytes, terms: Terms, addresses: Mapping[bytes, tuple[str, ...]]) -> None:
        """We are at the table without a seat: watch what has begun there, if that is allowed."""
        if not terms.spectators:
            self._listener(TableRefused(table_id, "start", "the match has begun, and nobody else may watch it"))
            return
        origin = self.lobbies.origin_of(table_id)
        if origin is not None:
            self._origins[match] = origin  # its relay may be the only way
        keys = [peer.key for peer in terms.peers]
        near = [key for key in keys if key in self.mesh.linked]
        peer = near[0] if near else max(keys, key=lambda key: len(addresses.get(key, ())))
        self.watch(match, peer, (*addresses.get(peer, ()), *self._relay_to(match, peer)), table_id)

    def watch(self, match: bytes, peer: bytes, claimed: Sequence[str] = (), table: str = "") -> None:
        """Watch a match through one of its peers, which was met or is said to be at these addresses."""
        self.watching[match] = Spectator(match, peer, table)
        self._listener(WatchBegun(match))
        self.mesh.want_also(peer, claimed)
        self.mesh.send(peer, Spectate(match))

    def unwatch(self, match: bytes) -> None:
        """Watch it no longer."""
        spectator = self.watching.pop(match, None)
        if spectator is not None and spectator.peer in self.mesh.linked:
            self.mesh.send(spectator.peer, Unspectate(match))

    # ---- links

    def _able(self) -> list[bytes]:
        """The linked peers that understand what is said in a match; an older node would take it for nonsense."""
        return [peer for peer in self.mesh.linked if self.mesh.protocol_of(peer) >= PROTOCOL]

    def _is_able(self, peer: bytes) -> bool:
        return self.mesh.protocol_of(peer) >= PROTOCOL

    def peer_linked(self, peer: bytes) -> None:
        """The mesh reached a node."""
        self._listener(PeerChanged(peer, True, ""))
        for ways in self._ways_files.values():
            ways.found(peer, self.mesh.proven(peer))
        if self._is_able(peer):
            self._each_match(lambda match: match.linked(peer))
        for table_id, (_, keeper) in list(self.guests.items()):
            if keeper == peer:
                self.tell_table(table_id, Enter(table_id, self.addresses))
        for spectator in self.watching.values():
            if spectator.peer == peer:
                self.mesh.send(peer, Spectate(spectator.match))
        if peer not in self._known_peers() or peer in self._asked:
            self.mesh.send(peer, Look())

    def peer_lost(self, peer: bytes, reason: str) -> None:
        """The mesh lost a node; it goes on trying if the node is wanted."""
        self._each_match(lambda match: match.lost(peer))
        now = self._reactor.seconds()
        for table in list(self.tables.values()):
            self._table_effects(table.state.id, table.link_lost(peer, now))
        self._listener(PeerChanged(peer, False, reason))

    def _each_match(self, tell: Callable[[Match], None]) -> None:
        """Tell every match of a link; one that fails keeps it from none of the others."""
        for match in list(self.matches.values()):
            try:
                tell(match)
            except Exception:
                _log.failure("{match}: a link could not be taken in", match=match.id.hex()[:8])

    def message_received(self, peer: bytes, message: AnyMessage) -> None:
        """A node said something; RemoteError ends its link."""
        match message:
            case MatchTalk() if not self._is_able(peer):
                pass  # the grid says that this node has to be updated before the match goes on
            case MatchTalk(match=match_id, talk=raw):
                self._serve_finished(peer, match_id)
                if match_id in self.matches:
                    self.matches[match_id].heard(peer, decode_talk(raw))
                elif match_id in self.watching:
                    for answer in self.watching[match_id].heard(peer, decode_talk(raw)):
                        self.mesh.send(peer, MatchTalk(match_id, canonical(answer)))
            case Spectate(match=match_id):
                self._spectate(peer, match_id)
            case Unspectate(match=match_id):
                if match_id in self.matches:
                    self.matches[match_id].spectators.discard(peer)
            case WaysTold(match=match_id, ways=ways):
                index = self.matches[match_id].session.ledger.terms.index_of(peer) if match_id in self.matches else None
                if index is not None:
                    self.ways.setdefault(match_id, WayBook()).heard(index, ways, self._reactor.seconds())
            case Charter(raw=raw, sigs=sigs):
                self._charter(peer, raw, sigs)
            case Look():
                self.mesh.send(peer, Offers(self._offered_to(peer)[:8]))
            case Offers(tables=tables):
                self._asked.discard(peer)
                self._listener(TableOffers(peer, tables))
            case Error(about=about, reason=reason):
                self._error(peer, about, reason)
            case Bye():
                pass
            case _:
                self._table_message(peer, message)

    def offered(self) -> tuple[TableView, ...]:
        """Tables for others: first those where one may sit, then those where one may watch."""
        views = [table.view() for table in self.tables.values()]
        return (*(view for view in views if view.phase == "open"), *(view for view in views if self.is_watchable(view)))

    def _offered_to(self, peer: bytes) -> tuple[TableView, ...]:
        """An older node sees the tables where it could sit, and is told there that it has to be updated."""
        views = self.offered()
        return views if self._is_able(peer) else tuple(for_older(view) for view in views if view.phase == "open")

    def is_watchable(self, view: TableView) -> bool:
        """Whether a match goes on at this table of ours that others may watch."""
        if view.phase != "started" or not view.spectators or view.table not in self.guests:
            return False
        started = self.guests[view.table][0].started
        match = None if started is None else self.matches.get(match_id(started.raw))
        return match is not None and not match.session.ledger.is_over

    def _table_message(self, peer: bytes, message: AnyMessage) -> None:
        table_id = getattr(message, "table", None)
        if table_id in self.guests and self.guests[table_id][1] == peer and peer != self.key:
            self.guest_received(table_id, message)
        elif table_id in self.tables:
            if isinstance(message, Enter):
                seen = as_seen(self.mesh.host_of(peer), _port_of(message.addresses), message.addresses)
                message = Enter(message.table, seen)
            protocol = self.mesh.protocol_of(peer)
            effects = self.tables[table_id].received(peer, message, self._reactor.seconds(), protocol)
            self._table_effects(table_id, effects)
        elif isinstance(table_id, str):
            self.mesh.send(peer, Error("table", "there is no such table here"))
        else:
            raise RemoteError(f"a {type(message).__name__} is not expected here")

    def _error(self, peer: bytes, about: str, reason: str) -> None:
        for table_id, (_, keeper) in list(self.guests.items()):
            if keeper == peer:
                self._listener(TableRefused(table_id, about, reason))
        if about == "spectate" and any(spectator.peer == peer for spectator in self.watching.values()):
            self._listener(TableRefused("", about, reason))

    def _spectate(self, peer: bytes, match_id: bytes) -> None:
        match = self.matches.get(match_id)
        if not self._is_able(peer):
            self.mesh.send(peer, Error("spectate", advice.older_watcher(self.mesh.protocol_of(peer))))
            return
        if match is None or not match.session.ledger.terms.spectators:
            self.mesh.send(peer, Error("spectate", "there is no such match here, or it is played without spectators"))
            return
        match.watch(peer)
        self.mesh.send(peer, Charter(match.session.ledger.terms_raw, match.signatures))

    def _charter(self, peer: bytes, raw: bytes, sigs: tuple[bytes, ...]) -> None:
        for spectator in self.watching.values():
            if spectator.peer == peer:
                for answer in spectator.charter(raw, sigs):
                    self.mesh.send(peer, MatchTalk(spectator.match, canonical(answer)))

    def _known_peers(self) -> set[bytes]:
        players = {p.key for match in self.matches.values() for p in match.session.ledger.terms.peers}
        return players | {keeper for _, keeper in self.guests.values()}

    def _is_known(self, key: bytes) -> bool:
        """Whether the key plays with us, now or before, or sits at a table of ours."""
        if key in self._known_peers() or any(key in peers for _, peers in self._finished.values()):
            return True
        return any(
            seat is not None and seat.peer == key for table in self.tables.values() for seat in table.state.seats
        )

    def _why_not_stranger(self, key: bytes) -> str | None:
        """Strangers may come to look at tables and to watch; the mesh sees to it that they are not too many."""
        if any(key in peers for _, peers in self._finished.values()):
            return None
        open_house = self.tables or any(m.session.ledger.terms.spectators for m in self.matches.values())
        return None if open_house else "this node has no table and no match to show"

    # ---- the relay

    def _relay_to(self, match: bytes, peer: bytes) -> tuple[str, ...]:
        """The lobby lets the smaller key play the TLS server, so the greater one calls."""
        origin = self._origins.get(match)
        return (relay_address(origin.table, peer),) if origin is not None and self.key > peer else ()

    def _endpoint_for(self, reactor: Any, address: str) -> ClientEndpoint:
        if not address.startswith(RELAY_PREFIX):
            return tcp_endpoint(reactor, address)
        table, peer = parse_relay(address)
        room = self.lobbies.room_of(table)
        if room is None:
            raise ConfigError("the lobby of this match is not known any more")
        return RelayEndpoint(reactor, room.address, room.witness, False, lambda: room.ask_relay(table, peer))

    def meet_in_relay(self, room: LobbyRoom, offer: RelayPass) -> None:
        """Another member of a table waits for us in the lobby's relay."""
        if offer.is_server and self.mesh.is_wanted(offer.peer):
            way = RelayEndpoint(self._reactor, room.address, room.witness, True, lambda: succeed(offer))
            self.mesh.accept_over(way)

    def can_relay(self, match: bytes) -> bool:
        """Whether the match began in a lobby, whose relay can help."""
        return match in self._origins

    @property
    def _is_on_loopback(self) -> bool:
        """Whether others can reach this node on this machine only."""
        return bool(self.addresses) and all(is_loopback(address) for address in self.addresses)

    @property
    def now(self) -> float:
        """The reactor's time."""
        return float(self._reactor.seconds())

    @property
    def port(self) -> int:
        """The port under which others call this node; 0 while it does not listen."""
        return parse_address(self.addresses[0])[1] if self.addresses else 0

    def describe(self) -> dict[str, Any]:
        """Who this node is, for clients."""
        return {"fingerprint": fingerprint(self.key), "addresses": list(self.addresses)}


def _port_of(addresses: Sequence[str]) -> int:
    """Where a peer listens, by its own first address."""
    return next((parse_address(address)[1] for address in addresses if why_not_address(address) is None), 0)


def _cause(error: StoreError) -> str:
    """What the system said, without the paths of this machine: others may read it."""
    return str(error).rpartition(": ")[2]
