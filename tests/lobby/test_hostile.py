"""What nobody had tried: hostile words, logs, metrics, TLS, lies about terms, churn. Each must hold."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from msgspec.structs import replace
from OpenSSL import SSL
from pytest_twisted import ensureDeferred
from twisted.internet.threads import deferToThread
from twisted.logger import LogLevel
from twisted.python.failure import Failure

from kontor_games.engine.errors import RemoteError
from kontor_games.lobby.settings.log import line_of
from kontor_games.net.links.tls import make_certificate
from kontor_games.net.lobbies.lobby_link import LobbyRefused
from kontor_games.net.table.guest import Guest, TellKeeper
from kontor_games.net.wire.chain import match_id
from kontor_games.net.wire.identity import Identity
from kontor_games.net.wire.lobby_messages import (
    Describe,
    ListTables,
    MakeTable,
    Recall,
    Say,
)
from kontor_games.net.wire.messages import (
    Agree,
    Configure,
    Enter,
    Object,
    Propose,
    Ready,
    Rename,
    Sit,
    Start,
    TableView,
)
from kontor_games.net.wire.terms import decode_terms, encode_terms
from kontor_games.net.wire.way_messages import (
    AskRelay,
    Signal,
)
from tests.worlds.lobby_hall import ROOMY, Node, party, pause

from .bench import Lobby
from .child import LobbyProcess

STEERING = ["\x1b[2J", "\x9b31m", "a\nb", "a\rb", "\u202eevil", "a\u2028b", "\x00", "\x07", "a\u200bb", "\ue000"]


# Words.


@pytest.mark.parametrize("text", STEERING, ids=ascii)
@ensureDeferred
async def test_no_word_of_a_stranger_steers_a_terminal(text: str) -> None:
    async with party() as it:
        anna = await it.node("Anna")
        table = (await anna.ask(MakeTable("osaka", {}, 2))).table
        for ask in (
            Sit(table, 0, text),
            MakeTable("osaka", {}, 2, note=text),
            Describe(table, text, "public"),
            Say("hall", text),
            Say(table, text),
        ):
            with pytest.raises(LobbyRefused):
                await anna.ask(ask)
        await anna.ask(Sit(table, 0, "Anna"))
        with pytest.raises(LobbyRefused):
            await anna.ask(Rename(table, 0, text))
        node = Node(text)
        it.nodes.append(node)
        with pytest.raises(RemoteError):
            await node.come(it.port, it.lobby.key)


@pytest.mark.parametrize("text", [*STEERING, "\u0085", '"}\n{"event": "operator"'], ids=ascii)
def test_a_log_line_is_one_line_of_ascii_whatever_is_in_it(text: str) -> None:
    try:
        raise RemoteError(f"malformed: {text}")
    except RemoteError:
        failure = Failure()
    event = {
        "log_namespace": "kontor.lobby",
        "log_level": LogLevel.error,
        "log_time": 0.0,
        "log_format": f"a defect {text}",
        "reason": text,
        "log_failure": failure,
    }
    line = line_of(event) or ""
    assert line.isascii() and line.isprintable()
    assert json.loads(line)["reason"] == text


# What strangers can read.


def test_metrics_name_no_person_key_or_address(tmp_path: Path) -> None:
    """Whoever reads them, by mistake of an operator or by a page in a browser, learns numbers."""
    lobby = LobbyProcess(tmp_path / "data")
    try:
        told = _meet(lobby)
        with urlopen(f"http://127.0.0.1:{lobby._metrics}/metrics", timeout=30) as answer:
            text = answer.read().decode()
            assert "access-control-allow-origin" not in {name.lower() for name, _ in answer.getheaders()}
        assert "kontor_lobby_people" in text
        for secret in told:
            assert secret not in text
        log = lobby.data.with_suffix(".log").read_text()
        assert "signed in" in log
        assert "Annika" not in log and "127.3.2.1" not in log and told[1] not in log
    finally:
        lobby.stop()


def _meet(lobby: LobbyProcess) -> list[str]:
    """Somebody comes, does this and that, and is refused something; what must stay secret of it."""
    from .attackers import BadNode

    node = BadNode(lobby.port, lobby.key, "127.3.2.1", "Annika")
    node.ask(MakeTable("osaka", {}, 2, note="secret note"))
    node.ask(Say("hall", "\x1b[2J"))
    node.ask(Say("hall", "secret line"))
    table = node.tables[0]
    node.close()
    return ["Annika", node.identity.key.hex(), "127.3.2.1", "secret note", "secret line", table]


# TLS.


def _handshake(port: int, context: SSL.Context) -> str:
    """What comes of a handshake with this context: the version, or the error."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as wire:
        wire.setblocking(True)
        tls = SSL.Connection(context, wire)
        tls.set_connect_state()
        try:
            tls.do_handshake()
            tls.recv(1)  # in TLS 1.3 a client learns only now that its certificate was refused
        except SSL.Error as error:
            return f"refused {error}"
        return str(tls.get_protocol_version_name())


def _context(version: int, identity: Identity | None) -> SSL.Context:
    """A client that speaks TLS up to this version, and shows this key."""
    made = SSL.Context(SSL.TLS_METHOD)
    made.set_max_proto_version(version)
    if identity is not None:
        made.use_certificate(make_certificate(identity))
        made.use_privatekey(identity.private)
    return made


@ensureDeferred
async def test_a_lobby_speaks_tls_1_3_with_nodes_that_show_an_ed25519_key_and_nothing_less() -> None:
    async with party() as it:
        good = await deferToThread(_handshake, it.port, _context(SSL.TLS1_3_VERSION, Identity.generate()))
        assert good == "TLSv1.3"
        for version, identity in (
            (SSL.TLS1_2_VERSION, Identity.generate()),
            (SSL.TLS1_1_VERSION, Identity.generate()),
            (SSL.TLS1_3_VERSION, None),
        ):
            found = await deferToThread(_handshake, it.port, _context(version, identity))
            assert found.startswith("refused"), found
        await pause(0.05)
        assert it.lobby.reception.here == {} and not it.lobby.reception.residents


# Lies about terms.


def seated(lobby: Lobby) -> tuple[list[Any], str]:
    people = [lobby.arrive(name, address=f"192.0.2.{number}") for number, name in enumerate(("Anna", "Ben"))]
    table = lobby.do(people[0], MakeTable("osaka", {}, 2)).table
    lobby.do(people[1], Enter(table))
    for seat, who in enumerate(people):
        lobby.do(who, Sit(table, seat, who.name))
    return people, table


LIES = ["a signature of other terms", "another's signature", "terms that are not on the table", "other options"]


@pytest.mark.parametrize("lie", LIES)
def test_a_member_who_lies_about_the_terms_starts_no_match_and_is_named(lie: str) -> None:
    lobby = Lobby()
    (anna, ben), table = seated(lobby)
    view = lobby.told(anna, TableView)[-1]
    for number, who in enumerate((anna, ben)):
        lobby.do(who, Ready(table, view.revision, bytes([number + 1]) * 16))
    (proposal,) = lobby.told(ben, Propose)
    match = match_id(proposal.raw)
    signs = {who: lobby.identities[who.key].sign for who in (anna, ben)}
    lobby.do(anna, Agree(table, match, signs[anna]("terms", proposal.raw)))
    ask = {
        LIES[0]: Agree(table, match, signs[ben]("terms", proposal.raw + b"x")),
        LIES[1]: Agree(table, match, signs[anna]("terms", proposal.raw)),
        LIES[2]: Agree(table, b"m" * 32, signs[ben]("terms", proposal.raw)),
        LIES[3]: Configure(table, {"length": 2}, 2, "none", False),
    }[lie]
    if lie in LIES[:2]:
        lobby.do(ben, ask)
        shown = lobby.told(anna, TableView)[-1]
        assert shown.phase == "open" and "Ben" in shown.notice and not shown.members[0].is_ready
    else:
        assert lobby.refusal(ben, ask).reason
    assert not lobby.told(anna, Start)


@pytest.mark.parametrize("what", ["recovery", "spectators", "options", "seats", "peers", "deck"])
def test_a_node_does_not_sign_terms_that_differ_from_the_table_its_person_saw(what: str) -> None:
    """The lobby itself is the liar here: it shows one table and proposes another."""
    lobby = Lobby()
    (anna, ben), table = seated(lobby)
    guest = Guest(table, lobby.identities[anna.key], lobby.games)
    for event in lobby.told(anna):
        guest.received(event)
    (ready,) = guest.ready(b"\x01" * 16)
    assert isinstance(ready, TellKeeper)
    lobby.do(anna, ready.message)
    lobby.do(ben, Ready(table, ready.message.revision, b"\x02" * 16))
    (proposal,) = lobby.told(anna, Propose)
    terms = decode_terms(proposal.raw)
    lies: dict[str, Any] = {
        "recovery": "none",
        "spectators": not terms.spectators,
        "options": {**terms.options, "length": 2},
        "seats": terms.seats[::-1],
        "peers": (terms.peers[0], replace(terms.peers[1], key=b"k" * 32)),
        "deck": "open/1",
    }
    forged = Propose(table, encode_terms(replace(terms, **{what: lies[what]})))
    says = [effect.message for effect in guest.received(forged) if isinstance(effect, TellKeeper)]
    assert [type(message) for message in says] == [Object]
    later = [effect.message for effect in guest.received(proposal) if isinstance(effect, TellKeeper)]
    assert not any(isinstance(message, Agree) for message in later), "its person has to agree again"


# Churn.


@ensureDeferred
async def test_after_much_coming_and_going_nothing_is_left_of_those_who_went() -> None:
    """Ten minutes of churn, scaled down: every book that the process keeps in memory is empty in the end."""
    async with party(limits=replace(ROOMY, max_unsigned=64, max_connections=64)) as it:
        host = await it.node("Host")
        table = (await host.ask(MakeTable("osaka", {}, 2, spectators=True))).table
        for number in range(120):
            node = Node(f"Guest {number}")
            await node.come(it.port, it.lobby.key, f"127.{1 + number % 7}.{number % 11}.9")
            if number % 3 == 0:
                await node.ask(Enter(table))  # sixteen are too many: whoever is gone makes room
                await node.ask(AskRelay(table, host.identity.key))
                await node.ask(Signal(table, host.identity.key, b"x"))
            elif number % 3 == 1:
                await node.ask(ListTables())
            assert node.link is not None
            if number % 2:
                node.link.abort()
            else:
                node.link.close()
            await node.is_cut()
        await host.ask(Recall("hall"))
        await pause(0.1)
        lobby = it.lobby
        assert set(lobby.reception.here) == {host.identity.key} and len(lobby.connections) == 1
        assert len(lobby.reception.residents) == 1 and len(lobby.door.strangers) == 0 and lobby.door.open == 1
        assert not lobby.door.callers and not lobby.door._waiting
        lobby.relay.sweep(lobby.reactor.seconds() + 60)
        relay = lobby.relay
        assert not (relay._tokens or relay._pairs or relay._asked or relay._per_key or relay._left or relay._carried)
        assert len(relay._passes) == 0 and len(relay._joined) == 0 and not relay.shares.is_waiting


# IPv6.


@ensureDeferred
async def test_a_pair_meets_in_the_relay_over_ipv6(tmp_path: Path) -> None:
    lobby = LobbyProcess(tmp_path / "data", 0, host="[::]")
    nodes = [Node("Anna"), Node("Ben")]
    try:
        for node in nodes:
            await node.come(lobby.port, lobby.key, source="::1", host="::1")
        table = (await nodes[0].ask(MakeTable("osaka", {}, 2))).table
        await nodes[1].ask(Enter(table))
        mine = await nodes[0].ask(AskRelay(table, nodes[1].identity.key))
        theirs = await nodes[1].hears(type(mine))
        assert await deferToThread(_through_relay, lobby.port, mine.token, theirs.token) == b"over six"
    finally:
        for node in nodes:
            await node.leave()
        lobby.stop()


def _through_relay(port: int, one: bytes, other: bytes) -> bytes:
    ends = [socket.create_connection(("::1", port), timeout=20) for _ in range(2)]
    try:
        for end, token in zip(ends, (one, other), strict=True):
            end.sendall(b"KRL1" + token)
        assert [end.recv(1) for end in ends] == [b"\x06", b"\x06"]
        ends[0].sendall(b"over six")
        return ends[1].recv(100)
    finally:
        for end in ends:
            end.close()
