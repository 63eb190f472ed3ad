"""The drawn boards: every choice has its element, targets are large enough, labels lie on nothing, no text is code."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kontor_games.engine import CHANCE, load, view
from tests.engine.playouts import new_match, policies, steps, watch
from tests.net.api.kit import NodeProcess

from .driver import Browser
from .play import sign_in
from .positions import EACH_BOARD, NAMES, TABLES, position, positions_after

pytestmark = pytest.mark.browser

LEAST = 24  # pixels of a target's shorter side, where the board fits a window of 1280 × 800
# The frame of the match screen in such a window: beside a desk in its column, or above a desk in its strip.
FRAMES = {"hansa": (950, 639), "yokohama": (950, 639), "osaka": (950, 500), "joban": (950, 455)}
PHONE = (390, 450)
PLIES = {"hansa": (4, 160, 300), "yokohama": (30, 150, 300), "osaka": (6, 60, 110), "joban": (8, 60, 90)}
BUTTONS = ("button", "pay", "recover")  # choices without an element of their own become buttons

DRAW = Path(__file__).with_name("boards.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def stage(node: NodeProcess, _window: Browser) -> Browser:
    """A window that has the client's own origin and policy."""
    sign_in(_window, node)
    _window.resize(1280, 800)
    return _window


@cache
def found(stage: Browser, name: str, frame: tuple[int, int]) -> list[dict[str, Any]]:
    """What there is to see of each position of a board; drawn once for all tests."""
    seen = stage.run_async(DRAW, list(all_of(name)), frame, LEAST if frame != PHONE else 0)
    assert isinstance(seen, list), seen
    return seen


def positions_of(name: str, plies: int, every: int) -> list[dict[str, Any]]:
    """Positions of a random match, each with the menu of whoever is to act."""
    game, seats, options = TABLES[name]
    kept: list[dict[str, Any]] = []

    def see(match: Any) -> None:
        if match.turn not in (None, CHANCE) and match.ply % every == 0:
            kept.append(position(match))

    watch(load(game), options, seats, b"drawn", see, plies)
    return kept


@cache
def all_of(name: str) -> tuple[dict[str, Any], ...]:
    """Early and late positions of bots that build, and some of random players."""
    return (*positions_after(name, PLIES[TABLES[name][0]]), *positions_of(name, 240, 19))


@pytest.mark.parametrize("name", EACH_BOARD)
def test_a_board_at_the_size_of_a_window_can_be_read_and_hit(stage: Browser, name: str) -> None:
    for drawn in found(stage, name, FRAMES[TABLES[name][0]]):
        assert not drawn["small"] and not drawn["covered"], (drawn["small"], drawn["covered"])
        assert not drawn["overlaps"] and not drawn["outside"], (drawn["overlaps"], drawn["outside"])


@pytest.mark.parametrize("name", EACH_BOARD)
def test_a_board_in_a_frame_higher_than_wide_has_no_words_on_anything(stage: Browser, name: str) -> None:
    for drawn in found(stage, name, PHONE):
        assert not drawn["overlaps"] and not drawn["outside"], (drawn["overlaps"], drawn["outside"])


@pytest.mark.parametrize("name", EACH_BOARD)
def test_every_choice_and_every_figure_has_its_element(stage: Browser, name: str) -> None:
    for frame in (FRAMES[TABLES[name][0]], PHONE):
        for drawn in found(stage, name, frame):
            unseen = [targets for targets in drawn["missing"] if targets[0].split(":")[0] not in BUTTONS]
            assert not unseen, unseen
            assert not [each for each in drawn["nowhere"] if each.split(":")[0] not in (*BUTTONS, "points")]


CODE = re.compile(r"[a-z]_[a-z]|\b[a-z]{3}-[a-z]{3}\b|\b[RrEe]\d\d\b|undefined|NaN|\{|\bcolours\.")


@pytest.mark.parametrize("name", EACH_BOARD)
def test_no_code_is_written_on_a_board_or_in_its_notes(stage: Browser, name: str) -> None:
    for drawn in found(stage, name, PHONE):
        assert not [text for text in drawn["texts"] if CODE.search(text)]


def test_osakas_ships_sail_and_the_storm_comes_within_one_ply(stage: Browser) -> None:
    events = [
        {"event": "ShipSailed", "colour": 0, "to": 5},
        {"event": "ShipsSunk", "colours": [1]},
        {"event": "ShipReturned", "colour": 0, "to": 0},
    ]
    script = """
    const [view, events, done] = arguments;
    import('/boards/osaka/board.js').then(({ scenes }) =>
      done(scenes(view, events).map((each) => [each.view.ships, each.view.sunk, each.sound])));
    """
    view = {"ships": [3, 4, 0, 1], "sunk": []}
    assert stage.run_async(script, view, events) == [[[5, 4, 0, 1], [], "place"], [[5, 4, 0, 1], [1], "storm"]]


# Ends of travels that nothing on the page stands for, neither before a ply nor after it, for somebody who watches.
LOST = """
const [plies, done] = arguments;
const find = async ({ game, names, seat, ends }, view) => {
  const { h, paint } = await import('/draw.js');
  const { Travels } = await import('/ui/match/staging/travel.js');
  const board = await (await import('/boards/index.js')).boardOf(game);
  const at = { names, menu: [], seat, narrow: false, figures: {} };
  const root = document.getElementById('drawn') ?? document.body.appendChild(document.createElement('div'));
  root.id = 'drawn';
  const panel = (who, attribute, desk) => h('div', { [attribute]: who }, h('b', { class: 'player-head' }, names[who],
    h('i', { 'data-at': `points:${who}` }, '0')), desk);
  const others = names.map((_, who) => who).filter((who) => who !== seat);
  paint(root, [h('div', { class: 'board' }, board.board(view, at)), panel(seat, 'data-own', board.desk(view, seat, at)),
    others.map((who) => panel(who, 'data-seat', board.rival(view, who, at)))]);
  const travels = new Travels(root, board);
  return ends.filter((end) => travels.find(end) === null);
};
(async () => {
  const lost = new Set();
  for (const ply of plies) {
    const before = await find(ply, ply.views[0]);
    if (!before.length) continue;
    for (const end of await find({ ...ply, ends: before }, ply.views[1])) lost.add(end);
  }
  return [...lost];
})().then(done, (error) => done(`${error} ${error.stack}`));
"""
SEEN = 3  # plies with each kind of event


def watched(name: str, plies: int) -> list[dict[str, Any]]:
    """Plies of a random match in which things move, as the next seat sees them."""
    game, seats, options = TABLES[name]
    rules = load(game)
    match = new_match(rules, options, seats, b"moves")
    kinds: Counter[str] = Counter()
    kept = []
    for before, _, after, events in steps(match, policies("random", seats, b"moves"), plies):
        travels = [each for event in events for each in rules.offer.travels(before, event)]
        names = {type(event).__name__ for event in events}
        if not travels or all(kinds[each] >= SEEN for each in names):
            continue
        kinds.update(names)
        seat = ((rules.turn(before) or 0) + 1) % seats
        views = [view(rules, state, seat, match.known(seat)) for state in (before, after)]
        ends = sorted({end for each in travels for end in (each.source, each.goal) if end})
        kept.append({"game": game, "names": NAMES[:seats], "seat": seat, "views": views, "ends": ends})
    return kept


@pytest.mark.parametrize("name", EACH_BOARD)
def test_what_moves_comes_from_somewhere_on_the_page_and_goes_somewhere(stage: Browser, name: str) -> None:
    assert stage.run_async(LOST, watched(name, 900)) == []
