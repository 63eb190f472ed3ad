"""Signs people in, knows who is here, and notes who has left."""

from __future__ import annotations

import secrets
from functools import partial
from typing import Any

from twisted.logger import Logger

from kontor_games.lobby.commands.sign_in import Claim, come_back, gone, sign_in
from kontor_games.lobby.model.codes import new_id
from kontor_games.lobby.model.work import RequestRefused, Who
from kontor_games.lobby.settings.config import Config
from kontor_games.lobby.settings.log import Tags
from kontor_games.lobby.settings.metrics import Metrics
from kontor_games.net.system.admission import Residents
from kontor_games.net.system.buckets import Bucket, Rate
from kontor_games.net.wire.identity import verify
from kontor_games.net.wire.lobby_messages import LOBBY_VERSIONS, Notice, SignIn, Welcome, sign_in_bytes

from .connection import NOBODY, Connection
from .jobs import Jobs
from .throttle import Throttle

_log = Logger(namespace="kontor.lobby")


class Reception:
    """The places of those who have signed in."""

    def __init__(
        self, reactor: Any, config: Config, metrics: Metrics, throttle: Throttle, jobs: Jobs, key: bytes
    ) -> None:
        self.here: dict[bytes, Connection] = {}  # by key
        self.residents: Residents[Connection] = Residents(config.limits.max_connections)
        self._reactor = reactor
        self._title = config.title
        self._metrics = metrics
        self._throttle = throttle
        self._jobs = jobs
        self._key = key
        self._tags = Tags(reactor.seconds())
        self._refusals = Bucket(Rate(1, 20))  # that are logged: a storm must not fill the log

    def welcome(self, connection: Connection) -> None:
        """TLS is up: send what to sign."""
        connection.challenge = secrets.token_bytes(32)
        connection.send(Welcome(LOBBY_VERSIONS, self._key, connection.challenge, self._title))

    def sign_in(self, connection: Connection, ask: SignIn) -> None:
        """Somebody asks to come in; the challenge is good for one attempt."""
        challenge, connection.challenge = connection.challenge, b""
        if ask.version not in LOBBY_VERSIONS:
            connection.turn_away("version", f"this lobby speaks version {LOBBY_VERSIONS[-1]}, not {ask.version}")
        elif ask.key != connection.key or not verify(ask.key, "lobby", sign_in_bytes(self._key, challenge), ask.sig):
            connection.turn_away("signature", "the signature does not prove the key of this connection")
        elif not self._finds_place(connection):
            connection.turn_away("full", "this lobby is full, and your network holds as many places as any; try later")
        else:
            self._jobs.spawn(self._admit(connection, ask))

    def _finds_place(self, connection: Connection) -> bool:
        """Whether there is a place for somebody who is known; whoever has to go for it is told why."""
        leaves = self.residents.enter(connection, connection.host)
        if leaves is not None and leaves is not connection:
            self._metrics.cut.labels("crowded-out").inc()
            reason = "this lobby is full, and your network holds most places; try again later"
            leaves.send(Notice("announcement", reason))
            leaves.end()
        return leaves is not connection

    async def _admit(self, connection: Connection, ask: SignIn) -> None:
        may_claim = partial(self._throttle.may, "names", ask.key, connection.household, self._reactor.seconds())
        claim = Claim(ask.key, ask.name, connection.host, ask.port, new_id(), may_claim, ask.version)
        try:
            who, answer = await self._jobs.run(partial(sign_in, claim=claim))
        except RequestRefused as refused:
            self._turn_away(connection, refused)
            return
        connection.who = who
        if connection.is_gone:  # while the store was busy
            await self._jobs.run(_going(who))
            return
        connection.greeted()
        connection.muted = frozenset(mark.key for mark in answer.marks) or NOBODY
        self.here[who.key] = connection
        self._metrics.signed_in.inc()
        connection.send(answer)
        _log.info("signed in", who=self._tag(who.key), network=self._tag(connection.household))
        await self._jobs.run(partial(come_back, who=who))

    def _turn_away(self, connection: Connection, refused: RequestRefused) -> None:
        until = self._jobs.now + int(refused.wait * 1000) if refused.wait else 0
        connection.turn_away(refused.code, refused.reason, until)
        if self._refusals.take(self._reactor.seconds()) == 0:
            _log.info("turned away", code=refused.code, network=self._tag(connection.household))

    def lost(self, connection: Connection) -> None:
        """A connection has ended."""
        self.residents.leave(connection)
        who = connection.who
        if who is not None and self.here.get(who.key) is connection:
            del self.here[who.key]
            _log.info("left", who=self._tag(who.key))
            self._jobs.start(_going(who))

    def displaced(self, connection: Connection, session: str) -> bool:
        """The key signed in elsewhere: whether it was this session that has to go, which is then forgotten."""
        if connection.who is None or connection.who.session != session:
            return False
        del self.here[connection.who.key]
        return True

    def watchers(self) -> list[Connection]:
        """The connections that want the news of the hall."""
        return [connection for connection in self.here.values() if connection.watches]

    def _tag(self, what: str | bytes) -> str:
        return self._tags.of(what, self._reactor.seconds())


def _going(who: Who) -> Any:
    return partial(gone, key=who.key, session=who.session)
