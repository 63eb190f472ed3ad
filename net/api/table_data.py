"""Tables as clients see them, wherever they are kept."""

from __future__ import annotations

from typing import Any, Literal

from ..grid import table_rows
from ..identity import fingerprint, fingerprint_words
from ..messages import TableView
from ..node import Node
from ..offer import Offer
from .course import PERSON

HUMAN = "human"  # what tables and terms call a person
Where = Literal["lan", "lobby"]


def table_data(node: Node, view: TableView, where: Where) -> dict[str, Any]:
    """What a table's keeper shows."""
    me = node.key
    ready = {member.key for member in view.members if member.is_ready}
    here = {member.key for member in view.members if member.is_here}
    seats = [_FREE if seat is None else _seat(seat, me, seat.peer in ready, seat.peer in here) for seat in view.seats]
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
        "spectators": view.spectators,
        "seats": seats,
        "you_ready": me in ready,
        "can_start": False,  # it starts by itself once all who sit there are ready
        "notice": view.notice,
        "grid": table_rows(node, view, node.lobbies.room_of(view.table) is not None),
        "at": view.table in node.guests,
        "words": None,
        "match": None,
        "code": None,
        "addresses": None,
        "chat": [],
    }


def offer_data(offer: Offer) -> dict[str, Any]:
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
        "at": False,
        "match": None,
    }


_FREE: dict[str, Any] = {"name": None, "kind": None, "you": False, "ready": False, "here": False, "peer": None}


def _seat(seat: Any, me: bytes, ready: bool, here: bool) -> dict[str, Any]:
    return {
        "name": seat.name,
        "kind": PERSON if seat.kind == HUMAN else seat.kind,
        "you": seat.peer == me,
        "ready": ready,
        "here": here,
        "peer": seat.peer.hex(),
    }


def _host_name(view: TableView) -> str:
    names = [seat.name for seat in view.seats if seat is not None and seat.peer == view.host and seat.kind == HUMAN]
    return names[0] if names else fingerprint(view.host)[:9]
