"""Carries the news that the store passes on to the connections of this process.

News comes after its commit, to every process, with an order for the connection that gets it: nothing special, `close`,
`displace:session` (the key has signed in elsewhere) or `marks` (whom this person no longer wants to hear).
"""

from __future__ import annotations

from twisted.logger import Logger

from kontor_games.lobby.store.base import HALL, News
from kontor_games.net.wire.frames import pack_frame
from kontor_games.net.wire.lobby_messages import Marks, decode_from_lobby

from .connection import NOBODY, Connection
from .hall import Hall
from .jobs import DEFECT
from .reception import Reception

_log = Logger(namespace="kontor.lobby")


class Delivery:
    """From the store to people, and to the hall."""

    def __init__(self, reception: Reception, hall: Hall) -> None:
        self._reception = reception
        self._hall = hall

    def deliver(self, batch: list[News]) -> None:
        """What a commit has to tell."""
        for news in batch:
            try:
                if news.audience == HALL:
                    self._hall.add(news)
                else:
                    self._pass_on(news)
            except Exception:  # the store tells many at once: what one piece of news breaks, it breaks alone
                _log.failure(DEFECT)

    def pass_on_late(self, connection: Connection, news: News) -> None:
        """News that came while this connection signed in."""
        if not (news.author and news.author in connection.muted):
            self.carry_out(connection, news, pack_frame(news.payload))

    def _pass_on(self, news: News) -> None:
        frame = pack_frame(news.payload)
        for key in news.audience:
            self._reception.keep_for_arrival(key, news)
            connection = self._reception.here.get(key)
            if connection is None or (news.author and news.author in connection.muted):
                continue
            self.carry_out(connection, news, frame)

    def carry_out(self, connection: Connection, news: News, frame: bytes) -> None:
        order, _, session = news.order.partition(":")
        match order:
            case "":
                connection.send_frame(frame)
            case "close":
                connection.send_frame(frame)
                connection.end()
            case "displace":
                if self._reception.displaced(connection, session):
                    connection.send_frame(frame)
                    connection.end()
            case "marks":
                marks = decode_from_lobby(news.payload)
                assert isinstance(marks, Marks)
                connection.muted = frozenset(mark.key for mark in marks.marks) or NOBODY
