"""What is asked of a Redis server before it is used: who it is, whether it is fit for a lobby, what it promises.

A server that could throw records away to make room, is too old, or is a replica is refused in words. How durable an
answer is depends on its append-only file; that is told, not demanded (docs/hosting.md has the table).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kontor_games.engine.errors import StoreError

from .place import RedisPlace
from .redis_wire import RedisWire, ReplyRefused, WireLost

OLDEST: Final = (7, 0)
SCHEMA: Final = b"1"
PREFIX: Final = "kontor:"
COMMIT: Final = Path(__file__).with_name("commit.lua").read_text(encoding="utf-8")
TAKE: Final = Path(__file__).with_name("take.lua").read_text(encoding="utf-8")
COMMIT_NAME, TAKE_NAME = (  # as the server calls a script that it has loaded
    hashlib.sha1(script.encode(), usedforsecurity=False).hexdigest() for script in (COMMIT, TAKE)
)
_PROMISES: Final = {
    "always": "nothing acknowledged is lost, not even when the power goes",
    "everysec": "a crash of Redis alone loses nothing, a crash of its machine up to a second of what was acknowledged",
    "no": "a crash of Redis alone loses nothing, a crash of its machine what the system had not written yet",
    "off": "without an append-only file a restart of Redis loses everything since its last snapshot",
    "": "its append-only file is on; whether it writes at once (appendfsync) may not be asked",
}


class Unfit(StoreError):
    """A server that a lobby must not use as it is."""


@dataclass(frozen=True, slots=True)
class Greeting:
    """What a server said of itself."""

    version: str
    fsync: str  # always, everysec, no; off without an append-only file; empty if it may not be asked

    @property
    def promise(self) -> str:
        """What an acknowledgement is worth."""
        return _PROMISES.get(self.fsync, _PROMISES[""])


async def greet(wire: RedisWire, place: RedisPlace, purpose: str) -> Greeting:
    """Sign in and look; Unfit says why this server is not for us, other errors that it is not ready."""
    try:
        if place.password:
            await wire.send(("AUTH", *((place.user,) if place.user else ()), place.password))
        if place.database:
            await wire.send(("SELECT", place.database))
        facts = _facts(await wire.send(("INFO",)))
    except ReplyRefused as error:
        if error.code in ("LOADING", "MASTERDOWN", "BUSY"):
            raise WireLost(str(error)) from None
        # The words of the server never contain what we sent.
        raise Unfit(f"{place} does not let us in: {error}") from None
    reason = why_unfit(facts)
    if reason is not None:
        raise Unfit(f"{place}: {reason}")
    fsync = await _fsync(wire, facts)
    try:
        await wire.send(("CLIENT", "SETNAME", f"kontor-{purpose}"))
        schema = await wire.send(("GET", PREFIX + "schema"))
        if schema is None:  # not before: a full server lets nobody write, but what it holds can still be read
            schema = await wire.send(("SET", PREFIX + "schema", SCHEMA, "NX", "GET"))
        for script in (COMMIT, TAKE):
            await wire.send(("SCRIPT", "LOAD", script))
    except ReplyRefused as error:
        if error.code in ("LOADING", "READONLY", "MASTERDOWN", "BUSY", "OOM", "MISCONF"):
            raise WireLost(str(error)) from None
        raise Unfit(f"{place} does not let us do what a lobby needs: {error}") from None
    if schema not in (None, SCHEMA):
        raise Unfit(f"{place}: a newer Kontor wrote this database; upgrade Kontor or use another database")
    return Greeting(facts.get("redis_version", "?"), fsync)


def why_unfit(facts: dict[str, str]) -> str | None:
    """Why a lobby must not use this server, or None; raises WireLost if it only needs a moment."""
    if facts.get("loading", "0") != "0":
        raise WireLost("the server is loading its file")
    version = facts.get("redis_version", "")
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    if numbers < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        return f"this is Redis {version or 'of an unknown version'}; a lobby needs {oldest} or newer, or Valkey"
    if facts.get("cluster_enabled", "0") != "0":
        return "this server is part of a Redis cluster; a lobby needs one that stands alone, with replicas if you like"
    if facts.get("role", "master") != "master":
        raise WireLost("this server is a replica, which takes no changes; the address must lead to its master")
    policy = facts.get("maxmemory_policy", "noeviction")
    if facts.get("maxmemory", "0") != "0" and policy != "noeviction":
        return (
            f"its maxmemory-policy is {policy}: when its memory is full it would throw tables and people away; "
            "set maxmemory-policy noeviction"
        )
    return None


async def _fsync(wire: RedisWire, facts: dict[str, str]) -> str:
    if facts.get("aof_enabled", "0") == "0":
        return "off"
    try:
        found: Any = await wire.send(("CONFIG", "GET", "appendfsync"))
    except ReplyRefused:
        return ""  # hosted servers do not tell
    return found[1].decode() if len(found) == 2 else ""


def _facts(info: bytes) -> dict[str, str]:
    lines = info.decode("utf-8", "replace").splitlines()
    return dict(line.split(":", 1) for line in lines if ":" in line and not line.startswith("#"))
