"""Tables in the lobby: finding, entering, playing, being left."""

from __future__ import annotations

import msgspec
import pytest

from kontor_games.lobby.commands.sign_in import come_back
from kontor_games.lobby.model.codes import read_code
from kontor_games.lobby.model.records import CODE, PLACE, TABLE
from kontor_games.lobby.model.work import RequestRefused, Who
from kontor_games.lobby.settings.config import Config, LimitSettings
from kontor_games.net.table.advice import older_yourself
from kontor_games.net.wire.chain import match_id
from kontor_games.net.wire.lobby_messages import (
    Describe,
    EnterByCode,
    Finish,
    ListTables,
    MakeTable,
    MarkKey,
    MatchOver,
    Queue,
    TableCard,
    TableGone,
)
from kontor_games.net.wire.messages import (
    Clauses,
    Enter,
    Leave,
    PassHost,
    Propose,
    Remove,
    Rename,
    Sit,
    Stand,
    Start,
    TableView,
)
from kontor_games.net.wire.terms import decode_terms, why_not_signed
from kontor_games.net.wire.way_messages import AskRelay
from tests.worlds.older import OldTable, old_read

from .bench import Lobby, done


@pytest.fixture
def lobby() -> Lobby:
    return Lobby()


def view(lobby: Lobby, who: object) -> TableView:
    return lobby.told(who, TableView)[-1]  # type: ignore[arg-type]


def rows(lobby: Lobby, who: object) -> list[str]:
    return [row.table for row in lobby.do(who, ListTables()).rows]  # type: ignore[arg-type]


def test_a_public_table_is_listed_and_shown_to_its_host(lobby: Lobby) -> None:
    anna, ben = lobby.arrive("Anna"), lobby.arrive("Ben")
    table = lobby.do(anna, MakeTable("osaka", {"length": 3}, 3, note="slow and friendly")).table
    row = lobby.do(ben, ListTables("osaka")).rows[0]
    assert (row.table, row.game, row.seats, row.note, row.host.name) == (
        table,
        "osaka",
        (None, None, None),
        "slow and friendly",
        "Anna",
    )
    assert lobby.do(ben, ListTables("hansa")).rows == ()
    assert view(lobby, anna).host == anna.key
    assert lobby.told(anna, TableCard)[-1].code == ""
    assert len(lobby.hall("rows")) == 1


def test_unlisted_tables_are_found_by_id_alone_and_invite_tables_by_code_alone(lobby: Lobby) -> None:
    anna, ben = lobby.arrive("Anna"), lobby.arrive("Ben")
    unlisted = lobby.do(anna, MakeTable("osaka", {}, 2, "unlisted")).table
    invite = lobby.do(anna, MakeTable("osaka", {}, 2, "invite")).table
    assert rows(lobby, ben) == [] and lobby.hall("rows") == []
    assert lobby.do(ben, Enter(unlisted)).table == unlisted
    assert lobby.refusal(ben, Enter(invite)).code == "no-table"
    code = next(card.code for card in lobby.told(anna, TableCard) if card.table == invite)
    assert read_code(code) == code
    assert lobby.refusal(ben, EnterByCode("0000-0000")).code == "no-code"
    assert lobby.do(ben, EnterByCode(code.lower().replace("-", " "))).table == invite
    assert [person.name for person in lobby.told(ben, TableCard)[-1].people] == ["Anna", "Ben"]


def test_a_new_code_ends_the_old_one(lobby: Lobby) -> None:
    anna, ben = lobby.arrive("Anna"), lobby.arrive("Ben")
    table = lobby.do(anna, MakeTable("osaka", {}, 2, "invite")).table
    old = lobby.told(anna, TableCard)[-1].code
    lobby.do(anna, Describe(table, "now public", "public"))
    assert rows(lobby, ben) == [table]
    lobby.do(anna, Describe(table, "", "invite"))
    assert rows(lobby, ben) == [] and lobby.hall("gone") == [table]
    assert lobby.refusal(ben, EnterByCode(old)).code == "no-code"
    assert lobby.do(ben, EnterByCode(lobby.told(anna, TableCard)[-1].code)).table == table
    assert lobby.refusal(ben, Describe(table, "mine", "public")).reason == "only the host may do that"


def test_everybody_signs_the_same_terms_and_the_match_starts(lobby: Lobby) -> None:
    people = [lobby.arrive(name) for name in ("Anna", "Ben", "Cleo")]
    table = lobby.do(people[0], MakeTable("osaka", {"length": 3}, 3)).table
    for who in people[1:]:
        lobby.do(who, Enter(table, (f"198.51.100.{len(who.name)}:99",)))
    for seat, who in enumerate(people):
        lobby.do(who, Sit(table, seat, who.name))
    lobby.sign_terms(people, table)
    starts = [lobby.told(who, Start) for who in people]
    assert [len(start) for start in starts] == [1, 1, 1]
    assert len({start[0] for start in starts}) == 1
    raw, sigs = starts[0][0].raw, starts[0][0].sigs
    assert why_not_signed(raw, sigs) is None
    assert [seat.name for seat in decode_terms(raw).seats] == ["Anna", "Ben", "Cleo"]
    # It learns the result, and keeps nothing once it is over.
    assert lobby.refusal(people[0], Finish(table, bytes(32), "x")).code == "finish"
    lobby.do(people[0], Finish(table, match_id(raw), "Anna won"))
    assert "Anna won" in lobby.told(people[1], TableGone)[-1].reason
    assert done(lobby.store.get(TABLE.name, table)) is None
    assert all(done(lobby.store.get(PLACE.name, who.id)) is None for who in people)


def started(lobby: Lobby, people: list[Who]) -> tuple[str, bytes]:
    """A public table at which these people have begun a match that others may watch."""
    table = lobby.do(people[0], MakeTable("osaka", {}, len(people), spectators=True)).table
    for seat, who in enumerate(people):
        lobby.do(who, Enter(table))
        lobby.do(who, Sit(table, seat, who.name))
    lobby.sign_terms(people, table)
    return table, match_id(lobby.told(people[0], Start)[0].raw)


def test_a_match_that_is_over_is_shown_to_nobody_but_its_members_keep_the_table(lobby: Lobby) -> None:
    anna, ben, cleo = (lobby.arrive(name) for name in ("Anna", "Ben", "Cleo"))
    table, match = started(lobby, [anna, ben])
    assert rows(lobby, cleo) == [table]
    assert lobby.refusal(cleo, MatchOver(table, match)).code == "no-table"
    assert lobby.refusal(anna, MatchOver(table, bytes(32))).code == "finish"
    assert rows(lobby, cleo) == [table], "nobody else ends it"
    lobby.do(ben, MatchOver(table, match))
    assert rows(lobby, cleo) == [] and lobby.hall("gone") == [table]
    assert lobby.refusal(cleo, Enter(table)).reason == "the match at this table is over"
    assert lobby.do(anna, Enter(table)).table == table and rows(lobby, cleo) == []
    assert lobby.do(anna, AskRelay(table, ben.key)).peer == ben.key
    lobby.do(anna, MatchOver(table, match))  # twice says nothing new
    lobby.do(anna, Finish(table, match, "complete"))
    assert lobby.hall("gone") == [table]


def test_a_match_that_all_have_left_is_listed_again_only_when_somebody_is_back(lobby: Lobby) -> None:
    anna, ben, cleo = (lobby.arrive(name) for name in ("Anna", "Ben", "Cleo"))
    table, _ = started(lobby, [anna, ben])
    lobby.leave(anna)
    assert rows(lobby, cleo) == [table]
    lobby.leave(ben)
    assert rows(lobby, cleo) == [] and lobby.hall("gone") == [table]
    back, _ = lobby.sign_in("Ben", lobby.identities[ben.key])
    lobby.run(lambda work: come_back(work, back))
    assert rows(lobby, cleo) == [table]


def test_addresses_as_seen_go_to_players_and_not_to_visitors(lobby: Lobby) -> None:
    anna = lobby.arrive("Anna", address="203.0.113.7", port=5555)
    ben = lobby.arrive("Ben", address="203.0.113.8", port=0)
    cleo = lobby.arrive("Cleo")
    claims = ("10.0.0.4:5555", "127.0.0.1:80", "224.0.0.1:80", "example.org:80", "[2001:db8::1]:5")
    table = lobby.do(anna, MakeTable("osaka", {}, 2, addresses=claims)).table
    for who in (ben, cleo):
        lobby.do(who, Enter(table))
    lobby.do(anna, Sit(table, 0, "Anna"))
    lobby.do(ben, Sit(table, 1, "Ben"))
    shown = {member.key: member.addresses for member in view(lobby, ben).members}
    assert shown[anna.key] == ("203.0.113.7:5555", "10.0.0.4:5555", "[2001:db8::1]:5")
    assert shown[ben.key] == ()
    assert all(member.addresses == () for member in view(lobby, cleo).members)


def test_the_host_leaving_before_the_start_passes_the_table_on_and_the_last_one_closes_it(lobby: Lobby) -> None:
    anna, ben = lobby.arrive("Anna"), lobby.arrive("Ben")
    table = lobby.do(anna, MakeTable("osaka", {}, 2, "invite")).table
    code = lobby.told(anna, TableCard)[-1].code
    lobby.do(ben, EnterByCode(code))
    lobby.do(anna, Leave(table))
    assert view(lobby, ben).host == ben.key
    lobby.do(ben, Leave(table))
    assert done(lobby.store.get(TABLE.name, table)) is None
    assert done(lobby.store.get(CODE.name, code)) is None
    assert done(lobby.store.get(PLACE.name, ben.id)) is None


def test_a_host_can_pass_the_table_and_send_people_away_for_good(lobby: Lobby) -> None:
    anna, ben, cleo = (lobby.arrive(name) for name in ("Anna", "Ben", "Cleo"))
    table = lobby.do(anna, MakeTable("osaka", {}, 2)).table
    lobby.do(ben, Enter(table))
    assert lobby.refusal(ben, Remove(table, anna.key)).reason == "only the host may do that"
    lobby.do(anna, Remove(table, ben.key))
    assert lobby.told(ben, TableGone)[-1].table == table
    assert lobby.refusal(ben, Enter(table)).code == "no-table"
    lobby.do(cleo, Enter(table))
    lobby.do(anna, PassHost(table, cleo.key))
    assert view(lobby, anna).host == cleo.key


def test_whom_the_host_blocked_does_not_get_in(lobby: Lobby) -> None:
    anna, ben = lobby.arrive("Anna"), lobby.arrive("Ben")
    lobby.do(anna, MarkKey(ben.key, "block"))
    table = lobby.do(anna, MakeTable("osaka", {}, 2)).table
    assert lobby.refusal(ben, Enter(table)).code == "no-table"
    lobby.do(anna, MarkKey(ben.key, "none"))
    assert lobby.do(ben, Enter(table)).table == table


def test_a_short_disconnect_keeps_the_seat_and_a_long_one_frees_it(lobby: Lobby) -> None:
    anna, ben = lobby.arrive("Anna"), lobby.arrive("Ben")
    table = lobby.do(anna, MakeTable("osaka", {}, 2)).table
    lobby.do(ben, Enter(table))
    lobby.do(ben, Sit(table, 1, "Ben"))
    lobby.leave(ben)
    lobby.pass_time(20)
    who, signed_in = lobby.sign_in("Ben", lobby.identities[ben.key])
    assert signed_in.tables == (table,)
    lobby.run(lambda work: come_back(work, who))
    assert view(lobby, who).seats[1].name == "Ben"
    lobby.pass_time(60)
    assert view(lobby, anna).seats[1].name == "Ben"
    lobby.leave(who)
    lobby.pass_time(40)
    assert view(lobby, anna).seats[1] is None
    assert lobby.sign_in("Ben", lobby.identities[ben.key])[1].tables == ()


def test_a_host_who_vanishes_passes_the_table_on(lobby: Lobby) -> None:
    anna, ben = lobby.arrive("Anna"), lobby.arrive("Ben")
    table = lobby.do(anna, MakeTable("osaka", {}, 2)).table
    lobby.do(ben, Enter(table))
    lobby.leave(anna)
    lobby.pass_time(40)
    assert view(lobby, ben).host == ben.key


def test_tables_that_nobody_touches_end_and_everybody_is_told(lobby: Lobby) -> None:
    anna, ben = lobby.arrive("Anna"), lobby.arrive("Ben")
    table = lobby.do(anna, MakeTable("osaka", {}, 2)).table
    lobby.do(ben, Enter(table))
    lobby.now += int(lobby.config.times.table_idle * 1000) - 2000
    lobby.do(ben, Sit(table, 0, "Ben"))
    lobby.pass_time(10)
    assert rows(lobby, ben) == [table]
    lobby.now += int(lobby.config.times.table_idle * 1000)
    lobby.pass_time(1)
    assert rows(lobby, ben) == []
    assert "long time" in lobby.told(anna, TableGone)[-1].reason
    assert done(lobby.store.get(PLACE.name, ben.id)) is None


def test_a_started_table_outlives_everybody_going_home(lobby: Lobby) -> None:
    anna, ben = lobby.arrive("Anna"), lobby.arrive("Ben")
    table = lobby.do(anna, MakeTable("osaka", {}, 2)).table
    lobby.do(ben, Enter(table))
    lobby.do(anna, Sit(table, 0, "Anna"))
    lobby.do(ben, Sit(table, 1, "Ben"))
    lobby.sign_terms([anna, ben], table)
    lobby.leave(anna)
    lobby.leave(ben)
    lobby.pass_time(100)
    lobby.now += 3600 * 1000 * 20
    lobby.pass_time(5)
    cleo = lobby.arrive("Cleo")
    assert lobby.refusal(cleo, Enter(table)).code == "started"
    before = len(lobby.told(ben, Start))
    back = lobby.arrive("Ben", lobby.identities[ben.key])
    assert len(lobby.told(back, Start)) == before + 1


@pytest.mark.parametrize(
    ("ask", "code"),
    [
        (MakeTable("chess", {}, 2), "options"),
        (MakeTable("osaka", {}, 7), "options"),
        (MakeTable("osaka", {"colour": "red"}, 2), "options"),
        (MakeTable("osaka", {}, 2, note="a\x07b"), "note"),
        (MakeTable("osaka", {}, 2, note="two\nlines"), "note"),
        (MakeTable("osaka", {}, 2, note="\u202egnp.exe"), "note"),
        (Sit("NOSUCHTABLE", 0, "Anna"), "no-table"),
        (Stand("NOSUCHTABLE", 0), "no-table"),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(lobby: Lobby, ask: object, code: str) -> None:
    anna = lobby.arrive("Anna")
    refused = lobby.refusal(anna, ask)
    assert refused.code == code and refused.reason


def test_one_key_cannot_be_at_any_number_of_tables(lobby: Lobby) -> None:
    anna = lobby.arrive("Anna")
    for _ in range(lobby.config.limits.max_tables_per_key):
        lobby.do(anna, MakeTable("osaka", {}, 2))
    assert lobby.refusal(anna, MakeTable("osaka", {}, 2)).code == "too-many-tables"


def crowded(most: int) -> Lobby:
    return Lobby(config=Config(limits=LimitSettings(max_tables=most)))


def test_a_full_lobby_makes_room_from_the_newest_tables_of_the_network_that_has_most_and_tells_their_hosts() -> None:
    """B4: many keys of many addresses had filled all places, and honest people were told that the lobby is full."""
    lobby = crowded(20)
    waiting = lobby.arrive("Host", address="203.0.113.1")
    first = lobby.do(waiting, MakeTable("osaka", {}, 2)).table
    flood = [lobby.arrive(f"Flood {n}", address=f"10.0.{n % 3}.{n % 6}") for n in range(30)]
    made = 0
    for who in flood * 2:
        try:
            made += bool(lobby.do(who, MakeTable("osaka", {}, 2)).table)
        except RequestRefused as refused:
            assert refused.code == "full"
        lobby.now += 1
    assert done(lobby.store.count(TABLE.name)) == 20
    told = [event.reason for who in flood for event in lobby.told(who, TableGone)]
    for number in range(5):  # each from a network of its own, then from networks that the flood uses too
        address = f"198.51.{number}.1" if number < 3 else f"10.0.{number - 3}.200"
        anna = lobby.arrive(f"Anna {number}", address=address)
        table = lobby.do(anna, MakeTable("osaka", {}, 2)).table
        assert done(lobby.store.get(TABLE.name, table)) is not None
        lobby.now += 1
    now_told = [event.reason for who in flood for event in lobby.told(who, TableGone)]
    assert len(now_told) - len(told) == 5 and "the network with the most tables gives up its newest" in now_told[-1]
    assert done(lobby.store.get(TABLE.name, first)) is not None, "the host who waits lost the table"
    assert not lobby.told(waiting, TableGone)


def test_the_newest_table_goes_first_and_the_first_table_of_a_network_last() -> None:
    lobby = crowded(4)
    flood = lobby.arrive("Flood", address="10.0.0.1")
    tables = []
    for _ in range(4):
        tables.append(lobby.do(flood, MakeTable("osaka", {}, 2)).table)
        lobby.now += 1
    for number in range(3):
        lobby.do(lobby.arrive(f"Anna {number}", address=f"10.1.{number}.1"), MakeTable("osaka", {}, 2))
        lobby.now += 1
    assert [event.table for event in lobby.told(flood, TableGone)] == tables[:0:-1]
    late = lobby.arrive("Late", address="10.2.0.1")
    assert lobby.refusal(late, MakeTable("osaka", {}, 2)).code == "full"  # now every network has one


def test_whoever_shares_an_address_with_an_attacker_gets_a_table_of_theirs() -> None:
    lobby = crowded(10)
    for number in range(2):
        flood = lobby.arrive(f"Flood {number}", address="10.0.0.1")
        for _ in range(5):
            lobby.do(flood, MakeTable("osaka", {}, 2))
            lobby.now += 1
    anna = lobby.arrive("Anna", address="10.0.0.1")
    table = lobby.do(anna, MakeTable("osaka", {}, 2)).table
    lobby.now += 1
    ben = lobby.arrive("Ben", address="10.9.0.1")
    lobby.do(ben, MakeTable("osaka", {}, 2))
    assert done(lobby.store.get(TABLE.name, table)) is not None and not lobby.told(anna, TableGone)


def test_visitors_cannot_fill_a_table_so_that_nobody_comes_who_wants_to_play(lobby: Lobby) -> None:
    host = lobby.arrive("Host", address="203.0.113.1")
    table = lobby.do(host, MakeTable("osaka", {}, 3)).table
    lobby.do(host, Sit(table, 0, "Host"))
    friend = lobby.arrive("Friend", address="10.0.0.9")  # of the same network as the flood
    lobby.do(friend, Enter(table))
    flood = [lobby.arrive(f"Flood {number}", address=f"10.0.0.{66 + number % 3}") for number in range(14)]
    for who in flood:
        lobby.do(who, Enter(table))
    assert len(view(lobby, host).members) == 16
    anna = lobby.arrive("Anna", address="198.51.100.1")
    lobby.do(anna, Enter(table))
    lobby.do(anna, Sit(table, 1, "Anna"))
    (gone,) = [who for who in flood if lobby.told(who, TableGone)]
    members = {member.key for member in view(lobby, host).members}
    assert gone.key not in members and {host.key, friend.key, anna.key} <= members and len(members) == 16
    assert lobby.refusal(gone, Enter(table)).code == "full"  # its network holds most
    lobby.leave(flood[0])
    ben = lobby.arrive("Ben", address="10.0.0.66")
    lobby.do(ben, Enter(table))  # who is gone makes room first
    assert flood[0].key not in {member.key for member in view(lobby, host).members}


def test_proposals_reach_only_those_who_play(lobby: Lobby) -> None:
    anna, ben, cleo = (lobby.arrive(name) for name in ("Anna", "Ben", "Cleo"))
    table = lobby.do(anna, MakeTable("osaka", {}, 2)).table
    for who in (ben, cleo):
        lobby.do(who, Enter(table))
    lobby.do(anna, Sit(table, 0, "Anna"))
    lobby.do(ben, Sit(table, 1, "Ben"))
    lobby.sign_terms([anna, ben], table)
    assert lobby.told(ben, Propose) and not lobby.told(cleo, Propose)


def test_nobody_sits_under_the_name_of_somebody_else(lobby: Lobby) -> None:
    anna, ben = lobby.arrive("Anna"), lobby.arrive("Ben")
    table = lobby.do(ben, MakeTable("osaka", {}, 3)).table
    assert lobby.refusal(ben, Sit(table, 0, "ANNA")).code == "name"
    lobby.do(ben, Sit(table, 0, "Ben"))
    assert lobby.refusal(ben, Rename(table, 0, "\u0410nna")).code == "name"
    lobby.do(ben, Sit(table, 1, "Ben's sister"))
    namesake = lobby.arrive("Anna")
    lobby.do(namesake, Enter(table))
    lobby.do(namesake, Sit(table, 2, "Anna"))  # its own name, which the card shows with its fingerprint
    marks = {person.key: person.mark for person in lobby.told(ben, TableCard)[-1].people}
    assert marks[namesake.key] and anna.key not in marks


def test_tables_of_a_game_that_an_upgrade_took_away_are_closed_and_harm_nobody(lobby: Lobby) -> None:
    anna = lobby.arrive("Anna")
    table = lobby.do(anna, MakeTable("joban", {}, 2)).table
    del lobby.games._games["joban"]
    lobby.leave(anna)
    anna = lobby.arrive("Anna", lobby.identities[anna.key])
    lobby.now += int(lobby.config.times.table_idle * 1000)
    lobby.pass_time(1)
    assert done(lobby.store.get(TABLE.name, table)) is None
    assert "no longer has joban" in lobby.told(anna, TableGone)[-1].reason


def test_older_nodes_may_look_and_talk_but_are_told_to_update_wherever_they_want_to_play(lobby: Lobby) -> None:
    anna, ben = lobby.arrive("Anna"), lobby.arrive("Ben", protocol=1)
    wish = MakeTable("osaka", {}, 3, clauses=Clauses(grace=60))
    table = lobby.do(anna, wish).table
    lobby.do(ben, Enter(table))
    lobby.do(anna, Sit(table, 0, "Anna", guest=True))
    assert view(lobby, anna).clauses == Clauses(grace=60) and view(lobby, anna).protocol == 2
    assert [member.protocol for member in view(lobby, anna).members] == [2, 1]
    for message in lobby.told(ben, TableView):
        read = old_read(message)
        assert isinstance(read, OldTable) and read.notice == older_yourself(1)
    for ask in (Sit(table, 1, "Ben"), MakeTable("osaka", {}, 2), Queue(("osaka",), (2,))):
        assert lobby.refusal(ben, ask).reason == older_yourself(1)


def test_one_who_updates_comes_back_to_the_same_table_and_plays(lobby: Lobby) -> None:
    anna, ben = lobby.arrive("Anna"), lobby.arrive("Ben", protocol=1)
    table = lobby.do(anna, MakeTable("osaka", {}, 2)).table
    lobby.do(ben, Enter(table))
    lobby.leave(ben)
    ben = lobby.arrive("Ben", lobby.identities[ben.key])
    lobby.do(anna, Sit(table, 0, "Anna"))
    lobby.do(ben, Sit(table, 1, "Ben"))
    lobby.sign_terms([anna, ben], table)
    assert view(lobby, ben).phase == "started" and lobby.told(ben, Start)
    assert decode_terms(lobby.told(ben, Start)[-1].raw).version == 2


def test_one_who_comes_back_with_an_older_node_loses_seat_and_readiness(lobby: Lobby) -> None:
    anna, ben = lobby.arrive("Anna"), lobby.arrive("Ben")
    table = lobby.do(anna, MakeTable("osaka", {}, 2)).table
    lobby.do(ben, Enter(table))
    lobby.do(ben, Sit(table, 1, "Ben"))
    lobby.leave(ben)
    lobby.arrive("Ben", lobby.identities[ben.key], protocol=1)
    assert view(lobby, anna).seats == (None, None)
    assert [member.wish for member in view(lobby, anna).members] == ["", "Ben"]


def test_a_table_that_an_older_lobby_stored_is_still_read(lobby: Lobby) -> None:
    """Records grow at their end: what is missing there has the meaning of the older program."""
    anna = lobby.arrive("Anna")
    table = lobby.do(anna, MakeTable("osaka", {}, 2)).table
    record = done(lobby.work().get(TABLE, table))
    assert record is not None
    plain = msgspec.to_builtins(record, builtin_types=(bytes,))[:-1]  # without the clauses
    plain[10] = [member[:-1] for member in plain[10]]  # without the members' protocol
    read = TABLE.decode(msgspec.msgpack.encode(plain))
    assert read.clauses is None and [member.protocol for member in read.members] == [1]
