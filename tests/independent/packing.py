"""MessagePack in its one encoding: what is not the shortest form of plain data is not a value at all."""

from __future__ import annotations

from typing import Any

import msgpack  # type: ignore[import-untyped]

MAX_DEPTH = 32


class Malformed(ValueError):
    """Bytes that are not the one encoding of a plain value."""


def pack(value: object) -> bytes:
    """The one encoding of a plain value."""
    packed = msgpack.packb(value, use_bin_type=True)
    assert isinstance(packed, bytes)
    return packed


def unpack(raw: bytes) -> Any:
    """The value in `raw`: no floats, no extension types, text keys only, shortest forms, nothing behind it."""
    try:
        value = msgpack.unpackb(raw, raw=False, strict_map_key=True)
        _check_plain(value, 0)
        again = pack(value)
    except Malformed:
        raise
    except Exception as error:  # msgpack raises half a dozen kinds of errors
        raise Malformed(f"not MessagePack: {error}") from None
    if again != raw:
        raise Malformed("not in the shortest encoding")
    return value


def loosely(raw: bytes) -> Any:
    """The value in `raw` in whatever encoding, or Malformed: enough to ask which version this is."""
    try:
        return msgpack.unpackb(raw, raw=False, strict_map_key=False)
    except Exception as error:  # msgpack raises half a dozen kinds of errors
        raise Malformed(f"not MessagePack: {error}") from None


def _check_plain(value: object, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise Malformed("nested too deeply")
    kind = type(value)
    if value is None or kind in (bool, int, str, bytes):
        return
    if isinstance(value, list):
        for each in value:
            _check_plain(each, depth + 1)
    elif isinstance(value, dict):
        for key, each in value.items():
            if type(key) is not str:
                raise Malformed("a key of a map is text")
            _check_plain(each, depth + 1)
    else:
        raise Malformed(f"{kind.__name__} is not a plain value")
