"""What keys and typed words do."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from .items import peer_name
from .screen import Screen
from .screen_menu import MenuItem

WORDS = {
    "undo": "undo", "u": "undo", "redo": "redo", "r": "redo", "confirm": "commit", "c": "commit", "commit": "commit",
    "restart": "discard", "vote": "vote", "wait": "wait", "board": "board", "log": "log", "chat": "chat",
    "table": "table", "you": "own", "help": "help", "result": "result", "rematch": "rematch",
    "alone": "alone", "bye": "bye", "quit": "quit",
    "q": "quit", "say": "say",
}  # fmt: skip
SHEETS = ("board", "log", "own", "chat", "table", "help", "result")


class Orders:
    """Carries out what the person wants; `later` runs a coroutine, `leave` ends the screen."""

    def __init__(
        self, screen: Screen, later: Callable[[Coroutine[Any, Any, None]], object], leave: Callable[[], None]
    ) -> None:
        self._screen = screen
        self._session = screen.session
        self._later = later
        self._leave = leave
        screen.ask_effect = lambda item: self._run(self._session.explain(item.text))

    def _run(self, what: Coroutine[Any, Any, None]) -> None:
        self._later(what)

    def entered(self, text: str) -> bool:
        """Enter was pressed; whether the field is to be emptied."""
        screen, session = self._screen, self._session
        text = text.strip()
        if session.curtain is not None:
            return True  # an Enter too many of the last person lifts nothing
        if screen.sheet:
            screen.open("")
            return False
        if session.is_busy:
            return False  # what was seen when Enter was pressed may be out of date
        session.note = ""
        if screen.is_talking:
            self.say(text)
            return True
        if text.startswith("/"):
            self.word(text[1:])
            return True
        if text == "?":
            screen.open("help")
            return True
        item = screen.menu.meant()
        if item is not None:
            self.do(item)
            return True
        if text and not session.is_my_turn:
            session.note = (
                "You are watching." if session.watching else "It is not your turn. F1 shows what can be typed."
            )
            return True
        steps = [step.strip() for step in text.split(";") if step.strip()]
        if steps:
            self._run(session.draft(*steps))
        return True

    def lift_curtain(self) -> None:
        """The person whose turn it is wants to look."""
        self._run(self._session.lift_curtain())

    def do(self, item: MenuItem) -> None:
        """Carry out an item of the menu."""
        if item.text:
            self._run(self._session.draft(item.text))
        else:
            self.command(item.command)

    def click(self, place: int) -> None:
        """A click marks an item; on the marked one it does it."""
        menu = self._screen.menu
        if self._session.is_busy or self._session.curtain is not None:
            return
        was_marked = menu.cursor == place
        self._session.note = ""
        if menu.mark(place) and was_marked and menu.marked is not None:
            self.do(menu.marked)

    def word(self, line: str) -> None:
        """A typed command, without its slash."""
        name, _, rest = line.strip().partition(" ")
        command = WORDS.get(name.casefold())
        if command is None:
            self._session.note = f"There is no command /{name}. F1 shows those there are."
        elif command == "say":
            self.say(rest.strip())
        else:
            self.command(command)

    def command(self, name: str) -> None:
        """A command of the screen."""
        screen, session = self._screen, self._session
        sure, screen.sure_to_leave = screen.sure_to_leave, False
        session.note = ""
        match name:
            case "quit":
                self._leave()
            case "undo" | "redo" | "commit" | "discard":
                self._change(name)
            case "vote" | "wait":
                self._vote(name)
            case "bye":
                self._bye(sure)
            case "rematch":
                self._run(session.rematch())
            case "read on" | "alone":
                self._run(session.read_on("next" if name == "read on" else "end"))
            case _ if name in SHEETS:
                screen.open(name)

    def _change(self, what: str) -> None:
        session = self._session
        if session.is_busy or session.curtain is not None:
            return
        draft = session.state["draft"] if session.is_my_turn and session.state is not None else None
        if draft is None:
            session.note = "It is not your turn." if what != "undo" else "What was confirmed stays: undo ends there."
        elif what == "commit" and not draft["texts"]:
            session.note = "Nothing is drafted yet."
        elif what in ("undo", "discard") and not draft["can_undo"]:
            session.note = "There is nothing to undo: what was confirmed stays."
        elif what == "redo" and not draft["can_redo"]:
            session.note = "There is nothing to redo."
        else:
            self._run(session.change(what))

    def _vote(self, what: str) -> None:
        state = self._session.state
        if state is None or state["waiting"] is None:
            self._session.note = "Nobody is missing."
        elif what == "wait":
            self._run(self._session.tell("wait", {}, "You wait for them."))
        else:
            missing = state["waiting"]["for"]
            names = ", ".join(peer_name(state, peer) for peer in missing)
            answer = f"You want to go on without {names}. All who remain have to agree."
            self._run(self._session.tell("vote", {"peers": missing}, answer))

    def _bye(self, sure: bool) -> None:
        session = self._session
        if session.watching:
            session.note = "You are watching; /quit leaves the screen."
        elif sure:
            self._run(session.tell("bye", {}, "You have left the match."))
        else:
            self._screen.sure_to_leave = True
            session.note = (
                "This leaves the match for good: a stand-in plays your seat to the end, and between two machines "
                "it is a forfeit. /bye again does it."
            )

    def say(self, text: str) -> None:
        """Say a line to the table."""
        if not self._screen.can_talk:
            self._session.note = "There is nobody to talk to in this match."
        elif text:
            self._screen.tab = "chat"
            self._run(self._session.tell("chat", {"text": text}))

    def talk(self) -> None:
        """Turn the field into one for chat."""
        if self._screen.can_talk and self._session.curtain is None:
            self._screen.is_talking = True
            self._screen.tab = "chat"
            self._screen.update()
        else:
            self._session.note = "There is nobody to talk to in this match."
