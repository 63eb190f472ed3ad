"""What is said at the tables of one node, those it keeps and those it is at: an adapter for table_talk.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kontor_games.engine.errors import ConfigError
from kontor_games.net.links.link import TALK
from kontor_games.net.links.mesh import Mesh
from kontor_games.net.table.table_talk import HeardTalk, KeptTalk
from kontor_games.net.wire.messages import Error, TableSaid, TableSay
from kontor_games.net.wire.text import why_not_chat

from .node_news import News, TableTalked
from .node_tables import NodeTables

OLDER = "the host runs an older Kontor, in which people can talk once the match has begun"


class NodeTalk:
    """The talk at all tables of one node; calls come from the reactor thread."""

    def __init__(
        self, reactor: Any, key: bytes, mesh: Mesh, tables: NodeTables, announce: Callable[[News], None]
    ) -> None:
        self._reactor = reactor
        self._key = key
        self._mesh = mesh
        self._tables = tables
        self._announce = announce
        self._kept: dict[str, KeptTalk] = {}
        self._heard: dict[str, HeardTalk] = {}

    def say(self, table: str, name: str, text: str) -> None:
        """Say a line to all at a table; ConfigError if that is not possible."""
        keeper = self._tables.guests[table][1]
        message = TableSay(table, name, text)
        if reason := why_not_chat(text):
            raise ConfigError(reason)
        if keeper == self._key:
            if reason := self._pass_on(keeper, message):
                raise ConfigError(reason)
        elif not self._understands(keeper):
            raise ConfigError(OLDER if self._mesh.link_to(keeper) else "the host of the table is not reached now")
        else:
            self._mesh.send(keeper, message)

    def lines(self, table: str) -> tuple[TableSaid, ...]:
        """What was said at a table we are at, the newest last."""
        return self._heard[table].lines if table in self._heard else ()

    def received(self, peer: bytes, message: TableSay | TableSaid) -> None:
        """A node spoke at a table, or passes on what was said there."""
        if isinstance(message, TableSay):
            if reason := self._pass_on(peer, message):
                self._mesh.send(peer, Error("say", reason))
        elif self._tables.guests.get(message.table, (None, b""))[1] == peer:
            self._hear(message)

    def came(self, peer: bytes, table: str) -> None:
        """A member entered a table of ours, or came back: it hears what was said before."""
        kept, talk = self._tables.kept.get(table), self._kept.get(table)
        if kept is not None and talk is not None and kept.state.member(peer) is not None and self._understands(peer):
            for line in talk.lines:
                self._mesh.send(peer, line)

    def _forget(self) -> None:
        """Forget what was said at tables that are gone."""
        self._kept = {table: talk for table, talk in self._kept.items() if table in self._tables.kept}
        self._heard = {table: talk for table, talk in self._heard.items() if table in self._tables.guests}

    def _pass_on(self, sender: bytes, message: TableSay) -> str | None:
        """Tell all members of a table of ours; or why not."""
        keeper = self._tables.kept.get(message.table)
        if keeper is None:
            return "there is no such table here"
        talk = self._kept.setdefault(message.table, KeptTalk())
        if reason := talk.why_not(keeper.state, sender, message, self._reactor.seconds()):
            return reason
        line = talk.said(keeper.state, sender, message)
        for member in keeper.state.members:
            if member.key == self._key:
                self._hear(line)
            elif self._understands(member.key):
                self._mesh.send(member.key, line)
        return None

    def _hear(self, line: TableSaid) -> None:
        self._forget()
        if line.table in self._tables.guests and self._heard.setdefault(line.table, HeardTalk()).heard(line):
            self._announce(TableTalked(line))

    def _understands(self, peer: bytes) -> bool:
        link = self._mesh.link_to(peer)
        return link is not None and TALK in link.features
