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
from kontor_games.net.wire.people_messages import MAX_FRIENDS

from .pages_settings import PagesSettings, faults_of_pages
from .setting_faults import split

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
    invites: RateSetting = _rate(0.1, 6)
    reports: RateSetting = _rate(1 / 60, 5)
    max_connections: Positive = 10_000  # of people who have signed in
    max_unsigned: Positive = 1024  # connections that have not signed in yet
    max_tables: Positive = 5_000
    max_tables_per_key: Positive = 8
    max_queue: Positive = 2_000
    max_marks: Positive = 200
    max_names: Positive = 100_000  # that are kept for the key that used them first
    max_profiles: Positive = 50_000  # of people who muted or blocked somebody
    max_friends: Annotated[int, Meta(ge=1, le=MAX_FRIENDS)] = 100  # that one person looks out for
    max_watches: Positive = 100_000  # the same, of everybody together
    max_known: Positive = 100_000  # keys whose matches are counted
    max_reports: Positive = 500  # that wait for operators
    max_seen: Positive = 100_000  # of whom operators know for a day where they came from
    sign_in_time: Seconds = 15
    outbox_bytes: Positive = 96 * 1024  # kept for a connection that does not read
    stall_time: Seconds = 30
    ping_every: Seconds = 30


class RelaySettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The blind relay for pairs that cannot connect directly."""

    enabled: bool = True
    punch: bool = True  # whether members are helped to direct ways through their routers
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


class LadderSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The ladder of rated matches; what stands above `max_file` is fixed when it begins (docs/ladder.md)."""

    enabled: bool = False
    season_days: Annotated[int, Meta(ge=1, le=3660)] = 91
    window_hours: Annotated[int, Meta(ge=0, le=24 * 60)] = 48
    return_hours: Annotated[int, Meta(ge=0, le=24 * 60)] = 72
    provisional: Annotated[int, Meta(ge=0, le=1000)] = 10
    same_people: Annotated[int, Meta(ge=1, le=10_000)] = 10
    programs: bool = False  # whether seats that programs play count too
    max_file: Annotated[int, Meta(ge=1024, le=64 * 1024 * 1024)] = 8 * 1024 * 1024
    files_per_day: Positive = 100  # of one key
    uploads_at_once: Annotated[int, Meta(ge=1, le=1000)] = 16
    cpu_seconds: Annotated[int, Meta(ge=1, le=3600)] = 60  # of a processor, for one file
    jobs: Annotated[int, Meta(ge=1, le=64)] = 1  # processes that judge


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
    store: Annotated[str, Meta(pattern="^(sqlite|memory|redis://.*|rediss://.*|unix://.*)$")] = "sqlite"
    certificate: str = ""  # PEM files of the operator; empty: the lobby's own key
    private_key: str = ""
    process: Annotated[str, Meta(pattern="^[a-z0-9-]{1,32}$")] = "main"  # its name among several on one store
    address: str = ""  # where nodes reach this process, host:port; for lobbies of several processes
    hall_every: Seconds = 0.5
    hall_lines: Annotated[int, Meta(ge=1, le=100)] = 100
    table_lines: Annotated[int, Meta(ge=1, le=100)] = 100
    limits: LimitSettings = LimitSettings()
    relay: RelaySettings = RelaySettings()
    times: TimeSettings = TimeSettings()
    pages: PagesSettings = PagesSettings()
    ladder: LadderSettings = LadderSettings()

    @property
    def directory(self) -> Path:
        """Where key, database and admin socket are."""
        if self.data:
            return Path(self.data)
        from kontor_games.net.wire.identity import default_directory

        return default_directory() / "lobby"


def load_config(path: Path | None, flags: dict[str, Any]) -> Config:
    """Settings from the file, with the flags over them; ConfigError names everything that does not fit."""
    raw: dict[str, Any] = {}
    if path is not None:
        try:
            raw = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise ConfigError(f"{path} cannot be read: {error}") from error
    flags = {name: value for name, value in flags.items() if value is not None}
    if "pages" in flags:  # the address alone: everything else about them is in the file
        flags["pages"] = {**raw.get("pages", {}), "listen": flags["pages"]}
    raw.update(flags)
    good, faults = split(raw, Config)
    config = msgspec.convert(good, Config)
    faults += faults_between(config)
    if faults:
        raise ConfigError("\n  ".join([f"{path or 'the flags'}: {_counted(len(faults))}", *faults]))
    return config


def _counted(faults: int) -> str:
    return "one thing is wrong" if faults == 1 else f"{faults} things are wrong"


def faults_between(config: Config) -> list[str]:
    """Why these settings cannot work together, or with this machine's files."""
    faults = []
    places = (
        ("listen", config.listen),
        ("metrics", config.metrics),
        ("relay.address", config.relay.address),
        ("address", config.address),
    )
    for name, address in places:
        if address and not address.endswith(":0") and (reason := why_not_address(address)):
            faults.append(f"{name}: {reason}")
    if bool(config.certificate) != bool(config.private_key):
        faults.append("certificate and private_key go together; give both or neither")
    if config.ladder.enabled and config.certificate:
        faults.append("ladder: it is signed with the lobby's own key, so it cannot go with a certificate of yours")
    pair = (("certificate", config.certificate), ("private_key", config.private_key))
    faults += [f"{name}: {file} does not exist" for name, file in pair if file and not Path(file).is_file()]
    return faults + faults_of_pages(config.pages)
