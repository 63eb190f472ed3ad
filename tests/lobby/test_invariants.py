"""People doing anything in any order, with lost connections and restarts: the records always fit together."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from kontor_games.lobby.commands.sign_in import gone
from kontor_games.lobby.model.records import (
    CODE,
    OFFER,
    PLACE,
    PRESENCE,
    QUEUE,
    QUEUE_SHARE,
    TABLE,
    TABLE_SHARE,
    RecordKind,
)
from kontor_games.lobby.model.work import RequestRefused, Who
from kontor_games.lobby.settings.config import Config, LimitSettings
from kontor_games.net.wire.identity import Identity
from kontor_games.net.wire.lobby_messages import (
    Describe,
    EnterByCode,
    MakeTable,
    MarkKey,
    Proposal,
    Queue,
    Reply,
    Say,
    TableCard,
    Unqueue,
)
from kontor_games.net.wire.messages import Configure, Enter, Leave, PassHost, Ready, Remove, Sit, Stand, Unready

from .bench import Lobby, done

PEOPLE = st.integers(0, 3)
SMALL = Config(limits=LimitSettings(max_tables=5, max_queue=3))  # so that it is full now and then
TABLES = st.sampled_from([0, 0, 0, 1, 2])


class AnyEvening(RuleBasedStateMachine):
    """People by number; whoever is not here arrives first."""

    def __init__(self) -> None:
        super().__init__()
        self.lobby = Lobby(config=SMALL)
        self.people: dict[int, Who] = {}
        self.identities: dict[int, Identity] = {}
        self.tables: list[str] = []
        self.codes: list[str] = []

    def who(self, number: int) -> Who:
        if number not in self.people:
            identity = self.identities.setdefault(number, Identity.generate())
            address = f"192.0.{number % 2}.{number}"  # two networks, four households
            self.people[number] = self.lobby.arrive(f"Person {number}", identity, address=address)
        return self.people[number]

    def ask(self, number: int, command: Any) -> Any:
        who = self.who(number)
        try:
            return self.lobby.do(who, command)
        except RequestRefused as refused:
            assert refused.reason
            return None
        finally:
            self.codes = [card.code for card in self.lobby.told(who, TableCard)[-3:] if card.code] + self.codes[:5]

    def table(self, number: int) -> str:
        return self.tables[number % len(self.tables)] if self.tables else "NOWHERE"

    @initialize()
    def first_table(self) -> None:
        self.make(0, 2, "invite")
        self.come_together(0, 2)

    @rule(t=TABLES, count=st.integers(2, 4))
    def come_together(self, t: int, count: int) -> None:
        """Some enter the table, if they may, and sit down where there is room."""
        for n in range(count):
            self.ask(n, Enter(self.table(t)))
            self.ask(n, EnterByCode(self.codes[0] if self.codes else "0000-0000"))
            self.ask(n, Sit(self.table(t), n, f"Person {n}"))

    @rule(t=TABLES)
    def play(self, t: int) -> None:
        """If the seats are taken by people who are here, they agree and start."""
        found = done(self.lobby.store.get(TABLE.name, self.table(t)))
        record = TABLE.decode(found.data) if found else None
        here = {who.key: who for who in self.people.values()}
        if (
            record is None
            or record.phase != "open"
            or any(seat is None or seat.peer not in here for seat in record.seats)
        ):
            return
        players = list({seat.peer: here[seat.peer] for seat in record.seats}.values())
        if len(players) > 1:
            self.lobby.sign_terms(players, record.id)
            found = done(self.lobby.store.get(TABLE.name, record.id))
            assert TABLE.decode(found.data).phase == "started"

    @rule(first=PEOPLE, second=PEOPLE, yes=st.booleans())
    def meet_by_queue(self, first: int, second: int, yes: bool) -> None:
        for n in (first, second):
            self.ask(n, Queue(("osaka",), (2,)))
        self.lobby.pass_time(1)
        for n in (first, second):
            self.reply(n, yes)

    @rule(n=PEOPLE, seats=st.integers(1, 5), visibility=st.sampled_from(["public", "unlisted", "invite"]))
    def make(self, n: int, seats: int, visibility: Any) -> None:
        made = self.ask(n, MakeTable("osaka", {}, seats, visibility))
        if made:
            self.tables = [made.table, *self.tables][:8]

    @rule(n=PEOPLE, t=TABLES)
    def enter(self, n: int, t: int) -> None:
        self.ask(n, Enter(self.table(t)))

    @rule(n=PEOPLE, c=st.integers(0, 5))
    def enter_by_code(self, n: int, c: int) -> None:
        self.ask(n, EnterByCode(self.codes[c % len(self.codes)] if self.codes else "0000-0000"))

    @rule(n=PEOPLE, t=TABLES, seat=st.integers(0, 5))
    def sit(self, n: int, t: int, seat: int) -> None:
        self.ask(n, Sit(self.table(t), seat, f"Person {n}"))

    @rule(n=PEOPLE, t=TABLES, what=st.sampled_from(["stand", "leave", "unready", "say", "ready", "public", "invite"]))
    def at_table(self, n: int, t: int, what: str) -> None:
        table = self.table(t)
        found = done(self.lobby.store.get(TABLE.name, table))
        revision = TABLE.decode(found.data).revision if found else 0
        commands: dict[str, Any] = {
            "stand": Stand(table, 0),
            "leave": Leave(table),
            "unready": Unready(table),
            "say": Say(table, "hello"),
            "ready": Ready(table, revision, bytes([n]) * 16),
            "public": Describe(table, "come in", "public"),
            "invite": Describe(table, "", "invite"),
        }
        self.ask(n, commands[what])

    @rule(n=PEOPLE, t=TABLES, m=PEOPLE, what=st.sampled_from(["pass", "remove", "configure"]))
    def as_host(self, n: int, t: int, m: int, what: str) -> None:
        table, other = self.table(t), self.who(m).key
        commands: dict[str, Any] = {
            "pass": PassHost(table, other),
            "remove": Remove(table, other),
            "configure": Configure(table, {"length": 2}, 2 + m % 3, "none", bool(n % 2)),
        }
        self.ask(n, commands[what])

    @rule(
        n=PEOPLE, games=st.sampled_from([("osaka",), ("osaka", "hansa")]), seats=st.sampled_from([(2,), (2, 3), (3,)])
    )
    def queue(self, n: int, games: tuple[str, ...], seats: tuple[int, ...]) -> None:
        self.ask(n, Queue(games, seats))

    @rule(n=PEOPLE, yes=st.booleans())
    def reply(self, n: int, yes: bool) -> None:
        offers = self.lobby.told(self.who(n), Proposal)
        self.ask(n, Reply(offers[-1].offer, yes) if offers else Unqueue())

    @rule(n=PEOPLE, m=PEOPLE, mark=st.sampled_from(["none", "mute", "block"]))
    def mark(self, n: int, m: int, mark: Any) -> None:
        self.ask(n, MarkKey(self.who(m).key, mark))

    @rule(n=PEOPLE)
    def lose_connection(self, n: int) -> None:
        if n in self.people:
            self.lobby.leave(self.people.pop(n))

    @rule(seconds=st.sampled_from([1, 1, 5, 25, 70]))
    def wait(self, seconds: int) -> None:
        self.lobby.pass_time(seconds)

    @rule()
    def restart(self) -> None:
        """The process ends; the next one takes over what it left."""
        before = self.lobby
        self.lobby = Lobby(before.store, SMALL)
        self.lobby.now, self.lobby.identities, self.lobby.sessions = before.now, before.identities, before.sessions
        for _, presence in self.all(PRESENCE):
            self.lobby.run(lambda work, p=presence: gone(work, p.key, p.session))
        self.people.clear()

    def all(self, kind: RecordKind[Any]) -> list[tuple[str, Any]]:
        return [(id, kind.decode(record.data)) for id, record in done(self.lobby.store.scan(kind.name, limit=1000))]

    @invariant()
    def members_and_places_agree(self) -> None:
        at = {(id, table) for id, place in self.all(PLACE) for table in place.tables}
        assert at == {(member.key.hex(), id) for id, table in self.all(TABLE) for member in table.members}

    @invariant()
    def tables_are_whole(self) -> None:
        for _, table in self.all(TABLE):
            keys = {member.key for member in table.members}
            assert keys
            if table.phase != "started":  # a match keeps its seats and its host's name, whoever has left the lobby
                assert table.host in keys
                assert all(seat is None or seat.peer in keys for seat in table.seats)
            assert bool(table.code) == (table.visibility == "invite")

    @invariant()
    def codes_lead_to_their_tables(self) -> None:
        assert {(code, record.table) for code, record in self.all(CODE)} == {
            (table.code, id) for id, table in self.all(TABLE) if table.code
        }

    @invariant()
    def everything_that_is_shared_has_its_share(self) -> None:
        for kind, share in ((TABLE, TABLE_SHARE), (QUEUE, QUEUE_SHARE)):
            assert sorted(each.of for _, each in self.all(share)) == [id for id, _ in self.all(kind)]

    @invariant()
    def offers_and_queue_agree(self) -> None:
        waiting = {entry.key: entry for _, entry in self.all(QUEUE)}
        offers = dict(self.all(OFFER))
        for entry in waiting.values():
            assert not entry.offer or entry.key in offers[entry.offer].keys
        for id, offer in offers.items():
            assert all(waiting[key].offer == id for key in offer.keys)

    def teardown(self) -> None:
        """Everybody goes home: in the end nothing is left but what is meant to be remembered."""
        for number in list(self.people):
            self.lobby.leave(self.people.pop(number))
        self.lobby.pass_time(90)
        self.lobby.now += 25 * 3600 * 1000
        self.lobby.pass_time(3)
        for kind in (PRESENCE, QUEUE, QUEUE_SHARE, OFFER, TABLE, TABLE_SHARE, CODE, PLACE):
            assert self.all(kind) == [], kind.name


class AnyLongEvening(AnyEvening):
    """The same, many times."""


AnyEvening.TestCase.settings = settings(max_examples=15, stateful_step_count=30, deadline=None)
AnyLongEvening.TestCase.settings = settings(max_examples=500, stateful_step_count=50, deadline=None)
TestAnyEvening = AnyEvening.TestCase
TestAnyLongEvening = pytest.mark.long(AnyLongEvening.TestCase)
