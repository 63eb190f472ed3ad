"""`kontor help`, `kontor completion` and what shells make of it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from kontor_games.clients import entry

from .command import COMMAND, environment, kontor


def names(group: click.Group, *before: str) -> Iterator[tuple[str, ...]]:
    """Every command and every command of a group."""
    context = click.Context(group)
    for name in group.list_commands(context):
        yield (*before, name)
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from names(command, *before, name)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A folder for the PATH in which `kontor` is, as pip puts it there."""
    path = tmp_path / "bin" / "kontor"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\nexec " + " ".join(f"'{part}'" for part in COMMAND) + ' "$@"\n')
    path.chmod(0o755)
    return path


def at_the_shell(program: Path, command: list[str]) -> str:
    where = environment(program.parent, PATH=f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    run = subprocess.run(command, env=where, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_help_says_the_same_as_the_option_for_every_command() -> None:
    every = [(), *names(entry.kontor)]
    assert ("node", "start") in every and ("completion",) in every and len(every) > 25
    for words in every:
        asked = CliRunner().invoke(entry.kontor, ["help", *words], prog_name="kontor")
        option = CliRunner().invoke(entry.kontor, [*words, "--help"], prog_name="kontor")
        assert asked.exit_code == 0 and asked.output == option.output, words


@pytest.mark.parametrize("words", [("nothing",), ("node", "nothing"), ("games", "nothing")])
def test_help_for_what_is_not_there_is_refused(words: tuple[str, ...]) -> None:
    refused = CliRunner().invoke(entry.kontor, ["help", *words], prog_name="kontor")
    assert refused.exit_code == 2 and f"there is no command '{' '.join(words)}'" in refused.output


def test_ctrl_c_is_not_a_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code 1 of `verify` and of `tournament check` says that something does not hold."""

    def interrupted(self: entry.LocalServices, names: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(entry.LocalServices, "archive", interrupted)
    run = CliRunner().invoke(entry.kontor, ["verify", "here", "there"])
    assert run.exit_code == 130 and "stopped" in run.output


def test_the_version_is_one_line(tmp_path: Path) -> None:
    shown = kontor(tmp_path, "--version").stdout
    assert shown.startswith("kontor 0.") and ", Python 3." in shown and shown.count("\n") == 1


@pytest.mark.parametrize(
    ("shell", "words", "at"),
    [("bash", "kontor ver", "1"), ("zsh", "kontor ver", "1"), ("fish", "kontor ver", "ver")],
)
def test_the_program_answers_what_shells_ask(tmp_path: Path, shell: str, words: str, at: str) -> None:
    asked = {"_KONTOR_COMPLETE": f"{shell}_complete", "COMP_WORDS": words, "COMP_CWORD": at}
    run = subprocess.run(COMMAND, env=environment(tmp_path, **asked), capture_output=True, text=True, check=True)
    assert "verify" in run.stdout and "games" not in run.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not here")
@pytest.mark.parametrize(
    ("typed", "expected"),
    [("ver", "verify"), ("com", "completion"), ("node st", "start stop status"), ("verify --req", "--require")],
)
def test_bash_completes_commands_and_options(program: Path, typed: str, expected: str) -> None:
    script = (
        'eval "$(kontor completion bash)"; complete -p kontor >/dev/null || exit 1; '
        f"COMP_WORDS=(kontor {typed}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); "
        '_kontor_completion kontor; echo "${COMPREPLY[@]}"'
    )
    found = at_the_shell(program, ["bash", "--norc", "-c", script]).split()
    assert sorted(found) == sorted(expected.split())


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not here")
def test_fish_completes_commands(program: Path) -> None:
    found = at_the_shell(program, ["fish", "-N", "-c", "kontor completion fish | source; complete -C 'kontor ver'"])
    assert found.split()[0] == "verify"


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not here")
def test_zsh_can_load_it(program: Path) -> None:
    script = 'autoload -U compinit && compinit -u -D; eval "$(kontor completion zsh)"; print $_comps[kontor]'
    assert at_the_shell(program, ["zsh", "-f", "-c", script]).split() == ["_kontor_completion"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_from_a_checkout_the_shell_asks_its_script(tmp_path: Path, shell: str) -> None:
    """`./scripts/kontor` is not on the PATH; bash asks what was typed, the others need to be told."""
    script = "/home/ada/my games/kontor/scripts/kontor"
    run = subprocess.run(
        [*COMMAND, "completion", shell],
        env=environment(tmp_path, KONTOR_PROGRAM=script),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert f" '{script}')" in run.stdout and "$+commands" not in run.stdout and " kontor)" not in run.stdout
