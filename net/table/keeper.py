"""The table where a match is agreed: seats, options, ready, terms. A machine without I/O.

`Table` is the keeper's half; a LAN host keeps its own table, a lobby keeps many. Its members, the host among them,
speak to it in the table messages of net/wire/messages.py. It is not trusted: every peer checks the terms by itself
(net/table/guest.py) before it signs.

A member whose node speaks an older protocol may look, and is told so at the table, as are the others; it cannot sit,
because it could not read the terms. It gets views without anything that its program does not know (`for_older`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from msgspec.structs import replace

from kontor_games.engine.errors import ConfigError
from kontor_games.net.wire.address import why_not_address
from kontor_games.net.wire.chain import match_id
from kontor_games.net.wire.identity import verify
from kontor_games.net.wire.messages import (
    HUMAN,
    OLDEST,
    PROTOCOL,
    Agree,
    AnyMessage,
    Clauses,
    Configure,
    Enter,
    Error,
    Leave,
    MemberInfo,
    Object,
    OptionValue,
    Package,
    PassHost,
    Propose,
    Ready,
    Recovery,
    Remove,
    Rename,
    SeatInfo,
    Sit,
    Stand,
    Start,
    TableView,
    Unready,
)
from kontor_games.net.wire.terms import (
    TERMS_VERSION,
    Terms,
    TermsPeer,
    TermsSeat,
    decode_terms,
    encode_terms,
    why_not_clauses,
    why_not_consistent,
)
from kontor_games.net.wire.text import same_name, why_not_name

from . import advice
from .catalogue import Catalogue, GameFacts

MAX_MEMBERS: Final = 16
SIGNING_TIME: Final = 20.0  # seconds for all to sign; checking terms takes milliseconds
GRACE: Final = 30.0  # seconds that a lost member keeps its seats


class Phase(Enum):
    """Where a table is in its life."""

    OPEN = "open"
    SIGNING = "signing"
    STARTED = "started"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Tell:
    """Send a message to a member."""

    peer: bytes
    message: AnyMessage


@dataclass(frozen=True, slots=True)
class Started:
    """All peers signed: the match exists."""

    raw: bytes
    signatures: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Closed:
    """The last member is gone; forget the table."""

    table: str


Effect = Tell | Started | Closed


@dataclass(frozen=True, slots=True)
class MemberState:
    """A member of a table that was put away."""

    key: bytes
    addresses: tuple[str, ...]
    nonce: bytes | None
    lost_at: float | None
    sig: bytes | None
    protocol: int
    wish: str


@dataclass(frozen=True, slots=True)
class TableState:
    """A table that was put away: everything with which another process can go on."""

    id: str
    host: bytes
    options: Mapping[str, OptionValue]
    seats: tuple[SeatInfo | None, ...]
    recovery: Recovery
    spectators: bool
    phase: Phase
    revision: int
    notice: str
    members: tuple[MemberState, ...]
    terms: bytes
    order: tuple[bytes, ...]
    signatures: tuple[bytes, ...]  # of the started match
    sign_by: float
    clauses: Clauses | None


@dataclass(slots=True)
class _Member:
    addresses: tuple[str, ...]
    protocol: int = PROTOCOL
    nonce: bytes | None = None  # the fresh bytes of its Ready; None means not ready
    lost_at: float | None = None
    sig: bytes | None = None
    wish: str = ""  # the name under which it wanted a seat, while its node is too old for one


@dataclass(slots=True)
class Table:
    """The keeper's half of one table."""

    id: str
    facts: GameFacts
    host: bytes
    options: Mapping[str, OptionValue]
    seats: list[SeatInfo | None]
    recovery: Recovery
    spectators: bool
    phase: Phase = Phase.OPEN
    revision: int = 0
    notice: str = ""
    _members: dict[bytes, _Member] = field(default_factory=dict)
    _terms: bytes = b""
    _order: tuple[bytes, ...] = ()
    _start: Start | None = None
    _sign_by: float = 0.0
    clauses: Clauses | None = None
    package: Package | None = None

    @classmethod
    def create(
        cls,
        table_id: str,
        catalogue: Catalogue,
        host: bytes,
        game: str,
        options: Mapping[str, OptionValue],
        seats: int,
        recovery: Recovery = "majority",
        spectators: bool = False,
        addresses: Sequence[str] = (),
        clauses: Clauses | None = None,
    ) -> Table:
        """A new table with its creator as host and first member; ConfigError if it could never be played."""
        facts = catalogue.find(game)
        if facts is None:
            raise ConfigError(f"this node does not know the game {game}")
        full = facts.check_options(options, seats)
        if reason := _why_not_addresses(addresses) or why_not_clauses(clauses, recovery):
            raise ConfigError(reason)
        table = cls(table_id, facts, host, full, [None] * seats, recovery, spectators, clauses=clauses)
        table.package = catalogue.package(game)
        table._members[host] = _Member(tuple(addresses))
        return table

    def freeze(self) -> TableState:
        """The table as it is now, to be put away."""
        return TableState(
            id=self.id,
            host=self.host,
            options=dict(self.options),
            seats=tuple(self.seats),
            recovery=self.recovery,
            spectators=self.spectators,
            phase=self.phase,
            revision=self.revision,
            notice=self.notice,
            members=tuple(
                MemberState(key, m.addresses, m.nonce, m.lost_at, m.sig, m.protocol, m.wish)
                for key, m in self._members.items()
            ),
            terms=self._terms,
            order=self._order,
            signatures=self._start.sigs if self._start else (),
            sign_by=self._sign_by,
            clauses=self.clauses,
        )

    @classmethod
    def thaw(cls, state: TableState, facts: GameFacts, package: Package | None = None) -> Table:
        """The table as it was when `freeze` put it away."""
        return cls(
            state.id,
            facts,
            state.host,
            state.options,
            list(state.seats),
            state.recovery,
            state.spectators,
            state.phase,
            state.revision,
            state.notice,
            {m.key: _Member(m.addresses, m.protocol, m.nonce, m.lost_at, m.sig, m.wish) for m in state.members},
            state.terms,
            state.order,
            Start(state.id, state.terms, state.signatures) if state.signatures else None,
            state.sign_by,
            state.clauses,
            package,
        )

    # What the world did.

    def received(self, sender: bytes, message: AnyMessage, now: float, protocol: int = PROTOCOL) -> list[Effect]:
        """A member, or somebody who wants to be one, said something; `protocol` is what its node speaks."""
        reason = self._why_not(sender, message, protocol)
        if reason is not None:
            refused = Tell(sender, Error(_about(message), reason))
            return [*self._turned_away(sender, message), refused]
        return self._carry_out(sender, message, now, protocol)

    def link_lost(self, peer: bytes, now: float) -> list[Effect]:
        """A member's link broke; it keeps its seats for a while but is no longer ready."""
        member = self._members.get(peer)
        if member is None or member.lost_at is not None:
            return []
        member.lost_at = now
        if self.phase is Phase.STARTED:
            return []
        member.nonce = None
        if self.phase is Phase.SIGNING:
            return self._reopen(f"{self._called(peer)} lost the connection")
        return self._show()

    def tick(self, now: float) -> list[Effect]:
        """Time has passed; see `wake_at`."""
        effects: list[Effect] = []
        if self.phase is Phase.SIGNING and now >= self._sign_by:
            late = [self._called(key) for key in self._order if self._members[key].sig is None]
            effects += self._reopen(f"no answer to the terms from {', '.join(late)}")
        if self.phase is Phase.OPEN:
            for peer in [key for key, m in self._members.items() if m.lost_at is not None and now >= m.lost_at + GRACE]:
                effects += self._remove(peer)
        return effects

    @property
    def wake_at(self) -> float | None:
        """When `tick` has something to do next."""
        if self.phase is Phase.SIGNING:
            return self._sign_by
        if self.phase is not Phase.OPEN:
            return None
        return min((m.lost_at + GRACE for m in self._members.values() if m.lost_at is not None), default=None)

    # What may be said.

    def _why_not(self, sender: bytes, message: AnyMessage, protocol: int) -> str | None:
        if self.phase is Phase.CLOSED or getattr(message, "table", None) != self.id:
            return "there is no such table"
        if isinstance(message, Enter):
            return self._why_not_enter(sender, message, protocol)
        if sender not in self._members:
            return "you are not at this table; enter first"
        if self.phase is Phase.STARTED and not isinstance(message, Leave):
            return "the match has started"
        match message:
            case Agree() | Object():
                return self._why_not_answer(sender, message)
            case Unready() | Leave():
                return None
            case Configure() | PassHost() | Remove():
                return self._why_not_host(sender, message)
        if self.phase is Phase.SIGNING:
            return "the terms are being signed; take your ready back first"
        match message:
            case Sit() if self._is_older(sender):
                return advice.older_yourself(self._members[sender].protocol)
            case Sit() | Stand() | Rename():
                return self._why_not_seat(sender, message)
            case Ready():
                return self._why_not_ready(sender, message)
        return "this is not for a table's keeper"

    def _why_not_enter(self, sender: bytes, message: Enter, protocol: int) -> str | None:
        if sender not in self._members:
            if len(self._members) >= MAX_MEMBERS:
                return f"the table is full ({MAX_MEMBERS} members)"
            if not self._can_read_start(protocol):
                return advice.older_yourself(protocol)
        return _why_not_addresses(message.addresses)

    def _is_older(self, member: bytes) -> bool:
        return self._members[member].protocol < PROTOCOL

    def _can_read_start(self, protocol: int) -> bool:
        """Whether a node that speaks this can read the terms of the match that has begun here, if one has."""
        return self._start is None or decode_terms(self._terms).version <= protocol

    def _turned_away(self, sender: bytes, message: AnyMessage) -> list[Effect]:
        """Somebody with an older node wants a seat: let everybody at the table know what to do about it."""
        if not isinstance(message, Sit) or self.phase is not Phase.OPEN or sender not in self._members:
            return []
        if not self._is_older(sender) or why_not_name(message.name):
            return []
        self._members[sender].wish = message.name
        return self._show()

    def _why_not_seat(self, sender: bytes, message: Sit | Stand | Rename) -> str | None:
        if message.seat >= len(self.seats):
            return f"there is no seat {message.seat}; the table has {len(self.seats)}"
        taken = self.seats[message.seat]
        if isinstance(message, Sit):
            if taken is not None:
                return f"seat {message.seat} is taken by {taken.name}"
        elif taken is None or taken.peer != sender:
            return f"seat {message.seat} is not yours"
        if isinstance(message, Stand):
            return None
        if isinstance(message, Sit) and message.guest and message.kind != HUMAN:
            return "a guest is a person, not a program"
        if reason := why_not_name(message.name):
            return reason
        others = (seat for number, seat in enumerate(self.seats) if number != message.seat)
        if any(seat is not None and same_name(seat.name, message.name) for seat in others):
            return f"somebody here is called {message.name} already"
        return None

    def _why_not_host(self, sender: bytes, message: Configure | PassHost | Remove) -> str | None:
        if sender != self.host:
            return "only the host may do that"
        match message:
            case Configure():
                if self.phase is Phase.SIGNING:
                    return "the terms are being signed; take your ready back first"
                return self._why_not_configured(message)
            case PassHost(to=other) | Remove(peer=other):
                if other not in self._members:
                    return "there is no such member"
                return "that is you" if other == sender else None

    def _why_not_configured(self, message: Configure) -> str | None:
        try:
            self.facts.check_options(message.options, message.seats)
        except ConfigError as error:
            return str(error)
        return why_not_clauses(message.clauses, message.recovery)

    def _why_not_ready(self, sender: bytes, message: Ready) -> str | None:
        if message.revision != self.revision:
            return "the table has changed; look at it again"
        if all(seat is None or seat.peer != sender for seat in self.seats):
            return "take a seat first"
        if any(m.nonce == message.nonce for key, m in self._members.items() if key != sender):
            return "these bytes are not fresh"
        return None

    def _why_not_answer(self, sender: bytes, message: Agree | Object) -> str | None:
        if self.phase is not Phase.SIGNING or sender not in self._order or message.match != match_id(self._terms):
            return "these terms are not on the table"
        return None

    # What it does.

    def _carry_out(self, sender: bytes, message: AnyMessage, now: float, protocol: int) -> list[Effect]:
        match message:
            case Enter(addresses=addresses):
                return self._enter(sender, addresses, protocol)
            case Leave():
                return self._remove(sender)
            case Remove(peer=peer):
                told = Tell(peer, Error("remove", "the host asked you to leave the table"))
                return [told, *self._remove(peer)]
            case PassHost(to=peer):
                self.host = peer
                return self._show()
            case Sit(seat=seat, name=name, kind=kind, guest=guest):
                self.seats[seat] = SeatInfo(sender, name, kind, guest)
                return self._changed()
            case Stand(seat=seat):
                self.seats[seat] = None
                return self._changed()
            case Rename(seat=seat, name=name):
                taken = self.seats[seat]
                assert taken is not None
                self.seats[seat] = replace(taken, name=name)
                return self._changed()
            case Configure():
                self.options = self.facts.check_options(message.options, message.seats)
                self.recovery, self.spectators = message.recovery, message.spectators
                self.clauses = message.clauses
                self.seats = (self.seats + [None] * message.seats)[: message.seats]
                return self._changed()
            case Ready(nonce=nonce):
                self._members[sender].nonce = nonce
                self.notice = ""
                return self._propose(now) if self._can_propose() else self._show()
            case Unready():
                self._members[sender].nonce = None
                if self.phase is Phase.SIGNING:
                    return self._reopen(f"{self._called(sender)} is not ready after all")
                return self._show()
            case Object(reason=reason):
                return self._reopen(f"{self._called(sender)} cannot agree: {reason}"[:400])
            case Agree(sig=sig):
                return self._agreed(sender, sig)
        raise AssertionError(message)  # _why_not let something through that is not listed here

    def _enter(self, sender: bytes, addresses: tuple[str, ...], protocol: int) -> list[Effect]:
        member = self._members.setdefault(sender, _Member(addresses))
        member.addresses, member.lost_at, member.protocol = addresses, None, protocol
        member.wish = member.wish if protocol < PROTOCOL else ""
        effects = self._came_back_older(sender) or self._show()
        if self._start is not None and self._can_read_start(protocol):  # it missed the start, or wants to watch
            effects.append(Tell(sender, self._start))
        return effects

    def _came_back_older(self, peer: bytes) -> list[Effect]:
        """A seated member came back with an older program: it could not read the terms, so its seats are free."""
        seated = any(seat is not None and seat.peer == peer for seat in self.seats)
        if not seated or not self._is_older(peer) or self.phase is Phase.STARTED:
            return []
        self._members[peer].wish = name = self._called(peer)
        if self.phase is Phase.SIGNING:
            self._back_to_open(f"{name} came back with an older Kontor")
        self._empty_seats(peer)
        return self._changed()

    def _empty_seats(self, peer: bytes) -> None:
        self.seats = [None if seat is not None and seat.peer == peer else seat for seat in self.seats]

    def _remove(self, peer: bytes) -> list[Effect]:
        name = self._called(peer)
        del self._members[peer]
        if not self._members:
            self.phase = Phase.CLOSED
            return [Closed(self.id)]
        if self.phase is Phase.STARTED:
            return self._show()
        seated = any(seat is not None and seat.peer == peer for seat in self.seats)
        self._empty_seats(peer)
        if peer == self.host:
            self.host = self._heir()
        if self.phase is Phase.SIGNING and peer in self._order:
            self._back_to_open(f"{name} left the table")
        return self._changed() if seated else self._show()

    def _heir(self) -> bytes:
        """The next host: the first seated member that is here, else whoever came first."""
        here = [key for key, member in self._members.items() if member.lost_at is None] or list(self._members)
        seated = [seat.peer for seat in self.seats if seat is not None and seat.peer in here]
        return (seated + here)[0]

    def _changed(self) -> list[Effect]:
        """What the terms would say has changed, so nobody has agreed to it yet."""
        self.revision += 1
        for member in self._members.values():
            member.nonce = None
        return self._show()

    def _can_propose(self) -> bool:
        holders = {seat.peer for seat in self.seats if seat is not None}
        return (
            None not in self.seats
            and len(holders) >= 2  # one peer alone needs no terms: that is local play
            and all(self._members[key].nonce is not None for key in holders)
        )

    def _propose(self, now: float) -> list[Effect]:
        seats = [seat for seat in self.seats if seat is not None]
        order = tuple(dict.fromkeys(seat.peer for seat in seats))
        terms = Terms(
            version=TERMS_VERSION,
            game=self.facts.id,
            rules=self.facts.rules_version,
            data=self.facts.data_digest,
            options=dict(self.options),
            peers=tuple(TermsPeer(key, self._members[key].nonce or b"") for key in order),
            seats=tuple(TermsSeat(order.index(seat.peer), seat.name, seat.kind) for seat in seats),
            recovery=self.recovery,
            spectators=self.spectators,
            deck="sealed/1",
            grace=self.clauses.grace if self.clauses else None,
            guests=tuple(number for number, seat in enumerate(seats) if seat.guest) or None,
            rated=self.clauses.rated if self.clauses else None,
            pace=self.clauses.pace if self.clauses else None,
            package=self.package,
        )
        if reason := why_not_consistent(terms):
            return self._reopen(reason)
        self._terms, self._order = encode_terms(terms), order
        self.phase, self._sign_by = Phase.SIGNING, now + SIGNING_TIME
        for key in order:
            self._members[key].sig = None
        return [*self._show(), *(Tell(key, Propose(self.id, self._terms)) for key in order)]

    def _agreed(self, sender: bytes, sig: bytes) -> list[Effect]:
        if not verify(sender, "terms", self._terms, sig):
            return self._reopen(f"{self._called(sender)} sent a signature that does not fit the terms")
        self._members[sender].sig = sig
        sigs = tuple(found for key in self._order if (found := self._members[key].sig) is not None)
        if len(sigs) < len(self._order):
            return []
        self.phase = Phase.STARTED
        self._start = Start(self.id, self._terms, sigs)
        told = [Tell(key, self._start) for key in self._members if not self._is_older(key)]
        return [*self._show(), *told, Started(self._terms, sigs)]

    def _back_to_open(self, notice: str) -> None:
        self.phase, self.notice = Phase.OPEN, notice
        self.revision += 1  # a ready that is still on its way was for the attempt that failed
        self._terms, self._order = b"", ()
        for member in self._members.values():
            member.nonce = member.sig = None

    def _reopen(self, notice: str) -> list[Effect]:
        self._back_to_open(notice)
        return self._show()

    def _called(self, peer: bytes) -> str:
        return next((seat.name for seat in self.seats if seat is not None and seat.peer == peer), "a visitor")

    def view(self) -> TableView:
        """The table as its members see it."""
        return TableView(
            table=self.id,
            revision=self.revision,
            phase=self.phase.value,
            host=self.host,
            game=self.facts.id,
            rules=self.facts.rules_version,
            data=self.facts.data_digest,
            options=dict(self.options),
            recovery=self.recovery,
            spectators=self.spectators,
            seats=tuple(self.seats),
            members=tuple(
                MemberInfo(key, m.addresses, m.lost_at is None, m.nonce is not None, m.protocol, m.wish)
                for key, m in self._members.items()
            ),
            notice=self.notice,
            protocol=PROTOCOL,
            clauses=self.clauses,
            package=self.package,
        )

    def _show(self) -> list[Effect]:
        view = self.view()
        older = for_older(view) if any(self._is_older(key) for key in self._members) else view
        return [
            Tell(key, older if self._is_older(key) else view)
            for key, member in self._members.items()
            if member.lost_at is None
        ]


def for_older(view: TableView) -> TableView:
    """The table as a node of an older protocol can read it: nothing newer in it, and why its person cannot play."""
    return replace(
        view,
        seats=tuple(None if seat is None else replace(seat, guest=False) for seat in view.seats),
        members=tuple(replace(member, protocol=OLDEST, wish="") for member in view.members),
        notice=advice.older_yourself(OLDEST),
        protocol=OLDEST,
        clauses=None,
        package=None,
    )


def _about(message: AnyMessage) -> str:
    return str(type(message).__struct_config__.tag)


def _why_not_addresses(addresses: Sequence[str]) -> str | None:
    return next((reason for address in addresses if (reason := why_not_address(address))), None)
