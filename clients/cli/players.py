"""A list of players: which name belongs to which key. Names in a match file prove nothing; keys do."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from kontor_games.clients.values import Data

_DIGITS = frozenset("0123456789abcdef")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz234567")


def read_players(path: Path) -> dict[str, str]:
    """The table `[players]` of a TOML file: name -> key in hexadecimal digits, or whole fingerprint."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8")).get("players")
    except OSError as error:
        raise click.BadParameter(f"{path}: {error.strerror}", param_hint="--players") from None
    except ValueError as error:
        raise click.BadParameter(f"{path}: {error}", param_hint="--players") from None
    if not isinstance(found, dict) or not found:
        raise click.BadParameter(f"{path}: there is no table [players]", param_hint="--players")
    return {name: _mark(name, value) for name, value in found.items()}


def _mark(name: str, value: object) -> str:
    mark = "".join(str(value).replace("-", " ").split()).lower()
    if (len(mark) == 64 and set(mark) <= _DIGITS) or (len(mark) == 32 and set(mark) <= _LETTERS):
        return mark
    text = f"{name}: {value!r} is not a key (64 hexadecimal digits) or a whole fingerprint (eight groups of four)"
    raise click.BadParameter(text, param_hint="--players")


def why_not_players(peers: Sequence[Data], known: Mapping[str, str]) -> str | None:
    """Why these peers are not the known players, or None; every seat's name must be there with the key that signed."""
    if not peers:
        return "nobody has signed this match, so its players cannot be known"
    for peer in peers:
        marks = (peer["key"], peer["fingerprint"].replace("-", ""))
        for name in peer["names"]:
            if name not in known:
                return f"{name} ({peer['fingerprint']}) is not in the list of players"
            if known[name] not in marks:
                return f"{name} has another key in the list of players than {peer['fingerprint']}"
    return None
