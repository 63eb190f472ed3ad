"""Random playouts: invariants after every ply, hidden hands, leaving, robustness of legality."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from kontor_games.engine import CHANCE, LocalMatch, canonical, event_dict, view
from kontor_games.engine.core.stream import Stream
from kontor_games.engine.games.yokohama.actions import ACTIONS
from kontor_games.engine.games.yokohama.state import NONE, State
from tests.samples import sampled

from .position import GAME, T

OPTIONS: list[dict[str, Any]] = [
    {},
    {"mini_1": True, "mini_2": True},
    {
        "placement_zero": False,
        "recall_in_hand": False,
        "station_assistant": False,
        "station_canal": True,
        "customs_up_to": False,
        "port_bonus_card": True,
        "neutral_score": True,
    },
]


def check(s: State) -> None:
    """The invariants of the rules specification, section 21."""
    shops = Counter(owner for row in s.shops for owner in row)
    houses = Counter(s.houses)
    boards = Counter((*s.church, *s.customs, *(seat for claim in s.claims for seat in claim)))
    hands = faces = 0
    for seat, p in enumerate(s.players):
        assert p.hand[0] + p.warehouse[0] + sum(p.placed) + boards[seat] == 20
        assert p.hand[1] + p.warehouse[1] + shops[seat] == 8
        assert p.hand[2] + p.warehouse[2] + houses[seat] == 4
        assert min(*p.hand, *p.warehouse, *p.placed, *p.goods, p.yen, p.imports) >= 0
        assert 0 <= p.used <= len(p.agents)
        kinds = [T.technologies[face].kind for face in p.techs]
        assert len(kinds) == len(set(kinds))
        if s.stage not in ("setup", "keep"):
            assert len(p.orders) + len(p.hidden) <= 3
        hands += len(p.hidden) + len(p.orders) + len(p.done)
        faces += len(p.techs)
    for row in s.shops:
        assert all(count == 1 for owner, count in Counter(row).items() if owner != NONE)
    canal = next((i for i, b in enumerate(s.cells) if T.boards[b].kind.id == "canal"), None)
    if canal is not None:
        assert all(p.placed[canal] == 0 for p in s.players)
        assert s.tiles[canal] == s.fives[canal] == s.houses[canal] == NONE and s.shops[canal] == ()
        if s.stage != "move":
            assert all(p.president != canal for p in s.players)
    if s.desk.want is None and s.stage not in ("setup", "keep"):
        unkept = s.seats * (T.start.orders_drawn - 1)
        on_ports = sum(1 for row in s.ports for face in row if face != NONE)
        removed = T.counts[s.seats].orders_removed
        assert s.order_deck[1] - s.order_deck[0] + on_ports + hands + removed + unkept == 36
        on_labs = sum(1 for row in s.labs for face in row if face != NONE)
        assert s.tech_deck[1] - s.tech_deck[0] + on_labs + faces == 30
    owned = sum(1 for p in s.players for country in p.agents if country < len(T.countries))
    assert sum(s.supply) + owned == 10
    presidents = Counter(p.president for p in s.players if p.president != NONE)
    jumpers = {"postal_system", "station"}
    if any(count > 1 for count in presidents.values()) and s.stage != "move":
        assert any(T.technologies[face].kind in jumpers for p in s.players for face in p.techs)
    if s.area != NONE:
        assert 1 <= s.power <= 5


def playout(seats: int, options: dict[str, Any], seed: bytes, every: Any = None) -> LocalMatch[State]:
    match: LocalMatch[State] = LocalMatch(GAME, {"max_rounds": 200, **options}, seats, seed)
    stream = Stream("playout", seed)
    while match.result is None:
        for _ in match.settle():
            check(match.state)
        if match.result is not None:
            break
        legal = match.legal()
        assert legal, match.state
        events = match.play(legal[stream.below(len(legal))])
        check(match.state)
        if every:
            every(match, legal, events)
    return match


@pytest.mark.parametrize(
    ("seats", "options"),
    sampled(
        [(seats, options) for seats in (2, 3, 4) for options in OPTIONS],
        [f"{seats}-{name}" for seats in (2, 3, 4) for name in ("base", "minis", "switches")],
        more=2,
    ),
)
def test_random_playouts_keep_the_invariants_and_end_after_equal_turns(seats: int, options: dict[str, Any]) -> None:
    for number in range(2):
        match = playout(seats, options, bytes([number, seats]))
        assert match.result is not None
        assert match.state.active == (match.state.start - 1) % seats  # the round was completed
        assert sum(points[0] for _, points in match.result.breakdown) == match.result.scores[0]


def test_menus_stay_short_and_every_entry_reads_back_and_has_a_target() -> None:
    longest = 0

    def look(match: LocalMatch[State], legal: list[Any], events: Any) -> None:
        nonlocal longest
        longest = max(longest, len(legal))

    playout(4, {"mini_1": True, "mini_2": True}, b"menus", look)
    assert longest <= 40

    match: LocalMatch[State] = LocalMatch(GAME, {"max_rounds": 40}, 3, b"notation")
    stream = Stream("notation")
    while match.result is None:
        for _ in match.settle():
            pass
        legal = match.legal()
        for action in legal:
            text = GAME.notation.say(match.state, action)
            assert GAME.notation.read(match.state, action.seat, text) == action
            assert GAME.offer.targets(match.state, (action,))[0]
        if legal:
            match.play(legal[stream.below(len(legal))])


def test_hidden_starting_orders_never_reach_other_views_events_or_state_bytes() -> None:
    match: LocalMatch[State] = LocalMatch(GAME, {"start": 0}, 3, b"hidden")
    events: list[Any] = []
    for _, more in match.settle():
        events += more
    drawn = {seat: match.known(seat) for seat in range(3)}
    assert [len(known) for known in drawn.values()] == [2, 2, 2]
    for _ in range(3):
        events += match.play(match.legal()[0])
    for seat in range(3):
        secret = set(drawn[seat].values())
        for watcher in (0, 1, 2, None):
            if watcher == seat:
                continue
            known = match.known(watcher) if watcher is not None else {}
            seen = view(GAME, match.state, watcher, known)
            assert seen["players"][seat]["orders"] is None and seen["players"][seat]["hidden"] == []
            text = json.dumps(seen["players"][seat])
            for face in secret:
                assert f'"{GAME.faces[face]}"' not in text
        assert match.state.desk.face(match.state.players[seat].hidden[0]) is None
        for event in events:
            assert not secret & set(event_dict(event).get("cards", ()))
    ports = {face for row in match.state.ports for face in row}
    assert not ports & {face for known in drawn.values() for face in known.values()}


def test_private_faces_leave_no_trace_in_the_state_bytes() -> None:
    def course(swap: bool) -> bytes:
        match: LocalMatch[State] = LocalMatch(GAME, {"start": 0}, 2, b"bytes")
        for _ in match.settle():
            pass
        if swap:  # another world: every starting order is a card that was removed unseen in this one
            faces = match.dealer._face
            removed = match.state.order_deck[0] - 16 - 6 - 4
            for number, slot in enumerate(slot for player in match.state.players for slot in player.hidden):
                faces[slot], faces[removed + number] = faces[removed + number], faces[slot]
        for text in ("keep 1", "keep 2", "end", "place bank", "done", "deploy bank"):
            match.play(GAME.notation.read(match.state, match.state.active, text))
        return canonical(match.state)

    assert course(False) == course(True)


def test_the_unkept_order_stays_unseen_even_when_its_owner_leaves() -> None:
    match: LocalMatch[State] = LocalMatch(GAME, {"start": 0}, 2, b"unkept")
    for _ in match.settle():
        pass
    slots = match.state.players[0].hidden
    match.play(match.legal()[0])
    match.leave(0)
    assert [slot for slot, _ in match.state.desk.faces] == [slots[0]]


def test_orders_removed_in_set_up_are_never_opened() -> None:
    match: LocalMatch[State] = LocalMatch(GAME, {"max_rounds": 60}, 2, b"removed")
    removed: range | None = None
    stream = Stream("removed")
    opened: set[int] = set()
    while match.result is None:
        for action, _ in match.settle():
            opened |= {slot for slot, *_ in getattr(action, "cards", ())}
            if match.state.order_deck != (0, 0) and removed is None:
                removed = range(match.state.order_deck[0] - 16, match.state.order_deck[0])
        legal = match.legal()
        if legal:
            match.play(legal[stream.below(len(legal))])
    assert removed is not None and len(removed) == 16
    assert not opened & set(removed)


@pytest.mark.parametrize("seats", [2, pytest.param(3, marks=pytest.mark.long), 4])
def test_a_match_goes_on_when_seats_leave_at_any_ply(seats: int) -> None:
    for ply in (0, 1, 3, 5, 7, 9, 15, 40, 90):
        match: LocalMatch[State] = LocalMatch(GAME, {"max_rounds": 12}, seats, bytes([ply]))
        stream = Stream("leave", bytes([ply]))
        while match.ply < ply and match.result is None:
            follow = match.follow()
            if follow is not None:
                match._advance(follow)
                continue
            legal = match.legal()
            match.play(legal[stream.below(len(legal))])
        match.leave(*range(seats))
        for _ in match.settle():
            check(match.state)
        assert match.result is not None


def test_stand_ins_alone_bring_a_match_to_its_end() -> None:
    match: LocalMatch[State] = LocalMatch(GAME, {}, 3, b"all gone")
    match.leave(0, 1, 2)
    for _ in match.settle():
        assert match.ply < 5000
    assert match.result is not None and match.result.reason != "rounds"


def test_a_stand_in_knows_only_what_everybody_knows() -> None:
    match: LocalMatch[State] = LocalMatch(GAME, {}, 2, b"public")
    for _ in match.settle():
        pass
    before = GAME.stand_in(match.state)
    assert GAME.why_not(match.state, before) is None
    assert match.turn != CHANCE


def test_random_well_typed_actions_never_raise_and_reasons_are_readable() -> None:
    match: LocalMatch[State] = LocalMatch(GAME, {"max_rounds": 25, "mini_1": True}, 4, b"robust")
    stream = Stream("robust")
    wild = [0, 1, 2, 3, 5, 7, 17, 18, 40, 255, 1023]
    reasons: set[str] = set()
    while match.result is None:
        for _ in match.settle():
            pass
        if match.result is not None:
            break
        for cls in ACTIONS:
            values = [wild[stream.below(len(wild))] for _ in cls.__struct_fields__[1:]]
            if cls.__name__ == "Lift":
                values = [-5 + stream.below(40)]
            reason = GAME.why_not(match.state, cls(match.state.active, *values))
            assert reason is None or (isinstance(reason, str) and len(reason) > 8)
            reasons.add(reason or "")
            assert GAME.offer.targets(match.state, (cls(match.state.active, *values),))[0]
        legal = match.legal()
        match.play(legal[stream.below(len(legal))])
    assert len(reasons) > 30
