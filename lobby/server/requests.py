"""Does what people ask for when it is their turn, and answers once it is safe on the disk."""

from __future__ import annotations

from functools import partial
from typing import Any

from msgspec.structs import replace

from kontor_games.engine.errors import KontorError, StoreError
from kontor_games.lobby.commands import HANDLERS
from kontor_games.lobby.ladder.ladder_counter import LadderCounter
from kontor_games.lobby.ladder.uploads import NotNow
from kontor_games.lobby.model.work import RequestRefused
from kontor_games.lobby.settings.metrics import Metrics
from kontor_games.lobby.store.base import Busy, OutcomeUnknown
from kontor_games.net.wire.ladder_messages import HandIn, HandWord, LadderWord
from kontor_games.net.wire.lobby_messages import (
    WORD_VERSION,
    Answer,
    EnterByCode,
    MakeTable,
    RawAnswer,
    RawLines,
    Refusal,
    Request,
    WatchHall,
)
from kontor_games.net.wire.messages import Configure, Enter

from .common_shares import CommonShares
from .connection import Connection
from .counter import Counter
from .jobs import Jobs
from .throttle import Throttle


class Requests:
    """Requests of everybody who is signed in; each is answered once."""

    def __init__(self, reactor: Any, metrics: Metrics, throttle: Throttle, jobs: Jobs) -> None:
        self._reactor = reactor
        self._metrics = metrics
        self._throttle = throttle
        self._jobs = jobs
        self.ladder: LadderCounter | None = None
        self._shares = CommonShares(jobs) if jobs.store.is_shared else None
        self._counter: Counter[Connection, Request] = Counter(reactor, self._serve)

    def add(self, connection: Connection, request: Request) -> None:
        """Somebody asks for something."""
        self._counter.ask(connection, request)

    def close(self) -> None:
        """Serve nobody any more."""
        self._counter.close()

    def _serve(self, connection: Connection, request: Request) -> None:
        self._jobs.spawn(self._answer(connection, request))

    async def _answer(self, connection: Connection, request: Request) -> None:
        begun = self._reactor.seconds()
        outcome = "done"
        answer: Answer | RawAnswer | Refusal
        try:
            result = await self._perform(connection, request.do)
            answer = RawAnswer(request.n, result) if isinstance(result, RawLines) else Answer(request.n, result)
        except RequestRefused as refused:
            outcome = refused.code
            answer = Refusal(request.n, refused.code, refused.reason[:400], int(refused.wait * 1000))
        except Busy as error:
            outcome = "busy"
            answer = Refusal(request.n, "busy", str(error)[:400], 1000)
        except OutcomeUnknown:
            # Neither «done» nor «refused» would be true. Without the connection the node knows that it does not know,
            # and learns how things are when it signs in again.
            self._metrics.commands.note(type(request.do).__name__, "unknown", self._reactor.seconds() - begun)
            connection.request_done()
            connection.cut("unknown-outcome")
            return
        except Exception:
            connection.send(Refusal(request.n, "failed", "this went wrong in the lobby; its operators can see it"))
            connection.request_done()
            raise
        connection.send(answer)
        connection.request_done()
        self._metrics.commands.note(type(request.do).__name__, outcome, self._reactor.seconds() - begun)

    async def _perform(self, connection: Connection, ask: Any) -> Any:
        who = connection.who
        assert who is not None
        if isinstance(ask, WatchHall):
            connection.watches = ask.on
            return None
        if isinstance(ask, HandIn | HandWord):
            word = await self._hand_in(who.key, ask, connection.network)
            return word if connection.version >= WORD_VERSION else replace(word, page="")
        if isinstance(ask, MakeTable | Configure):
            self._demand_ladder(ask)
        entry = HANDLERS[type(ask)]
        if entry.limit:
            self._throttle.demand(entry.limit, who.key, connection.household, self._reactor.seconds())
            if self._shares is not None:
                await self._shares.demand(entry.limit, who.key, connection.household)
        job = partial(entry.handler, who=who, ask=ask)
        if not isinstance(ask, Enter | EnterByCode):
            return await self._jobs.run(job)
        self._throttle.demand_guess(who.key, connection.household, self._reactor.seconds())
        if self._shares is not None:
            await self._shares.demand_guess(who.key, connection.household)
        try:
            result = await self._jobs.run(job)
        except RequestRefused as refused:
            self._guessed(who.key, connection.household, refused)
            raise
        self._guessed(who.key, connection.household, None)
        return result

    async def _hand_in(self, key: bytes, ask: HandIn | HandWord, network: str) -> LadderWord:
        if self.ladder is None:
            raise RequestRefused("ladder", "this lobby does not keep a ladder")
        if self._shares is not None and (isinstance(ask, HandWord) or ask.offset == 0):
            await self._shares.demand_file(key, self.ladder.files_per_day)
        try:
            if isinstance(ask, HandWord):
                word = await self.ladder.hand_word(key, ask)
            else:
                word = await self.ladder.hand_in(key, ask, network)
        except KontorError as error:
            is_passing = isinstance(error, NotNow | StoreError)
            self._metrics.ladder.handed.labels("later" if is_passing else "refused").inc()
            raise RequestRefused("later" if is_passing else "ladder", str(error)) from error
        if word.state != "more":
            self._metrics.ladder.handed.labels(word.state).inc()
        return word

    def _demand_ladder(self, ask: MakeTable | Configure) -> None:
        """RequestRefused if a table is to be rated that cannot be."""
        if ask.clauses is None or not ask.clauses.is_on_ladder:
            return
        if self.ladder is None:
            raise RequestRefused("ladder", "this lobby does not keep a ladder, so its tables cannot be rated")
        if reason := self.ladder.why_not_clauses(ask.clauses):
            raise RequestRefused("ladder", reason)

    def _guessed(self, key: bytes, household: str, refused: RequestRefused | None) -> None:
        if self._throttle.guessed(key, household, refused) and self._shares is not None:
            # By itself: what was asked for is done, and must be told so also if the store is away from now on.
            self._jobs.spawn(self._shares.guessed(key, household))
