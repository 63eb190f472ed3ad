"""Tables as clients see them, wherever they are kept."""

from __future__ import annotations

from typing import Any, Literal

from kontor_games.net.api.matches.agreement import agreed_at, choices, says
from kontor_games.net.api.matches.shown import PERSON
from kontor_games.net.api.matches.wording import Wording
from kontor_games.net.node.node import Node
from kontor_games.net.table import advice
from kontor_games.net.table.guest import sight_of
from kontor_games.net.wire.identity import fingerprint, fingerprint_words
from kontor_games.net.wire.lan_offer import Announcement
from kontor_games.net.wire.marks import marks_of
from kontor_games.net.wire.messages import HUMAN, PROTOCOL, TableSaid, TableView

from .grid import names_at, table_rows

Where = Literal["lan", "lobby"]


def table_data(node: Node, view: TableView, where: Where, wording: Wording) -> dict[str, Any]:
    """What a table's keeper shows, and what agreeing to it would mean."""
    me, agreed = node.key, agreed_at(view)
    ready = {member.key for member in view.members if member.is_ready}
    here = {member.key for member in view.members if member.is_here}
    marks = _marks(view)
    seats = [
        _FREE if seat is None else _seat(seat, marks[number], me, seat.peer in ready, seat.peer in here)
        for number, seat in enumerate(view.seats)
    ]
    return {
        "id": view.table,
        "where": where,
        "game": view.game,
        "name": "",
        "host": _host_name(view),
        "host_is_you": view.host == me,
        "fingerprint": fingerprint(view.host),
        "host_words": fingerprint_words(view.host).split(" "),
        "phase": view.phase,
        "revision": view.revision,
        "options": dict(view.options),
        "recovery": view.recovery,
        "grace": view.clauses.grace or 0 if view.clauses is not None else 0,
        "rated": view.clauses is not None and view.clauses.is_on_ladder,
        "spectators": view.spectators,
        "event": _event(view),
        "says": says(wording, agreed),
        "choices": choices(wording, agreed.machines),
        "updates": updates(node, view),
        "sight": sight_of(view),
        "seats": seats,
        "you_ready": me in ready and _is_agreed(node, view.table),
        "can_start": False,  # it starts by itself once all who sit there are ready
        "notice": view.notice,
        "grid": table_rows(node, view, node.lobbies.room_of(view.table) is not None),
        "at": view.table in node.tables.guests,
        "words": None,
        "match": None,
        "code": None,
        "addresses": None,
        "chat": [],
    }


def _event(view: TableView) -> dict[str, str] | None:
    """The round of a tournament for which a match would be played here."""
    rated = None if view.clauses is None else view.clauses.rated
    if rated is None or rated.keeper is None or not rated.is_event:
        return None
    return {"mark": rated.name, "organiser": rated.keeper.hex()}


def offer_data(offer: Announcement) -> dict[str, Any]:
    """A table of which only its announcement on the local network is known."""
    return {
        "id": offer.table,
        "where": "lan",
        "game": offer.game,
        "name": "",
        "host": offer.host,
        "host_is_you": False,
        "fingerprint": fingerprint(offer.key),
        "host_words": fingerprint_words(offer.key).split(" "),
        "phase": offer.phase,
        "count": offer.seats,
        "taken": offer.taken,
        "spectators": offer.phase == "started",
        "updates": [] if offer.protocol == PROTOCOL else [_offer_update(offer)],
        "at": False,
        "match": None,
    }


def _offer_update(offer: Announcement) -> str:
    if offer.protocol < PROTOCOL:
        return advice.older(offer.host, offer.protocol, "a match with you")
    return sentence(advice.newer_keeper(offer.protocol))


def updates(node: Node, view: TableView) -> list[str]:
    """Who has to update before a match can come of this table."""
    if view.protocol < PROTOCOL:
        return [sentence(advice.older_keeper(view.protocol))]
    if view.protocol > PROTOCOL:
        return [sentence(advice.newer_keeper(view.protocol))]
    older = [member for member in view.members if member.protocol < PROTOCOL]
    return [advice.older(names_at(node, view)[member.key], member.protocol) for member in older]


def sentence(text: str) -> str:
    """A reason as a line of its own."""
    return f"{text[:1].upper()}{text[1:]}."


def _is_agreed(node: Node, table: str) -> bool:
    return table in node.tables.guests and node.tables.guests[table][0].is_agreed


_FREE: dict[str, Any] = {
    "name": None,
    "mark": "",
    "kind": None,
    "you": False,
    "guest": False,
    "ready": False,
    "here": False,
    "peer": None,
}


def _marks(view: TableView) -> dict[int, str]:
    """By seat, the marks of look-alike names; members stand in the order of their coming."""
    order = {member.key: number for number, member in enumerate(view.members)}
    taken = [(number, seat) for number, seat in enumerate(view.seats) if seat is not None]
    taken.sort(key=lambda each: order.get(each[1].peer, len(order)))
    found = marks_of((fingerprint(seat.peer), seat.name) for _, seat in taken)
    return {number: mark for (number, _), mark in zip(taken, found, strict=True)}


def line_data(node: Node, line: TableSaid) -> dict[str, Any]:
    """A line that was said at a table."""
    guest = node.tables.guests.get(line.table)
    view = None if guest is None else guest[0].view
    return {"name": line.name, "mark": _mark_of_speaker(view, line.author, line.name), "text": line.text}


def _mark_of_speaker(view: TableView | None, author: bytes, name: str) -> str:
    """The mark of somebody who speaks at a table: empty unless the name could be taken for that of another's seat."""
    seats = {} if view is None else {number: seat for number, seat in enumerate(view.seats) if seat is not None}
    for number, seat in seats.items():
        if view is not None and (seat.peer, seat.name) == (author, name):
            return _marks(view)[number]
    people = [(fingerprint(seat.peer), seat.name) for seat in seats.values()]
    return marks_of([*people, (fingerprint(author), name)])[-1]


def mark_hosts(rows: list[dict[str, Any]], me: tuple[str, str]) -> list[dict[str, Any]]:
    """The rows of a list with the marks of their hosts; `me`, fingerprint and name, counts as the first."""
    marks = marks_of([me, *((row["fingerprint"], row["host"]) for row in rows)])
    return [{**row, "mark": mark} for row, mark in zip(rows, marks[1:], strict=True)]


def _seat(seat: Any, mark: str, me: bytes, ready: bool, here: bool) -> dict[str, Any]:
    return {
        "name": seat.name,
        "mark": mark,
        "kind": PERSON if seat.kind == HUMAN else seat.kind,
        "you": seat.peer == me,
        "guest": seat.guest,
        "ready": ready,
        "here": here,
        "peer": seat.peer.hex(),
    }


def _host_name(view: TableView) -> str:
    names = [seat.name for seat in view.seats if seat is not None and seat.peer == view.host and seat.kind == HUMAN]
    return names[0] if names else fingerprint(view.host)[:9]
