"""Watching a match from outside: the chain arrives through one peer and is verified like everybody's. A machine."""

from __future__ import annotations

from collections.abc import Callable

from kontor_games.engine.errors import RemoteError
from kontor_games.net.ledger.facts import FrameRefused
from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.wire.chain import match_id
from kontor_games.net.wire.match_talk import Ask, Chunk, Talk
from kontor_games.net.wire.terms import decode_terms, why_not_authored, why_not_signed

from .effects import Effect, Ended


class Spectator:
    """One match seen through `peer`; nothing is believed that is not signed and proven."""

    def __init__(self, match: bytes, peer: bytes, table: str = "") -> None:
        self.match = match
        self.peer = peer
        self.table = table  # where we heard of it
        self.ledger: Ledger | None = None
        self._subscribers: list[Callable[[Effect], None]] = []
        self._is_over = False

    def subscribe(self, on_effect: Callable[[Effect], None]) -> None:
        """Call `on_effect` with whatever is seen of the match from now on."""
        self._subscribers.append(on_effect)

    def charter(self, raw: bytes, signatures: tuple[bytes, ...]) -> list[Talk]:
        """The terms arrived (again, after a reconnect): ask for the chain from where we are."""
        if match_id(raw) != self.match:
            raise RemoteError("these are the terms of another match")
        reason = why_not_signed(raw, signatures)
        if reason:
            raise RemoteError(reason)
        if self.ledger is None:
            if package := decode_terms(raw).package:
                raise RemoteError(f"this node does not have the game's package {package.name} {package.version}")
            self.ledger = Ledger(raw, inline=True)
        return [Ask(self.ledger.position)]

    def heard(self, peer: bytes, talk: Talk) -> list[Talk]:
        """A piece of the chain arrived."""
        ledger = self.ledger
        if ledger is None or peer != self.peer or not isinstance(talk, Chunk):
            return []
        if talk.position > ledger.position:
            return [Ask(ledger.position)]
        for item in talk.items[ledger.position - talk.position :]:
            for part in item.parts:
                reason = why_not_authored(ledger.terms, part)
                if reason:
                    raise RemoteError(reason)
            for fact in ledger.take_item(item):
                if isinstance(fact, FrameRefused):
                    raise RemoteError(fact.reason)
                self._announce(fact)
            if ledger.is_over and not self._is_over:
                self._is_over = True
                self._announce(Ended(ledger.how_ended))
        return [Ask(ledger.position)] if talk.more else []

    def _announce(self, effect: Effect) -> None:
        for on_effect in self._subscribers:
            on_effect(effect)
