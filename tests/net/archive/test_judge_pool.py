"""Judges that die, hang or talk nonsense cost nothing but the file they had; nothing of them is left behind."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kontor_games.engine.errors import StoreError
from kontor_games.net.archive import judge_pool
from kontor_games.net.archive.judge_identity import judge_identity
from kontor_games.net.archive.judge_pool import ENDED, TOO_LONG, TRIES, JudgePool, OrderDone
from kontor_games.net.archive.order_pipe import FileOrder

# A judge that does to itself what the file says, and keeps a diary of its starts.
MADE_UP = """
import os, signal, sys, time
from kontor_games.net.archive.order_pipe import FileOrder, JudgeReady, read, write
with open(sys.argv[1], "a") as diary:
    diary.write("x")
write(sys.stdout.buffer, JudgeReady({}))
while True:
    content = read(sys.stdin.buffer, FileOrder).content
    if content.startswith(b"die"):
        os.kill(os.getpid(), signal.SIGKILL)
    if content.startswith(b"once") and os.path.getsize(sys.argv[1]) < 2:
        os._exit(7)
    if content.startswith(b"hang"):
        time.sleep(600)
    if content.startswith(b"babble"):
        sys.stdout.buffer.write(b"\\xff" * 64)
        sys.stdout.buffer.flush()
        os._exit(0)
    write(sys.stdout.buffer, content[::-1])
"""


@pytest.fixture
def diary(tmp_path: Path) -> Path:
    path = tmp_path / "diary"
    path.touch()
    return path


def pool_of(count: int, diary: Path, limit: float = 60.0) -> JudgePool:
    return JudgePool(count, (sys.executable, "-P", "-c", MADE_UP, str(diary)), limit)


def outcomes(pool: JudgePool, contents: list[bytes]) -> dict[int, OrderDone]:
    for number, content in enumerate(contents):
        pool.submit(number, FileOrder("judge", content))
    found: dict[int, OrderDone] = {}
    until = time.monotonic() + 120
    while len(found) < len(contents) and time.monotonic() < until:
        done = pool.next(0.05)
        if done is not None:
            assert done.number not in found, "answered twice"
            found[done.number] = done
    return found


def gone(pids: list[int]) -> bool:
    return not any(Path(f"/proc/{pid}").exists() for pid in pids)


@pytest.fixture
def pool(diary: Path) -> Iterator[JudgePool]:
    made = pool_of(2, diary)
    yield made
    made.close()


def test_a_file_that_kills_every_judge_is_not_judged_and_all_others_are(pool: JudgePool, diary: Path) -> None:
    contents = [b"good 0", b"die", b"good 1", b"babble", *[b"good %d" % number for number in range(2, 20)]]
    found = outcomes(pool, contents)
    assert len(found) == len(contents)
    for number, content in enumerate(contents):
        if content in (b"die", b"babble"):
            assert found[number] == OrderDone(number, None, ENDED)
        else:
            assert found[number].answer is not None and found[number].answer.endswith(content[::-1])
    assert len(diary.read_text()) <= 2 + 2 * TRIES, "no more processes were started than were lost"


def test_a_file_whose_judge_died_once_is_judged_by_the_next(diary: Path) -> None:
    pool = pool_of(1, diary)
    try:
        found = outcomes(pool, [b"once", b"good"])
    finally:
        pool.close()
    assert found[0].answer is not None and found[1].answer is not None and diary.read_text() == "xx"


def test_a_file_that_takes_too_long_is_given_up_once(diary: Path) -> None:
    pool = pool_of(1, diary, limit=1.0)
    try:
        found = outcomes(pool, [b"hang", b"good"])
    finally:
        pool.close()
    assert found[0] == OrderDone(0, None, TOO_LONG) and found[1].answer is not None
    assert diary.read_text() == "xx"


def test_judges_that_cannot_start_stop_the_run_with_a_reason(tmp_path: Path) -> None:
    for command in ((sys.executable, "-c", "raise SystemExit(9)"), (str(tmp_path / "nothing"),)):
        pool = JudgePool(1, command)
        pool.submit(0, FileOrder("judge", b"x"))
        with pytest.raises(StoreError, match="cannot be started"):
            while True:
                pool.next(0.1)
        pool.close()


def test_judges_of_another_program_stop_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kontor is updated while a run goes on: what the next process finds is not remembered as found by the first."""
    other = {**judge_identity(), "engine": "what it was when the run began"}
    monkeypatch.setattr(judge_pool, "judge_identity", lambda: other)
    pool = JudgePool(1)
    pool.submit(0, FileOrder("judge", b"x"))
    with pytest.raises(StoreError, match="Kontor was changed since this run began: engine"):
        while True:
            assert pool.next(0.1) is None
    pool.close()


def test_closing_ends_judges_that_are_busy(diary: Path) -> None:
    pool = pool_of(2, diary)
    for number in range(4):
        pool.submit(number, FileOrder("judge", b"hang"))
    until = time.monotonic() + 60
    while len(pool.processes) < 2 and time.monotonic() < until:
        pool.next(0.05)
    running = pool.processes
    assert len(running) == 2
    pool.close()
    assert gone(running)


def test_judges_end_by_themselves_when_their_driver_is_killed(diary: Path, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    reader, writer = os.pipe()
    driver = os.fork()
    if driver == 0:  # pragma: no cover - it is killed
        os.close(reader)
        pool = pool_of(1, diary)
        pool.submit(0, FileOrder("judge", b"good"))
        while pool.next(0.1) is None:
            pass
        pids.write_text(str(pool.processes[0]))
        os.write(writer, b"!")
        time.sleep(600)
    os.close(writer)
    assert os.read(reader, 1) == b"!"
    os.close(reader)
    os.kill(driver, signal.SIGKILL)
    os.waitpid(driver, 0)
    until = time.monotonic() + 30
    while not gone([int(pids.read_text())]) and time.monotonic() < until:
        time.sleep(0.05)
    assert gone([int(pids.read_text())])
