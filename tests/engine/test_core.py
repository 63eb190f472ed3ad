"""The engine's core: hashing, values from outside, notation, options and dealers."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kontor_games import engine
from kontor_games.engine import ConfigError, IllegalAction, LocalMatch, MalformedAction, canonical, step, why_not
from kontor_games.engine.core.action import MAX_ACTION_BYTES, ActionCodec
from kontor_games.engine.core.chance import (
    Deal,
    Dealt,
    Desk,
    Left,
    Mix,
    Mixed,
    Move,
    Moved,
    Roll,
    Rolled,
    why_not_answer,
)
from kontor_games.engine.core.dealer import DealerError, LocalDealer
from kontor_games.engine.core.game import Option
from kontor_games.engine.core.stream import H, Stream

from . import toy


def test_hashing_and_streams_give_the_published_values() -> None:
    assert H("test", "a", "")[:16].hex() == "058b42ee3a5fd6e15a53997fd32e90fa"
    assert Stream("seed").permutation(10) == [5, 1, 0, 6, 8, 9, 2, 4, 3, 7]
    assert Stream("seed").take(8).hex() == "1f3ce19e161d3225"
    assert H("test", "ab", "c") != H("test", "a", "bc"), "lengths keep parts apart"


@given(st.integers(1, 2**64), st.binary(max_size=8))
def test_a_stream_stays_below_its_bound(bound: int, seed: bytes) -> None:
    assert 0 <= Stream(seed).below(bound) < bound


CODEC = toy.GAME.codec


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (["play", 0, "x", 1], "play.slot: Expected `int`, got `str`, found 'x'"),
        (["play", 9, 1, 1], "play.seat"),
        (["play", 0, 1, 1024], "play.face"),
        (["play", 0, 1], "fields: seat, slot, face"),
        (["play", 0, 1, 1, 1], "play"),
        (["fly", 0], "unknown action 'fly'; known: "),
        ([], "an action is an array"),
        ({"a": 1}, "an action is an array"),
        ([["play"], 0], "unknown action ['play']"),
        (["dealt", 1, [[0, None, "x" * 100]]], "dealt.cards[0][2]"),
        (7, "an action is an array, not 7"),
    ],
)
def test_a_malformed_action_is_refused_with_field_and_value(value: object, words: str) -> None:
    with pytest.raises(MalformedAction) as caught:
        CODEC.decode(canonical(value))
    assert words in str(caught.value)


def test_bytes_that_are_no_action_are_refused() -> None:
    for raw in (b"", b"\xc1", b"\x91" * 10_000, bytes(MAX_ACTION_BYTES + 1), canonical(["gamble", 0])[:-1]):
        with pytest.raises(MalformedAction):
            CODEC.decode(raw)
    with pytest.raises(MalformedAction, match="shortest encoding"):
        CODEC.decode(b"\x92\xa6gamble\xcc\x00")  # 0 in two bytes


@given(st.binary(max_size=60))
def test_any_bytes_are_an_action_or_refused(raw: bytes) -> None:
    try:
        assert canonical(CODEC.decode(raw)) == raw
    except MalformedAction as error:
        assert str(error)


def test_two_actions_with_one_tag_are_a_mistake() -> None:
    with pytest.raises(AssertionError, match="tag of its own"):
        ActionCodec((toy.Play, toy.Play))


def state() -> Any:
    match = LocalMatch(toy.GAME, {}, 2, b"core")
    for _ in match.settle():
        pass
    return match.state


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "nothing was typed"),
        ("fly", "no action begins with 'fly'"),
        ("play", "more is needed: play {slot:number} {face:card}"),
        ("play x", "'x' is not a number"),
        ("play 1 seven", "'seven' is none of one, two"),
        ("play 1 one more", "'more' is too much"),
    ],
)
def test_notation_says_what_it_expected(text: str, words: str) -> None:
    with pytest.raises(MalformedAction) as caught:
        toy.GAME.notation.read(state(), 0, text)
    assert words in str(caught.value)


def test_notation_reads_what_it_says_whatever_the_case() -> None:
    read = toy.GAME.notation.read(state(), 1, "  PLAY 3   two ")
    assert read == toy.Play(1, 3, 1) and toy.GAME.notation.say(state(), read) == "play 3 two"
    assert toy.GAME.notation.say(state(), toy.Play(1, 3, 99)) == "play 3 ?99"


def test_lists_are_joined_in_notation() -> None:
    from kontor_games.engine.core.notation import NUMBER, Notation

    class Pay(engine.Action, tag="pay", frozen=True):
        cards: tuple[int, ...]

    notation: Notation[Any] = Notation({Pay: "pay {cards:number*}"}, {"number": NUMBER})
    for cards, text in (((1, 2), "pay 1+2"), ((), "pay -"), ((-3,), "pay -3")):
        assert notation.say(None, Pay(0, cards)) == text and notation.read(None, 0, text) == Pay(0, cards)


def test_options_are_judged_by_type_list_and_rule() -> None:
    even = Option("n", 2, (), "A number.", lambda value: None if int(value) % 2 == 0 else "n must be even")
    assert even.refuses(4) is None and even.refuses(3) == "n must be even"
    assert even.refuses(True) == "n is a int, not True" and "n is a int" in str(even.refuses("2"))
    with pytest.raises(ConfigError, match="there is no game 'none'"):
        engine.load("none")


def test_only_the_seat_to_act_may_act_and_chance_only_when_asked() -> None:
    game, now = toy.GAME, state()
    turn = now.turn
    assert why_not(game, now, toy.Gamble(1 - turn)) == f"seat {turn} is to act, not seat {1 - turn}"
    assert "no want is open" in str(why_not(game, now, Mixed(1)))
    with pytest.raises(IllegalAction):
        step(game, now, toy.Bonus(turn, 1))
    asked, _ = step(game, now, toy.Gamble(turn))
    assert why_not(game, asked, toy.Gamble(turn)) == "a card or a roll must come first"
    over = msgspec.structs.replace(now, stage=toy.OVER)
    assert why_not(game, over, toy.Gamble(turn)) == why_not(game, over, Mixed(1)) == "the match is over"
    assert engine.legal(game, over, {}) == []


@pytest.mark.parametrize(
    ("want", "answer", "words"),
    [
        (Mix(1, (0,), (), (0,)), Mixed(2), "want 1 is open"),
        (Mix(1, (0,), (), (0,)), Rolled(1, bytes(32)), "not answered by Rolled"),
        (Roll(1), Rolled(1, bytes(31)), "32 bytes"),
        (Deal(1, ((0, 1),)), Dealt(1, ((1, 1, None),)), "asks for cards"),
        (Deal(1, ((0, 1),)), Dealt(1, ((0, 1, 5),)), "must not show its face"),
        (Deal(1, ((0, None),)), Dealt(1, ((0, None, None),)), "must show its face"),
        (Move(1, 0, 1, 0, 1), Moved(1, 5), "shows 5"),
        (Roll(1), Left((), ()), "cannot leave"),
        (Roll(1), Left((3,), ()), "cannot leave"),
    ],
)
def test_an_answer_that_does_not_fit_the_want_is_refused(want: Any, answer: Any, words: str) -> None:
    assert words in str(why_not_answer(Desk(want=want, gone=(3,)), answer))


def test_the_local_dealer_refuses_what_a_sealed_one_could_not_do() -> None:
    def dealer() -> LocalDealer:
        fresh = LocalDealer(b"x")
        fresh.serve(Mix(1, (0, 1, 2), (), (0, 1, 2)))
        fresh.serve(Deal(2, ((0, 0), (1, 1))))
        return fresh

    for want in (
        Mix(3, (), (0,), (9,)),  # a hand card into a common shuffle
        Mix(3, (), (2,), (9,), 0),  # a common card into one's own shuffle
        Mix(3, (5,), (), (2,)),  # a slot in use
        Deal(3, ((0, 1),)),  # another's card
        Deal(3, ((7, 1),)),  # no such card
        Move(3, 1, 9, 0),  # another's card
    ):
        with pytest.raises(DealerError):
            dealer().serve(want)
    assert "does not hold" in str(dealer().why_not_open(0, [(1, 0)]))
    held = dealer().known(0)
    assert "is not card" in str(dealer().why_not_open(0, [(0, held[0] + 1)]))


def test_leaving_twice_or_playing_another_seat_is_illegal() -> None:
    match = LocalMatch(toy.GAME, {}, 3, b"core")
    match.leave(1)
    with pytest.raises(IllegalAction):
        match.leave(1)
    assert match.legal() == [], "a want is open"
    with pytest.raises(IllegalAction):
        match.play(toy.Gamble(0))
    assert match.public() == dict(match.state.desk.faces)
