"""All the lobby's token buckets in one place: who has to wait, and for how long. A machine."""

from __future__ import annotations

from typing import Final

from kontor_games.lobby.model.work import RequestRefused
from kontor_games.lobby.settings.config import LimitSettings
from kontor_games.lobby.settings.metrics import Metrics
from kontor_games.net.system.buckets import Buckets, Rate
from kontor_games.net.system.networks import network_of

from .allowances import RequestAllowances, StreamAllowance

CROWD: Final = 16  # people behind one address whose messages are let through at full speed
_RATED: Final = (
    "chat",
    "tables",
    "codes",
    "queue",
    "names",
    "marks",
    "lists",
    "signals",
    "relays",
    "invites",
    "reports",
)
STRICT: Final = ("chat", "names", "invites", "reports")
SPARE: Final = Rate(1 / 60, 2)  # wrong codes of one network while all together try too many
_EVERYBODY: Final = "everybody"
MISSES: Final = ("no-code", "no-table")


class Throttle:
    """Buckets by key and by household; time is passed in."""

    def __init__(self, limits: LimitSettings, metrics: Metrics) -> None:
        self._metrics = metrics
        self.reload(limits)

    def reload(self, limits: LimitSettings) -> None:
        """Begin with these limits; nobody owes anything for what they did before."""
        self._limits = RequestAllowances({kind: getattr(limits, kind).rate for kind in _RATED}, STRICT)
        self._all_codes = Buckets(limits.all_codes.rate)
        self._spare_codes = Buckets(SPARE)
        self._messages = StreamAllowance(limits.messages.rate, CROWD)
        self._bytes = StreamAllowance(limits.bytes.rate, CROWD)

    def count_bytes(self, key: bytes | None, household: str, size: int, now: float) -> float:
        """Count what arrived; seconds to wait before reading on."""
        return self._bytes.spend(key, household, size, now)

    def count_message(self, key: bytes | None, household: str, now: float) -> float:
        """The same for one more message."""
        return self._messages.spend(key, household, 1, now)

    def may(self, kind: str, key: bytes, household: str, now: float) -> bool:
        """Take a token; False if there is none."""
        return self._limits.wait(kind, key, household, now) == 0

    def demand(self, kind: str, key: bytes, household: str, now: float) -> None:
        """Take a token; RequestRefused with the time to wait if there is none."""
        wait = self._limits.wait(kind, key, household, now)
        if wait > 0:
            self._metrics.throttled.labels(kind).inc()
            raise RequestRefused("too-fast", f"too many requests of this kind; wait {wait:.0f} s", wait)

    def demand_guess(self, key: bytes, household: str, now: float) -> None:
        """Codes and ids may be tried only so often, by one and by all; but guessers do not stop those who know one."""
        self.demand("codes", key, household, now)
        wait = self._all_codes.take(_EVERYBODY, now)
        if wait > 0 and self._spare_codes.take(network_of(household), now) > 0:
            self._metrics.throttled.labels("all_codes").inc()
            raise RequestRefused("too-fast", "somebody is trying many wrong codes at this lobby; wait a little", wait)

    def guessed(self, key: bytes, household: str, refused: RequestRefused | None) -> bool:
        """What was tried existed after all: that costs nothing. Whether it did."""
        has_hit = refused is None or refused.code not in MISSES
        if has_hit:
            self._all_codes.give_back(_EVERYBODY)
            self._spare_codes.give_back(network_of(household))
            self._limits.give_back("codes", key, household)
        return has_hit
