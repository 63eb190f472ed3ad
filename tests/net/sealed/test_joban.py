"""Whole matches of the fair on a sealed table: private draws, hand shuffles, discards on their way back, leavers."""

from __future__ import annotations

from typing import Any

import pytest

from kontor_games import engine
from kontor_games.clients import bots
from kontor_games.engine import Action, Chance
from kontor_games.engine.core.chance import Mix
from kontor_games.engine.games.joban import GAME
from kontor_games.engine.games.joban.actions import Play, TaskDraw
from kontor_games.engine.games.joban.data import SHOP_CARDS, TASK
from kontor_games.engine.games.joban.state import USE_BONUS, State

from .kit import Ring


class Sealed:
    """One match whose chance is a ring of peers."""

    def __init__(self, seats: int, seed: bytes, options: dict[str, Any]) -> None:
        self.ring = Ring(seats).start()
        self.state: State = GAME.begin(options, seats, seed.ljust(32, b"\0"))
        self.bot = bots.make("random", seed)
        self.ply = 0
        self.seen: list[str] = []

    def open_want(self) -> str:
        want = self.state.desk.want
        return f"own {type(want).__name__}" if isinstance(want, Mix) and want.own is not None else type(want).__name__

    def advance(self, action: Action | Chance) -> None:
        assert engine.why_not(GAME, self.state, action) is None
        self.state, _ = engine.advance(GAME, self.state, action)
        self.ply += 1

    def step(self) -> bool:
        """One ply; False when the match is over."""
        want = self.state.desk.want
        if want is not None:
            self.seen.append(self.open_want())
            answer = self.ring.serve(want)
            assert answer is not None
            self.advance(answer)
            return True
        seat = GAME.turn(self.state)
        if seat is None:
            return False
        self.advance(GAME.stand_in(self.state) if seat in self.state.desk.gone else self.decide(seat))
        return True

    def decide(self, seat: int) -> Action:
        """A random action that changes tasks whenever it can; a played card is opened with its proof."""
        known = self.ring.players[seat].known(seat)
        action = next(filter(_changes_task, engine.legal(GAME, self.state, known)), None)
        action = action or self.bot.choose(GAME, self.state, known, seat, self.ply)
        pairs = list(GAME.opens(self.state, action))
        if pairs:
            number = self.state.desk.next_want
            body = self.ring.players[seat].open(number, tuple(slot for slot, _ in pairs))
            for table in self.ring.live():
                check = table.check_opening(seat, number, pairs, body)
                assert check is not None
                table.commit(check.run())
        return action

    def leave(self, seat: int) -> None:
        """The peer of a seat vanishes, with or without an open want."""
        want = self.state.desk.want
        if want is not None:
            self.ring.open(want)
        self.ring.vote_out(seat)
        answer = self.ring.pump()
        left = self.ring.departures()
        assert left is not None
        self.advance(left)
        if want is not None:
            assert answer is not None
            self.advance(answer)


def _changes_task(action: Action) -> bool:
    if isinstance(action, Play):
        return SHOP_CARDS[action.card].bonus == TASK and action.mode == USE_BONUS
    return isinstance(action, TaskDraw)


def _secret_slots(match: Sealed) -> None:
    """Each seat knows exactly its own hidden cards."""
    for seat, player in enumerate(match.state.players):
        own = {slot for part in (*player.hand, player.tasks) for slot in part}
        own |= {slot for slot, holder in match.state.task_discard if holder == seat}
        if seat not in match.state.desk.gone:
            assert set(match.ring.players[seat].known(seat)) == own


def test_a_sealed_match_of_the_fair_ends() -> None:
    match = Sealed(2, b"sealed", {})
    while match.step():
        if match.state.desk.want is None:
            _secret_slots(match)
    assert GAME.result(match.state) is not None
    assert {"Mix", "own Mix", "Deal"} <= set(match.seen)


@pytest.mark.long
@pytest.mark.parametrize("moment", ["NoneType", "Deal", "Mix", "own Mix", "Move"])
@pytest.mark.parametrize("who", ["actor", "next"])
def test_a_seat_of_a_sealed_match_may_vanish_at_any_moment(moment: str, who: str) -> None:
    for number in range(12):
        match = Sealed(4, b"vanish" + bytes([number]), {"reshuffle_task_discards": True})
        met = 0
        while match.step():
            if match.open_want() != moment or match.state.desk.gone:
                continue
            met += 1
            if met == 3 or moment in ("Mix", "Move"):
                actor = match.state.active if moment != "Move" else match.state.desk.want.by  # type: ignore[union-attr]
                match.leave(actor if who == "actor" else (actor + 1) % 4)
                if match.state.desk.want is None:
                    _secret_slots(match)
        assert GAME.result(match.state) is not None
        if match.state.desk.gone:
            return
    raise AssertionError(f"no {moment} was met")
