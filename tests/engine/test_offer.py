"""What every game must keep to in how it is offered to people (`engine/core/offer.py`), over random matches."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from kontor_games.engine import CHANCE, Choice, Game, GameState, Known, LocalMatch, Reason, choices, digest, is_forced
from kontor_games.engine.core.chance import Deal, Move

from .playouts import all_games, option_sets, watch

GAMES = [game for game in all_games() if game.offer.kinds]
EVERY = 6  # plies from one position that is looked at to the next
DEEP = 12  # choices to a place where a turn may be confirmed
each_game = pytest.mark.parametrize("game", GAMES, ids=[game.id for game in GAMES])
every_table = pytest.mark.parametrize(
    ("game", "seats"),
    [(game, seats) for game in GAMES for seats in game.seats],
    ids=[f"{game.id}-{seats}" for game in GAMES for seats in game.seats],
)


def positions(game: Game[Any], seats: int, every: int, plies: int, seed: bytes, options: Any, look: Any) -> None:
    """Let `look` see the menus of a random match, with the choices of whoever is to act."""

    def see(match: LocalMatch[Any]) -> None:
        if match.turn is not None and match.turn != CHANCE and match.ply % every == 0:
            known = match.known(match.turn)
            look(match.state, known, choices(game, match.state, known))

    watch(game, options, seats, seed, see, plies)


@every_table
def test_every_position_keeps_to_the_contract(game: Game[Any], seats: int) -> None:
    def look(state: GameState, known: Known, found: list[Choice]) -> None:
        check_menu(game, state, known, found)

    positions(game, seats, EVERY, 400, b"offer", {}, look)


@pytest.mark.long
@every_table
def test_every_position_with_every_option_keeps_to_the_contract(game: Game[Any], seats: int) -> None:
    def look(state: GameState, known: Known, found: list[Choice]) -> None:
        check_menu(game, state, known, found)

    for number, options in enumerate(option_sets(game, seats)):
        positions(game, seats, 3, 900, b"offer %d" % number, options, look)


def check_menu(game: Game[Any], state: GameState, known: Known, found: list[Choice]) -> None:
    offer = game.offer
    seen = Counter(offer.kind(state, choice.actions) for choice in found)
    assert set(seen) <= {*offer.kinds, *offer.steps}, seen
    for kind in (*offer.kinds, *offer.steps):
        reason = offer.why_none(state, kind, known)
        assert (reason is None) == bool(seen[kind]), f"{kind} has {seen[kind]} choices, and why not: {reason}"
        assert reason is None or isinstance(reason, Reason), f"{reason!r} has no id"
    now = offer.now(state)
    assert isinstance(now["now"], str) and json.dumps(now)
    assert type(offer.at_rest(state)) is bool
    points = game.points(state)
    for choice in found:
        check_choice(game, state, known, choice, points)
    ends = [(choice.after, choice.events[-1]) for choice in found]
    assert len({(digest(after), events) for after, events in ends}) == len(found), "two choices are the same"


def check_choice(game: Game[Any], state: GameState, known: Known, choice: Choice, points: tuple[int, ...]) -> None:
    offer = game.offer
    targets = offer.targets(state, choice.actions)
    assert targets and len(set(targets)) == len(targets) and all(isinstance(each, str) and each for each in targets)
    assert json.dumps(offer.details(state, choice.actions, known))
    figures = offer.foresee(state, choice.actions, known)
    assert {figure.id for figure in figures} <= set(offer.figures)
    gains = [after - before for before, after in zip(points, game.points(choice.after), strict=True)]
    foreseen = [0] * len(points)
    for figure in figures:
        assert figure.element, figure
        if figure.id == "points" and figure.seat is not None:
            foreseen[figure.seat] += figure.amount
    assert foreseen == gains, f"{choice.actions} brings {gains}, foreseen {foreseen}"
    for events in choice.events:
        for event in events:
            for travel in offer.travels(state, event):
                assert travel.what and (travel.source or travel.goal) and travel.count > 0, travel


@each_game
def test_a_turn_can_be_confirmed_from_everywhere(game: Game[Any]) -> None:
    """Whatever was begun can be finished without anybody else: there is a way to rest, to chance or to another seat."""

    def look(state: GameState, known: Known, found: list[Choice]) -> None:
        assert finishes(game, state, known, game.turn(state), DEEP), game.notation.say(state, found[0].actions[0])

    positions(game, game.seats[-1], 5, 400, b"rest", {}, look)


def finishes(game: Game[Any], state: GameState, known: Known, seat: int | None, depth: int) -> bool:
    if state.desk.want is not None or game.turn(state) != seat or game.offer.at_rest(state):
        return True
    found = choices(game, state, known) if depth else []
    return any(finishes(game, choice.after, known, seat, depth - 1) for choice in found)


@each_game
def test_what_is_forced_is_the_only_choice_and_reveals_nothing(game: Game[Any]) -> None:
    def look(state: GameState, known: Known, found: list[Choice]) -> None:
        if is_forced(found):
            assert len(found) == 1 and found[0].after.desk.want is None
            assert not any(game.opens(state, action) for action in found[0].actions[:1])

    positions(game, game.seats[0], 1, 300, b"forced", {}, look)


@every_table
def test_unseen_slots_hold_what_the_game_says(game: Game[Any], seats: int) -> None:
    """The groups hold the truth for every seat, and whatever is dealt or moved later was in one of them."""

    def see(match: LocalMatch[Any]) -> None:
        state, dealer = match.state, match.dealer
        want = state.desk.want
        if match.ply % 7 and not isinstance(want, Deal | Move):
            return
        public = match.public()
        for seat in range(seats):
            known = {**public, **match.known(seat)}
            groups = game.unseen(state, known)
            covered = [slot for _, slots in groups for slot in slots]
            assert len(set(covered)) == len(covered), "a slot is in two groups"
            assert not set(covered) & set(known), "a known slot is called unseen"
            for faces, slots in groups:
                truth = Counter(dealer._face[slot] for slot in slots)
                assert not truth - Counter(faces), f"seat {seat}: {truth} cannot be among {faces}"
            asked = [slot for slot, _ in want.cards] if isinstance(want, Deal) else []
            asked += [want.slot] if isinstance(want, Move) else []
            assert {slot for slot in asked if slot not in known} <= set(covered), "a card comes from nowhere"

    for options in list(option_sets(game, seats))[:6]:
        watch(game, options, seats, b"unseen", see, 300)


@each_game
def test_every_kind_and_figure_is_in_the_rules_of_the_game(game: Game[Any]) -> None:
    """RULES.md has the table of kinds and figures."""
    from importlib import resources

    text = resources.files("kontor_games.engine.games").joinpath(game.id, "RULES.md").read_text(encoding="utf-8")
    for word in (*game.offer.kinds, *game.offer.steps, *game.offer.figures):
        assert f"`{word}`" in text, f"RULES.md of {game.id} does not name {word}"
    assert len(set(game.offer.kinds + game.offer.steps)) == len(game.offer.kinds + game.offer.steps)
    assert game.offer.kinds and game.offer.figures
