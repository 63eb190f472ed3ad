"""Markup and tricks of writing in every name, chat line, option and file: the page shows text, and no script runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from kontor_games import engine
from tests.net.api.kit import Listener, NodeProcess, state_where

from .driver import Browser
from .play import new_match, sign_in
from .together import PATIENCE

pytestmark = pytest.mark.browser

NAMES = ("<img src=x onerror=a()>", "</script><svg onload=a()", '"><iframe src=//x>', "{{a()}}${a()}`'", "&lt;b&gt;Eve")
# What no door lets in, but a hostile keeper or file can hold.
BAD_NAME = "Eve\u202e<u onclick=a()>\u2066"
BAD_SEEN = "Eve·<u onclick=a()>·"
LURE = "window.a = () => { window.hit = (window.hit ?? 0) + 1; }; window.alert = window.a;"
FOREIGN = (
    "return [...document.querySelectorAll('img, script, iframe, object, embed, base, link, meta, svg')]"
    ".filter((each) => !each.matches('img[src=\"/icon.svg\"], head > *, body > script[src]')"
    " && !each.closest('.board, main svg, header svg, .overlay .ghost'))"
    ".map((each) => each.outerHTML.slice(0, 200))"
    ".concat([...document.querySelectorAll('*')].filter((each) => [...each.attributes]"
    ".some((attribute) => attribute.name.startsWith('on') || /^javascript:/i.test(attribute.value)))"
    ".map((each) => each.outerHTML.slice(0, 200)))"
)


@pytest.fixture
def lured(browser: Browser) -> Iterator[Browser]:
    """A window in which every script that gets a foot in the door leaves a trace."""
    added = browser.devtools("Page.addScriptToEvaluateOnNewDocument", {"source": LURE})
    yield browser
    browser.devtools("Page.removeScriptToEvaluateOnNewDocument", {"identifier": added["identifier"]})


def check(browser: Browser, *texts: str) -> None:
    """These texts are on the page, as text, and nothing of them became anything else."""
    for text in texts:
        browser.wait("return document.body.textContent.includes(arguments[0])", text, seconds=PATIENCE)
    assert browser.run("return typeof window.a") == "function", "the lure is out"
    assert browser.run("return window.hit ?? 0") == 0, "a script ran"
    assert browser.run(FOREIGN) == []
    assert [each for each in browser.complaints() if "Content Security Policy" in each] == []


def test_the_check_sees_what_it_looks_for(node: NodeProcess, lured: Browser) -> None:
    sign_in(lured, node)
    for made in ("iframe", "img", "script"):
        lured.run("document.querySelector('main').append(document.createElement(arguments[0]))", made)
        assert any(f"<{made}" in found for found in lured.run(FOREIGN))
    lured.run("document.querySelector('main').setAttribute('onclick', 'a()')")
    assert len(lured.run(FOREIGN)) == 4
    lured.run("window.a()")
    assert lured.run("return window.hit") == 1


def test_names_and_drafts_of_local_matches_stay_text_in_every_game(node: NodeProcess, lured: Browser) -> None:
    node.link().put("settings", {"name": NAMES[0]})
    base = sign_in(lured, node)
    lured.open("about:blank")
    lured.open(f"{base}#/settings")
    lured.wait("return [...document.querySelectorAll('input')].some((each) => each.value === arguments[0])", NAMES[0])
    check(lured)
    for game in engine.game_ids():
        match = new_match(node, game, NAMES[:3])
        lured.open("about:blank")
        lured.open(f"{base}#/match/{match}")
        lured.wait_for(".board svg", seconds=PATIENCE)
        check(lured, *NAMES[:3])
    lured.open("about:blank")
    lured.open(f"{base}#/")
    check(lured, NAMES[0])


# A node without doors of its own: what others say is checked by those who hear it.
CARELESS = """
import sys
from kontor_games.clients.entry import main
from kontor_games.net.api.routes import about_routes, match_routes, table_routes
from kontor_games.net.lockstep import session
from kontor_games.net.node import node
from kontor_games.net.table import guest, keeper
for module in list(sys.modules.values()):
    for door in ("why_not_name", "why_not_chat"):
        if hasattr(module, door):
            setattr(module, door, lambda text: None)
sys.argv[0] = "kontor"
sys.exit(main())
"""


# One whose tables also have options and notices as no keeper would show them.
SHOWY = CARELESS.replace(
    "sys.argv[0]",
    """
from msgspec.structs import replace
true_view = keeper.TableKeeper.view
def view(table):
    shown = true_view(table)
    options = {**shown.options, "tokens_to_end": "<img src=x onerror=a()>", "more": "</script><svg onload=a()>"}
    return replace(shown, options=options, notice="<b onclick=a()>notice</b>")
keeper.TableKeeper.view = view
sys.argv[0]""",
    1,
)


def test_options_and_notices_of_a_hostile_table_are_shown_as_text(
    node: NodeProcess, lured: Browser, tmp_path: Path
) -> None:
    eve = NodeProcess(tmp_path / "eve", program=("-c", SHOWY)).start()
    try:
        host = eve.link()
        table = host.post("tables", {"game": "osaka", "seats": 2, "options": {"tokens_to_end": 6}})["id"]
        base = sign_in(lured, node)
        victim = node.link()
        victim.post("join", {"address": host.get(f"tables/{table}")["addresses"][0]})
        assert victim.get(f"tables/{table}")["options"]["tokens_to_end"] == "<img src=x onerror=a()>"
        lured.open("about:blank")
        lured.open(f"{base}#/table/{table}")
        lured.wait_for(".seats", seconds=PATIENCE)
        check(lured, "<b onclick=a()>notice</b>")
        victim.post(f"tables/{table}/leave")
    finally:
        eve.end()


def hostile_file(folder: Path) -> bytes:
    """A sealed match of two nodes without doors, with names that no honest node would sign; one of them gives up."""
    nodes = NodeProcess.started(*(NodeProcess(folder / name, program=("-c", CARELESS)) for name in ("eve", "mallory")))
    try:
        links = [node.link() for node in nodes]
        ears = [Listener(node.link(), 0) for node in nodes]
        table = links[0].post("tables", {"game": "osaka", "seats": 2, "options": {"tokens_to_end": 6}})["id"]
        links[1].post("join", {"address": links[0].get(f"tables/{table}")["addresses"][0]})
        for number, (link, name) in enumerate(zip(links, (BAD_NAME, NAMES[1]), strict=True)):
            link.post(f"tables/{table}/sit", {"seat": number, "name": name})
        for ear in ears:
            ear.wait_for(lambda e: "table" in e and all(seat["name"] for seat in e["table"]["seats"]))
        for link in links:
            link.post(f"tables/{table}/ready")
        places = [ear.wait_for(lambda e: e["kind"] == "table" and "started" in e) for ear in ears]
        match = ears[0].seen[places[0] - 1]["started"]
        for link in links:
            state_where(link, match, lambda state: state["view"] is not None)
        links[1].post(f"matches/{match}/bye")
        state_where(links[0], match, lambda state: state["status"] == "over")
        return nodes[0].raw("GET", f"/api/1/matches/{match}/file", nodes[0].as_owner())[2]
    finally:
        for node in nodes:
            node.end()


def test_a_hostile_file_is_shown_as_text(node: NodeProcess, lured: Browser, tmp_path: Path) -> None:
    status, _, body = node.raw("POST", "/api/1/replays", node.as_owner(), hostile_file(tmp_path))
    assert status == 200, body
    base = sign_in(lured, node)
    for place in ("#/replay", f"#/replay/{json.loads(body)['id']}"):
        lured.open("about:blank")
        lured.open(base + place)
        check(lured, BAD_SEEN, NAMES[1])
    lured.wait_for(".board svg", seconds=PATIENCE)
    lured.wait("return document.querySelector('.verdict') !== null", seconds=PATIENCE)
    check(lured, BAD_SEEN, NAMES[1])
    assert not lured.run("return /[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.textContent)")


def test_a_hostile_host_and_its_table_and_chat_are_shown_as_text(
    node: NodeProcess, lured: Browser, tmp_path: Path
) -> None:
    eve = NodeProcess(tmp_path / "eve", program=("-c", CARELESS)).start()
    try:
        host = eve.link()
        table = host.post("tables", {"game": "osaka", "seats": 2, "options": {"tokens_to_end": 6}})["id"]
        host.post(f"tables/{table}/sit", {"seat": 0, "name": BAD_NAME})
        shown = host.get(f"tables/{table}")
        base = sign_in(lured, node)
        victim = node.link()
        victim.post("join", {"address": shown["addresses"][0], "fingerprint": shown["fingerprint"]})
        victim.post(f"tables/{table}/sit", {"seat": 1, "name": "Vic"})
        for place in ("#/", f"#/table/{table}"):
            lured.open("about:blank")
            lured.open(base + place)
            check(lured, BAD_SEEN)
        lured.wait_for("[data-ready=no]:not(:disabled)")
        lured.click("[data-ready=no]")  # refused: nobody plays with such a name
        lured.wait("return document.body.textContent.includes('name of somebody at the table')", seconds=PATIENCE)
        check(lured, BAD_SEEN)

        host.post(f"tables/{table}/rename", {"seat": 0, "name": NAMES[0]})
        lured.wait("return document.querySelector('.seats').textContent.includes(arguments[0])", NAMES[0])
        for link in (victim, host):
            link.post(f"tables/{table}/ready")
        lured.wait("return location.hash.startsWith('#/match/')", seconds=PATIENCE)
        lured.wait_for(".board svg", seconds=PATIENCE)
        match = str(lured.run("return location.hash.split('/')[2]"))
        host.post(f"matches/{match}/chat", {"text": NAMES[1]})
        check(lured, NAMES[0], NAMES[1])
    finally:
        eve.end()
