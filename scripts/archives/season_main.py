"""A test season: real rated files of bots of known strength, a ladder of them, and files that must change nothing.

Stopped at any point it goes on: every file follows from its number. At the end the ladder is published in
FOLDER/ladder/published, computed again as `kontor ladder check` does it, and the order of strengths is compared.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from kontor_games.clients import bots
from kontor_games.engine.core.stream import H, Stream, u32
from kontor_games.lobby.ladder.ladder_checking import LadderCheck, check
from kontor_games.lobby.ladder.ladder_desk import LadderDesk, put_in_queue
from kontor_games.lobby.ladder.ladder_rules import HOUR, LadderRules
from kontor_games.lobby.ladder.published import FolderLadder
from scripts.archives.doctoring import SEALED
from tests.worlds.ladder_files import KEEPER, PeopleWorld, file_of, name_of, rated_terms
from tests.worlds.match_files import packed, unpacked, without_end
from tests.worlds.quick_algebra import remembered
from tests.worlds.world import identity

GAMES = ("joban", "osaka", "yokohama", "hansa")
KINDS = ("skilled", "greedy", "random")  # strongest first, measured in docs/bots.md
PEOPLE = {number: KINDS[number % len(KINDS)] for number in range(6)}
RULES = LadderRules(KEEPER.key.hex(), since=0, provisional=5, same_people=1000)
DOCTORED_EVERY = 10
CONTRADICTED_EVERY = (
    24  # of the matches, one whose players signed another course of it too; a game that is quick to play
)


class SeasonDone(NamedTuple):
    """What a season came to."""

    said: dict[str, Any]
    refused: list[tuple[str, str]]  # what was tried, and the reason
    contradicting: int  # files that prove that somebody signed two things
    check: LadderCheck
    published: Path


def main() -> None:
    """Play what is missing, count it, check it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--games", default=",".join(GAMES), help="separated by commas")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    games = tuple(given.games.split(","))
    play(given.folder, given.files, games, given.jobs)
    done = count(given.folder, given.files, given.jobs)
    for board in done.said["boards"]:
        print(f"{board['game']} with {board['players']}:")
        for row in board["people"]:
            print(f"  {row['points']:>5}  {kind_of(row['key']):<8} {row['matches']} matches, {row['won']} won")
    print(f"{done.said['counted']} matches counted; {len(done.refused)} doctored or replayed files refused")
    for name, reason in done.refused:
        print(f"  {name}: {reason[:100]}")
    print(f"{done.contradicting} contradicting files; named for two signatures:")
    for named in done.said["named"]:
        print(f"  {named['name']} in match {named['match'][:12]}, two different {named['kind']}s")
    print(
        f"check: {done.check.files} files, {done.check.ratings} ratings, differs: {done.check.differences or 'nothing'}"
    )
    wrong = wrong_orders(done.said)
    print(f"order of strengths: {'; '.join(wrong) or 'right on every board'}")
    sys.exit(1 if wrong or done.check.code else 0)


def play(folder: Path, files: int, games: Sequence[str], jobs: int) -> None:
    """Make the files that are missing."""
    (folder / "files").mkdir(parents=True, exist_ok=True)
    work = [(folder, number, games[number % len(games)], False) for number in range(files)]
    work += [(folder, number, game, True) for _, number, game, _ in work if number % CONTRADICTED_EVERY == 0]
    work = [each for each in work if not _path(folder, each[1], each[3]).exists()]
    if jobs == 1:
        for each in work:
            play_one(each)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for done, _ in enumerate(pool.imap_unordered(play_one, work), 1):
            if sys.stderr.isatty():
                print(f"\r{done} of {len(work)} matches", end="", file=sys.stderr)


def play_one(job: tuple[Path, int, str, bool]) -> None:
    """One match of two people of different strength; who they are follows from its number. Or another course of it."""
    folder, number, game, is_other = job
    pick = Stream("season", u32(number))
    one = pick.below(len(PEOPLE))
    others = [person for person in PEOPLE if PEOPLE[person] != PEOPLE[one]]
    people = (one, others[pick.below(len(others))])
    kinds = ["random" if is_other else PEOPLE[person] for person in people]
    players = {
        seat: bots.make(kind, H("season bot", u32(number), u32(seat), size=32)) for seat, kind in enumerate(kinds)
    }
    with remembered():
        world = PeopleWorld(rated_terms(game, people, f"season {number}"), people, f"season {number}", players)
        world.begin()
        world.play_on()
    path = _path(folder, number, is_other)
    part = path.with_suffix(f".{os.getpid()}.part")
    part.write_bytes(file_of(world))
    part.replace(path)


def count(folder: Path, files: int, jobs: int, with_cheats: bool = True) -> SeasonDone:
    """The ladder of the season: all files in their order, with some that were doctored or handed in before."""
    home = folder / ("ladder" if with_cheats else "ladder-without-cheats")
    names: dict[str, str] = {}
    at = len(list((home / "queue").glob("*"))) if (home / "queue").exists() else 0
    for name, data in _handed(folder, files, with_cheats):
        names.setdefault(name_of(data), name)
        put_in_queue(home, data, at)
        at += 1
    desk = LadderDesk(home, RULES, KEEPER, "Test season", cpu=600, jobs=jobs)
    refused: list[tuple[str, str]] = []

    def decided(file: str, state: str, reason: str) -> None:
        if state == "refused":
            refused.append((names[file], reason))

    desk.on_decided = decided
    try:
        while not desk.is_idle():
            desk.work(HOUR, 0.1)
        desk.work(100 * HOUR)
        said = desk.ladder.said()
    finally:
        desk.close()
    contradicting = len({each["file"] for each in said["files"] if each["state"] == "contradicted"})
    return SeasonDone(said, refused, contradicting, check(FolderLadder(desk.published), jobs), desk.published)


def _handed(folder: Path, files: int, with_cheats: bool) -> Iterator[tuple[str, bytes]]:
    """Every file, and after some of them what a cheat would hand in."""
    before = b""
    for number in range(files):
        data = _path(folder, number).read_bytes()
        yield f"file {number}", data
        if not with_cheats:
            continue
        if number % DOCTORED_EVERY == DOCTORED_EVERY - 1:
            doctor = SEALED[number // DOCTORED_EVERY % len(SEALED)]
            made = doctor(unpacked(data), unpacked(before), Stream("doctor", u32(number)))
            yield f"doctored {doctor.__name__}", made if isinstance(made, bytes) else packed(made)
            yield f"replayed {number}", packed(without_end(unpacked(data)))
        if number % CONTRADICTED_EVERY == 0:
            yield f"contradicting {number}", _path(folder, number, True).read_bytes()
        before = data


def kind_of(key: str) -> str:
    """Which bot a key is."""
    return next(kind for person, kind in PEOPLE.items() if identity(person).key.hex() == key)


def wrong_orders(said: dict[str, Any]) -> list[str]:
    """Boards on which a weaker kind has more points on average than a stronger one."""
    found = []
    for board in said["boards"]:
        points: dict[str, list[int]] = {}
        for row in board["people"]:
            points.setdefault(kind_of(row["key"]), []).append(row["points"])
        means = [(kind, sum(points[kind]) / len(points[kind])) for kind in KINDS if kind in points]
        for (strong, more), (weak, less) in pairwise(means):
            if less >= more:
                found.append(f"{board['game']}: {weak} ({less:.0f}) is above {strong} ({more:.0f})")
    return found


def _path(folder: Path, number: int, is_other: bool = False) -> Path:
    return folder / "files" / f"{number:04}{'-other' if is_other else ''}.kontor"


if __name__ == "__main__":
    main()
