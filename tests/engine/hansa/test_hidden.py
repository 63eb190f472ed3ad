"""Mission cards and the plate: nobody sees what is face down, in no view, event or state."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kontor_games import engine
from kontor_games.engine import LocalMatch
from kontor_games.engine.core.chance import Deal, Dealt, Left
from kontor_games.engine.games.hansa import GAME
from kontor_games.engine.games.hansa.data import FIRST_MISSION
from kontor_games.engine.games.hansa.state import OVER, State

from .playouts import lively_policy, playout

MODULES = {"missions": True, "favour": True, "max_rounds": 30}


def other_cards(match: LocalMatch[State], viewer: int | None) -> list[tuple[int, dict[str, Any]]]:
    view = engine.view(GAME, match.state, viewer, {} if viewer is None else match.known(viewer))
    return [(seat, player) for seat, player in enumerate(view["players"]) if seat != viewer]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_mission_is_seen_by_its_owner_only_until_the_end(seats: int) -> None:
    told: list[str] = []

    def watch(match: LocalMatch[State], events: tuple[engine.Event, ...]) -> None:
        over = match.state.stage == OVER
        told.extend(type(event).__name__ for event in events if type(event).__name__ == "MissionShown")
        if not over:
            assert not told and not any(face >= FIRST_MISSION for _, face in match.state.desk.faces)
        for viewer in (None, *range(seats)):
            for _, player in other_cards(match, viewer):
                assert (player["mission"] is not None) == over
        if match.state.stage >= 3:
            for seat in range(seats):
                known = match.known(seat)
                own = engine.view(GAME, match.state, seat, known)["players"][seat]
                assert own["mission"] is not None and own["has_mission"]

    match = playout(MODULES, seats, b"hidden", [lively_policy(b"h")], watch).match
    assert len(told) == seats
    shown = [player["mission"]["number"] for player in engine.view(GAME, match.state, None, {})["players"]]
    assert len(set(shown)) == seats


def test_two_matches_that_differ_in_the_missions_alone_have_equal_states_until_the_end() -> None:
    """The bytes of the state hold slots, never faces."""
    match: LocalMatch[State] = LocalMatch(GAME, {"missions": True}, 3, b"a")
    list(match.settle())
    faces = {face for seat in range(3) for face in match.known(seat).values()}
    assert len(faces) == 3 and all(face >= FIRST_MISSION for face in faces)
    swapped: State = GAME.begin({"missions": True}, 3, match.dealer.entropy())
    while swapped.desk.want is not None:
        want = swapped.desk.want
        if isinstance(want, Deal):
            answer: engine.Chance = Dealt(want.r, tuple((slot, seat, None) for slot, seat in want.cards))
        else:
            answer = engine.core.chance.Mixed(want.r)  # type: ignore[attr-defined]
        swapped = engine.step(GAME, swapped, answer)[0]
    assert engine.digest(swapped) == engine.digest(match.state)


def test_the_plate_is_unknown_even_to_its_owner_until_the_turn_ends() -> None:
    seen: list[int] = []

    def watch(match: LocalMatch[State], events: tuple[engine.Event, ...]) -> None:
        state = match.state
        for seat, player in enumerate(state.players):
            for slot in player.plate:
                seen.append(slot)
                assert state.desk.face(slot) is None and slot not in match.known(seat)
        for slot in state.supply:
            assert all(slot not in match.known(seat) for seat in range(state.seats))

    playout({"max_rounds": 40}, 3, b"plate", [lively_policy(b"p")], watch)
    assert seen


def test_views_are_plain_json_for_every_seat_and_spectators() -> None:
    def watch(match: LocalMatch[State], events: tuple[engine.Event, ...]) -> None:
        for viewer in (None, match.ply % 3):
            json.dumps(engine.view(GAME, match.state, viewer, {}))

    playout({**MODULES, "max_rounds": 8}, 3, b"json", [lively_policy(b"j")], watch)


@pytest.mark.parametrize("moment", [0, 1, 2, 3, *range(4, 60, 11)])
def test_a_leaver_opens_the_mission_and_the_match_goes_on(moment: int) -> None:
    """A seat leaves at the given ply, wants included; a stand-in plays it to the end."""
    match: LocalMatch[State] = LocalMatch(GAME, {**MODULES, "max_rounds": 12}, 3, b"left" + bytes([moment]))
    policy = lively_policy(b"left")
    while match.ply < moment:
        follow = match.follow()
        if follow is not None and not isinstance(follow, engine.Action):
            match._advance(follow)
        else:
            match.play(policy(match, match.legal()))
    left, _ = match.leave(1)
    assert isinstance(left, Left)
    while match.result is None:
        for _ in match.settle():
            pass
        if match.turn is not None:
            match.play(policy(match, match.legal()))
    assert match.state.desk.face(match.state.players[1].mission) is not None
    assert len(match.result.scores) == 3
