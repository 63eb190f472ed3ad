"""Marks that a node gives by itself: the later of two names that can be taken for each other."""

from __future__ import annotations

from kontor_games.net.wire.marks import marks_of


def test_the_later_of_two_look_alikes_is_marked_by_its_key_and_nobody_else() -> None:
    people = [
        ("aaaa-aaaa-aaaa-aaaa-a", "Anna"),
        ("bbbb-bbbb-bbbb-bbbb-b", "Bob"),
        ("cccc-cccc-cccc-cccc-c", "\u0410nna"),
        ("aaaa-aaaa-aaaa-aaaa-a", "ANNA"),
    ]
    assert marks_of(people) == ["", "", "cccc-cccc-cccc-cccc", ""]
    assert marks_of(reversed(people)) == ["", "cccc-cccc-cccc-cccc", "", ""]
    assert marks_of([]) == []
