"""Which of several wires through a hole is the right one, before TLS begins. A machine without I/O.

Two nodes behind routers call each other from and to the same two ports at the same time, again and again, and listen
there too. What comes up may be one connection (TCP opens it from both sides at once), or two, or a stranger's who found
the open port, or an older host's at that address. `connect` cannot tell which. So before TLS there is a gate:

1. The side with the smaller key, which will be the TLS client, says GATE_MAGIC and the gate's token on every wire.
2. The other side says the same back on every wire on which it heard exactly that. Anything else ends the wire.
3. The client goes on with the first wire that answers, and ends the others. Its TLS begins on that wire, and so the
   server learns which one it is: the first that goes on behind the gate.

The token is known to both nodes and the lobby. Whoever guesses or overhears it wins nothing but a wire on which TLS
fails: the keys are proven there. A wire that says nothing costs a place among MAX_WIRES until the attempt is over.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final, Generic, TypeAlias, TypeVar

GATE_MAGIC: Final = b"KGT1"
MAX_WIRES: Final = 8

Wire = TypeVar("Wire", bound=Hashable)


class GateState(Enum):
    """What is known of a wire."""

    SILENT = auto()  # the token was not heard yet
    PASSED = auto()  # server: it was heard and said back; the client has not gone on yet


@dataclass(frozen=True, slots=True)
class SendOnWire(Generic[Wire]):
    """Send these bytes on this wire."""

    wire: Wire
    data: bytes


@dataclass(frozen=True, slots=True)
class EndWire(Generic[Wire]):
    """This wire is not the one."""

    wire: Wire


@dataclass(frozen=True, slots=True)
class Chosen(Generic[Wire]):
    """This wire is the one; `early` came behind the gate already."""

    wire: Wire
    early: bytes


GateEffect: TypeAlias = SendOnWire[Wire] | EndWire[Wire] | Chosen[Wire]


@dataclass(slots=True)
class _Heard:
    state: GateState = GateState.SILENT
    data: bytes = b""


@dataclass(slots=True)
class Gate(Generic[Wire]):
    """The gate of one attempt."""

    token: bytes
    is_client: bool
    _wires: dict[Wire, _Heard] = field(default_factory=dict)
    _is_chosen: bool = False

    def opened(self, wire: Wire) -> list[GateEffect[Wire]]:
        """TCP is up, whoever called."""
        if self._is_chosen or len(self._wires) >= MAX_WIRES:
            return [EndWire(wire)]
        self._wires[wire] = _Heard()
        return [SendOnWire(wire, self._word)] if self.is_client else []

    def received(self, wire: Wire, data: bytes) -> list[GateEffect[Wire]]:
        """Bytes came on a wire."""
        heard = self._wires.get(wire)
        if heard is None or self._is_chosen:
            return []
        heard.data += data
        if heard.state is GateState.PASSED:
            return self._choose(wire, heard.data)
        word = self._word
        if not word.startswith(heard.data[: len(word)]):
            del self._wires[wire]
            return [EndWire(wire)]
        if len(heard.data) < len(word):
            return []
        rest = heard.data[len(word) :]
        if self.is_client:
            return self._choose(wire, rest)
        heard.state, heard.data = GateState.PASSED, rest
        said: list[GateEffect[Wire]] = [SendOnWire(wire, word)]
        return said + (self._choose(wire, rest) if rest else [])

    def lost(self, wire: Wire) -> None:
        """A wire is gone."""
        self._wires.pop(wire, None)

    def is_passed(self, wire: Wire) -> bool:
        """Whether the token was heard on this wire and said back; then it is the other's turn."""
        heard = self._wires.get(wire)
        return heard is not None and heard.state is GateState.PASSED

    @property
    def _word(self) -> bytes:
        return GATE_MAGIC + self.token

    def _choose(self, wire: Wire, early: bytes) -> list[GateEffect[Wire]]:
        self._is_chosen = True
        others = [other for other in self._wires if other != wire]
        self._wires.clear()
        return [*(EndWire(other) for other in others), Chosen(wire, early)]
