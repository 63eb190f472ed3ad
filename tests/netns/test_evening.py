"""An evening on one Wi-Fi: a host, three phones, a television and one more node play whole matches.

Everybody has a network of their own. The phones are real Chromium windows that somebody pairs with a finger and that
then click by themselves. One phone loses its network for half a minute, one has an empty battery and is replaced.
Needs root, ip, tcpdump and Chromium.
"""

from __future__ import annotations

import base64
import http.client
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from kontor_games.clients.node.node_link import Refused
from kontor_games.net.record.match_files import MatchFiles
from kontor_games.net.record.verify import Report, verify
from tests.browser.conftest import MISSING
from tests.browser.driver import Browser, programs

from .capture import Capture, Stream, websocket_words
from .far_browser import PILOT, FarBrowser, far_phone, knock, secrets_of
from .namespaces import entered
from .parties import FarNodes, agree
from .wires import Wires, need_tools, why_not, wires

pytestmark = [pytest.mark.netns, pytest.mark.long]
PHONES = {"phone1": "Bruno", "phone2": "Clara", "phone3": "Dorothea"}
MACHINES = ("anna", "bert", *PHONES, "phone4", "tv")
PATIENCE = 120.0
EVENING = 3000.0  # seconds for one match on a busy machine
AWAY = 30.0


@pytest.fixture
def net() -> Iterator[Wires]:
    if reason := why_not():
        pytest.skip(reason)
    if programs() is None:
        pytest.skip(MISSING)
    need_tools("tcpdump")
    with wires() as made:
        made.switch("switch")
        for number, name in enumerate(MACHINES, 1):
            made.add(name)
            made.plug(name, "switch", f"10.77.0.{number}/24")
        yield made


class Evening:
    """The table of one game, and everybody at it."""

    def __init__(self, net: Wires, folder: Path, game: str, stack: ExitStack) -> None:
        self.net = net
        self.nodes = FarNodes(folder, net, is_on_lan=True)
        stack.callback(self.nodes.stop)
        self.nodes.start("Anna", "Bert")
        self.anna, self.bert = self.nodes["Anna"], self.nodes["Bert"]
        self.table = str(self.anna.post("tables", {"game": game, "seats": 4, "spectators": True})["id"])
        self.party = self.anna.post("party", {"table": self.table})
        self.match = ""
        self.stack = stack
        self.phones: dict[str, FarBrowser] = {}

    def link(self, kind: str, seat: int | None = None) -> str:
        links = self.anna.get("party")["links"]
        return str(next(each["url"] for each in links if (each["kind"], each["seat"]) == (kind, seat)))

    def let_in(self, short: str, seat: int, name: str) -> FarBrowser:
        """A phone scans the code of a seat, and the host says yes."""
        window = self.stack.enter_context(far_phone(self.net, short))
        assert isinstance(window, FarBrowser)
        self.phones[short] = window
        knock(window, self.link("seat", seat), name)
        guest = until(lambda: next((each for each in self.guests() if not each["accepted"]), None))
        assert (guest["name"], guest["seat"]) == (name, seat)
        self.anna.post("party/accept", {"guest": guest["id"], "seat": seat})
        return window

    def guests(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.anna.get("party")["guests"]
        return found

    def here(self, name: str) -> bool:
        return any(each["name"] == name and each["here"] for each in self.guests())

    def join(self) -> None:
        """The other node finds the table on the local network; a program plays there."""
        self.bert.get("tables")
        until(lambda: any(each["id"] == self.table for each in self.bert.get("tables")["tables"]))
        self.bert.post(f"tables/{self.table}/enter")
        seat = {"seat": 3, "kind": "greedy", "name": "Bert"}
        until(lambda: self.try_to(lambda: self.bert.post(f"tables/{self.table}/bot", seat)))

    def begin(self) -> None:
        until(lambda: all(self.anna.get("party")["names"]))
        self.match = agree(self.table, (self.anna, self.bert))

    def try_to(self, job: Callable[[], object]) -> bool:
        """Whether something was possible just now."""
        try:
            job()
        except Refused:
            return False
        return True

    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = self.anna.get(f"matches/{self.match}")
        return found

    def until_ply(self, ply: int) -> None:
        until(lambda: self.state()["status"] == "over" or self.state()["ply"] >= ply, EVENING)
        assert self.state()["status"] != "over", "the match was shorter than the evening needs"

    def reports(self) -> list[Report]:
        """What `kontor verify` says about the files of both nodes."""
        folders = [self.nodes.home(name) / "matches" for name in ("Anna", "Bert")]
        return [verify(MatchFiles.of(folder, bytes.fromhex(self.match)).transcript) for folder in folders]


def until(found: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    end = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.25)
    return value


@pytest.mark.parametrize("game", ["yokohama", "joban"])
def test_a_host_three_phones_a_television_and_another_node_play_a_whole_match(
    game: str, tmp_path: Path, net: Wires
) -> None:
    with ExitStack() as stack:
        evening = Evening(net, tmp_path, game, stack)
        port = int(evening.party["url"].rsplit(":", 1)[1].strip("/"))
        capture = Capture(tmp_path / "door.pcap", net.inside("anna"), "eth0", f"tcp port {port}")
        links = [evening.link("seat", seat) for seat in range(3)]
        evening.join()
        screen = stack.enter_context(FarBrowser(net, "tv", 1920, 1080))
        screen.open(evening.link("screen"))
        screen.wait_for(".big-codes img")
        for seat, (short, name) in enumerate(PHONES.items()):
            evening.let_in(short, seat, name)
        evening.begin()
        assert evening.state()["kind"] == "net"
        screen.wait_for(".big-board svg")
        shown = dict(evening.phones)
        phrases: set[str] = set()
        secrets: list[str] = []
        for window in shown.values():
            window.wait_for(".play .frame")
            phrases |= set(window.run(SAID))
            secrets += secrets_of(window)
            window.run(PILOT)
        evening.until_ply(30)
        took = lose_network(evening, "phone2", "Clara")
        evening.until_ply(evening.state()["ply"] + 10)
        fresh = replace(evening, "phone3", 2)
        until(lambda: evening.state()["status"] == "over", EVENING)
        for window in (shown["phone1"], shown["phone2"], fresh):
            window.wait_for(".result", seconds=PATIENCE)
        screen.wait("return document.querySelector('.big-player.won') !== null", seconds=PATIENCE)
        screen.picture(tmp_path / "television.png")
        phrases |= set(shown["phone1"].run(SAID))
        clicks = [window.run("return window.clicks") for window in (shown["phone1"], shown["phone2"], fresh)]
        until(lambda: all(report.final for report in evening.reports()))
        reports = evening.reports()
        assert [report.code for report in reports] == [0, 0], [report.line for report in reports]
        assert all(report.sealed and report.final for report in reports)
        assert {report.line for report in reports} == {"verified: finished, signed by all 2"}
        secrets += secrets_of(fresh)
        assert len(secrets) == 4 and len(phrases) > 20
        secrets += [link.partition("#")[2] for link in links] + [evening.anna.link.address[1]]
        words = [*PHONES.values(), evening.match, "Anna", '"hand"', '"view"', '"menu"', *secrets, *sorted(phrases)[:40]]
        checked = search(evening, capture, port, words, secrets)
        plies = reports[0].plies
        print(f"{game}: {plies} plies, clicks {clicks}, back {took:.1f} s after the cable, {checked}")


# Sentences and names of cards on a player's screen.
SAID = """
const named = [...document.querySelectorAll('.play [title], .play [aria-label]')];
const titled = named.map((each) => each.title || each.ariaLabel || '');
const lines = [...titled, ...document.querySelector('main').innerText.split('\\n')].map((each) => each.trim());
return [...new Set(lines)].filter((each) => each.length > 11).slice(0, 60);
"""


def lose_network(evening: Evening, short: str, name: str) -> float:
    """Half a minute without any network; the seconds from the cable until the phone is back."""
    window = evening.phones[short]
    evening.net.cut(short, "switch", True)
    time.sleep(AWAY)
    assert not evening.here(name), "the host sees that it is away"
    assert window.text("#online") == "No connection to the host. Trying again…"
    assert evening.state()["status"] != "over"
    evening.net.cut(short, "switch", False)
    began = time.monotonic()
    until(lambda: evening.here(name))
    window.wait("return !document.querySelector('#online.off')")
    return time.monotonic() - began


def replace(evening: Evening, short: str, seat: int) -> Browser:
    """A phone's battery is empty; another one takes its seat."""
    old = evening.phones[short]
    evening.anna.post("party/invite", {"seat": seat})
    fresh = evening.let_in("phone4", seat, PHONES[short])
    old.wait_for("[data-over=replaced]")
    fresh.wait_for(".play .frame")
    fresh.run(PILOT)
    return fresh


def search(evening: Evening, capture: Capture, port: int, words: list[str], secrets: list[str]) -> str:
    """Nothing of these is in the clear; a control that is sent in the clear is found by the same search."""
    known = f"/{words[0]}-{words[1]}-control"
    with entered(evening.net.name("phone1")):
        connection = http.client.HTTPConnection("10.77.0.1", port, timeout=10)
        connection.request("GET", known)
        connection.getresponse().read()
        connection.close()
    streams = capture.stop()
    sent = {stream: data + websocket_words(data) for stream, data in streams.items()}
    controls = [stream for stream, data in sent.items() if known.encode() in data]
    assert len(controls) == 1, "the search finds what is in the clear"
    rest = {stream: data for stream, data in sent.items() if stream not in controls}
    assert {phone_of(stream, port) for stream in rest} == {f"10.77.0.{number}" for number in (3, 4, 5, 6, 7)}
    heard = b"".join(rest.values())
    assert b"GET /ws HTTP/1.1" in heard and b"Switching Protocols" in heard
    for word in words:
        assert word.encode() not in heard, f"{word} can be read on the Wi-Fi"
    for secret in secrets:
        raw = base64.urlsafe_b64decode(secret + "=" * (-len(secret) % 4))
        assert raw not in heard and raw.hex().encode() not in heard
    return f"{len(words)} words sought in {len(heard)} bytes of {len(rest)} streams"


def phone_of(stream: Stream, port: int) -> str:
    return stream[2] if stream[1] == port else stream[0]
