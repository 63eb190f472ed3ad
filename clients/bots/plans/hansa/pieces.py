"""Where pieces go in Hansa Teutonica: own ones to the best project, those of others where they hurt least."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from kontor_games.engine import Action, Known
from kontor_games.engine.games.hansa import actions as a
from kontor_games.engine.games.hansa.data import MERCHANT
from kontor_games.engine.games.hansa.state import MARKER, Choosing, Moving, Relocating, State, owner_of, piece_code

from .projects import NOWHERE, aimed, gains, idle, posts_of, projects


def shape(state: State, task: Choosing, known: Known, actions: list[Action]) -> Action:
    """A merchant only where the claim needs one."""
    route = state.board.post_route[task.post]
    plain, better = gains(state, task.by, known)[route]
    stands = any(state.posts[post] == piece_code(task.by, MERCHANT) for post in posts_of(state, route))
    return actions[-1] if better > plain + 25 and not stands else actions[0]


def move(state: State, task: Moving, known: Known, actions: list[Action], target: int = NOWHERE) -> Action:
    """Own pieces go to the best project or the one in mind, pieces of others away from it."""
    found = aimed(projects(state, task.by, known, len(task.lifted)), target)
    if not found:
        return first_of(actions, a.Done) or actions[-1]
    target = found[0].route
    posts = posts_of(state, target)
    if task.why == MARKER or (task.lifted and owner_of(task.lifted[0][1]) != task.by):
        return _clear(state, task, posts, actions)
    empty = sum(1 for post in posts if not state.posts[post])
    lifts = {action.post: action for action in actions if isinstance(action, a.Lift)}
    if len(task.lifted) < empty:
        for post in idle(state, task.by, target):
            if post in lifts:
                return lifts[post]
    puts = [action for action in actions if isinstance(action, a.Put)]
    if not puts:
        return first_of(actions, a.Done) or actions[0]
    best = {project.route: project.rate for project in found}
    return max(puts, key=lambda put: (put.post in posts, best.get(state.board.post_route[put.post], 0)))


def _clear(state: State, task: Moving, posts: range, actions: list[Action]) -> Action:
    for action in actions:
        if isinstance(action, a.Lift) and action.post in posts and owner_of(state.posts[action.post]) != task.by:
            return action
    puts = [action for action in actions if isinstance(action, a.Put) and action.post not in posts]
    done = first_of(actions, a.Done)
    if puts:
        worth = gains(state, task.by, known={})
        return min(puts, key=lambda put: (worth[state.board.post_route[put.post]][0], put.post))
    return done or actions[0]


def first_of(actions: Iterable[Action], kind: type[Action]) -> Action | None:
    return next((action for action in actions if isinstance(action, kind)), None)


def relocate(state: State, task: Relocating, known: Known, actions: list[Action]) -> Action:
    """A displaced piece, and those that come with it, go where they help most; a neutral one where it hurts least."""
    extras = [action for action in actions if isinstance(action, a.Extra)]
    if extras:
        return extras[0]  # for nothing
    placed = [action for action in actions if isinstance(action, (a.Settle, a.Put))]
    if not placed:
        return first_of(actions, a.Done) or actions[0]
    is_mine = task.owner == task.by
    seen: dict[int, int] = {}
    code = task.hand or task.piece
    judge: Callable[[Action], int] = lambda action: _after_put(state, task.by, known, action, code, seen)  # noqa: E731
    return max(placed, key=judge) if is_mine else min(placed, key=judge)


def _after_put(state: State, seat: int, known: Known, action: Action, code: int, seen: dict[int, int]) -> int:
    """The best project once a piece stands on a post; the posts of one route are as good as each other."""
    assert isinstance(action, (a.Settle, a.Put))
    route = state.board.post_route[action.post]
    if route not in seen:
        posts = state.posts[: action.post] + bytes((code,)) + state.posts[action.post + 1 :]
        found = projects(replace(state, posts=posts), seat, known)
        here = next((project.rate for project in found if project.route == route), 0)
        seen[route] = 2 * (found[0].rate if found else 0) + here
    return seen[route]
