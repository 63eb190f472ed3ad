"""Several processes by their records alone: who lives, who leads, what a holder that slept can no longer do."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from kontor_games.lobby.commands.catching_up import catch_up
from kontor_games.lobby.commands.processes import (
    ALIVE,
    LEASE_TIME,
    Replaced,
    beat,
    leave,
    led,
    left_behind,
    why_not_join,
)
from kontor_games.lobby.commands.sign_in import gone
from kontor_games.lobby.model.records import LEASE, PRESENCE, ProcessRecord, Sanction
from kontor_games.lobby.model.sanctions import impose, key_id
from kontor_games.lobby.model.work import Work
from kontor_games.lobby.settings.config import Config
from kontor_games.lobby.store.base import Conflict
from kontor_games.net.wire.lobby_messages import MakeTable, Marks, Notice, TableCard

from .bench import Lobby, done

KEY = b"k" * 32


def process(name: str, run: str = "first", key: bytes = KEY) -> ProcessRecord:
    return ProcessRecord(name, f"{run} of {name}", f"{name}.example.org:7460", key, 0, 0)


def hears(lobby: Lobby, me: ProcessRecord) -> Any:
    return lobby.run(lambda work: beat(work, me))


def test_whoever_comes_first_leads_until_it_is_silent_and_then_another_does() -> None:
    lobby = Lobby()
    one, two = process("one"), process("two")
    assert hears(lobby, one).leads and not hears(lobby, two).leads
    assert [other.address for other in hears(lobby, two).others] == ["one.example.org:7460"]
    lobby.now += LEASE_TIME - 1
    assert not hears(lobby, two).leads
    lobby.now += 1
    assert hears(lobby, two).leads
    assert not hears(lobby, one).leads
    lobby.now += ALIVE
    assert hears(lobby, one).others == ()


def test_a_process_that_ends_in_order_is_replaced_at_once() -> None:
    lobby = Lobby()
    one, two = process("one"), process("two")
    hears(lobby, one)
    hears(lobby, two)
    lobby.run(lambda work: leave(work, one))
    heard = hears(lobby, two)
    assert heard.leads and heard.others == ()


def test_a_holder_that_slept_through_its_lease_cannot_commit_what_it_had_begun() -> None:
    lobby = Lobby()
    one, two = process("one"), process("two")
    hears(lobby, one)
    stale = lobby.work()

    async def change(work: Work) -> str:
        await work.put(LEASE, "other", replace(await work.get(LEASE, "sweep"), until=0))
        return "did it"

    assert done(led(stale, one, change)) == "did it"  # computed, and then it sleeps
    lobby.now += LEASE_TIME
    assert hears(lobby, two).leads
    with pytest.raises(Conflict):
        done_or_raised(stale.finish())
    assert lobby.run(lambda work: led(work, one, change)) is None
    assert lobby.run(lambda work: led(work, two, change)) == "did it"


def done_or_raised(work: Any) -> None:
    try:
        work.send(None)
    except StopIteration:
        return


def test_another_key_or_a_name_in_use_is_told_and_a_name_whose_process_died_is_free() -> None:
    lobby = Lobby()
    hears(lobby, process("one"))
    other_key, same_name = process("two", key=b"x" * 32), process("one", run="2")
    assert "identity.pem" in str(done(why_not_join(lobby.work(), other_key)))
    assert "--process" in str(done(why_not_join(lobby.work(), same_name)))
    assert done(why_not_join(lobby.work(), process("two"))) is None
    lobby.now += ALIVE
    assert done(why_not_join(lobby.work(), same_name)) is None
    hears(lobby, same_name)
    with pytest.raises(Replaced):
        hears(lobby, process("one"))  # what was stopped for a while wakes up, and has been replaced


def test_a_process_learns_that_it_counted_as_dead() -> None:
    lobby = Lobby()
    one = process("one")
    assert hears(lobby, one).has_lapsed  # the first time there was none
    lobby.now += ALIVE - 1
    assert not hears(lobby, one).has_lapsed
    lobby.now += ALIVE
    assert hears(lobby, one).has_lapsed


def test_a_clock_set_back_leaves_no_lease_and_no_name_in_the_hands_of_the_dead() -> None:
    lobby = Lobby()
    one, two = process("one"), process("two")
    hears(lobby, one)
    hears(lobby, two)
    lobby.now -= 3_600_000  # and one dies at that moment
    heard = hears(lobby, two)
    assert heard.leads and heard.has_lapsed and heard.others == ()
    assert done(why_not_join(lobby.work(), process("one", run="2"))) is None
    assert not hears(lobby, two).has_lapsed


def test_records_of_many_dead_processes_hide_nobody_who_lives() -> None:
    lobby = Lobby()
    for number in range(300):
        hears(lobby, process(f"a-container-{number:03}"))
    lobby.now += ALIVE
    one, two = process("one"), process("two")
    hears(lobby, one)
    assert [other.name for other in hears(lobby, two).others] == ["one"]


def test_people_of_a_process_that_died_are_found_and_nobody_elses() -> None:
    lobby = Lobby()
    lobby.config = Config(process="one")
    anna, gone_already = lobby.arrive("Anna"), lobby.arrive("Ben")
    lobby.leave(gone_already)
    lobby.config = Config(process="two")
    lobby.arrive("Cleo")
    one, two = process("one"), process("two")
    hears(lobby, one)
    hears(lobby, two)
    assert done(left_behind(lobby.work(), two)) == []
    lobby.now += ALIVE
    hears(lobby, two)
    left = done(left_behind(lobby.work(), two))
    assert [presence.key for presence in left] == [anna.key]
    for presence in left:
        lobby.run(lambda work, presence=presence: gone(work, presence.key, presence.session))
    assert done(left_behind(lobby.work(), two)) == []


def test_whoever_missed_news_is_shown_everything_as_it_is_now() -> None:
    lobby = Lobby()
    anna = lobby.arrive("Anna")
    lobby.do(anna, MakeTable("osaka", {}, 2, "invite"))
    lobby.leave(anna)  # so it looked to the others
    lobby.news.clear()
    assert lobby.run(lambda work: catch_up(work, anna)) == "here"
    assert lobby.told(anna, TableCard) and lobby.told(anna, Marks)
    assert done(lobby.work().get(PRESENCE, anna.id)).away is None


def test_whoever_came_elsewhere_was_forgotten_or_banned_meanwhile_has_to_go() -> None:
    lobby = Lobby()
    anna = lobby.arrive("Anna")
    lobby.arrive("Anna", lobby.identities[anna.key])
    assert lobby.run(lambda work: catch_up(work, anna)) == "elsewhere"
    ben = lobby.arrive("Ben")
    lobby.leave(ben)
    lobby.pass_time(120)
    assert lobby.run(lambda work: catch_up(work, ben)) == "again"
    cleo = lobby.arrive("Cleo")
    lobby.run(lambda work: impose(work, key_id("ban", cleo.key), Sanction("ban", "a test", 0), []))
    assert lobby.run(lambda work: catch_up(work, cleo)) == "banned"
    assert lobby.told(cleo, Notice)[-1].text == "a test" and lobby.news[-1].order == "close"
