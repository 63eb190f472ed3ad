"""What a client needs to offer a game to a person: facts about actions, never sentences.

Nothing here is asked by `why_not`, `apply`, sessions or verifiers, so it can grow without a new version of the rules.

**Choices.** A rule splits a big decision into small actions. A person thinks of some of them as one: «place a merchant
on this post» is an action for the post and one for the shape. A *choice* is therefore a path of one or more actions.
`choices` (choices.py) builds them, and asks the game whether the next decision belongs to a path (`continues`).

**Words.** `kind` sorts choices under buttons; `targets` are the elements that mean it when clicked, the first of which
is where it is drawn; `details` are the values for its phrase in the catalogue,
hidden cards that the reader knows included; `foresee` are the figures that stand on
the board before it is chosen. `now` says what the seat to act is asked. `travels` says what moves where when an event
happens.

**Rest.** `at_rest` says that nothing begun is unfinished: the turn, or this part of it, may be confirmed here. Where
chance must answer or somebody else decides, it may be confirmed in any case.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from .action import Action, Event
from .reason import Reason
from .value import Known, Value

S = TypeVar("S")
Path: TypeAlias = tuple[Action, ...]
Details: TypeAlias = dict[str, Any]  # plain data: numbers, ids, lists of them


class Figure(Value, frozen=True):
    """A number that a choice would bring, and the element of the board that it stands on."""

    id: str  # one of the game's figures; «points» are points at once
    amount: int
    seat: int | None  # who gets or pays it; None: nobody in particular
    element: str


class Travel(Value, frozen=True):
    """Something that moves: what, from which element to which, whose, how many; no element means outside the board."""

    what: str
    source: str
    goal: str
    seat: int | None = None
    count: int = 1


def _one_each(state: Any, path: Path) -> str:
    return str(path[0].__struct_config__.tag)


def _fields(state: Any, path: Path, known: Known) -> Details:
    return {name: getattr(action, name) for action in path for name in action.__struct_fields__}


@dataclass(frozen=True)
class Offer(Generic[S]):
    """How one game is offered. Every field has a plain default, so that a new game can be played at once."""

    kinds: tuple[str, ...] = ()  # kinds of action in the order of their buttons, shown greyed when there is none
    steps: tuple[str, ...] = ()  # kinds that only finish what was begun, shown only when there are some
    kind: Callable[[S, Path], str] = _one_each
    targets: Callable[[S, Path], tuple[str, ...]] = lambda state, path: (f"button:{_one_each(state, path)}",)
    details: Callable[[S, Path, Known], Details] = _fields  # for the phrase; «phrase» in it names another than the tags
    continues: Callable[[S, Path, S], bool] = lambda state, path, after: False
    why_none: Callable[[S, str, Known], Reason | None] = lambda state, kind, known: Reason("none", "not possible now")
    at_rest: Callable[[S], bool] = lambda state: True  # nothing begun is unfinished
    now: Callable[[S], Details] = lambda state: {"now": "act"}  # what is asked: a word in «now», and its values
    figures: tuple[str, ...] = ()
    foresee: Callable[[S, Path, Known], tuple[Figure, ...]] = lambda state, path, known: ()
    travels: Callable[[S, Event], tuple[Travel, ...]] = lambda state, event: ()  # the state before the event's action
