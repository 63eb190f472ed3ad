"""`kontor verify` on many files: killed judges, stopped runs, what is remembered and what is summed up."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kontor_games import engine
from kontor_games.clients.cli.commands.verify_command import command
from kontor_games.clients.cli.progress_line import duration, progress_text
from kontor_games.clients.entry import LocalServices
from kontor_games.engine.errors import StoreError
from kontor_games.net.archive.archive import Archive
from tests.worlds.local_matches import finished
from tests.worlds.quick_start import Popen

from .command import COMMAND, environment, kontor

FILES = 24


def children_of(pid: int) -> list[int]:
    """The processes that a process has started, whatever thread of it did."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += [int(child) for child in (task / "children").read_text().split()]
    return found


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Local matches, one of them doctored, one cut, one there twice."""
    folder = tmp_path_factory.mktemp("archive")
    game = engine.load("joban")
    seats = (("Ada", "person"), ("Bob", "person"))
    for number in range(FILES - 3):
        finished(folder / f"{number:02}.kontor", str(number), game, seats)
    good = (folder / "00.kontor").read_bytes()
    (folder / "copy.kontor").write_bytes(good)
    (folder / "torn.kontor").write_bytes(good[:-20])
    (folder / "wrong.kontor").write_bytes(good[:30] + b"!" + good[31:])
    return folder


def started(home: Path, *arguments: str) -> subprocess.Popen[str]:
    return Popen(
        [*COMMAND, "verify", *arguments],
        env=environment(home),
        cwd=home,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def test_killed_judges_cost_nothing(archive: Path, tmp_path: Path) -> None:
    quiet = kontor(tmp_path, "verify", "--json", "--no-cache", "--jobs", "1", str(archive))
    run = started(tmp_path, "--json", "--no-cache", "--jobs", "2", str(archive))
    killed: set[int] = set()
    until = time.monotonic() + 100
    while run.poll() is None and len(killed) < 4 and time.monotonic() < until:
        for pid in set(children_of(run.pid)) - killed if Path(f"/proc/{run.pid}").exists() else ():
            os.kill(pid, signal.SIGKILL)
            killed.add(pid)
        time.sleep(0.3 if killed else 0.01)  # a quick machine is done soon, so the first is killed as it begins
    out, error = run.communicate(timeout=100)
    assert killed and "Traceback" not in error
    assert (out, run.returncode) == (quiet.stdout, quiet.returncode) and run.returncode == 2


def test_a_second_run_judges_only_what_is_new(archive: Path, tmp_path: Path) -> None:
    first = kontor(tmp_path, "verify", "--json", str(archive))
    again = kontor(tmp_path, "verify", "--json", str(archive))
    assert first.stdout == again.stdout and first.returncode == again.returncode == 2
    assert f"{FILES} files were known from before" in again.stderr and "known" not in first.stderr
    anew = kontor(tmp_path, "verify", "--json", "--no-cache", str(archive))
    assert anew.stdout == first.stdout and "known" not in anew.stderr
    assert (tmp_path / "verified.sqlite").stat().st_mode & 0o077 == 0
    (tmp_path / "verified.sqlite").write_bytes(b"not a database at all" * 100)
    for path in tmp_path.glob("verified.sqlite-*"):
        path.unlink()
    mended = kontor(tmp_path, "verify", "--json", str(archive))
    assert mended.stdout == first.stdout and (tmp_path / "verified.sqlite.damaged").exists()


def test_a_stopped_run_goes_on_where_it_was(archive: Path, tmp_path: Path) -> None:
    run = started(tmp_path, "--verbose", "--jobs", "1", str(archive))
    assert run.stdout is not None
    for _ in range(12):
        run.stdout.readline()
    run.send_signal(signal.SIGINT)
    _, error = run.communicate(timeout=60)
    assert run.returncode == 130 and "the same command goes on from there" in error
    told = re.search(rf"(\d+) of {FILES} files: ", error)
    assert told is not None and 0 < int(told[1]) < FILES
    again = kontor(tmp_path, "verify", "--json", str(archive))
    known = re.search(r"(\d+) files were known from before", again.stderr)
    assert known is not None and int(known[1]) >= int(told[1])
    assert len(again.stdout.splitlines()) == FILES


def test_a_killed_run_leaves_nothing_behind(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "for-a-while").mkdir()
    there = {name: str(tmp_path / "for-a-while") for name in ("TMPDIR", "SQLITE_TMPDIR")}
    run = Popen(
        [*COMMAND, "verify", "--no-cache", "--jobs", "1", str(archive)],
        env=environment(tmp_path, **there),
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + 60
    while not (judges := children_of(run.pid)) and time.monotonic() < until:
        time.sleep(0.05)
    run.kill()
    run.wait()
    while any(Path(f"/proc/{pid}").exists() for pid in judges) and time.monotonic() < until:
        time.sleep(0.05)
    assert judges and not any(Path(f"/proc/{pid}").exists() for pid in judges)
    assert not list((tmp_path / "for-a-while").iterdir())


def test_a_run_that_fails_midway_tells_and_writes_what_was_found(archive: Path, tmp_path: Path) -> None:
    class FailingArchive(Archive):
        def verify(self, *how: Any, **more: Any) -> Iterator[dict[str, Any]]:
            yield from islice(super().verify(*how, **more), 5)
            raise StoreError("the scheduler is gone")

    class FailingServices(LocalServices):
        def archive(self, names: Sequence[str]) -> Any:
            return FailingArchive(names)

    report = tmp_path / "r.html"
    words = ["--no-cache", "--jobs", "1", "--report", str(report), str(archive)]
    run = CliRunner().invoke(command, words, obj=FailingServices())
    assert str(run.exception) == "the scheduler is gone"
    assert f"5 of {FILES} files: 5 verified" in run.output and "Stopped early: 5 of" in report.read_text()


def test_many_files_are_summed_up_and_only_those_printed_that_fail(archive: Path, tmp_path: Path) -> None:
    run = kontor(tmp_path, "verify", str(archive))
    assert [line.split(": ")[1] for line in run.stdout.splitlines() if line.startswith(str(archive))] == [
        "unreadable"
    ] * 2
    assert re.search(rf"{FILES} files: 2 unreadable, {FILES - 2} verified \(\d+ s, [\d.]+/s\)\n", run.stderr), (
        run.stderr
    )
    assert f"{FILES - 3} matches" in run.stderr
    copies = [json.loads(line) for line in kontor(tmp_path, "verify", "--json", str(archive)).stdout.splitlines()]
    assert [Path(each["path"]).name for each in copies if each["copy_of"].endswith("00.kontor")] == ["copy.kontor"]


def test_names_that_are_not_text_do_not_stop_a_run(archive: Path, tmp_path: Path) -> None:
    folder = tmp_path / "odd"
    folder.mkdir()
    for name in (b"\xff\xfe.kontor", "Ōsaka\n\x1b[31m.kontor".encode()):
        (folder / os.fsdecode(name)).write_bytes((archive / "00.kontor").read_bytes())
    run = kontor(tmp_path, "verify", "--verbose", "odd")
    assert run.returncode == 0 and "\x1b" not in run.stdout and "2 files: 2 verified" in run.stderr
    assert not any(line.startswith("\N{MIDDLE DOT}") for line in run.stdout.splitlines()), "one name in two lines"
    assert len([line for line in run.stdout.splitlines() if "odd" in line and "verified" in line]) == 2
    assert len(kontor(tmp_path, "verify", "--json", "odd").stdout.splitlines()) == 2


def test_progress_is_drawn_on_a_terminal_alone(archive: Path, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        run = Popen(
            [*COMMAND, "verify", "--no-cache", str(archive)],
            env=environment(tmp_path, COLUMNS="120"),
            stdout=subprocess.DEVNULL,
            stderr=theirs,
        )
        os.close(theirs)
        shown = b""
        try:
            while data := terminal.read(4096):
                shown += data
        except OSError:  # the other end is closed
            pass
    assert run.wait(60) == 2
    assert re.search(rf"\[[#.]+\] +\d+ of {FILES} files", shown.decode()), shown
    assert "\x1b" not in kontor(tmp_path, "verify", "--no-cache", str(archive)).stderr


def test_the_line_of_progress_says_how_far_how_fast_and_what() -> None:
    text = progress_text(250, 1000, 25.0, {"verified": 248, "refuted": 2})
    assert text == "[#####...............] 250 of 1,000 files  25/s, 30 s left  2 refuted  248 verified"
    assert progress_text(0, 10, 0.0, {}) == "[....................] 0 of 10 files"
    assert [duration(seconds) for seconds in (4.4, 61, 7300)] == ["4 s", "1 min 01 s", "2 h 01 min"]
