"""Copies and fingerprints of machines, so that one state can be left in many ways.

A session holds functions that remember it (what is to follow when a worker has finished), so `copy.deepcopy` would
leave a copy that acts on the original. Here functions, methods and partials are copied with what they close over.
Values that nobody changes are shared: the engine's states, signed messages, facts, bytes.

A fingerprint says when two machines are in the same state. It covers every attribute except those in `SKIPPED`,
which follow from others; a new attribute counts by itself, so at worst two equal states are taken for different ones.
"""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Callable
from functools import partial
from hashlib import blake2b
from types import BuiltinFunctionType, CellType, FunctionType, MethodType, ModuleType
from typing import Any, TypeVar

from msgspec import Raw, Struct

from kontor_games.engine.core.stream import Stream
from kontor_games.net.ledger.places import Place
from kontor_games.net.sealed import events

T = TypeVar("T")

_ATOMS: set[type] = {int, str, bytes, bool, float, type(None), type, ModuleType, BuiltinFunctionType, Raw, memoryview}
_OURS = ("kontor_games.engine.", "kontor_games.net.wire.identity", "kontor_games.net.wire.terms")
_SHARED_ROOTS = ("msgspec", "nacl", "cryptography", *_OURS)
_VALUES = {"Slot", "DealtShares", "MixPlan", "SharePlan", "MovePlan"}  # dataclasses of net.sealed that hold values only
_SHARED: dict[type, bool] = {}
_SLOTS: dict[type, tuple[str, ...]] = {}

SKIPPED = frozenset(
    {
        "items",  # the tip is their hash
        "_tips",
        "past",
        "_judged",  # caches of what the state says
        "_drafted",
        "game",
        "terms_raw",
        "terms",
        "_signer",
    }
)


def _is_shared(kind: type) -> bool:
    """Whether objects of this type are never changed by anybody."""
    known = _SHARED.get(kind)
    if known is None:
        if kind in _ATOMS or kind is Place or issubclass(kind, enum.Enum | type | ModuleType):
            known = True
        elif issubclass(kind, Struct):
            known = bool(kind.__struct_config__.frozen) and kind.__name__ != "Work"
        elif kind.__module__.startswith("kontor_games.net.sealed."):
            known = kind.__name__ in _VALUES or kind is events.SignedBody
        else:
            known = f"{kind.__module__}.".startswith(_SHARED_ROOTS) and kind is not Stream
        _SHARED[kind] = known
    return known


def _slots(kind: type) -> tuple[str, ...]:
    known = _SLOTS.get(kind)
    if known is None:
        found: list[str] = []
        for base in kind.__mro__:
            slots = base.__dict__.get("__slots__", ())
            found += [slots] if isinstance(slots, str) else slots
        known = _SLOTS[kind] = tuple(name for name in found if name not in ("__dict__", "__weakref__"))
    return known


class Copier:
    """One copy: what was reached twice is copied once."""

    def __init__(self) -> None:
        self._done: dict[int, Any] = {}

    def copy(self, value: T) -> T:
        """The copy of a value, or the value itself if nobody can change it."""
        kind = type(value)
        if _is_shared(kind):
            return value
        done = self._done.get(id(value))
        if done is None:
            done = _COPY.get(kind, Copier._object)(self, value)
            self._done[id(value)] = done
        return done  # type: ignore[no-any-return]

    def _list(self, value: list[Any]) -> list[Any]:
        made: list[Any] = []
        self._done[id(value)] = made
        made.extend([v if _SHARED.get(type(v)) else self.copy(v) for v in value])
        return made

    def _dict(self, value: dict[Any, Any]) -> dict[Any, Any]:
        made: dict[Any, Any] = {}
        self._done[id(value)] = made
        for k, v in value.items():
            made[k if _SHARED.get(type(k)) else self.copy(k)] = v if _SHARED.get(type(v)) else self.copy(v)
        return made

    def _set(self, value: set[Any]) -> set[Any]:
        return {self.copy(v) for v in value}

    def _frozenset(self, value: frozenset[Any]) -> frozenset[Any]:
        return frozenset(self.copy(v) for v in value)

    def _deque(self, value: deque[Any]) -> deque[Any]:
        return deque((self.copy(v) for v in value), value.maxlen)

    def _tuple(self, value: tuple[Any, ...]) -> tuple[Any, ...]:
        made = tuple([v if _SHARED.get(type(v)) else self.copy(v) for v in value])
        return value if all(a is b for a, b in zip(made, value, strict=True)) else made

    def _function(self, value: FunctionType) -> FunctionType:
        if value.__closure__ is None:
            return value
        cells = tuple(CellType() for _ in value.__closure__)
        made = FunctionType(value.__code__, value.__globals__, value.__name__, value.__defaults__, cells)
        made.__kwdefaults__ = value.__kwdefaults__
        self._done[id(value)] = made
        for new, old in zip(cells, value.__closure__, strict=True):
            new.cell_contents = self.copy(old.cell_contents)
        return made

    def _method(self, value: MethodType) -> MethodType:
        return MethodType(value.__func__, self.copy(value.__self__))

    def _partial(self, value: partial[Any]) -> partial[Any]:
        return partial(self.copy(value.func), *map(self.copy, value.args), **self._dict(value.keywords))

    def _object(self, value: Any) -> Any:
        kind = type(value)
        made = kind.__new__(kind) if not issubclass(kind, Struct) else None
        if made is None:  # a struct that holds something changeable
            fields = {name: self.copy(getattr(value, name)) for name in kind.__struct_fields__}
            return kind(**fields)
        self._done[id(value)] = made
        for name in _slots(kind):
            if hasattr(value, name):
                object.__setattr__(made, name, self.copy(getattr(value, name)))
        attributes = getattr(value, "__dict__", None)
        if attributes is not None:
            made.__dict__.update(self._dict(attributes))
        return made


_COPY: dict[type, Callable[[Copier, Any], Any]] = {
    list: Copier._list,
    dict: Copier._dict,
    set: Copier._set,
    frozenset: Copier._frozenset,
    deque: Copier._deque,
    tuple: Copier._tuple,
    FunctionType: Copier._function,
    MethodType: Copier._method,
    partial: Copier._partial,
}


def copied(value: T) -> T:
    """A copy that shares nothing changeable with the original."""
    return Copier().copy(value)


def fingerprint(value: object) -> bytes:
    """Sixteen bytes that are equal for machines in the same state."""
    out: list[bytes] = []
    _Walk(out).walk(value)
    return blake2b(b"".join(out), digest_size=16).digest()


class _Walk:
    def __init__(self, out: list[bytes]) -> None:
        self._out = out
        self._seen: dict[int, int] = {}

    def walk(self, value: Any) -> None:
        out = self._out
        kind = type(value)
        if kind is bytes:
            out.append(b"b%d:" % len(value))
            out.append(value)
        elif kind in (int, str, bool, float, type(None)):
            out.append(repr(value).encode())
        elif kind in (tuple, list, deque):
            out.append(b"(")
            for each in value:
                self.walk(each)
            out.append(b")")
        elif kind is dict:
            out.append(b"{")
            for k, v in value.items():
                self.walk(k)
                self.walk(v)
            out.append(b"}")
        elif kind in (set, frozenset):
            out.append(b"<")
            out.extend(sorted(fingerprint(each) for each in value))
            out.append(b">")
        else:
            self._object(value, kind)

    def _object(self, value: Any, kind: type) -> None:
        out = self._out
        number = self._seen.get(id(value))
        if number is not None:
            out.append(b"@%d" % number)
            return
        self._seen[id(value)] = len(self._seen)
        out.append(kind.__name__.encode())
        if issubclass(kind, Struct):
            for name in kind.__struct_fields__:
                self.walk(getattr(value, name))
        elif kind is FunctionType:
            out.append(value.__qualname__.encode())
            for cell in value.__closure__ or ():
                self.walk(cell.cell_contents)
        elif kind is MethodType:
            out.append(value.__func__.__qualname__.encode())
            self.walk(value.__self__)
        elif kind is partial:
            for each in (value.func, value.args, value.keywords):
                self.walk(each)
        elif kind is Raw:
            out.append(bytes(value))
        elif kind.__module__.startswith("kontor_games.engine."):
            out.append(repr(value).encode() if kind.__name__ == "Want" else b"")  # the digest stands for states
        else:
            for name in _slots(kind):
                if hasattr(value, name):
                    self.walk(getattr(value, name))
            for name, each in getattr(value, "__dict__", {}).items():
                if name not in SKIPPED:
                    out.append(name.encode())
                    self.walk(each)
