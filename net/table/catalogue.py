"""What a table must know about games; `installed` offers the engine's."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from kontor_games import engine
from kontor_games.engine.core.game import OptionValue
from kontor_games.engine.errors import ConfigError
from kontor_games.net.wire.messages import Package


class GameFacts(Protocol):
    """A game as far as terms go; `engine.Game` fulfils it."""

    @property
    def id(self) -> str:
        """The game's name on the wire."""

    @property
    def rules_version(self) -> int:
        """Nodes with different versions never start a match."""

    @property
    def data_digest(self) -> bytes:
        """The digest of the facts printed on the components."""

    @property
    def seats(self) -> Collection[int]:
        """The numbers of seats that the game can be played with."""

    def check_options(self, options: Mapping[str, OptionValue], seats: int) -> dict[str, OptionValue]:
        """All options with their values; ConfigError for anything not offered."""


class Catalogue(Protocol):
    """The games that this node can play."""

    def find(self, game: str) -> GameFacts | None:
        """The game with this id, or None."""

    def package(self, game: str) -> Package | None:
        """Where a game comes from that is not part of Kontor; None for its own games."""


class Installed:
    """The games of this node's engine."""

    def find(self, game: str) -> GameFacts | None:
        """The game with this id, or None."""
        return engine.load(game) if game in engine.game_ids() else None

    def package(self, game: str) -> Package | None:
        """None: every game of the engine is part of Kontor."""
        return None


installed = Installed()


def why_not_game(
    catalogue: Catalogue,
    game: str,
    rules: int,
    data: bytes,
    options: Mapping[str, OptionValue],
    seats: int,
    package: Package | None = None,
) -> str | None:
    """Why this node cannot play such a match, or None; the options must be given in full."""
    facts = catalogue.find(game)
    if facts is None:
        return f"this node does not know the game {game}"
    ours = catalogue.package(game)
    if package != ours:
        return f"{game}: the table plays the code of {_from(package)}, this node has that of {_from(ours)}"
    if rules != facts.rules_version:
        who = "the host must update Kontor" if rules < facts.rules_version else "update Kontor here to play it"
        return f"{game}: the table plays rules version {rules}, this node has version {facts.rules_version}; {who}"
    if data != facts.data_digest:
        return f"{game}: the table's game data ({data.hex()[:12]}…) differs from ours ({facts.data_digest.hex()[:12]}…)"
    if seats not in facts.seats:
        return f"{game} is played by {', '.join(map(str, sorted(facts.seats)))}, not by {seats}"
    try:
        full = facts.check_options(options, seats)
    except ConfigError as error:
        return f"{game}: {error}"
    missing = sorted(set(full) - set(options))
    return f"{game}: option {missing[0]} is missing" if missing else None


def _from(package: Package | None) -> str:
    """A package in a few words."""
    return "Kontor itself" if package is None else f"{package.name} {package.version} ({package.code.hex()[:12]}…)"
