"""The plan for the Wandering Fair counts what the rules count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from kontor_games import engine
from kontor_games.clients.bots.plans.joban.builds import CAREFUL, builds, settled
from kontor_games.clients.bots.plans.joban.prospects import standing
from kontor_games.clients.bots.plans.joban.spots import KINDS, TaskLines, best_points, spots
from kontor_games.clients.bots.plans.joban.turns import line
from kontor_games.clients.bots.plans.joban.worth import best_of, worth
from kontor_games.engine import LocalMatch
from kontor_games.engine.games.joban.data import SHOP_CARDS, TASK_DECK
from kontor_games.engine.games.joban.field import lookup
from kontor_games.engine.games.joban.play import apply
from kontor_games.engine.games.joban.rules import candidates, why_not
from kontor_games.engine.games.joban.scoring import build_points, line_values, scored_cells
from kontor_games.engine.games.joban.state import PLACE, TURN, State
from tests.engine.playouts import policies, steps


def positions(seed: bytes, seats: int = 3) -> Iterator[State]:
    """Turns of a match of greedy players."""
    match: LocalMatch[Any] = LocalMatch(engine.load("joban"), {}, seats, seed)
    for before, _, _, _ in steps(match, policies("greedy", seats, seed), 300):
        if isinstance(before, State) and before.phase == TURN:
            yield before


def test_spots_bring_what_the_rules_score() -> None:
    seen = 0
    for state in positions(b"spots"):
        shops, seat = lookup(state.field), state.active
        found = spots(state.field, state.half, seat)
        for face, card in enumerate(SHOP_CARDS):
            for spot in found[3 * card.pattern + card.scores]:
                cells = scored_cells(shops, face, spot.cell, None if spot.direction < 0 else spot.direction)
                assert build_points(shops, cells, seat) == spot.points
                seen += 1
        best = [max((spot.points for spot in found[kind]), default=0) for kind in range(KINDS)]
        assert best_points(shops, state.half, seat)[0] == best
    assert seen > 1000


def test_lines_are_worth_what_the_rules_pay() -> None:
    for state in positions(b"lines"):
        shops = lookup(state.field)
        for task in TASK_DECK:
            lines = TaskLines(shops, task, state.active, state.own_dragons)
            assert lines.best == max(line_values(shops, task, state.active, state.own_dragons).values())
            (cell, shop), (other, there) = list(shops.items())[:2]
            changed = {**shops, cell: there, other: shop}
            gain = TaskLines(changed, task, state.active, state.own_dragons).best - lines.best
            assert lines.shifts(cell, is_swap=True)(other) == gain


def test_builds_are_legal_to_their_end() -> None:
    match: LocalMatch[Any] = LocalMatch(engine.load("joban"), {}, 3, b"builds")
    seen = 0
    for _ in range(200):
        if any(True for _ in match.settle()):
            continue
        turn = match.turn
        if turn is None:
            break
        known = match.known(turn)
        if match.state.phase in (TURN, PLACE):
            for done, after in builds(match.state, known, turn, CAREFUL):
                state = match.state
                for action in done:
                    assert why_not(state, action) is None
                    state = apply(state, action)[0]
                assert settled(state, turn) == after
                seen += 1
        match.play(line(match.game, match.state, known, turn)[0])
    assert seen > 300


def test_a_turn_can_be_taken_up_in_the_middle() -> None:
    """A line begins with a legal action in every phase, whatever was done before."""
    match: LocalMatch[Any] = LocalMatch(engine.load("joban"), {}, 2, b"middle")
    phases = set()
    for ply in range(400):
        if any(True for _ in match.settle()):
            continue
        if match.turn is None:
            break
        known = match.known(match.turn)
        phases.add(match.state.phase)
        planned = line(match.game, match.state, known, match.turn)
        actions = list(candidates(match.state, known))
        assert planned[0] in actions
        match.play(planned[0] if ply % 3 else actions[ply % len(actions)])
    assert match.result is not None
    assert phases >= {"turn", "place", "aim", "bonus", "target", "dragons", "final"}


def test_the_best_of_draws_is_a_mean() -> None:
    assert best_of([0, 10], 0, 1) == 5
    assert best_of([0, 10], 0, 2) == 7  # three of four pairs hold the ten: 7.5, rounded down
    assert best_of([0, 10], 4, 1) == 7
    assert best_of([], 3, 2) == 3


def test_a_point_of_a_rival_counts_against_a_position() -> None:
    state = next(iter(positions(b"rival")))
    other = (state.active + 1) % 3
    richer = replace(state.players[other], points=(5, 0, 0, 0, 0))
    players = tuple(richer if seat == other else player for seat, player in enumerate(state.players))
    assert worth(replace(state, players=players), state.active, {}) < worth(state, state.active, {})


def test_the_forecast_counts_points_in_full_and_dragons_that_can_still_be_placed() -> None:
    def foretold(state: State, player: Any) -> int:
        players = tuple(player if seat == state.active else other for seat, other in enumerate(state.players))
        return standing(replace(state, players=players), state.active, dict(state.desk.faces))

    for state in list(positions(b"forecast"))[::7]:
        me = state.players[state.active]
        richer = replace(me, points=(me.points[0] + 3, *me.points[1:]))
        assert foretold(state, richer) == foretold(state, me) + 300
        if me.reserve:
            assert foretold(state, me) - foretold(state, replace(me, reserve=me.reserve - 1)) > 100
