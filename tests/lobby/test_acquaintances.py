"""Friends, invitations, profiles, reports: who learns what of whom, and what a stranger can do with it."""

from __future__ import annotations

from typing import Any

import pytest

from kontor_games.engine.errors import ConfigError
from kontor_games.lobby.admin.admin_text import text_of
from kontor_games.lobby.commands.acquaintances import NOT_SEEN
from kontor_games.lobby.commands.sign_in import IN_USE, Claim, sign_in
from kontor_games.lobby.model.records import KNOWN, REPORT, WATCH
from kontor_games.lobby.model.work import RequestRefused, Who
from kontor_games.lobby.settings.config import Config, LimitSettings
from kontor_games.net.wire.lobby_messages import Finish, ListPeople, MakeTable, MarkKey, Recall, Say
from kontor_games.net.wire.messages import Enter
from kontor_games.net.wire.people_messages import (
    Appear,
    AskProfile,
    ClaimedLine,
    FriendSeen,
    Invite,
    Invited,
    ReportKey,
)

from .bench import Lobby, done
from .test_people import operate
from .test_tables import started


@pytest.fixture
def lobby() -> Lobby:
    return Lobby()


def listed(lobby: Lobby, who: Who) -> list[str]:
    return [person.name for person in lobby.do(who, ListPeople()).people]


def seen(lobby: Lobby, who: Who) -> list[tuple[str, bool]]:
    return [(news.person.name, news.person.here) for news in lobby.told(who, FriendSeen)]


def back(lobby: Lobby, who: Who, name: str) -> Who:
    return lobby.sign_in(name, lobby.identities[who.key])[0]


def test_nobody_is_listed_who_did_not_say_so(lobby: Lobby) -> None:
    anna, ben = lobby.arrive("Anna"), lobby.arrive("Ben")
    assert listed(lobby, ben) == [] and lobby.do(ben, ListPeople()).total == 2
    lobby.do(anna, Appear("friends"))
    assert listed(lobby, ben) == []
    lobby.do(anna, Appear("everybody"))
    assert listed(lobby, ben) == ["Anna"] and lobby.hall("people") == [anna.id]
    lobby.do(anna, Appear("nobody"))
    assert listed(lobby, ben) == []


def test_friends_see_each_other_only_if_both_named_the_other(lobby: Lobby) -> None:
    anna, ben = lobby.arrive("Anna"), lobby.arrive("Ben")
    assert lobby.do(anna, Appear("friends", (ben.key,))).people == ()
    assert seen(lobby, ben) == [], "he named nobody"
    here = lobby.do(ben, Appear("friends", (anna.key,))).people
    assert [person.name for person in here] == ["Anna"] and seen(lobby, anna) == [("Ben", True)]
    lobby.leave(ben)
    assert seen(lobby, anna)[-1] == ("Ben", False)
    back(lobby, ben, "Ben")
    assert seen(lobby, anna)[-1] == ("Ben", True), "what he said before is kept with his place"
    lobby.do(ben, Appear("nobody", (anna.key,)))
    assert seen(lobby, anna)[-1] == ("Ben", False)
    assert [person.name for person in lobby.do(ben, Appear("nobody", (anna.key,))).people] == ["Anna"]


def test_somebody_who_appears_to_everybody_is_seen_by_whoever_named_them(lobby: Lobby) -> None:
    anna, ben = lobby.arrive("Anna"), lobby.arrive("Ben")
    lobby.do(ben, Appear("nobody", (anna.key,)))
    lobby.do(anna, Appear("everybody"))
    assert seen(lobby, ben) == [("Anna", True)]


def test_lists_go_with_the_people_and_are_bounded() -> None:
    lobby = Lobby(config=Config(limits=LimitSettings(max_friends=3, max_watches=4)))
    anna, ben = lobby.arrive("Anna"), lobby.arrive("Ben")
    keys = tuple(bytes([number]) * 32 for number in range(4))
    assert lobby.refusal(anna, Appear("friends", keys)).code == "friends"
    lobby.do(anna, Appear("friends", (*keys[:3], anna.key)[:3]))
    assert lobby.refusal(ben, Appear("friends", keys[:2])).code == "full"
    lobby.do(ben, Appear("friends", keys[:1]))
    lobby.do(anna, Appear("friends", keys[:1]))
    assert done(lobby.store.count(WATCH.name)) == 2
    for who in (anna, ben):
        lobby.leave(who)
    lobby.pass_time(3600)
    assert done(lobby.store.count(WATCH.name)) == 0


def test_a_profile_is_for_those_who_may_know_and_looks_the_same_otherwise(lobby: Lobby) -> None:
    anna, ben, cleo = (lobby.arrive(name) for name in ("Anna", "Ben", "Cleo"))
    refusals = {lobby.refusal(ben, AskProfile(key)).reason for key in (anna.key, b"x" * 32)}
    lobby.leave(cleo)
    refusals.add(lobby.refusal(ben, AskProfile(cleo.key)).reason)
    assert refusals == {NOT_SEEN}, "hidden, gone and unknown cannot be told apart"
    assert lobby.do(anna, AskProfile(anna.key)).matches == 0
    table, match = started(lobby, [anna, ben])
    assert lobby.do(ben, AskProfile(anna.key)).person.name == "Anna", "they sit at one table"
    lobby.do(anna, Finish(table, match, "complete"))
    assert lobby.refusal(ben, AskProfile(anna.key)).reason == NOT_SEEN
    lobby.do(anna, Appear("everybody"))
    about = lobby.do(ben, AskProfile(anna.key))
    assert (about.matches, about.games) == (1, (("osaka", 1),)) and 0 < about.since <= lobby.now
    lobby.do(anna, MarkKey(ben.key, "block"))
    assert lobby.refusal(ben, AskProfile(anna.key)).reason == NOT_SEEN
    imposter = lobby.arrive("Anna")
    lobby.do(imposter, Appear("everybody"))
    assert lobby.do(ben, AskProfile(imposter.key)).person.mark, "the mark stands there too"


def test_matches_are_counted_within_a_bound() -> None:
    lobby = Lobby(config=Config(limits=LimitSettings(max_known=1)))
    anna, ben = lobby.arrive("Anna"), lobby.arrive("Ben")
    for _ in range(2):
        table, match = started(lobby, [anna, ben])
        lobby.do(ben, Finish(table, match, "complete"))
    assert done(lobby.store.count(KNOWN.name)) == 1


def test_an_invitation_reaches_a_friend_and_nobody_who_does_not_want_it(lobby: Lobby) -> None:
    anna, ben, eve = (lobby.arrive(name) for name in ("Anna", "Ben", "Eve"))
    table = lobby.do(anna, MakeTable("osaka", {}, 2, "invite")).table
    assert lobby.refusal(anna, Invite(table, ben.key)).reason == NOT_SEEN
    assert lobby.refusal(eve, Invite(table, ben.key)).code == "no-table", "only who is at a table may invite to it"
    lobby.do(ben, Appear("friends", (anna.key,)))
    lobby.do(anna, Invite(table, ben.key))
    (invited,) = lobby.told(ben, Invited)
    assert (invited.by.name, invited.table, invited.game) == ("Anna", table, "osaka")
    lobby.do(ben, MarkKey(anna.key, "mute"))
    lobby.do(anna, Invite(table, ben.key))  # it looks as if he had heard it
    assert len(lobby.told(ben, Invited)) == 1
    lobby.do(eve, Appear("everybody"))
    lobby.do(anna, Invite(table, eve.key))
    assert lobby.told(eve, Invited)[0].code == invited.code
    begun, _ = started(lobby, [anna, ben])
    assert lobby.refusal(anna, Invite(begun, eve.key)).code == "started"


def line(who: Who, text: str, at: int) -> ClaimedLine:
    return ClaimedLine(who.key, who.name, text, at)


def test_a_report_says_which_lines_the_lobby_has_itself(lobby: Lobby) -> None:
    anna, mal = lobby.arrive("Anna"), lobby.arrive("Mal")
    lobby.do(mal, Say("hall", "you all stink"))
    kept = lobby.do(anna, Recall("hall")).lines
    at = lobby.now
    assert len(kept) == 1
    told = (line(mal, "you all stink", at), line(mal, "and worse", at), line(mal, "you all stink", at - 5))
    lobby.do(anna, ReportKey(mal.key, "insults", "hall", told))
    (report,) = operate(lobby, do="reports")["reports"]
    assert [entry["kept"] for entry in report["lines"]] == [True, False, False]
    shown = text_of("reports", operate(lobby, do="reports"))
    assert "insults" in shown and shown.count("claimed by the reporter") == 2 and "Mal" in shown
    lobby.do(anna, ReportKey(mal.key, "once more", "hall"))
    assert [entry["reason"] for entry in operate(lobby, do="reports")["reports"]] == ["once more"], "one about each"
    assert operate(lobby, do="status")["reports"] == 1
    operate(lobby, do="dismiss", report=report["report"], by="root")
    assert operate(lobby, do="reports")["reports"] == []
    assert operate(lobby, do="log")["log"][-1]["do"] == "dismiss"
    with pytest.raises(ConfigError):
        operate(lobby, do="dismiss", report=report["report"])


def test_lines_of_a_table_count_only_for_those_who_could_read_them(lobby: Lobby) -> None:
    anna, mal, eve = (lobby.arrive(name) for name in ("Anna", "Mal", "Eve"))
    table = lobby.do(anna, MakeTable("osaka", {}, 2)).table
    lobby.do(mal, Enter(table))
    lobby.do(mal, Say(table, "hello"))
    for who in (anna, eve):
        lobby.do(who, ReportKey(mal.key, "reason", table, (line(mal, "hello", lobby.now),)))
    kept = {entry["by_name"]: entry["lines"][0]["kept"] for entry in operate(lobby, do="reports")["reports"]}
    assert kept == {"Anna": True, "Eve": False}


def test_what_cannot_be_reported(lobby: Lobby) -> None:
    anna, mal = lobby.arrive("Anna"), lobby.arrive("Mal")
    assert lobby.refusal(anna, ReportKey(anna.key, "me", "hall")).code == "report"
    assert lobby.refusal(anna, ReportKey(mal.key, "two\nlines", "hall")).code == "report"
    lobby.do(anna, ReportKey(mal.key, "reason", "hall", (line(mal, "bad\x1b[2J", lobby.now),)))
    assert operate(lobby, do="reports")["reports"][0]["lines"] == []


def test_a_flood_of_reports_from_one_network_makes_room_for_others_and_time_takes_them() -> None:
    lobby = Lobby(config=Config(limits=LimitSettings(max_reports=4)))
    mal = lobby.arrive("Mal")
    for number in range(6):
        flooder = lobby.arrive(f"F{number}", address=f"198.51.100.{number + 1}")
        try:
            lobby.do(flooder, ReportKey(mal.key, "flood", "hall"))
        except RequestRefused as refused:
            assert refused.code == "full"
    anna = lobby.arrive("Anna", address="203.0.113.9")
    lobby.do(anna, ReportKey(mal.key, "true", "hall"))
    reasons = [entry["reason"] for entry in operate(lobby, do="reports")["reports"]]
    assert len(reasons) == 4 and "true" in reasons
    lobby.pass_time(31 * 86400, step=3600)
    assert done(lobby.store.count(REPORT.name)) == 0


def test_one_key_on_two_nodes_is_refused_with_the_reason_and_a_restart_is_not(lobby: Lobby) -> None:
    anna = lobby.arrive("Anna")

    def come(home: str) -> Any:
        claim = Claim(anna.key, "Anna", "203.0.113.1", 0, f"session-{home}", lambda: True, home=home)
        return lobby.run(lambda work: sign_in(work, claim))

    come("laptop")  # the first connection came without a number, as an older node does
    come("laptop")  # the same node again, before the lobby noticed that it was gone
    with pytest.raises(RequestRefused) as refused:
        come("desktop")
    assert (refused.value.code, refused.value.reason) == ("elsewhere", IN_USE)
    lobby.leave(lobby_who(lobby, anna, "session-laptop"))
    come("desktop")


def lobby_who(lobby: Lobby, who: Who, session: str) -> Who:
    from dataclasses import replace

    return replace(who, session=session)
