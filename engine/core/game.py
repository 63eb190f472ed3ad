"""The contract that every game fulfils, and the few generic functions over it.

A game is one `Game` record: its facts, and pure functions over its own state. Everything else —
dealers, sessions, files, clients, the conformance suite — knows only this record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from dataclasses import replace as changed
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from kontor_games.engine.errors import ConfigError, IllegalAction

from .action import Action, ActionCodec, Event
from .chance import CHANCE, CHANCE_TYPES, Chance, Desk, Left, why_not_answer
from .notation import Notation
from .offer import Offer
from .reason import Reason
from .value import Known, Value

OptionValue = bool | int | str
Unseen = tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]  # (faces, slots), see `Game.unseen`
Options = Mapping[str, OptionValue]


class GameState(Value, frozen=True):
    """Base of every game's state: only what all peers know. The desk comes first."""

    desk: Desk


S = TypeVar("S", bound=GameState)


@dataclass(frozen=True)
class Option:
    """One choice made before the match; `allowed` empty means that `why_not` judges the value alone."""

    id: str
    default: OptionValue
    allowed: tuple[OptionValue, ...]
    text: str  # one sentence: what it changes
    why_not: Callable[[OptionValue], str | None] | None = None

    def refuses(self, value: OptionValue) -> str | None:
        """Why this value is not allowed, or None."""
        if type(value) is not type(self.default):
            return f"{self.id} is a {type(self.default).__name__}, not {value!r}"
        if self.allowed and value not in self.allowed:
            return f"{self.id} is one of {', '.join(map(str, self.allowed))}, not {value!r}"
        return self.why_not(value) if self.why_not else None


def with_default(options: tuple[Option, ...], name: str, default: OptionValue) -> tuple[Option, ...]:
    """The same options, one of them with another default; for older versions of rules."""
    return tuple(changed(option, default=default) if option.id == name else option for option in options)


class Result(Value, frozen=True):
    """How a match ended: why, who won, and points per seat by category."""

    reason: str  # a word such as «tokens»; clients make the sentence
    winners: tuple[int, ...]
    scores: tuple[int, ...]
    places: tuple[int, ...]  # 1 = first; equal numbers share a place
    breakdown: tuple[tuple[str, tuple[int, ...]], ...]  # category -> points (or tie-break figures) per seat


class ViewFunction(Protocol[S]):  # type: ignore[misc]
    def __call__(self, state: S, seat: int | None, known: Known) -> dict[str, Any]: ...


def _opens_nothing(state: Any, action: Action) -> tuple[tuple[int, int], ...]:
    return ()


def _no_points(state: Any) -> tuple[int, ...]:
    return ()


def _nothing_unseen(state: Any, known: Known) -> Unseen:
    return ()


@dataclass(frozen=True)
class Game(Generic[S]):
    """One ruleset."""

    id: str
    title: str
    rules_version: int
    data_digest: bytes  # of data.toml; part of the terms
    seats: tuple[int, ...]  # allowed numbers of players
    options: tuple[Option, ...]
    actions: tuple[type[Action], ...]
    events: tuple[type[Event], ...]
    notation: Notation[S]
    faces: tuple[str, ...]  # name of every card face by number

    setup: Callable[[dict[str, OptionValue], int, bytes], S]
    turn: Callable[[S], int | None]  # the seat to decide (wants aside), None when the match is over
    why_not: Callable[[S, Action], str | None]  # only home of legality; asked after the turn was checked
    candidates: Callable[[S, Known], Iterable[Action]]  # a cheap superset of the legal actions, in a fixed order
    apply: Callable[[S, Action], tuple[S, tuple[Event, ...]]]
    chance: Callable[[S, Chance], tuple[S, tuple[Event, ...]]]  # the want is closed already; never gets Left
    left: Callable[[S, Left], tuple[S, tuple[Event, ...]]]  # the desk knows already who is gone
    stand_in: Callable[[S], Action]  # what the seat to act does when its player has left; public knowledge only
    result: Callable[[S], Result | None]
    view: ViewFunction[S]  # plain data for clients: what one seat (None: a spectator) may see
    evaluate: Callable[[S, int, Known], int]  # how good the position looks to a seat; for greedy bots

    offer: Offer[S] = field(default_factory=Offer)  # how it is offered to people; see offer.py
    points: Callable[[S], tuple[int, ...]] = _no_points  # of each seat so far, as the table shows them
    # What the slots may hold that are neither public nor known: groups of slots, each with the faces among which theirs
    # are; there may be more faces than slots where cards were put away unseen. Faces are listed as often as they occur.
    unseen: Callable[[S, Known], Unseen] = _nothing_unseen
    opens: Callable[[S, Action], tuple[tuple[int, int], ...]] = _opens_nothing  # hidden cards the action shows
    why_not_hidden: Callable[[S, Action, Known], str | None] | None = None  # rules only the owner can check now
    why_not_combination: Callable[[dict[str, OptionValue], int], str | None] | None = None  # options against seats
    exact: bool = False  # candidates are the legal actions; the conformance suite proves it

    @cached_property
    def codec(self) -> ActionCodec:
        return ActionCodec(self.actions)

    def check_options(self, options: Options, seats: int) -> dict[str, OptionValue]:
        """All options with their values; raises ConfigError for anything not offered."""
        if seats not in self.seats:
            raise ConfigError(f"{self.title} is for {' or '.join(map(str, self.seats))} players, not {seats}")
        offered = {option.id: option for option in self.options}
        for name in options:
            if name not in offered:
                raise ConfigError(f"{self.title} has no option {name!r}; it has {', '.join(offered) or 'none'}")
        full = {option.id: options.get(option.id, option.default) for option in self.options}
        for option in self.options:
            reason = option.refuses(full[option.id])
            if reason:
                raise ConfigError(reason)
        reason = self.why_not_combination(full, seats) if self.why_not_combination else None
        if reason:
            raise ConfigError(reason)
        return full

    def begin(self, options: Options, seats: int, entropy: bytes) -> S:
        """The first state; the options are checked."""
        return self.setup(self.check_options(options, seats), seats, entropy)


def to_act(game: Game[S], state: S) -> int | None:
    """The seat to act, CHANCE while a want is open, None when the match is over."""
    return CHANCE if state.desk.want is not None else game.turn(state)


def why_not(game: Game[S], state: S, action: Action | Chance) -> str | None:
    """The rule that forbids `action`, or None."""
    if isinstance(action, CHANCE_TYPES):
        if game.turn(state) is None and state.desk.want is None:
            return Reason("over", "the match is over")
        return why_not_answer(state.desk, action)
    if state.desk.want is not None:
        return Reason("chance_first", "a card or a roll must come first")
    turn = game.turn(state)
    if turn is None:
        return Reason("over", "the match is over")
    if action.seat != turn:
        return Reason("not_your_turn", "seat {turn} is to act, not seat {seat}", turn=turn, seat=action.seat)
    return game.why_not(state, action)


def legal(game: Game[S], state: S, known: Known) -> list[Action]:
    """All legal actions of the seat to act, as far as `known` tells, in a fixed order."""
    if state.desk.want is not None or game.turn(state) is None:
        return []
    if game.exact:
        return list(game.candidates(state, known))
    return [action for action in game.candidates(state, known) if game.why_not(state, action) is None]


def advance(game: Game[S], state: S, action: Action | Chance) -> tuple[S, tuple[Event, ...]]:
    """The state after an action already found legal, and what happened."""
    if not isinstance(action, CHANCE_TYPES):
        if game.opens(state, action):
            state = replace(state, desk=state.desk.opened())
        return game.apply(state, action)
    if isinstance(action, Left):
        desk = replace(state.desk, gone=tuple(sorted((*state.desk.gone, *action.seats)))).show(action.faces)
        return game.left(replace(state, desk=desk), action)
    return game.chance(replace(state, desk=state.desk.closed(action)), action)


def step(game: Game[S], state: S, action: Action | Chance) -> tuple[S, tuple[Event, ...]]:
    """Check and apply one action; raises IllegalAction with the reason."""
    reason = why_not(game, state, action)
    if reason:
        raise IllegalAction(reason)
    return advance(game, state, action)


def public_knowledge(state: GameState) -> Known:
    """What everybody knows of slots: all that a stand-in may use."""
    return dict(state.desk.faces)


def view(game: Game[S], state: S, seat: int | None, known: Known) -> dict[str, Any]:
    """What one seat (None: a spectator) sees, as plain data."""
    result = game.result(state)
    return {
        "game": game.id,
        "seat": seat,
        "to_act": to_act(game, state),
        "gone": list(state.desk.gone),
        "result": None if result is None else result_dict(result),
        **game.view(state, seat, known),
    }


def result_dict(result: Result) -> dict[str, Any]:
    """A result as plain data."""
    return {name: msgspec.to_builtins(getattr(result, name)) for name in result.__struct_fields__}
