"""Every message that this node holds, by hash and by place; two of one author at one place are a fork.

A **place** is match, tip, digest, kind of message (a vote also has its number, shares the votes they rest on). An
honest peer signs once for a place, so two different messages for it prove that their author cheated. The proof is the
pair, and needs nothing else. The rules, in this order:

1. The first good message for a place **counts** (`known`). A second one convicts its author; both are evidence.
2. Nothing more of a convicted peer counts. What of it was waiting to be judged is set aside: some peers may have judged
   it before they knew, others not, and nobody may be blamed for the difference. What was applied stays applied, but an
   entry with a forked message in it is not closed, and nobody judges what rests on it: it may continue the other
   version, and its author would be blamed for that.
3. Set aside does not mean forgotten: such messages are **shown** (`shown`), held without counting, because others may
   have taken one of them before they knew, and name it in a vote or hand round an entry with it.
4. A message of a cheat counts after all if all others count it: the votes of a departure name it (`Position.named`), or
   it stands in an entry of a chain that this node follows and that is **backed**: everybody had passed it before they
   knew, or there is only one version of it as far as we know, or it is a goodbye (a cheat that leaves does what
   everybody wants and hands over its key).

What an attacker would try: send each half of the table its own version (1 and 3 bring both versions together; 4 lets
the halves agree on one of them, or on none); fork late, to take back an entry that others have closed (4: it is
followed); flood with versions (each place holds as many as there are peers, and only at open tips); let an honest peer
rest its shuffle on one version and be judged by the other (2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kontor_games.engine.core.stream import H
from kontor_games.engine.errors import RemoteError
from kontor_games.net.wire.chain import DealerMessage
from kontor_games.net.wire.chain import decode as decode_message

from .bodies import Bye, Cheat, Giv, Gon, decode, kind, told_apart
from .events import Blamed, Event, SignedBody
from .position import Open, Position


class Forks:
    """Messages that count, versions that do not, and the peers that were found out."""

    def __init__(self, position: Position) -> None:
        self.banned: dict[int, str] = {}
        self._position = position
        self._known: dict[bytes, SignedBody] = {}  # by hash of the message
        self._shown: dict[bytes, SignedBody] = {}  # of cheats, for open entries: held without counting
        self._first: dict[tuple[object, ...], SignedBody] = {}
        self._backed: frozenset[bytes] = frozenset()  # messages of cheats in the next entry that count nevertheless

    # --- holding

    def is_known(self, digest: bytes) -> bool:
        """Whether a message was taken before; what is only held of a cheat may have to be taken yet."""
        return digest in self._known

    def find(self, digest: bytes) -> SignedBody | None:
        """A message by its hash, whether it counts or not."""
        return self._known.get(digest) or self._shown.get(digest)

    def first(self, signed: SignedBody) -> SignedBody | None:
        """The message that counts at the place of this one."""
        return self._first.get(_place(signed))

    def has_sent(self, peer: int, h: bytes, d: bytes, name: str) -> bool:
        """Whether a message of this type counts for a peer under this tip and digest."""
        return (peer, h, d, name, b"") in self._first

    def take(self, signed: SignedBody) -> None:
        """This message counts."""
        self._known[signed.hash] = self._first[_place(signed)] = signed

    def forget(self, bye: SignedBody) -> None:
        """One of several goodbyes does not count; others may have closed it, and show it again."""
        self._known.pop(bye.hash, None)
        self._first.pop(_place(bye), None)

    def show(self, signed: SignedBody) -> None:
        """Hold one of several versions of a message; nobody needs more of them than there are peers."""
        versions = [other for other in self._shown.values() if _place(other) == _place(signed)]
        if len(versions) < self._position.table.count:
            self._shown[signed.hash] = signed

    def moved(self) -> None:
        """The tip has moved: versions of messages for closed entries are of no use."""
        self._backed = frozenset()
        tips = self._position.open_tips()
        self._shown = {digest: signed for digest, signed in self._shown.items() if signed.h in tips}

    # --- blaming

    def blame(self, cheat: Cheat, raws: tuple[bytes, ...]) -> Iterator[Event]:
        """A peer is found out, once."""
        if cheat.peer not in self.banned:
            self.banned[cheat.peer] = cheat.code
            for entry in self._position.entries:
                self._set_aside(entry, cheat.peer)
            yield Blamed(cheat.peer, cheat.code, raws)

    def _set_aside(self, entry: Open, cheat: int) -> None:
        """What is not judged yet of a cheat is as if it had never come, unless others turn out to count it."""
        for key, signed in list(entry.waiting.items()):
            if signed.peer == cheat and signed.hash not in self._position.named:
                del entry.waiting[key]
                self._known.pop(signed.hash, None)
                self.show(signed)

    def show_cheat(self, message: DealerMessage, raw: bytes, digest: bytes) -> Iterator[Event]:
        """A cheat's message does not count, but others may have taken it before they knew, and name it in votes."""
        try:
            body = decode(message.p, bytes(message.b))
        except Cheat:
            return
        if isinstance(body, Gon | Giv | Bye):
            return
        signed = SignedBody(message.p, message.h, message.d, body, raw, digest)
        if message.d == self._position.digest_at(message.h):
            self.show(signed)
        known = self.first(signed)
        if known is not None:  # there are two versions, whatever it was found out for before
            self.banned[message.p] = "fork"
            yield Blamed(message.p, "fork", (known.raw, raw))

    # --- what counts of a cheat

    def counts_anyway(self, digest: bytes) -> bool:
        """Whether all others count this message, whatever its author did."""
        return digest in self._position.named or digest in self._backed

    def are_in(self, entry: Open) -> bool:
        """Whether a message counts in this entry of which there are two."""
        doubtful = [s for s in entry.applied.values() if self.banned.get(s.peer) == "fork"]
        return not all(self.counts_anyway(s.hash) for s in doubtful)

    def are_rested_on(self) -> bool:
        """Whether messages of the open entry may continue another version than the one that counts here."""
        entry = self._position.open
        return entry is not None and entry.is_shuffle and self.are_in(entry)

    def back(self, raws: Sequence[bytes], authors: Sequence[int], source: int | None, is_passed: bool) -> None:
        """The chain goes on with an entry of these messages, says peer `source`: see rule 4."""
        cheats = [H("msg", raw, size=32) for p, raw in zip(authors, raws, strict=True) if p in self.banned]
        is_goodbye = len(raws) == 1 and _is_bye(raws[0])
        is_single = source not in self.banned and not any(map(self._has_another_version, raws))
        self._backed = frozenset(cheats) if is_passed or is_goodbye or is_single else frozenset()

    def _has_another_version(self, raw: bytes) -> bool:
        """Whether this node knows another message for the place of this one."""
        signed = _read(raw)
        if signed is None:
            return False
        place = _place(signed)
        versions = [self._first.get(place), *(other for other in self._shown.values() if _place(other) == place)]
        return any(other is not None and other.hash != signed.hash for other in versions)

    @property
    def has_shown(self) -> bool:
        """Whether anything is held without counting."""
        return bool(self._shown)

    def hear(self, named: Iterable[bytes]) -> None:
        """Let what votes name of a cheat be judged, although nothing else of it is heard any more."""
        entry = self._position.open
        for digest in named:
            signed = self._shown.get(digest)
            if entry is None or signed is None or signed.h != entry.h or signed.key in entry.applied:
                continue
            entry.waiting.setdefault(signed.key, signed)


def _read(raw: bytes) -> SignedBody | None:
    """A dealer message as it is held here, None if it cannot be read."""
    try:
        message = decode_message(DealerMessage, raw)
        body = decode(message.p, bytes(message.b))
    except RemoteError:
        return None
    return SignedBody(message.p, message.h, message.d, body, raw, H("msg", raw, size=32))


def _is_bye(raw: bytes) -> bool:
    signed = _read(raw)
    return signed is not None and isinstance(signed.body, Bye)


def _place(signed: SignedBody) -> tuple[object, ...]:
    """Two different messages with the same place prove a fork."""
    return signed.peer, signed.h, signed.d, kind(signed.body), told_apart(signed.body)
