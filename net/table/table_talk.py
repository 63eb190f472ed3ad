"""What is said at a table before its match begins: at its keeper's, and at everybody else's. A machine.

The keeper passes on what its members say and keeps the last lines for those who come later. Nothing is signed: a keeper
that lies can put words into anybody's mouth, as it can show a wrong table. Nothing that is said here is part of what
people sign. In a match every line is signed by its speaker.

Who would spoil it, and what stands against it:

1. A member floods the table: each has a small allowance, and what is beyond it is refused and reaches nobody.
2. A member takes another's name: whoever sits is called as the seat is, whatever they claim; the clients put a mark at
   the name of anybody else that could be taken for the name on a seat (net/wire/marks.py).
3. Somebody who is not at the table speaks: refused.
4. A keeper sends without end: only the last lines are kept, and the link has its own limits.
5. Lines that were said again after a new link: each has a number, and a number that was heard is ignored.
"""

from __future__ import annotations

from typing import Final

from kontor_games.net.system.buckets import Buckets, Rate
from kontor_games.net.wire.messages import HUMAN, TableSaid, TableSay
from kontor_games.net.wire.text import why_not_chat, why_not_name

from .table_state import TableState

SPEAKING: Final = Rate(0.5, 8.0)  # lines per second of one member
KEPT_LINES: Final = 50  # for those who come later
HEARD_LINES: Final = 200


class KeptTalk:
    """The lines of one table at its keeper."""

    def __init__(self) -> None:
        self.lines: tuple[TableSaid, ...] = ()
        self._next = 0
        self._allowances = Buckets(SPEAKING, 64)

    def why_not(self, state: TableState, sender: bytes, message: TableSay, now: float) -> str | None:
        """Why this line is not passed on, or None; a line that could be counts against its speaker."""
        if state.member(sender) is None:
            return "you are not at this table; enter first"
        if state.phase in ("started", "closed"):
            return "the match has begun; talk goes on there"
        if reason := why_not_chat(message.text) or why_not_name(message.name):
            return reason
        if self._allowances.take(sender, now) > 0:
            return "that was too much at once; wait a moment"
        return None

    def said(self, state: TableState, sender: bytes, message: TableSay) -> TableSaid:
        """The line as all members get it."""
        seats = [seat.name for seat in state.seats if seat is not None and seat.peer == sender and seat.kind == HUMAN]
        line = TableSaid(message.table, self._next, sender, seats[0] if seats else message.name, message.text)
        self._next += 1
        self.lines = (*self.lines, line)[-KEPT_LINES:]
        return line


class HeardTalk:
    """The lines of one table at one of its members."""

    def __init__(self) -> None:
        self.lines: tuple[TableSaid, ...] = ()

    def heard(self, line: TableSaid) -> bool:
        """Whether this line is new, and such that people can be shown it."""
        is_old = bool(self.lines) and line.number <= self.lines[-1].number
        if is_old or why_not_chat(line.text) or why_not_name(line.name):
            return False
        self.lines = (*self.lines, line)[-HEARD_LINES:]
        return True
