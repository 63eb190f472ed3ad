"""Direct matches in the terminal: host, join, play, Ctrl-C, kill -9, resume, vote, goodbye, watch."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from net.verify import verify

from .terminals import Seat, take_turns

Start = Callable[[str, Sequence[str]], Seat]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts `kontor` for a person."""
    seats: list[Seat] = []

    def started(name: str, arguments: Sequence[str]) -> Seat:
        seats.append(Seat(tmp_path / name, arguments))
        return seats[-1]

    yield started
    for seat in seats:
        seat.close()


LOOPBACK = ("--bind", "127.0.0.1")


def open_table(start: Start, seats: int, *more: str) -> tuple[Seat, list[str]]:
    """Anna hosts; what the others type to join."""
    anna = start("anna", ["host", "joban", "--seats", str(seats), "--me", "Anna", *more, *LOOPBACK])
    found = anna.until(r"kontor join (\S+) (\S+)")
    return anna, ["join", found[1], found[2], *LOOPBACK]


def begin(anna: Seat, others: Sequence[Seat]) -> str:
    """All agree; returns the match id. All must see the same six words."""
    words = set()
    for seat in (anna, *others):
        seat.until("Type r when you agree")
        seat.type("r")
    for seat in (anna, *others):
        words.add(seat.until(r"six words:\n    ([a-z ]+)\n")[1])
    assert len(words) == 1
    return anna.until(r"Match ([0-9a-f]{64})")[1]


@pytest.mark.long
def test_two_people_play_are_interrupted_and_killed_and_go_on(start: Start) -> None:
    anna, join = open_table(start, 2)
    assert "Recovery is" not in anna.text
    bruno = start("bruno", [*join, "--me", "Bruno"])
    begin(anna, [bruno])
    assert "no majority of two" in " ".join(anna.text.split())
    anna.type("say good luck")
    bruno.until("Anna says: good luck")
    take_turns([anna, bruno], 4)
    assert anna.interrupt() == 130
    assert "kontor resume" in anna.text
    bruno.kill()
    anna = start("anna", ["resume", *LOOPBACK])
    anna.until("goes on at ply")
    bruno = start("bruno", ["resume", *LOOPBACK])
    bruno.until("goes on at ply")
    take_turns([anna, bruno], 4)


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
    take_turns([anna], 1)
    anna.until("Bruno is not connected")
    anna.kill()
    anna = start("anna", ["resume", *LOOPBACK])
    anna.until("goes on at ply")
    bruno = start("bruno", ["resume", *LOOPBACK])
    bruno.until("goes on at ply")
    bruno.until(r"\nAnna: ")  # nobody has typed anything since
    assert not anna.is_asked


@pytest.mark.long
def test_three_vote_one_out_and_a_spectator_watches(start: Start) -> None:
    anna, join = open_table(start, 3, "--spectators", "--bot", "random")
    bruno = start("bruno", [*join, "--me", "Bruno"])
    clara = start("clara", [*join, "--me", "Clara"])
    for seat in (bruno, clara):
        seat.until("Type r when you agree")
        seat.type("r")
    match = anna.until(r"Match ([0-9a-f]{64})")[1]
    assert "a majority that colludes can read all hidden cards" in " ".join(bruno.text.split())
    zoe = start("zoe", ["watch", *join[1:3], match])
    zoe.until("Six words")
    clara.until("Six words")
    clara.kill()
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
    anna.until("Signed by all")
    assert anna.wait() == 0
    report = verify(anna.home / "matches" / f"{match[:32]}.kontor")
    assert (report.code, report.sealed, report.finished) == (0, True, True)
    assert zoe.wait() == 0


def test_a_wrong_fingerprint_is_refused(start: Start) -> None:
    _, join = open_table(start, 2)
    wrong = "aaaa-" * 7 + "aaaa"
    bruno = start("bruno", ["join", join[1], wrong, *LOOPBACK])
    assert bruno.wait() == 2
    assert "fingerprint" in bruno.text


def test_without_a_fingerprint_a_person_compares_it_and_equal_names_get_numbers(start: Start) -> None:
    anna, join = open_table(start, 2)
    words = anna.until(r"in words: ([a-z ]+)\)")[1]
    other = start("other", ["join", join[1], "--me", "Anna", *LOOPBACK])
    assert other.until(r"in words: ([a-z ]+)\n")[1] == words
    other.until("y goes on")
    other.type("y")
    other.until(r"Anna 2 \(you\)")
    other.until("Type r when you agree")
    assert other.interrupt() == 0
    anna.until(r"2  \(free\)")


def test_one_home_serves_one_process(start: Start) -> None:
    open_table(start, 2)
    again = start("anna", ["resume", *LOOPBACK])
    assert again.wait() == 2
    assert "a node runs already" in again.text
