"""What judges: digests of the rules, of their data and of the program, and the libraries whose words end up in reports.

Two processes with equal identities give the same report for the same bytes. A cache entry is good for one identity
only, and a worker of a cluster whose identity is another one judges nothing: each task compares, because a worker that
fails a check when it starts joins its cluster all the same.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path

import kontor_games.engine
import kontor_games.net
from kontor_games.engine import game_ids
from kontor_games.engine import load as load_game

_JUDGING = (
    "archive",
    "ledger",
    "record",
    "sealed",
    "system",
    "wire",
)  # the packages of net that a verdict runs through
_LIBRARIES = ("cryptography", "msgspec", "PyNaCl")


@cache
def judge_identity() -> Mapping[str, str]:
    """By name: digests of what this process judges by."""
    engine, net = _folder(kontor_games.engine), _folder(kontor_games.net)
    data = blake2b(digest_size=16)
    rules = []
    for game in map(load_game, game_ids()):
        data.update(game.id.encode() + b"\0" + game.data_digest)
        rules.append(f"{game.id} {game.rules_version}")
    return {
        "rules": ", ".join(rules),
        "data": data.hexdigest(),
        "engine": _digest(engine, [engine]),
        "net": _digest(net, [net / name for name in _JUDGING]),
        "python": ".".join(platform.python_version_tuple()[:2]),
        **{name: version(name) for name in _LIBRARIES},
    }


def identity_mark(identity: Mapping[str, str]) -> bytes:
    """An identity in 16 bytes."""
    mark = blake2b(digest_size=16)
    for name, value in sorted(identity.items()):
        mark.update(f"{name}\0{value}\0".encode())
    return mark.digest()


def differences(ours: Mapping[str, str], theirs: Mapping[str, str]) -> list[str]:
    """What differs, in words."""
    names = sorted(ours.keys() | theirs.keys())
    return [
        f"{name} ({theirs.get(name, 'none')[:32]} there, {ours.get(name, 'none')[:32]} here)"
        for name in names
        if ours.get(name) != theirs.get(name)
    ]


def _folder(module: object) -> Path:
    return Path(str(getattr(module, "__file__", ""))).parent


def _digest(root: Path, folders: list[Path]) -> str:
    found = blake2b(digest_size=16)
    for path in sorted(path for folder in folders for path in folder.rglob("*") if path.suffix in (".py", ".toml")):
        found.update(path.relative_to(root).as_posix().encode() + b"\0")
        found.update(blake2b(path.read_bytes(), digest_size=16).digest())
    return found.hexdigest()
