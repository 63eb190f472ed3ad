"""A match among three machines on two full screens: chat, turns, somebody who vanishes, and going on without them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from kontor_games.engine.core.stream import Stream
from tests.net.api.test_network import Party, play_turn, wait_for_turn

from .test_matches import choose_one
from .tmux import Window

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
]
TURNS = 6


@pytest.fixture
def party(tmp_path: Path) -> Iterator[Party]:
    made = Party(tmp_path, 3)
    yield made
    made.end()


@pytest.fixture
def windows(tmp_path: Path) -> Iterator[list[Window]]:
    folders = [tmp_path / "anna", tmp_path / "bnna"]
    for folder in folders:
        folder.mkdir()
    made = [Window(folder) for folder in folders]
    yield made
    for window in made:
        window.close()


def test_people_at_two_machines_talk_play_and_go_on_without_a_third(party: Party, windows: list[Window]) -> None:
    match = party.begin("osaka", {})
    for window, node in zip(windows, party.nodes, strict=False):
        window.run("screen", match[:12], "--home", str(node.home))
        window.until(r"Your turn|is to act")
    anna, bnna = windows
    talk(anna, bnna)
    see_the_table(anna)
    choose = Stream("peers")
    for _ in range(TURNS):
        number, state = wait_for_turn(party, match)
        if number < len(windows):
            take_turn(windows[number], choose)
        else:
            play_turn(party.links[number], match, state)
    party.nodes[2].kill()
    for window in windows:
        window.until(r"Waiting for Cnna, \d+ s; wait, or go on without them")
    anna.keys("go on without", "Enter")
    anna.until(r"You want to go on without Cnna")
    bnna.until(r"Waiting for Cnna, \d+ s; Anna would go on without them")
    bnna.keys("go on without", "Enter")
    for window in windows:
        window.wait(lambda text: "Waiting for" not in text, "the match does not go on")
    number, _ = wait_for_turn(party, match)
    take_turn(windows[number], choose)
    anna.keys("/table", "Enter")
    anna.until(r"left; a stand-in plays")
    anna.keys("Escape", "/bye", "Enter")
    anna.until("leaves the match for good")
    anna.keys("C-c")
    anna.until("To come back: kontor screen")


def talk(anna: Window, bnna: Window) -> None:
    anna.keys("F4")
    anna.until("say>")
    anna.keys("Good evening", "Enter")
    anna.until("Anna: Good evening")
    anna.keys("Escape")
    bnna.until(r"Chat \(1 new\)")
    bnna.keys("Tab", "Tab")
    bnna.until("Anna: Good evening")
    bnna.keys("/say Hello to you", "Enter")
    anna.until("Bnna: Hello to you")


def see_the_table(window: Window) -> None:
    window.keys("/table", "Enter")
    text = window.until(r"Six words of this match: \w+ \w+ \w+ \w+ \w+ \w+")
    assert len(re.findall(r"person, linked", text)) == 2, text
    window.keys("Escape")
    window.until("Nothing counts before you confirm|is to act")


def take_turn(window: Window, choose: Stream) -> None:
    """One whole turn at a screen."""
    text = window.until(r"Your turn\.(?s:.)*What you can do")
    while "Your turn" in text:
        choose_one(window, text, choose)
        text = window.until(r"Your turn\.(?s:.)*What you can do|is to act|on its way|Chance is at work")
