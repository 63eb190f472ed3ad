"""What others say and are called reaches the terminal cleaned, in the lines about people too."""

from __future__ import annotations

import io
from typing import Any

from kontor_games.clients.cli.match.inbox import Inbox, LineTerminal
from kontor_games.clients.cli.match.line_talk import LineTalk
from kontor_games.clients.text.grid_lines import print_grid
from kontor_games.clients.text.terminal import Terminal

EVIL = "\x1b[2J\x1b]0;owned\x07\u202eEve"


class Quiet(LineTerminal):
    """A terminal that remembers, and thinks that it has colours."""

    def __init__(self) -> None:
        super().__init__(Inbox())
        self._out = io.StringIO()
        self.colour = True

    @property
    def text(self) -> str:
        return str(self._out.getvalue())  # type: ignore[attr-defined]


def state(**more: Any) -> dict[str, Any]:
    seats = [
        {"name": "Anna", "kind": "person", "you": True, "peer": 0, "gone": False},
        {"name": EVIL, "kind": "person", "you": False, "peer": 1, "gone": False},
    ]
    usual = {"waiting": None, "votes": {}, "faults": [], "status": "playing", "kind": "net", "to_act": 1}
    return {"seats": seats, "words": ["six"], "spectators": False, "watching": False, **usual, **more}


def test_nothing_of_others_steers_the_terminal() -> None:
    terminal = Quiet()
    talk = LineTalk(None, terminal, "matches/x", state())  # type: ignore[arg-type]
    talk.heard({"name": EVIL, "text": EVIL})
    talk.tell_standing(state(waiting={"for": [1], "can_vote": True}, votes={"0": [1]}, faults=[EVIL]))
    talk.said("who", "", state())
    talk.said("vote", EVIL + "x", state())
    row = {"peer": 1, "name": EVIL, "state": "linked", "path": EVIL, "way": None, "rtt_ms": 1, "software": EVIL}
    print_grid(terminal, [{**row, "advice": [EVIL]}])
    assert "Eve" in terminal.text and "votes to go on" in terminal.text
    plain = terminal.text.replace("\x1b[1m", "").replace("\x1b[0m", "")
    assert not {"\x1b", "\x07", "\u202e"} & set(plain)


def test_what_changes_is_told_once() -> None:
    terminal = Quiet()
    talk = LineTalk(None, terminal, "matches/x", state())  # type: ignore[arg-type]
    for _ in range(2):
        talk.tell_standing(state(waiting={"for": [1], "can_vote": False}))
    assert terminal.text.count("not connected") == 1 and "vote" not in terminal.text
    for _ in range(2):
        talk.tell_standing(state())
    assert terminal.text.count("All are connected again.") == 1


def test_news_stand_above_the_open_prompt() -> None:
    terminal = Quiet()
    terminal.colour = False
    terminal.prompt("> ")
    terminal.prompt("> ")
    Terminal.print(terminal, end="")
    terminal.print("Bruno says: hello")
    terminal.prompt("> ")
    terminal.types = False
    terminal.answered("token red")
    assert terminal.text == "> \nBruno says: hello\n> token red\n"
