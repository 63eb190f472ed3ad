"""Every command that a document tells people to type exists as it is written there, and every link leads somewhere."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

from kontor_games.clients import entry

from .clients.command import kontor
from .test_rooms import ROOT

DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "clients" / "web" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
BLOCK = re.compile(r"(?ms)^```[^\n]*\n(.*?)^```$")
INDENTED = re.compile(r"(?m)^    (\S.*)$")
QUOTED = re.compile(r"`([^`\n]+)`")
PROGRAM = re.compile(r"(?:^|[ =])(?:\S*/)?(kontor|scripts/\w+|python -m \S+)(?= |$)(.*)")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
PARTS = {"admin", "backup", "restore"}  # of the lobby's command
PLAYED = {  # commands that need other people, a screen or a long time: who types them as people do
    "host": "tests/integration/test_lan_terminal.py",
    "join": "tests/integration/test_lan_terminal.py",
    "party": "tests/clients/test_party.py",
    "watch": "tests/integration/test_lan_terminal.py",
    "play": "tests/clients/test_cli.py",
    "resume": "tests/clients/test_cli.py",
    "lobby": "tests/lobby/test_command.py",
    "demo": "tests/integration/test_commands.py",
    "analyse": "tests/clients/test_analysis.py",
    "ladder": "tests/lobby/test_ladder_desk.py",
    "stats": "tests/clients/test_stats.py",
    "tournament": "tests/clients/test_tournament.py",
    "help": "tests/clients/test_shell.py",
    "completion": "tests/clients/test_shell.py",
}


def lines(path: Path) -> Iterator[str]:
    """What stands in code blocks, and in single quotes of code."""
    text = path.read_text(encoding="utf-8")
    for block in BLOCK.findall(text):
        yield from block.splitlines()
    prose = BLOCK.sub("", text)
    yield from INDENTED.findall(prose)
    yield from QUOTED.findall(prose)


def told(path: Path) -> Iterator[tuple[str, list[str]]]:
    """The programs that a document names, with their arguments; comments and what stands for anything are left out."""
    for line in lines(path):
        for part in re.split(r" \| | && ", line.partition("  #")[0]):
            found = PROGRAM.search(part)
            if found and not part.lstrip().startswith(("sudo cp", "sudo mkdir")):
                yield found[1], shlex.split(found[2].removesuffix(" …"), comments=True)


COMMANDS = [(path.relative_to(ROOT).as_posix(), *command) for path in DOCUMENTS for command in told(path)]
OF_KONTOR = sorted({(where, *words) for where, program, words in COMMANDS if program == "kontor"})


HOSTING = ROOT / "docs" / "hosting.md"
ELSEWHERE = {  # by the beginning of a command: the test that types it
    "kontor lobby --store redis://": "tests/lobby/test_hosting.py",
    "kontor lobby --data /var/lib/kontor-lobby move": "tests/lobby/test_moving.py",
    "podman": "tests/netns/test_container.py",
    "pip install": "tests/scripts/test_installed.py",
    **dict.fromkeys(
        ("sudo useradd", "sudo cp", "sudo /opt", "sudo mkdir", "sudo systemctl"), "tests/netns/test_service.py"
    ),
}


def hosting_commands() -> list[tuple[str, str]]:
    """Every command in the code blocks of docs/hosting.md, and where it is typed: `here` means by test_hosting.py."""
    found = []
    for kind, block in re.findall(r"(?ms)^```([^\n]*)\n(.*?)^```$", HOSTING.read_text(encoding="utf-8")):
        for line in block.splitlines() if not kind else ():
            command = re.split(r"\s{2,}#", line)[0].strip()
            if not command:
                continue
            other = next((test for start, test in ELSEWHERE.items() if command.startswith(start)), "here")
            found.append((command, other))
    return found


def test_every_command_of_the_hosting_guide_is_typed_by_a_test() -> None:
    """A new one belongs into tests/lobby/test_hosting.py, or a test of its own is named above."""
    commands = hosting_commands()
    assert len(commands) > 20
    unknown = [command for command, where in commands if where == "here" and not is_typed(command)]
    assert unknown == []
    for test in {where for _, where in commands if where != "here"}:
        assert "hosting_commands()" in (ROOT / test).read_text(encoding="utf-8"), f"{test} takes them from the document"


def is_typed(command: str) -> bool:
    """Whether tests/lobby/test_hosting.py takes this command from the document."""
    return "kontor lobby" in command or command.startswith("kontor tables --lobby")


def test_commands_are_found() -> None:
    assert len(OF_KONTOR) > 50
    assert {program for _, program, _ in COMMANDS} > {"kontor", "scripts/test", "scripts/bench", "scripts/explore"}


@pytest.mark.parametrize("command", OF_KONTOR, ids=" ".join)
def test_kontor_understands_every_command_and_option_that_is_told(command: tuple[str, ...]) -> None:
    words = list(command[1:])
    part = next((word for word in words[1:] if word in PARTS), None) if words[:1] == ["lobby"] else None
    if part is not None:  # options of the lobby before it are read at once, and there is no such file
        words = ["lobby", *words[words.index(part) :]]
    run = CliRunner().invoke(entry.kontor, [*words, "--help"], prog_name="kontor")
    assert run.exit_code == 0, run.output


def test_every_script_that_is_told_is_there() -> None:
    for where, program, words in COMMANDS:
        if program.startswith("scripts/"):
            script = ROOT / program
            assert script.is_file() and os.access(script, os.X_OK), (where, program)
            known = "".join(path.read_text(encoding="utf-8") for path in options_of(script))
            unknown = [word for word in words if word.startswith("--") and word not in known]
            assert not unknown, (where, program, unknown)


def options_of(script: Path) -> list[Path]:
    """The files that read a script's options."""
    beside = {"explore": ROOT / "tests/explore/campaign.py", "bot_ladder": ROOT / "scripts/tools/ladder_main.py"}
    return [script, *([beside[script.name]] if script.name in beside else [])]


def test_every_module_that_is_told_can_be_run() -> None:
    modules = {(where, program.split()[-1]) for where, program, _ in COMMANDS if program.startswith("python -m")}
    assert modules
    assert [each for each in sorted(modules) if find_spec(each[1]) is None] == []


def test_what_the_readme_says_about_files_is_so(tmp_path: Path) -> None:
    recorded = ROOT / "tests" / "frozen" / "files"
    (tmp_path / "archive").mkdir()
    (tmp_path / "match.kontor").write_bytes((recorded / "osaka-2.kontor").read_bytes())
    (tmp_path / "archive" / "other.kontor").write_bytes((recorded / "joban-2-forfeit.kontor").read_bytes())
    told_there = [list(words) for where, *words in OF_KONTOR if where == "README.md"]
    verify, replay = (next(words for words in told_there if words[:1] == [name]) for name in ("verify", "replay"))
    verified = kontor(tmp_path, *verify)
    assert verified.returncode == 0 and verified.stdout.count('"verdict": "verified"') == 2
    assert kontor(tmp_path, *replay, typed="q\n").returncode == 0
    assert kontor(tmp_path, "--version").returncode == 0


def test_every_command_of_the_readme_is_typed_by_a_test() -> None:
    names = {words[0] for where, *words in OF_KONTOR if where == "README.md" and words and words[0] in entry.COMMANDS}
    assert {"host", "join", "watch", "play", "resume", "lobby", "verify", "replay", "demo"} <= names
    for name in names - {"verify", "replay"}:
        assert re.search(rf'["\' ]{name}["\' ]', (ROOT / PLAYED[name]).read_text(encoding="utf-8")), name


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(path: Path) -> None:
    prose = BLOCK.sub("", path.read_text(encoding="utf-8"))  # a drawn map has brackets of its own
    links = [link for link in LINK.findall(prose) if "://" not in link]
    assert [link for link in links if not (path.parent / link).exists()] == []
