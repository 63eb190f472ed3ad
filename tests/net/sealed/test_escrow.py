"""Escrow of keys: bad shares, false complaints, copied randomness (design group 14)."""

from __future__ import annotations

from itertools import combinations

import pytest

from kontor_games.engine.errors import LocalError
from kontor_games.net.sealed import escrow
from kontor_games.net.sealed.algebra import sigma
from kontor_games.net.sealed.algebra.group import G, Point, add, base, dec_scalars, enc_scalar, enc_scalars
from kontor_games.net.sealed.bodies import Cmp, Esc, Giv, Rdy

from .kit import Ring, changed, refused, secret


def at_escrow(n: int = 3) -> Ring:
    ring = Ring(n)
    while ring.table.task is not None and ring.table.task.kind == "keys":
        ring.step()
    return ring


def bad_share(ring: Ring, dealer: int, victim: int) -> Esc:
    """An `esc` that is right but for the share of one member, with a fresh and valid proof."""
    good = ring.players[dealer].make("esc")
    assert isinstance(good, Esc)
    members = [p for p in ring.table.active if p != dealer]
    shares = list(dec_scalars(good.E))
    shares[members.index(victim)] += 1
    E = enc_scalars(shares)
    who = bytes(ring.table.active)
    from kontor_games.engine.core.stream import u32
    from kontor_games.net.sealed.algebra.group import h2s

    e = h2s("kdf", secret(dealer), "eph", u32(0), who)
    stmt = escrow._statement(ring.table.peers.ctx, dealer, 0, good.R, good.F, E)
    c, s = sigma.prove(b"y" * 32, stmt, [[(0, G)]], [e])
    return Esc(0, good.F, good.R, E, c, s)


@pytest.mark.parametrize("n", [3, 4, 5])
def test_any_majority_rebuilds_a_key_and_no_minority_does(n: int) -> None:
    ring = Ring(n).start()
    epoch = ring.table.epochs[0]
    assert epoch.threshold == n // 2 + 1
    shares = {i: ring.players[i]._share_of(0, 0, epoch.dealt[0]) for i in range(1, n)}
    x = ring.secrets()[0]
    for some in combinations(shares, epoch.threshold):
        assert escrow.combine({i: shares[i] for i in some}) == x
    for few in combinations(shares, epoch.threshold - 1):
        assert escrow.combine({i: shares[i] for i in few}) != x


def test_thresholds_are_the_smallest_majority() -> None:
    assert [escrow.threshold(a) for a in (2, 3, 4, 5, 6)] == [2, 2, 3, 3, 4]


def test_two_peers_and_tables_without_recovery_have_no_escrow() -> None:
    for ring in (Ring(2), Ring(4, recovery="none")):
        ring.start()
        assert ring.table.epochs == {} and "esc" not in {type(body).__name__.lower() for _, body in ring.log}


def test_a_bad_share_is_complained_about_and_its_dealer_blamed() -> None:
    ring = at_escrow()
    ring.send(0, bad_share(ring, 0, 2))
    ring.send(1, ring.players[1].make("esc"))
    ring.send(2, ring.players[2].make("esc"))
    assert isinstance(ring.players[1].make("rdy"), Rdy)
    complaint = ring.players[2].make("rdy")
    assert isinstance(complaint, Cmp) and complaint.d == 0
    refused(ring.table, 2, complaint, "esc.share", culprit=0)


def test_a_complaint_may_come_before_all_shares_are_in() -> None:
    ring = at_escrow()
    ring.send(0, bad_share(ring, 0, 2))
    dealt = ring.table.task.got["esc", 0]  # type: ignore[union-attr]
    complaint = escrow.complain(secret(2), ring.players[2]._t, ring.table.peers.ctx, 2, 0, 0, dealt)
    refused(ring.table, 2, complaint, "esc.share", culprit=0)


def test_a_false_complaint_falls_back_on_the_complainer() -> None:
    ring = at_escrow()
    for p in range(3):
        ring.send(p, ring.players[p].make("esc"))
    dealt = ring.table.task.got["esc", 0]  # type: ignore[union-attr]
    ctx = ring.table.peers.ctx
    complaint = escrow.complain(secret(2), ring.players[2]._t, ctx, 2, 0, 0, dealt)
    refused(ring.table, 2, complaint, "cmp.complaint")
    refused(ring.table, 2, changed(complaint, K=add(Point(complaint.K), G)), "cmp.proof")  # a K that would help
    refused(ring.table, 1, complaint, "cmp.proof")  # of another peer
    refused(ring.table, 2, changed(complaint, d=1), "cmp.proof")  # about another dealer
    refused(ring.table, 2, changed(complaint, d=2), "cmp.form")
    refused(ring.table, 2, changed(complaint, d=5), "cmp.form")
    refused(ring.table, 2, changed(complaint, e=1), "cmp.unexpected")
    ring.send(2, Rdy(0))
    refused(ring.table, 2, complaint, "cmp.unexpected")  # it has said that all is well


def test_a_complaint_about_nothing_is_judged_before_any_share_is_in() -> None:
    ring = at_escrow()
    complaint = Cmp(0, 0, bytes(base(5)), bytes(32), bytes(32))
    assert not ring.table.ripe(2, complaint)  # its dealer may still speak
    for wrong in (changed(complaint, e=1), changed(complaint, d=2), changed(complaint, d=5)):
        assert ring.table.ripe(2, wrong)
    refused(ring.table, 2, changed(complaint, e=1), "cmp.unexpected")


def test_a_copied_ephemeral_key_is_refused() -> None:
    ring = at_escrow()
    first = ring.players[0].make("esc")
    assert isinstance(first, Esc)
    ring.send(0, first)
    own = ring.players[1].make("esc")
    refused(ring.table, 1, changed(own, R=first.R), "esc.proof")
    refused(ring.table, 1, changed(own, R=first.R, c=first.c, s=first.s), "esc.proof")
    refused(ring.table, 1, first, "esc.proof")


def test_escrow_of_another_epoch_or_size_is_refused() -> None:
    ring = at_escrow(4)
    good = ring.players[0].make("esc")
    assert isinstance(good, Esc)
    refused(ring.table, 0, changed(good, e=1), "esc.unexpected")
    refused(ring.table, 0, changed(good, F=good.F[:-32]), "esc.form")
    refused(ring.table, 0, changed(good, E=good.E + bytes(32)), "esc.form")
    refused(ring.table, 0, changed(good, F=good.F[:32] + base(3)), "esc.proof")
    refused(ring.table, 0, changed(good, E=enc_scalar(3) + good.E[32:]), "esc.proof")


def test_ready_before_all_shares_are_in_is_refused() -> None:
    ring = at_escrow()
    ring.send(0, ring.players[0].make("esc"))
    refused(ring.table, 0, Rdy(0), "rdy.unexpected")
    ring.send(1, ring.players[1].make("esc"))
    ring.send(2, ring.players[2].make("esc"))
    refused(ring.table, 0, Rdy(1), "rdy.unexpected")
    ring.send(0, Rdy(0))
    refused(ring.table, 0, Rdy(0), "rdy.unexpected")


def test_cards_cannot_be_asked_for_before_the_escrow_is_complete() -> None:
    from kontor_games.engine.core.chance import Roll

    ring = at_escrow()
    with pytest.raises(LocalError):
        ring.table.serve(Roll(1))


def test_shares_are_given_only_after_agreement_and_only_true_ones() -> None:
    ring = Ring(4).start()
    from kontor_games.net.sealed.bodies import Gon

    epoch = ring.table.epochs[0]
    shares = {p: enc_scalar(ring.players[p]._share_of(3, 0, epoch.dealt[3])) for p in range(3)}
    refused(ring.table, 0, Giv(0, bytes(96), shares[0]), "giv.unexpected", gone=ring.agreed())
    for p in (0, 1):
        ring.send(p, Gon(1, (3,), (None,)))
    refused(ring.table, 0, Giv(0, bytes(96), shares[0]), "giv.unexpected", gone=ring.agreed())
    ring.send(2, Gon(1, (3,), (None,)))
    refused(ring.table, 0, Giv(0, bytes(96), enc_scalar(5)), "giv.share", gone=ring.agreed())
    refused(ring.table, 0, Giv(0, bytes(96), shares[1]), "giv.share", gone=ring.agreed())
    refused(ring.table, 0, Giv(0, bytes(96), bytes(32)), "giv.share", gone=ring.agreed())
    refused(ring.table, 0, Giv(1, bytes(96), shares[0]), "giv.unexpected", gone=ring.agreed())
    refused(ring.table, 0, Giv(0, bytes(96), shares[0] * 2), "giv.form", gone=ring.agreed())
    refused(ring.table, 0, Giv(0, bytes(64), shares[0]), "giv.form", gone=ring.agreed())
    refused(ring.table, 3, Giv(0, bytes(96), shares[0]), "giv.unexpected", gone=ring.agreed())
    assert (0, "giv") in ring.owing()
    ring.send(0, Giv(0, bytes(96), shares[0]))
    assert ring.votes.gave(0, bytes(96)) and (0, "giv") not in ring.owing()


def test_without_recovery_nobody_can_be_declared_gone() -> None:
    from kontor_games.net.sealed.bodies import Gon

    ring = Ring(4, recovery="none").start()
    refused(ring.table, 0, Gon(1, (3,), (None,)), "gon.unexpected")
    pair = Ring(2).start()
    refused(pair.table, 0, Gon(1, (1,), (None,)), "gon.unexpected")
