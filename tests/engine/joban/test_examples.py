"""Every worked example of the rules, with its numbers from the data file."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from kontor_games import engine
from kontor_games.engine.games.joban import GAME
from kontor_games.engine.games.joban.actions import (
    BonusDraw,
    Design,
    DragonMove,
    DragonsStay,
    MoveTo,
    Pick,
    Place,
    Play,
    ScoreTask,
    SwapWith,
    TaskDraw,
    TaskKeep,
)
from kontor_games.engine.games.joban.data import COLOURS, DATA
from kontor_games.engine.games.joban.events import BonusUseless, EndTriggered
from kontor_games.engine.games.joban.scoring import is_last_round, winners
from kontor_games.engine.games.joban.state import FINAL, NOBODY, State

from .position import (
    EXAMPLES,
    allows,
    build,
    face,
    field_of,
    first_card,
    names_of,
    play,
    position,
    refusal,
    resolving,
    scores,
    settle,
    shops,
    told,
)


def _card(described: dict[str, Any]) -> int:
    return face(described["colour"], described["pattern"], described["scores_colour"])


def _score_build(example: dict[str, Any]) -> State:
    """Play the example and compare everybody's points."""
    people = names_of(example)
    seats = max(2, len(people))
    card = _card(example["card"])
    state = position(seats, field_of(example, people), hands=[[1, 1, 1]])
    state = build(state, card, tuple(example["cell"]), example["direction"])
    assert dict(zip(people, scores(state), strict=False)) == example["expect_points"]
    return state


def test_j01_three_neighbours_and_a_foreign_dragon_bring_four_and_its_owner_one() -> None:
    state = _score_build(EXAMPLES["j01"])
    assert engine.to_act(GAME, state) == 1
    assert allows(state, DragonMove(1, (1, 0), (1, 1)))
    assert allows(state, DragonsStay(1))


def test_j02_a_row_ends_at_a_shop_of_another_colour() -> None:
    _score_build(EXAMPLES["j02"])


def test_j03_a_diagonal_ends_at_an_empty_cell() -> None:
    _score_build(EXAMPLES["j03"])


@pytest.mark.parametrize(("example", "points"), [("j04", [3, 6]), ("j05", [0, 6])], ids=["j04", "j05"])
def test_j04_j05_double_counts_in_either_order_and_owners_are_paid_once(example: str, points: list[int]) -> None:
    record = EXAMPLES[example]
    people = names_of(record)
    # On the listed shops alone the double of j05 would touch nothing; a neutral shop beside it makes the build legal.
    state = position(2, (*field_of(record, people), (-2, 1, 1, NOBODY)), hands=[[1, 1, 1]])
    for part, expected in zip((record["first"], record["second"]), points, strict=True):
        if part["mode"] == "score":
            state = build(state, _card(part["card"]), tuple(part["cell"]), part["direction"])
            assert engine.to_act(GAME, state) == 1, "Masha may move her scored dragon once"
            state = play(state, DragonsStay(1))
        else:
            card = face(part["card_colour"], bonus=part["bonus"])
            state = build(state, card, tuple(part["cell"]), bonus=True)
            assert shops(state)[tuple(part["cell"])] == (COLOURS.index(part["card_colour"]), 0)
        assert scores(state)[0] == expected
    assert dict(zip(people, scores(state), strict=True)) == record["expect_points"]
    assert state.active == 1


def _final(example: dict[str, Any]) -> None:
    people = names_of(example)
    seats = max(2, len(people))
    state = position(seats, field_of(example, people), tasks=1, phase=FINAL)
    codes = {card["id"]: face for face, card in enumerate(DATA["tasks"], len(DATA["shop_cards"]))}
    for choice in example["choices"]:
        seat = people.index(choice["player"])
        action = ScoreTask(seat, state.players[seat].tasks[0], codes[choice["task"]], choice["line"])
        state = play(state, action)
        assert state.players[seat].scored == ((codes[choice["task"]], choice["line"], choice["expect_line_points"]),)
    expected = [example["expect_points"].get(name, 0) for name in people]
    assert scores(state)[: len(people)] == expected


def test_j06_final_scoring_of_three_players() -> None:
    _final(EXAMPLES["j06"])


def test_j07_gaps_and_the_third_colour_are_ignored_on_a_diagonal() -> None:
    _final(EXAMPLES["j07"])


def test_j08_a_dragon_on_the_minus_colour_costs_two_more_and_pays_its_owner() -> None:
    _final(EXAMPLES["j08"])


def test_j09_an_own_dragon_adds_nothing_in_play() -> None:
    _score_build(EXAMPLES["j09"])


def test_j10_a_build_that_scores_nothing_is_legal() -> None:
    state = _score_build(EXAMPLES["j10"])
    assert shops(state)[(0, 0)] == (1, NOBODY)


def test_j11_a_shop_touches_another_by_side_or_corner_inside_the_frame() -> None:
    example = EXAMPLES["j11"]
    state = position(3, field_of(example, []), hands=[[1, 0, 0]])
    state = play(state, Play(0, first_card(state, 0, 0), 0, 0))
    for cell in example["legal"]:
        assert allows(state, Place(0, tuple(cell))), cell
    for cell in example["illegal"]:
        assert not allows(state, Place(0, tuple(cell))), cell


@pytest.mark.parametrize("case", EXAMPLES["j12"]["cases"], ids=lambda case: f"hand {case['hand']}")
def test_j12_hands_hold_four_cards(case: dict[str, Any]) -> None:
    hand = [case["hand"], 0, 0]
    assert allows(position(3, hands=[hand]), Design(0, 1)) == case["design_allowed"]
    most = case["bonus_draw_max"]
    if most:
        drawing = resolving(face(bonus="draw_two"), (0, 0), hands=[hand])
        for piles in ((0,), (2,), (0, 1), (1, 2)):
            assert allows(drawing, BonusDraw(0, piles)) == (len(piles) <= most), piles
    else:
        state = replace(position(3, hands=[hand]), phase="place", card=face(bonus="draw_two"), mode=1)
        assert BonusUseless(0, 2) in told(state, Place(0, (2, 2)))


def _bonus_move(example: dict[str, Any]) -> None:
    people = names_of(example)
    field = field_of(example, people)
    state = resolving(face("yellow", bonus="move_shop"), tuple(example["new_shop"]), seats=2, field=field)
    pick, move = Pick(0, tuple(example["from"])), MoveTo(0, tuple(example["to"]))
    if not example["expect_legal"]:
        if allows(state, pick):
            assert not allows(play(state, pick), move)
        return
    assert allows(state, pick)
    state = play(state, pick)
    assert allows(state, move)
    state = play(state, move)
    assert state.field == field_of(example, people, "expect_field")
    lost = [name for name, player in zip(people, state.players, strict=True) for _ in range(player.lost)]
    assert lost == example["expect_discarded_dragons"]


def test_j13_a_shop_moves_to_an_empty_cell_with_its_dragon() -> None:
    _bonus_move(EXAMPLES["j13"])


def test_j14_a_replaced_shop_takes_its_dragon_out_of_the_game() -> None:
    _bonus_move(EXAMPLES["j14"])


def test_j15_a_moved_shop_must_touch_another_shop() -> None:
    _bonus_move(EXAMPLES["j15"])


def test_j16_a_move_may_split_the_field() -> None:
    _bonus_move(EXAMPLES["j16"])


def test_j17_the_shop_just_built_does_not_move() -> None:
    _bonus_move(EXAMPLES["j17"])
    state = resolving(face("yellow", bonus="move_shop"), (2, 0), field=field_of(EXAMPLES["j17"], ["anna"]))
    assert refusal(state, Pick(0, (2, 0))) == "the shop just built stays"


def test_j18_swapped_shops_take_their_dragons_along() -> None:
    example = EXAMPLES["j18"]
    people = names_of(example)
    card = face("yellow", bonus="swap_shops")
    state = resolving(card, tuple(example["new_shop"]), seats=2, field=field_of(example, people))
    assert allows(state, Pick(0, tuple(example["a"])))
    state = play(state, Pick(0, tuple(example["a"])))
    assert allows(state, SwapWith(0, tuple(example["b"])))
    state = play(state, SwapWith(0, tuple(example["b"])))
    assert state.field == field_of(example, people, "expect_field")


@pytest.mark.parametrize("case", EXAMPLES["j19"]["cases"], ids=lambda case: str(case["moves"]))
def test_j19_each_scored_dragon_moves_once_to_a_free_neighbouring_shop(case: dict[str, Any]) -> None:
    example = EXAMPLES["j19"]
    people = ["anna", "boris"]
    waiting = tuple(tuple(cell) for cell in example["scored_dragons"])
    state = position(2, field_of(example, people), phase="dragons", card=0, queue=((1, waiting),))
    legal = True
    for move in case["moves"]:
        action = DragonMove(1, tuple(move["from"]), tuple(move["to"]))
        legal = state.phase == "dragons" and allows(state, action)
        if not legal:
            break
        state = play(state, action)
        assert shops(state)[action.target][1] == 1
        assert shops(state)[action.origin][1] == NOBODY
    assert legal == case["legal"]
    if not case["moves"]:
        assert allows(state, DragonsStay(1))


@pytest.mark.parametrize("case", EXAMPLES["j20"]["cases"], ids=str)
def test_j20_one_empty_pile_ends_two_players_and_two_end_more(case: dict[str, Any]) -> None:
    piles = [range(size) for size in case["piles"]]
    assert is_last_round(piles, case["players"]) == case["triggered"]
    # The same through a draw of the last card of the first pile.
    before = position(case["players"], piles=[case["piles"][0] + 1, *case["piles"][1:]])
    assert (EndTriggered(0) in told(before, Design(0, 0))) == case["triggered"]


@pytest.mark.parametrize("case", EXAMPLES["j21"]["cases"], ids=str)
def test_j21_the_round_is_finished_after_the_trigger(case: dict[str, Any]) -> None:
    trigger = case["triggered_in_turn_of"]
    piles = [0, 1, 12] if case["players"] > 2 else [5, 1, 12]
    state = position(case["players"], piles=piles, first=case["first"], active=trigger)
    state = play(state, Design(trigger, 1))
    assert state.ended == 1
    state = play(state, Design(trigger, 2))
    turns = []
    while state.phase != FINAL:
        turns.append(state.active)
        state = play(state, Design(state.active, 2), Design(state.active, 2))
    assert turns == case["turns_still_to_play"]
    assert state.active == case["first"]


@pytest.mark.parametrize("case", EXAMPLES["j22"]["cases"], ids=str)
def test_j22_change_of_task_counts(case: dict[str, Any]) -> None:
    card = face(bonus="change_task")
    state = position(case["players"], task_pile=case["pile"], phase="place", card=card, mode=1)
    events = told(state, Place(0, (2, 2)))
    state = play(state, Place(0, (2, 2)))
    if not case["drawn"]:
        assert BonusUseless(0, 3) in events
        assert len(state.players[0].tasks) == case["keep"]
        return
    before = set(state.players[0].tasks)
    state = play(state, TaskDraw(0))
    tasks = state.players[0].tasks
    assert len(tasks) == case["in_hand"]
    assert len(state.task_pile) == case["pile"] - case["drawn"]
    assert not before & set(tasks), "old and new tasks have fresh slots"
    assert not allows(state, TaskKeep(0, tasks[: case["keep"] + 1]))
    assert not allows(state, TaskKeep(0, tasks[: case["keep"] - 1]))
    state = play(state, TaskKeep(0, tasks[-case["keep"] :]))
    assert state.players[0].tasks == tasks[-case["keep"] :]
    assert len(state.task_discard) == case["discarded"]


def test_j23_a_tie_is_shared() -> None:
    assert list(winners(EXAMPLES["j23"]["scores"])) == EXAMPLES["j23"]["expect_winners"]


@pytest.mark.parametrize("mix", EXAMPLES["j24"]["legal"], ids="+".join)
def test_j24_all_mixes_of_design_and_build_are_legal(mix: list[str]) -> None:
    state = position(3, hands=[[2, 0, 0]])
    for number, kind in enumerate(mix):
        assert state.active == 0 and state.action_no == number + 1
        if kind == "design":
            assert allows(state, Design(0, 1))
            state = play(state, Design(0, 1))
        else:
            state = build(state, face("green", "adjacent"), (2, number))
    assert state.active == 1 and state.action_no == 1


def test_j25_the_first_action_must_be_a_design() -> None:
    state, _ = settle(GAME.begin({}, 3, bytes(range(32))))
    assert {type(action) for action in engine.legal(GAME, state, {})} == {Design}
    assert state.active == state.first
    assert refusal(state, Play(state.active, 0, 0, 0)) == "card 0 is not in this hand"


def test_j26_without_a_dragon_cards_are_played_for_points_only() -> None:
    state = position(3, hands=[[1, 0, 0]])
    slot = first_card(state, 0, 0)
    assert allows(state, Play(0, slot, 0, 1))
    spent = replace(state, players=(replace(state.players[0], reserve=0), *state.players[1:]))
    assert "no dragon is left" in refusal(spent, Play(0, slot, 0, 1))
    assert allows(spent, Play(0, slot, 0, 0))


def test_the_example_table_is_complete() -> None:
    assert sorted(EXAMPLES) == [f"j{number:02}" for number in range(1, 25)]
