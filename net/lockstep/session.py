"""The session: one peer's side of one match, without I/O.

It decides what to do with what the world says: frames and dealer messages that come early, late, twice or
out of order; peers that are linked, lost or behind; acknowledgements, forks, divergence. What messages
mean is the ledger's business; sockets, files, threads and clocks are the adapter's. Every input returns
effects, to be carried out in order.

Rules that hold whatever comes in:

1. No input raises because of what another peer sent. Nonsense is the effect `Drop` against the peer whose message it
   is, never an exception that would throw away the effects of somebody else's message.
2. A message of our own goes through one gate, `_pledge`: the book of places (`places.py`) makes sure that no place is
   signed twice, the adapter writes the message to two places on the disk, and only then (`written`) is it
   taken into the ledger and shown to anybody. While it waits, no other part of ours is made.
3. What this node signed and lost with a damaged file is learned again, from the second copy or from peers. Until the
   chain has come to where those words belong, nothing new is signed. If nobody can say what was signed, the node only
   reads (`_reads_only`), and says so.
4. A peer's unsigned word says where it stands, and nothing else. What stops a match for a moment (a claim of another
   state), or counts as a witness, is signed or comes from the peer's own link.
5. Whoever hears a peer only through others gets its signed word: acknowledgements are signed as soon as one active
   peer is not linked to us or does not say that it hears us, and the last one of each peer is part of every offer.

What an attacker would try: items for later that somebody else's message trips over (1; `catch_up.py`), a crash between
signing and writing (2), votes that name what nobody has (`sealed/entries.py`), false states (`standoff.py`), silence
towards one peer (5).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from kontor_games.engine import Action
from kontor_games.engine.errors import IllegalAction, LocalError, MalformedAction, RemoteError
from kontor_games.net.ledger.facts import Differs, Fact, Fault, Grown, Missing, Ply
from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.ledger.places import Place, PlaceBook, place_of
from kontor_games.net.sealed.bodies import Bye, Cheat, Giv, Gon
from kontor_games.net.sealed.bodies import decode as decode_body
from kontor_games.net.sealed.events import Duty, Job
from kontor_games.net.wire.chain import Chat, DealerMessage, Frame, Mark, decode, encode, frame_tip
from kontor_games.net.wire.identity import Signer
from kontor_games.net.wire.match_talk import Ask, Chunk, Dump, Item, Kind, Moved, Need, Signed, Talk, Where
from kontor_games.net.wire.terms import why_not_authored
from kontor_games.net.wire.text import why_not_chat

from .ballot import Ballot
from .catch_up import CatchUp, chunk_from
from .effects import (
    Again,
    Completed,
    Diverged,
    Drop,
    Dropped,
    Effect,
    Ended,
    GoesOn,
    Healed,
    Heard,
    Journal,
    Pledge,
    Publish,
    ReadsOnly,
    Replay,
    Report,
    SecretSpent,
    Send,
    Waiting,
)
from .partings import Departure, departure, rank
from .passed_on import PassedOn
from .standing import Standing
from .standoff import Standoff
from .witnesses import Witnesses
from .workbench import Workbench

EARLY_PER_PEER = 8
MAX_OPEN_WORDS = 32  # of our own, kept in the second place on the disk
LOOK_AHEAD = 64  # items of another's chain, to see who went on behind a cheat's message
RESEND_SECONDS = 3.0  # how often everything open is offered again while nothing moves
Then = Callable[[Signed], list[Effect]]


class Session:
    """One peer's side of a match; a ledger without `me` makes a spectator's."""

    def __init__(self, ledger: Ledger, signer: Signer | None, version: str) -> None:
        self.ledger = ledger
        self.me = ledger.me
        self._signer = signer
        self._version = version
        self._peers = Standing(len(ledger.terms.peers), self.me)
        self._catch_up = CatchUp()
        self._passed_on = PassedOn()
        self._witnesses = Witnesses()
        self._heard_at = Witnesses()  # the same by their unsigned words, which convince nobody but us
        self._passed: bytes | None = None  # a tip behind a cheat's message that all others have passed
        self._is_taking = False  # an item of the chain, part by part
        self._ballot = Ballot()
        self._standoff = Standoff()
        self._early: dict[int, deque[tuple[bytes, Signed]]] = {}  # frames by author, with the tips they wait for
        self._workbench = Workbench()
        self._faults: list[Fault] = []  # as far as they were seen here
        self._forked: set[int] = set()  # cheats of whose messages one was in our chain, and there is another
        self._places = PlaceBook()
        self._pledges: dict[int, tuple[Signed, Then]] = {}  # signed by us, not on the disk for certain
        self._pledge_number = 0
        self._open_words: list[Signed] = []  # our own newest messages, until their places are closed
        self._lost_words: list[Signed] = []  # ours, not in the journal, for tips that we have not reached again
        self._reads_only: str | None = None  # why this node signs nothing more here
        self._named_again: tuple[object, ...] = ()  # what our last repeated vote named
        self._returned: set[tuple[bytes, bytes] | None] = (
            set()
        )  # items from which we went back, and for which departure
        self._dumped: set[int] = set()  # whose state has been written down for the report
        self._written: set[bytes] = set()  # messages of others in the journal that are not in the chain yet
        self._own_written: set[bytes] = set()  # all of ours that are in the journal
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

    def restore(self, journal: Iterable[Signed], own: Iterable[Signed] = (), doubt: str | None = None) -> list[Effect]:
        """Take back what this node wrote down before it was restarted; its proofs were checked then.

        `own` is the second copy of our newest messages. `doubt` says why messages of ours may be missing in both.
        """
        effects: list[Effect] = []
        mine: list[Signed] = []
        for signed in journal:
            if signed.peer == self.me:
                mine.append(signed)
                self._own_written.add(signed.raw)
                self._stand_by(signed)
            match signed.kind:
                case "frame" | "dealer":
                    effects += self._restored(signed)
                case "final":
                    self._keep_final(signed)
                case "chat":
                    effects.append(self._restored_chat(signed))
                case "ack":
                    pass
        for signed in own:
            if signed.raw not in self._own_written:
                mine.append(signed)
                self._stand_by(signed)
                effects += self._recovered(signed)
        self._open_words = mine
        self._open_words = self._still_open()[-MAX_OPEN_WORDS:]
        reason = doubt or self._why_not_our_secret()
        return [*effects, *(self._read_only(reason) if reason else ())]

    def _restored_chat(self, signed: Signed) -> Heard:
        line = decode(Chat, signed.raw)
        if signed.peer == self.me:
            self._chat_number = max(self._chat_number, line.n + 1)
        else:
            self._peers[signed.peer].chat = line.n
        return Heard(line.p, line.n, line.t)

    def _recovered(self, signed: Signed) -> list[Effect]:
        """A message of ours that the journal has lost: it stands, and waits for the chain to come back to its place."""
        match signed.kind:
            case "frame":
                self._keep_early(signed, decode(Frame, signed.raw))
                self._lost_words.append(signed)
            case "dealer":
                self._lost_words.append(signed)
                return list(self.ledger.take(signed, trusted=True))
            case "final":
                self._keep_final(signed)
            case "chat":
                return [self._restored_chat(signed)]
            case "ack":
                pass
        return []

    def _why_not_our_secret(self) -> str | None:
        """Why the table secret at hand cannot be the one this match was begun with, or None."""
        if self._signer is None or self._final is not None:
            return None
        if self.ledger.player is None:
            return "the table secret of this match is missing"
        return None if self.ledger.own.is_our_key() else "the table secret on the disk is not the one of this match"

    def _read_only(self, reason: str) -> list[Effect]:
        if self._reads_only is not None:
            return []
        self._reads_only = reason
        self._draft, self._leaving = None, False
        return [ReadsOnly(reason)]

    def _restored(self, signed: Signed) -> list[Effect]:
        """One message of the journal. Proof that a cheat told two stories stands there only where we went back."""
        frame = decode(Frame, signed.raw) if signed.kind == "frame" else None
        if frame is None or (place := self.ledger.place(frame.h)) == "now":
            facts = self.ledger.take(signed, trusted=True)
        elif place == "early":
            self._keep_early(signed, frame)
            return []
        else:
            fork = self.ledger.chain.fork(signed, frame)
            facts = [] if fork is None else [fork]
        after: list[Fact] = []
        for fact in facts:
            if isinstance(fact, Fault) and (position := self._position_of(fact)) is not None:
                self._faults.append(fact)
                self._forked.add(fact.peer)
                self._ballot.add(fact.peer)
                self._go_back(position)
                after += self.ledger.go_on()
        return [*facts, *after]

    def start(self) -> list[Effect]:
        """Begin, or go on after a restart: do what is owed."""
        spent = [SecretSpent()] if self._final is not None and self.ledger.is_complete else []
        return [*spent, *self._pump()]

    def linked(self, *peers: int) -> list[Effect]:
        """Links to these peers are up: tell where we stand and offer what is open."""
        for peer in peers:
            self._peers.set_linked(peer, True)
            self._passed_on.linked(peer)
        return [*self._say_where(), *(effect for peer in peers for effect in self._offer(peer))]

    def unlinked(self, peer: int) -> list[Effect]:
        """The link is gone; the match goes on through the others."""
        if not self._peers[peer].linked:
            return []
        self._peers.set_linked(peer, False)
        return self._say_where()

    def heard(self, source: int, talk: Talk) -> list[Effect]:
        """A linked peer said something."""
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
                found = (self.ledger.messages.find(h) for h in hashes)
                return [Send(source, signed) for signed in found if signed is not None]

    def written(self, number: int) -> list[Effect]:
        """This pledge of ours is on the disk in both places: now it counts, and others may see it."""
        signed, then = self._pledges.pop(number)
        self._own_written.add(signed.raw)
        return [*then(signed), *self._pump()]

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
            effects += self._sign_where(self._peers.linked)  # somebody may not hear us, and we may not know it yet
            lacking = self.ledger.entries.lacking()
            for number in self._peers.linked:
                effects += self._offer(number)
                effects += [Send(number, Need(lacking))] if lacking else []
        if self._standoff.is_on and self._standoff.is_due(now):
            effects.append(Replay())
        return [*effects, *self._resume_without(), *self._pump()]

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
        if self._reads_only is not None:
            return f"this node only reads here: {self._reads_only}"
        if self.is_committed:
            return "a turn is on its way already"
        if self._standoff.is_on:
            return "the match is stopped: the nodes differ about the state"
        if self._ended:
            return "the match is over"
        return self.ledger.own.why_not_turn(actions)

    @property
    def is_committed(self) -> bool:
        """Whether a turn of ours is on its way."""
        return self._draft is not None or any(signed.kind == "frame" for signed, _ in self._pledges.values())

    @property
    def is_stopped(self) -> bool:
        """Whether this node checks its own state, because another signed a different one."""
        return self._standoff.is_on

    @property
    def reads_only(self) -> str | None:
        """Why this node signs nothing more in this match, or None."""
        return self._reads_only

    @property
    def missing(self) -> tuple[int, ...]:
        """Active peers that neither we nor those linked to us can reach."""
        return self._peers.missing(self.ledger.active)

    def chat(self, text: str) -> list[Effect]:
        """Say a line to the table."""
        reason = why_not_chat(text)
        if reason:
            raise IllegalAction(reason)
        if self._reads_only is not None:
            raise IllegalAction(f"this node only reads here: {self._reads_only}")
        number = self._chat_number
        self._chat_number += 1

        def spoken(signed: Signed) -> list[Effect]:
            return [Heard(signed.peer, number, text), *self._spread(signed, None)]

        return self._pledge("chat", encode(Chat(self.ledger.match, self._mine(), number, text)), spoken)

    def vote_gone(self, peers: Iterable[int]) -> list[Effect]:
        """Declare these peers gone (none: take the vote back); raises IllegalAction with the reason."""
        against = frozenset(peers)
        reason = self.ledger.table.why_not_gone(sorted(against)) if against else None
        if self._reads_only is not None:
            reason = f"this node only reads here: {self._reads_only}"
        if reason or not against <= set(self.ledger.active) - {self._mine()}:
            raise IllegalAction(reason or "only others who are still at the table can be declared gone")
        self._recall_vote()
        entries = self.ledger.entries
        if not against or against != entries.accused or entries.is_vote_stale:  # else it stands already
            self._ballot.choose(against)
        return self._pump()

    def bye(self) -> list[Effect]:
        """Leave in order: hand over the deck key. With two peers this is a forfeit."""
        if self.ledger.player is None or not self.ledger.table.peers.keys:
            raise IllegalAction(self._reads_only or "the match has not begun")
        if self._reads_only is not None:
            raise IllegalAction(f"this node only reads here: {self._reads_only}")
        self._leaving = True
        return self._pump()

    def replayed(self, state: bytes | None) -> list[Effect]:
        """A clean process replayed our chain and ended with this state; None: it could not."""
        if not self._standoff.is_on:
            return []
        if state is None:
            self._standoff.failed(self._now)
            return []
        is_confirmed = state == self._standoff.state
        effects: list[Effect] = []
        if not is_confirmed:
            self._go_back(None)
            effects = self._go_on()
            if self.ledger.tip == self._standoff.tip and self.ledger.state_bytes() != state:
                return effects  # this process cannot be trusted any more: it stays stopped
        return [*effects, *self._say_where(), *self._resume(is_confirmed)]

    # ---- signed messages

    def _signed(self, source: int | None, signed: Signed, in_chain: bool = False) -> list[Effect]:
        """A signed message; `in_chain`: as part of the chain that `source` has. What is refused ends that link."""
        try:
            return self._taken(source, signed, in_chain)
        except RemoteError as error:
            return [] if source is None else [Drop(source, str(error))]

    def _taken(self, source: int | None, signed: Signed, in_chain: bool) -> list[Effect]:
        """The same; raises RemoteError before anything has changed."""
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
        if self._standoff.is_on and not _is_one_of(message, Gon, Giv, Bye):
            self._standoff.hold(signed)
            return []
        entries = self.ledger.entries
        effects: list[Effect] = self._learned(signed)
        self._witnesses.add(signed.peer, message.h)
        if signed.peer not in entries.banned:  # of a cheat all get what proves it, and nothing more goes round
            for_all = entries.is_rested_on(message) or _is_one_of(message, Bye)  # it may have been said to us only
            effects += self._spread(signed, source, trusting=not for_all)
        if source is not None and self.ledger.place(message.h) == "early":
            effects += self._ask(source)
        effects += self._stood(signed.peer, message.h, message.d)
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
        learned = self._learned(signed)
        self._witnesses.add(signed.peer, frame.h)
        match place:
            case "now" if self._is_void(signed, in_chain):
                return learned
            case "now":
                effects = [*learned, *self._spread(signed, source)]
                effects += self._stood(signed.peer, frame.h, frame.d)
                return [*effects, *self._told(self.ledger.take_frame(signed, frame)), *self._pump()]
            case "late":
                return [*learned, *self._late(signed, frame)]
            case "early":
                self._keep_early(signed, frame)
                return [*learned, *([] if source is None else self._ask(source))]

    def _keep_early(self, signed: Signed, frame: Frame) -> None:
        early = self._early.setdefault(signed.peer, deque(maxlen=EARLY_PER_PEER))
        if (frame.h, signed) not in early:
            early.append((frame.h, signed))

    def _belongs(self, signed: Signed, match: bytes, author: int | None) -> None:
        """Only with its author's signature does a message count as its author's."""
        if match != self.ledger.match:
            raise RemoteError("a message of another match")
        reason = why_not_authored(self.ledger.terms, signed, author)
        if reason:
            raise RemoteError(reason)

    def _check_authored(self, signed: Signed) -> None:
        """RemoteError unless this frame or dealer message is of this match and signed by its author."""
        if signed.kind == "frame":
            frame = decode(Frame, signed.raw)
            self._belongs(signed, frame.m, self.ledger.seat_peer(frame.s))
        else:
            message = decode(DealerMessage, signed.raw)
            self._belongs(signed, message.m, message.p)

    def _learned(self, signed: Signed) -> list[Effect]:
        """A message of ours comes back: what we do not remember signing stands nevertheless."""
        return self._stand_by(signed) if signed.peer == self.me else []

    def _stand_by(self, signed: Signed) -> list[Effect]:
        """Never sign anything else for the place of this message of ours."""
        try:
            clash = self._places.learn([signed])
        except RemoteError:
            return []  # not what this program signs
        return [] if clash is None else self._read_only("another copy of this node plays this match with the same key")

    def _late(self, signed: Signed, frame: Frame) -> list[Effect]:
        """A frame for a tip we have passed: nothing new, or the second half of a fork."""
        fork = self.ledger.chain.fork(signed, frame)
        if fork is None:
            return []
        self.ledger.entries.banned[signed.peer] = "fork"
        return [*self._told([fork]), *self._pump()]

    def _is_void(self, signed: Signed, in_chain: bool) -> bool:
        """Whether a frame comes from a cheat and does not count.

        It does as part of somebody's chain if there is only one version of it, as far as we know, or if all had passed
        it before they knew.
        """
        if signed.peer not in self.ledger.entries.banned:
            return False
        shown = [other for fault in self._faults for other in fault.evidence if other.peer == signed.peer]
        is_single = not any(other.raw != signed.raw and _place_of(other) == _place_of(signed) for other in shown)
        return not (in_chain and (is_single or frame_tip(self.ledger.tip, signed.raw) == self._passed))

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
                    if position == 0 and (reason := self._why_not_our_secret()):
                        tell += self._read_only(reason)
                    tell.append(Publish(Chunk(position, (item,), 0)))
                    self._moved_at = self._now
                    self._passed_on.grown()
                case Differs(peer=peer, tip=tip, theirs=theirs):
                    effects += self._diverged(peer, tip, theirs)
                    continue
                case Missing(hashes=hashes):
                    effects += [Send(p, Need(hashes)) for p in self._peers.linked]
                case Fault() if self._is_known(fact):
                    again = self._fault_again(fact)
                    has_moved |= bool(again)
                    written += again
                    continue
                case Fault():
                    self._faults.append(fact)
                    effects += self._prove(fact)
                    undone = self._undo(fact)
                    has_moved |= bool(undone)
                    written += undone
                    self._faulted(fact)
                    tell.append(fact)
                    continue
            tell.append(fact)
        if has_moved:
            effects += self._say_where(own)
        elif own is not None:
            effects += self._spread(own, None)
        return [*effects, *written, *tell]

    def _write_down(self, item: Item) -> list[Effect]:
        """Journal what others said in an item of the chain, unless it is written already."""
        new = [part for part in item.parts if part.raw not in self._written and part.raw not in self._own_written]
        self._written.clear()
        return [Journal(part) for part in new]

    def _is_known(self, fault: Fault) -> bool:
        """Whether this peer is known to cheat, and to have told two stories if that is what it did now."""
        codes = [known.code for known in self._faults if known.peer == fault.peer]
        return "fork" in codes or (bool(codes) and fault.code != "fork")

    def _fault_again(self, fault: Fault) -> list[Effect]:
        """Another fault of a known cheat matters only if it takes something out of our chain."""
        undone = self._undo(fault)
        if not undone:
            return []
        self._faults.append(fault)
        return [*self._prove(fault), *undone]

    def _undo(self, fault: Fault) -> list[Effect]:
        """What a cheat told some of us does not count unless all have acknowledged it: go back, and write down why."""
        position = self._position_of(fault)
        if position is None or self._signer is None or not self._not_beyond(position, fault.peer):
            return []
        parts = self.ledger.items[position].parts
        self._forked.add(fault.peer)  # whatever the proof was: there are two versions
        self._go_back(position)
        return [*(Journal(signed) for signed in fault.evidence if signed not in parts), *self._go_on()]

    def _not_beyond(self, position: int, author: int | None) -> set[int]:
        """Those, but for the author, who neither have signed anything behind this item of the chain nor stand there."""
        tips = self.ledger.chain.tips_after(position)
        # what was signed for an entry that a departure left open may be older than the item
        behind = [part for item in self.ledger.items[position + 1 :] for part in item.parts]
        passed = {part.peer for part in behind if _tip_before(part) in tips} | self._witnesses.at(tips)
        others = set(self.ledger.active) - {self.me, author} - passed
        return {p for p in others if self._peers[p].tip not in tips}

    def _position_of(self, fault: Fault) -> int | None:
        """Where in the chain a message of the cheat stands at the place of one that proves the fault, if one does.

        That may be another message than those of the proof: it is then one of two versions itself.
        """
        places = {_place_of(signed) for signed in fault.evidence if signed.peer == fault.peer} - {None}
        for position, item in enumerate(self.ledger.items):
            if any(part.peer == fault.peer and _place_of(part) in places for part in item.parts):
                return position
        return None

    def _prove(self, fault: Fault) -> list[Effect]:
        """Show the evidence to all others: who cheats need not have told everybody the same."""
        others = [p for p in self._peers.linked if p != fault.peer] if self._signer is not None else []
        return [Send(p, signed) for p in others for signed in fault.evidence]

    def _faulted(self, fault: Fault) -> None:
        """The others go on without a peer that cheated, as soon as they can."""
        if self._signer is not None and fault.peer != self.me and fault.peer in self.ledger.active:
            self._ballot.add(fault.peer)

    @property
    def _is_doomed(self) -> bool:
        """Whether a proven cheat is at the table and cannot be put out.

        That may pass: an escrow may be completed with what the cheat had said before, here or at the others.
        """
        if not self._faults or self._signer is None:
            return False
        cheats = {fault.peer for fault in self._faults} & set(self.ledger.active) - {self.me}
        lost = [p for p in sorted(cheats) if self.ledger.table.why_not_gone((p,)) is not None]
        return any(not self.ledger.entries.may_complete_escrow(p) for p in lost)

    def _pump(self) -> list[Effect]:
        """Whatever can go on, goes on; nothing while we are going back."""
        effects: list[Effect] = []
        while not self.ledger.entries.stands_still and (more := self._step()):
            effects += more
            if isinstance(more[-1], Again | Pledge):
                break
        return effects

    def _step(self) -> list[Effect]:
        for fault in self._faults:
            if fault.peer in self.ledger.active and (undone := self._undo(fault)):
                return [*self._say_where(), *undone]
        for job in self.ledger.entries.jobs():
            return self._check(job)
        about_leaving = self._leave_or_vote()
        if about_leaving or self._standoff.is_on:
            return about_leaving
        duty = self._duty()
        if duty is not None:
            # before the game begins nobody waits for anything else
            return self._do(duty) if duty.heavy or self.ledger.state is None else [Again()]
        ahead = self.ledger.own.ahead() if self._may_sign else None
        if ahead is not None and (work := self._workbench.make_ahead(ahead)):
            return work
        early = self._due_early()
        if early is not None:
            return self._frame(None, early) or self._step()
        item = self._next_item()
        if item:
            return item
        if self._draft is not None and self._may_sign:
            return self._author()
        return self._end()

    def _leave_or_vote(self) -> list[Effect]:
        """What is said even while the nodes differ about the state: goodbyes, votes, shares for the departed."""
        if not self._may_sign:
            return []
        if self._leaving and self.ledger.player is not None and self.ledger.entries.why_not_leave() is None:
            self._leaving = False
            return self._own_dealer(self.ledger.entries.leave(self.ledger.player))
        if self._standoff.is_on:
            giv = next((duty for duty in self.ledger.own.due() if duty.name == "giv"), None)
            if giv is not None:
                return self._do(giv)
        return self._vote()

    def _end(self) -> list[Effect]:
        how = self.ledger.how_ended if self.ledger.is_over else "fault" if self._is_doomed else None
        if how != self._ended:
            self._ended = how
            return [GoesOn()] if how is None else [Ended(how)]
        if not self.ledger.is_over:
            return []
        if self.ledger.is_complete and self._final is None and self._may_sign:
            return self._sign_final()
        if self.ledger.is_complete and not self._completed and set(self.finals()) >= set(self.ledger.active):
            self._completed = True
            return [Completed()]
        return []

    @property
    def _may_sign(self) -> bool:
        """Whether a new part of ours may be made: nothing waits for the disk, and what we signed before is in place."""
        if self._signer is None or self._reads_only is not None or self._pledges:
            return False
        if self._lost_words:
            tips = (_tip_before(signed) for signed in self._lost_words)
            if any(self.ledger.position_of(tip) is None for tip in tips):
                return False
            self._lost_words = []
        return True

    def _duty(self) -> Duty | None:
        """What this node owes and is not making yet."""
        if not self._may_sign or self._is_doomed:
            return None
        return next((duty for duty in self.ledger.own.due() if not self._workbench.is_making(duty)), None)

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
            still = any((due.name, due.h) == (duty.name, duty.h) for due in self.ledger.own.due())
            return self._own_dealer(message) if still and self._may_sign and not self._standoff.is_on else []

        return self._workbench.make(duty, made)

    def _own_dealer(self, message: DealerMessage, said_before: Sequence[Signed] = ()) -> list[Effect]:
        """Sign our part of a chance entry, write it down with all it rests on, then send it and take it ourselves.

        A shuffle on top of one that is lost with its author would be worth nothing, and cannot be signed twice; shares
        for the departed bind us to what the votes name. So both are written down behind what they rest on.
        """
        grounds = [other for other in self.ledger.messages.grounds(message) if other.raw not in self._written]
        self._written.update(other.raw for other in grounds)

        def taken(signed: Signed) -> list[Effect]:
            before = [Send(p, other) for other in said_before for p in self._peers.audience(other.peer, None, False)]
            facts = self.ledger.take_dealer(signed, decode(DealerMessage, signed.raw))
            return [*before, *self._spread(signed, None), *self._told(facts)]

        return [*(Journal(other) for other in grounds), *self._pledge("dealer", encode(message), taken)]

    def _pledge(self, kind: Kind, raw: bytes, then: Then) -> list[Effect]:
        """Sign a message of ours and have it written down; `then` says what follows when that is done.

        If this node has signed something else for the same place, that is what it says again.
        """
        signed = self._places.first(self._seal(kind, raw))
        self._open_words = [*self._open_words, signed]
        self._open_words = self._still_open()[-MAX_OPEN_WORDS:]
        self._pledge_number += 1
        self._pledges[self._pledge_number] = (signed, then)
        return [Pledge(self._pledge_number, signed, tuple(self._open_words))]

    def _still_open(self) -> list[Signed]:
        """Our words that belong in the second place.

        The newest that names a tip always does: it shows how far the chain had come when the journal is lost. So does
        our last turn with what we said after it: nobody else need have it yet.
        """
        words = self._open_words
        placed = [k for k, word in enumerate(words) if word.kind in ("frame", "dealer")]
        turns = [k for k in placed if words[k].kind == "frame"]
        first = turns[-1] if turns else placed[-1] if placed else len(words)
        return [word for k, word in enumerate(words) if k >= first or self._is_open(word)]

    def _is_open(self, word: Signed) -> bool:
        """Whether this message of ours is one whose loss could make us sign another in its place."""
        if word.kind in ("frame", "dealer"):
            tip = _tip_before(word)
            return tip in self.ledger.entries.open_tips() or self.ledger.position_of(tip) is None
        return word.kind == "final" or self._is_last_line(word)

    def _is_last_line(self, word: Signed) -> bool:
        return word.kind == "chat" and decode(Chat, word.raw).n == self._chat_number - 1

    def _recall_vote(self) -> None:
        """Our vote comes from the journal, or from peers that remember it."""
        self._ballot.recall(self.ledger.tip, self.ledger.entries.accused)

    def _vote(self) -> list[Effect]:
        self._recall_vote()
        entries = self.ledger.entries
        if not self._ballot.is_open or not entries.settled or self.me in entries.leaving:
            return []
        against = self._ballot.due(self.ledger.tip, self.ledger.active, entries.silent)
        if against is None and entries.is_vote_stale and self._named_again != (stand := entries.what_we_would_name):
            self._named_again = stand  # once for what is held now: a vote that is not taken is not cast for ever
            against = entries.accused
        try:
            vote = None if against is None else self.ledger.entries.vote(against)
        except LocalError:
            return []
        # what the vote names goes out before it: it counts only where that is held
        return [] if vote is None else self._own_dealer(vote, said_before=self.ledger.messages.named_in(vote))

    def _author(self) -> list[Effect]:
        """Sign the drafted turn once every active peer stands at our tip with our digest, and no departure binds us."""
        actions = self._draft
        assert actions is not None
        try:
            turn = self.ledger.own.draft(actions)
        except (IllegalAction, MalformedAction) as error:
            self._draft = None
            return [Dropped(str(error))]
        absent = self._absent() or self.ledger.entries.bound_to
        if absent:
            if absent == self._waiting:
                return []
            self._waiting = absent
            return [Waiting(absent)]
        self._draft, self._waiting = None, ()

        def played(signed: Signed) -> list[Effect]:
            frame = decode(Frame, signed.raw)
            if self.ledger.place(frame.h) != "now":
                return []  # the others went on while it waited for the disk
            return self._told(self.ledger.take_frame(signed, frame, trusted=True, turn=turn), signed)

        return self._pledge("frame", encode(self.ledger.own.frame(turn)), played)

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
        if self.me is not None:
            self._witnesses.add(self.me, ledger.tip)
        linked = self._peers.linked
        where = Where(ledger.position, ledger.tip, ledger.digest, linked)
        talk = where if own is None else Moved(own, where)
        effects: list[Effect] = [Send(p, talk) for p in linked]
        if self._peers.is_out_of_reach(ledger.active):
            effects += self._sign_where(linked)
        return effects

    def _sign_where(self, peers: Sequence[int]) -> list[Effect]:
        """Tell these peers where we stand in a form that they can pass on."""
        if self._signer is None or self.me not in self.ledger.active:
            return []
        ledger = self.ledger
        mark = self._seal("ack", encode(Mark(ledger.match, self._mine(), ledger.tip, ledger.digest)))
        return [Send(p, mark) for p in peers]

    def _where(self, source: int, where: Where) -> list[Effect]:
        effects = self._hears(source, where)
        self._heard_at.add(source, where.tip)
        effects += self._stands(source, where.tip, where.digest)
        if where.tip == self.ledger.tip and where.digest != self.ledger.digest:
            effects += self._sign_where((source,))  # it is asked to sign what it claims
        if self.ledger.run.forfeit is not None:
            return effects  # a match of two ends at each side where the farewell found it
        if where.position > self.ledger.position:
            effects += self._ask(source)
        elif where.position and where.position == self.ledger.position and where.tip != self.ledger.tip:
            # two chains: the last items show a fork, with one before them on which both agree, if they part there
            effects += self._chunk(source, max(0, where.position - 2))
        return [*effects, *self._pump()]

    def _hears(self, source: int, where: Where) -> list[Effect]:
        """Take its word on whom it hears; those who turn out not to hear each other get each other's words from us."""
        before, listed = self._peers.unheard(source), self._peers.lists_us(source)
        self._peers[source].says(where)
        effects: list[Effect] = []
        for other in sorted(self._peers.unheard(source) - before):
            effects += self._words_of(other, source)
            if self._peers[other].linked:
                effects += self._words_of(source, other)
        if listed and not self._peers.lists_us(source):
            effects += self._sign_where(self._peers.linked)
        return effects

    def _words_of(self, author: int, target: int) -> list[Effect]:
        """What a peer said that another one lacks if it does not hear it."""
        return [effect for effect in self._offer(target) if isinstance(effect, Send) and _author_of(effect) == author]

    def _ack(self, source: int | None, signed: Signed) -> list[Effect]:
        if signed.peer == self.me:
            self._witness(signed, decode(Mark, signed.raw))  # we may have forgotten where we stood
            return []
        peer = self._peers[signed.peer]
        if not peer.is_news(signed.raw, self._now):
            return self._stood_last(signed.peer) if signed == peer.last_ack else []
        mark = decode(Mark, signed.raw)
        self._witness(signed, mark)
        peer.acks.append((self._now, signed.raw))
        if self.ledger.chain.is_before(mark.h, peer.tip):
            return []  # it took a longer way than the one after it
        peer.last_ack = signed
        claims = mark.h == self.ledger.tip and mark.d != self.ledger.digest
        effects = self._spread(signed, source, trusting=not claims)  # all see why somebody waits
        effects += self._stands(signed.peer, mark.h, mark.d)
        if claims:
            effects += self._diverged(signed.peer, mark.h, mark.d)
        return [*effects, *self._pump()]

    def _witness(self, signed: Signed, mark: Mark) -> None:
        self._belongs(signed, mark.m, mark.p)
        self._witnesses.add(signed.peer, mark.h)

    def _stood(self, peer: int, tip: bytes, digest: bytes) -> list[Effect]:
        """What a peer signed says where it stood; that may be long ago."""
        if peer not in self._peers:
            return []
        last = self._peers[peer].tip
        is_ahead = bool(last) and self.ledger.position_of(last) is None and self.ledger.position_of(tip) is not None
        return [] if is_ahead or self.ledger.chain.is_before(tip, last) else self._stands(peer, tip, digest)

    def _stood_last(self, peer: int) -> list[Effect]:
        """A peer's last signed word comes again: it still counts, if something older came after it."""
        last = self._peers[peer].last_ack
        mark = None if last is None else decode(Mark, last.raw)
        if mark is None or (mark.h, mark.d) == (self._peers[peer].tip, self._peers[peer].digest):
            return []
        return [*self._stood(peer, mark.h, mark.d), *self._pump()]

    def _stands(self, peer: int, tip: bytes, digest: bytes) -> list[Effect]:
        self._peers[peer].tip, self._peers[peer].digest = tip, digest
        facts = self.ledger.peer_at(peer, tip)
        return self._told(facts) if facts else []

    def _spread(self, signed: Signed, source: int | None, trusting: bool = True) -> list[Effect]:
        """Send to every linked peer that does not get it from its author, whom we trust to tell all the same."""
        audience = self._peers.audience(signed.peer, source, trusting)
        if signed.peer != self.me and signed.kind in ("frame", "dealer"):  # others are known when they come again
            audience = self._passed_on.new_to(signed, audience)
        return [Send(p, signed) for p in audience]

    def _offer(self, peer: int) -> list[Effect]:
        """What a peer at our tip may lack: everything held for the open entry, and final words."""
        held = self.ledger.held()
        held += [signed for fault in self._faults if fault.peer in self.ledger.active for signed in fault.evidence]
        held += [signed for signed in (self._final, *(each.final for _, each in self._peers)) if signed is not None]
        held += [each.last_ack for p, each in self._peers if each.last_ack is not None and p != peer]
        # its own messages too: it may have lost them
        return [Send(peer, signed) for signed in held]

    # ---- catching up

    def _ask(self, source: int, position: int | None = None) -> list[Effect]:
        """Ask a peer for its chain from a position on, or for what follows ours."""
        position = self.ledger.position if position is None else position
        return [Send(source, Ask(position))] if self._catch_up.may_ask(source, position, self._now) else []

    def _chunk(self, peer: int, position: int) -> list[Effect]:
        return [Send(peer, chunk) for chunk in self.chunk_from(position)]

    def chunk_from(self, position: int) -> list[Chunk]:
        """As much of the chain from this position on as one answer carries, if there is any."""
        chunk = chunk_from(self.ledger.items, position)
        return [] if chunk is None else [chunk]

    def _chunk_received(self, source: int, chunk: Chunk) -> list[Effect]:
        """Items of the chain: they are taken one by one, each when the one before it has been judged."""
        effects: list[Effect] = []
        ours = self.ledger.items[chunk.position : chunk.position + len(chunk.items)]
        parted = next((k for k, item in enumerate(ours) if chunk.items[k] != item), len(ours))
        position = chunk.position + parted
        if parted:
            self._catch_up.agreed(source, position, self.ledger.chain.tip_at(position))
        if parted < len(ours):
            effects += self._parted(source, position, chunk.items[parted:])
        elif parted and chunk.more and position < self.ledger.position:
            effects += self._ask(source, position)
        self._catch_up.take(source, chunk, self.ledger.position)
        return [*effects, *self._pump()]

    def _parted(self, source: int, position: int, items: Sequence[Item]) -> list[Effect]:
        """A peer's chain has other items from here on: that may show a fork, or a departure that we have to follow."""
        if position and not self._catch_up.agrees(source, position, self.ledger.chain.tip_at(position)):
            return [*self._ask(source, position - 1), *self._take_item(source, items[0])]  # it may be another earlier
        followed = self._returns(source, position, items[0]) or self._rejoins(source, position, items)
        return followed or self._take_item(source, items[0])

    def _take_item(self, source: int, item: Item) -> list[Effect]:
        """All parts of an item; nothing else is taken of the chain before the last of them."""
        effects: list[Effect] = []
        self._is_taking = True
        for part in item.parts:
            more = self._signed(source, part, in_chain=True)
            effects += more
            if any(isinstance(effect, Drop) for effect in more):
                self._catch_up.refuse(source)
                break
        self._is_taking = False
        return effects

    def _next_item(self) -> list[Effect]:
        """Go on with what others sent of the chain."""
        if self._workbench.is_busy or self._is_taking:
            return []  # the item before is still being judged
        refused = self._catch_up.judged(self.ledger.position)
        found = self._catch_up.next(self.ledger.position)
        if found is not None:
            source, item = found
            entries = self.ledger.entries
            heard = self._told(self.ledger.listen_again()) if entries.deaf and source not in entries.accused else []
            if any(part.peer in entries.banned for part in item.parts):
                self._passed = self._passed_by_all(source, item)
            self.ledger.follow(item, source, self._passed is not None)
            return [*heard, *self._take_item(source, item)] or self._next_item()
        if refused is not None:
            return self._ask_elsewhere(refused)
        more_from = self._catch_up.whom_to_ask()
        return [] if more_from is None else [Send(more_from, Ask(self.ledger.position))]

    def _passed_by_all(self, source: int, item: Item) -> bytes | None:
        """The tip after an item with a cheat's message, if everybody else has signed something there or behind it.

        We are among them: we stood there, and went back when we learned of the cheat.
        """
        tip = item.tip_after(self.ledger.tip)
        tips, behind = self._behind(tip, self._catch_up.items(source, self.ledger.position + 1, LOOK_AHEAD))
        signers = {part.peer for part in item.parts if part.peer in self.ledger.entries.banned}
        signers.update(part.peer for part in behind)
        return tip if signers | self._witnesses.at(tips) >= set(self.ledger.active) else None

    def _behind(self, tip: bytes, items: Sequence[Item]) -> tuple[set[bytes], list[Signed]]:
        """A tip and those behind it, as far as these items are true, and the messages that name one of them."""
        tips, found = {tip}, []
        for item in items:
            try:
                for part in item.parts:
                    self._check_authored(part)
            except RemoteError:
                break
            found += [part for part in item.parts if _tip_before(part) in tips]
            tip = item.tip_after(tip)
            tips.add(tip)
        return tips, found

    def _ask_elsewhere(self, refused: int) -> list[Effect]:
        """What this peer sent does not follow: let another tell, and show each other where our chains part."""
        here = self.ledger.position
        ahead = [p for p in self._peers.linked if p != refused and self._peers[p].position > here]
        effects = [effect for p in ahead[:1] for effect in self._ask(p)]
        if here and (asked := self._ask(refused, max(0, here - 2))):
            effects += [*asked, *self._chunk(refused, max(0, here - 2))]
        return effects

    def _returns(self, source: int, position: int, item: Item) -> list[Effect]:
        """Go back to follow a departure at a tip where we took something else, if not everybody went that way with us.

        Somebody closed a departure for which we gave our shares, while we were told otherwise; or a peer said goodbye
        to others and gave its part to us. Nobody can go on past our item without the acknowledgement of those who
        closed the departure, and they never give it: so this is where the others meet. `partings.py` says which of two
        departures that is. Once from each item of ours to each of theirs: what somebody makes up may cost us one way
        back, and we come forward again.
        """
        there, ours = self._departure_for_us(item), self.ledger.items[position]
        way = None if there is None else (ours.tip_after(b""), there.hash)
        if there is None or way in self._returned or self.ledger.run.forfeit is not None:
            return []  # whoever is alone meets nobody: a match of two ends at each side where the farewell found it
        if there.rank(self.ledger.position_of) >= rank(ours, self.ledger.position_of):
            return []
        waiting = self._not_beyond(position, ours.parts[0].peer if ours.kind == "frame" else None)
        if not waiting - self._heard_at.at(self.ledger.chain.tips_after(position)):
            return []  # whoever once stood behind our item has not closed the other one, unless a crash made it forget
        self._returned.add(way)
        self._go_back(position, without=ours)
        effects = self._follow(source, item)
        # Somebody else's goodbye still has its place to come.
        for part in ours.parts if ours.kind == "entry" else ():
            effects += self._signed(None, part)
        return effects

    def _rejoins(self, source: int, position: int, items: Sequence[Item]) -> list[Effect]:
        """Leave a goodbye at a place that everybody had passed, we too: a crash let us forget what we acknowledged.

        Somebody else's turn behind that place shows it, for its author had all acknowledgements, ours included.
        """
        ours = self.ledger.items[position]
        leaver = self._leaver(ours)
        if leaver is None or self.ledger.run.forfeit is not None:
            return []
        tip = items[0].tip_after(self.ledger.chain.tip_at(position))
        _, behind = self._behind(tip, items[1 : 1 + LOOK_AHEAD])
        if not any(part.kind == "frame" and part.peer != leaver for part in behind):
            return []
        self._go_back(position, without=ours)
        # the goodbye takes the next place of its author
        return [*self._follow(source, items[0]), *self._signed(None, ours.parts[0])]

    def _leaver(self, item: Item) -> int | None:
        """Whose goodbye this item of our chain is, if it is one."""
        found = self._departure_for_us(item)
        return None if found is None else found.leaver

    def _departure_for_us(self, item: Item) -> Departure | None:
        """A goodbye, or a vote with shares of ours, signed by those it names."""
        try:
            found = departure(item)
            for part in item.parts if found is not None else ():
                self._check_authored(part)
        except RemoteError:
            return None
        return found if found is not None and (found.concerns(self.me) or self._is_put_out(found)) else None

    def _is_put_out(self, found: Departure) -> bool:
        """Whether all others declared us gone and gave their shares: nobody follows what we played meanwhile."""
        rest = set(self.ledger.active) - found.gone
        is_whole = found.givers == rest and self.ledger.table.why_not_gone(sorted(found.gone)) is None
        return self.me in found.gone and is_whole

    # ---- divergence

    def _diverged(self, peer: int, tip: bytes, theirs: bytes) -> list[Effect]:
        """Same chain, and somebody signed another state: show ours to all, and replay it in a clean process."""
        if peer == self.me:
            return []  # we signed it before our memory was put right
        self._peers[peer].tip, self._peers[peer].digest = tip, theirs
        if self._signer is None or peer not in self.ledger.active:
            return []
        if not self._standoff.accuse(peer, self.ledger.tip, self.ledger.state_bytes()):
            return []
        effects: list[Effect] = [Diverged(peer, tip, self.ledger.digest, theirs)]
        dump = Dump(self.ledger.tip, self._version, self.ledger.state_bytes())
        effects += [Send(p, dump) for p in self._peers.linked]
        return [*effects, *self._say_where(), *self._sign_where(self._peers.linked), Replay()]

    def _dump(self, source: int, dump: Dump) -> list[Effect]:
        """The state of somebody who differs, for the report; one for each peer, so that nobody fills our disk."""
        ours = self.ledger.state_bytes()
        is_asked = source in self._standoff.accusers or source in self._standoff.refuted
        if not is_asked or source in self._dumped or dump.tip != self.ledger.tip or dump.state == ours:
            return []
        self._dumped.add(source)
        return [Report(source, dump.tip, ours, dump.state, dump.versions)]

    def _resume_without(self) -> list[Effect]:
        """Go on if those who claimed another state are no longer at the table."""
        present = set(self.ledger.active) - self.ledger.entries.leaving
        if not self._standoff.is_on or self._standoff.accusers & present:
            return []
        return self._resume(False)

    def _resume(self, is_confirmed: bool) -> list[Effect]:
        """Our replay is done: go on, whoever still differs."""
        held_back = self._standoff.end(is_confirmed)
        here = [p for p in self._absent() if self._peers[p].tip == self.ledger.tip]
        effects: list[Effect] = [Healed(tuple(here))]
        for signed in held_back:
            effects += self._signed(None, signed)
        return [*effects, *self._pump()]

    def _go_back(self, length: int | None, without: Item | None = None) -> None:
        """Rebuild the match from our chain (its first `length` items); work under way is for nothing.

        What was held, and messages of the items after those, close nothing before `_go_on`.
        """
        cheats = {fault.peer: fault.code for fault in self._faults}
        cheats.update(dict.fromkeys(self._forked, "fork"))
        self.ledger.go_back(length, cheats, without)
        self._workbench.clear()
        self._draft = None

    def _go_on(self) -> list[Effect]:
        """After going back: what follows from the messages that were kept."""
        return self._told(self.ledger.go_on())

    def _follow(self, source: int, item: Item) -> list[Effect]:
        """After going back: take this item of another's chain before anything else can take its place."""
        self.ledger.follow(item, source)
        effects = [*self._say_where(), *self._take_item(source, item)]
        return [*effects, *self._go_on()]

    # ---- the end

    def _sign_final(self) -> list[Effect]:
        ledger = self.ledger

        def ended(signed: Signed) -> list[Effect]:
            self._final = signed
            return [*self._spread(signed, None), SecretSpent()]

        mark = Mark(ledger.match, self._mine(), ledger.tip, ledger.digest)
        return self._pledge("final", encode(mark), ended)

    def _final_received(self, source: int | None, signed: Signed) -> list[Effect]:
        known = self._final if signed.peer == self.me else self._peers[signed.peer].final
        if known is not None:
            return []
        mark = decode(Mark, signed.raw)
        self._belongs(signed, mark.m, mark.p)
        learned = self._learned(signed)
        self._keep_final(signed)
        return [*learned, Journal(signed), *self._spread(signed, source), *self._pump()]

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
        if line.n <= (self._chat_number - 1 if signed.peer == self.me else self._peers[signed.peer].chat):
            return []
        self._belongs(signed, line.m, line.p)
        if signed.peer == self.me:  # we said this and lost it
            self._chat_number = line.n + 1
            return self._learned(signed)
        reason = why_not_chat(line.t)
        if reason:
            raise RemoteError(f"chat of peer {signed.peer}: {reason}")
        self._peers[signed.peer].chat = line.n
        return [Journal(signed), Heard(signed.peer, line.n, line.t), *self._spread(signed, source)]


def _tip_before(signed: Signed) -> bytes:
    """The tip that a frame or a dealer message names."""
    return decode(Frame, signed.raw).h if signed.kind == "frame" else decode(DealerMessage, signed.raw).h


def _place_of(signed: Signed) -> Place | None:
    """The place of a message, None if it cannot be read."""
    try:
        return place_of(signed)
    except RemoteError:
        return None


def _author_of(effect: Send) -> int | None:
    return effect.talk.peer if isinstance(effect.talk, Signed) else None


def _is_one_of(message: DealerMessage, *kinds: type[Bye | Giv | Gon]) -> bool:
    """Whether the body of this message is of one of these kinds."""
    try:
        return isinstance(decode_body(message.p, bytes(message.b)), kinds)
    except Cheat:
        return False
