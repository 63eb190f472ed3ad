"""Nothing goes round for ever among peers that pass on what they cannot keep."""

from __future__ import annotations

from kontor_games.net.lockstep.speaker import MAX_PER_AUTHOR, PassedOn
from kontor_games.net.wire.match_talk import Signed


def said(author: int, number: int) -> Signed:
    return Signed("dealer", author, number.to_bytes(4, "big"), bytes(64))


def test_each_peer_gets_a_message_once_until_the_chain_grows() -> None:
    book = PassedOn()
    assert book.new_to(said(0, 1), [2, 3]) == [2, 3]
    assert book.new_to(said(0, 1), [2, 3, 4]) == [4]
    book.grown()
    assert book.new_to(said(0, 1), [2, 3]) == [2, 3]


def test_a_peer_with_a_new_link_gets_it_again() -> None:
    book = PassedOn()
    book.new_to(said(0, 1), [2, 3])
    book.linked(3)
    assert book.new_to(said(0, 1), [2, 3]) == [3]


def test_whoever_says_too_much_uses_up_its_own_share() -> None:
    book = PassedOn()
    for number in range(MAX_PER_AUTHOR):
        assert book.new_to(said(0, number), [2]) == [2]
    assert book.new_to(said(0, MAX_PER_AUTHOR), [2]) == []
    assert book.new_to(said(0, 0), [2]) == [], "an old one does not become new by that"
    assert book.new_to(said(1, 0), [2]) == [2]
