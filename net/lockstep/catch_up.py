"""Catching up with others: which pieces of the chain to ask for, in which order to take what comes, when to go back.

Every peer has a backlog of its own: what one sends can neither take the place of what another sends nor be charged to
that other one. Its items are taken one by one, each when the one before it has been judged; the first that does not
make our chain grow empties its sender's backlog, and somebody else is asked.

Two chains can part. What a peer sends is compared with ours from the first item on that differs:

1. If it is not certain that this is where they part, the item before it is asked for.
2. A fork shows by itself: the two frames are two messages for one place (`faults.py`).
3. A departure that everybody else follows, while we took something else there, is followed (`_returns`): we go back and
   take it. `partings.py` says which of two departures counts. Once from each item of ours to each of theirs, so that
   what somebody makes up costs us one way back.
4. A goodbye that we took at a place which everybody had passed, we too, before a crash let us forget it, is left again
   (`_rejoins`).

An attacker would send items that do not follow (it loses its backlog), many of them (a backlog has a bound), or a chain
of its own, to have us go back again and again (3).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile

from kontor_games.engine.errors import RemoteError
from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.ledger.places import tip_before
from kontor_games.net.wire.match_talk import CHUNK_BYTES, MAX_ITEMS, Ask, Chunk, Item, Signed

from .effects import DropPeer, Effect, Send
from .faults import Faults
from .intake import Intake
from .partings import Departure, departure, rank
from .speaker import Speaker
from .standing import BEHIND_SECONDS, Standing
from .workbench import Workbench

MAX_BACKLOG = 512  # items of the chain that wait to be judged, of one peer
MAX_BACKLOG_BYTES = 4 * 1024 * 1024
LOOK_AHEAD = 64  # items of another's chain, to see who went on behind a cheat's message


def chunk_from(items: Sequence[Item], position: int) -> Chunk | None:
    """As much of the chain from this position on as one answer carries, if there is any."""
    chosen: list[Item] = []
    size = 0
    for item in items[position : position + MAX_ITEMS]:
        size += _size(item)
        if chosen and size > CHUNK_BYTES:
            break
        chosen.append(item)
    return Chunk(position, tuple(chosen), int(position + len(chosen) < len(items))) if chosen else None


class Backlog:
    """What one peer sent of the chain."""

    def __init__(self) -> None:
        self.items: dict[int, Item] = {}
        self.size = 0
        self.has_more = False

    def keep(self, number: int, item: Item) -> None:
        """Keep an item, unless there are too many or one is there."""
        size = _size(item)
        if number not in self.items and len(self.items) < MAX_BACKLOG and self.size + size <= MAX_BACKLOG_BYTES:
            self.items[number] = item
            self.size += size

    def take(self, number: int) -> Item | None:
        """The item with this number; what lies before it is of no use any more."""
        for old in [n for n in self.items if n < number]:
            self._drop(old)
        return self._drop(number) if number in self.items else None

    def _drop(self, number: int) -> Item:
        item = self.items.pop(number)
        self.size -= _size(item)
        return item


class CatchUp:
    """Items of the chain that others sent, each waiting until the one before it has been judged.

    They are not compared with the tips we know, because an honest chain may move its tip without an item; whether one
    follows shows when it is taken.
    """

    def __init__(self, ledger: Ledger, peers: Standing) -> None:
        self._ledger = ledger
        self._peers = peers
        self._backlogs: dict[int, Backlog] = {}
        self._asked: dict[tuple[int, int], float] = {}  # peer and position -> when
        self._judging: tuple[int, int] | None = None  # whose item, and for which position
        self._agreed: dict[int, tuple[int, bytes]] = {}  # how far a peer's chain is known to be ours, with our tip

    def ask(self, source: int, position: int | None = None) -> list[Effect]:
        """Ask a peer for its chain from a position on, or for what follows ours: the same question not too often."""
        position, now = self._ledger.position if position is None else position, self._peers.now
        self._asked = {key: when for key, when in self._asked.items() if now - when < BEHIND_SECONDS}
        if (source, position) in self._asked:
            return []
        self._asked[source, position] = now
        return [Send(source, Ask(position))]

    def agreed(self, source: int, position: int, tip: bytes) -> None:
        """What this peer sent was our chain up to this position, where our tip is this."""
        self._agreed[source] = position, tip

    def agrees(self, source: int, position: int, tip: bytes) -> bool:
        """Whether this peer's chain is known to be ours up to this position: if it differs there, it does so first."""
        return self._agreed.get(source) == (position, tip)

    def take(self, source: int, chunk: Chunk, position: int) -> None:
        """Keep what stands at this position and after it."""
        backlog = self._backlogs.setdefault(source, Backlog())
        new = [(n, item) for n, item in enumerate(chunk.items, chunk.position) if n >= position]
        for number, item in new:
            backlog.keep(number, item)
        backlog.has_more = bool(chunk.more and new)  # whoever has more sends something of it

    def next(self, position: int) -> tuple[int, Item] | None:
        """The item that stands at this position, with the peer that sent it."""
        for source, backlog in self._backlogs.items():
            item = backlog.take(position)
            if item is not None:
                self._judging = (source, position)
                return source, item
        return None

    def items(self, source: int, position: int, most: int) -> list[Item]:
        """What this peer sent from a position on without a gap, left where it is."""
        kept = self._backlogs[source].items if source in self._backlogs else {}
        return [kept[n] for n in takewhile(kept.__contains__, range(position, position + most))]

    def refuse(self, source: int) -> None:
        """What this peer sent is not the chain: nothing further of it counts until it sends anew."""
        self._backlogs.pop(source, None)

    def judged(self, position: int) -> int | None:
        """Everything has been judged and the chain has this length: whose item did not make it grow, if one's."""
        judging, self._judging = self._judging, None
        if judging is None or judging[1] < position:
            return None
        self.refuse(judging[0])
        return judging[0]

    def whom_to_ask(self) -> int | None:
        """Who has more, once everything that it sent has been taken; said once."""
        for source, backlog in self._backlogs.items():
            if backlog.has_more and not backlog.items:
                backlog.has_more = False
                return source
        return None


class Following:
    """Takes what others send of the chain, and goes back where they part from us and we have to follow."""

    def __init__(
        self,
        ledger: Ledger,
        peers: Standing,
        speaker: Speaker,
        faults: Faults,
        workbench: Workbench,
        catch_up: CatchUp,
        intake: Intake,
        pump: Callable[[], list[Effect]],
    ) -> None:
        self._ledger = ledger
        self._peers = peers
        self._speaker = speaker
        self._faults = faults
        self._workbench = workbench
        self._catch_up = catch_up
        self._intake = intake
        self._pump = pump
        self._is_taking = False  # an item of the chain, part by part
        self._returned: set[tuple[bytes, bytes] | None] = set()  # items from which we went back, for which departure

    def send(self, peer: int, position: int) -> list[Effect]:
        """Send a peer our chain from this position on, as much as one answer carries."""
        chunk = chunk_from(self._ledger.items, position)
        return [] if chunk is None else [Send(peer, chunk)]

    def received(self, source: int, chunk: Chunk) -> list[Effect]:
        """Items of the chain: they are taken one by one, each when the one before it has been judged."""
        effects: list[Effect] = []
        ours = self._ledger.items[chunk.position : chunk.position + len(chunk.items)]
        parted = next((k for k, item in enumerate(ours) if chunk.items[k] != item), len(ours))
        position = chunk.position + parted
        if parted:
            self._catch_up.agreed(source, position, self._ledger.chain.tip_at(position))
        if parted < len(ours):
            effects += self._parted(source, position, chunk.items[parted:])
        elif parted and chunk.more and position < self._ledger.position:
            effects += self._catch_up.ask(source, position)
        self._catch_up.take(source, chunk, self._ledger.position)
        return [*effects, *self._pump()]

    def _parted(self, source: int, position: int, items: Sequence[Item]) -> list[Effect]:
        """A peer's chain has other items from here on: that may show a fork, or a departure that we have to follow."""
        if position and not self._catch_up.agrees(source, position, self._ledger.chain.tip_at(position)):
            # it may be another earlier
            return [*self._catch_up.ask(source, position - 1), *self._take_item(source, items[0])]
        followed = self._returns(source, position, items[0]) or self._rejoins(source, position, items)
        return followed or self._take_item(source, items[0])

    def _take_item(self, source: int, item: Item) -> list[Effect]:
        """All parts of an item; nothing else is taken of the chain before the last of them."""
        effects: list[Effect] = []
        self._is_taking = True
        for part in item.parts:
            more = self._intake.signed(source, part, in_chain=True)
            effects += more
            if any(isinstance(effect, DropPeer) for effect in more):
                self._catch_up.refuse(source)
                break
        self._is_taking = False
        return effects

    def next_item(self) -> list[Effect]:
        """Go on with what others sent of the chain."""
        if self._workbench.is_busy or self._is_taking:
            return []  # the item before is still being judged
        refused = self._catch_up.judged(self._ledger.position)
        found = self._catch_up.next(self._ledger.position)
        if found is not None:
            source, item = found
            entries = self._ledger.entries
            is_deaf = entries.departures.deaf and source not in entries.departures.accused
            heard = self._intake.act_on(self._ledger.listen_again()) if is_deaf else []
            if any(part.peer in entries.banned for part in item.parts):
                self._faults.passed = self._passed_by_all(source, item)
            self._ledger.follow(item, source, self._faults.passed is not None)
            return [*heard, *self._take_item(source, item)] or self.next_item()
        if refused is not None:
            return self._ask_elsewhere(refused)
        more_from = self._catch_up.whom_to_ask()
        return [] if more_from is None else [Send(more_from, Ask(self._ledger.position))]

    def _passed_by_all(self, source: int, item: Item) -> bytes | None:
        """The tip after an item with a cheat's message, if everybody else has signed something there or behind it.

        We are among them: we stood there, and went back when we learned of the cheat.
        """
        tip = item.tip_after(self._ledger.tip)
        tips, behind = self._behind(tip, self._catch_up.items(source, self._ledger.position + 1, LOOK_AHEAD))
        signers = {part.peer for part in item.parts if part.peer in self._ledger.entries.banned}
        signers.update(part.peer for part in behind)
        return tip if signers | self._peers.signed_at.at(tips) >= set(self._ledger.active) else None

    def _behind(self, tip: bytes, items: Sequence[Item]) -> tuple[set[bytes], list[Signed]]:
        """A tip and those behind it, as far as these items are true, and the messages that name one of them."""
        tips, found = {tip}, []
        for item in items:
            try:
                self._intake.check_authored(item)
            except RemoteError:
                break
            found += [part for part in item.parts if tip_before(part) in tips]
            tip = item.tip_after(tip)
            tips.add(tip)
        return tips, found

    def _ask_elsewhere(self, refused: int) -> list[Effect]:
        """What this peer sent does not follow: let another tell, and show each other where our chains part."""
        here = self._ledger.position
        ahead = [p for p in self._peers.linked if p != refused and self._peers[p].position > here]
        effects = [effect for p in ahead[:1] for effect in self._catch_up.ask(p)]
        if here and (asked := self._catch_up.ask(refused, max(0, here - 2))):
            effects += [*asked, *self.send(refused, max(0, here - 2))]
        return effects

    def _returns(self, source: int, position: int, item: Item) -> list[Effect]:
        """Go back to follow a departure at a tip where we took something else, if not everybody went that way with us.

        Somebody closed a departure for which we gave our shares, while we were told otherwise; or a peer said goodbye
        to others and gave its part to us. Nobody can go on past our item without the acknowledgement of those who
        closed the departure, and they never give it: so this is where the others meet. `partings.py` says which of two
        departures that is. Once from each item of ours to each of theirs: what somebody makes up may cost us one way
        back, and we come forward again.
        """
        there, ours = self._departure_for_us(item), self._ledger.items[position]
        way = None if there is None else (ours.tip_after(b""), there.hash)
        if there is None or way in self._returned or self._ledger.run.forfeit is not None:
            return []  # whoever is alone meets nobody: a match of two ends at each side where the farewell found it
        if there.rank(self._ledger.position_of) >= rank(ours, self._ledger.position_of):
            return []
        waiting = self._faults.not_beyond(position, ours.parts[0].peer if ours.kind == "frame" else None)
        if not waiting - self._peers.heard_at.at(self._ledger.chain.tips_after(position)):
            return []  # whoever once stood behind our item has not closed the other one, unless a crash made it forget
        self._returned.add(way)
        self._intake.go_back(position, without=ours)
        effects = self._follow(source, item)
        # Somebody else's goodbye still has its place to come.
        for part in ours.parts if ours.kind == "entry" else ():
            effects += self._intake.signed(None, part)
        return effects

    def _rejoins(self, source: int, position: int, items: Sequence[Item]) -> list[Effect]:
        """Leave a goodbye at a place that everybody had passed, we too: a crash let us forget what we acknowledged.

        Somebody else's turn behind that place shows it, for its author had all acknowledgements, ours included.
        """
        ours = self._ledger.items[position]
        leaver = self._leaver(ours)
        if leaver is None or self._ledger.run.forfeit is not None:
            return []
        tip = items[0].tip_after(self._ledger.chain.tip_at(position))
        _, behind = self._behind(tip, items[1 : 1 + LOOK_AHEAD])
        if not any(part.kind == "frame" and part.peer != leaver for part in behind):
            return []
        self._intake.go_back(position, without=ours)
        # the goodbye takes the next place of its author
        return [*self._follow(source, items[0]), *self._intake.signed(None, ours.parts[0])]

    def _leaver(self, item: Item) -> int | None:
        """Whose goodbye this item of our chain is, if it is one."""
        found = self._departure_for_us(item)
        return None if found is None else found.leaver

    def _departure_for_us(self, item: Item) -> Departure | None:
        """A goodbye, or a vote with shares of ours, signed by those it names."""
        try:
            found = departure(item)
            if found is not None:
                self._intake.check_authored(item)
        except RemoteError:
            return None
        return found if found is not None and (found.concerns(self._ledger.me) or self._is_put_out(found)) else None

    def _is_put_out(self, found: Departure) -> bool:
        """Whether all others declared us gone and gave their shares: nobody follows what we played meanwhile."""
        rest = set(self._ledger.active) - found.gone
        is_whole = found.givers == rest and self._ledger.table.why_not_gone(sorted(found.gone)) is None
        return self._ledger.me in found.gone and is_whole

    def _follow(self, source: int, item: Item) -> list[Effect]:
        """After going back: take this item of another's chain before anything else can take its place."""
        self._ledger.follow(item, source)
        effects = [*self._speaker.say_where(), *self._take_item(source, item)]
        return [*effects, *self._intake.go_on()]


def _size(item: Item) -> int:
    return sum(len(part.raw) + 80 for part in item.parts)
