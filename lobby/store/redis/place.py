"""Where a Redis server is, read from an address such as `redis://lobby@db.example.org:6379/2`. A machine.

The password is kept out of everything that is printed or logged: `str` and `repr` of a `RedisPlace` do not show it.
Whoever does not want it in the list of processes writes the address into the settings file, or names a file with
`?password-file=…`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from kontor_games.engine.errors import ConfigError

DEFAULT_PORT: Final = 6379
MAX_DATABASE: Final = 10_000
SCHEMES: Final = ("redis", "rediss", "unix")
_OPTIONS: Final = {"redis": ("password-file",), "rediss": ("password-file", "ca"), "unix": ("password-file", "db")}


@dataclass(frozen=True)
class RedisPlace:
    """One database of one server."""

    host: str  # empty for a socket
    port: int
    socket: str  # a path, or empty
    database: int
    user: str
    password: str = field(repr=False)
    is_tls: bool = False
    ca: str = ""  # a file with the authorities that may have signed the server's certificate; empty: the system's

    def __str__(self) -> str:
        """For logs and people: without the password."""
        if self.socket:
            return f"unix://{self.socket}?db={self.database}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'rediss' if self.is_tls else 'redis'}://{host}:{self.port}/{self.database}"


def is_redis(store: str) -> bool:
    """Whether a setting means a Redis server."""
    return store.partition("://")[0] in SCHEMES and "://" in store


def read_place(text: str) -> RedisPlace:
    """The place that an address means; ConfigError says what is wrong with it, without its password."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise ConfigError("the address of the Redis server cannot be read: is its port a number?") from None
    if parts.scheme not in SCHEMES:
        raise ConfigError(f"a Redis server is given as redis://host:port/database, not as {parts.scheme[:20]}://…")
    if parts.fragment:
        raise ConfigError("the address of the Redis server has a # in it; in a password write it as %23")
    options = _options(parts)
    password = unquote(parts.password or "")
    if "password-file" in options:
        password = _read_password(options["password-file"])
    if parts.scheme == "unix":
        if parts.hostname or not parts.path.startswith("/"):
            raise ConfigError("a socket of Redis is given as unix:///path/to/redis.sock?db=0")
        return RedisPlace("", 0, unquote(parts.path), _database(options.get("db", "0")), "", password)
    if not parts.hostname:
        raise ConfigError("the address of the Redis server names no host: redis://host:port/database")
    number = _database(parts.path.strip("/") or "0")
    user = unquote(parts.username or "")
    is_tls = parts.scheme == "rediss"
    ca = options.get("ca", "")
    return RedisPlace(parts.hostname, port or DEFAULT_PORT, "", number, user, password, is_tls, ca)


def _options(parts: SplitResult) -> dict[str, str]:
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    known = _OPTIONS[parts.scheme]
    for name in options:
        if name not in known:
            raise ConfigError(f"{name[:40]!r} is not an option of {parts.scheme}://; it knows {', '.join(known)}")
    return options


def _database(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) > MAX_DATABASE:
        raise ConfigError(f"the number of a Redis database is 0 or more, not {text[:20]!r}")
    return int(text)


def _read_password(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the file with the password of Redis, {path}, cannot be read: {error}") from error
