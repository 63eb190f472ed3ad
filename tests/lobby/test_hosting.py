"""Every command of docs/hosting.md is typed here, in the order of the document, to a lobby that runs."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

from click.testing import CliRunner
from pytest_twisted import ensureDeferred

from kontor_games.clients import entry
from kontor_games.net.wire.identity import fingerprint
from kontor_games.net.wire.lobby_messages import MakeTable
from kontor_games.net.wire.people_messages import ReportKey
from tests.clients.command import kontor
from tests.test_documents import HOSTING, hosting_commands
from tests.worlds.lobby_hall import Node
from tests.worlds.redis_server import needs_redis, redis_server

from .child import LobbyProcess

FIRST = "./scripts/kontor lobby"
CHECK = "lobby --config /etc/kontor/lobby.toml --check-config"


def typed(*words: str) -> str:
    """Type a command in this process; what it prints."""
    run = CliRunner().invoke(entry.kontor, list(words), prog_name="kontor")
    assert run.exit_code == 0, (words, run.output, run.exception)
    return run.output


def lobby_commands() -> list[list[str]]:
    """The words behind `kontor` of every command to a lobby, the machine's own paths still in them."""
    lines = [line for line, where in hosting_commands() if where == "here" and "kontor lobby" in line and line != FIRST]
    return [shlex.split(re.sub(r".*kontor (?=lobby )", "", line)) for line in lines]


@ensureDeferred
async def test_every_command_to_a_lobby_does_what_the_document_says(tmp_path: Path) -> None:
    settings, data = tmp_path / "lobby.toml", tmp_path / "data"
    block = re.search(r"(?ms)^```toml\n(.*?)^```$", HOSTING.read_text(encoding="utf-8"))
    assert block is not None
    text = block[1].replace("/var/lib/kontor-lobby", str(data)).replace('"[::]:7460"', '"127.0.0.1:0"')
    settings.write_text(text.replace('"127.0.0.1:7461"', '"127.0.0.1:0"'), encoding="utf-8")
    commands = lobby_commands()
    assert len(commands) > 15 and commands[0] == CHECK.split()
    assert "the settings work" in typed(*placed(commands[0], settings, tmp_path, {}))
    lobby = LobbyProcess(data, 0, "--config", str(settings))
    people = [Node("Anna"), Node("Ben")]
    try:
        for node in people:
            await node.come(lobby.port, lobby.key)
        table = (await people[1].ask(MakeTable("osaka", {}, 2))).table
        await people[1].ask(ReportKey(people[0].identity.key, "shouting"))
        (report,) = json.loads(typed("lobby", "--config", str(settings), "admin", "reports", "--json"))["reports"]
        words = {"abcd-efgh": fingerprint(people[0].identity.key)[:9], "TABLE": table, "REPORT": report["report"]}
        while_it_runs = [command for command in commands[1:] if "restore" not in command]
        said = {" ".join(command): typed(*placed(command, settings, tmp_path, words)) for command in while_it_runs}
        told = {line.partition("admin ")[2].split(" ")[0]: answer for line, answer in said.items() if "admin" in line}
        assert "Anna" in told["people"] and "is muted until" in told["mute"] and "is banned until" in told["ban"]
        assert f"table {table} is closed" in told["close"] and "shouting" in told["reports"]
        assert "nothing to take over" in told["reload"]
        done = [line.split()[2] for line in told["log"].splitlines()[1:]]
        assert done == ["warn", "mute", "ban", "ban", "lift", "close", "announce", "dismiss"]
        (tmp_path / "player").mkdir()
        shown = kontor(tmp_path / "player", *tables_command(lobby))
        assert shown.returncode == 0 and f"In the lobby 127.0.0.1:{lobby.port}" in shown.stdout, shown.stderr
        doctor = kontor(tmp_path / "player", "doctor")
        assert "lobby" in doctor.stdout, doctor.stderr
        kontor(tmp_path / "player", "node", "stop")
    finally:
        for node in people:
            await node.leave()
        lobby.stop()
    (restore,) = [command for command in commands if "restore" in command]
    assert "restored to" in typed(*placed(restore, settings, tmp_path, {}))


def placed(command: list[str], settings: Path, folder: Path, words: dict[str, str]) -> list[str]:
    """A command with what stands there for this machine: its settings, its back-ups, its people and tables."""
    names = {
        "/etc/kontor/lobby.toml": str(settings),
        "…": str(settings),
        "/var/backups/lobby.tar": f"{folder}/lobby.tar",
    }
    return [{**names, **words}.get(word, word) for word in command]


def tables_command(lobby: LobbyProcess) -> list[str]:
    """The command with which players come, for the lobby that runs here."""
    line = next(line for line, where in hosting_commands() if where == "here" and "kontor tables" in line)
    words = shlex.split(line)[1:]
    here = {"games.example.org:7460": f"127.0.0.1:{lobby.port}"}
    key = words[words.index("--lobby-key") + 1]
    return [{**here, key: fingerprint(lobby.key)}.get(word, word) for word in words]


def test_a_lobby_starts_with_one_command(tmp_path: Path) -> None:
    """As the first line of the document, but on a port that is free and with a home of its own."""
    assert (FIRST, "here") in hosting_commands()
    lobby = LobbyProcess(tmp_path / "data", 0, kontor=["./scripts/kontor"])
    assert lobby.health() == (200, "ok") and lobby.stop() == 0


@needs_redis
def test_processes_on_one_redis_are_one_lobby_as_the_document_starts_them(tmp_path: Path) -> None:
    lines = [shlex.split(line)[2:] for line, _ in hosting_commands() if line.startswith("kontor lobby --store redis:")]
    assert len(lines) == 2
    data = tmp_path / "data"
    with redis_server(tmp_path / "redis") as server:
        here = {"redis://db.example.org:6379/0": server.url}
        lobbies = [LobbyProcess(data, 0, *(here.get(word, word) for word in words)) for words in lines]
        try:
            status = json.loads(typed("lobby", "--data", str(data), "--store", server.url, "admin", "status", "--json"))
            assert status["processes"] == ["one", "two"]
            assert lobbies[0].key == lobbies[1].key
        finally:
            assert [lobby.stop() for lobby in lobbies] == [0, 0]
