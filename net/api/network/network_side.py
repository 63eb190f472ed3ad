"""The node's network side for clients: opened on first need, its news turned into events and matches.

The node announces what concerns tables, links and lobbies (`_news`), and that a match has begun. From then on the match
has a subscriber of its own, the `ShownNetMatch`, and nothing that happens in it comes through here. A match that is
only watched is shown with the first piece that arrives of it.

Many requests wait for another machine: for the view of a table, the tables of a node, a match to watch. Each of them is
a Deferred that is kept under what it waits for, and fails after `MEET_SECONDS`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final, NoReturn, TypeVar

import msgspec
from twisted.internet.defer import Deferred, succeed
from twisted.logger import Logger
from twisted.python.failure import Failure

from kontor_games.engine.errors import ConfigError
from kontor_games.net.api.matches.hub import Hub
from kontor_games.net.api.matches.player_settings import SettingsFile
from kontor_games.net.api.matches.shown import PERSON
from kontor_games.net.ledger.ledger import names_of
from kontor_games.net.lobbies.lobbies import LobbyChanged, LobbyTold
from kontor_games.net.lockstep.effects import Effect
from kontor_games.net.lockstep.spectator import Spectator
from kontor_games.net.node.home import Home
from kontor_games.net.node.lan_board import LanBoard
from kontor_games.net.node.node import Node
from kontor_games.net.node.node_news import (
    MatchBegun,
    MatchEnded,
    News,
    OwnTableClosed,
    PeerChanged,
    RematchOffered,
    TableChanged,
    TableOffers,
    TableRefused,
    TableSigned,
    TableTalked,
    WatchBegun,
    WatchMoved,
)
from kontor_games.net.node.node_tables import told_by
from kontor_games.net.record.match_files import match_name, network_matches
from kontor_games.net.system.steady import Steady, logged
from kontor_games.net.wire.identity import Identity, fingerprint, six_words
from kontor_games.net.wire.lan_offer import Announcement
from kontor_games.net.wire.messages import HUMAN, TableView

from .lobby_side import LobbySide
from .people_side import PeopleSide
from .shown_net import ShownNetMatch
from .table_data import line_data, mark_hosts, offer_data, table_data

MEET_SECONDS: Final = 20
T = TypeVar("T")
_log = Logger(namespace="kontor.api")


class Network:
    """Tables and matches among peers."""

    def __init__(self, hub: Hub, home: Home, identity: Identity, settings: SettingsFile) -> None:
        self.node: Node | None = None
        self.met: dict[bytes, tuple[str, tuple[TableView, ...]]] = {}  # nodes we called: where, and their tables
        self.refusal: str | None = None  # the last one of a table's keeper
        self.matches_of: dict[str, str] = {}  # tables that became matches
        self.begun_here: dict[str, TableView] = {}  # those of them whose match is on this machine alone
        self._hub = hub
        self._home = home
        self._identity = identity
        self._bind = hub.setup.bind
        self._port = hub.setup.port
        self._wants_lan = hub.setup.lan
        self._settings = settings
        self.on_begun: Callable[[str, str], None] = lambda table, match: None  # a table has become a match
        self.lobby = LobbySide(hub.reactor, hub.feed, settings, self.open)
        self.people = PeopleSide(hub.feed, home.directory, self.lobby)
        self.lan: LanBoard | None = None  # None while the network is not open, and where the local one is not wanted
        self._lan_since = 0.0
        self._opening: Deferred[Node] | None = None
        self._clock = Steady(hub.reactor, 1.0, self._look_around, _log, "the look at the links")
        self._waiting: list[Deferred[Node]] = []
        self._words: dict[str, list[str]] = {}  # of the terms that were signed at a table
        self._for_views: dict[str, list[Deferred[None]]] = {}
        self._for_offers: dict[bytes, list[Deferred[None]]] = {}
        self._for_matches: dict[bytes, list[Deferred[None]]] = {}  # that we want to watch

    # ---- life

    def start(self) -> None:
        """Matches from before the restart need the network at once: to go on, or to be handed in to a ladder."""
        if any(not files.is_done or files.handing_in.exists() for files in network_matches(self._hub.directory)):
            self.open().addErrback(lambda failure: _log.warn("{error}", error=failure.getErrorMessage()))

    def open(self) -> Deferred[Node]:
        """The node, listening; nobody can reach this machine before somebody here wants to play."""
        if self.node is not None and self._opening is None:
            return succeed(self.node)
        waiting: Deferred[Node] = Deferred()
        self._waiting.append(waiting)
        if self._opening is None:
            setup = self._hub.setup
            self._opening = self._home.open_node(
                self._hub.reactor, self._identity, self._news, self._bind, self._port, setup.mapping, setup.punching
            )
            self._opening.addCallbacks(self._opened, self._failed)
        return waiting

    def _opened(self, node: Node) -> None:
        self.node, self._opening = node, None
        node.start()
        self._clock.start()
        if self._wants_lan:
            self.lan = LanBoard(self._hub.reactor, node, self._bind, lambda: self._hub.feed.add("tables"))
            self._lan_since = self._hub.reactor.seconds()
            logged(self.lan.start().addCallback(self._lan_started), _log, "the start on the local network")
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            each.callback(node)

    def _failed(self, failure: Failure) -> None:
        self._opening = None
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            each.errback(failure)

    def _lan_started(self, _: object) -> None:
        assert self.lan is not None
        if self.lan.why_not is not None:
            self._hub.feed.add("notice", text="Tables on the local network cannot be looked for.")

    def stop(self) -> Deferred[Any]:
        """End all links; matches can be taken up again."""
        self._clock.stop()
        gone: Deferred[Any] = succeed(None) if self.lan is None else self.lan.stop()
        if self.node is not None:
            node = self.node
            gone.addBoth(lambda _: node.stop())
        return gone

    @property
    def called(self) -> str:
        """What the owner of this node is called."""
        return self._settings.called

    @property
    def key(self) -> bytes:
        return self._identity.key

    # ---- what the node tells

    def _news(self, news: News) -> None:
        feed = self._hub.feed
        match news:
            case TableChanged(table=table, view=view):
                self._tell_lan()
                feed.add("table", id=table, table=self.table(view))
                for waiting in self._for_views.pop(table, []):
                    waiting.callback(None)
            case TableRefused(table=table, about=about, reason=reason):
                self.refusal = reason
                if about == "spectate":
                    self._not_watched(reason)
                feed.add("notice", id=table, about=about, text=reason)
            case TableSigned(table=table, match=match_id):
                self._words[table] = six_words(match_id).split(" ")
                feed.add("table", id=table, signed=match_name(match_id), words=self._words[table])
            case TableTalked(line=line):
                feed.add("chat", id=line.table, line=line_data(self._node_now(), line))
            case WatchMoved(match=match_id, peer=peer):
                if isinstance(watched := self._hub.matches.get(match_name(match_id)), ShownNetMatch):
                    feed.add("notice", id=watched.id, about="watch", text=_watched_through(watched, peer))
            case TableOffers(keeper=keeper, views=views):
                self._offered(keeper, views)
            case OwnTableClosed():
                self._tell_lan()
                feed.add("tables")
            case MatchBegun(match=match_id, table=table):
                self._begun(match_id, table)
            case WatchBegun(match=match_id):
                self._watch_begun(match_id)
            case MatchEnded():
                self._tell_lan()
                feed.add("tables")
            case RematchOffered(match=match_id):
                if (shown := self._hub.matches.get(match_name(match_id))) is not None:
                    self._hub.match_changed(shown)
            case PeerChanged(peer=peer):
                self._look_around()
                if peer in self.met:
                    feed.add("tables")
            case LobbyChanged() | LobbyTold():
                self.lobby.on_news(news)
                self.people.on_news(news)

    def _look_around(self) -> None:
        """Who is missing; others may tell us of it without a word to the node, so time asks too."""
        for shown in self.matches():
            shown.links_changed()

    def _begun(self, match_id: bytes, table: str | None) -> None:
        assert self.node is not None or self._opening is not None
        node = self._node_now()
        match = node.matches.played[match_id]
        shown = ShownNetMatch(match.session.ledger, match, node, self._hub.match_changed, self._hub.line_said)
        self._hub.add(shown)
        match.subscribe(shown.on_effect)
        if table is not None:
            self._started(table, shown.id)
        self._later(shown.play_again)
        self._later(shown.links_changed)

    def _started(self, table: str, match: str) -> None:
        self.matches_of[table] = match
        self.on_begun(table, match)
        self._hub.feed.add("table", id=table, started=match)
        self._tell_lan()

    def start_here(self, view: TableView) -> bool:
        """Begin the match of a table of ours if nobody from another machine sits there: it needs no peers.

        False if somebody does. Whoever else is at the table is told that it closes.
        """
        node = self._node_now()
        seats = [seat for seat in view.seats if seat is not None]
        if view.table not in node.tables.kept or len(seats) < len(view.seats) or {s.peer for s in seats} != {self.key}:
            return False
        people = [(seat.name, PERSON if seat.kind == HUMAN else seat.kind) for seat in seats]
        shown = self._hub.new_local(view.game, dict(view.options), people, os.urandom(32))
        self.begun_here[view.table] = msgspec.structs.replace(view, phase="started")
        self._started(view.table, shown.id)
        node.tables.table_gone(view.table)  # we are not to be told that our own table closes
        node.tables.close(view.table, "the host plays with people at one machine alone")
        return True

    def _watch_begun(self, match_id: bytes) -> None:
        """A match we watch shows itself with its first piece."""
        spectator = self._node_now().matches.watching.spectator(match_id)

        def on_effect(effect: Effect) -> None:
            shown = self._hub.matches.get(match_name(match_id)) or self._watched(spectator)
            if isinstance(shown, ShownNetMatch):
                shown.on_effect(effect)

        spectator.subscribe(on_effect)

    def _watched(self, spectator: Spectator) -> ShownNetMatch:
        assert spectator.ledger is not None, "effects come from it"
        shown = ShownNetMatch(spectator.ledger, None, None, self._hub.match_changed, self._hub.line_said)
        self._hub.add(shown)
        if spectator.table:
            self.matches_of[spectator.table] = shown.id
            self._hub.feed.add("table", id=spectator.table, started=shown.id)
        for waiting in self._for_matches.pop(spectator.match, []):
            waiting.callback(None)
        return shown

    def watch(self, match_id: bytes, peer: bytes) -> Deferred[None]:
        """Watch a match through one of its peers, which was met; fires once it is shown."""
        node = self._node_now()
        node.matches.watching.watch(match_id, peer, told_by(node.mesh, node.where, peer, self.met[peer][1]))
        if match_name(match_id) in self._hub.matches:
            return succeed(None)
        waiting: Deferred[None] = Deferred()
        self._for_matches.setdefault(match_id, []).append(waiting)
        return self._in_time(waiting, "the node")

    def unwatch(self, shown: ShownNetMatch) -> None:
        """Look away, and leave the table where we heard of it."""
        self._node_now().matches.watching.unwatch(shown.ledger.match)
        for table in [table for table, match in self.matches_of.items() if match == shown.id]:
            del self.matches_of[table]
            self.leave(table)
        self._hub.forget(shown)

    def leave(self, table_id: str) -> None:
        """Go away from a table."""
        node = self._node_now()
        if table_id in node.tables.guests:
            node.tables.leave(table_id)
            self._hub.feed.add("tables")

    def _not_watched(self, reason: str) -> None:
        """A node does not say which match it refuses, so nobody waits for one any longer."""
        waiting, self._for_matches = self._for_matches, {}
        for each in (each for several in waiting.values() for each in several):
            each.errback(ConfigError(reason))

    def _offered(self, keeper: bytes, views: tuple[TableView, ...]) -> None:
        address = self.met.get(keeper, ("", ()))[0]
        self.met[keeper] = (address, views)
        for waiting in self._for_offers.pop(keeper, []):
            waiting.callback(None)
        self._hub.feed.add("tables")

    def _node_now(self) -> Node:
        """The node, which tells of its matches while it is being opened."""
        assert self.node is not None, "the node tells nothing before it is started"
        return self.node

    def _later(self, job: Callable[[], None]) -> None:
        self._hub.reactor.callLater(0, job)

    def matches(self) -> list[ShownNetMatch]:
        """All matches among peers."""
        return [shown for shown in self._hub.matches.values() if isinstance(shown, ShownNetMatch)]

    # ---- tables

    def table(self, view: TableView) -> dict[str, Any]:
        """A table as clients see it."""
        assert self.node is not None
        data = table_data(self.node, view, "lan", self._hub.wording)
        data["words"] = self._words.get(view.table)
        data["match"] = self.matches_of.get(view.table)
        old = self.node.rematches.match_of(view.table)
        data["rematch_of"] = None if old is None else match_name(old)
        data.update(self.lobby.about(view.table) or {})
        if data["where"] == "lobby":
            marks = self.lobby.marks_at(view.table)
            data["seats"] = [{**seat, "mark": marks.get(seat["peer"], "")} for seat in data["seats"]]
        else:
            data["chat"] = [line_data(self.node, line) for line in self.node.talk.lines(view.table)]
        if view.host == self.key and data["where"] == "lan":
            data["addresses"] = list(self.node.where.addresses)  # for people to pass on, with the fingerprint
        return data

    def tables(self) -> list[dict[str, Any]]:
        """Every table that is known: those we are at, those of nodes we called, those on the local network."""
        if self.node is None:
            return []
        views = {
            guest.view.table: guest.view for guest, _ in self.node.tables.guests.values() if guest.view is not None
        }
        for keeper, (_, theirs) in self.met.items():
            if keeper in self.node.mesh.linked:  # nobody knows what became of the others' tables
                views = {**{view.table: view for view in theirs}, **views}
        is_over = self.node.tables.is_over
        rows = [self.table(view) for view in views.values() if view.phase != "closed" and not is_over(view.table)]
        rows += [offer_data(offer) for offer in self._offers() if offer.table not in views]
        return mark_hosts(rows, (fingerprint(self.key), self._settings.called))

    def shown(self, table_id: str) -> Deferred[dict[str, Any]]:
        """Fires with the table once its keeper has shown it."""
        assert self.node is not None
        view = self.node.tables.guests[table_id][0].view
        if view is not None:
            return succeed(self.table(view))
        waiting: Deferred[None] = Deferred()
        self._for_views.setdefault(table_id, []).append(waiting)
        return self._in_time(waiting, "the table").addCallback(lambda _: self._now_shown(table_id))

    def _now_shown(self, table_id: str) -> dict[str, Any]:
        assert self.node is not None
        view = self.node.tables.guests[table_id][0].view
        assert view is not None
        return self.table(view)

    def _in_time(self, waiting: Deferred[T], who: str) -> Deferred[T]:
        def late(_: object, __: float) -> NoReturn:
            raise ConfigError(f"{who} does not answer")

        return waiting.addTimeout(MEET_SECONDS, self._hub.reactor, late)

    def meet(self, address: str, mark: str | None) -> Deferred[bytes]:
        """ApiCall a node; fires with its key once its tables are known."""

        def met(key: bytes) -> Deferred[bytes]:
            node = self._node_now()
            self.met[key] = (address, self.met.get(key, ("", ()))[1])
            node.tables.look(key)
            offered: Deferred[None] = Deferred()
            self._for_offers.setdefault(key, []).append(offered)
            return self._in_time(offered, "the node").addCallback(lambda _: key)

        def call(node: Node) -> Deferred[bytes]:
            return self._in_time(node.mesh.meet(address, mark), "the node").addCallback(met)

        return self.open().addCallback(call)

    def keeper_of(self, table_id: str) -> tuple[bytes, tuple[str, ...]]:
        """Who keeps a table that is known, and where to reach that node."""
        for key, (address, views) in self.met.items():
            if any(view.table == table_id for view in views):
                return key, (address,) if address else ()
        for offer in self._offers():
            if offer.table == table_id:
                return offer.key, offer.addresses
        raise ConfigError("there is no such table; look for tables again")

    # ---- the local network

    def _offers(self) -> list[Announcement]:
        return [] if self.lan is None else list(self.lan.offers.values())

    def listening(self) -> dict[str, Any]:
        """For how long tables on the local network have been looked for, and what is in the way."""
        if self.lan is None:
            trouble = "" if self._wants_lan else "this node does not look at the local network (--no-lan)"
            return {"seconds": 0, "trouble": trouble}
        seconds = 0 if self.lan.why_not else int(self._hub.reactor.seconds() - self._lan_since)
        return {"seconds": seconds, "trouble": self.lan.why_not or ""}

    def _tell_lan(self) -> None:
        if self.lan is not None:
            self.lan.tables_changed()


def _watched_through(shown: ShownNetMatch, peer: bytes) -> str:
    """What people are told when the peer that showed them a match has vanished."""
    index = shown.ledger.terms.index_of(peer)
    who = "another player" if index is None else names_of(shown.ledger, index)
    return f"The computer that showed this match is not reached; it is watched through {who} from now on"
