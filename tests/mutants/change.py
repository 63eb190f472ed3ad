"""One signed thing is another, and everything around it is signed again with the true keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw
from msgspec.structs import replace

import engine
from engine.core.digest import canonical
from net.archive import decode_end
from net.chain import DealerMessage, Frame, Mark, decode, encode
from net.identity import Kind
from net.sealed import bodies
from net.sealed.group import base
from net.terms import Terms, decode_terms, encode_terms
from net.transcript import EndRecord, EntryRecord, FrameRecord, Record, SignedRecord, TermsRecord
from tests.mutants.matches import Match, matches
from tests.net.files import frame_of, packed
from tests.net.world import identity

POINT = bytes(base(5))  # of the right group, and nobody's
Records = list[Record]
Change = Iterator[tuple[str, Records]]  # what was changed, the file


class Mutant(NamedTuple):
    """A file that differs from a complete match in one thing; the label is «match | kind.field | how | record»."""

    label: str
    data: bytes


def mutants(per: int = 1, names: Sequence[str] | None = None) -> Iterator[Mutant]:
    """Files in which one thing is another; of equal things `per` are taken, spread over the match."""
    for match in matches(names):
        yield from of_match(match, per)


def of_match(match: Match, per: int) -> Iterator[Mutant]:
    """The mutants of one match."""
    whole = packed(match.records)
    for change in (_of_terms, _of_frames, _of_messages, _of_end, _of_records):
        for label, records in change(match, per):
            data = packed(records)
            if data != whole:
                yield Mutant(f"{match.name} | {label}", data)
    yield Mutant(f"{match.name} | file.end | a byte more", whole + b"\0")
    yield Mutant(f"{match.name} | file.end | a byte less", whole[:-1])


def spread(found: Sequence[int], count: int) -> list[int]:
    """So many of these, from the first to the last."""
    if len(found) <= count:
        return list(found)
    if count == 1:
        return [found[len(found) // 2]]
    return sorted({found[k * (len(found) - 1) // (count - 1)] for k in range(count)})


def others(value: Any) -> Iterator[tuple[str, Any]]:
    """Other values of the same type."""
    match value:
        case bool():
            yield "not", not value
        case int():
            yield "+1", value + 1
            if value:
                yield "0", 0
        case str():
            yield "longer", value + "x"
        case bytes():
            yield from _other_bytes(value)
        case tuple() | list():
            yield "doubled", type(value)((*value, *value[-1:]))
            if value:
                yield "shorter", value[:-1]
            if len(value) > 1:
                yield "reversed", value[::-1]
        case None:
            yield "32 bytes", bytes(32)
        case dict():
            for key, part in value.items():
                yield from ((f"{key} {how}", {**value, key: other}) for how, other in others(part))


def _other_bytes(value: bytes) -> Iterator[tuple[str, bytes]]:
    if not value:
        yield "a byte", b"\0"
        return
    yield "first bit", bytes([value[0] ^ 1]) + value[1:]
    yield "last bit", value[:-1] + bytes([value[-1] ^ 0x10])
    yield "shorter", value[:-1]
    yield "longer", value + value[-1:]
    if len(value) % 32 == 0:
        yield "zero", bytes(32) + value[32:]
        yield "a point", POINT + value[32:]
        yield "32 shorter", value[:-32]
        yield "32 longer", value + value[-32:]
    if len(value) > 32:
        yield "exchanged", value[32:64] + value[:32] + value[64:]


def _sign(kind: Kind, raw: bytes, peer: int) -> bytes:
    return identity(peer).sign(kind, raw)


def _put(records: Sequence[Record], place: int, record: Record) -> Records:
    return [*records[:place], record, *records[place + 1 :]]


def _terms(match: Match) -> Terms:
    first = match.records[0]
    assert isinstance(first, TermsRecord)
    return decode_terms(first.raw)


# ---- terms


def _of_terms(match: Match, per: int) -> Change:
    first, terms = match.records[0], _terms(match)
    assert isinstance(first, TermsRecord)
    plain = msgspec.msgpack.decode(first.raw)
    for field, value in plain.items():
        changes = list(others(value))
        if field in ("peers", "seats"):
            parts = [(k, how, other) for k, part in enumerate(value) for how, other in _inside(part)]
            changes += [(f"{k} {how}", [*value[:k], other, *value[k + 1 :]]) for k, how, other in parts]
        if field == "recovery":
            changes.append(("other", "none" if value == "majority" else "majority"))
        if field == "game":
            changes += [("other", game) for game in engine.game_ids() if game != value][:1]
        for how, other in changes:
            raw = msgspec.msgpack.encode({**plain, field: other})
            marks = tuple(_sign("terms", raw, peer) for peer in range(len(terms.peers)))
            yield f"terms.{field} | {how} | 0", _put(match.records, 0, TermsRecord(raw, marks))
    for how, marks in others(first.signatures):
        yield f"terms.signatures | {how} | 0", _put(match.records, 0, TermsRecord(first.raw, marks))
    for peer in range(len(terms.peers)):
        for how, mark in _marks("terms", first.raw, first.signatures[peer], peer):
            marks = (*first.signatures[:peer], mark, *first.signatures[peer + 1 :])
            yield f"terms.signature | {peer} {how} | 0", _put(match.records, 0, TermsRecord(first.raw, marks))
    raw = encode_terms(terms) + b"\0"
    marks = tuple(_sign("terms", raw, peer) for peer in range(len(terms.peers)))
    yield "terms.raw | longer | 0", _put(match.records, 0, TermsRecord(raw, marks))


def _inside(part: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    for k, value in enumerate(part):
        yield from ((f"[{k}] {how}", [*part[:k], other, *part[k + 1 :]]) for how, other in others(value))


def _marks(kind: Kind, raw: bytes, mark: bytes, peer: int) -> Iterator[tuple[str, bytes]]:
    """Signatures that are not this peer's under these bytes."""
    yield "empty", b""
    yield "flipped", bytes([mark[0] ^ 1]) + mark[1:] if mark else bytes(64)
    yield "short", mark[:-1]
    yield "of another peer", _sign(kind, raw, peer + 1)
    yield "of another kind", _sign("ack", raw, peer)


# ---- frames


def _of_frames(match: Match, per: int) -> Change:
    terms = _terms(match)
    places = [k for k, record in enumerate(match.records) if isinstance(record, FrameRecord)]
    shown = [k for k in places if frame_of(match.records[k]).u is not None]
    twin = next(frame_of(record) for record in match.twin if isinstance(record, FrameRecord))
    for place in sorted({*spread(places, per), places[-1], *spread(shown, per)}):
        frame = frame_of(match.records[place])
        author = terms.seats[frame.s].peer
        foreign = ("m", "of the next match", replace(frame, m=twin.m))
        for field, how, other in (foreign, *frame_changes(match.records, place, frame)):
            peer = author if other.s >= len(terms.seats) else terms.seats[other.s].peer
            for who in {author, peer}:
                raw = encode(other)
                signed = FrameRecord(raw, _sign("frame", raw, who))
                yield f"frame.{field} | {how}, signed by {who} | {place}", _put(match.records, place, signed)
        record = match.records[place]
        assert isinstance(record, FrameRecord)
        for how, mark in _marks("frame", record.raw, record.signature, author):
            yield f"frame.signature | {how} | {place}", _put(match.records, place, FrameRecord(record.raw, mark))
        for how, raw in (("longer", record.raw + b"\0"), ("another order", _reordered(record.raw))):
            signed = FrameRecord(raw, _sign("frame", raw, author))
            yield f"frame.raw | {how} | {place}", _put(match.records, place, signed)


def _reordered(raw: bytes) -> bytes:
    return msgspec.msgpack.encode(dict(reversed(msgspec.msgpack.decode(raw).items())))


def frame_changes(records: Sequence[Record], place: int, frame: Frame) -> Iterator[tuple[str, str, Frame]]:
    """Field, how, and the frame with that field another."""
    for field in ("m", "s", "h", "n", "d"):
        for how, value in others(getattr(frame, field)):
            yield field, how, replace(frame, **{field: value})
    earlier = [frame_of(record) for record in records[:place] if isinstance(record, FrameRecord)]
    if earlier:
        yield "h", "an earlier tip", replace(frame, h=earlier[-1].h)
        yield "d", "an earlier state", replace(frame, d=earlier[-1].d)
        yield "a", "of an earlier turn", replace(frame, a=earlier[0].a)
    for how, actions in others(frame.a):
        if actions:
            yield "a", how, replace(frame, a=actions)
    for k, raw in enumerate(frame.a):
        action = msgspec.msgpack.decode(raw)
        for how, other in _inside(action):
            yield "a", f"{k} {how}", replace(frame, a=(*frame.a[:k], Raw(canonical(other)), *frame.a[k + 1 :]))
    if frame.u is None:
        yield "u", "nil where nothing is shown", replace(frame, u=(Raw(b"\xc0"),))
        return
    yield "u", "left out", replace(frame, u=None)
    yield "u", "doubled", replace(frame, u=(*frame.u, *frame.u))
    for k, raw in enumerate(frame.u):
        opening = msgspec.msgpack.decode(raw)
        changes = [("nil", None)] if opening is None else [(f"{k} {how}", other) for how, other in others(opening)]
        for how, other in changes:
            yield "u", how, replace(frame, u=(*frame.u[:k], Raw(canonical(other)), *frame.u[k + 1 :]))


# ---- dealer messages


def _of_messages(match: Match, per: int) -> Change:
    found: dict[str, list[tuple[int, int]]] = {}
    for place, record in enumerate(match.records):
        if isinstance(record, EntryRecord):
            for number, (raw, _) in enumerate(record.messages):
                message = decode(DealerMessage, raw)
                name = bodies.kind(bodies.decode(message.p, bytes(message.b)))
                found.setdefault(name, []).append((place, number))
    for name, places in found.items():
        for index in spread(range(len(places)), per):
            yield from _of_message(match, name, *places[index])


def _of_message(match: Match, name: str, place: int, number: int) -> Change:
    record = match.records[place]
    assert isinstance(record, EntryRecord)
    raw, mark = record.messages[number]
    message = decode(DealerMessage, raw)

    def made(part: tuple[bytes, bytes]) -> Records:
        parts = (*record.messages[:number], part, *record.messages[number + 1 :])  # type: ignore[union-attr]
        return _put(match.records, place, EntryRecord(parts))

    for field, how, other in message_changes(message):
        for who in {message.p, min(other.p, 7)}:
            data = encode(other)
            label = f"{name}.{field} | {how}, signed by {who} | {place}"
            yield label, made((data, _sign("dealer", data, who)))
    for how, other_mark in _marks("dealer", raw, mark, message.p):
        yield f"{name}.signature | {how} | {place}", made((raw, other_mark))
    for how, data in (("longer", raw + b"\0"), ("another order", _reordered(raw))):
        yield f"{name}.raw | {how} | {place}", made((data, _sign("dealer", data, message.p)))


def message_changes(message: DealerMessage) -> Iterator[tuple[str, str, DealerMessage]]:
    """Field, how, and the message with that field another."""
    for field in ("m", "p", "h", "d"):
        for how, value in others(getattr(message, field)):
            yield field, how, replace(message, **{field: value})
    yield "h", "the match id", replace(message, h=message.m)
    body = msgspec.msgpack.decode(message.b)
    for key, value in body.items():
        for how, other in others(value):
            yield f"b.{key}", how, replace(message, b=Raw(canonical({**body, key: other})))
    yield "b", "a field more", replace(message, b=Raw(canonical({**body, "zz": 1})))
    yield "b", "another order", replace(message, b=Raw(canonical(dict(reversed(body.items())))))


# ---- end


def _of_end(match: Match, per: int) -> Change:
    place = len(match.records) - 1
    record = match.records[place]
    assert isinstance(record, EndRecord)
    plain, end = msgspec.msgpack.decode(record.raw), decode_end(record.raw)
    terms = _terms(match)
    for field, value in plain.items():
        changes = list(others(value))
        if field == "how":
            changes += [(word, word) for word in ("played", "stand-in", "forfeit", "unfinished") if word != value]
        if field == "r" and value is not None:
            changes += _inside(value)
        for how, other in changes:
            raw = canonical({**plain, field: other})
            yield f"end.{field} | {how} | {place}", _put(match.records, place, EndRecord(raw, record.signatures))
    for how, raw in (("longer", record.raw + b"\0"), ("another order", _reordered(record.raw))):
        yield f"end.raw | {how} | {place}", _put(match.records, place, EndRecord(raw, record.signatures))
    for how, marks in others(record.signatures):
        yield f"end.signatures | {how} | {place}", _put(match.records, place, EndRecord(record.raw, marks))
    first = match.records[1]
    assert isinstance(first, EntryRecord)
    m = decode(DealerMessage, first.messages[0][0]).m
    for peer in range(len(terms.peers)):
        mark = Mark(m, peer, end.h, end.d)

        def made(signature: bytes, peer: int = peer) -> Records:
            marks = (*record.signatures[:peer], signature, *record.signatures[peer + 1 :])
            return _put(match.records, place, EndRecord(record.raw, marks))

        for field in ("m", "p", "h", "d"):
            for how, value in others(getattr(mark, field)):
                raw = encode(replace(mark, **{field: value}))
                yield f"final.{field} | {how} | {place}", made(_sign("final", raw, peer))
        if record.signatures[peer]:
            for how, signature in _marks("final", encode(mark), record.signatures[peer], peer):
                yield f"final.signature | {peer} {how} | {place}", made(signature)


# ---- records


def _of_records(match: Match, per: int) -> Change:
    records, twin = match.records, match.twin
    kinds: dict[str, list[int]] = {}
    for place, record in enumerate(records):
        kinds.setdefault(type(record).__name__, []).append(place)
    for name, places in kinds.items():
        for place in spread(places, 2 * per):
            for how, made in _rearranged(records, twin, place):
                yield f"record.{name} | {how} | {place}", made
    entries = kinds["EntryRecord"]
    for place in spread(entries, 3 * per):
        for how, made in _of_entry(records, twin, place, entries):
            yield f"entry.messages | {how} | {place}", made
    frame = next(record for record in records if isinstance(record, FrameRecord))
    author = _terms(match).seats[decode(Frame, frame.raw).s].peer
    again = SignedRecord("frame", author, frame.raw, frame.signature)
    yield f"record.SignedRecord | after the end | {len(records)}", [*records, again]
    yield f"record.SignedRecord | in the middle | {len(records) // 2}", [*records[:-3], again, *records[-3:]]


def _rearranged(records: Sequence[Record], twin: Sequence[Record], place: int) -> Iterator[tuple[str, Records]]:
    yield "left out", [*records[:place], *records[place + 1 :]]
    yield "doubled", [*records[: place + 1], *records[place:]]
    yield "the file ends before it", list(records[:place]) or [records[-1]]
    yield "moved to the end", [*records[:place], *records[place + 1 :], records[place]]
    if place + 1 < len(records):
        yield "exchanged with the next", [*records[:place], records[place + 1], records[place], *records[place + 2 :]]
    if place < len(twin) and type(twin[place]) is type(records[place]):
        yield "of the next match", _put(records, place, twin[place])
    if place:
        yield "the next match from here on", [*records[:place], *twin[place:]]


def _of_entry(
    records: Sequence[Record], twin: Sequence[Record], place: int, entries: Iterable[int]
) -> Iterator[tuple[str, Records]]:
    record = records[place]
    assert isinstance(record, EntryRecord)
    parts = record.messages

    def made(messages: tuple[tuple[bytes, bytes], ...], action: bytes = b"") -> Records:
        return _put(records, place, EntryRecord(messages, action))

    yield "an action beside them", made(parts, b"\x92\xa5mixed\x01")
    yield "an action of one byte", made(parts, b"\0")
    yield "the last twice", made((*parts, parts[-1]))
    if len(parts) > 1:
        yield "the last left out", made(parts[:-1])
        yield "the first left out", made(parts[1:])
        yield "another order", made((parts[1], parts[0], *parts[2:]))
        halves = EntryRecord(parts[:1]), EntryRecord(parts[1:])
        yield "in two records", [*records[:place], *halves, *records[place + 1 :]]
    for other in entries:
        if other != place:
            foreign = records[other]
            assert isinstance(foreign, EntryRecord)
            yield "one of another entry", made((*parts[:-1], foreign.messages[-1]))
            yield "one of another entry more", made((*parts, foreign.messages[0]))
            break
    if place < len(twin):
        foreign = twin[place]
        if isinstance(foreign, EntryRecord):
            yield "one of the next match", made((foreign.messages[0], *parts[1:]))
