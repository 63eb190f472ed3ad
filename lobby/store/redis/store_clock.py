"""The server's clock, as this process reckons it between two answers. A machine.

All processes of a lobby must agree about the time: who lives, whose lease has run out, what is due. They go by the
server's clock, and count on from its last answer with time that only passes. So nobody can set the clock of this
machine in the middle of the night and have this process take all others for dead.

An answer that took long says little: the server's clock was read somewhere between question and answer. So an answer
gives an interval, and the reckoning is only moved as far as it must be to lie in it. A server that is slow moves
nothing; one whose clock was set, or another one after a failover, moves us at once.
"""

from __future__ import annotations

from collections.abc import Callable


class StoreClock:
    """Told of every answer to TIME; all in seconds."""

    def __init__(self, passing: Callable[[], float], wall: Callable[[], float]) -> None:
        self._passing = passing
        self._wall = wall
        self._ahead: float | None = None  # of the time that passes

    @property
    def skew(self) -> float:
        """What to add to this machine's clock, as it stands now; 0 before the server was asked."""
        return 0.0 if self._ahead is None else self._ahead + self._passing() - self._wall()

    def heard(self, server: float, asked: float) -> None:
        """The server's clock was at `server` at some moment since `asked`, by the time that passes."""
        least, most = server - self._passing(), server - asked
        self._ahead = (least + most) / 2 if self._ahead is None else min(max(self._ahead, least), most)
