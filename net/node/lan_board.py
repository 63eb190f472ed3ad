"""The local network as a board of tables: this node's own are announced, those of others are noted. An adapter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

from twisted.internet.defer import Deferred, succeed
from twisted.logger import Logger
from twisted.python.failure import Failure

from kontor_games.net.wire.address import parse_address
from kontor_games.net.wire.lan_offer import Announcement
from kontor_games.net.wire.messages import TableView

from .discovery import Lan
from .node import Node

TELL_AFTER: Final = 0.1  # seconds
_log = Logger(namespace="kontor.lan")


class LanBoard:
    """Tables on the local network; `changed` is called when those of others change."""

    def __init__(self, reactor: Any, node: Node, bind: str, changed: Callable[[], None]) -> None:
        self.offers: dict[str, Announcement] = {}
        self.why_not: str | None = None  # why the local network cannot be used
        self._reactor = reactor
        self._node = node
        self._changed = changed
        self._telling: Any = None  # a timer
        self._lan: Lan | None = Lan(reactor, self, [bind] if bind else None)
        self._announced: list[Announcement] = []
        node.where.announced_by = self.heard_at

    def start(self) -> Deferred[None]:
        """Begin to listen; where that is impossible the node works without."""
        assert self._lan is not None
        return self._lan.start().addErrback(self._failed)

    def stop(self) -> Deferred[None]:
        """Say goodbye."""
        lan, self._lan = self._lan, None
        if self._telling is not None:
            self._telling.cancel()
            self._telling = None
        return succeed(None) if lan is None else lan.stop()

    def heard_at(self, key: bytes) -> set[str]:
        """Every address that this key announced on the local network."""
        return {address for offer in self.offers.values() if offer.key == key for address in offer.addresses}

    def tables_changed(self) -> None:
        """Announce what this node has to offer, to play or to watch; what is gone is taken back."""
        if self._lan is None:
            return
        offers = [offer_of(self._node.key, view) for view in self._node.tables.offered()]
        if offers == self._announced:
            return
        self._announced = offers
        self._lan.announce(offers, parse_address(self._node.where.addresses[0])[1]).addErrback(self._failed)

    def _failed(self, failure: Failure) -> None:
        self.why_not = failure.getErrorMessage()
        _log.warn("{error}", error=self.why_not)

    def offer_seen(self, name: str, offer: Announcement) -> None:
        """A table appeared, or it changed."""
        if offer.key == self._node.key:
            return
        twins = (each for each in self.offers.values() if each.table == offer.table)
        if any(twin.key != offer.key for twin in twins):
            return  # somebody takes the number of another's table: guests of that one must not end up elsewhere
        self.offers[name] = offer
        self._tell_soon()

    def offer_gone(self, name: str) -> None:
        """A table is gone."""
        if self.offers.pop(name, None) is not None:
            self._tell_soon()

    def _tell_soon(self) -> None:
        """Many changes at once are told once."""
        if self._telling is None and self._lan is not None:
            self._telling = self._reactor.callLater(TELL_AFTER, self._tell_now)

    def _tell_now(self) -> None:
        self._telling = None
        self._changed()


def offer_of(key: bytes, view: TableView) -> Announcement:
    """What is announced of a table that this node keeps."""
    names = [seat.name for seat in view.seats if seat is not None and seat.peer == key]
    taken = sum(seat is not None for seat in view.seats)
    phase: Literal["open", "started"] = "started" if view.phase == "started" else "open"
    host = names[0] if names else "Kontor"
    return Announcement(key, view.table, view.game, host, len(view.seats), taken, phase=phase)
