"""What a session does with signed messages, whoever brings them, and with what follows from them in its ledger.

A message goes this way:

1. Is it of this match, and signed by the author that it names? If not, the link it came over ends (`DropPeer`).
   Nothing has changed then: whatever is refused is refused before anything is taken.
2. Is it one of ours that we do not remember? Then it stands (`pledges.py`).
3. Is the match stopped because the nodes differ about the state? Then turns and draws wait (`standoff.py`).
4. Who has to get it from us? Then it goes on to them (`speaker.py`), and says where its author stood.
5. Is it for now, for later, or for a place behind us? Now: the ledger takes it. Later: it is kept, and the peer that
   brought it is asked for what is missing. Behind us: it may be the second half of a fork (`faults.py`).

What follows comes back from the ledger as facts, and `act_on` does what they ask: acknowledge, write down, prove, go
back. Acknowledgements go out first, because others wait for them; our own side is told last.

Whatever has changed, other things may be possible now, so most ways end with `pump` (`steps.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kontor_games.engine.errors import RemoteError
from kontor_games.net.ledger.facts import Differs, Fact, Fault, Grown, Missing, Ply
from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.sealed.bodies import Bye, Cheat, Giv, Gon
from kontor_games.net.sealed.bodies import decode as decode_body
from kontor_games.net.wire.chain import Chat, DealerMessage, Frame, Mark, decode
from kontor_games.net.wire.early import Early
from kontor_games.net.wire.match_talk import Chunk, Item, Need, Signed
from kontor_games.net.wire.terms import why_not_word_of
from kontor_games.net.wire.text import why_not_chat

from .effects import DropPeer, Effect, Heard, Journal, Publish, Send
from .faults import Faults
from .finals import Finals
from .pledges import Pledges
from .speaker import Speaker
from .standing import Standing
from .standoff import Standoff
from .wishes import Wishes
from .workbench import Workbench

EARLY_PER_PEER = 8  # frames


class Intake:
    """Takes signed messages; `ask` asks a peer for the chain behind ours, `pump` does what has become possible."""

    def __init__(
        self,
        ledger: Ledger,
        peers: Standing,
        pledges: Pledges,
        speaker: Speaker,
        faults: Faults,
        finals: Finals,
        standoff: Standoff,
        wishes: Wishes,
        workbench: Workbench,
        ask: Callable[[int], list[Effect]],
        pump: Callable[[], list[Effect]],
    ) -> None:
        self._ledger = ledger
        self._peers = peers
        self._pledges = pledges
        self._speaker = speaker
        self._faults = faults
        self._finals = finals
        self._standoff = standoff
        self._wishes = wishes
        self._workbench = workbench
        self._ask = ask
        self._pump = pump
        self._early: Early[Signed, bytes] = Early(EARLY_PER_PEER)  # frames by author, with the tips they wait for
        self.grown_at = 0.0  # when the chain last grew, or was offered again

    # ---- signed messages

    def signed(self, source: int | None, signed: Signed, in_chain: bool = False) -> list[Effect]:
        """A signed message; `in_chain`: as part of the chain that `source` has. What is refused ends that link."""
        try:
            return self._taken(source, signed, in_chain)
        except RemoteError as error:
            return [] if source is None else [DropPeer(source, str(error))]

    def _taken(self, source: int | None, signed: Signed, in_chain: bool) -> list[Effect]:
        """The same; raises RemoteError before anything has changed."""
        if signed.peer >= len(self._ledger.terms.peers):
            raise RemoteError(f"there is no peer {signed.peer} in this match")
        match signed.kind:
            case "frame":
                return self._frame(source, signed, in_chain)
            case "dealer":
                return self._dealer(source, signed)
            case "ack":
                return self._ack(source, signed)
            case "final":
                return self._final(source, signed)
            case "chat":
                return self._chat(source, signed)

    def _dealer(self, source: int | None, signed: Signed) -> list[Effect]:
        ledger = self._ledger
        if ledger.has(signed):
            return []
        message = decode(DealerMessage, signed.raw)
        self._belongs(signed, message.m, message.p)
        if self._standoff.is_on and not _is_one_of(message, Gon, Giv, Bye):
            self._standoff.hold(signed)
            return []
        entries = ledger.entries
        effects: list[Effect] = self._learned(signed)
        self._peers.signed_at.add(signed.peer, message.h)
        if signed.peer not in entries.banned:  # of a cheat all get what proves it, and nothing more goes round
            # it may have been said to us only
            for_all = entries.position.is_rested_on(message) or _is_one_of(message, Bye)
            effects += self._speaker.spread(signed, source, trusting=not for_all)
        if source is not None and ledger.place(message.h) == "early":
            effects += self._ask(source)
        effects += self._stood(signed.peer, message.h, message.d)
        return [*effects, *self.act_on(ledger.take_dealer(signed, message)), *self._pump()]

    def _frame(self, source: int | None, signed: Signed, in_chain: bool = False) -> list[Effect]:
        ledger = self._ledger
        frame = decode(Frame, signed.raw)
        place = ledger.place(frame.h)
        if place != "now" and ledger.has(signed):
            return []
        self._belongs(signed, frame.m, ledger.seat_peer(frame.s))
        if self._standoff.is_on:
            self._standoff.hold(signed)
            return []
        learned = self._learned(signed)
        self._peers.signed_at.add(signed.peer, frame.h)
        match place:
            case "now" if self._faults.is_void(signed, in_chain):
                return learned
            case "now":
                effects = [*learned, *self._speaker.spread(signed, source)]
                effects += self._stood(signed.peer, frame.h, frame.d)
                return [*effects, *self.act_on(ledger.take_frame(signed, frame)), *self._pump()]
            case "late":
                return [*learned, *self._late(signed, frame)]
            case "early":
                self.keep_early(signed, frame)
                return [*learned, *([] if source is None else self._ask(source))]

    def _late(self, signed: Signed, frame: Frame) -> list[Effect]:
        """A frame for a tip we have passed: nothing new, or the second half of a fork."""
        fork = self._ledger.chain.fork(signed, frame)
        if fork is None:
            return []
        self._ledger.entries.banned[signed.peer] = "fork"
        return [*self.act_on([fork]), *self._pump()]

    def keep_early(self, signed: Signed, frame: Frame) -> None:
        """Keep a frame until the chain has come to its tip."""
        self._early.keep(signed.peer, signed, frame.h)

    def take_early(self) -> list[Effect] | None:
        """A frame that came early and whose time has come; None if there is none."""
        signed = self._early.take(lambda tip: self._ledger.place(tip) != "early")
        return None if signed is None else self._frame(None, signed)

    def _ack(self, source: int | None, signed: Signed) -> list[Effect]:
        now, ledger = self._peers.now, self._ledger
        if signed.peer == self._pledges.me:
            self._witness(signed, decode(Mark, signed.raw))  # we may have forgotten where we stood
            return []
        peer = self._peers[signed.peer]
        if not peer.is_news(signed.raw, now):
            return self._stood_last(signed.peer) if signed == peer.last_ack else []
        mark = decode(Mark, signed.raw)
        self._witness(signed, mark)
        peer.acks.append((now, signed.raw))
        if ledger.chain.is_before(mark.h, peer.tip):
            return []  # it took a longer way than the one after it
        peer.last_ack = signed
        claims = mark.h == ledger.tip and mark.d != ledger.digest
        effects = self._speaker.spread(signed, source, trusting=not claims)  # all see why somebody waits
        effects += self.stands(signed.peer, mark.h, mark.d)
        if claims:
            effects += self._standoff.claim(signed.peer, mark.h, mark.d)
        return [*effects, *self._pump()]

    def _witness(self, signed: Signed, mark: Mark) -> None:
        self._belongs(signed, mark.m, mark.p)
        self._peers.signed_at.add(signed.peer, mark.h)

    def _final(self, source: int | None, signed: Signed) -> list[Effect]:
        if self._finals.of(signed.peer) is not None:
            return []
        mark = decode(Mark, signed.raw)
        self._belongs(signed, mark.m, mark.p)
        return [*self._learned(signed), *self._finals.take(source, signed), *self._pump()]

    def _chat(self, source: int | None, signed: Signed) -> list[Effect]:
        line, is_ours = decode(Chat, signed.raw), signed.peer == self._pledges.me
        if line.n <= (self._pledges.next_line - 1 if is_ours else self._peers[signed.peer].chat):
            return []
        self._belongs(signed, line.m, line.p)
        if is_ours:  # we said this and lost it
            self._pledges.next_line = line.n + 1
            return self._learned(signed)
        reason = why_not_chat(line.t)
        if reason:
            raise RemoteError(f"chat of peer {signed.peer}: {reason}")
        self._peers[signed.peer].chat = line.n
        return [Journal(signed), Heard(signed.peer, line.n, line.t), *self._speaker.spread(signed, source)]

    # ---- whose word it is

    def _belongs(self, signed: Signed, match: bytes, author: int | None) -> None:
        """Only with its author's signature does a message count as its author's."""
        if match != self._ledger.match:
            raise RemoteError("a message of another match")
        reason = why_not_word_of(self._ledger.terms, signed, author)
        if reason:
            raise RemoteError(reason)

    def check_authored(self, item: Item) -> None:
        """RemoteError unless all parts of this item are of this match and signed by their authors."""
        for part in item.parts:
            if part.kind == "frame":
                frame = decode(Frame, part.raw)
                self._belongs(part, frame.m, self._ledger.seat_peer(frame.s))
            else:
                message = decode(DealerMessage, part.raw)
                self._belongs(part, message.m, message.p)

    def _learned(self, signed: Signed) -> list[Effect]:
        """A message of ours comes back: what we do not remember signing stands nevertheless."""
        return self._pledges.stand_by(signed) if signed.peer == self._pledges.me else []

    def why_not_our_secret(self) -> str | None:
        """Why the table secret at hand cannot be the one this match was begun with, or None."""
        return self._ledger.own.why_not_our_secret() if self._finals.own is None else None

    # ---- where its author stands

    def _stood(self, peer: int, tip: bytes, digest: bytes) -> list[Effect]:
        """What a peer signed says where it stood; that may be long ago."""
        if peer not in self._peers:
            return []
        chain, last = self._ledger.chain, self._peers[peer].tip
        is_ahead = bool(last) and chain.position_of(last) is None and chain.position_of(tip) is not None
        return [] if is_ahead or chain.is_before(tip, last) else self.stands(peer, tip, digest)

    def _stood_last(self, peer: int) -> list[Effect]:
        """A peer's last signed word comes again: it still counts, if something older came after it."""
        last = self._peers[peer].last_ack
        mark = None if last is None else decode(Mark, last.raw)
        if mark is None or (mark.h, mark.d) == (self._peers[peer].tip, self._peers[peer].digest):
            return []
        return [*self._stood(peer, mark.h, mark.d), *self._pump()]

    def stands(self, peer: int, tip: bytes, digest: bytes) -> list[Effect]:
        """A peer stands at this tip with this state."""
        self._peers[peer].tip, self._peers[peer].digest = tip, digest
        facts = self._ledger.peer_at(peer, tip)
        return self.act_on(facts) if facts else []

    # ---- what follows

    def act_on(self, facts: Sequence[Fact], own: Signed | None = None) -> list[Effect]:
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
                    written += self._pledges.journal_item(item)
                    tell += self._grown(position, item)
                case Differs(peer=peer, tip=tip, theirs=theirs):
                    effects += self._standoff.claim(peer, tip, theirs)
                    continue
                case Missing(hashes=hashes):
                    effects += [Send(p, Need(hashes)) for p in self._peers.linked]
                case Fault() if self._faults.is_known(fact):
                    again = self._fault_again(fact)
                    has_moved |= bool(again)
                    written += again
                    continue
                case Fault():
                    self._faults.add(fact)
                    effects += self._faults.prove(fact)
                    undone = self._undo(fact)
                    has_moved |= bool(undone)
                    written += undone
                    self._vote_against(fact.peer)
                    tell.append(fact)
                    continue
            tell.append(fact)
        if has_moved:
            effects += self._speaker.say_where(own)
        elif own is not None:
            effects += self._speaker.spread(own, None)
        return [*effects, *written, *tell]

    def _grown(self, position: int, item: Item) -> list[Effect]:
        """The chain has grown: spectators get the item, and the first one shows whether our secret is the right one."""
        reason = self.why_not_our_secret() if position == 0 else None
        self.grown_at = self._peers.now
        self._speaker.grown()
        return [*(self._pledges.read_only(reason) if reason else ()), Publish(Chunk(position, (item,), 0))]

    def check_next(self) -> list[Effect]:
        """Give the next heavy check to a worker."""
        job = next(self._ledger.entries.jobs(), None)
        if job is None:
            return []
        return self._workbench.give(job.run, lambda outcome: self.act_on(self._ledger.finished(job, outcome)))

    # ---- cheats, and going back

    def _vote_against(self, cheat: int) -> None:
        """The others go on without a peer that cheated, as soon as they can."""
        if cheat != self._pledges.me and cheat in self._ledger.active:
            self._wishes.ballot.add(cheat)

    def _fault_again(self, fault: Fault) -> list[Effect]:
        """Another fault of a known cheat matters only if it takes something out of our chain."""
        undone = self._undo(fault)
        if not undone:
            return []
        self._faults.add(fault)
        return [*self._faults.prove(fault), *undone]

    def undo_forks(self) -> list[Effect]:
        """Go back to before what a cheat told some of us, as long as not all have acknowledged it."""
        for fault in self._faults:
            if fault.peer in self._ledger.active and (undone := self._undo(fault)):
                return [*self._speaker.say_where(), *undone]
        return []

    def _undo(self, fault: Fault) -> list[Effect]:
        """Go back if this fault takes something back, and write down why."""
        position = self._faults.takes_back(fault)
        if position is None:
            return []
        parts = self._ledger.items[position].parts
        self.go_back(position)
        return [*(Journal(signed) for signed in fault.evidence if signed not in parts), *self.go_on()]

    def go_back(self, length: int | None, without: Item | None = None) -> None:
        """Build the match anew from our chain (its first `length` items); work under way is for nothing.

        What was held, and messages of the items after those, close nothing before `go_on`.
        """
        self._ledger.go_back(length, self._faults.cheats(), without)
        self._workbench.clear()
        self._wishes.draft = None

    def go_on(self) -> list[Effect]:
        """After going back: what follows from the messages that were kept."""
        return self.act_on(self._ledger.go_on())


def _is_one_of(message: DealerMessage, *kinds: type[Bye | Giv | Gon]) -> bool:
    """Whether the body of this message is of one of these kinds."""
    try:
        return isinstance(decode_body(message.p, bytes(message.b)), kinds)
    except Cheat:
        return False
