"""A node with everything a client needs around it: bots for its bot seats, screens, logs, and news as plain data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks, succeed
from twisted.internet.task import LoopingCall

from engine.errors import ConfigError

from .autoplay import Autoplay
from .home import Home
from .identity import Identity
from .lan_board import LanBoard
from .ledger import Ply
from .match import Match
from .net_play import NetPlay, NetTable
from .news import Data, ledger_of, offer_data, plain, said
from .node import MatchBegun, MatchTold, News, Node, TableShown
from .play_table import Bot

HUMAN = "human"
PATIENCE = 3  # ticks that a peer may be missing before people are told: most losses heal by themselves


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
        self._logs: dict[bytes, list[Data]] = {}
        self._plays: dict[bytes, NetPlay] = {}
        self._standing: dict[bytes, tuple[Data, int]] = {}  # what people were told last, and since when it differs
        self._clock = LoopingCall(self._tick)
        self._clock.clock = reactor

    @inlineCallbacks
    def open(self, identity: Identity, bind: str = "", port: int = 0, lan: bool = False) -> Any:
        """Listen, take up the matches of an earlier life; `lan` shows tables to the local network and finds some."""
        self.node = yield self.home.open_node(self._reactor, identity, self._news, bind, port)
        self.node.start()
        if lan:
            self.lan = LanBoard(self._reactor, self.node, bind, self._lan_changed)
            yield self.lan.start()
            self.lan.tables_changed()
        self._clock.start(1.0, now=False)

    def close(self) -> Deferred[None]:
        """End in order; everything can be taken up again."""
        if self._clock.running:
            self._clock.stop()
        gone: Deferred[None] = succeed(None) if self.lan is None else self.lan.stop()
        return gone.addBoth(lambda _: self.node.stop()).addCallback(lambda _: self.home.close())

    def match(self, match: bytes) -> Match:
        """A match that this node plays; ConfigError if there is none."""
        if match not in self.node.matches:
            raise ConfigError("this node does not play such a match")
        return self.node.matches[match]

    def play(self, match: bytes) -> NetPlay | None:
        """The screen of a match, None while it is being set up."""
        ledger = ledger_of(self.node, match)
        if match not in self._plays and ledger is not None and ledger.state is not None:
            mine = self.node.matches.get(match)
            path = self.node.directory / match.hex()[:32] if mine is None else mine.files.transcript
            self._plays[match] = NetPlay(NetTable(ledger, mine, path), self._logs.setdefault(match, []))
        return self._plays.get(match)

    def _news(self, news: News) -> None:
        match news:
            case TableShown() if self.lan is not None:
                self.lan.tables_changed()
            case MatchBegun(match=match):
                self._begun(match)
                if self.lan is not None:
                    self.lan.tables_changed()
            case MatchTold(match=match, effect=Ply() as ply):
                self._logs.setdefault(match, []).append(said(ply))
        data = plain(self.node, news)
        if data is not None:
            self._sink(data)
        if isinstance(news, MatchTold) and news.match in self._bots:
            self._bots[news.match].poke()

    def _lan_changed(self) -> None:
        assert self.lan is not None
        self._sink({"news": "lan", "tables": [offer_data(offer) for offer in self.lan.offers.values()]})

    def _begun(self, match_id: bytes) -> None:
        match = self.node.matches[match_id]
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
        for match_id in self.node.matches:
            play = self.play(match_id)
            if play is not None:
                self._compare(match_id, play.standing())

    def _compare(self, match_id: bytes, standing: Data) -> None:
        """Tell people who is missing and who votes, but not about losses that heal at once."""
        told, ticks = self._standing.get(match_id, ({"missing": [], "votes": {}, "stopped": False}, 0))
        if standing == told:
            self._standing[match_id] = told, 0
        elif (
            ticks < PATIENCE and standing["votes"] == told["votes"] and set(told["missing"]) <= set(standing["missing"])
        ):
            self._standing[match_id] = told, ticks + 1
        else:
            self._standing[match_id] = standing, 0
            self._sink({"news": "standing", "match": match_id.hex(), **standing})
