"""Every ruling of RULES.md, what it allows and what it forbids."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from kontor_games import engine
from kontor_games.engine.core.chance import Mix, Mixed, Move, Moved, Want
from kontor_games.engine.games.joban import GAME
from kontor_games.engine.games.joban.actions import (
    Aim,
    BonusDraw,
    Decline,
    Design,
    DragonMove,
    DragonsStay,
    MoveTo,
    Pass,
    Pick,
    Place,
    Play,
    ScoreTask,
    SwapWith,
    TaskDraw,
    TaskKeep,
)
from kontor_games.engine.games.joban.data import COLOURS, SHOP_CARDS, SHOPS_PER_COLOUR, TASKS
from kontor_games.engine.games.joban.events import (
    DragonMoved,
    DragonPoints,
    FinalScoring,
    PointsDoubled,
    PointsScored,
    ShopRemoved,
    TasksReshuffled,
)
from kontor_games.engine.games.joban.field import line_index
from kontor_games.engine.games.joban.state import NOBODY, State

from .position import (
    ROW,
    START,
    allows,
    build,
    face,
    first_card,
    play,
    position,
    refusal,
    resolving,
    scores,
    settle,
    shops,
    task,
    told,
)

GREEN, RED, YELLOW = range(3)
GREEN_AROUND_RED = face("green", "adjacent", "red")
SWAP_CARD = face("green", bonus="swap_shops")
MOVE_CARD = face("green", bonus="move_shop")
DRAW_CARD = face("green", bonus="draw_two")
TASK_CARD = face("green", bonus="change_task")
DOUBLE_CARD = face("green", bonus="double_points")


@pytest.mark.parametrize(("half", "inside"), [(7, False), (8, True), (0, True)])
def test_r01_shops_stay_inside_the_frame(half: int, inside: bool) -> None:
    options = {"field_half_extent": half}
    state = position(field=[*START, (7, 1, RED, NOBODY)], options=options, phase="place", card=0)
    assert allows(state, Place(0, (7, 2)))
    assert allows(state, Place(0, (8, 1))) == inside
    if not inside:
        assert "outside the field" in refusal(state, Place(0, (8, 1)))
    moving = replace(resolving(MOVE_CARD, (0, 0), field=state.field, options=options), picked=(1, 1), phase="target")
    assert allows(moving, MoveTo(0, (8, 1))) == inside


def test_r01_a_narrow_frame_never_leaves_a_player_without_a_cell() -> None:
    full = [(x, y, 0, NOBODY) for x in range(-5, 6) for y in range(-5, 6) if (x, y) != (5, 5)]
    state = position(field=full, options={"field_half_extent": 5}, phase="place", card=0)
    assert engine.legal(GAME, state, {}) == [Place(0, (5, 5))]


def test_r02_up_is_the_same_for_everybody() -> None:
    assert [line_index(direction, (3, 1)) for direction in range(4)] == [1, 3, 2, 4]
    state = build(position(hands=[[0, 1, 0]], field=[(0, 2, GREEN, NOBODY)]), face("red", "orthogonal"), (0, 1))
    for seat in range(3):
        assert engine.view(GAME, state, seat, {})["new"] == [0, 1]
    assert scores(play(state, Aim(0, 0)))[0] == scores(play(state, Aim(0, 1)))[0] == 0
    green = build(
        position(hands=[[0, 1, 0]], field=[(0, 2, GREEN, NOBODY)]), face("red", "orthogonal", "green"), (0, 1)
    )
    assert [scores(play(green, Aim(0, direction)))[0] for direction in range(4)] == [1, 0, 0, 0]


def test_r03_a_shop_carries_one_dragon() -> None:
    field = [(0, 0, RED, 1), (1, 0, RED, 2), (0, 1, RED, NOBODY)]
    state = position(field=field, phase="dragons", card=0, queue=((1, ((0, 0),)),))
    assert allows(state, DragonMove(1, (0, 0), (0, 1)))
    assert "already" in refusal(state, DragonMove(1, (0, 0), (1, 0)))
    assert not any("dragons_per_shop" in option.id for option in GAME.options), "it is not a choice"


def _two_owners() -> State:
    """Seat 1 plays green beside red shops with dragons of 0, 2 and its own."""
    field = [(0, 0, RED, 0), (1, 0, RED, 2), (2, 0, RED, 1), (0, -1, YELLOW, NOBODY), (3, 0, YELLOW, NOBODY)]
    return position(field=field, hands=[[0, 0, 0], [1, 0, 0]], active=1, first=1)


def test_r04_points_come_first_then_owners_move_clockwise_from_the_left() -> None:
    state = _two_owners()
    events = told(play(state, Play(1, first_card(state, 1, 0), GREEN_AROUND_RED, 0)), Place(1, (1, 1)))
    assert events[1:] == [PointsScored(1, 5, 3, 2), DragonPoints(2, 1), DragonPoints(0, 1)]
    state = build(state, GREEN_AROUND_RED, (1, 1))
    assert scores(state) == [1, 5, 1]
    assert engine.to_act(GAME, state) == 2, "left of the builder"
    assert allows(state, DragonMove(2, (1, 0), (1, 1))), "the new shop is a target"
    assert not allows(state, DragonMove(2, (2, 0), (3, 0))), "the builder's own dragon does not move"
    state = play(state, DragonMove(2, (1, 0), (1, 1)))
    assert engine.to_act(GAME, state) == 0
    assert allows(state, DragonMove(0, (0, 0), (1, 0))), "a shop just left may be entered"
    state = play(state, DragonsStay(0))
    assert state.active == 1 and state.action_no == 2
    assert scores(state) == [1, 5, 1]


def test_r04_an_owner_without_a_move_is_skipped() -> None:
    field = [(1, 0, RED, 2), (2, 0, RED, 0)]
    state = position(field=field, hands=[[0, 0, 0], [1, 0, 0]], active=1)
    state = build(state, face("green", "orthogonal", "red"), (0, 0), "right")
    assert scores(state) == [1, 4, 1] and engine.to_act(GAME, state) == 2
    blocked = play(state, DragonsStay(2))
    assert blocked.phase == "turn" and blocked.action_no == 2, "the dragon of seat 0 has no free neighbour"
    freed = play(state, DragonMove(2, (1, 0), (0, 0)))
    assert engine.to_act(GAME, freed) == 0 and allows(freed, DragonMove(0, (2, 0), (1, 0)))
    alone = position(field=[(0, 0, RED, 0)], hands=[[1, 0, 0]])
    assert build(alone, GREEN_AROUND_RED, (1, 0)).phase == "turn", "an own dragon asks for no decision"


def test_r04_moves_of_one_owner_are_made_one_after_another() -> None:
    field = [(0, 0, RED, 1), (1, 0, RED, 1), (2, 0, RED, NOBODY)]
    state = position(field=field, phase="dragons", card=0, queue=((1, ((0, 0), (1, 0))),))
    assert not allows(state, DragonMove(1, (0, 0), (1, 0)))
    state = play(state, DragonMove(1, (1, 0), (2, 0)))
    assert DragonMoved(1, (0, 0), (1, 0)) in told(state, DragonMove(1, (0, 0), (1, 0)))
    assert not allows(state, DragonMove(1, (2, 0), (1, 0))), "a dragon moves once"


@pytest.mark.parametrize("card", [SWAP_CARD, MOVE_CARD, DRAW_CARD, TASK_CARD])
def test_r05_a_bonus_may_be_declined_unless_the_option_forbids_it(card: int) -> None:
    state = resolving(card, (0, 0))
    assert allows(state, Decline(0))
    after = play(state, Decline(0))
    assert after.action_no == 2 and after.discard == (card,) and after.field == state.field
    strict = resolving(card, (0, 0), options={"bonus_may_be_declined": False})
    assert refusal(strict, Decline(0)) == "the bonus must be used"
    assert engine.legal(GAME, strict, {})


def test_r05_a_compulsory_draw_takes_as_many_as_possible_and_the_old_task_may_stay() -> None:
    options = {"bonus_may_be_declined": False}
    state = resolving(DRAW_CARD, (0, 0), options=options)
    assert not allows(state, BonusDraw(0, (1,)))
    assert allows(state, BonusDraw(0, (0, 1)))
    assert allows(resolving(DRAW_CARD, (0, 0), options=options, hands=[[3, 0, 0]]), BonusDraw(0, (1,)))
    asked = play(resolving(TASK_CARD, (0, 0), options=options), TaskDraw(0))
    assert all(allows(asked, TaskKeep(0, (slot,))) for slot in asked.players[0].tasks)


def test_r05_a_compulsory_bonus_that_can_do_nothing_is_passed_over() -> None:
    lonely = position(
        field=[(0, 0, RED, NOBODY)],
        options={"bonus_may_be_declined": False},
        phase="place",
        card=SWAP_CARD,
        mode=1,
    )
    assert play(lonely, Place(0, (1, 0))).action_no == 2


@pytest.mark.parametrize("card", [SWAP_CARD, MOVE_CARD])
def test_r06_the_new_shop_is_spared_but_the_first_build_of_the_turn_is_not(card: int) -> None:
    state = position(hands=[[2, 0, 0]])
    state = build(state, face("green", "adjacent"), (2, 2))
    state = build(state, card, (3, 3), bonus=True)
    assert not allows(state, Pick(0, (3, 3)))
    assert allows(state, Pick(0, (2, 2)))
    second = MoveTo if card == MOVE_CARD else SwapWith
    picked = play(state, Pick(0, (0, 0)))
    assert not allows(picked, second(0, (3, 3)))
    assert allows(picked, second(0, (2, 2)))
    included = replace(state, spare_new=0)
    assert allows(included, Pick(0, (3, 3)))
    assert allows(play(included, Pick(0, (0, 0))), second(0, (3, 3)))


def test_r06_with_the_option_even_the_new_dragon_can_be_lost() -> None:
    state = position(hands=[[1, 0, 0]], options={"bonus_excludes_new_shop": False})
    state = play(build(state, MOVE_CARD, (2, 2), bonus=True), Pick(0, (0, 0)), MoveTo(0, (2, 2)))
    assert state.players[0].lost == 1 and state.players[0].reserve == 4
    assert len(state.field) == 5


def test_r07_a_move_may_split_the_field_unless_the_option_forbids_it() -> None:
    def moving(options: dict[str, bool]) -> State:
        return play(resolving(MOVE_CARD, (4, 0), field=ROW, options=options), Pick(0, (1, 0)))

    free, bound = moving({}), moving({"move_must_keep_field_connected": True})
    assert allows(free, MoveTo(0, (5, 0)))
    assert allows(free, MoveTo(0, (3, 0)))
    assert refusal(bound, MoveTo(0, (5, 0))) == "the field would fall apart"
    assert not allows(bound, MoveTo(0, (3, 0))), "replacing leaves the gap too"
    assert allows(bound, MoveTo(0, (1, 1))), "a detour keeps the row together"


def test_r07_an_end_shop_may_go_anywhere_that_touches_the_rest() -> None:
    options = {"move_must_keep_field_connected": True}
    state = play(resolving(MOVE_CARD, (4, 0), field=ROW, options=options), Pick(0, (0, 0)))
    assert allows(state, MoveTo(0, (5, 0)))
    assert allows(state, MoveTo(0, (2, 0)))
    assert not allows(state, MoveTo(0, (-1, 0)))


def test_r07_a_field_already_split_may_stay_so() -> None:
    field = [*ROW, (0, 5, RED, NOBODY)]
    options = {"move_must_keep_field_connected": True}
    state = play(resolving(MOVE_CARD, (4, 0), field=field, options=options), Pick(0, (1, 0)))
    assert allows(state, MoveTo(0, (5, 0)))


def test_r07_a_shop_that_cannot_go_anywhere_cannot_be_picked() -> None:
    options = {"move_must_keep_field_connected": True}
    field = [*START, (2, 1, RED, NOBODY)]
    state = resolving(MOVE_CARD, (2, 1), field=field, options=options)
    assert refusal(state, Pick(0, (0, 0))) == "this shop has nowhere to go", (
        "only the middle holds the corners together"
    )
    assert not allows(state, Pick(0, (0, 0)))
    assert allows(state, Pick(0, (-1, -1)))
    assert allows(replace(state, keep_connected=0), Pick(0, (0, 0)))


def test_r08_two_doubles_in_one_turn_give_nothing() -> None:
    state = position(hands=[[2, 0, 0]])
    state = build(state, DOUBLE_CARD, (2, 2), bonus=True)
    assert state.double == 1
    state = build(state, face("green", pattern="diagonal", bonus="double_points"), (3, 3), bonus=True)
    assert scores(state) == [0, 0, 0] and state.active == 1 and state.double == 0


def test_r08_a_double_without_a_second_build_is_wasted_and_does_not_last() -> None:
    state = build(position(hands=[[1, 0, 0]]), DOUBLE_CARD, (2, 2), bonus=True)
    state = play(state, Design(0, 0))
    assert state.double == 0 and scores(state) == [0, 0, 0]
    late = play(position(hands=[[1, 0, 0]]), Design(0, 0))
    late = build(late, DOUBLE_CARD, (2, 2), bonus=True)
    assert scores(late) == [0, 0, 0] and late.active == 1


def test_r08_doubling_counts_foreign_dragons_and_pays_owners_once() -> None:
    field = [(0, 0, RED, 1), (1, 0, RED, NOBODY)]
    state = position(field=field, hands=[[2, 0, 0]])
    state = build(state, DOUBLE_CARD, (2, 0), bonus=True)
    state = play(state, Play(0, first_card(state, 0, 0), GREEN_AROUND_RED, 0))
    assert PointsDoubled(0, 3) in told(state, Place(0, (0, 1)))
    assert scores(play(state, Place(0, (0, 1)))) == [6, 1, 0]


def test_r08_a_score_of_zero_is_doubled_to_zero() -> None:
    state = build(position(hands=[[2, 0, 0]], field=[(0, 0, GREEN, NOBODY)]), GREEN_AROUND_RED, (1, 0))
    assert state.earned == 0
    assert scores(build(state, DOUBLE_CARD, (2, 0), bonus=True)) == [0, 0, 0]


def test_r09_the_draw_bonus_takes_one_card_from_each_of_two_piles_at_most() -> None:
    state = resolving(DRAW_CARD, (0, 0))
    assert allows(state, BonusDraw(0, (0,))), "one is enough"
    assert allows(state, BonusDraw(0, (0, 2)))
    for piles in ((), (1, 1), (2, 0), (0, 1, 2), (3,), (0, 65535)):
        assert engine.why_not(GAME, state, BonusDraw(0, piles)), piles
    after = play(state, BonusDraw(0, (0, 2)))
    assert [len(slots) for slots in after.players[0].hand] == [1, 0, 1]
    single = resolving(DRAW_CARD, (0, 0), piles=(0, 4, 0))
    assert allows(single, BonusDraw(0, (1,)))
    assert not allows(single, BonusDraw(0, (0, 1)))


def test_r10_discarded_tasks_are_not_reshuffled_by_default() -> None:
    state = resolving(TASK_CARD, (0, 0), task_pile=1, task_discard=((900, 1), (901, 2)))
    state = play(state, TaskDraw(0))
    assert len(state.players[0].tasks) == 2 and len(state.task_discard) == 2 and not state.task_pile


def test_r10_the_option_moves_discards_under_all_layers_and_shuffles_them_with_the_rest() -> None:
    options = {"reshuffle_task_discards": True}
    state = resolving(TASK_CARD, (0, 0), task_pile=1, task_discard=((900, 1), (901, 2)), options=options)
    rest = state.task_pile
    state, events = engine.step(GAME, state, TaskDraw(0))
    assert events == (TasksReshuffled(2),)
    wants: list[Want] = []
    while state.desk.want is not None and len(wants) < 3:
        want = state.desk.want
        wants.append(want)
        state, _ = engine.step(GAME, state, Moved(want.r) if isinstance(want, Move) else Mixed(want.r))
    moves, mix = wants[:2], wants[2]
    assert [(want.slot, want.by, want.to) for want in moves if isinstance(want, Move)] == [
        (900, 1, None),
        (901, 2, None),
    ]
    assert isinstance(mix, Mix) and mix.own is None
    assert mix.slots == (*rest, moves[0].new, moves[1].new)  # type: ignore[union-attr]
    state, _ = settle(state)
    assert len(state.players[0].tasks) == 3 and len(state.task_pile) == 1 and state.task_discard == ()


def test_r10_with_the_option_an_empty_pile_still_serves_the_bonus_if_there_are_discards() -> None:
    options = {"reshuffle_task_discards": True}
    place = {"phase": "place", "card": TASK_CARD, "mode": 1, "task_pile": 0, "options": options}
    assert play(position(**place), Place(0, (2, 2))).phase == "turn"
    state = play(position(**place, task_discard=((900, 1),)), Place(0, (2, 2)), TaskDraw(0))
    assert len(state.players[0].tasks) == 2
    full = resolving(TASK_CARD, (0, 0), task_pile=2, task_discard=((900, 1),), options=options)
    assert play(full, TaskDraw(0)).task_discard == ((900, 1),), "a pile that suffices is left alone"


def test_r11_points_may_be_chosen_where_there_are_none() -> None:
    state = build(position(hands=[[1, 0, 0]]), face("green", "orthogonal"), (2, 2))
    for direction in range(4):
        assert allows(state, Aim(0, direction))
    assert not allows(state, Aim(0, 4)), "a diagonal is not a direction of this card"
    assert scores(play(state, Aim(0, 0))) == [0, 0, 0]


@pytest.mark.parametrize(("counts", "points"), [(True, 7), (False, 4)])
def test_r12_own_dragons_count_in_final_scoring(counts: bool, points: int) -> None:
    field = [(0, 0, GREEN, 0), (1, 0, RED, 1), (2, 0, GREEN, NOBODY), (3, 0, GREEN, NOBODY), (4, 0, GREEN, NOBODY)]
    state = position(field=field, phase="final", options={"final_own_dragons_count": counts})
    state = play(state, ScoreTask(0, state.players[0].tasks[0], task("row+g-r"), 0))
    # Four green 8, one red −2, a foreign dragon on it −2; with the option the own dragon +2 and its owner's +1.
    assert scores(state) == [points, 1, 0]


def test_r13_players_score_one_after_another_and_dragons_stay() -> None:
    state = position(field=[(0, 0, GREEN, 1), (1, 0, RED, NOBODY)], phase="final", first=1, active=1)
    order = []
    while engine.to_act(GAME, state) is not None:
        seat = state.active
        order.append(seat)
        assert not allows(state, DragonMove(1, (0, 0), (1, 0)))
        hidden = [player.tasks for number, player in enumerate(state.players) if number not in order[:-1]]
        assert all(hidden), "later tasks are still sealed"
        state = play(state, ScoreTask(seat, state.players[seat].tasks[0], task("row+g-r") + len(order), 0))
    assert order == [1, 2, 0]
    assert state.field == ((0, 0, GREEN, 1), (1, 0, RED, NOBODY))


def test_r14_any_line_with_a_shop_may_be_chosen_and_a_loss_is_booked() -> None:
    state = position(field=[(0, 0, GREEN, NOBODY), (1, 1, RED, NOBODY)], phase="final")
    slot = state.players[0].tasks[0]
    known = {slot: task("row+g-r")}
    assert engine.legal(GAME, state, known) == [ScoreTask(0, slot, task("row+g-r"), line) for line in (0, 1)]
    assert refusal(state, ScoreTask(0, slot, task("row+g-r"), 2)) == "no shop is on line 2"
    assert refusal(state, ScoreTask(0, slot, task("row+g-r"), -(2**31)))
    assert scores(play(state, ScoreTask(0, slot, task("row+g-r"), 1))) == [-2, 0, 0]


def test_r15_two_tasks_may_use_the_same_line_and_pay_owners_twice() -> None:
    state = position(2, field=[(0, 0, GREEN, 1), (1, 0, GREEN, NOBODY)], phase="final")
    first, second = state.players[0].tasks
    state = play(state, ScoreTask(0, first, task("row+g-r"), 0))
    assert state.active == 0, "a task is left"
    assert refusal(state, ScoreTask(0, first, task("row+g-r"), 0)), "each task counts once"
    state = play(state, ScoreTask(0, second, task("row+y-g"), 0))
    assert scores(state) == [0, 2]
    assert [points for _, _, points in state.players[0].scored] == [6, -6]


def test_r16_pass_only_with_an_empty_hand_and_empty_piles() -> None:
    bare = position(piles=(0, 0, 0), ended=1)
    assert engine.legal(GAME, bare, {}) == [Pass(0)]
    assert play(bare, Pass(0)).action_no == 2
    assert not allows(position(piles=(0, 0, 1), ended=1), Pass(0))
    with_card = position(piles=(0, 0, 0), hands=[[1, 0, 0]], ended=1)
    assert refusal(with_card, Pass(0)) == "an action can still be used"
    full = position(hands=[[4, 0, 0]])
    assert not allows(full, Pass(0)) and not allows(full, Design(0, 0))


def test_r17_a_trigger_in_the_last_turn_of_a_round_ends_the_match_after_it() -> None:
    state = position(3, piles=(0, 1, 5), first=1, active=0)
    state = play(state, Design(0, 1))
    assert state.phase == "turn" and state.ended == 1
    assert FinalScoring(1) in told(state, Design(0, 2))


def test_r18_a_replaced_shop_goes_back_and_the_supply_never_runs_out() -> None:
    state = play(resolving(MOVE_CARD, (0, 0)), Pick(0, (1, 1)))
    assert ShopRemoved((1, -1), RED) in told(state, MoveTo(0, (1, -1)))
    assert len(play(state, MoveTo(0, (1, -1))).field) == len(START) - 1
    per_colour = Counter(card.colour for card in SHOP_CARDS)
    assert all(per_colour[colour] + 2 == SHOPS_PER_COLOUR[colour] for colour in range(3))


def test_r19_hand_colours_are_public_and_faces_are_not() -> None:
    state = position(hands=[[1, 0, 2], [0, 1, 0]])
    known = {slot: 0 for slots in state.players[0].hand for slot in slots}
    hand = engine.view(GAME, state, 1, known)["players"][0]["hand"]
    assert [card["colour"] for card in hand] == ["green", "yellow", "yellow"]
    assert [card["card"] for card in hand] == [None] * 3


def test_r20_the_decks_have_the_reconstructed_shape() -> None:
    for colour in range(3):
        cards = [card for card in SHOP_CARDS if card.colour == colour]
        assert Counter((card.pattern, card.scores) for card in cards) == {
            (pattern, other): 2 for pattern in range(3) for other in range(3) if other != colour
        }
        assert sorted(Counter(card.bonus for card in cards).items()) == [(0, 3), (1, 3), (2, 2), (3, 2), (4, 2)]
        turned = {(card.pattern, (card.scores - colour) % 3, card.bonus) for card in cards}
        assert turned == {(card.pattern, card.scores, card.bonus) for card in SHOP_CARDS if card.colour == 0}
    assert Counter((card.plus, card.minus) for card in TASKS) == {
        (plus, minus): 2 for plus in range(3) for minus in range(3) if plus != minus
    }
    assert all(card.minus == (card.plus + (1 if card.direction in (0, 2) else 2)) % 3 for card in TASKS)
    for wanted in (("green", "adjacent", "yellow"), ("red", "orthogonal", "green"), ("yellow", "diagonal", "red")):
        assert COLOURS[SHOP_CARDS[face(*wanted)].colour] == wanted[0]


def test_r21_without_dragons_only_points_are_left() -> None:
    state = position(hands=[[1, 0, 0]])
    spent = replace(state, players=(replace(state.players[0], reserve=0, lost=5), *state.players[1:]))
    slot = first_card(spent, 0, 0)
    offered = engine.legal(GAME, spent, {slot: 0})
    assert Play(0, slot, 0, 0) in offered and Play(0, slot, 0, 1) not in offered
    assert "no dragon" in refusal(spent, Play(0, slot, 0, 1))
    assert shops(spent) == shops(state)
