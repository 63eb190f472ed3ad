"""The command `kontor`: hands the terminal client what it works with. The only module that may import every room.

Everything is imported when it is needed: `kontor --help` must not wait for a game or for the network.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from .home_folder import data_dir, use_home

if TYPE_CHECKING:
    from .cli.without_node import Services

ANY_HOME = click.option(
    "--home",
    type=click.Path(file_okay=False),
    expose_value=False,
    is_eager=True,
    callback=use_home,
    help="Another directory for key and matches.",
)  # every command understands it
COMMANDS = {
    "games": ("clients.cli.commands.games_command:command", "List the games that can be played here."),
    "play": ("clients.cli.commands.play_command:command", "Play a game in this terminal."),
    "learn": ("clients.cli.commands.learn_command:command", "Learn a game in a guided first match."),
    "host": ("clients.cli.commands.host_command:host", "Open a table, here or in a lobby."),
    "party": ("clients.cli.commands.party_command:command", "Let phones in this Wi-Fi play at your table."),
    "join": ("clients.cli.commands.host_command:join", "Join a table by its host's name, code or address."),
    "tables": ("clients.cli.commands.tables_command:tables", "Show open tables on the local network and in a lobby."),
    "people": ("clients.cli.people_command:command", "Friends, who is in the lobby, blocks, invitations, reports."),
    "queue": ("clients.cli.commands.tables_command:queue", "Let a lobby find others to play with."),
    "doctor": ("clients.cli.commands.doctor_command:command", "Say why others are not found or reached."),
    "resume": ("clients.cli.commands.resume_command:command", "Go on with a match of yours."),
    "rematch": ("clients.cli.commands.rematch_command:command", "Play a match once more with the same people."),
    "screen": ("clients.cli.commands.screen_command:command", "Play a match on the full screen."),
    "watch": ("clients.cli.commands.watch_command:command", "Watch a match between machines."),
    "id": ("clients.cli.commands.id_command:command", "Show who you are to others, or change your name."),
    "replay": ("clients.cli.commands.replay_command:command", "Look at a match ply by ply."),
    "replays": ("clients.cli.commands.replays_command:command", "List the finished matches here, and open one."),
    "node": ("clients.node_process:command", "Start, stop and ask the background process."),
    "lobby": ("lobby.lobby_command:command", "Host a lobby where people find each other."),
    "bundle": ("clients.cli.commands.shell_commands:bundle", "Make one file to install Kontor without internet."),
    "demo": ("clients.cli.commands.demo_command:command", "Watch nodes play a sealed match, and verify it."),
    "analyse": ("clients.cli.commands.analyse_command:command", "Say what decided a finished match, and what it cost."),
    "verify": ("clients.cli.commands.verify_command:command", "Check match files completely."),
    "ladder": ("clients.cli.ladder.ladder_command:command", "Check what a lobby's ladder says, or look at it."),
    "stats": ("clients.cli.commands.stats_command:stats", "Say what the matches of an archive come to."),
    "export": ("clients.cli.commands.stats_command:export", "Write the matches of an archive as tables."),
    "tournament": ("clients.cli.event.tournament_command:command", "Organise a tournament, check one, or play in it."),
    "help": ("clients.cli.commands.shell_commands:help_command", "Show what a command does and its options."),
    "completion": ("clients.cli.commands.shell_commands:completion", "Make a shell complete Kontor's commands."),
}


class Commands(click.Group):
    """Subcommands by name, imported when they are called."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[name][0].partition(":")
        command: click.Command = getattr(import_module(f"kontor_games.{module}"), attribute)
        if all("--home" not in parameter.opts for parameter in command.params) and name not in OWN_HOME:
            ANY_HOME(command)
        return command

    def invoke(self, context: click.Context) -> Any:
        """Ctrl-C that a command did not expect has an exit code of its own: 1 is a verdict of some commands."""
        try:
            return super().invoke(context)
        except KeyboardInterrupt:
            click.echo("\nkontor: stopped", err=True)
            context.exit(130)

    def shell_complete(self, context: click.Context, incomplete: str) -> list[CompletionItem[Any]]:
        """Names from the table alone: whoever presses Tab does not wait for imports."""
        named = [CompletionItem(name, help=text) for name, (_, text) in COMMANDS.items() if name.startswith(incomplete)]
        return named + click.Command.shell_complete(self, context, incomplete)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


OWN_HOME = {"lobby", "node", "tournament"}  # groups: their commands say by themselves where they keep things


class LocalServices:
    """What the commands need, on this machine alone."""

    def games(self) -> list[dict[str, Any]]:
        from kontor_games import engine

        return [_described(engine.load(game)) for game in engine.game_ids()]

    def bot_kinds(self) -> Sequence[str]:
        from . import bots

        return [bots.DEFAULT, *(kind for kind in bots.KINDS if kind != bots.DEFAULT)]

    def new_match(
        self,
        game: str,
        options: Mapping[str, Any],
        seats: Sequence[tuple[str, str]],
        seed: str | None,
        path: str | None,
    ) -> Any:
        """A new match of bots in a new file; an unfinished one in the file goes on, if it is the same."""
        from kontor_games import engine
        from kontor_games.net.record import local_match

        record = engine.load(game)
        secret = os.urandom(32) if seed is None else local_match.seed_from(seed)
        target = Path(path) if path else _fresh_path(game, secret)
        if target.exists():
            table = _again(target, record, options, seats, None if seed is None else secret)
            if table is not None:
                return _play(table)
        return _play(local_match.RecordedMatch.create(target, record, options, seats, secret))

    def open_replay(self, path: str) -> Any:
        from kontor_games.net.record.replay import Replay

        return Replay(Path(path))

    def analyse(
        self, path: str, budget: int | None, jobs: int | None, progress: Callable[[int, int], None]
    ) -> dict[str, Any]:
        """What an expert thinks of the finished match in a file; stored beside it as it grows."""
        import msgspec

        from kontor_games.clients.bots.analysis import DEFAULT_BUDGET, Analysis, MatchKey, path_of, stored_at
        from kontor_games.clients.bots.expert.workers import Workers
        from kontor_games.clients.text.phrases import Words
        from kontor_games.engine.errors import StoreError
        from kontor_games.net.api.matches.log_lines import turns_of
        from kontor_games.net.record.replay import Replay

        replay = Replay(Path(path))
        info = replay.info()
        if not replay.is_played_out:
            raise StoreError(
                f"{path}: only a match that was played to its end can be analysed; its cards are open then"
            )
        if budget is None:
            before = stored_at(path_of(Path(path)))
            budget = before.budget if before is not None and before.match == info["match"] else DEFAULT_BUDGET
        words = Words(info["game"], [seat["name"] for seat in info["seats"]])
        workers = Workers(jobs)
        try:
            match = MatchKey(info["match"], replay.digest(info["plies"]), len(info["seats"]))
            found = Analysis(Path(path), replay.game, match, replay.decisions(), budget).run(workers, words, progress)
        finally:
            workers.close()
        turns = turns_of(replay.game, replay.plies)
        return {**msgspec.to_builtins(found), "info": info, "result": replay.result(), "turns": turns}

    def verify(self, path: str, progress: Callable[[int, int], None] | None) -> dict[str, Any]:
        from kontor_games.net.record.verify import verify

        return verify(Path(path), progress=progress).as_dict()

    def archive(self, names: Sequence[str]) -> Any:
        from kontor_games.net.archive.archive import Archive

        return Archive(names)

    def page_kit(self, memory: int) -> Any:
        from .page_process import page_kit

        return page_kit(memory)

    def check_ladder(self, place: str, jobs: int, key: str | None, tick: Callable[[int, int], None]) -> dict[str, Any]:
        from kontor_games.lobby.ladder.ladder_checking import check
        from kontor_games.lobby.ladder.published import source_at

        return check(source_at(place), jobs, tick, key).as_dict()

    def ladder_page(self, place: str) -> dict[str, Any]:
        import msgspec

        from kontor_games.lobby.ladder.manifest import page_in
        from kontor_games.lobby.ladder.published import source_at

        found: dict[str, Any] = msgspec.to_builtins(page_in(source_at(place).manifest()))
        return found

    def count_files(self, folder: str, files: Sequence[str], title: str, jobs: int) -> dict[str, Any]:
        from kontor_games.lobby.ladder.own_ladder import count_files
        from kontor_games.net.wire.identity import load_or_create

        return count_files(Path(folder), [Path(file) for file in files], load_or_create(data_dir()), title, jobs)

    def hide_name(self, folder: str, key: str) -> None:
        from kontor_games.lobby.ladder.own_ladder import hide_name
        from kontor_games.net.wire.identity import load_or_create

        hide_name(Path(folder), key, load_or_create(data_dir()))

    def new_tournament(self, folder: Path, wish: Mapping[str, Any]) -> None:
        from kontor_games.net.tournament.tournament import new_event
        from kontor_games.net.wire.identity import load_or_create

        new_event(folder, load_or_create(data_dir()), wish)

    def tournament(self, path: Path) -> Any:
        from kontor_games.net.tournament.tournament import Tournament
        from kontor_games.net.wire.identity import load_or_create

        return Tournament(path, lambda: load_or_create(data_dir()))

    def make_bundle(self, earlier: Path | None, asks_index: bool, progress: Callable[[str], None]) -> dict[str, Any]:
        """A bundle of the Kontor that runs here, kept in the home, where the node offers it to guests."""
        from kontor_games.net.bundle import bundle, bundle_offer
        from kontor_games.net.system.private_file import write_private
        from kontor_games.net.system.version import version

        made = bundle.make(progress, asks_index, None if earlier is None else earlier.read_bytes())
        path = data_dir() / bundle_offer.PLACE / bundle_offer.bundle_name(version())
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_private(path, made.data)
        offer = bundle_offer.newest(data_dir())
        assert offer is not None
        found = {"path": path, "data": made.data, "digest": offer.digest, "mark": offer.mark}
        return {**found, "made_for": made.made_for, "missing": made.missing}

    def export_identity(self, home: Path, target: Path, passphrase: str) -> str:
        """Write the key of this home to a file; its fingerprint."""
        from kontor_games.net.wire.identity_file import export_identity

        return export_identity(home, target, passphrase)

    def import_identity(self, home: Path, source: Path, passphrase: str, replace: bool) -> tuple[str, str]:
        """Make the key in a file the key of this home, in which no node may run meanwhile."""
        from kontor_games.net.node.home_lock import lock_home
        from kontor_games.net.wire.identity_file import import_identity

        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        with lock_home(home):
            return import_identity(home, source, passphrase, replace)

    def nodes(self, folder: Path) -> Any:
        from kontor_games.net.system import child

        from .node.child_nodes import ChildNodes
        from .node_process import node_run

        command = [*node_run(), "--leashed", "--bind", "127.0.0.1", "--no-lan"]
        return ChildNodes(folder, command, child.environment())


def _described(game: Any) -> dict[str, Any]:
    options = [
        {"id": option.id, "default": option.default, "allowed": list(option.allowed), "text": option.text}
        for option in game.options
    ]
    return {
        "id": game.id,
        "title": game.title,
        "seats": list(game.seats),
        "rules_version": game.rules_version,
        "options": options,
    }


def _again(
    path: Path, game: Any, options: Mapping[str, Any], seats: Sequence[tuple[str, str]], seed: bytes | None
) -> Any:
    """The match in an existing file, if it goes on; None if the file may be written anew."""
    from kontor_games.engine.errors import StoreError
    from kontor_games.net.record import local_match, transcript

    with transcript.open_file(path) as file:
        begun = any(isinstance(item, transcript.Placed) for item in transcript.read(file))
    if not begun:  # killed before the first record: nothing to lose
        path.unlink()
        return None
    table = local_match.RecordedMatch.resume(path)
    rules = table.game if table.game.id == game.id else game  # it may go on under older rules
    full = rules.check_options(options, len(seats))
    asked = (game.id, full, tuple(seats))
    found = (table.game.id, table.terms.options, tuple((seat.name, seat.kind) for seat in table.terms.seats))
    if asked != found or (seed is not None and seed != table.seed):
        table.close()
        raise StoreError(f"{path}: holds another match; choose another name")
    if not table.is_closed:
        return table
    table.close()
    if seed is None:
        raise StoreError(f"{path}: this match is finished; choose another name (kontor replay {path} shows it)")
    path.unlink()  # bots with the same seed: it will be the same match again
    return None


def _play(table: Any) -> Any:
    from kontor_games.engine.core.stream import H, u32
    from kontor_games.net.record.bot_match import BotMatch

    from . import bots

    seats = enumerate(table.terms.seats)
    return BotMatch(
        table, {seat: bots.make(who.kind, H("bot-seed", table.seed, u32(seat), size=32)) for seat, who in seats}
    )


def _fresh_path(game: str, seed: bytes) -> Path:
    from kontor_games.engine.core.stream import H
    from kontor_games.net.record.match_files import LocalFiles

    folder = data_dir() / "matches"
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{game}-{H('local-nonce', seed, size=16).hex()[:8]}"
    path = LocalFiles.named(folder, name).transcript
    number = 2
    while path.exists():
        path = LocalFiles.named(folder, f"{name}-{number}").transcript
        number += 1
    return path


def _print_version(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        from kontor_games.net.system.version import version

        click.echo(f"kontor {version()}, Python {sys.version.split()[0]}")
        context.exit()


@click.group(cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Show the version."
)
@ANY_HOME
@click.pass_context
def kontor(context: click.Context) -> None:
    """Merchant board games, peer to peer. Without a command: open the web client."""
    services: Services = LocalServices()
    context.obj = services
    if context.invoked_subcommand is None:
        import_module("kontor_games.clients.node_process").open_browser()


def main(arguments: list[str] | None = None) -> None:
    """Run the command; what goes wrong on purpose is told in one line."""
    os.environ["PYTHONSAFEPATH"] = "1"  # files in the working directory cannot shadow modules of the processes we start
    try:
        kontor(arguments, prog_name="kontor")
    except Exception as error:
        from kontor_games.clients.node.node_connection import Restarted, Stopped
        from kontor_games.clients.node.node_link import Refused
        from kontor_games.engine.errors import KontorError

        if not isinstance(error, KontorError | Refused | Restarted | Stopped):
            raise
        from kontor_games.clients.text.terminal import clean

        click.echo(f"kontor: {clean(str(error))}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
