"""When the others may go on without a peer."""

from __future__ import annotations

from kontor_games.net.api.network.patience import Patience


def test_a_peer_may_be_put_out_once_it_was_lost_for_the_time_of_grace() -> None:
    it = Patience(120)
    it.look(0, b"a", lost=[1], owing=[])
    assert it.left([1], 0) == 120 and it.left([1], 119.5) == 1 and it.left([1], 120) == 0
    assert it.left([2], 300) == 120, "nobody waits for it"
    assert it.left([1, 2], 300) == 120, "of several the last counts"


def test_the_clock_begins_again_when_the_peer_was_there() -> None:
    it = Patience(60)
    it.look(0, b"a", lost=[1], owing=[])
    it.look(50, b"a", lost=[], owing=[])
    it.look(55, b"a", lost=[1], owing=[])
    assert it.left([1], 60) == 55


def test_whoever_does_not_do_its_part_at_one_place_is_waited_for_just_as_long() -> None:
    it = Patience(60)
    it.look(0, b"a", lost=[], owing=[2])
    it.look(30, b"b", lost=[], owing=[2])  # it did its part, and is to act again
    assert it.left([2], 60) == 30
    it.look(95, b"b", lost=[], owing=[2])
    assert it.left([2], 95) == 0


def test_a_lost_link_counts_on_while_the_match_moves() -> None:
    it = Patience(60)
    it.look(0, b"a", lost=[2], owing=[2])
    it.look(30, b"b", lost=[2], owing=[])
    assert it.left([2], 60) == 0


def test_without_a_grace_nobody_waits() -> None:
    assert Patience(None).left([1], 5) == 0
