"""What an adversary with one peer's true keys can say: the grammar of its lies.

Each trick takes the adversary's own host and the peer it is aimed at, and gives what is said to whom. Beside its
tricks the adversary runs an unchanged session, so that it is always in the position to lie well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Raw
from msgspec.structs import replace

from kontor_games import engine
from kontor_games.engine.core.stream import H
from kontor_games.engine.errors import KontorError
from kontor_games.net.sealed import bodies
from kontor_games.net.wire.chain import Chat, DealerMessage, Frame, Mark, decode, encode, parts
from kontor_games.net.wire.match_talk import Ask, Chunk, Dump, Item, Kind, Need, Signed, Talk, Where
from tests.worlds.world import identity

from .host import BYZANTINE_TRICKS, Host

Said: TypeAlias = list[tuple[int, Talk]]
Trick: TypeAlias = Callable[[Host, int], Said]
WRONG = b"\x66" * 32
FLOOD = 8


def trick(make: Trick) -> Trick:
    """Part of the grammar, under its own name."""
    BYZANTINE_TRICKS[make.__name__] = make
    return make


def sign(host: Host, kind: Kind, message: Frame | DealerMessage | Mark | Chat) -> Signed:
    """Signed with the adversary's true key."""
    raw = encode(message)
    return Signed(kind, host.number, raw, identity(host.number).sign(kind, raw))


def everybody(host: Host, talk: Talk) -> Said:
    return [(peer, talk) for peer in sorted(host.linked)]


def _where(host: Host, position: int, tip: bytes, digest: bytes) -> Where:
    return Where(position, tip, digest, tuple(sorted(host.linked)))


def _dealer(host: Host, body: bodies.Body) -> Signed:
    ledger = host.ledger
    made = DealerMessage(ledger.match, host.number, ledger.tip, ledger.digest, Raw(bodies.encode(body)))
    return sign(host, "dealer", made)


def _frames(host: Host) -> list[Signed]:
    """True frames of the adversary for the tip where it stands; none unless it is to act."""
    ledger = host.ledger
    turn = ledger.turn
    if turn is None or ledger.state is None or ledger.seat_peer(turn) != host.number:
        return []
    made = []
    for action in engine.legal(ledger.game, ledger.state, ledger.known(turn))[:8]:
        try:
            made.append(sign(host, "frame", ledger.own.frame(ledger.own.draft([action]))))
        except KontorError:
            continue
    return made


# ---- where it stands


@trick
def where_wrong(host: Host, target: int) -> Said:
    """An unsigned wrong digest."""
    return [(target, _where(host, host.ledger.position, host.ledger.tip, WRONG))]


@trick
def where_wrong_to_all(host: Host, target: int) -> Said:
    return everybody(host, _where(host, host.ledger.position, host.ledger.tip, WRONG))


@trick
def where_old(host: Host, target: int) -> Said:
    """It claims to stand one item behind: as if it had not taken the last one."""
    ledger = host.ledger
    tips = [tip for tip, position in ledger.chain.tips.items() if position == ledger.position - 1]
    last = ledger.items[-1].parts[0] if ledger.items else None
    if not tips or last is None:
        return []
    digest = decode(Frame, last.raw).d if last.kind == "frame" else decode(DealerMessage, last.raw).d
    return [(target, _where(host, ledger.position - 1, tips[-1], digest))]


@trick
def where_ahead(host: Host, target: int) -> Said:
    return [(target, _where(host, host.ledger.position + 3, H("test", "nowhere", size=32), WRONG))]


@trick
def ack_wrong(host: Host, target: int) -> Said:
    """A signed wrong digest."""
    return [(target, sign(host, "ack", Mark(host.ledger.match, host.number, host.ledger.tip, WRONG)))]


@trick
def dump_wrong(host: Host, target: int) -> Said:
    return [(target, Dump(host.ledger.tip, "other", b"\x80"))]


@trick
def final_wrong(host: Host, target: int) -> Said:
    """A final signature under something else."""
    return [(target, sign(host, "final", Mark(host.ledger.match, host.number, WRONG, WRONG)))]


# ---- votes


def _vote(host: Host, accused: int, named: bytes | None) -> Signed | None:
    ledger = host.ledger
    if accused not in ledger.active or ledger.table.why_not_gone([accused]):
        return None
    newest = ledger.entries.departures._votes.newest(host.number)
    return _dealer(host, bodies.Gon(newest[1].v + 1 if newest else 1, (accused,), (named,)))


@trick
def vote_unknown(host: Host, target: int) -> Said:
    """A vote that names a message which does not exist."""
    vote = _vote(host, target, WRONG)
    if vote is None:
        return []
    entries = host.ledger.entries
    # it does not say what it really holds
    host.session._own.named_again = host.ledger.tip, entries.departures.names([target])
    host._guard("heard", lambda: host.session.heard(target, vote))  # it stands by what it said, and gives its shares
    return everybody(host, vote)


@trick
def two_votes(host: Host, target: int) -> Said:
    """Two votes with one number."""
    others = [p for p in host.ledger.active if p not in (host.number, target)]
    one, two = _vote(host, target, None), _vote(host, others[0], None) if others else None
    if one is None or two is None:
        return []
    return [(others[0], one), (target, two)]


@trick
def vote_and_silence(host: Host, target: int) -> Said:
    """A true vote, naming what it alone may hold; then nothing more."""
    entry = host.ledger.entries.position.main
    applied = {} if entry is None else {s.peer: s.hash for s in entry.applied.values()}
    vote = _vote(host, target, applied.get(target))
    if vote is None:
        return []
    host._guard("heard", lambda: host.session.heard(target, vote))
    return everybody(host, vote)


@trick
def vote_taken_back(host: Host, target: int) -> Said:
    """It takes its vote back; one peer need not hear of it."""
    newest = host.ledger.entries.departures._votes.newest(host.number)
    if newest is None or not newest[1].w:
        return []
    vote = _dealer(host, bodies.Gon(newest[1].v + 1, (), ()))
    host._guard("heard", lambda: host.session.heard(target, vote))
    return [(peer, vote) for peer in sorted(host.linked) if peer != target]


@trick
def vote_for_others(host: Host, target: int) -> Said:
    """It changes its mind about who is gone, and says so to one peer."""
    others = [p for p in host.ledger.active if p not in (host.number, target)]
    vote = _vote(host, others[0], None) if others else None
    if vote is None:
        return []
    host._guard("heard", lambda: host.session.heard(target, vote))
    return [(target, vote)]


# ---- the chain


def _nonsense(host: Host, author: int) -> Item:
    return Item("frame", (Signed("frame", author, b"\x80", bytes(64)),))


def _other(host: Host, target: int) -> int:
    return next(p for p in range(len(host.ledger.terms.peers)) if p not in (host.number, target))


@trick
def chunk_nonsense(host: Host, target: int) -> Said:
    """Items for positions that nobody has reached."""
    fake = _nonsense(host, _other(host, target))
    return [(target, Chunk(host.ledger.position + 1, (fake,) * 4, 0))]


@trick
def chunk_now(host: Host, target: int) -> Said:
    return [(target, Chunk(host.ledger.position, (_nonsense(host, _other(host, target)),), 0))]


@trick
def chunk_made_up(host: Host, target: int) -> Said:
    """A frame of its own, truly signed, that fits nowhere."""
    ledger = host.ledger
    seat = next((n for n, s in enumerate(ledger.terms.seats) if s.peer == host.number), 0)
    frame = Frame(ledger.match, seat, WRONG, ledger.ply, WRONG, parts([{}]))
    return [(target, Chunk(ledger.position + 1, (Item("frame", (sign(host, "frame", frame),)),), 1))]


@trick
def chunk_foreign_signature(host: Host, target: int) -> Said:
    """An honest item under a wrong signature, for the next position."""
    for item in reversed(host.ledger.items):
        if item.parts[0].peer != host.number:
            part = replace(item.parts[0], sig=bytes(64))
            return [(target, Chunk(host.ledger.position + 1, (Item(item.kind, (part,)),), 0))]
    return []


@trick
def chunk_mixed(host: Host, target: int) -> Said:
    """The last true item, then made-up ones."""
    ledger = host.ledger
    fake = _nonsense(host, _other(host, target))
    if not ledger.items:
        return []
    return [(target, Chunk(ledger.position - 1, (ledger.items[-1], fake, fake), 0))]


@trick
def old_frame(host: Host, target: int) -> Said:
    own = [item.parts[0] for item in host.ledger.items if item.kind == "frame" and item.parts[0].peer == host.number]
    return [(target, own[0])] if own else []


@trick
def old_entry(host: Host, target: int) -> Said:
    own = [part for item in host.ledger.items if item.kind == "entry" for part in item.parts]
    return [(target, part) for part in own[:4]]


@trick
def frame_of_another_match(host: Host, target: int) -> Said:
    frames = _frames(host)
    if not frames:
        return []
    frame = replace(decode(Frame, frames[0].raw), m=H("test", "another match", size=32))
    return [(target, sign(host, "frame", frame))]


@trick
def frame_to_one(host: Host, target: int) -> Said:
    """A true turn that only one peer gets; also after the others put the adversary out, or it gave its shares."""
    frames = _frames(host)
    return [(target, frames[0])] if frames else []


@trick
def two_stories(host: Host, target: int) -> Said:
    """Two turns for one tip, to different peers."""
    frames = _frames(host)
    if len(frames) < 2:
        return []
    rest: Said = [(peer, frames[1]) for peer in sorted(host.linked) if peer != target]
    return [(target, frames[0]), *rest]


@trick
def frame_nonsense(host: Host, target: int) -> Said:
    """A signed frame at the right place whose action cannot be read."""
    ledger = host.ledger
    seat = next((n for n, s in enumerate(ledger.terms.seats) if s.peer == host.number), 0)
    frame = Frame(ledger.match, seat, ledger.tip, ledger.ply, ledger.digest, parts([{"no": "action"}]))
    return [(target, sign(host, "frame", frame))]


@trick
def frame_wrong_digest(host: Host, target: int) -> Said:
    frames = _frames(host)
    return [(target, sign(host, "frame", replace(decode(Frame, frames[0].raw), d=WRONG)))] if frames else []


# ---- dealer messages


@trick
def body_nonsense(host: Host, target: int) -> Said:
    ledger = host.ledger
    message = DealerMessage(ledger.match, host.number, ledger.tip, ledger.digest, Raw(b"\x81\xa1t\xa3shr"))
    return [(target, sign(host, "dealer", message))]


@trick
def dealer_wrong_digest(host: Host, target: int) -> Said:
    message = DealerMessage(host.ledger.match, host.number, host.ledger.tip, WRONG, Raw(bodies.encode(bodies.Rdy(0))))
    return [(target, sign(host, "dealer", message))]


@trick
def two_parts(host: Host, target: int) -> Said:
    """Two dealer messages for one place: what it has said, and another version of it."""
    for held in host.ledger.held():
        message = decode(DealerMessage, held.raw)
        body = bodies.decode(held.peer, bytes(message.b))
        if held.peer == host.number and hasattr(body, "c"):
            other = replace(body, c=bytes(32))  # type: ignore[call-arg]
            return [(target, sign(host, "dealer", replace(message, b=Raw(bodies.encode(other)))))]
    return []


@trick
def bye_to_one(host: Host, target: int) -> Said:
    """A true goodbye that one peer gets; its session goes on as if nothing had been said."""
    player = host.ledger.player
    if player is None or host.ledger.entries.goodbyes.why_not_leave():
        return []
    return [(target, _dealer(host, player.bye()))]


@trick
def late_bye(host: Host, target: int) -> Said:
    """A goodbye after its own part of the open entry is out, to one peer: an honest node would wait."""
    player = host.ledger.player
    if player is None or host.number not in host.ledger.table.peers.keys or host.ledger.table.final:
        return []
    return [(target, _dealer(host, player.bye()))]


@trick
def old_bye(host: Host, target: int) -> Said:
    """A goodbye that one peer gets, for a tip that all have passed."""
    player = host.ledger.player
    items = host.ledger.items
    if player is None or host.ledger.entries.goodbyes.why_not_leave() or len(items) < 4:
        return []
    before = items[-2].parts[0]
    said = decode(Frame, before.raw) if before.kind == "frame" else decode(DealerMessage, before.raw)
    bye = DealerMessage(host.ledger.match, host.number, said.h, said.d, Raw(bodies.encode(player.bye())))
    return [(target, sign(host, "dealer", bye))]


@trick
def mute(host: Host, target: int) -> Said:
    """From now on it talks to all but one: turns, votes, shares and goodbyes reach only some of the others."""
    host.muted.add(target)
    return []


@trick
def unmute(host: Host, target: int) -> Said:
    """It talks to everybody again, and what it said meanwhile is missing."""
    host.muted.clear()
    return []


@trick
def broken_signature(host: Host, target: int) -> Said:
    """What an honest peer said, under a wrong signature."""
    foreign = [signed for signed in host.ledger.held() if signed.peer != host.number]
    return [(target, replace(signed, sig=bytes(64))) for signed in foreign[:1]]


# ---- floods


@trick
def ask_flood(host: Host, target: int) -> Said:
    return [(target, Ask(position)) for position in range(FLOOD)]


@trick
def need_flood(host: Host, target: int) -> Said:
    return [(target, Need(tuple(H("test", f"need {k} {n}", size=32) for n in range(8)))) for k in range(FLOOD)]


TRICKS = tuple(BYZANTINE_TRICKS)
