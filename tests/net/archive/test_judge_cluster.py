"""A real cluster on this machine: the same report, nothing lost when workers die, strangers judge nothing."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from kontor_games.engine.errors import StoreError
from kontor_games.net.archive.cluster_task import BatchAnswers, OrderBatch, judge_batch
from kontor_games.net.archive.judge_cluster import JudgeCluster
from kontor_games.net.archive.judge_identity import judge_identity
from kontor_games.net.archive.judge_pool import ENDED, TOO_LONG
from kontor_games.net.archive.order_pipe import FileOrder
from tests.clients.command import COMMAND, ROOT, environment
from tests.clients.test_verify_archive import children_of
from tests.integration.test_commands import until_group_ends

from .cluster_doubles import FILES

NO_PAGE = ("--no-dashboard",)


def driven(home: Path, what: str) -> dict[str, Any]:
    """What a driver with such workers tells."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.net.archive.cluster_doubles", what],
        cwd=ROOT,
        env=environment(home, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="1"),
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def test_a_task_judges_only_for_a_driver_with_the_same_rules_data_and_program() -> None:
    import msgspec

    ours = dict(judge_identity())
    for name in ("rules", "data", "engine", "net", "python"):
        batch = OrderBatch({**ours, name: "other"}, 60, [(7, FileOrder("judge", b"x"))])
        assert msgspec.msgpack.decode(judge_batch(msgspec.msgpack.encode(batch)), type=BatchAnswers) == BatchAnswers(
            ours, []
        )
    told = judge_batch(msgspec.msgpack.encode(OrderBatch(ours, 60, [(7, FileOrder("judge", b"x"))])))
    (done,) = msgspec.msgpack.decode(told, type=BatchAnswers).answers
    assert done.number == 7 and done.answer is not None and b"no Kontor match file" in done.answer


@pytest.mark.slow
def test_a_file_that_kills_stops_or_fails_its_judge_is_not_judged_and_its_worker_lives_on(tmp_path: Path) -> None:
    found = driven(tmp_path, "poisoned_judges")
    assert found["reasons"] == {"30": ENDED, "31": TOO_LONG, "77": ENDED} and not found["warnings"]
    assert len(found["answers"]) == FILES
    assert all(answer == number[::-1] for number, answer in found["answers"].items() if number not in found["reasons"])
    assert not found["died"]


@pytest.mark.long
def test_a_file_that_kills_workers_is_not_judged_and_all_others_are(tmp_path: Path) -> None:
    answers = driven(tmp_path, "poison")["answers"]
    assert len(answers) == FILES and answers.pop("30") is None
    assert all(answer == number[::-1] for number, answer in answers.items())


@pytest.mark.slow
def test_a_worker_that_judges_by_something_else_is_named_and_not_asked(tmp_path: Path) -> None:
    found = driven(tmp_path, "strange")
    assert len(found["answers"]) == FILES and all(a == n[::-1] for n, a in found["answers"].items())
    (warning,) = found["warnings"]
    assert "engine (other there" in warning


@pytest.mark.long
def test_killed_workers_lose_nothing(tmp_path: Path) -> None:
    answers = driven(tmp_path, "kills")["answers"]
    assert len(answers) == FILES and all(answer == number[::-1] for number, answer in answers.items())


@pytest.mark.long
def test_a_cluster_without_a_fitting_worker_stops_the_run_with_a_reason(tmp_path: Path) -> None:
    assert "no worker judges by the same rules" in driven(tmp_path, "all_strange")["error"]
    assert "a worker cannot judge: ImportError" in driven(tmp_path, "broken")["error"]


@pytest.mark.slow
def test_the_cluster_gives_the_same_report_to_the_byte(tmp_path: Path) -> None:
    from kontor_games import engine
    from tests.worlds.local_matches import finished

    folder = tmp_path / "archive"
    folder.mkdir()
    for number in range(6):
        finished(folder / f"{number}.kontor", str(number), engine.load("joban"), (("Ada", "person"), ("Bob", "person")))
    (folder / "copy.kontor").write_bytes((folder / "0.kontor").read_bytes())
    (folder / "torn.kontor").write_bytes((folder / "1.kontor").read_bytes()[:-5])
    made = []
    for how in (("--jobs", "1"), ("--cluster", "local", "--jobs", "2")):
        out = tmp_path / f"{len(made)}.html"
        run = subprocess.run(
            [*COMMAND[:2], *COMMAND[4:], "verify", "--no-cache", "--json", "--report", str(out), *how, str(folder)],
            env=environment(tmp_path),
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        assert run.returncode == 2 and "Traceback" not in run.stderr, run.stderr
        made.append((run.stdout, out.read_bytes()))
    assert made[0] == made[1]


@pytest.mark.slow
def test_ctrl_c_ends_a_cluster_of_this_machine_without_a_word_from_its_workers(tmp_path: Path) -> None:
    """A terminal sends it to all processes; the driver hears it, and ends the others."""
    run = _started(tmp_path, "local", "--jobs", "2")
    assert run.stdout is not None
    run.stdout.readline()  # it is at work
    os.killpg(run.pid, signal.SIGINT)
    _, error = run.communicate(timeout=100)
    assert run.returncode == 130 and "stopped" in error and "Traceback" not in error, error
    until_group_ends(run.pid)


@pytest.mark.slow
def test_a_scheduler_that_goes_away_ends_the_run_in_a_sentence(tmp_path: Path) -> None:
    port = _free_port()
    address = f"tcp://127.0.0.1:{port}"
    quiet: dict[str, Any] = {"env": environment(tmp_path), "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dask = [sys.executable, "-m", "dask"]
    scheduler = subprocess.Popen([*dask, "scheduler", "--host", "127.0.0.1", "--port", str(port), *NO_PAGE], **quiet)
    worker = subprocess.Popen([*dask, "worker", address, "--nthreads", "1", *NO_PAGE], **quiet)
    try:
        report = tmp_path / "r.html"
        run = _started(tmp_path, address, "--report", str(report))
        assert run.stdout is not None
        run.stdout.readline()
        scheduler.kill()
        _, error = run.communicate(timeout=100)
    finally:
        for process in (worker, scheduler):
            process.terminate()
            process.wait(60)
    assert run.returncode == 2 and "kontor: the scheduler is gone" in error and "Traceback" not in error, error
    assert "Stopped early" in report.read_text()


@pytest.mark.slow
def test_the_driver_of_a_cluster_lets_go_of_what_it_handed_out(tmp_path: Path) -> None:
    found = driven(tmp_path, "growth")
    assert found["grown"] < found["sent"] / 10, found


@pytest.mark.slow
def test_workers_may_be_started_a_moment_after_the_run(tmp_path: Path) -> None:
    found = driven(tmp_path, "latecomers")
    assert "has no workers; start some" in found["alone"] and found["room"] > 0


@pytest.mark.slow
def test_a_scheduler_that_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.kontor").write_bytes(b"x")
    run = subprocess.run(
        [*COMMAND[:2], *COMMAND[4:], "verify", "--cluster", "tcp://127.0.0.1:9", "a.kontor"],
        cwd=tmp_path,
        env=environment(tmp_path, DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT="2s"),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert run.returncode == 2 and "the scheduler at tcp://127.0.0.1:9 cannot be reached" in run.stderr, run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("address", ["here", "tcp://here", "file://here:1", "tcp://here:one"])
def test_what_cannot_be_an_address_is_named_at_once(address: str) -> None:
    with pytest.raises(StoreError, match=f"the scheduler at {address} cannot be reached: .*(port|scheme|literal)"):
        JudgeCluster(address, 1, print)


@pytest.mark.long
def test_scheduler_and_workers_started_as_documented_judge_while_workers_are_killed(tmp_path: Path) -> None:
    """With the commands of docs/organising.md; a worker is killed every few seconds, and the report is the same."""
    from scripts.archives.making_main import make

    archive = tmp_path / "archive"
    make(archive, 100, 1)
    port = _free_port()
    address = f"tcp://127.0.0.1:{port}"
    dask = [sys.executable, "-m", "dask"]
    home = environment(tmp_path)
    quiet: dict[str, Any] = {"env": home, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = subprocess.Popen([*dask, "scheduler", "--host", "127.0.0.1", "--port", str(port), *NO_PAGE], **quiet)
    workers = subprocess.Popen([*dask, "worker", address, "--nworkers", "2", "--nthreads", "1", *NO_PAGE], **quiet)
    try:
        plain = _verified(tmp_path, archive, "--jobs", "1")
        killing = threading.Event()
        killer = threading.Thread(target=_kill_grandchildren, args=(workers.pid, killing))
        killer.start()
        try:
            clustered = _verified(tmp_path, archive, "--cluster", address)
        finally:
            killing.set()
            killer.join()
    finally:
        for process in (workers, scheduler):
            process.terminate()
            process.wait(30)
    assert clustered == plain


def _started(home: Path, address: str, *more: str) -> subprocess.Popen[str]:
    """A run over more files than are judged while somebody looks at its first line."""
    from kontor_games import engine
    from tests.worlds.local_matches import finished

    folder = home / "archive"
    folder.mkdir()
    finished(folder / "0.kontor", "0", engine.load("joban"), (("Ada", "person"), ("Bob", "person")))
    for number in range(1, 400):
        (folder / f"{number}.kontor").write_bytes((folder / "0.kontor").read_bytes() + b"x" * number)
    return subprocess.Popen(
        [*COMMAND[:2], *COMMAND[4:], "verify", "--no-cache", "--verbose", "--cluster", address, *more, str(folder)],
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _verified(home: Path, archive: Path, *how: str) -> tuple[int, str, bytes]:
    out = home / "r.html"
    run = subprocess.run(
        [*COMMAND[:2], *COMMAND[4:], "verify", "--no-cache", "--json", "--report", str(out), *how, str(archive)],
        env=environment(home),
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert "Traceback" not in run.stderr, run.stderr
    return run.returncode, run.stdout, out.read_bytes()


def _kill_grandchildren(pid: int, stop: threading.Event) -> None:
    """Every few seconds one process that the workers' keeper has started; it starts another one."""
    while not stop.wait(5):
        judging = [child for child in children_of(pid) if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]
        if judging:
            os.kill(judging[0], signal.SIGKILL)
