"""The guest door: how phones come in, what they may ask, and who is refused. Real nodes, real sockets."""

from __future__ import annotations

import base64
import json
import socket
import stat
import time
from contextlib import suppress
from urllib.parse import urlsplit

import pytest

from kontor_games.clients.node.node_link import Refused
from tests.net.api.kit import NodeProcess, new_match

from .door_host import THREE, Host, table_of
from .door_phone import Closed, DoorPhone, RawSocket, page
from .phone import LINK, Phone

# ---- coming in


def test_a_phone_waits_for_the_hosts_yes_and_then_plays_its_seat_alone(host: Host) -> None:
    phone = DoorPhone.by_link(host.invited("seat", 1), "Bruno")
    assert (phone.you["name"], phone.you["seat"], phone.you["accepted"], phone.you["match"]) == (
        "Bruno",
        1,
        False,
        None,
    )
    (guest,) = host.party["guests"]
    assert (guest["name"], guest["seat"], guest["accepted"], guest["here"]) == ("Bruno", 1, False, True)
    assert phone.ask("GET", f"matches/{host.match}")[0] == 403, "nothing before the yes"
    host.accept(phone)
    phone.until(lambda told: told.get("you", {}).get("match") == host.match)
    state = phone.get(f"matches/{host.match}")
    assert state["seat"] == 1 and [seat["you"] for seat in state["seats"]] == [False, True, False]
    mine = host.link.get(f"matches/{host.match}")
    assert mine["seat"] != 1 and [seat["you"] for seat in mine["seats"]] == [True, False, True]
    phone.close()


def test_the_owners_screens_do_not_show_a_guests_hand_on_the_guests_turn(host: Host) -> None:
    phones = {seat: host.seat(seat, f"Guest {seat}") for seat in range(3)}
    state = host.link.get(f"matches/{host.match}")
    turn = state["to_act"]
    assert state["seat"] is None and not state["your_turn"] and state["menu"] == [], "all seats are lent: it looks on"
    with pytest.raises(Refused) as refusal:
        host.link.get(f"matches/{host.match}?seat={turn}")
    assert refusal.value.status == 403 and "phone" in str(refusal.value)
    with pytest.raises(Refused):
        host.link.post(f"matches/{host.match}/draft", {"seat": turn, "text": "take r5@2"})
    theirs = phones[turn].get(f"matches/{host.match}")
    assert theirs["your_turn"] and theirs["menu"]
    drafted = phones[turn].post(f"matches/{host.match}/draft", {"text": theirs["menu"][0]["text"]})
    assert drafted["draft"]["steps"]
    assert host.link.get(f"matches/{host.match}")["draft"]["steps"] == [], "nor what the guest drafts"
    (summary,) = [each for each in host.link.get("matches")["matches"] if each["id"] == host.match]
    assert summary["your_turn"] is False and not any(seat["you"] for seat in summary["seats"])
    for phone in phones.values():
        phone.close()


def test_a_phone_is_refused_every_seat_match_and_route_that_is_not_its_own(host: Host) -> None:
    other = new_match(host.link, "osaka", THREE)
    phone = host.seat(1, "Bruno")
    mine = f"matches/{host.match}"
    assert phone.get(f"{mine}?seat=none")["seat"] == 1
    for path in (f"{mine}?seat=0", f"{mine}?seat=2", f"matches/{other}", f"{mine}/staged?seat=0", f"{mine}/log?seat=2"):
        assert phone.ask("GET", path)[0] == 403, path
    for what in ("draft", "explain"):
        assert phone.ask("POST", f"{mine}/{what}", {"seat": 0, "text": "take r5@2"})[0] == 403
    for what in ("undo", "redo", "discard", "commit"):
        assert phone.ask("POST", f"{mine}/{what}", {"seat": 0})[0] == 403
    for method, path in (
        ("GET", "matches"), ("GET", "tables"), ("GET", "settings"), ("PUT", "settings"), ("POST", "links"),
        ("GET", "party"), ("POST", "party"), ("DELETE", "party"), ("POST", "party/accept"), ("POST", "party/remove"),
        ("GET", f"{mine}/position"), ("GET", f"{mine}/file"), ("POST", f"{mine}/play"), ("POST", f"{mine}/bye"),
        ("POST", f"{mine}/hint"), ("POST", f"{mine}/chat"), ("POST", f"{mine}/rematch"), ("GET", "replays"),
        ("GET", "doctor"), ("POST", "join"), ("GET", "lobby"), ("GET", "../../node.token"), ("GET", "events"),
    ):  # fmt: skip
        assert phone.ask(method, path, {})[0] in (404, 405), path
    state = phone.get(mine)
    assert state["file"] is None and state["grid"] == [], "what is the owner's is not told"
    assert phone.get("hello")["scope"] == {"kind": "guest", "match": host.match, "seat": 1}
    phone.close()


def test_whoever_watches_sees_what_all_see_and_changes_nothing(host: Host) -> None:
    watcher = DoorPhone.by_link(host.invited("watch"), "Wanda")
    assert watcher.you["accepted"] and watcher.you["kind"] == "watch" and "links" not in watcher.you
    state = watcher.get(f"matches/{host.match}")
    assert state["seat"] is None and state["menu"] == [] and not any(seat["you"] for seat in state["seats"])
    assert state["view"] == host.link.get(f"matches/{host.match}?seat=none")["view"]
    assert watcher.ask("GET", f"matches/{host.match}?seat=0")[0] == 403
    for what in ("draft", "explain"):
        assert watcher.ask("POST", f"matches/{host.match}/{what}", {"text": "take r5@2"})[0] == 403
    for what in ("undo", "redo", "discard", "commit"):
        assert watcher.ask("POST", f"matches/{host.match}/{what}", {})[0] == 403
    screen = DoorPhone.by_link(host.invited("screen"), "Television")
    assert {"seat", "watch"} <= {each["kind"] for each in screen.you["links"]} and screen.you["code"]
    assert screen.get(f"matches/{host.match}")["seat"] is None
    watcher.close()
    screen.close()


def test_the_second_phone_on_one_link_is_told_and_gets_nothing(host: Host) -> None:
    link = host.invited("seat", 1)
    url, _, secret = link.partition("#")
    raw = base64.urlsafe_b64decode(secret + "==")
    late = RawSocket(url)
    ready = Phone(LINK, raw)
    late.send(ready.hello)  # it has begun before the first one is through
    late.send(ready.meet(late.receive()))
    first = DoorPhone.by_link(link, "Bruno")
    late.send(ready.seal(b'{"hello":{"name":"Eve"}}'))
    assert "used by another phone" in json.loads(ready.open(late.receive()))["refused"]
    with pytest.raises(Closed) as closed:
        late.receive()
    assert closed.value.code == 4403
    with pytest.raises(Closed) as closed:
        DoorPhone(url, LINK, raw, name="Eve")
    assert closed.value.code == 4404
    assert [guest["name"] for guest in host.party["guests"]] == ["Bruno"]
    first.close()


def test_broken_handshakes_burn_no_link(host: Host) -> None:
    link = host.invited("seat", 1)
    url, _, secret = link.partition("#")
    raw = base64.urlsafe_b64decode(secret + "==")
    liar = Phone(LINK, raw)
    for wrong in (b"", b"KG1", liar.hello[:-1], liar.hello + b"x", b"\xff" * 44):
        wire = RawSocket(url)
        wire.send(wrong)
        with pytest.raises(Closed) as closed:
            wire.receive()
        assert closed.value.code in (4400, 4404)
    for point in (bytes(32), Phone(LINK, raw).key):
        wire = RawSocket(url)
        wire.send(liar.hello)
        wire.receive()
        wire.send(point)
        with pytest.raises(Closed):
            wire.receive()
    wire = RawSocket(url)
    liar = Phone(LINK, raw)
    wire.send(liar.hello)
    liar.secret = b"x" * 16  # it knows the name of the link alone
    wire.send(liar.meet(wire.receive()))
    wire.send(liar.seal(b'{"hello":{"name":"Eve"}}'))
    with pytest.raises(Closed) as closed:
        wire.receive()
    assert closed.value.code == 4400
    assert host.party["guests"] == []
    phone = DoorPhone.by_link(link, "Bruno")
    assert phone.you["seat"] == 1
    phone.close()


def test_replayed_doubled_and_flipped_boxes_end_the_connection_and_do_nothing(host: Host) -> None:
    phone = host.seat(host.link.get(f"matches/{host.match}")["to_act"], "Bruno")
    state = phone.get(f"matches/{host.match}")
    ask = {
        "ask": {
            "id": "a",
            "method": "POST",
            "path": f"matches/{host.match}/draft",
            "body": {"text": state["menu"][0]["text"]},
        }
    }
    box = phone.phone.seal(json.dumps(ask).encode())
    phone.socket.send(box)
    phone.until(lambda told: told.get("answer") == "a")
    phone.socket.send(box)
    with pytest.raises(Closed) as closed:
        while True:
            phone.hear()
    assert closed.value.code == 4400
    phone = phone.again()
    assert len(phone.get(f"matches/{host.match}")["draft"]["texts"]) == len(
        phone.get(f"matches/{host.match}")["draft"]["texts"]
    )
    recorded = phone.phone
    again = RawSocket(phone.url)
    again.send(recorded.hello)
    again.receive()
    again.send(recorded.key)
    again.send(recorded.seal(b'{"hello":{}}'))
    with pytest.raises(Closed) as closed:
        again.receive()
    assert closed.value.code == 4400, "another key of the node's: nothing that was recorded opens"
    box = bytearray(phone.phone.seal(b'{"ping":1}'))
    box[20] ^= 1
    phone.socket.send(bytes(box))
    with pytest.raises(Closed):
        while True:
            phone.hear()


def test_a_typed_code_lets_a_phone_knock_and_the_host_compares_words(host: Host) -> None:
    phone = DoorPhone.by_code(host.url, host.party["code"].lower(), "Bruno")
    (guest,) = host.party["guests"]
    assert tuple(guest["words"]) == phone.phone.words and not guest["accepted"] and guest["seat"] is None
    with pytest.raises(Refused, match="not chosen a seat"):
        host.link.post("party/accept", {"guest": guest["id"]})
    assert phone.ask("POST", "wish", {"seat": 7})[0] == 400
    assert phone.post("wish", {"seat": 2})["seat"] == 2
    host.link.post("party/accept", {"guest": guest["id"], "seat": 2})
    phone.until(lambda told: told.get("you", {}).get("accepted"))
    assert phone.ask("POST", "wish", {"seat": 1})[0] == 400, "nobody moves who sits"
    assert phone.get(f"matches/{host.match}")["seat"] == 2
    phone.close()


def test_whoever_types_may_ask_for_a_seat_that_is_wanted_for_another_phone_and_not_for_the_owners(
    own_node: NodeProcess,
) -> None:
    host = Host(own_node)
    host.link.post("party", {"table": table_of(host.link), "port": 0})
    bruno = host.seat(1, "Bruno")
    typing = DoorPhone.by_code(host.url, host.party["code"], "Bruno")
    assert typing.you["free"] == [2], "neither Anna's own seat nor Bruno's"
    host.link.post("party/invite", {"seat": 1})
    assert typing.until(lambda told: told.get("you", {}).get("free") == [1, 2])
    typing.post("wish", {"seat": 1})
    host.accept(typing)
    assert bruno.until(lambda told: "end" in told)["end"] == "replaced"
    host.close()


def test_the_owners_own_seat_comes_last_of_those_that_phones_may_have(host: Host) -> None:
    before = host.link.get("settings")
    host.link.put("settings", {**before, "name": "Anna"})
    assert [each["seat"] for each in host.party["links"]] == [1, 2, 0, None, None]
    host.link.put("settings", before)


# ---- going


def test_a_removed_phone_is_out_at_once_and_for_good(host: Host) -> None:
    phone = host.seat(1, "Bruno")
    host.link.post("party/remove", {"guest": host.guest(phone)})
    assert phone.until(lambda told: "end" in told)["end"] == "removed"
    with pytest.raises(Closed) as closed:
        phone.hear()
    assert closed.value.code == 4410
    with pytest.raises(Closed) as closed:
        phone.again()
    assert closed.value.code == 4404
    assert host.link.get(f"matches/{host.match}?seat=1")["seat"] == 1, "the seat is the owner's again"


def test_another_phone_takes_a_seat_over_with_the_hosts_yes(host: Host) -> None:
    old = host.seat(1, "Bruno")
    assert not any(each["seat"] == 1 for each in host.party["links"])
    host.link.post("party/invite", {"seat": 1})
    new = DoorPhone.by_link(host.invited("seat", 1), "Bruno")
    assert old.get(f"matches/{host.match}")["seat"] == 1, "until the yes the old one plays"
    host.accept(new)
    assert old.until(lambda told: "end" in told)["end"] == "replaced"
    new.until(lambda told: told.get("you", {}).get("accepted"))
    assert new.get(f"matches/{host.match}")["seat"] == 1
    with pytest.raises(Closed):
        old.again()
    assert not any(each["seat"] == 1 for each in host.party["links"])
    new.close()


def test_the_end_of_the_party_is_told_and_closes_the_door(host: Host) -> None:
    phone, url = host.seat(1, "Bruno"), host.url
    assert stat.S_IMODE((host.node.home / "party.json").stat().st_mode) == 0o600
    host.close()
    assert phone.until(lambda told: "end" in told)["end"] == "closed"
    with pytest.raises(OSError):
        page(url, "/")
    assert host.party == {"open": False} and not (host.node.home / "party.json").exists()
    assert host.link.get(f"matches/{host.match}?seat=1")["seat"] == 1
    for what, body in (
        ("accept", {"guest": "x"}),
        ("remove", {"guest": "x"}),
        ("invite", {"seat": 1}),
        ("renew", None),
    ):
        with pytest.raises(Refused, match="no party"):
            host.link.post(f"party/{what}", body)


def test_a_phone_that_comes_back_has_missed_nothing_and_does_nothing_twice(host: Host) -> None:
    turn = host.link.get(f"matches/{host.match}")["to_act"]
    phone = host.seat(turn, "Bruno")
    state = phone.get(f"matches/{host.match}")
    text = state["menu"][0]["text"]
    phone.say({"ask": {"id": "once", "method": "POST", "path": f"matches/{host.match}/draft", "body": {"text": text}}})
    phone.close()  # before the answer comes
    phone = phone.again(state["feed"])
    status, data = phone.ask("POST", f"matches/{host.match}/draft", {"text": text}, id="once")
    assert status == 200 and len(data["draft"]["steps"]) >= 1
    before = data["draft"]["texts"]
    assert phone.ask("POST", f"matches/{host.match}/draft", {"text": text}, id="once")[1]["draft"]["texts"] == before
    assert phone.get(f"matches/{host.match}")["draft"]["texts"] == before
    last = phone.get(f"matches/{host.match}")["feed"]
    phone.close()
    other = next(seat for seat in range(3) if seat != turn)
    host.seat(other, "Clara").close()  # something happens meanwhile
    phone = phone.again(last)
    phone.until(lambda told: told.get("event", {}).get("kind") == "match")
    assert all("lines" not in event for event in phone.events), "lines are worded for the owner"
    stale = phone.again(5)
    stale.until(lambda told: told.get("event", {}).get("kind") == "reset")
    assert phone.until(lambda told: "end" in told)["end"] == "elsewhere", "one connection for one phone"
    stale.close()


def test_phones_come_back_after_a_restart_of_the_node(own_node: NodeProcess) -> None:
    host = Host(own_node).local()
    phone, link, url = host.seat(1, "Bruno"), host.invited("seat", 2), host.url
    own_node.kill()
    own_node.start()
    host = Host(own_node)
    host.match = phone.you["match"]
    assert host.url == url
    phone = phone.again()
    assert phone.you["accepted"] and phone.get(f"matches/{host.match}")["seat"] == 1
    assert [seat["you"] for seat in host.link.get(f"matches/{host.match}")["seats"]] == [True, False, True]
    assert DoorPhone.by_link(link, "Clara").you["seat"] == 2, "links that were printed are still good"
    own_node.end()
    (own_node.home / "party.json").write_text("{")
    (own_node.home / "party.json").chmod(0o600)
    own_node.start()
    assert own_node.link().get("party") == {"open": False}, "a damaged file ends the party, not the node"


# ---- strangers


@pytest.mark.parametrize(
    "host_name", ["evil.example", "127.0.0.1", "localhost:{port}", "127.0.0.1:1", "", "[::1]:{port}"]
)
def test_the_door_answers_at_its_own_address_only(host: Host, host_name: str) -> None:
    wanted = host_name.format(port=urlsplit(host.url).port)
    assert page(host.url, "/", Host=wanted)[0] in (400, 421)
    assert RawSocket(host.url, host=wanted or "x").status == 421


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1", " "]
)
def test_a_page_from_elsewhere_gets_no_socket(host: Host, origin: str) -> None:
    assert RawSocket(host.url, origin=origin.format(port=urlsplit(host.url).port)).status == 403


def test_the_owners_token_and_cookies_are_worthless_at_the_door(host: Host) -> None:
    link = host.link.post("links")["url"]
    cookie = host.node.raw("GET", "/" + link.split("/", 3)[3])[1]["set-cookie"].split(";")[0]
    for headers in ({"Authorization": f"Bearer {host.node.token}"}, {"Cookie": cookie, "X_Kontor": "1"}):
        for path in ("/api/1/hello", "/api/1/matches", "/api/1/party", "/api/1/events", f"/enter/{host.node.token}"):
            assert page(host.url, path, **headers)[0] == 404
    assert page(host.url, "/", Authorization=f"Bearer {host.node.token}")[0] == 200
    for name, value in page(host.url, "/")[1].items():
        assert name != "set-cookie" and host.node.token not in value


@pytest.mark.parametrize(
    "path",
    ["//", "/..", "/../net", "/%2e%2e/pyproject.toml", "/guest/../../README.md", "/app.js/", "/.git", "/guest", "/ws/x",
     "/package.json", "/eslint.config.js", "/vendor/../app.js", "/a\\b", "/app.js%00", "/index.html"],
)  # fmt: skip
def test_only_pages_of_the_table_are_served(host: Host, path: str) -> None:
    assert page(host.url, path)[0] in (400, 404)


def test_pages_come_packed_tagged_and_for_reading_alone(host: Host) -> None:
    status, headers, body = page(host.url, "/", Accept_Encoding="gzip")
    assert status == 200 and headers["content-encoding"] == "gzip" and b"guest/start.js" not in body
    assert b'src="/guest/start.js"' in page(host.url, "/")[2] and b'src="/app.js"' not in page(host.url, "/")[2]
    assert page(host.url, "/", If_None_Match=headers["etag"])[0] == 304
    assert "default-src 'none'" in headers["content-security-policy"]
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        assert page(host.url, "/", method)[0] == 405
    assert page(host.url, "/ws")[0] == 403
    assert page(host.url, "/ws", Origin=host.url.rstrip("/"))[0] == 426
    assert page(host.url, "/" + "x" * 300)[0] == 414


def test_long_messages_floods_and_silence_end_a_connection(host: Host) -> None:
    wire = RawSocket(host.url)
    wire.send(b"x" * 20_000, last=False)
    with pytest.raises((Closed, OSError)):
        for _ in range(50):
            wire.send(b"x" * 2000, opcode=0, last=False)  # parts that never end
            wire.wire.settimeout(0.05)
            with suppress(TimeoutError):
                wire.receive()
    for text in (b"{}", b"x"):
        wire = RawSocket(host.url)
        wire.send(text, opcode=1)
        with pytest.raises(Closed):
            wire.receive()
    phone = host.seat(1, "Bruno")
    with pytest.raises((Closed, OSError)):
        for number in range(400):
            phone.say({"ask": {"id": f"f{number}", "method": "GET", "path": "hello"}})
        while True:
            phone.hear()
    assert host.link.get("hello")["version"] == 1


@pytest.mark.parametrize(
    "said", [b"", b"[]", b"{", b'{"hello":1}', b'{"x":1}', b'{"ask":{"id":"a"}}', b"[" * 9000, b"{}"]
)
def test_nonsense_in_a_good_box_ends_that_connection_alone(host: Host, said: bytes) -> None:
    phone = host.seat(1, "Bruno")
    other = host.seat(2, "Clara")
    phone.socket.send(phone.phone.seal(said))
    with pytest.raises(Closed) as closed:
        while True:
            phone.hear()
    assert closed.value.code == 4400
    assert other.get("hello")["version"] == 1
    other.close()


def test_a_flood_of_connections_harms_neither_guests_nor_owner(host: Host) -> None:
    phone = host.seat(1, "Bruno")
    parts = urlsplit(host.url)
    wires = []
    for _ in range(80):
        wire = socket.create_connection((str(parts.hostname), parts.port), timeout=5)
        wires.append(wire)
    assert phone.get("hello")["version"] == 1
    began = time.monotonic()
    assert host.link.get("hello")["version"] == 1 and time.monotonic() - began < 2
    for wire in wires:
        wire.close()
    phone.close()
    end = time.monotonic() + 20
    while True:  # the places are free again
        try:
            if page(host.url, "/")[0] == 200:
                break
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.1)
