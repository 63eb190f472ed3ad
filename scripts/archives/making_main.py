"""Make an archive of match files with known faults, for tests and figures. Stopped at any point, it goes on.

Of 10,000 files some 300 are sealed originals, 600 local ones; 200 are doctored (`doctoring.py`), 20 contradict one of
the originals, and the rest are copies and beginnings. `manifest.jsonl` says what each file is and what must be found in
it. Everything follows from the numbers of the files, so two runs make the same archive. `--compare REPORT` holds what
`kontor verify FOLDER --report REPORT` found (JSON lines) against the manifest, and makes nothing.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from kontor_games import engine
from kontor_games.clients import bots
from kontor_games.engine.core.stream import H, Stream, u32
from kontor_games.net.record.bot_match import BotMatch
from kontor_games.net.record.transcript import Record
from scripts.archives.comparing import Comparison
from scripts.archives.doctoring import LOCAL, SEALED
from tests.net.record.test_compare import gone_back
from tests.net.record.test_verdicts import other_ends
from tests.worlds.local_matches import finished, new_table
from tests.worlds.match_files import named_terms, packed, played, transcript, unpacked

NAMES = ("Anna", "Bruno", "Clara", "Dora")
SHORT = {"hansa": {"max_rounds": 3}, "yokohama": {"max_rounds": 3}, "joban": {}, "osaka": {}}
SEALED_MIX = ("hansa", "yokohama", "hansa", "joban", "hansa", "yokohama", "hansa", "yokohama", "hansa", "osaka")
SHOWN = 20  # mistakes of a report that are printed
LOCAL_MIX = ("joban", "hansa", "yokohama", "joban", "osaka")
BY_BOTS = ("hansa", "yokohama")  # local matches of these are whole ones: in random ones hardly anybody scores
KINDS = ("greedy", "novice", "skilled")


class ArchivePlan(NamedTuple):
    """How many files of each kind."""

    sealed: int
    local: int
    doctored: int
    pairs: int
    files: int

    @classmethod
    def of(cls, files: int) -> ArchivePlan:
        share = [max(2, files * part // 10_000) for part in (300, 600, 200, 20)]
        return cls(*share, files)


def main() -> None:
    """Make what is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--compare", type=Path, metavar="REPORT", help="a report of this archive, as .jsonl")
    given = parser.parse_args()
    if given.compare:
        sys.exit(compare(given.folder, given.compare))
    made = make(given.folder, given.files, given.jobs)
    print(f"{made:,} files in {given.folder}; manifest.jsonl says what each of them is")


def compare(folder: Path, report: Path) -> int:
    """Print how a report does beside the manifest; 1 if anything in it is wrong."""
    comparison = Comparison(folder, report, NAMES)
    mistakes = list(comparison.mistakes())
    print(comparison.figures())
    for mistake in mistakes[:SHOWN]:
        print(f"  {mistake}")
    print(f"{len(mistakes)} mistakes" if mistakes else "nobody and nothing is wrongly accused")
    return 1 if mistakes else 0


def make(folder: Path, files: int, jobs: int) -> int:
    """The archive, complete; how many files it has."""
    plan = ArchivePlan.of(files)
    folder.mkdir(parents=True, exist_ok=True)
    originals = [
        *((folder, "sealed", n) for n in range(plan.sealed)),
        *((folder, "local", n) for n in range(plan.local)),
        *((folder, "pair", n) for n in range(plan.pairs)),
    ]
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for done, _ in enumerate(pool.imap_unordered(_original, originals), 1):
            if sys.stderr.isatty():
                print(f"\r{done} of {len(originals)} originals", end="", file=sys.stderr)
    lines = list(_derived(folder, plan))
    _write(folder / "manifest.jsonl", "".join(json.dumps(line) + "\n" for line in lines).encode())
    return len(lines)


def _original(job: tuple[Path, str, int]) -> None:
    folder, kind, number = job
    path = folder / kind / f"{number:04}.kontor"
    if kind == "pair" and not (folder / "pair" / f"{number:04}-other.kontor").exists():
        _pair(folder, number)
    elif kind == "sealed" and not path.exists():
        game = SEALED_MIX[number % len(SEALED_MIX)]
        seats = 2 + number % 3 if game == "hansa" else 2 + number // 10 % 2
        world = played(named_terms(game, NAMES[:seats], f"s{number}", **SHORT[game]), f"archive {number}")
        _write(path, packed(transcript(world)))
    elif kind == "local" and not path.exists():
        part = path.with_name(f".{number}.{os.getpid()}")
        part.parent.mkdir(parents=True, exist_ok=True)
        part.unlink(missing_ok=True)
        _local(part, number)
        part.replace(path)


def _local(path: Path, number: int) -> None:
    game = LOCAL_MIX[number % len(LOCAL_MIX)]
    names = NAMES[: 2 + number // len(LOCAL_MIX) % 2]
    if game not in BY_BOTS:
        finished(path, f"archive {number}", engine.load(game), tuple((name, "person") for name in names))
        return
    kinds = [KINDS[(number + seat) % len(KINDS)] for seat in range(len(names))]
    table = new_table(path, f"archive {number}", engine.load(game), tuple(zip(names, kinds, strict=True)))
    players = {
        seat: bots.make(kind, H("archive bot", u32(number), u32(seat), size=32)) for seat, kind in enumerate(kinds)
    }
    match = BotMatch(table, players)
    while not match.is_over:
        match.advance()
    match.close()


def _pair(folder: Path, number: int) -> None:
    """Two verified files that cannot both be true: a match rewritten by a majority, or another last move."""
    one, other = (folder / "pair" / f"{number:04}{end}.kontor" for end in ("", "-other"))
    if number % 2:
        for seed in range(50):  # until the last mover had a choice
            world = played(named_terms("joban", NAMES[:2], f"p{number}"), f"pair {number} {seed}")
            whole = packed(transcript(world))
            made = next(other_ends(world), None)
            if made is not None:
                break
        assert made is not None
    else:
        true = played(named_terms("hansa", NAMES[:3], f"p{number}", max_rounds=2), f"pair {number}")
        whole = packed(transcript(true))
        frames = [k for k, item in enumerate(true.nodes[0].session.ledger.items) if item.kind == "frame"]
        made = transcript(gone_back(true, gone=0, count=frames[4], seed=f"again {number}"), 1)
    _write(one, whole)
    _write(other, packed(made))


def _derived(folder: Path, plan: ArchivePlan) -> Iterator[dict[str, Any]]:
    """Every file of the archive; doctored ones and copies are made if they are missing."""
    kinds = (("sealed", plan.sealed), ("local", plan.local))
    for kind, count in kinds:
        yield from (_line(f"{kind}/{number:04}.kontor", "verified", kind) for number in range(count))
    for number in range(plan.pairs):
        one, other = f"pair/{number:04}.kontor", f"pair/{number:04}-other.kontor"
        yield _line(one, "verified", "pair", clash=other)
        yield _line(other, "verified", "pair", clash=one)
    for number in range(plan.doctored):
        yield _doctored(folder, plan, number)
    rest = plan.files - plan.sealed - plan.local - plan.doctored - 2 * plan.pairs
    for number in range(rest):
        yield _copied(folder, plan, number)


def _doctored(folder: Path, plan: ArchivePlan, number: int) -> dict[str, Any]:
    kind, doctors, count = (("sealed", SEALED, plan.sealed), ("local", LOCAL, plan.local))[number % 2]
    doctor = doctors[number // 2 % len(doctors)]
    name = f"doctored/{number:04}-{doctor.__name__}.kontor"
    if not (folder / name).exists():
        stream = Stream("doctored", u32(number))
        victim = stream.below(count)
        other = (victim + 1 + stream.below(count - 1)) % count
        made = doctor(_records(folder, kind, victim), _records(folder, kind, other), stream)
        _write(folder / name, made if isinstance(made, bytes) else packed(made))
    return _line(name, "refused", doctor.__name__)


def _copied(folder: Path, plan: ArchivePlan, number: int) -> dict[str, Any]:
    """A copy of an original to the byte, or its beginning; of sealed ones fewer, they are costly to judge."""
    kind, count = ("sealed", plan.sealed) if number % 16 == 0 else ("local", plan.local)
    source = number % count
    is_cut = number % 4 == 0
    name = f"copies/{number % 97:02}/{number:05}-{kind}-{source:04}{'-cut' if is_cut else ''}.kontor"
    if not (folder / name).exists():
        data = (folder / kind / f"{source:04}.kontor").read_bytes()
        if is_cut:
            records = unpacked(data)
            data = packed(records[: 1 + Stream("cut", u32(number)).below(len(records) - 1)])
        _write(folder / name, data)
    return _line(name, "verified", "beginning" if is_cut else "copy")


def _records(folder: Path, kind: str, number: int) -> list[Record]:
    return unpacked((folder / kind / f"{number:04}.kontor").read_bytes())


def _line(path: str, expected: str, what: str, clash: str = "") -> dict[str, Any]:
    return {"path": path, "expected": expected, "what": what, "clash": clash}


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.write_bytes(data)
    part.replace(path)


if __name__ == "__main__":
    main()
