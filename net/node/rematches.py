"""Playing a match again: tables are opened, told to the old peers, found and left, as the book of rematches says.

Where the new table is kept depends on where the match began: at a table of a lobby, the same lobby keeps the new one,
because its relay may be the only way between the peers; otherwise the node that proposes keeps it. Such a table is not
offered to others. Everybody takes the seats that follow from the old terms, and agrees at the table as always.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred, succeed
from twisted.logger import Logger

from kontor_games.engine.errors import ConfigError, RemoteError
from kontor_games.net.links.link import REMATCH
from kontor_games.net.links.mesh import Mesh
from kontor_games.net.lobbies.lobbies import Lobbies
from kontor_games.net.system.steady import logged
from kontor_games.net.table.rematch_book import RematchBook, RematchProposal, rotated
from kontor_games.net.wire.messages import Rematch, Sit
from kontor_games.net.wire.terms import Terms

from .node_matches import NodeMatches
from .node_news import News, RematchOffered
from .node_tables import NodeTables

_log = Logger(namespace="kontor.node")
EXPIRED = "nobody else came for the rematch within ten minutes"


class Rematches:
    """The rematches of one node; calls come from the reactor thread."""

    def __init__(
        self,
        reactor: Any,
        key: bytes,
        mesh: Mesh,
        matches: NodeMatches,
        tables: NodeTables,
        lobbies: Lobbies,
        announce: Callable[[News], None],
    ) -> None:
        self._reactor = reactor
        self._key = key
        self._mesh = mesh
        self._matches = matches
        self._tables = tables
        self._lobbies = lobbies
        self._announce = announce
        self._book = RematchBook(key)

    # ---- what the person wants

    def want(self, match: bytes) -> Deferred[str]:
        """Play a match again: at the table that somebody has proposed, else at a new one; fires with its id."""
        terms = self._terms(match)
        if terms is None:
            raise ConfigError("this match was not played since this node was started: open a new table")
        best = self._book.best(match, self._now())
        if best is None:
            return self._open(match, terms)
        return succeed(best.table) if best.table in self._tables.guests else self._go(match, terms, best)

    def shown(self, match: bytes) -> tuple[RematchProposal, float] | None:
        """The table at which a match would be played again and the seconds left, None if nobody has proposed one."""
        best = self._book.best(match, self._now())
        return None if best is None else (best, best.until - self._now())

    def match_of(self, table: str) -> bytes | None:
        """The old match that is played again at this table, None for any other table."""
        return self._book.match_of(table)

    # ---- what happens

    def received(self, peer: bytes, message: Rematch) -> None:
        """A node proposes a rematch; RemoteError ends the link of one that did not play the match."""
        terms = self._terms(message.match)
        if terms is None:
            return  # it was played before our last start, or its files are gone: nobody here can answer
        if terms.index_of(peer) is None:
            raise RemoteError("a stranger proposes a rematch")
        self._book.proposed(message.match, peer, message.table, message.lobby, self._now())
        self._follow(message.match, terms)
        self._announce(RematchOffered(message.match))

    def linked(self, peer: bytes) -> None:
        """A peer is reached: it may not have heard what this node has proposed."""
        for match, mine in self._book.own(self._now()):
            terms = self._terms(match)
            if terms is not None and terms.index_of(peer) is not None:
                self._tell(peer, match, mine)

    def owes(self, peer: bytes) -> bool:
        """Whether this node has proposed a rematch of which the peer may not have heard."""
        terms = (self._terms(match) for match, _ in self._book.own(self._now()))
        return any(found is not None and found.index_of(peer) is not None for found in terms)

    def tick(self, now: float) -> None:
        """Time passes: a table at which nothing has begun is closed."""
        for mine in self._book.expired(now):
            if mine.table in self._tables.kept:
                self._tables.close(mine.table, EXPIRED)
            elif self._is_open(mine.table):
                self._tables.leave(mine.table)

    # ---- how

    def _open(self, match: bytes, terms: Terms) -> Deferred[str]:
        origin = self._matches.origin_of(match)
        count, clauses = len(terms.seats), terms.clauses
        if origin is None:
            hidden = self._tables.host(
                terms.game, terms.options, count, terms.recovery, terms.spectators, clauses, hidden=True
            )
            return succeed(self._opened(match, terms, hidden, is_in_lobby=False))
        room = self._lobbies.open_again(origin)
        made = room.make_table(
            terms.game, terms.options, count, terms.recovery, terms.spectators, "unlisted", clauses=clauses
        )
        return made.addCallback(lambda table: self._opened(match, terms, table, is_in_lobby=True))

    def _opened(self, match: bytes, terms: Terms, table: str, is_in_lobby: bool) -> str:
        mine = self._book.proposed(match, self._key, table, is_in_lobby, self._now())
        self._book.went(match, mine)
        self._sit(terms, table)
        for peer in terms.peers:
            self._tell(peer.key, match, mine)
        self._follow(match, terms)  # a lower key may have proposed while the lobby made our table
        self._announce(RematchOffered(match))
        return table

    def _tell(self, peer: bytes, match: bytes, mine: RematchProposal) -> None:
        link = self._mesh.link_to(peer)
        if link is not None and REMATCH in link.features:
            self._mesh.send(peer, Rematch(match, mine.table, mine.is_in_lobby))

    def _follow(self, match: bytes, terms: Terms) -> None:
        """Move to the table where all are going, unless our match there has begun or our person went away."""
        move = self._book.move(match, self._now())
        if move is None or not self._is_open(move[0].table):
            return
        self._tables.leave(move[0].table)
        logged(self._go(match, terms, move[1]), _log, "the way to another table")

    def _is_open(self, table: str) -> bool:
        """Whether this node is at that table and nothing has begun there."""
        guest = self._tables.guests.get(table)
        return guest is not None and guest[0].started is None

    def _go(self, match: bytes, terms: Terms, proposal: RematchProposal) -> Deferred[str]:
        self._book.went(match, proposal)
        if not proposal.is_in_lobby:
            self._tables.enter(proposal.peer, proposal.table, ())
            self._sit(terms, proposal.table)
            return succeed(proposal.table)
        origin = self._matches.origin_of(match)
        if origin is None:
            raise ConfigError("the lobby of this match is not known here")

        def entered(table: str) -> str:
            self._sit(terms, table)
            return table

        return self._lobbies.open_again(origin).enter(proposal.table).addCallback(entered)

    def _sit(self, terms: Terms, table: str) -> None:
        for seat in rotated(terms, self._key):
            self._tables.tell(table, Sit(table, seat.seat, seat.name, seat.kind, seat.is_guest))

    def _terms(self, match: bytes) -> Terms | None:
        found = self._matches.played.get(match)
        return None if found is None else found.session.ledger.terms

    def _now(self) -> float:
        return float(self._reactor.seconds())
