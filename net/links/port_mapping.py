"""Asking a router to let calls in: PCP (RFC 6887) and its forerunner NAT-PMP (RFC 6886). A machine without I/O.

States: ASKING (a request is out, in one of the two languages), HELD (the router let a port in until a time), NONE (it
will not, or does not answer), STOPPED. In order:

1. PCP is asked first, four times, each time waiting twice as long. A router that knows only NAT-PMP says so in its own
   language, or says nothing; then NAT-PMP is asked for its outside address and for the port, the same way.
2. What is granted counts, not what was asked for: a taken port is answered with another one. The outside address must
   be one on the internet; behind a provider's second router it is not, and the port is given back.
3. Half of the granted time later it is asked for again, with the same port. When the router was restarted (its clock,
   the epoch, is less than it should be) it has forgotten us, and is asked at once.
4. A refusal or silence while a port is held means that others may stop reaching us: it is told, and asked again later.
5. At the end the port is given back: a request for no time at all, once, without waiting for an answer. So is one whose
   renewal was refused or not answered, because the router may have kept it.

Who would lie: anybody on the local network can send datagrams. The adapter takes only what comes from the router's own
address and port, PCP answers must repeat our nonce, and both must name our port. A router itself can lie as it likes;
what it grants is one more address that others try, no more.
"""

from __future__ import annotations

import ipaddress
import struct
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

from .claims import Reach, reach_of

ROUTER_PORT: Final = 5351
LIFETIME: Final = 3600  # seconds that are asked for
SHORTEST: Final = 60.0  # a router that grants less is asked no more often than this
FIRST_WAIT: Final = 0.25
TRIES: Final = 4
LATER: Final = 600.0  # seconds until a router that refused is asked again
SILENT: Final = "does not answer when it is asked to let other players in"
SLACK: Final = 5.0  # seconds that a router's clock may be behind ours

_PCP_HEAD: Final = struct.Struct("!BBHI16s")
_PCP_MAP: Final = struct.Struct("!12sB3xHH16s")
_PCP_ANSWER: Final = struct.Struct("!BBBBII12x")
_PMP_MAP: Final = struct.Struct("!BBHHHI")
_PMP_ADDRESS_ANSWER: Final = struct.Struct("!BBHI4s")
_PMP_MAP_ANSWER: Final = struct.Struct("!BBHIHHI")
_TCP: Final = 6
_PCP, _PMP = 2, 0
_MAP, _ANSWER = 1, 0x80
_PMP_TCP: Final = 2
FORBIDDEN: Final = "does not allow this machine to let other players in"
REFUSED: Final = "refuses to let other players in"
PCP_REASONS: Final = {
    2: FORBIDDEN,
    3: "does not understand when it is asked to let other players in",
    8: "lets in as many as it can for this machine, and no more",
}


class MappingState(Enum):
    """How far it has come."""

    ASKING = auto()
    HELD = auto()
    NONE = auto()
    STOPPED = auto()


@dataclass(frozen=True, slots=True)
class SendToRouter:
    """Send this datagram to the router."""

    data: bytes


@dataclass(frozen=True, slots=True)
class PortGranted:
    """Calls to this address and port reach us from now on."""

    host: str
    port: int
    language: str  # PCP or NAT-PMP, for people who look after a router


@dataclass(frozen=True, slots=True)
class PortRefused:
    """No port, or no longer; the reason ends a sentence that begins with «your router»."""

    reason: str


MappingEffect = SendToRouter | PortGranted | PortRefused


@dataclass(slots=True)
class PortMapping:
    """One port of ours at one router."""

    own_host: str  # our address on the router's network
    port: int
    nonce: bytes  # twelve bytes that only we and the router know
    state: MappingState = MappingState.ASKING
    granted: PortGranted | None = None
    _language: int = _PCP
    _tries: int = 0
    _at: float | None = None  # when to do the next thing
    _outside: str = ""  # by NAT-PMP, which tells it separately
    _epoch: tuple[int, float] | None = None  # the router's clock, and when it said so
    _asked_for: int = field(default=0)
    _lent: tuple[int, int] | None = (
        None  # language and port of the last grant: the router may keep it, whatever it says
    )

    def begin(self, now: float) -> list[MappingEffect]:
        """Ask."""
        self.state, self._language, self._tries = MappingState.ASKING, _PCP, 0
        self._asked_for = self.granted.port if self.granted is not None else self.port
        return self._ask(now)

    def tick(self, now: float) -> list[MappingEffect]:
        """Time has passed; see `wake_at`."""
        if self._at is None or now < self._at or self.state is MappingState.STOPPED:
            return []
        if self.state is not MappingState.ASKING:
            return self.begin(now)
        if self._tries < TRIES:
            return self._ask(now)
        if self._language == _PCP:
            return self._ask_older(now)
        return self._refused(SILENT, now)

    def received(self, data: bytes, now: float) -> list[MappingEffect]:
        """A datagram of the router; whatever is not an answer to us is passed over."""
        if self.state is MappingState.STOPPED or len(data) < 4:
            return []
        if data[0] == _PMP and self._language == _PCP and self.state is MappingState.ASKING:
            return self._ask_older(now)  # that is how an older router says that it does not know PCP
        if self.state is not MappingState.ASKING:
            return []
        return self._pcp(data, now) if self._language == _PCP else self._pmp(data, now)

    def nobody_listens(self, now: float) -> list[MappingEffect]:
        """The router's system says that nothing there knows these languages: no need to wait for answers."""
        return self._refused(SILENT, now) if self.state is MappingState.ASKING else []

    def stop(self) -> list[MappingEffect]:
        """Give the port back."""
        is_asking = self.state is MappingState.ASKING and self._tries > 0
        self.granted, self.state, self._at = None, MappingState.STOPPED, None
        back = []
        if self._lent is not None:
            self._language, port = self._lent
            back.append(SendToRouter(self._request(0, port)))
        elif is_asking:  # it may be granted in this moment
            back.append(SendToRouter(self._request(0, self._asked_for)))
        self._lent = None
        return list(back)

    @property
    def wake_at(self) -> float | None:
        """When `tick` has something to do next."""
        return self._at

    @property
    def lent_port(self) -> int | None:
        """The outside port that the router granted last and was not given back: it may keep it, whatever it says."""
        return None if self._lent is None else self._lent[1]

    # ---- asking

    def _ask(self, now: float) -> list[MappingEffect]:
        self._at = now + FIRST_WAIT * 2**self._tries
        self._tries += 1
        asked: list[MappingEffect] = [SendToRouter(self._request(LIFETIME, self._asked_for))]
        if self._language == _PMP and not self._outside:
            asked.insert(0, SendToRouter(bytes([_PMP, 0])))
        return asked

    def _ask_older(self, now: float) -> list[MappingEffect]:
        self._language, self._tries, self._outside = _PMP, 0, ""
        return self._ask(now)

    def _request(self, lifetime: int, wish: int) -> bytes:
        if self._language == _PMP:
            return _PMP_MAP.pack(_PMP, _PMP_TCP, 0, self.port, wish if lifetime else 0, lifetime)
        own = _as_six(self.own_host)
        head = _PCP_HEAD.pack(_PCP, _MAP, 0, lifetime, own)
        return head + _PCP_MAP.pack(self.nonce, _TCP, self.port, wish, _as_six("0.0.0.0"))  # noqa: S104 no wish

    # ---- answers

    def _pcp(self, data: bytes, now: float) -> list[MappingEffect]:
        if len(data) != _PCP_ANSWER.size + _PCP_MAP.size:
            return []
        version, opcode, _, result, lifetime, epoch = _PCP_ANSWER.unpack_from(data)
        nonce, kind, inside, outside, host = _PCP_MAP.unpack_from(data, _PCP_ANSWER.size)
        if (version, opcode, nonce, kind, inside) != (_PCP, _ANSWER | _MAP, self.nonce, _TCP, self.port):
            return []
        if result:
            if result == 1:  # it speaks another version
                return self._ask_older(now)
            return self._refused(PCP_REASONS.get(result, f"{REFUSED} (reason {result})"), now)
        ip = ipaddress.IPv6Address(host)
        return self._held(str(ip.ipv4_mapped or ip), outside, lifetime, epoch, now)

    def _pmp(self, data: bytes, now: float) -> list[MappingEffect]:
        if len(data) == _PMP_ADDRESS_ANSWER.size and data[:2] == bytes([_PMP, _ANSWER]):
            _, _, result, _, host = _PMP_ADDRESS_ANSWER.unpack(data)
            if result == 0:
                self._outside = str(ipaddress.IPv4Address(host))
            return [] if result == 0 else self._refused("does not know its own address on the internet", now)
        if len(data) != _PMP_MAP_ANSWER.size or data[:2] != bytes([_PMP, _ANSWER | _PMP_TCP]):
            return []
        _, _, result, epoch, inside, outside, lifetime = _PMP_MAP_ANSWER.unpack(data)
        if inside != self.port:
            return []
        if result:
            return self._refused(FORBIDDEN if result == 2 else f"{REFUSED} (reason {result})", now)
        if not self._outside:
            return []  # asked for beside the port, and asked again with it
        return self._held(self._outside, outside, lifetime, epoch, now)

    def _held(self, host: str, port: int, lifetime: int, epoch: int, now: float) -> list[MappingEffect]:
        if not port or not lifetime:
            return self._refused("agrees to let other players in, but then does not", now)
        if reach_of(ipaddress.ip_address(host)) is not Reach.PUBLIC:
            back = SendToRouter(self._request(0, port))
            return [back, *self._refused("has no address on the internet itself: another router stands before it", now)]
        was_restarted = self._was_restarted(epoch, now)
        granted = PortGranted(host, port, "PCP" if self._language == _PCP else "NAT-PMP")
        old, self.granted = self.granted, granted
        self._lent = self._language, port
        self.state = MappingState.HELD
        self._at = now + max(SHORTEST, min(lifetime, LIFETIME) / 2)
        if was_restarted and old is not None and old != granted:
            return [PortRefused("was restarted"), granted]
        return [] if old == granted else [granted]

    def _was_restarted(self, epoch: int, now: float) -> bool:
        before, self._epoch = self._epoch, (epoch, now)
        return before is not None and epoch + SLACK < before[0] + (now - before[1]) * 7 / 8

    def _refused(self, reason: str, now: float) -> list[MappingEffect]:
        had, self.granted = self.granted, None
        was_asked, self.state = self.state, MappingState.NONE
        self._at = now + LATER
        return [PortRefused(reason)] if had is not None or was_asked is MappingState.ASKING else []


def _as_six(host: str) -> bytes:
    ip = ipaddress.ip_address(host)
    return ip.packed if ip.version == 6 else b"\x00" * 10 + b"\xff\xff" + ip.packed
