"""The tables of a node: those it keeps, and those it is at, whoever keeps them.

A node is a *guest* at every table where it may sit, also at its own. What a guest wants goes to the table's keeper,
and there are three ways: to our own `TableKeeper` directly, through the lobby that keeps it, or over the link to the
node that keeps it. What the keeper says comes back to the guest the same way.

When all have signed, the guest hands out terms and signatures, and the match begins. If the disk refuses that, it is
tried again every second: the others have our signature, so the match exists.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from twisted.internet.defer import succeed

from kontor_games.engine.errors import ConfigError, RemoteError, StoreError
from kontor_games.net.links import paths
from kontor_games.net.links.claims import ON_THIS_MACHINE, Witness, as_seen, dialable
from kontor_games.net.links.mesh import Mesh
from kontor_games.net.links.punch_endpoint import Hole, PunchEndpoint
from kontor_games.net.links.relay_endpoint import RelayEndpoint
from kontor_games.net.lobbies.lobbies import Lobbies, LobbyChanged, LobbyTold
from kontor_games.net.lobbies.lobby_room import LobbyRoom
from kontor_games.net.table import guest as g
from kontor_games.net.table import keeper as t
from kontor_games.net.table.catalogue import Installed
from kontor_games.net.table.guest import Guest
from kontor_games.net.table.keeper import TableKeeper
from kontor_games.net.table.table_state import TableState
from kontor_games.net.wire.address import parse_address, why_not_address
from kontor_games.net.wire.chain import match_id
from kontor_games.net.wire.identity import Identity
from kontor_games.net.wire.lobby_messages import (
    Event,
    TableGone,
)
from kontor_games.net.wire.messages import (
    AnyMessage,
    Clauses,
    Enter,
    Error,
    Leave,
    Object,
    OptionValue,
    Recovery,
    TableView,
)
from kontor_games.net.wire.way_messages import (
    PunchPass,
    RelayPass,
)

from .agreed import AgreedBook
from .lookers import Lookers
from .node_matches import NodeMatches
from .node_news import News, OwnTableClosed, TableChanged, TableOffers, TableRefused, TableSigned
from .whereabouts import Whereabouts


class NodeTables:
    """All tables of one node; also who hears of a lobby's rooms."""

    def __init__(
        self,
        reactor: Any,
        home: Path,
        identity: Identity,
        mesh: Mesh,
        where: Whereabouts,
        lobbies: Lobbies,
        matches: NodeMatches,
        announce: Callable[[News], None],
    ) -> None:
        self.kept: dict[str, TableKeeper[TableState]] = {}
        self.guests: dict[str, tuple[Guest, bytes]] = {}  # tables we are at, and who keeps them
        self._reactor = reactor
        self._identity = identity
        self._key = identity.key
        self._mesh = mesh
        self._where = where
        self._lobbies = lobbies
        self._matches = matches
        self._announce = announce
        self._catalogue = Installed()
        self._agreed = AgreedBook(home)
        self._unbegun: dict[str, tuple[bytes, tuple[bytes, ...]]] = {}  # by table: agreed, but the disk refused
        self._hidden: set[str] = set()  # tables of ours that are for those who know them
        self.lookers = Lookers(mesh, self.offered)
        lobbies.owner = self

    # ---- what the person wants

    def host(
        self,
        game: str,
        options: Mapping[str, OptionValue],
        seats: int,
        recovery: Recovery,
        spectators: bool,
        clauses: Clauses | None = None,
        hidden: bool = False,
        kept_for: Sequence[bytes] = (),
    ) -> str:
        """Open a table here; returns its id. ConfigError if it could never be played.

        Nobody is shown a hidden one. `kept_for` names by seat whose it is.
        """
        table_id = secrets.token_hex(4)
        blank = TableState(
            table_id, self._key, game, options, (None,) * seats, recovery, spectators, clauses=clauses,
            kept_for=tuple(kept_for),
        )  # fmt: skip
        if hidden:
            self._hidden.add(table_id)
        self.kept[table_id] = TableKeeper.open(blank, self._catalogue, self.addresses)
        self.guests[table_id] = (self._guest(table_id), self._key)
        self.tell(table_id, Enter(table_id, self.addresses))
        return table_id

    def look(self, keeper: bytes) -> None:
        """Ask another node that was met which tables it keeps; `TableOffers` is the answer."""
        self.lookers.look(keeper)

    def enter(self, keeper: bytes, table_id: str, announced: Sequence[str]) -> None:
        """Go to a table of another node, which was met, or which announced these addresses on the local network."""
        self.guests[table_id] = (self._guest(table_id), keeper)
        self._mesh.want_also(keeper, self._where.hearable(announced))
        self.tell(table_id, Enter(table_id, self.addresses))

    def leave(self, table_id: str) -> None:
        """Go away from a table."""
        self.tell(table_id, Leave(table_id))
        self.table_gone(table_id)

    def close(self, table_id: str, reason: str) -> None:
        """Close a table of ours at which nothing has begun; its members are told why."""
        self._table_effects(table_id, self.kept[table_id].close(reason))

    def ready(self, table_id: str, sight: str | None = None) -> None:
        """Agree to the table as shown; `sight` names what the person looked at."""
        self._guest_effects(table_id, self.guests[table_id][0].ready(os.urandom(16), sight))

    def unready(self, table_id: str) -> None:
        """Take the agreement back."""
        self._guest_effects(table_id, self.guests[table_id][0].unready())

    def tell(self, table_id: str, message: AnyMessage) -> None:
        """Say something to the keeper of a table we are at."""
        if table_id not in self.guests:
            raise ConfigError(f"this node is not at a table {table_id}")
        keeper = self.guests[table_id][1]
        room = self._lobbies.room_of(table_id)
        if keeper == self._key:
            self._table_effects(table_id, self.kept[table_id].received(self._key, message, self._reactor.seconds()))
        elif room is not None:
            room.tell_table(table_id, message)
        else:
            self._mesh.send(keeper, message)

    # ---- the tables kept here

    def offered(self) -> tuple[TableView, ...]:
        """Tables for others: first those where one may sit, then those where one may watch."""
        views = [table.view() for table in self.kept.values() if table.state.id not in self._hidden]
        return (
            *(view for view in views if view.phase == "open"),
            *(view for view in views if self._is_watchable(view)),
        )

    def _is_watchable(self, view: TableView) -> bool:
        """Whether a match goes on at this table of ours that others may watch."""
        if view.phase != "started" or not view.spectators or view.table not in self.guests:
            return False
        started = self.guests[view.table][0].started
        return started is not None and self._matches.is_going_on(match_id(started.raw))

    def offers_received(self, peer: bytes, views: tuple[TableView, ...]) -> None:
        """A node shows us its tables."""
        self.lookers.asked.discard(peer)
        self._announce(TableOffers(peer, views))

    def is_seated(self, key: bytes) -> bool:
        """Whether the key sits at a table of ours."""
        return any(seat is not None and seat.peer == key for table in self.kept.values() for seat in table.state.seats)

    def _table_effects(self, table_id: str, effects: Sequence[t.Effect]) -> None:
        for effect in effects:
            match effect:
                case t.Tell(peer=peer, message=message):
                    if peer == self._key:
                        self.guest_received(table_id, message)
                    else:
                        self._mesh.send(peer, message)
                case t.TableClosed():
                    self._hidden.discard(table_id)
                    self.kept.pop(table_id, None)
                    self.guests.pop(table_id, None)
                    self._announce(OwnTableClosed(table_id))
                case _:
                    pass  # the members, we among them, get the start as a message

    def tick(self, now: float) -> None:
        """Time passes."""
        for table in list(self.kept.values()):
            self._table_effects(table.state.id, table.tick(now))
        for table_id, (raw, signatures) in list(self._unbegun.items()):
            self._begin(table_id, raw, signatures)
        self.lookers.show_again()

    # ---- links

    @property
    def keepers(self) -> set[bytes]:
        """Who keeps the tables we are at."""
        return {keeper for _, keeper in self.guests.values()}

    def owes(self, peer: bytes) -> bool:
        """Whether we are at a table of this peer of which more is to come, or wait for what it has to show."""
        at = (table for table, (_, keeper) in self.guests.items() if keeper == peer)
        return peer in self.lookers.asked or any(not self.is_over(table) for table in at)

    def is_over(self, table_id: str) -> bool:
        """Whether the match of a table that we are at is over."""
        started = self.guests[table_id][0].started if table_id in self.guests else None
        return started is not None and self._matches.is_over(match_id(started.raw))

    def linked(self, peer: bytes) -> None:
        """A peer is reached: come back to the tables that it keeps."""
        for table_id, (_, keeper) in list(self.guests.items()):
            if keeper == peer:
                self.tell(table_id, Enter(table_id, self.addresses))

    def lost(self, peer: bytes) -> None:
        """A peer is not reached now."""
        now = self._reactor.seconds()
        for table in list(self.kept.values()):
            self._table_effects(table.state.id, table.link_lost(peer, now))

    def received(self, peer: bytes, message: AnyMessage) -> None:
        """A node said something about a table; RemoteError ends its link."""
        table_id = getattr(message, "table", None)
        if table_id in self.guests and self.guests[table_id][1] == peer and peer != self._key:
            self.guest_received(table_id, message)
        elif table_id in self.kept:
            if isinstance(message, Enter):
                seen = as_seen(_host_of(self._mesh, peer), _port_of(message.addresses), message.addresses)
                message = Enter(message.table, seen)
            protocol = self._mesh.protocol_of(peer)
            effects = self.kept[table_id].received(peer, message, self._reactor.seconds(), protocol)
            self._table_effects(table_id, effects)
        elif isinstance(table_id, str):
            self._mesh.send(peer, Error("table", "there is no such table here"))
        else:
            raise RemoteError(f"a {type(message).__name__} is not expected here")

    def error_received(self, peer: bytes, about: str, reason: str) -> None:
        """A node refused something; if it keeps tables we are at, people there should know."""
        for table_id, (_, keeper) in list(self.guests.items()):
            if keeper == peer:
                self.refused(table_id, about, reason)

    # ---- what lobbies tell

    @property
    def addresses(self) -> tuple[str, ...]:
        """Where this node can be reached."""
        return self._where.addresses

    def lobby_changed(self, room: LobbyRoom, is_up: bool, reason: str, retry: bool) -> None:
        """A lobby was reached or lost."""
        self._announce(LobbyChanged(room.address, is_up, reason, retry))

    def lobby_event(self, room: LobbyRoom, event: Event) -> None:
        """A lobby said something that is not for a table's guest."""
        self._announce(LobbyTold(room.address, event))
        if isinstance(event, TableGone):
            self.refused(event.table, "gone", event.reason)

    def meet(self, room: LobbyRoom, offer: RelayPass | PunchPass) -> None:
        """Another member of a table waits for us in the lobby's relay, or looks for a hole; we are the TLS server."""
        if isinstance(offer, RelayPass):
            if offer.is_server:
                relay = RelayEndpoint(self._reactor, room.at, room.witness, True, lambda: succeed(offer))
                self._mesh.accept_over(relay, offer.peer, paths.Path.RELAY)
        elif self._where.can_punch and self._identity.key > offer.peer:  # through a hole the smaller key is the client
            hole = Hole(self._reactor, room.at, room.witness, offer.peer, False, self._where.holes)
            self._mesh.accept_over(PunchEndpoint(hole, lambda: succeed(offer)), offer.peer, paths.Path.PUNCHED)

    def new_guest(self, table: str, keeper: bytes) -> Guest:
        """We are at a table of this keeper; after a match has begun there the old guest stays what it is."""
        if table not in self.guests:
            self.guests[table] = (self._guest(table), keeper)
        return self.guests[table][0]

    def table_gone(self, table: str) -> None:
        """We are no longer at this table."""
        self.guests.pop(table, None)

    def refused(self, table: str, about: str, reason: str) -> None:
        """A keeper refused something."""
        self._announce(TableRefused(table, about, reason))

    # ---- the guests

    def _guest(self, table_id: str) -> Guest:
        return Guest(table_id, self._identity, self._catalogue, self._agreed.match_of(table_id))

    def guest_received(self, table_id: str, message: AnyMessage) -> None:
        """The keeper of a table we are at said something."""
        found = self.guests.get(table_id)
        if found is not None:
            self._guest_effects(table_id, found[0].received(message))

    def _guest_effects(self, table_id: str, effects: Sequence[g.Effect]) -> None:
        for effect in effects:
            match effect:
                case g.TellKeeper(message=message):
                    self.tell(table_id, message)
                case g.TableShown(view=view):
                    self._announce(TableChanged(table_id, view))
                    if view.phase == "closed":
                        self.table_gone(table_id)
                        self.refused(table_id, "gone", view.notice)
                case g.Signing(match=match):
                    if not self._noted(table_id, match):
                        return  # the signature stays here
                    self._announce(TableSigned(table_id, match))
                case g.Voided():
                    self._agreed.forget(table_id)
                case g.KeeperRefused(about=about, reason=reason):
                    self.refused(table_id, about, reason)
                case t.Started(raw=raw, signatures=signatures):
                    self._begin(table_id, raw, signatures)

    def _noted(self, table_id: str, match: bytes) -> bool:
        """Whether it is on the disk that we sign this match at this table; else we say that we cannot."""
        try:
            self._agreed.note(table_id, match)
        except StoreError as error:
            reason = f"the signature could not be noted on the disk: {_cause(error)}"
            self.tell(table_id, Object(table_id, match, reason[:300]))
            self.refused(table_id, "terms", reason)
            return False
        return True

    def _begin(self, table_id: str, raw: bytes, signatures: tuple[bytes, ...]) -> None:
        addresses = self._addresses_at(table_id)
        try:
            match = self._matches.begin(table_id, raw, signatures, addresses)
        except StoreError as error:
            if table_id not in self._unbegun:
                reason = f"the match cannot begin here until there is room on the disk: {_cause(error)}"
                self.refused(table_id, "start", reason)
            self._unbegun[table_id] = (raw, signatures)
            return
        self._unbegun.pop(table_id, None)
        self._agreed.forget(table_id)
        if match is not None:
            self._matches.run(match, table_id, addresses)

    def _addresses_at(self, table_id: str) -> dict[bytes, tuple[str, ...]]:
        """Where the members of a table may be dialled, of what its keeper or its lobby tells."""
        guest, keeper = self.guests[table_id]
        if guest.view is None:
            return {}
        room = self._lobbies.room_of(table_id)
        if room is not None:
            witness = room.witness
        else:
            witness = ON_THIS_MACHINE if keeper == self._key else Witness(_host_of(self._mesh, keeper))
        return _dialable(guest.view, witness, self._where)


def tell_addresses(tables: NodeTables, key: bytes) -> None:
    """Others can call us elsewhere now, as at a port that the router has opened: tell those at our tables."""
    for table_id, (_, keeper) in list(tables.guests.items()):
        if keeper != key or table_id in tables.kept:
            tables.tell(table_id, Enter(table_id, tables.addresses))


def told_by(mesh: Mesh, where: Whereabouts, keeper: bytes, views: Sequence[TableView]) -> dict[bytes, tuple[str, ...]]:
    """Where the members of another node's tables may be dialled, of what that node tells."""
    witness = Witness(_host_of(mesh, keeper))
    return {key: ways for view in views for key, ways in _dialable(view, witness, where).items()}


def _dialable(view: TableView, witness: Witness, where: Whereabouts) -> dict[bytes, tuple[str, ...]]:
    return {member.key: dialable(member.addresses, witness, where.heard_at(member.key)) for member in view.members}


def _host_of(mesh: Mesh, peer: bytes) -> str:
    """The IP address at which a linked peer is; empty if it is not linked, or through a relay."""
    link = mesh.link_to(peer)
    return "" if link is None else link.host


def _port_of(addresses: Sequence[str]) -> int:
    """Where a peer listens, by its own first address."""
    return next((parse_address(address)[1] for address in addresses if why_not_address(address) is None), 0)


def _cause(error: StoreError) -> str:
    """What the system said, without the paths of this machine: others may read it."""
    return str(error).rpartition(": ")[2]
