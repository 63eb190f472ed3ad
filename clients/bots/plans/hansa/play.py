"""What a skilled player of Hansa Teutonica does next: a marker that helps now, else a step of the best project."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from kontor_games.engine import Action, Game, Known, to_act
from kontor_games.engine.games.hansa import actions as a
from kontor_games.engine.games.hansa.data import (
    BANK,
    DEVELOP_ABILITY,
    MERCHANT,
    MOVE_3,
    PLUS_3,
    PLUS_4,
    SWAP_OFFICES,
    TRADER,
    VALUES,
)
from kontor_games.engine.games.hansa.rules import apply, candidates, why_not
from kontor_games.engine.games.hansa.state import (
    PLAYING,
    Choosing,
    Claiming,
    Moving,
    Relocating,
    Replacing,
    State,
    owner_of,
    shape_of,
)

from ...turns import LONGEST
from .pieces import move, relocate, shape
from .projects import NOWHERE, Project, aimed, best_rate, idle, posts_of, projects
from .worth import ACTION, MARKER_WORTH, rounds_left, standing, worth

MOST = 6  # routes that are worked at or thought of
LATE = 60  # rounds; a match has some twenty. Then every claim is taken that can be: no match goes on for ever


def choose(game: Game[Any], state: State, known: Known, seat: int, target: int = NOWHERE) -> Action:
    """What a skilled player does here, or one who has set their mind on a certain route."""
    actions = list(candidates(state, known))
    if len(actions) == 1:
        return actions[0]
    if state.round > LATE:
        return game.stand_in(state)
    if not state.todo:
        return _main(state, seat, known, actions, target)
    task = state.todo[0]
    if isinstance(task, Choosing):
        return shape(state, task, known, actions)
    if isinstance(task, Moving):
        return move(state, task, known, actions, target)
    if isinstance(task, Relocating):
        return relocate(state, task, known, actions)
    if isinstance(task, Replacing):
        order = {project.route: place for place, project in enumerate(projects(state, seat, known))}
        return min(actions, key=lambda action: order.get(action.route, 99) if isinstance(action, a.PlaceMarker) else 99)
    return _by_standing(state, seat, known, actions)


def _by_standing(state: State, seat: int, known: Known, actions: Iterable[Action]) -> Action:
    """The action after which the seat stands best; of equals, the one that leaves the better project."""
    left = rounds_left(state)
    is_claim = isinstance(state.todo[0], Claiming) if state.todo else False

    def key(action: Action) -> tuple[int, int]:
        after = apply(state, action)[0]
        rate = 0 if is_claim or after.stage != PLAYING else best_rate(after, seat, known)
        return standing(after, seat, left, known), rate

    return max(actions, key=key)


def _main(state: State, seat: int, known: Known, actions: list[Action], target: int) -> Action:
    """A marker that helps now, else the next step of the best project."""
    for action in actions:
        if isinstance(action, a.UseMarker) and _helps(state, seat, known, action):
            return action
        if isinstance(action, a.BuyFavour) and _is_bargain(state, seat, known, action):
            return action
    if state.actions > 0:
        legal = set(actions)
        for project in aimed(projects(state, seat, known), target)[:MOST]:
            step = _step(state, seat, known, project)
            if step is not None and step in legal:
                return step
        hired = _income(state, seat, False)
        if hired in legal:
            return hired
    return actions[-1]  # the end of the turn


def _helps(state: State, seat: int, known: Known, action: a.UseMarker) -> bool:
    if action.marker in (PLUS_3, PLUS_4):
        return bool(projects(state, seat, known))
    if action.marker == DEVELOP_ABILITY:
        return True
    left = rounds_left(state)
    if action.marker == MOVE_3:
        found = projects(state, seat, known)
        if not found or state.actions < 2:
            return False
        return any(0 <= owner_of(state.posts[post]) != seat for post in posts_of(state, found[0].route))
    if action.marker == SWAP_OFFICES:
        before = standing(state, seat, left, known) + MARKER_WORTH[SWAP_OFFICES]
        used = apply(state, action)[0]
        return any(standing(apply(used, swap)[0], seat, left, known) > before for swap in candidates(used, known))
    return False


def _is_bargain(state: State, seat: int, known: Known, action: a.BuyFavour) -> bool:
    """A favour tile costs a turn and two markers."""
    left = rounds_left(state)
    bought = apply(state, action)[0]
    return worth(bought, seat, left, known) > worth(state, seat, left, known) + ACTION * state.actions + 150


def _step(state: State, seat: int, known: Known, project: Project) -> Action | None:
    """The next action of a project."""
    player = state.players[seat]
    posts = posts_of(state, project.route)
    empty = [post for post in posts if not state.posts[post]]
    foreign = [post for post in posts if state.posts[post] and owner_of(state.posts[post]) != seat]
    if not empty and not foreign:
        return a.Claim(seat, project.route)
    own = sum(player.personal)
    spare = idle(state, seat, project.route)
    wanted = min(len(spare), len(empty))
    if wanted and (wanted >= 2 or not own) and not project.merchant:
        lift = a.Lift(seat, spare[0])
        if _moves_on(state, seat, known, lift):
            return lift
    if project.merchant and not player.personal[MERCHANT]:
        return _income(state, seat, True)
    needed = [post for post in empty if player.personal[MERCHANT] or not state.board.post_ship[post]]
    if needed and own:
        return a.Place(seat, needed[0])
    if foreign and not empty:
        post = min(foreign, key=lambda post: (shape_of(state.posts[post]), post))
        if own >= 2 + shape_of(state.posts[post]):
            return a.Displace(seat, post)
    return _income(state, seat, bool(empty))


def lines(game: Game[Any], state: State, known: Known, seat: int) -> Iterator[tuple[tuple[Action, ...], int]]:
    """Other ways to play the rest of the turn: each result of a claim, or work at each of the best routes first.

    Each is as good as the next, as far as this plan can say: what work in progress is worth, it does not know.
    """
    if state.todo:
        for action in candidates(state, known):
            yield (action, *_turn(game, apply(state, action)[0], known, seat, NOWHERE)), 0
        return
    for project in projects(state, seat, known)[:MOST]:
        yield _turn(game, state, known, seat, project.route), 0


def _turn(game: Game[Any], state: State, known: Known, seat: int, target: int) -> tuple[Action, ...]:
    """What is done until somebody else or chance is next."""
    done: tuple[Action, ...] = ()
    while to_act(game, state) == seat and len(done) < LONGEST:
        action = choose(game, state, known, seat, target)
        done = (*done, action)
        state = apply(state, action)[0]
    return done


def _moves_on(state: State, seat: int, known: Known, lift: a.Lift) -> bool:
    """Whether moving pieces leaves a better project than there was: otherwise they would go to and fro for ever."""
    if why_not(state, lift) is not None:
        return False
    after = apply(state, lift)[0]
    while after.todo and isinstance(after.todo[0], Moving):
        after = apply(after, move(after, after.todo[0], known, list(candidates(after, known))))[0]
    return best_rate(replace(after, actions=state.actions), seat, known) > best_rate(state, seat, known)


def _income(state: State, seat: int, merchant: bool) -> Action:
    """Hire as many as the bank gives: traders, and a merchant if one is wanted or traders run out."""
    player = state.players[seat]
    most = VALUES[BANK][player.levels[BANK]]
    discs = 1 if merchant and player.general[MERCHANT] and not player.personal[MERCHANT] else 0
    traders = min(player.general[TRADER], most - discs)
    return a.Income(seat, traders, min(player.general[MERCHANT], most - traders))
