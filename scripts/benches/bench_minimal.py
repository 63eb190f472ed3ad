"""The least that could be called lockstep, over the product's own connection: a control for the benchmark.

Who acts applies the action, digests, signs, writes it down, sends it; the other checks the signature, applies, compares
the digests and says so. No catch-up, no gossip, no decks, no recovery. If this grows against the floor, so has the
machine's own share.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bench_games
import msgspec

from kontor_games import engine
from kontor_games.engine.core.digest import canonical, digest
from kontor_games.net.record.chain_records import MatchJournal
from kontor_games.net.wire.identity import SIGNATURE_SIZE, Identity, verify
from kontor_games.net.wire.match_talk import Signed
from kontor_games.net.wire.messages import MatchTalk

CONTROL = bytes([1]) * 32  # a match id that no match has
AGREED = b"agreed"


class Minimal:
    """One side of it."""

    def __init__(self, mesh: Any, other: bytes, state: Any, me: Identity, journal: MatchJournal) -> None:
        self._mesh = mesh
        self._other = other
        self._state = state
        self._me = me
        self.journal = journal
        self.on_agreed: Callable[[], None] = lambda: None

    def act(self, more: int = 0) -> None:
        """One action; the other side answers with one of its own until there are no `more`, then it agrees."""
        action = bench_games.Count(self._state.count % self._state.seats)
        self._state, _ = engine.advance(bench_games.GAME, self._state, action)
        raw = msgspec.msgpack.encode((canonical(action), digest(self._state), more))
        signature = self._me.sign("frame", raw)
        self.journal.append(Signed("frame", 0, raw, signature), True)
        self._say(signature + raw)

    def heard(self, data: bytes) -> None:
        """The other side acted, or agrees."""
        if data == AGREED:
            self.on_agreed()
            return
        signature, raw = data[:SIGNATURE_SIZE], data[SIGNATURE_SIZE:]
        assert verify(self._other, "frame", raw, signature)
        action, theirs, more = msgspec.msgpack.decode(raw)
        self._state, _ = engine.advance(bench_games.GAME, self._state, bench_games.GAME.codec.decode(action))
        assert digest(self._state) == theirs
        if more:
            self.act(more - 1)
        else:
            self._say(AGREED)

    def _say(self, data: bytes) -> None:
        self._mesh.send(self._other, MatchTalk(CONTROL, data))
        self._mesh.push()
