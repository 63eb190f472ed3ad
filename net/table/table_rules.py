"""What may be said at a table, by whom and when: the keeper's only home of legality."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kontor_games.engine.errors import ConfigError
from kontor_games.net.wire.address import why_not_address
from kontor_games.net.wire.chain import match_id
from kontor_games.net.wire.messages import (
    HUMAN,
    Agree,
    AnyMessage,
    Configure,
    Enter,
    Leave,
    Object,
    PassHost,
    Ready,
    Remove,
    Rename,
    Sit,
    Stand,
    Unready,
)
from kontor_games.net.wire.terms import decode_terms, why_not_clauses
from kontor_games.net.wire.text import same_name, why_not_name

from . import advice
from .catalogue import GameFacts
from .table_state import MemberState, TableState

MAX_MEMBERS: Final = 16
_SIGNING: Final = "the terms are being signed; take your ready back first"


def why_not(state: TableState, facts: GameFacts, sender: bytes, message: AnyMessage, protocol: int) -> str | None:
    """Why the keeper refuses this message of a node that speaks `protocol`, or None."""
    if state.phase == "closed" or getattr(message, "table", None) != state.id:
        return "there is no such table"
    if isinstance(message, Enter):
        return _why_not_enter(state, sender, message, protocol)
    member = state.member(sender)
    if member is None:
        return "you are not at this table; enter first"
    if state.phase == "started" and not isinstance(message, Leave):
        return "the match has started"
    match message:
        case Agree() | Object():
            return _why_not_answer(state, sender, message)
        case Unready() | Leave():
            return None
        case Configure() | PassHost() | Remove():
            return _why_not_host(state, facts, sender, message)
    if state.phase == "signing":
        return _SIGNING
    match message:
        case Sit() | Stand() | Rename():
            return _why_not_seat(state, member, message)
        case Ready():
            return _why_not_ready(state, sender, message)
    return "this is not for a table's keeper"


def can_read_start(state: TableState, protocol: int) -> bool:
    """Whether a node that speaks this can read the terms of the match that has begun here, if one has."""
    return not state.signatures or decode_terms(state.terms).version <= protocol


def why_not_addresses(addresses: Sequence[str]) -> str | None:
    """Why one of these cannot be an address of a member, or None."""
    return next((reason for address in addresses if (reason := why_not_address(address))), None)


def _why_not_enter(state: TableState, sender: bytes, message: Enter, protocol: int) -> str | None:
    if state.member(sender) is None:
        if len(state.members) >= MAX_MEMBERS:
            return f"the table is full ({MAX_MEMBERS} members)"
        if not can_read_start(state, protocol):
            return advice.older_yourself(protocol)
    return why_not_addresses(message.addresses)


def _why_not_seat(state: TableState, member: MemberState, message: Sit | Stand | Rename) -> str | None:
    if isinstance(message, Sit) and member.is_older:
        return advice.older_yourself(member.protocol)
    if message.seat >= len(state.seats):
        return f"there is no seat {message.seat}; the table has {len(state.seats)}"
    taken = state.seats[message.seat]
    if isinstance(message, Sit):
        if taken is not None:
            return f"seat {message.seat} is taken by {taken.name}"
        if state.kept_for and state.kept_for[message.seat] != member.key:
            return f"seat {message.seat} is kept for somebody else: everybody's seat at this table was drawn"
    elif taken is None or taken.peer != member.key:
        return f"seat {message.seat} is not yours"
    if isinstance(message, Stand):
        return None
    if isinstance(message, Sit) and message.guest and message.kind != HUMAN:
        return "a guest is a person, not a program"
    if reason := why_not_name(message.name):
        return reason
    others = (seat for number, seat in enumerate(state.seats) if number != message.seat)
    if any(seat is not None and same_name(seat.name, message.name) for seat in others):
        return f"somebody here is called {message.name} already"
    return None


def _why_not_host(
    state: TableState, facts: GameFacts, sender: bytes, message: Configure | PassHost | Remove
) -> str | None:
    if sender != state.host:
        return "only the host may do that"
    match message:
        case Configure():
            if state.kept_for:
                return "seats and options of this table were drawn and cannot be changed"
            return _SIGNING if state.phase == "signing" else _why_not_configured(facts, message)
        case PassHost(to=other) | Remove(peer=other):
            if state.member(other) is None:
                return "there is no such member"
            return "that is you" if other == sender else None


def _why_not_configured(facts: GameFacts, message: Configure) -> str | None:
    try:
        facts.check_options(message.options, message.seats)
    except ConfigError as error:
        return str(error)
    return why_not_clauses(message.clauses, message.recovery)


def _why_not_ready(state: TableState, sender: bytes, message: Ready) -> str | None:
    if message.revision != state.revision:
        return "the table has changed; look at it again"
    if sender not in state.holders:
        return "take a seat first"
    if any(member.nonce == message.nonce for member in state.members if member.key != sender):
        return "these bytes are not fresh"
    return None


def _why_not_answer(state: TableState, sender: bytes, message: Agree | Object) -> str | None:
    if state.phase != "signing" or sender not in state.order or message.match != match_id(state.terms):
        return "these terms are not on the table"
    return None
