"""Chance entries: which messages belong together, in which order, under which tip; forks, early messages, departures.

The session verifies signatures and hands every dealer message to `receive`; `due` says what this node has to sign
next (run `duty.make()` in a worker if it is heavy). Light checks run at once. Heavy ones wait in `jobs()`: run each
anywhere with `job.run()`, then report it with `finished(job, outcome)`. Methods return events, in order (`events`);
after each of them look at `jobs()` and `due` again.

After a `Closed` with a chance action, and after each frame (`framed`), the session lets the engine act (stand-ins
included) and calls `settle` with the new digest, the engine's open want, the peer whose seat is to act, and whether
the match is over. Until then nothing is taken. `Left` may come before the first state: keep it for after set-up.

A vote counts here only when this node holds every message that it names and has found it good: then nobody can be made
to wait for one that does not exist, and none can be missing in the file. Nothing that was named lapses, or an honest
peer would sign a second shuffle for one place.

A node that has given its shares for a departure waits for it: it closes nothing else at that tip and signs no turn,
unless another survivor is seen beyond it (`peer_at`) or all votes are taken back. Whoever its newest vote declares gone
is not a witness for that: an accused peer that is only slow may play on while the last shares are under way. No shuffle
of its own rests on what such a departure would leave out, whatever was voted later.

A `bye` takes effect at the first point where its sender owes something, and in the order of the open entry's messages;
an honest node sends nothing after it, and none while its part of the open entry is out (`why_not_leave`). The last one
at the table cannot leave: a goodbye of its own that crossed another's lapses, and it finishes what is open alone.
Spectators take messages in the order in which a peer passes them on, or they might close what no peer closes.
An entry that was open at a departure keeps its tip, so its messages do not say which departure their author closed.
One that fails a check is then as if it had never come; nobody is blamed, and its author counts as silent.
Relay a message before you send one that rests on it, so that a fork is seen before it can shed blame on others.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from msgspec import Raw

from kontor_games.engine.core.chance import Want
from kontor_games.engine.core.stream import H
from kontor_games.engine.errors import LocalError, RemoteError
from kontor_games.net.wire.chain import DealerMessage, entry_tip, frame_tip
from kontor_games.net.wire.chain import decode as decode_message

from .bodies import Body, Bye, Cheat, Cmp, Giv, Gon, MixBody, decode, encode, kind, told_apart
from .cards import Stale
from .checks import Verdict
from .events import Ahead, Blamed, Closed, Diverged, Duty, Event, Job, Missing, Signed
from .player import Player
from .table import Table
from .tasks import Message, MixPlan, Task
from .votes import Votes, belonging

NO_STATE = bytes(32)  # the digest before the first state
MAX_EARLY = 8  # per peer, for tips not reached yet


@dataclass
class Open:
    """The messages of one open task; `h` and `d` are those of the tip before its entry."""

    task: Task
    h: bytes
    d: bytes
    waiting: dict[Message, Signed] = field(default_factory=dict)  # received, not judged
    applied: dict[Message, Signed] = field(default_factory=dict)

    def plans(self, peer: int) -> bool:
        """Whether messages of this peer belong here."""
        return any(m[1] == peer for phase in self.task.phases for m in phase)

    def expects(self, peer: int) -> bool:
        """Whether a message of this peer has not come yet."""
        planned = [m for phase in self.task.phases for m in phase if m[1] == peer]
        return any(m not in self.applied and m not in self.waiting for m in planned)


class Entries:
    """The dealer's half of the chain, from its first tip on."""

    def __init__(
        self,
        table: Table,
        match_id: bytes,
        me: int | None = None,
        inline: bool = False,
        restarts: bool = True,
    ) -> None:
        assert table.task is not None
        self.table = table
        self.match_id = match_id
        self.me = me
        self.inline = inline  # run heavy checks at once: verifier, tests
        self.stands_still = False  # messages are held and judged, and close nothing: evidence, going back
        self._restarts = restarts  # an open shuffle starts again after every departure; not in terms of version 1
        self.tip = match_id
        self.digest = NO_STATE
        self.settled = True
        self.past: dict[bytes, bytes] = {}  # tips that were left behind, with their state digests
        self.banned: dict[int, str] = {}
        self.deaf: frozenset[int] = frozenset()  # this node's own vote: it stops listening to them
        self._want: Want | None = None
        self._awaits: int | None = None
        self._over = False
        self._open: Open | None = Open(table.task, self.tip, self.digest)
        self._parked: Open | None = None
        self._known: dict[bytes, Signed] = {}  # by hash of the message
        self._shown: dict[bytes, Signed] = {}  # of cheats, for open entries: held without counting
        self._first: dict[tuple[object, ...], Signed] = {}  # for forks
        self._early: dict[int, list[tuple[DealerMessage, bytes, bool]]] = {}
        self._votes = Votes()
        self._byes: dict[int, Signed] = {}
        self._given = False
        self._at: dict[int, deque[bytes]] = {}  # where other peers were seen lately
        self._lead: bytes | None = None  # the next tip of a chain that this node is catching up with
        self._backed: frozenset[bytes] = frozenset()  # messages of cheats in its next entry that count nevertheless
        self._named: dict[bytes, int] = {}  # messages of departed peers that belong to the open task
        self._flight: dict[bytes, Job] = {}
        self._jobs: list[Job] = []

    # --- what comes in

    def receive(self, message: DealerMessage, raw: bytes, own: bool = False) -> list[Event]:
        """A message whose signature holds; `own`: this very process made it, so its proofs are not checked again."""
        return [*self._receive(message, raw, own), *self._advance()]

    def _receive(self, message: DealerMessage, raw: bytes, own: bool) -> Iterator[Event]:
        peer, digest = message.p, H("msg", raw, size=32)
        if message.m != self.match_id or peer >= self.table.count or digest in self._known:
            return
        if peer in self.banned and not self._counts_anyway(digest):
            yield from self._show_cheat(message, raw, digest)
            return
        place = self._place(message.h)
        expected = self.past.get(message.h) if place is None else place
        if expected is None:
            self._keep_early(message, raw, own)
            return
        if message.d != expected:
            if place is not None:  # about a tip that is behind us there is nothing to differ about any more
                yield Diverged(peer, raw)
            return
        try:
            body = decode(peer, bytes(message.b))
        except Cheat as cheat:
            yield from self._blame(cheat, (raw,))
            return
        signed = Signed(peer, message.h, message.d, body, raw, digest, own)
        key = _fork_key(signed)
        if key in self._first and not self._counts_anyway(digest):
            self._show(signed)
            yield from self._blame(Cheat(peer, "fork"), (self._first[key].raw, raw))
        elif isinstance(body, Gon | Giv) and not self._takes_vote(signed):
            return
        elif place is not None or isinstance(body, Bye):
            self._known[digest] = self._first[key] = signed
            yield from self._route(signed)

    def _show_cheat(self, message: DealerMessage, raw: bytes, digest: bytes) -> Iterator[Event]:
        """A cheat's message does not count, but others may have taken it before they knew, and name it in votes."""
        try:
            body = decode(message.p, bytes(message.b))
        except Cheat:
            return
        if isinstance(body, Gon | Giv | Bye):
            return
        signed = Signed(message.p, message.h, message.d, body, raw, digest)
        if message.d == self._place(message.h):
            self._show(signed)
        known = self._first.get(_fork_key(signed))
        if known is not None:  # there are two versions, whatever it was found out for before
            self.banned[message.p] = "fork"
            yield Blamed(message.p, "fork", (known.raw, raw))

    def _show(self, signed: Signed) -> None:
        """Hold one of several versions of a message; nobody needs more of them than there are peers."""
        versions = [other for other in self._shown.values() if _fork_key(other) == _fork_key(signed)]
        if len(versions) < self.table.count:
            self._shown[signed.hash] = signed

    def _find(self, digest: bytes) -> Signed | None:
        return self._known.get(digest) or self._shown.get(digest)

    def _place(self, h: bytes) -> bytes | None:
        """The digest that messages under this tip must name, None if the tip is not open."""
        for entry in (self._open, self._parked):
            if entry is not None and entry.h == h:
                return entry.d
        return self.digest if h == self.tip and self.settled else None

    def _keep_early(self, message: DealerMessage, raw: bytes, own: bool) -> None:
        kept = self._early.setdefault(message.p, [])
        if all(raw != known for _, known, _ in kept):
            kept.append((message, raw, own))
            del kept[:-MAX_EARLY]

    def _takes_vote(self, signed: Signed) -> bool:
        """Votes count at the current tip only, and nobody may fill our memory with them."""
        return signed.h == self.tip and signed.peer in self.table.active and not self._votes.is_full(signed)

    def _route(self, signed: Signed) -> Iterator[Event]:
        body, peer = signed.body, signed.peer
        if isinstance(body, Bye):
            yield from self._take_bye(signed)
        elif isinstance(body, Gon | Giv):
            yield from self._take_vote(signed)
        else:
            entry = self._open if self._open is not None and self._open.h == signed.h else self._parked
            if peer not in self.table.active and self._named.get(signed.hash) != peer:
                return
            if entry is None or entry.h != signed.h:
                yield from self._blame(Cheat(peer, f"{kind(body)}.unexpected"), (signed.raw,))
            else:
                entry.waiting[signed.key] = signed

    def _take_bye(self, signed: Signed) -> Iterator[Event]:
        """Keep a goodbye for its place; a wrong one is blamed at once."""
        if signed.peer not in self.table.active or self._is_alone:
            return
        known = self._byes.get(signed.peer)
        is_led = entry_tip(self.tip, (signed.raw,)) == self._lead
        if known is not None and not is_led and self._age(known.h) >= self._age(signed.h):
            self._forget(signed)  # whoever says goodbye twice leaves with the first of them, at every peer
            return
        try:
            self.table.check(signed.peer, signed.body).run()
        except Cheat as cheat:
            yield from self._blame(cheat, (signed.raw,))
        else:
            if known is not None:
                self._forget(known)
            self._byes[signed.peer] = signed

    def _forget(self, bye: Signed) -> None:
        """One of several goodbyes does not count; others may have closed it, and show it again."""
        self._known.pop(bye.hash, None)
        self._first.pop(_fork_key(bye), None)

    def _take_vote(self, signed: Signed) -> Iterator[Event]:
        if isinstance(signed.body, Gon):
            try:
                self.table.check_vote(signed.peer, signed.body)
            except Cheat as cheat:
                yield from self._blame(cheat, (signed.raw,))
                return
        self._votes.take(signed)
        if self.me is not None and (absent := self.lacking()):
            yield Missing(absent)
        if signed.peer != self.me:
            return
        newest = self._votes.newest(signed.peer)
        self.deaf = frozenset(newest[1].w if newest else ())
        self._given = self._given or isinstance(signed.body, Giv)

    def _age(self, tip: bytes) -> int:
        """How many tips have been left behind since this one."""
        return len(self.past) - list(self.past).index(tip) if tip in self.past else 0

    # --- what goes out

    def due(self, player: Player) -> list[Duty]:
        """What this node owes now and has not sent."""
        me = player.me
        entry = self._open
        if entry is None and self._votes.is_empty:
            return []
        if not self.settled or me != self.me or me not in self.table.active or me in self.banned or me in self._byes:
            return []
        out: list[Duty] = []
        if entry is not None and not (isinstance(entry.task.plan, MixPlan) and self._would_rest_on_unnamed(entry)):
            for name, peer in entry.task.ripe(self.table.waits_for):
                sent = any((me, entry.h, entry.d, t, b"") in self._first for t in (name, "cmp"))
                if peer == me and not sent:
                    seal = partial(self._message, entry.h, entry.d)
                    out.append(Duty(name, entry.h, player.draft(name), seal))
        votes = self._votes.agreement(self.table.active, self._counts)
        g = b"".join(vote.hash for vote in votes or ())
        owes = votes is not None and me in (vote.peer for vote in votes)
        if votes is not None and owes and not self._votes.gave(me, g) and self._votes.may_give(me, g):
            self._adopt(votes)
            out.append(Duty("giv", self.tip, player.draft("giv", g), partial(self._message, self.tip, self.digest)))
        return out

    def ahead(self, player: Player) -> Ahead | None:
        """What this node will owe as soon as a shuffle that is being checked is found good."""
        entry, me = self._open, player.me
        if entry is None or not isinstance(entry.task.plan, MixPlan) or not self.settled or me in self._byes:
            return None
        steps = [m for m in entry.task.planned(self.table.waits_for) if m not in entry.task.got][:2]
        before = entry.waiting.get(steps[0]) if len(steps) == 2 and steps[1] == ("mix", me) else None
        if before is None or before.hash not in self._flight or not isinstance(before.body, MixBody):
            return None
        return Ahead(player.draft_ahead(before.body.o))

    def vote(self, gone: Iterable[int]) -> DealerMessage:
        """This node's vote that these peers are gone (none: it takes its vote back)."""
        w = tuple(sorted(gone))
        reason = self.table.why_not_gone(w) if w else None
        if self.me is None or not self.settled or reason:
            raise LocalError(reason or "no vote is possible now")
        newest = self._votes.newest(self.me)
        body = Gon(newest[1].v + 1 if newest else 1, w, self._names(w))
        return self._message(self.tip, self.digest, body)

    @property
    def is_vote_stale(self) -> bool:
        """Whether our newest vote names other messages of the accused than we hold: it has to be said again.

        Until it is, no shuffle of ours may rest on what it does not name: the departure might close without that.
        """
        newest = None if self.me is None else self._votes.newest(self.me)
        return newest is not None and newest[1].w != () and self._names(newest[1].w) != newest[1].f

    def _would_rest_on_unnamed(self, entry: Open) -> bool:
        """Whether a shuffle of ours would rest on what a departure leaves out.

        Our newest vote may be old. And shares that we gave do not lapse, whatever we voted later: whoever gets the
        others' shares too can close that departure, and our shuffle would be worth nothing and could not be made again.
        """
        if self._starts_afresh(entry):
            return False  # then a shuffle of before counts for nothing, and that of after has a tip of its own
        if self.is_vote_stale:
            return True
        for gone, named in self._given_for():
            if any(s.peer in gone and s.hash not in named for s in entry.applied.values()):
                return True
        return False

    def _given_for(self) -> Iterator[tuple[tuple[int, ...], dict[bytes, int]]]:
        """The departures for which this node gave its shares here: who is gone, and what the votes name of them."""
        for give in self._votes.given():
            votes = self._votes.named_by(give.body.g, self.table.active) if isinstance(give.body, Giv) else None
            if give.peer == self.me and votes is not None and isinstance(votes[0].body, Gon):
                yield votes[0].body.w, belonging(votes) or {}

    @property
    def what_we_would_name(self) -> tuple[object, ...]:
        """Where we stand, and what a vote against the same peers would name now."""
        return self.tip, self._names(sorted(self.accused))

    def _names(self, accused: Sequence[int]) -> tuple[bytes | None, ...]:
        """For each of these peers its message of the open entry that this node has found good, if that will count."""
        entry = self._main()
        applied = (
            {} if entry is None or self._starts_afresh(entry) else {s.peer: s.hash for s in entry.applied.values()}
        )
        return tuple(applied.get(j) for j in accused)

    def _counts(self, vote: Gon) -> bool:
        """Whether this node holds all that a vote names, each a good message of the accused for the open entry."""
        return all(d is None or self._stands(p, d) for p, d in zip(vote.w, vote.f, strict=True))

    def _stands(self, peer: int, digest: bytes) -> bool:
        """Whether a message that a vote names can be relied on.

        One that proves wrong would be missing in the file for ever. Those of an entry that waits for an escrow can
        be judged only after it. Of two versions either will do: the entry starts again from nothing then.
        """
        entry, named = self._main(), self._find(digest)
        if entry is None or self._starts_afresh(entry) or named is None or (named.peer, named.h) != (peer, entry.h):
            return False
        applied = entry.applied.get(named.key)
        if applied is None:
            return entry is not self._open
        return applied.hash == digest or self.banned.get(peer) == "fork"

    def _named_in_votes(self) -> frozenset[bytes]:
        """The messages that the votes here name."""
        newest = (pair[1] for p in self.table.active if (pair := self._votes.newest(p)) is not None)
        return frozenset(digest for gon in newest for digest in gon.f if digest is not None)

    def _hear_named(self) -> None:
        """Judge what votes name of a cheat, although nothing else of it is heard any more."""
        entry = self._open
        for digest in sorted(self._named_in_votes()) if entry is not None and self._shown else ():
            signed = self._shown.get(digest)
            if entry is None or signed is None or signed.h != entry.h or signed.key in entry.applied:
                continue
            entry.waiting.setdefault(signed.key, signed)

    def lacking(self) -> tuple[bytes, ...]:
        """Messages that votes here name and this node does not hold."""
        return tuple(sorted(d for d in self._named_in_votes() if self._find(d) is None)[:MAX_EARLY])

    @property
    def accused(self) -> frozenset[int]:
        """Whom this node's newest vote at this tip declares gone."""
        newest = None if self.me is None else self._votes.newest(self.me)
        return frozenset(newest[1].w if newest else ())

    def open_tips(self) -> frozenset[bytes]:
        """The tips under which this node may still have to sign something."""
        return frozenset((self.tip, *(entry.h for entry in (self._open, self._parked) if entry is not None)))

    def ballots(self) -> dict[int, tuple[int, ...]]:
        """Whom each active peer says gone at this tip, for people to see."""
        newest = {p: vote for p in self.table.active if (vote := self._votes.newest(p)) is not None}
        return {p: gon.w for p, (_, gon) in newest.items() if gon.w}

    def is_rested_on(self, message: DealerMessage) -> bool:
        """Whether others will rest their own parts of the open entry on this one, so that all must see it first."""
        entry = self._open
        return entry is not None and entry.h == message.h and isinstance(entry.task.plan, MixPlan)

    def may_complete_escrow(self, cheat: int) -> bool:
        """Whether the open entry is an escrow that lacks nothing of this peer, whose messages do not count any more."""
        entry = self._open
        return entry is not None and entry.task.kind == "escrow" and not entry.expects(cheat)

    def why_not_leave(self) -> str | None:
        """Why this node cannot say goodbye now, or None."""
        if not self.settled or self.me not in self.table.peers.keys:
            return "there is nothing to leave yet"
        if self.table.final:
            return "the match is complete"
        if self._is_alone:
            return "nobody else is at the table any more"
        of_two = len(self.table.active) == 2  # only one is left to say where in the chain the goodbye stands
        if not of_two and self._open is not None and self._open.plans(self.me) and not self._open.expects(self.me):
            return "this node has done its part of the open entry; it may leave when that is closed"
        return None

    def leave(self, player: Player) -> DealerMessage:
        """The message with which this node leaves in order; it must not send anything afterwards."""
        reason = self.why_not_leave()
        if reason:
            raise LocalError(reason)
        return self._message(self.tip, self.digest, player.bye())

    def _message(self, h: bytes, d: bytes, body: Body) -> DealerMessage:
        assert self.me is not None
        return DealerMessage(self.match_id, self.me, h, d, Raw(encode(body)))

    @property
    def leaving(self) -> frozenset[int]:
        """Peers that said goodbye and only wait for their place in the chain; nobody waits for their word."""
        return frozenset(self._byes)

    @property
    def silent(self) -> frozenset[int]:
        """Those of them that have given no shares here: a vote must not wait for theirs."""
        return frozenset(p for p in self._byes if not any(s.peer == p for s in self._votes.given()))

    def held(self, digest: bytes) -> bytes | None:
        """The bytes of a message by its hash, for a peer that lacks it."""
        signed = self._find(digest)
        return None if signed is None else signed.raw

    def is_known(self, digest: bytes) -> bool:
        """Whether a message was taken before; what is only held of a cheat may have to be taken yet."""
        return digest in self._known

    def judged_messages(self) -> list[bytes]:
        """Messages of open entries that this node has found good: what its own next message may rest on."""
        return [s.raw for entry in (self._open, self._parked) if entry is not None for s in entry.applied.values()]

    def open_messages(self) -> list[bytes]:
        """All messages this node holds for open entries and votes: what a reconnected peer needs beside the chain."""
        entries = [entry for entry in (self._open, self._parked) if entry is not None]
        signed = [s for entry in entries for s in (*entry.applied.values(), *entry.waiting.values())]
        return [s.raw for s in (*self._votes.all(), *signed, *self._byes.values())]

    # --- the chain moves

    @property
    def busy(self) -> bool:
        """Whether an entry is open."""
        return self._open is not None

    def why_not_frame(self, raw: bytes) -> str | None:
        """Why a frame may not follow here now, or None."""
        if self._open is not None or not self.settled:
            return "a chance entry is open"
        if self._given and self._bound_elsewhere(frame_tip(self.tip, raw)):
            return "this node has given its shares for a departure at this tip"
        return None

    def framed(self, raw: bytes) -> bytes:
        """The session applied a frame: the new tip."""
        reason = self.why_not_frame(raw)
        if reason:
            raise LocalError(reason)
        self._move(frame_tip(self.tip, raw))
        self.settled = False
        return self.tip

    def settle(
        self, digest: bytes, want: Want | None = None, awaits: int | None = None, over: bool = False
    ) -> list[Event]:
        """The engine has acted: the digest at this tip, its open want, or the peer whose seat is to act, or the end."""
        self.digest, self._want, self._awaits, self._over = digest, want, awaits, over
        self.settled = True
        return self._advance()

    def peer_at(self, peer: int, tip: bytes) -> list[Event]:
        """Another peer acknowledged this tip; that matters only to a node that waits for a departure."""
        seen = self._at.get(peer)
        if seen is None:
            seen = self._at[peer] = deque(maxlen=MAX_EARLY)
        if not seen or seen[-1] != tip:
            seen.append(tip)
        return self._advance() if self._given or self.deaf else []

    def follow(
        self, raws: Sequence[bytes], authors: Sequence[int], source: int | None = None, is_passed: bool = False
    ) -> None:
        """The chain goes on with an entry of these messages, says peer `source` who has passed it on.

        Messages of a cheat count if there is only one version of them, as far as we know, or if all had passed the
        entry (`is_passed`) before they knew.
        """
        lead = entry_tip(self.tip, raws)
        self._lead = lead if source not in self.accused else None
        cheats = [(H("msg", raw, size=32), p) for p, raw in zip(authors, raws, strict=True) if p in self.banned]
        # A cheat that leaves does what everybody wants, and hands over its key.
        is_goodbye = len(raws) == 1 and self._is_bye(raws[0])
        is_single = source not in self.banned and not any(map(self._has_another_version, raws))
        is_backed = is_passed or is_goodbye or is_single
        self._backed = frozenset(digest for digest, _ in cheats) if is_backed else frozenset()

    def _is_bye(self, raw: bytes) -> bool:
        signed = _read(raw)
        return signed is not None and isinstance(signed.body, Bye)

    def _has_another_version(self, raw: bytes) -> bool:
        """Whether this node knows another message for the place of this one."""
        signed = _read(raw)
        if signed is None:
            return False
        key = _fork_key(signed)
        versions = [self._first.get(key), *(other for other in self._shown.values() if _fork_key(other) == key)]
        return any(other is not None and other.hash != signed.hash for other in versions)

    def follow_frame(self, raw: bytes, source: int | None = None) -> None:
        """The chain goes on with this frame, says peer `source` who has passed it on."""
        self._lead = frame_tip(self.tip, raw) if source not in self.accused else None

    def listen_again(self) -> list[Event]:
        """Others went on with messages of those we had stopped listening to: take them, and vote again after."""
        self.deaf = frozenset()
        return self._advance()

    def go_on(self) -> list[Event]:
        """The chain no longer stands still: everything that follows."""
        self.stands_still = False
        return self._advance()

    def jobs(self) -> Iterator[Job]:
        """Heavy checks to run now; each is handed out once, when the caller comes to it."""
        while self._jobs:
            yield self._jobs.pop(0)

    def finished(self, job: Job, outcome: Verdict | Cheat) -> list[Event]:
        """The outcome of a job."""
        if self._flight.get(job.signed.hash) is not job:
            return []  # the situation it was checked in is over; it may be checked anew in another one
        del self._flight[job.signed.hash]
        if not self._is_heard(job.signed):
            return self._advance()  # we have voted meanwhile, without naming it: nothing of ours may rest on it
        return [*self._judge(job.signed, outcome), *self._advance()]

    def _move(self, tip: bytes) -> None:
        self.past[self.tip] = self.digest
        self.tip = tip
        self._backed = frozenset()
        self._votes, self._given = Votes(), False
        self._shown = {digest: signed for digest, signed in self._shown.items() if signed.h in self.open_tips()}
        self.deaf = frozenset()
        self.table.forget_votes()

    @property
    def _is_idle(self) -> bool:
        """Whether nothing is open, wanted or waiting: so it is between most frames."""
        if self._open is not None or self._want is not None or self._over or self.table.task is not None:
            return False
        return self._parked is None and not self._byes and self._votes.is_empty and not any(self._early.values())

    def _advance(self) -> list[Event]:
        """Everything that follows by itself."""
        if self._is_idle:
            return []
        events: list[Event] = []
        while self.settled and not self.table.final:  # the keys are open: the chain is complete
            self._start()
            events += self._release()
            self._listen_again()
            self._hear_named()
            events += self._check_waiting()
            tip = self.tip
            for step in (self._close_gone, self._close_bye, self._close_task):
                events += step()
                if self.tip != tip:
                    break
            else:
                break
        return events

    def _start(self) -> None:
        """Open the task that the table or the engine wants next."""
        table = self.table
        if table.task is None and self._want is not None and self._want.r >= table.next_r:
            table.serve(self._want)
        if table.task is None and self._over and not table.final:
            table.finish()
        if self._parked is not None and self._parked.task is table.task:
            self._open, self._parked = self._parked, None
            if not self._open.h:  # it starts afresh
                self._open.h, self._open.d = self.tip, self.digest
        elif table.task is None:
            self._open = None
        elif self._open is None or self._open.task is not table.task:
            self._open = Open(table.task, self.tip, self.digest)

    def _release(self) -> list[Event]:
        events: list[Event] = []
        for peer, kept in self._early.items():
            ready = [item for item in kept if self._place(item[0].h) is not None or item[0].h in self.past]
            self._early[peer] = [item for item in kept if item not in ready]
            for message, raw, own in ready:
                events += self._receive(message, raw, own)
        return events

    # --- judging

    def _check_waiting(self) -> list[Event]:
        events: list[Event] = []
        while entry := self._open:
            ripe = [signed for signed in entry.waiting.values() if self._is_ripe(signed)]
            if not ripe:
                break
            for signed in ripe:
                events += self._check(signed)
        return events

    def _is_ripe(self, signed: Signed) -> bool:
        if signed.hash in self._flight or not self._is_heard(signed):
            return False
        if self._rests_on_fork():
            return False  # it may continue the other version, and nobody is to blame for that
        # what never fits is judged at once: the check refuses it
        return self.table.ripe(signed.peer, signed.body) or not self.table.belongs(signed.peer, signed.body)

    def _is_heard(self, signed: Signed) -> bool:
        """Whether this node listens to a message: not if it declares its author gone and nobody names it."""
        return signed.peer not in self.deaf or signed.hash in self._named or signed.hash in self._named_in_votes()

    def _check(self, signed: Signed) -> Iterator[Event]:
        try:
            job = Job(signed, self.table.check(signed.peer, signed.body))
        except Cheat as cheat:
            yield from self._judge(signed, cheat)
            return
        if self.inline or signed.own or not job.check.heavy:
            yield from self._judge(signed, job.run())
        else:
            self._flight[signed.hash] = job
            self._jobs.append(job)

    def _judge(self, signed: Signed, outcome: Verdict | Cheat) -> Iterator[Event]:
        entry = self._open
        if entry is None or entry.waiting.get(signed.key) is not signed:
            return
        if isinstance(outcome, Cheat):
            del entry.waiting[signed.key]
            if signed.hash in self._named:  # its sender has left already: as if it had never come
                self.table.give_up(signed.peer)
                return
            if signed.h != self.tip:
                return  # its author may have closed another departure since the entry was opened: it proves nothing
            shown = [signed.raw]
            if isinstance(signed.body, Cmp) and outcome.peer != signed.peer:
                shown.insert(0, entry.applied["esc", outcome.peer].raw)
            yield from self._blame(outcome, tuple(shown))
            return
        try:
            self.table.commit(outcome)
        except Stale:
            return  # still waiting: it is checked again
        del entry.waiting[signed.key]
        entry.applied[signed.key] = signed

    def _blame(self, cheat: Cheat, raws: tuple[bytes, ...]) -> Iterator[Event]:
        if cheat.peer not in self.banned:
            self.banned[cheat.peer] = cheat.code
            for entry in (self._open, self._parked):
                if entry is not None:
                    self._set_aside(entry, cheat.peer)
            yield Blamed(cheat.peer, cheat.code, raws)

    def _set_aside(self, entry: Open, cheat: int) -> None:
        """What is not judged yet of a cheat is as if it had never come, unless others turn out to count it."""
        for key, signed in list(entry.waiting.items()):
            if signed.peer == cheat and signed.hash not in self._named:
                del entry.waiting[key]
                self._known.pop(signed.hash, None)
                self._show(signed)

    # --- closing

    def _close_task(self) -> Iterator[Event]:
        entry, before = self._open, self.tip
        if entry is None or not self.table.complete or self.stands_still:
            return
        raws = tuple(entry.applied[message].raw for message in entry.task.order())
        tip = entry_tip(before, raws)
        if self._has_fork(entry) or self._bound_elsewhere(tip):
            return
        closed, chance = self.table.close()
        self._open = None
        if closed.kind != "escrow":
            self._named = {}
        self._move(tip)
        self.settled = chance is None
        yield Closed(closed.kind, before, tip, raws, chance)

    def _has_fork(self, entry: Open) -> bool:
        """Whether a message counts here of which there are two."""
        doubtful = [s for s in entry.applied.values() if self.banned.get(s.peer) == "fork"]
        return not all(self._counts_anyway(s.hash) for s in doubtful)

    def _counts_anyway(self, digest: bytes) -> bool:
        """Whether all others count this message, whatever its author did."""
        return digest in self._named or digest in self._backed

    def _rests_on_fork(self) -> bool:
        entry = self._open
        return entry is not None and isinstance(entry.task.plan, MixPlan) and self._has_fork(entry)

    def _bound_elsewhere(self, tip: bytes) -> bool:
        """Whether this node gave its shares for a departure at this tip and must wait for that.

        It need not once everybody has taken their votes back: honest peers give no more shares then. Whoever has them
        all and shows the departure later is followed even so (`Session._returns`).
        """
        return self._given and bool(self.ballots()) and not self._seen(tip)

    @property
    def bound_to(self) -> tuple[int, ...]:
        """Those whose departure this node waits for before it signs a turn: others would take that, it could not."""
        return self._given_against if self._given and self.ballots() else ()

    @property
    def awaited(self) -> tuple[int, ...]:
        """Those without whom this node can do nothing here until they are gone, for people to see."""
        entry = self._open
        is_stuck = entry is not None and isinstance(entry.task.plan, MixPlan) and self._would_rest_on_unnamed(entry)
        return self._given_against if self._given and (is_stuck or self.ballots()) else ()

    @property
    def _given_against(self) -> tuple[int, ...]:
        return tuple(sorted({peer for gone, _ in self._given_for() for peer in gone}))

    def _seen(self, tip: bytes) -> bool:
        """Whether another peer that we do not declare gone stands at this tip or has stood there."""
        accused = self.accused
        early = (message.h for p, kept in self._early.items() if p not in accused for message, _, _ in kept)
        at = (seen for p, seen in self._at.items() if p not in accused)
        return tip == self._lead or tip in early or any(tip in seen for seen in at)

    def _listen_again(self) -> None:
        """Others closed the open entry with what this node no longer listened to: follow them."""
        entry = self._open
        if entry is None or not self.deaf:
            return
        planned = entry.task.planned(self.table.waits_for)
        here = [entry.applied.get(m) or entry.waiting.get(m) for m in planned]
        raws = tuple(signed.raw for signed in here if signed is not None)
        if len(raws) == len(planned) and self._seen(entry_tip(self.tip, raws)):
            self.deaf = frozenset()

    def _main(self) -> Open | None:
        """The open entry that outlives a departure; an escrow does not."""
        if self._parked is not None:
            return self._parked
        return self._open if self._open is not None and self._open.task.kind != "escrow" else None

    @property
    def _is_alone(self) -> bool:
        """Whether one peer is left: it must finish what is open, and the engine is not told of anybody any more."""
        return len(self.table.active) == 1

    def _close_bye(self) -> Iterator[Event]:
        for peer, bye in () if self.stands_still else sorted(self._byes.items()):
            tip = entry_tip(self.tip, (bye.raw,))
            is_led = self.me is not None and tip == self._lead  # it had a place at those whom we follow
            if peer not in self.table.active or not (self._owes(peer) or is_led):
                continue
            if self._bound_elsewhere(tip) or not (self._is_next(peer) or self._seen(tip)):
                continue
            del self._byes[peer]
            entry = self._main()
            secret = self.table.check(peer, bye.body).run().result
            # What it may have sent for that entry not everybody need hold: the entry starts again from nothing.
            afresh = entry is not None and entry.plans(peer) and (entry is self._parked or len(self.table.active) == 2)
            yield self._depart({peer: secret}, None if afresh or self._starts_afresh(entry) else {}, (bye.raw,))
            return

    def _is_next(self, peer: int) -> bool:
        """Whether everything that comes before this peer's part of the open entry is here.

        Each peer gives its part or says goodbye instead, never both, so that goodbyes which cross in the network
        have one order. Those who only read the chain find it there.
        """
        if self.me is None or self._open is None or len(self.table.active) == 2:
            return True
        here = (*self._open.applied, *self._open.waiting)
        first = next((m for m in self._open.task.planned(self.table.waits_for) if m not in here), None)
        return first is None or first[1] == peer

    def _owes(self, peer: int) -> bool:
        if self._awaits == peer or len(self.table.active) == 2:
            return True
        return self._open is not None and self._open.expects(peer)

    def _adopt(self, votes: list[Signed]) -> tuple[int, ...]:
        self.table.forget_votes()
        for vote in votes:
            assert isinstance(vote.body, Gon)
            self.table.vote(vote.peer, vote.body)
        return self.table.agreed() or ()

    def _close_gone(self) -> Iterator[Event]:
        """A departure is complete when all survivors gave their shares on the strength of the same votes."""
        for g in self._votes.bases():
            votes = self._votes.named_by(g, self.table.active)
            if votes is None:
                yield from self._blame_for_odd_votes(g)
                continue
            if not self._name_what_can_be(votes):
                continue
            gone = self._adopt(votes)
            shares: dict[int, tuple[int, ...]] = {}
            gives = self._votes.gives(g)
            for give in gives:
                try:
                    shares[give.peer] = self.table.check(give.peer, give.body).run().result
                except Cheat as cheat:
                    self._votes.drop(give)
                    yield from self._blame(cheat, (*(vote.raw for vote in votes), give.raw))
            self.table.forget_votes()
            if sorted(shares) == [vote.peer for vote in votes] and not self.stands_still:
                secrets = self.table.rebuild(gone, shares)
                named = None if self._starts_afresh(self._main()) else belonging(votes)
                yield self._depart(secrets, named, tuple(s.raw for s in (*votes, *gives)))
                absent = tuple(digest for digest in self._named if self._find(digest) is None)
                if absent:
                    yield Missing(absent)
                return

    def _blame_for_odd_votes(self, g: bytes) -> Iterator[Event]:
        """Shares that rest on votes which are all here and do not agree: nobody gives those by mistake."""
        votes = self._votes.behind(g)
        for give in self._votes.gives(g) if votes else ():
            self._votes.drop(give)
            yield from self._blame(Cheat(give.peer, "giv.unexpected"), (*(vote.raw for vote in votes), give.raw))

    def _starts_afresh(self, entry: Open | None) -> bool:
        """Whether a departure makes this entry start again from nothing.

        Each shuffle rests on the one before, and whoever departs may have shown its own to some and not to others.
        Under the tip of the departure everybody who stays shuffles once more, so that no honest peer has to sign a
        second shuffle for one place, or is blamed for one that rests on what others never saw.
        """
        return self._restarts and entry is not None and isinstance(entry.task.plan, MixPlan)

    def _name_what_can_be(self, votes: Sequence[Signed]) -> bool:
        """Whether each message that these votes name has a place in the open entry: else the file could not hold it."""
        entry = self._main()
        gons = [vote.body for vote in votes if isinstance(vote.body, Gon)]
        named = {p for gon in gons for p, digest in zip(gon.w, gon.f, strict=True) if digest is not None}
        return not named or (
            entry is not None and not self._starts_afresh(entry) and all(entry.plans(p) for p in named)
        )

    def _depart(self, secrets: dict[int, int], named: dict[bytes, int] | None, raws: tuple[bytes, ...]) -> Closed:
        """Append the departure before the open entry; `named` None: that entry starts afresh."""
        entry, before = self._main(), self.tip
        self._move(entry_tip(before, raws))
        self._named = {} if named is None else {**self._named, **named}
        self._flight, self._jobs = {}, []
        self.table.leave(secrets, (named or {}).values(), afresh=named is None)
        if self._is_alone:
            self._byes = {}
        self._open, self._parked = None, entry
        if entry is not None:
            self._keep(entry, secrets, afresh=named is None)
        self.settled = False
        return Closed("gone", before, self.tip, raws, self.table.take_departure())

    def _keep(self, entry: Open, secrets: dict[int, int], afresh: bool) -> None:
        """What is left of an open entry's messages after a departure."""
        if afresh:
            entry.h, entry.d, entry.waiting, entry.applied = b"", b"", {}, {}
            return
        for key, signed in list(entry.applied.items()):
            if key not in entry.task.got:  # void, or resting on what is void
                del entry.applied[key]
                entry.waiting[key] = signed
        for digest, peer in self._named.items():
            signed_named = self._find(digest)
            if signed_named is not None and signed_named.peer == peer and signed_named.key not in entry.task.got:
                entry.waiting[signed_named.key] = signed_named
        entry.waiting = {key: s for key, s in entry.waiting.items() if s.peer not in secrets or s.hash in self._named}


def _read(raw: bytes) -> Signed | None:
    """A dealer message as entries keep it, None if it cannot be read."""
    try:
        message = decode_message(DealerMessage, raw)
        body = decode(message.p, bytes(message.b))
    except RemoteError:
        return None
    return Signed(message.p, message.h, message.d, body, raw, H("msg", raw, size=32))


def _fork_key(signed: Signed) -> tuple[object, ...]:
    """Two different messages with the same key prove a fork."""
    return signed.peer, signed.h, signed.d, kind(signed.body), told_apart(signed.body)
