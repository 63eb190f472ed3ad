"""Whole matches on the full screen of a real terminal, through keys alone."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kontor_games.engine.core.stream import Stream
from kontor_games.net.api import daemon
from tests.net.api.kit import NodeProcess, new_match
from tests.net.api.test_games import SHORT

from .tmux import Window

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
]
TITLES = {"hansa": "Hansa Teutonica", "joban": "Fair of Joban", "osaka": "Merchants of Osaka", "yokohama": "Yokohama"}
MAX_STEPS = 2500


@pytest.fixture
def node(tmp_path: Path) -> Iterator[NodeProcess]:
    made = NodeProcess(tmp_path / "home").start()
    yield made
    if made.process is not None:
        made.end()


@pytest.fixture
def window(tmp_path: Path) -> Iterator[Window]:
    made = Window(tmp_path)
    yield made
    made.close()


def begin(node: NodeProcess, game: str, kinds: list[str], **more: Any) -> str:
    """A match of Anna, Bob and so on, and bots."""
    people = iter(("Anna", "Bob", "Clara"))
    seats = [{"kind": kind} | ({"name": next(people)} if kind == "me" else {}) for kind in kinds]
    return new_match(node.link(), game, seats, **more)


def sit(window: Window, node: NodeProcess, match: str, *arguments: str, **environment: str) -> Window:
    return window.run("screen", match[:12], "--home", str(node.home), *arguments, **environment)


def step(window: Window, choose: Stream) -> str:
    """Do something that the screen offers, and see what comes of it; confirm whenever a turn is complete."""
    text = window.wait(
        lambda text: ("Your turn" in text and "What you can do" in text) or "The match is over." in text,
        "it is nobody's turn",
    )
    if "The match is over." in text:
        return text
    return choose_one(window, text, choose)


def choose_one(window: Window, text: str, choose: Stream) -> str:
    """Confirm what is complete, else do any item of the menu that the screen shows."""
    found = re.search(r"What you can do ─+ (\d+) ─", text)
    if not found:  # the menu changed while a number was typed: begin again
        window.keys("Escape")
        return window.until(r"(?m)^ > *$")
    if " 1 Confirm the turn" not in text:
        window.keys(str(1 + choose.below(int(found[1]))))
        window.until(r"(?m)^ > \d+")
    before = turn_of(window.text)
    window.keys("Enter")
    answered = re.compile(r"Not possible|You wait|You want")
    return window.wait(lambda now: turn_of(now) != before or bool(answered.search(now)), "Enter does nothing")


def turn_of(text: str) -> list[str]:
    """What a step changes: whose turn it is, and what is drafted."""
    return [line for number, line in enumerate(text.splitlines()) if number == 0 or line.startswith(" Draft:")]


@pytest.mark.parametrize("game", sorted(SHORT))
def test_a_whole_match_is_played_with_the_keys_to_its_result(game: str, node: NodeProcess, window: Window) -> None:
    seats = ["me", "greedy", "greedy"]
    match = begin(node, game, seats, options=SHORT[game], seed=f"screen {game}")
    sit(window, node, match)
    window.until(TITLES[game])
    choose = Stream("screen", game)
    text = ""
    for _ in range(MAX_STEPS):
        text = step(window, choose)
        lines = text.splitlines()
        assert all(len(line) <= 100 for line in lines) and len(lines) <= 30
        if "The match is over." in text:
            break
    if "Result ─" not in window.until(r"The match is over\."):
        window.keys("/result", "Enter")  # the last Enter has closed it
    text = window.until("Result ─")
    state = node.link().get(f"matches/{match}")
    assert state["status"] == "over" and state["result"] is not None
    winners = [state["seats"][seat]["name"] for seat in state["result"]["winners"]]
    assert re.search(rf"Winners?: {', '.join(winners)}", text), text
    totals = re.search(r"(?m)^ *Points +(.*)$", text)
    assert totals and [int(each) for each in totals[1].split()] == state["result"]["scores"], text
    window.keys("Escape")
    window.until("Show the result")
    window.keys("C-c")
    window.until("among the replays")
    window.until("ended with 0")


def test_undo_resize_and_leaving_in_a_real_terminal(node: NodeProcess, window: Window) -> None:
    match = begin(node, "hansa", ["me", "greedy", "greedy"], seed="resize")
    sit(window, node, match)
    window.until("Your turn")
    window.keys("place lub", "Enter")
    window.until("Draft: .* place .*Lübeck")
    window.keys("C-z")
    window.until("Draft: nothing yet. .* Ctrl-Y")
    window.keys("C-y")
    window.until("Draft: .* place .*Lübeck")
    for columns, rows in ((80, 24), (132, 43), (100, 30)):
        window.resize(columns, rows)
        text = window.wait(
            lambda text, rows=rows: len(text.splitlines()) == rows and "Ctrl-C leave" in text.splitlines()[-1],
            f"the screen does not fill {columns} x {rows}",
        )
        assert "Draft: You place" in text and "What you can do" in text and "Hanseatic League" in text
    window.keys("F2")
    window.until("Board ─")
    window.keys("PgDn", "PgDn")
    window.until("Special prestige")
    window.keys("Escape")
    window.until("What you can do")
    window.keys("C-c")
    window.until(rf"To come back: kontor screen {match[:8]}")
    window.until("ended with 0")
    assert node.link().get(f"matches/{match}")["draft"]["texts"], "what was drafted is there for the next time"


def test_the_screen_goes_on_by_itself_when_the_node_starts_anew(node: NodeProcess, window: Window) -> None:
    match = begin(node, "osaka", ["me", "greedy", "greedy"], seed="restart")
    sit(window, node, match)
    window.until("Your turn")
    window.keys("token blue", "Enter")
    window.until("Draft: You start with a blue")
    assert node.end() == 0
    window.until("node away, trying again")
    window.keys("Enter")
    window.until("The node did not answer")
    node.start()  # stopped in order, it is for a person to start it
    window.wait(lambda text: "node away" not in text, "the screen does not come back")
    window.until("Draft: You start with a blue")
    window.keys("Enter")
    window.until(r"You start with a blue")
    window.until("Your turn")
    node.kill()
    window.until("node away, trying again")
    window.wait(lambda text: "node away" not in text, "a crashed node is not brought back")
    step(window, Stream("restart"))
    window.keys("F10")
    window.until("ended with 0")
    assert daemon.stop(node.home), "the screen has started it"


def test_people_at_one_screen_take_turns_behind_a_curtain(node: NodeProcess, window: Window) -> None:
    match = begin(node, "osaka", ["me", "me", "greedy"], seed="two at one screen")
    sit(window, node, match)
    choose = Stream("curtain")
    seen: list[str] = []
    for _ in range(30):
        text = window.until(r"Everybody else looks away|Your turn, \w+\.(?s:.)*What you can do")
        if "looks away" in text:
            assert "hand" not in text and "Market" not in text
            name = re.search(r"It is the turn of (\w+)\.", text)
            assert name
            seen.append(name[1])
            window.keys("Enter")  # it would show the hand to whoever pressed it once too often
            window.keys("Space")
            text = window.until(rf"Your turn, {name[1]}\.")
            assert f"{name[1]} (you)" in text
        choose_one(window, window.until("What you can do"), choose)
        if len(seen) > 5:
            break
    assert {"Anna", "Bob"} == set(seen), seen


def test_without_colours_it_says_the_same(node: NodeProcess, window: Window) -> None:
    match = begin(node, "joban", ["me", "greedy"], seed="colours")
    sit(window, node, match, NO_COLOR="1")
    window.until("Your turn")
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", window.coloured)
    window.keys("C-c")
    window.until("ended with 0")


def test_a_terminal_that_cannot_do_it_is_told_so(node: NodeProcess, window: Window) -> None:
    match = begin(node, "joban", ["me", "greedy"], seed="dumb")
    sit(window, node, match, TERM="dumb")
    window.until("cannot show a full")
    window.wait(lambda text: "ended with 2" in text, "it does not end")
