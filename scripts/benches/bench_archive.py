"""Archives in figures: files/s of one process, of two and of two Dask workers in one run, and the driver's memory.

`KONTOR_ARCHIVE` names an archive of `scripts/make_archive`; without it a small one is made. Every contender judges the
same files in interleaved rounds, after a warm-up, so the ratios hold on a busy machine too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from kontor_games.engine.core.stream import H, u32
from kontor_games.net.archive.judge_cluster import JudgeCluster
from kontor_games.net.archive.judge_pool import JudgePool, Judges
from kontor_games.net.archive.order_pipe import FileOrder

FILES = 200  # of the archive that is made if none is named
MOST = {"sealed": 30, "local": 300}  # files of each kind in one round
SIZES = (1_000, 8_000)  # files of the archives whose memory is compared
GOALS = {"sealed": 0.9, "local": 0.65}  # Dask against two plain processes
_MEMORY = """
import resource, sys
from kontor_games.net.archive.archive import Archive
archive = Archive([sys.argv[1]])
assert sum(1 for _ in archive.verify(1)) == int(sys.argv[2])
archive.close()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def run(rounds: int, seconds: float) -> dict[str, Any]:
    """The rows of this part."""
    with tempfile.TemporaryDirectory(prefix="bench-archive-") as folder:
        archive = Path(os.environ.get("KONTOR_ARCHIVE") or made(Path(folder)))
        contenders = {
            "one": JudgePool(1),
            "two": JudgePool(2),
            "dask": JudgeCluster("local", 2, lambda words: print(words, file=sys.stderr)),
        }
        try:
            rows = [row(kind, archive, contenders, max(1, rounds // 3)) for kind in MOST]
        finally:
            for each in contenders.values():
                each.close()
        small, large = (memory(Path(folder) / f"m{count}", count) for count in SIZES)
    notes = [
        f"goals: Dask / two processes >= {GOALS['sealed']} (sealed), >= {GOALS['local']} (local)",
        f"driver's memory: {small} MB for {SIZES[0]:,} files, {large} MB for {SIZES[1]:,}",
    ]
    return {"rows": rows, "notes": notes}


def made(folder: Path) -> Path:
    """A small archive."""
    from scripts.archives.making_main import make

    make(folder / "archive", FILES, os.cpu_count() or 1)
    return folder / "archive"


def row(kind: str, archive: Path, contenders: dict[str, Judges], rounds: int) -> dict[str, Any]:
    """Files/s of each contender on one kind of file; ratios are medians over rounds."""
    contents = [path.read_bytes() for path in sorted((archive / kind).glob("*.kontor"))]
    while len(contents) < MOST[kind]:
        contents += contents
    contents = contents[: MOST[kind]]
    for judges in contenders.values():
        rate(judges, contents[:4])
    found = [{name: rate(judges, contents) for name, judges in contenders.items()} for _ in range(rounds)]

    def middle(figure: Callable[[dict[str, float]], float]) -> float:
        return median(figure(each) for each in found)

    return {
        "files": f"{len(contents)} {kind}",
        "one process/s": f"{middle(lambda r: r['one']):.1f}",
        "two processes/s": f"{middle(lambda r: r['two']):.1f}",
        "two Dask workers/s": f"{middle(lambda r: r['dask']):.1f}",
        "two / one": f"{middle(lambda r: r['two'] / r['one']):.2f}",
        "Dask / two": f"{middle(lambda r: r['dask'] / r['two']):.2f}",
    }


def rate(judges: Judges, contents: list[bytes]) -> float:
    """Files per second of the clock: two processes are worth nothing in processor time."""
    begun = time.perf_counter()
    done = sent = 0
    while done < len(contents):
        while sent < len(contents) and sent - done < judges.room:
            judges.submit(sent, FileOrder("judge", contents[sent]))
            sent += 1
        answer = judges.next(0.2)
        if answer is not None:
            assert answer.answer is not None
            done += 1
    return len(contents) / (time.perf_counter() - begun)


def memory(folder: Path, count: int) -> int:
    """Megabytes that the driver of an archive of so many small matches has used at most."""
    from kontor_games import engine
    from kontor_games.net.record.local_chain import LocalTerms
    from kontor_games.net.record.transcript import MAGIC, TermsRecord, pack
    from tests.worlds.local_matches import new_table

    folder.mkdir()
    with tempfile.TemporaryDirectory() as other:
        seats = (("Ada", "person"), ("Bob", "person"))
        table = new_table(Path(other) / "a.kontor", "7", engine.load("joban"), seats)
        terms: LocalTerms = table.terms
        table.close()
    from msgspec.structs import replace

    from kontor_games.engine import canonical

    for number in range(count):
        raw = canonical(replace(terms, nonce=H("bench", u32(number), size=16)))
        (folder / f"{number:06}.kontor").write_bytes(MAGIC + pack(TermsRecord(raw)))
    out = subprocess.check_output([sys.executable, "-c", _MEMORY, str(folder), str(count)], text=True)
    return int(out)
