"""A season of bots of known strength: the ladder orders them rightly, and nothing that is forged moves it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from kontor_games.engine.core.stream import Stream
from kontor_games.lobby.ladder.ladder_boards import Boards, Outcome
from kontor_games.lobby.ladder.ladder_rules import DAY, LadderRules
from scripts.archives import season_main as season
from tests.worlds.ladder_files import KEEPER
from tests.worlds.world import identity

RULES = LadderRules(KEEPER.key.hex(), since=0, season_days=3660)


@pytest.mark.parametrize("players", [2, 4])
def test_thousands_of_simulated_results_come_out_in_the_order_of_strength(players: int) -> None:
    """Twelve people, each a third stronger than the next; whoever is drawn first by strength wins."""
    keys = [identity(number).key.hex() for number in range(12)]
    strength = {key: int(1000 * 1.35**-number) for number, key in enumerate(keys)}
    boards, chance = Boards(replace(RULES, same_people=10_000)), Stream("results", f"{players}")
    for number in range(3000):
        left = list(keys)
        table = [left.pop(chance.below(len(left))) for _ in range(players)]
        waiting, places = dict.fromkeys(table, 0), {}
        for place in range(1, players + 1):
            ticket = chance.below(sum(strength[key] for key in waiting))
            for key in list(waiting):
                ticket -= strength[key]
                if ticket < 0:
                    places[key] = place
                    del waiting[key]
                    break
        nothing = ("",) * players
        outcome = Outcome(tuple(places[key] for key in table), nothing, (False,) * players)
        boards.count(number * DAY // 50, "open", "joban", table, outcome)
    (board,) = boards.tables({})
    found = [keys.index(row["key"]) for row in board["people"]]
    swaps = sum(one > two for at, one in enumerate(found) for two in found[at + 1 :])
    assert swaps <= 2, found
    assert found[0] == 0 and found[-1] == 11


def played(folder: Path, files: int, games: tuple[str, ...], jobs: int) -> season.SeasonDone:
    season.play(folder, files, games, jobs)
    before = {path: path.stat().st_mtime_ns for path in (folder / "files").iterdir()}
    season.play(folder, files, games, jobs)
    assert {path: path.stat().st_mtime_ns for path in (folder / "files").iterdir()} == before, "it goes on, not again"
    done = season.count(folder, files, jobs)
    honest = season.count(folder, files, jobs, with_cheats=False)
    assert honest.refused == [] and ratings(done.said) == ratings(honest.said), "cheats change no rating"
    return done


def ratings(said: dict[str, Any]) -> list[Any]:
    """What every board says of everybody's play."""
    return [
        (board["game"], [(row["key"], row["mu"], row["sigma"], row["matches"], row["won"]) for row in board["people"]])
        for board in said["boards"]
    ]


def check_season(done: season.SeasonDone, files: int) -> None:
    cheats = files // season.DOCTORED_EVERY
    contradicted = range(0, files, season.CONTRADICTED_EVERY)
    assert done.said["counted"] == files and len(done.said["files"]) == files + len(contradicted)
    assert done.contradicting == len(contradicted)
    assert len({(each["match"], each["key"]) for each in done.said["named"]}) == 2 * len(contradicted), (
        "both signed both"
    )
    assert sum(name.startswith("doctored") for name, _ in done.refused) == cheats
    assert sum(name.startswith("replayed") for name, _ in done.refused) == cheats
    assert len(done.refused) == 2 * cheats, "and nothing that was played was refused"
    assert (done.check.code, done.check.files, done.check.differences) == (0, files + len(contradicted), [])


@pytest.mark.long
def test_a_dozen_files_make_a_season_that_anybody_can_check(tmp_path: Path) -> None:
    done = played(tmp_path, 12, ("joban",), 1)
    check_season(done, 12)
    again = season.count(tmp_path, 12, 1)
    assert again.said == done.said, "everything handed in again changes nothing"
    assert len(again.refused) == 12 + 2 + 1


@pytest.mark.long
def test_three_hundred_files_over_four_games_come_out_in_the_order_of_strength(tmp_path: Path) -> None:
    """Playing them takes an hour; `LADDER_SEASON` names a folder in which `scripts/ladder_season` has done so."""
    if before := os.environ.get("LADDER_SEASON"):
        shutil.copytree(Path(before) / "files", tmp_path / "files")
    done = played(tmp_path, 300, season.GAMES, 2)
    check_season(done, 300)
    assert season.wrong_orders(done.said) == []
