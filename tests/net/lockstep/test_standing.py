"""Who is known to have stood where, whatever a liar says about tips that do not exist."""

from __future__ import annotations

from kontor_games.net.lockstep.standing import MAX_TIPS, Witnesses


def test_everybody_who_signed_at_one_of_the_tips_is_a_witness() -> None:
    book = Witnesses()
    book.add(0, b"a")
    book.add(1, b"b")
    assert book.at({b"a", b"b", b"c"}) == {0, 1}
    assert book.at({b"b"}) == {1}
    assert book.at(set()) == set()


def test_a_liar_with_many_tips_makes_only_its_own_word_forgotten() -> None:
    book = Witnesses()
    book.add(0, b"a")
    book.add(1, b"a")
    for number in range(MAX_TIPS):
        book.add(1, number.to_bytes(2, "big"))
    assert book.at({b"a"}) == {0}


def test_a_tip_that_is_named_again_is_kept() -> None:
    book = Witnesses()
    for number in range(MAX_TIPS):
        book.add(0, number.to_bytes(2, "big"))
    book.add(0, b"\0\0")
    book.add(0, b"new")
    assert book.at({b"\0\0"}) == {0} and book.at({b"\0\1"}) == set()
