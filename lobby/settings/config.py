"""The lobby's settings: sensible without any, changed by a small TOML file and by flags."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from kontor_games.engine.errors import ConfigError
from kontor_games.net.system.buckets import Rate
from kontor_games.net.wire.address import why_not_address

Port = Annotated[int, Meta(ge=0, le=65535)]
Seconds = Annotated[float, Meta(gt=0, le=30 * 86400)]
Positive = Annotated[int, Meta(ge=1, le=10**9)]
Number = Annotated[float, Meta(gt=0, le=10**9)]


class RateSetting(Struct, frozen=True, forbid_unknown_fields=True):
    """A token bucket: so many per second in the long run, `burst` at once."""

    per_second: Number
    burst: Number

    @property
    def rate(self) -> Rate:
        """The same for the machine that applies it."""
        return Rate(self.per_second, self.burst)


def _rate(per_second: float, burst: float) -> RateSetting:
    return RateSetting(per_second, burst)


class LimitSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """How much one key may ask for; all keys of one household together get four times as much."""

    arrivals: RateSetting = _rate(300, 200)  # connections taken from the system's queue, of everybody together
    handshakes: RateSetting = _rate(150, 20)  # TLS handshakes begun by everybody together
    messages: RateSetting = _rate(30, 120)
    bytes: RateSetting = _rate(64 * 1024, 512 * 1024)
    chat: RateSetting = _rate(0.5, 8)
    tables: RateSetting = _rate(1 / 30, 5)
    codes: RateSetting = _rate(1 / 6, 10)  # wrong invite codes and table ids
    all_codes: RateSetting = _rate(20, 200)  # the same, by everybody together
    queue: RateSetting = _rate(0.2, 10)
    names: RateSetting = _rate(1 / 60, 20)  # names never seen before
    marks: RateSetting = _rate(0.5, 30)
    lists: RateSetting = _rate(4, 20)
    signals: RateSetting = _rate(10, 60)
    relays: RateSetting = _rate(0.5, 20)
    max_connections: Positive = 10_000  # of people who have signed in
    max_unsigned: Positive = 1024  # connections that have not signed in yet
    max_tables: Positive = 5_000
    max_tables_per_key: Positive = 8
    max_queue: Positive = 2_000
    max_marks: Positive = 200
    max_names: Positive = 100_000  # that are kept for the key that used them first
    max_profiles: Positive = 50_000  # of people who muted or blocked somebody
    max_seen: Positive = 100_000  # of whom operators know for a day where they came from
    sign_in_time: Seconds = 15
    outbox_bytes: Positive = 96 * 1024  # kept for a connection that does not read
    stall_time: Seconds = 30
    ping_every: Seconds = 30


class RelaySettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The blind relay for pairs that cannot connect directly."""

    enabled: bool = True
    address: str = ""  # where nodes reach it, host:port; empty: where they reach the lobby
    wait_time: Seconds = 30  # for the second side
    idle_time: Seconds = 120
    bytes_per_second: Number = 256 * 1024  # per key
    bytes_burst: Number = 4 * 1024 * 1024
    bytes_per_day: Positive = 512 * 1024 * 1024  # per key
    total_bytes_per_second: Number = 20 * 1024 * 1024  # shared fairly among the networks and keys that use it
    max_pairs: Positive = 500
    max_passes: Positive = 1024  # handed out, and not both sides have come yet
    max_pairs_per_key: Positive = 8  # that a key asked for


class TimeSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """How long things are kept, in seconds."""

    presence_grace: Seconds = 60  # after a lost connection
    table_idle: Seconds = 45 * 60  # a table that nobody touches
    match_idle: Seconds = 24 * 3600  # a started table that nobody returns to
    accept: Seconds = 20  # to answer an offer of the queue
    drain: Seconds = 5  # at shutdown


class Config(Struct, frozen=True, forbid_unknown_fields=True):
    """All settings of a lobby."""

    title: Annotated[str, Meta(max_length=80)] = "Kontor lobby"
    listen: str = "[::]:7460"  # all addresses, IPv4 and IPv6
    metrics: str = "127.0.0.1:7461"  # host:port; empty: none
    data: str = ""  # directory; empty: the platform's data directory
    store: Annotated[str, Meta(pattern="^(sqlite|memory)$")] = "sqlite"
    certificate: str = ""  # PEM files of the operator; empty: the lobby's own key
    private_key: str = ""
    process: Annotated[str, Meta(pattern="^[a-z0-9-]{1,32}$")] = "main"
    hall_every: Seconds = 0.5
    hall_lines: Annotated[int, Meta(ge=1, le=100)] = 100
    table_lines: Annotated[int, Meta(ge=1, le=100)] = 100
    limits: LimitSettings = LimitSettings()
    relay: RelaySettings = RelaySettings()
    times: TimeSettings = TimeSettings()

    @property
    def directory(self) -> Path:
        """Where key, database and admin socket are."""
        if self.data:
            return Path(self.data)
        from kontor_games.net.wire.identity import default_directory

        return default_directory() / "lobby"


def load_config(path: Path | None, flags: dict[str, Any]) -> Config:
    """Settings from the file, with the flags over them; ConfigError names what does not fit."""
    raw: dict[str, Any] = {}
    if path is not None:
        try:
            raw = tomllib.loads(path.read_text())
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise ConfigError(f"{path} cannot be read: {error}") from error
    raw.update({name: value for name, value in flags.items() if value is not None})
    try:
        config = msgspec.convert(raw, Config)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{path or 'flags'}: {error}") from error
    reason = why_not_config(config)
    if reason:
        raise ConfigError(reason)
    return config


def why_not_config(config: Config) -> str | None:
    """Why these settings cannot work together, or None."""
    for name, address in (("listen", config.listen), ("metrics", config.metrics), ("relay", config.relay.address)):
        if address and not address.endswith(":0") and (reason := why_not_address(address)):
            return f"{name}: {reason}"
    if bool(config.certificate) != bool(config.private_key):
        return "certificate and private_key go together; give both or neither"
    for file in filter(None, (config.certificate, config.private_key)):
        if not Path(file).is_file():
            return f"{file} does not exist"
    return None
