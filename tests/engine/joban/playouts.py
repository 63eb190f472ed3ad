"""Whole matches by bots, with every invariant checked after every ply."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kontor_games.clients import bots
from kontor_games.engine import Action, Event, LocalMatch
from kontor_games.engine.games.joban import GAME
from kontor_games.engine.games.joban.data import (
    COLOURS,
    DECKS,
    DRAGONS,
    HAND_LIMIT,
    SHOP_CARDS,
    SHOPS_PER_COLOUR,
    TASK_DECK,
)
from kontor_games.engine.games.joban.field import inside
from kontor_games.engine.games.joban.state import NOBODY, SETUP, State

Policy = Callable[["LocalMatch[State]"], Action]
Watch = Callable[["LocalMatch[State]", tuple[Event, ...]], None]

OPTION_SETS: tuple[dict[str, Any], ...] = (
    {},
    {"field_half_extent": 5},
    {"field_half_extent": 0, "final_own_dragons_count": False},
    {"bonus_may_be_declined": False},
    {"bonus_excludes_new_shop": False},
    {"move_must_keep_field_connected": True},
    {"reshuffle_task_discards": True},
    {
        "field_half_extent": 6,
        "bonus_may_be_declined": False,
        "bonus_excludes_new_shop": False,
        "move_must_keep_field_connected": True,
        "final_own_dragons_count": False,
        "reshuffle_task_discards": True,
    },
)


def bot(kind: str, seed: bytes) -> Policy:
    """The shipped bot of this kind."""
    player = bots.make(kind, seed)

    def choose(match: LocalMatch[State]) -> Action:
        seat = match.turn
        assert seat is not None
        return player.choose(GAME, match.state, match.known(seat), seat, match.ply)

    return choose


def playout(
    options: Mapping[str, Any],
    seats: int,
    seed: bytes,
    policies: Mapping[int, Policy] | Policy,
    watch: Watch | None = None,
) -> LocalMatch[State]:
    """A whole match; `watch` sees every ply after the first state."""
    match: LocalMatch[State] = LocalMatch(GAME, options, seats, seed)
    while True:
        for _, events in match.settle():
            if watch:
                watch(match, events)
        if match.turn is None:
            return match
        policy = policies if callable(policies) else policies[match.turn]
        events = match.play(policy(match))
        if watch:
            watch(match, events)


def check_invariants(match: LocalMatch[State], events: tuple[Event, ...] = ()) -> None:
    """Nothing is lost or doubled: shops, cards, tasks, dragons; and somebody can always act."""
    state = match.state
    cells = [(x, y) for x, y, _, _ in state.field]
    assert list(state.field) == sorted(state.field) and len(set(cells)) == len(cells)
    assert all(inside(state.half, cell) for cell in cells)
    for colour in range(len(COLOURS)):
        assert sum(1 for shop in state.field if shop[2] == colour) <= SHOPS_PER_COLOUR[colour]
    for seat, player in enumerate(state.players):
        placed = sum(1 for shop in state.field if shop[3] == seat)
        assert player.reserve + placed + player.lost == DRAGONS
        assert player.cards <= HAND_LIMIT
    for owner, waiting in state.queue:
        assert all((*cell, colour, owner) in state.field for cell in waiting for colour in [_colour(state, cell)])
    slots = [slot for pile in (*state.piles, state.task_pile) for slot in pile]
    slots += [slot for player in state.players for part in (*player.hand, player.tasks) for slot in part]
    slots += [slot for slot, _ in state.task_discard]
    assert len(set(slots)) == len(slots) and max(slots, default=-1) < state.desk.next_slot
    if state.phase != SETUP:
        _check_cards(state)
    if state.desk.want is None:
        assert {slot for slot, _ in state.desk.faces} <= set(slots), "public faces of slots that are gone"
        if match.turn is not None and match.turn not in state.desk.gone:
            assert match.legal(), "a seat to act without a legal action"


def _colour(state: State, cell: tuple[int, int]) -> int:
    return next(colour for x, y, colour, _ in state.field if (x, y) == cell)


def _check_cards(state: State) -> None:
    played = [*state.discard, *([state.card] if state.card != NOBODY else [])]
    assert len(set(played)) == len(played)
    for colour in range(len(COLOURS)):
        held = sum(len(player.hand[colour]) for player in state.players)
        gone = sum(1 for face in played if SHOP_CARDS[face].colour == colour)
        assert len(state.piles[colour]) + held + gone == len(DECKS[colour])
    tasks = sum(len(player.tasks) + len(player.scored) for player in state.players)
    assert len(state.task_pile) + len(state.task_discard) + tasks == len(TASK_DECK)
