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
from collections.abc import Callable, Iterable
from functools import partial
from hashlib import blake2b
from marshal import dumps
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
_PLAIN = {int, str, bytes, bool, float, type(None)}
_CONTAINERS = {tuple, list, dict, set, frozenset, deque}
PLAIN = 2  # the form of `marshal` that knows values only, not which of them are one object
PRINTS = 100_000
_PRINTS: dict[int, tuple[object, bytes]] = {}  # by id, with the value, which so stays where it is

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


def _are_shared(values: Iterable[object]) -> bool:
    """Whether all of these are known to be never changed."""
    return all(map(_SHARED.get, map(type, values)))


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
        if _are_shared(value):
            return value[:]
        made: list[Any] = []
        self._done[id(value)] = made
        made.extend([v if _SHARED.get(type(v)) else self.copy(v) for v in value])
        return made

    def _dict(self, value: dict[Any, Any]) -> dict[Any, Any]:
        if _are_shared(value) and _are_shared(value.values()):
            return value.copy()
        made: dict[Any, Any] = {}
        self._done[id(value)] = made
        for k, v in value.items():
            made[k if _SHARED.get(type(k)) else self.copy(k)] = v if _SHARED.get(type(v)) else self.copy(v)
        return made

    def _set(self, value: set[Any]) -> set[Any]:
        return value.copy() if _are_shared(value) else {self.copy(v) for v in value}

    def _frozenset(self, value: frozenset[Any]) -> frozenset[Any]:
        return value if _are_shared(value) else frozenset(self.copy(v) for v in value)

    def _deque(self, value: deque[Any]) -> deque[Any]:
        return value.copy() if _are_shared(value) else deque((self.copy(v) for v in value), value.maxlen)

    def _tuple(self, value: tuple[Any, ...]) -> tuple[Any, ...]:
        if _are_shared(value):
            return value
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
            into = made.__dict__
            for name, each in attributes.items():
                into[name] = each if _SHARED.get(type(each)) else self.copy(each)
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
    return blake2b(dumps(_Walk().plain(value), PLAIN), digest_size=16).digest()


class _Walk:
    """A machine as nested plain values, of which `marshal` makes bytes.

    A container that holds nothing else is made bytes at once. What nobody changes is known by a digest that is kept
    (`_PRINTS`): it counts by its value, wherever it stands. A machine that was met before counts by its number.
    """

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}

    def plain(self, value: Any) -> Any:
        kind = type(value)
        if kind in _PLAIN:
            return value
        if kind in _CONTAINERS:
            try:
                return "plain", dumps(value, PLAIN)
            except ValueError:
                return self._container(value, kind)
        if not _is_shared(kind):
            return self._object(value, kind)
        known = _PRINTS.get(id(value))
        if known is None:
            if len(_PRINTS) >= PRINTS:
                _PRINTS.clear()
            made = blake2b(dumps(_Walk()._object(value, kind), PLAIN), digest_size=16).digest()
            known = _PRINTS[id(value)] = value, made
        return "value", known[1]

    def _container(self, value: Any, kind: type) -> list[Any]:
        if kind is dict:
            return ["dict", *(self.plain(each) for pair in value.items() for each in pair)]
        if kind in (set, frozenset):
            return ["set", *sorted(fingerprint(each) for each in value)]
        return ["list", *map(self.plain, value)]

    def _object(self, value: Any, kind: type) -> Any:
        number = self._seen.get(id(value))
        if number is not None:
            return "again", number
        self._seen[id(value)] = len(self._seen)
        out: list[Any] = [kind.__name__]
        if issubclass(kind, Struct):
            out += [self.plain(getattr(value, name)) for name in kind.__struct_fields__]
        elif issubclass(kind, tuple):
            out += map(self.plain, value)
        elif kind is FunctionType:
            out += [value.__qualname__, *(self.plain(cell.cell_contents) for cell in value.__closure__ or ())]
        elif kind is MethodType:
            out += [value.__func__.__qualname__, self.plain(value.__self__)]
        elif kind is partial:
            out += map(self.plain, (value.func, value.args, value.keywords))
        elif kind is Raw:
            out.append(bytes(value))
        elif kind.__module__.startswith("kontor_games.engine."):
            out.append(repr(value) if kind.__name__ == "Want" else "")  # the digest stands for states
        else:
            out += [self.plain(getattr(value, name)) for name in _slots(kind) if hasattr(value, name)]
            for name, each in getattr(value, "__dict__", {}).items():
                if name not in SKIPPED:
                    out += name, self.plain(each)
        return out
