"""This node's own part of a match: its messages for chance entries, its turns, its votes, its goodbye.

What may be signed, and when, in order:

1. Nothing while `pledges.may_sign` is false: something waits for the disk, or this node only reads.
2. A goodbye, as soon as the chain has a place for it; votes and shares for the departed. These are said even while the
   nodes differ about the state, so that nobody can hold the others there.
3. What is owed to the open entry, one message at a time. A shuffle takes a worker, and may have been made ahead.
4. A turn, once every active peer stands at our tip with our state, and no departure binds us.

A shuffle on top of one that is lost with its author would be worth nothing, and cannot be signed twice; shares for the
departed bind us to what the votes name. So what a message rests on is written down before it (`_say`), and what a vote
names goes out before the vote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from kontor_games.engine.errors import IllegalAction, LocalError, MalformedAction
from kontor_games.net.ledger.facts import Fact
from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.sealed.events import Duty
from kontor_games.net.wire.chain import DealerMessage, Frame, decode, encode
from kontor_games.net.wire.match_talk import Signed

from .effects import Again, Dropped, Effect, Waiting
from .faults import Faults
from .pledges import Pledges
from .speaker import Speaker
from .standing import Standing
from .standoff import Standoff
from .wishes import Wishes
from .workbench import Workbench

ActOn: TypeAlias = Callable[[Sequence[Fact], Signed | None], list[Effect]]


class OurPart:
    """Makes what this node has to say; `act_on` does what follows from it, as from anybody's message."""

    def __init__(
        self,
        ledger: Ledger,
        peers: Standing,
        pledges: Pledges,
        speaker: Speaker,
        faults: Faults,
        standoff: Standoff,
        wishes: Wishes,
        workbench: Workbench,
        act_on: ActOn,
    ) -> None:
        self._ledger = ledger
        self._peers = peers
        self._pledges = pledges
        self._speaker = speaker
        self._faults = faults
        self._standoff = standoff
        self._wishes = wishes
        self._workbench = workbench
        self._act_on = act_on
        self._waiting: tuple[int, ...] = ()  # whom our turn waits for, as far as it was told
        self.named_again: tuple[object, ...] = ()  # what our last repeated vote named

    # ---- parts of the open entry

    def duty(self) -> Duty | None:
        """What this node owes and is not making yet."""
        if not self._pledges.may_sign or self._faults.is_doomed:
            return None
        return next((duty for duty in self._ledger.own.due() if not self._workbench.is_making(duty)), None)

    def do_duty(self) -> list[Effect]:
        """Make what is owed; if that takes some milliseconds, everything else goes out first."""
        duty = self.duty()
        if duty is None:
            return []
        # before the game begins nobody waits for anything else
        return self.do(duty) if duty.heavy or self._ledger.state is None else [Again()]

    def do(self, duty: Duty) -> list[Effect]:
        """Make this message, or have a worker make it."""
        body = self._workbench.take_made(duty)
        if body is not None:
            return self._say(duty.seal(body))
        if not duty.heavy:
            return self._say(duty.make())

        def made(message: DealerMessage) -> list[Effect]:
            still = any((due.name, due.h) == (duty.name, duty.h) for due in self._ledger.own.due())
            return self._say(message) if still and self._pledges.may_sign and not self._standoff.is_on else []

        return self._workbench.make(duty, made)

    def make_ahead(self) -> list[Effect]:
        """Begin with the shuffle that will be owed next."""
        ahead = self._ledger.own.ahead() if self._pledges.may_sign else None
        return [] if ahead is None else self._workbench.make_ahead(ahead)

    def _say(self, message: DealerMessage, said_before: Sequence[Signed] = ()) -> list[Effect]:
        """Sign our part of a chance entry, write it down with all it rests on, then send it and take it ourselves."""

        def taken(signed: Signed) -> list[Effect]:
            before = self._speaker.send_to_all(said_before)
            facts = self._ledger.take_dealer(signed, decode(DealerMessage, signed.raw))
            return [*before, *self._speaker.spread(signed, None), *self._act_on(facts, None)]

        grounds = self._pledges.journal_grounds(self._ledger.messages.grounds(message))
        return [*grounds, *self._pledges.pledge("dealer", encode(message), taken)]

    # ---- goodbyes and votes

    def leave_or_vote(self) -> list[Effect]:
        """What is said even while the nodes differ about the state: goodbyes, votes, shares for the departed."""
        if not self._pledges.may_sign:
            return []
        ledger = self._ledger
        if self._wishes.is_leaving and ledger.player is not None and ledger.entries.why_not_leave() is None:
            self._wishes.is_leaving = False
            return self._say(ledger.entries.leave(ledger.player))
        if self._standoff.is_on:
            giv = next((duty for duty in ledger.own.due() if duty.name == "giv"), None)
            if giv is not None:
                return self.do(giv)
        return self._vote()

    def choose_gone(self, against: Iterable[int]) -> None:
        """Our player declares exactly these gone; a vote that stands already is not said again."""
        against = frozenset(against)
        self._recall_vote()
        entries = self._ledger.entries
        if not against or against != entries.accused or entries.is_vote_stale:
            self._wishes.ballot.choose(against)

    def _recall_vote(self) -> None:
        """Our vote comes from the journal, or from peers that remember it."""
        self._wishes.ballot.recall(self._ledger.tip, self._ledger.entries.accused)

    def _vote(self) -> list[Effect]:
        self._recall_vote()
        ledger, entries, ballot = self._ledger, self._ledger.entries, self._wishes.ballot
        if not ballot.is_open or not entries.settled or self._pledges.me in entries.leaving:
            return []
        against = ballot.due(ledger.tip, ledger.active, entries.silent)
        if against is None and entries.is_vote_stale and self.named_again != (stand := entries.what_we_would_name):
            self.named_again = stand  # once for what is held now: a vote that is not taken is not cast for ever
            against = entries.accused
        try:
            vote = None if against is None else entries.vote(against)
        except LocalError:
            return []
        # what the vote names goes out before it: it counts only where that is held
        return [] if vote is None else self._say(vote, said_before=ledger.messages.named_in(vote))

    # ---- turns

    def absent(self) -> tuple[int, ...]:
        """Active peers that have not acknowledged our tip; who has said goodbye need not."""
        ledger = self._ledger
        leaving = ledger.entries.leaving
        expected = [p for p in ledger.active if p not in leaving] if leaving else ledger.active
        return self._peers.absent(expected, ledger.tip, ledger.digest)

    @property
    def has_turn_to_play(self) -> bool:
        """Whether our player has committed a turn, and it may be signed as far as we are concerned."""
        return self._wishes.draft is not None and self._pledges.may_sign

    def play(self) -> list[Effect]:
        """Sign the drafted turn once every active peer stands at our tip with our digest, and no departure binds us."""
        actions = self._wishes.draft
        assert actions is not None
        try:
            turn = self._ledger.own.draft(actions)
        except (IllegalAction, MalformedAction) as error:
            self._wishes.draft = None
            return [Dropped(str(error))]
        absent = self.absent() or self._ledger.entries.bound_to
        if absent:
            if absent == self._waiting:
                return []
            self._waiting = absent
            return [Waiting(absent)]
        self._wishes.draft, self._waiting = None, ()

        def played(signed: Signed) -> list[Effect]:
            frame = decode(Frame, signed.raw)
            if self._ledger.place(frame.h) != "now":
                return []  # the others went on while it waited for the disk
            return self._act_on(self._ledger.take_frame(signed, frame, trusted=True, turn=turn), signed)

        return self._pledges.pledge("frame", encode(self._ledger.own.frame(turn)), played)
