"""Which fields are signed: read off the msgspec structs, so that a field added there is demanded here."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct, inspect

from kontor_games import engine
from kontor_games.net.record.chain_records import SealedEnd
from kontor_games.net.record.transcript import EndRecord, EntryRecord, FrameRecord, SignedRecord, TermsRecord
from kontor_games.net.sealed import bodies
from kontor_games.net.wire.chain import Chat, DealerMessage, Frame, Mark
from kontor_games.net.wire.terms import Terms

from .values import paths

RECORDS: tuple[type[Struct], ...] = (TermsRecord, FrameRecord, EntryRecord, EndRecord)
KINDS = tuple(str(cls.__struct_config__.tag) for cls in bodies.TYPES)
SHOWS_NOTHING = next(field.default for field in dataclasses.fields(engine.Game) if field.name == "opens")


def demanded(game: engine.Game[Any], actions: Iterable[str]) -> set[str]:
    """Every field of every kind of record in the files of a game, and of these kinds of actions."""
    found = {*_fields(Terms, "terms"), *_fields(Frame, "frame"), *_fields(SealedEnd, "end"), *_fields(Mark, "final")}
    found |= {f"terms.options.{option.id}" for option in game.options}
    found |= {"terms.signature", "final.signature", *_fields(engine.Result, "end.r")}
    if game.opens is not SHOWS_NOTHING:
        found |= set(_fields(bodies.Opening, "frame.u"))
    for kind in _kinds_in_files(game):
        found |= {*_of_kind(kind), f"{kind}.signature"}
    for record in RECORDS:
        tag = str(record.__struct_config__.tag)
        found |= {f"record.{tag}", *(f"{tag}.{field}" for field in record.__struct_fields__)}
    classes = {cls.__struct_config__.tag: cls for cls in game.actions}
    for tag in actions:
        found |= {f"frame.a.{tag}", *_fields(classes[tag], f"frame.a.{tag}")}
    return found


def demanded_of_evidence() -> set[str]:
    """Every field of every kind of message that evidence may show, and of the record that shows it."""
    found = {*_fields(Frame, "frame"), *_fields(bodies.Opening, "frame.u"), *_fields(SignedRecord, "record")}
    found |= {*_fields(Mark, "ack"), *_fields(Mark, "final"), *_fields(Chat, "chat")}
    for kind in KINDS:
        found |= set(_of_kind(kind))
    return {f"signed.{field}" for field in found}


def _fields(cls: type[Struct], name: str) -> Iterator[str]:
    return (path for path in paths(inspect.type_info(cls), name) if path != name)


def _of_kind(kind: str) -> Iterator[str]:
    yield from _fields(DealerMessage, kind)
    yield from _fields(bodies.TYPES[KINDS.index(kind)], f"{kind}.b")
    yield from (f"{kind}.b.t", f"{kind}.raw")


def _kinds_in_files(game: engine.Game[Any]) -> list[str]:
    """The kinds of dealer messages that a file can hold: a complaint never closes an entry."""
    without = {"cmp"} if _hands_cards_on(game) else {"cmp", "rky"}
    return [kind for kind in KINDS if kind not in without]


def _hands_cards_on(game: engine.Game[Any]) -> bool:
    """Whether the rules of a game ever ask a seat to hand a hidden card on."""
    rules = Path(engine.__file__).parent / "games" / game.id
    return any("desk.move(" in path.read_text("utf-8") for path in sorted(rules.glob("*.py")))
