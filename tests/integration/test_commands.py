"""`kontor demo`, `kontor verify` and `kontor id` as a person runs them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from kontor_games.net.api import daemon
from kontor_games.net.record.replay import Replay
from kontor_games.net.record.transcript import FrameRecord, Placed, open_file, read
from kontor_games.net.system import child
from kontor_games.net.wire.chain import Frame, decode
from tests.clients.test_verify_archive import children_of

COMMAND = [*child.python(), "-m", "kontor_games.clients.entry"]


def kontor(*arguments: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], env=child.environment(), capture_output=True, text=True, timeout=timeout
    )


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of a short sealed match of two."""
    folder = tmp_path_factory.mktemp("demo") / "kept"
    done = kontor("demo", "--game", "joban", "--seats", "2", "--keep", str(folder))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.rstrip().endswith("verified")
    return folder


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A local match of two bots."""
    path = tmp_path_factory.mktemp("local") / "a.kontor"
    done = kontor("play", "joban", "--seats", "bot:random,bot:random", "--seed", "1", "--save", str(path), "--quiet")
    assert done.returncode == 0, done.stderr
    return path


def reports(done: subprocess.CompletedProcess[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_many_files_are_checked_in_their_order(sealed: Path, local: Path) -> None:
    done = kontor("verify", "--json", str(sealed), str(local), str(sealed))
    found = reports(done)
    files = sorted(str(path) for path in sealed.rglob("*.kontor"))
    assert [report["path"] for report in found] == [*files, str(local), *files]
    assert [report["sealed"] for report in found] == [True, True, False, True, True]
    assert done.returncode == 0


def test_required_sealed_a_local_file_fails(sealed: Path, local: Path) -> None:
    done = kontor("verify", "--require", "sealed", "--json", str(sealed), str(local))
    assert [report["code"] for report in reports(done)] == [0, 0, 1]
    assert done.returncode == 1
    assert kontor("verify", "--require", "sealed", str(next(sealed.rglob("*.kontor")))).returncode == 0


def test_a_changed_byte_is_found_among_many(sealed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(sealed, folder)
    victim = sorted(folder.rglob("*.kontor"))[1]
    raw = bytearray(victim.read_bytes())
    raw[len(raw) // 2] ^= 1
    victim.write_bytes(raw)
    done = kontor("verify", "--json", str(folder))
    assert reports(done)[0]["code"] == 0
    assert done.returncode in (1, 2)


def test_ctrl_c_ends_all_workers(sealed: Path, tmp_path: Path) -> None:
    files = sorted(sealed.rglob("*.kontor"))
    files += [tmp_path / f"{number}.kontor" for number in range(80)]
    for number, path in enumerate(files[-80:]):  # every file is another one: equal ones are judged once
        path.write_bytes(files[0].read_bytes() + bytes(number + 1))
    check = subprocess.Popen(
        [*COMMAND, "verify", "--verbose", "--no-cache", *map(str, files)],
        env=child.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert check.stdout is not None
    check.stdout.readline()  # it is at work
    judges = children_of(check.pid)
    assert judges
    os.killpg(check.pid, signal.SIGINT)
    _, error = check.communicate(timeout=30)
    assert check.returncode == 130
    assert "Traceback" not in error and "stopped" in error and " files: " in error
    until_group_ends(check.pid)
    assert not any(Path(f"/proc/{pid}").exists() for pid in judges), "judges are left behind"


def until_group_ends(group: int) -> None:
    until = time.monotonic() + 10
    while _group_lives(group):
        assert time.monotonic() < until, "processes are left behind"
        time.sleep(0.1)


def _group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_sealed_match_can_be_stepped_through_with_open_hands(sealed: Path) -> None:
    path = next(sealed.rglob("*.kontor"))
    replay = Replay(path)
    with open_file(path) as file:
        records = [item.record for item in read(file) if isinstance(item, Placed)]
    frames = [decode(Frame, record.raw) for record in records if isinstance(record, FrameRecord)]
    assert len(frames) > 5
    for frame in frames:
        assert replay.digest(frame.n) == frame.d.hex()
    assert replay.info()["open"] and replay.info()["finished"] and replay.result()
    assert replay.view(frames[3].n, 0) != replay.view(frames[3].n, None)  # a spectator sees no hand
    shown = kontor("replay", str(path), "--log")
    assert shown.returncode == 0 and "Anna" in shown.stdout


def test_the_identity_is_made_once_and_private(tmp_path: Path) -> None:
    try:
        _same_identity_twice(tmp_path)
    finally:
        daemon.stop(tmp_path / "home")


def _same_identity_twice(tmp_path: Path) -> None:
    first = json.loads(kontor("id", "--json", "--home", str(tmp_path / "home")).stdout)
    again = json.loads(kontor("id", "--json", "--home", str(tmp_path / "home")).stdout)
    assert first == again
    assert len(first["words"].split()) == 6
    assert stat.S_IMODE(Path(first["path"]).stat().st_mode) == 0o600


@pytest.mark.long
@pytest.mark.parametrize(("game", "seats"), [("hansa", 4), ("joban", 4), ("osaka", 4), ("yokohama", 4)])
def test_the_demonstration_ends_verified(game: str, seats: int) -> None:
    done = kontor("demo", "--game", game, "--seats", str(seats), timeout=180)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.rstrip().endswith("verified")


def test_ctrl_c_ends_the_demonstration_and_leaves_no_node_behind(tmp_path: Path) -> None:
    demo = subprocess.Popen(
        [*COMMAND, "demo", "--game", "joban", "--seats", "2", "--keep", str(tmp_path / "kept")],
        env=child.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert demo.stdout is not None
    while "Keys" not in (line := demo.stdout.readline()):
        assert line, "it has ended"
    homes = [tmp_path / "kept" / name for name in ("anna", "bruno")]
    pids = [running.pid for home in homes if (running := daemon.find(home))]
    assert len(pids) == 2
    os.killpg(demo.pid, signal.SIGINT)
    printed, error = demo.communicate(timeout=30)
    assert demo.returncode == 130 and printed.endswith("Stopped.\n") and "Traceback" not in error
    assert all(daemon.ended_in_order(home) for home in homes)
    for pid in pids:
        until_group_ends(pid)  # its bots too


def test_the_demonstration_refuses_what_it_cannot_do(tmp_path: Path) -> None:
    (tmp_path / "kept before").touch()
    refused: list[Sequence[str]] = [("--game", "chess"), ("--game", "joban", "--seats", "5"), ("--keep", str(tmp_path))]
    for arguments in refused:
        done = kontor("demo", *arguments)
        assert done.returncode == 2 and "Traceback" not in done.stderr
