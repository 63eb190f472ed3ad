"""Matches between machines in the terminal: host, join, play, Ctrl-C, kill -9, vote, goodbye, watch."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from kontor_games.net.api import daemon
from kontor_games.net.record.verify import verify

from .terminals import Seat, kill_node, take_turns

Start = Callable[[str, Sequence[str]], Seat]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts `kontor` for a person; their node is ended with the test."""
    seats: list[Seat] = []

    def started(name: str, arguments: Sequence[str]) -> Seat:
        seats.append(Seat(tmp_path / name, arguments))
        return seats[-1]

    yield started
    for seat in seats:
        seat.close()
    for home in {seat.home for seat in seats}:
        daemon.stop(home)


def open_table(start: Start, seats: int, *more: str) -> tuple[Seat, list[str]]:
    """Anna hosts; what the others type to join."""
    anna = start("anna", ["host", "joban", "--seats", str(seats), "--me", "Anna", *more])
    found = anna.until(r"kontor join (\S+) (\S+)")
    return anna, ["join", found[1], found[2]]


def begin(anna: Seat, others: Sequence[Seat]) -> str:
    """All agree; returns the match's short id. All must see the same six words."""
    words = set()
    for seat in (anna, *others):
        seat.until("Type r when you agree")
        seat.type("r")
    for seat in (anna, *others):
        words.add(seat.until(r"six words:\n    ([a-z ]+)\n")[1])
    assert len(words) == 1
    return anna.until(r"Match ([0-9a-f]{32})")[1]


def test_two_people_play_and_go_on_after_ctrl_c_and_kill_9_of_client_and_node(start: Start) -> None:
    anna, join = open_table(start, 2)
    assert "Recovery is" not in anna.text and "Instead" not in anna.text
    bruno = start("bruno", [*join, "--me", "Bruno"])
    match = begin(anna, [bruno])
    assert "Nobody can be voted out" in " ".join(anna.text.split())
    anna.until(r"\? for help")
    anna.type("/say good luck")
    bruno.until("Anna says: good luck")
    bruno.type("grid")
    bruno.until("Anna: linked, on the local network")
    take_turns([anna, bruno], 4)
    assert anna.interrupt() == 130
    assert f"kontor resume {match[:8]} --home {anna.home}" in anna.text
    bruno.kill()
    kill_node(bruno.home)
    anna = start("anna", ["resume"])
    anna.until("goes on at ply")
    bruno = start("bruno", ["resume", match[:8]])
    bruno.until("goes on at ply")
    take_turns([anna, bruno], 2)
    kill_node(anna.home)  # under her open screen, which starts it again
    anna.until("The node was started again")
    take_turns([anna, bruno], 2)
    bruno.type("bye")
    bruno.until("Type bye again")
    bruno.type("bye")
    assert bruno.wait() == 0 and "You have left the match in order" in bruno.text
    assert anna.wait() == 0 and "a forfeit" in anna.text


@pytest.mark.long
def test_a_turn_confirmed_while_somebody_is_away_survives_kill_9(start: Start) -> None:
    anna, join = open_table(start, 2)
    bruno = start("bruno", [*join, "--me", "Bruno"])
    begin(anna, [bruno])
    take_turns([anna, bruno], 2)
    until = time.monotonic() + 60
    while not anna.is_asked:
        bruno.answer()
        anna.read()
        assert time.monotonic() < until
    bruno.kill()
    kill_node(bruno.home)
    take_turns([anna], 1)
    anna.until("Bruno is not connected")
    anna.kill()
    kill_node(anna.home)
    anna = start("anna", ["resume"])
    anna.until("goes on at ply")
    bruno = start("bruno", ["resume"])
    bruno.until("goes on at ply")
    bruno.until(r"\nAnna (?!says|is)\w+s ")  # nobody has typed anything since
    assert not anna.is_asked


@pytest.mark.long
def test_three_vote_one_out_and_a_spectator_watches(start: Start) -> None:
    anna, join = open_table(start, 3, "--spectators", "--bot", "random", "--grace", "0")
    bruno = start("bruno", [*join, "--me", "Bruno"])
    clara = start("clara", [*join, "--me", "Clara"])
    for seat in (bruno, clara):
        seat.until("Type r when you agree")
        seat.type("r")
    match = anna.until(r"Match ([0-9a-f]{32})")[1]
    assert "a majority that colludes can read all hidden cards" in " ".join(bruno.text.split())
    anna.until(r"\? for help")
    anna.type("who")
    watch = anna.until(r"kontor (watch \S+ \S+ [0-9a-f]{64})")[1]
    zoe = start("zoe", watch.split(" "))
    zoe.until("Six words")
    clara.until("Six words")
    clara.kill()
    kill_node(clara.home)
    anna.until("Clara is not connected")
    bruno.until("Clara is not connected")
    anna.type("vote Clara")
    bruno.until("votes to go on without Clara")
    bruno.type("vote Clara")
    bruno.until("Clara|stand-in")
    take_turns([bruno], 2)
    bruno.type("bye")
    bruno.until("Type bye again")
    bruno.type("bye")
    assert bruno.wait() == 0
    assert "You have left the match in order" in bruno.text
    anna.until("verified: finished")
    assert anna.wait() == 0
    report = verify(anna.home / "matches" / f"{match}.kontor")
    assert (report.code, report.sealed, report.finished) == (0, True, True)
    assert zoe.wait() == 0
    assert "a forfeit" in zoe.text


def test_a_wrong_fingerprint_is_refused(start: Start) -> None:
    _, join = open_table(start, 2)
    wrong = "aaaa-" * 7 + "aaaa"
    bruno = start("bruno", ["join", join[1], wrong])
    assert bruno.wait() == 2
    assert "fingerprint" in bruno.text


@pytest.mark.long
def test_without_a_fingerprint_a_person_compares_it_and_equal_names_get_numbers(start: Start) -> None:
    anna, join = open_table(start, 2)
    words = anna.until(r"in words: ([a-z ]+)\)")[1]
    other = start("other", ["join", join[1], "--me", "Anna"])
    assert other.until(r"in words: ([a-z ]+)\n")[1] == words
    other.until("y goes on")
    other.type("y")
    other.until(r"Anna 2 \(you\)")
    other.until("Type r when you agree")
    assert other.interrupt() == 1
    assert "You have left the table" in other.text
    anna.until(r"2  \(free\)")


def test_nodes_without_a_name_are_called_differently(start: Start) -> None:
    names = [start(home, ["id"]) for home in ("one", "two")]
    for seat in names:
        assert seat.wait() == 0
    assert names[0].text.splitlines()[0] != names[1].text.splitlines()[0]


def test_the_screen_ends_when_the_node_is_stopped_and_does_not_start_it_again(start: Start) -> None:
    anna, _ = open_table(start, 2)
    anna.until(r"Anna \(you\)")
    assert daemon.stop(anna.home)
    assert anna.wait() == 1 and "The node was stopped" in anna.text
    assert daemon.find(anna.home) is None


@pytest.mark.long
def test_the_host_arranges_the_table_and_comes_back_to_it_after_kill_9(start: Start) -> None:
    anna = start("anna", ["host", "osaka", "--seats", "3", "--me", "Anna"])
    anna.until(r"Anna \(you\)")
    for typed, answer in (
        ("r", "Not all seats are taken yet"),
        ("/bot random", r"2  Random \(your random bot\)"),
        ("bot clever", "Refused: a bot is one of"),
        ("set tokens-to-end 7", ""),
        ("set colour red", "Not possible: .* has no option"),
        ("kick Bruno", "Nobody sits there"),
        ("say hello", "Not possible: .*without a lobby"),
        ("grid", "no other node"),
        ("?", "set NAME VALUE"),
    ):
        anna.type(typed)
        anna.until(answer)
    anna.kill()
    again = start("anna", ["tables"])
    assert again.wait() == 0
    table = again.until(r"You are at a table: (?s:.*?)kontor join ([0-9a-f]{8})")[1]
    anna = start("anna", ["join", table])
    anna.until(r"1  Anna \(you\)\n +2  Random \(your random bot\)\n +3  \(free\)")
    assert anna.interrupt() == 1
    again = start("anna", ["tables"])
    assert again.wait() == 0 and "You are at a table" not in again.text


def test_of_three_everybody_reads_what_two_can_do_before_they_agree_and_the_host_what_stands_beside_it(
    start: Start,
) -> None:
    anna, join = open_table(start, 3)
    anna.until("Instead, with --recovery none")
    others = [start(name.lower(), [*join, "--me", name]) for name in ("Bruno", "Clara")]
    for seat in (anna, *others):
        seat.until("Type r when you agree")
        text = " ".join(seat.text.split())
        assert "any two of the three machines, if they work together, can read the hidden cards of the rest" in text
    assert "Instead, with recovery none:" in anna.text and "Instead" not in others[0].text
    others[0].type("r")
    anna.until("Bruno  ready")
    anna.type("recovery none")
    for seat in (anna, *others):
        seat.until(r"a player who leaves or vanishes ends the\s+match")
        seat.until("Type r when you agree")
    anna.type("table")
    anna.until(r"The table:\n  1 .*\n  2 .*\n  3 .*\n")
    assert "ready" not in anna.text.rpartition("The table:")[2]
    anna.type("recovery perhaps")
    anna.until("recovery majority: ")
    anna.type("recovery majority")
    anna.type("grace 10 minutes")
    for seat in (anna, *others):
        seat.until(r"out of reach for 10\s+minutes")
    for wrong in ("grace soon", "grace 3 moons", "grace"):
        anna.type(wrong)
        anna.until("Not possible: grace wants a time")
