"""Rules beside the rulings: turns, phases, refusals of nonsense, geometry, notation."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
from msgspec.structs import replace

from kontor_games import engine
from kontor_games.engine import Action, ConfigError, LocalMatch, MalformedAction
from kontor_games.engine.games.joban import GAME
from kontor_games.engine.games.joban.actions import (
    ACTIONS,
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
from kontor_games.engine.games.joban.events import EVENTS, BonusUseless, DragonPlaced, ShopBuilt
from kontor_games.engine.games.joban.field import building_cells, components, lookup, ray
from kontor_games.engine.games.joban.setup import setup
from kontor_games.engine.games.joban.state import NOBODY, State

from .playouts import OPTION_SETS, bot, playout
from .position import START, allows, build, face, first_card, play, position, refusal, resolving, settle, shops, told


def test_the_start_field_has_five_shops_of_five_start_cards() -> None:
    fields, firsts = set(), set()
    for number in range(40):
        state = GAME.begin({}, 4, bytes([number]) * 32)
        assert {(x, y) for x, y, _, _ in state.field} == {(0, 0), (-1, 1), (1, 1), (-1, -1), (1, -1)}
        colours = [shop[2] for shop in state.field]
        assert sorted(colours.count(colour) for colour in range(3)) == [1, 2, 2], "one of the six was set aside"
        fields.add(state.field)
        firsts.add(state.first)
    assert len(fields) > 10 and firsts == {0, 1, 2, 3}


@pytest.mark.parametrize(("seats", "each", "rest"), [(2, 2, 8), (3, 1, 9), (4, 1, 8)])
def test_setup_by_number_of_players(seats: int, each: int, rest: int) -> None:
    state, _ = settle(GAME.begin({}, seats, bytes(32)))
    assert [len(pile) for pile in state.piles] == [12, 12, 12]
    assert len(state.task_pile) == rest
    for player in state.players:
        assert (player.cards, len(player.tasks), player.reserve, player.score) == (0, each, 5, 0)


def test_setup_is_a_function_of_its_entropy() -> None:
    options = GAME.check_options({}, 3)
    assert setup(options, 3, b"e" * 32) == setup(options, 3, b"e" * 32)


@pytest.mark.parametrize(
    "options", [{"field_half_extent": 4}, {"max_dragons_per_shop": 1}, {"bonus_may_be_declined": 1}, {"colours": 3}]
)
def test_options_outside_the_data_file_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(ConfigError):
        GAME.begin(options, 3, bytes(32))


@pytest.mark.parametrize("seats", [1, 5])
def test_only_two_to_four_play(seats: int) -> None:
    with pytest.raises(ConfigError):
        GAME.begin({}, seats, bytes(32))


def test_a_design_takes_the_top_card_which_may_be_played_at_once() -> None:
    state = position()
    top = state.piles[1][0]
    state = play(state, Design(0, 1))
    assert state.players[0].hand == ((), (top,), ()) and len(state.piles[1]) == 11
    assert allows(state, Play(0, top, face("red"), 0))


def test_a_design_from_an_empty_pile_or_into_a_full_hand_is_refused() -> None:
    assert refusal(position(piles=(0, 5, 5)), Design(0, 0)) == "the green pile is empty"
    assert refusal(position(hands=[[2, 1, 1]]), Design(0, 0)) == "a hand holds at most 4 cards"
    assert refusal(position(), Design(0, 3)) == "there is no pile 3"


def test_a_card_leaves_the_hand_at_once_and_is_discarded_when_resolved() -> None:
    state = position(hands=[[1, 0, 0]])
    card = face("green", "adjacent")
    state = play(state, Play(0, first_card(state, 0, 0), card, 0))
    assert state.players[0].cards == 0 and state.card == card and state.discard == ()
    state = play(state, Place(0, (2, 2)))
    assert state.card == NOBODY and state.discard == (card,)


def test_a_bonus_build_places_a_dragon_on_the_new_shop_and_scores_nothing() -> None:
    state = position(hands=[[1, 0, 0]])
    card = face("green", bonus="swap_shops")
    state = play(state, Play(0, first_card(state, 0, 0), card, 1))
    assert told(state, Place(0, (2, 2))) == [ShopBuilt(0, (2, 2), 0), DragonPlaced(0, (2, 2))]
    state = play(state, Place(0, (2, 2)))
    assert shops(state)[(2, 2)] == (0, 0)
    assert state.players[0].reserve == 4 and state.players[0].score == 0 and state.phase == "bonus"


def test_a_card_is_built_in_its_own_colour_from_the_hand_that_holds_it() -> None:
    state = position(hands=[[1, 0, 0], [0, 1, 0]])
    own, foreign = first_card(state, 0, 0), first_card(state, 1, 1)
    assert "not in this hand" in refusal(state, Play(0, foreign, face("red"), 0))
    assert "green back" in refusal(state, Play(0, own, face("red"), 0))
    assert "not a shop card" in refusal(state, Play(0, own, 40, 0))
    assert "no half 2" in refusal(state, Play(0, own, 0, 2))


def test_a_ray_card_asks_for_a_direction_and_an_adjacent_card_does_not() -> None:
    state = position(hands=[[2, 0, 0]])
    assert build(state, face("green", "orthogonal"), (2, 2)).phase == "aim"
    assert build(state, face("green", "adjacent"), (2, 2)).phase == "turn"
    diagonal = build(state, face("green", "diagonal"), (2, 2))
    assert [allows(diagonal, Aim(0, direction)) for direction in range(8)] == [False] * 4 + [True] * 4
    assert refusal(diagonal, Aim(0, 65535))


def test_only_the_seat_to_act_may_act() -> None:
    assert refusal(position(), Design(1, 0)) == "seat 0 is to act, not seat 1"


def test_a_swap_needs_two_different_earlier_shops() -> None:
    state = resolving(face(bonus="swap_shops"), (0, 0))
    assert "no shop" in refusal(state, Pick(0, (5, 5)))
    picked = play(state, Pick(0, (1, 1)))
    assert refusal(picked, SwapWith(0, (1, 1))) == "a swap needs two shops"
    assert "no shop" in refusal(picked, SwapWith(0, (0, 1)))
    assert refusal(picked, MoveTo(0, (0, 1))), "the card says swap"
    assert len(engine.legal(GAME, picked, {})) == 3


def test_a_moved_shop_must_leave_its_cell() -> None:
    state = play(resolving(face(bonus="move_shop"), (0, 0)), Pick(0, (1, 1)))
    assert refusal(state, MoveTo(0, (1, 1))) == "the shop must leave its cell"
    assert refusal(state, SwapWith(0, (1, -1)))


def test_a_bonus_answers_only_to_its_own_action() -> None:
    answers = {
        "swap_shops": Pick(0, (1, 1)),
        "move_shop": Pick(0, (1, 1)),
        "draw_two": BonusDraw(0, (0,)),
        "change_task": TaskDraw(0),
    }
    for bonus, answer in answers.items():
        state = resolving(face(bonus=bonus), (0, 0))
        for other in answers.values():
            assert allows(state, other) == (other == answer)


def test_tasks_to_keep_are_different_tasks_in_hand() -> None:
    state = play(resolving(face(bonus="change_task"), (0, 0), seats=2), TaskDraw(0))
    a, b, *_ = state.players[0].tasks
    assert allows(state, TaskKeep(0, (a, b)))
    assert refusal(state, TaskKeep(0, (b, a)))
    assert refusal(state, TaskKeep(0, (a, a)))
    assert refusal(state, TaskKeep(0, (a, 999)))
    assert len(engine.legal(GAME, state, {})) == 6


def test_move_with_nothing_else_on_the_field_is_useless() -> None:
    state = position(field=[(0, 0, 1, NOBODY)], phase="place", card=face(bonus="swap_shops"), mode=1)
    assert BonusUseless(0, 0) in told(state, Place(0, (1, 0)))
    lone = replace(state, card=face(bonus="move_shop"))
    assert play(lone, Place(0, (1, 0))).phase == "bonus", "a lone earlier shop can still move beside the new one"


PHASES: dict[str, State] = {
    "turn": position(hands=[[1, 0, 0]]),
    "place": position(phase="place", card=0),
    "aim": position(phase="aim", card=face("green", "orthogonal"), new=(0, 0)),
    "dragons": position(field=[(0, 0, 0, 0), (1, 0, 1, NOBODY)], phase="dragons", card=0, queue=((0, ((0, 0),)),)),
    "bonus": resolving(face(bonus="change_task"), (0, 0)),
    "target": play(resolving(face(bonus="move_shop"), (0, 0)), Pick(0, (1, 1))),
    "keep": play(resolving(face(bonus="change_task"), (0, 0)), TaskDraw(0)),
    "final": position(phase="final"),
}
FITTING = {
    "turn": {Design, Play, Pass},
    "place": {Place},
    "aim": {Aim},
    "dragons": {DragonMove, DragonsStay},
    "bonus": {Pick, BonusDraw, TaskDraw, Decline},
    "target": {SwapWith, MoveTo},
    "keep": {TaskKeep},
    "final": {ScoreTask},
}


@pytest.mark.parametrize("phase", PHASES)
def test_each_phase_knows_its_actions_and_survives_nonsense(phase: str) -> None:
    state = PHASES[phase]
    assert state.phase == phase
    numbers = (0, 1, 7, 65535)
    cells = [(0, 0), (1, 1), (-(2**31), 2**31 - 1)]
    nonsense = [
        *(Design(0, number) for number in numbers),
        *(Play(0, slot, card, mode) for slot in (0, 2**31 - 1) for card in (0, 1023) for mode in numbers),
        *(cls(0, cell) for cls in (Place, Pick, SwapWith, MoveTo) for cell in cells),
        *(Aim(0, number) for number in numbers),
        *(BonusDraw(0, piles) for piles in ((), (65535,), (0, 1, 2))),
        *(TaskKeep(0, keep) for keep in ((), (0,), (2**31 - 1, 5))),
        *(DragonMove(0, origin, target) for origin in cells for target in cells),
        *(ScoreTask(0, slot, card, line) for slot in (0, 1, 9) for card in (0, 36, 1023) for line in (0, -(2**31))),
        TaskDraw(0),
        Decline(0),
        DragonsStay(0),
        Pass(0),
    ]
    for action in nonsense:
        reason = engine.why_not(GAME, state, action)
        assert type(action) in FITTING[phase] or reason, f"{action} in {phase}"
        assert isinstance(GAME.offer.targets(state, (action,))[0], str)


def _universe(match: LocalMatch[State]) -> list[Action]:
    """Far more actions than can be legal, of every kind."""
    state, seat = match.state, match.turn
    assert seat is not None
    known = match.known(seat)
    cells = [(x, y) for x in range(-8, 9) for y in range(-8, 9)]
    slots = sorted(known)
    lists = [tuple(pick) for count in range(4) for pick in product(range(4), repeat=count)]
    return [
        *(Design(seat, pile) for pile in range(5)),
        *(Play(seat, slot, known[slot], mode) for slot in slots for mode in range(3)),
        *(cls(seat, cell) for cls in (Place, Pick, SwapWith, MoveTo) for cell in cells),
        *(Aim(seat, direction) for direction in range(9)),
        *(BonusDraw(seat, piles) for piles in lists),
        *(TaskKeep(seat, keep) for count in range(4) for keep in product(slots, repeat=count)),
        *(DragonMove(seat, origin, target) for _, waiting in state.queue for origin in waiting for target in cells),
        *(ScoreTask(seat, slot, known[slot], line) for slot in slots for line in range(-17, 18)),
        *(cls(seat) for cls in (TaskDraw, Decline, DragonsStay, Pass)),
    ]


@pytest.mark.parametrize("options", [OPTION_SETS[0], OPTION_SETS[-1]], ids=["defaults", "all turned"])
@pytest.mark.parametrize("seats", [2, 4])
def test_candidates_are_exactly_what_why_not_allows(seats: int, options: dict[str, object]) -> None:
    def compare(match: LocalMatch[State], events: object) -> None:
        if match.turn is None or match.state.desk.want is not None or match.ply % 3:
            return
        offered = match.legal()
        allowed = [action for action in _universe(match) if engine.why_not(GAME, match.state, action) is None]
        assert len(set(offered)) == len(offered) and set(offered) == set(allowed)
        assert len(offered) <= 200, "a menu must stay readable"

    seed = b"exact" + bytes([seats])
    playout(options, seats, seed, bot("random", seed), compare)


def test_building_cells_are_the_empty_neighbours() -> None:
    cells = building_cells(7, lookup(START))
    assert len(cells) == len(set(cells)) == 20 and (0, 1) in cells and (0, 0) not in cells
    assert all(a < b for a, b in pairwise(cells))


def test_rays_stop_at_gaps_and_other_colours() -> None:
    field = lookup([(1, 0, 0, NOBODY), (2, 0, 0, NOBODY), (4, 0, 0, NOBODY)])
    assert ray(field, (0, 0), 3, 0) == [(1, 0), (2, 0)]
    assert ray(field, (0, 0), 3, 1) == []


def test_components_touch_by_sides_and_corners() -> None:
    assert len(components([(0, 0), (1, 1), (3, 3)])) == 2
    assert components([]) == []


def test_every_legal_action_reads_back_from_its_notation() -> None:
    seen = set()

    def check(match: LocalMatch[State], events: object) -> None:
        if match.turn is None or match.state.desk.want is not None:
            return
        for action in match.legal():
            seen.add(type(action))
            said = GAME.notation.say(match.state, action)
            assert GAME.notation.read(match.state, action.seat, said) == action

    for seats in (2, 3, 4):
        for number in range(3):
            seed = bytes([seats, number])
            playout({}, seats, seed, bot("random", seed), check)
    assert seen >= set(ACTIONS) - {Pass}


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("design blue", "none of green, red, yellow"),
        ("play g2 gar-swap points", "none of the cards in hand: g1"),
        ("play g1 xyz points", "none of gar-swap"),
        ("build 2;3", "cells are written 2/-1"),
        ("keep 9", "none of the tasks"),
        ("dance", "no action begins"),
    ],
)
def test_what_cannot_be_read_gets_a_hint(text: str, hint: str) -> None:
    with pytest.raises(MalformedAction, match=hint):
        GAME.notation.read(position(hands=[[1, 0, 0]]), 0, text)


def test_cells_are_written_without_a_comma_which_parts_actions() -> None:
    state = position(phase="place", card=0)
    for action in engine.legal(GAME, state, {}):
        assert not set(",;") & set(GAME.notation.say(state, action))
    assert GAME.notation.read(state, 0, "build 2/-1") == GAME.notation.read(state, 0, "build 2,-1") == Place(0, (2, -1))


def test_short_colours_are_understood() -> None:
    assert GAME.notation.read(position(), 0, "design Y") == Design(0, 2)
    assert GAME.notation.read(resolving(face(bonus="draw_two"), (0, 0)), 0, "draw g+red") == BonusDraw(0, (0, 1))


def test_names_of_events_and_actions_are_unique() -> None:
    for classes in (EVENTS, ACTIONS):
        tags = [cls.__struct_config__.tag for cls in classes]
        assert len(set(tags)) == len(tags)


def test_stand_ins_finish_a_match_with_a_sensible_score() -> None:
    match: LocalMatch[State] = LocalMatch(GAME, {}, 3, b"sensible")
    list(match.settle())
    match.leave(0, 1, 2)
    list(match.settle())
    assert match.result is not None and min(match.result.scores) > 5
