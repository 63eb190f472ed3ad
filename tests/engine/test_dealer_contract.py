"""The contract between desk and dealer: what is asked, what may be answered, who can read what, who may leave when."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from kontor_games.engine import IllegalAction, LocalMatch
from kontor_games.engine.core.chance import (
    Chance,
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

from .toy import GAME, Bonus, Gamble, Play, Shuffle

SEED = b"contract"


class Bench:
    """A desk and a local dealer that serve each other, as a match would."""

    def __init__(self, faces: tuple[int, ...] = tuple(range(10, 20))) -> None:
        self.dealer = LocalDealer(SEED)
        self.desk, self.deck = Desk().mix(faces=faces)
        self.serve()

    def serve(self) -> Chance:
        """Let the dealer answer the open want and close it."""
        assert self.desk.want is not None
        self.dealer.serve(self.desk.want)
        answer = self.dealer.ready()
        assert answer is not None
        reason = why_not_answer(self.desk, answer)
        assert reason is None, reason
        self.desk = self.desk.closed(answer)
        return answer

    def deal(self, slot: int, seat: int | None) -> Chance:
        self.desk = self.desk.deal([(slot, seat)])
        return self.serve()

    def leave(self, *seats: int) -> Left:
        """The core's part of `Left`."""
        left = self.dealer.leave(seats)
        assert why_not_answer(self.desk, left) is None
        gone = tuple(sorted((*self.desk.gone, *left.seats)))
        self.desk = replace(self.desk, gone=gone).show(left.faces)
        return left

    def holds(self, seat: int) -> dict[int, int]:
        return self.dealer.known(seat)


# The desk asks


def test_wants_and_slots_are_numbered_upwards_from_want_one() -> None:
    desk, out = Desk().mix(faces=[5, 5, 7])
    assert desk.want == Mix(1, (5, 5, 7), (), out) and out == (0, 1, 2)
    desk = desk.closed(Mixed(1))
    assert desk.want is None and (desk.next_slot, desk.next_want) == (3, 2)
    desk = desk.deal([(0, 1), (2, None)])
    assert desk.want == Deal(2, ((0, 1), (2, None)))
    desk, new = desk.closed(Dealt(2, ((0, 1, None), (2, None, 7)))).move(0, by=1, to=2, keep=1)
    assert desk.want == Move(3, 0, 3, 1, 2, 1) and new == 3
    desk = desk.closed(Moved(3)).roll()
    assert desk.want == Roll(4)
    assert desk.closed(Rolled(4, bytes(32))).opened().next_want == 6


@pytest.mark.parametrize("ask", ["mix", "deal", "move", "roll"])
def test_one_want_at_a_time(ask: str) -> None:
    desk = Desk().roll()
    arguments: dict[str, tuple[Any, ...]] = {"mix": ((), ()), "deal": ((),), "move": (0, 0), "roll": ()}
    with pytest.raises(AssertionError, match="one want at a time"):
        getattr(desk, ask)(*arguments[ask])


def test_public_slots_enter_a_common_shuffle_as_faces_and_are_forgotten() -> None:
    desk = Desk(next_slot=4, faces=((1, 9), (3, 8)))
    mixed, out = desk.mix(faces=[7], slots=[0, 1])
    assert mixed.want == Mix(1, (7, 9), (0,), out) and out == (4, 5, 6)
    assert mixed.faces == ((3, 8),), "what was not mixed stays"


def test_a_public_card_enters_its_owners_hand_shuffle_as_a_face() -> None:
    desk = Desk(next_slot=2, faces=((0, 9),))
    mixed, out = desk.mix(slots=[0, 1], own=1)
    assert mixed.want == Mix(1, (9,), (1,), out, 1) and mixed.faces == ()


def test_the_open_hand_of_a_seat_that_has_left_keeps_its_slots() -> None:
    desk = Desk(next_slot=2, faces=((0, 9), (1, 8)), gone=(1,))
    mixed, out = desk.mix(slots=[0, 1], own=1)
    assert mixed.want == Mix(1, (), (0, 1), out, 1) and mixed.faces == ((0, 9), (1, 8))


def test_a_card_that_all_have_seen_is_dealt_and_moved_openly() -> None:
    desk = Desk(next_slot=2, faces=((0, 9),))
    assert desk.deal([(0, 1), (1, 1)]).want == Deal(1, ((0, None), (1, 1)))
    moving, new = desk.move(0, by=1, to=2)
    assert why_not_answer(moving, Moved(1)) is not None
    assert why_not_answer(moving, Moved(1, 9)) is None
    assert moving.closed(Moved(1, 9)).face(new) == 9


def test_what_goes_to_a_seat_that_has_left_is_asked_for_openly() -> None:
    assert Desk(gone=(1,)).deal([(0, 1), (1, 2)]).want == Deal(1, ((0, None), (1, 2)))


def test_faces_are_shown_once_kept_in_order_and_forgotten() -> None:
    desk = Desk().show([(5, 1), (2, 3), (5, 1)])
    assert desk.faces == ((2, 3), (5, 1))
    assert desk.face(5) == 1 and desk.face(6) is None
    assert desk.face(6, {6: 4}) == 4 and desk.face(5, {6: 4}) == 1
    assert desk.forget([5, 99]).faces == ((2, 3),)


# What may be answered


OPEN: dict[str, tuple[Desk, Chance]] = {
    "mix": (Desk().mix(faces=[1])[0], Mixed(1)),
    "deal": (Desk().deal([(0, 1), (1, None)]), Dealt(1, ((0, 1, None), (1, None, 4)))),
    "move": (Desk().move(0, by=1)[0], Moved(1)),
    "roll": (Desk().roll(), Rolled(1, bytes(32))),
}


@pytest.mark.parametrize("kind", OPEN)
def test_an_answer_fits_its_own_want_only(kind: str) -> None:
    desk, fitting = OPEN[kind]
    assert why_not_answer(desk, fitting) is None
    for other, (_, answer) in OPEN.items():
        assert (why_not_answer(desk, answer) is None) == (other == kind)
    assert "not 2" in str(why_not_answer(desk, replace(fitting, r=2)))
    assert "no want is open" in str(why_not_answer(Desk(), fitting))


def test_a_roll_has_thirty_two_bytes() -> None:
    assert "32 bytes" in str(why_not_answer(Desk().roll(), Rolled(1, b"short")))


@pytest.mark.parametrize(
    ("cards", "reason"),
    [
        (((0, 1, None),), "asks for cards"),
        (((1, None, 4), (0, 1, None)), "asks for cards"),
        (((0, 2, None), (1, None, 4)), "asks for cards"),
        (((0, 1, 3), (1, None, 4)), "must not show"),
        (((0, 1, None), (1, None, None)), "must show"),
    ],
)
def test_a_deal_shows_exactly_the_public_faces(cards: Any, reason: str) -> None:
    assert reason in str(why_not_answer(OPEN["deal"][0], Dealt(1, cards)))


def test_a_deal_to_a_seat_that_left_meanwhile_must_show_its_face() -> None:
    desk = replace(OPEN["deal"][0], gone=(1,))
    assert "must show" in str(why_not_answer(desk, Dealt(1, ((0, 1, None), (1, None, 4)))))
    assert why_not_answer(desk, Dealt(1, ((0, 1, 3), (1, None, 4)))) is None


@pytest.mark.parametrize(
    ("by", "to", "gone", "public"), [(1, 2, (), 0), (1, 2, (1,), 1), (1, 2, (2,), 1), (1, None, (2,), 0)]
)
def test_a_move_shows_its_face_if_either_side_has_left(
    by: int, to: int | None, gone: tuple[int, ...], public: int
) -> None:
    desk = replace(Desk().move(0, by=by, to=to)[0], gone=gone)
    assert (why_not_answer(desk, Moved(1, 3)) is None) == bool(public)
    assert (why_not_answer(desk, Moved(1)) is None) != bool(public)


def test_seats_leave_once_and_not_nobody() -> None:
    assert why_not_answer(Desk(gone=(1,)), Left((0,), ())) is None
    assert "cannot leave" in str(why_not_answer(Desk(gone=(1,)), Left((0, 1), ())))
    assert "cannot leave" in str(why_not_answer(Desk(), Left((), ())))
    assert why_not_answer(Desk().roll(), Left((0,), ())) is None, "in any state"


# The local dealer


def test_everything_follows_from_the_seed() -> None:
    first, second, other = LocalDealer(b"a"), LocalDealer(b"a"), LocalDealer(b"b")
    assert first.entropy() == second.entropy() != other.entropy()
    orders = []
    for dealer in (first, second, other):
        desk, deck = Desk().mix(faces=range(20))
        assert desk.want is not None
        dealer.serve(desk.want)
        assert dealer.ready() == Mixed(1)
        assert dealer.ready() is None, "an answer is fetched once"
        dealer.serve(Deal(2, tuple((slot, 0) for slot in deck)))
        orders.append(list(dealer.known(0).values()))
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == list(range(20))


def test_a_private_deal_is_known_to_its_receiver_alone() -> None:
    bench = Bench()
    assert bench.deal(bench.deck[0], 1) == Dealt(2, ((bench.deck[0], 1, None),))
    assert list(bench.holds(1)) == [bench.deck[0]] and bench.holds(0) == {}
    assert bench.desk.faces == ()


def test_a_public_deal_shows_the_face_and_the_game_records_it() -> None:
    bench = Bench()
    answer = bench.deal(bench.deck[0], None)
    assert isinstance(answer, Dealt) and answer.cards[0][2] in range(10, 20)
    assert bench.holds(0) == bench.holds(1) == {}


def test_a_card_is_dealt_once_to_one_seat_but_can_be_opened_later() -> None:
    bench = Bench()
    slot = bench.deck[0]
    bench.deal(slot, 1)
    with pytest.raises(DealerError, match="held by 1 and cannot be dealt to 0"):
        bench.deal(slot, 0)
    bench.desk = replace(bench.desk, want=None)
    answer = bench.deal(slot, None)
    assert isinstance(answer, Dealt) and answer.cards[0][2] is not None
    with pytest.raises(DealerError, match="cannot be dealt"):
        bench.dealer.serve(Deal(9, ((999, 0),)))
    with pytest.raises(DealerError, match="cannot be dealt"):
        bench.dealer.serve(Deal(9, ((999, None),)))


def test_rolls_differ_by_number() -> None:
    dealer = LocalDealer(SEED)
    values = []
    for number in (1, 2):
        dealer.serve(Roll(number))
        answer = dealer.ready()
        assert isinstance(answer, Rolled) and len(answer.value) == 32
        values.append(answer.value)
    assert values[0] != values[1]


def test_a_hand_shuffle_renames_the_owners_cards_only() -> None:
    bench = Bench()
    for slot in bench.deck[:3]:
        bench.deal(slot, 1)
    before = sorted(bench.holds(1).values())
    bench.desk, out = bench.desk.mix(slots=bench.deck[:3], own=1)
    bench.serve()
    assert tuple(bench.holds(1)) == out and sorted(bench.holds(1).values()) == before
    bench.desk, _ = bench.desk.mix(slots=out, own=0)
    with pytest.raises(DealerError, match="is held by 1, not 0"):
        bench.serve()


def test_a_common_shuffle_takes_only_what_everybody_seals() -> None:
    bench = Bench()
    bench.deal(bench.deck[0], 1)
    bench.desk, _ = bench.desk.mix(slots=bench.deck)
    with pytest.raises(DealerError, match="not -1"):
        bench.serve()


def test_a_shuffle_makes_fresh_slots() -> None:
    bench = Bench()
    with pytest.raises(DealerError, match="in use"):
        bench.dealer.serve(Mix(9, (1,), (), (bench.deck[0],)))


def test_a_move_hands_a_card_to_a_seat_or_under_all_layers() -> None:
    bench = Bench()
    first, second = bench.deck[:2]
    bench.deal(first, 1)
    bench.deal(second, 1)
    faces = bench.holds(1)
    bench.desk, given = bench.desk.move(first, by=1, to=0)
    assert bench.serve() == Moved(4)
    assert bench.holds(0) == {given: faces[first]} and first not in bench.holds(1)
    bench.desk, buried = bench.desk.move(second, by=1)
    bench.serve()
    assert bench.holds(1) == {}
    bench.desk, out = bench.desk.mix(slots=[buried, *bench.deck[2:]])
    bench.serve()
    bench.deal(out[0], 1)
    assert len(bench.holds(1)) == 1


def test_a_card_shown_with_keep_stays_with_its_owner_too() -> None:
    bench = Bench()
    slot = bench.deck[0]
    bench.deal(slot, 1)
    bench.desk, copy = bench.desk.move(slot, by=1, to=0, keep=1)
    bench.serve()
    assert bench.holds(1)[slot] == bench.holds(0)[copy]


def test_only_the_holder_moves_a_card() -> None:
    bench = Bench()
    bench.deal(bench.deck[0], 1)
    for slot, by in ((bench.deck[0], 0), (bench.deck[1], 0), (999, 0)):
        with pytest.raises(DealerError, match="not by seat 0"):
            bench.dealer.serve(Move(9, slot, 500, by))


def test_opening_needs_the_right_holder_and_the_right_face() -> None:
    bench = Bench()
    slot = bench.deck[0]
    bench.deal(slot, 1)
    face = bench.holds(1)[slot]
    assert bench.dealer.why_not_open(1, [(slot, face)]) is None
    assert bench.dealer.why_not_open(0, [(slot, face)]) == f"seat 0 does not hold slot {slot}"
    assert bench.dealer.why_not_open(1, [(slot, face + 1)]) == f"slot {slot} is not card {face + 1}"
    assert bench.dealer.why_not_open(1, [(bench.deck[1], face)]) is not None, "nobody has seen it"
    bench.dealer.open([(slot, face)])
    assert bench.holds(1) == {}, "open to all, held by nobody alone"
    assert bench.dealer.why_not_open(0, [(slot, face)]) is None


# Leaving


def test_what_a_leaver_held_alone_becomes_readable_and_nothing_else() -> None:
    bench = Bench()
    bench.deal(bench.deck[0], 1)
    bench.deal(bench.deck[1], 0)
    face = bench.holds(1)[bench.deck[0]]
    left = bench.leave(1)
    assert left == Left((1,), ((bench.deck[0], face),))
    assert bench.desk.faces == ((bench.deck[0], face),) and bench.holds(1) == {}
    assert len(bench.holds(0)) == 1
    assert bench.dealer.why_not_open(1, left.faces) is None


def test_several_seats_leave_together_in_order() -> None:
    assert LocalDealer(SEED).leave([2, 0]) == Left((0, 2), ())


def test_left_while_a_deal_to_the_leaver_is_open() -> None:
    bench = Bench()
    bench.desk = bench.desk.deal([(bench.deck[0], 1), (bench.deck[1], 0)])
    bench.leave(1)
    answer = bench.serve()
    assert isinstance(answer, Dealt)
    (slot, seat, face), (_, _, hidden) = answer.cards
    assert (slot, seat) == (bench.deck[0], 1) and face is not None and hidden is None
    assert bench.desk.faces == ((slot, face),), "recorded without the game's help"
    assert list(bench.holds(0)) == [bench.deck[1]]


def test_left_while_a_deal_to_somebody_else_is_open() -> None:
    bench = Bench()
    bench.desk = bench.desk.deal([(bench.deck[0], 1)])
    bench.leave(0)
    assert bench.serve() == Dealt(2, ((bench.deck[0], 1, None),))
    assert bench.desk.faces == ()


def test_left_while_a_public_deal_is_open() -> None:
    bench = Bench()
    bench.desk = bench.desk.deal([(bench.deck[0], None)])
    bench.leave(0)
    bench.serve()
    assert bench.desk.faces == (), "the game records what it opened to all itself"


def test_left_while_the_leaver_shuffles_its_hand() -> None:
    bench = Bench()
    for slot in bench.deck[:3]:
        bench.deal(slot, 1)
    held = bench.holds(1)
    bench.desk, out = bench.desk.mix(slots=bench.deck[:3], own=1)
    bench.leave(1)
    assert bench.serve() == Mixed(5)
    shown = dict(bench.desk.faces)
    assert [shown[slot] for slot in out] == [held[slot] for slot in bench.deck[:3]], "nobody shuffled: same order"
    assert bench.dealer.why_not_open(1, [(slot, shown[slot]) for slot in out]) is None


def test_left_while_somebody_else_shuffles_a_hand() -> None:
    bench = Bench()
    for slot in bench.deck[:2]:
        bench.deal(slot, 1)
    bench.desk, out = bench.desk.mix(slots=bench.deck[:2], own=1)
    bench.leave(0)
    bench.serve()
    assert bench.desk.faces == () and tuple(bench.holds(1)) == out


def test_left_while_all_shuffle() -> None:
    bench = Bench()
    bench.desk, out = bench.desk.mix(faces=[30], slots=bench.deck)
    bench.leave(1)
    bench.serve()
    assert bench.desk.faces == ()
    bench.deal(out[0], 0)
    assert len(bench.holds(0)) == 1


@pytest.mark.parametrize("keep", [0, 1])
@pytest.mark.parametrize(("to", "leaver"), [(0, 1), (None, 1), (0, 0)])
def test_left_while_a_move_is_open(to: int | None, leaver: int, keep: int) -> None:
    bench = Bench()
    slot = bench.deck[0]
    bench.deal(slot, 1)
    face = bench.holds(1)[slot]
    bench.desk, new = bench.desk.move(slot, by=1, to=to, keep=keep)
    bench.leave(leaver)
    assert bench.serve() == Moved(3, face)
    assert bench.desk.face(new) == face
    assert (slot in bench.holds(1)) == (keep == 1 and leaver == 0)


def test_left_of_a_bystander_while_a_move_is_open() -> None:
    bench = Bench()
    bench.deal(bench.deck[0], 1)
    bench.desk, new = bench.desk.move(bench.deck[0], by=1, to=0)
    bench.leave(2)
    assert bench.serve() == Moved(3)
    assert new in bench.holds(0) and bench.desk.faces == ()


def test_left_while_a_roll_is_open() -> None:
    bench = Bench()
    bench.desk = bench.desk.roll()
    bench.leave(1)
    assert isinstance(bench.serve(), Rolled) and bench.desk.faces == ()


def test_a_shuffle_asked_for_a_seat_that_has_left_keeps_the_order_and_shows_it() -> None:
    bench = Bench()
    for slot in bench.deck[:2]:
        bench.deal(slot, 1)
    left = bench.leave(1)
    bench.desk, out = bench.desk.mix(faces=[40], slots=bench.deck[:2], own=1)
    assert isinstance(bench.desk.want, Mix) and bench.desk.want.slots == bench.deck[:2]
    bench.serve()
    assert [bench.desk.face(slot) for slot in out] == [40, *(face for _, face in left.faces)]


def test_a_leavers_card_can_still_be_moved_and_is_seen_by_all() -> None:
    bench = Bench()
    bench.deal(bench.deck[0], 1)
    ((slot, face),) = bench.leave(1).faces
    bench.desk, new = bench.desk.move(slot, by=1)
    assert bench.serve() == Moved(3, face)
    bench.desk, _ = bench.desk.mix(slots=[new, *bench.deck[1:]])
    assert isinstance(bench.desk.want, Mix) and bench.desk.want.faces == (face,)
    bench.serve()


def test_draws_of_a_seat_that_has_left_are_open() -> None:
    bench = Bench()
    bench.leave(1)
    answer = bench.deal(bench.deck[0], 1)
    assert isinstance(answer, Dealt) and answer.cards[0][1] is None and answer.cards[0][2] is not None


# The local match


def _match(seats: int = 2) -> LocalMatch[Any]:
    match: LocalMatch[Any] = LocalMatch(GAME, {}, seats, SEED)
    assert match.turn == -1 and match.legal() == [], "chance is to act first"
    for _ in match.settle():
        pass
    return match


def test_a_match_settles_chance_and_then_waits_for_a_player() -> None:
    match = _match()
    assert match.turn in (0, 1) and match.follow() is None and match.result is None
    assert match.ply == 3 and len(match.legal()) > 3


def test_a_match_refuses_what_the_rules_or_the_dealer_forbid() -> None:
    match = _match()
    seat = match.turn
    assert seat is not None
    slot, face = next(iter(match.known(seat).items()))
    ply = match.ply
    for action, reason in (
        (Bonus(seat, 1), "the bonus follows"),
        (Gamble(1 - seat), "is to act"),
        (Play(seat, slot, (face + 1) % 6), "is not card"),
        (Play(seat, next(iter(match.known(1 - seat))), 0), "not in your hand"),
    ):
        assert reason in str(match.why_not(action))
        with pytest.raises(IllegalAction, match=reason):
            match.play(action)
    assert match.ply == ply, "nothing happened"
    assert match.why_not(Play(seat, slot, face)) is None


def test_an_opening_takes_a_want_number_and_makes_the_card_public() -> None:
    match = _match()
    seat = match.turn
    assert seat is not None
    slot, face = next(iter(match.known(seat).items()))
    before = match.state.desk.next_want
    match.play(Play(seat, slot, face))
    assert match.state.desk.next_want == before + 1 and slot not in match.known(seat)


def test_nobody_acts_while_a_want_is_open() -> None:
    match = _match()
    seat = match.turn
    assert seat is not None
    match.play(Shuffle(seat))
    assert match.turn == -1
    with pytest.raises(IllegalAction, match="must come first"):
        match.play(Gamble(seat))


def test_a_seat_leaves_once_and_its_stand_in_plays_to_the_end() -> None:
    match = _match(3)
    seat = match.turn
    assert seat is not None
    left, events = match.leave(seat)
    assert left.seats == (seat,) and len(left.faces) == 3 and events
    assert match.public() == dict(left.faces)
    with pytest.raises(IllegalAction, match="cannot leave"):
        match.leave(seat)
    match.leave(*(other for other in range(3) if other != seat))
    for _ in match.settle():
        pass
    assert match.result is not None and match.turn is None
    with pytest.raises(IllegalAction, match="over"):
        match.play(Gamble(seat))
    with pytest.raises(IllegalAction, match="over"):
        match.leave(0)
