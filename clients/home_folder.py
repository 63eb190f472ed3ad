"""Where Kontor keeps keys and matches of this user, and how a command names another place."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import click

_given: list[str] = []  # --home, as it was typed


def data_dir() -> Path:
    """Where Kontor keeps matches and keys; KONTOR_HOME moves it."""
    home = os.environ.get("KONTOR_HOME")
    if home:
        return Path(home)
    import platformdirs

    return Path(platformdirs.user_data_dir("kontor", appauthor=False))


def home_of(home: Path | None = None) -> Path:
    """The data directory: the one given, or this user's."""
    return data_dir() if home is None else home


def use_home(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """Everything of this command, and all it starts, works in this data directory."""
    if value and not context.resilient_parsing:
        _given[:] = [value]
        os.environ["KONTOR_HOME"] = str(Path(value).absolute())


def again(command: str) -> str:
    """A command to be typed later, for the same data directory."""
    return f"kontor {command}" + "".join(f" --home {shlex.quote(home)}" for home in _given)
