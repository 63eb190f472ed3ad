"""What mutants have found: files about which the two verifiers once said different things."""

from __future__ import annotations

from kontor_games.net.record.verify import CANNOT_JUDGE, REFUTED

from .both import agreed
from .change import Bounds, mutants
from .evidence import evidence
from .matches import match_named


def test_a_vote_that_names_a_message_where_none_can_be_makes_no_departure() -> None:
    match = match_named("hansa-5-bye-and-votes")
    made = [each for each in mutants(match, Bounds()) if each.field == "gon.b.f" and "32 bytes" in each.how]
    assert len(made) == 1 and agreed(made[0].data)[0].code == REFUTED


def test_an_empty_deck_mode_is_an_unknown_one() -> None:
    match = match_named("hansa-2-forfeit")
    made = [each for each in mutants(match, Bounds()) if each.field == "terms.deck" and "empty" in each.how]
    assert [agreed(each.data)[0].code for each in made] == [CANNOT_JUDGE, CANNOT_JUDGE]


def test_a_complaint_for_another_epoch_is_a_fault_though_nobody_dealt() -> None:
    match = match_named("hansa-5-bye-and-votes")
    made = [each for each in evidence(match, Bounds()) if each.field == "signed.cmp.b.e" and "e +1, alone" in each.how]
    assert {agreed(each.data)[0].fault for each in made} == {"cmp.unexpected"}


def test_two_votes_with_one_number_are_a_fork_after_the_departure_too() -> None:
    match = match_named("hansa-5-bye-and-votes")
    wanted = ("signed.gon.b.w", "signed.gon.b.f", "signed.giv.b.f")
    made = [each for each in evidence(match, Bounds(changes=1)) if each.field in wanted and "late" in each.how]
    faults = {each.how: agreed(each.data)[0].fault for each in made}
    assert faults.pop("w 0 -1, 25, late") == "gon.form", "a vote against peer -1 is not well formed"
    assert len(faults) >= 4 and set(faults.values()) == {"fork"}
