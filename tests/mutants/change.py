"""One signed thing is another, and everything around it is signed again with the true keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import msgspec
from msgspec import Raw, inspect
from msgspec.structs import replace

from kontor_games import engine
from kontor_games.engine.core.digest import canonical
from kontor_games.engine.core.stream import H
from kontor_games.net.record.chain_records import SealedEnd, decode_end
from kontor_games.net.record.transcript import EndRecord, EntryRecord, FrameRecord, Record, SignedRecord, TermsRecord
from kontor_games.net.sealed import bodies
from kontor_games.net.wire.chain import DealerMessage, Frame, Mark, decode, encode
from kontor_games.net.wire.identity import Kind
from kontor_games.net.wire.terms import Terms
from tests.worlds.match_files import body_of, frame_of, packed, sign_dealer, terms_of
from tests.worlds.world import identity

from .matches import Match
from .resign import signed_on
from .values import Other, bounded, inside, others

Records: TypeAlias = list[Record]
LATER = {  # fields of terms that may be absent, with a value that they might have
    "grace": 600,
    "guests": [0],
    "rated": ["spring", None],
    "pace": ["live", 60],
    "package": ["kontor-go", "1.0", bytes(32)],
}
BODIES = {str(cls.__struct_config__.tag): inspect.type_info(cls) for cls in bodies.TYPES}


@dataclass(frozen=True)
class Mutant:
    """A file that differs from a match in one thing; it is made when it is asked for."""

    match: str
    field: str  # kind and path: «frame.u.r»
    how: str
    make: Callable[[], Records]

    @property
    def label(self) -> str:
        return f"{self.match} | {self.field} | {self.how}"

    @property
    def data(self) -> bytes:
        return packed(self.make())


@dataclass(frozen=True)
class Bounds:
    """How much of everything: places of each kind of record, and changes of each field there (None: all)."""

    places: int = 1
    changes: int | None = None
    turn: int = 0  # with which changes to begin, if not all are made


def mutants(match: Match, bounds: Bounds) -> Iterator[Mutant]:
    """The mutants of one match."""
    for of in (_of_terms, _of_frames, _of_messages, _of_end, _of_records):
        for field, how, make in of(match, bounds):
            yield Mutant(match.name, field, how, make)


Change: TypeAlias = Iterator[tuple[str, str, Callable[[], Records]]]


def spread(found: Sequence[int], count: int) -> list[int]:
    """So many of these, from the first to the last."""
    if len(found) <= count:
        return list(found)
    if count == 1:
        return [found[len(found) // 2]]
    return sorted({found[k * (len(found) - 1) // (count - 1)] for k in range(count)})


def _sign(kind: Kind, raw: bytes, peer: int) -> bytes:
    return identity(peer).sign(kind, raw)


def _put(records: Sequence[Record], place: int, record: Record) -> Records:
    return [*records[:place], record, *records[place + 1 :]]


def wrong_marks(kind: Kind, raw: bytes, mark: bytes, peer: int) -> Iterator[tuple[str, bytes]]:
    """Signatures that are not this peer's under these bytes."""
    yield "empty", b""
    yield "flipped", bytes([mark[0] ^ 1]) + mark[1:] if mark else bytes(64)
    yield "short", mark[:-1] if mark else bytes(63)
    yield "of another peer", _sign(kind, raw, peer + 1)
    yield "of another kind", _sign("ack", raw, peer)


def other_bytes(raw: bytes) -> Iterator[tuple[str, bytes]]:
    """The same map in other bytes, or with other keys."""
    plain = msgspec.msgpack.decode(raw)
    yield "a byte behind it", raw + b"\0"
    yield "a long form", b"\xde\x00" + bytes([raw[0] & 15]) + raw[1:]
    yield from ((how, msgspec.msgpack.encode(other)) for how, other in others(plain))


# ---- terms


def _of_terms(match: Match, bounds: Bounds) -> Change:
    first = match.records[0]
    assert isinstance(first, TermsRecord)
    for other in bounded(terms_changes(first.raw), bounds.changes, bounds.turn):
        yield from _terms_made(match, other.path, other.how, other.value)
    for how, raw in other_bytes(first.raw):
        yield from _terms_made(match, "terms.raw", how, raw)
    for how, marks in others(list(first.signatures)):
        yield "terms.signatures", how, _with_terms(match, TermsRecord(first.raw, tuple(marks)))
    for peer, mark in enumerate(first.signatures):
        for how, wrong in wrong_marks("terms", first.raw, mark, peer):
            marks = (*first.signatures[:peer], wrong, *first.signatures[peer + 1 :])
            yield "terms.signature", f"{peer} {how}", _with_terms(match, TermsRecord(first.raw, marks))


def _terms_made(match: Match, field: str, how: str, raw: bytes) -> Change:
    """Other terms signed by all: before the chain of the true ones, and alone, where nothing but they is judged."""

    def made(rest: Sequence[Record]) -> Records:
        marks = tuple(_sign("terms", raw, peer) for peer in range(len(terms_of(match.records).peers)))
        return [TermsRecord(raw, marks), *rest]

    yield field, how, partial(made, match.records[1:])
    yield field, f"{how}, alone", partial(made, ())


def _with_terms(match: Match, record: TermsRecord) -> Callable[[], Records]:
    return lambda: _put(match.records, 0, record)


def terms_changes(raw: bytes) -> Iterator[Other]:
    """Terms with one field another, as bytes."""
    plain, info = msgspec.msgpack.decode(raw), inspect.type_info(Terms)
    for path, how, value in _terms_values(info, plain):
        yield Other(path, how, msgspec.msgpack.encode(value))


def _terms_values(info: inspect.Type, plain: dict[str, Any]) -> Iterator[Other]:
    yield from (other for other in inside(info, plain, "terms") if other.path != "terms")
    for game in engine.game_ids():
        if game != plain["game"]:
            yield Other("terms.game", game, {**plain, "game": game})
    for field in sorted(LATER.keys() - plain.keys()):
        value = _ordered(info, {**plain, field: LATER[field]})
        yield Other(f"terms.{field}", "added", value)
        added = (other for other in inside(info, value, "terms") if other.path.startswith(f"terms.{field}."))
        yield from (Other(path, f"added, {how}", other) for path, how, other in added)


def _ordered(info: inspect.Type, plain: dict[str, Any]) -> dict[str, Any]:
    assert isinstance(info, inspect.StructType)
    return {field.encode_name: plain[field.encode_name] for field in info.fields if field.encode_name in plain}


# ---- frames


def _of_frames(match: Match, bounds: Bounds) -> Change:
    terms = terms_of(match.records)
    places = [k for k, record in enumerate(match.records) if isinstance(record, FrameRecord)]
    shown = [k for k in places if frame_of(match.records[k]).u is not None]
    whole = {*spread(places, bounds.places), places[-1], *spread(shown, bounds.places)}
    by_action = _places_by_action(match, places)
    for place in sorted({*whole, *by_action.values()}):
        record = match.records[place]
        assert isinstance(record, FrameRecord)
        author = terms.seats[frame_of(record).s].peer
        changes = list(frame_changes(match, place))
        if place not in whole:
            changes = [other for other in changes if other.path.startswith("frame.a.")]
        for path, how, raw in bounded(changes, bounds.changes, bounds.turn + place):
            for who in sorted({author, _claimed(terms, raw, author)}):
                yield path, f"{how}, signed by {who}, {place}", _with_frame(match, place, raw, who)
        if place in whole:
            for how, mark in wrong_marks("frame", record.raw, record.signature, author):
                made = partial(_put, match.records, place, FrameRecord(record.raw, mark))
                yield "frame.signature", f"{how}, {place}", made


def _with_frame(match: Match, place: int, raw: bytes, who: int) -> Callable[[], Records]:
    return lambda: signed_on(match.records, place, FrameRecord(raw, _sign("frame", raw, who)))


def _claimed(terms: Terms, raw: bytes, author: int) -> int:
    """The peer whose seat a changed frame names, if there is such a seat."""
    seat = msgspec.msgpack.decode(raw).get("s") if _is_map(raw) else None
    return terms.seats[seat].peer if type(seat) is int and 0 <= seat < len(terms.seats) else author


def _is_map(raw: bytes) -> bool:
    try:
        return isinstance(msgspec.msgpack.decode(raw), dict)
    except msgspec.DecodeError:
        return False


def _places_by_action(match: Match, places: Sequence[int]) -> dict[str, int]:
    """One frame for each kind of action that somebody took."""
    found: dict[str, list[int]] = {}
    for place in places:
        for raw in frame_of(match.records[place]).a:
            found.setdefault(msgspec.msgpack.decode(raw)[0], []).append(place)
    return {tag: spread(where, 1)[0] for tag, where in found.items()}


def frame_changes(match: Match, place: int) -> Iterator[Other]:
    """The frame at this place with one thing another, as bytes."""
    record = match.records[place]
    assert isinstance(record, FrameRecord)
    plain = msgspec.msgpack.decode(record.raw)
    for path, how, value in _frame_values(match, place, plain):
        yield Other(path, how, canonical(value))
    yield from (Other("frame.raw", how, raw) for how, raw in other_bytes(record.raw))


def _frame_values(match: Match, place: int, plain: dict[str, Any]) -> Iterator[Other]:
    yield from (other for other in inside(inspect.type_info(Frame), plain, "frame") if other.path != "frame")
    twin = next(frame_of(record) for record in match.twin if isinstance(record, FrameRecord))
    yield Other("frame.m", "of the next match", {**plain, "m": twin.m})
    earlier = [frame_of(record) for record in match.records[:place] if isinstance(record, FrameRecord)]
    if earlier:
        yield Other("frame.h", "an earlier tip", {**plain, "h": earlier[-1].h})
        yield Other("frame.d", "an earlier state", {**plain, "d": earlier[-1].d})
        yield Other("frame.a", "an earlier turn", {**plain, "a": msgspec.msgpack.decode(canonical(earlier[0].a))})
    kinds = {cls.__struct_config__.tag: cls for cls in engine.load(match.game).actions}
    for k, action in enumerate(plain["a"]):
        for path, how, other in _action_values(kinds, action):
            yield Other(path, f"{k} {how}", {**plain, "a": [*plain["a"][:k], other, *plain["a"][k + 1 :]]})
    if "u" not in plain:
        yield Other("frame.u", "nil where nothing is shown", {**plain, "u": [None]})
        return
    yield Other("frame.u", "left out", {key: value for key, value in plain.items() if key != "u"})
    for k, opening in enumerate(plain["u"]):
        for path, how, other in _opening_values(opening):
            yield Other(path, f"{k} {how}", {**plain, "u": [*plain["u"][:k], other, *plain["u"][k + 1 :]]})


def _action_values(kinds: dict[Any, Any], action: list[Any]) -> Iterator[Other]:
    tag = action[0]
    yield from inside(inspect.type_info(kinds[tag]), action, f"frame.a.{tag}")
    for other in list(kinds)[:2]:
        if other != tag:
            yield Other(f"frame.a.{tag}", f"called {other}", [other, *action[1:]])


def _opening_values(opening: dict[str, Any] | None) -> Iterator[Other]:
    if opening is None:
        yield Other("frame.u", "a map for a public card", {"r": 1, "S": bytes(32), "c": bytes(32), "s": bytes(32)})
        return
    yield Other("frame.u", "nil", None)
    yield from inside(inspect.type_info(bodies.Opening), opening, "frame.u")


# ---- dealer messages


def _of_messages(match: Match, bounds: Bounds) -> Change:
    found: dict[str, list[tuple[int, int]]] = {}
    for place, record in enumerate(match.records):
        if isinstance(record, EntryRecord):
            for number, (raw, _) in enumerate(record.messages):
                found.setdefault(bodies.kind(body_of(raw)), []).append((place, number))
    for places in found.values():
        for index in spread(range(len(places)), bounds.places):
            yield from _of_message(match, *places[index], bounds)


def _of_message(match: Match, place: int, number: int, bounds: Bounds) -> Change:
    record = match.records[place]
    assert isinstance(record, EntryRecord)
    raw, mark = record.messages[number]
    author = decode(DealerMessage, raw).p
    kind = bodies.kind(body_of(raw))
    for path, how, other in bounded(message_changes(raw), bounds.changes, bounds.turn + place):
        for who in sorted({author, _claimed_peer(other, author)}):
            made = _with_message(match, place, number, (other, _sign("dealer", other, who)))
            yield path, f"{how}, signed by {who}, {place}", made
    for how, wrong in wrong_marks("dealer", raw, mark, author):
        parts = (*record.messages[:number], (raw, wrong), *record.messages[number + 1 :])
        yield f"{kind}.signature", f"{how}, {place}", partial(_put, match.records, place, EntryRecord(parts))


def _claimed_peer(raw: bytes, author: int) -> int:
    """The peer that a changed message names as its author, if there can be such a one."""
    peer = msgspec.msgpack.decode(raw).get("p") if _is_map(raw) else None
    return peer if type(peer) is int and 0 <= peer < 8 else author


def _with_message(match: Match, place: int, number: int, part: tuple[bytes, bytes]) -> Callable[[], Records]:
    """The file with another message at this place, named by its new hash where shares rest on it."""

    def made() -> Records:
        record = match.records[place]
        assert isinstance(record, EntryRecord)
        old, new = (H("msg", raw, size=32) for raw in (record.messages[number][0], part[0]))
        later = (_renamed(each, old, new) for each in record.messages[number + 1 :])
        return signed_on(match.records, place, EntryRecord((*record.messages[:number], part, *later)))

    return made


def _renamed(part: tuple[bytes, bytes], old: bytes, new: bytes) -> tuple[bytes, bytes]:
    message, body = decode(DealerMessage, part[0]), body_of(part[0])
    if not isinstance(body, bodies.Giv) or old not in body.g:
        return part
    return sign_dealer(replace(message, b=Raw(bodies.encode(replace(body, g=body.g.replace(old, new))))), message.p)


def message_changes(raw: bytes) -> Iterator[Other]:
    """A dealer message with one thing another, as bytes."""
    plain = msgspec.msgpack.decode(raw)
    kind = plain["b"]["t"]
    for path, how, value in _message_values(plain, kind):
        yield Other(path, how, canonical(value))
    yield from (Other(f"{kind}.raw", how, other) for how, other in other_bytes(raw))


def _message_values(plain: dict[str, Any], kind: str) -> Iterator[Other]:
    yield from (other for other in inside(inspect.type_info(DealerMessage), plain, kind) if other.path != kind)
    if plain["h"] != plain["m"]:
        yield Other(f"{kind}.h", "the match id", {**plain, "h": plain["m"]})
    body = plain["b"]
    for word in BODIES:
        if word != kind:
            yield Other(f"{kind}.b.t", word, {**plain, "b": {**body, "t": word}})
    for path, how, other in inside(BODIES[kind], body, f"{kind}.b"):
        yield Other(path, how, {**plain, "b": other})


# ---- end


def _of_end(match: Match, bounds: Bounds) -> Change:
    place = len(match.records) - 1
    record = match.records[place]
    if not isinstance(record, EndRecord):
        return
    for path, how, raw in bounded(_end_changes(record.raw), bounds.changes, bounds.turn):
        yield path, how, partial(_put, match.records, place, EndRecord(raw, record.signatures))
    for how, marks in others(list(record.signatures)):
        yield "end.signatures", how, partial(_put, match.records, place, EndRecord(record.raw, tuple(marks)))
    for peer, signature in enumerate(record.signatures):
        for field, how, wrong in _finals(match, record, peer, signature, bounds):
            marks = (*record.signatures[:peer], wrong, *record.signatures[peer + 1 :])
            yield field, f"{peer} {how}", partial(_put, match.records, place, EndRecord(record.raw, marks))


def _end_changes(raw: bytes) -> Iterator[Other]:
    plain = msgspec.msgpack.decode(raw)
    for path, how, value in _end_values(plain):
        yield Other(path, how, canonical(value))
    yield from (Other("end.raw", how, other) for how, other in other_bytes(raw))


def _end_values(plain: dict[str, Any]) -> Iterator[Other]:
    yield from (other for other in inside(inspect.type_info(SealedEnd), plain, "end") if other.path != "end")
    for word in ("played", "stand-in", "forfeit", "unfinished"):
        if word != plain["how"]:
            yield Other("end.how", word, {**plain, "how": word})
    if plain["r"] is not None:
        for path, how, other in inside(inspect.type_info(engine.Result), plain["r"], "end.r"):
            yield Other(path, how, {**plain, "r": other})


def _finals(
    match: Match, record: EndRecord, peer: int, signature: bytes, bounds: Bounds
) -> Iterator[tuple[str, str, bytes]]:
    end = decode_end(record.raw)
    mark = Mark(_match_id(match), peer, end.h, end.d)
    changes = inside(inspect.type_info(Mark), msgspec.msgpack.decode(encode(mark)), "final")
    for path, how, value in bounded(changes, bounds.changes, bounds.turn + peer):
        if path != "final":
            yield path, how, _sign("final", canonical(value), peer)
    for how, wrong in wrong_marks("final", encode(mark), signature, peer):
        if wrong != signature:
            yield "final.signature", how, wrong


def _match_id(match: Match) -> bytes:
    first = match.records[1]
    assert isinstance(first, EntryRecord)
    return decode(DealerMessage, first.messages[0][0]).m


# ---- records


def _of_records(match: Match, bounds: Bounds) -> Change:
    records, twin = match.records, match.twin
    kinds: dict[str, list[int]] = {}
    for place, record in enumerate(records):
        kinds.setdefault(str(record.__struct_config__.tag), []).append(place)
    for name, places in kinds.items():
        for place in spread(places, 2 * bounds.places):
            for how, made in _rearranged(records, twin, place):
                yield f"record.{name}", f"{how}, {place}", made
    for place in spread(kinds["entry"], 3 * bounds.places):
        for field, how, made in _of_entry(records, twin, place, kinds["entry"]):
            yield field, f"{how}, {place}", made
    frame = next(record for record in records if isinstance(record, FrameRecord))
    again = SignedRecord("frame", terms_of(records).seats[frame_of(frame).s].peer, frame.raw, frame.signature)
    yield "record.signed", "at the end", lambda: [*records, again]
    yield "record.signed", "in the middle", lambda: [*records[:-3], again, *records[-3:]]


def _rearranged(
    records: Sequence[Record], twin: Sequence[Record], place: int
) -> Iterator[tuple[str, Callable[[], Records]]]:
    before, here, after = records[:place], records[place], records[place + 1 :]
    yield "doubled", lambda: [*before, here, here, *after]
    yield "the file ends before it", lambda: list(before) or [records[-1]]
    if after:
        yield "left out", lambda: [*before, *after]
        yield "moved to the end", lambda: [*before, *after, here]
        yield "exchanged with the next", lambda: [*before, after[0], here, *after[1:]]
    if place < len(twin) and type(twin[place]) is type(here):
        yield "of the next match", lambda: _put(records, place, twin[place])
    if place:
        yield "the next match from here on", lambda: [*before, *twin[place:]]


def _of_entry(records: Sequence[Record], twin: Sequence[Record], place: int, entries: Sequence[int]) -> Change:
    record = records[place]
    assert isinstance(record, EntryRecord)
    parts = record.messages

    def made(messages: tuple[tuple[bytes, bytes], ...], action: bytes = b"") -> Callable[[], Records]:
        return partial(_put, records, place, EntryRecord(messages, action))

    yield "entry.action", "a chance action", made(parts, b"\x92\xa5mixed\x01")
    yield "entry.action", "one byte", made(parts, b"\0")
    yield "entry.messages", "the last twice", made((*parts, parts[-1]))
    if len(parts) > 1:
        yield "entry.messages", "the last left out", made(parts[:-1])
        yield "entry.messages", "the first left out", made(parts[1:])
        yield "entry.messages", "another order", made((parts[1], parts[0], *parts[2:]))
        halves = EntryRecord(parts[:1]), EntryRecord(parts[1:])
        yield "entry.messages", "in two records", lambda: [*records[:place], *halves, *records[place + 1 :]]
    foreign = records[next(other for other in entries if other != place)]
    assert isinstance(foreign, EntryRecord)
    yield "entry.messages", "one of another entry", made((*parts[:-1], foreign.messages[-1]))
    yield "entry.messages", "one of another entry more", made((*parts, foreign.messages[0]))
    if place < len(twin) and isinstance(of_twin := twin[place], EntryRecord):
        yield "entry.messages", "one of the next match", made((of_twin.messages[0], *parts[1:]))
