"""People at terminals who meet in a lobby: tables, invite codes, the queue, a lobby that is suddenly another one."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.lobby.child import LobbyProcess

from .terminals import Seat, take_turns
from .test_terminal import Start, begin, start  # noqa: F401 - a fixture

Lobby = Callable[..., LobbyProcess]


@pytest.fixture
def lobby(tmp_path: Path) -> Iterator[Lobby]:
    """Starts `kontor lobby`."""
    found: list[LobbyProcess] = []

    def started(port: int = 0) -> LobbyProcess:
        found.append(LobbyProcess(tmp_path / "lobby", port))
        return found[-1]

    yield started
    for each in found:
        if each.process.poll() is None:
            each.stop()


def at(lobby: LobbyProcess) -> Sequence[str]:
    return ("--lobby", f"127.0.0.1:{lobby.port}")


@pytest.mark.long
def test_two_people_meet_by_invite_code_and_a_third_sees_only_public_tables(start: Start, lobby: Lobby) -> None:  # noqa: F811
    there = lobby()
    anna = start("anna", ["host", "joban", "--me", "Anna", "--invite", *at(there)])
    assert "First time in this lobby" in anna.text or anna.until("First time in this lobby")
    code = anna.until(r"kontor join (\w{4}-\w{4}) --lobby")[1]
    dora = start("dora", ["host", "joban", "--me", "Dora", *at(there)])
    dora.until("kontor join")
    dora.until(r"1  Dora \(you\)")
    carl = start("carl", ["tables", "--me", "Carl", *at(there)])
    assert carl.wait() == 0
    assert "host Dora" in carl.text and "host Anna" not in carl.text
    wrong = start("eve", ["join", "AAAA-AAAA", "--me", "Eve", *at(there)])
    assert wrong.wait() == 2 and "no table has this code" in wrong.text
    bruno = start("bruno", ["join", code.lower(), "--me", "Bruno", *at(there)])
    begin(anna, [bruno])
    take_turns([anna, bruno], 4)


@pytest.mark.long
def test_the_queue_finds_two_people_and_seats_them(start: Start, lobby: Lobby) -> None:  # noqa: F811
    there = lobby()
    seats = [start(name, ["queue", "joban", "--seats", "2", "--me", name, *at(there)]) for name in ("Anna", "Bruno")]
    for seat in seats:
        seat.until("Found: .*Anna")
        seat.type("y")
    begin(seats[0], seats[1:])
    take_turns(seats, 2)


@pytest.mark.long
def test_a_lobby_with_another_key_is_refused_until_a_person_says_otherwise(
    tmp_path: Path,
    start: Start,  # noqa: F811
    lobby: Lobby,
) -> None:
    first = lobby()
    look = ["tables", "--me", "Anna"]
    assert start("anna", [*look, *at(first)]).wait() == 0
    first.stop()
    shutil.rmtree(tmp_path / "lobby")
    second = lobby(first.port)
    anna = start("anna", [*look, *at(second)])
    assert anna.wait() == 2 and "this is not the lobby we know" in anna.text
    from kontor_games.net.wire.identity import fingerprint

    trusted: Seat = start("anna", [*look, *at(second), "--lobby-key", fingerprint(second.key)])
    assert trusted.wait() == 0
    assert start("anna", [*look, *at(second)]).wait() == 0


@pytest.mark.long
def test_the_doctor_sees_lobby_clock_and_every_pair(start: Start, lobby: Lobby) -> None:  # noqa: F811
    there = lobby()
    anna = start("anna", ["host", "joban", "--me", "Anna", *at(there)])
    code = anna.until(r"kontor join (\S+) --lobby")[1]
    bruno = start("bruno", ["join", code, "--me", "Bruno", *at(there)])
    begin(anna, [bruno])
    take_turns([anna, bruno], 2)
    doctor = start("anna", ["doctor"])
    assert doctor.wait() == 0, doctor.text
    said = " ".join(doctor.text.split())
    assert "Lobby: The lobby is reached" in said and "Clock: Your clock agrees" in said and "Versions: kontor" in said
    figures = r"\(\S+\), \d+ ms there and back, Kontor \d\S+, clock agrees"
    assert re.search(f"Bruno: linked, on the local network {figures}", said)
    away = start("dora", ["doctor", "--lobby", "127.0.0.1:1"])
    assert away.wait() == 1 and "NOT WELL: The lobby is not reached" in " ".join(away.text.split())
