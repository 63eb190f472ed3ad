"""Analyses by the node: one at a time, never beside people who play, gone with the node, shared with the terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from twisted.internet.task import Clock

from kontor_games.clients.bots.analysis import StoredAnalysis, path_of, stored_at
from kontor_games.clients.node.node_link import NodeLink, Refused
from kontor_games.net.api.http.api_errors import ApiError
from kontor_games.net.api.http.feed import Feed
from kontor_games.net.api.http.tokens import Scope
from kontor_games.net.api.matches import analyses
from kontor_games.net.api.matches.analyses import Analyses, is_with_people
from kontor_games.net.record.replay import Replay

from .kit import ENTRY, ROOT, WAIT, NodeProcess, new_match

FILES = ROOT / "tests" / "frozen" / "files"
SHORT = FILES / "hansa-3.kontor"
TWO_PEOPLE = [{"kind": "me", "name": "Anna"}, {"kind": "me", "name": "Bob"}]
BUDGET = 8


def upload(node: NodeProcess, file: Path = SHORT) -> str:
    status, _, answer = node.raw("POST", "/api/1/replays", node.as_owner(), file.read_bytes())
    assert status == 200
    return str(json.loads(answer)["id"])


def uploaded(node: NodeProcess) -> Path:
    (path,) = (node.home / "replays").glob("*.kontor")
    return path


def begun_small(node: NodeProcess) -> str:
    """A replay whose analysis was begun with the smallest budget: the node goes on with that."""
    replay = upload(node)
    path = uploaded(node)
    match = Replay(path).info()["match"]
    begun = StoredAnalysis(match, "hansa", 1, 0, BUDGET, "", 0, 3)
    path_of(path).write_bytes(msgspec.json.encode(begun))
    return replay


def where(link: NodeLink, replay: str, *statuses: str) -> dict[str, Any]:
    """The analysis once it is so."""
    end = time.monotonic() + 10 * WAIT
    while (found := link.get(f"replays/{replay}/analysis"))["status"] not in statuses:
        assert time.monotonic() < end, found
        time.sleep(0.2)
    return found


def processes(path: Path) -> list[int]:
    """The programs that analyse this file."""
    found = subprocess.run(["ps", "-ww", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout
    return [int(row.split()[0]) for row in found.splitlines() if f"--leashed {path}" in row]


def until_gone(path: Path) -> None:
    end = time.monotonic() + WAIT
    while processes(path):
        assert time.monotonic() < end, "a program outlived its node"
        time.sleep(0.1)


def resume(link: NodeLink, replay: str) -> None:
    """Start it again as soon as the stopped one is gone."""
    end = time.monotonic() + WAIT
    while True:
        try:
            link.post(f"replays/{replay}/analysis")
            return
        except Refused as error:
            assert "being stopped" in str(error) and time.monotonic() < end
            time.sleep(0.1)


def test_it_is_started_stopped_and_resumed(own_node: NodeProcess) -> None:
    link = own_node.link()
    replay = upload(own_node)
    address = f"replays/{replay}/analysis"
    assert link.get(address)["status"] == "none"
    started = link.post(address)
    assert started["status"] == "running" and started["why_not"] is None
    assert link.post(address)["status"] == "running", "asked again it just goes on"
    assert link.post(f"{address}/stop")["status"] in ("begun", "none")
    until_gone(uploaded(own_node))
    resume(link, replay)
    assert link.get(address)["status"] == "running"


@pytest.mark.long
def test_what_was_stopped_goes_on_to_its_end_and_the_terminal_has_it_too(own_node: NodeProcess) -> None:
    link = own_node.link()
    replay = begun_small(own_node)
    link.post(f"replays/{replay}/analysis")
    end = time.monotonic() + 10 * WAIT
    while not link.get(f"replays/{replay}/analysis")["done"]:
        assert time.monotonic() < end
        time.sleep(0.2)
    link.post(f"replays/{replay}/analysis/stop")
    resume(link, replay)
    done = where(link, replay, "done")
    assert done["done"] == done["total"] > 20 and done["budget"] == BUDGET and done["note"] == ""
    assert done["curve"][-1]["ply"] == 25 and sum(done["curve"][-1]["chances"]) >= 9999
    assert [each["seat"] for each in done["players"]] == [0, 1, 2]
    assert all(each["better"] and each["why"] for each in done["turning"])
    stored = path_of(uploaded(own_node)).read_bytes()
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "scripts" / "package")}
    command = [sys.executable, *ENTRY, "analyse", str(uploaded(own_node)), "--json"]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True)
    assert json.loads(run.stdout)["budget"] == BUDGET
    assert path_of(uploaded(own_node)).read_bytes() == stored, "nothing is done twice"


def test_it_ends_with_the_node_however_that_ends(own_node: NodeProcess) -> None:
    replay = upload(own_node)
    path = uploaded(own_node)
    own_node.link().post(f"replays/{replay}/analysis")
    end = time.monotonic() + WAIT
    while not processes(path):
        assert time.monotonic() < end
        time.sleep(0.05)
    own_node.kill()
    until_gone(path)
    own_node.start()
    assert own_node.link().get(f"replays/{replay}/analysis")["status"] in ("begun", "none")


def test_one_at_a_time_and_never_while_people_play(own_node: NodeProcess) -> None:
    link = own_node.link()
    first, second = upload(own_node), upload(own_node, FILES / "osaka-2.kontor")
    link.post(f"replays/{first}/analysis")
    with pytest.raises(Refused, match="another match is being analysed"):
        link.post(f"replays/{second}/analysis")
    assert "another match" in link.get(f"replays/{second}/analysis")["why_not"]
    match = new_match(link, "osaka", TWO_PEOPLE, seed="people")
    stopped = where(link, first, "begun", "none")
    assert "people play" in stopped["why_not"] and "people play" in stopped["note"]
    with pytest.raises(Refused, match="people play with each other"):
        link.post(f"replays/{first}/analysis")
    assert link.get(f"matches/{match}")["status"] == "playing"


def test_what_is_not_over_what_is_no_replay_and_a_seat_are_refused(node: NodeProcess) -> None:
    link = node.link()
    replay = upload(node, FILES / "osaka-3-unfinished.kontor")
    told = link.get(f"replays/{replay}/analysis")
    assert told["status"] == "none" and "played to its end" in told["why_not"]
    with pytest.raises(Refused, match="played to its end"):
        link.post(f"replays/{replay}/analysis")
    with pytest.raises(Refused) as missing:
        link.post("replays/000000000000000000000000/analysis")
    assert missing.value.status == 404


@pytest.mark.parametrize("lie", ["[]", '{"version": 3}', "null", "\x00"])
def test_what_lies_beside_a_file_and_is_no_analysis_is_not_told(own_node: NodeProcess, lie: str) -> None:
    replay = upload(own_node)
    path_of(uploaded(own_node)).write_text(lie)
    told = own_node.link().get(f"replays/{replay}/analysis")
    assert (told["status"], told["curve"], told["turning"]) == ("none", [], [])
    assert stored_at(path_of(uploaded(own_node))) is None


class Programs(Clock):
    """A reactor whose programs do what the test says."""

    def __init__(self) -> None:
        super().__init__()
        self.started: list[Any] = []

    def spawnProcess(self, protocol: Any, program: str, arguments: list[str], env: Any) -> None:
        protocol.transport = SimpleNamespace(
            closeStdin=lambda: protocol.events.append("closed"), signalProcess=lambda name: protocol.events.append(name)
        )
        protocol.events = []
        self.started.append(protocol)


class Desk:
    """Analyses on a clock of the test's own, among matches that it invents."""

    def __init__(self) -> None:
        self.reactor, self.feed = Programs(), Feed(0)
        self.matches: list[Any] = []
        self.now = 1000.0
        analyst = SimpleNamespace(command=("analyse",), told=lambda path, replay: None)
        self.analyses = Analyses(self.reactor, self.feed, analyst, lambda: self.matches, lambda: self.now)

    def heard(self) -> list[tuple[bool, int]]:
        return [(event["running"], event["done"]) for event in self.feed.after(0, Scope()) or []]

    def end(self, place: int, code: int) -> None:
        self.reactor.started[place].processEnded(SimpleNamespace(value=SimpleNamespace(exitCode=code)))


@pytest.fixture
def desk() -> Iterator[Desk]:
    made = Desk()
    yield made
    made.analyses.close()
    running = made.analyses._process
    if running is not None:
        made.analyses.ended(running, 0)
    assert not made.reactor.getDelayedCalls(), "a timer was left"


def shown(
    kind: str = "local", status: str = "playing", people: int = 2, updated: float = 1000.0, mine: bool = True
) -> Any:
    seats = [SimpleNamespace(kind="person" if seat < people else "greedy", mine=mine) for seat in range(3)]
    return SimpleNamespace(kind=kind, status=status, seats=seats, updated=updated)


def test_whose_matches_count() -> None:
    def is_busy(**facts: Any) -> bool:
        return is_with_people(shown(**facts), 1000.0)

    assert is_busy() and is_busy(kind="net", people=1) and is_busy(kind="net", status="waiting")
    assert not is_busy(people=1), "one person against bots"
    assert not is_busy(status="over") and not is_busy(status="stopped")
    assert not is_busy(updated=300.0), "left at one screen"
    assert is_busy(kind="net", updated=300.0), "all are there, and somebody thinks"
    assert not is_busy(kind="net", status="waiting", updated=300.0), "the others are gone for long"
    assert not is_busy(kind="net", mine=False), "only watched"


def test_lines_are_progress_and_whatever_else_is_said_is_not(desk: Desk) -> None:
    desk.analyses.start("a", Path("a.kontor"))
    (process,) = desk.reactor.started
    process.outReceived(b'{"done": 1, "tot')
    process.outReceived(b'al": 9}\nhello\n{"done": -1, "total": 9}\n{"done": 4, "total": 9}\n')
    process.outReceived(b"x" * (analyses.LONGEST_LINE + 1))
    process.outReceived(b'\n{"done": 5, "total": 9}\n')
    assert desk.heard() == [(True, 0), (True, 1), (True, 4), (True, 5)]
    assert desk.analyses.step("b") is None
    desk.end(0, 0)
    assert desk.heard()[-1] == (False, 5) and desk.analyses.note("a") == ""


def test_a_program_that_breaks_is_told_and_may_be_started_again(desk: Desk) -> None:
    desk.analyses.start("a", Path("a.kontor"))
    desk.end(0, 1)
    assert "ended before it was done" in desk.analyses.note("a")
    desk.analyses.start("a", Path("a.kontor"))
    assert desk.analyses.note("a") == "" and len(desk.reactor.started) == 2


def test_a_program_that_does_not_end_is_killed(desk: Desk) -> None:
    desk.analyses.start("a", Path("a.kontor"))
    desk.analyses.stop("b")
    desk.analyses.stop("a")
    desk.analyses.stop("a")
    (process,) = desk.reactor.started
    assert process.events == ["closed"] and desk.analyses.step("a") is None
    with pytest.raises(ApiError, match="being stopped"):
        desk.analyses.start("a", Path("a.kontor"))
    desk.reactor.advance(analyses.END_SECONDS)
    assert process.events == ["closed", "KILL"]
    desk.end(0, 130)
    assert desk.analyses.note("a") == "", "it was stopped by a person"


def test_a_match_that_begins_stops_it_within_seconds(desk: Desk) -> None:
    desk.analyses.start("a", Path("a.kontor"))
    desk.matches.append(shown(people=1))
    desk.reactor.advance(analyses.LOOK_SECONDS)
    assert desk.reactor.started[0].events == []
    desk.matches.append(shown("net"))
    desk.reactor.advance(analyses.LOOK_SECONDS)
    assert desk.reactor.started[0].events == ["closed"] and "people play" in desk.analyses.note("a")


def test_a_file_that_costs_too_much_is_given_up(desk: Desk) -> None:
    desk.analyses.start("a", Path("a.kontor"))
    desk.reactor.pump([analyses.LOOK_SECONDS] * int(analyses.MOST_SECONDS / analyses.LOOK_SECONDS + 2))
    assert "too long" in desk.analyses.note("a")
