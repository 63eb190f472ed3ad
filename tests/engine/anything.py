"""Random values that are well typed but mean nothing: what a hostile peer may send."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import inspect

Below = Callable[[int], int]


def any_action(cls: type[Any], seat: int, below: Below) -> Any:
    """An action of this class by this seat with random fields."""
    info = inspect.type_info(cls)
    assert isinstance(info, inspect.StructType)
    values = [any_value(field.type, below) for field in info.fields[1:]]
    return cls(seat, *values)


def any_chance(cls: type[Any], below: Below) -> Any:
    """A chance action of this class with random fields."""
    info = inspect.type_info(cls)
    assert isinstance(info, inspect.StructType)
    return cls(*(any_value(field.type, below) for field in info.fields))


def any_value(kind: inspect.Type, below: Below) -> Any:
    """A value of this type; numbers are mostly small, sometimes at their bounds."""
    match kind:
        case inspect.IntType():
            return _number(kind, below)
        case inspect.StrType():
            return ("", "a", "lübeck", "\x00", "x" * 40)[below(5)]
        case inspect.BytesType():
            length = kind.min_length or below(4)
            return bytes(below(256) for _ in range(length))
        case inspect.BoolType():
            return below(2) == 1
        case inspect.NoneType():
            return None
        case inspect.UnionType():
            return any_value(kind.types[below(len(kind.types))], below)
        case inspect.VarTupleType():
            return tuple(any_value(kind.item_type, below) for _ in range(below(4)))
        case inspect.TupleType():
            return tuple(any_value(item, below) for item in kind.item_types)
        case inspect.StructType():
            return kind.cls(*(any_value(field.type, below) for field in kind.fields))
        case inspect.LiteralType():
            return kind.values[below(len(kind.values))]
        case _:
            raise AssertionError(f"actions hold no {kind}")


def _number(kind: inspect.IntType, below: Below) -> int:
    least = kind.ge if kind.ge is not None else (kind.gt + 1 if kind.gt is not None else -(2**31))
    most = kind.le if kind.le is not None else (kind.lt - 1 if kind.lt is not None else 2**31 - 1)
    match below(8):
        case 0:
            value = most
        case 1:
            value = least
        case 2:
            value = least + below(most - least + 1)
        case 3:
            value = below(200)
        case 4:
            value = below(40)
        case _:
            value = below(8)
    return int(min(max(value, least), most))


def fields_of(state: object) -> list[tuple[str, object]]:
    """Every value inside a state with its path, depth first."""
    found: list[tuple[str, object]] = []

    def walk(path: str, value: object) -> None:
        found.append((path, value))
        if isinstance(value, msgspec.Struct):
            for name in value.__struct_fields__:
                walk(f"{path}.{name}", getattr(value, name))
        elif isinstance(value, tuple):
            for index, item in enumerate(value):
                walk(f"{path}[{index}]", item)

    walk("state", state)
    return found
