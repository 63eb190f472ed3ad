"""A lobby without sockets or a clock, for tests of its commands: people sign in, ask, and are told."""

from __future__ import annotations

import hashlib
from collections.abc import Coroutine, Mapping
from typing import Any

from kontor_games.engine.errors import ConfigError
from kontor_games.lobby.commands import HANDLERS
from kontor_games.lobby.commands.expiry import expire
from kontor_games.lobby.commands.queue import match_round
from kontor_games.lobby.commands.sign_in import Claim, come_back, gone, sign_in
from kontor_games.lobby.model.work import RequestRefused, Who, Work, run
from kontor_games.lobby.settings.config import Config
from kontor_games.lobby.store.base import HALL, News, Store
from kontor_games.lobby.store.memory import MemoryStore
from kontor_games.net.table.guest import Guest, TellKeeper
from kontor_games.net.wire.identity import Identity
from kontor_games.net.wire.lobby_messages import Notice, SignedIn, decode_from_lobby
from kontor_games.net.wire.messages import PROTOCOL


def done(work: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine that never has to wait."""
    try:
        work.send(None)
    except StopIteration as stopped:
        return stopped.value
    raise AssertionError("the coroutine had to wait")


class Facts:
    """A game for two to four with one option."""

    rules_version = 1
    data_digest = hashlib.sha256(b"facts").digest()
    seats = (2, 3, 4)

    def __init__(self, id: str) -> None:
        self.id = id

    def check_options(self, options: Mapping[str, Any], seats: int) -> dict[str, Any]:
        if seats not in self.seats or not set(options) <= {"length"}:
            raise ConfigError("there is no such option or number of seats")
        return {"length": 1, **options}


class Games:
    """A catalogue of three games."""

    def __init__(self) -> None:
        self._games = {id: Facts(id) for id in ("osaka", "hansa", "joban")}

    def package(self, game: str) -> None:
        return None

    def find(self, game: str) -> Facts | None:
        return self._games.get(game)


class Relay:
    """A relay desk that hands out numbered tokens."""

    def __init__(self) -> None:
        self.pairs: list[tuple[bytes, bytes]] = []

    def expect(self, one: bytes, other: bytes, left: tuple[int, int], host: str) -> tuple[bytes, bytes]:
        self.pairs.append((one, other))
        return bytes([1]) * 32, bytes([2]) * 32

    def forget(self, token: bytes) -> None:
        self.pairs.pop()


class Lobby:
    """One lobby process at a time that tests set by hand."""

    def __init__(self, store: Store | None = None, config: Config | None = None) -> None:
        self.store: Store = store or MemoryStore()
        self.config = config or Config()
        self.games = Games()
        self.relay = Relay()
        self.now = 1_000_000
        self.news: list[News] = []
        self.sessions = 0
        self.may_claim = True
        self.identities: dict[bytes, Identity] = {}
        self.store.subscribe(self.news.extend)

    def work(self) -> Work:
        return Work(self.store, self.config, self.games, self.now, self.relay)

    def run(self, job: Any) -> Any:
        return done(run(self.work, job))

    def arrive(self, name: str, identity: Identity | None = None, **claimed: Any) -> Who:
        """Somebody signs in, with what `sign_in` takes besides, and comes back to what they had."""
        who, _ = self.sign_in(name, identity, **claimed)
        self.run(lambda work: come_back(work, who))
        return who

    def sign_in(
        self,
        name: str,
        identity: Identity | None = None,
        address: str = "192.0.2.1",
        port: int = 4000,
        protocol: int = PROTOCOL,
    ) -> tuple[Who, SignedIn]:
        identity = identity or Identity.generate()
        self.identities[identity.key] = identity
        self.sessions += 1
        claim = Claim(identity.key, name, address, port, f"S{self.sessions}", lambda: self.may_claim, protocol)
        return self.run(lambda work: sign_in(work, claim))

    def leave(self, who: Who) -> None:
        self.run(lambda work: gone(work, who.key, who.session))

    def do(self, who: Who, ask: Any) -> Any:
        return self.run(lambda work: HANDLERS[type(ask)].handler(work, who, ask))

    def refusal(self, who: Who, ask: Any) -> RequestRefused:
        before = len(self.news)
        try:
            self.do(who, ask)
        except RequestRefused as refused:
            assert len(self.news) == before, "a refused request told somebody something"
            return refused
        raise AssertionError(f"{ask} was not refused")

    def told(self, who: Who, kind: type | None = None) -> list[Any]:
        """Everything this person was sent so far, or all of one kind."""
        events = [decode_from_lobby(news.payload) for news in self.news if who.key in news.audience]
        return [event for event in events if kind is None or isinstance(event, kind)]

    def hall(self, what: str) -> list[str]:
        """What the hall was told about, of one kind."""
        orders = [news.order.partition(":") for news in self.news if news.audience == HALL]
        return [about for kind, _, about in orders if kind == what]

    def pass_time(self, seconds: float, step: float = 1) -> int:
        """Let time pass in small steps and do what falls due, as the sweeper does; how many offers were made."""
        offers = 0
        end = self.now + int(seconds * 1000)
        while self.now < end:
            self.now = min(end, self.now + int(step * 1000))
            for kind, id in done(self.store.due(self.now)):
                self.run(lambda work, kind=kind, id=id: expire(work, kind, id))
            offers += self.run(match_round)
        return offers

    def guest(self, who: Who, table: str) -> Guest:
        """The node's half of the table, fed with everything it was told."""
        return Guest(table, self.identities[who.key], self.games)

    def sign_terms(self, people: list[Who], table: str) -> None:
        """Everybody says ready and signs what the lobby proposes, through the node's own machine."""
        guests = {who.key: self.guest(who, table) for who in people}
        for who in people:
            guest = guests[who.key]
            for event in self.told(who):
                if not isinstance(event, Notice):
                    guest.received(event)
        heard = {who.key: len(self.told(who)) for who in people}
        for number, who in enumerate(people):
            for effect in guests[who.key].ready(bytes([number + 1]) * 16):
                assert isinstance(effect, TellKeeper), effect
                self.do(who, effect.message)
        for who in people:
            for event in self.told(who)[heard[who.key] :]:
                for effect in guests[who.key].received(event):
                    if isinstance(effect, TellKeeper):
                        self.do(who, effect.message)
