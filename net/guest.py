"""A peer's half of the table: it believes nobody, compares the terms with what it saw, then signs. A machine."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import LocalError, RemoteError
from net.catalogue import Catalogue, why_not_game
from net.chain import match_id
from net.identity import Signer
from net.messages import Agree, AnyMessage, Error, Object, Propose, Ready, Start, TableView, Unready
from net.table import Started
from net.terms import Terms, decode_terms, why_not_signed
from net.text import same_name, why_not_name


@dataclass(frozen=True, slots=True)
class Say:
    """Send a message to the table's keeper."""

    message: AnyMessage


@dataclass(frozen=True, slots=True)
class Shown:
    """The table changed; show it."""

    view: TableView


@dataclass(frozen=True, slots=True)
class Signing:
    """The terms are checked and signed; show the six words of this match."""

    match: bytes


@dataclass(frozen=True, slots=True)
class Refused:
    """Something was refused, by the keeper or by us; the reason is for people."""

    about: str
    reason: str


Effect = Say | Shown | Signing | Refused | Started


class Guest:
    """One peer at one table, wherever the table is kept."""

    def __init__(self, table: str, signer: Signer, catalogue: Catalogue) -> None:
        self.table = table
        self.view: TableView | None = None
        self.started: Started | None = None
        self._signer = signer
        self._catalogue = catalogue
        self._agreed: tuple[TableView, bytes] | None = None  # the table as it was when we said ready, our fresh bytes
        self._signed: bytes | None = None

    def why_not_ready(self) -> str | None:
        """Why this node would not sign what the table shows now, or None."""
        view = self.view
        if view is None:
            return "the table has not been seen yet"
        if reason := _why_not_view(view, self._catalogue):
            return reason
        if all(seat is None or seat.peer != self._signer.key for seat in view.seats):
            return "take a seat first"
        return None

    def ready(self, nonce: bytes) -> list[Effect]:
        """The person agrees to the table as shown; `nonce` is 16 bytes fresh from the system."""
        if len(nonce) != 16:
            raise LocalError(f"a ready needs 16 fresh bytes, not {len(nonce)}")
        reason = self.why_not_ready()
        if reason is not None or self.view is None:
            return [Refused("ready", reason or "")]
        self._agreed = (self.view, nonce)
        return [Say(Ready(self.table, self.view.revision, nonce))]

    def unready(self) -> list[Effect]:
        """The person takes the agreement back; terms that are still on their way will not be signed."""
        self._agreed = None
        return [Say(Unready(self.table))]

    def received(self, message: AnyMessage) -> list[Effect]:
        """The table's keeper said something."""
        match message:
            case TableView(table=self.table):
                self.view = message
                return [Shown(message)]
            case Propose(table=self.table, raw=raw):
                return self._proposed(raw)
            case Start(table=self.table, raw=raw, sigs=sigs):
                return self._start(raw, sigs)
            case Error(about=about, reason=reason):
                return [Refused(about, reason)]
        return []

    def _proposed(self, raw: bytes) -> list[Effect]:
        reason = self._why_not_proposed(raw)
        if reason is not None:
            return [Say(Object(self.table, match_id(raw), reason[:300])), Refused("terms", reason)]
        self._signed = raw
        signature = self._signer.sign("terms", raw)
        return [Say(Agree(self.table, match_id(raw), signature)), Signing(match_id(raw))]

    def _why_not_proposed(self, raw: bytes) -> str | None:
        if self._agreed is None:
            return "nobody here is ready"
        if self._signed == raw:
            return None  # asked twice: the same signature again
        try:
            terms = decode_terms(raw)
        except RemoteError as error:
            return str(error)
        return why_not_terms(terms, self._agreed[0], self._agreed[1], self._signer.key, self._catalogue)

    def _start(self, raw: bytes, sigs: tuple[bytes, ...]) -> list[Effect]:
        if self.started is not None:
            return []
        try:
            reason = why_not_signed(raw, sigs)
            seated = decode_terms(raw).index_of(self._signer.key) is not None
        except RemoteError as error:
            return [Refused("start", str(error))]
        if reason is None and seated and self._signed not in (None, raw):
            # After a restart we remember no signature; then our own one among the others is the agreement.
            reason = "these are not the terms that were signed last"
        if reason is not None:
            return [Refused("start", reason)]
        self.started = Started(raw, sigs)
        return [self.started]


def _why_not_view(view: TableView, catalogue: Catalogue) -> str | None:
    reason = why_not_game(catalogue, view.game, view.rules, view.data, view.options, len(view.seats))
    if reason is not None:
        return reason
    names = [seat.name for seat in view.seats if seat is not None]
    for place, name in enumerate(names):
        if reason := why_not_name(name):
            return f"the name of somebody at the table: {reason}"
        if any(same_name(name, other) for other in names[:place]):
            return f"two at the table are called {name}"
    return None


def why_not_terms(terms: Terms, view: TableView, nonce: bytes, me: bytes, catalogue: Catalogue) -> str | None:
    """Why `me` must not sign `terms` after agreeing to `view` with these fresh bytes, or None."""
    reason = why_not_game(catalogue, terms.game, terms.rules, terms.data, terms.options, len(terms.seats))
    if reason is not None:
        return reason
    mine = terms.index_of(me)
    if mine is None:
        return "the terms do not name this peer"
    if terms.peers[mine].nonce != nonce:
        return "the terms carry other fresh bytes than ours"
    if terms.deck != "sealed/1":
        return f"the terms say deck mode {terms.deck}; a table plays sealed/1"
    for what in ("game", "options", "recovery", "spectators"):
        if getattr(terms, what) != getattr(view, what):
            return f"{what} in the terms is {getattr(terms, what)!r}, the table showed {getattr(view, what)!r}"
    return _why_not_seats(terms, view, me)


def _why_not_seats(terms: Terms, view: TableView, me: bytes) -> str | None:
    if len(terms.seats) != len(view.seats):
        return f"the terms have {len(terms.seats)} seats, the table showed {len(view.seats)}"
    for number, (seat, shown) in enumerate(zip(terms.seats, view.seats, strict=True)):
        if shown is None:
            return f"seat {number} was empty when this peer agreed"
        key = terms.peers[seat.peer].key
        if key != shown.peer:
            owner = "this peer" if shown.peer == me else "another peer"
            return f"seat {number} belongs to {owner} at the table, not in the terms"
        if (seat.name, seat.kind) != (shown.name, shown.kind):
            return (
                f"seat {number} is {seat.name!r} ({seat.kind}) in the terms, {shown.name!r} ({shown.kind}) at the table"
            )
    return None
