"""The terms of a match, read strictly (docs/wire.md, «Table and terms»)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kontor_games import engine

from .errors import CannotJudge, Refuted
from .group import H, signature_fits
from .packing import Malformed, loosely, pack, unpack
from .records import TermsRecord

MAX_TERMS = 16_384
MAX_DECK = 32
MAX_COUNT = 2**31 - 1
MAX_GRACE = 2_592_000
DAY = 86_400
FIXED = ("version", "game", "rules", "data", "options", "peers", "seats", "recovery", "spectators", "deck")
LOCAL = ("version", "game", "rules", "data", "options", "seats", "nonce", "deck")  # of matches on one machine
OPTIONAL = ("grace", "guests", "rated", "pace", "package")

_WORD = re.compile(r"[a-z0-9][a-z0-9_./-]{0,31}")
_STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_PACKAGE_NAME = re.compile(r"(?=.{1,64}\Z)[a-z0-9]+(-[a-z0-9]+)*")
_PACKAGE_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+!-]{0,63}")


@dataclass(frozen=True)
class Terms:
    """What the peers agreed to before the match."""

    raw: bytes
    version: int
    game: str
    options: Mapping[str, bool | int | str]
    keys: tuple[bytes, ...]
    seats: tuple[int, ...]  # seat -> index of its peer
    names: tuple[str, ...]  # by seat
    majority: bool

    @cached_property
    def match_id(self) -> bytes:
        """The id of the match, which is the first tip of its chain."""
        return H("terms", self.raw, size=32)

    def seats_of(self, peer: int) -> tuple[int, ...]:
        """The seats of one peer, ascending."""
        return tuple(seat for seat, owner in enumerate(self.seats) if owner == peer)

    def name_of(self, peer: int) -> str:
        """What the verdict calls a peer: the names of its seats."""
        return " & ".join(self.names[seat] for seat in self.seats_of(peer))


def read_terms(record: TermsRecord) -> tuple[Terms, engine.Game[Any]]:
    """The terms in the first record, with all signatures checked, and the game they are about."""
    found = _map(loosely, record.raw)
    deck, version = found.get("deck"), found.get("version")
    _demand(isinstance(deck, str) and len(deck) <= MAX_DECK, "deck is not a short text")
    if deck == "local/1":
        _demand(tuple(found) == LOCAL, "not the keys that the terms of a local match have")
    if deck != "sealed/1":
        raise CannotJudge(f"deck mode {deck!r} is not sealed/1")
    _demand(type(version) is int, "version is missing")
    if version not in (1, 2):
        raise CannotJudge(f"terms of version {version}")
    found = _map(unpack, record.raw)
    _check_shape(found, record.raw)
    _check_clauses(found)
    terms = Terms(
        raw=record.raw,
        version=found["version"],
        game=found["game"],
        options=found["options"],
        keys=tuple(key for key, _ in found["peers"]),
        seats=tuple(peer for peer, _, _ in found["seats"]),
        names=tuple(name for _, name, _ in found["seats"]),
        majority=found["recovery"] == "majority",
    )
    if len(record.signatures) != len(terms.keys):
        raise Refuted(f"the terms have {len(record.signatures)} signatures for {len(terms.keys)} peers")
    for peer, (key, signature) in enumerate(zip(terms.keys, record.signatures, strict=True)):
        if not signature_fits("terms", terms.raw, signature, key):
            raise Refuted(f"the signature of peer {peer} under the terms does not fit")
    game = _game(found)
    _check_options(game, terms)
    return terms, game


def _map(read: Callable[[bytes], Any], raw: bytes) -> dict[str, Any]:
    try:
        found = read(raw)
    except Malformed as error:
        raise Refuted(f"the terms are malformed: {error}") from None
    _demand(isinstance(found, dict), "they are not a map")
    return dict(found)


def _demand(condition: bool, otherwise: str) -> None:
    if not condition:
        raise Refuted(f"the terms are malformed: {otherwise}")


def _is_count(value: object, low: int = 0, high: int = MAX_COUNT) -> bool:
    return isinstance(value, int) and type(value) is int and low <= value <= high


def _is_bytes(value: object, size: int) -> bool:
    return isinstance(value, bytes) and len(value) == size


def _is_word(value: object) -> bool:
    return isinstance(value, str) and _WORD.fullmatch(value) is not None


def _is_option(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= 256
    return isinstance(value, bool) or (isinstance(value, int) and -(2**31) <= value < 2**31)


def _check_shape(found: dict[str, Any], raw: bytes) -> None:
    """The ten keys that every version has."""
    _demand(len(raw) <= MAX_TERMS, f"they have more than {MAX_TERMS} bytes")
    extra = tuple(key for key in OPTIONAL if key in found) if found["version"] == 2 else ()
    _demand(tuple(found) == FIXED + extra, "not exactly the keys of terms, in their order")
    _demand(_is_word(found["game"]), "game is not a word")
    _demand(_is_count(found["rules"]), "rules is not a count")
    _demand(_is_bytes(found["data"], 32), "data is not a digest")
    options = found["options"]
    _demand(isinstance(options, dict) and len(options) <= 32, "options is not a map of up to 32")
    _demand(list(options) == sorted(options, key=str.encode), "options are not sorted")
    _demand(all(_is_word(key) and _is_option(value) for key, value in options.items()), "an option is malformed")
    _check_people(found["peers"], found["seats"], found["version"])
    _demand(found["recovery"] in ("majority", "none"), "recovery is majority or none")
    _demand(isinstance(found["spectators"], bool), "spectators is not a bool")


def _check_people(peers: Any, seats: Any, version: int) -> None:
    _demand(isinstance(peers, list) and 2 <= len(peers) <= 8, "there are 2 to 8 peers")
    for peer in peers:
        _demand(isinstance(peer, list) and len(peer) == 2, "a peer is a key and a nonce")
        _demand(_is_bytes(peer[0], 32) and _is_bytes(peer[1], 16), "a peer is a key and a nonce")
    _demand(len({key for key, _ in peers}) == len(peers), "two peers have one key")
    _demand(len({nonce for _, nonce in peers}) == len(peers), "two peers have one nonce")
    _demand(isinstance(seats, list) and 1 <= len(seats) <= 8, "there are 1 to 8 seats")
    for seat in seats:
        _demand(isinstance(seat, list) and len(seat) == 3, "a seat is a peer, a name and a kind")
        _demand(_is_count(seat[0], 0, len(peers) - 1), "a seat has a peer of the list")
        _demand(isinstance(seat[1], str) and 1 <= len(seat[1]) <= 64, "a name has 1 to 64 characters")
        _demand(_STEERING.search(seat[1]) is None, "a name could write a verdict of its own")
        _demand(_is_word(seat[2]), "the kind of a seat is a word")
    order = list(dict.fromkeys(seat[0] for seat in seats))
    _demand(len(order) == len(peers), "every peer has a seat")
    _demand(version == 1 or order == list(range(len(peers))), "peers are not in the order of their first seats")


def _check_clauses(found: dict[str, Any]) -> None:
    """The keys that came with version 2, as far as they are there."""
    seats = found["seats"]
    if "grace" in found:
        _demand(_is_count(found["grace"], 1, MAX_GRACE), "grace is out of bounds")
        _demand(found["recovery"] == "majority" or "rated" in found, "grace without recovery or rating")
    if "guests" in found:
        guests = found["guests"]
        _demand(isinstance(guests, list) and 1 <= len(guests) <= 8, "guests is a list of 1 to 8 seats")
        _demand(all(_is_count(seat, 0, len(seats) - 1) for seat in guests), "a guest has a seat")
        _demand(guests == sorted(set(guests)), "guests are ascending")
        _demand(all(seats[seat][2] == "human" for seat in guests), "a guest is a person")
    if "rated" in found:
        rated = found["rated"]
        _demand(isinstance(rated, list) and len(rated) == 2 and _is_word(rated[0]), "rated is a word and a key")
        _demand(rated[1] is None or _is_bytes(rated[1], 32), "rated is a word and a key")
        _demand(len(seats) == len(found["peers"]) and "guests" not in found, "ratings belong to keys")
    if "pace" in found:
        pace = found["pace"]
        _demand(isinstance(pace, list) and len(pace) == 2, "pace is a word and seconds")
        live = pace[0] == "live" and _is_count(pace[1], 10, DAY - 1)
        days = pace[0] == "days" and _is_count(pace[1], DAY, MAX_GRACE) and pace[1] % DAY == 0
        _demand(live or days, "pace is out of bounds")
    if "package" in found:
        package = found["package"]
        _demand(isinstance(package, list) and len(package) == 3, "package is a name, a version and a digest")
        name, version, digest = package
        _demand(isinstance(name, str) and _PACKAGE_NAME.fullmatch(name) is not None, "the package has no good name")
        _demand(isinstance(version, str) and _PACKAGE_VERSION.fullmatch(version) is not None, "package version")
        _demand(_is_bytes(digest, 32), "the package has no digest")


def _game(found: dict[str, Any]) -> engine.Game[Any]:
    """The game of the terms, if this engine has exactly that one."""
    if "package" in found:
        raise CannotJudge(f"the game comes from the package {found['package'][0]}")
    if found["game"] not in engine.game_ids():
        raise CannotJudge(f"there is no game {found['game']!r} here")
    try:
        game = engine.load(found["game"], found["rules"])
    except engine.ConfigError as error:
        raise CannotJudge(str(error)) from None
    if found["data"] != game.data_digest:
        raise CannotJudge("the printed facts of the game differ from those here")
    return game


def _check_options(game: engine.Game[Any], terms: Terms) -> None:
    """Every option that the game offers is there, and all are legal for that number of seats."""
    offered = {option.id for option in game.options}
    if set(terms.options) != offered:
        raise Refuted("the terms do not name exactly the options of the game")
    try:
        full = game.check_options(terms.options, len(terms.seats))
    except engine.KontorError as error:
        raise Refuted(f"the options do not fit: {error}") from None
    assert pack(dict(sorted(full.items()))) == pack(dict(sorted(terms.options.items())))
