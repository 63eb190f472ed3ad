"""A peer's half of the table: it believes nobody, compares the terms with what it saw, then signs. A machine.

What a keeper could try, and what stands against it:

1. It shows one table and proposes another: everything in the terms is compared with the table as it was shown when
   the person agreed, or with what this node knows by itself (rules, data, its own key and fresh bytes).
2. It changes what is shown after the person agreed, with or without a new revision: the agreement is void.
3. It proposes twice: one agreement gives one signature, under one set of bytes. Asked for the same bytes again, the
   same signature is given.
4. It collects all signatures, says that nothing came of it, and starts the match when people want another one: a table
   that is shown open again voids the signature. A match begins only if it is what was signed last, the signature is
   not void, and the table that is shown says the same.
5. It starts an old match after this node was restarted: what was signed is remembered on the disk (`signed`), and a
   start of anything else is refused, whoever signed it.
6. It takes the fields of a newer version out of the terms by proposing an older version: refused.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from kontor_games.engine.core.stream import H
from kontor_games.engine.errors import LocalError, RemoteError
from kontor_games.net.wire.chain import match_id
from kontor_games.net.wire.identity import Signer
from kontor_games.net.wire.messages import (
    PROTOCOL,
    Agree,
    AnyMessage,
    Error,
    Object,
    Propose,
    Ready,
    Start,
    TableView,
    Unready,
    encode,
)
from kontor_games.net.wire.terms import TERMS_VERSION, Terms, decode_terms, why_not_signed
from kontor_games.net.wire.text import same_name, why_not_name

from . import advice
from .catalogue import Catalogue, why_not_game
from .keeper import Started

# the fields of version 2 that this program carries out; it agrees to no others
KEPT: Final = frozenset({"guests", "grace", "rated"})
CHANGED: Final = "the table has changed; look at it again"


@dataclass(frozen=True, slots=True)
class TellKeeper:
    """Send a message to the table's keeper."""

    message: AnyMessage


@dataclass(frozen=True, slots=True)
class TableShown:
    """The table changed; show it."""

    view: TableView


@dataclass(frozen=True, slots=True)
class Signing:
    """The terms are checked and signed: remember it before the signature goes out, and show the match's six words."""

    match: bytes


@dataclass(frozen=True, slots=True)
class Voided:
    """What was signed last at this table will not be played; forget it."""


@dataclass(frozen=True, slots=True)
class KeeperRefused:
    """Something was refused, by the keeper or by us; the reason is for people."""

    about: str
    reason: str


Effect = TellKeeper | TableShown | Signing | Voided | KeeperRefused | Started


class Guest:
    """One peer at one table, wherever the table is kept; `signed` is the match signed here before a restart."""

    def __init__(
        self,
        table: str,
        signer: Signer,
        catalogue: Catalogue,
        signed: bytes | None = None,
        kept: Collection[str] = KEPT,
    ) -> None:
        self.table = table
        self.view: TableView | None = None
        self.started: Started | None = None
        self._signer = signer
        self._catalogue = catalogue
        self._kept = kept
        self._agreed: tuple[TableView, bytes] | None = None  # the table as it was when we said ready, our fresh bytes
        self._is_counted = False  # the keeper has shown us as ready
        self._signed = signed  # the match whose terms we signed last and did not take back

    @property
    def is_agreed(self) -> bool:
        """Whether this node would sign the table that is shown."""
        return self._agreed is not None

    def why_not_ready(self) -> str | None:
        """Why this node would not sign what the table shows now, or None."""
        view = self.view
        if view is None:
            return "the table has not been seen yet"
        if reason := _why_not_view(view, self._catalogue, self._kept):
            return reason
        if all(seat is None or seat.peer != self._signer.key for seat in view.seats):
            return "take a seat first"
        return None

    def ready(self, nonce: bytes, sight: str | None = None) -> list[Effect]:
        """The person agrees to the table as shown; `nonce` is 16 bytes fresh from the system.

        `sight` is that of the table the person looked at, which may not be the newest.
        """
        if len(nonce) != 16:
            raise LocalError(f"a ready needs 16 fresh bytes, not {len(nonce)}")
        reason = self.why_not_ready()
        if reason is not None or self.view is None:
            return [KeeperRefused("ready", reason or "")]
        if sight is not None and sight != sight_of(self.view):
            return [KeeperRefused("ready", CHANGED)]
        if self._agreed is not None:
            nonce = self._agreed[1]  # said twice: the keeper may be using the first already
        else:
            self._is_counted = False
        self._agreed = (self.view, nonce)
        said: list[Effect] = [TellKeeper(Ready(self.table, self.view.revision, nonce))]
        if self.view.protocol < PROTOCOL:
            # Nothing comes of it. But an objection to its terms is all that an older keeper shows its people.
            said.append(KeeperRefused("ready", advice.older_keeper(self.view.protocol)))
        return said

    def unready(self) -> list[Effect]:
        """The person takes the agreement back; terms that are still on their way will not be signed.

        A signature that is out cannot be taken back: if all others signed too, the match begins.
        """
        self._agreed = None
        return [TellKeeper(Unready(self.table))]

    def received(self, message: AnyMessage) -> list[Effect]:
        """The table's keeper said something."""
        match message:
            case TableView(table=self.table):
                return [*self._look_again(message), TableShown(message)]
            case Propose(table=self.table, raw=raw):
                return self._proposed(raw)
            case Start(table=self.table, raw=raw, sigs=sigs):
                return self._start(raw, sigs)
            case Error(about=about, reason=reason):
                return [KeeperRefused(about, reason)]
        return []

    def _look_again(self, view: TableView) -> list[Effect]:
        """Another view: what was agreed to, or signed, under an earlier one may be void."""
        self.view = view
        effects: list[Effect] = []
        is_ready = any(member.is_ready for member in view.members if member.key == self._signer.key)
        if self._agreed is not None and _agreed_part(view) != _agreed_part(self._agreed[0]):
            self._agreed = None
        elif self._is_counted and not is_ready:
            self._agreed = None  # the person sees that nothing holds any more
        self._is_counted = is_ready
        if self._signed is not None and view.phase == "open":
            # An honest keeper that opens the table again has thrown these terms away.
            self._agreed = self._signed = None
            effects.append(Voided())
        return effects

    def _proposed(self, raw: bytes) -> list[Effect]:
        reason = self._why_not_proposed(raw)
        if reason is not None:
            self._agreed = None
            return [TellKeeper(Object(self.table, match_id(raw), reason[:300])), KeeperRefused("terms", reason)]
        self._signed = match_id(raw)
        signature = self._signer.sign("terms", raw)
        return [Signing(self._signed), TellKeeper(Agree(self.table, self._signed, signature))]

    def _why_not_proposed(self, raw: bytes) -> str | None:
        if self._agreed is None:
            return "nobody here is ready"
        if self._signed not in (None, match_id(raw)):
            return "this node has signed other terms for this table already"
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
            terms = decode_terms(raw)
        except RemoteError as error:
            return [KeeperRefused("start", str(error))]
        if reason is None and terms.index_of(self._signer.key) is not None:
            reason = self._why_not_mine(raw, terms)
        if reason is not None:
            return [KeeperRefused("start", reason)]
        self.started = Started(raw, sigs)
        return [self.started]

    def _why_not_mine(self, raw: bytes, terms: Terms) -> str | None:
        """Why a match with a seat of ours does not begin, or None: it is what we signed last, and what is shown now."""
        if self._signed != match_id(raw):
            return "these are not the terms that were signed last at this table"
        if self.view is None:
            return "the table has not been seen yet"
        return _why_not_shown(terms, self.view, self._signer.key)


def _agreed_part(view: TableView) -> TableView:
    """What a person agrees to: all of the table but who hosts it, who looks on, and how far it is."""
    return replace(view, phase="open", host=bytes(32), members=(), notice="")


def sight_of(view: TableView) -> str:
    """A short name for what a person agrees to; it changes with anything that the terms would say."""
    return H("sight", encode(_agreed_part(view)), size=16).hex()


def _why_not_view(view: TableView, catalogue: Catalogue, kept: Collection[str]) -> str | None:
    if view.protocol > PROTOCOL:
        return advice.newer_keeper(view.protocol)
    reason = why_not_game(catalogue, view.game, view.rules, view.data, view.options, len(view.seats), view.package)
    if reason is not None:
        return reason
    unkept = [name for name in clauses_of(view) if name not in kept]
    if unkept:
        return f"this Kontor cannot keep what the table wants to agree on ({', '.join(unkept)}): update it"
    names = [seat.name for seat in view.seats if seat is not None]
    for place, name in enumerate(names):
        if reason := why_not_name(name):
            return f"the name of somebody at the table: {reason}"
        if any(same_name(name, other) for other in names[:place]):
            return f"two at the table are called {name}"
    return None


def clauses_of(view: TableView) -> list[str]:
    """The fields of version 2 that the terms of this table would have, but for the package, which is checked."""
    found = [name for name in ("grace", "rated", "pace") if view.clauses and getattr(view.clauses, name) is not None]
    return found + ["guests"] * any(seat is not None and seat.guest for seat in view.seats)


def why_not_terms(terms: Terms, view: TableView, nonce: bytes, me: bytes, catalogue: Catalogue) -> str | None:
    """Why `me` must not sign `terms` after agreeing to `view` with these fresh bytes, or None."""
    if terms.version != TERMS_VERSION:
        return advice.older_keeper(terms.version)
    reason = why_not_game(
        catalogue, terms.game, terms.rules, terms.data, terms.options, len(terms.seats), terms.package
    )
    if reason is not None:
        return reason
    mine = terms.index_of(me)
    if mine is None:
        return "the terms do not name this peer"
    if terms.peers[mine].nonce != nonce:
        return "the terms carry other fresh bytes than ours"
    if terms.deck != "sealed/1":
        return f"the terms say deck mode {terms.deck}; a table plays sealed/1"
    return _why_not_shown(terms, view, me)


def _why_not_shown(terms: Terms, view: TableView, me: bytes) -> str | None:
    """What differs between the terms and a table as it was shown, or None."""
    for what in ("game", "options", "recovery", "spectators", "clauses", "package"):
        if getattr(terms, what) != getattr(view, what):
            return f"{what} in the terms is {getattr(terms, what)!r}, the table showed {getattr(view, what)!r}"
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
        if (number in (terms.guests or ())) != shown.guest:
            return f"seat {number} belongs to a guest either in the terms or at the table, not in both"
    return None
