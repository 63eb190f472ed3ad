"""The analysis in the browser: a tab of the replay and of the end, started, stopped, resumed, and read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kontor_games.clients.bots.analysis import StoredAnalysis, path_of
from kontor_games.clients.bots.analysis.stored import CurvePoint, Decision
from kontor_games.net.record.replay import Replay
from tests.net.api.kit import ROOT, NodeProcess

from .driver import Browser
from .play import ask, new_match, set_pace, sign_in
from .screenshots import reach

pytestmark = [pytest.mark.browser, pytest.mark.long]

SHORT = ROOT / "tests" / "frozen" / "files" / "hansa-3.kontor"
NAMES = ("Ann", "Bertram")


def stored(path: Path, share: float = 1.0) -> StoredAnalysis:
    """An analysis as it could be: what is done of it, and figures that are easy to find again."""
    replay = Replay(path)
    info = replay.info()
    moves = [(ply.number, ply.action.seat) for ply, _ in replay.decisions()]
    seats = len(info["seats"])
    rest = (10_000 - 4000) // (seats - 1)
    curve = [CurvePoint(ply, [4000] + [rest] * (seats - 1), [600] * seats) for ply, _ in moves]
    decisions = [
        Decision(
            ply, seat, 4, 25, ["Take the first road"], ["Take the other road", "Rest"],
            4000, 4000 + min(90 * place, 5000), 20,
            [100] * seats, [120] * seats, 1, [], ["<b>three points</b> are scored"],
        )
        for place, (ply, seat) in enumerate(moves)
    ]  # fmt: skip
    count = int(share * len(moves))
    end = replay.digest(info["plies"])
    return StoredAnalysis(
        info["match"], replay.game.id, replay.game.rules_version, 0, 8, end, 2 * len(moves), seats,
        curve=curve, decisions=decisions[:count],
    )  # fmt: skip


def write(path: Path, analysis: StoredAnalysis) -> None:
    path_of(path).write_bytes(msgspec.json.encode(analysis))


@pytest.fixture(scope="module")
def replay(node: NodeProcess, _window: Browser) -> Iterator[dict[str, Any]]:
    base = sign_in(_window, node)
    _, _, answer = node.raw("POST", "/api/1/replays", node.as_owner(), SHORT.read_bytes())
    (path,) = (node.home / "replays").glob("*.kontor")
    yield {"base": base, "id": json.loads(answer)["id"], "path": path}


def _open(browser: Browser, replay: dict[str, Any]) -> None:
    browser.open("about:blank")
    browser.open(f"{replay['base']}#/replay/{replay['id']}")
    browser.wait_for("[data-tab=analysis]")
    browser.click("[data-tab=analysis]")
    browser.wait_for("[data-analysis]")


@pytest.mark.parametrize("size", [(1280, 900), (390, 844)], ids=["desk", "phone"])
def test_the_tab_shows_chances_decisions_and_players_and_leads_to_each_place(
    browser: Browser, replay: dict[str, Any], size: tuple[int, int]
) -> None:
    browser.resize(*size)
    write(replay["path"], stored(replay["path"]))
    _open(browser, replay)
    browser.wait_for("[data-analysis=done] .chances")
    assert browser.run("return document.querySelectorAll('.analysis .chance-band').length") == 3
    places = browser.run("return [...document.querySelectorAll('.analysis-place')].map((each) => each.dataset.ply)")
    assert len(places) == 5 and places == sorted(places, key=int)
    told = browser.text(".analysis-turns li:last-child")
    assert "instead of" in told and "Take the other road, then rest" in told
    assert "<b>three points</b>" in told, "what a file says is text"
    assert browser.run("return document.querySelectorAll('.analysis-players tbody tr').length") == 3
    browser.click(f".analysis-place[data-ply='{places[0]}']")
    step = "return document.querySelector('.replay-where .badge').textContent.split(' ')[0]"
    browser.wait(f"{step} === arguments[0]", places[0])
    assert browser.has("[data-tab=analysis][aria-selected=true]"), "the tab stays open"
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    box = (
        "const box = document.querySelector('.chances').getBoundingClientRect(); return [box.left, box.top, box.width]"
    )
    browser.run("document.querySelector('.chances').scrollIntoView({block: 'center'})")
    left, top, width = browser.run(box)
    browser.point(left + 0.92 * width, top + 40)
    browser.wait("return Number(document.querySelector('.replay-where .badge').textContent.split(' ')[0]) > 20")
    assert not browser.complaints()


def test_it_is_started_stopped_and_resumed_by_its_buttons(browser: Browser, replay: dict[str, Any]) -> None:
    write(replay["path"], stored(replay["path"], 0.5))
    _open(browser, replay)
    browser.wait_for("[data-analysis=begun] progress")
    assert browser.text("[data-analyse=start]") == "Go on"
    path_of(replay["path"]).unlink()
    _open(browser, replay)
    browser.wait_for("[data-analysis=none] [data-analyse=start]")
    assert browser.text("[data-analyse=start]") == "Analyse this match"
    browser.click("[data-analyse=start]")
    browser.wait_for("[data-analysis=running] [data-analyse=stop]")
    browser.click("[data-analyse=stop]")
    browser.wait_for("[data-analyse=start]")
    assert not browser.complaints()


def test_beside_people_who_play_the_button_says_why_not(
    browser: Browser, node: NodeProcess, replay: dict[str, Any]
) -> None:
    path_of(replay["path"]).unlink(missing_ok=True)
    match = new_match(node, "osaka", NAMES, seed="people")
    link = node.link()
    link.post("matches", {"game": "osaka", "seats": [{"kind": "me", "name": name} for name in NAMES], "seed": "both"})
    _open(browser, replay)
    browser.wait_for("[data-analysis-why]")
    assert "people play with each other" in browser.text("[data-analysis-why]").lower()
    assert browser.run("return document.querySelector('[data-analyse=start]').disabled")
    assert match


def test_the_end_of_a_match_has_the_tab_too(browser: Browser, node: NodeProcess, replay: dict[str, Any]) -> None:
    set_pace(node, "off")
    match = new_match(node, "osaka", NAMES, {"tokens_to_end": 6}, seed="analysed")
    reach(node, match, 2000)
    (row,) = [row for row in ask(node, "matches")["matches"] if row["id"] == match]
    (path,) = [each for each in (node.home / "matches").glob("*.kontor") if _is(each, match)]
    write(path, stored(path))
    browser.open("about:blank")
    browser.open(f"{replay['base']}#/match/{match}")
    browser.wait_for(".ending [data-tab=analysis]")
    assert browser.has(".ending .curve-line"), "the points come first"
    browser.click(".ending [data-tab=analysis]")
    browser.wait_for(".ending .chances")
    assert browser.run("const box = document.querySelector('.ending'); return box.scrollWidth <= box.clientWidth")
    browser.run("document.querySelector('.ending .analysis-place').click()")
    browser.wait("return location.hash.startsWith(arguments[0])", f"#/replay/{row['replay']}/")
    browser.wait_for(".replay-where")
    assert not browser.complaints()


def _is(path: Path, match: str) -> bool:
    return Replay(path).info()["match"].startswith(match) if not path.with_name(path.name + ".seed").exists() else False
