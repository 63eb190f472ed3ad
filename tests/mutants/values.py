"""Other values of a type: what a field might hold instead, found by walking the msgspec structs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from msgspec import inspect

from kontor_games.net.sealed.algebra.group import base

POINT = bytes(base(5))  # of the right group, and nobody's


class Other(NamedTuple):
    """A field by its path, what was done to it, and the value around it with that field another."""

    path: str
    how: str
    value: Any


def others(value: Any) -> Iterator[tuple[str, Any]]:
    """Other plain values of the same type, and some of another."""
    match value:
        case bool():
            yield "not", not value
            yield "a number", int(value)
        case int():
            yield "+1", value + 1
            yield "0", 0
            yield "-1", -1
            yield "2^31", 2**31
            yield "a bool", bool(value)
        case str():
            yield "longer", value + "x"
            yield "empty", ""
            yield "much longer", value + "x" * 300
            yield "another line", value + "\n"
            yield "bytes", value.encode()
        case bytes():
            yield from _other_bytes(value)
        case list():
            yield "doubled", [*value, *value[-1:]]
            yield "shorter", value[:-1]
            yield "reversed", value[::-1]
        case None:
            yield "32 bytes", bytes(32)
        case dict():
            yield "a key more", {**value, "zz": 1}
            yield "another order", dict(reversed(value.items()))
            yield "a key less", dict(list(value.items())[:-1])


def _other_bytes(value: bytes) -> Iterator[tuple[str, bytes | str]]:
    yield "a byte longer", value + b"\0"
    if not value:
        return
    yield "first bit", bytes([value[0] ^ 1]) + value[1:]
    yield "last bit", value[:-1] + bytes([value[-1] ^ 0x10])
    yield "a byte shorter", value[:-1]
    if len(value) % 32 == 0:
        yield "zero", bytes(32) + value[32:]
        yield "a point", POINT + value[32:]
        yield "32 shorter", value[:-32]
        yield "32 longer", value + value[-32:]
    if len(value) > 32:
        yield "exchanged", value[32:64] + value[:32] + value[64:]


def inside(info: inspect.Type, value: Any, path: str) -> Iterator[Other]:
    """This value with itself, or anything in it, another."""
    match info:
        case inspect.UnionType(types=types):
            yield from inside(_member(types, value), value, path)
            if value is not None and any(isinstance(each, inspect.NoneType) for each in types):
                yield Other(path, "nil", None)
            return
        case inspect.LiteralType(values=values):
            yield from (Other(path, f"{each}", each) for each in values if each != value)
    yield from (Other(path, how, other) for how, other in others(value) if not _is_same(value, other))
    for name, key, part in _parts(info, value):
        for other in inside(part, value[key], f"{path}.{name}" if name else path):
            yield Other(other.path, f"{key} {other.how}", _with(value, key, other.value))


def _member(types: Iterable[inspect.Type], value: Any) -> inspect.Type:
    """The member of a union that can have parts, unless the value is nil."""
    found = [each for each in types if not isinstance(each, inspect.NoneType)]
    return inspect.AnyType() if value is None or len(found) > 1 else found[0]


def _parts(info: inspect.Type, value: Any) -> Iterator[tuple[str, Any, inspect.Type]]:
    """The name, the key and the type of each part that this value has; elements of an array have no name."""
    match info:
        case inspect.StructType(array_like=True, fields=fields, tag=tag):
            for key, field in enumerate(fields, tag is not None):
                yield field.encode_name, key, field.type
        case inspect.StructType(fields=fields):
            yield from ((each.encode_name, each.encode_name, each.type) for each in fields if each.encode_name in value)
        case inspect.VarTupleType(item_type=item):
            yield from (("", key, item) for key in range(len(value)))
        case inspect.TupleType(item_types=items):
            yield from ((str(key), key, item) for key, item in enumerate(items))
        case inspect.DictType(value_type=item):
            yield from ((key, key, item) for key in value)


def _with(value: Any, key: Any, part: Any) -> Any:
    if isinstance(value, dict):
        return {**value, key: part}
    return [*value[:key], part, *value[key + 1 :]]


def _is_same(value: Any, other: Any) -> bool:
    return type(value) is type(other) and bool(value == other) and list_of(value) == list_of(other)


def list_of(value: Any) -> list[Any]:
    """The parts of a plain value in their order."""
    return list(value.items()) if isinstance(value, dict) else [value]


def paths(info: inspect.Type, path: str) -> Iterator[str]:
    """The paths of all fields that a type has, by its definition alone."""
    yield path
    match info:
        case inspect.UnionType(types=types):
            for each in types:
                yield from (found for found in paths(each, path) if found != path)
        case inspect.StructType(fields=fields):
            for field in fields:
                yield from paths(field.type, f"{path}.{field.encode_name}")
        case inspect.VarTupleType(item_type=item):
            yield from (found for found in paths(item, path) if found != path)
        case inspect.TupleType(item_types=items):
            for key, item in enumerate(items):
                yield from paths(item, f"{path}.{key}")


def bounded(found: Iterable[Other], limit: int | None, turn: int) -> Iterator[Other]:
    """At most `limit` changes of each path; `turn` says where to begin, so that all kinds have their turn."""
    groups: dict[str, list[Other]] = {}
    for other in found:
        groups.setdefault(other.path, []).append(other)
    for group in groups.values():
        if limit is None or len(group) <= limit:
            yield from group
        else:
            yield from (group[(turn * limit + k) % len(group)] for k in range(limit))
