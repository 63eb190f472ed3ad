"""One continuation: a line of play in one world, then every seat by a quick policy, to the end of some round.

The horizon is the beginning of a turn, never the middle of one, and the same number of turns away for every line. What
stands there is made a chance to win in ten-thousandths: the result if the match is over, else the evaluation, squashed,
because evaluations jump near the end of a match. Whole numbers only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from kontor_games import engine
from kontor_games.engine import Action, Game, GameState, Known, Result, advance, allowed
from kontor_games.engine.core.stream import H, u32

from ..greedy import Greedy
from ..skilled import Brisk, Skilled, plan_of
from ..worlds import World
from .lines import Actions
from .styles import Style, style_of

WON = 10_000
MAX_PLIES = 4000


class Question(NamedTuple):
    """What a seat ponders: everything that a continuation depends on beside the line and the number of its world."""

    game: str
    rules: int
    state: GameState
    known: Known
    seat: int
    seed: bytes
    lines: tuple[Actions, ...]


def worth(question: Question, line: int, number: int) -> int:
    """What a line is worth in the world of this number."""
    game = engine.load(question.game, question.rules)
    return played(game, question, question.lines[line], number, style_of(game.id))


def played(game: Game[Any], question: Question, actions: Actions, number: int, style: Style) -> int:
    """The same for a game at hand."""
    return outlook(game, question, actions, number, style)[0]


def outlook(
    game: Game[Any], question: Question, actions: Actions, number: int, style: Style
) -> tuple[int, tuple[int, ...]]:
    """The seat's chance to win, the mean of where a continuation is judged, and the points of all seats at its end."""
    state, seat = question.state, question.seat
    world = World(game, state, question.known, H("expert-world", question.seed, u32(number), size=32))
    for action in actions:
        state, _ = advance(game, state, action)
    values: list[int] = []
    for rounds, here in enumerate(_turns(game, state, world, seat, style.policy, style.odd if number else 0), 1):
        state = here
        if rounds in style.judged:
            values.append(chance(game, state, seat, world.faces, style))
        if rounds == style.judged[-1]:
            break
    if len(values) < len(style.judged):  # the match was over before
        values += [chance(game, state, seat, world.faces, style)] * (len(style.judged) - len(values))
    return sum(values) // len(values), game.points(state)


def play_on(game: Game[Any], state: GameState, world: World, seat: int, rounds: int, style: Style) -> GameState:
    """From the turn of a seat on, all play by the policy until it had its turn again so often, or to the end (-1)."""
    for here in _turns(game, state, world, seat, style.policy, style.odd):
        state = here
        rounds -= 1
        if not rounds:
            break
    return state


def _turns(game: Game[Any], state: GameState, world: World, seat: int, policy: str, odd: int) -> Iterator[GameState]:
    """All play by a policy: every state where the turn of a seat begins again, and the one where the match is over."""
    player: Any = _POLICIES[policy]()
    greedy = Greedy()

    def choose(state: GameState, turn: int, ply: int) -> Action:
        if turn in state.desk.gone:
            return game.stand_in(state)
        chooser = greedy if odd and not world.below(odd) else player
        action: Action = chooser.choose(game, state, world.faces, turn, ply)
        return action

    for turn, here in turns_of(game, state, world, choose, seat):
        if turn is None or turn == seat:
            yield here


def turns_of(
    game: Game[Any],
    state: GameState,
    world: World,
    choose: Callable[[GameState, int, int], Action],
    whose: int | None = None,
) -> Iterator[tuple[int | None, GameState]]:
    """Every state where another turn than `whose` begins, with its seat, and where it all ends, with None."""
    rest = game.offer.at_rest
    for ply in range(MAX_PLIES):
        if state.desk.want is not None:
            state, _ = advance(game, state, world.answer(state.desk))
            continue
        turn = game.turn(state)
        if turn is None:
            break
        if turn != whose and rest(state):
            whose = turn
            yield turn, state
        state, _ = advance(game, state, choose(state, turn, ply))
    yield None, state


class _Quick:
    """One step ahead like `greedy`, by the worth that the plan of `skilled` gives a position."""

    def choose(self, game: Game[Any], state: GameState, known: Known, seat: int, ply: int) -> Action:
        actions = allowed(game, state, known)
        if len(actions) == 1:
            return actions[0]
        standing = plan_of(game.id).standing
        worth = [standing(advance(game, state, action)[0], seat, known) for action in actions]
        return actions[worth.index(max(worth))]


_POLICIES: dict[str, Any] = {"greedy": Greedy, "quick": _Quick, "skilled": Skilled, "brisk": Brisk}


def chance(game: Game[Any], state: GameState, seat: int, faces: Known, style: Style) -> int:
    """A seat's chance to win, in ten-thousandths."""
    result = game.result(state)
    if result is not None:
        return won(result, seat)
    ahead = lead(game, state, seat, faces, style)
    return WON // 2 + ahead * (WON // 2) // (abs(ahead) + style.scale)


def lead(game: Game[Any], state: GameState, seat: int, faces: Known, style: Style) -> int:
    """How far a seat is ahead of its rivals, twice."""
    judge = plan_of(game.id).standing if style.by_plan else game.evaluate
    ahead: int = judge(state, seat, faces)
    seats = len(game.points(state))
    if seats and not style.is_lead:
        rivals = [judge(state, other, faces) for other in range(seats) if other != seat]
        ahead = 2 * ahead - max(rivals) - sum(rivals) // len(rivals)
    return ahead


def expected(game: Game[Any], question: Question, opinions: Sequence[int], style: Style) -> list[int]:
    """What the plan thinks of lines, against the first, as gains over so many worlds as its opinion is worth.

    A gain counts where the position stands now: the squashed evaluation is steepest where nobody is ahead.
    """
    if not style.opinion:
        return [0] * len(opinions)
    ahead = abs(lead(game, question.state, question.seat, question.known, style))
    slope = (2 - style.is_lead) * style.scale * (WON // 2)
    return [style.opinion * (worth * slope // (ahead + style.scale) ** 2) for worth in opinions]


def won(result: Result, seat: int) -> int:
    """A win, or the share of it."""
    return WON // len(result.winners) if seat in result.winners else 0
