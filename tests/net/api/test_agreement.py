"""What people read before they agree: what a majority can do to them, and what stands beside it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from kontor_games.clients.text.api_words import CatalogueWording
from kontor_games.net.api.matches.agreement import (
    Agreed,
    agreed_at,
    agreed_in,
    all_choices,
    choices,
    recovery_text,
    says,
)
from kontor_games.net.api.matches.wording import PlainWording
from kontor_games.net.sealed.escrow import threshold
from kontor_games.net.wire.messages import Clauses, Ladder, Pace, Package, SeatInfo
from tests.net.table.test_table import honest_terms
from tests.worlds.room import ANN, BEN, two_seated

WORDS = CatalogueWording()
NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"}


@pytest.mark.parametrize("machines", range(3, 9))
def test_a_majority_is_said_to_read_cards_and_put_people_out_with_its_true_size(machines: int) -> None:
    text = recovery_text(WORDS, "majority", machines)
    assert f"any {NUMBERS[threshold(machines)]} of the {NUMBERS[machines]} machines" in text
    assert "can read the hidden cards of the rest and vote them out" in text


def test_of_two_of_three_is_said_what_they_can_do() -> None:
    assert "any two of the three machines, if they work together," in recovery_text(WORDS, "majority", 3)


@pytest.mark.parametrize("machines", range(3, 9))
def test_the_choice_without_recovery_stands_beside_it_with_its_own_price(machines: int) -> None:
    majority, none = choices(WORDS, machines)
    assert (majority["id"], none["id"]) == ("majority", "none") and majority["title"] != none["title"]
    assert "a player who leaves or vanishes ends the match" in none["text"]
    assert "not even all the others together" in none["text"]


@pytest.mark.parametrize("recovery", ["majority", "none"])
def test_two_machines_have_no_majority_and_nothing_to_choose(recovery: Any) -> None:
    text = recovery_text(WORDS, recovery, 2)
    assert "Nobody can be voted out" in text and "forfeits the match" in text
    assert choices(WORDS, 2) == []
    assert [choice["text"] for choice in all_choices(WORDS)["2"]] == [text]


def test_machines_are_counted_not_seats() -> None:
    view = replace(two_seated().table.view(), seats=(None, None, None))
    assert agreed_at(view).machines == 3
    mine = SeatInfo(ANN.key, "Ann", "human"), SeatInfo(ANN.key, "Robo", "greedy")
    assert agreed_at(replace(view, seats=(*mine, None))).machines == 2
    assert agreed_at(replace(view, seats=(*mine, SeatInfo(BEN.key, "Ben", "human")))).machines == 2


def test_everything_that_is_agreed_is_a_sentence_without_gaps() -> None:
    clauses = Clauses(90, Ladder("open", None), Pace("days", 86400))
    package = Package("kontor-go", "1.0", b"c" * 32)
    for wording in (WORDS, PlainWording()):
        found = says(wording, Agreed("majority", 3, True, clauses, (("Bee", "Ann"),), package))
        assert [said["id"] for said in found] == [
            "recovery", "guest", "rated", "grace", "pace_days", "package", "spectators",
        ]  # fmt: skip
        for said in found:
            assert said["text"] and not set("{}|") & set(said["text"]), said
    texts = {said["id"]: said["text"] for said in says(WORDS, Agreed("none", 2, False, clauses))}
    assert "one day" in texts["pace_days"] and "90 seconds" in texts["grace"]
    assert "every hand" in texts["rated"] and "no_spectators" in texts
    live = says(WORDS, Agreed("none", 2, False, Clauses(7200, None, Pace("live", 120))))
    assert "2 hours" in live[1]["text"] and "2 minutes" in live[2]["text"]


def test_a_guest_is_said_to_sit_at_somebody_elses_machine_at_the_table_and_in_the_match() -> None:
    room = two_seated()
    ann, ben = room.table.view().seats
    assert ann is not None and ben is not None
    view = replace(room.table.view(), seats=(ann, replace(ann, name="Bee", guest=True), ben))
    assert agreed_at(view).guests == (("Bee", "Ann"),)
    lone = replace(view, seats=(replace(ann, guest=True), ben))
    ((name, owner),) = agreed_at(lone).guests
    assert name == "Ann" and len(owner) == 9, "nobody of that machine plays: its key stands for it"
    terms = honest_terms(two_seated())
    seats = (*terms.seats[:1], replace(terms.seats[0], name="Bee"), terms.seats[1])
    assert agreed_in(replace(terms, seats=seats, guests=(1,))).guests == (("Bee", "Ann"),)
