"""The chain of a match, replayed record by record (docs/wire-match.md, «Verifying a file», 3 and 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from kontor_games import engine
from kontor_games.engine.core.chance import CHANCE_TYPES, Rolled

from .cards import Cipher, Deck
from .entries import (
    Entry,
    Epoch,
    Escrow,
    Keys,
    MixEntry,
    Opening,
    RollEntry,
    WantEntry,
    check_secret,
    interpolate,
    open_want,
)
from .errors import Fault, Refuted
from .group import BadValue, H, face_point, minus, scalars, signature_fits
from .messages import Dealer, Frame, read_dealer, read_frame, why_not_body, why_not_opening
from .packing import pack
from .records import EntryRecord, FrameRecord, SignedBytes
from .terms import Terms

NO_STATE = bytes(32)


@dataclass(frozen=True)
class Departure:
    """Peers that left, how, and when."""

    peers: tuple[int, ...]
    voters: tuple[int, ...]  # empty: the peer left in order
    ply: int
    after_end: bool
    forfeits: bool


@dataclass
class PlayedFrame:
    """What the hidden rules need of a frame when all keys are known."""

    seat: int
    steps: list[tuple[Any, engine.Action]]
    held: dict[int, Cipher]


@dataclass
class Step:
    """What a frame would do: found out before anything changes."""

    state: Any
    steps: list[tuple[Any, engine.Action]] = field(default_factory=list)
    shown: list[tuple[int, int]] = field(default_factory=list)  # slot, face


class Chain:
    """A match as far as its records go."""

    def __init__(self, terms: Terms, game: engine.Game[Any]) -> None:
        self.terms = terms
        self.game = game
        self.deck = Deck(terms.match_id, terms.seats)
        self.tip = terms.match_id
        self.digest = NO_STATE
        self.ply = 0
        self.state: Any = None
        self.active = frozenset(range(len(terms.keys)))
        self.tips: dict[bytes, bytes] = {}
        self.forfeit = False
        self.epoch: Epoch | None = None  # the last complete one
        self.departures: list[Departure] = []
        self.entry: Entry | None = None
        self.waiting: Entry | None = None
        self.done = False  # `open` has closed
        self.signers: list[dict[int, int]] = []  # by record: peer -> position of the latest tip that it names there
        self.decided = 0  # the record that decided the match
        self._decided_at = 0  # position of the tip after it
        self.messages: dict[tuple[Any, ...], set[bytes]] = {}  # (author, place) -> raw, of the whole chain
        self.stayed: frozenset[int] | None = None  # active peers when the match was over
        self._positions: dict[bytes, int] = {}  # tip -> number of items before it
        self._kept: list[engine.Left] = []
        self._escrow_due = False
        self._keys_closed = False
        self._frames: list[PlayedFrame] = []
        self._note_tip(self.tip)
        self._open_next()

    # What is public about the match

    @property
    def over(self) -> bool:
        """Whether the match has ended, by its rules or by forfeit."""
        return self.forfeit or (self.state is not None and self.game.result(self.state) is not None)

    @property
    def how(self) -> str:
        """The word for how the match ended."""
        if self.forfeit:
            return "forfeit"
        return "stand-in" if any(not each.after_end for each in self.departures) else "played"

    def due_from(self) -> list[int]:
        """The peers whose messages, or whose frame, must come next."""
        if self.entry is not None:
            return sorted({peer for peer, _ in self.entry.due() if peer in self.active})
        seat = self.seat_to_act()
        return [] if seat is None else [self.terms.seats[seat]]

    def next_from(self) -> list[int]:
        """Those of them who could speak now: a shuffle is made by one after the other."""
        if isinstance(self.entry, MixEntry):
            return [peer for peer, _ in self.entry.due()[:1] if peer in self.active]
        return self.due_from()

    def seat_to_act(self) -> int | None:
        """The seat from which a frame is due, if one is."""
        if self.entry is not None or self.done or self.state is None or self.over:
            return None
        seat = engine.to_act(self.game, self.state)
        if seat is None or not 0 <= seat < len(self.terms.seats):
            raise Refuted(f"the game is not over, but {seat} is to act")
        return seat

    # Records

    def add_frame(self, record: FrameRecord) -> None:
        """Check a frame record and play it."""
        frame = read_frame(record.message.raw)
        author = self.check_author(frame, record.message)
        step = self.check_frame(frame)
        self._keep_frame(frame, step)
        for slot, face in step.shown:
            self.deck.slots[slot] = self.deck.public_slot(self.deck.slots[slot].a, face)
        self.state = step.state
        self.ply += len(step.steps)
        self._decide(len(self.signers))
        self._note_messages([(author, frame)])
        self.tip = H("frame", self.tip, frame.raw, size=32)
        self._settle()
        self._open_next()

    def add_entry(self, record: EntryRecord) -> None:
        """Check an entry record: a departure, or the entry that is open."""
        messages = []
        if record.action:
            raise Refuted("an entry of a sealed match stores no action")
        for signed in record.messages:
            message = read_dealer(signed.raw)
            self.check_author(message, signed)
            reason = why_not_body(message)
            if reason:
                raise Refuted(f"malformed {message.kind or 'body'} of peer {message.peer}: {reason}")
            messages.append(message)
        if messages[0].kind == "bye":
            self._bye(messages)
        elif messages[0].kind == "gon":
            self._vote(messages)
        else:
            self._entry(messages)

    def check_author(self, message: Frame | Dealer, signed: SignedBytes) -> int:
        """The author of a message of this match, if the signature is that peer's."""
        if message.match != self.terms.match_id:
            raise Refuted("a message of another match")
        if isinstance(message, Frame):
            if message.seat >= len(self.terms.seats):
                raise Refuted(f"there is no seat {message.seat}")
            author, kind = self.terms.seats[message.seat], "frame"
        else:
            author, kind = message.peer, "dealer"
        if author >= len(self.terms.keys):
            raise Refuted(f"there is no peer {author}")
        if not signature_fits(kind, signed.raw, signed.signature, self.terms.keys[author]):
            raise Refuted(f"the signature of peer {author} under a {kind} does not fit")
        return author

    # Frames

    def check_frame(self, frame: Frame) -> Step:
        """What the frame does; raises Refuted, or whatever the engine raises, if it may not."""
        seat = self.seat_to_act()
        if seat is None:
            raise Refuted("a frame, but none is due")
        if frame.tip != self.tip or frame.digest != self.digest or frame.ply != self.ply:
            raise Refuted(f"a frame for another place than ply {self.ply}")
        if frame.seat != seat:
            raise Refuted(f"seat {seat} is to act, not seat {frame.seat}")
        step = Step(self.state)
        named: list[tuple[int, tuple[tuple[int, int], ...]]] = []
        for plain in frame.actions:
            action = self.game.codec.decode(pack(plain))
            if isinstance(action, CHANCE_TYPES):
                raise Refuted("a frame holds a chance action")
            if action.seat != seat or engine.to_act(self.game, step.state) != seat:
                raise Refuted(f"an action in a frame of seat {seat} is not its own")
            reason = engine.why_not(self.game, step.state, action)
            if reason is not None:
                raise Refuted(f"ply {self.ply + len(step.steps)}: {reason}")
            cards = tuple(self.game.opens(step.state, action))
            if cards:
                named.append((step.state.desk.next_want, cards))
            step.steps.append((step.state, action))
            step.state = engine.advance(self.game, step.state, action)[0]
        self._check_openings(frame, seat, named)
        step.shown = [pair for _, cards in named for pair in cards]
        return step

    def _check_openings(
        self, frame: Frame, seat: int, named: Sequence[tuple[int, tuple[tuple[int, int], ...]]]
    ) -> None:
        """Every card that the frame shows is what it says."""
        if (frame.openings is None) != (not named) or len(frame.openings or ()) != len(named):
            raise Refuted("a frame opens other cards than its actions show")
        slots = [slot for _, cards in named for slot, _ in cards]
        if len(set(slots)) != len(slots):
            raise Refuted("a frame shows one slot twice")
        peer = self.terms.seats[seat]
        for opening, (r, cards) in zip(frame.openings or (), named, strict=True):
            hidden = []
            for number, face in cards:
                slot = self.deck.slots.get(number)
                if slot is None or not self.deck.entered(face):
                    raise Refuted(f"slot {number} cannot show card {face}")
                if slot.public:
                    if slot.face != face:
                        raise Refuted(f"slot {number} is open and not card {face}")
                elif slot.holders != {peer} or slot.seat != seat:
                    raise Refuted(f"seat {seat} does not hold slot {number} alone")
                else:
                    hidden.append((slot, face))
            if (opening is None) != (not hidden):
                raise Refuted("hidden cards need an opening, open ones have none")
            if opening is None:
                continue
            if reason := why_not_opening(opening):
                raise Fault(peer, "shr.form", reason)
            try:
                shares = self.deck.check_shares(peer, r, [slot.a for slot, _ in hidden], opening)
                for (slot, face), share in zip(hidden, shares, strict=True):
                    if minus(slot.b, share) != face_point(face):
                        raise BadValue("card", f"a shown card is not card {face}")
            except BadValue as error:
                raise Fault(peer, f"shr.{error.cause}", str(error)) from None

    def _keep_frame(self, frame: Frame, step: Step) -> None:
        if self.game.why_not_hidden is not None:
            self._frames.append(PlayedFrame(frame.seat, step.steps, self.deck.held_by(frame.seat)))

    # Entries

    def _entry(self, messages: Sequence[Dealer]) -> None:
        entry = self.entry
        if entry is None:
            raise Refuted("an entry, but none is open")
        due = entry.due()
        if [(message.peer, message.kind) for message in messages] != due:
            raise Refuted(f"the messages are not those of the entry {entry.kind} that is open")
        for message in messages:
            self.check_place(entry, message)
            self.take(entry, message)
        self._note_messages([(each.peer, each) for each in messages])
        self._close(entry, messages)
        self._open_next()

    def check_place(self, entry: Entry, message: Dealer) -> None:
        """The message was signed for this entry, and is the one that the votes name if they name one."""
        if message.tip != entry.tip or message.digest != entry.digest:
            raise Refuted(f"a {message.kind} of peer {message.peer} for another place")
        if message.peer in entry.named and entry.named[message.peer] != message.hash:
            raise Refuted(f"not the {message.kind} of peer {message.peer} that the votes name")

    @staticmethod
    def take(entry: Entry, message: Dealer) -> None:
        """Give a message that is due to its entry; raises Fault."""
        try:
            entry.take(message.peer, message.body)
        except BadValue as error:
            raise Fault(message.peer, f"{message.kind}.{error.cause}", str(error)) from None

    def _close(self, entry: Entry, messages: Sequence[Dealer]) -> None:
        self.entry = None
        self.tip = H("entry", self.tip, *(message.hash for message in messages), size=32)
        if isinstance(entry, WantEntry):
            action = entry.finish()
            if self.state is None:
                assert isinstance(action, Rolled)
                self.state = self.game.begin(self.terms.options, len(self.terms.seats), action.value)
                for left in self._kept:
                    self._apply(left)
            else:
                self._apply(action)
            self._settle()
            return
        if isinstance(entry, Keys):
            self._keys_closed = True
            self._escrow_due = self._needs_escrow()
        elif isinstance(entry, Escrow):
            self.epoch = entry.epoch()
        else:
            self.done = True
        self._note_tip(self.tip)

    def _apply(self, action: engine.Chance | engine.Action) -> None:
        reason = engine.why_not(self.game, self.state, action)
        if reason is not None:
            raise Refuted(f"ply {self.ply}: {reason}")
        self.state = engine.advance(self.game, self.state, action)[0]
        self.ply += 1

    def _settle(self) -> None:
        """Let stand-ins play, then take the digest."""
        while self.state is not None and not self.over:
            if engine.to_act(self.game, self.state) not in self.state.desk.gone:
                break
            self._apply(self.game.stand_in(self.state))
        self.digest = NO_STATE if self.state is None else engine.digest(self.state)
        self._note_tip(self.tip)

    def _note_tip(self, tip: bytes) -> None:
        self.tips[tip] = self.digest
        self._positions[tip] = len(self._positions)
        if self.stayed is None and self.over:
            self.stayed = self.active

    def _decide(self, record: int) -> None:
        """This record decides the match as far as it goes; the tip after it comes next."""
        self.decided, self._decided_at = record, len(self._positions)

    def witnesses(self) -> set[int]:
        """The author of what decided the match, and all who signed something under a tip after it."""
        first, *later = self.signers[self.decided :]
        return {*first, *(peer for each in later for peer, at in each.items() if at >= self._decided_at)}

    def _note_messages(self, messages: Sequence[tuple[int, Frame | Dealer]]) -> None:
        self.signers.append({author: self._positions.get(message.tip, 0) for author, message in messages})
        for author, message in messages:
            self.messages.setdefault((author, *message.place()), set()).add(message.raw)

    def _needs_escrow(self) -> bool:
        return self.terms.majority and len(self.active) >= 3

    def _open_next(self) -> None:
        """Open what comes next by itself, and close what needs no message."""
        while not self.done:
            if self.entry is None:
                self.entry = self._next_entry()
            if self.entry is None or self.entry.due():
                return
            self._close(self.entry, ())

    def _next_entry(self) -> Entry | None:
        if not self._keys_closed:
            return Keys(self.deck, self.active, self.tip, self.digest)
        if self._escrow_due:
            self._escrow_due = False
            return Escrow(self.deck, self.active, self.tip, self.digest, len(self.departures))
        if self.waiting is not None:
            entry, self.waiting = self.waiting, None
            if entry.starts_again:
                entry.tip, entry.digest, entry.starts_again = self.tip, self.digest, False
            return entry
        if self.state is None:
            return RollEntry(self.deck, self.active, self.tip, self.digest, 0)
        if self.over:
            return Opening(self.deck, self.active, self.tip, self.digest)
        if self.state.desk.want is not None:
            return open_want(self.deck, self.active, self.tip, self.digest, self.state.desk.want)
        return None

    # Departures

    def _interrupted(self) -> Entry | None:
        """The want or `open` entry that is open or waits, if there is one."""
        return self.entry if isinstance(self.entry, WantEntry | Opening) else self.waiting

    def _check_departure(self) -> None:
        if not self._keys_closed or self.done:
            raise Refuted("nobody can leave before the keys are there, or after they were opened")

    def _bye(self, messages: Sequence[Dealer]) -> None:
        self._check_departure()
        if len(messages) != 1:
            raise Refuted("a goodbye stands alone")
        message = messages[0]
        peer = message.peer
        if peer not in self.active or len(self.active) == 1:
            raise Refuted(f"peer {peer} had left already, or is the last one")
        secret = self.check_bye(message)
        if self.tips.get(message.tip) != message.digest:
            raise Refuted("a goodbye at a tip or state that the chain never had")
        if peer not in self.due_from() and len(self.active) != 2:
            raise Refuted(f"peer {peer} says goodbye where it owes nothing")
        entry = self._interrupted()
        if entry is not None:
            waits = entry is self.waiting
            if (len(self.active) == 2 or waits) and peer in entry.peers:
                entry.forget()
        self._leave({peer: secret}, (), messages)

    def check_bye(self, message: Dealer) -> bytes:
        """The deck key in a goodbye; raises Fault if it is another."""
        try:
            return check_secret(self.deck, message.peer, message.body["x"])
        except BadValue as error:
            raise Fault(message.peer, f"bye.{error.cause}", str(error)) from None

    def _vote(self, messages: Sequence[Dealer]) -> None:
        self._check_departure()
        epoch = self.epoch
        if not self.terms.majority or epoch is None:
            raise Refuted("a vote, but no keys are in escrow")
        voted = list(messages[0].body["w"])
        survivors = sorted(self.active - set(voted))
        order = [(peer, "gon") for peer in survivors] + [(peer, "giv") for peer in survivors]
        if not voted or [(message.peer, message.kind) for message in messages] != order:
            raise Refuted("a departure is one vote of every survivor, then the shares of each")
        votes, gifts = messages[: len(survivors)], messages[len(survivors) :]
        for message in messages:
            if message.tip != self.tip or message.digest != self.digest:
                raise Refuted(f"a {message.kind} of peer {message.peer} for another place")
        for vote in votes:
            if vote.body["w"] != voted:
                raise Refuted("the votes do not name the same peers")
            self.check_vote(vote)
        shares: dict[int, dict[int, bytes]] = {peer: {} for peer in voted}
        for gift in gifts:
            for peer, share in self.check_gift(gift, votes).items():
                shares[peer][gift.peer] = share
        secrets = {peer: interpolate(found) for peer, found in shares.items()}
        for peer, secret in secrets.items():
            check_secret(self.deck, peer, secret)
        self._name(voted, votes)
        self._leave(secrets, tuple(survivors), messages)

    def check_vote(self, vote: Dealer) -> None:
        """The form of one vote against who is there; raises Fault."""
        voted = vote.body["w"]
        assert self.epoch is not None
        fits = (
            vote.peer in self.active
            and voted == sorted(set(voted))
            and vote.peer not in voted
            and self.active.issuperset(voted)
            and len(vote.body["f"]) == len(voted)
            and len(self.active) - len(voted) >= self.epoch.threshold
        )
        if not fits:
            raise Fault(vote.peer, "gon.form", "a vote that cannot be")

    def check_gift(self, gift: Dealer, votes: Sequence[Dealer]) -> dict[int, bytes]:
        """The shares in a `giv`, by the peer whose key they are of; raises Fault."""
        epoch = self.epoch
        assert epoch is not None
        voted = votes[0].body["w"]
        try:
            if gift.body["e"] != epoch.number:
                raise BadValue("form", f"the last complete epoch is {epoch.number}")
            if gift.body["g"] != b"".join(vote.hash for vote in votes):
                raise BadValue("form", "it rests on other votes")
            shares = dict(zip(voted, scalars(gift.body["f"], len(voted)), strict=True))
            for peer, share in shares.items():
                if not epoch.share_fits(peer, gift.peer, share):
                    raise BadValue("share", f"the share of the key of peer {peer} is wrong")
        except BadValue as error:
            raise Fault(gift.peer, f"giv.{error.cause}", str(error)) from None
        return shares

    def _name(self, voted: Sequence[int], votes: Sequence[Dealer]) -> None:
        """Take down which messages of the departed belong to the entry that was interrupted."""
        entry = self._interrupted()
        forked = False
        for index, peer in enumerate(voted):
            hashes = {vote.body["f"][index] for vote in votes} - {None}
            if not hashes:
                continue
            restarts = self.terms.version >= 2 and isinstance(entry, MixEntry)
            if entry is None or restarts or peer not in entry.peers:
                raise Refuted(f"the votes name a message of peer {peer} that has no place")
            forked = forked or len(hashes) > 1
            entry.named[peer] = hashes.pop()
        if forked and entry is not None:
            entry.forget()

    def _leave(self, secrets: dict[int, bytes], voters: tuple[int, ...], messages: Sequence[Dealer]) -> None:
        """What every departure does, however it came about."""
        was_over = self.over
        peers = tuple(sorted(secrets))
        self._note_messages([(each.peer, each) for each in messages])
        self.tip = H("entry", self.tip, *(message.hash for message in messages), size=32)
        faces = self.deck.depart(secrets)
        self.active -= set(peers)
        if self.entry is not None and not isinstance(self.entry, Escrow):
            self.waiting = self.entry
        if self.terms.version >= 2 and isinstance(self.waiting, MixEntry):
            self.waiting.forget()
        self.entry = None
        self._escrow_due = self._needs_escrow()
        forfeits = not was_over and len(self.active) == 1
        self.departures.append(Departure(peers, voters, self.ply, was_over, forfeits))
        if not was_over:
            self._decide(len(self.signers) - 1)
            seats = tuple(seat for seat, peer in enumerate(self.terms.seats) if peer in secrets)
            left = engine.Left(seats, faces)
            if self.state is None:
                self._kept.append(left)
            else:
                self._apply(left)
            self.forfeit = forfeits
        self._settle()
        self._open_next()

    # Hidden rules

    def hidden_rules_checked(self) -> bool:
        """Check the rules about hidden cards; False if they must stay unchecked because a key is missing."""
        judge = self.game.why_not_hidden
        if judge is None or not self.over:
            return True
        if set(self.deck.secrets) != set(range(len(self.terms.keys))):
            return False
        for frame in self._frames:
            peer = self.terms.seats[frame.seat]
            known = {slot: self.deck.read(cipher, peer) for slot, cipher in frame.held.items()}
            for state, action in frame.steps:
                reason = judge(state, action, known)
                if reason is not None:
                    raise Refuted(f"a hidden rule was broken: {reason}")
        return True
