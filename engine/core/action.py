"""Typed actions and events, and the decoder that refuses anything else.

On the wire an action is a msgpack array: its tag, the acting seat, its other fields in order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import Any

import msgspec

from kontor_games.engine.errors import MalformedAction

from .chance import CHANCE_TYPES, Chance
from .digest import canonical
from .value import Seat, Value

MAX_ACTION_BYTES = 16 * 1024  # the largest is a chance action that opens many cards


class Action(Value, frozen=True):
    """One decision of one seat."""

    seat: Seat


class Event(Value, frozen=True):
    """A fact that everybody may know; clients make the sentence."""


def event_dict(event: Event) -> dict[str, Any]:
    """An event as plain data for clients: its name, then its fields by name."""
    fields = {name: msgspec.to_builtins(getattr(event, name)) for name in event.__struct_fields__}
    return {"event": type(event).__name__, **fields}


class ActionCodec:
    """Bytes <-> actions of one game, chance actions included."""

    def __init__(self, types: Iterable[type[Action]]) -> None:
        self._types: dict[str, type[Value]] = {}
        every: tuple[type[Value], ...] = (*types, *CHANCE_TYPES)
        for cls in every:
            tag = cls.__struct_config__.tag
            assert isinstance(tag, str) and tag not in self._types, f"{cls.__name__} needs a tag of its own"
            self._types[tag] = cls
        union: Any = reduce(or_, every)
        self._decoder: msgspec.msgpack.Decoder[Any] = msgspec.msgpack.Decoder(union)

    encode = staticmethod(canonical)

    def decode(self, raw: bytes) -> Action | Chance:
        """The action in `raw`; raises MalformedAction naming the field and the value otherwise."""
        if len(raw) > MAX_ACTION_BYTES:
            raise MalformedAction(f"an action has at most {MAX_ACTION_BYTES} bytes, not {len(raw)}")
        try:
            action: Action | Chance = self._decoder.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise MalformedAction(self._explain(raw, str(error))) from None
        if canonical(action) != raw:
            raise MalformedAction(f"{type(action).__name__}: not in the shortest encoding: {raw[:40].hex()}")
        return action

    def _explain(self, raw: bytes, complaint: str) -> str:
        """Turn «Expected `int`, got `str` - at `$[2]`» into the field's name and the value found."""
        try:
            found = msgspec.msgpack.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return f"not msgpack: {complaint}: {raw[:40].hex()}"
        if not isinstance(found, list) or not found:
            return f"an action is an array, not {_short(found)}"
        cls = self._types.get(found[0]) if isinstance(found[0], str) else None
        if cls is None:
            return f"unknown action {_short(found[0])}; known: {', '.join(sorted(self._types))}"
        said, _, where = complaint.partition(" - at `$")
        indexes = [int(i) for i in re.findall(r"\[(\d+)\]", where)]
        if not indexes:
            return f"{found[0]}: {said} in {_short(found)}; fields: {', '.join(cls.__struct_fields__) or 'none'}"
        value: Any = found
        for index in indexes:
            value = value[index] if isinstance(value, list) and index < len(value) else None
        name = cls.__struct_fields__[indexes[0] - 1] + "".join(f"[{i}]" for i in indexes[1:])
        return f"{found[0]}.{name}: {said}, found {_short(value)}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
