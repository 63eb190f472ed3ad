"""`kontor id`: who this node is, for others to compare."""

from __future__ import annotations

import json
from pathlib import Path

import click

from .api import Services
from .terminal import Terminal


@click.command()
@click.option("--home", type=click.Path(file_okay=False, path_type=Path), help="Another directory for key and matches.")
@click.option("--json", "as_json", is_flag=True, help="Print machine-readable data.")
@click.pass_obj
def command(services: Services, home: Path | None, as_json: bool) -> None:
    """Show the fingerprint of this node's key; the key is made if there is none."""
    found = services.identity(home)
    if as_json:
        click.echo(json.dumps(found))
        return
    terminal = Terminal()
    terminal.print(f"Fingerprint  {terminal.paint(found['fingerprint'], 'bold')}")
    terminal.print(f"In words     {found['words']}")
    terminal.print(f"Key file     {found['path']}")
