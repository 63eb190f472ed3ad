"""The rules: every element of a board leads to its paragraph, boards draw the pictures, chapters have addresses."""

from __future__ import annotations

from typing import Any

import pytest

from kontor_games.clients.text.api_words import CatalogueWording
from kontor_games.engine import game_ids
from tests.net.api.kit import NodeProcess
from tests.samples import combined

from .driver import Browser
from .play import ask, new_match, sign_in
from .positions import EACH_BOARD, NAMES, TABLES, positions_after
from .test_boards import PLIES

pytestmark = pytest.mark.browser

# Everything drawn of a position that can be pointed at, and the paragraph that it leads to.
WALK = """
const [positions, done] = arguments;
(async () => {
  const { render, h } = await import('/draw.js');
  const { boardOf, rulesOn } = await import('/boards/index.js');
  const { paragraphOf } = await import('/ui/rules/rules.js');
  const found = {};
  for (const { game, view, names, menu, seat } of positions) {
    const [board, { ABOUT }] = [await boardOf(game), await rulesOn(game)];
    const at = { names, menu, seat, narrow: false, figures: {} };
    const desks = names.map((_, each) => each === seat ? board.desk(view, each, at) : board.rival(view, each, at));
    const root = render(h('div', {}, board.board(view, at), desks));
    for (const each of root.querySelectorAll('[data-target], [data-at], [data-tip], [data-about], [data-try]')) {
      const name = each.dataset.target ?? each.dataset.at ?? `${each.getAttribute('class')} ${each.dataset.tip ?? ''}`;
      const told = paragraphOf(each, ABOUT);
      if (!(name in found) || !told) found[name] = told;
    }
  }
  return found;
})().then(done, (error) => done(String(error.stack)));
"""

# Every picture of a game: how large it is, what is written in it, and whether anything in it could be clicked.
PICTURES = """
const [game, done] = arguments;
(async () => {
  const { PICTURES } = await (await import('/boards/index.js')).rulesOn(game);
  const shown = [...document.querySelectorAll('[data-picture]')].map((each) => {
    const drawing = each.firstElementChild;
    const box = drawing.getBoundingClientRect();
    return { name: each.dataset.picture, width: box.width, height: box.height,
      over: drawing.scrollWidth - drawing.clientWidth, text: drawing.textContent,
      live: drawing.querySelectorAll('[data-target], [tabindex], [data-tip]').length };
  });
  return [Object.keys(PICTURES), shown];
})().then(done, (error) => done(String(error.stack)));
"""

LATE = 1_000  # plies: these matches are over by then, but for that on the eastern map, which bots do not end


def paragraphs(game: str) -> set[str]:
    return {part["id"] for chapter in CatalogueWording().rules(game) for part in chapter["parts"]}


@pytest.mark.parametrize("name", EACH_BOARD)
def test_every_kind_of_element_of_a_board_leads_to_a_paragraph(browser: Browser, node: NodeProcess, name: str) -> None:
    sign_in(browser, node)
    game = TABLES[name][0]
    plies = (0, *PLIES[game], LATE)
    found: Any = browser.run_async(WALK, positions_after(name, plies))
    assert isinstance(found, dict) and len(found) > 20, found
    lost = {element: told for element, told in found.items() if told not in paragraphs(game)}
    assert not lost, lost


@pytest.mark.parametrize(("game", "width"), combined(game_ids(), [390, 1280]))
def test_every_picture_of_the_rules_is_drawn_and_fits(
    browser: Browser, node: NodeProcess, game: str, width: int
) -> None:
    browser.open(f"{sign_in(browser, node)}#/help/{game}")
    browser.resize(width, 844)
    browser.wait_for("[data-picture]")
    drawn: Any = browser.run_async(PICTURES, game)
    assert isinstance(drawn, list), drawn
    names, shown = drawn
    assert sorted(names) == sorted(each["name"] for each in shown), "each picture is shown once"
    for each in shown:
        assert each["width"] > 40 and 20 < each["height"] < 700 and each["over"] <= 1, each
        assert not each["live"] and "undefined" not in each["text"] and "NaN" not in each["text"], each
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    assert not browser.complaints()


ASKED = {"hansa": "post", "yokohama": "area", "osaka": "market:0", "joban": "pile"}


@pytest.mark.parametrize("game", game_ids())
def test_a_question_mark_and_a_click_tell_the_rule_and_do_nothing_else(
    browser: Browser, node: NodeProcess, game: str
) -> None:
    match = new_match(node, game, NAMES[:3])
    browser.open(f"{sign_in(browser, node)}#/match/{match}")
    target = f".frame [data-target^='{ASKED[game]}']"
    browser.wait_for(target)
    browser.wait("return document.querySelector('.whose.yours') !== null")
    before = ask(node, f"matches/{match}")
    browser.press("?")
    browser.wait_for(".asking")
    box = browser.run(
        "const box = document.querySelector(arguments[0]).getBoundingClientRect();"
        "return [box.left + box.width / 2, box.top + box.height / 2]",
        target,
    )
    browser.point(*box)
    browser.wait_for(".popover.rule [data-told]")
    told = browser.run("return document.querySelector('.popover.rule [data-told]').dataset.told")
    assert told in paragraphs(game)
    after = ask(node, f"matches/{match}")
    assert after["draft"] == before["draft"] and after["ply"] == before["ply"]
    browser.press("Escape")
    browser.wait("return document.querySelector('.popover') === null")
    browser.press("Escape")
    browser.wait("return document.querySelector('.asking') === null")
    browser.press("?", "?")
    browser.wait_for("dialog .help [data-picture]")
    assert not browser.complaints()


def test_rules_are_searched_and_every_chapter_has_an_address(browser: Browser, node: NodeProcess) -> None:
    base = sign_in(browser, node)
    browser.open(f"{base}#/help/osaka")
    browser.wait_for("[data-search]")
    chapters = browser.run("return [...document.querySelectorAll('[data-chapter]')].map((each) => each.dataset.anchor)")
    assert len(chapters) == len(set(chapters)) > 5
    browser.run(
        "const field = document.querySelector('[data-search]'); field.focus(); field.value = 'Storm';"
        "field.dispatchEvent(new Event('input'))"
    )
    browser.wait("return document.querySelectorAll('.help mark').length > 0")
    assert 0 < browser.run("return document.querySelectorAll('[data-chapter]').length") < len(chapters)
    for place in (chapters[-1], "insure"):  # a chapter, and a paragraph
        browser.open("about:blank")
        browser.open(f"{base}#/help/osaka/{place}")
        browser.wait(
            "const box = document.querySelector('.rules .chosen')?.getBoundingClientRect();"
            "return box && box.top >= 0 && box.top < innerHeight"
        )
    assert not browser.complaints()
