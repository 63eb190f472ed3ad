"""Which settings a running lobby can take over, and which have to wait for a restart.

A lobby reads its file again on SIGHUP and when an operator says `reload`. Most settings are looked up whenever they are
needed, so a new value holds from the next request on. The others shape what was built at the start: sockets, queues and
the shares of bandwidth. Their old values stay in force, and the operator is told which these are. A setting that is not
named here waits for a restart: nothing half-works because somebody forgot it. A file with a fault changes nothing.
The certificate's *file* is read again: a renewed certificate of the same key is used for new connections. So is that of
the pages, with any key.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from msgspec import Struct
from msgspec.structs import fields, replace

from .config import Config

# Names as the file writes them; a section stands for everything in it.
LIVE: Final = ("title", "hall_every", "hall_lines", "table_lines", "limits", "relay", "times")
FIXED: Final = (
    "limits.arrivals",
    "limits.handshakes",
    "limits.max_unsigned",
    "limits.ping_every",  # nodes were told at their sign-in, and would be cut for pinging as they were told
    "relay.bytes_per_second",
    "relay.bytes_burst",
    "relay.total_bytes_per_second",
    "relay.max_pairs",
    "relay.max_passes",
)


class Reloaded(NamedTuple):
    """The settings to go on with, what changed by that, and what would change by a restart."""

    config: Config
    changed: tuple[str, ...]
    waiting: tuple[str, ...]


def reloaded(old: Config, new: Config) -> Reloaded:
    """What becomes of a running lobby's settings when its file says `new`."""
    config, changed, waiting = _merged(old, new, "")
    return Reloaded(config, tuple(changed), tuple(waiting))


def _merged(old: Any, new: Any, path: str) -> tuple[Any, list[str], list[str]]:
    changed: list[str] = []
    waiting: list[str] = []
    taken: dict[str, Any] = {}
    for field in fields(new):
        name = f"{path}{field.name}"
        was, will = getattr(old, field.name), getattr(new, field.name)
        if was == will:
            continue
        if name in FIXED or name.partition(".")[0] not in LIVE:
            waiting.append(name)
        elif isinstance(will, Struct) and any(fixed.startswith(f"{name}.") for fixed in FIXED):
            taken[field.name], more, less = _merged(was, will, f"{name}.")
            changed += more
            waiting += less
        else:
            taken[field.name] = will
            changed.append(name)
    return replace(old, **taken), changed, waiting
