"""Wrong keys, shares, claims and moves: refused, the right peer named, the state unchanged (design groups 9 to 11)."""

from __future__ import annotations

import pytest

from kontor_games.engine.core.chance import Deal, Move
from kontor_games.engine.core.stream import H
from kontor_games.net.sealed import proofs
from kontor_games.net.sealed.algebra import sigma
from kontor_games.net.sealed.algebra.group import (
    G,
    Point,
    add,
    base,
    bind,
    enc_scalar,
    face_point,
    mul,
    neg,
    sub,
    total,
)
from kontor_games.net.sealed.bodies import Cheat, Key, Opening, Rky, Shr
from kontor_games.net.sealed.card_table import CardTable

from .kit import MATCH, Ring, changed, refused, secret, snapshot

OTHER_MATCH = H("terms", b"another match", size=32)


@pytest.fixture
def drawing() -> Ring:
    """Three peers; slot 0 is about to be drawn in public."""
    ring = Ring(3).start()
    deck = ring.mix([4, 5, 6, 7])
    ring.open(Deal(2, ((deck[0], None), (deck[1], 2))))
    return ring


def shares_by(ring: Ring, key_of: int, sender: int, r: int = 2, ctx: bytes | None = None) -> Shr:
    bases = [ring.table.cards.slots[s].A for s in (0, 1)]
    return proofs.make_shares(secret(key_of), ring.secrets()[key_of], ctx or ring.table.peers.ctx, sender, r, bases)


def test_a_share_with_another_key_is_refused(drawing: Ring) -> None:
    refused(drawing.table, 0, shares_by(drawing, key_of=1, sender=0), "shr.proof")


def test_a_share_plus_a_point_is_refused(drawing: Ring) -> None:
    good = shares_by(drawing, 0, 0)
    shifted = add(Point(good.S[:32]), G)
    refused(drawing.table, 0, changed(good, S=shifted + good.S[32:]), "shr.proof")
    refused(drawing.table, 0, changed(good, S=good.S[32:] + good.S[:32]), "shr.proof")


def test_a_share_for_another_slot_is_refused(drawing: Ring) -> None:
    bases = [drawing.table.cards.slots[s].A for s in (2, 3)]
    wrong = proofs.make_shares(secret(0), drawing.secrets()[0], drawing.table.peers.ctx, 0, 2, bases)
    refused(drawing.table, 0, wrong, "shr.proof")


def test_a_share_for_another_request_is_refused(drawing: Ring) -> None:
    refused(drawing.table, 0, shares_by(drawing, 0, 0, r=3), "shr.unexpected")
    refused(drawing.table, 0, changed(shares_by(drawing, 0, 0, r=3), r=2), "shr.proof")


def test_a_share_of_another_peer_is_refused(drawing: Ring) -> None:
    refused(drawing.table, 0, shares_by(drawing, 1, 1), "shr.proof")


def test_a_share_of_another_table_is_refused(drawing: Ring) -> None:
    refused(drawing.table, 0, shares_by(drawing, 0, 0, ctx=CardTable(OTHER_MATCH, 3, (0, 1, 2)).peers.ctx), "shr.proof")


def test_a_message_repeated_is_refused(drawing: Ring) -> None:
    good = drawing.players[0].make("shr")
    drawing.table.apply(0, good)
    refused(drawing.table, 0, good, "shr.unexpected")


def test_too_many_or_too_few_shares_are_refused(drawing: Ring) -> None:
    good = shares_by(drawing, 0, 0)
    for S in (good.S[:32], good.S + good.S[:32], b"", good.S[:-1]):
        refused(drawing.table, 0, changed(good, S=S), "shr.form")


def test_what_nobody_asked_for_is_refused(drawing: Ring) -> None:
    receiver = drawing.players[2].make("shr")
    assert isinstance(receiver, Shr) and len(receiver.S) == 32  # seat 2 keeps its own layer on slot 1
    refused(drawing.table, 0, drawing.players[1].make("shr"), "shr.proof", "shr.form")
    drawing.pump()
    refused(drawing.table, 0, shares_by(drawing, 0, 0), "shr.unexpected")


# --- claims about hand cards


@pytest.fixture
def holding() -> Ring:
    """Seat 0 holds slots 0 and 1, seat 1 holds slot 2; faces 4, 5, 6, 7 are in play."""
    ring = Ring(3).start()
    deck = ring.mix([4, 5, 6, 7])
    ring.deal((deck[0], 0), (deck[1], 0), (deck[2], 1))
    return ring


def refused_opening(
    ring: Ring, seat: int, pairs: list[tuple[int, int]], body: Opening | None, *codes: str, r: int = 3
) -> None:
    before = snapshot(ring.table)
    with pytest.raises(Cheat) as cheat:
        check = ring.table.check_opening(seat, r, pairs, body)
        assert check is not None
        ring.table.commit(check.run())
    assert cheat.value.peer == ring.table.peers.seat_peer[seat] and cheat.value.code in codes
    assert snapshot(ring.table) == before


def other_face(ring: Ring, slot: int) -> int:
    return next(face for face in (4, 5, 6, 7) if face != ring.players[0].known(0)[slot])


def test_claiming_another_card_is_refused(holding: Ring) -> None:
    body = holding.players[0].open(3, [0])
    refused_opening(holding, 0, [(0, other_face(holding, 0))], body, "shr.card")
    refused_opening(holding, 0, [(0, 900)], body, "shr.card")


def test_a_share_made_to_fit_another_card_is_refused(holding: Ring) -> None:
    slot, wanted = holding.table.cards.slots[0], other_face(holding, 0)
    body = holding.players[0].open(3, [0])
    assert body is not None
    fitted = changed(body, S=sub(slot.B, face_point(wanted)))  # type: ignore[arg-type]
    refused_opening(holding, 0, [(0, wanted)], fitted, "shr.proof")  # type: ignore[arg-type]


def test_openings_of_foreign_missing_or_superfluous_cards_are_refused(holding: Ring) -> None:
    hand = holding.players[0].known(0)
    good = holding.players[0].open(3, [0])
    refused_opening(holding, 0, [(2, 4)], good, "shr.card")  # the hand of another
    refused_opening(holding, 0, [(3, 4)], good, "shr.card")  # the deck
    refused_opening(holding, 0, [(77, 4)], good, "shr.card")  # no such slot
    refused_opening(holding, 0, [(0, hand[0]), (0, hand[0])], good, "shr.card")
    refused_opening(holding, 0, [(0, hand[0])], None, "shr.form")
    refused_opening(holding, 0, [], good, "shr.form")
    refused_opening(holding, 0, [(0, hand[0]), (1, hand[1])], good, "shr.form")
    refused_opening(holding, 0, [(1, hand[1])], good, "shr.proof")
    refused_opening(holding, 0, [(0, hand[0])], good, "shr.unexpected", r=4)


# --- moves


@pytest.fixture
def passing(holding: Ring) -> Ring:
    holding.open(Move(3, 0, 50, 0, 2))
    return holding


def test_a_move_to_another_card_is_refused(passing: Ring) -> None:
    good = passing.players[0].make("rky")
    assert isinstance(good, Rky)
    slot = passing.table.cards.slots[0]
    mine = passing.players[0].known(0)[0]
    wanted = other_face(passing, 0)
    shifted = add(sub(Point(good.B), face_point(mine)), face_point(wanted))
    refused(passing.table, 0, changed(good, B=shifted), "rky.proof")
    # the whole proof made anew for the shifted card, with the relation that then does not hold
    x, k, target = passing.secrets()[0], 99, passing.table.peers.keys[2][0]
    A2, B2 = base(k), add(face_point(wanted), mul(k, target))
    stmt = H("rky", bind("rky", passing.table.peers.ctx, 0, b"\0\0\0\3"), base(x), target, slot.A + slot.B + A2 + B2)
    c, s = sigma.prove(secret(0), stmt, [[(0, G)], [(1, G)], [(0, slot.A), (1, target)]], [x, -k])
    refused(passing.table, 0, Rky(3, A2, B2, c, s), "rky.proof")


def test_a_move_by_one_who_does_not_hold_the_card_is_refused(passing: Ring) -> None:
    refused(passing.table, 1, passing.players[0].make("rky"), "rky.unexpected")
    slot, target = passing.table.cards.slots[0], passing.table.peers.keys[2][0]
    own = proofs.make_rekey(secret(1), passing.secrets()[1], passing.table.peers.ctx, 1, 3, slot.A, slot.B, target)
    refused(passing.table, 1, own, "rky.unexpected")
    refused(passing.table, 0, own, "rky.proof")


def test_a_move_to_another_receiver_is_refused(passing: Ring) -> None:
    slot, target = passing.table.cards.slots[0], passing.table.peers.keys[1][0]
    own = proofs.make_rekey(secret(0), passing.secrets()[0], passing.table.peers.ctx, 0, 3, slot.A, slot.B, target)
    refused(passing.table, 0, own, "rky.proof")


# --- keys


def test_a_key_that_cancels_another_needs_a_secret_nobody_has() -> None:
    ring = Ring(2)
    ring.send(0, ring.players[0].make("key"))
    victim = ring.table.task.got["key", 0][0]  # type: ignore[union-attr]
    x, t = 5, 6
    Y, T = add(base(x), neg(victim)), base(t)  # Y_0 + Y_1 = 5G
    stmt = H("key", bind("key", ring.table.peers.ctx, 1), Y, T)
    c, s = sigma.prove(secret(1), stmt, [[(0, G)], [(1, G)]], [x, t])
    refused(ring.table, 1, Key(Y, T, c, s), "key.proof")


def test_a_key_copied_with_its_proof_is_refused() -> None:
    ring = Ring(2)
    body = ring.players[0].make("key")
    ring.send(0, body)
    refused(ring.table, 1, body, "key.proof")


def test_equal_keys_are_refused_even_with_proofs() -> None:
    ring = Ring(2)
    ctx = ring.table.peers.ctx
    refused(ring.table, 1, proofs.make_key(secret(1), 5, 5, ctx, 1), "key.key")  # Y = T
    ring.send(0, proofs.make_key(secret(0), 5, 6, ctx, 0))
    for x, t in ((5, 7), (7, 5), (6, 7), (7, 6)):
        refused(ring.table, 1, proofs.make_key(secret(1), x, t, ctx, 1), "key.key")


def test_whoever_shares_a_key_the_higher_index_is_blamed_in_any_order_of_arrival() -> None:
    table = CardTable(MATCH, 2, (0, 1))
    table.apply(1, proofs.make_key(secret(1), 5, 7, table.peers.ctx, 1))
    refused(table, 0, proofs.make_key(secret(0), 5, 6, table.peers.ctx, 0), "key.key", culprit=1)


def test_a_second_key_is_refused() -> None:
    ring = Ring(2)
    ring.send(0, ring.players[0].make("key"))
    refused(ring.table, 0, proofs.make_key(secret(9), 8, 9, ring.table.peers.ctx, 0), "key.unexpected")
    ring.pump()
    refused(ring.table, 0, proofs.make_key(secret(9), 8, 9, ring.table.peers.ctx, 0), "key.unexpected")


def test_the_joint_key_is_the_sum_of_all() -> None:
    ring = Ring(3).start()
    assert ring.table.peers.joint((0, 1, 2)) == total(base(x) for x in ring.secrets().values())


def test_a_wrong_or_zero_secret_is_refused_at_the_end() -> None:
    from kontor_games.net.sealed.bodies import Bye, Opn

    ring = Ring(2).start()
    ring.table.finish()
    for x in (0, 1, ring.secrets()[1]):
        refused(ring.table, 0, Opn(enc_scalar(x)), "opn.key")
        refused(ring.table, 0, Bye(enc_scalar(x)), "bye.key")
