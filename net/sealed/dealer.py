"""The sealed dealer of network matches: table, secrets and chance entries behind the engine's dealer protocol."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from kontor_games.engine.core.chance import Chance, Want
from kontor_games.engine.core.value import Known
from kontor_games.net.wire.chain import DealerMessage

from .bodies import Cheat, Opening, decode_opening
from .checks import Check, Verdict
from .entries import Entries
from .events import Closed, Duty, Event, Job
from .player import Player
from .table import Table

NIL = b"\xc0"


class SealedDealer:
    """What a session drives; without a secret it is a spectator's or a verifier's, which reads no hidden card.

    The calls that take something in return events, see `entries`. Chance actions are also queued for `ready`.
    """

    def __init__(
        self,
        match_id: bytes,
        peers: int,
        seat_peer: Sequence[int],
        recovery: str = "majority",
        me: int | None = None,
        secret: bytes | None = None,
        inline: bool = False,
    ) -> None:
        self.table = Table(match_id, peers, seat_peer, recovery)
        self.entries = Entries(self.table, match_id, me, inline)
        self.player = Player(self.table, me, secret) if me is not None and secret is not None else None
        self._answers: deque[Chance] = deque()

    # --- the engine's dealer protocol

    def serve(self, want: Want) -> None:
        """Start serving at the digest of the last `settle`; sessions pass the want to `settle` instead."""
        self.settle(self.entries.digest, want)

    def ready(self) -> Chance | None:
        """The oldest chance action not taken yet; `Left` comes here too."""
        return self._answers.popleft() if self._answers else None

    def known(self, seat: int) -> Known:
        """Slot -> face of the cards that a seat of this node holds alone."""
        return self.player.known(seat) if self.player is not None else {}

    # --- the session's side

    def receive(self, message: DealerMessage, raw: bytes, own: bool = False) -> list[Event]:
        """A dealer message whose signature holds."""
        return self._note(self.entries.receive(message, raw, own))

    def finished(self, job: Job, outcome: Verdict | Cheat) -> list[Event]:
        """The outcome of a job that `entries.jobs()` handed out."""
        return self._note(self.entries.finished(job, outcome))

    def settle(
        self, digest: bytes, want: Want | None = None, awaits: int | None = None, over: bool = False
    ) -> list[Event]:
        """The engine has acted, see `Entries.settle`."""
        return self._note(self.entries.settle(digest, want, awaits, over))

    def peer_at(self, peer: int, tip: bytes) -> list[Event]:
        """Another peer acknowledged this tip."""
        return self._note(self.entries.peer_at(peer, tip))

    def duties(self) -> list[Duty]:
        """What this node has to make, sign and send now."""
        return self.entries.due(self.player) if self.player is not None else []

    def opening(self, r: int, pairs: Sequence[tuple[int, int]]) -> Opening | None:
        """The element of a frame's field `u` for an own action that shows these cards; None: all are public."""
        assert self.player is not None
        return self.player.open(r, [slot for slot, _ in pairs])

    def check_openings(
        self, seat: int, claims: Sequence[tuple[int, Sequence[tuple[int, int]]]], raws: Sequence[bytes]
    ) -> list[Check]:
        """Checks for the cards that the actions of one frame show; raises Cheat. Run all, then `commit_openings`.

        A claim is (want number of the opening, `opens` of the action), one for each action that opens anything;
        `raws` are the elements of the frame's field `u`, nil where all cards of an action are public already.
        """
        peer = self.table.peers.seat_peer[seat]
        slots = [slot for _, pairs in claims for slot, _ in pairs]
        if len(raws) != len(claims) or len(set(slots)) != len(slots):
            raise Cheat(peer, "shr.form" if len(raws) != len(claims) else "shr.card")
        checks = []
        for (r, pairs), raw in zip(claims, raws, strict=True):
            body = None if raw == NIL else decode_opening(peer, raw)
            check = self.table.check_opening(seat, r, pairs, body)
            if check is not None:
                checks.append(check)
        return checks

    def _note(self, events: list[Event]) -> list[Event]:
        self._answers.extend(event.chance for event in events if isinstance(event, Closed) and event.chance is not None)
        return events
