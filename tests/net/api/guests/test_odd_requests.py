"""Requests and frames at the guest door that no browser sends: refused or cut; only the table of pages is served."""

from __future__ import annotations

import base64
import os
import socket
import struct
from urllib.parse import urlsplit

import pytest

from .door_host import Host
from .door_phone import Closed, RawSocket

OWN = "Host: {host}\r\n"
UPGRADE = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
SERVED = (b"100", b"101", b"200", b"206", b"304")
MASK = bytes(4)


def said(host: Host, text: str) -> bytes:
    """The status of the answer to these very bytes; empty if the door hangs up."""
    parts = urlsplit(host.url)
    key = base64.b64encode(os.urandom(16)).decode()
    raw = text.replace("{host}", parts.netloc).replace("{key}", key).replace("{port}", str(parts.port))
    with socket.create_connection((parts.hostname, parts.port), timeout=30) as wire:
        wire.sendall(raw.encode("latin-1"))
        answer = b""
        while b"\r\n" not in answer:
            try:
                data = wire.recv(4096)
            except ConnectionError:
                data = b""
            if not data:
                return b""
            answer += data
    return answer.split(b" ")[1]


@pytest.mark.parametrize(
    "text",
    [
        "GET / HTTP/1.1\r\n" + OWN + "Host: evil\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "GET http://evil/ HTTP/1.1\r\n" + OWN + "\r\n",
        "GET / HTTP/1.1\r\nHost: anna@{host}\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n",
        "POST / HTTP/1.1\r\n" + OWN + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /",
        "GET / HTTP/1.1\r\n" + OWN + "Content-Length: -1\r\n\r\n",
        "GET / HTTP/1.1\r\n" + OWN + "Content-Length: 0\r\nContent-Length: 5\r\n\r\n",
        "GET / HTTP/1.1\r\n" + OWN + "X: a\0b\r\n\r\n",
        "GET / HTTP/1.1\r\n" + OWN + "no header\r\n\r\n",
        "GET / HTTP/1.1\r\n" + OWN + "X: 1\r\n" * 500 + "\r\n",
        "GET /" + "a" * 70_000 + " HTTP/1.1\r\n" + OWN + "\r\n",
        "OPTIONS * HTTP/1.1\r\n" + OWN + "\r\n",
        "CONNECT 127.0.0.1:22 HTTP/1.1\r\n" + OWN + "\r\n",
        "TRACE / HTTP/1.1\r\n" + OWN + "\r\n",
        "POST /api/1/replays HTTP/1.1\r\n" + OWN + "Content-Length: 99999999\r\n\r\n",
        "GET /bundle/../party.json HTTP/1.1\r\n" + OWN + "\r\n",
        "GET /bundle/%2e%2e/party.json HTTP/1.1\r\n" + OWN + "\r\n",
        "POST /ws HTTP/1.1\r\n" + OWN + "Origin: http://{host}\r\n" + UPGRADE + "\r\n",
        "GET /ws HTTP/1.1\r\n" + OWN + "Origin: http://{host}\r\nOrigin: http://evil\r\n" + UPGRADE + "\r\n",
        "GET /ws HTTP/1.1\r\n" + OWN + "Origin: http://{host}\r\n" + UPGRADE.replace("13", "8") + "\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + "a" * 500,
    ],
)  # fmt: skip
def test_requests_that_no_browser_sends_are_not_served(host: Host, text: str) -> None:
    assert said(host, text) not in SERVED
    assert said(host, "GET / HTTP/1.1\r\n" + OWN + "\r\n") == b"200", "a browser is"


@pytest.mark.parametrize(
    "frame",
    [
        b"\x82\x05hello",  # not masked
        b"\xc2\x85" + MASK + b"hello",  # an extension that was not agreed on
        b"\x82\xff" + struct.pack("!Q", 2**63) + MASK,
        b"\x82\xfe\x00\x05" + MASK + b"hello",  # a length that is longer than it need be
        b"\x09\x80" + MASK,  # a ping in parts
        b"\x89\xfe\x00\x7e" + MASK + b"a" * 126,
        b"\x80\x85" + MASK + b"hello",  # goes on with nothing
        b"\x81\x85" + MASK + b"hello",  # text
        b"\x83\x85" + MASK + b"hello",
        b"\x88\x82" + MASK + b"\x00\x01",
    ],
)
def test_frames_that_no_browser_sends_end_their_connection_alone(host: Host, frame: bytes) -> None:
    bystander = host.seat(1, "Bruno")
    raw = RawSocket(host.url)
    raw.wire.sendall(frame)
    with pytest.raises(Closed):
        raw.receive()
    assert bystander.get(f"matches/{host.match}")["seat"] == 1


@pytest.mark.parametrize(
    "asked", ["seat=1&seat=0", "seat=%30", "seat=+0", "seat=-1", "seat=1e0", "seat=\u0660", "seat="]
)
def test_another_seat_is_refused_however_its_number_is_written(host: Host, asked: str) -> None:
    phone = host.seat(1, "Bruno")
    for path in ("", "/log", "/staged"):
        assert phone.ask("GET", f"matches/{host.match}{path}?from=0&{asked}")[0] in (400, 403), path
    for seat in (True, 1.0, "1", [0]):
        assert phone.ask("POST", f"matches/{host.match}/draft", {"seat": seat, "text": "take"})[0] == 400
