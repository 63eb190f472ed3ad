"""Whole matches played by bots, with the invariants checked after every ply."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from kontor_games import engine
from kontor_games.engine import Action, Event, LocalMatch
from kontor_games.engine.core.stream import Stream
from kontor_games.engine.games.hansa import GAME
from kontor_games.engine.games.hansa.actions import Claim, Done, EndTurn, Lift
from kontor_games.engine.games.hansa.data import BOARDS
from kontor_games.engine.games.hansa.state import State

from .policies import Single
from .position import check_invariants

PROMO = "extra:2,swap:2,move:1,develop:1,exchange:2,office:2,route:2"
Policy = Callable[[LocalMatch[State], list[Action]], Action]


def combinations() -> list[tuple[int, dict[str, Any]]]:
    """Every map side × number of players × module that may be combined."""
    out: list[tuple[int, dict[str, Any]]] = []
    for seats in (2, 3, 4, 5):
        for board in BOARDS:
            if seats not in board.players:
                continue
            modules = [(m, f) for m in (False, True) for f in (False, True)] if board.league else [(False, False)]
            for missions, favour in modules:
                for promo in (False, True):
                    options: dict[str, Any] = {"map": board.id, "missions": missions, "favour": favour}
                    if promo:
                        options["silver"] = PROMO
                    out.append((seats, options))
    return out


def describe(seats: int, options: dict[str, Any]) -> str:
    """A combination in a few words."""
    modules = [name for name in ("missions", "favour") if options.get(name)]
    modules += ["promo"] if "silver" in options else []
    return f"{options['map']} {seats}p {'+'.join(modules) or 'plain'}"


def random_policy(seed: bytes) -> Policy:
    """Any legal action, each as likely as the next."""
    stream = Stream("policy", seed)
    return lambda match, actions: actions[stream.below(len(actions))]


def lively_policy(seed: bytes) -> Policy:
    """Random, but it claims what it can, seldom ends a turn early and builds on routes it has begun.

    Uniform play hardly ever fills a route; this reaches every phase of the rules and every kind of ending.
    """
    stream = Stream("policy", seed)

    def choose(match: LocalMatch[State], actions: list[Action]) -> Action:
        state = match.state
        claims = [action for action in actions if isinstance(action, Claim)]
        if claims and stream.below(8):
            return claims[stream.below(len(claims))]
        busy = [action for action in actions if not isinstance(action, EndTurn | Done)]
        pool = busy if busy and stream.below(10) else actions
        if not state.todo and stream.below(4):
            pool = [action for action in pool if not isinstance(action, Lift)] or pool
        tries = [pool[stream.below(len(pool))] for _ in range(6)]
        return max(tries, key=lambda action: _company(state, action))

    return choose


def _company(state: State, action: Action) -> int:
    """How many own pieces already stand on the route that an action names."""
    post = getattr(action, "post", None)
    if post is None or isinstance(action, Lift):
        return 1
    route = state.board.routes[state.board.post_route[post]]
    own = (1 + 2 * action.seat, 2 + 2 * action.seat)
    line = state.posts[route.first : route.end]
    return 2 * (line.count(own[0]) + line.count(own[1])) + (2 if route.end - route.first == 2 else 0)


def greedy_policy(match: LocalMatch[State], actions: list[Action]) -> Action:
    """The bot `greedy` of the clients, without its wrapping."""
    seat = actions[0].seat
    known = match.known(seat)
    worth = [GAME.evaluate(engine.advance(GAME, match.state, action)[0], seat, known) for action in actions]
    return actions[worth.index(max(worth))]


def single_policy(idea: str, seed: bytes) -> Policy:
    """Players with one idea (policies.py)."""
    player = Single(idea, seed)
    return lambda match, actions: player.choose(GAME, match.state, {}, actions[0].seat, match.ply)


@dataclass
class Tally:
    """What one match was like."""

    match: LocalMatch[State]
    plies: int
    choices: int  # legal actions, summed over all decisions
    decisions: int
    largest: int


def playout(
    options: dict[str, Any],
    seats: int,
    seed: bytes,
    policies: Sequence[Policy],
    watch: Callable[[LocalMatch[State], tuple[Event, ...]], None] | None = None,
    check: bool = True,
) -> Tally:
    """One match to its end; `policies` by seat (or one for all)."""
    match: LocalMatch[State] = LocalMatch(GAME, options, seats, seed)
    tally = Tally(match, 0, 0, 0, 0)

    def seen(events: tuple[Event, ...]) -> None:
        if check:
            check_invariants(match.state)
        if watch:
            watch(match, events)

    while True:
        for _, events in match.settle():
            seen(events)
        turn = match.turn
        if turn is None:
            break
        actions = match.legal()
        assert actions, f"nothing is legal: {match.state.todo}"
        tally.choices += len(actions)
        tally.decisions += 1
        tally.largest = max(tally.largest, len(actions))
        seen(match.play(policies[turn % len(policies)](match, actions)))
    tally.plies = match.ply
    return tally
