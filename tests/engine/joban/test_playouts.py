"""Whole matches: they end, keep every invariant, and a greedy player beats random ones."""

from __future__ import annotations

from statistics import mean

import pytest

from kontor_games.engine.games.joban import GAME
from kontor_games.engine.games.joban.state import CATEGORIES

from .endings import ENDINGS, REASONS
from .playouts import OPTION_SETS, bot, check_invariants, playout

SEATS = (2, 3, 4)


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("options", OPTION_SETS, ids=lambda options: "+".join(options) or "defaults")
def test_random_matches_end_and_keep_every_invariant(seats: int, options: dict[str, object]) -> None:
    for number in range(2):
        seed = f"{seats}/{number}".encode()
        match = playout(options, seats, seed, bot("random", seed), check_invariants)
        result = match.result
        assert result is not None and result.winners
        assert result.scores == tuple(map(sum, zip(*(points for _, points in result.breakdown), strict=True)))
        assert [name for name, _ in result.breakdown] == list(CATEGORIES)
        assert all(result.places[seat] == 1 for seat in result.winners)


@pytest.mark.parametrize("seats", SEATS)
def test_everybody_has_equally_many_turns(seats: int) -> None:
    turns = [0] * seats
    last: list[tuple[int, int]] = []

    def count(match: object, events: object) -> None:
        state = match.state  # type: ignore[attr-defined]
        if state.phase == "turn" and state.desk.want is None and (state.active, state.action_no) not in last[-1:]:
            last.append((state.active, state.action_no))
            turns[state.active] += state.action_no == 1

    playout({}, seats, b"turns", bot("random", b"turns"), count)
    assert len(set(turns)) == 1 and turns[0] > 3


def test_endings_cover_every_reason_and_shared_wins() -> None:
    assert set(REASONS.values()) == {"one_pile", "two_piles"}
    for name, options, seats, seed, policy in ENDINGS:
        if name.endswith("-shared"):
            result = playout(options, seats, bytes.fromhex(seed), bot(policy, bytes.fromhex(seed))).result
            assert result is not None and len(result.winners) > 1


def _duels(games: int) -> float:
    """The share of matches that one greedy player wins against random ones, seats rotated, ties shared."""
    won = 0.0
    for number in range(games):
        seats = SEATS[number % 3]
        me = number // 3 % seats
        seed = f"duel/{number}".encode()
        policies = {seat: bot("greedy" if seat == me else "random", seed) for seat in range(seats)}
        match = playout({}, seats, seed, policies)
        assert match.result is not None
        won += (me in match.result.winners) / len(match.result.winners)
    return won / games


def test_greedy_beats_random_in_a_sample() -> None:
    assert _duels(12) >= 0.9


@pytest.mark.long
def test_greedy_beats_random_in_nine_of_ten_matches(capsys: pytest.CaptureFixture[str]) -> None:
    share = _duels(200)
    with capsys.disabled():
        print(f"\njoban: greedy wins {share:.1%} of 200")
    assert share >= 0.9


@pytest.mark.long
@pytest.mark.parametrize("seats", SEATS)
def test_a_thousand_random_matches_keep_every_invariant(seats: int, capsys: pytest.CaptureFixture[str]) -> None:
    extents, scores, plies = [], [], []
    for number in range(1000):
        seed = f"long/{seats}/{number}".encode()
        options = OPTION_SETS[number % len(OPTION_SETS)] if number % 2 else {}
        match = playout(options, seats, seed, bot("random", seed), check_invariants)
        assert match.result is not None
        xs, ys = [shop[0] for shop in match.state.field], [shop[1] for shop in match.state.field]
        extents.append((max(xs) - min(xs) + 1, max(ys) - min(ys) + 1))
        scores += match.result.scores
        plies.append(match.ply)
    widest = max(max(extent) for extent in extents)
    middle = mean(max(extent) for extent in extents)
    with capsys.disabled():
        print(
            f"\njoban, {seats} seats: field {middle:.1f} cells across on average, {widest} at most; scores"
            f" {min(scores)} to {max(scores)}, mean {mean(scores):.1f}; plies {min(plies)} to {max(plies)}"
        )
    assert GAME.seats == SEATS
