"""`kontor lobby` as a process of its own: start, health, operators, end."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from kontor_games.net.wire.identity import fingerprint
from tests.worlds.quick_start import Popen, run

from .child import KONTOR, ROOT

KEY = "ab" * 32
MARK = fingerprint(bytes.fromhex(KEY))[:19]


def kontor(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return run([*KONTOR, *arguments], cwd=ROOT, text=True, timeout=60)


@contextmanager
def running(data: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """A lobby process, from its ready line on."""
    command = [*KONTOR, "lobby", "--data", str(data), "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", *arguments]
    process = Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process, json.loads(process.stdout.readline())
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def test_it_starts_without_settings_serves_health_and_metrics_and_ends_in_order(tmp_path: Path) -> None:
    with running(tmp_path / "data") as (process, ready):
        base = f"http://127.0.0.1:{ready['metrics']}"
        assert urlopen(f"{base}/health", timeout=30).read() == b"ok\n"
        assert b"kontor_lobby_connections 0.0" in urlopen(f"{base}/metrics", timeout=30).read()
        with pytest.raises(HTTPError):
            urlopen(f"{base}/secret", timeout=30)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=30)
        assert process.returncode == 0
        lines = [json.loads(line) for line in errors.splitlines() if line.startswith("{")]
        assert [line["event"] for line in lines] == ["listening", "stopping"]
    assert (os.stat(tmp_path / "data" / "lobby.db").st_mode & 0o777) == 0o600
    assert (os.stat(tmp_path / "data" / "identity.pem").st_mode & 0o777) == 0o600
    assert not (tmp_path / "data" / "admin.sock").exists()


def test_a_port_that_is_taken_is_told_in_the_last_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        for flags in (("--listen", address, "--metrics", ""), ("--listen", "127.0.0.1:0", "--metrics", address)):
            found = kontor("lobby", "--data", str(tmp_path / "data"), *flags)
            assert found.returncode == 2
            assert found.stderr.splitlines()[-1].startswith(f"kontor lobby: {address} is in use by another program")
    found = kontor("lobby", "--data", str(tmp_path / "data"), "--listen", "192.0.2.1:7460", "--metrics", "")
    assert found.stderr.splitlines()[-1] == "kontor lobby: 192.0.2.1:7460 is not an address of this machine"


def test_a_measure_is_about_one_person_or_one_address(tmp_path: Path) -> None:
    for words in (("ban", "--reason", "x"), ("ban", KEY, "--address", "192.0.2.1", "--reason", "x"), ("lift",)):
        found = kontor("lobby", "--data", str(tmp_path), "admin", *words)
        assert found.returncode == 2 and "name a person, or an address" in found.stderr


def test_what_is_wrong_is_told_without_the_password_of_the_store(tmp_path: Path) -> None:
    for store in ("redis:/me:secret@db/0", "rediss//me:secret@db"):
        found = kontor("lobby", "--data", str(tmp_path), "--store", store, "--process", "Two", "--check-config")
        assert found.returncode == 2 and "secret" not in found.stderr and "redis://host:6379/0" in found.stderr
        assert "process: it should be made of small letters" in found.stderr


def test_operators_reach_a_running_lobby_and_the_store_of_one_that_is_stopped(tmp_path: Path) -> None:
    data = str(tmp_path)
    with running(tmp_path) as (process, _):
        assert os.stat(tmp_path / "admin.sock").st_mode & 0o777 == 0o600
        banned = kontor("lobby", "--data", data, "admin", "ban", KEY, "--reason", "spam in the hall", "--for", "2h")
        assert banned.returncode == 0, banned.stderr
        assert banned.stdout.startswith(f"{MARK} is banned until 20"), banned.stdout
        again = kontor("lobby", "--data", data, "--listen", "127.0.0.1:0")
        assert again.returncode == 2 and "another lobby" in again.stderr
        checked = kontor("lobby", "--data", data, "--check-config")
        assert checked.returncode == 0 and "the settings work" in checked.stdout and "running now" in checked.stdout
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
    shown = kontor("lobby", "--data", data, "admin", "sanctions").stdout.splitlines()
    assert shown[0].split() == ["WHAT", "WHOM", "SINCE", "UNTIL", "REASON"]
    assert shown[1].split()[:2] == ["ban", MARK] and shown[1].endswith("spam in the hall") and shown[1].count("Z") == 2
    listed = json.loads(kontor("lobby", "--data", data, "admin", "sanctions", "--json").stdout)["sanctions"]
    assert [(entry["id"], entry["reason"]) for entry in listed] == [(f"ban:key:{KEY}", "spam in the hall")]
    assert kontor("lobby", "--data", data, "admin", "lift", KEY).returncode == 0
    assert kontor("lobby", "--data", data, "admin", "sanctions").stdout == "no ban or mute is in force\n"
    log = kontor("lobby", "--data", data, "admin", "log").stdout
    assert [line.split()[2] for line in log.splitlines()] == ["DID", "ban", "lift"] and log.count(MARK) == 2


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("listen = 7", "listen"),
        ("colour = 'red'", "colour"),
        ("[limits]\nchat = {per_second = -1, burst = 5}", "per_second"),
        ("certificate = 'a.pem'", "private_key"),
        ("title = ", "cannot be read"),
    ],
)
def test_wrong_settings_are_named(tmp_path: Path, toml: str, said: str) -> None:
    (tmp_path / "lobby.toml").write_text(toml)
    result = kontor("lobby", "--config", str(tmp_path / "lobby.toml"), "--data", str(tmp_path), "--check-config")
    assert result.returncode == 2
    assert said in result.stderr


def test_right_settings_are_fine_and_flags_win_over_the_file(tmp_path: Path) -> None:
    (tmp_path / "lobby.toml").write_text('title = "Contor"\nlisten = "nonsense"\n[times]\naccept = 30\n')
    flags = ("--data", str(tmp_path), "--check-config")
    assert kontor("lobby", "--config", str(tmp_path / "lobby.toml"), *flags).returncode == 2
    result = kontor("lobby", "--config", str(tmp_path / "lobby.toml"), "--listen", "127.0.0.1:7460", *flags)
    assert result.returncode == 0 and "the first start will make the lobby's key" in result.stdout


def test_a_check_names_everything_at_once_and_what_was_meant_and_changes_nothing(tmp_path: Path) -> None:
    settings = tmp_path / "lobby.toml"
    settings.write_text(
        'titel = "Contor"\nmax_tables = 9\nlisten = "nonsense"\n[limits]\nchatt = 3\nmessages = {per_second = 5}\n'
        'max_queue = "many"\n[times]\naccept = -1\n[unknown]\nx = 1\n'
    )
    flags = ("lobby", "--config", str(settings), "--data", str(tmp_path / "data"), "--check-config")
    found = kontor(*flags)
    assert found.returncode == 2 and "8 things are wrong" in found.stderr, found.stderr
    for said in (
        "titel: there is no such setting; did you mean title?",
        "max_tables: there is no such setting; did you mean limits.max_tables?",
        "listen: ",
        "limits.chatt: there is no such setting; did you mean limits.chat?",
        "limits.messages: burst missing",
        "limits.max_queue: it should be a whole number, and it is 'many'",
        "times.accept: it should be more than 0, and it is -1",
        "unknown: there is no such setting\n",
    ):
        assert said in found.stderr, (said, found.stderr)
    settings.write_text('title = "Contor"\n')
    assert kontor(*flags).returncode == 0
    assert not (tmp_path / "data").exists()
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "lobby.db").write_text("not a database")
    (tmp_path / "data" / "identity.pem").write_text("not a key")
    (tmp_path / "data" / "identity.pem").chmod(0o600)
    before = sorted(path.name for path in (tmp_path / "data").iterdir())
    found = kontor(*flags)
    assert found.returncode == 2 and "lobby.db" in found.stderr and "identity.pem" in found.stderr
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == before


def test_a_running_lobby_reads_its_settings_again(tmp_path: Path) -> None:
    settings, data = tmp_path / "lobby.toml", tmp_path / "data"
    settings.write_text('title = "Old"\n')
    admin = ("lobby", "--data", str(data), "admin")
    assert "no lobby is running" in kontor(*admin, "reload").stderr
    with running(data, "--config", str(settings)) as (process, ready):
        settings.write_text('title = "New"\nprocess = "other"\n[limits]\nmax_tables = 7\nmax_unsigned = 9\n')
        told = kontor(*admin, "reload")
        assert told.stdout.splitlines() == [
            "taken over: title, limits.max_tables",
            "these differ too, but need a restart: process, limits.max_unsigned",
        ], told.stderr
        settings.write_text('titel = "Newer"\n')
        refused = kontor(*admin, "reload")
        assert refused.returncode == 2 and "did you mean title?" in refused.stderr
        settings.write_text('title = "Newest"\n')
        process.send_signal(signal.SIGHUP)
        while len(log := json.loads(kontor(*admin, "log", "--json").stdout)["log"]) < 2:
            pass  # each look starts a process of its own: it does not spin
        assert [(entry["do"], entry["reason"]) for entry in log][1] == ("reload", "title, limits.max_tables")
        assert log[1]["by"] == "SIGHUP"
        counted = urlopen(f"http://127.0.0.1:{ready['metrics']}/metrics", timeout=30).read().decode()
        assert 'kontor_lobby_reloads_total{outcome="done"} 2.0' in counted
        assert 'kontor_lobby_reloads_total{outcome="refused"} 1.0' in counted
