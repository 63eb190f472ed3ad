"""The loop at the screen: board, menu, draft, undo, and the curtain between people who share it."""

from __future__ import annotations

from .api import Match
from .boards import render
from .sheet import print_result
from .story import tell
from .terminal import Terminal, columns
from .words import Words

HELP = """\
A number plays the action of that number; the text beside it can be typed instead.
Several actions may follow each other, parted by , or ;
  u  undo the last drafted action      c  confirm the draft (also Enter)
  b  show the board again              m  show the menu again
  l  the last things that happened     L  everything that happened
  f  how actions are written           q  leave; the match is saved
Undo works until something is revealed or another player decides: there the draft ends."""


class Table:
    """One match at one terminal."""

    def __init__(self, match: Match, terminal: Terminal, quiet: bool = False, confirm: bool = True) -> None:
        self._match = match
        self._terminal = terminal
        self._quiet = quiet
        self._confirm = confirm
        self._info = match.info()
        self._names = [seat["name"] for seat in self._info["seats"]]
        self._words = Words(self._info["game"], self._names)
        people = [seat for seat in self._info["seats"] if seat["kind"] == "person"]
        self._shared = len(people) > 1
        self._at_screen: int | None = None  # whose hand may be visible now

    def run(self) -> None:
        """Play until the match is over or the player leaves."""
        self._greet()
        while True:
            status = self._match.status()
            if status["kind"] == "over":
                self._show_end()
                return
            if status["kind"] == "auto":
                if not self._others():
                    self.say_saved()
                    return
            elif not self._turn(status["seat"]):
                self.say_saved()
                return

    def _others(self) -> bool:
        """What nobody at this screen decides; False if the player leaves."""
        entries = self._match.advance()
        if not self._quiet:
            tell(self._terminal, self._words, entries)
        return True

    def say_saved(self) -> None:
        """How to go on later."""
        self._terminal.print(f"The match is saved. Go on with: kontor play {self._info['path']}")

    def _greet(self) -> None:
        if self._quiet:
            return
        self._terminal.print(self._terminal.paint(self._info["title"], "bold") + "  " + ", ".join(self._names))
        options = [f"{name} {value}" for name, value in self._info["options"].items()]
        if options:
            self._terminal.wrapped("Options: " + ", ".join(options))
        ply = self._match.status()["ply"]
        if ply:
            self._terminal.print(f"The match goes on at ply {ply}. What happened last:")
            tell(self._terminal, self._words, self._match.log()[-6:])
        if any(seat["kind"] == "person" for seat in self._info["seats"]):
            self._terminal.print("Type ? for help.")

    def _turn(self, seat: int) -> bool:
        """One person's draft up to its confirmation; False if the player leaves."""
        if self._shared and self._at_screen != seat and not self._curtain(seat):
            return False
        self._at_screen = seat
        self._show(seat)
        while True:
            status = self._match.status()
            if status["closed"] and not self._confirm:
                return self._finish()
            if status["kind"] != "person":  # the match went on under the draft
                return True
            text = self._terminal.ask(self._prompt(status["draft"], status["closed"]))
            if text is None or text == "q":
                return False
            if status["closed"] and text in ("", "c", "y"):
                return self._finish()
            self._answer(text, seat)

    def _finish(self) -> bool:
        tell(self._terminal, self._words, self._match.commit())
        return True

    def _prompt(self, draft: list[str], closed: bool) -> str:
        drafted = "; ".join(draft)
        if closed:
            return self._terminal.paint(f"[{drafted}] Enter confirms, u undoes > ", "bold")
        return self._terminal.paint(f"[{drafted}] > " if drafted else "> ", "bold")

    def _answer(self, text: str, seat: int) -> None:
        match text:
            case "":
                self._show_menu()
            case "?" | "h" | "help":
                self._terminal.lines(HELP.splitlines())
            case "u" | "undo":
                if self._match.undo():
                    self._show(seat)
                else:
                    self._terminal.print("There is nothing to undo: what was confirmed stays.")
            case "b":
                self._show_board(seat)
            case "m":
                self._show_menu()
            case "l":
                tell(self._terminal, self._words, self._match.log()[-12:])
            case "L":
                tell(self._terminal, self._words, self._match.log(), numbers=True)
            case "f":
                self._terminal.lines("  " + form for form in self._info["forms"])
            case "c":
                self._terminal.print("The turn is not complete yet.")
            case _:
                if self._other_command(text):
                    return
                reason = self._match.draft(text)
                if reason:
                    self._terminal.wrapped(f"Not possible: {reason}")
                elif not self._match.status()["closed"]:
                    self._show(seat)
                elif self._confirm:
                    self._show_board(seat)

    def _other_command(self, text: str) -> bool:
        """Commands that only some matches have; True if it was one."""
        return False

    def _curtain(self, seat: int) -> bool:
        """Hide the last player's hand before the next one looks."""
        self._terminal.clear()
        name = self._words.player(seat)
        return (
            self._terminal.ask(f"It is the turn of {name}. Everybody else looks away; {name} presses Enter: ")
            is not None
        )

    def _show(self, seat: int) -> None:
        self._show_board(seat)
        self._show_menu()

    def _show_board(self, seat: int | None) -> None:
        view = {**self._match.view(seat), "names": self._names}
        self._terminal.print()
        self._terminal.lines(render(view, self._terminal.width, self._terminal.paint))

    def _show_menu(self) -> None:
        entries = self._match.menu()
        if entries:
            self._terminal.print()
            cells = [f"{entry['n']:>3}  {entry['text']}" for entry in entries]
            self._terminal.lines(columns(cells, self._terminal.width))

    def _show_end(self) -> None:
        if not self._quiet:
            self._show_board(None)
            self._terminal.print()
        result = self._match.status()["result"]
        print_result(self._terminal, self._words, self._names, result)
