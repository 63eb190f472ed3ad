"""Structured logs: one JSON object per line, without addresses. People and networks appear as tags.

A network's tag is a keyed hash whose secret lives in memory for a day and is then thrown away, so lines of one day
can be compared with each other, and nobody can tell later which network it was.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from datetime import UTC, datetime
from typing import IO, Any

from twisted.logger import LogLevel, globalLogBeginner

DAY = 24 * 3600.0
_PLAIN = (str, int, float, bool, type(None))


class Tags:
    """Opaque names for networks and keys, good for a day."""

    def __init__(self, now: float) -> None:
        self._renew(now)

    def _renew(self, now: float) -> None:
        self._secret, self._since = secrets.token_bytes(32), now

    def of(self, what: str | bytes, now: float) -> str:
        """The tag of an address or a key."""
        if now - self._since >= DAY:
            self._renew(now)
        raw = what.encode() if isinstance(what, str) else what
        return hashlib.blake2b(raw, key=self._secret, digest_size=6).hexdigest()


def line_of(event: dict[str, Any]) -> str | None:
    """The JSON line for a log event; None for chatter of libraries."""
    level = event.get("log_level", LogLevel.info)
    namespace = str(event.get("log_namespace", ""))
    is_ours = namespace.startswith("kontor.lobby")
    if not is_ours and level < LogLevel.warn:
        return None
    line = {
        "time": datetime.fromtimestamp(event.get("log_time", 0), UTC).isoformat(timespec="milliseconds"),
        "level": level.name,
        "from": namespace,
        "event": str(event.get("log_format") or ""),
    }
    if is_ours:
        fields = {name: value for name, value in event.items() if not name.startswith("log_")}
        line.update({name: value for name, value in fields.items() if isinstance(value, _PLAIN)})
    failure = event.get("log_failure")
    if failure is not None:
        # The traceback names files and lines, never values.
        line["failure"] = f"{failure.type.__name__}: {failure.getErrorMessage()}" if is_ours else failure.type.__name__
        line["at"] = [f"{frame[1]}:{frame[2]}" for frame in failure.frames[-3:]]
    return json.dumps(line)  # in ASCII: no text of a stranger steers a terminal or begins a line of its own


def begin_logging(stream: IO[str]) -> None:
    """Send everything that is logged to `stream`."""

    def observe(event: dict[str, Any]) -> None:
        line = line_of(event)
        if line is not None:
            stream.write(line + "\n")
            stream.flush()

    observer: Any = observe
    globalLogBeginner.beginLoggingTo([observer], redirectStandardIO=False)
