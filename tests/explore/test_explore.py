"""The explorer itself, what it must find, and what it must not find."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from kontor_games.net.ledger.places import Place

from . import campaign
from .fair import Fair
from .findings import Finding, Tally, Trace
from .grammar import faults, liars
from .known import FOUND, KNOWN, STILL, Known
from .memory import Local, Memory
from .search import Search
from .snapshot import copied, fingerprint
from .starts import STARTS, start
from .unmended import taken_back
from .world import Step, World

TRACES = Path(__file__).parent / "traces"


def chains(world: World) -> list[list[bytes]]:
    return [[part.raw for item in host.ledger.items for part in item.parts] for host in world.hosts]


# ---- the machinery


@pytest.mark.parametrize("name", ["deal", "shuffle", "goodbye"])
def test_a_copied_session_does_what_the_session_itself_does(name: str) -> None:
    world = start(name)
    other = world.alone()
    before = [fingerprint(host.session) for host in world.hosts]
    assert Fair(other, 7).run() == "goes on"
    assert [fingerprint(host.session) for host in world.hosts] == before, "the original has changed"
    assert Fair(world, 7).run() == "goes on"
    assert chains(world) == chains(other)


def test_a_copy_takes_along_what_is_to_follow_when_a_worker_has_finished() -> None:
    world = start("shuffle")
    while not any(host.works for host in world.hosts):
        world.do(next(world.steps()))
    host = next(host for host in world.hosts if host.works)
    copy = copied(host)
    before = fingerprint(host.session)
    copy.take("work")
    assert fingerprint(copy.session) != before
    assert fingerprint(host.session) == before


@pytest.mark.parametrize("name", ["deal", "shuffle", "goodbye", "one giv out"])
def test_a_copy_shares_no_machine_with_its_original(name: str) -> None:
    """A machine that both use would let one branch of a search change the other."""
    session = start(name).hosts[0].session
    entries, copy = session.ledger.entries, copied(session).ledger.entries
    machines = (entries, *vars(entries).values(), *vars(entries.departures).values(), *vars(entries.position).values())
    copies = (copy, *vars(copy).values(), *vars(copy.departures).values(), *vars(copy.position).values())
    seen = {type(each).__name__ for each in machines if _is_machine(each)}
    assert {"Entries", "Position", "Sightings", "Forks", "Departures", "Goodbyes", "Judging", "Votes"} <= seen
    assert not {id(each) for each in machines if _is_machine(each)} & {id(each) for each in copies}
    assert copy.departures._position is copy.goodbyes._position is copy.forks._position is copy.position


def _is_machine(value: object) -> bool:
    return hasattr(value, "__dict__") and type(value).__module__.startswith("kontor_games.net.sealed.")


def test_a_fingerprint_tells_states_apart_and_equal_ones_together() -> None:
    world = start("own turn")
    here = world.hosts[0].fingerprint
    assert start("own turn").hosts[0].fingerprint == here
    world.do(("tick", 0))
    assert world.hosts[0].fingerprint != here


def test_each_end_of_a_link_notices_its_loss_by_itself_and_what_is_said_into_it_is_lost() -> None:
    world = start("own turn")
    world.do(("lose", 0, 1))
    assert sorted(world.unnoticed()) == [("notice", 0, 1), ("notice", 1, 0)]
    world.do(("notice", 1, 0))
    assert world.unnoticed() == [("notice", 0, 1)]
    world.do(("play", 0))
    assert not world.wires.get((0, 1)) and world.wires[0, 2]
    assert 1 in world.hosts[0].linked and 0 not in world.hosts[1].linked


def test_deliveries_to_different_nodes_lead_to_one_state_in_either_order() -> None:
    keys = []
    for steps in ((("deliver", 0, 1), ("deliver", 0, 2)), (("deliver", 0, 2), ("deliver", 0, 1))):
        world = start("set-up")
        for step in steps:
            assert world.do(step)
        keys.append(world.key())
    assert keys[0] == keys[1]


def test_a_fingerprint_counts_values_wherever_they_stand_and_machines_by_who_they_are() -> None:
    one, same, other = Place(1, "frame", b"m"), Place(1, "frame", b"m"), Place(1, "frame", b"n")
    assert fingerprint([one, one]) == fingerprint([one, same]) != fingerprint([one, other])
    assert fingerprint(({b"a", b"b" * 40}, 1)) == fingerprint(({b"b" * 40, b"a"}, 1)) != fingerprint(({b"a"}, True))
    machines = start("own turn").hosts[:2]
    assert fingerprint([machines[0], machines[0]]) != fingerprint([machines[0], copied(machines[0])])
    assert fingerprint([*machines]) == fingerprint([*map(copied, machines)])


def _reached(world: World, fault: Step, depth: int) -> set[tuple[object, ...]]:
    """Every state to this depth, with the fault or without it, as a plain search with hosts of its own finds them."""
    level, found = {(0, *world.key()): world}, set[tuple[object, ...]]()
    for number in range(depth + 1):
        for key, here in [*level.items()]:
            after = here.alone()
            if not key[0] and after.do(fault):
                level[1, *after.key()] = after
        found |= level.keys()
        following = {}
        for key, here in level.items() if number < depth else ():
            for step in list(here.steps()):
                after = here.alone()
                after.do(step)
                following[key[0], *after.key()] = after
        level = {key: after for key, after in following.items() if key not in found}
    return found


@pytest.mark.parametrize(
    ("name", "fault"), [("one giv out", ("lose", 0, 1)), ("own turn", ("reboot", 0, "synced")), ("deal", ("bye", 2))]
)
def test_a_search_within_a_memory_reaches_what_one_with_hosts_of_its_own_reaches(name: str, fault: Step) -> None:
    memory = Memory()
    search = Search(name, None, (fault,), 3, leaves=0, memory=memory)
    search.run()
    world = start(name)
    assert {_spelled_out(key, memory) for key in search._seen} == _reached(world, fault, 3) - {(0, *world.key())}


def _spelled_out(key: tuple[Any, ...], memory: Memory) -> tuple[object, ...]:
    """The key of a state within a memory as it is for a world with hosts of its own."""
    hosts = [each.fingerprint if isinstance(each, Local) else each for each in key]
    return tuple([tuple(map(memory.talk, each)) if isinstance(each, tuple) else each for each in hosts])


def test_hosts_that_were_not_kept_are_made_again_and_nothing_else_changes() -> None:
    plan = (("reboot", 0, "synced"),)
    roomy, narrow = Memory(), Memory(hosts=5)
    known = Search("own turn", None, plan, 4, leaves=2, memory=roomy).run()
    assert Search("own turn", None, plan, 4, leaves=2, memory=narrow).run() == known
    assert narrow.made_again > 0 == roomy.made_again
    assert narrow.run == roomy.run


def test_a_fault_that_changes_nothing_is_not_explored_any_further() -> None:
    tally = Search("own turn", 2, (("trick", "unmute", 0),), 3).run()
    assert tally.schedules == 0 and not tally.endings
    assert tally.states == Search("own turn", 2, (), 3).run().states


def test_a_trace_is_the_same_after_a_file(tmp_path: Path) -> None:
    trace = Trace("own turn", 2, (("trick", "where_wrong", 0), ("deliver", 2, 0)), 3)
    path = Finding("P5", "stands still", trace).write(tmp_path)
    assert Trace.from_json(path.read_text(encoding="utf-8")) == trace


def test_the_command_replays_a_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = Finding("P5", "nothing", Trace("own turn", None, (("play", 0),), 1)).write(tmp_path)
    assert campaign.main(["--replay", str(path)]) == 0
    assert "nothing is found" in capsys.readouterr().out


@pytest.mark.parametrize("name", STARTS)
def test_every_start_is_the_same_each_time_and_its_match_goes_on(name: str) -> None:
    world = start(name)
    assert world.key() == start(name).key()
    assert any(world.steps())
    assert not world.findings
    if name not in ("one giv out", "damaged memory"):  # there it depends on the order
        assert Fair(world, 1).run() == "goes on"


def test_two_silent_peers_of_four_in_a_new_escrow_are_a_limit_and_not_a_finding() -> None:
    """N4: cryptography cannot mend that, and P5 says so."""
    tally = Search("re-escrow", 2, (("silence", 2),), 3).run()
    assert any(word.startswith("limit: ") for word in tally.endings)
    assert not tally.findings


def test_without_the_limit_that_is_promised_the_explorer_finds_the_two_silent_peers_of_four() -> None:
    """N4 has no mend in code: what answers it is a sentence in P5, so that sentence is what is taken back."""
    n4 = Known("N4", "re-escrow", 2, (("silence", 2),), 3, "P5", STILL)
    with patch.object(Fair, "_limit", lambda self: None):
        found = n4.found(n4.search())
        assert found
        assert (found[0].promise, found[0].text) in found[0].trace.play().findings


def test_two_liars_of_the_three_who_are_left_are_a_limit_and_not_a_finding() -> None:
    """The promises hold against a minority of those who are still at the table."""
    path = TRACES / "two-liars-of-five-are-a-majority-of-three.json"
    trace = Trace.from_json(path.read_text(encoding="utf-8"))
    world = Trace(trace.start, trace.liars, trace.steps).play()
    assert Fair(world, trace.fair or 0).run().startswith("limit: honest players left")


# ---- what it must find


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.name)
def test_with_its_mend_taken_back_the_explorer_finds(known: Known) -> None:
    with taken_back(known.name.split()[0]):
        tally = known.search()
        found = known.found(tally)
        assert found, sorted(tally.findings)
        promise, text = next(iter(found[0].trace.play().findings))
        assert (promise, text) == (found[0].promise, found[0].text) or promise == "exception"


# ---- what it must not find


def new(tally: Tally) -> str:
    """What was found."""
    return "\n".join(sorted(tally.findings))


@pytest.mark.long
@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.name)
def test_where_a_fault_was_known_none_is_left(known: Known) -> None:
    assert not new(known.search())


@pytest.mark.parametrize("known", FOUND, ids=lambda known: known.name)
def test_a_fault_that_the_explorer_found_is_mended(known: Known) -> None:
    assert not known.search().findings


@pytest.mark.parametrize("path", sorted(TRACES.glob("*.json")), ids=lambda path: path.stem)
def test_what_a_trace_once_showed_is_mended(path: Path) -> None:
    assert not Trace.from_json(path.read_text(encoding="utf-8")).play().findings


def test_a_short_exploration_finds_nothing_new() -> None:
    """Orders to a small depth with a fault at every point, a few of all faults."""
    tally = Tally()
    until = time.monotonic() + 8
    for number, name in enumerate(STARTS):
        for liar in liars(name):
            every = faults(start(name, liar))
            for fault in every[number % 9 :: 9]:
                if time.monotonic() < until:
                    tally.add(Search(name, liar, (fault,), 3, leaves=2, seconds=1).run())
    print(f"{tally.schedules} schedules, {tally.deliveries} deliveries, {tally.states} states")
    assert not new(tally)


@pytest.mark.long
def test_all_orders_to_depth_eight_with_any_fault_and_a_million_deliveries_find_nothing_new() -> None:
    work = campaign.Campaign(2, time.monotonic() + 2.5 * 3600)
    work.run(campaign.single(STARTS, campaign.DEPTH, 60))
    seed = 1
    while work.tally.executed < 1_000_000 and seed < 200_000:
        work.run(iter([campaign.Part("", seed=seed + k * campaign.BATCH) for k in range(8)]))
        seed += 8 * campaign.BATCH
    print(work.summary())
    assert not new(work.tally)
    assert work.tally.executed >= 1_000_000
