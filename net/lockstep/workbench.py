"""What worker threads do for a match: heavy checks, and messages that take long to make, some of them ahead of time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kontor_games.net.sealed.bodies import Body
from kontor_games.net.sealed.events import Ahead, Duty
from kontor_games.net.wire.chain import DealerMessage

from .effects import DoWork, Effect


@dataclass
class BeingMade:
    """A shuffle that is made before it is due."""

    inputs: bytes
    body: Body | None = None
    is_running: bool = True


class Workbench:
    """The work under way, by number."""

    def __init__(self) -> None:
        self._then: dict[int, Callable[[Any], list[Effect]]] = {}
        self._number = 0
        self._making: set[tuple[str, bytes]] = set()
        self._ahead: BeingMade | None = None

    @property
    def is_busy(self) -> bool:
        """Whether anything is under way."""
        return bool(self._then)

    def give(self, job: Callable[[], Any], then: Callable[[Any], list[Effect]]) -> list[Effect]:
        """Have a worker do this; `then` says what follows from its result."""
        self._number += 1
        self._then[self._number] = then
        return [DoWork(self._number, job)]

    def finished(self, number: int) -> Callable[[Any], list[Effect]] | None:
        """What was to follow, None if the work is for nothing by now."""
        return self._then.pop(number, None)

    def clear(self) -> None:
        """The match went back: everything under way is for nothing."""
        self._then.clear()
        self._making.clear()
        self._ahead = None

    # ---- messages of our own

    def is_making(self, duty: Duty) -> bool:
        """Whether a worker makes this already."""
        if self._ahead is not None and self._ahead.is_running and self._ahead.inputs == duty.draft.inputs:
            return True
        return (duty.name, duty.h) in self._making

    def make(self, duty: Duty, then: Callable[[DealerMessage], list[Effect]]) -> list[Effect]:
        """Make a message that is due."""
        key = (duty.name, duty.h)
        self._making.add(key)

        def made(message: DealerMessage) -> list[Effect]:
            self._making.discard(key)
            return then(message)

        return self.give(duty.make, made)

    def make_ahead(self, ahead: Ahead) -> list[Effect]:
        """Shuffle while the shuffle before ours is still being checked: at set-up everybody waits for this chain."""
        if self._ahead is not None and self._ahead.inputs == ahead.draft.inputs:
            return []
        being_made = self._ahead = BeingMade(ahead.draft.inputs)

        def made(body: Body | None) -> list[Effect]:
            being_made.body, being_made.is_running = body, False
            return []

        return self.give(ahead.make, made)

    def take_made(self, duty: Duty) -> Body | None:
        """What was made ahead for this duty, if it was."""
        if self._ahead is None or self._ahead.inputs != duty.draft.inputs:
            return None
        body, self._ahead = self._ahead.body, None
        return body
