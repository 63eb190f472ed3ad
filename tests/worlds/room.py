"""A table's keeper and its guests in one room, for tests: the real machines, pumped into each other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kontor_games.net.table.catalogue import Catalogue
from kontor_games.net.table.guest import Guest, KeeperRefused, TellKeeper
from kontor_games.net.table.keeper import Started, TableKeeper, Tell
from kontor_games.net.table.table_state import TableState
from kontor_games.net.wire.identity import Identity
from kontor_games.net.wire.messages import AnyMessage, Clauses, Enter, Sit, decode, encode

from .doubles import Shelf, identity

ANN, BEN, CEM, DAN = (identity(number) for number in range(1, 5))


def opened(
    catalogue: Catalogue,
    host: bytes,
    game: str,
    options: Mapping[str, Any],
    seats: int,
    addresses: Sequence[str] = (),
    clauses: Clauses | None = None,
) -> TableKeeper[TableState]:
    """The keeper of a new table `t`."""
    blank = TableState("t", host, game, options, (None,) * seats, clauses=clauses)
    return TableKeeper.open(blank, catalogue, addresses)


class Room:
    """A keeper, its guests, and the wires between them; every message really is encoded and decoded."""

    def __init__(
        self,
        *people: Identity,
        seats: int = 2,
        shelves: dict[bytes, Any] | None = None,
        kept_with: Catalogue | None = None,
    ) -> None:
        self.table = opened(kept_with or Shelf(), people[0].key, "hansa", {}, seats)
        self.now = 0.0
        self.nonces = 0
        self.guests = {p.key: Guest("t", p, (shelves or {}).get(p.key, Shelf())) for p in people}
        self.heard: dict[bytes, list[object]] = {p.key: [] for p in people}
        self.facts: list[object] = []
        self.tamper: Callable[[bytes, AnyMessage], AnyMessage] = lambda peer, message: message
        for person in people:
            self.say(person, Enter("t", ("127.0.0.1:1",)))

    def say(self, who: Identity, message: AnyMessage) -> None:
        self._pump(self.table.received(who.key, decode(encode(message)), self.now))

    def ready(self, who: Identity) -> None:
        self.nonces += 1
        self._guest(who.key, self.guests[who.key].ready(self.nonces.to_bytes(16, "big")))

    def lost(self, who: Identity) -> None:
        self._pump(self.table.link_lost(who.key, self.now))

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self._pump(self.table.tick(self.now))

    def _pump(self, effects: list[Any]) -> None:
        queue = deque(effects)
        while queue:
            effect = queue.popleft()
            if isinstance(effect, Tell):
                guest = self.guests.get(effect.peer)
                if guest is not None:
                    message = self.tamper(effect.peer, decode(encode(effect.message)))
                    self._guest(effect.peer, guest.received(message), queue)
            else:
                self.facts.append(effect)

    def _guest(self, key: bytes, effects: list[Any], queue: deque[Any] | None = None) -> None:
        for effect in effects:
            self.heard[key].append(effect)
            if isinstance(effect, TellKeeper):
                answer = self.table.received(key, decode(encode(effect.message)), self.now)
                if queue is None:
                    self._pump(answer)
                else:
                    queue.extend(answer)

    def refusals(self, who: Identity) -> list[str]:
        return [effect.reason for effect in self.heard[who.key] if isinstance(effect, KeeperRefused)]

    def started(self, who: Identity) -> list[Started]:
        return [effect for effect in self.heard[who.key] if isinstance(effect, Started)]


def two_seated() -> Room:
    room = Room(ANN, BEN)
    room.say(ANN, Sit("t", 0, "Ann"))
    room.say(BEN, Sit("t", 1, "Ben"))
    return room
