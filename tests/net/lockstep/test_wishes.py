"""A vote is said once for each tip, again when it is chosen again, and it can be taken back."""

from __future__ import annotations

from kontor_games.net.lockstep.wishes import Ballot

TIP, NEXT = b"tip", b"next"
ACTIVE = (0, 1, 2)


def test_a_vote_is_said_once_for_each_tip() -> None:
    ballot = Ballot()
    assert not ballot.is_open
    ballot.choose([2])
    assert ballot.is_open and ballot.due(TIP, ACTIVE) == {2}
    assert ballot.due(TIP, ACTIVE) is None
    assert ballot.due(NEXT, ACTIVE) == {2}
    ballot.choose([2])
    assert ballot.due(NEXT, ACTIVE) == {2}


def test_a_vote_that_was_said_is_taken_back_by_saying_so() -> None:
    ballot = Ballot()
    ballot.choose([2])
    ballot.due(TIP, ACTIVE)
    ballot.choose([])
    assert ballot.is_open and ballot.due(TIP, ACTIVE) == frozenset()
    assert not ballot.is_open


def test_a_vote_for_a_tip_that_is_gone_needs_no_taking_back() -> None:
    ballot = Ballot()
    ballot.choose([2])
    ballot.due(TIP, ACTIVE)
    ballot.choose([])
    assert ballot.due(NEXT, ACTIVE) is None and not ballot.is_open
    ballot.choose([])
    assert not ballot.is_open


def test_who_votes_names_those_too_who_have_said_goodbye_and_will_not_vote() -> None:
    ballot = Ballot()
    assert ballot.due(TIP, ACTIVE, frozenset({1})) is None, "a goodbye alone is not a reason to vote"
    ballot.choose([2])
    assert ballot.due(TIP, ACTIVE) == {2}
    assert ballot.due(TIP, ACTIVE, frozenset({1})) == {1, 2}
    assert ballot.due(TIP, ACTIVE, frozenset({1})) is None
    assert ballot.due(NEXT, (0, 2), frozenset({1})) == {2}, "it has its place in the chain"


def test_a_vote_from_before_a_restart_still_stands_and_can_be_taken_back() -> None:
    ballot = Ballot()
    ballot.recall(TIP, frozenset({2}))
    assert ballot.due(TIP, ACTIVE) is None, "it is out already"
    assert ballot.due(NEXT, ACTIVE) == {2}
    ballot = Ballot()
    ballot.recall(TIP, frozenset({2}))
    ballot.choose([])
    assert ballot.due(TIP, ACTIVE) == frozenset()


def test_what_is_chosen_now_is_not_replaced_by_a_vote_of_before() -> None:
    ballot = Ballot()
    ballot.choose([1])
    ballot.recall(TIP, frozenset({2}))
    assert ballot.due(TIP, ACTIVE) == {1}
