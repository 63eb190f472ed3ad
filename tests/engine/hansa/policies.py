"""Players with one idea, for endings that strong play seldom reaches: collectors and builders."""

from __future__ import annotations

from typing import Any

from kontor_games.engine import Action, Game, Known, legal
from kontor_games.engine.core.stream import Stream, u32
from kontor_games.engine.games.hansa import actions as a
from kontor_games.engine.games.hansa.data import PRIVILEGE, STEPS
from kontor_games.engine.games.hansa.state import State


class Single:
    """Takes the action that serves its idea best; equals are drawn from its seed."""

    def __init__(self, idea: str, seed: bytes) -> None:
        self._idea = idea
        self._stream = Stream("single", seed)

    def choose(self, game: Game[Any], state: State, known: Known, seat: int, ply: int) -> Action:
        actions = legal(game, state, known)
        worth = [self._worth(state, seat, action) for action in actions]
        best = [action for action, value in zip(actions, worth, strict=True) if value == max(worth)]
        return best[self._stream.below(len(best))]

    def _worth(self, state: State, seat: int, action: Action) -> int:
        match action:
            case a.Claim(route=route):
                return 100_000 + self._route(state, seat, route)
            case a.Place(post=post) | a.Settle(post=post) | a.Put(post=post):
                return 20 + self._post(state, seat, post)
            case a.Displace(post=post):
                return self._post(state, seat, post) // 3
            case a.Income(traders=traders, merchants=merchants):
                return 15 * (traders + 2 * merchants) if sum(state.players[seat].personal) < 3 else 5
            case a.Office(city=city):
                last = len(state.rows[city]) + 1 == len(state.board.cities[city].spaces)
                return (100 + 100 * last) if self._idea == "builder" else 1
            case a.ExtraOffice(city=city):
                return 150 if self._idea == "builder" and state.board.cities[city].green else 1
            case a.GreenOffice():
                return 150 if self._idea == "builder" else 1
            case a.Develop(ability=ability):
                return 90 if ability == PRIVILEGE else 60
            case a.Extra():
                return 30
            case a.Lift() | a.UseMarker() | a.Prestige():
                return 2
            case a.EndTurn():
                return 4
            case _:
                return 10

    def _post(self, state: State, seat: int, post: int) -> int:
        """A post counts by its route and by the company there."""
        number = state.board.post_route[post]
        route = state.board.routes[number]
        line = state.posts[route.first : route.end]
        own = line.count(1 + 2 * seat) + line.count(2 + 2 * seat)
        foreign = len(line) - own - line.count(0)
        return self._route(state, seat, number) * (1 + own) // (len(line) * (1 + foreign))

    def _route(self, state: State, seat: int, number: int) -> int:
        route = state.board.routes[number]
        if self._idea == "collector":
            return 3000 if state.markers[number] else 30
        levels = state.players[seat].levels
        total = 30
        for city in (route.a, route.b):
            found = state.board.cities[city]
            filled = len(state.rows[city])
            if filled < len(found.spaces) and found.spaces[filled].colour <= levels[PRIVILEGE]:
                total += 300 if filled + 1 == len(found.spaces) else 120
            if PRIVILEGE in found.abilities and levels[PRIVILEGE] < STEPS[PRIVILEGE]:
                total += 400
        return total


def make(idea: str, seats: int, seed: bytes) -> list[Single]:
    """One such player for each seat."""
    assert idea in ("collector", "builder")
    return [Single(idea, seed + u32(seat)) for seat in range(seats)]
