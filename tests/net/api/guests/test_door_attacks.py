"""The guest door under attack: one test for each thing that somebody on the Wi-Fi, or a guest, could try."""

from __future__ import annotations

import json
import socket
import time
from contextlib import suppress
from urllib.parse import urlsplit

import pytest

from kontor_games.clients.node.node_link import Refused
from kontor_games.net.api.guests.guest_door import MAX_OF_ADDRESS
from tests.net.api.kit import NodeProcess

from .door_host import Host
from .door_phone import Closed, DoorPhone, RawSocket, page
from .phone import CODE


def test_a_yes_counts_only_for_the_seat_that_the_question_named(host: Host) -> None:
    clara = host.seat(1, "Clara")
    eve = DoorPhone.by_code(host.url, host.party["code"], "Eve")
    eve.post("wish", {"seat": 2})
    (guest,) = [each for each in host.party["guests"] if each["name"] == "Eve"]
    assert guest["seat"] == 2, "that is what the host reads"
    eve.post("wish", {"seat": 1})  # and this comes before the finger is on the button
    for seat in (2, None):
        with pytest.raises(Refused, match="look again"):
            host.link.post("party/accept", {"guest": guest["id"], "seat": seat})
    assert eve.ask("GET", f"matches/{host.match}")[0] == 403
    assert clara.get(f"matches/{host.match}")["seat"] == 1
    eve.post("wish", {"watch": True})
    with pytest.raises(Refused, match="look again"):
        host.link.post("party/accept", {"guest": guest["id"], "seat": 1})
    host.link.post("party/accept", {"guest": guest["id"]})
    eve.until(lambda told: told.get("you", {}).get("accepted"))
    assert eve.get(f"matches/{host.match}")["seat"] is None


def test_a_message_without_end_is_counted_whatever_comes_between_its_parts(host: Host) -> None:
    phone = host.seat(1, "Bruno")
    wire, sent = phone.socket, 0
    wire.send(b"x" * 1000, last=False)
    with pytest.raises((Closed, OSError)):
        while sent < 200_000:
            wire.send(b"", opcode=10)  # a pong, as if it had been asked for
            wire.send(b"x" * 1000, opcode=0, last=False)
            sent += 1000
            wire.wire.settimeout(0.02)
            with suppress(TimeoutError):
                wire.receive()
    assert sent < 60_000
    back = phone.again()
    for _ in range(3):
        back.socket.send(b"", opcode=10)  # a pong by itself does no harm
    assert back.get("hello")["version"] == 1


def test_frames_that_are_none_end_a_connection_and_fill_no_log(host: Host) -> None:
    for nonsense in (b"\xff\xff\xff\xff", b"\x00\x80abcd", b"\x8a\xff" + bytes(12), b"\xf2\x80abcd"):
        wire = RawSocket(host.url)
        wire.wire.sendall(nonsense)
        with pytest.raises((Closed, OSError)):
            wire.receive()
    assert "Traceback" not in (host.node.home / "node.log").read_text()


def test_sockets_of_strangers_shut_nobody_out(host: Host) -> None:
    known = host.seat(1, "Bruno")
    parts = urlsplit(host.url)
    wires = []
    key = "dGhlIHNhbXBsZSBub25jZQ=="
    head = (
        f"GET /ws HTTP/1.1\r\nHost: {parts.netloc}\r\nOrigin: http://{parts.netloc}\r\nUpgrade: websocket\r\n"
        f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
    ).encode()
    for machine in range(2, 12):  # neighbours in the same network
        for _ in range(18):
            wire = socket.create_connection(
                (str(parts.hostname), parts.port), timeout=5, source_address=(f"127.0.0.{machine}", 0)
            )
            wires.append(wire)
            with suppress(OSError):
                wire.sendall(head)
    began = time.monotonic()
    late = DoorPhone.by_link(host.invited("seat", 2), "Clara")
    assert late.you["name"] == "Clara" and known.get("hello")["version"] == 1
    assert page(host.url, "/")[0] == 200 and time.monotonic() - began < 5
    for wire in wires:
        wire.close()


def test_a_flood_of_connections_costs_only_the_address_that_it_comes_from(host: Host) -> None:
    answers = []
    for _ in range(40):
        wire = RawSocket(host.url, machine="127.0.0.3")
        answers.append(wire.status)
        wire.close()
    assert answers[0] == 101 and 429 in answers
    assert RawSocket(host.url, machine="127.0.0.4").status == 101


def test_an_address_holds_a_share_of_the_places_and_no_more(host: Host) -> None:
    parts = urlsplit(host.url)
    where = (str(parts.hostname), parts.port)
    wires = [socket.create_connection(where, timeout=20, source_address=("127.0.0.5", 0)) for _ in range(50)]
    ask = f"GET /icon.svg HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode()
    answered = 0
    for wire in wires:
        with suppress(ConnectionError):
            wire.sendall(ask)
            answered += wire.recv(64).startswith(b"HTTP/1.1 200")
    assert 1 <= answered <= MAX_OF_ADDRESS
    assert page(host.url, "/")[0] == 200
    for wire in wires:
        wire.close()


def test_pages_that_nobody_reads_do_not_fill_the_memory(host: Host) -> None:
    parts = urlsplit(host.url)
    wire = socket.socket()
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    wire.settimeout(20)
    wire.connect((str(parts.hostname), parts.port))
    ask = f"GET /words/en.json HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode()
    size = len(page(host.url, "/words/en.json")[2])
    wire.sendall(ask * 400)
    host.link.get("hello")  # the node has read them by now, or will at once
    time.sleep(0.5)
    read = 0
    with suppress(ConnectionError):
        while piece := wire.recv(65536):
            read += len(piece)
    wire.close()
    assert read < 400 * size / 4, (read, size)
    assert page(host.url, "/")[0] == 200


def test_a_guest_who_changes_its_mind_all_the_time_is_refused(host: Host) -> None:
    phone = DoorPhone.by_code(host.url, host.party["code"], "Eve")
    answers = [phone.ask("POST", "wish", {"seat": number % 3}) for number in range(14)]
    refused = [data for status, data in answers if status != 200]
    assert refused and all("too often" in data["message"] for data in refused)
    assert answers[0][0] == 200


def test_wrong_codes_shut_out_whoever_typed_them_and_leave_the_code_alone(host: Host) -> None:
    code = host.party["code"]
    for number in range(8):
        eve = DoorPhone(host.url, CODE, machine="127.0.0.2", name="Eve", code=code if number > 5 else "WRONG1")
        assert ("new code" in eve.hear()["refused"]) == (number > 2), "the right one is not compared any more"
        with pytest.raises(Closed) as closed:
            eve.hear()
        assert closed.value.code == 4403
    assert (host.party["code"], host.party["shut_out"], host.party["guests"]) == (code, ["127.0.0.2"], [])
    assert DoorPhone.by_code(host.url, code, "Bruno").you["name"] == "Bruno", "the host has read it out once"
    host.link.post("party/renew", {})
    assert host.party["shut_out"] == []
    back = DoorPhone(host.url, CODE, machine="127.0.0.2", name="Clara", code=host.party["code"]).welcomed()
    assert back.you["name"] == "Clara"


def test_a_phone_that_was_taken_out_stays_out_over_a_restart(own_node: NodeProcess) -> None:
    host = Host(own_node).local()
    gone, stays = host.seat(1, "Eve"), host.seat(2, "Clara")
    host.link.post("party/remove", {"guest": host.guest(gone)})
    written = json.loads((own_node.home / "party.json").read_text())
    assert [guest["name"] for guest in written["book"]["guests"]] == ["Clara"]
    own_node.kill()
    own_node.start()
    with pytest.raises(Closed) as closed:
        gone.again()
    assert closed.value.code == 4404
    assert stays.again().you["accepted"]


def test_a_phone_that_is_taken_out_before_its_match_is_there_stays_out(own_node: NodeProcess) -> None:
    host = Host(own_node).local()
    gone, _ = host.seat(1, "Eve"), host.seat(2, "Clara")
    own_node.kill()
    file = own_node.home / "party.json"
    written = json.loads(file.read_text())
    file.write_text(json.dumps({**written, "match": "0" * len(written["match"])}))  # one that is still being taken up
    own_node.start()
    own_node.link().post("party/remove", {"guest": host.guest(gone)})
    assert [guest["name"] for guest in json.loads(file.read_text())["book"]["guests"]] == ["Clara"]


def test_the_door_listens_after_a_restart_where_the_owner_said(own_node: NodeProcess) -> None:
    host = Host(own_node).local()
    host.close()
    host.link.post("party", {"match": host.match, "port": 0, "address": "127.0.0.1"})
    assert json.loads((own_node.home / "party.json").read_text())["address"] == "127.0.0.1"
    own_node.kill()
    written = json.loads((own_node.home / "party.json").read_text())
    (own_node.home / "party.json").write_text(json.dumps({**written, "address": "192.0.2.7"}))
    own_node.start()
    assert own_node.link().get("party") == {"open": False}, "an address that is gone is not replaced by all the others"
