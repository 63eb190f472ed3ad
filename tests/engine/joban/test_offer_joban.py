"""How the fair is offered: buttons, what is one choice, elements, words of a few positions, reasons and figures."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from kontor_games.clients.text.phrases import Words
from kontor_games.engine import Choice, Known, Reason, choices, legal
from kontor_games.engine.core.offer import Figure, Travel
from kontor_games.engine.games.joban import GAME
from kontor_games.engine.games.joban.actions import (
    Aim,
    BonusDraw,
    Design,
    DragonMove,
    MoveTo,
    Pick,
    Place,
    Play,
    ScoreTask,
    TaskKeep,
)
from kontor_games.engine.games.joban.data import DIRECTIONS
from kontor_games.engine.games.joban.events import (
    CardDrawn,
    DragonDiscarded,
    PointsScored,
    ShopsSwapped,
    TaskScored,
)
from kontor_games.engine.games.joban.scoring import line_points, line_values, task_lines
from kontor_games.engine.games.joban.state import NOBODY, State

from .position import ROW, START, face, first_card, play, position, resolving, shops, task

OFFER = GAME.offer
WORDS = Words("joban", ["Anna", "Bruno", "Clara"], you=0)
STRAIGHT = face("green", "orthogonal", "red", "move_shop")
AROUND = face("green", "adjacent", "red", "swap_shops")
# Two red shops in a row, a dragon of seat 1 on the second; a green shop to their left.
LINE = ((0, 0, 0, NOBODY), (1, 0, 1, NOBODY), (2, 0, 1, 1))


def menu(state: State, known: Known | None = None) -> list[Choice]:
    return choices(GAME, state, known or {})


def phrases(state: State, known: Known | None = None) -> list[str | None]:
    return [phrase(state, *choice.actions) for choice in menu(state, known)]


def phrase(state: State, *path: Any) -> str | None:
    return WORDS.phrase(OFFER.details(state, path, {}), [action.__struct_config__.tag for action in path])


def placing(card: int, mode: int = 0, **more: Any) -> State:
    """Seat 0 has played a card and chooses a place for its shop."""
    return position(**{"phase": "place", "card": card, "mode": mode, "field": LINE, **more})


def why(state: State, kind: str, known: Known | None = None) -> str | None:
    reason = OFFER.why_none(state, kind, known or {})
    assert reason is None or isinstance(reason, Reason)
    return reason


def test_a_turn_offers_piles_and_both_halves_of_each_card() -> None:
    state = position(hands=((1, 0, 0),))
    slot = first_card(state, 0, 0)
    found = menu(state, {slot: AROUND})
    assert [OFFER.kind(state, choice.actions) for choice in found] == ["take", "take", "take", "points", "bonus"]
    assert [OFFER.targets(state, choice.actions) for choice in found] == [
        ("pile:0",),
        ("pile:1",),
        ("pile:2",),
        (f"card:{slot}:0", f"card:{slot}"),
        (f"card:{slot}:1", f"card:{slot}"),
    ]
    assert phrases(state, {slot: AROUND})[2:] == [
        "Take a yellow card",
        "Build a green shop for points: red shops around it, instead of swapping two shops",
        "Build a green shop with a dragon and swap two shops, instead of points for red shops around it",
    ]


def test_a_place_and_its_direction_are_one_choice_and_equal_ones_are_one() -> None:
    state = placing(STRAIGHT)
    here = [choice for choice in menu(state) if choice.actions[0] == Place(0, (3, 0))]
    assert [tuple(type(each) for each in choice.actions) for choice in here] == [(Place, Aim)] * 2
    assert [OFFER.targets(state, choice.actions) for choice in here] == [
        ("cell:3:0", "aim:3:0:up", "aim:3:0:down", "aim:3:0:right"),
        ("cell:3:0", "aim:3:0:left"),
    ]
    aiming = play(state, Place(0, (3, 0)))
    assert [OFFER.targets(aiming, choice.actions) for choice in menu(aiming)] == [
        ("direction:up", "direction:down", "direction:right", "cell:3:0"),
        ("direction:left", "cell:3:0"),
    ]
    assert [phrase(state, *choice.actions) for choice in here] == [
        "Build the green shop 3 right of the middle, scoring nothing",
        "Build the green shop 3 right of the middle, scoring 2 red shops to its left",
    ]


def test_points_stand_on_the_place_for_everybody() -> None:
    state = placing(STRAIGHT)
    left = (Place(0, (3, 0)), Aim(0, DIRECTIONS.index("left")))
    mine, theirs = Figure("points", 3, 0, "cell:3:0"), Figure("points", 1, 1, "cell:3:0")
    assert OFFER.foresee(state, left, {}) == (mine, theirs)
    doubled = replace(state, double=1)
    assert OFFER.foresee(doubled, left, {}) == (replace(mine, amount=6), theirs)
    assert OFFER.foresee(state, left[:1], {}) == ()  # no direction yet, no points


def test_a_double_after_the_build_brings_its_points_at_the_place() -> None:
    state = placing(face("green", bonus="double_points"), mode=1, earned=4, action_no=2)
    assert OFFER.foresee(state, (Place(0, (3, 0)),), {}) == (Figure("points", 4, 0, "cell:3:0"),)
    assert phrase(state, Place(0, (3, 1))) == (
        "Build the green shop 3 right and 1 above the middle with your dragon on it"
    )


def test_a_card_says_how_much_it_can_bring() -> None:
    state = position(hands=((1, 0, 0),), field=LINE)
    slot = first_card(state, 0, 0)
    best = Figure("best", 3, 0, f"card:{slot}:0")
    assert OFFER.foresee(state, (Play(0, slot, STRAIGHT, 0),), {}) == (best,)
    assert OFFER.foresee(state, (Play(0, slot, STRAIGHT, 1),), {}) == ()
    double = (Play(0, slot, face("green", bonus="double_points"), 1),)
    assert OFFER.foresee(replace(state, earned=2), double, {}) == (Figure("best", 2, 0, f"card:{slot}:1"),)


def test_a_place_says_what_it_does_to_the_own_tasks() -> None:
    state = placing(AROUND, tasks=1)
    known = {state.players[0].tasks[0]: task("row+g-r")}  # the only row brings −4 now, the new one 2
    unknown = OFFER.foresee(state, (Place(0, (1, 1)),), {})
    assert unknown == (Figure("points", 3, 0, "cell:1:1"), Figure("points", 1, 1, "cell:1:1"))
    assert OFFER.foresee(state, (Place(0, (1, 1)),), known) == (*unknown, Figure("task", 6, 0, "cell:1:1"))


def test_the_card_that_empties_a_pile_says_that_the_last_round_begins() -> None:
    state = position(seats=2, piles=(1, 5, 5))
    assert OFFER.foresee(state, (Design(0, 0),), {}) == (Figure("last_round", 1, None, "pile:0"),)
    assert OFFER.foresee(state, (Design(0, 1),), {}) == ()
    assert OFFER.foresee(replace(state, ended=1), (Design(0, 0),), {}) == ()
    drawing = replace(state, phase="bonus", card=face(bonus="draw_two"), mode=1, new=(0, 0))
    assert OFFER.foresee(drawing, (BonusDraw(0, (0, 1)),), {}) == (Figure("last_round", 1, None, "pile:0"),)


def test_a_bonus_that_draws_offers_one_pile_or_two() -> None:
    state = resolving(face(bonus="draw_two"), (0, 0), piles=(3, 0, 3))
    assert phrases(state) == [
        "Draw one card: green",
        "Draw one card: yellow",
        "Draw two cards: green and yellow",
        "Leave the bonus unused",
    ]
    assert [OFFER.targets(state, choice.actions) for choice in menu(state)][2:] == [
        ("pile:0", "pile:2"),
        ("button:decline",),
    ]


def test_swap_and_move_are_two_clicks_of_one_kind() -> None:
    state = resolving(face(bonus="swap_shops"), (0, 0))
    assert {OFFER.kind(state, choice.actions) for choice in menu(state)} == {"swap", "decline"}
    assert phrase(state, Pick(0, (1, 1))) == "Swap the yellow shop 1 right and 1 above the middle with another one"
    picked = play(state, Pick(0, (1, 1)))
    assert "Swap the yellow shop 1 right and 1 above the middle with the red shop 1 right and 1 below the middle" in (
        phrases(picked)
    )
    assert {OFFER.kind(picked, choice.actions) for choice in menu(picked)} == {"swap"}


def test_a_moved_shop_says_what_it_replaces_and_who_loses_a_dragon() -> None:
    state = resolving(face(bonus="move_shop"), (0, 0), field=(*LINE, (1, 1, 2, NOBODY)))
    assert phrase(state, Pick(0, (1, 1))) == "Move the yellow shop 1 right and 1 above the middle"
    state = play(state, Pick(0, (1, 1)))
    assert {OFFER.kind(state, choice.actions) for choice in menu(state)} == {"move"}
    head = "Move the yellow shop 1 right and 1 above the middle"
    assert phrase(state, MoveTo(0, (0, 1))) == f"{head} to the free place 1 above the middle"
    assert phrase(state, MoveTo(0, (1, 0))) == f"{head} onto the red shop 1 right of the middle, which leaves the fair"
    assert phrase(state, MoveTo(0, (2, 0))) == (
        f"{head} onto the red shop 2 right of the middle, which leaves the fair with Bruno’s dragon"
    )
    assert OFFER.foresee(state, (MoveTo(0, (2, 0)),), {}) == (Figure("lost", 1, 1, "cell:2:0"),)
    assert OFFER.foresee(state, (MoveTo(0, (1, 0)),), {}) == ()


def test_shops_that_would_do_as_well_are_one_choice_with_all_their_cells() -> None:
    field = (*LINE, (1, 1, 1, NOBODY), (0, 1, 1, NOBODY))
    swapping = play(resolving(face(bonus="swap_shops"), (0, 0), field=field), Pick(0, (1, 0)))
    [alike] = [choice.actions for choice in menu(swapping) if "like it" in str(phrase(swapping, *choice.actions))]
    assert OFFER.targets(swapping, alike) == ("cell:0:1", "cell:1:1")
    assert phrase(swapping, *alike) == (
        "Swap the red shop 1 right of the middle with any other red shop like it, which changes nothing"
    )
    moving = play(resolving(face(bonus="move_shop"), (0, 0), field=field), Pick(0, (1, 0)))
    [alike] = [choice.actions for choice in menu(moving) if "like it" in str(phrase(moving, *choice.actions))]
    assert OFFER.targets(moving, alike) == ("cell:0:1", "cell:1:1")
    assert phrase(moving, *alike) == (
        "Move the red shop 1 right of the middle onto any other red shop like it, which leaves the fair"
    )
    for state in (swapping, moving):
        whole = [element for choice in menu(state) for element in OFFER.targets(state, choice.actions)]
        assert sorted(whole) == sorted(GAME.offer.targets(state, (action,))[0] for action in legal(GAME, state, {}))


def test_tasks_to_keep_are_counted_and_say_their_best_line() -> None:
    state = position(seats=2, phase="keep", card=face(bonus="change_task"), mode=1, new=(0, 0), tasks=4, field=ROW)
    first, second, *_ = state.players[0].tasks
    keep = (TaskKeep(0, (first, second)),)
    assert len(menu(state)) == 6
    assert phrase(state, *keep) == "Keep the first and the second task"
    assert OFFER.targets(state, keep) == (f"task:{first}", f"task:{second}")
    known = {first: task("row+g-r"), second: task("column+g-y")}
    assert WORDS.phrase(OFFER.details(state, keep, known), []) == (
        "Keep the tasks for a row where green pays and red costs and for a column where green pays and yellow costs"
    )
    assert WORDS.phrase(OFFER.details(state, (TaskKeep(0, (second,)),), known), []) == (
        "Keep the task for a column where green pays and yellow costs"
    )
    assert OFFER.foresee(state, keep, known) == (
        Figure("line", 0, 0, f"task:{first}"),
        Figure("line", 2, 0, f"task:{second}"),
    )
    three = position(phase="keep", tasks=3, card=face(bonus="change_task"), mode=1, new=(0, 0))
    assert phrases(three) == ["Keep the first task", "Keep the second task", "Keep the third task"]


def test_a_scored_dragon_is_moved_by_its_shop_or_the_one_it_goes_to() -> None:
    state = position(phase="dragons", field=LINE, queue=((1, ((2, 0),)),), card=STRAIGHT, new=(0, 0))
    move = (DragonMove(1, (2, 0), (1, 0)),)
    assert menu(state)[0].actions == move
    assert OFFER.targets(state, move) == ("cell:1:0", "cell:2:0")
    assert phrase(state, *move) == (
        "Move Bruno’s dragon from the red shop 2 right of the middle to the red shop 1 right of the middle"
    )
    assert phrases(state)[-1] == "Leave Bruno’s scored dragon where it is"
    assert not OFFER.at_rest(state)
    assert WORDS.now(OFFER.now(state), 1) == "Bruno may move a scored dragon."


def test_a_line_is_scored_by_its_sign_its_task_or_any_shop_on_it() -> None:
    state = position(phase="final", field=(*LINE, (2, 1, 0, 0)))
    slot = state.players[0].tasks[0]
    score = (ScoreTask(0, slot, task("column+r-g"), 2),)
    assert OFFER.targets(state, score) == (f"line:{slot}:1:2", f"task:{slot}", "cell:2:0", "cell:2:1")
    assert phrase(state, *score) == (
        "Score the column 2 right of the middle: +2 for each red shop, −2 for each green shop"
    )
    # +2 and +2 for Bruno's dragon and its shop, −2 and −2 for the own ones; each owner gets one
    assert OFFER.foresee(state, score, {}) == (
        Figure("points", 1, 0, f"line:{slot}:1:2"),
        Figure("points", 1, 1, f"line:{slot}:1:2"),
    )


def test_all_lines_at_once_are_worth_what_they_are_one_by_one() -> None:
    state = position(field=(*LINE, (2, 1, 0, 0), (3, 2, 2, 2)))
    for face_of_task in range(36, 48):
        for own in (0, 1):
            values = line_values(shops(state), face_of_task, 0, own)
            assert sorted(values) == task_lines(state.field, face_of_task)
            for line, value in values.items():
                points, owners = line_points(shops(state), face_of_task, line, 0, own)
                assert value == points + owners.get(0, 0)


@pytest.mark.parametrize(
    ("state", "said", "about"),
    [
        (position(hands=((1, 0, 0),)), "Your turn: 2 actions left. Take a card or build.",
         "Anna has 2 actions left, to take a card or build."),
        (position(action_no=2), "Your turn: one action left. Take a card; you have none to build with.",
         "Anna has one action left and must take a card."),
        (position(hands=((4, 0, 0),), double=1), "Your turn: 2 actions left. Build; you cannot take a card. "
         "The points of the next build count twice.",
         "Anna has 2 actions left and must build. The points of the next build count twice."),
        (position(piles=(0, 0, 0), ended=1), "Your turn: 2 actions left. Pass; there is no card to play and none to "
         "take. This is the last round.",
         "Anna has 2 actions left, but no card to play and none to take. This is the last round."),
        (placing(STRAIGHT), "Choose a place for the green shop; it must touch a shop.",
         "Anna chooses a place for a green shop."),
        (resolving(face(bonus="draw_two"), (0, 0), hands=((2, 1, 0),)), "Your bonus: draw one card, or decline.",
         "Anna may draw one card."),
        (position(seats=2, phase="final"), "Final scoring: choose a line for one of your 2 tasks.",
         "Final scoring: Anna chooses a line for one of 2 tasks."),
    ],
)  # fmt: skip
def test_what_is_asked_is_a_sentence(state: State, said: str, about: str) -> None:
    assert WORDS.now(OFFER.now(state), 0) == said
    assert Words("joban", ["Anna", "Bruno", "Clara"], you=1).now(OFFER.now(state), 0) == about


def test_every_button_says_why_it_has_no_choice() -> None:
    state = position(hands=((4, 0, 0),))
    known = dict.fromkeys(state.players[0].hand[0], AROUND)
    assert why(state, "take", known) == "you have 4 cards and cannot hold more: build first"
    assert (why(state, "points", known), why(state, "bonus", known)) == (None, None)
    assert why(state, "bonus") == "these cards are not known"
    assert why(state, "score", known) == "tasks are scored after the last round"
    assert why(state, "pass", known) == "an action can still be used"
    assert why(state, "swap", known) == "no card that asks for it is in play"
    assert why(state, "dragon", known) == "no dragon of yours was scored just now"
    assert why(position(), "points") == "you have no card: take one first"
    assert why(position(piles=(0, 0, 0)), "points") == "you have no card, and all piles are empty"
    assert why(position(piles=(0, 0, 0), hands=((1, 0, 0),)), "take") == "all piles are empty"
    alone = replace(state, players=(replace(state.players[0], reserve=0), *state.players[1:]))
    assert why(alone, "bonus", known) == "no dragon is left: cards can only be played for points"
    assert why(placing(STRAIGHT), "take") == "not now: the shop of the card in play must be placed"
    assert why(replace(state, phase="over"), "take") == "the match is over"
    bound = resolving(face(bonus="swap_shops"), (0, 0), options={"bonus_may_be_declined": False})
    assert why(bound, "decline") == "the bonus must be used"
    assert why(bound, "move") == "not now: the bonus comes first"


def test_a_turn_rests_before_its_first_action_only() -> None:
    assert OFFER.at_rest(position())
    assert not OFFER.at_rest(position(action_no=2))
    assert not OFFER.at_rest(placing(STRAIGHT))
    final = position(seats=2, phase="final")
    assert OFFER.at_rest(final)
    begun = replace(final.players[0], scored=((36, 0, 2),))
    assert not OFFER.at_rest(replace(final, players=(begun, final.players[1])))


def test_pieces_cards_and_points_travel() -> None:
    state = position(field=START, new=(0, 0))
    assert OFFER.travels(state, CardDrawn(1, 0)) == (Travel("card:green", "pile:0", "desk:1:hand", 1),)
    assert OFFER.travels(state, ShopsSwapped(0, (0, 0), (1, 1))) == (
        Travel("shop:green", "cell:0:0", "cell:1:1"),
        Travel("shop:yellow", "cell:1:1", "cell:0:0"),
    )
    assert OFFER.travels(state, PointsScored(0, 3, 2, 1)) == (Travel("points", "cell:0:0", "points:0", 0, 3),)
    assert OFFER.travels(state, PointsScored(0, 0, 0, 0)) == ()
    assert OFFER.travels(state, DragonDiscarded(1, (2, 0))) == (Travel("dragon", "cell:2:0", "", 1),)
    assert OFFER.travels(state, TaskScored(1, 36, 0, -4)) == (
        Travel("task", "desk:1:tasks", "desk:1:scored", 1),
        Travel("points", "points:1", "", 1, 4),
    )


def test_what_a_seat_has_not_seen_is_sorted_by_backs() -> None:
    state = position(seats=2, hands=((1, 0, 0), (2, 0, 0)), piles=(9, 12, 12), task_pile=8)
    mine = first_card(state, 0, 0)
    known = {mine: AROUND, state.players[0].tasks[0]: task("row+g-r"), state.players[0].tasks[1]: task("row+r-y")}
    green, red, _, tasks = GAME.unseen(state, known)
    assert AROUND not in green[0] and len(green[0]) == len(green[1]) == 11
    assert set(state.players[1].hand[0]) <= set(green[1]) and mine not in green[1]
    assert red == (tuple(range(12, 24)), state.piles[1])
    assert len(tasks[0]) == len(tasks[1]) == 10 and task("row+g-r") not in tasks[0]
