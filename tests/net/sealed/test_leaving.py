"""Peers who leave in order or vanish, at every bad moment (design groups 15 and 16)."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from kontor_games.engine.core.chance import Deal, Dealt, Left, Mix, Mixed, Move, Moved, Roll, Rolled
from kontor_games.engine.core.stream import H, u32
from kontor_games.net.sealed import escrow
from kontor_games.net.sealed.algebra.group import h2g, mul, total
from kontor_games.net.sealed.bodies import Gon

from .kit import Ring, decrypt_all, refused

FACES = [4, 5, 6, 7, 8, 9]


def started(n: int) -> tuple[Ring, tuple[int, ...]]:
    ring = Ring(n).start()
    return ring, ring.mix(FACES)


def test_leaving_while_nothing_is_open_shows_the_hand_and_seals_the_rest() -> None:
    ring, deck = started(4)
    ring.deal((deck[0], 1), (deck[1], 2))
    hand = ring.players[1].known(1)
    ring.vote_out(1)
    ring.pump()
    assert ring.departures() == Left((1,), tuple(hand.items()))
    assert ring.table.active == (0, 2, 3)
    assert (ring.table.epoch, ring.table.complete_epoch) == (1, 1)
    assert ring.table.cards.slots[deck[1]].holders == (2,)
    assert ring.table.peers.opened == {1: ring.secrets()[1]}
    dealt = ring.deal((deck[2], None))  # play goes on
    assert dealt.cards[0][2] in FACES


@pytest.mark.parametrize("sent", [0, 1, 2, 3])
def test_a_public_draw_shows_the_card_it_would_have_shown_anyway(sent: int) -> None:
    ring, deck = started(4)
    truth = decrypt_all(ring)[deck[0]]
    ring.open(Deal(2, ((deck[0], None),)))
    for _ in range(sent):
        ring.step()
    ring.vote_out(2)  # before or after it sent its share
    assert ring.pump() == Dealt(2, ((deck[0], None, truth),))


def test_a_private_draw_of_one_who_left_becomes_public() -> None:
    ring, deck = started(3)
    truth = decrypt_all(ring)
    ring.open(Deal(2, ((deck[0], 1), (deck[1], 0))))
    ring.step()
    ring.vote_out(1)
    assert ring.pump() == Dealt(2, ((deck[0], 1, truth[deck[0]]), (deck[1], 0, None)))
    assert ring.players[0].known(0) == {deck[1]: truth[deck[1]]}


@pytest.mark.parametrize("sent", [0, 2, 3])
def test_a_roll_keeps_its_result(sent: int) -> None:
    ring = Ring(4).start()
    P = h2g("roll", ring.table.peers.ctx, u32(1))
    value = H("roll-out", ring.table.peers.ctx, u32(1), total(mul(x, P) for x in ring.secrets().values()), size=32)
    ring.open(Roll(1))
    for _ in range(sent):
        ring.step()
    ring.vote_out(2)
    assert ring.pump() == Rolled(1, value)


@pytest.mark.parametrize("sent", [0, 1, 2])
def test_a_shuffle_goes_on_without_the_one_who_left(sent: int) -> None:
    """Leaver 1: two turns before its own, on its own turn, and right after it."""
    ring = Ring(4).start()
    want = ring.mix_want(FACES)
    ring.open(want)
    for _ in range(sent):
        ring.step()
    ring.vote_out(1)
    assert ring.pump() == Mixed(1)
    assert ring.table.cards.slots[want.out[0]].holders == (0, 1, 2, 3)
    dealt = ring.deal(*((s, None) for s in want.out))
    assert Counter(face for _, _, face in dealt.cards) == Counter(FACES)


def test_a_message_made_before_the_departure_still_fits_afterwards() -> None:
    ring = Ring(4).start()
    ring.open(ring.mix_want(FACES))
    early = ring.players[0].make("mix")
    ring.vote_out(1)
    while ring.table.task is None or ring.table.task.kind != "want":
        ring.step()
    assert ring.players[0].make("mix") == early
    ring.send(0, early)
    ring.pump()
    assert ring.departures() is not None


def test_a_move_owed_by_one_who_left_is_public() -> None:
    ring, deck = started(3)
    ring.deal((deck[0], 1))
    face = ring.players[1].known(1)[deck[0]]
    ring.open(Move(3, deck[0], 50, 1, 2))
    ring.vote_out(1)
    assert ring.pump() == Moved(3, face)
    assert ring.departures() == Left((1,), ((deck[0], face),))
    assert ring.table.cards.slots[50].face == face and deck[0] not in ring.table.cards.slots


def test_a_move_to_one_who_left_is_public() -> None:
    ring, deck = started(3)
    ring.deal((deck[0], 1))
    face = ring.players[1].known(1)[deck[0]]
    ring.open(Move(3, deck[0], 50, 1, 2))
    ring.vote_out(2)
    assert ring.pump() == Moved(3, face)


def test_a_hand_shuffle_owed_by_one_who_left_keeps_the_order_in_public() -> None:
    ring, deck = started(3)
    ring.deal(*((s, 1) for s in deck[:3]))
    hand = ring.players[1].known(1)
    want = ring.mix_want([], deck[:3], own=1)
    ring.open(want)
    ring.vote_out(1)
    assert ring.pump() == Mixed(want.r)
    assert [ring.table.cards.slots[s].face for s in want.out] == [hand[s] for s in deck[:3]]


def test_afterwards_the_gone_seat_is_served_in_public() -> None:
    ring, deck = started(4)
    ring.deal((deck[0], 1), (deck[1], 0))
    mine = ring.players[0].known(0)[deck[1]]
    ring.vote_out(1)
    ring.pump()
    public = ring.table.cards.slots[deck[0]].face
    truth = decrypt_all(ring)
    assert ring.deal((deck[2], 1)).cards == ((deck[2], 1, truth[deck[2]]),)
    sent = len(ring.log)
    assert ring.serve(Mix(ring.next_r, (), (deck[0],), (60,), 1)) == Mixed(ring.next_r - 1)
    assert ring.serve(Move(ring.next_r, 60, 61, 1, 0)) == Moved(ring.next_r - 1, public)
    assert len(ring.log) == sent  # nobody had to send anything
    assert ring.serve(Move(ring.next_r, deck[1], 62, 0, 1)) == Moved(ring.next_r - 1, mine)


def test_two_of_five_vanish_at_once() -> None:
    ring, deck = started(5)
    ring.deal((deck[0], 1), (deck[1], 3))
    faces = {deck[0]: ring.players[1].known(1)[deck[0]], deck[1]: ring.players[3].known(3)[deck[1]]}
    ring.vote_out(1, 3)
    ring.pump()
    assert ring.departures() == Left((1, 3), tuple(sorted(faces.items())))
    assert ring.table.active == (0, 2, 4) and ring.table.complete_epoch == 1
    assert ring.deal((deck[2], None)).cards[0][2] in FACES


def test_four_go_down_to_two_one_after_the_other() -> None:
    ring, deck = started(4)
    ring.vote_out(3)
    ring.pump()
    ring.vote_out(1)
    ring.pump()
    assert ring.table.active == (0, 2)
    assert ring.table.complete_epoch == 1  # two need no new escrow
    truth = decrypt_all(ring)
    assert ring.deal((deck[0], None), (deck[1], 2)).cards[0][2] == truth[deck[0]]
    assert ring.players[2].known(2) == {deck[1]: truth[deck[1]]}
    refused(ring.table, 0, Gon(5, (2,), (None,)), "gon.unexpected")  # one alone is not a majority of three


@pytest.mark.parametrize("steps", [0, 1, 4, 6])
def test_a_second_one_vanishes_before_the_new_escrow_is_complete(steps: int) -> None:
    ring, deck = started(5)
    truth = decrypt_all(ring)[deck[0]]
    ring.open(Deal(2, ((deck[0], None),)))
    ring.vote_out(4)
    while ring.table.epoch == 0:
        ring.step()
    ring.departures()
    for _ in range(steps):
        ring.step()
    assert ring.table.complete_epoch == 0
    ring.vote_out(3)
    assert ring.pump() == Dealt(2, ((deck[0], None, truth),))
    assert ring.table.active == (0, 1, 2)
    assert (ring.table.epoch, ring.table.complete_epoch) == (2, 2)
    assert ring.departures() == Left((3,), ())


def test_of_four_with_one_gone_and_no_new_escrow_two_are_too_few() -> None:
    ring, _ = started(4)
    ring.vote_out(3)
    while ring.table.epoch == 0:
        ring.step()
    refused(ring.table, 0, Gon(2, (2,), (None,)), "gon.unexpected")
    assert ring.table.why_not_gone((2,)) == "2 survivors are too few, 3 are needed"


def test_a_table_split_in_halves_stands_still() -> None:
    ring, _ = started(4)
    for p, w in ((0, (2, 3)), (1, (2, 3)), (2, (0, 1)), (3, (0, 1))):
        refused(ring.table, p, Gon(1, w, (None, None)), "gon.unexpected")


def test_votes_that_differ_do_nothing_and_can_be_taken_back() -> None:
    ring, _ = started(4)
    ring.send(0, Gon(1, (3,), (None,)))
    ring.send(1, Gon(1, (2,), (None,)))
    ring.send(2, Gon(1, (3,), (None,)))
    assert ring.agreed() == ()
    ring.send(1, Gon(2, (3,), (None,)))
    assert ring.agreed() == (3,)
    ring.send(1, Gon(0, (2,), (None,)))  # votes are numbered, and the newest counts
    assert ring.agreed() == (3,)
    ring.send(0, Gon(2, (), ()))
    assert ring.agreed() == ()


def test_bye_hands_over_the_key_without_a_vote() -> None:
    ring, deck = started(4)
    ring.deal((deck[0], 2))
    hand = ring.players[2].known(2)
    ring.send(2, ring.players[2].bye())
    ring.silent.add(2)
    assert ring.departures() == Left((2,), tuple(hand.items()))
    ring.pump()
    assert ring.table.active == (0, 1, 3) and ring.table.complete_epoch == 1
    refused(ring.table, 2, ring.players[2].bye(), "bye.unexpected")


def test_bye_of_one_of_two_ends_the_match_and_needs_no_escrow() -> None:
    ring, deck = started(2)
    ring.open(Deal(2, ((deck[0], None),)))
    truth = decrypt_all(ring)[deck[0]]
    ring.send(1, ring.players[1].bye())
    ring.silent.add(1)
    assert ring.table.active == (0,)
    assert ring.pump() == Dealt(2, ((deck[0], None, truth),))


def test_bye_during_the_first_escrow_starts_it_again_among_the_rest() -> None:
    ring = Ring(4)
    while ring.table.task is not None and ring.table.task.kind == "keys":
        ring.step()
    ring.step()
    ring.send(3, ring.players[3].bye())
    ring.silent.add(3)
    assert isinstance(ring.pump(), Rolled)
    assert ring.table.epochs[1].members == (0, 1, 2) and ring.table.complete_epoch == 1


def test_bye_before_there_are_keys_is_refused() -> None:
    ring = Ring(3)
    refused(ring.table, 0, ring.players[0].bye(), "bye.unexpected")


def test_the_gone_can_say_no_more() -> None:
    ring, deck = started(4)
    ring.vote_out(1)
    ring.pump()
    for table in ring.tables:
        if table.task is None and table.active == (0, 2, 3):
            table.serve(Deal(2, ((deck[0], None),)))
    refused(ring.table, 1, ring.players[0].make("shr"), "shr.unexpected")
    refused(ring.table, 1, Gon(1, (), ()), "gon.unexpected")


# --- what stays secret


def test_after_a_departure_the_hands_of_the_others_are_still_sealed() -> None:
    ring, deck = started(4)
    ring.deal(*((s, i % 4) for i, s in enumerate(deck)))
    ring.vote_out(1)
    ring.pump()
    known_keys = ring.table.peers.opened
    for s, slot in ring.table.cards.slots.items():
        if slot.holders:
            assert decrypt_all(ring, known_keys)[s] is None


def test_a_card_passed_on_by_the_leaver_can_be_read_from_its_old_slot_but_the_new_one_stays_sealed() -> None:
    ring, deck = started(4)
    ring.deal((deck[0], 1))
    ring.serve(Move(3, deck[0], 50, 1, 2))
    ring.vote_out(1)
    ring.pump()
    left = ring.departures()
    assert left == Left((1,), ())
    assert ring.table.cards.slots[50].holders == (2,)


def test_old_shares_of_the_leaver_and_one_survivor_give_no_key() -> None:
    """Four peers, threshold 3: what peer 3 held in epoch 0 plus one survivor's shares of both epochs."""
    ring, _ = started(4)
    epoch0 = ring.table.epochs[0]
    held_by = {i: ring.players[i]._share_of(0, 0, epoch0.dealt[0]) for i in (1, 3)}
    ring.vote_out(3)
    ring.pump()
    epoch1 = ring.table.epochs[1]
    new = ring.players[1]._share_of(0, 1, epoch1.dealt[0])
    x = ring.secrets()[0]
    assert escrow.combine(held_by) != x
    assert escrow.combine({1: new, 3: held_by[3]}) != x
    assert new != held_by[1]  # each epoch has its own polynomial
    assert ring.table.peers.opened == {3: ring.secrets()[3]}  # the transport key of the leaver is not opened
    for pair in combinations((1, 2), 2):
        fresh = {i: ring.players[i]._share_of(0, 1, epoch1.dealt[0]) for i in pair}
        assert escrow.combine(fresh) == x  # threshold 2 of the three who remain
