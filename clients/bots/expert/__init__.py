"""`expert`: compares whole lines of its turn by playing them on in sampled worlds (docs/adr/0025).

It knows the state and what its own seat knows, like every bot. A budget in continuations (`expert:200`) gives the same
moves on every machine and with any number of workers; without one it thinks for about a second per line of a turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kontor_games.engine import Action, Game, GameState, Known, allowed
from kontor_games.engine.core.stream import H, u32

from .continuation import Question, expected, played
from .halving import Halving, Job, LineVerdict
from .lines import candidates
from .styles import style_of
from .workers import Workers

SECONDS = 1.0
LEAST = 3  # lines that the smallest budget compares


class Expert:
    """Its choice depends on seed, seat and ply, and on the budget; a line once begun is played to its end."""

    def __init__(self, seed: bytes = b"", nodes: int = 0, workers: Workers | None = None) -> None:
        self._seed = seed
        self._nodes = nodes
        self._workers = workers
        self._line: list[Action] = []  # what is left of the line being played
        self._ply = -1  # the ply that its next action is for

    def choose(self, game: Game[Any], state: GameState, known: Known, seat: int, ply: int) -> Action:
        if ply != self._ply or not self._line:
            actions = allowed(game, state, known)
            if len(actions) == 1:
                return actions[0]
            question, verdicts = self.ponder(game, state, known, seat, ply)
            self._line = list(question.lines[verdicts[0].line])
        self._ply = ply + 1
        return self._line.pop(0)

    def ponder(
        self, game: Game[Any], state: GameState, known: Known, seat: int, ply: int
    ) -> tuple[Question, list[LineVerdict]]:
        """The lines that were compared, and what was found about them, the best first."""
        style = style_of(game.id)
        most = min(style.most, max(LEAST, self._nodes // style.each)) if self._nodes else style.most
        found = candidates(game, state, known, seat, ply, style, most)
        lines = tuple(found.lines)
        seed = H("expert", self._seed, u32(seat), u32(ply), size=32)
        question = Question(game.id, game.rules_version, state, known, seat, seed, lines)
        if len(lines) == 1:
            return question, [LineVerdict(0, 0, 0, 0)]

        def judge(jobs: Sequence[Job]) -> list[int]:
            if self._workers is not None:
                return self._workers.judge(question, jobs)
            return [played(game, question, lines[line], number, style) for line, number in jobs]

        limits: dict[str, Any] = {"nodes": self._nodes} if self._nodes else {"seconds": SECONDS}
        opinions = expected(game, question, found.opinions, style)
        return question, Halving(judge, len(lines), opinions=opinions, doubt=style.doubt, **limits).run()
