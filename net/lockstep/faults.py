"""Those who cheated, as far as it was seen here: what proves it, whether what they signed counts, what is taken back.

A **fault** is something that no honest peer signs; its messages prove it to anybody. What follows, in order:

1. Everybody gets the proof: whoever cheats need not have told everybody the same. It is part of every offer as long as
   the cheat is at the table.
2. If a message of the cheat stands in our chain at the place of one that proves the fault, there are two versions of
   it. It stays if everybody else has signed something behind it: then nobody is thrown back by what the cheat shows
   later. Otherwise we go back to before it, and write down why (`takes_back`). That is asked again whenever something
   has happened, because other items may have come meanwhile.
3. The others vote the cheat out. If the terms do not let them and its part cannot be done without it, the match ends
   with "fault" (`is_doomed`). That may pass: an escrow may be completed with what the cheat had said before.

All peers have to come to one answer, whatever they heard first. So 2 rests on signatures, which go round
(`standing.py`), and not on votes or on who was first.

An attacker would show its second version late, to throw the others back (2: not once all have passed it), to some only
(1), or a third version after it was found out (a second fault of a known cheat counts only if it takes something back).
"""

from __future__ import annotations

from collections.abc import Iterator

from kontor_games.engine.errors import RemoteError
from kontor_games.net.ledger.facts import Fault
from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.ledger.places import Place, place_of, tip_before
from kontor_games.net.wire.chain import frame_tip
from kontor_games.net.wire.match_talk import Signed

from .effects import Effect, Send
from .standing import Standing


class Faults:
    """The faults that were seen in one match, in order."""

    def __init__(self, ledger: Ledger, peers: Standing) -> None:
        self._ledger = ledger
        self._peers = peers
        self._seen: list[Fault] = []
        self.passed: bytes | None = None  # a tip behind a cheat's message that all others have passed
        self._forked: set[int] = set()  # cheats of whose messages one was in our chain, and there is another

    def __iter__(self) -> Iterator[Fault]:
        return iter(self._seen)

    def add(self, fault: Fault) -> None:
        """This was not known before."""
        self._seen.append(fault)

    def is_known(self, fault: Fault) -> bool:
        """Whether this peer is known to cheat, and to have told two stories if that is what it did now."""
        codes = [known.code for known in self._seen if known.peer == fault.peer]
        return "fork" in codes or (bool(codes) and fault.code != "fork")

    def evidence(self) -> list[Signed]:
        """What proves the faults of those still at the table."""
        return [signed for fault in self._seen if fault.peer in self._ledger.active for signed in fault.evidence]

    def prove(self, fault: Fault) -> list[Effect]:
        """Show the evidence to all others."""
        others = [p for p in self._peers.linked if p != fault.peer]
        return [Send(p, signed) for p in others for signed in fault.evidence]

    def cheats(self) -> dict[int, str]:
        """All cheats with what they did, for a ledger that goes back."""
        cheats = {fault.peer: fault.code for fault in self._seen}
        cheats.update(dict.fromkeys(self._forked, "fork"))
        return cheats

    # ---- whether what a cheat signed counts

    def is_void(self, frame: Signed, in_chain: bool) -> bool:
        """Whether a frame for our tip comes from a cheat and does not count.

        It does as part of somebody's chain (`in_chain`) if there is only one version of it, as far as we know, or if
        all had passed it before they knew (`passed`).
        """
        if frame.peer not in self._ledger.entries.banned:
            return False
        shown = [other for fault in self._seen for other in fault.evidence if other.peer == frame.peer]
        is_single = not any(other.raw != frame.raw and _place_of(other) == _place_of(frame) for other in shown)
        return not (in_chain and (is_single or frame_tip(self._ledger.tip, frame.raw) == self.passed))

    def takes_back(self, fault: Fault) -> int | None:
        """The position that we have to go back to because of this fault, None if nothing is taken back.

        What a cheat told some of us does not count unless all have acknowledged it.
        """
        position = self.position_of(fault)
        if position is None or not self.not_beyond(position, fault.peer):
            return None
        self.fork(fault.peer)
        return position

    def fork(self, peer: int) -> None:
        """Whatever the proof was: there are two versions of something that this peer signed."""
        self._forked.add(peer)

    def not_beyond(self, position: int, author: int | None) -> set[int]:
        """Those, but for the author, who neither have signed anything behind this item of the chain nor stand there."""
        ledger = self._ledger
        tips = ledger.chain.tips_after(position)
        # what was signed for an entry that a departure left open may be older than the item
        behind = [part for item in ledger.items[position + 1 :] for part in item.parts]
        passed = {part.peer for part in behind if tip_before(part) in tips} | self._peers.signed_at.at(tips)
        others = set(ledger.active) - {ledger.me, author} - passed
        return {p for p in others if self._peers[p].tip not in tips}

    def position_of(self, fault: Fault) -> int | None:
        """Where in the chain a message of the cheat stands at the place of one that proves the fault, if one does.

        That may be another message than those of the proof: it is then one of two versions itself.
        """
        places = {_place_of(signed) for signed in fault.evidence if signed.peer == fault.peer} - {None}
        for position, item in enumerate(self._ledger.items):
            if any(part.peer == fault.peer and _place_of(part) in places for part in item.parts):
                return position
        return None

    @property
    def is_doomed(self) -> bool:
        """Whether a proven cheat is at the table and cannot be put out."""
        if not self._seen:
            return False
        ledger = self._ledger
        cheats = {fault.peer for fault in self._seen} & set(ledger.active) - {ledger.me}
        lost = [p for p in sorted(cheats) if ledger.table.why_not_gone((p,)) is not None]
        return any(not ledger.entries.position.may_complete_escrow(p) for p in lost)


def _place_of(signed: Signed) -> Place | None:
    """The place of a message, None if it cannot be read."""
    try:
        return place_of(signed)
    except RemoteError:
        return None
