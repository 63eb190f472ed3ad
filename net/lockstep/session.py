"""The session: one peer's side of one match, without I/O.

It decides what to do with what the world says: frames and dealer messages that come early, late, twice or out of order;
peers that are linked, lost or behind; acknowledgements, forks, divergence. What messages mean is the ledger's business;
sockets, files, threads and clocks are the adapter's. Every input returns effects, to be carried out in order.

The session itself only takes inputs and ties machines together, each with a file, a job and rules of its own:

    standing.py   where the others stand, and who has signed what at which tip
    pledges.py    what we have signed, and what we may sign
    speaker.py      what is said and passed on to whom
    faults.py     who cheated, and what is taken back
    standoff.py   what happens when somebody signs another state
    intake.py     what is done with a signed message, and with what follows from it
    catch_up.py   other peers' chains: what to ask for, what to take, when to go back
    our_part.py   our messages for the open entry, our votes, our turns
    finals.py     the end, and everybody's last signature
    steps.py      what to do next, in order

Rules that hold whatever comes in:

1. No input raises because of what another peer sent. Nonsense is the effect `Drop` against the peer whose message it
   is, never an exception that would throw away the effects of somebody else's message.
2. A message of our own goes through one gate, `Pledges.pledge`: the book of places (`places.py`) makes sure that no
   place is signed twice, the adapter writes the message to two places on the disk, and only then (`written`) is it
   taken into the ledger and shown to anybody. While it waits, no other part of ours is made.
3. What this node signed and lost with a damaged file is learned again, from the second copy or from peers. Until the
   chain has come to where those words belong, nothing new is signed. If nobody can say what was signed, the node only
   reads (`reads_only`), and says so.
4. A peer's unsigned word says where it stands, and nothing else. What stops a match for a moment (a claim of another
   state), or counts as a witness, is signed or comes from the peer's own link.
5. Whoever hears a peer only through others gets its signed word: acknowledgements are signed as soon as one active
   peer is not linked to us or does not say that it hears us, and the last one of each peer is part of every offer.

What an attacker would try: items for later that somebody else's message trips over (1; `catch_up.py`), a crash between
signing and writing (2), votes that name what nobody has (`sealed/departures.py`), false states (`standoff.py`), silence
towards one peer (5).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kontor_games.engine import Action
from kontor_games.engine.errors import IllegalAction
from kontor_games.net.ledger.facts import Fact, Fault
from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.wire.chain import Chat, Frame, decode, encode
from kontor_games.net.wire.identity import Signer
from kontor_games.net.wire.match_talk import Ask, Chunk, Dump, MovedTalk, Need, Signed, Talk, Where
from kontor_games.net.wire.text import why_not_chat

from .catch_up import CatchUp, Following, chunk_from
from .effects import Again, Effect, Healed, Heard, Pledge, ReplayClean, Send
from .faults import Faults
from .finals import Finals
from .intake import Intake
from .our_part import OurPart
from .pledges import Pledges
from .speaker import Speaker
from .standing import Standing
from .standoff import Standoff
from .steps import Machines, next_effects
from .wishes import Wishes
from .workbench import Workbench

RESEND_SECONDS = 3.0  # how often everything open is offered again while nothing moves


class Session:
    """One peer's side of a match."""

    def __init__(self, ledger: Ledger, signer: Signer, version: str) -> None:
        self.ledger = ledger
        self._wishes = wishes = Wishes()
        self._workbench = workbench = Workbench()
        self._pledges = pledges = Pledges(ledger, signer, wishes)
        self.me = pledges.me
        self._peers = peers = Standing(len(ledger.terms.peers), self.me)
        self._speaker = speaker = Speaker(ledger, peers, pledges)
        self._faults = faults = Faults(ledger, peers)
        self._finals = finals = Finals(ledger, peers, faults, pledges, speaker)
        self._standoff = standoff = Standoff(ledger, peers, speaker, version)
        self._catch_up = catch_up = CatchUp(ledger, peers)
        self._intake = intake = Intake(
            ledger, peers, pledges, speaker, faults, finals, standoff, wishes, workbench, catch_up.ask, self._pump
        )
        self._own = own = OurPart(ledger, peers, pledges, speaker, faults, standoff, wishes, workbench, intake.act_on)
        self._following = following = Following(ledger, peers, speaker, faults, workbench, catch_up, intake, self._pump)
        self._machines = Machines(intake, own, standoff, following, finals)

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
                self._pledges.restored(signed)
            match signed.kind:
                case "frame" | "dealer":
                    effects += self._restored(signed)
                case "final":
                    self._finals.keep(signed)
                case "chat":
                    effects.append(self._restored_chat(signed))
                case "ack":
                    pass
        for signed in own:
            if not self._pledges.is_in_journal(signed):
                mine.append(signed)
                self._pledges.stand_by(signed)
                effects += self._recovered(signed)
        self._pledges.keep_open(mine)
        reason = doubt or self._intake.why_not_our_secret()
        return [*effects, *(self._pledges.read_only(reason) if reason else ())]

    def _restored(self, signed: Signed) -> list[Effect]:
        """One message of the journal. Proof that a cheat told two stories stands there only where we went back."""
        frame = decode(Frame, signed.raw) if signed.kind == "frame" else None
        if frame is None or (place := self.ledger.place(frame.h)) == "now":
            facts = self.ledger.take(signed, trusted=True)
        elif place == "early":
            self._intake.keep_early(signed, frame)
            return []
        else:
            fork = self.ledger.chain.fork(signed, frame)
            facts = [] if fork is None else [fork]
        after: list[Fact] = []
        for fact in facts:
            if isinstance(fact, Fault) and (position := self._faults.position_of(fact)) is not None:
                self._faults.add(fact)
                self._faults.fork(fact.peer)
                self._wishes.ballot.add(fact.peer)
                self._intake.go_back(position)
                after += self.ledger.go_on()
        return [*facts, *after]

    def _restored_chat(self, signed: Signed) -> Heard:
        line = decode(Chat, signed.raw)
        if signed.peer == self.me:
            self._pledges.next_line = max(self._pledges.next_line, line.n + 1)
        else:
            self._peers[signed.peer].chat = line.n
        return Heard(line.p, line.n, line.t)

    def _recovered(self, signed: Signed) -> list[Effect]:
        """A message of ours that the journal has lost: it stands, and waits for the chain to come back to its place."""
        match signed.kind:
            case "frame":
                self._intake.keep_early(signed, decode(Frame, signed.raw))
                self._pledges.lose(signed)
            case "dealer":
                self._pledges.lose(signed)
                return list(self.ledger.take(signed, trusted=True))
            case "final":
                self._finals.keep(signed)
            case "chat":
                return [self._restored_chat(signed)]
            case "ack":
                pass
        return []

    def start(self) -> list[Effect]:
        """Begin, or go on after a restart: do what is owed."""
        return [*self._finals.spent(), *self._pump()]

    def linked(self, *peers: int) -> list[Effect]:
        """Links to these peers are up: tell where we stand and offer what is open."""
        for peer in peers:
            self._peers.set_linked(peer, True)
            self._speaker.linked(peer)
        return [*self._speaker.say_where(), *(effect for peer in peers for effect in self._offer(peer))]

    def unlinked(self, peer: int) -> list[Effect]:
        """The link is gone; the match goes on through the others."""
        if not self._peers[peer].linked:
            return []
        self._peers.set_linked(peer, False)
        return self._speaker.say_where()

    def heard(self, source: int, talk: Talk) -> list[Effect]:
        """A linked peer said something."""
        match talk:
            case Signed():
                return self._intake.signed(source, talk)
            case Where():
                return self._where(source, talk)
            case MovedTalk(frame=frame, where=where):
                return [*self._intake.signed(source, frame), *self._where(source, where)]
            case Ask(position=position):
                return self._following.send(source, position)
            case Chunk():
                return self._following.received(source, talk)
            case Dump():
                return self._standoff.take_dump(source, talk)
            case Need(hashes=hashes):
                found = (self.ledger.messages.find(h) for h in hashes)
                return [Send(source, signed) for signed in found if signed is not None]

    def written(self, number: int) -> list[Effect]:
        """This pledge of ours is on the disk in both places: now it counts, and others may see it."""
        return [*self._pledges.written(number), *self._pump()]

    def worked(self, number: int, result: Any) -> list[Effect]:
        """The worker has finished a job; work for a match that went back meanwhile is dropped."""
        then = self._workbench.finished(number)
        return [] if then is None else [*then(result), *self._pump()]

    def again(self) -> list[Effect]:
        """What was to go out first is out: make our own part of the open entry."""
        duty = None if self._standoff.is_on else self._own.duty()
        return [*([] if duty is None else self._own.do(duty)), *self._pump()]

    def tick(self, now: float) -> list[Effect]:
        """Time passes; called about twice a second."""
        if not self._peers.now:
            self._intake.grown_at = now  # the clock begins: nothing has been standing still yet
        self._peers.now = now
        effects: list[Effect] = []
        for number, position in self._peers.lagging(self.ledger.position, now):
            effects += self._following.send(number, position)
        if now - self._intake.grown_at >= RESEND_SECONDS and not self._finals.is_completed:
            self._intake.grown_at = now
            effects += self._say_all_again()
        if self._standoff.is_on and self._standoff.is_due(now):
            effects.append(ReplayClean())
        if self._standoff.is_moot:
            effects += self._resume(False)
        return [*effects, *self._pump()]

    def replayed(self, state: bytes | None) -> list[Effect]:
        """A clean process replayed our chain and ended with this state; None: it could not."""
        if not self._standoff.is_on:
            return []
        if state is None:
            self._standoff.failed(self._peers.now)
            return []
        is_confirmed = state == self._standoff.state
        effects: list[Effect] = []
        if not is_confirmed:
            self._intake.go_back(None)
            effects = self._intake.go_on()
            if self.ledger.tip == self._standoff.tip and self.ledger.state_bytes() != state:
                return effects  # this process cannot be trusted any more: it stays stopped
        return [*effects, *self._speaker.say_where(), *self._resume(is_confirmed)]

    def _resume(self, is_confirmed: bool) -> list[Effect]:
        """Our replay is done, or those who asked for it are gone: go on, whoever still differs."""
        held_back = self._standoff.end(is_confirmed)
        here = [p for p in self.absent() if self._peers[p].tip == self.ledger.tip]
        effects: list[Effect] = [Healed(tuple(here))]
        for signed in held_back:
            effects += self._intake.signed(None, signed)
        return [*effects, *self._pump()]

    def _pump(self) -> list[Effect]:
        """Whatever can go on, goes on; nothing while we are going back."""
        effects: list[Effect] = []
        while not self.ledger.entries.stands_still and (more := next_effects(self._machines)):
            effects += more
            if isinstance(more[-1], Again | Pledge):
                break
        return effects

    # ---- what the player wants

    def play(self, actions: Sequence[Action]) -> list[Effect]:
        """Commit a drafted turn; it is signed as soon as everybody stands where we stand."""
        reason = self.why_not_play(actions)
        if reason:
            raise IllegalAction(reason)
        self._wishes.draft = tuple(actions)
        return self._pump()

    def why_not_play(self, actions: Sequence[Action]) -> str | None:
        """Why this turn cannot be played now, or None."""
        if self.reads_only is not None:
            return f"this node only reads here: {self.reads_only}"
        if self.is_committed:
            return "a turn is on its way already"
        if self.is_stopped:
            return "the match is stopped: the nodes differ about the state"
        if self._finals.ended:
            return "the match is over"
        return self.ledger.own.why_not_turn(actions)

    def chat(self, text: str) -> list[Effect]:
        """Say a line to the table."""
        reason = why_not_chat(text)
        if reason:
            raise IllegalAction(reason)
        if self.reads_only is not None:
            raise IllegalAction(f"this node only reads here: {self.reads_only}")
        number = self._pledges.next_line
        self._pledges.next_line += 1

        def spoken(signed: Signed) -> list[Effect]:
            return [Heard(signed.peer, number, text), *self._speaker.spread(signed, None)]

        return self._pledges.pledge("chat", encode(Chat(self.ledger.match, self.me, number, text)), spoken)

    def vote_gone(self, peers: Iterable[int]) -> list[Effect]:
        """Declare these peers gone (none: take the vote back); raises IllegalAction with the reason."""
        against = frozenset(peers)
        reason = self.ledger.table.why_not_gone(sorted(against)) if against else None
        if self.reads_only is not None:
            reason = f"this node only reads here: {self.reads_only}"
        if reason or not against <= set(self.ledger.active) - {self.me}:
            raise IllegalAction(reason or "only others who are still at the table can be declared gone")
        self._own.choose_gone(against)
        return self._pump()

    def bye(self) -> list[Effect]:
        """Leave in order: hand over the deck key. With two peers this is a forfeit."""
        if self.ledger.player is None or not self.ledger.table.peers.keys:
            raise IllegalAction(self.reads_only or "the match has not begun")
        if self.reads_only is not None:
            raise IllegalAction(f"this node only reads here: {self.reads_only}")
        self._wishes.is_leaving = True
        return self._pump()

    # ---- how it stands, for people

    @property
    def is_committed(self) -> bool:
        """Whether a turn of ours is on its way."""
        return self._wishes.draft is not None or self._pledges.has_turn

    @property
    def is_stopped(self) -> bool:
        """Whether this node checks its own state, because another signed a different one."""
        return self._standoff.is_on

    @property
    def reads_only(self) -> str | None:
        """Why this node signs nothing more in this match, or None."""
        return self._pledges.reads_only

    @property
    def missing(self) -> tuple[int, ...]:
        """Active peers that neither we nor those linked to us can reach."""
        return self._peers.missing(self.ledger.active)

    def absent(self) -> tuple[int, ...]:
        """Active peers that have not acknowledged our tip; who has said goodbye need not."""
        return self._own.absent()

    def chunk_from(self, position: int) -> list[Chunk]:
        """As much of the chain from this position on as one answer carries, if there is any."""
        chunk = chunk_from(self.ledger.items, position)
        return [] if chunk is None else [chunk]

    def finals(self) -> dict[int, Signed]:
        """Final signatures under our tip, by peer."""
        return self._finals.under_our_tip()

    # ---- where everybody stands

    def _where(self, source: int, where: Where) -> list[Effect]:
        """A linked peer says where it stands, and whom it hears."""
        ledger = self.ledger
        effects = self._hears(source, where)
        self._peers.heard_at.add(source, where.tip)
        effects += self._intake.stands(source, where.tip, where.digest)
        if where.tip == ledger.tip and where.digest != ledger.digest:
            effects += self._speaker.sign_where((source,))  # it is asked to sign what it claims
        if ledger.run.forfeit is not None:
            return effects  # a match of two ends at each side where the farewell found it
        if where.position > ledger.position:
            effects += self._catch_up.ask(source)
        elif where.position and where.position == ledger.position and where.tip != ledger.tip:
            # two chains: the last items show a fork, with one before them on which both agree, if they part there
            effects += self._following.send(source, max(0, where.position - 2))
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
            effects += self._speaker.sign_where(self._peers.linked)
        return effects

    def _words_of(self, author: int, target: int) -> list[Effect]:
        """What a peer said that another one lacks if it does not hear it."""
        return [effect for effect in self._offer(target) if isinstance(effect, Send) and _author_of(effect) == author]

    def _offer(self, peer: int) -> list[Effect]:
        """What a peer at our tip may lack: everything held for the open entry, evidence, final and last words.

        Its own messages too: it may have lost them.
        """
        acks = [each.last_ack for p, each in self._peers if each.last_ack is not None and p != peer]
        words = (*self.ledger.held(), *self._faults.evidence(), *self._finals.all(), *acks)
        return [Send(peer, signed) for signed in words]

    def _say_all_again(self) -> list[Effect]:
        """Nothing has moved for a while: say where we stand, offer what is open, ask for what we lack."""
        linked = self._peers.linked
        effects = self._speaker.say_where()
        effects += self._speaker.sign_where(linked)  # somebody may not hear us, and we may not know it yet
        lacking = self.ledger.entries.departures.lacking()
        for number in linked:
            effects += self._offer(number)
            effects += [Send(number, Need(lacking))] if lacking else []
        return effects


def _author_of(effect: Send) -> int | None:
    return effect.talk.peer if isinstance(effect.talk, Signed) else None
