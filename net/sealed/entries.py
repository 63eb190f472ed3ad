"""Chance entries: which dealer messages belong together, in which order, under which tip; what moves the chain.

The session verifies signatures and hands every dealer message to `receive`. `due` says what this node has to sign next
(run `duty.make()` in a worker if it is heavy). Heavy checks wait in `jobs()`: run each anywhere with `job.run()`, then
report it with `finished(job, outcome)`. Methods return events, in order (`events`); after each of them look at `jobs()`
and `due` again.

After an `EntryClosed` with a chance action, and after each frame (`framed`), the session lets the engine act (stand-ins
included) and calls `settle` with the new digest, the engine's open want, the peer whose seat is to act, and whether
the match is over. Until then nothing is taken. `Left` may come before the first state: keep it for after set-up.

**Parts.** Each has its own state and its own essay; none knows the ones below it:

    position    the tip, the open entry, the one that waits behind it: the states of the chain
    sightings   messages that came too early; where other peers were seen
    forks       all messages by hash and place; two at one place; what counts of a cheat all the same
    departures  votes and shares; what binds this node that has given them; what closes a departure by vote
    goodbyes    goodbyes and their places in the chain
    judging     light and heavy checks of the open entry's messages
    entries     this file: a message's way in, and the order in which everything else follows

**A message's way in.** Of another match, of nobody, or known: ignored. Of a cheat: held, not taken. Under a tip that
is neither open nor past: kept for later. With another digest than ours: void, and no evidence of fraud (only under an
open tip is it told at all). With a body that cannot be read: blamed. At a place that is taken: a fork. Then goodbyes go
to `goodbyes`, votes and shares to `departures`, everything else waits in its entry until `judging` comes to it.

**What follows by itself** (`_advance`), again and again until the tip stays: open the next task; take what was early;
listen again if others went on with peers that we no longer listened to; judge; then close a departure by vote, else a
goodbye, else the open entry. Departures come first because an entry that is open at a departure goes into the chain
after it, at every node. A node that has given its shares for a departure closes nothing else, whatever is complete.

**What callers must do.** Pass a message on before you send one that rests on it, so that a fork is seen before it can
shed blame on others. Spectators take messages in the order in which a peer passes them on, or they might close what no
peer closes. A ledger that goes back, or that only looks for evidence, lets the chain stand still (`stands_still`):
everything is taken and judged, and nothing closes before `go_on`.

What an attacker would try here: messages for tips that never come (bounded per peer), for past ones (void), under a
wrong digest (void, and told as a difference, not as fraud), out of order (they wait), twice (ignored), or while nothing
is open (blamed). What it can do with votes, goodbyes and forks is said in their files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from kontor_games.engine.core.chance import Want
from kontor_games.engine.core.stream import H
from kontor_games.engine.errors import LocalError
from kontor_games.net.wire.chain import DealerMessage, entry_tip, frame_tip

from .bodies import Bye, Cheat, Giv, Gon, MixBody, decode, kind
from .card_table import CardTable
from .checks import Verdict
from .departures import CompleteDeparture, Departures
from .events import Ahead, CheckJob, DigestDiffers, Duty, EntryClosed, Event, MessagesMissing, SignedBody, as_message
from .forks import Forks
from .goodbyes import Goodbyes
from .judging import Judging
from .player import Player
from .position import Position
from .sightings import Sightings


class Entries:
    """The dealer's half of the chain, from its first tip on."""

    def __init__(
        self,
        table: CardTable,
        match_id: bytes,
        me: int | None = None,
        inline: bool = False,
        restarts: bool = True,
    ) -> None:
        self.table = table
        self.me = me
        self.stands_still = False  # messages are held and judged, and close nothing: evidence, going back
        self.position = Position(table, match_id, restarts)
        self.sightings = Sightings()
        self.forks = Forks(self.position)
        self.departures = Departures(self.position, self.forks, self.sightings, me)
        self.goodbyes = Goodbyes(self.position, self.forks, self.sightings, self.departures)
        self._judging = Judging(self.position, self.forks, self.departures, inline)

    @property
    def tip(self) -> bytes:
        """The tip of the chain."""
        return self.position.tip

    @property
    def digest(self) -> bytes:
        """The digest of the state at the tip, once it is settled."""
        return self.position.digest

    @property
    def busy(self) -> bool:
        """Whether an entry is open."""
        return self.position.open is not None

    @property
    def settled(self) -> bool:
        """Whether the engine has said what came of the last item."""
        return self.position.settled

    @property
    def banned(self) -> dict[int, str]:
        """Peers that were found out, and for what."""
        return self.forks.banned

    # --- what comes in

    def receive(self, message: DealerMessage, raw: bytes, own: bool = False) -> list[Event]:
        """A message whose signature holds; `own`: this very process made it, so its proofs are not checked again."""
        return [*self._receive(message, raw, own), *self._advance()]

    def _receive(self, message: DealerMessage, raw: bytes, own: bool) -> Iterator[Event]:
        forks, here = self.forks, self.position
        peer, digest = message.p, H("msg", raw, size=32)
        if message.m != here.match_id or peer >= self.table.count or forks.is_known(digest):
            return
        if peer in forks.banned and not forks.counts_anyway(digest):
            yield from forks.show_cheat(message, raw, digest)
            return
        place = here.digest_at(message.h)
        expected = here.past.get(message.h) if place is None else place
        if expected is None:
            self.sightings.keep_early(message, raw, own)
            return
        if message.d != expected:
            if place is not None:  # about a tip that is behind us there is nothing to differ about any more
                yield DigestDiffers(peer, raw)
            return
        try:
            body = decode(peer, bytes(message.b))
        except Cheat as cheat:
            yield from forks.blame(cheat, (raw,))
            return
        signed = SignedBody(peer, message.h, message.d, body, raw, digest, own)
        other = forks.first(signed)
        if other is not None and not forks.counts_anyway(digest):
            forks.show(signed)
            yield from forks.blame(Cheat(peer, "fork"), (other.raw, raw))
        elif isinstance(body, Gon | Giv) and not self.departures.takes(signed):
            return
        elif place is not None or isinstance(body, Bye):
            forks.take(signed)
            yield from self._route(signed)

    def _route(self, signed: SignedBody) -> Iterator[Event]:
        body, peer, here = signed.body, signed.peer, self.position
        if isinstance(body, Bye):
            yield from self.goodbyes.take(signed)
        elif isinstance(body, Gon | Giv):
            yield from self.departures.take(signed)
        else:
            entry = here.open if here.open is not None and here.open.h == signed.h else here.parked
            if peer not in self.table.active and here.named.get(signed.hash) != peer:
                return
            if entry is None or entry.h != signed.h:
                yield from self.forks.blame(Cheat(peer, f"{kind(body)}.unexpected"), (signed.raw,))
            else:
                entry.waiting[signed.key] = signed

    def jobs(self) -> Iterator[CheckJob]:
        """Heavy checks to run now; each is handed out once, when the caller comes to it."""
        return self._judging.jobs()

    def finished(self, job: CheckJob, outcome: Verdict | Cheat) -> list[Event]:
        """The outcome of a job."""
        events = self._judging.finished(job, outcome)
        return [] if events is None else [*events, *self._advance()]

    def peer_at(self, peer: int, tip: bytes) -> list[Event]:
        """Another peer acknowledged this tip; that matters only to a node that waits for a departure."""
        self.sightings.saw(peer, tip)
        return self._advance() if self.departures.is_waiting else []

    # --- what goes out

    def due(self, player: Player) -> list[Duty]:
        """What this node owes now and has not sent."""
        me, here, entry = player.me, self.position, self.position.open
        if entry is None and self.departures.is_empty:
            return []
        if not here.settled or me != self.me or me not in self.table.active:
            return []
        if me in self.forks.banned or self.goodbyes.has_left(me):
            return []
        out: list[Duty] = []
        if entry is not None and not (entry.is_shuffle and self.departures.leaves_out(entry)):
            for name, peer in entry.task.ripe(self.table.waits_for):
                sent = any(self.forks.has_sent(me, entry.h, entry.d, t) for t in (name, "cmp"))
                if peer == me and not sent:
                    seal = partial(as_message, here.match_id, me, entry.h, entry.d)
                    out.append(Duty(name, entry.h, player.draft(name), seal))
        shares = self.departures.shares_due(player)
        return out if shares is None else [*out, shares]

    def ahead(self, player: Player) -> Ahead | None:
        """What this node will owe as soon as a shuffle that is being checked is found good."""
        entry, me = self.position.open, player.me
        if entry is None or not entry.is_shuffle or not self.position.settled or self.goodbyes.has_left(me):
            return None
        steps = [m for m in entry.task.planned(self.table.waits_for) if m not in entry.task.got][:2]
        before = entry.waiting.get(steps[0]) if len(steps) == 2 and steps[1] == ("mix", me) else None
        if before is None or not self._judging.is_checking(before) or not isinstance(before.body, MixBody):
            return None
        return Ahead(player.draft_ahead(before.body.o))

    def held(self, digest: bytes) -> bytes | None:
        """The bytes of a message by its hash, for a peer that lacks it."""
        signed = self.forks.find(digest)
        return None if signed is None else signed.raw

    def is_known(self, digest: bytes) -> bool:
        """Whether a message was taken before; what is only held of a cheat may have to be taken yet."""
        return self.forks.is_known(digest)

    def judged_messages(self) -> list[bytes]:
        """Messages of open entries that this node has found good: what its own next message may rest on."""
        return [s.raw for entry in self.position.entries for s in entry.applied.values()]

    def open_messages(self) -> list[bytes]:
        """All messages this node holds for open entries and votes: what a reconnected peer needs beside the chain."""
        entries = self.position.entries
        signed = [s for entry in entries for s in (*entry.applied.values(), *entry.waiting.values())]
        return [s.raw for s in (*self.departures.messages(), *signed, *self.goodbyes.messages())]

    # --- the chain moves

    def why_not_frame(self, raw: bytes) -> str | None:
        """Why a frame may not follow here now, or None."""
        if self.position.open is not None or not self.position.settled:
            return "a chance entry is open"
        if self.departures.is_bound_elsewhere(frame_tip(self.tip, raw)):
            return "this node has given its shares for a departure at this tip"
        return None

    def framed(self, raw: bytes) -> bytes:
        """The session applied a frame: the new tip."""
        reason = self.why_not_frame(raw)
        if reason:
            raise LocalError(reason)
        self._move(frame_tip(self.tip, raw))
        self.position.settled = False
        return self.tip

    def settle(
        self, digest: bytes, want: Want | None = None, awaits: int | None = None, over: bool = False
    ) -> list[Event]:
        """The engine has acted: the digest at this tip, its open want, or the peer whose seat is to act, or the end."""
        self.position.settle(digest, want, awaits, over)
        return self._advance()

    def follow(
        self, raws: Sequence[bytes], authors: Sequence[int], source: int | None = None, is_passed: bool = False
    ) -> None:
        """The chain goes on with an entry of these messages, says peer `source` who has passed it on.

        Messages of a cheat count if there is only one version of them, as far as we know, or if all had passed the
        entry (`is_passed`) before they knew.
        """
        self._lead(entry_tip(self.tip, raws), source)
        self.forks.back(raws, authors, source, is_passed)

    def follow_frame(self, raw: bytes, source: int | None = None) -> None:
        """The chain goes on with this frame, says peer `source` who has passed it on."""
        self._lead(frame_tip(self.tip, raw), source)

    def _lead(self, tip: bytes, source: int | None) -> None:
        self.sightings.lead = tip if source not in self.departures.accused else None

    def listen_again(self) -> list[Event]:
        """Others went on with messages of those we had stopped listening to: take them, and vote again after."""
        self.departures.listen_again()
        return self._advance()

    def go_on(self) -> list[Event]:
        """The chain no longer stands still: everything that follows."""
        self.stands_still = False
        return self._advance()

    def _move(self, tip: bytes) -> None:
        self.position.move(tip)
        self.forks.moved()
        self.departures.moved()

    # --- what follows by itself

    @property
    def _is_idle(self) -> bool:
        """Whether nothing is open, wanted or waiting: so it is between most frames."""
        if not self.position.is_idle or self.goodbyes.leaving:
            return False
        return self.departures.is_empty and not self.sightings.has_early

    def _advance(self) -> list[Event]:
        """Everything that follows by itself."""
        if self._is_idle:
            return []
        events: list[Event] = []
        while self.position.settled and not self.table.final:  # the keys are open: the chain is complete
            self.position.start()
            for message, raw, own in self.sightings.release(self._is_reached):
                events += self._receive(message, raw, own)
            self.departures.follow_others()
            if self.position.open is not None and self.forks.has_shown:
                self.forks.hear(sorted(self.departures.named_in_votes()))
            events += self._judging.judge_ripe()
            tip = self.tip
            for step in (self._close_voted, self._close_goodbye, self._close_task):
                events += step()
                if self.tip != tip:
                    break
            else:
                break
        return events

    def _is_reached(self, tip: bytes) -> bool:
        return self.position.digest_at(tip) is not None or tip in self.position.past

    def _close_voted(self) -> Iterator[Event]:
        for found in self.departures.complete():
            if not isinstance(found, CompleteDeparture):
                yield found
            elif not self.stands_still:
                yield self._depart(found)
                absent = tuple(digest for digest in self.position.named if self.forks.find(digest) is None)
                if absent:
                    yield MessagesMissing(absent)
                return

    def _close_goodbye(self) -> Iterator[Event]:
        departure = None if self.stands_still else self.goodbyes.next()
        if departure is not None:
            yield self._depart(departure)

    def _close_task(self) -> Iterator[Event]:
        here, entry, before = self.position, self.position.open, self.tip
        if entry is None or not self.table.complete or self.stands_still:
            return
        raws = entry.raws()
        tip = entry_tip(before, raws)
        if self.forks.are_in(entry) or self.departures.is_bound_elsewhere(tip):
            return
        closed, chance = self.table.close()
        here.open = None
        if closed.kind != "escrow":
            here.named = {}
        self._move(tip)
        here.settled = chance is None
        yield EntryClosed(closed.kind, before, tip, raws, chance)

    def _depart(self, departure: CompleteDeparture) -> EntryClosed:
        """Append a departure before the open entry."""
        here, secrets, named = self.position, departure.secrets, departure.named
        entry, before, afresh = here.main, here.tip, departure.named is None
        self._move(entry_tip(before, departure.raws))
        here.named = {} if named is None else {**here.named, **named}
        self._judging.drop_jobs()
        self.table.leave(secrets, (named or {}).values(), afresh)
        if here.is_alone:
            self.goodbyes.clear()
        held = ((self.forks.find(digest), peer) for digest, peer in here.named.items())
        here.park(
            entry, secrets, [signed for signed, peer in held if signed is not None and signed.peer == peer], afresh
        )
        here.settled = False
        return EntryClosed("gone", before, here.tip, departure.raws, self.table.take_departure())
