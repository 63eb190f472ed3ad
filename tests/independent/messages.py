"""Signed messages of the chain: frames and dealer messages, read in their one encoding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import Refuted
from .group import H
from .packing import Malformed, unpack

MAX_RAW = 65_536
MAX_NUMBER = 2**31 - 1
MAX_ACTIONS = 256

# The most bytes of a list whose true length follows from public state, which is judged later.
LISTS = {"some": 8 * 32, "cards": 256 * 32, "outputs": 2 * 256 * 32, "answers": (2 * 256 + 4) * 32}
# Fields of every dealer body after `t`: «number», «peer», «peers», «hashes», a size in bytes, or a kind of list.
BODIES: Mapping[str, Mapping[str, str | int]] = {
    "key": {"Y": 32, "T": 32, "c": 32, "s": 64},
    "esc": {"e": "number", "F": "some", "R": 32, "E": "some", "c": 32, "s": 32},
    "cmp": {"e": "number", "d": "peer", "K": 32, "c": 32, "s": 32},
    "rdy": {"e": "number"},
    "mix": {"r": "number", "o": "outputs", "p": "cards", "h": "cards", "c": 32, "s": "answers"},
    "shr": {"r": "number", "S": "cards", "c": 32, "s": 32},
    "rky": {"r": "number", "A": 32, "B": 32, "c": 32, "s": 64},
    "gon": {"v": "number", "w": "peers", "f": "hashes"},
    "giv": {"e": "number", "g": "some", "f": "some"},
    "bye": {"x": 32},
    "opn": {"x": 32},
}
OPENING: Mapping[str, str | int] = {"r": "number", "S": "cards", "c": 32, "s": 32}


@dataclass(frozen=True)
class Frame:
    """Actions of one seat, with the openings of the cards that they show."""

    raw: bytes
    match: bytes
    seat: int
    tip: bytes
    ply: int
    digest: bytes
    actions: tuple[Any, ...]
    openings: tuple[Any, ...] | None  # maps or nil, as they came

    def place(self) -> tuple[Any, ...]:
        """What this frame is for; its author signs one message for it."""
        return ("frame", self.match, self.tip, self.digest)


@dataclass(frozen=True)
class Dealer:
    """A dealer message; its body may still be malformed (see `check_body`)."""

    raw: bytes
    match: bytes
    peer: int
    tip: bytes
    digest: bytes
    body: dict[str, Any]

    @property
    def kind(self) -> str:
        """The type of the body, or an empty word if it cannot be made out."""
        kind = self.body.get("t")
        return kind if isinstance(kind, str) and kind in BODIES else ""

    @property
    def hash(self) -> bytes:
        """What a tip and a vote name this message by."""
        return H("msg", self.raw, size=32)

    def place(self) -> tuple[Any, ...]:
        """What this message is for; its author signs one message for it."""
        place = ("dealer", self.match, self.tip, self.digest, self.kind)
        if self.kind == "gon":
            return (*place, self.body["v"])
        if self.kind == "giv":
            return (*place, self.body["g"])
        return place


def read_frame(raw: bytes) -> Frame:
    """A frame, or Refuted."""
    found = _map(raw, "frame")
    keys = ("m", "s", "h", "n", "d", "a", "u")
    _demand(tuple(found) in (keys, keys[:-1]), "frame", "not exactly its keys in their order")
    _demand(_is_hash(found["m"]) and _is_hash(found["h"]) and _is_hash(found["d"]), "frame", "m, h and d are hashes")
    _demand(_is_number(found["s"], 7), "frame", "s is not a seat")
    _demand(_is_number(found["n"]), "frame", "n is not a ply")
    actions = found["a"]
    _demand(isinstance(actions, list) and 1 <= len(actions) <= MAX_ACTIONS, "frame", "it has 1 to 256 actions")
    openings = None
    if "u" in found:
        openings = found["u"]
        _demand(isinstance(openings, list) and 1 <= len(openings) <= MAX_ACTIONS, "frame", "u is malformed")
        openings = tuple(openings)
    return Frame(
        raw, found["m"], found["s"], found["h"], found["n"], found["d"], tuple(actions), openings
    )  # fmt: skip


def read_dealer(raw: bytes) -> Dealer:
    """A dealer message with a body that is a map, or Refuted."""
    found = _map(raw, "dealer message")
    _demand(tuple(found) == ("m", "p", "h", "d", "b"), "dealer message", "not exactly its keys in their order")
    hashes = _is_hash(found["m"]) and _is_hash(found["h"]) and _is_hash(found["d"])
    _demand(hashes, "dealer message", "m, h and d are hashes")
    _demand(_is_number(found["p"], 7), "dealer message", "p is not a peer")
    _demand(isinstance(found["b"], dict), "dealer message", "its body is not a map")
    return Dealer(raw, found["m"], found["p"], found["h"], found["d"], found["b"])


def why_not_opening(opening: Any) -> str | None:
    """Why an element of `u` is malformed, or None."""
    return "no map" if not isinstance(opening, dict) else _why_not_fields(opening, tuple(OPENING), OPENING)


def why_not_body(message: Dealer) -> str | None:
    """Why the body of a dealer message is malformed, or None."""
    if not message.kind:
        return "its type cannot be made out"
    fields = BODIES[message.kind]
    return _why_not_fields(message.body, ("t", *fields), fields)


def _why_not_fields(found: dict[str, Any], order: tuple[str, ...], fields: Mapping[str, str | int]) -> str | None:
    if tuple(found) != order:
        return f"its fields are {', '.join(order)}, in this order"
    for name, kind in fields.items():
        if not _fits(found[name], kind):
            return f"{name} is malformed"
    return None


def _fits(value: Any, kind: str | int) -> bool:
    if isinstance(kind, int):
        return isinstance(value, bytes) and len(value) == kind
    match kind:
        case "number":
            return _is_number(value)
        case "peer":
            return _is_number(value, 7)
        case "peers":
            return isinstance(value, list) and len(value) <= 8 and all(_is_number(each, 7) for each in value)
        case "hashes":
            return isinstance(value, list) and len(value) <= 8 and all(each is None or _is_hash(each) for each in value)
        case _:
            return isinstance(value, bytes) and len(value) <= LISTS[kind]


def _map(raw: bytes, what: str) -> dict[str, Any]:
    _demand(len(raw) <= MAX_RAW, what, f"it has more than {MAX_RAW} bytes")
    try:
        found = unpack(raw)
    except Malformed as error:
        raise Refuted(f"malformed {what}: {error}") from None
    _demand(isinstance(found, dict), what, "it is not a map")
    return dict(found)


def _demand(condition: bool, what: str, otherwise: str) -> None:
    if not condition:
        raise Refuted(f"malformed {what}: {otherwise}")


def _is_hash(value: object) -> bool:
    return isinstance(value, bytes) and len(value) == 32


def _is_number(value: object, high: int = MAX_NUMBER) -> bool:
    return isinstance(value, int) and type(value) is int and 0 <= value <= high
