"""A match as the API shows it, whether it is played on this machine alone or among peers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from kontor_games.engine import Action, Game, GameState, Known, Result, digest, result_dict, to_act
from kontor_games.net.ledger.facts import Ply

from .agreement import Agreed
from .draft import Draft
from .guided import Guided
from .log_lines import LogEntry, log_entry
from .wording import Audience

PERSON = "person"
Status = Literal["playing", "over", "waiting", "stopped"]
MOST_STAGED: Final = 80


class SeatFacts:
    """Who sits on a seat, as everybody may know it."""

    def __init__(self, name: str, kind: str, peer: int | None, mine: bool, mark: str = "", guest: bool = False) -> None:
        self.name = name
        self.mark = mark  # part of the fingerprint, where the name can be taken for somebody else's
        self.kind = kind  # `person`, or the kind of a bot
        self.peer = peer
        self.mine = mine  # whether this node plays it
        self.guest = guest  # a person who plays at the node of `peer` without one of their own, as the terms say

    @property
    def you(self) -> bool:
        """Whether a person at this node plays it."""
        return self.mine and self.kind == PERSON


class ShownMatch(ABC):
    """One match and its log and draft."""

    kind: Literal["local", "net"]

    def __init__(
        self, match_id: str, game: Game[Any], seats: Sequence[SeatFacts], on_change: Callable[[ShownMatch], None]
    ):
        self.id = match_id
        self.game = game
        self.seats = tuple(seats)
        self.names = [seat.name for seat in seats]
        self.log: list[LogEntry] = []
        self.last_plies: deque[Ply] = deque(maxlen=MOST_STAGED)  # of those that happened since the node was started
        self._ever_known: dict[int, dict[int, int]] = {}
        self.updated = 0
        self.guided: Guided | None = None
        self._on_change = on_change

    def audience(self, seat: int | None) -> Audience:
        """For whom sentences are made that a seat reads, None for a spectator."""
        return Audience(self.game.id, tuple(self.names), seat)

    def add_line(self, ply: Ply) -> None:
        """One ply more for the log; where the chain went back, what was there goes."""
        while self.log and self.log[-1].ply >= ply.number:
            self.log.pop()
        self.log.append(log_entry(self.game, ply, self.log[-1] if self.log else None))

    def happens(self, ply: Ply) -> None:
        """A ply happens now."""
        while self.last_plies and self.last_plies[-1].number >= ply.number:
            self.last_plies.pop()
        self.add_line(ply)
        self.last_plies.append(ply)
        for seat in self.mine:
            self.ever_known(seat)

    def ever_known(self, seat: int) -> Known:
        """What a seat of ours has known since the node was started: a slot never holds another card."""
        knew = self._ever_known.setdefault(seat, {})
        knew.update(self.known(seat))
        return knew

    @property
    def mine(self) -> tuple[int, ...]:
        """The seats that people at this node play."""
        return tuple(number for number, seat in enumerate(self.seats) if seat.you)

    @property
    def bots(self) -> tuple[int, ...]:
        """The seats that bots of this node play."""
        return tuple(number for number, seat in enumerate(self.seats) if seat.mine and not seat.you)

    @property
    @abstractmethod
    def draft(self) -> Draft | None:
        """What the seat to act has drafted; None before the set-up."""

    @property
    @abstractmethod
    def options(self) -> dict[str, Any]: ...

    @property
    @abstractmethod
    def ply(self) -> int: ...

    @property
    @abstractmethod
    def state(self) -> GameState | None:
        """What all peers know; None before the set-up."""

    @property
    @abstractmethod
    def status(self) -> Status: ...

    @abstractmethod
    def known(self, seat: int | None) -> Known:
        """What a seat (None: a spectator) knows of hidden cards."""

    @abstractmethod
    def why_not(self, state: GameState, action: Action) -> str | None:
        """The rule that forbids an action in a drafted state, rules about the seat's own hidden cards included."""

    @abstractmethod
    def commit(self) -> None:
        """Make the draft final; it is on the disk when this returns. Raises IllegalAction."""

    @abstractmethod
    def play(self, actions: Sequence[Action]) -> None:
        """Commit these actions at once, without a draft (bots). Raises IllegalAction."""

    @abstractmethod
    def save_draft(self) -> None:
        """The draft changed."""

    @abstractmethod
    def bot_seed(self, seat: int) -> bytes:
        """32 bytes that fix the choices of a bot on this seat."""

    @abstractmethod
    def file(self) -> bytes:
        """The match as a `.kontor` file, as far as it goes."""

    @property
    @abstractmethod
    def path(self) -> Path | None:
        """The `.kontor` file, once there is one; None for a match that is only watched."""

    @abstractmethod
    def leave(self) -> None:
        """The people at this node leave for good. Raises IllegalAction."""

    @abstractmethod
    def close(self) -> None:
        """Let go of all files."""

    @property
    def is_committed(self) -> bool:
        """Whether a committed turn still waits to be sent."""
        return False

    def extra(self) -> dict[str, Any]:
        """What only matches among peers have; the keys are those of `State`."""
        return {"waiting": None, "grid": [], "words": None, "recovery": None, "chat": []}

    @property
    def missing_names(self) -> tuple[str, ...]:
        """Who is out of reach."""
        return ()

    @property
    def agreed(self) -> Agreed | None:
        """What its peers agreed to; None for a match on this machine."""
        return None

    @property
    def to_act(self) -> int | None:
        """The seat to act, -1 while chance works, None when the match is over."""
        if self.state is None:
            return -1
        return to_act(self.game, self.state)

    @property
    def result(self) -> Result | None:
        return None if self.state is None else self.game.result(self.state)

    @property
    def result_dict(self) -> dict[str, Any] | None:
        result = self.result
        return None if result is None else result_dict(result)

    @property
    def digest(self) -> str:
        return "" if self.state is None else digest(self.state).hex()

    @property
    def gone(self) -> tuple[int, ...]:
        return () if self.state is None else self.state.desk.gone
