"""Whole matches among processes: kill -9 at any moment, spectators, goodbyes and disappearances."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from kontor_games.net.record.chain_records import MatchJournal
from kontor_games.net.record.match_files import MatchFiles
from kontor_games.net.record.transcript import Placed, open_file, read
from tests.worlds.party import Party

MATCHES = int(os.environ.get("KONTOR_KILL_MATCHES", "20"))


@pytest.fixture
def parties(tmp_path: Path) -> Iterator[list[Party]]:
    found: list[Party] = []
    yield found
    for party in found:
        party.stop()


def check_alike(party: Party) -> int:
    """All files verify and hold the same chain; every ply that any node ever told of is in it. Returns the plies."""
    reports = party.reports()
    assert {report.code for report in reports.values()} == {0}, reports
    assert all(report.sealed and report.final for report in reports.values())
    assert {report.line for report in reports.values()} == {f"verified: finished, signed by all {len(party.names)}"}
    chains = [chain(party.file(name)) for name in party.names]
    assert all(other == chains[0] for other in chains)
    for number, said in party.plies.items():
        assert len(said) == 1, f"ply {number} was told in two ways: {said}"
    plies = next(iter(reports.values())).plies
    assert sorted(party.plies) == list(range(plies)), "a ply was told of that the chain does not have, or none was"
    return plies


def chain(path: Path) -> list[bytes]:
    """The bytes of a file's chain, end record and final signatures included."""
    with open_file(path) as file:
        return [repr(item.record).encode() for item in read(file) if isinstance(item, Placed)]


def play_with_kills(party: Party, rng: random.Random, kills: int) -> int:
    """Play to the end; nodes are killed at random moments, sometimes several at once, and started again."""
    party.begin()
    killed = 0
    countdown = rng.randrange(1, 15)
    while not party.completed >= set(party.names):
        party.next()
        countdown -= 1
        if countdown > 0 or killed >= kills or party.completed:
            continue
        victims = rng.sample(party.names, rng.choice((1, 1, 1, 2, 3)))
        for victim in victims:
            party.kill(victim)
        party.restart(*victims)
        killed += len(victims)
        countdown = rng.randrange(12, 120)
    party.stop()
    return killed


def test_a_match_goes_on_after_kills(tmp_path: Path, parties: list[Party]) -> None:
    party = Party(tmp_path, "joban", 3)
    parties.append(party)
    killed = play_with_kills(party, random.Random(1), kills=3)
    assert killed >= 3
    assert check_alike(party) > 50


@pytest.mark.long
def test_twenty_matches_under_kills(tmp_path: Path, parties: list[Party]) -> None:
    plies = kills = 0
    for number in range(MATCHES):
        game, options = ("joban", {}) if number % 2 == 0 else ("osaka", {"tokens_to_end": 6})
        party = Party(tmp_path / str(number), game, 3, **options)
        parties.append(party)
        kills += play_with_kills(party, random.Random(number), kills=6)
        plies += check_alike(party)
        print(
            f"match {number + 1} of {MATCHES} ({game}): {kills} kills so far, {plies} plies, 0 lost, 0 forks",
            flush=True,
        )
    assert kills >= 3 * MATCHES


@pytest.mark.long
def test_a_spectator_comes_in_the_middle_and_sees_the_same_end(tmp_path: Path, parties: list[Party]) -> None:
    party = Party(tmp_path, "joban", 3)
    parties.append(party)
    party.begin()
    party.until(lambda: len(party.plies) > 40)
    party.watch("Zoe", "Bruno")
    party.until(
        lambda: party.completed >= set(party.names) and party.chains["Zoe"]["last"].get("parts", [""])[0] == "opn"
    )
    assert party.ended == dict.fromkeys([*party.names, "Zoe"], "played")
    party.look()
    ends = {(party.chains[name]["tip"], party.chains[name]["digest"]) for name in [*party.names, "Zoe"]}
    assert len(ends) == 1
    party.stop()
    check_alike(party)


@pytest.mark.long
def test_of_two_a_goodbye_is_a_proven_forfeit(tmp_path: Path, parties: list[Party]) -> None:
    party = Party(tmp_path, "joban", 2)
    parties.append(party)
    party.begin()
    party.until(lambda: len(party.plies) > 30)
    party.bye("Bruno")
    party.until(lambda: party.ended.keys() >= {"Anna", "Bruno"} and "Anna" in party.completed)
    party.stop()
    assert set(party.ended.values()) == {"forfeit"}
    reports = party.reports()
    anna, bruno = reports["Anna"], reports["Bruno"]
    assert (anna.code, anna.sealed, anna.final) == (0, True, True)  # who stays has the proof
    assert anna.message.startswith("finished with 1 of 2; Bruno left in order") and "forfeits" in anna.message
    assert bruno.code == 0 and "Bruno left in order" in bruno.message  # finished if Anna's key reached him in time


@pytest.mark.long
def test_of_two_a_disappearance_leaves_an_unfinished_match(tmp_path: Path, parties: list[Party]) -> None:
    party = Party(tmp_path, "joban", 2)
    parties.append(party)
    party.begin()
    party.until(lambda: len(party.plies) > 30)
    party.kill("Bruno")
    party.vote("Anna", "Bruno")
    assert party.refused, "of two nobody can go on alone"
    party.stop()
    report = party.reports()["Anna"]
    assert (report.code, report.sealed, report.finished) == (0, True, False)
    assert report.line.startswith("verified up to ply") and "this file stops there" in report.line


@pytest.mark.long
def test_three_go_on_without_one_who_vanished(tmp_path: Path, parties: list[Party]) -> None:
    party = Party(tmp_path, "joban", 3)
    parties.append(party)
    party.begin()
    party.until(lambda: len(party.plies) > 30)
    party.kill("Clara")
    for name in ("Anna", "Bruno"):
        party.vote(name, "Clara")
    party.until(lambda: party.completed >= {"Anna", "Bruno"})
    party.stop()
    party.names.remove("Clara")
    for report in party.reports().values():
        assert (report.code, report.finished) == (0, True), report
        assert any("stand-in" in note for note in report.notes)
    assert chain(party.file("Anna")) == chain(party.file("Bruno"))


@pytest.mark.long
def test_who_lacks_a_final_signature_gets_it_from_a_node_for_which_the_match_is_long_over(
    tmp_path: Path, parties: list[Party]
) -> None:
    party = Party(tmp_path, "joban", 3)
    parties.append(party)
    party.begin()
    party.finish()
    whole = chain(party.file("Bruno"))
    forget_finals(MatchFiles.beside(party.file("Bruno")).journal)
    party.file("Bruno").unlink()
    party.completed.clear()
    party.restart("Anna", "Bruno")
    party.nodes["Anna"].get("tables")  # all her matches are over: she can be reached once she looks for new ones
    party.until(lambda: "Bruno" in party.completed)
    assert chain(party.file("Bruno")) == whole


def forget_finals(path: Path) -> None:
    """As if the node had been killed before the final signatures of the others came."""
    journal, terms, signatures, messages = MatchJournal.resume(path)
    journal.close()
    path.unlink()
    MatchFiles.beside(path).done.unlink()
    journal = MatchJournal.create(path, terms, signatures)
    for signed in messages:
        if signed.kind != "final":
            journal.append(signed, sync=False)
    journal.close()
