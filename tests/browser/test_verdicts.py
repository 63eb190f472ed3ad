"""What a page says about a file and about a match in trouble: who signed what, with keys, and what can be done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from kontor_games.net.record.transcript import FrameRecord, Record
from kontor_games.net.wire.chain import encode
from kontor_games.net.wire.identity import fingerprint
from kontor_games.net.wire.match_talk import Signed
from tests.net.api.kit import NodeProcess
from tests.worlds.match_files import evidence, frame_of, named_terms, packed, played, terms_of, transcript
from tests.worlds.world import identity

from .driver import Browser
from .play import ask, sign_in
from .together import PATIENCE

pytestmark = pytest.mark.browser

NAMES = ("Anna", "Bruno", "Clara")
TROUBLED = """
import sys
from kontor_games.clients.entry import main
from kontor_games.net.api.network.shown_net import ShownNetMatch
true_troubles = ShownNetMatch._troubles
def troubles(shown):
    shown._disk_trouble = "No space left on device"
    return true_troubles(shown)
ShownNetMatch._troubles = troubles
sys.argv[0] = "kontor"
sys.exit(main())
"""


@pytest.fixture(scope="module")
def records() -> list[Record]:
    """A finished match of three, signed by all."""
    return transcript(played(named_terms("hansa", NAMES, max_rounds=2)))


def shown(browser: Browser, node: NodeProcess, records: list[Record]) -> tuple[str, str]:
    """The kind of verdict that the page gives about this file, and its words."""
    status, _, body = node.raw("POST", "/api/1/replays", node.as_owner(), packed(records))
    assert status == 200, body
    base = sign_in(browser, node)
    browser.open("about:blank")
    browser.open(f"{base}#/replay/{json.loads(body)['id']}")
    browser.wait("return (document.querySelector('.verdict')?.classList.length ?? 0) > 1", seconds=PATIENCE)
    browser.resize(390, 844)
    assert not browser.run("return document.documentElement.scrollWidth > innerWidth")
    return str(browser.run("return document.querySelector('.verdict').classList[1]")), browser.text(".verdict")


def two_frames(records: list[Record]) -> list[Record]:
    """The match up to a turn, and another turn of the same player for the same place."""
    place = [number for number, record in enumerate(records) if isinstance(record, FrameRecord)][3]
    frame = frame_of(records[place])
    author = terms_of(records).seats[frame.s].peer
    other = encode(replace(frame, a=(*frame.a, *frame.a)))
    return [*records[: place + 1], evidence(Signed("frame", author, other, identity(author).sign("frame", other)))]


def test_a_verified_file_names_every_player_with_a_key_and_calls_no_person_a_bot(
    browser: Browser, node: NodeProcess, records: list[Record]
) -> None:
    kind, words = shown(browser, node, records)
    assert kind == "verified" and "verified: finished, signed by all 3" in words
    for number, name in enumerate(NAMES):
        assert f"{name} {fingerprint(identity(number).key)[:19]} signed the end" in words
    assert "bot" not in browser.text(".players")


def test_a_file_of_evidence_is_not_shown_as_if_all_were_well(
    browser: Browser, node: NodeProcess, records: list[Record]
) -> None:
    kind, words = shown(browser, node, two_frames(records))
    assert kind == "fault" and "proves a fault of" in words and "This file is evidence" in words
    assert "signed the end" not in words and "signature under the end" not in words


def test_a_refuted_file_says_so_without_claiming_who_signed(
    browser: Browser, node: NodeProcess, records: list[Record]
) -> None:
    place = max(number for number, record in enumerate(records) if isinstance(record, FrameRecord))
    bad = [*records]
    bad[place] = replace(records[place], signature=bytes(64))
    kind, words = shown(browser, node, bad)
    assert kind == "refuted" and words.startswith("✗ refuted: ")
    assert "signed the end" not in words


def test_a_match_in_trouble_says_what_is_wrong_and_tells_namesakes_apart(
    browser: Browser, node: NodeProcess, tmp_path: Path
) -> None:
    other = NodeProcess(tmp_path / "other", program=("-c", TROUBLED)).start()
    try:
        table = ask(other, "tables", {"game": "osaka", "seats": 2})["id"]
        ask(node, "join", {"address": ask(other, f"tables/{table}")["addresses"][0]})
        ask(node, f"tables/{table}/sit", {"seat": 0, "name": "Ann"})
        ask(other, f"tables/{table}/sit", {"seat": 1, "name": "\u0410nn"})
        browser.open(ask(other, "links", {})["url"])
        browser.wait_for("[data-play]")
        browser.run("location.hash = `#/table/${arguments[0]}`", table)
        browser.wait("return !document.querySelector('[data-sit]') && document.querySelector('.seats li')")
        ask(node, f"tables/{table}/ready", {})
        ask(other, f"tables/{table}/ready", {})
        browser.wait_for(".board svg", seconds=PATIENCE)
        trouble = browser.run("return document.querySelector('.trouble[role=alert] p').textContent")
        assert trouble == (
            "The disk of this computer takes nothing (No space left on device). What you do waits until there is room; "
            "nothing is lost."
        )
        match = browser.run("return location.hash.split('/')[2]")
        ask(node, f"matches/{match}/chat", {"text": "Hello"})
        browser.wait_for(".chat li .mark", seconds=PATIENCE)
        mark = f"({ask(node, 'hello')['node']['fingerprint'][:19]})"
        marks = "return [...document.querySelectorAll(arguments[0])].map((each) => each.textContent.trim())"
        assert browser.run(marks, ".chat .mark") == [mark]
        assert browser.run(marks, ".players .mark") == [mark], "on one's own screen one's own name needs none"
    finally:
        other.end()
