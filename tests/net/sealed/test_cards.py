"""What honest peers can do with cards and dice (design groups 1, 2 and 3)."""

from __future__ import annotations

from collections import Counter

import pytest

from kontor_games.engine.core.chance import Deal, Dealt, Mix, Mixed, Move, Moved, Roll, Rolled
from kontor_games.engine.core.dealer import DealerError
from kontor_games.engine.core.stream import Stream
from kontor_games.engine.errors import LocalError
from kontor_games.net.sealed.bodies import Cheat

from .kit import Ring, decrypt_all, snapshot

FACES = [5, 5, 6, 7, 8, 9]


@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize("m", [1, 2, 6])
def test_all_cards_of_a_shuffled_deck_open_to_what_went_in(n: int, m: int) -> None:
    ring = Ring(n).start()
    faces = [i // 2 + 3 for i in range(m)]
    deck = ring.mix(faces)
    dealt = ring.deal(*((s, None) for s in deck))
    assert Counter(face for _, _, face in dealt.cards) == Counter(faces)


@pytest.mark.long
@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize("m", [36, 108, 256])
def test_all_cards_of_a_large_deck_open_to_what_went_in(n: int, m: int) -> None:
    ring = Ring(n).start()
    faces = [i % 40 for i in range(m)]
    dealt = ring.deal(*((s, None) for s in ring.mix(faces)))
    assert Counter(face for _, _, face in dealt.cards) == Counter(faces)


@pytest.fixture
def ring() -> Ring:
    return Ring(3).start()


def test_a_public_draw_shows_the_card_to_all(ring: Ring) -> None:
    deck = ring.mix(FACES)
    before = decrypt_all(ring)
    assert ring.deal((deck[0], None)) == Dealt(2, ((deck[0], None, before[deck[0]]),))


def test_a_private_draw_reaches_its_owner_alone(ring: Ring) -> None:
    deck = ring.mix(FACES)
    truth = decrypt_all(ring)
    assert ring.deal((deck[0], 1)) == Dealt(2, ((deck[0], 1, None),))
    assert [player.known(seat) for player in ring.players for seat in range(3)] == [
        *({}, {}, {}),
        *({}, {deck[0]: truth[deck[0]]}, {}),
        *({}, {}, {}),
    ]


def test_opening_hands_take_one_message_per_peer(ring: Ring) -> None:
    deck = ring.mix(FACES)
    truth, sent = decrypt_all(ring), len(ring.log)
    ring.deal(*((s, i % 3) for i, s in enumerate(deck)))
    assert [p for p, _ in ring.log[sent:]] == [0, 1, 2]
    for seat in range(3):
        assert ring.players[seat].known(seat) == {s: truth[s] for i, s in enumerate(deck) if i % 3 == seat}


def test_a_card_played_from_the_hand_is_shown_truly(ring: Ring) -> None:
    deck = ring.mix(FACES)
    ring.deal((deck[0], 1), (deck[1], 1))
    hand = ring.players[1].known(1)
    pairs = [(s, hand[s]) for s in deck[:2]]
    body = ring.players[1].open(3, deck[:2])
    for table in ring.tables:
        check = table.check_opening(1, 3, pairs, body)
        assert check is not None
        table.commit(check.run())
        assert [table.cards.slots[s].face for s in deck[:2]] == [face for _, face in pairs]
        assert table.check_opening(1, 4, pairs, None) is None  # public by now: nothing to prove
    assert ring.players[1].known(1) == {}


def test_openings_of_one_frame_are_checked_together(ring: Ring) -> None:
    deck = ring.mix(FACES)
    ring.deal((deck[0], 1), (deck[1], 1))
    hand = ring.players[1].known(1)
    first, second = ring.players[1].open(3, deck[:1]), ring.players[1].open(4, deck[1:2])
    checks = [
        ring.table.check_opening(1, r, [(s, hand[s])], body)
        for r, s, body in ((3, deck[0], first), (4, deck[1], second))
    ]
    for check in checks:
        assert check is not None
        ring.table.commit(check.run())
    with pytest.raises(LocalError):
        ring.table.check_opening(1, 4, [], None)


def test_a_face_down_card_is_never_opened_unless_asked_for(ring: Ring) -> None:
    deck = ring.mix(FACES)
    sent = len(ring.log)
    assert ring.deal((deck[1], None)).cards[0][2] in FACES
    assert ring.table.cards.slots[deck[0]].holders == (0, 1, 2)
    assert len(ring.log) - sent == 3


def test_known_cards_are_reshuffled(ring: Ring) -> None:
    deck = ring.mix(FACES)
    shown = [face for _, _, face in ring.deal(*((s, None) for s in deck[:3])).cards]
    again = ring.mix(shown)
    assert sorted(face for _, _, face in ring.deal(*((s, None) for s in again)).cards) == sorted(shown)


def test_known_and_hidden_cards_are_reshuffled_together(ring: Ring) -> None:
    deck = ring.mix(FACES)
    shown = [face for _, _, face in ring.deal(*((s, None) for s in deck[:2])).cards]
    again = ring.mix(shown, deck[2:])
    assert all(s not in ring.table.cards.slots for s in deck[2:])
    assert sorted(face for _, _, face in ring.deal(*((s, None) for s in again)).cards) == sorted(FACES)


def test_a_hand_shuffled_by_its_owner_stays_its_owners(ring: Ring) -> None:
    deck = ring.mix(FACES)
    ring.deal(*((s, 2) for s in deck[:4]))
    hand, sent = ring.players[2].known(2), len(ring.log)
    new = ring.mix([], deck[:4], own=2)
    assert [p for p, _ in ring.log[sent:]] == [2]
    assert sorted(ring.players[2].known(2)) == list(new)
    assert Counter(ring.players[2].known(2).values()) == Counter(hand.values())


def test_a_card_is_passed_in_secret(ring: Ring) -> None:
    deck = ring.mix(FACES)
    ring.deal((deck[0], 0))
    face = ring.players[0].known(0)[deck[0]]
    assert ring.serve(Move(3, deck[0], 50, 0, 2)) == Moved(3, None)
    assert ring.players[2].known(2) == {50: face}
    assert ring.players[0].known(0) == {} and deck[0] not in ring.table.cards.slots


def test_a_card_is_shown_to_one_seat_and_kept(ring: Ring) -> None:
    deck = ring.mix(FACES)
    ring.deal((deck[0], 0))
    face = ring.players[0].known(0)[deck[0]]
    ring.serve(Move(3, deck[0], 50, 0, 2, keep=1))
    assert ring.players[2].known(2) == {50: face}
    assert ring.players[0].known(0) == {deck[0]: face}


def test_a_card_goes_back_face_down_and_into_a_shuffle(ring: Ring) -> None:
    deck = ring.mix(FACES)
    ring.deal((deck[0], 0))
    ring.serve(Move(3, deck[0], 50, 0, None))
    assert ring.table.cards.slots[50].holders == (0, 1, 2)
    again = ring.mix([], (*deck[1:], 50))
    assert sorted(face for _, _, face in ring.deal(*((s, None) for s in again)).cards) == FACES


def test_a_random_card_is_stolen(ring: Ring) -> None:
    deck = ring.mix(FACES)
    ring.deal(*((s, 0) for s in deck[:3]))
    hidden = ring.mix([], deck[:3], own=0)
    face = ring.players[0].known(0)[hidden[1]]
    ring.serve(Move(ring.next_r, hidden[1], 50, 0, 1))
    assert ring.players[1].known(1) == {50: face}
    assert len(ring.players[0].known(0)) == 2


def test_a_roll_is_the_same_for_all_and_different_each_time(ring: Ring) -> None:
    first, second = ring.serve(Roll(1)), ring.serve(Roll(2))
    assert isinstance(first, Rolled) and isinstance(second, Rolled)
    assert len(first.value) == 32 and first.value != second.value
    assert 1 <= Stream(first.value).below(6) + 1 <= 6


def test_a_peer_may_run_several_seats() -> None:
    ring = Ring(2, seat_peer=(0, 1, 0))
    ring.start()
    deck = ring.mix(FACES)
    truth = decrypt_all(ring)
    ring.deal(*((s, i % 3) for i, s in enumerate(deck)))
    assert ring.players[0].known(2) == {s: truth[s] for s in (deck[2], deck[5])}
    assert ring.players[0].known(0) == {s: truth[s] for s in (deck[0], deck[3])}
    ring.serve(Move(ring.next_r, deck[2], 60, 2, 0))
    assert set(ring.players[0].known(0)) == {deck[0], deck[3], 60}


def test_what_needs_no_message_is_answered_at_once(ring: Ring) -> None:
    deck = ring.mix(FACES)
    ring.deal((deck[0], 0))
    sent = len(ring.log)
    assert ring.deal((deck[0], 0)) == Dealt(3, ((deck[0], 0, None),))  # it has that card already
    assert ring.serve(Mix(4, (), (), ())) == Mixed(4)
    assert len(ring.log) == sent


def test_a_bot_of_a_spectator_sees_nothing(ring: Ring) -> None:
    deck = ring.mix(FACES)
    ring.deal((deck[0], 0))
    assert all(slot.face is None for slot in ring.table.cards.slots.values())


@pytest.mark.parametrize("n", [2, 3, 4])
def test_no_slot_decodes_without_every_key(n: int) -> None:
    ring = Ring(n).start()
    ring.mix(FACES)
    keys = ring.secrets()
    for absent in range(n):
        some = {p: x for p, x in keys.items() if p != absent}
        assert set(decrypt_all(ring, some).values()) == {None}
    assert Counter(decrypt_all(ring).values()) == Counter(FACES)


def test_all_copies_of_the_table_are_equal_after_every_message(ring: Ring) -> None:
    deck = ring.mix(FACES)
    ring.open(Deal(ring.next_r, ((deck[0], 1), (deck[1], None), (deck[2], 0))))
    while ring.step():
        snapshots = [snapshot(table) for table in ring.tables]
        assert all(other == snapshots[0] for other in snapshots)


def test_wants_that_no_dealer_could_serve_are_defects_of_the_game(ring: Ring) -> None:
    deck = ring.mix(FACES)
    ring.deal((deck[0], 0), (deck[1], None))
    r = ring.next_r
    for want in (
        Deal(r, ((deck[0], 1),)),  # held by seat 0: a receiver outside K
        Deal(r, ((deck[1], 1),)),  # public
        Deal(r, ((99, None),)),
        Deal(r, ((deck[2], None), (deck[2], 1))),
        Deal(1, ((deck[2], None),)),  # number used before
        Move(r, deck[2], 50, 0, 1),  # under everybody's layer
        Move(r, deck[0], 50, 1, 2),  # not the holder
        Move(r, deck[0], deck[3], 0, 2),  # slot in use
        Mix(r, (), (deck[0], deck[2]), (50, 51)),  # different holders
        Mix(r, (), (deck[2], deck[2]), (50, 51)),
        Mix(r, (1,), (), (50, 51)),
        Mix(r, (1,) * 257, (), tuple(range(50, 307))),
        Mix(r, (), (deck[2],), (50,), own=1),
    ):
        before = ring.table.cards.slots.copy(), ring.table.next_r
        with pytest.raises(DealerError):
            ring.table.serve(want)
        assert (ring.table.cards.slots, ring.table.next_r) == before and ring.table.task is None


def test_the_end_opens_every_key_and_with_them_every_card(ring: Ring) -> None:
    deck = ring.mix(FACES)
    ring.deal((deck[0], 0), (deck[1], 1))
    truth = {seat: ring.players[seat].known(seat) for seat in range(3)}
    for table in ring.tables:
        table.finish()
    ring.pump()
    assert ring.table.secrets() == ring.secrets()
    assert {seat: ring.table.cards.read(seat, ring.table.secrets()) for seat in range(3)} == truth


def test_no_key_is_opened_before_the_end(ring: Ring) -> None:
    from kontor_games.net.sealed.algebra.group import enc_scalar
    from kontor_games.net.sealed.bodies import Opn

    with pytest.raises(Cheat, match=r"opn\.unexpected"):
        ring.table.apply(0, Opn(enc_scalar(ring.secrets()[0])))
