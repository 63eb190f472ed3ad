"""Signs people in, knows who is here, and notes who has left."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from msgspec.structs import replace
from twisted.logger import Logger

from kontor_games.engine.errors import StoreError
from kontor_games.lobby.commands.catching_up import catch_up
from kontor_games.lobby.commands.sign_in import Claim, come_back, gone, sign_in
from kontor_games.lobby.model.codes import new_id
from kontor_games.lobby.model.work import RequestRefused, Who
from kontor_games.lobby.settings.config import Config
from kontor_games.lobby.settings.log import Tags
from kontor_games.lobby.settings.metrics import Metrics
from kontor_games.lobby.store.base import News
from kontor_games.net.system.admission import Residents
from kontor_games.net.system.buckets import Bucket, Rate
from kontor_games.net.wire.frames import pack_frame
from kontor_games.net.wire.identity import verify
from kontor_games.net.wire.lobby_messages import (
    LOBBY_VERSIONS,
    MAX_ELSEWHERE,
    MOVE_VERSION,
    Elsewhere,
    Notice,
    SignIn,
    Welcome,
    encode,
    sign_in_bytes,
)

from .connection import NOBODY, Connection
from .jobs import Jobs
from .throttle import Throttle

FULL: Final = "this lobby is full, and your network already holds as many places as any other; try again later"
AWAY: Final = "this lobby cannot reach its data at the moment; try again in a little while"
ELSEWHERE: Final = "you signed in from another place, so this connection ends"
MAX_KEPT: Final = 64  # pieces of news for somebody whose sign-in is under way
AT_ONCE: Final = 50  # people who are brought up to date at the same time
CROWDED_OUT: Final = "this lobby is full, and your network holds the most places; try again later"
_log = Logger(namespace="kontor.lobby")


class Reception:
    """The places of those who have signed in."""

    def __init__(
        self, reactor: Any, config: Config, metrics: Metrics, throttle: Throttle, jobs: Jobs, key: bytes
    ) -> None:
        self.here: dict[bytes, Connection] = {}  # by key
        self._arriving: dict[bytes, list[News]] = {}  # what is told to keys whose sign-in is under way
        self.carry_out: Callable[[Connection, News], None] = lambda connection, news: None  # set by whoever delivers
        self.elsewhere: Callable[[], tuple[str, ...]] = tuple  # addresses of the lobby's other processes
        self.residents: Residents[Connection] = Residents(config.limits.max_connections)
        self._reactor = reactor
        self._title = config.title
        self._metrics = metrics
        self._throttle = throttle
        self._jobs = jobs
        self._key = key
        self._tags = Tags(reactor.seconds())
        self._refusals = Bucket(Rate(1, 20))  # that are logged: a storm must not fill the log

    def reload(self, config: Config) -> None:
        """Other settings; whoever has a place keeps it."""
        self.residents.most = config.limits.max_connections
        self._title = config.title

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
            connection.turn_away("full", FULL)
        else:
            self._jobs.spawn(self._admit(connection, ask))

    def _finds_place(self, connection: Connection) -> bool:
        """Whether there is a place for somebody who is known; whoever has to go for it is told why."""
        leaves = self.residents.enter(connection, connection.host)
        if leaves is not None and leaves is not connection:
            self._metrics.cut.labels("crowded-out").inc()
            leaves.send(Notice("announcement", CROWDED_OUT))
            leaves.end()
        return leaves is not connection

    async def _admit(self, connection: Connection, ask: SignIn) -> None:
        may_claim = partial(self._throttle.may, "names", ask.key, connection.household, self._reactor.seconds())
        claim = Claim(ask.key, ask.name, connection.host, ask.port, new_id(), may_claim, ask.version, ask.home)
        kept = self._arriving[ask.key] = []
        try:
            who, answer = await self._jobs.run(partial(sign_in, claim=claim))
        except RequestRefused as refused:
            self._turn_away(connection, refused)
            return
        except StoreError:
            connection.turn_away("busy", AWAY)
            # It may be stored all the same, and would then be taken for somebody who is here.
            self._jobs.insist(partial(gone, key=ask.key, session=claim.session), is_repeatable=True)
            raise
        finally:
            if self._arriving.get(ask.key) is kept:
                del self._arriving[ask.key]
        connection.who = who
        if connection.is_gone:  # while the store was busy
            self._jobs.insist(_going(who), is_repeatable=True)
            return
        connection.greeted()
        connection.muted = frozenset(mark.key for mark in answer.marks) or NOBODY
        self.here[who.key] = connection
        self._metrics.signed_in.inc()
        connection.version = ask.version
        if ask.version >= MOVE_VERSION:
            answer = replace(answer, elsewhere=self.elsewhere()[:MAX_ELSEWHERE])
        connection.send(answer)
        for news in kept:  # said to this key after its sign-in was stored, and before we knew of it
            self.carry_out(connection, news)
        _log.info("signed in", who=self._tag(who.key), network=self._tag(connection.household))
        connection.hold()
        try:
            await self._jobs.run(partial(come_back, who=who))
        except StoreError:  # here, but not back at the tables: the next sign-in tries again
            connection.cut("store")
            raise
        finally:
            connection.request_done()

    def tell_elsewhere(self) -> None:
        """A process of this lobby came or went: nodes that would understand it learn where they could go."""
        frame = pack_frame(encode(Elsewhere(self.elsewhere()[:MAX_ELSEWHERE])))
        for connection in list(self.here.values()):
            if connection.version >= MOVE_VERSION:
                connection.send_frame(frame)

    def keep_for_arrival(self, key: bytes, news: News) -> None:
        """Somebody is told something; if their sign-in is under way it waits for them."""
        kept = self._arriving.get(key)
        if kept is not None and len(kept) < MAX_KEPT:
            kept.append(news)

    async def catch_up(self) -> None:
        """News was lost, or others took this process for dead: bring everybody here up to date, some at a time."""
        left = list(self.here.values())
        _log.warn("everybody is brought up to date", people=len(left))
        while left:
            await self._jobs.run_each(self._catch_up(connection) for connection in left[-AT_ONCE:])
            del left[-AT_ONCE:]

    async def _catch_up(self, connection: Connection) -> None:
        who = connection.who
        if who is None or connection.is_gone:
            return
        connection.hold()
        try:
            outcome = await self._jobs.run(partial(catch_up, who=who))
        finally:
            connection.request_done()
        if outcome in ("again", "elsewhere") and self.here.get(who.key) is connection:
            del self.here[who.key]
            if outcome == "elsewhere":
                connection.send(Notice("elsewhere", ELSEWHERE))
            connection.end()

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
            # What they asked for last may still be under way: done after this, it would bring them back for good.
            connection.at_rest(lambda: self._jobs.insist(_going(who), is_repeatable=True))

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
