"""Which files are published, with real processes that judge them; a file that kills one costs only itself."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pytest_twisted import ensureDeferred

from kontor_games.clients.page_process import page_kit
from kontor_games.lobby.pages.page_workers import PageWorkers
from kontor_games.lobby.pages.prepared_replays import INFO, PreparedReplays
from kontor_games.lobby.pages.published_files import PublishedFiles
from kontor_games.lobby.pages.replay_desk import ReplayDesk
from kontor_games.net.api.http.api_errors import ApiError
from kontor_games.net.archive.verdict_cache import VerdictCache
from kontor_games.net.record.verify import verify
from tests.worlds.lobby_hall import the_reactor

FILES = Path(__file__).parents[2] / "frozen" / "files"
MOST = 1 << 30
# A worker that dies of one content and stalls over another, as a hostile file might make ours.
FRAGILE = """
import os, time
from kontor_games.net.archive.duties import answer
from kontor_games.net.archive.judge_process import serve
def work(order):
    if b"POISON" in order.content:
        os._exit(1)
    if b"STALL" in order.content:
        time.sleep(600)
    return b"" if order.duty == "describe" else answer(order)
serve(work)
"""


@asynccontextmanager
async def shelf(
    folder: Path, command: tuple[str, ...] | None = None, limit: float = 60.0, cpu: int = 60
) -> AsyncIterator[tuple[PublishedFiles, PageWorkers]]:
    kit = page_kit(MOST)
    workers = PageWorkers(the_reactor(), 1, command or kit.worker, limit, cpu)
    cache = VerdictCache(folder.parent / "verdicts.db", b"judge")
    try:
        yield PublishedFiles(the_reactor(), folder, 100, workers, cache), workers
    finally:
        workers.close()
        cache.close()


def put(folder: Path, *names: str) -> None:
    folder.mkdir(exist_ok=True)
    for name in names:
        shutil.copy(FILES / f"{name}.kontor", folder)


@ensureDeferred
async def test_only_whole_matches_that_verify_are_published_in_the_words_of_verify(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    put(folder, "hansa-3", "joban-2-forfeit", "osaka-3-unfinished", "evidence-key")
    doctored = bytearray((FILES / "hansa-3.kontor").read_bytes())
    doctored[len(doctored) // 2] ^= 1
    (folder / "doctored.kontor").write_bytes(bytes(doctored))
    (folder / "empty.kontor").write_bytes(b"")
    (folder / "notes.txt").write_text("not a match")
    (folder / "elsewhere.kontor").symlink_to(FILES / "osaka-2.kontor")
    os.mkfifo(folder / "pipe.kontor")
    async with shelf(folder) as (files, _):
        await files.look()
        found = {match.path.stem: match for match in files.newest()}
        assert set(found) == {"hansa-3", "joban-2-forfeit"}
        for name, match in found.items():
            assert match.report.line == verify(FILES / f"{name}.kontor").line
            assert files.find(match.id) is match
            opened = match.open()
            assert opened is not None and opened.read() == (FILES / f"{name}.kontor").read_bytes()
            opened.close()


@ensureDeferred
async def test_changes_of_the_folder_are_followed_and_known_files_are_not_judged_again(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    put(folder, "hansa-3")
    async with shelf(folder) as (files, workers):
        await files.look()
        [match] = files.newest()
        (folder / "copy.kontor").write_bytes((folder / "hansa-3.kontor").read_bytes())
        await files.look()
        assert len(files.newest()) == 1  # an equal file is the same match
        (folder / "copy.kontor").unlink()
        put(folder, "joban-2-forfeit")
        (folder / "hansa-3.kontor").write_bytes((FILES / "joban-2-forfeit.kontor").read_bytes())
        assert match.open() is None  # exchanged after it was judged: not sent
        await files.look()
        assert [each.report.game for each in files.newest()] == ["joban"]
        assert files.find(match.id) is None
    async with shelf(folder, (sys.executable, "-c", "raise SystemExit(1)")) as (files, workers):
        await files.look()  # nothing new: no process is needed
        assert len(files.newest()) == 1 and workers.processes == []


@ensureDeferred
async def test_a_file_that_kills_or_stalls_its_judge_costs_only_itself(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    put(folder, "hansa-3")
    (folder / "a.kontor").write_bytes(b"POISON")
    (folder / "b.kontor").write_bytes(b"STALL")
    async with shelf(folder, (sys.executable, "-c", FRAGILE), limit=3.0) as (files, _):
        await files.look()
        assert [match.path.stem for match in files.newest()] == ["hansa-3"]
        before = files.changed
        await files.look()
        assert files.changed == before  # and is not tried again until it changes


@ensureDeferred
async def test_a_replay_is_prepared_once_and_one_that_cannot_be_shown_is_refused_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    put(folder, "hansa-3", "joban-2-forfeit")
    async with shelf(folder) as (files, workers):
        await files.look()
        prepared = PreparedReplays(tmp_path / "replays", "mark", MOST)
        desk = ReplayDesk(the_reactor(), workers, prepared)
        match = files.newest()[0]
        assert desk.part(match, INFO) is None
        one = await desk.info(match, "visitor")
        assert one == desk.part(match, INFO) == await desk.info(match, "visitor") and desk.part(match, "0")
        broken = PageWorkers(the_reactor(), 1, (sys.executable, "-c", FRAGILE), 60.0, 60)
        other = ReplayDesk(the_reactor(), broken, PreparedReplays(tmp_path / "others", "mark", MOST))
        try:
            for _ in range(2):
                try:
                    await other.info(match, "visitor")
                except ApiError as error:
                    assert error.code == "cannot-show"
                else:
                    raise AssertionError("nothing was prepared")
        finally:
            broken.close()


@ensureDeferred
async def test_a_process_ends_when_a_file_takes_too_much_of_the_processor_or_memory(tmp_path: Path) -> None:
    heavy = (
        "from kontor_games.lobby.pages import page_worker\n"
        "def busy(order):\n"
        "    held = bytearray(order.content.count(b'M') * 400 * 1024 * 1024)\n"
        "    while True: pass\n"
        "page_worker.answer = busy\n"
        "page_worker.run_worker(None, 200 * 1024 * 1024)\n"
    )
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "cpu.kontor").write_bytes(b"C")
    (folder / "memory.kontor").write_bytes(b"M")
    async with shelf(folder, (sys.executable, "-c", heavy), limit=200.0, cpu=1) as (files, _):
        begun = time.monotonic()
        await files.look()
        assert time.monotonic() - begun < 100  # long before the time on the clock is over
        assert files.newest() == []
