"""Chance entries: who owes which message, whether it holds, and what the whole amounts to.

An entry remembers what it was opened with. Messages are taken one by one, in the order of `due`;
`take` raises BadValue for a wrong one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kontor_games import engine
from kontor_games.engine.core.chance import Deal, Dealt, Mix, Mixed, Move, Moved, Roll, Rolled

from .cards import Cipher, Deck, Slot
from .errors import Refuted
from .group import (
    GENERATOR,
    BadValue,
    Equation,
    H,
    Q,
    add,
    check_proof,
    combine,
    face_point,
    h2s,
    minus,
    points,
    scalars,
    times,
    to_int,
    to_scalar,
    u32,
)

MAX_SHUFFLE = 256


class Entry:
    """An entry that is open, or waits until it is open again."""

    kind = ""
    message = ""  # the type of its messages, if there is only one
    alone = False  # one peer's own business, which nobody does for it

    def __init__(self, deck: Deck, peers: Iterable[int], tip: bytes, digest: bytes) -> None:
        self.deck = deck
        self.peers = tuple(sorted(peers))  # who had a part in it when it was opened
        self.tip = tip
        self.digest = digest
        self.named: dict[int, bytes] = {}  # messages of departed peers that the votes name
        self.starts_again = False

    def due(self) -> list[tuple[int, str]]:
        """All messages that the entry consists of, in order: (peer, type)."""
        return [(peer, self.message) for peer in self.peers if self.has_part(peer)]

    def has_part(self, peer: int) -> bool:
        """Whether a message of this peer belongs into the entry as things are now."""
        if peer not in self.peers:
            return False
        return peer not in self.deck.gone or (peer in self.named and not self.alone)

    def take(self, peer: int, body: Mapping[str, Any]) -> None:
        """Check one message and remember what it says."""
        raise NotImplementedError

    def forget(self) -> None:
        """Start again from nothing: same inputs, same keys, no messages."""
        self.named.clear()
        self.starts_again = True


class Keys(Entry):
    """The deck keys and transport keys of all peers."""

    kind = "keys"
    message = "key"

    def take(self, peer: int, body: Mapping[str, Any]) -> None:
        (y,), (t,) = points(body["Y"], 1), points(body["T"], 1)
        c, s = scalars(body["c"], 1)[0], scalars(body["s"], 2)
        stmt = H("key", self.deck.bind("key", peer), y, t)
        check_proof(stmt, [(y, [(0, GENERATOR)]), (t, [(1, GENERATOR)])], c, s)
        others = {*self.deck.keys.values(), *self.deck.transports.values()}
        if y == t or y in others or t in others:
            raise BadValue("key", "all keys of the table are different")
        self.deck.keys[peer], self.deck.transports[peer] = y, t


@dataclass(frozen=True)
class Epoch:
    """A complete escrow: its number, its threshold and the commitments of every dealer (F_0 included)."""

    number: int
    threshold: int
    commitments: Mapping[int, Sequence[bytes]]

    def share_fits(self, dealer: int, member: int, share: bytes) -> bool:
        """Whether this is the member's share of the dealer's key."""
        return share_fits(self.commitments[dealer], member, share)


def share_fits(commitments: Sequence[bytes], member: int, share: bytes) -> bool:
    """Whether `share` lies on the committed polynomial at the member's position."""
    expected = combine((to_scalar((member + 1) ** k), point) for k, point in enumerate(commitments))
    try:
        return times(share, GENERATOR) == expected
    except BadValue:
        return False


def interpolate(shares: Mapping[int, bytes]) -> bytes:
    """The value at 0 of the polynomial through the members' shares at positions i + 1."""
    total = 0
    for i, share in shares.items():
        above, below = 1, 1
        for j in shares:
            if j != i:
                above *= j + 1
                below *= j - i
        total += to_int(share) * above * pow(below, -1, Q)
    return to_scalar(total)


class Escrow(Entry):
    """Shares of all deck keys, so that a majority can go on without a peer."""

    kind = "escrow"

    def __init__(self, deck: Deck, peers: Iterable[int], tip: bytes, digest: bytes, number: int) -> None:
        super().__init__(deck, peers, tip, digest)
        self.number = number
        self.threshold = len(self.peers) // 2 + 1
        self.commitments: dict[int, list[bytes]] = {}
        self._masked: dict[int, tuple[bytes, dict[int, bytes]]] = {}  # dealer -> R, masked share by member

    def due(self) -> list[tuple[int, str]]:
        return [(peer, "esc") for peer in self.peers] + [(peer, "rdy") for peer in self.peers]

    def take(self, peer: int, body: Mapping[str, Any]) -> None:
        if body["e"] != self.number:
            raise BadValue("form", f"epoch {self.number} is due, not {body['e']}")
        if body["t"] == "rdy":
            return
        count = len(self.peers)
        if len(body["F"]) != 32 * (self.threshold - 1) or len(body["E"]) != 32 * (count - 1):
            raise BadValue("form", "F or E has a wrong length")
        commitments, (r,) = points(body["F"], self.threshold - 1), points(body["R"], 1)
        masked = scalars(body["E"], count - 1)
        c, s = scalars(body["c"], 1)[0], scalars(body["s"], 1)
        stmt = H("esc", self.deck.bind("esc", peer, u32(self.number)), r, body["F"], body["E"])
        check_proof(stmt, [(r, [(0, GENERATOR)])], c, s)
        self.commitments[peer] = [self.deck.keys[peer], *commitments]
        members = [other for other in self.peers if other != peer]
        self._masked[peer] = (r, dict(zip(members, masked, strict=True)))

    def complaint_holds(self, peer: int, body: Mapping[str, Any]) -> bool | None:
        """Whether a `cmp` shows a bad share; None if the dealer's message is not there. BadValue: a wrong proof."""
        dealer = body["d"]
        if body["e"] != self.number or dealer == peer or dealer not in self.peers:
            raise BadValue("form", "it complains about nobody's share")
        if dealer not in self._masked:
            return None
        r, masked = self._masked[dealer]
        (k,) = points(body["K"], 1)
        c, s = scalars(body["c"], 1)[0], scalars(body["s"], 1)
        t = self.deck.transports[peer]
        stmt = H("cmp", self.deck.bind("cmp", peer, u32(dealer), u32(self.number)), t, r, k)
        check_proof(stmt, [(t, [(0, GENERATOR)]), (k, [(0, r)])], c, s)
        mask = h2s("esc-mask", self.deck.bind("esc", dealer, u32(peer), u32(self.number)), r, k)
        share = to_scalar(to_int(masked[peer]) - to_int(mask))
        return not share_fits(self.commitments[dealer], peer, share)

    def epoch(self) -> Epoch:
        """What the complete escrow gives."""
        return Epoch(self.number, self.threshold, self.commitments)


class Opening(Entry):
    """The deck keys of all who are still there, after the end."""

    kind = "open"
    message = "opn"

    def take(self, peer: int, body: Mapping[str, Any]) -> None:
        self.deck.secrets[peer] = check_secret(self.deck, peer, body["x"])


def check_secret(deck: Deck, peer: int, x: bytes) -> bytes:
    """The deck key of a peer as it opens it, or BadValue."""
    scalars(x, 1)
    if not any(x) or times(x, GENERATOR) != deck.keys[peer]:
        raise BadValue("key", "this is not the deck key")
    return x


class WantEntry(Entry):
    """An entry that answers a want of the engine."""

    kind = "want"

    def finish(self) -> engine.Chance:
        """Change the slots as the messages say, and give the chance action."""
        raise NotImplementedError


class RollEntry(WantEntry):
    """Thirty-two bytes that nobody chose."""

    message = "shr"

    def __init__(self, deck: Deck, active: Iterable[int], tip: bytes, digest: bytes, r: int) -> None:
        super().__init__(deck, active, tip, digest)
        self.r = r
        self._base = deck.roll_base(r)
        self._shares: dict[int, bytes] = {}

    def take(self, peer: int, body: Mapping[str, Any]) -> None:
        self._shares[peer] = self.deck.check_shares(peer, self.r, [self._base], body)[0]

    def finish(self) -> Rolled:
        for peer in self.peers:
            if peer not in self._shares:
                self._shares[peer] = times(self.deck.secrets[peer], self._base)
        return Rolled(self.r, self.deck.roll_value(self.r, (self._shares[peer] for peer in self.peers)))

    def forget(self) -> None:
        super().forget()
        self._shares.clear()


class DealEntry(WantEntry):
    """Cards that are opened to a seat each, or to everybody."""

    message = "shr"

    def __init__(self, deck: Deck, tip: bytes, digest: bytes, want: Deal) -> None:
        self.want = want
        self._cards: list[tuple[Slot, int | None]] = []  # the slot, and the peer who alone will read it
        self._owed: dict[int, list[int]] = {}  # peer -> indexes of cards
        self._shares: dict[tuple[int, int], bytes] = {}  # (peer, index of the card)
        if len({number for number, _ in want.cards}) != len(want.cards):
            raise Refuted(f"want {want.r} deals one slot twice")
        for index, (number, seat) in enumerate(want.cards):
            slot = deck.look(number)
            receiver = None if seat is None else deck.peer_of(seat)
            if slot.public and seat is not None:
                raise Refuted(f"want {want.r} deals a public card to a seat")
            if receiver in deck.gone:
                receiver = None
            if receiver is not None and receiver not in slot.holders:
                raise Refuted(f"want {want.r} deals slot {number} to a seat whose peer has no layer on it")
            self._cards.append((slot, receiver))
            for peer in slot.holders - {receiver}:
                self._owed.setdefault(peer, []).append(index)
        super().__init__(deck, self._owed, tip, digest)

    def take(self, peer: int, body: Mapping[str, Any]) -> None:
        owed = self._owed[peer]
        shares = self.deck.check_shares(peer, self.want.r, [self._cards[index][0].a for index in owed], body)
        self._shares.update(((peer, index), share) for index, share in zip(owed, shares, strict=True))

    def finish(self) -> Dealt:
        deck = self.deck
        answer: list[tuple[int, int | None, int | None]] = []
        for index, ((number, seat), (slot, receiver)) in enumerate(zip(self.want.cards, self._cards, strict=True)):
            layers = []
            for peer in sorted(slot.holders):
                if peer == receiver and peer not in deck.gone:
                    continue
                share = self._shares.get((peer, index))
                layers.append(times(deck.secrets[peer], slot.a) if share is None else share)
            b = minus(slot.b, *layers)
            if receiver is not None and receiver not in deck.gone:
                deck.slots[number] = Slot(slot.a, b, frozenset((receiver,)), seat)
                answer.append((number, seat, None))
            else:
                face = deck.face_at(b)
                deck.slots[number] = deck.public_slot(slot.a, face)
                answer.append((number, seat, face))
        return Dealt(self.want.r, tuple(answer))

    def forget(self) -> None:
        super().forget()
        self._shares.clear()


class MoveEntry(WantEntry):
    """A card that its only holder hands on."""

    message = "rky"
    alone = True

    def __init__(self, deck: Deck, active: frozenset[int], tip: bytes, digest: bytes, want: Move) -> None:
        self.want = want
        self._slot = deck.look(want.slot)
        self._mover = deck.peer_of(want.by)
        self._receiver = None if want.to is None else deck.peer_of(want.to)
        self._active = active
        self._new: Cipher | None = None
        if not self._slot.public and (self._slot.holders != {self._mover} or self._slot.seat != want.by):
            raise Refuted(f"want {want.r} moves slot {want.slot}, which seat {want.by} does not hold alone")
        deck.claim((want.new,))
        super().__init__(deck, () if self._slot.public else (self._mover,), tip, digest)

    def take(self, peer: int, body: Mapping[str, Any]) -> None:
        target = self.deck.joint(self._active) if self._receiver is None else self.deck.keys[self._receiver]
        self._new = self.deck.check_move(peer, self.want.r, (self._slot.a, self._slot.b), target, body)

    def finish(self) -> Moved:
        deck, want = self.deck, self.want
        slot = deck.look(want.slot)
        if self._new is None:  # a public card, or the mover has left and the card is public now
            if slot.face is None:
                raise Refuted(f"want {want.r} moves a hidden card without its holder")
            new = deck.public_slot(slot.a, slot.face)
        else:
            a, b = self._new
            receiver = self._receiver
            if receiver is None:
                new = Slot(a, b, self._active)
            elif receiver in deck.gone:
                new = deck.public_slot(a, deck.read((a, b), receiver))
            else:
                new = Slot(a, b, frozenset((receiver,)), want.to)
        if want.keep != 1:
            del deck.slots[want.slot]
        deck.slots[want.new] = new
        return Moved(want.r, new.face)

    def forget(self) -> None:
        super().forget()
        self._new = None


class MixEntry(WantEntry):
    """A shuffle by everybody, or of a hand by its owner."""

    message = "mix"

    def __init__(self, deck: Deck, active: frozenset[int], tip: bytes, digest: bytes, want: Mix) -> None:
        self.want = want
        m = len(want.faces) + len(want.slots)
        if m > MAX_SHUFFLE or len(want.out) != m or len(set(want.slots)) != len(want.slots):
            raise Refuted(f"want {want.r} is a shuffle that no dealer could serve")
        self.alone = want.own is not None
        owner = None if want.own is None else deck.peer_of(want.own)
        self._holders = active if owner is None else frozenset((owner,))
        slots = [deck.look(number) for number in want.slots]
        gone = owner in deck.gone
        for number, slot in zip(want.slots, slots, strict=True):
            fits = slot.public if gone else slot.holders == self._holders and slot.seat == want.own
            if not fits:
                raise Refuted(f"want {want.r} shuffles slot {number}, which the shufflers do not hold")
        for face in want.faces:
            deck.enter(face)
        self._key = deck.joint(self._holders)
        self._inputs: list[Cipher] = [(GENERATOR, add(face_point(face), self._key)) for face in want.faces]
        self._inputs += [(slot.a, slot.b) for slot in slots]
        self._current = self._inputs
        deck.claim(want.out)
        super().__init__(deck, self._holders if m else (), tip, digest)

    def take(self, peer: int, body: Mapping[str, Any]) -> None:
        self._current = self.deck.check_mix(peer, self.want.r, self._key, self._current, body)

    def finish(self) -> Mixed:
        deck, want = self.deck, self.want
        if self.alone and self._holders <= deck.gone:
            new = [deck.public_slot(GENERATOR, face) for face in want.faces]
            for number in want.slots:
                slot = deck.look(number)
                if slot.face is None:
                    raise Refuted(f"want {want.r}: a card of one who left is not public")
                new.append(slot)
        else:
            new = [Slot(a, b, self._holders, want.own) for a, b in self._current]
        for number in want.slots:
            del deck.slots[number]
        deck.slots.update(zip(want.out, new, strict=True))
        return Mixed(want.r)

    def forget(self) -> None:
        super().forget()
        self._current = self._inputs


def open_want(deck: Deck, active: frozenset[int], tip: bytes, digest: bytes, want: object) -> WantEntry:
    """The entry for a want of the engine."""
    match want:
        case Mix():
            return MixEntry(deck, active, tip, digest, want)
        case Deal():
            return DealEntry(deck, tip, digest, want)
        case Move():
            return MoveEntry(deck, active, tip, digest, want)
        case Roll(r=r):
            return RollEntry(deck, active, tip, digest, r)
        case _:
            raise Refuted(f"a want that no dealer knows: {want!r}")


__all__ = ["Entry", "Epoch", "Equation", "Escrow", "Keys", "Opening", "WantEntry", "check_secret", "open_want"]
