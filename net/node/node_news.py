"""What a node announces: tables, links, lobbies, and that there is a match. Its subscribers hear what happens in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from kontor_games.net.lobbies.lobbies import LobbyChanged, LobbyTold
from kontor_games.net.wire.messages import TableSaid, TableView


@dataclass(frozen=True)
class TableChanged:
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
class TableTalked:
    """Something was said at a table at which this node is."""

    line: TableSaid


@dataclass(frozen=True)
class WatchMoved:
    """A match is watched through another of its peers from now on, because the one before is not reached."""

    match: bytes
    peer: bytes


@dataclass(frozen=True)
class TableOffers:
    """The open tables of another node."""

    keeper: bytes
    views: tuple[TableView, ...]


@dataclass(frozen=True)
class OwnTableClosed:
    """A table that this node kept is closed: nobody is offered it any more."""

    table: str


@dataclass(frozen=True)
class MatchBegun:
    """A match exists and is about to start: now is the time to subscribe. `table` is None when it was resumed."""

    match: bytes
    table: str | None


@dataclass(frozen=True)
class MatchEnded:
    """A match of this node is over, or cannot go on."""

    match: bytes


@dataclass(frozen=True)
class WatchBegun:
    """This node asked to watch a match; what is seen of it comes from its `Spectator`."""

    match: bytes


@dataclass(frozen=True)
class RematchOffered:
    """Somebody, here or elsewhere, wants to play this match again."""

    match: bytes


@dataclass(frozen=True)
class PeerChanged:
    """A node was reached or lost."""

    peer: bytes
    linked: bool
    reason: str


News: TypeAlias = (
    TableChanged
    | TableRefused
    | TableSigned
    | TableTalked
    | TableOffers
    | OwnTableClosed
    | MatchBegun
    | MatchEnded
    | WatchBegun
    | WatchMoved
    | RematchOffered
    | PeerChanged
    | LobbyChanged
    | LobbyTold
)
