"""Who goes to which table for a rematch: the lowest key among the proposals that are valid."""

from __future__ import annotations

from kontor_games.net.table.rematch_book import MAX_MATCHES, OPEN_FOR, RematchBook, rotated
from kontor_games.net.wire.terms import decode_terms
from tests.worlds.world import make_terms

MATCH = b"m" * 32
LOW, ME, HIGH = (bytes([number]) * 32 for number in (1, 2, 3))


def book() -> RematchBook:
    return RematchBook(ME)


def test_the_lowest_key_keeps_its_table() -> None:
    it = book()
    assert it.best(MATCH, 0) is None
    it.proposed(MATCH, HIGH, "high", False, 0)
    it.proposed(MATCH, ME, "mine", False, 1)
    best = it.best(MATCH, 2)
    assert best is not None and best.table == "mine"
    it.went(MATCH, best)
    assert it.move(MATCH, 2) is None, "the lower key stays where it is"
    it.proposed(MATCH, LOW, "low", True, 3)
    move = it.move(MATCH, 4)
    assert move is not None and (move[0].table, move[1].table, move[1].is_in_lobby) == ("mine", "low", True)
    it.went(MATCH, move[1])
    assert it.move(MATCH, 4) is None


def test_in_whatever_order_they_hear_of_each_other_all_end_at_one_table() -> None:
    from itertools import permutations

    for order in permutations((LOW, ME, HIGH)):
        for me in (LOW, ME, HIGH):
            it = RematchBook(me)
            it.proposed(MATCH, me, me.hex(), False, 0)
            mine = it.best(MATCH, 0)
            assert mine is not None
            it.went(MATCH, mine)
            at = me.hex()
            for peer in order:
                if peer != me:
                    it.proposed(MATCH, peer, peer.hex(), False, 0)
                if (move := it.move(MATCH, 0)) is not None:
                    it.went(MATCH, move[1])
                    at = move[1].table
            assert at == LOW.hex()


def test_a_proposal_is_over_after_ten_minutes_and_its_table_is_told_once() -> None:
    it = book()
    it.proposed(MATCH, ME, "mine", False, 0)
    it.proposed(MATCH, LOW, "low", False, 0)
    assert it.own(OPEN_FOR - 1) and not it.expired(OPEN_FOR - 1)
    assert it.best(MATCH, OPEN_FOR) is None
    assert [each.table for each in it.expired(OPEN_FOR)] == ["mine"]
    assert it.expired(OPEN_FOR + 1) == [] and it.own(OPEN_FOR + 1) == []


def test_a_newer_proposal_replaces_the_older_and_old_matches_are_forgotten() -> None:
    it = book()
    for number in range(MAX_MATCHES + 3):
        it.proposed(number.to_bytes(32, "big"), LOW, f"a{number}", False, 0)
        it.proposed(number.to_bytes(32, "big"), LOW, f"b{number}", False, 0)
    assert it.match_of("a5") is None
    assert it.match_of("b5") == (5).to_bytes(32, "big")
    assert it.match_of("b1") is None, "there are too many"


def test_seats_are_rotated_so_that_the_second_plays_first() -> None:
    terms = (
        decode_terms(make_terms("osaka", 3)) if isinstance(make_terms("osaka", 3), bytes) else make_terms("osaka", 3)
    )
    seats = {seat.seat: seat.name for peer in terms.peers for seat in rotated(terms, peer.key)}
    old = [seat.name for seat in terms.seats]
    assert [seats[number] for number in range(len(old))] == [*old[1:], old[0]]
