"""A whole lobby over real TLS on loopback."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from pytest_twisted import ensureDeferred

from kontor_games.engine.errors import RemoteError
from kontor_games.lobby.settings.config import Config, LimitSettings, RateSetting
from kontor_games.lobby.store.sqlite import SqliteStore
from kontor_games.net.lobbies.lobby_link import LobbyRefused
from kontor_games.net.lobbies.lobby_tls import lobby_key_of
from kontor_games.net.wire.identity import Identity
from kontor_games.net.wire.lobby_messages import (
    EnterByCode,
    HallNews,
    Lines,
    ListPeople,
    ListTables,
    MakeTable,
    MarkKey,
    Notice,
    Recall,
    Said,
    Say,
    TableCard,
    WatchHall,
)
from kontor_games.net.wire.messages import Enter, Sit, TableView
from kontor_games.net.wire.people_messages import Appear
from tests.worlds.lobby_hall import Node, party, pause, the_reactor

TIGHT = RateSetting(0.01, 3)


@ensureDeferred
async def test_three_nodes_meet_by_invite_code_and_see_the_same_table() -> None:
    async with party() as it:
        anna, ben, cleo = [await it.node(name) for name in ("Anna", "Ben", "Cleo")]
        table = (await anna.ask(MakeTable("osaka", {}, 3, "invite"))).table
        code = (await anna.hears(TableCard)).code
        for seat, node in enumerate((anna, ben, cleo)):
            if node is not anna:
                assert (await node.ask(EnterByCode(code.lower()))).table == table
            await node.ask(Sit(table, seat, node.name))
        views = [await node.hears(TableView, lambda view: None not in view.seats) for node in (anna, ben, cleo)]
        assert [seat.name for seat in views[0].seats] == ["Anna", "Ben", "Cleo"]
        assert views[0].members == views[2].members
        assert views[0].members[1].addresses == ("127.0.0.1:4000",)


@ensureDeferred
async def test_a_key_that_comes_again_takes_its_place_and_finds_its_table(tmp_path: Path) -> None:
    async with party(SqliteStore(tmp_path / "lobby.db", the_reactor().callFromThread)) as it:
        anna, ben = await it.node("Anna"), await it.node("Ben")
        table = (await anna.ask(MakeTable("osaka", {}, 2))).table
        await ben.ask(Enter(table))
        await ben.ask(Sit(table, 1, "Ben"))
        again = Node("Ben", ben.identity)
        it.nodes.append(again)
        signed_in = await again.come(it.port, it.lobby.key)
        assert signed_in.tables == (table,)
        assert "another place" in (await ben.hears(Notice)).text
        await ben.is_cut()
        view = await again.hears(TableView)
        assert view.seats[1].name == "Ben"
        again.link.transport.abortConnection()
        await anna.hears(TableView, lambda view: not all(member.is_here for member in view.members))
        third = Node("Ben", ben.identity)
        it.nodes.append(third)
        assert (await third.come(it.port, it.lobby.key)).tables == (table,)


@ensureDeferred
async def test_a_signature_for_another_lobby_or_an_old_challenge_does_not_get_in() -> None:
    async with party() as it:

        class Elsewhere:
            """Signs for a lobby with another key, as one that passes a challenge on would need."""

            def __init__(self, identity: Identity) -> None:
                self.key, self.private = identity.key, identity.private
                self._identity = identity

            def sign(self, kind: str, raw: bytes) -> bytes:
                return self._identity.sign("lobby", b"x" * 32 + raw[32:])

        node = Node("Mallory")
        node.identity = Elsewhere(node.identity)  # type: ignore[assignment]
        it.nodes.append(node)
        with pytest.raises(RemoteError, match="signature"):
            await node.come(it.port, it.lobby.key)
        assert it.count("turned_away_total", reason="signature") == 1
        assert it.lobby.reception.here == {} and node.events == []


@ensureDeferred
async def test_a_node_does_not_talk_to_a_lobby_with_another_key_than_the_pinned_one() -> None:
    async with party() as it:
        node = Node("Anna")
        it.nodes.append(node)
        with pytest.raises(RemoteError):
            await node.come(it.port, b"p" * 32)
        assert it.lobby.reception.here == {}


@ensureDeferred
async def test_an_operators_certificate_of_another_kind_is_pinned_and_signed_for(tmp_path: Path) -> None:
    private = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "lobby.example.org")])
    begins = datetime(2026, 1, 1, tzinfo=UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(private.public_key())
    builder = builder.serial_number(1).not_valid_before(begins).not_valid_after(begins + timedelta(days=9999))
    certificate = builder.sign(private, SHA256())
    (tmp_path / "cert.pem").write_bytes(certificate.public_bytes(Encoding.PEM))
    (tmp_path / "key.pem").write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    config = Config(certificate=str(tmp_path / "cert.pem"), private_key=str(tmp_path / "key.pem"))
    async with party(config=config) as it:
        assert it.lobby.key == lobby_key_of(certificate)
        anna = await it.node("Anna")
        assert (await anna.ask(ListPeople())).total == 1
        other = Node("Ben")
        it.nodes.append(other)
        with pytest.raises(RemoteError, match="not the lobby we know"):
            await other.come(it.port, b"p" * 32)


@ensureDeferred
async def test_names_with_control_characters_are_refused_at_the_door_and_borrowed_ones_are_marked() -> None:
    async with party() as it:
        for bad in ("An\x1bna", "An\nna", "\u202eAnna", " Anna", "A" * 25):
            node = Node(bad)
            it.nodes.append(node)
            with pytest.raises(RemoteError, match="name"):
                await node.come(it.port, it.lobby.key)
        first = await it.node("Anna")
        second = Node("\u0410nna")  # begins with a Cyrillic letter
        it.nodes.append(second)
        answer = await second.come(it.port, it.lobby.key)
        assert len(answer.you.mark) == 19
        for node in (first, second):
            await node.ask(Appear("everybody"))
        people = (await first.ask(ListPeople())).people
        assert sorted((person.name, bool(person.mark)) for person in people) == [("Anna", False), ("\u0410nna", True)]


@ensureDeferred
async def test_the_hall_hears_of_tables_people_and_lines_but_not_from_those_it_muted() -> None:
    async with party() as it:
        anna, ben, cleo = [await it.node(name) for name in ("Anna", "Ben", "Cleo")]
        for node in (anna, ben):
            await node.ask(WatchHall(True))
        await anna.ask(MarkKey(cleo.identity.key, "mute"))
        await cleo.ask(Say("hall", "buy my goods"))
        await ben.ask(Say("hall", "good evening"))
        await cleo.ask(MakeTable("osaka", {}, 2, note="come in"))
        assert await ben.hears_in_hall(2) == ["buy my goods", "good evening"]
        assert await anna.hears_in_hall(1) == ["good evening"]
        assert (await anna.hears(HallNews, lambda news: bool(news.rows))).rows[0].note == "come in"
        dora = await it.node("Dora")
        await dora.ask(Appear("everybody"))
        await anna.hears(HallNews, lambda news: any(person.name == "Dora" for person in news.people))
        lines: Lines = await dora.ask(Recall("hall"))
        assert [line.text for line in lines.lines] == ["buy my goods", "good evening"]
        assert not any(isinstance(event, HallNews) for event in dora.events)


@ensureDeferred
async def test_chat_at_a_table_stays_there() -> None:
    async with party() as it:
        anna, ben = await it.node("Anna"), await it.node("Ben")
        table = (await anna.ask(MakeTable("osaka", {}, 2))).table
        with pytest.raises(LobbyRefused) as refused:
            await ben.ask(Say(table, "may I?"))
        assert refused.value.code == "no-table"
        await ben.ask(Enter(table))
        await ben.ask(Say(table, "may I?"))
        assert (await anna.hears(Said)).text == "may I?"
        with pytest.raises(LobbyRefused) as refused:
            await ben.ask(Say(table, "a\x00b"))
        assert refused.value.code == "chat"


@ensureDeferred
async def test_who_asks_too_fast_is_refused_with_a_waiting_time_and_counted() -> None:
    limits = LimitSettings(chat=TIGHT, codes=TIGHT)
    async with party(limits=limits) as it:
        node = await it.node("Anna")
        for command in (Say("hall", "again"), EnterByCode("ABCD-EFGH")):
            codes = []
            for _ in range(5):
                try:
                    await node.ask(command)
                except LobbyRefused as refused:
                    codes.append(refused.code)
                    assert refused.code != "too-fast" or refused.wait > 1
            assert codes[-2:] == ["too-fast", "too-fast"]
        assert it.count("throttled_total", reason="chat") == 2
        assert it.count("throttled_total", reason="codes") == 2


@ensureDeferred
async def test_the_right_code_costs_no_guess() -> None:
    async with party(limits=LimitSettings(codes=TIGHT)) as it:
        anna, ben = await it.node("Anna"), await it.node("Ben")
        await anna.ask(MakeTable("osaka", {}, 2, "invite"))
        code = (await anna.hears(TableCard)).code
        for _ in range(10):
            await ben.ask(EnterByCode(code))


@ensureDeferred
async def test_a_graceful_stop_tells_everybody_and_a_new_process_finds_everything(tmp_path: Path) -> None:
    reactor = the_reactor()
    async with party(SqliteStore(tmp_path / "lobby.db", reactor.callFromThread)) as it:
        anna = await it.node("Anna")
        table = (await anna.ask(MakeTable("osaka", {}, 2))).table
        await it.lobby.stop("upgrade")
        assert (await anna.hears(Notice)).kind == "shutdown"
        await anna.is_cut()
    async with party(SqliteStore(tmp_path / "lobby.db", reactor.callFromThread)) as it:
        ben = await it.node("Ben")
        assert [row.table for row in (await ben.ask(ListTables())).rows] == [table]
        again = Node("Anna", anna.identity)
        it.nodes.append(again)
        assert (await again.come(it.port, it.lobby.key)).tables == (table,)
        await pause(0)
