"""What a node and a lobby say about people: who appears to whom, profiles, invitations, reports. From version 4 on."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta

from .messages import Count, Key, Message, Name, Part, TableId, Word
from .way_messages import Millis

MAX_FRIENDS: Final = 200
MAX_REPORTED: Final = 20  # lines in one report

Appears = Literal["nobody", "friends", "everybody"]
Text = Annotated[str, Meta(min_length=1, max_length=500)]


class Person(Part, frozen=True):
    """Somebody as others see them; `mark` is shown beside a name that another key used first."""

    key: Key
    name: Name
    mark: Annotated[str, Meta(max_length=40)] = ""
    here: bool = True


class Appear(Message, frozen=True, tag="appear"):
    """To whom this person appears, and whom they call a friend; answered by FriendsHere."""

    to: Appears
    friends: Annotated[tuple[Key, ...], Meta(max_length=MAX_FRIENDS)] = ()


class FriendsHere(Message, frozen=True, tag="friends-here"):
    """Those of one's friends who are here and show it."""

    people: Annotated[tuple[Person, ...], Meta(max_length=MAX_FRIENDS)]


class FriendSeen(Message, frozen=True, tag="friend-seen"):
    """A friend came, or is not seen any more (`here` false)."""

    person: Person


class AskProfile(Message, frozen=True, tag="ask-profile"):
    """What the lobby knows of somebody; answered by AboutPerson."""

    key: Key


class AboutPerson(Message, frozen=True, tag="about-person"):
    """Somebody's profile: since when the lobby knows the key, and the matches that came to their end there."""

    person: Person
    since: Millis
    matches: Count
    games: Annotated[tuple[tuple[Word, Count], ...], Meta(max_length=16)] = ()


class Invite(Message, frozen=True, tag="invite"):
    """Invite somebody to a table at which one is."""

    table: TableId
    key: Key


class Invited(Message, frozen=True, tag="invited"):
    """Somebody invites this person; `code` is what lets them in: an invite code or the table's id."""

    by: Person
    table: TableId
    game: Word
    code: Annotated[str, Meta(max_length=32)]


class ClaimedLine(Part, frozen=True):
    """A line of chat as somebody remembers it."""

    key: Key
    name: Name
    text: Text
    at: Millis


class ReportKey(Message, frozen=True, tag="report"):
    """Tell the operators about somebody, with lines of the hall or of a table."""

    key: Key
    reason: Text
    place: Annotated[str, Meta(min_length=1, max_length=32, pattern=r"\A[A-Za-z0-9_-]+\Z")] = "hall"
    lines: Annotated[tuple[ClaimedLine, ...], Meta(max_length=MAX_REPORTED)] = ()
