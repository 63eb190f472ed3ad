"""The kinds of values that states, actions and events are made of."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

Seat = Annotated[int, Meta(ge=0, le=7)]
Index = Annotated[int, Meta(ge=0, le=0xFFFF)]
Number = Annotated[int, Meta(ge=-(2**31), lt=2**31)]
Slot = Annotated[int, Meta(ge=0, lt=2**31)]
Face = Annotated[int, Meta(ge=0, le=1023)]
Bytes32 = Annotated[bytes, Meta(min_length=32, max_length=32)]

Known = dict[int, int]  # slot -> face: what one seat knows beside the state


class Value(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """An immutable record; on the wire a plain msgpack array of its fields in order (ADR 2)."""
