"""Departures in order: a peer hands over its deck key (`bye`) and leaves at a place in the chain that all find alike.

A goodbye may cross other messages on the way, so it does not take effect where it arrives. The rules:

1. It takes effect at the first point, from the tip that it names on, where its sender **owes** something: a message of
   the open entry, or a frame because its seat is to act. With two peers at the table it takes effect at once.
2. Of several goodbyes the order is that of the open entry's messages: one goes into the chain when everything before
   its sender's part is here. A peer gives its part or says goodbye, never both, so this order is the same everywhere.
   A node that sees another survivor at the resulting tip follows it; one that only reads a chain takes what it finds.
3. An honest node sends nothing after its goodbye, and none while its part of the open entry is out: not everybody need
   hold that part.
4. Of two goodbyes of one peer the older one counts, at every node, unless a chain that is followed has the other.
5. The last peer at the table cannot leave. A goodbye of its own that crossed another's lapses, and it finishes what is
   open alone.

Somebody whose goodbye waits for its place counts as having acknowledged everything, and no vote waits for its shares.

What an attacker would try: say goodbye and go on playing (its messages are not waited for; a second goodbye changes
nothing, 4); say it to some only (it is passed on, and its place does not depend on when it comes); send a wrong key (it
is checked at once, and its author blamed); leave in the middle of an entry that others have its part of (3: the entry
starts afresh if that can matter).
"""

from __future__ import annotations

from kontor_games.engine.errors import LocalError
from kontor_games.net.wire.chain import DealerMessage, entry_tip

from .bodies import Cheat
from .departures import CompleteDeparture, Departures
from .events import Event, SignedBody, as_message
from .forks import Forks
from .player import Player
from .position import Position
from .sightings import Sightings


class Goodbyes:
    """The goodbyes that wait for their place in the chain."""

    def __init__(self, position: Position, forks: Forks, sightings: Sightings, departures: Departures) -> None:
        self._position = position
        self._table = position.table
        self._forks = forks
        self._sightings = sightings
        self._departures = departures
        self._byes: dict[int, SignedBody] = {}

    @property
    def leaving(self) -> frozenset[int]:
        """Peers that said goodbye and only wait for their place in the chain; nobody waits for their word."""
        return frozenset(self._byes)

    @property
    def silent(self) -> frozenset[int]:
        """Those of them that have given no shares here: a vote must not wait for theirs."""
        return frozenset(p for p in self._byes if not self._departures.has_given(p))

    def has_left(self, peer: int) -> bool:
        """Whether this peer has said goodbye."""
        return peer in self._byes

    def messages(self) -> list[SignedBody]:
        """All goodbyes that are held."""
        return list(self._byes.values())

    def why_not_leave(self) -> str | None:
        """Why this node cannot say goodbye now, or None."""
        here, me = self._position, self._departures.me
        if not here.settled or me is None or me not in self._table.peers.keys:
            return "there is nothing to leave yet"
        if self._table.final:
            return "the match is complete"
        if here.is_alone:
            return "nobody else is at the table any more"
        of_two = len(self._table.active) == 2  # only one is left to say where in the chain the goodbye stands
        if not of_two and here.open is not None and here.open.plans(me) and not here.open.expects(me):
            return "this node has done its part of the open entry; it may leave when that is closed"
        return None

    def leave(self, player: Player) -> DealerMessage:
        """The message with which this node leaves in order; it must not send anything afterwards."""
        reason = self.why_not_leave()
        if reason:
            raise LocalError(reason)
        here = self._position
        return as_message(here.match_id, player.me, here.tip, here.digest, player.bye())

    def take(self, signed: SignedBody) -> list[Event]:
        """Keep a goodbye for its place; a wrong one is blamed at once."""
        if signed.peer not in self._table.active or self._position.is_alone:
            return []
        known = self._byes.get(signed.peer)
        is_led = entry_tip(self._position.tip, (signed.raw,)) == self._sightings.lead
        age = self._position.age
        if known is not None and not is_led and age(known.h) >= age(signed.h):
            self._forks.forget(signed)  # whoever says goodbye twice leaves with the first of them, at every peer
            return []
        try:
            self._table.check(signed.peer, signed.body).run()
        except Cheat as cheat:
            return list(self._forks.blame(cheat, (signed.raw,)))
        if known is not None:
            self._forks.forget(known)
        self._byes[signed.peer] = signed
        return []

    def clear(self) -> None:
        """One peer is left: it does not leave."""
        self._byes = {}

    def next(self) -> CompleteDeparture | None:
        """The goodbye whose place in the chain is here, if there is one; it waits no longer."""
        here = self._position
        for peer, bye in sorted(self._byes.items()):
            tip = entry_tip(here.tip, (bye.raw,))
            is_led = (
                self._departures.me is not None and tip == self._sightings.lead
            )  # it had a place at those we follow
            if peer not in self._table.active or not (self._owes(peer) or is_led):
                continue
            if self._departures.is_bound_elsewhere(tip) or not (self._is_next(peer) or self._departures.is_seen(tip)):
                continue
            del self._byes[peer]
            entry = here.main
            secret = self._table.check(peer, bye.body).run().result
            # What it may have sent for that entry not everybody need hold: the entry starts again from nothing.
            is_last_but_one = len(self._table.active) == 2
            afresh = entry is not None and entry.plans(peer) and (entry is here.parked or is_last_but_one)
            return CompleteDeparture({peer: secret}, None if afresh or here.starts_afresh(entry) else {}, (bye.raw,))
        return None

    def _is_next(self, peer: int) -> bool:
        """Whether everything that comes before this peer's part of the open entry is here."""
        entry = self._position.open
        if self._departures.me is None or entry is None or len(self._table.active) == 2:
            return True
        here = (*entry.applied, *entry.waiting)
        first = next((m for m in entry.task.planned(self._table.waits_for) if m not in here), None)
        return first is None or first[1] == peer

    def _owes(self, peer: int) -> bool:
        if self._position.awaits == peer or len(self._table.active) == 2:
            return True
        return self._position.open is not None and self._position.open.expects(peer)
