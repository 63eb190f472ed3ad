"""Whole matches: they end, and nothing gets lost."""

from __future__ import annotations

from collections import Counter

import pytest

from kontor_games.engine import Action
from kontor_games.engine.core.stream import Stream
from kontor_games.engine.games.osaka.actions import Buy
from kontor_games.engine.games.osaka.state import REASONS as ALL_REASONS
from kontor_games.engine.games.osaka.state import State

from .endings import ENDINGS, REASONS
from .position import GAME, check_invariants, play

SEATS = pytest.mark.parametrize("seats", GAME.seats)


@SEATS
def test_random_matches_end_with_all_cards_accounted_for_at_every_ply(seats: int) -> None:
    for number in range(5):
        result = play(seats, b"sample %d" % number).result
        assert result is not None and result.reason in ("tokens", "standstill")


@pytest.mark.long
@SEATS
def test_a_thousand_random_matches_end_with_all_cards_accounted_for(
    seats: int, capsys: pytest.CaptureFixture[str]
) -> None:
    plies, reasons, winners = [], Counter[str](), Counter[int]()
    for number in range(1000):
        match = play(seats, b"long %d" % number)
        assert match.result is not None
        plies.append(match.ply)
        reasons[match.result.reason] += 1
        winners.update(match.result.winners)
    with capsys.disabled():
        print(
            f"\n{seats} players: 1000 matches, plies {min(plies)}–{max(plies)} (mean {sum(plies) // 1000}), "
            f"endings {dict(reasons)}, wins by seat {[winners[seat] for seat in range(seats)]}"
        )


@pytest.mark.parametrize(
    "options",
    [
        {"refill_timing": "after_payout"},
        {"irreducible_payment": False},
        {"insure_only_sunk_colours": False},
        {"show_hands": True},
        {"tokens_to_end": 6},
        {"tokens_to_end": 10},
    ],
    ids=lambda options: next(f"{name} {value}" for name, value in options.items()),
)
def test_random_matches_end_with_every_option(options: dict[str, bool | int | str]) -> None:
    for seats in GAME.seats:
        for number in range(2):
            assert play(seats, b"option %d" % number, options=options).result is not None


def hoard(legal: list[Action], state: State, stream: Stream) -> Action:
    """Never buy: take whatever can be taken."""
    return next(action for action in legal if not isinstance(action, Buy))


@SEATS
def test_r09_players_who_only_hoard_come_to_a_standstill(seats: int) -> None:
    match = play(seats, b"hoard", hoard)
    assert match.result is not None and match.result.reason == "standstill"
    assert sum(len(player.hand) for player in match.state.players) == 108
    check_invariants(match.state)


def test_every_reason_has_a_listed_ending() -> None:
    assert set(REASONS.values()) == set(ALL_REASONS) - {""} and set(REASONS) == {ending[0] for ending in ENDINGS}
