"""Who may come through the guest door: invitations, phones, and the code for those who type. A machine without I/O.

An **invitation** is a link with a secret that is good for one phone. It is for one seat, or for watching, or for the
big screen. It stays good until a phone has proven, with a box that opens, that it knows the secret; then it is used up,
and the phone has a secret of its own that it made together with the node.

A **guest** is a phone (or a television) that came in. Whoever wants a seat waits until the host says yes; the host sees
the name that was typed, the seat, and, where the phone came by a code, the three words that its screen shows. Watching
by link needs no yes: the link was made for it, and everybody at the table sees who watches.

A **code** is six letters that anybody who types the address can try; it lets a phone knock, nothing more. Every
household (an address, or what one has of IPv6) has three tries for it. After three wrong ones nothing more from there
is compared, the right code neither, until there is another code, so that nobody tries them all; the host is told from
where they came. The code itself stays: if wrong tries could change it, any stranger could change it as fast as the
host reads it out, and nobody would come in by it. Whoever brings more than `MOST_TRYING` addresses does make a new
code: a code is good for some hundreds of guesses among 887 million, however many machines guess.

What a guest holds is good for one seat of one match. A removed guest is forgotten with its secret: its next box is not
even looked at. What is written down (`dump`) is what a node needs to let its guests come back after a restart.

Who would break it: a second phone on one link (the first box decides, the second phone is told), a phone that shows a
link after the host has withdrawn it, a flood of knocking phones (`MOST_WAITING`), a phone that knocks again and again
after a no (the code changes), a stranger who tries codes (three per household), or who wants to change the code that
the host reads out (wrong tries do not), a name that is not one (`why_not_name`), a guest that asks for a seat that is
not lent.
"""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from kontor_games.engine.errors import ConfigError
from kontor_games.net.wire.text import why_not_name

from .sealed_channel import KEY_SIZE, LINK_SECRET, Credential, id_of

Kind = Literal["seat", "watch", "screen"]
MOST_GUESTS: Final = 24
MOST_WAITING: Final = 8
MOST_INVITATIONS: Final = 16
TRIES: Final = 3  # of one household, for one code
MOST_TRYING: Final = 256  # households that have typed a wrong code
CODE_SIZE: Final = 6
CODE_LETTERS: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # none that is taken for another
_Seat = Annotated[int, Meta(ge=0, le=7)]


class Invitation(Struct, frozen=True, forbid_unknown_fields=True):
    """A link that is good for one phone."""

    secret: Annotated[bytes, Meta(min_length=LINK_SECRET, max_length=LINK_SECRET)]
    kind: Kind
    seat: _Seat | None = None


class PhoneGuest(Struct, frozen=True, forbid_unknown_fields=True):
    """A phone, or another screen, that came through the door."""

    secret: Annotated[bytes, Meta(min_length=KEY_SIZE, max_length=KEY_SIZE)]
    name: Annotated[str, Meta(max_length=64)]
    kind: Kind
    seat: _Seat | None = None  # wanted, or held once accepted
    is_accepted: bool = False
    words: tuple[str, ...] = ()  # to be compared; only of those who typed a code

    @property
    def id(self) -> str:
        """Its name among guests."""
        return id_of(self.secret).hex()


class _Written(Struct, forbid_unknown_fields=True):
    invitations: Annotated[list[Invitation], Meta(max_length=MOST_INVITATIONS)]
    guests: Annotated[list[PhoneGuest], Meta(max_length=MOST_GUESTS)]
    code: Annotated[str, Meta(min_length=CODE_SIZE, max_length=CODE_SIZE)]


class GuestBook:
    """All invitations and guests of one party."""

    def __init__(self, random: Callable[[int], bytes] = os.urandom) -> None:
        self._random = random
        self._invitations: dict[bytes, Invitation] = {}
        self._guests: dict[bytes, PhoneGuest] = {}
        self.code = new_code()
        self._wrong: dict[str, int] = {}  # codes that were typed, by household

    # ---- looking

    @property
    def invitations(self) -> tuple[Invitation, ...]:
        """All links that are good now."""
        return tuple(self._invitations.values())

    @property
    def guests(self) -> tuple[PhoneGuest, ...]:
        """Everybody who came in, in order."""
        return tuple(self._guests.values())

    def secret_of(self, credential: Credential, id: bytes) -> bytes | None:
        """The secret with this name, None if it is not good (any more)."""
        if credential is Credential.LINK:
            invitation = self._invitations.get(id)
            return None if invitation is None else invitation.secret
        guest = self._guests.get(id)
        return None if guest is None else guest.secret

    def guest(self, id: str) -> PhoneGuest | None:
        """A guest by name."""
        return next((guest for guest in self._guests.values() if guest.id == id), None)

    @property
    def shut_out(self) -> tuple[str, ...]:
        """Where three wrong codes came from: nobody there comes in by this one."""
        return tuple(where for where, wrong in self._wrong.items() if wrong >= TRIES)

    def holder(self, seat: int) -> PhoneGuest | None:
        """The phone that was accepted for a seat."""
        return next((guest for guest in self.guests if guest.is_accepted and guest.seat == seat), None)

    @property
    def held(self) -> frozenset[int]:
        """The seats that phones hold."""
        return frozenset(guest.seat for guest in self.guests if guest.is_accepted and guest.seat is not None)

    # ---- the host

    def invite(self, kind: Kind, seat: int | None = None) -> Invitation:
        """The link for a seat, for watching or for a big screen; a new one if there is none."""
        found = next((each for each in self.invitations if (each.kind, each.seat) == (kind, seat)), None)
        if found is None:
            if len(self._invitations) >= MOST_INVITATIONS:
                raise ConfigError("there are too many open links; withdraw one first")
            found = Invitation(self._random(LINK_SECRET), kind, seat)
            self._invitations[id_of(found.secret)] = found
        return found

    def withdraw(self, unwanted: Callable[[Invitation], bool]) -> bool:
        """Links that are no longer good; whether there were some."""
        kept = {id: each for id, each in self._invitations.items() if not unwanted(each)}
        changed = len(kept) != len(self._invitations)
        self._invitations = kept
        return changed

    def accept(self, id: str) -> tuple[PhoneGuest, PhoneGuest | None]:
        """The host says yes: the guest, and whoever held the seat until now and is out."""
        guest = self._waiting(id)
        before = None
        if guest.kind == "seat":
            if guest.seat is None:
                raise ConfigError(f"{guest.name} has not chosen a seat yet")
            before = self.holder(guest.seat)
            if before is not None:
                self.remove(before.id)
        accepted = msgspec.structs.replace(guest, is_accepted=True)
        self._guests[id_of(guest.secret)] = accepted
        return accepted, before

    def remove(self, id: str) -> PhoneGuest:
        """A guest is out; so is its secret."""
        guest = self.guest(id)
        if guest is None:
            raise ConfigError("there is no such guest any more")
        del self._guests[id_of(guest.secret)]
        if guest.words and not guest.is_accepted:
            self.renew_code()  # who was refused does not knock again with the same code
        return guest

    def rename(self, id: str, name: str) -> None:
        """Somebody at the table has the name that a guest gave: it is called otherwise."""
        guest = self.guest(id)
        if guest is not None:
            self._guests[id_of(guest.secret)] = msgspec.structs.replace(guest, name=name)

    def unseat(self, id: str) -> None:
        """The seat of a guest is gone: it may choose another, and the host answers again."""
        guest = self.guest(id)
        if guest is not None:
            self._guests[id_of(guest.secret)] = msgspec.structs.replace(guest, seat=None, is_accepted=False)

    def move(self, seats: Mapping[int, int]) -> None:
        """The match is played again: who had or wanted a seat has or wants another; links for seats are void."""
        for key, guest in self._guests.items():
            if guest.seat is not None:
                self._guests[key] = msgspec.structs.replace(guest, seat=seats[guest.seat])
        self.withdraw(lambda each: each.kind == "seat")

    def renew_code(self) -> None:
        """Another code from now on."""
        self.code = new_code()
        self._wrong.clear()

    # ---- the phones

    def came_by_link(self, id: bytes, device: bytes, name: str) -> PhoneGuest:
        """A phone has proven that it knows a link's secret: the link is used up."""
        invitation = self._invitations.get(id)
        if invitation is None:
            raise ConfigError("this link was used by another phone a moment ago; scan a new one")
        accepted = invitation.kind != "seat"
        guest = self._admit(PhoneGuest(device, name, invitation.kind, invitation.seat, accepted))
        del self._invitations[id]
        return guest

    def came_by_code(self, typed: str, device: bytes, name: str, words: Iterable[str], where: str) -> PhoneGuest:
        """Somebody typed a code, in this household; ConfigError says whether it was wrong."""
        wrong = self._wrong.get(where, 0)
        if wrong >= TRIES:  # not even compared: the answer would tell whether it is right
            raise ConfigError("three wrong codes were typed here; ask the host for a new code, or scan a link")
        if not hmac.compare_digest(plain_code(typed).encode(), self.code.encode()):
            if wrong == 0 and len(self._wrong) >= MOST_TRYING:
                self.renew_code()
            self._wrong[where] = wrong + 1
            raise ConfigError("that is not the code; look at the host's screen again")
        guest = self._admit(PhoneGuest(device, name, "seat", None, False, tuple(words)))
        self._wrong.pop(where, None)
        return guest

    def wish(self, id: str, seat: int | None, kind: Kind = "seat") -> PhoneGuest:
        """A waiting guest wants this seat, or only to watch, or to be the big screen."""
        guest = self._waiting(id)
        changed = msgspec.structs.replace(guest, kind=kind, seat=seat if kind == "seat" else None)
        self._guests[id_of(guest.secret)] = changed
        return changed

    def _waiting(self, id: str) -> PhoneGuest:
        guest = self.guest(id)
        if guest is None:
            raise ConfigError("there is no such guest any more")
        if guest.is_accepted:
            raise ConfigError(f"{guest.name} is at the table already")
        return guest

    def _admit(self, guest: PhoneGuest) -> PhoneGuest:
        reason = why_not_name(guest.name)
        if reason is not None:
            raise ConfigError(reason)
        if len(self._guests) >= MOST_GUESTS:
            raise ConfigError("too many phones are here already; ask the host to take out those that are gone")
        waiting = sum(not each.is_accepted for each in self.guests)
        if not guest.is_accepted and waiting >= MOST_WAITING:
            raise ConfigError("too many guests are waiting; ask the host to answer them first")
        self._guests[id_of(guest.secret)] = guest
        return guest

    # ---- over a restart

    def dump(self) -> bytes:
        """Everything that lets guests come back; holds secrets."""
        return msgspec.json.encode(_Written(list(self.invitations), list(self.guests), self.code))

    @classmethod
    def load(cls, raw: bytes) -> GuestBook:
        """A book that was written down; ConfigError if it is damaged."""
        try:
            written = msgspec.json.decode(raw, type=_Written)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise ConfigError(f"the list of guests is damaged: {error}") from None
        book = cls()
        book._invitations = {id_of(each.secret): each for each in written.invitations}
        book._guests = {id_of(each.secret): each for each in written.guests}
        book.code = written.code
        return book


def new_code() -> str:
    """Six letters to be typed."""
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_SIZE))


def plain_code(typed: str) -> str:
    """A code as it was meant: without blanks and hyphens, in capitals."""
    return "".join(letter for letter in typed.upper() if letter.isalnum())[: 2 * CODE_SIZE]
