"""Evidence of a fault: signed messages behind a transcript (docs/wire-match.md, «Journal and evidence»)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .chain import Chain
from .entries import Entry, Escrow
from .errors import Fault, Refuted
from .group import BadValue
from .messages import Dealer, Frame, read_dealer, read_frame, why_not_body
from .records import LooseRecord


def prove(chain: Chain, records: Sequence[LooseRecord]) -> int:
    """The peer whose fault the last record, and none before it, proves; Refuted if they prove none."""
    held = _Held(chain)
    for number, record in enumerate(records):
        blamed = held.judge(record)
        if (blamed is not None) != (number == len(records) - 1):
            raise Refuted("the last message of evidence, and none before it, completes the proof")
    if blamed is None:
        raise Refuted("the evidence proves nothing")
    return blamed


class _Held:
    """What the evidence has brought so far, beside the chain."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self._messages = {place: set(raws) for place, raws in chain.messages.items()}
        self._taken: set[tuple[int, str]] = set()
        self._votes: dict[bytes, Dealer] = {}

    def judge(self, record: LooseRecord) -> int | None:
        """The peer that this message proves guilty, or None if it only belongs to the place."""
        if record.kind not in ("frame", "dealer"):
            raise Refuted(f"evidence holds no {record.kind}")
        message = read_frame(record.message.raw) if record.kind == "frame" else read_dealer(record.message.raw)
        author = self.chain.check_author(message, record.message)
        if author != record.peer:
            raise Refuted(f"a message of peer {author} is said to be of peer {record.peer}")
        if isinstance(message, Dealer) and (reason := why_not_body(message)):
            return self._malformed(message, reason)
        place = (author, *message.place())
        known = self._messages.setdefault(place, set())
        if message.raw in known:
            return None
        if known:
            return author
        try:
            self._place(message)
        except Fault as fault:
            return fault.blamed
        known.add(message.raw)
        return None

    def _malformed(self, message: Dealer, reason: str) -> int:
        entries = self._entries()
        here = [(self.chain.tip, self.chain.digest), *((entry.tip, entry.digest) for entry in entries)]
        if (message.tip, message.digest) not in here and self.chain.tips.get(message.tip) != message.digest:
            raise Refuted(f"a malformed message for another place proves nothing: {reason}")
        return message.peer

    def _entries(self) -> list[Entry]:
        found = (self.chain.entry, self.chain.waiting)
        return [entry for entry in found if entry is not None and not entry.starts_again]

    def _place(self, message: Frame | Dealer) -> None:
        """Nothing if the message is right at this place; Fault if it is wrong; Refuted if it belongs elsewhere."""
        if isinstance(message, Frame):
            self._frame(message)
        elif message.peer not in self.chain.active:
            raise Refuted("a message of one who left proves nothing")
        elif message.kind in ("gon", "giv"):
            self._vote(message)
        elif message.kind == "bye":
            if self.chain.tips.get(message.tip) != message.digest:
                raise Refuted("a goodbye for another place proves nothing")
            if message.peer not in self.chain.deck.keys:
                raise Fault(message.peer, "bye.unexpected", "there are no keys yet")
            self.chain.check_bye(message)
        elif message.tip == self.chain.tip:
            self._dealer(message)
        else:
            try:
                self._dealer(message)
            except Fault:
                raise Refuted("its author may have closed another departure while the entry was open") from None

    def _frame(self, frame: Frame) -> None:
        if frame.tip != self.chain.tip or frame.digest != self.chain.digest:
            raise Refuted("a frame for another place proves nothing")
        author = self.chain.terms.seats[frame.seat]
        try:
            self.chain.check_frame(frame)
        except Exception as error:  # whatever the engine raises is the author's fault too
            raise Fault(author, "frame", str(error)) from None

    def _dealer(self, message: Dealer) -> None:
        at: tuple[Any, Any] = (message.tip, message.digest)
        entries = [entry for entry in self._entries() if (entry.tip, entry.digest) == at]
        for entry in entries:
            due = entry.due()
            if (message.peer, message.kind) in due:
                self._due(entry, message, due)
                return
            if isinstance(entry, Escrow) and message.kind == "cmp" and message.peer in entry.peers:
                self._complaint(entry, message)
                return
        if entries or at == (self.chain.tip, self.chain.digest):
            raise Fault(message.peer, f"{message.kind}.unexpected", "it is not due here")
        raise Refuted(f"a {message.kind} for another place proves nothing")

    def _due(self, entry: Entry, message: Dealer, due: list[tuple[int, str]]) -> None:
        this = (message.peer, message.kind)
        below = due[: due.index(this)]
        first = {"mix": below, "rdy": [each for each in below if each[1] == "esc"]}.get(message.kind, [])
        if any(each not in self._taken for each in first):
            raise Refuted("what must wait for others cannot be judged without them")
        if entry.named.get(message.peer, message.hash) != message.hash:
            raise Refuted("not the message that the votes name")
        try:
            self.chain.take(entry, message)
        except Fault as fault:
            if fault.code == "mix.proof" and due[0] != this:
                raise Refuted("it rests on a shuffle of another peer, who may have signed two") from None
            raise
        self._taken.add(this)

    @staticmethod
    def _complaint(entry: Escrow, message: Dealer) -> None:
        try:
            holds = entry.complaint_holds(message.peer, message.body)
        except BadValue as error:
            if error.cause == "proof":
                raise Refuted("it rests on a message of the dealer, who may have signed two") from None
            raise Fault(message.peer, f"cmp.{error.cause}", str(error)) from None
        if holds is None:
            raise Refuted("a complaint without the message it is about cannot be judged")
        if holds:
            raise Fault(message.body["d"], "esc.share", "a bad share")
        raise Refuted("the share is good, but the dealer may have signed another one")

    def _vote(self, message: Dealer) -> None:
        chain = self.chain
        if (message.tip, message.digest) != (chain.tip, chain.digest):
            raise Refuted("a vote for another place proves nothing")
        if not chain.terms.majority or chain.epoch is None or chain.done:
            raise Fault(message.peer, f"{message.kind}.unexpected", "there is no vote here")
        if message.kind == "gon":
            chain.check_vote(message)
            self._votes[message.hash] = message
            return
        names = message.body["g"]
        hashes = [names[i : i + 32] for i in range(0, len(names), 32)]
        if not hashes or any(each not in self._votes for each in hashes):
            raise Refuted("shares for votes that are not here cannot be judged")
        votes = [self._votes[each] for each in hashes]
        voted = votes[0].body["w"]
        agree = all(vote.body["w"] == voted for vote in votes)
        if not voted or not agree or [vote.peer for vote in votes] != sorted(chain.active - set(voted)):
            raise Fault(message.peer, "giv.unexpected", "the votes do not agree")
        if message.peer in voted:
            raise Fault(message.peer, "giv.unexpected", "it is voted out itself")
        chain.check_gift(message, votes)
