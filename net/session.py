"""The session: one peer's side of one match, without I/O.

It decides what to do with what the world says: frames and dealer messages that come early, late, twice or
out of order; peers that are linked, lost or behind; acknowledgements, forks, divergence. What messages
mean is the ledger's business; sockets, files, threads and clocks are the adapter's. Every input returns
effects, to be carried out in order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any

from engine import Action
from engine.errors import IllegalAction, LocalError, MalformedAction, RemoteError

from .ballot import Ballot
from .catch_up import CatchUp, chunk_from
from .chain import Chat, DealerMessage, Frame, Mark, decode, encode, frame_tip
from .effects import (
    Again,
    Completed,
    Diverged,
    Dropped,
    Effect,
    Ended,
    Healed,
    Heard,
    Journal,
    Publish,
    Replay,
    Report,
    Send,
    Waiting,
)
from .facts import Differs, Fact, Fault, Grown, Missing, Ply, two_frames
from .identity import Signer, verify
from .ledger import Ledger
from .sealed.events import Duty, Job
from .standing import Standing
from .standoff import Standoff
from .talk import Ask, Chunk, Dump, Item, Kind, Moved, Need, Signed, Talk, Where
from .text import why_not_chat
from .workbench import Workbench

EARLY_PER_PEER = 8
RESEND_SECONDS = 3.0  # how often everything open is offered again while nothing moves


class Session:
    """One peer's side of a match; a ledger without `me` makes a spectator's."""

    def __init__(self, ledger: Ledger, signer: Signer | None, version: str) -> None:
        self.ledger = ledger
        self.me = ledger.me
        self._signer = signer
        self._version = version
        self._peers = Standing(len(ledger.terms.peers), self.me)
        self._catch_up = CatchUp()
        self._ballot = Ballot()
        self._standoff = Standoff()
        self._early: dict[int, deque[tuple[bytes, Signed]]] = {}  # frames by author, with the tips they wait for
        self._workbench = Workbench()
        self._faults: list[Fault] = []  # as far as they were seen here
        self._written: set[bytes] = set()  # messages of others in the journal that are not in the chain yet
        self._leaving = False  # our player says goodbye as soon as it has its place in the chain
        self._draft: tuple[Action, ...] | None = None
        self._waiting: tuple[int, ...] = ()
        self._now = 0.0
        self._moved_at = 0.0
        self._chat_number = 0
        self._final: Signed | None = None
        self._ended: str | None = None
        self._completed = False

    # ---- what the world did

    def restore(self, journal: Iterable[Signed]) -> list[Effect]:
        """Take back what an earlier life of this node wrote down; its proofs were checked then."""
        effects: list[Effect] = []
        for signed in journal:
            match signed.kind:
                case "frame" | "dealer":
                    effects += self._restored(signed)
                case "final":
                    self._keep_final(signed)
                case "chat":
                    line = decode(Chat, signed.raw)
                    effects.append(Heard(line.p, line.n, line.t))
                    if signed.peer == self.me:
                        self._chat_number = line.n + 1
                    else:
                        self._peers[signed.peer].chat = line.n
                case "ack":
                    pass
        return effects

    def _restored(self, signed: Signed) -> list[Effect]:
        """One message of the journal. Proof that a cheat told two stories stands there only where we went back."""
        frame = decode(Frame, signed.raw) if signed.kind == "frame" else None
        if frame is not None and (other := self.ledger.rival(signed, frame)) is not None:
            facts: list[Fact] = [two_frames(other, signed)]
        else:
            facts = self.ledger.take(signed, trusted=True)
        for fact in facts:
            if isinstance(fact, Fault) and (position := self._position_of(fact)) is not None:
                self._faults.append(fact)
                self._ballot.add(fact.peer)
                self._go_back(position)
        return list(facts)

    def start(self) -> list[Effect]:
        """Begin, or go on after a restart: do what is owed."""
        return self._pump()

    def linked(self, *peers: int) -> list[Effect]:
        """Links to these peers are up: tell where we stand and offer what is open."""
        for peer in peers:
            self._peers.set_linked(peer, True)
        return [*self._say_where(), *(effect for peer in peers for effect in self._offer(peer))]

    def unlinked(self, peer: int) -> list[Effect]:
        """The link is gone; the match goes on through the others."""
        if not self._peers[peer].linked:
            return []
        self._peers.set_linked(peer, False)
        return self._say_where()

    def heard(self, source: int, talk: Talk) -> list[Effect]:
        """A linked peer said something; RemoteError ends that link."""
        match talk:
            case Signed():
                return self._signed(source, talk)
            case Where():
                return self._where(source, talk)
            case Moved(frame=frame, where=where):
                return [*self._signed(source, frame), *self._where(source, where)]
            case Ask(position=position):
                return self._chunk(source, position)
            case Chunk():
                return self._chunk_received(source, talk)
            case Dump():
                return self._dump(source, talk)
            case Need(hashes=hashes):
                found = (self.ledger.find(h) for h in hashes)
                return [Send(source, signed) for signed in found if signed is not None]

    def worked(self, number: int, result: Any) -> list[Effect]:
        """The worker has finished a job; work for a match that went back meanwhile is dropped."""
        then = self._workbench.finished(number)
        return [] if then is None else [*then(result), *self._pump()]

    def again(self) -> list[Effect]:
        """What was to go out first is out: make our own part of the open entry."""
        duty = None if self._standoff.is_on else self._duty()
        return [*([] if duty is None else self._do(duty)), *self._pump()]

    def tick(self, now: float) -> list[Effect]:
        """Time passes; called about twice a second."""
        if not self._now:
            self._moved_at = now  # the clock begins: nothing has been standing still yet
        self._now = now
        effects: list[Effect] = []
        for number, position in self._peers.lagging(self.ledger.position, now):
            effects += self._chunk(number, position)
        if now - self._moved_at >= RESEND_SECONDS and not self._completed:
            self._moved_at = now
            effects += self._say_where()
            for number in self._peers.linked:
                effects += self._offer(number)
        return [*effects, *self._pump()]

    # ---- what the player wants

    def play(self, actions: Sequence[Action]) -> list[Effect]:
        """Commit a drafted turn; it is signed as soon as everybody stands where we stand."""
        reason = self.why_not_play(actions)
        if reason:
            raise IllegalAction(reason)
        self._draft = tuple(actions)
        return self._pump()

    def why_not_play(self, actions: Sequence[Action]) -> str | None:
        """Why this turn cannot be played now, or None."""
        if self._signer is None:
            return "a spectator cannot play"
        if self._draft is not None:
            return "a turn is on its way already"
        if self._standoff.is_on:
            return "the match is stopped: the nodes differ about the state"
        if self._ended:
            return "the match is over"
        return self.ledger.why_not_turn(actions)

    @property
    def is_committed(self) -> bool:
        """Whether a turn of ours is on its way."""
        return self._draft is not None

    @property
    def is_stopped(self) -> bool:
        """Whether the nodes differ about the state."""
        return self._standoff.is_on

    @property
    def missing(self) -> tuple[int, ...]:
        """Active peers that neither we nor those linked to us can reach."""
        return self._peers.missing(self.ledger.active)

    def chat(self, text: str) -> list[Effect]:
        """Say a line to the table."""
        reason = why_not_chat(text)
        if reason:
            raise IllegalAction(reason)
        number = self._chat_number
        signed = self._seal("chat", encode(Chat(self.ledger.match, self._mine(), number, text)))
        self._chat_number += 1
        return [Journal(signed, sync=False), Heard(signed.peer, number, text), *self._spread(signed, None)]

    def vote_gone(self, peers: Iterable[int]) -> list[Effect]:
        """Declare these peers gone (none: take the vote back); raises IllegalAction with the reason."""
        against = frozenset(peers)
        reason = self.ledger.table.why_not_gone(sorted(against)) if against else None
        if reason or not against <= set(self.ledger.active) - {self._mine()}:
            raise IllegalAction(reason or "only others who are still at the table can be declared gone")
        self._ballot.choose(against)
        return self._pump()

    def bye(self) -> list[Effect]:
        """Leave in order: hand over the deck key. With two peers this is a forfeit."""
        if self.ledger.player is None or not self.ledger.table.peers.keys:
            raise IllegalAction("the match has not begun")
        self._leaving = True
        return self._pump()

    def replayed(self, state: bytes) -> list[Effect]:
        """A clean process replayed our chain and ended with this state."""
        self._standoff.is_replaying = False
        if state != self.ledger.state_bytes():
            self._go_back(None)
        return [*self._say_where(), *self._resume()]

    # ---- signed messages

    def _signed(self, source: int | None, signed: Signed, in_chain: bool = False) -> list[Effect]:
        """A signed message; `in_chain`: as part of the chain that `source` has."""
        if signed.peer >= len(self.ledger.terms.peers):
            raise RemoteError(f"there is no peer {signed.peer} in this match")
        match signed.kind:
            case "frame":
                return self._frame(source, signed, in_chain)
            case "dealer":
                return self._dealer(source, signed)
            case "ack":
                return self._ack(source, signed)
            case "final":
                return self._final_received(source, signed)
            case "chat":
                return self._chat_received(source, signed)

    def _dealer(self, source: int | None, signed: Signed) -> list[Effect]:
        if self.ledger.has(signed):
            return []
        message = decode(DealerMessage, signed.raw)
        self._belongs(signed, message.m, message.p)
        if self._standoff.is_on:
            self._standoff.hold(signed)
            return []
        entries = self.ledger.entries
        effects: list[Effect] = []
        if signed.peer not in entries.banned:  # of a cheat all get what proves it, and nothing more goes round
            effects = self._spread(signed, source, trusting=not entries.is_rested_on(message))
        if source is not None and self.ledger.place(message.h) == "early":
            effects += self._ask(source)
        if signed.peer in self._peers:
            effects += self._stands(signed.peer, message.h, message.d)
        return [*effects, *self._told(self.ledger.take_dealer(signed, message)), *self._pump()]

    def _frame(self, source: int | None, signed: Signed, in_chain: bool = False) -> list[Effect]:
        frame = decode(Frame, signed.raw)
        place = self.ledger.place(frame.h)
        if place != "now" and self.ledger.has(signed):
            return []
        self._belongs(signed, frame.m, self.ledger.seat_peer(frame.s))
        if self._standoff.is_on:
            self._standoff.hold(signed)
            return []
        match place:
            case "now" if self._is_void(signed, in_chain):
                return []
            case "now":
                effects = self._spread(signed, source)
                if signed.peer in self._peers:
                    effects += self._stands(signed.peer, frame.h, frame.d)
                return [*effects, *self._told(self.ledger.take_frame(signed, frame)), *self._pump()]
            case "late":
                return self._late(signed, frame)
            case "early":
                early = self._early.setdefault(signed.peer, deque(maxlen=EARLY_PER_PEER))
                if (frame.h, signed) not in early:
                    early.append((frame.h, signed))
                return [] if source is None else self._ask(source)

    def _belongs(self, signed: Signed, match: bytes, author: int | None) -> None:
        """Only with its author's signature does a message count as its author's."""
        if match != self.ledger.match:
            raise RemoteError("a message of another match")
        if author != signed.peer:
            raise RemoteError(f"peer {signed.peer} passes off a message of peer {author}")
        if not verify(self.ledger.terms.peers[signed.peer].key, signed.kind, signed.raw, signed.sig):
            raise RemoteError(f"bad signature under a {signed.kind} of peer {signed.peer}")

    def _late(self, signed: Signed, frame: Frame) -> list[Effect]:
        """A frame for a tip we have passed: nothing new, or the second half of a fork."""
        other = self.ledger.rival(signed, frame)
        if other is None or decode(Frame, other.raw).d != frame.d:
            return []
        if signed.peer in self.ledger.entries.banned:
            return []
        self.ledger.entries.banned[signed.peer] = "fork"
        return [*self._told([two_frames(other, signed)]), *self._pump()]

    def _is_void(self, signed: Signed, in_chain: bool) -> bool:
        """Whether a frame comes from a cheat and does not count.

        It does where all had acknowledged it before they knew: a peer that saw that stays, plays on or declares the
        cheat gone there; who went back follows it.
        """
        entries = self.ledger.entries
        if signed.peer not in entries.banned:
            return False
        tip = frame_tip(entries.tip, signed.raw)
        frames = [h for peer, waiting in self._early.items() if peer not in entries.banned for h, _ in waiting]
        return not in_chain or not (tip in frames or entries.is_stood_behind(tip, signed.peer))

    # ---- what follows from messages

    def _told(self, facts: Sequence[Fact], own: Signed | None = None) -> list[Effect]:
        """Do what facts ask of this node, then pass them on: the others wait for us, our own side does not.

        `own` is a frame of ours that the facts follow from, still to be sent.
        """
        effects: list[Effect] = []
        written: list[Effect] = []
        tell: list[Effect] = []
        has_moved = False  # an entry without messages grows nothing, but a ply follows from it
        for fact in facts:
            match fact:
                case Ply():
                    has_moved = True
                case Grown(position=position, item=item):
                    has_moved = True
                    written += self._write_down(item)
                    tell.append(Publish(Chunk(position, (item,), 0)))
                    self._moved_at = self._now
                case Differs(peer=peer, tip=tip, theirs=theirs):
                    effects += self._diverged(peer, tip, theirs)
                    continue
                case Missing(hashes=hashes):
                    effects += [Send(p, Need(hashes)) for p in self._peers.linked]
                case Fault():
                    self._faults.append(fact)
                    effects += self._prove(fact)
                    undone = self._undo(fact)
                    has_moved |= bool(undone)
                    written += undone
                    tell += (fact, *self._faulted(fact))
                    continue
            tell.append(fact)
        if has_moved:
            effects += self._say_where(own)
        elif own is not None:
            effects += self._spread(own, None)
        return [*effects, *written, *tell]

    def _write_down(self, item: Item) -> list[Effect]:
        """Journal what others said in an item of the chain, unless it is written already."""
        new = [part for part in item.parts if part.peer != self.me and part.raw not in self._written]
        self._written.clear()
        return [Journal(part, sync=False) for part in new]

    def _undo(self, fault: Fault) -> list[Effect]:
        """What a cheat told some of us does not count unless all have acknowledged it: go back, and write down why."""
        position = self._position_of(fault)
        if position is None or self._signer is None or self._is_acknowledged(position, fault.peer):
            return []
        parts = self.ledger.items[position].parts
        self._go_back(position)
        return [Journal(signed, sync=False) for signed in fault.evidence if signed not in parts]

    def _is_acknowledged(self, position: int, author: int) -> bool:
        """Whether all but the author are known to have passed this item of the chain."""
        later = self.ledger.items[position + 1 :]
        if any(item.kind == "frame" and item.parts[0].peer != author for item in later):
            return True  # whoever signed that had all acknowledgements
        passed = {part.peer for item in later for part in item.parts}
        others = [p for p in self.ledger.active if p not in (self.me, author) and p not in passed]
        stand = [self.ledger.position_of(self._peers[p].tip) for p in others]
        return all(there is not None and there > position for there in stand)

    def _position_of(self, fault: Fault) -> int | None:
        """Where in the chain the first message of the cheat stands that proves the fault; None if none is there."""
        raws = {signed.raw for signed in fault.evidence if signed.peer == fault.peer}
        items = enumerate(self.ledger.items)
        return next((k for k, item in items if any(part.raw in raws for part in item.parts)), None)

    def _prove(self, fault: Fault) -> list[Effect]:
        """Show the evidence to all others: who cheats need not have told everybody the same."""
        others = [p for p in self._peers.linked if p != fault.peer] if self._signer is not None else []
        return [Send(p, signed) for p in others for signed in fault.evidence]

    def _faulted(self, fault: Fault) -> list[Effect]:
        """The others go on without a peer that cheated, if they can."""
        if self._signer is None or fault.peer == self.me:
            return []
        if self.ledger.table.why_not_gone((fault.peer,)) is None and fault.peer in self.ledger.active:
            self._ballot.add(fault.peer)
            return []
        if not self._ended:
            self._ended = "fault"
            return [Ended("fault")]
        return []

    def _pump(self) -> list[Effect]:
        """Whatever can go on, goes on."""
        effects: list[Effect] = []
        while not self._standoff.is_on:
            more = self._step()
            effects += more
            if not more or isinstance(more[-1], Again):
                break
        return effects

    def _step(self) -> list[Effect]:
        for job in self.ledger.jobs():
            return self._check(job)
        if self._leaving and self.ledger.player is not None and self.ledger.entries.why_not_leave() is None:
            self._leaving = False
            return self._own_dealer(self.ledger.entries.leave(self.ledger.player))
        duty = self._duty()
        if duty is not None:
            # before the game begins nobody waits for anything else
            return self._do(duty) if duty.heavy or self.ledger.state is None else [Again()]
        ahead = self.ledger.ahead() if self._signer is not None else None
        if ahead is not None and (work := self._workbench.make_ahead(ahead)):
            return work
        early = self._due_early()
        if early is not None:
            return self._frame(None, early)
        item = self._next_item()
        if item:
            return item
        vote = self._vote()
        if vote:
            return vote
        if self._draft is not None:
            return self._author()
        if not self.ledger.is_over:
            return []
        if not self._ended:
            self._ended = self.ledger.how_ended
            return [Ended(self._ended)]
        if self.ledger.is_complete and self._final is None and self._signer is not None:
            return self._sign_final()
        if self.ledger.is_complete and not self._completed and set(self.finals()) >= set(self.ledger.active):
            self._completed = True
            return [Completed()]
        return []

    def _duty(self) -> Duty | None:
        """What this node owes and is not making yet."""
        if self._signer is None or self._ended == "fault":
            return None
        return next((duty for duty in self.ledger.due() if not self._workbench.is_making(duty)), None)

    def _due_early(self) -> Signed | None:
        for waiting in self._early.values():
            for tip, signed in waiting:
                if self.ledger.place(tip) != "early":
                    waiting.remove((tip, signed))
                    return signed
        return None

    def _check(self, job: Job) -> list[Effect]:
        return self._workbench.give(job.run, lambda outcome: self._told(self.ledger.finished(job, outcome)))

    # ---- our own part

    def _do(self, duty: Duty) -> list[Effect]:
        body = self._workbench.take_made(duty)
        if body is not None:
            return self._own_dealer(duty.seal(body))
        if not duty.heavy:
            return self._own_dealer(duty.make())

        def made(message: DealerMessage) -> list[Effect]:
            still = any((due.name, due.h) == (duty.name, duty.h) for due in self.ledger.due())
            return self._own_dealer(message) if still and not self._standoff.is_on else []

        return self._workbench.make(duty, made)

    def _own_dealer(self, message: DealerMessage) -> list[Effect]:
        """Sign our part of a chance entry, write it down with all it rests on, send it, take it ourselves.

        A shuffle on top of one that is lost with its author would be worth nothing, and cannot be signed twice.
        """
        signed = self._seal("dealer", encode(message))
        grounds = [other for other in self.ledger.grounds() if other.raw not in self._written]
        self._written.update(other.raw for other in grounds)
        spread = self._spread(signed, None)
        taken = self._told(self.ledger.take_dealer(signed, message))
        return [*(Journal(other, sync=False) for other in grounds), Journal(signed, sync=True), *spread, *taken]

    def _vote(self) -> list[Effect]:
        entries = self.ledger.entries
        if not self._ballot.is_open or not entries.settled or self.me in entries.leaving:
            return []
        against = self._ballot.due(self.ledger.tip, self.ledger.active, entries.silent)
        try:
            return [] if against is None else self._own_dealer(self.ledger.entries.vote(against))
        except LocalError:
            return []

    def _author(self) -> list[Effect]:
        """Sign the drafted turn once every active peer stands at our tip with our digest."""
        actions = self._draft
        assert actions is not None
        try:
            turn = self.ledger.draft(actions)
        except (IllegalAction, MalformedAction) as error:
            self._draft = None
            return [Dropped(str(error))]
        absent = self._absent()
        if absent:
            if absent == self._waiting:
                return []
            self._waiting = absent
            return [Waiting(absent)]
        self._draft, self._waiting = None, ()
        frame = self.ledger.frame(turn)
        signed = self._seal("frame", encode(frame))
        facts = self.ledger.take_frame(signed, frame, trusted=True, turn=turn)
        return [Journal(signed, sync=True), *self._told(facts, signed)]

    def _absent(self) -> tuple[int, ...]:
        """Active peers that have not acknowledged our tip; who has said goodbye need not."""
        leaving = self.ledger.entries.leaving
        expected = [p for p in self.ledger.active if p not in leaving] if leaving else self.ledger.active
        return self._peers.absent(expected, self.ledger.tip, self.ledger.digest)

    def _mine(self) -> int:
        if self.me is None or self._signer is None:
            raise IllegalAction("a spectator signs nothing")
        return self.me

    def _seal(self, kind: Kind, raw: bytes) -> Signed:
        me = self._mine()
        assert self._signer is not None
        return Signed(kind, me, raw, self._signer.sign(kind, raw))

    # ---- where everybody stands

    def _say_where(self, own: Signed | None = None) -> list[Effect]:
        """Acknowledge our tip to all, with our frame that brought us there; signed too if somebody cannot hear us."""
        ledger = self.ledger
        linked = self._peers.linked
        where = Where(ledger.position, ledger.tip, ledger.digest, linked)
        talk = where if own is None else Moved(own, where)
        effects: list[Effect] = [Send(p, talk) for p in linked]
        if self._signer is not None and linked and any(p not in linked for p in ledger.active if p != self.me):
            mark = self._seal("ack", encode(Mark(ledger.match, self._mine(), ledger.tip, ledger.digest)))
            effects += [Send(p, mark) for p in linked]
        return effects

    def _where(self, source: int, where: Where) -> list[Effect]:
        unheard = self._peers[source].says(where) - {source}
        effects = self._stands(source, where.tip, where.digest)
        if unheard:  # what those said was not passed on to it
            effects += [Send(source, signed) for signed in self.ledger.held() if signed.peer in unheard]
        if self.ledger.forfeit is not None:
            return effects  # a match of two ends at each side where the farewell found it
        if where.position > self.ledger.position:
            effects += self._ask(source)
        elif where.position and where.position == self.ledger.position and where.tip != self.ledger.tip:
            effects += self._chunk(source, where.position - 1)  # two chains: the last items show a fork
        return [*effects, *self._pump()]

    def _ack(self, source: int | None, signed: Signed) -> list[Effect]:
        if signed.peer == self.me:
            return []
        peer = self._peers[signed.peer]
        if not peer.is_news(signed.raw, self._now):
            return []
        mark = decode(Mark, signed.raw)
        self._belongs(signed, mark.m, mark.p)
        peer.acks.append((self._now, signed.raw))
        if self.ledger.is_before(mark.h, peer.tip):
            return []  # it took a longer way than the one after it
        return [*self._spread(signed, source), *self._stands(signed.peer, mark.h, mark.d), *self._pump()]

    def _stands(self, peer: int, tip: bytes, digest: bytes) -> list[Effect]:
        self._peers[peer].tip, self._peers[peer].digest = tip, digest
        facts = self.ledger.peer_at(peer, tip)
        effects: list[Effect] = self._told(facts) if facts else []
        if tip == self.ledger.tip and digest != self.ledger.digest and peer in self.ledger.active:
            return [*effects, *self._diverged(peer, tip, digest)]
        return [*effects, *self._resume()] if self._standoff.is_on else effects

    def _spread(self, signed: Signed, source: int | None, trusting: bool = True) -> list[Effect]:
        """Send to every linked peer that does not get it from its author, whom we trust to tell all the same."""
        return [Send(p, signed) for p in self._peers.audience(signed.peer, source, trusting)]

    def _offer(self, peer: int) -> list[Effect]:
        """What a peer at our tip may lack: everything held for the open entry, and final words."""
        held = self.ledger.held()
        held += [signed for fault in self._faults if fault.peer in self.ledger.active for signed in fault.evidence]
        held += [signed for signed in (self._final, *(peer.final for _, peer in self._peers)) if signed is not None]
        return [Send(peer, signed) for signed in held if signed.peer != peer]

    # ---- catching up

    def _ask(self, source: int) -> list[Effect]:
        position = self.ledger.position
        return [Send(source, Ask(position))] if self._catch_up.may_ask(position, self._now) else []

    def _chunk(self, peer: int, position: int) -> list[Effect]:
        return [Send(peer, chunk) for chunk in self.chunk_from(position)]

    def chunk_from(self, position: int) -> list[Chunk]:
        """As much of the chain from this position on as one answer carries, if there is any."""
        chunk = chunk_from(self.ledger.items, position)
        return [] if chunk is None else [chunk]

    def _chunk_received(self, source: int, chunk: Chunk) -> list[Effect]:
        """Items of the chain: they are taken one by one, each when the one before it has been judged."""
        here = self.ledger.position
        last = chunk.items[here - 1 - chunk.position : here - chunk.position] if here > chunk.position else ()
        effects = [effect for item in last for effect in self._take_item(source, item)]  # it may show a fork
        self._catch_up.take(source, chunk, here)
        return [*effects, *self._pump()]

    def _take_item(self, source: int, item: Item) -> list[Effect]:
        return [effect for part in item.parts for effect in self._signed(source, part, in_chain=True)]

    def _next_item(self) -> list[Effect]:
        """Go on with what others sent of the chain."""
        found = self._catch_up.next(self.ledger.position)
        if found is not None:
            heard = self._told(self.ledger.listen_again()) if self.ledger.entries.deaf else []
            self.ledger.follow(found[1])
            return [*heard, *self._take_item(*found)]
        source = None if self._workbench.is_busy else self._catch_up.whom_to_ask()
        return [] if source is None else [Send(source, Ask(self.ledger.position))]

    # ---- divergence

    def _diverged(self, peer: int, tip: bytes, theirs: bytes) -> list[Effect]:
        """Same chain, other state: stop, show the states to each other, replay ours in a clean process."""
        self._peers[peer].tip, self._peers[peer].digest = tip, theirs
        if self._standoff.is_on or self._signer is None:
            return []
        self._standoff.begin()
        effects: list[Effect] = [Diverged(peer, tip, self.ledger.digest, theirs)]
        dump = Dump(self.ledger.tip, self._version, self.ledger.state_bytes())
        effects += [Send(p, dump) for p in self._peers.linked]
        return [*effects, *self._say_where(), Replay()]

    def _dump(self, source: int, dump: Dump) -> list[Effect]:
        ours = self.ledger.state_bytes()
        if dump.tip != self.ledger.tip or dump.state == ours:
            return []
        report = Report(source, dump.tip, ours, dump.state, dump.versions)
        theirs = blake2b(dump.state, digest_size=32).digest()
        return [report, *self._diverged(source, dump.tip, theirs)]

    def _resume(self) -> list[Effect]:
        """Go on once nobody who stands at our tip differs."""
        differing = [p for p in self._absent() if self._peers[p].tip == self.ledger.tip]
        if not self._standoff.is_on or self._standoff.is_replaying or differing:
            return []
        effects: list[Effect] = [Healed()]
        for signed in self._standoff.end():
            effects += self._signed(None, signed)
        return [*effects, *self._pump()]

    def _go_back(self, length: int | None) -> None:
        """Rebuild the match from our chain (its first `length` items); work under way is for nothing."""
        self.ledger = self.ledger.rebuilt(length, {fault.peer: fault.code for fault in self._faults})
        self._workbench.clear()
        self._draft = None

    # ---- the end

    def _sign_final(self) -> list[Effect]:
        ledger = self.ledger
        self._final = self._seal("final", encode(Mark(ledger.match, self._mine(), ledger.tip, ledger.digest)))
        return [Journal(self._final, sync=True), *self._spread(self._final, None)]

    def _final_received(self, source: int | None, signed: Signed) -> list[Effect]:
        if signed.peer == self.me or self._peers[signed.peer].final is not None:
            return []
        mark = decode(Mark, signed.raw)
        self._belongs(signed, mark.m, mark.p)
        self._keep_final(signed)
        return [Journal(signed, sync=False), *self._spread(signed, source), *self._pump()]

    def _keep_final(self, signed: Signed) -> None:
        if signed.peer == self.me:
            self._final = signed
        else:
            self._peers[signed.peer].final = signed

    def finals(self) -> dict[int, Signed]:
        """Final signatures under our tip, by peer."""
        found = {p: peer.final for p, peer in self._peers}
        if self.me is not None:
            found[self.me] = self._final
        here = (self.ledger.tip, self.ledger.digest)
        marks = {p: (signed, decode(Mark, signed.raw)) for p, signed in sorted(found.items()) if signed is not None}
        return {p: signed for p, (signed, mark) in marks.items() if (mark.h, mark.d) == here}

    # ---- chat

    def _chat_received(self, source: int | None, signed: Signed) -> list[Effect]:
        line = decode(Chat, signed.raw)
        if signed.peer == self.me or line.n <= self._peers[signed.peer].chat:
            return []
        self._belongs(signed, line.m, line.p)
        reason = why_not_chat(line.t)
        if reason:
            raise RemoteError(f"chat of peer {signed.peer}: {reason}")
        self._peers[signed.peer].chat = line.n
        return [Journal(signed, sync=False), Heard(signed.peer, line.n, line.t), *self._spread(signed, source)]
