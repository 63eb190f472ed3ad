"""Bot seats of a network match: the node that runs them lets them think in a worker, then plays their turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger
from twisted.python.failure import Failure

from kontor_games.engine import Action
from kontor_games.net.lockstep.match import Match
from kontor_games.net.record.bot_match import Bot, bot_turn

_log = Logger(namespace="kontor.bots")


class Autoplay:
    """The bots of one match at this node; `poke` whenever something happened."""

    def __init__(self, reactor: Any, match: Match, bots: Mapping[int, Bot]) -> None:
        self._reactor = reactor
        self._match = match
        self._bots = bots
        self._is_thinking = False

    def poke(self) -> None:
        """Think about the next turn, if it is a bot's."""
        session = self._match.session
        ledger = session.ledger
        turn = ledger.turn
        if self._is_thinking or session.is_committed or turn not in self._bots or turn is None:
            return
        if ledger.seat_peer(turn) != session.me or session.me not in ledger.active:
            return
        assert ledger.state is not None
        self._is_thinking = True
        facts = (ledger.game, ledger.state, dict(ledger.known(turn)), turn, ledger.ply)
        pool = self._reactor.getThreadPool()
        thought = deferToThreadPool(self._reactor, pool, bot_turn, self._bots[turn], *facts)
        thought.addCallback(self._play, ledger.tip).addErrback(self._failed)

    def _play(self, actions: list[Action], tip: bytes) -> None:
        self._is_thinking = False
        session = self._match.session
        if self._match.is_closed:
            return
        if session.ledger.tip != tip:  # somebody left meanwhile
            self.poke()
        elif session.why_not_play(actions) is None:
            self._match.play(actions)

    def _failed(self, failure: Failure) -> None:
        self._is_thinking = False
        _log.failure("a bot could not decide", failure=failure)
