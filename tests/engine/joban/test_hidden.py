"""What stays hidden: slots that do not tell, views and events without a foreign face, seats that leave at any time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kontor_games import engine
from kontor_games.engine import Action, Event, IllegalAction, LocalMatch
from kontor_games.engine.core.chance import Deal, Mix, Move
from kontor_games.engine.core.stream import Stream
from kontor_games.engine.games.joban import GAME
from kontor_games.engine.games.joban.actions import BonusDraw, Design, Play, ScoreTask, TaskDraw
from kontor_games.engine.games.joban.data import FIRST_TASK, SHOP_CARDS, TASK
from kontor_games.engine.games.joban.state import USE_BONUS, State

from .playouts import Policy, bot, check_invariants, playout
from .position import face, first_card, play, position, resolving


def _wants(state: State, action: Action) -> list[Any]:
    """The wants that follow an action, one after another."""
    found = []
    state, _ = engine.step(GAME, state, action)
    while state.desk.want is not None:
        want = state.desk.want
        found.append(want)
        answer: Any
        if isinstance(want, Deal):
            answer = engine.core.chance.Dealt(want.r, tuple((slot, seat, None) for slot, seat in want.cards))
        elif isinstance(want, Move):
            answer = engine.core.chance.Moved(want.r)
        else:
            answer = engine.core.chance.Mixed(want.r)
        state, _ = engine.step(GAME, state, answer)
    return found


def test_setup_asks_for_three_piles_then_tasks_then_the_deal() -> None:
    match: LocalMatch[State] = LocalMatch(GAME, {}, 2, b"setup")
    wants = []
    while match.state.desk.want is not None:
        wants.append(match.state.desk.want)
        next(match.settle())
    assert [type(want) for want in wants] == [Mix, Mix, Mix, Mix, Deal]
    for colour, want in enumerate(wants[:3]):
        assert isinstance(want, Mix) and {SHOP_CARDS[card].colour for card in want.faces} == {colour}
        assert len(want.faces) == 12 and want.own is None
    deal = wants[4]
    assert isinstance(deal, Deal) and [seat for _, seat in deal.cards] == [0, 0, 1, 1]


def test_a_card_drawn_to_others_of_its_colour_is_shuffled_with_them_by_its_owner() -> None:
    state = position(hands=[[2, 1, 0]])
    deal, mix = _wants(state, Design(0, 0))
    top = state.piles[0][0]
    assert isinstance(deal, Deal) and deal.cards == ((top, 0),)
    assert isinstance(mix, Mix) and mix.own == 0 and mix.faces == ()
    assert mix.slots == (*state.players[0].hand[0], top), "slots of that colour only"
    after = play(state, Design(0, 0))
    assert after.players[0].hand == (mix.out, state.players[0].hand[1], ())


def test_a_single_card_of_a_colour_is_not_shuffled() -> None:
    assert [type(want) for want in _wants(position(hands=[[2, 1, 0]]), Design(0, 2))] == [Deal]


def test_two_drawn_cards_are_dealt_together_and_shuffled_colour_by_colour() -> None:
    state = resolving(face(bonus="draw_two"), (0, 0), hands=[[1, 0, 1]])
    deal, first, second = _wants(state, BonusDraw(0, (0, 2)))
    assert len(deal.cards) == 2
    assert (first.own, second.own) == (0, 0)
    assert first.slots == (*state.players[0].hand[0], state.piles[0][0])
    assert second.slots == (*state.players[0].hand[2], state.piles[2][0])


def test_old_and_new_tasks_are_shuffled_by_their_owner_before_the_choice() -> None:
    state = resolving(face(bonus="change_task"), (0, 0), seats=2)
    deal, mix = _wants(state, TaskDraw(0))
    assert deal.cards == tuple((slot, 0) for slot in state.task_pile[:2])
    assert mix.own == 0 and mix.slots == (*state.players[0].tasks, *state.task_pile[:2])


def test_the_owner_really_shuffles() -> None:
    """Over many seeds the card drawn last is found at every place of the hand."""
    places = set()
    for number in range(30):
        match: LocalMatch[State] = LocalMatch(GAME, {}, 2, bytes([number]))
        list(match.settle())
        seat = match.state.active
        match.play(Design(seat, 0))
        list(match.settle())
        (old,) = (match.known(seat)[slot] for slot in match.state.players[seat].hand[0])
        match.play(Design(seat, 0))
        list(match.settle())
        places.add([match.known(seat)[slot] for slot in match.state.players[seat].hand[0]].index(old))
    assert places == {0, 1}


def test_nobody_can_claim_another_card_than_the_one_held() -> None:
    match: LocalMatch[State] = LocalMatch(GAME, {}, 3, b"claim")
    list(match.settle())
    seat = match.state.active
    match.play(Design(seat, 1))
    list(match.settle())
    slot = first_card(match.state, seat, 1)
    true = match.known(seat)[slot]
    wrong = next(card for card in range(12, 24) if card != true)
    assert engine.why_not(GAME, match.state, Play(seat, slot, wrong, 0)) is None, "the rules alone cannot tell"
    with pytest.raises(IllegalAction, match="is not card"):
        match.play(Play(seat, slot, wrong, 0))
    with pytest.raises(IllegalAction, match="red back"):
        match.play(Play(seat, slot, 0, 0))
    match.play(Play(seat, slot, true, 0))


def _faces_shown(view: Any) -> Iterator[int]:
    """Every card face anywhere in a view."""
    if isinstance(view, dict):
        if "face" in view and "code" in view:
            yield view["face"]
        for part in view.values():
            yield from _faces_shown(part)
    elif isinstance(view, list):
        for part in view:
            yield from _faces_shown(part)


def _check_secrets(match: LocalMatch[State], events: tuple[Event, ...]) -> None:
    """Each view shows open faces and the viewer's own, nothing else; nor does an event."""
    state = match.state
    public = {*state.discard, state.card, *match.public().values()}
    public |= {scored for player in state.players for scored, _, _ in player.scored}
    for seat in (None, *range(len(state.players))):
        own = set() if seat is None else set(match.known(seat).values())
        known = {} if seat is None else match.known(seat)
        seen = set(_faces_shown(engine.view(GAME, state, seat, known)))
        assert seen <= public | own
        if state.desk.want is None:
            assert own <= seen | public, "a player sees all of its own"
    for event in events:
        fields = engine.event_dict(event)
        for name in ("card", "task"):
            assert name not in fields or fields[name] in public


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_views_and_events_show_no_foreign_face(seats: int) -> None:
    seed = b"secrets" + bytes([seats])
    playout({}, seats, seed, bot("random", seed), _check_secrets)


def test_discarded_tasks_are_seen_by_their_owner_only() -> None:
    match = _until_first_discard(b"discards")
    ((_, owner), *_) = match.state.task_discard
    for seat in range(3):
        shown = engine.view(GAME, match.state, seat, match.known(seat))["task_discard"]
        assert all((part["task"] is not None) == (seat == owner) for part in shown)


def task_lover(seed: bytes) -> Policy:
    """Random, but changes tasks whenever it can."""
    usual = bot("random", seed)

    def choose(match: LocalMatch[State]) -> Action:
        for action in match.legal():
            match_task = isinstance(action, Play) and SHOP_CARDS[action.card].bonus == TASK and action.mode == USE_BONUS
            if match_task or isinstance(action, TaskDraw):
                return action
        return usual(match)

    return choose


def _until_first_discard(seed: bytes) -> LocalMatch[State]:
    match: LocalMatch[State] = LocalMatch(GAME, {}, 3, seed)
    policy = task_lover(seed)
    while not match.state.task_discard:
        list(match.settle())
        match.play(policy(match))
    return match


def test_discarded_tasks_go_back_into_the_pile_and_out_again_with_the_option() -> None:
    reshuffled = 0
    for number in range(6):
        seed = b"again" + bytes([number])
        seen: list[str] = []

        def watch(match: LocalMatch[State], events: tuple[Event, ...], seen: list[str] = seen) -> None:
            check_invariants(match)
            seen += [type(event).__name__ for event in events]

        playout({"reshuffle_task_discards": True}, 4, seed, task_lover(seed), watch)
        reshuffled += "TasksReshuffled" in seen
    assert reshuffled


# Leaving


def _follow(match: LocalMatch[State]) -> bool:
    """One ply that needs no player; False if a player must decide or the match is over."""
    action = match.follow()
    if action is None:
        return False
    if isinstance(action, Action):
        assert engine.why_not(GAME, match.state, action) is None
        assert GAME.opens(match.state, action) == (), "cards of a seat that has left lie open"
        match.play(action)
    else:
        match._advance(action)
    check_invariants(match)
    return True


def _run(match: LocalMatch[State], policy: Policy, leaving: dict[int, tuple[int, ...]]) -> set[str]:
    """Play to the end; seats leave before the given plies. Returns the wants that were open then."""
    open_wants = set()
    while match.result is None:
        for seat in leaving.pop(match.ply, ()):
            want = match.state.desk.want
            own = isinstance(want, Mix) and want.own is not None
            open_wants.add(f"own {type(want).__name__}" if own else type(want).__name__)
            match.leave(seat)
            check_invariants(match)
        if not _follow(match) and match.turn is not None:
            match.play(policy(match))
            check_invariants(match)
    return open_wants


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_seat_may_leave_before_any_ply(seats: int) -> None:
    """Before every seventh ply of one match a seat leaves and the match still ends."""
    seed = b"leave" + bytes([seats])
    last = playout({}, seats, seed, task_lover(seed)).ply
    stream = Stream("leave", seed)
    seen: set[str] = set()
    for ply in range(0, last, 7):
        match: LocalMatch[State] = LocalMatch(GAME, {}, seats, seed)
        seen |= _run(match, task_lover(seed), {ply: (stream.below(seats),)})
    assert {"NoneType", "Deal", "Mix", "own Mix"} <= seen


def test_all_seats_may_leave_one_after_another() -> None:
    for number in range(9):
        seed = b"all" + bytes([number])
        stream = Stream("all", seed)
        seats = 2 + number % 3
        options = {"reshuffle_task_discards": True, "move_must_keep_field_connected": bool(number % 2)}
        match: LocalMatch[State] = LocalMatch(GAME, options, seats, seed)
        _run(match, task_lover(seed), {5 + stream.below(12) + 12 * seat: (seat,) for seat in range(seats)})
        assert match.result is not None and match.state.desk.gone == tuple(range(seats))


def test_a_seat_may_leave_while_its_discard_is_on_the_way_back() -> None:
    seen: set[str] = set()
    for number in range(40):
        seed = b"move" + bytes([number])
        plies = []

        def watch(match: LocalMatch[State], events: tuple[Event, ...], plies: list[tuple[int, int]] = plies) -> None:
            want = match.state.desk.want
            if isinstance(want, Move):
                plies.append((match.ply, want.by))

        options = {"reshuffle_task_discards": True}
        playout(options, 4, seed, task_lover(seed), watch)
        for ply, by in plies[:2]:
            for seat in (by, (by + 1) % 4):
                match: LocalMatch[State] = LocalMatch(GAME, options, 4, seed)
                seen |= _run(match, task_lover(seed), {ply: (seat,)})
        if plies:
            break
    assert seen == {"Move"}


def test_cards_of_a_seat_that_has_left_are_open_and_cannot_be_claimed_otherwise() -> None:
    match: LocalMatch[State] = LocalMatch(GAME, {}, 3, b"open")
    list(match.settle())
    seat = match.state.active
    match.play(Design(seat, 0))
    list(match.settle())
    match.leave(seat)
    slot = first_card(match.state, seat, 0)
    card = match.public()[slot]
    assert engine.why_not(GAME, match.state, Play(seat, slot, card, 0)) is None
    wrong = next(other for other in range(12) if other != card)
    assert "lies open" in str(engine.why_not(GAME, match.state, Play(seat, slot, wrong, 0)))
    spectator = engine.view(GAME, match.state, None, {})["players"][seat]
    assert [held["card"]["face"] for held in spectator["hand"]] == [card]
    assert all(held["task"] for held in spectator["tasks"])


def test_stand_in_uses_public_knowledge_and_is_deterministic() -> None:
    match: LocalMatch[State] = LocalMatch(GAME, {}, 3, b"stand-in")
    list(match.settle())
    match.leave(match.state.active)
    for _ in range(12):
        if match.state.desk.want is None and match.turn in match.state.desk.gone:
            assert GAME.stand_in(match.state) == GAME.stand_in(match.state)
        if not _follow(match):
            break
    assert match.state.desk.gone and match.turn not in match.state.desk.gone


def test_a_task_that_lies_open_is_scored_as_what_it_is() -> None:
    match: LocalMatch[State] = LocalMatch(GAME, {}, 3, b"final")
    policy = bot("random", b"final")
    while match.state.phase != "final":
        if not _follow(match):
            match.play(policy(match))
    seat = match.state.active
    match.leave(seat)
    (slot,) = match.state.players[seat].tasks
    true = match.public()[slot]
    wrong = FIRST_TASK + (true - FIRST_TASK + 1) % 12
    assert "lies open" in str(engine.why_not(GAME, match.state, ScoreTask(seat, slot, wrong, 0)))
    assert match.state.players[seat].scored == ()
    _follow(match)
    assert match.state.players[seat].scored[0][0] == true
