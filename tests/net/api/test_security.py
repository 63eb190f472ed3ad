"""The door of the API: who is refused, what a refusal shows, and that the node stands afterwards."""

from __future__ import annotations

import json
import os
import socket
import stat
import time
from collections.abc import Iterator

import pytest

from kontor_games.clients.node.node_link import NodeLink, Refused
from kontor_games.net.api.http.api_http import STRANGER_SECONDS
from kontor_games.net.api.http.event_stream import SEAT_STREAMS

from .kit import Listener, NodeProcess, new_match, state_where

WRITE = b'{"game":"osaka","seats":[{"kind":"me"},{"kind":"me"}]}'


@pytest.fixture(autouse=True)
def unharmed(node: NodeProcess) -> Iterator[None]:
    yield
    assert node.raw("GET", "/api/1/hello", node.as_owner())[0] == 200, "the node must answer after every attack"


def enter(node: NodeProcess) -> str:
    """A cookie, as a browser gets it."""
    url = node.link().post("links")["url"]
    status, headers, _ = node.raw("GET", "/" + url.split("/", 3)[3])
    assert status == 303 and headers["location"] == "/"
    return headers["set-cookie"]


def test_without_the_token_nothing_is_answered(node: NodeProcess) -> None:
    for headers in (
        {},
        {"Authorization": "Bearer "},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Basic {node.token}"},
        {"Authorization": f"Bearer {node.token[:-1]}"},
        {"Authorization": f"Bearer {node.token}x"},
        {"Cookie": f"kontor-{node.port}={node.token}"},
        {"Cookie": f"kontor={node.token}"},
    ):
        for method, path in (("GET", "hello"), ("GET", "matches"), ("POST", "matches"), ("GET", "events")):
            status, _, body = node.raw(method, f"/api/1/{path}", headers, WRITE if method == "POST" else None)
            assert status in (401, 429), (headers, path, status)
            assert node.token.encode() not in body


def test_a_flood_of_wrong_tokens_does_not_lock_the_owner_out(node: NodeProcess) -> None:
    found = {node.raw("GET", "/api/1/hello", {"Authorization": "Bearer wrong"})[0] for _ in range(80)}
    assert found == {401, 429} or found == {429}
    assert node.raw("GET", "/api/1/hello", node.as_owner())[0] == 200


def test_a_flood_of_requests_is_slowed_down(node: NodeProcess) -> None:
    cookie = enter(node).split(";")[0]  # a browser's allowance is not the owner token's
    request = f"GET /api/1/hello HTTP/1.1\r\nHost: 127.0.0.1:{node.port}\r\nCookie: {cookie}\r\n\r\n".encode()
    data = b""
    with socket.create_connection(("127.0.0.1", node.port), timeout=30) as wire:
        for _ in range(9):
            wire.sendall(request * 100)
            answered = data.count(b"HTTP/1.1 ") + 100
            while data.count(b"HTTP/1.1 ") < answered:
                data += wire.recv(1 << 16)
    assert data.count(b"HTTP/1.1 200") >= 300
    assert data.count(b"HTTP/1.1 429") > 100


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "localhost", "127.0.0.1:1", "localhost.evil:80", "", "[::1]"]
)
def test_a_foreign_host_name_is_refused(node: NodeProcess, host: str) -> None:
    for path in ("/", "/api/1/hello", "/enter/x"):
        assert node.raw("GET", path, node.as_owner(Host=host))[0] in (400, 421)


def test_localhost_by_name_is_one_of_us(node: NodeProcess) -> None:
    assert node.raw("GET", "/api/1/hello", node.as_owner(Host=f"localhost:{node.port}"))[0] == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1"])
def test_a_foreign_origin_is_refused_even_with_the_token(node: NodeProcess, origin: str) -> None:
    headers = node.as_owner(Origin=origin.format(port=node.port))
    assert node.raw("GET", "/api/1/hello", headers)[0] == 403
    assert node.raw("POST", "/api/1/matches", headers, WRITE)[0] == 403
    upgrade = {
        **headers,
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
    }
    assert node.raw("GET", "/api/1/events", upgrade)[0] == 403


def test_pages_of_other_ports_are_told_apart_by_the_browser(node: NodeProcess) -> None:
    for site in ("cross-site", "same-site"):
        assert node.raw("GET", "/api/1/hello", node.as_owner(**{"Sec-Fetch-Site": site}))[0] == 403
    assert node.raw("GET", "/api/1/hello", node.as_owner(**{"Sec-Fetch-Site": "same-origin"}))[0] == 200


def test_a_one_time_link_works_once_and_gives_a_strict_cookie(node: NodeProcess) -> None:
    url = node.link().post("links")["url"]
    assert url.startswith(f"http://127.0.0.1:{node.port}/enter/")
    path = "/" + url.split("/", 3)[3]
    assert node.raw("HEAD", path)[0] == 401  # a preview must not use it up
    status, headers, _ = node.raw("GET", path)
    assert status == 303
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and "Path=/" in cookie
    assert node.raw("GET", path)[0] in (401, 429)
    mine = {"Cookie": cookie.split(";")[0]}
    assert node.raw("GET", "/api/1/hello", mine)[0] == 200
    assert node.raw("POST", "/api/1/links", mine)[0] == 403  # a change needs the header that no form can send
    assert node.raw("POST", "/api/1/links", {**mine, "X-Kontor": "1"})[0] == 200
    assert cookie.split("=", 1)[1].split(";")[0] not in (node.home / "node.cookies").read_text()


def test_a_websocket_with_a_cookie_names_our_origin(node: NodeProcess) -> None:
    mine = {
        "Cookie": enter(node).split(";")[0],
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
    }
    assert node.raw("GET", "/api/1/events", mine)[0] == 403
    with socket.create_connection(("127.0.0.1", node.port), timeout=30) as wire:
        head = {"Host": f"127.0.0.1:{node.port}", "Origin": f"http://127.0.0.1:{node.port}", **mine}
        text = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        wire.sendall(f"GET /api/1/events HTTP/1.1\r\n{text}\r\n".encode())
        assert b" 101 " in wire.recv(4096)


def test_the_token_of_a_seat_opens_nothing_else(own_node: NodeProcess) -> None:
    """The bots' own tokens: found in the order that the node sends to their process."""
    orders = own_node.home / "orders"
    own_node.end()
    script = own_node.home / "bot.py"
    script.write_text(f"import sys\nopen({str(orders)!r}, 'a').write(sys.stdin.readline())\nsys.stdin.read()\n")
    own_node.start(bots=str(script))
    link = own_node.link()
    match = new_match(link, "osaka", [{"kind": "me", "name": "Anna"}, {"kind": "greedy", "name": "Carl"}])
    other = new_match(link, "osaka", [{"kind": "me", "name": "Anna"}, {"kind": "greedy", "name": "Carl"}])
    state_where(link, match, lambda _: orders.exists() and orders.read_text().endswith("\n"))
    order = json.loads(orders.read_text().splitlines()[0])
    assert order["match"] == match and order["seat"] == 1
    seat = NodeLink(own_node.port, order["token"])
    assert seat.get("hello")["scope"] == {"kind": "seat", "match": match, "seat": 1}
    assert seat.get(f"matches/{match}")["seat"] == 1
    assert seat.get(f"matches/{match}/position")["seat"] == 1
    for method, path, body in (
        ("GET", "matches", None),
        ("GET", f"matches/{other}", None),
        ("GET", f"matches/{match}?seat=0", None),
        ("GET", f"matches/{match}/file", None),
        ("GET", f"matches/{other}/position", None),
        ("POST", f"matches/{match}/draft", {"seat": 0, "text": "take r5@2"}),
        ("POST", f"matches/{match}/play", {"seat": 0, "texts": ["take r5@2"]}),
        *(("POST", f"matches/{match}/{what}", {"seat": 0}) for what in ("undo", "redo", "discard", "commit")),
        ("POST", f"matches/{match}/explain", {"seat": 0, "text": "take r5@2"}),
        ("GET", f"matches/{other}/log", None),
        ("POST", f"matches/{other}/play", {"seat": 1, "texts": ["take r5@2"]}),
        ("POST", f"matches/{match}/chat", {"text": "Hi"}),
        ("POST", f"matches/{match}/vote", {"peers": []}),
        ("POST", "replays", None),
        ("GET", "doctor", None),
        ("POST", "join", {"address": "127.0.0.1:1"}),
        ("POST", f"matches/{match}/bye", None),
        ("POST", f"matches/{match}/hint", None),
        ("POST", "replays/000000000000000000000000/analysis", None),
        ("GET", "replays/000000000000000000000000/analysis", None),
        ("POST", "links", None),
        ("GET", "settings", None),
        ("GET", "tables", None),
        ("GET", "replays", None),
    ):
        with pytest.raises(Refused) as refusal:
            seat.get(path) if method == "GET" else seat.post(path, body)
        assert refusal.value.status == 403, path
    assert seat.get(f"matches/{match}?seat=none")["seat"] == 1, "nor may it look on as a spectator"
    ear = Listener(seat, 0)
    ear.wait_for(lambda e: e["kind"] == "reset")
    seats_own = [NodeLink(own_node.port, order["token"]) for _ in range(SEAT_STREAMS)]
    with pytest.raises(Refused) as refusal:
        for more in seats_own:
            Listener(more)
    assert refusal.value.status == 429
    assert Listener(own_node.link()), "the owner's streams are counted apart"
    for more in seats_own:
        more.close()
    new_match(link, "osaka", [{"kind": "me", "name": "Anna"}, {"kind": "me", "name": "Carl"}])
    state = link.get(f"matches/{match}")
    if state["your_turn"]:
        link.post(f"matches/{match}/draft", {"text": state["menu"][0]["text"]})
    link.post(f"matches/{match}/bye")
    ear.wait_for(lambda e: e["kind"] == "match")
    assert {event.get("id", match) for event in ear.seen} == {match}
    assert not any(event.get("draft") for event in ear.seen)
    seat.close()


def test_long_bodies_and_headers_are_refused_before_they_are_read(node: NodeProcess) -> None:
    big = b"x" * (64 * 1024 + 1)
    assert node.raw("POST", "/api/1/matches", node.as_owner(), big)[0] == 413
    claimed = {**node.as_owner(), "Content-Length": str(10**12)}
    assert node.raw("POST", "/api/1/matches", claimed)[0] == 413
    assert node.raw("POST", "/api/1/replays", {"Content-Length": str(1 << 20)})[0] == 413  # without a token
    assert node.raw("POST", "/api/1/replays", {**node.as_owner(), "Content-Length": str(65 << 20)})[0] == 413
    chunked = {**node.as_owner(), "Transfer-Encoding": "chunked"}
    piece = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    with socket.create_connection(("127.0.0.1", node.port), timeout=30) as wire:
        head = {"Host": f"127.0.0.1:{node.port}", **chunked}
        text = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        wire.sendall(f"POST /api/1/matches HTTP/1.1\r\n{text}\r\n".encode() + piece + piece)
        assert wire.recv(4096).startswith(b"HTTP/1.1 413")
    long_path = node.raw("GET", "/api/1/" + "x" * 3000, node.as_owner())[0]
    assert long_path in (400, 414)
    with (
        pytest.raises((OSError, ConnectionError, AssertionError)) as _,
        socket.create_connection(("127.0.0.1", node.port)) as wire,
    ):
        wire.sendall(b"GET / HTTP/1.1\r\n" + b"X: " + b"y" * (1 << 20))
        assert wire.recv(10) == b"never"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"game":1}',
        b'{"game":"osaka","seats":[]}',
        b"\xff\xfe",
        b"[" * 50_000,
        b'{"seats":' + b"9" * 5000 + b"}",
    ],
)
def test_malformed_bodies_are_refused_with_a_reason(node: NodeProcess, body: bytes) -> None:
    status, _, answer = node.raw("POST", "/api/1/matches", node.as_owner(), body)
    assert status == 400
    assert set(json.loads(answer)) == {"error", "message"}


@pytest.mark.parametrize(
    "wish",
    [
        {"game": "chess", "seats": [{"kind": "me"}, {"kind": "me"}]},
        {"game": "../osaka", "seats": [{"kind": "me"}, {"kind": "me"}]},
        {"game": "osaka", "seats": [{"kind": "me"}, {"kind": "hacker"}]},
        {"game": "osaka", "seats": [{"kind": "me"}]},
        {"game": "osaka", "seats": [{"kind": "me", "name": "A\u202eB"}, {"kind": "me"}]},
        {"game": "osaka", "seats": [{"kind": "me", "name": "Anna"}, {"kind": "me", "name": "anna"}]},
        {"game": "osaka", "seats": [{"kind": "me"}, {"kind": "me"}], "options": {"nonsense": 1}},
        {"game": "osaka", "seats": [{"kind": "me"}, {"kind": "me"}], "extra": 1},
    ],
)
def test_a_match_that_cannot_be_is_refused(node: NodeProcess, wish: dict) -> None:
    with pytest.raises(Refused) as refusal:
        node.link().post("matches", wish)
    assert refusal.value.status == 400


@pytest.mark.parametrize(
    "path",
    [
        "/../node.token", "/..%2fnode.token", "/%2e%2e/node.token", "//etc/passwd", "/./index.html", "/.git/config",
        "/index.html/", "/index.html%00", "/node.token", "/a/b/../../index.html", "/\\..\\node.token", "/web.py",
        "/api/1/../../node.token", "/api/1/matches/..%2f..%2fnode.token", "/api/1/matches/../settings",
        "/api/1/replays/../../matches", "/api/2/hello", "/api/1/", "/api/1/matches/%2e%2e",
    ],
)  # fmt: skip
def test_no_path_leads_anywhere_else(node: NodeProcess, path: str) -> None:
    status, _, body = node.raw("GET", path, node.as_owner())
    assert status in (400, 404), path
    assert node.token.encode() not in body and b"root:" not in body


def test_unknown_methods_are_refused(node: NodeProcess) -> None:
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW"):
        assert node.raw(method, "/api/1/matches", node.as_owner())[0] in (400, 405), method
        assert node.raw(method, "/", node.as_owner())[0] in (400, 405), method


def test_every_answer_carries_the_headers_that_bind_a_browser(node: NodeProcess) -> None:
    for path, headers in (("/", {}), ("/api/1/hello", node.as_owner()), ("/api/1/hello", {}), ("/nothing", {})):
        _, found, _ = node.raw("GET", path, headers)
        policy = found["content-security-policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
        assert found["x-content-type-options"] == "nosniff" and found["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in found
        assert found["cache-control"] in ("no-store", "no-cache")


def test_a_websocket_that_says_anything_but_ping_is_closed(node: NodeProcess) -> None:
    from wsproto import ConnectionType, WSConnection
    from wsproto.events import BytesMessage, Message, Request, TextMessage

    def talk(*said: Message) -> bytes:
        with socket.create_connection(("127.0.0.1", node.port), timeout=30) as wire:
            talk = WSConnection(ConnectionType.CLIENT)
            token = [(b"Authorization", f"Bearer {node.token}".encode())]
            wire.sendall(talk.send(Request(f"127.0.0.1:{node.port}", "/api/1/events", extra_headers=token)))
            data = wire.recv(4096)
            assert b" 101 " in data
            talk.receive_data(data)
            try:
                for message in said:
                    wire.sendall(talk.send(message))
                data = b""
                while piece := wire.recv(1 << 16):
                    data += piece
                    if b"pong" in data:
                        return data
            except ConnectionError:
                return b"cut"
            return data

    assert b"pong" in talk(TextMessage('{"ping":1}'))
    assert b"pong" not in talk(TextMessage('{"ping":2}'))
    assert b"pong" not in talk(BytesMessage(b"\x00"))
    assert talk(TextMessage("x" * (1 << 20))) in (b"", b"cut")
    pieces = [TextMessage("x" * 100, message_finished=False) for _ in range(200)]
    assert talk(*pieces) in (b"", b"cut")


def test_half_open_and_garbage_connections_do_no_harm(node: NodeProcess) -> None:
    open_ones = [socket.create_connection(("127.0.0.1", node.port), timeout=5) for _ in range(40)]
    for number, wire in enumerate(open_ones):
        wire.sendall(
            (b"GET / HTTP/1.1\r\nHo", b"\x16\x03\x01\x02\x00\x01\x00", b"\r\n" * 50, os.urandom(500))[number % 4]
        )
    assert node.raw("GET", "/api/1/hello", node.as_owner())[0] == 200
    for wire in open_ones:
        wire.close()


def test_silent_connections_never_shut_the_owner_out(node: NodeProcess) -> None:
    owner = socket.create_connection(("127.0.0.1", node.port), timeout=5)
    ask = f"GET /api/1/hello HTTP/1.1\r\nHost: 127.0.0.1:{node.port}\r\nAuthorization: Bearer {node.token}\r\n\r\n"
    owner.sendall(ask.encode())
    assert b" 200 " in owner.recv(1 << 16)
    silent: list[socket.socket] = []
    slowest = 0.0
    try:
        for number in range(800):  # somebody else on this machine, without a token
            silent.append(socket.create_connection(("127.0.0.1", node.port), timeout=5))
            if number % 100 == 99:
                began = time.monotonic()
                assert node.raw("GET", "/api/1/hello", node.as_owner())[0] == 200
                slowest = max(slowest, time.monotonic() - began)
        assert slowest < 1
        owner.sendall(ask.encode())
        assert b" 200 " in owner.recv(1 << 16), "a client that has shown its token keeps its connection"
    finally:
        for wire in (owner, *silent):
            wire.close()


def test_whoever_asks_for_nothing_is_cut_soon_however_slowly_it_speaks(node: NodeProcess) -> None:
    with socket.create_connection(("127.0.0.1", node.port), timeout=1) as wire:
        began = time.monotonic()
        wire.sendall(b"GET / HTTP/1.1\r\nX: ")
        with pytest.raises(ConnectionError):
            while True:
                wire.sendall(b"x")
                time.sleep(0.2)
        assert 0.5 < time.monotonic() - began < 3 * STRANGER_SECONDS


def test_secrets_lie_in_files_for_their_owner_alone_and_nowhere_else(node: NodeProcess) -> None:
    for name in ("node.token", "node.port", "node.lock", "node.log", "identity.pem"):
        assert stat.S_IMODE((node.home / name).stat().st_mode) == 0o600, name
    assert stat.S_IMODE(node.home.stat().st_mode) & 0o077 == 0
    link = node.link()
    link.post("links")
    node.raw("GET", "/enter/" + "s" * 32)
    log = (node.home / "node.log").read_text()
    assert node.token not in log and "/enter/" not in log and "Bearer" not in log
    answers = [json.dumps(link.get(path)) for path in ("hello", "games", "matches", "settings", "replays")]
    assert not any(node.token in answer or str(node.home) in answer for answer in answers)


def test_only_loopback_is_listened_to(node: NodeProcess) -> None:
    with open("/proc/net/tcp") as file:
        rows = [line.split() for line in file.readlines()[1:]]
    mine = [row[1] for row in rows if row[3] == "0A" and int(row[1].split(":")[1], 16) == node.port]
    assert mine == ["0100007F:" + f"{node.port:04X}"]


def hostile_uploads(true: bytes) -> dict[str, bytes]:
    """Files that are none, made of one that is."""
    magic = true[:18]
    return {
        "nothing": b"",
        "noise": os.urandom(200_000),
        "another kind of file": b"PK\x03\x04" + bytes(1000),
        "a page": b"<html><script>alert(1)</script>",
        "its first bytes": true[:100],
        "cut in a record": true[:-7],
        "a flipped bit": true[:200] + bytes([true[200] ^ 1]) + true[201:],
        "twice": true + true,
        "a record that claims four gigabytes": magic + b"\xff" * 16,
        "deep": magic + b"\x91" * 100_000,
        "eight megabytes of nothing": magic + bytes(8_000_000),
    }


def test_hostile_uploads_are_refused_or_kept_as_what_they_are(node: NodeProcess) -> None:
    link = node.link()
    match = new_match(link, "osaka", [{"kind": "me", "name": "Anna"}, {"kind": "me", "name": "Bob"}])
    _, _, true = node.raw("GET", f"/api/1/matches/{match}/file", node.as_owner())
    before = {path.name for path in (node.home / "replays").iterdir()}
    for what, data in hostile_uploads(true).items():
        status, _, body = node.raw("POST", "/api/1/replays", node.as_owner(), data)
        assert status in (200, 400), (what, body)
        if status == 200:
            name = json.loads(body)["id"]
            status, _, verdict = node.raw("POST", f"/api/1/replays/{name}/verify", node.as_owner(), b"")
            assert status == 200 and json.loads(verdict)["status"] != "verified", what
            for path in ("", "/at/0", "/at/999999", "/at/0?seat=9"):
                assert node.raw("GET", f"/api/1/replays/{name}{path}", node.as_owner())[0] in (200, 404, 409), what
    after = {path.name for path in (node.home / "replays").iterdir()} - before
    assert all(name.endswith((".kontor", ".about")) and len(name) < 40 for name in after), "nothing half-made stays"


def test_a_body_that_lies_about_its_length_ends_its_connection_alone(node: NodeProcess) -> None:
    head = f"POST /api/1/replays HTTP/1.1\r\nHost: 127.0.0.1:{node.port}\r\nAuthorization: Bearer {node.token}\r\n"
    with socket.create_connection(("127.0.0.1", node.port), timeout=30) as wire:
        wire.sendall(f"{head}Content-Length: 99999999999\r\n\r\n".encode())
        assert b" 413 " in wire.recv(4096)
    with socket.create_connection(("127.0.0.1", node.port), timeout=30) as wire:
        wire.sendall(f"{head}Content-Length: 1000\r\n\r\nshort".encode())  # and nothing more
    with socket.create_connection(("127.0.0.1", node.port), timeout=30) as wire:
        wire.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\nzz\r\n".encode())
        assert not wire.recv(4096).startswith(b"HTTP/1.1 2")
    assert not list((node.home / "replays").glob(".upload*"))
