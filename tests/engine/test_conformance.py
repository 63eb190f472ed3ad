"""What every game must keep to, checked over all games of the engine and over the toy."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kontor_games.engine import (
    CHANCE,
    Action,
    ConfigError,
    Game,
    LocalMatch,
    MalformedAction,
    advance,
    canonical,
    digest,
    event_dict,
    legal,
    public_knowledge,
    result_dict,
    to_act,
    view,
    why_not,
)
from kontor_games.engine.core.chance import CHANCE_TYPES, Left
from kontor_games.engine.core.value import Value

from .anything import any_action, any_chance, fields_of
from .playouts import (
    MAX_PLIES,
    SOME_PLIES,
    all_games,
    bounded,
    chooser,
    new_match,
    option_sets,
    play,
    policies,
    steps,
    watch,
)

GAMES = all_games()
MAX_MENU = 200
each_game = pytest.mark.parametrize("game", GAMES, ids=[game.id for game in GAMES])
TABLES = [(game, seats) for game in GAMES for seats in game.seats]
each_table = pytest.mark.parametrize(("game", "seats"), TABLES, ids=[f"{game.id}-{seats}" for game, seats in TABLES])
# The smallest and the largest table of each game; those between are long.
end_tables = pytest.mark.parametrize(
    ("game", "seats"),
    [
        pytest.param(
            *(game, seats),
            id=f"{game.id}-{seats}",
            marks=() if seats in (game.seats[0], game.seats[-1]) else pytest.mark.long,
        )
        for game, seats in TABLES
    ],
)


def variants() -> Iterator[Any]:
    """Every option value of every game, with a number of seats that goes round."""
    for game in GAMES:
        for number, options in enumerate(option_sets(game, game.seats[0])):
            seats = game.seats[number % len(game.seats)]
            if options in list(option_sets(game, seats)):
                name = ",".join(f"{key}={value}" for key, value in options.items()) or "default"
                yield pytest.param(game, options, seats, id=f"{game.id}-{seats}-{name}")


@each_table
def test_one_seed_gives_one_match_and_its_actions_alone_give_the_same_states(game: Game[Any], seats: int) -> None:
    def run() -> tuple[list[Any], list[bytes]]:
        match = new_match(game, {}, seats, b"same")
        taken, digests = [], [digest(match.state)]
        for _, action, after, _ in steps(match, policies("random", seats, b"same"), SOME_PLIES):
            taken.append(action)
            digests.append(digest(after))
        return taken, digests

    actions, digests = run()
    assert run() == (actions, digests)
    # No dealer, nothing known in private: all that happened follows from what everybody saw.
    state = game.begin({}, seats, new_match(game, {}, seats, b"same").dealer.entropy())
    for action, expected in zip(actions, digests[1:], strict=True):
        assert why_not(game, state, action) is None
        state, _ = advance(game, state, game.codec.decode(canonical(action)))
        assert digest(state) == expected


@pytest.mark.parametrize(("game", "options", "seats"), list(variants()))
def test_every_ply_of_a_random_match_keeps_to_the_contract(
    game: Game[Any], options: dict[str, Any], seats: int
) -> None:
    def see(match: LocalMatch[Any]) -> None:
        if match.ply % 9 == 0:
            check_position(match, seats, match.ply % 45 == 0)

    check_result(watch(game, options, seats, b"contract", see), must_end=False)


@pytest.mark.long
@each_table
def test_every_ply_of_many_random_matches_keeps_to_the_contract(game: Game[Any], seats: int) -> None:
    for number in range(12):
        every = list(option_sets(game, seats))
        options = every[number % len(every)]
        check_result(
            watch(
                game,
                options,
                seats,
                b"many %d" % number,
                lambda match: check_position(match, seats, match.ply % 7 == 0),
            ),
            must_end=False,  # aimless matches of Hansa are long; that matches end is shown with stand-ins below
        )


def check_position(match: LocalMatch[Any], seats: int, thorough: bool) -> None:
    game, state = match.game, match.state
    for path, value in fields_of(state):
        assert type(value) in (int, str, bytes, tuple, type(None)) or isinstance(value, Value), f"{path}: {value!r}"
    raw = canonical(state)
    turn = match.turn
    for seat in (*range(seats), None):
        known = public_knowledge(state) if seat is None else match.known(seat)
        seen = view(game, state, seat, known)
        assert json.loads(json.dumps(seen)) is not None
    if turn is not None and turn != CHANCE:
        check_menu(match, thorough)
    assert canonical(state) == raw, "looking must change nothing"
    if thorough:
        assert msgpack.packb(msgpack.unpackb(raw, use_list=False)) == raw, "plain msgpack"


def check_menu(match: LocalMatch[Any], thorough: bool) -> None:
    game, state, seat = match.game, match.state, match.turn
    assert seat is not None
    known = match.known(seat)
    actions = legal(game, state, known)
    assert 0 < len(actions) <= MAX_MENU, f"{len(actions)} legal actions"
    assert len(set(actions)) == len(actions), "an action is listed twice"
    filtered = [action for action in game.candidates(state, known) if why_not(game, state, action) is None]
    assert actions == filtered, "exact candidates must be the legal actions"
    texts = [game.notation.say(state, action) for action in actions]
    assert len(set(texts)) == len(texts), "two actions have one text"
    stride = max(1, len(actions) // 12)
    for number, (action, text) in enumerate(zip(actions, texts, strict=True)):
        assert action.seat == seat
        assert text.isprintable() and len(text) <= 60
        assert game.notation.read(state, seat, text) == action
        if thorough and number % stride == match.ply % stride:
            assert match.why_not(action) is None, text
            assert game.codec.decode(canonical(action)) == action
            assert game.offer.targets(state, (action,))[0]
            after, events = advance(game, state, action)
            assert all(json.dumps(event_dict(event)) for event in events)
            assert all(isinstance(event, game.events) for event in events)
            assert type(game.evaluate(after, seat, known)) is int
            assert digest(after) != digest(state), f"{text} changes nothing"


def check_result(match: LocalMatch[Any], must_end: bool = True) -> None:
    result = match.result
    assert (match.turn is None) == (result is not None)
    if result is None:
        assert not must_end, f"no end after {match.ply} plies"
        return
    seats = len(result.scores)
    assert seats == len(result.places) and all(len(row) == seats for _, row in result.breakdown)
    assert result.winners == tuple(seat for seat in range(seats) if result.places[seat] == 1) != ()
    assert min(result.places) == 1 and max(result.places) <= seats
    assert json.dumps(result_dict(result))
    assert match.legal() == []


@each_game
def test_why_not_survives_any_value_and_agrees_with_the_menu(game: Game[Any]) -> None:
    """A legal action that no candidate offers is as wrong as an exception."""
    below = chooser("any", game.id)

    def see(match: LocalMatch[Any]) -> None:
        turn = match.turn
        if turn is None or turn == CHANCE:
            for cls in CHANCE_TYPES:
                why_not(game, match.state, any_chance(cls, below))
        if turn is None or match.ply % 11:
            return
        offered = set(match.legal())
        for cls in game.actions:
            for _ in range(3):
                seat = turn if below(6) and turn >= 0 else below(8)
                action = any_action(cls, seat, below)
                reason = match.why_not(action)
                assert reason or action in offered, f"{action} is legal but not offered"
                assert reason is None or (isinstance(reason, str) and reason)

    for seats in {game.seats[0], game.seats[-1]}:
        watch(game, {}, seats, b"any", see)


@each_game
def test_neighbours_of_legal_actions_are_offered_or_refused(game: Game[Any]) -> None:
    """Each field of a legal action shifted by one: the borders are where mistakes live."""
    below = chooser("near", game.id)

    def see(match: LocalMatch[Any]) -> None:
        actions = [] if match.ply % 8 else match.legal()
        if not actions:
            return
        offered = set(actions)
        for action in (actions[0], actions[-1], actions[below(len(actions))]):
            values = [getattr(action, name) for name in action.__struct_fields__]
            for index, value in enumerate(values):
                if type(value) is not int:
                    continue
                for shifted in (value - 1, value + 1):
                    near = type(action)(*values[:index], shifted, *values[index + 1 :])
                    try:
                        game.codec.decode(canonical(near))
                    except MalformedAction:
                        continue
                    assert match.why_not(near) or near in offered, f"{near} is legal but not offered"

    watch(game, {}, game.seats[0], b"near", see)


def leave_and_go_on(game: Game[Any], seats: int, seed: bytes, ply: int, leaving: tuple[int, ...], further: int) -> bool:
    """Whether the match got to `ply`; then these seats left there and it went on, to its end or for `further` plies."""
    match = new_match(game, bounded(game), seats, seed)
    players = policies("random", seats, seed)
    play(match, players, ply)
    if match.ply < ply or match.turn is None:
        return False
    left, _ = match.leave(*leaving)
    assert isinstance(left, Left) and game.codec.decode(canonical(left)) == left
    check_position(match, seats, False)
    for before, action, _, _ in steps(match, players, ply + further):
        if isinstance(action, Action) and action.seat in leaving:
            assert action == game.stand_in(before), "a stand-in decides by the state alone"
            assert why_not(game, before, action) is None
    check_result(match, must_end=further == MAX_PLIES)
    return True


@end_tables
def test_seats_may_leave_at_any_ply_and_stand_ins_play_on(game: Game[Any], seats: int) -> None:
    length = play(new_match(game, {}, seats, b"left"), policies("random", seats, b"left"), SOME_PLIES).ply
    stride = max(1, length // 3)
    for ply in range(0, length, stride):
        leaving = tuple(range(seats - 1)) if ply % (2 * stride) else (ply // stride % seats,)
        assert leave_and_go_on(game, seats, b"left", ply, leaving, SOME_PLIES)


@pytest.mark.long
@each_table
def test_seats_may_leave_at_every_single_ply_and_the_match_ends(game: Game[Any], seats: int) -> None:
    ply = 0
    while ply < SOME_PLIES and leave_and_go_on(game, seats, b"every", ply, (ply % seats,), SOME_PLIES // 4):
        ply += 1
    assert ply > 10
    for chosen in (0, ply // 2, ply - 1):
        for seat in range(seats):
            leave_and_go_on(game, seats, b"every", chosen, (seat,), MAX_PLIES)


@end_tables
def test_stand_ins_alone_finish_a_match(game: Game[Any], seats: int) -> None:
    match = new_match(game, {}, seats, b"alone")
    match.leave(*range(seats))
    check_result(play(match, []))


@each_game
def test_greedy_beats_random(game: Game[Any]) -> None:
    """A match that aimless play does not bring to an end is judged by the position it got to."""
    seats, matches, wins = game.seats[0], 6, 0
    for number in range(matches):
        seed = b"duel %d" % number
        players = policies("random", seats, seed)
        greedy = number % seats
        players[greedy] = policies("greedy", seats, seed)[greedy]
        match = play(new_match(game, {}, seats, seed), players, SOME_PLIES)
        if match.result is not None:
            wins += match.result.winners == (greedy,)
        else:
            worth = [game.evaluate(match.state, seat, match.known(seat)) for seat in range(seats)]
            wins += worth[greedy] > max(worth[:greedy] + worth[greedy + 1 :])
    assert wins * seats > matches, f"greedy won {wins} of {matches} matches against random"


@each_game
def test_options_that_are_not_offered_are_refused(game: Game[Any]) -> None:
    for options in ({"no such option": 1}, *({option.id: 1.5} for option in game.options)):
        with pytest.raises(ConfigError):
            game.check_options(options, game.seats[0])
    for seats in (0, 1, 9):
        if seats not in game.seats:
            with pytest.raises(ConfigError):
                game.check_options({}, seats)
    for option in game.options:
        assert option.refuses(option.default) is None and option.text.endswith(".")
        assert not option.allowed or option.default in option.allowed


@each_game
def test_every_action_has_a_form_and_a_tag_of_its_own(game: Game[Any]) -> None:
    assert set(game.notation.forms) == set(game.actions)
    assert len(set(game.notation.forms.values())) == len(game.actions)
    tags = [cls.__struct_config__.tag for cls in (*game.actions, *CHANCE_TYPES)]
    assert len(set(tags)) == len(tags)
    names = [cls.__name__ for cls in game.events]
    assert len(set(names)) == len(names)
    assert game.id.isidentifier() and len(game.data_digest) == 32 and len(game.faces) <= 1024


@each_game
@settings(max_examples=5)
@given(data=st.data())
def test_any_choice_of_legal_actions_leads_on(game: Game[Any], data: st.DataObject) -> None:
    seats = data.draw(st.sampled_from(game.seats))
    options = data.draw(st.sampled_from(list(option_sets(game, seats))))
    match = LocalMatch(game, options, seats, data.draw(st.binary(max_size=4)))
    picks = data.draw(st.lists(st.integers(0, 2**16), max_size=60))
    for pick in picks:
        for _ in match.settle():
            pass
        if match.turn is None:
            break
        actions = match.legal()
        match.play(actions[pick % len(actions)])
        assert to_act(game, match.state) == match.turn
    check_result(play(match, policies("random", seats, b"rest"), SOME_PLIES), must_end=False)
