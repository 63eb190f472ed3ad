"""What a lobby answers to a node that shows it a port for a hole: where the other side is, or why not.

Pure functions, and a machine without I/O.

ACCEPTED, the length of an address, and the address; or REFUSED and a byte that says why. Lobbies before this one said
REFUSED alone, and hung up. Whatever else comes is a refusal, and what comes behind an answer is not kept: a lobby that
goes on talking fills nobody's memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kontor_games.engine.errors import ConfigError
from kontor_games.net.wire.address import join_address
from kontor_games.net.wire.way_messages import ACCEPTED, REFUSED

MAX_PLACE: Final = 64  # bytes of an address
UNFIT: Final = "unfit"  # the lobby sees no way, and does not say why
MIXED: Final = "mixed"  # one came by IPv4, the other by IPv6
ONE_ROUTER: Final = "one-router"  # both came from one address
ABSENT: Final = "absent"  # the pass is used up or too old: the other side has gone again
_WHY: Final = {MIXED: b"\x01", ONE_ROUTER: b"\x02", ABSENT: b"\x03"}
_KINDS: Final = {byte: kind for kind, byte in _WHY.items()}


@dataclass(frozen=True, slots=True)
class PlaceTold:
    """The lobby sees the other side here; it may be nonsense."""

    place: str


@dataclass(frozen=True, slots=True)
class PlaceRefused:
    """There is no hole to be had; `kind` says why."""

    kind: str


PlaceAnswer = PlaceTold | PlaceRefused


def place_of(host: str, port: int) -> bytes:
    """The lobby's answer: the other side is there, and where."""
    text = join_address(host, port).encode("ascii")
    if len(text) > MAX_PLACE:
        raise ConfigError("an address that is too long")
    return ACCEPTED + bytes([len(text)]) + text


def refusal_of(kind: str) -> bytes:
    """The lobby's answer: there is nothing to be had, and why."""
    return REFUSED + _WHY[kind]


class PlaceReader:
    """Reads one answer."""

    def __init__(self) -> None:
        self._heard = b""
        self._is_over = False

    def feed(self, data: bytes) -> PlaceAnswer | None:
        """The next piece; the answer, once, when it is whole."""
        if self._is_over:
            return None
        self._heard += data[: 2 + MAX_PLACE]
        answer = self._answer()
        self._is_over = answer is not None
        return answer

    def ended(self) -> PlaceAnswer | None:
        """The lobby hung up; None if it has answered before."""
        if self._is_over:
            return None
        self._is_over = True
        return PlaceRefused(UNFIT if self._heard == REFUSED else ABSENT)

    def _answer(self) -> PlaceAnswer | None:
        first, rest = self._heard[:1], self._heard[1:]
        if first not in (b"", ACCEPTED, REFUSED):
            return PlaceRefused(UNFIT)
        if not rest:
            return None
        if first == REFUSED:
            return PlaceRefused(_KINDS.get(rest[:1], UNFIT))
        size, text = rest[0], rest[1:]
        if not 0 < size <= MAX_PLACE:
            return PlaceRefused(UNFIT)
        return PlaceTold(text[:size].decode("ascii", "replace")) if len(text) >= size else None
