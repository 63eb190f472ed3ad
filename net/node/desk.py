"""A node that runs alone with bots at its seats: what it needs around it, and its news as plain data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks, succeed
from twisted.logger import Logger

from kontor_games.net.lockstep.effects import Effect
from kontor_games.net.record.bot_match import Bot
from kontor_games.net.system.steady import Steady
from kontor_games.net.wire.identity import Identity
from kontor_games.net.wire.messages import HUMAN

from .autoplay import Autoplay
from .home import Home
from .lan_board import LanBoard
from .news import Data, ledger_of, match_data, offer_data, plain
from .node import Node
from .node_news import MatchBegun, News, TableShown, WatchBegun

_log = Logger(namespace="kontor.node")


class Desk:
    """One node in this process; calls come from the reactor thread, news go to `sink`."""

    def __init__(
        self, reactor: Any, home: Home, sink: Callable[[Data], None], make_bot: Callable[[str], Bot | None]
    ) -> None:
        self.node: Node
        self.home = home
        self.lan: LanBoard | None = None
        self._reactor = reactor
        self._sink = sink
        self._make_bot = make_bot
        self._bots: dict[bytes, Autoplay] = {}
        self._clock = Steady(reactor, 1.0, self._tick, _log, "the desk's clock")

    @inlineCallbacks
    def open(self, identity: Identity, bind: str = "", port: int = 0, lan: bool = False) -> Any:
        """Listen, take up the matches of an earlier life; `lan` shows tables to the local network and finds some."""
        self.node = yield self.home.open_node(self._reactor, identity, self._news, bind, port)
        self.node.start()
        if lan:
            self.lan = LanBoard(self._reactor, self.node, bind, self._lan_changed)
            yield self.lan.start()
            self.lan.tables_changed()
        self._clock.start()

    def close(self) -> Deferred[None]:
        """End in order; everything can be taken up again."""
        self._clock.stop()
        gone: Deferred[None] = succeed(None) if self.lan is None else self.lan.stop()
        return gone.addBoth(lambda _: self.node.stop()).addCallback(lambda _: self.home.close())

    def _news(self, news: News) -> None:
        match news:
            case TableShown() if self.lan is not None:
                self.lan.tables_changed()
            case MatchBegun(match=match):
                self._begun(match)
                if self.lan is not None:
                    self.lan.tables_changed()
                self.node.matches.played[match].subscribe(lambda effect: self._on_effect(match, effect))
            case WatchBegun(match=match):
                self.node.matches.watched[match].subscribe(lambda effect: self._on_effect(match, effect))
        data = plain(self.node, news)
        if data is not None:
            self._sink(data)

    def _on_effect(self, match: bytes, effect: Effect) -> None:
        ledger = ledger_of(self.node, match)
        data = None if ledger is None else match_data(ledger, effect)
        if data is not None:
            self._sink({"match": match.hex(), **data})
        if match in self._bots:
            self._bots[match].poke()

    def _lan_changed(self) -> None:
        assert self.lan is not None
        self._sink({"news": "lan", "tables": [offer_data(offer) for offer in self.lan.open_offers]})

    def _begun(self, match_id: bytes) -> None:
        match = self.node.matches.played[match_id]
        bots: dict[int, Bot] = {}
        for number, seat in enumerate(match.session.ledger.terms.seats):
            if seat.peer != match.session.me or seat.kind == HUMAN:
                continue
            bot = self._make_bot(seat.kind)
            if bot is None:
                self._sink({"news": "error", "reason": f"{seat.name} is played by {seat.kind}, not known here"})
            else:
                bots[number] = bot
        if bots:
            self._bots[match_id] = Autoplay(self._reactor, match, bots)

    def _tick(self) -> None:
        for bots in self._bots.values():
            bots.poke()
