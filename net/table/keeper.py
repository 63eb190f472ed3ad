"""The keeper of a table where a match is agreed: seats, options, ready, terms. A machine without I/O.

A LAN host keeps its own table, a lobby keeps many. The members of a table, the host among them, speak to its keeper in
the table messages of net/wire/messages.py. The keeper is not trusted: every peer checks the terms by itself before it
signs (net/table/guest.py). What a keeper that lies can do is to bring no match about.

A table is in one of four phases:

* **open**: members enter, sit, configure. Every change of what the terms would say raises the revision and takes back
  every ready, because a ready is for one revision: what its author saw. A ready brings 16 fresh bytes for the terms.
* **signing**: every seat is taken and every peer that holds one is ready, so the keeper proposes terms to these peers.
  They agree with a signature or object. A signature that does not fit, an objection, a ready taken back, a lost link, a
  member who leaves or `SIGNING_TIME` without all signatures ends the attempt: the table is open again, with a notice
  that says whose doing it was and with a new revision, so that messages of the failed attempt count for nothing.
* **started**: all peers signed. The keeper tells everybody, and again to whoever enters later. Seats stay as they are.
* **closed**: the last member is gone.

A member whose link breaks keeps its seats for `GRACE` seconds, but is no longer ready. If the host leaves, the first
seated member that is here becomes host.

A member whose node speaks an older protocol may look. It cannot sit, because it could not read the terms; it and the
others at the table are told so. It gets views without anything that its program does not know (`for_older`).

The table itself is a value (net/table/table_state.py), which each step replaces; what may be said is in
net/table/table_rules.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from msgspec.structs import replace

from kontor_games.engine.errors import ConfigError
from kontor_games.net.wire.identity import verify
from kontor_games.net.wire.messages import (
    OLDEST,
    PROTOCOL,
    Agree,
    AnyMessage,
    Configure,
    Enter,
    Error,
    Leave,
    MemberInfo,
    Object,
    Package,
    PassHost,
    Propose,
    Ready,
    Remove,
    Rename,
    SeatInfo,
    Sit,
    Stand,
    TableView,
    Unready,
)
from kontor_games.net.wire.terms import (
    TERMS_VERSION,
    Terms,
    TermsPeer,
    TermsSeat,
    encode_terms,
    why_not_clauses,
    why_not_consistent,
)
from kontor_games.net.wire.text import why_not_name

from . import advice
from .catalogue import Catalogue, GameFacts
from .table_rules import can_read_start, why_not, why_not_addresses
from .table_state import MemberState, TableState

SIGNING_TIME: Final = 20.0  # seconds for all to sign; checking terms takes milliseconds
GRACE: Final = 30.0  # seconds that a lost member keeps its seats

S = TypeVar("S", bound=TableState)


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
class TableClosed:
    """The last member is gone; forget the table."""

    table: str


Effect = Tell | Started | TableClosed


class TableKeeper(Generic[S]):
    """The keeper's half of one table; `state` is the table as it is now."""

    def __init__(
        self, state: S, facts: GameFacts, package: Package | None, new_member: type[MemberState] = MemberState
    ) -> None:
        self.state = state
        self._facts = facts
        self._package = package
        self._new_member = new_member  # as `state` holds them
        self._wishes: dict[bytes, str] = {}  # the names under which members wanted a seat whose nodes are too old

    @classmethod
    def open(
        cls, blank: S, catalogue: Catalogue, addresses: Sequence[str], new_member: type[MemberState] = MemberState
    ) -> TableKeeper[S]:
        """Open a table with its host as first member; ConfigError if it could never be played."""
        facts = catalogue.find(blank.game)
        if facts is None:
            raise ConfigError(f"this node does not know the game {blank.game}")
        options = facts.check_options(blank.options, len(blank.seats))
        if reason := why_not_addresses(addresses) or why_not_clauses(blank.clauses, blank.recovery):
            raise ConfigError(reason)
        host = new_member(blank.host, tuple(addresses), protocol=PROTOCOL)
        state = replace(blank, options=options, members=(host,))
        return cls(state, facts, catalogue.package(blank.game), new_member)

    # What the world did.

    def received(self, sender: bytes, message: AnyMessage, now: float, protocol: int = PROTOCOL) -> list[Effect]:
        """A member, or somebody who wants to be one, said something; `protocol` is what its node speaks."""
        reason = why_not(self.state, self._facts, sender, message, protocol)
        if reason is not None:
            return [*self._note_wish(sender, message), Tell(sender, Error(_about(message), reason))]
        return self._carry_out(sender, message, now, protocol)

    def link_lost(self, peer: bytes, now: float) -> list[Effect]:
        """A member's link broke; it keeps its seats for a while but is no longer ready."""
        member = self.state.member(peer)
        if member is None or member.lost_at is not None:
            return []
        self._change_member(peer, lost_at=now)
        if self.state.phase == "started":
            return []
        self._change_member(peer, nonce=None)
        if self.state.phase == "signing":
            return self._reopen(f"{self.state.name_of(peer)} lost the connection")
        return self._show()

    def tick(self, now: float) -> list[Effect]:
        """Time has passed; see `wake_at`."""
        effects: list[Effect] = []
        if self.state.phase == "signing" and now >= self.state.sign_by:
            silent = {member.key for member in self.state.members if member.sig is None}
            late = [self.state.name_of(key) for key in self.state.order if key in silent]
            effects += self._reopen(f"no answer to the terms from {', '.join(late)}")
        if self.state.phase == "open":
            for member in self.state.members:
                if member.lost_at is not None and now >= member.lost_at + GRACE:
                    effects += self._remove(member.key)
        return effects

    def close(self, reason: str) -> list[Effect]:
        """End a table at which nothing has begun, and tell its members why."""
        if self.state.phase == "started":
            return []
        self._change(phase="closed", notice=reason)
        return [*self._show(), TableClosed(self.state.id)]

    @property
    def wake_at(self) -> float | None:
        """When `tick` has something to do next."""
        if self.state.phase == "signing":
            return self.state.sign_by
        if self.state.phase != "open":
            return None
        return min((m.lost_at + GRACE for m in self.state.members if m.lost_at is not None), default=None)

    # What it does.

    def _carry_out(self, sender: bytes, message: AnyMessage, now: float, protocol: int) -> list[Effect]:
        match message:
            case Enter(addresses=addresses):
                return self._enter(sender, addresses, protocol)
            case Leave():
                return self._remove(sender)
            case Remove(peer=peer):
                notice = Tell(peer, Error("remove", "the host asked you to leave the table"))
                return [notice, *self._remove(peer)]
            case PassHost(to=peer):
                self._change(host=peer)
                return self._show()
            case Sit(seat=seat, name=name, kind=kind, guest=guest):
                return self._take_seat(seat, SeatInfo(sender, name, kind, guest))
            case Stand(seat=seat):
                return self._take_seat(seat, None)
            case Rename(seat=seat, name=name):
                taken = self.state.seats[seat]
                assert taken is not None
                return self._take_seat(seat, replace(taken, name=name))
            case Configure():
                return self._configure(message)
            case Ready(nonce=nonce):
                self._change(notice="")
                self._change_member(sender, nonce=nonce)
                return self._propose(now) if self.state.is_complete else self._show()
            case Unready():
                self._change_member(sender, nonce=None)
                if self.state.phase == "signing":
                    return self._reopen(f"{self.state.name_of(sender)} is not ready after all")
                return self._show()
            case Object(reason=reason):
                return self._reopen(f"{self.state.name_of(sender)} cannot agree: {reason}"[:400])
            case Agree(sig=sig):
                return self._agreed(sender, sig)
        raise AssertionError(message)  # why_not let something through that is not listed here

    def _enter(self, sender: bytes, addresses: tuple[str, ...], protocol: int) -> list[Effect]:
        if self.state.member(sender) is None:
            self._change(members=(*self.state.members, self._new_member(sender, addresses, protocol=protocol)))
        else:
            self._change_member(sender, addresses=addresses, lost_at=None, protocol=protocol)
        if protocol >= PROTOCOL:
            self._wishes.pop(sender, None)
        effects = self._came_back_older(sender, protocol) or self._show()
        start = self.state.start
        if start is not None and can_read_start(self.state, protocol):  # it missed the start, or wants to watch
            effects.append(Tell(sender, start))
        return effects

    def _came_back_older(self, peer: bytes, protocol: int) -> list[Effect]:
        """A seated member came back with an older program: it could not read the terms, so its seats are free."""
        if peer not in self.state.holders or protocol >= PROTOCOL or self.state.phase == "started":
            return []
        self._wishes[peer] = name = self.state.name_of(peer)
        if self.state.phase == "signing":
            self._back_to_open(f"{name} came back with an older Kontor")
        self._empty_seats(peer)
        return self._changed_terms()

    def _note_wish(self, sender: bytes, message: AnyMessage) -> list[Effect]:
        """Somebody with an older node wants a seat: let everybody at the table know what to do about it."""
        member = self.state.member(sender)
        if not isinstance(message, Sit) or self.state.phase != "open" or member is None:
            return []
        if not member.is_older or why_not_name(message.name):
            return []
        self._wishes[sender] = message.name
        return self._show()

    def _remove(self, peer: bytes) -> list[Effect]:
        name, was_seated = self.state.name_of(peer), peer in self.state.holders
        self._change(members=tuple(member for member in self.state.members if member.key != peer))
        self._wishes.pop(peer, None)
        if not self.state.members:
            self._change(phase="closed")
            return [TableClosed(self.state.id)]
        if self.state.phase == "started":
            return self._show()
        self._empty_seats(peer)
        if peer == self.state.host:
            self._change(host=self.state.heir)
        if self.state.phase == "signing" and peer in self.state.order:
            self._back_to_open(f"{name} left the table")
        return self._changed_terms() if was_seated else self._show()

    def _take_seat(self, number: int, seat: SeatInfo | None) -> list[Effect]:
        seats = self.state.seats
        self._change(seats=(*seats[:number], seat, *seats[number + 1 :]))
        return self._changed_terms()

    def _empty_seats(self, peer: bytes) -> None:
        seats = self.state.seats
        self._change(seats=tuple(None if seat is not None and seat.peer == peer else seat for seat in seats))

    def _configure(self, message: Configure) -> list[Effect]:
        empty = (None,) * message.seats
        self._change(
            options=self._facts.check_options(message.options, message.seats),
            recovery=message.recovery,
            spectators=message.spectators,
            clauses=message.clauses,
            seats=(self.state.seats + empty)[: message.seats],
        )
        return self._changed_terms()

    def _changed_terms(self) -> list[Effect]:
        """What the terms would say has changed, so nobody has agreed to it yet."""
        self._change(revision=self.state.revision + 1)
        self._change_members(nonce=None)
        return self._show()

    # The agreement.

    def _propose(self, now: float) -> list[Effect]:
        terms = self._terms()
        if reason := why_not_consistent(terms):
            return self._reopen(reason)
        order, raw = self.state.holders, encode_terms(terms)
        self._change(terms=raw, order=order, phase="signing", sign_by=now + SIGNING_TIME)
        for key in order:
            self._change_member(key, sig=None)
        return [*self._show(), *(Tell(key, Propose(self.state.id, raw)) for key in order)]

    def _terms(self) -> Terms:
        """The terms of the match that would be played at this table, which is complete."""
        state, order, clauses = self.state, self.state.holders, self.state.clauses
        seats = [seat for seat in state.seats if seat is not None]
        nonces = {member.key: member.nonce or b"" for member in state.members}
        return Terms(
            version=TERMS_VERSION,
            game=self._facts.id,
            rules=self._facts.rules_version,
            data=self._facts.data_digest,
            options=dict(state.options),
            peers=tuple(TermsPeer(key, nonces[key]) for key in order),
            seats=tuple(TermsSeat(order.index(seat.peer), seat.name, seat.kind) for seat in seats),
            recovery=state.recovery,
            spectators=state.spectators,
            deck="sealed/1",
            grace=clauses.grace if clauses else None,
            guests=tuple(number for number, seat in enumerate(seats) if seat.guest) or None,
            rated=clauses.rated if clauses else None,
            pace=clauses.pace if clauses else None,
            package=self._package,
        )

    def _agreed(self, sender: bytes, sig: bytes) -> list[Effect]:
        if not verify(sender, "terms", self.state.terms, sig):
            return self._reopen(f"{self.state.name_of(sender)} sent a signature that does not fit the terms")
        self._change_member(sender, sig=sig)
        known = {member.key: member.sig for member in self.state.members}
        signatures = tuple(found for key in self.state.order if (found := known[key]) is not None)
        if len(signatures) < len(self.state.order):
            return []
        self._change(phase="started", signatures=signatures)
        start = self.state.start
        assert start is not None
        starts = [Tell(member.key, start) for member in self.state.members if not member.is_older]
        return [*self._show(), *starts, Started(self.state.terms, signatures)]

    def _reopen(self, notice: str) -> list[Effect]:
        self._back_to_open(notice)
        return self._show()

    def _back_to_open(self, notice: str) -> None:
        # A new revision: a ready that is still on its way was for the attempt that failed.
        self._change(phase="open", notice=notice, revision=self.state.revision + 1, terms=b"", order=())
        self._change_members(nonce=None, sig=None)

    # Changing the value.

    def _change(self, **fields: Any) -> None:
        self.state = replace(self.state, **fields)

    def _change_members(self, **fields: Any) -> None:
        self._change(members=tuple(replace(member, **fields) for member in self.state.members))

    def _change_member(self, key: bytes, **fields: Any) -> None:
        members = self.state.members
        self._change(members=tuple(replace(each, **fields) if each.key == key else each for each in members))

    # What members see.

    def view(self) -> TableView:
        """The table as its members see it."""
        state = self.state
        return TableView(
            table=state.id,
            revision=state.revision,
            phase=state.phase,
            host=state.host,
            game=self._facts.id,
            rules=self._facts.rules_version,
            data=self._facts.data_digest,
            options=dict(state.options),
            recovery=state.recovery,
            spectators=state.spectators,
            seats=state.seats,
            members=tuple(map(self._member_info, state.members)),
            notice=state.notice,
            protocol=PROTOCOL,
            clauses=state.clauses,
            package=self._package,
        )

    def _member_info(self, member: MemberState) -> MemberInfo:
        is_here, is_ready = member.lost_at is None, member.nonce is not None
        wish = self._wishes.get(member.key, "")
        return MemberInfo(member.key, member.addresses, is_here, is_ready, member.protocol, wish)

    def _show(self) -> list[Effect]:
        """Send the table to every member that is here."""
        view, members = self.view(), self.state.members
        older = for_older(view) if any(member.is_older for member in members) else view
        return [Tell(m.key, older if m.is_older else view) for m in members if m.lost_at is None]


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
