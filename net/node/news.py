"""What a node tells, as plain data: the JSON lines of a node that runs alone."""

from __future__ import annotations

from typing import Any

from kontor_games.engine import Action, event_dict, result_dict
from kontor_games.net.ledger.facts import Fault, Grown, Ply
from kontor_games.net.ledger.ledger import Ledger, names_of
from kontor_games.net.lobbies.lobbies import LobbyChanged, LobbyTold
from kontor_games.net.lockstep import effects as e
from kontor_games.net.sealed import bodies
from kontor_games.net.wire import lobby_messages as lm
from kontor_games.net.wire.chain import DealerMessage, Frame, decode
from kontor_games.net.wire.identity import fingerprint, fingerprint_words, six_words
from kontor_games.net.wire.lan_offer import Offer
from kontor_games.net.wire.match_talk import Item
from kontor_games.net.wire.messages import TableView

from .node import Node
from .node_news import (
    MatchBegun,
    MatchEnded,
    News,
    PeerChanged,
    TableOffers,
    TableRefused,
    TableShown,
    TableSigned,
    WatchBegun,
)

Data = dict[str, Any]


def plain(node: Node, news: News) -> Data | None:
    """The news as plain data, None for what only nodes care about."""
    match news:
        case TableShown(table=table, view=view):
            return {"news": "table", "table": table, **table_data(node, view)}
        case TableRefused(table=table, about=about, reason=reason):
            return {"news": "refused", "table": table, "about": about, "reason": reason}
        case TableSigned(table=table, match=match):
            return {"news": "signed", "table": table, "match": match.hex(), "words": six_words(match)}
        case TableOffers(keeper=keeper, views=views):
            tables = [{"table": view.table, **table_data(node, view)} for view in views if view.phase == "open"]
            return {"news": "offers", "peer": keeper.hex(), **mark_data(keeper), "tables": tables}
        case MatchBegun(match=match, table=table):
            return {"news": "begun", "match": match.hex(), "table": table, "words": six_words(match)}
        case PeerChanged(peer=peer, linked=linked, reason=reason):
            link = next((link for link in node.mesh.links() if link.peer == peer), None)
            path = None if link is None else link.path.name.lower()
            found = {"linked": linked, "path": path, "reason": reason}
            return {"news": "peer", "peer": peer.hex(), **mark_data(peer), **found}
        case MatchEnded() | WatchBegun():
            return None
        case LobbyChanged(lobby=lobby, is_up=is_up, reason=reason, retry=retry):
            return {"news": "lobby", "lobby": lobby, "up": is_up, "reason": reason, "retry": retry}
        case LobbyTold(lobby=lobby, event=event):
            said_there = lobby_data(event)
            return None if said_there is None else {"lobby": lobby, **said_there}


def offer_data(offer: Offer) -> Data:
    """A table of which only its announcement on the local network is known."""
    return {
        "table": offer.table,
        "game": offer.game,
        "host": offer.host,
        "seats": offer.seats,
        "taken": offer.taken,
        "peer": offer.key.hex(),
        "addresses": list(offer.addresses),
        **mark_data(offer.key),
    }


def lobby_data(event: lm.Event) -> Data | None:
    """What a lobby said to this person."""
    match event:
        case lm.TableCard(table=table, visibility=visibility, note=note, code=code, people=people):
            names = [person_data(person) for person in people]
            return {
                "news": "card",
                "table": table,
                "visibility": visibility,
                "note": note,
                "code": code,
                "people": names,
            }
        case lm.TableGone(table=table, reason=reason):
            return {"news": "gone", "table": table, "reason": reason}
        case lm.Said(place=place, author=author, text=text):
            return {"news": "said", "place": place, "who": person_data(author), "text": text}
        case lm.Offer(offer=offer, game=game, people=people, until=until):
            names = [person_data(person) for person in people]
            return {"news": "offer", "offer": offer, "game": game, "people": names, "until": until}
        case lm.OfferOver(offer=offer, reason=reason, is_queued=is_queued):
            return {"news": "offer-over", "offer": offer, "reason": reason, "queued": is_queued}
        case lm.Notice(kind=kind, text=text):
            return {"news": "notice", "kind": kind, "text": text}
        case _:
            return None


def person_data(person: lm.Person) -> Data:
    """Somebody in a lobby; `mark` tells them from another key that used the name first."""
    return {"name": person.name, "mark": person.mark, "here": person.here}


def mark_data(key: bytes) -> Data:
    """How people compare a key."""
    return {"fingerprint": fingerprint(key), "words": fingerprint_words(key)}


def table_data(node: Node, view: TableView) -> Data:
    """A table before the match."""
    ready = {member.key for member in view.members if member.is_ready}
    here = {member.key for member in view.members if member.is_here}
    seats = [
        None
        if seat is None
        else {
            "name": seat.name,
            "kind": seat.kind,
            "you": seat.peer == node.key,
            "peer": seat.peer.hex(),
            "ready": seat.peer in ready,
            "here": seat.peer in here,
        }
        for seat in view.seats
    ]
    return {
        "phase": view.phase,
        "revision": view.revision,
        "game": view.game,
        "options": dict(view.options),
        "recovery": view.recovery,
        "spectators": view.spectators,
        "seats": seats,
        "notice": view.notice,
        "you_ready": node.key in ready,
    }


def ledger_of(node: Node, match: bytes) -> Ledger | None:
    """The ledger of a match that is played or watched here."""
    if match in node.matches.played:
        return node.matches.played[match].session.ledger
    return node.matches.watched[match].ledger if match in node.matches.watched else None


def match_data(ledger: Ledger, effect: e.Effect) -> Data | None:
    """What happened in a match."""
    match effect:
        case Ply():
            return {"news": "ply", **said(effect)}
        case Grown(position=position, item=item):
            here = {"tip": ledger.tip.hex(), "digest": ledger.digest.hex()}
            return {"news": "link", "position": position, **_link(ledger, item), **here}
        case Fault(peer=peer, code=code, detail=detail):
            return {"news": "fault", "who": names_of(ledger, peer), "code": code, "detail": detail}
        case e.Waiting(peers=peers):
            return {"news": "waiting", "for": [names_of(ledger, peer) for peer in peers]}
        case e.Dropped(reason=reason):
            return {"news": "dropped", "reason": reason}
        case e.Diverged(peer=peer):
            return {"news": "diverged", "who": names_of(ledger, peer)}
        case e.Healed(differing=differing):
            return {"news": "healed", "differing": [names_of(ledger, peer) for peer in differing]}
        case e.ReadsOnly(reason=reason):
            return {"news": "reads-only", "reason": reason}
        case e.DiskTrouble(reason=reason):
            return {"news": "disk", "reason": reason}
        case e.Heard(peer=peer, text=text):
            return {"news": "chat", "who": names_of(ledger, peer), "text": text}
        case e.Ended(how=how):
            result = ledger.result
            return {"news": "ended", "how": how, "result": None if result is None else result_dict(result)}
        case e.GoesOn():
            return {"news": "goes-on"}
        case e.Completed():
            return {"news": "completed", "tip": ledger.tip.hex(), "digest": ledger.digest.hex(), "plies": ledger.ply}
        case _:
            return None


def said(ply: Ply) -> Data:
    """A log entry, in the shape of local matches."""
    by_seat = isinstance(ply.action, Action)
    return {
        "ply": ply.number,
        "seat": ply.action.seat if isinstance(ply.action, Action) else None,
        "text": ply.text or "",
        "chance": "" if by_seat else type(ply.action).__name__,
        "events": [event_dict(event) for event in ply.events],
    }


def _link(ledger: Ledger, item: Item) -> Data:
    """One link of the chain: a frame, or the kinds of dealer messages in an entry."""
    if item.kind == "frame":
        frame = decode(Frame, item.parts[0].raw)
        return {"kind": "frame", "who": names_of(ledger, item.parts[0].peer), "actions": len(frame.a)}
    found = [bodies.decode(part.peer, bytes(decode(DealerMessage, part.raw).b)) for part in item.parts]
    cards = [len(body.o) // 64 for body in found if isinstance(body, bodies.MixBody)]
    return {
        "kind": "entry",
        "parts": [bodies.kind(body) for body in found],
        "cards": max(cards, default=0),
        "who": "; ".join(names_of(ledger, part.peer) for part in item.parts[:1]),
        "bytes": sum(len(part.raw) for part in item.parts),
    }
