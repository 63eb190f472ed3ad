"""The room before a match: who sits where, what is agreed, and the six words to compare."""

from __future__ import annotations

from collections.abc import Sequence

from .api import Data, NodeClient
from .inbox import NetTerminal

RECOVERY = {
    "majority": (
        "Recovery is «majority»: if somebody vanishes, the others can vote to go on without them; a stand-in plays "
        "their seat. The price: a majority that colludes can read all hidden cards and can vote anybody out."
    ),
    "none": (
        "Recovery is «none»: nobody can ever read your cards, not even all others together. The price: if somebody "
        "leaves or vanishes for good, the match ends unfinished."
    ),
}
TWO = (
    "There is no majority of two: nobody can read your cards, and nobody can go on alone. Who leaves in order forfeits "
    "the match; if somebody vanishes, it stays unfinished."
)


class Room:
    """One table until its match begins."""

    def __init__(self, node: NodeClient, terminal: NetTerminal, seats: Sequence[tuple[str, str]], auto: bool) -> None:
        self._node = node
        self._terminal = terminal
        self._wishes = list(seats)  # (name, kind) for each seat that this node wants
        self._auto = auto  # agree without asking
        self._shown = ""
        self._asked = -1  # the revision at which the person was asked to agree
        self._view: Data | None = None

    def wait(self, table: str) -> str | None:
        """Sit down, agree, sign; the match's id, or None if the person leaves."""
        while True:
            item = self._terminal.inbox.get()
            if isinstance(item, str):
                if item in ("q", "quit"):
                    self._node.leave(table)
                    return None
                self._answer(table, item)
                continue
            if item is None or item["news"] == "interrupt" or (item["news"] == "eof" and not self._auto):
                self._node.leave(table)
                return None
            if item["news"] == "begun":
                return str(item["match"])
            self._news(table, item)

    def _news(self, table: str, news: Data) -> None:
        match news["news"]:
            case "table" if news["table"] == table:
                self._view = news
                if news["phase"] != "open":
                    return
                self._show(news)
                self._sit(table, news)
                if all(news["seats"]) and self._asked != news["revision"]:
                    self._asked = news["revision"]
                    self._ask(table)
            case "refused":
                if news["about"] == "sit" and "called" in news["reason"] and self._wishes:
                    name, kind = self._wishes[0]
                    self._wishes[0] = (_next_name(name), kind)
                    if self._view is not None:
                        self._sit(table, self._view)
                elif news["about"] != "sit":
                    self._terminal.wrapped(f"Refused: {news['reason']}")
            case "signed":
                self._terminal.print()
                self._terminal.print("The terms are signed. This match in six words:")
                self._terminal.print("    " + self._terminal.paint(news["words"], "bold"))
                self._terminal.wrapped("Compare them with the others: everybody must see the same six.")
            case "peer" if not news["linked"]:
                self._terminal.wrapped(f"A link was lost ({news['reason']}); it is tried again.")

    def _sit(self, table: str, view: Data) -> None:
        """Take the next seat of those this node wants; the keeper answers with the changed table."""
        mine = [seat["name"] for seat in view["seats"] if seat and seat["you"]]
        self._wishes = [wish for wish in self._wishes if wish[0] not in mine]
        free = [number for number, seat in enumerate(view["seats"]) if seat is None]
        if self._wishes and free:
            self._node.sit(table, free[0], *self._wishes[0])
        elif self._wishes and not mine:
            self._terminal.print("All seats are taken; if one becomes free, it is yours.")

    def _show(self, view: Data) -> None:
        lines = []
        for number, seat in enumerate(view["seats"], 1):
            if seat is None:
                lines.append(f"  {number}  (free)")
                continue
            what = "you" if seat["you"] else ""
            what = ", ".join(filter(None, (what, "" if seat["kind"] == "human" else seat["kind"])))
            state = "ready" if seat["ready"] else "" if seat["here"] else "connection lost"
            lines.append(f"  {number}  {seat['name']}{f' ({what})' if what else ''}{'  ' + state if state else ''}")
        if view["notice"]:
            lines.append(f"  {view['notice']}")
        text = "\n".join(lines)
        if text != self._shown:
            self._shown = text
            self._terminal.print("The table:")
            self._terminal.lines(lines)

    def _ask(self, table: str) -> None:
        view = self._view
        assert view is not None
        options = ", ".join(f"{name} {value}" for name, value in view["options"].items())
        self._terminal.print()
        self._terminal.wrapped(f"All seats are taken. {view['game']}" + (f": {options}." if options else "."))
        nodes = {seat["peer"] for seat in view["seats"] if seat}
        self._terminal.wrapped(TWO if len(nodes) == 2 else RECOVERY[view["recovery"]])
        if view["spectators"]:
            self._terminal.wrapped("Others may watch; they see what is public, no hidden card.")
        if self._auto:
            self._node.ready(table)
        else:
            self._terminal.print("Type r when you agree and are ready, q to leave.")

    def _answer(self, table: str, text: str) -> None:
        if text in ("r", "ready", "y", "yes"):
            if self._view is not None and all(self._view["seats"]):
                self._node.ready(table)
            else:
                self._terminal.print("Not all seats are taken yet.")
        elif text:
            self._terminal.print("Type r when you agree and are ready, q to leave.")


def _next_name(name: str) -> str:
    """«Anna», «Anna 2», «Anna 3» …"""
    word, space, number = name.rpartition(" ")
    return f"{word} {int(number) + 1}" if space and number.isdigit() else f"{name} 2"
