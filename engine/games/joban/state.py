"""What all peers know of a match: the field, slots of hidden cards, dragons and points."""

from __future__ import annotations

from kontor_games.engine.core.game import GameState
from kontor_games.engine.core.value import Value

from .data import Cell

# Phases in which a seat decides.
TURN = "turn"  # design, play a card, or pass
PLACE = "place"  # where to build the shop of the card in play
AIM = "aim"  # in which direction the card scores
DRAGONS = "dragons"  # owners of scored dragons, one after another
BONUS = "bonus"  # use or decline the bonus of the card in play
TARGET = "target"  # the second cell of a swap or move
KEEP = "keep"  # which tasks to keep
FINAL = "final"  # score a task
OVER = "over"
# Phases that only chance ends; a want is open throughout.
SETUP = "setup"
DRAWN = "drawn"  # cards on their way into the active hand
RESHUFFLE = "reshuffle"  # discarded tasks on their way back into the pile
TASKS_DRAWN = "tasks drawn"
TASKS_MIXED = "tasks mixed"

SCORE, USE_BONUS = 0, 1  # the two modes of a card
NOBODY = -1
CATEGORIES = ("shops", "double", "dragons", "tasks", "final dragons")
FROM_SHOPS, FROM_DOUBLE, FROM_DRAGONS, FROM_TASKS, FROM_FINAL_DRAGONS = range(5)

Shop = tuple[int, int, int, int]  # x, y, colour, seat of the dragon on it or NOBODY


class Player(Value, frozen=True):
    """One seat's belongings."""

    hand: tuple[tuple[int, ...], ...] = ((), (), ())  # slots by colour, which the backs show
    tasks: tuple[int, ...] = ()  # slots
    scored: tuple[tuple[int, int, int], ...] = ()  # task face, line, points of the line
    reserve: int = 0  # dragons not yet placed
    lost: int = 0  # dragons discarded with a replaced shop
    points: tuple[int, ...] = (0,) * len(CATEGORIES)

    @property
    def score(self) -> int:
        return sum(self.points)

    @property
    def cards(self) -> int:
        """How many shop cards are in hand."""
        return sum(map(len, self.hand))


class State(GameState, frozen=True):
    """The whole match; the first six fields are the options as numbers."""

    half: int  # |x|, |y| <= half; 0: unbounded
    may_decline: int
    spare_new: int  # bonuses leave the new shop alone
    keep_connected: int
    own_dragons: int  # own dragons count in final scoring
    reshuffle: int

    first: int
    active: int
    action_no: int
    phase: str
    field: tuple[Shop, ...]  # ascending
    players: tuple[Player, ...]
    piles: tuple[tuple[int, ...], ...] = ((), (), ())  # slots by colour, the top one first
    discard: tuple[int, ...] = ()  # faces of resolved cards
    task_pile: tuple[int, ...] = ()  # slots, the top one first
    task_discard: tuple[tuple[int, int], ...] = ()  # slot, seat that discarded it (NOBODY: under everybody's layer)

    card: int = NOBODY  # face of the card in play
    mode: int = SCORE
    new: Cell | None = None  # where the card in play built
    picked: Cell | None = None  # first cell of a swap or move
    queue: tuple[tuple[int, tuple[Cell, ...]], ...] = ()  # owner, its scored dragons that have not moved
    earned: int = NOBODY  # points of a scoring build earlier this turn
    double: int = 0  # a double waits for the second build of this turn
    ended: int = 0  # the last round is on
    to_mix: tuple[int, ...] = ()  # colours drawn whose cards their owner still has to shuffle
