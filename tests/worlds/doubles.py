"""Stand-ins that several tests of net share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from twisted.internet import defer

from kontor_games.engine.errors import ConfigError
from kontor_games.net.wire.identity import Identity
from kontor_games.net.wire.messages import AnyMessage, OptionValue, Package


def identity(number: int) -> Identity:
    """An identity that is the same in every run."""
    return Identity.of(Ed25519PrivateKey.from_private_bytes(number.to_bytes(32, "big")))


@dataclass(frozen=True)
class Facts:
    """A game as far as terms go."""

    id: str = "hansa"
    rules_version: int = 3
    data_digest: bytes = b"d" * 32
    seats: tuple[int, ...] = (2, 3, 4, 5)

    def check_options(self, options: Mapping[str, OptionValue], seats: int) -> dict[str, OptionValue]:
        for name in sorted(options):
            if name not in ("map", "east"):
                raise ConfigError(f"there is no option {name}")
        return {"map": "west", "east": False, **options}


@dataclass(frozen=True)
class Shelf:
    """A catalogue of such games."""

    games: tuple[Facts, ...] = (Facts(),)
    packages: Mapping[str, Package] = field(default_factory=dict)

    def find(self, game: str) -> Facts | None:
        return next((facts for facts in self.games if facts.id == game), None)

    def package(self, game: str) -> Package | None:
        return self.packages.get(game)


@dataclass
class Recorder:
    """A mesh owner that writes everything down and lets tests wait for something to become true."""

    linked: list[bytes] = field(default_factory=list)
    moved: list[bytes] = field(default_factory=list)
    lost: list[tuple[bytes, str]] = field(default_factory=list)
    received: list[tuple[bytes, AnyMessage]] = field(default_factory=list)
    on_message: Callable[[bytes, AnyMessage], None] | None = None
    _waiting: list[tuple[Callable[[], bool], defer.Deferred[None]]] = field(default_factory=list)

    def peer_linked(self, peer: bytes) -> None:
        self.linked.append(peer)
        self.look()

    def peer_moved(self, peer: bytes) -> None:
        self.moved.append(peer)
        self.look()

    def peer_lost(self, peer: bytes, reason: str) -> None:
        self.lost.append((peer, reason))
        self.look()

    def message_received(self, peer: bytes, message: AnyMessage) -> None:
        self.received.append((peer, message))
        if self.on_message is not None:
            self.on_message(peer, message)
        self.look()

    def look(self) -> None:
        """Fire what has come true."""
        due = [waiter for condition, waiter in self._waiting if condition()]
        self._waiting = [(condition, waiter) for condition, waiter in self._waiting if waiter not in due]
        for waiter in due:
            waiter.callback(None)

    def until(self, condition: Callable[[], bool], seconds: float = 15) -> defer.Deferred[None]:
        """Fires as soon as `condition` holds; fails after `seconds`."""
        from twisted.internet import reactor

        waiter: defer.Deferred[None] = defer.Deferred()
        self._waiting.append((condition, waiter))
        self.look()
        return waiter.addTimeout(seconds, reactor)
