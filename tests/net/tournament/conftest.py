"""Sealed matches of these tests share what they computed, and one evening serves them all."""

from __future__ import annotations

from pathlib import Path

import pytest

from kontor_games.net.tournament.tournament import Tournament, new_event
from tests.worlds.event_matches import PEOPLE, table_file, table_terms
from tests.worlds.quick_algebra import quick_algebra as quick_algebra
from tests.worlds.quick_start import quick_judges as quick_judges

from .events import ORGANISER

NAMES = ("Ada", "Bob", "Cleo", "Dan", "Eve")
WISH = {
    "name": "Thursday", "game": "hansa", "options": {"max_rounds": 12}, "sizes": (3, 2), "method": "swiss", "rounds": 2,
    "bye": 12, "late": 0, "missing": 0, "unfinished": 1, "unsigned": "places", "left": "nothing",
    "tie_breaks": ("opponents", "wins"), "recovery": "majority", "grace": 0, "spectators": True, "seed": "thursday",
}  # fmt: skip


def opened(folder: Path) -> Tournament:
    return Tournament(folder, lambda: ORGANISER)


def invitations(event: Tournament) -> list[dict[str, object]]:
    """One for each table of the round under way."""
    return [event.invitation(table["seats"][0]["key"]) for table in event.shown()["rounds"][-1]["tables"]]


@pytest.fixture(scope="session")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An event with five players whose first round is drawn."""
    folder = tmp_path_factory.mktemp("event") / "thursday"
    new_event(folder, ORGANISER, WISH)
    event = opened(folder)
    for number, name in enumerate(NAMES):
        event.add(PEOPLE[number].key.hex(), name)
    event.draw(anyway=False)
    return folder


@pytest.fixture(scope="session")
def files(begun: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The files of its two tables."""
    where = tmp_path_factory.mktemp("handed")
    made = []
    for number, invitation in enumerate(invitations(opened(begun)), 1):
        path = where / f"{number}.kontor"
        path.write_bytes(table_file(table_terms(invitation)))
        made.append(path)
    return made
