"""`kontor help` and `kontor completion`: what a person at a shell asks of any program."""

from __future__ import annotations

import os
import re
import shlex

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
