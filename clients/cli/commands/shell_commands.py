"""`kontor help` and `kontor completion`: what a person at a shell asks of any program."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import click
from click.shell_completion import get_completion_class

VARIABLE = "_KONTOR_COMPLETE"  # click's own name for it: the shell asks the program through this variable
NEEDS_PATH = re.compile(r"(?m)^.*\$\+commands\[kontor\].*\n")  # zsh: only for a program that is on the PATH
CALL = re.compile(r"(?<= )kontor(?=\))")  # where zsh and fish call the program; bash calls what was typed


@click.command("help")
@click.argument("names", metavar="[COMMAND]…", nargs=-1)
@click.pass_context
def help_command(context: click.Context, names: tuple[str, ...]) -> None:
    """Show what a COMMAND does and its options; without one, list all commands."""
    place = context.find_root()
    for name in names:
        group = place.command
        found = group.get_command(place, name) if isinstance(group, click.Group) else None
        if found is None:
            raise click.UsageError(f"there is no command {' '.join(names)!r}; kontor help lists them all")
        place = click.Context(found, info_name=name, parent=place)
    click.echo(place.command.get_help(place))


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print what makes SHELL complete Kontor's commands and options.

    \b
    bash: add to ~/.bashrc     eval "$(kontor completion bash)"
    zsh:  add to ~/.zshrc      eval "$(kontor completion zsh)"
    fish: kontor completion fish > ~/.config/fish/completions/kontor.fish
    """
    maker = get_completion_class(shell)
    assert maker is not None
    text = maker(context.find_root().command, {}, "kontor", VARIABLE).source()
    program = os.environ.get("KONTOR_PROGRAM")  # the script of a checkout, which need not be on the PATH
    if program:
        quoted = shlex.quote(program)
        text = CALL.sub(lambda _: quoted, NEEDS_PATH.sub("", text))
    click.echo(text)


@click.command()
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--from",
    "earlier",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Take the packages from an earlier bundle; Kontor itself is always the one that runs here.",
)
@click.option(
    "--offline", is_flag=True, help="Ask no package index: pack what is installed here, for computers like this."
)
@click.pass_context
def bundle(context: click.Context, file: Path | None, earlier: Path | None, offline: bool) -> None:
    """Make one file from which others install Kontor without any network.

    It holds Kontor as it runs here and everything that it needs, for Linux, macOS and Windows as far as the package
    index has it. It is kept in your home, so that guests of a party can download it from this computer, and written to
    FILE if you name one. Guests need Python 3.11 or newer. Tell them the SHA-256, so that they know that it is yours.
    """
    made = context.obj.make_bundle(earlier, not offline, lambda text: click.echo(f"  {text}", err=True))
    if file is not None:
        file.write_bytes(made["data"])
    click.echo(f"{file or made['path']}: {len(made['data']) / 1_000_000:.1f} MB, made for")
    for each in made["made_for"]:
        click.echo(f"  {each}")
    for each in made["missing"]:
        click.echo(f"Not for {each}")
    click.echo(f"SHA-256 {made['digest']}")
    click.echo(f"Its first digits, to compare: {made['mark']}")
    click.echo("To install it: unpack it, then python3 install.py (Python 3.11 or newer, no network).")
