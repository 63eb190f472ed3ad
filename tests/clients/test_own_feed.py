"""Terminals ask for the state of a match again only if they heard of something that theirs does not contain."""

from __future__ import annotations

import pytest

from kontor_games.clients.node.own_feed import OwnFeed

from .test_web_feed import CASES


@pytest.mark.parametrize("case", CASES)
def test_a_state_is_asked_for_again_only_if_it_lacks_what_was_heard(case: str) -> None:
    steps, behind = CASES[case]
    feed = OwnFeed()
    for step in steps:
        what, _, number = step.partition(" ")
        if what == "shows":
            feed.shows({"feed": int(number)} if number else {})
        elif what == "wants":
            feed.wants(*([int(number)] if number else []))
        else:
            feed.asked()
    assert feed.is_behind is behind
