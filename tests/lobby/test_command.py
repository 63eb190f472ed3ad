"""`kontor lobby` as a process of its own: start, health, operators, end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).parents[2]
KONTOR = [sys.executable, "-c", "import sys; from kontor_games.clients.entry import main; sys.exit(main())"]


def kontor(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run([*KONTOR, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60)


@contextmanager
def running(data: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """A lobby process, from its ready line on."""
    command = [*KONTOR, "lobby", "--data", str(data), "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", *arguments]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
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


def test_operators_reach_a_running_lobby_and_the_store_of_one_that_is_stopped(tmp_path: Path) -> None:
    data = str(tmp_path)
    key = "ab" * 32
    with running(tmp_path) as (process, _):
        assert os.stat(tmp_path / "admin.sock").st_mode & 0o777 == 0o600
        banned = kontor("lobby", "--data", data, "admin", "ban", key, "--reason", "spam in the hall", "--for", "2h")
        assert banned.returncode == 0, banned.stderr
        assert json.loads(banned.stdout)["banned"] == f"ban:key:{key}"
        again = kontor("lobby", "--data", data, "--listen", "127.0.0.1:0")
        assert again.returncode == 2 and "another lobby" in again.stderr
        checked = kontor("lobby", "--data", data, "--check-config")
        assert checked.returncode == 0 and "the settings work" in checked.stdout and "running now" in checked.stdout
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
    listed = json.loads(kontor("lobby", "--data", data, "admin", "sanctions").stdout)["sanctions"]
    assert [(entry["id"], entry["reason"]) for entry in listed] == [(f"ban:key:{key}", "spam in the hall")]
    assert kontor("lobby", "--data", data, "admin", "lift", key).returncode == 0
    assert json.loads(kontor("lobby", "--data", data, "admin", "sanctions").stdout) == {"sanctions": []}


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
    assert result.returncode == 0 and "fingerprint" in result.stdout
