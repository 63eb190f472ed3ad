"""Adversarial actions get a reason that a player understands, never an exception."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kontor_games import engine
from kontor_games.engine import LocalMatch, MalformedAction, Reason
from kontor_games.engine.games.hansa import GAME
from kontor_games.engine.games.hansa import actions as a
from kontor_games.engine.games.hansa.state import AnyTask, Promo, State
from tests.engine.test_offer import check_menu

from .playouts import combinations, lively_policy, playout
from .position import full_route, levels, marker, menu, piece, position, refusal, say

numbers = st.one_of(st.integers(0, 8), st.integers(0, 130), st.sampled_from([255, 1023, 65535]))
signed = st.one_of(numbers, st.integers(-(2**31), 2**31 - 1))


def _values(cls: type[engine.Action], draw: st.DrawFn) -> engine.Action:
    fields = []
    for name in cls.__struct_fields__[1:]:
        if name == "city" and cls is a.NeutralOffice:
            fields.append(draw(st.none() | numbers))
        else:
            fields.append(draw(signed if name in ("traders", "merchants") else numbers))
    return cls(draw(st.integers(0, 7)), *fields)


@st.composite
def any_action(draw: st.DrawFn) -> engine.Action:
    return _values(draw(st.sampled_from(GAME.actions)), draw)


_STATES: list[State] = []


def states() -> list[State]:
    """A few hundred states of all combinations, gathered once: every open decision that play reaches."""
    if not _STATES:
        for seats, options in combinations()[1::3]:
            kinds: dict[str, int] = {}

            def watch(match: LocalMatch[State], events: object, kinds: dict[str, int] = kinds) -> None:
                kind = type(match.state.todo[0]).__name__ if match.state.todo else "main"
                kinds[kind] = kinds.get(kind, 0) + 1
                if kinds[kind] <= 3 and match.turn is not None and match.turn >= 0:
                    _STATES.append(match.state)

            playout({**options, "max_rounds": 60}, seats, b"states", [lively_policy(b"s")], watch, check=False)
        _STATES.extend(rare_states())
    return _STATES


def rare_states() -> list[State]:
    """Decisions that play reaches seldom."""
    sea = {"malmo_visby": "0t 0m 0t", "danzig_malmo": "0t 0t 0t 0m", "malmo_stralsund": "0m 0m 0t"}
    out = [
        say(position("east", posts=full_route("east", route, pieces)), f"claim {code}", "done")
        for (route, pieces), code in zip(sea.items(), ("mal-vis", "dan-mal", "mal-str"), strict=True)
    ]
    channel = position("britannia_45", posts=full_route("britannia_45", "calais_southampton", "0m 0m 0m"))
    out.append(say(channel, "claim cal-sou", "done"))
    neutral = {"dortmund_duisburg:0": "nt", "arnheim_duisburg:0": "nt"}
    pair = say(position("base_3", seats=2, posts=neutral), "displace arn-dui:1", "with trader", "pay trader")
    out += [pair, say(pair, "settle dor-dui:2")]
    out.append(say(position(players={1: {"favours": (2,)}}), "hire 1 0"))
    out.append(say(position(players={0: {"unused": (1, 2, 3)}}, display=(1, 2)), "favour extra_action"))
    tribute = Promo(0, marker("office_tribute"), 1)
    claim = position(
        posts=full_route("base_45", "arnheim_duisburg", "0t 0t 0t"), promos=(tribute,), players={1: {"general": (2, 2)}}
    )
    out.append(say(claim, "claim arn-dui", "office arn"))
    return out


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_why_not_survives_any_well_typed_action(data: st.DataObject) -> None:
    judge_any_action(data)


@pytest.mark.long
@settings(max_examples=3000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_why_not_survives_thousands_of_well_typed_actions(data: st.DataObject) -> None:
    judge_any_action(data)


def judge_any_action(data: st.DataObject) -> None:
    state = data.draw(st.sampled_from(states()))
    action = data.draw(any_action())
    turn = GAME.turn(state)
    reason = GAME.why_not(state, action)
    assert reason is None or (isinstance(reason, Reason) and len(reason) > 8)
    if action.seat == turn:
        assert (reason is None) == (action in engine.legal(GAME, state, {}))
    else:
        assert "is to act" in str(engine.why_not(GAME, state, action))


def test_every_kind_of_decision_is_among_the_states() -> None:
    kinds = {type(state.todo[0]).__name__ if state.todo else "main" for state in states()}
    assert kinds == {"main", *(task.__name__ for task in get_args(AnyTask))}


def test_legal_actions_round_trip_through_notation_and_bytes() -> None:
    for state in states():
        for action in engine.legal(GAME, state, {}):
            text = GAME.notation.say(state, action)
            assert GAME.notation.read(state, action.seat, text) == action, text
            assert GAME.codec.decode(GAME.codec.encode(action)) == action
            assert GAME.offer.targets(state, (action,))[0]


def test_every_decision_is_offered_as_the_contract_says() -> None:
    for state in states():
        check_menu(GAME, state, {}, engine.choices(GAME, state, {}))


def test_states_round_trip_through_bytes() -> None:
    decoder = msgspec.msgpack.Decoder(State)
    for state in states():
        raw = engine.canonical(state)
        assert decoder.decode(raw) == state and len(raw) < 1500


@pytest.mark.parametrize(
    ("action", "complaint"),
    [
        (a.Place(1, 0), "seat 0 is to act"),
        (a.Place(0, 65535), "this map has posts"),
        (a.Displace(0, 3), "is empty"),
        (a.Claim(0, 65535), "this map has routes"),
        (a.Claim(0, 0), "not every post"),
        (a.Income(0, -1, 1), "less than nothing"),
        (a.Income(0, 9, 9), "your general stock holds"),
        (a.Office(0, 3), "nothing asks for that"),
        (a.UseMarker(0, 65535), "no marker"),
        (a.UseMarker(0, 4), "no unused plus_3_actions"),
        (a.BuyFavour(0, 1), "not on offer"),
        (a.Put(0, 1), "nothing asks for that"),
        (a.Lift(0, 0), "nothing stands on"),
    ],
)
def test_wrong_actions_are_explained(action: engine.Action, complaint: str) -> None:
    assert complaint in refusal(position(), action)


def test_no_actions_left_means_none_of_the_five_actions() -> None:
    state = position(posts=full_route("base_45", "arnheim_duisburg", "0t 0t 0t"), actions=0)
    assert menu(state) == ["end"]
    for text in ("hire 1 0", "place ham-lub:1", "lift arn-dui:1", "claim arn-dui"):
        assert "no actions left" in refusal(state, text)
    foreign = position(posts={"arnheim_duisburg:0": "1t"}, actions=0)
    assert "no actions left" in refusal(foreign, "displace arn-dui:1")


def test_ship_posts_and_full_posts_refuse() -> None:
    state = position("east", players={0: {"personal": (3, 0)}}, posts={"malmo_visby:0": "1t", "malmo_visby:2": "0t"})
    assert "merchant only" in refusal(state, "place mal-vis:2")
    assert "occupied" in refusal(state, "place mal-vis:1")
    assert "your own piece" in refusal(state, "displace mal-vis:3")
    assert "takes a merchant only" in refusal(say(state, "lift mal-vis:3"), "put mal-vis:2")


def test_claim_results_follow_privilege_shape_and_city() -> None:
    state = position(posts=full_route("base_45", "bremen_hannover", "0t 0t 0t"))
    state = say(state, "claim bre-han")
    assert "needs a merchant" in refusal(state, "office bre")
    assert "not an end" in refusal(state, "office ham")
    assert "neither city" in refusal(state, "develop bank")
    full = position(
        posts=full_route("base_45", "bremen_hannover", "0t 0t 0t"),
        rows={"hannover": "1t 1t"},
        players={0: {"levels": levels(privilege=3)}},
    )
    assert "no free printed" in refusal(say(full, "claim bre-han"), "office han")
    done = position(
        posts=full_route("base_45", "gottingen_quedlinburg", "0t 0t 0t"),
        players={0: {"levels": levels(actions=5)}},
    )
    assert "fully developed" in refusal(say(done, "claim got-que"), "develop actions")


def test_special_prestige_needs_a_merchant_and_a_free_space() -> None:
    posts = full_route("base_45", "coellen_warburg", "0t 0t 0t 0t")
    assert "no merchant" in refusal(say(position(posts=posts), "claim coe-war"), "prestige 7")
    disc = full_route("base_45", "coellen_warburg", "0t 0t 0t 0m")
    taken = position(posts=disc, prestige=bytes([2, 0, 0, 0]))
    assert "is taken" in refusal(say(taken, "claim coe-war"), "prestige 7")


def test_move_3_lifts_foreign_pieces_only_and_keeps_them_in_their_region() -> None:
    state = position(
        "britannia_45",
        posts={"cardiff_montgomery:0": "1t", "london_oxford:0": "0t", "london_oxford:1": "2m"},
        players={0: {"unused": (marker("move_3"),)}},
    )
    state = say(state, "use move_3")
    assert "pieces of others only" in refusal(state, "lift lon-oxf:1")
    state = say(state, "lift cdf-mon:1")
    assert "leave its region" in refusal(state, "put lon-oxf:3")
    both = say(state, "lift lon-oxf:2", "put cdf-mon:2")
    after = say(both, "put lon-oxf:3")
    assert after.actions == 2 and not after.todo
    assert after.posts.count(piece("1t")) == after.posts.count(piece("2m")) == 1
    assert "cannot be declined" in refusal(
        say(position(posts={"arnheim_duisburg:0": "1t"}, players={0: {"unused": (marker("move_3"),)}}), "use move_3"),
        "done",
    )


def test_develop_ability_takes_a_step_on_any_track() -> None:
    state = position(players={0: {"unused": (marker("develop_ability"),), "levels": levels(book=3)}})
    state = say(state, "use develop_ability")
    assert menu(state) == ["develop keys", "develop actions", "develop privilege", "develop bank"]
    assert say(state, "develop actions").actions == 3


def test_an_extra_office_marker_is_refused_outside_a_claim() -> None:
    assert "result of a claim" in refusal(position(players={0: {"unused": (0,)}}), "use extra_office")


def test_the_toll_may_be_paid_with_either_shape() -> None:
    state = position(posts={"arnheim_duisburg:0": "1m"}, players={0: {"personal": (3, 2), "general": (0, 0)}})
    state = say(state, "displace arn-dui:1")
    assert menu(state) == ["with trader", "with merchant"]
    state = say(state, "with trader")
    assert menu(state) == ["pay trader", "pay merchant"]
    state = say(state, "pay merchant", "pay trader")
    assert state.players[0].personal == (1, 1) and state.players[0].general == (1, 1)


def test_shared_income_is_offered_after_the_income_of_others_only() -> None:
    state = position(players={1: {"favours": (2,), "general": (2, 1)}, 0: {"general": (3, 0)}})
    asked = say(state, "hire 1 0")
    assert engine.to_act(GAME, asked) == 1 and menu(asked) == ["hire 1 0", "hire 0 1", "done"]
    assert say(asked, "hire 0 1").players[1].general == (2, 0)
    assert say(asked, "done").players[1].general == (2, 1)
    empty = position(players={1: {"favours": (2,), "general": (0, 0)}, 0: {"general": (3, 0)}})
    assert not say(empty, "hire 1 0").todo
    own = position(players={0: {"favours": (2,), "general": (3, 0)}})
    assert not say(own, "hire 1 0").todo


def test_an_additional_piece_leaves_the_displaced_one_its_only_destination() -> None:
    state = position(posts={"dortmund_paderborn:1": "1t"})
    line = bytearray(code or piece("2t") for code in state.posts)
    hole = state.board.routes[0].first
    line[hole] = 0
    state = say(msgspec.structs.replace(state, posts=bytes(line)), "displace dor-pad:2", "with trader", "pay trader")
    assert menu(state) == ["settle arn-dui:1"]
    assert "no post" in refusal(state, "extra trader")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "nothing was typed"),
        ("fly", "no action begins"),
        ("place", "more is needed"),
        ("place ham", "a route is written"),
        ("place ham-arn:1", "no route joins"),
        ("place ham-lub:9", "posts 1 to 3"),
        ("place b-ham:1", "may mean"),
        ("place xyz-ham:1", "no city"),
        ("pay gold", "none of trader"),
        ("prestige 10", "worth 7, 8, 9, 11"),
        ("swap ham x", "not a number"),
        ("end now", "too much"),
    ],
)
def test_typing_errors_get_a_hint(text: str, hint: str) -> None:
    with pytest.raises(MalformedAction, match=hint):
        GAME.notation.read(position(), 0, text)
