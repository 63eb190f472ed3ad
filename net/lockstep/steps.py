"""What a session does next: its steps, in the order that is the protocol.

After every input the session asks for the next step again and again, until none has anything to do (`Session._pump`).
`STEPS` has them in order; the first that has something to do is taken, and the next round begins at the top. The order
matters at each place:

- What a cheat took part in is taken back before anything rests on it.
- Checks are handed out before our own parts are made: workers run while we go on.
- Votes and goodbyes come before the gate, so that nobody can hold the others by claiming another state.
- Our own part of the open entry comes before others' items: they wait for it.
- A turn of our player comes last but the end: everybody must stand where we stand.

The round ends early after a message of our own (`Pledge`), which must be on the disk before anything rests on it, and
after `Again`, because what was said so far goes out before we compute for milliseconds.

`docs/session-steps.md` shows this order; `scripts/diagrams` writes it from here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from .catch_up import Following
from .effects import Effect
from .finals import Finals
from .intake import Intake
from .our_part import OurPart
from .standoff import Standoff


@dataclass(frozen=True)
class Machines:
    """The machines of one session that have something to do by themselves."""

    intake: Intake
    own: OurPart
    standoff: Standoff
    following: Following
    finals: Finals


def undo_forks(machines: Machines) -> list[Effect] | None:
    """Go back to before what a cheat told some of us, unless all have passed it."""
    return machines.intake.undo_forks()


def check(machines: Machines) -> list[Effect] | None:
    """Give a heavy check of somebody's message to a worker."""
    return machines.intake.check_next()


def leave_or_vote(machines: Machines) -> list[Effect] | None:
    """Say our goodbye, our vote, or our shares for those who are gone."""
    return machines.own.leave_or_vote()


def wait_for_replay(machines: Machines) -> list[Effect] | None:
    """Do nothing further while a clean process replays our chain, because somebody signed another state."""
    return None if machines.standoff.is_on else []


def do_duty(machines: Machines) -> list[Effect] | None:
    """Make our part of the open chance entry."""
    return machines.own.do_duty()


def make_ahead(machines: Machines) -> list[Effect] | None:
    """Begin with the shuffle that we shall most likely owe next."""
    return machines.own.make_ahead()


def take_early(machines: Machines) -> list[Effect] | None:
    """Take a frame that came before its time."""
    effects = machines.intake.take_early()
    return [] if effects is None else effects or next_effects(machines)


def follow_chain(machines: Machines) -> list[Effect] | None:
    """Take the next item that others sent of their chain, or ask for more of it."""
    return machines.following.next_item()


def play(machines: Machines) -> list[Effect] | None:
    """Sign our player's turn if everybody stands where we stand; do nothing further while it waits."""
    if not machines.own.has_turn_to_play:
        return []
    return machines.own.play() or None


def finish(machines: Machines) -> list[Effect] | None:
    """Say that the match has ended or goes on; sign its end; say when all have signed it."""
    return machines.finals.step()


class Step(NamedTuple):
    """One thing that a session may have to do by itself."""

    take: Callable[[Machines], list[Effect] | None]  # what it does; None ends the round
    is_gate: bool = False  # whether it may end the round although steps after it have something to do

    @property
    def name(self) -> str:
        return self.take.__name__

    @property
    def text(self) -> str:
        """What it does, in one sentence."""
        return self.take.__doc__ or ""


STEPS: tuple[Step, ...] = (
    Step(undo_forks),
    Step(check),
    Step(leave_or_vote),
    Step(wait_for_replay, is_gate=True),
    Step(do_duty),
    Step(make_ahead),
    Step(take_early),
    Step(follow_chain),
    Step(play, is_gate=True),
    Step(finish),
)


def next_effects(machines: Machines) -> list[Effect]:
    """The effects of the first step that has something to do, none if there is nothing to do."""
    for step in STEPS:
        effects = step.take(machines)
        if effects is None:
            return []
        if effects:
            return effects
    return []
