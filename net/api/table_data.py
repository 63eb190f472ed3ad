"""Tables as clients see them, wherever they are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ..identity import fingerprint, fingerprint_words
from ..mesh import LinkInfo
from ..messages import TableView
from ..offer import Offer
from .course import PERSON

HUMAN = "human"  # what tables and terms call a person
Where = Literal["lan", "lobby"]


def table_data(view: TableView, me: bytes, links: Sequence[LinkInfo], where: Where, at: bool) -> dict[str, Any]:
    """What a table's keeper shows."""
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
        "grid": _grid(view, me, links),
        "at": at,
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


def _grid(view: TableView, me: bytes, links: Sequence[LinkInfo]) -> list[dict[str, Any]]:
    found = {link.peer: link for link in links}
    names = {seat.peer: seat.name for seat in view.seats if seat is not None}
    return [
        {
            "peer": member.key.hex(),
            "name": names.get(member.key, fingerprint(member.key)[:9]),
            **link_data(found.get(member.key)),
            "state": "linked" if member.key in found else "here" if member.is_here else "missing",
        }
        for member in view.members
        if member.key != me
    ]


def link_data(link: LinkInfo | None) -> dict[str, Any]:
    """How a node is reached."""
    return {
        "path": "" if link is None else link.address,
        "rtt_ms": None if link is None or link.round_trip is None else round(link.round_trip * 1000),
    }
