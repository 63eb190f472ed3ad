"""`kontor replay`: step through a match file."""

from __future__ import annotations

import click

from kontor_games.clients.cli.without_node import ReplayFile, Services
from kontor_games.clients.text.boards import render
from kontor_games.clients.text.phrases import Words
from kontor_games.clients.text.sheet import print_result
from kontor_games.clients.text.story import tell
from kontor_games.clients.text.terminal import Terminal

HELP = """\
  Enter, n  next ply           p  ply before
  NUMBER    go to that ply     e  the end      s  the start
  +N, -N    N plies on, back   l  the whole log
  v SEAT    see the board as that seat (finished matches)    v  as a spectator
  q         leave"""


@click.command()
@click.argument("file", type=click.Path(dir_okay=False))
@click.option("--ply", type=int, help="Print the board before this ply and leave (negative: from the end).")
@click.option("--log", "show_log", is_flag=True, help="Print everything that happened and leave.")
@click.option("--digests", is_flag=True, help="Print the state digest before every ply and leave.")
@click.option("--seat", type=int, help="See the board as this seat (counted from 1).")
@click.pass_obj
def command(services: Services, file: str, ply: int | None, show_log: bool, digests: bool, seat: int | None) -> None:
    """Look at the match in FILE, ply by ply, forwards and backwards."""
    replay = services.open_replay(file)
    viewer = Viewer(replay, Terminal())
    if seat is not None:
        viewer.look_as(seat)
    if show_log:
        viewer.print_log()
    if digests:
        viewer.print_digests()
    if ply is not None:
        viewer.go(ply if ply >= 0 else viewer.last + 1 + ply)
        viewer.show()
    if ply is None and not show_log and not digests:
        viewer.run()


class Viewer:
    """A position in one replay."""

    def __init__(self, replay: ReplayFile, terminal: Terminal) -> None:
        self._replay = replay
        self._terminal = terminal
        self._info = replay.info()
        self._names = [seat["name"] for seat in self._info["seats"]]
        self._words = Words(self._info["game"], self._names)
        self._log = replay.log()
        self._ply = 0
        self._seat: int | None = None
        self.last = int(self._info["plies"])

    def go(self, ply: int) -> None:
        """To this position, within the match."""
        self._ply = max(0, min(ply, self.last))

    def look_as(self, seat: int | None) -> None:
        """See what this seat saw (counted from 1), or None for a spectator."""
        if seat is not None and not 1 <= seat <= len(self._names):
            raise click.UsageError(f"seats are 1 to {len(self._names)}, not {seat}")
        self._seat = None if seat is None else seat - 1

    def run(self) -> None:
        """Step until the reader has seen enough."""
        self._terminal.print("Type ? for help.")
        self.show()
        while True:
            text = self._terminal.ask(self._terminal.paint(f"{self._ply}/{self.last} > ", "bold"))
            if text is None or text == "q":
                return
            self._answer(text)

    def _answer(self, text: str) -> None:
        if text in ("", "n"):
            self.go(self._ply + 1)
        elif text == "p":
            self.go(self._ply - 1)
        elif text == "s":
            self.go(0)
        elif text == "e":
            self.go(self.last)
        elif text == "l":
            self.print_log()
            return
        elif text == "v" or text.startswith("v "):
            try:
                self.look_as(int(text[2:]) if text[2:].strip() else None)
            except (ValueError, click.UsageError):
                self._terminal.print(f"seats are 1 to {len(self._names)}")
                return
        elif text.lstrip("+-").isdigit() and len(text) < 10:
            number = int(text.lstrip("+-"))
            self.go(self._ply + number if text[0] == "+" else self._ply - number if text[0] == "-" else number)
        else:
            self._terminal.lines(HELP.splitlines())
            return
        self.show()

    def show(self) -> None:
        """What led here, the board, and the result at the end."""
        if self._ply:
            tell(self._terminal, self._words, self._log[self._ply - 1 : self._ply], numbers=True)
        view = {**self._replay.view(self._ply, self._seat), "names": self._names}
        self._terminal.lines(render(view, self._terminal.width, self._terminal.paint))
        if self._ply == self.last:
            result = self._replay.result()
            self._terminal.print()
            if result is None:
                self._terminal.print("The match is not finished.")
            else:
                print_result(self._terminal, self._words, self._names, result)

    def print_log(self) -> None:
        """Everything that happened."""
        tell(self._terminal, self._words, self._log, numbers=True)

    def print_digests(self) -> None:
        """One line per position: ply, digest."""
        for ply in range(self.last + 1):
            self._terminal.print(f"{ply:>4}  {self._replay.digest(ply)}")
