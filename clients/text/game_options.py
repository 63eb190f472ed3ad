"""Games and their options as people read and write them at a terminal."""

from __future__ import annotations

import click

from kontor_games.clients.values import Data

from .terminal import Terminal


def players(game: Data) -> str:
    """«2 to 4 players»."""
    seats = game["seats"]
    if seats == list(range(seats[0], seats[-1] + 1)) and len(seats) > 1:
        return f"{seats[0]} to {seats[-1]} players"
    return f"{' or '.join(map(str, seats))} players"


def find_game(games: list[Data], game: str) -> Data:
    """The game of this name; click's error names those there are."""
    for record in games:
        if record["id"] == game:
            return record
    raise click.UsageError(f"there is no game {game!r}; there are {', '.join(record['id'] for record in games)}")


def print_options(terminal: Terminal, game: Data) -> None:
    """What can be chosen before a match of this game."""
    terminal.print(f"{game['title']}, {players(game)}")
    if not game["options"]:
        terminal.print("It has no options.")
    for option in game["options"]:
        allowed = "|".join(_value(value) for value in option["allowed"]) or _value(option["default"])
        terminal.print()
        terminal.print(f"  {terminal.paint('--' + option['id'].replace('_', '-'), 'bold')} {allowed}")
        terminal.wrapped(f"      {option['text']} (default {_value(option['default'])})", indent="      ")


def option_words(game: Data, options: Data) -> str:
    """The options that are not as usual; people need not read the rest."""
    usual = {option["id"]: option["default"] for option in game["options"]}
    other = [f"{name} {_value(value)}" for name, value in sorted(options.items()) if usual.get(name) != value]
    return ", ".join(other)


def read_option(game: Data, name: str, text: str) -> object:
    """The value that `text` means for an option of this game; raises click's error otherwise."""
    for option in game["options"]:
        if option["id"] != name:
            continue
        default = option["default"]
        if isinstance(default, bool):
            if text.lower() in ("on", "yes", "true", "1"):
                return True
            if text.lower() in ("off", "no", "false", "0"):
                return False
            raise click.UsageError(f"--{name} is on or off, not {text!r}")
        if isinstance(default, int):
            if text.lstrip("-").isdigit() and len(text) < 10:
                return int(text)
            raise click.UsageError(f"--{name} is a number, not {text!r}")
        return text
    offered = ", ".join("--" + option["id"] for option in game["options"])
    raise click.UsageError(f"{game['title']} has no option --{name}; it has {offered or 'none'}")


def _value(value: object) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
