"""Files that show what might have been signed instead of a record: signed messages behind the chain up to there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import msgspec
from msgspec import inspect
from msgspec.structs import replace

from kontor_games.engine.core.digest import canonical
from kontor_games.engine.core.stream import u32
from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.record.transcript import EntryRecord, FrameRecord, Record, SignedRecord
from kontor_games.net.sealed import bodies, escrow
from kontor_games.net.sealed.algebra import sigma
from kontor_games.net.sealed.algebra.group import G, dec_scalars, enc_scalars, h2s
from kontor_games.net.wire.chain import Chat, DealerMessage, Mark, decode, encode
from kontor_games.net.wire.match_talk import Kind
from tests.worlds.match_files import body_of, entry_at, frame_of, sign_dealer, terms_of, with_body
from tests.worlds.world import Node, identity

from .change import Bounds, Mutant, Records, frame_changes, message_changes, spread, wrong_marks
from .matches import Match
from .values import Other, bounded, inside, others

Shown = Iterator[tuple[str, str, Callable[[], Records]]]


def evidence(match: Match, bounds: Bounds) -> Iterator[Mutant]:
    """All evidence, true and false, that can be made of one match."""
    for field, how, make in _shown(match, bounds):
        yield Mutant(match.name, f"signed.{field}", how, make)


def _shown(match: Match, bounds: Bounds) -> Shown:
    places = places_of_each_kind(match.records, bounds.places)
    for place in places:
        if isinstance(match.records[place], FrameRecord):
            yield from _frames(match, place, bounds)
        else:
            yield from _messages(match, place, bounds)
    yield from _complaints(match, bounds)
    yield from _other_kinds(match, max(k for k in places if isinstance(match.records[k], EntryRecord)), bounds)
    yield from _record(match, next(k for k in places if isinstance(match.records[k], FrameRecord)))


def loose(kind: Kind, peer: int, raw: bytes, signature: bytes | None = None) -> SignedRecord:
    """A message as a record of its own."""
    return SignedRecord(kind, peer, raw, identity(peer).sign(kind, raw) if signature is None else signature)


def places_of_each_kind(records: Sequence[Record], count: int) -> list[int]:
    """So many records of each kind: frames, frames that show cards, and entries by what they hold."""
    found: dict[str, list[int]] = {}
    for place, record in enumerate(records):
        if isinstance(record, FrameRecord):
            found.setdefault("frame" if frame_of(record).u is None else "shown", []).append(place)
        elif isinstance(record, EntryRecord):
            found.setdefault(bodies.kind(body_of(record.messages[0][0])), []).append(place)
    return sorted({place for places in found.values() for place in spread(places, count)})


def _frames(match: Match, place: int, bounds: Bounds) -> Shown:
    """Another frame: alone, beside the true one, and when the true one is in the chain."""
    record, before = match.records[place], match.records[:place]
    assert isinstance(record, FrameRecord)
    author = terms_of(match.records).seats[frame_of(record).s].peer
    true = loose("frame", author, record.raw, record.signature)
    for path, how, raw in bounded(frame_changes(match, place), bounds.changes, bounds.turn):
        lie = partial(loose, "frame", author, raw)
        yield path, f"{how}, {place}", lambda lie=lie: [*before, lie()]
        yield path, f"{how}, {place}, twice", lambda lie=lie: [*before, true, lie()]
        yield path, f"{how}, {place}, late", lambda lie=lie: [*before, record, lie()]


def _messages(match: Match, place: int, bounds: Bounds) -> Shown:
    """Another dealer message in each part of an entry, one part for each kind of message in it."""
    record = match.records[place]
    assert isinstance(record, EntryRecord)
    parts = tuple(loose("dealer", decode(DealerMessage, raw).p, raw, mark) for raw, mark in record.messages)
    last = {bodies.kind(body_of(raw)): number for number, (raw, _) in enumerate(record.messages)}
    for number in sorted({0, *last.values()}):
        changes = message_changes(parts[number].raw)
        for other in bounded(changes, bounds.changes, bounds.turn + place + number):
            yield from _instead(match, place, parts, number, other)


def _instead(match: Match, place: int, parts: tuple[SignedRecord, ...], number: int, other: Other) -> Shown:
    """Another message: in its turn, beside the true one or the whole entry, alone, and when that is in the chain."""
    before, record = match.records[:place], match.records[place]
    path, how, raw = other
    lie = partial(loose, "dealer", parts[number].peer, raw)
    yield path, f"{how}, {place}", lambda: [*before, *parts[:number], lie()]
    yield path, f"{how}, {place}, twice", lambda: [*before, *parts[: number + 1], lie()]
    yield path, f"{how}, {place}, late", lambda: [*before, record, lie()]
    if number + 1 < len(parts):
        yield path, f"{how}, {place}, whole", lambda: [*before, *parts, lie()]
    if number:
        yield path, f"{how}, {place}, alone", lambda: [*before, lie()]


# ---- complaints about shares, which no complete file holds


def _complaints(match: Match, bounds: Bounds) -> Shown:
    """A dealer gives a wrong share, its member complains; and the member complains about a right one."""
    if len(terms_of(match.records).peers) < 3:
        return
    place = entry_at(match.records, "esc")
    before, victim = match.records[:place], 2
    for label, dealt in (("a bad share", _bad_share(match, place, victim)), ("a good share", _dealt(match, place))):
        complaint = _complaint(match, place, victim, dealt)
        shown = loose("dealer", 0, *dealt)
        yield "cmp", label, lambda shown=shown, said=complaint: [*before, shown, loose("dealer", victim, said)]
        for path, how, raw in bounded(message_changes(complaint), bounds.changes, bounds.turn):
            lie = partial(loose, "dealer", victim, raw)
            yield path, f"{label}, {how}", lambda shown=shown, lie=lie: [*before, shown, lie()]
            yield path, f"{label}, {how}, alone", lambda lie=lie: [*before, lie()]


def _dealt(match: Match, place: int) -> tuple[bytes, bytes]:
    record = match.records[place]
    assert isinstance(record, EntryRecord)
    return record.messages[0]


def _bad_share(match: Match, place: int, victim: int) -> tuple[bytes, bytes]:
    """The `esc` of peer 0, right but for the share of one member, with a valid proof."""
    raw, _ = _dealt(match, place)
    message, good = decode(DealerMessage, raw), body_of(raw)
    assert isinstance(good, bodies.Esc)
    ledger = _ledger(match)
    shares = list(dec_scalars(good.E))
    shares[victim - 1] += 1
    masked, members = enc_scalars(shares), bytes(range(len(ledger.terms.peers)))
    secret = h2s("kdf", ledger._secret, "eph", u32(good.e), members)
    stmt = escrow._statement(ledger.table.peers.ctx, 0, good.e, good.R, good.F, masked)
    c, s = sigma.prove(bytes(32), stmt, [[(0, G)]], [secret])
    return sign_dealer(with_body(message, replace(good, E=masked, c=c, s=s)), 0)


def _ledger(match: Match, peer: int = 0) -> Ledger:
    return Node(peer, match.records[0].raw).session.ledger  # type: ignore[union-attr]


def _complaint(match: Match, place: int, victim: int, dealt: tuple[bytes, bytes]) -> bytes:
    """What this member says about the share that it was given."""
    message, body = decode(DealerMessage, dealt[0]), body_of(dealt[0])
    assert isinstance(body, bodies.Esc)
    ledger = _ledger(match, victim)
    keys = match.records[1]
    assert isinstance(keys, EntryRecord)
    key = body_of(keys.messages[0][0])
    assert isinstance(key, bodies.Key) and ledger.player is not None
    members = range(len(ledger.terms.peers))
    given = escrow.verify(ledger.table.peers.ctx, 0, body.e, key.Y, members, body)  # type: ignore[arg-type]
    player = ledger.player
    said = escrow.complain(player._z, player._t, ledger.table.peers.ctx, victim, 0, body.e, given)
    return encode(with_body(replace(message, p=victim), said))


# ---- kinds that are never evidence, and the record itself


def _other_kinds(match: Match, place: int, bounds: Bounds) -> Shown:
    """Acknowledgements, final signatures and chat, right and changed."""
    record, before = match.records[place], match.records[:place]
    assert isinstance(record, EntryRecord)
    message = decode(DealerMessage, record.messages[0][0])
    mark, chat = Mark(message.m, message.p, message.h, message.d), Chat(message.m, message.p, 0, "hello")
    said: tuple[tuple[Kind, Mark | Chat], ...] = (("ack", mark), ("final", mark), ("chat", chat))
    for kind, value in said:
        plain = msgspec.msgpack.decode(encode(value))
        changes = [other for other in inside(inspect.type_info(type(value)), plain, kind) if other.path != kind]
        for path, how, other in (Other(kind, "as it is", plain), *bounded(changes, bounds.changes, bounds.turn)):
            lie = partial(loose, kind, message.p, canonical(other))
            yield path, how, lambda lie=lie: [*before, lie()]


def _record(match: Match, place: int) -> Shown:
    """The record of a fork with one field of the record another, not of the message."""
    record, before = match.records[place], match.records[: place + 1]
    assert isinstance(record, FrameRecord)
    author = terms_of(match.records).seats[frame_of(record).s].peer
    lie = loose("frame", author, encode(replace(frame_of(record), n=frame_of(record).n + 1)))
    yield "record", "as it is", lambda: [*before, lie]
    for kind in ("dealer", "ack", "final", "chat"):
        yield "record.kind", kind, lambda kind=kind: [*before, replace(lie, kind=kind)]
    for peer in {0, author + 1, 7} - {author}:
        yield "record.peer", f"{peer}", lambda peer=peer: [*before, replace(lie, peer=peer)]
    for how, raw in others(lie.raw):
        yield "record.raw", how, lambda raw=raw: [*before, replace(lie, raw=raw)]
    for how, mark in wrong_marks("frame", lie.raw, lie.signature, author):
        yield "record.signature", how, lambda mark=mark: [*before, replace(lie, signature=mark)]
    yield "record", "in front of the chain", lambda: [before[0], lie, *before[1:]]
    yield "record", "twice", lambda: [*before, lie, lie]
