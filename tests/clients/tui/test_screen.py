"""The full screen, driven inside the test: drafts, filters, the curtain, resizing, and texts that mean harm."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from prompt_toolkit.data_structures import Size

from kontor_games.clients.node.node_connection import NodeConnection
from kontor_games.clients.text.boards import render
from kontor_games.clients.tui.app import run
from kontor_games.clients.tui.draw import fit
from tests.net.api.kit import NodeProcess, new_match, state_where

from .inside import bench

ANNA, BOB, BOT = {"kind": "me", "name": "Anna"}, {"kind": "me", "name": "Bob"}, {"kind": "greedy", "name": "Carl"}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    made = NodeProcess(tmp_path_factory.mktemp("home")).start()
    yield made
    made.end()


@pytest.fixture
def node(shared: NodeProcess) -> Iterator[NodeProcess]:
    yield shared
    shared.close_links()


def play(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(test)


def test_a_turn_is_narrowed_down_drafted_undone_redone_and_confirmed(node: NodeProcess) -> None:
    match = new_match(node.link(), "osaka", [ANNA, BOT, BOT | {"name": "Dora"}], seed="narrow")

    async def test() -> None:
        async with bench(node.link(), match) as screen:
            await screen.until("Your turn", "Choose the red token", "Nothing counts before you confirm")
            await screen.until("Choose your starting token")
            assert "token red" not in screen.text, "the menu shows words, not the notation"
            screen.press("yell")
            await screen.until("1 of 4", "You start with a yellow token", without="Choose the red")
            screen.press("Enter")
            await screen.until("Draft: You start with a yellow token.", "undo ends here", "Confirm the turn")
            screen.press("Undo")
            await screen.until("Ctrl-Y takes the undone step again", "Choose the red token")
            screen.press("Redo")
            await screen.until("Draft: You start with a yellow token.")
            screen.press("\x7f")  # Backspace in the empty field
            await screen.until("Draft: nothing yet")
            screen.press("token green", "Enter")
            await screen.until("Draft: You start with a green token.")
            screen.press("F9")
            await screen.until("You start with a green", without="Draft: You start")
            state = node.link().get(f"matches/{match}")
            assert state["view"]["players"][0]["tokens"] == [0, 0, 0, 1]
            await screen.until("Your turn", "What you can do")
            screen.press("take everything", "Enter")
            await screen.until("Not possible: ")
            screen.press("/nonsense", "Enter")
            await screen.until("There is no command /nonsense")
            screen.press("Undo")
            await screen.until("There is nothing to undo: what was confirmed stays.")
            screen.press("F1")
            await screen.until("Help", "Ctrl-Z, Ctrl-Y")
            screen.press("Escape")
            await screen.until("What you can do")
            assert all(len(line) <= 100 for line in screen.text.splitlines())

    play(test())


def test_the_screen_follows_the_size_of_the_window(node: NodeProcess) -> None:
    match = new_match(node.link(), "osaka", [ANNA, BOT], seed="sizes")

    async def test() -> None:
        async with bench(node.link(), match) as screen:
            await screen.until("Your turn", "What you can do")
            for columns, rows in ((80, 24), (200, 60), (60, 16), (100, 30)):
                screen.size = Size(rows=rows, columns=columns)
                screen.full.app._on_resize()
                text = await screen.until("Your turn", "What you can do", "Log", "Ctrl-C leave", "Osaka")
                assert len(text.splitlines()) <= rows
            screen.size = Size(rows=10, columns=40)
            screen.full.app._on_resize()
            await screen.until("window larger.", without="Your turn")

    play(test())


def test_nobody_sees_the_hand_of_the_next_person_before_the_curtain_is_lifted(node: NodeProcess) -> None:
    match = new_match(node.link(), "joban", [ANNA, BOB], seed="curtain")

    def hand(seat: int) -> str:
        view = node.link().get(f"matches/{match}?seat={seat}")["view"]
        board = render(view | {"names": ["Anna", "Bob"]}, 69, lambda text, style: text)
        return next(line for line in board if line.startswith("  1 "))[4:].strip()

    async def test() -> None:
        async with bench(node.link(), match) as screen:
            text = await screen.until("Everybody else looks away")
            first, second = ("Anna", "Bob") if "It is the turn of Anna" in text else ("Bob", "Anna")
            hands = {"Anna": hand(0), "Bob": hand(1)}
            assert hands["Anna"] != hands["Bob"]
            assert not any(each in screen.sent.getvalue() for each in hands.values())
            screen.press("Enter", "x", "F2", "Tab")  # nothing but the space bar lifts it
            screen.press(" ")
            await screen.until(f"Your turn, {first}.", hands[first])
            for action in ("1", "1"):
                screen.press(action, "Enter")
                await screen.until("Confirm the turn")
                screen.press("Enter")
                await screen.wait(lambda text: "Confirm the turn" not in text, "the turn is over")
            await screen.until(f"It is the turn of {second}.", "Everybody else looks away", without=hands[first])
            assert hands[second] not in screen.sent.getvalue()
            screen.press(" ")
            await screen.until(f"Your turn, {second}.", hands[second], without=hands[first])

    play(test())


def test_a_watcher_sees_the_match_and_no_hand(node: NodeProcess) -> None:
    match = new_match(node.link(), "joban", [ANNA, BOT], seed="watcher")
    code = node.link().get(f"matches/{match}?seat=0")["view"]["players"][0]["tasks"][0]["task"]["code"]

    async def test() -> None:
        async with bench(node.link(), match, watching=True) as screen:
            await screen.until("You are watching", "Anna", "Carl", without="What you can do")
            screen.press("design red", "Enter")
            await screen.until("You are watching.")
            assert code not in screen.sent.getvalue()

    play(test())


HOSTILE = "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x9b31m\u202eevil\u2028next\rover\x00\x08\ue000bold\ue001x\ue002\nline"


class HostileLink:
    """A node in the hands of an enemy: every text it tells tries to steer the terminal."""

    def __init__(self, state: dict[str, Any], games: dict[str, Any]) -> None:
        self._state, self._games = _poisoned(state), games

    def another(self) -> HostileLink:
        return self

    def ask(self, method: str, path: str, body: object) -> Any:
        return json.loads(json.dumps(self._games if path == "games" else self._state))

    def events(self, since: int | None = None) -> Iterator[dict[str, Any]]:
        yield {"kind": "open"}
        yield {"n": 1, "kind": "notice", "id": "m", "text": HOSTILE}

    def close(self) -> None:
        pass


def _poisoned(state: dict[str, Any]) -> dict[str, Any]:
    state = json.loads(json.dumps(state))
    state |= {
        "kind": "net",
        "chat": [{"peer": 1, "name": f"Carl{HOSTILE}", "n": 0, "text": f"hello{HOSTILE}"}],
        "waiting": {"for": [1], "seconds": 40, "can_vote": True},
        "status": "waiting",
        "words": [f"word{HOSTILE}"] * 6,
        "recovery": "majority",
        "says": [{"id": "recovery", "text": f"says{HOSTILE}"}],
        "grid": [{"peer": 1, "state": "linked", "way": "relay", "rtt_ms": 3, "advice": [f"advice{HOSTILE}"]}],
        "pairs": [{"peers": [1, 1], "state": f"odd{HOSTILE}", "way": None, "rtt_ms": None}],
        "votes": {},
        "faults": [f"fault{HOSTILE}"],
    }
    for number, seat in enumerate(state["seats"]):
        seat |= {"name": f"{seat['name']}{HOSTILE}", "peer": number}
    for line in state["log"]:
        line["say"] += HOSTILE
    for entry in state["menu"]:
        entry["phrase"] += HOSTILE
    step = f"token red{HOSTILE}"
    state["draft"] |= {"texts": [step], "steps": [{"text": step, "say": step, "forced": False, "reveals": False}]}
    return state


class LobbyLink(HostileLink):
    """A node whose lobby has something to say."""

    def __init__(self, state: dict[str, Any], games: dict[str, Any]) -> None:
        self._state, self._games = state, games

    def events(self, since: int | None = None) -> Iterator[dict[str, Any]]:
        yield {"kind": "open"}
        yield {"n": 1, "kind": "notice", "about": "announcement", "text": f"restart{HOSTILE}", "until": None}


def test_what_the_lobby_announces_is_shown_during_a_match(node: NodeProcess) -> None:
    link = node.link()
    match = new_match(link, "osaka", [ANNA, BOT], seed="lobby")
    state = state_where(link, match, lambda state: state["your_turn"])

    async def test() -> None:
        async with bench(LobbyLink(state, link.get("games")), "m") as screen:
            await screen.until("The lobby announces: restart")
            assert "\x1b]0;owned" not in screen.sent.getvalue()

    play(test())


def test_texts_of_others_cannot_steer_the_terminal(node: NodeProcess) -> None:
    link = node.link()
    match = new_match(link, "osaka", [ANNA, BOT], seed="hostile")
    state = state_where(link, match, lambda state: state["your_turn"])

    async def test() -> None:
        async with bench(HostileLink(state, link.get("games")), "m") as screen:
            text = await screen.until("Waiting for Carl", "Wait for", "Go on without", "Carl")
            for key in ("Tab", "Tab", "Tab", "F3", "Escape", "F4", "F1", "F2"):
                screen.press(key)
                await asyncio.sleep(0)
            screen.press("Escape", "Escape", "/chat", "Enter")
            text = await screen.until("hello", "Chat")
            assert "owned" in text, "what was said is shown, without its power"
            sent = screen.sent.getvalue()
            assert "\x1b]0;" not in sent and "\x07" not in sent and "\x9b" not in sent and "\x00" not in sent
            assert not set("\u202e\u2028\ue000\ue001\ue002\x08") & set(sent)
            assert not re.search(r"\x1b\[2J.{0,4}\x1b\[31mred", sent)

    play(test())


def test_a_terminal_that_cannot_show_it_is_told_so(
    node: NodeProcess, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(NodeConnection(node.link(), node.link), "0" * 32, None, False) == 2
    assert "needs a terminal" in capsys.readouterr().out

    class Out:
        encoding = "iso8859-1"

        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", Out())
    monkeypatch.setenv("TERM", "xterm")
    assert "needs UTF-8" in str(fit.why_not(Out()))  # type: ignore[arg-type]
    Out.encoding = "utf-8"
    assert fit.why_not(Out()) is None  # type: ignore[arg-type]
    monkeypatch.setenv("TERM", "dumb")
    assert "TERM=dumb" in str(fit.why_not(Out()))  # type: ignore[arg-type]
