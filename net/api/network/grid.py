"""The connection grid: how every pair of a match or a table reaches each other, with advice where it fails."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.links.mesh import LinkInfo
from kontor_games.net.links.paths import Path
from kontor_games.net.node.node import Node
from kontor_games.net.node.pair_ways import WayBook, way_of
from kontor_games.net.node.software import about
from kontor_games.net.table import advice
from kontor_games.net.wire.identity import fingerprint
from kontor_games.net.wire.messages import PROTOCOL, TableView
from kontor_games.net.wire.text import why_not_name

Row = dict[str, Any]


def match_rows(node: Node, ledger: Ledger, missing: Collection[int]) -> list[Row]:
    """One row for every other peer of a match: by index, with the way, its figures, versions and advice."""
    links = {link.peer: link for link in node.mesh.links()}
    can_relay = node.matches.can_relay(ledger.match)
    rows = []
    for number, peer in enumerate(ledger.terms.peers):
        if number == ledger.me:
            continue
        name = ", ".join(seat.name for seat in ledger.terms.seats if seat.peer == number)
        link = links.get(peer.key)
        is_older = link is not None and link.protocol < PROTOCOL  # it is linked, but nothing is said to it in a match
        if number not in ledger.active:
            state = "gone"
        elif link is not None and not is_older:
            state = "linked"
        else:
            state = "missing" if number in missing else "through others"
        advised = _advise(node, name, state, link, can_relay, ledger.terms.game)
        if link is not None and is_older:
            advised = [advice.older(name, link.protocol, "this match")]
        rows.append({"peer": number, "name": name, "state": state, **link_data(link), "advice": advised})
    return rows


def match_pairs(node: Node, ledger: Ledger) -> list[Row]:
    """The pairs of a match to which this node does not belong, as the others tell it."""
    others = [number for number in sorted(ledger.active) if number != ledger.me]
    pairs = node.matches.ways.get(ledger.match, WayBook()).pairs(others, node.now)
    return [
        {"peers": list(pair.peers), "state": pair.state, "way": pair.way, "rtt_ms": pair.round_trip} for pair in pairs
    ]


def names_at(node: Node, view: TableView) -> dict[bytes, str]:
    """What the members of a table are called: by their seat, by the lobby, else by their key."""
    room = node.lobbies.room_of(view.table)
    card = None if room is None else room.cards.get(view.table)
    names = {
        member.key: fingerprint(member.key)[:9] if why_not_name(member.wish) else member.wish for member in view.members
    }
    names |= {person.key: person.name for person in card.people} if card is not None else {}
    return names | {seat.peer: seat.name for seat in reversed(view.seats) if seat is not None}


def table_rows(node: Node, view: TableView, can_relay: bool) -> list[Row]:
    """One row for every other member of a table; before the start only its keeper is linked."""
    links = {link.peer: link for link in node.mesh.links()}
    names = names_at(node, view)
    rows = []
    for member in view.members:
        if member.key == node.key:
            continue
        name = names[member.key]
        link = links.get(member.key)
        state = "linked" if link is not None else "here" if member.is_here else "missing"
        advised = _advise(node, name, state, link, can_relay, view.game)
        rows.append({"peer": member.key.hex(), "name": name, "state": state, **link_data(link), "advice": advised})
    return rows


def link_data(link: LinkInfo | None) -> Row:
    """How a node is reached and what it runs; all null while it is not reached."""
    told = None if link is None else link.about
    return {
        "path": "" if link is None else link.address,
        "way": None if link is None else way_of(link),
        "rtt_ms": None if link is None or link.round_trip is None else round(link.round_trip * 1000),
        "skew_ms": None if link is None or link.skew is None else round(link.skew * 1000),
        "software": None if told is None else told.software,
        "rules": None if told is None else dict(told.rules),
    }


def _own_side(node: Node) -> advice.OwnSide:
    mapper = node.mapper
    if mapper is None:
        return advice.own_side("", "", False)
    return advice.own_side(mapper.outside, mapper.reason, True, mapper.can_upnp)


def _advise(node: Node, name: str, state: str, link: LinkInfo | None, can_relay: bool, game: str) -> list[str]:
    found: list[str | None] = []
    port = node.where.port
    if link is None:
        found.append(advice.peer(name, state, None, None, can_relay, port))
    else:
        hole = node.mesh.notes.trouble(link.peer, Path.PUNCHED) if node.where.can_punch else "off"
        found.append(advice.peer(name, state, way_of(link), link.round_trip, can_relay, port, hole, _own_side(node)))
        found.append(advice.clock(name, link.skew))
        if link.round_trip is not None:  # it has had the time to say what it runs
            found.append(advice.versions(name, link.about, about(), game))
    return [text for text in found if text is not None]
