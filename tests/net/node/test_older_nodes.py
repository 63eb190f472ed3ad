"""Nodes of protocol 1 at tables of today, and the other way round: both sides are told, nothing is signed."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from pytest_twisted import ensureDeferred
from twisted.internet.endpoints import TCP4ServerEndpoint

from kontor_games.engine import canonical
from kontor_games.engine.errors import StoreError
from kontor_games.net.api.network.grid import match_rows
from kontor_games.net.api.network.table_data import updates
from kontor_games.net.lobbies.lobby_room import LobbyRoom
from kontor_games.net.lobbies.lobby_talk import LobbyTalk, WriteTalk
from kontor_games.net.lockstep.match import Match
from kontor_games.net.node.agreed import MAX_TABLES, AgreedBook
from kontor_games.net.node.node import Node
from kontor_games.net.node.node_news import TableChanged
from kontor_games.net.table.advice import older, older_keeper, older_lobby, older_yourself
from kontor_games.net.table.guest import Guest, KeeperRefused, TellKeeper
from kontor_games.net.table.keeper import Started, TableKeeper, Tell
from kontor_games.net.table.table_state import TableState
from kontor_games.net.wire.chain import match_id
from kontor_games.net.wire.frames import pack_frame
from kontor_games.net.wire.identity import fingerprint
from kontor_games.net.wire.lobby_messages import SignIn, Welcome, decode_to_lobby
from kontor_games.net.wire.lobby_messages import encode as encode_lobby
from kontor_games.net.wire.match_talk import Where
from kontor_games.net.wire.messages import (
    Agree,
    AnyMessage,
    Clauses,
    Configure,
    Enter,
    Error,
    Look,
    MatchTalk,
    Object,
    Offers,
    Propose,
    Ready,
    SeatInfo,
    Sit,
    Spectate,
    Start,
    TableView,
)
from kontor_games.net.wire.terms import decode_terms, encode_terms
from tests.net.links.test_paths import Here
from tests.net.links.test_transport import nodes, the_reactor
from tests.net.table.test_table import honest_terms
from tests.worlds.doubles import Recorder, Shelf, identity
from tests.worlds.lobby_hall import pause
from tests.worlds.older import OldTable, old_hello, old_read
from tests.worlds.room import ANN, BEN, CEM, opened, two_seated
from tests.worlds.world import identity as world_identity
from tests.worlds.world import make_terms

YOURSELF = older_yourself(1)


def told(effects: list[Any], who: bytes) -> list[AnyMessage]:
    return [effect.message for effect in effects if isinstance(effect, Tell) and effect.peer == who]


def with_an_older_visitor() -> TableKeeper[TableState]:
    """Ann and Cem sit, with everything that protocol 1 does not know; Ben looks on from an older node."""
    table = opened(Shelf(), ANN.key, "hansa", {}, 3, clauses=Clauses(grace=60))
    for who, protocol in ((ANN, 2), (CEM, 2), (BEN, 1)):
        table.received(who.key, Enter("t"), 0.0, protocol)
    table.received(ANN.key, Sit("t", 0, "Ann", guest=True), 0.0)
    table.received(CEM.key, Sit("t", 1, "Cem"), 0.0)
    return table


def test_an_older_node_can_read_the_table_it_is_shown_and_reads_that_it_has_to_update() -> None:
    table = with_an_older_visitor()
    effects = table.received(ANN.key, Configure("t", {}, 3, "majority", True, Clauses(grace=90)), 0.0)
    (message,) = told(effects, BEN.key)
    view = old_read(message)
    assert isinstance(view, OldTable) and view.notice == YOURSELF
    assert "Update your Kontor" in view.notice and "(protocol 1)" in view.notice
    with pytest.raises(msgspec.ValidationError):
        old_read(told(effects, ANN.key)[0])


def test_an_older_node_cannot_sit_and_everybody_learns_who_has_to_update() -> None:
    table = with_an_older_visitor()
    effects = table.received(BEN.key, Sit("t", 2, "Ben"), 0.0, 1)
    assert [m for m in told(effects, BEN.key) if isinstance(m, Error)] == [Error("sit", YOURSELF)]
    (view,) = told(effects, ANN.key)
    assert isinstance(view, TableView) and view.seats[2] is None
    assert [(member.protocol, member.wish) for member in view.members] == [(2, ""), (2, ""), (1, "Ben")]
    assert older("Ben", 1) == (
        "Ben runs an older Kontor (protocol 1); this table needs protocol 2. Update Ben's Kontor."
    )
    for message in told(effects, BEN.key):
        old_read(message)


def test_a_tricky_name_of_an_older_node_is_shown_to_nobody() -> None:
    table = with_an_older_visitor()
    effects = table.received(BEN.key, Sit("t", 2, "B\u202en"), 0.0, 1)
    assert told(effects, ANN.key) == [] and not any(member.wish for member in table.view().members)


def test_the_others_play_without_the_older_node_which_is_not_sent_what_it_cannot_read() -> None:
    room = two_seated()
    room.table.received(CEM.key, Enter("t"), 0.0, 1)
    room.ready(ANN)
    effects = room.table.received(BEN.key, room.guests[BEN.key].ready(b"b" * 16)[0].message, 0.0)  # type: ignore[union-attr]
    raw = room.table.state.terms
    for who in (ANN, BEN):
        effects += room.table.received(who.key, Agree("t", match_id(raw), who.sign("terms", raw)), 0.0)
    assert any(isinstance(effect, Started) for effect in effects)
    assert any(isinstance(message, Start) for message in told(effects, BEN.key))
    for message in told(effects, CEM.key):
        assert isinstance(old_read(message), OldTable)
    again = room.table.received(CEM.key, Enter("t"), 0.0, 1)
    assert all(isinstance(old_read(message), OldTable) for message in told(again, CEM.key))
    late = identity(9).key
    assert told(room.table.received(late, Enter("t"), 0.0, 1), late) == [Error("enter", YOURSELF)]


def test_a_player_who_comes_back_with_an_older_program_loses_the_seat_and_all_read_why() -> None:
    room = two_seated()
    room.ready(ANN)
    room.table.received(BEN.key, Enter("t"), 0.0, 1)
    view = room.table.view()
    assert view.seats[1] is None and not any(member.is_ready for member in view.members)
    assert view.members[1].wish == "Ben"
    room = two_seated()
    room.tamper = lambda peer, message: Error("x", "y") if isinstance(message, Propose) else message
    room.ready(ANN)
    room.ready(BEN)
    assert room.table.state.phase == "signing"
    room.table.received(BEN.key, Enter("t"), 0.0, 1)
    assert room.table.state.phase == "open" and room.table.state.notice == "Ben came back with an older Kontor"


def test_an_updated_node_that_comes_back_may_sit() -> None:
    table = with_an_older_visitor()
    table.received(BEN.key, Enter("t"), 0.0, 2)
    table.received(BEN.key, Sit("t", 2, "Ben"), 0.0, 2)
    assert table.view().seats[2] == SeatInfo(BEN.key, "Ben", "human")
    assert not any(member.wish for member in table.view().members)


def test_at_the_table_of_an_older_keeper_the_person_is_told_and_the_objection_tells_the_keeper() -> None:
    room = two_seated()
    old_terms = replace(honest_terms(room), version=1)
    old_view = replace(room.table.view(), phase="open", protocol=1)
    guest = Guest("t", BEN, Shelf())
    guest.received(old_view)
    say, refused = guest.ready(old_terms.peers[1].nonce)
    assert say == TellKeeper(Ready("t", old_view.revision, old_terms.peers[1].nonce))
    assert refused == KeeperRefused("ready", older_keeper(1))
    raw = encode_terms(old_terms)
    answer, _ = guest.received(Propose("t", raw))
    assert answer == TellKeeper(Object("t", match_id(raw), older_keeper(1)))
    assert not guest.is_agreed


def test_a_table_that_needs_a_later_protocol_says_that_this_node_has_to_update() -> None:
    guest = Guest("t", BEN, Shelf())
    guest.received(replace(two_seated().table.view(), protocol=3))
    assert guest.why_not_ready() == "this table needs protocol 3, your Kontor speaks 2: update your Kontor"


def test_at_an_older_lobby_a_node_signs_in_with_what_the_lobby_speaks_and_says_that_nobody_can_play_there() -> None:
    lobby = identity(7).key
    first = (((1,), 1), ((1, 2), 2), ((1, 2, 3), 3), ((2, 3, 4), 4))
    for theirs, spoken in (*first, ((3, 4, 5), 5), ((4, 5, 6), 6), ((5, 6, 7), 6)):
        talk = LobbyTalk(BEN, "Ben", 0, lobby)
        (write,) = talk.bytes_received(pack_frame(encode_lobby(Welcome(theirs, lobby, b"c" * 32, ""))))
        assert isinstance(write, WriteTalk)
        ask = decode_to_lobby(write.data[6:])
        assert isinstance(ask, SignIn) and ask.version == talk.version == spoken
        room = LobbyRoom(None, None, lambda _, spoken=spoken: SimpleNamespace(protocol=spoken))  # type: ignore[arg-type, misc]
        assert (room.why_not_play() is None) == (spoken >= 2)
    assert "its operator has to update it" in older_lobby(1)


@ensureDeferred
async def test_over_a_real_link_an_older_node_reads_at_the_table_that_it_has_to_update(tmp_path: Path) -> None:
    host = Here(tmp_path / "host")
    listening = await host.listen(TCP4ServerEndpoint(the_reactor(), 0, interface="127.0.0.1"))
    table = host.tables.host("osaka", {}, 2, "majority", True)
    try:
        async with nodes() as others:
            mesh, heard, _ = await others.start(BEN)
            mesh._links.hello = old_hello()
            await mesh.meet(f"127.0.0.1:{listening.getHost().port}", None)
            await heard.until(lambda: host.key in mesh.linked)
            for message in (Look(), Enter(table), Sit(table, 1, "Ben"), Spectate(b"m" * 32)):
                mesh.send(host.key, message)
            mesh.send(host.key, MatchTalk(b"m" * 32, b"\x91\xa4talk"))
            await heard.until(lambda: sum(isinstance(m, Error) for _, m in heard.received) == 2)
            assert_told(heard, table)
            assert mesh.linked == (host.key,), "talk that nobody takes ends no link"
        shown = [news.view for news in host.news if isinstance(news, TableChanged)]
        assert updates(host, shown[-1]) == [older("Ben", 1)]
        hostile = replace(shown[-1], members=tuple(replace(m, wish="B\u202en") for m in shown[-1].members))
        assert updates(host, hostile) == [older(fingerprint(BEN.key)[:9], 1)]
        assert all(seat is None for view in shown for seat in view.seats)
    finally:
        await host.stop()


def assert_told(heard: Recorder, table: str) -> None:
    """Everything could be read there, and says what to do."""
    read = [old_read(m) for _, m in heard.received if isinstance(m, TableView | Offers | Error)]
    offers = next(m for _, m in heard.received if isinstance(m, Offers))
    assert [view.table for view in offers.tables] == [table]
    assert all(view.notice == YOURSELF for view in read if isinstance(view, OldTable))
    reasons = {m.about: m.reason for _, m in heard.received if isinstance(m, Error)}
    assert reasons["sit"] == YOURSELF
    assert reasons["spectate"] == ("your Kontor is older (protocol 1); watching this match needs protocol 2: update it")


def test_what_was_signed_is_remembered_until_it_begins_or_comes_to_nothing(tmp_path: Path) -> None:
    book = AgreedBook(tmp_path)
    assert book.match_of("t") is None
    book.note("t", b"a" * 32)
    book.note("u", b"b" * 32)
    book.note("t", b"c" * 32)
    again = AgreedBook(tmp_path)
    assert (again.match_of("t"), again.match_of("u")) == (b"c" * 32, b"b" * 32)
    again.forget("t")
    again.forget("never there")
    assert AgreedBook(tmp_path).match_of("t") is None
    for number in range(2 * MAX_TABLES):
        again.note(f"t{number}", b"d" * 32)
    assert len(again._file.read()) == MAX_TABLES and again.match_of(f"t{2 * MAX_TABLES - 1}")
    (tmp_path / "agreed.json").write_text("[nonsense")
    assert again.match_of("t1") is None


def test_a_signature_that_cannot_be_noted_is_not_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    node = Here(tmp_path / "node")
    sent: list[AnyMessage] = []
    node.tables.tell = lambda table, message: sent.append(message)  # type: ignore[method-assign]
    room = two_seated()
    guest = Guest("t", BEN, Shelf())
    node.tables.guests["t"] = (guest, ANN.key)
    guest.received(room.table.view())
    terms = replace(honest_terms(room))
    guest.ready(terms.peers[1].nonce)

    def full(path: Path, data: str, sync: bool = False) -> None:
        raise StoreError(f"{path} cannot be written: No space left on device")

    monkeypatch.setattr("kontor_games.net.system.hex_file.write_private", full)
    node.tables.guest_received("t", Propose("t", encode_terms(terms)))
    (message,) = sent
    assert isinstance(message, Object) and "could not be noted on the disk" in message.reason
    assert str(tmp_path) not in message.reason, "others read it"


def old_terms() -> bytes:
    """Of a match of two that began under protocol 1."""
    return encode_terms(replace(decode_terms(make_terms("joban", 2)), version=1))


def left_behind(home: Path, number: int, raw: bytes, peers: dict[str, list[str]]) -> Node:
    """A node whose last life was of protocol 1, with its match on the disk and ways to its peers."""
    home.mkdir()
    sigs = [world_identity(peer).sign("terms", raw) for peer in range(2)]
    node = Node(the_reactor(), home, world_identity(number), lambda news: None)
    begun = Match.begin(the_reactor(), node.mesh, node.directory, node.identity, raw, sigs)
    begun.stop()
    begun.files.peers.write_text(json.dumps(peers))
    return node


@ensureDeferred
async def test_two_updated_nodes_go_on_with_a_match_that_was_begun_under_version_1(tmp_path: Path) -> None:
    raw = old_terms()
    second = left_behind(tmp_path / "second", 1, raw, {})
    port = (await second.listen(TCP4ServerEndpoint(the_reactor(), 0, interface="127.0.0.1"))).getHost().port
    first = left_behind(tmp_path / "first", 0, raw, {second.key.hex(): [f"127.0.0.1:{port}"]})
    try:
        for node in (first, second):
            node.start()
        found = [node.matches.played[match_id(raw)].session.ledger for node in (first, second)]
        until = the_reactor().seconds() + 60
        while found[0].state is None or found[0].tip != found[1].tip:
            assert the_reactor().seconds() < until
            await pause(0.05)
        assert found[0].state is not None and found[0].tip == found[1].tip, "the cards are sealed and dealt"
        assert all(ledger.terms.version == 1 and ledger.terms_raw == raw for ledger in found)
        assert first.mesh.protocol_of(second.key) == 2
    finally:
        for node in (first, second):
            await node.stop()


@ensureDeferred
async def test_a_match_waits_for_a_peer_whose_node_is_older_and_the_grid_says_why(tmp_path: Path) -> None:
    raw = old_terms()
    node = left_behind(tmp_path / "node", 0, raw, {})
    port = (await node.listen(TCP4ServerEndpoint(the_reactor(), 0, interface="127.0.0.1"))).getHost().port
    node.start()
    try:
        async with nodes() as others:
            mesh, heard, _ = await others.start(world_identity(1))
            mesh._links.hello = old_hello()
            await mesh.meet(f"127.0.0.1:{port}", None)
            await heard.until(lambda: node.key in mesh.linked)
            mesh.send(node.key, MatchTalk(match_id(raw), canonical(Where(0, match_id(raw), bytes(32), (0,)))))
            await pause(0.3)
            assert not any(isinstance(message, MatchTalk) for _, message in heard.received)
            ledger = node.matches.played[match_id(raw)].session.ledger
            (row,) = match_rows(node, ledger, {1})
            assert row["state"] == "missing" and row["advice"] == [older("Player 1", 1, "this match")]
            assert mesh.linked == (node.key,)
    finally:
        await node.stop()
