"""A guided first match: what is explained next, what it waits for, and what it says to anything else. A machine.

The script of a game (words of the client) is a list of steps on a prepared local match. A step waits for one thing:

* `next`: the person has read it;
* `choose`: one of the choices that it names is drafted. It names them by kind, by the beginning of an element's id, or
  by a figure that they bring. Another choice is not drafted: the step says kindly why not now;
* `confirm`: the draft is committed, after whatever else is needed to finish the turn;
* `turn`: it is the person's turn again.

Three rules keep a script from going wrong with the match, whatever the others play:

1. A step that waits for a choice which is not on the menu lets any choice pass; where nothing can be chosen any more
   the turn may be confirmed, or nobody could go on.
2. To undo is to go back to where the script was when that step of the draft was made.
3. Whatever is drafted or committed out of order moves on to the step that fits: a turn that was confirmed early ends
   all steps up to the next one that waits for a turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from msgspec import Struct

Wait: TypeAlias = Literal["next", "choose", "confirm", "turn"]
READ_ON = "The guide is still explaining: read on first, it is your turn to act in a moment."


class GuideStep(Struct, frozen=True, forbid_unknown_fields=True):
    """One step; `otherwise` is said to a choice that it does not wait for."""

    title: str
    text: str
    wait: Wait = "next"
    kinds: tuple[str, ...] = ()
    elements: tuple[str, ...] = ()  # beginnings of element ids
    figure: str = ""
    otherwise: str = ""
    look: str = ""  # the part of the table that it speaks of


class GuideScript(Struct, frozen=True, forbid_unknown_fields=True):
    """A prepared match: the person sits first, bots at the other seats."""

    seed: str
    seats: int
    steps: tuple[GuideStep, ...]
    options: dict[str, Any] = {}


Entry: TypeAlias = dict[str, Any]  # of a menu


class Guide:
    """Where a person is in a script."""

    def __init__(self, script: GuideScript, place: int = 0) -> None:
        self._script = script
        self.place = min(place, len(script.steps))
        self._before: list[int] = []  # the place before each chosen step of the draft

    @property
    def is_done(self) -> bool:
        return self.place >= len(self._script.steps)

    @property
    def step(self) -> GuideStep | None:
        return None if self.is_done else self._script.steps[self.place]

    def waits_for(self, menu: Sequence[Entry]) -> list[int]:
        """The places of the menu's entries that may be chosen now; all where the step does not mind."""
        step, every = self.step, list(range(len(menu)))
        if step is None or step.wait in ("turn", "confirm"):
            return every
        if step.wait == "next":
            return []
        return [number for number in every if _fits(step, menu[number])] or every

    def why_not(self, menu: Sequence[Entry], text: str) -> str | None:
        """What is said to a choice that has to wait, None if it may be drafted."""
        allowed = {menu[number]["text"] for number in self.waits_for(menu)}
        step = self.step
        if step is None or text in allowed or all(entry["text"] != text for entry in menu):
            return None  # what is not on the menu has reasons of its own
        return step.otherwise or (READ_ON if step.wait == "next" else step.text)

    def why_not_commit(self, is_full: bool) -> str | None:
        """What is said to a turn that is confirmed too early, None if it may be: always if nothing can be added."""
        step = self.step
        if step is None or step.wait != "choose" or is_full:
            return None
        return step.otherwise or step.text

    def drafted(self) -> None:
        """A choice was drafted."""
        self._before.append(self.place)
        if self.step is not None and self.step.wait == "choose":
            self.place += 1

    def undone(self, chosen: int) -> None:
        """So many chosen steps of the draft are left."""
        if chosen < len(self._before):
            self.place = self._before[chosen]
            del self._before[chosen:]

    def committed(self) -> None:
        """The turn is on its way."""
        self._before.clear()
        step = self.step
        if step is not None and step.wait == "confirm":
            self.place += 1
        elif step is not None and step.wait == "choose":
            while not self.is_done and self._script.steps[self.place].wait != "turn":
                self.place += 1

    def turn_began(self) -> None:
        """It is the person's turn, and nothing is drafted."""
        if self.step is not None and self.step.wait == "turn":
            self.place += 1

    def read(self) -> None:
        """The person has read an explanation."""
        if self.step is not None and self.step.wait == "next":
            self.place += 1

    def end(self) -> None:
        """The person goes on alone."""
        self.place = len(self._script.steps)

    def shown(self, menu: Sequence[Entry]) -> dict[str, Any] | None:
        """The step for clients; None when the guide is done."""
        step = self.step
        if step is None:
            return None
        return {
            "step": self.place + 1,
            "of": len(self._script.steps),
            "title": step.title,
            "text": step.text,
            "wait": step.wait,
            "look": step.look,
            "choices": self.waits_for(menu),
        }


def _fits(step: GuideStep, entry: Entry) -> bool:
    if step.kinds and entry["kind"] not in step.kinds:
        return False
    if step.elements and not any(target.startswith(step.elements) for target in entry["targets"]):
        return False
    return not step.figure or any(figure["id"] == step.figure and figure["amount"] > 0 for figure in entry["figures"])
