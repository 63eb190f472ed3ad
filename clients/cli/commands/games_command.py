"""`kontor games`: what can be played here."""

from __future__ import annotations

import json

import click

from kontor_games.clients.cli.without_node import Services
from kontor_games.clients.text.game_options import players
from kontor_games.clients.text.terminal import Terminal


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print machine-readable data.")
@click.pass_obj
def command(services: Services, as_json: bool) -> None:
    """List the games that can be played here."""
    games = services.games()
    if as_json:
        click.echo(json.dumps(games, indent=2))
        return
    terminal = Terminal()
    for game in games:
        terminal.print(f"{terminal.paint(game['id'].ljust(10), 'bold')} {game['title']}, {players(game)}")
    terminal.print()
    terminal.print("Play one: kontor play GAME --seats me,bot,bot    Its options: kontor play GAME --options")
