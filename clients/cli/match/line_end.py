"""How a match ends at a terminal: the last board and the score sheet, the file, or the way to come back."""

from __future__ import annotations

from kontor_games.clients.home_folder import again
from kontor_games.clients.node.node_client import NodeClient
from kontor_games.clients.text.boards import render
from kontor_games.clients.text.phrases import Words
from kontor_games.clients.text.sheet import print_result, verdict_line
from kontor_games.clients.values import Data

from .inbox import LineTerminal


class LineEnd:
    """The end of one match; `save` is where the person wants a copy of its file."""

    def __init__(self, node: NodeClient, terminal: LineTerminal, match: str, save: str) -> None:
        self._node = node
        self._terminal = terminal
        self._id = match
        self._save = save

    def show(self, state: Data) -> None:
        """The last position as everybody may see it, and the result."""
        names = [seat["name"] for seat in state["seats"]]
        if state["view"] is not None:
            public = self._node.get(f"matches/{self._id}?seat=none")["view"]
            self._terminal.print()
            self._terminal.lines(render({**public, "names": names}, self._terminal.width, self._terminal.paint))
        self._terminal.print()
        if state["result"] is None:
            self._terminal.print("The match is over: a forfeit, because somebody left in order.")
        else:
            print_result(self._terminal, Words(state["game"], names), names, state["result"])

    def say_file(self, state: Data) -> None:
        """Where the finished match lies, once it is whole."""
        if not state["file"] or state["status"] != "over" or not state.get("complete", True):
            return
        path = self._node.home / "matches" / state["file"]
        self._terminal.print(f"The whole match is in {path}")
        for line in self._verdict():
            self._terminal.wrapped(line)
        self._terminal.print(f"Look at it with: kontor replay {path}")
        if any(seat["you"] for seat in state["seats"]):
            self._terminal.print(f"Play again with: {again(f'rematch {self._id[:8]}')}")

    def _verdict(self) -> list[str]:
        """What `kontor verify` says of the file; nothing while the node has no replay of it."""
        for row in self._node.get("matches")["matches"]:
            if row["id"] == self._id and row["replay"]:
                return [verdict_line(str(self._node.post(f"replays/{row['replay']}/verify")["details"][0]))]
        return []

    def say_kept(self, state: Data) -> None:
        """How to go on later."""
        self._terminal.print("The match is kept, and goes on whenever you come back:")
        self._terminal.print(f"  {again(f'resume {self._id[:8]}')}")
        if state["kind"] == "net":
            self._terminal.print("Your node stays at the table meanwhile; kontor node stop would end it.")

    def save(self) -> None:
        """Write the copy that was asked for when the match began."""
        if self._save:
            self.keep_file(self._save)

    def keep_file(self, path: str) -> None:
        """Write the match as far as it goes; no file is overwritten."""
        if not path:
            self._terminal.print("save wants a file's name, as save evening.kontor")
            return
        data = self._node.get(f"matches/{self._id}/file")
        try:
            with open(path, "xb") as file:
                file.write(data)
        except FileExistsError:
            self._terminal.wrapped(f"{path} exists already; choose another name.")
        except OSError as error:
            self._terminal.wrapped(f"{path}: {error.strerror}")
        else:
            self._terminal.print(f"The match as far as it goes is written to {path}")
