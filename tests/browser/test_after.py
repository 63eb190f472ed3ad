"""After a match: the end with its curve and turning points, a rematch, and the replay in chapters."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.net.api.kit import ROOT, NodeProcess

from .driver import Browser
from .play import ask, new_match, set_pace, sign_in
from .screenshots import reach

pytestmark = [pytest.mark.browser, pytest.mark.long]

NAMES = ("Ann", "Bertram", "Cosima")
STORY = """
const done = arguments[arguments.length - 1];
const [points, chapters, final] = arguments;
import('/ui/after/story.js').then(({leads, largest}) => {
  const {turnings, first} = leads({plies: points.length - 1, points, chapters, final});
  done([largest(turnings).map((each) => [each.turn, each.seat, each.from, each.swing]), first]);
});
"""


@pytest.fixture(scope="module")
def ended(node: NodeProcess, _window: Browser) -> Iterator[dict[str, Any]]:
    """A finished match, and its address."""
    set_pace(node, "off")
    base = sign_in(_window, node)
    match = new_match(node, "osaka", NAMES, {"tokens_to_end": 6}, seed="after")
    reach(node, match, 2000)
    state = ask(node, f"matches/{match}")
    assert state["status"] == "over"
    (row,) = [row for row in ask(node, "matches")["matches"] if row["id"] == match]
    yield {"base": base, "match": match, "replay": row["replay"], "result": state["result"]}


def _open(browser: Browser, address: str) -> None:
    browser.open("about:blank")
    browser.open(address)
    browser.wait_for("main h1")


def test_the_lead_is_followed_through_the_chapters_and_the_final_scoring(
    browser: Browser, ended: dict[str, Any]
) -> None:
    _open(browser, ended["base"])
    points = [[0, 0], [3, 0], [3, 5], [3, 5], [9, 5]]
    chapters = [{"turn": n, "ply": n - 1, "seat": 0, "say": ""} for n in (1, 2, 3, 4)]
    assert browser.run_async(STORY, points, chapters, [9, 12]) == [
        [[2, 1, 0, 5], [4, 0, 1, 6], [None, 1, 0, 7]],
        {"seat": 0, "turn": 1},
    ]
    assert browser.run_async(STORY, [[0, 0], [1, 0], [2, 0]], chapters[:2], None) == [[], {"seat": 0, "turn": 1}]


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["desk", "phone"])
def test_the_end_shows_winner_curve_and_what_to_do_next(
    browser: Browser, ended: dict[str, Any], size: tuple[int, int]
) -> None:
    browser.resize(*size)
    _open(browser, f"{ended['base']}#/match/{ended['match']}")
    browser.wait_for(".ending .curve")
    winners = [NAMES[seat] for seat in ended["result"]["winners"]]
    title = browser.text(".ending h2")
    assert title == "You win" if winners == [NAMES[0]] else all(name in title for name in winners)
    assert browser.run("return document.querySelectorAll('.ending .curve-line').length") == len(NAMES)
    ends = browser.run("return [...document.querySelectorAll('.ending .curve-points')].map((each) => each.textContent)")
    assert sorted(map(int, ends)) == sorted(ended["result"]["scores"])
    assert browser.text(".ending .turnings li").startswith(("Turn ", "Final scoring", *(f"{n} led" for n in NAMES)))
    for button in ("rematch", "replay", "share", "home"):
        assert browser.run(
            "const box = document.querySelector(`[data-end=${arguments[0]}]`).getBoundingClientRect();"
            "return box.height > 20 && box.top >= 0 && box.bottom <= innerHeight && box.right <= innerWidth",
            button,
        ), f"{button} is in view"
    assert browser.run("const box = document.querySelector('.ending'); return box.scrollWidth <= box.clientWidth")
    browser.click("[data-end=share]")
    browser.wait_for("[data-share=file][download]")
    browser.press("\ue00c")
    browser.wait("return document.querySelector('[data-share]') === null")
    assert not browser.complaints()


def test_a_rematch_begins_at_once_with_the_seats_rotated(
    browser: Browser, node: NodeProcess, ended: dict[str, Any]
) -> None:
    _open(browser, f"{ended['base']}#/match/{ended['match']}")
    browser.wait_for("[data-end=rematch]")
    browser.click("[data-end=rematch]")
    browser.wait("return location.hash.startsWith('#/match/') && !location.hash.endsWith(arguments[0])", ended["match"])
    again = browser.run("return location.hash.split('/').pop()")
    names = [seat["name"] for seat in ask(node, f"matches/{again}")["seats"]]
    assert sorted(names) == sorted(NAMES) and names != list(NAMES)


def test_a_replay_fits_the_window_and_shows_the_turn_in_its_list(
    browser: Browser, node: NodeProcess, ended: dict[str, Any]
) -> None:
    browser.resize(1280, 800)
    chapters = ask(node, f"replays/{ended['replay']}")["chapters"]
    _open(browser, f"{ended['base']}#/replay/{ended['replay']}/{chapters[-1]['ply']}")
    browser.wait_for(".replay .ground svg")
    browser.wait(
        "const [row, list] = ['.turns .now', '.turns'].map((css) => document.querySelector(css));"
        "const [inner, outer] = [row, list].map((part) => part?.getBoundingClientRect());"
        "return inner?.height > 0 && inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1"
    )
    parts = [".replay-head", ".replay .frame", ".replay .side"]
    inside = (
        "return arguments[0].filter((css) => { const box = document.querySelector(css).getBoundingClientRect();"
        " return box.top < 0 || box.bottom > innerHeight + 1 || box.right > innerWidth + 1 || box.height < 60; })"
    )
    assert browser.run(inside, parts) == [], "nothing is cut by the window"
    assert browser.run("const page = document.scrollingElement; return page.scrollHeight - page.clientHeight") == 0


# Numbers and names in the table of points that are not wholly in sight.
UNSEEN = """
const outer = document.querySelector('.ending .result').getBoundingClientRect();
return [...document.querySelectorAll('.ending .result :is(th, td)')].filter((each) => {
  const box = each.getBoundingClientRect();
  return box.left < outer.left - 1 || box.right > Math.min(outer.right, innerWidth) + 1;
}).map((each) => each.textContent);
"""


@pytest.mark.parametrize("seats", [4, 5])
def test_the_points_of_everybody_are_in_sight(browser: Browser, node: NodeProcess, seats: int) -> None:
    base = sign_in(browser, node)
    names = ("Annabel", "Bartholomew", "Clementine", "Desdemona", "Eleonore")[:seats]
    match = new_match(node, "hansa", names, {"max_rounds": 8}, seed="many")
    reach(node, match, 200)
    for size in ((1280, 800), (1920, 1080), (390, 844)):
        browser.resize(*size)
        _open(browser, f"{base}#/match/{match}")
        browser.wait_for(".ending .result")
        browser.wait_for(".ending .curve")
        assert browser.run(UNSEEN) == [], size


def test_a_replay_on_a_phone_shows_its_buttons_and_the_whole_board(browser: Browser, ended: dict[str, Any]) -> None:
    browser.resize(390, 844)
    _open(browser, f"{ended['base']}#/replay/{ended['replay']}/9")
    browser.wait_for(".turns .now")
    seen = (
        "return ['.replay-bar', '.replay .frame'].filter((css) => {"
        " const box = document.querySelector(css).getBoundingClientRect();"
        " return box.width < 200 || box.height < 80 || box.top < 0 || box.bottom > innerHeight; })"
    )
    browser.wait("return document.querySelector('.replay .frame').clientHeight > 80")
    assert browser.run(seen) == []


LYING = """
const boxes = arguments[0].map((css) => [css, document.querySelector(css)?.getBoundingClientRect()]);
const whole = (box) => box && box.height >= 60 && box.top >= 0 && box.bottom <= innerHeight + 1;
const out = boxes.filter(([, box]) => !whole(box)).map(([css]) => css);
boxes.forEach(([one, a], i) => boxes.slice(i + 1).forEach(([other, b]) => {
  const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  if (across > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1) out.push(`${one} lies on ${other}`);
}));
return out;
"""
FILES = ROOT / "tests" / "frozen" / "files"


@pytest.mark.parametrize("name", ["yokohama-4-bye-and-vote", "hansa-5-bye-and-votes", "joban-4-tasks", "osaka-2"])
def test_a_replay_leaves_the_board_its_height_and_lays_nothing_on_it(
    browser: Browser, node: NodeProcess, name: str
) -> None:
    base = sign_in(browser, node)
    _, _, answer = node.raw("POST", "/api/1/replays", node.as_owner(), (FILES / f"{name}.kontor").read_bytes())
    id = json.loads(answer)["id"]
    info = ask(node, f"replays/{id}")
    for size in ((1280, 800), (1920, 1080)):
        browser.resize(*size)
        _open(browser, f"{base}#/replay/{id}/{info['plies'] // 2}")
        browser.wait_for(".replay .ground svg")
        parts = [".replay-head", ".replay .frame", ".this-step", ".replay .seats-box", ".replay-tabs"]
        assert browser.run(LYING, parts) == [], size
        assert browser.run("return document.querySelector('.replay .frame').clientHeight") > size[1] * 0.6
        desks = "return document.querySelectorAll('.replay .seats-box .desk-of .little').length"
        assert browser.run(desks) == len(info["seats"]), "everybody's desk stands beside the name"
    assert not browser.complaints()


def test_what_only_breaks_ties_stands_below_the_sum(browser: Browser, ended: dict[str, Any]) -> None:
    _open(browser, ended["base"])
    breakdown = [["cities", [5, 4]], ["network", [0, 3]], ["none", [0, 0]], ["tie", [1, 2]]]
    result = {"scores": [5, 7], "breakdown": breakdown}
    script = (
        "const [result, done] = arguments; import('/ui/match/scores.js').then(({partsOf}) => done(partsOf(result)))"
    )
    parts = browser.run_async(script, result)
    assert [name for name, _ in parts["counted"]] == ["cities", "network"]
    assert [name for name, _ in parts["others"]] == ["tie"]


def test_a_replay_has_chapters_speed_keys_and_calls_people_people(
    browser: Browser, node: NodeProcess, ended: dict[str, Any]
) -> None:
    _open(browser, f"{ended['base']}#/replay/{ended['replay']}")
    browser.wait_for(".turns [data-turn='1']")
    info = ask(node, f"replays/{ended['replay']}")
    assert browser.run("return document.querySelectorAll('.turns li').length") == len(info["chapters"])
    players = browser.run("return [...document.querySelectorAll('.players .name')].map((each) => each.textContent)")
    assert ["(bot)" in text for text in players] == [False, True, True]
    browser.run("scrollTo(0, 0)")
    browser.click("[data-turn='4']")
    browser.wait("return document.querySelector('[data-turn=\"4\"]').classList.contains('now')")
    assert browser.text(".replay-where b").startswith("Turn 4, ")
    browser.press("\ue00f")  # a page down is a turn
    browser.wait("return document.querySelector('.replay-where b').textContent.startsWith('Turn 5, ')")
    browser.run(
        "const speed = document.querySelector('[data-replay=speed]'); speed.value = 'fastest';"
        "speed.dispatchEvent(new Event('change')); document.activeElement.blur()"
    )
    before = int(browser.text(".replay-where .badge").split()[0])
    browser.press(" ")
    step = "Number(document.querySelector('.replay-where .badge').textContent.split(' ')[0])"
    browser.wait(f"return {step} > arguments[0] + 3", before)
    browser.press(" ")
    browser.wait("return document.querySelector('[data-replay=play]').textContent === 'Play'")
    assert not browser.complaints()
