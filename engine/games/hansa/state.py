"""The state of a match of Hansa Teutonica: only what everybody at the table knows.

A piece is one number, 1 + 2 · owner + shape; 0 is an empty post. A city's row is `extras` (additional offices,
the latest first) followed by `rows` (printed spaces, filled from the left without a gap); a green city has no
printed space, and its `rows` grow to the right by the permanent marker.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from kontor_games.engine.core.game import GameState
from kontor_games.engine.core.value import Value

from .data import BOARDS, Board

SUPPLY, MISSIONS, DEALING, PLAYING, SHOWING, OVER = range(6)  # stages of a match

ACTION, MARKER, PERMANENT = range(3)  # what a move of pieces belongs to


class Task(Value, frozen=True):
    """A decision that must be taken before anything else; the first of `State.todo` is open."""

    by: int


class Choosing(Task, tag="choosing", frozen=True):
    """Which shape goes onto `post`; `displaced` is the piece standing there, or 0."""

    post: int
    displaced: int


class Paying(Task, tag="paying", frozen=True):
    """So many pieces still go from the personal supply to the general stock."""

    due: int


class Relocating(Task, tag="relocating", frozen=True):
    """The owner of a displaced piece puts it down, and up to `left` additional ones."""

    route: int
    owner: int
    piece: int  # 0 once it stands again
    left: int
    hand: int = 0  # an additional piece on its way
    origin: int = -1  # the post it still stands on, if it comes from the board
    placed: tuple[int, ...] = ()


class Moving(Task, tag="moving", frozen=True):
    """Pieces are lifted together, then put down in the order in which they were lifted (R14)."""

    why: int
    limit: int
    lifted: tuple[tuple[int, int], ...] = ()  # (post, piece) still in hand
    moved: int = 0  # 1 once a piece went to another post
    putting: int = 0  # 1 once the first piece is down


class Claiming(Task, tag="claiming", frozen=True):
    """What the claim of `route` brings; `taken` is 1 + the marker just taken, or 0."""

    route: int
    taken: int


class Collecting(Task, tag="collecting", frozen=True):
    """The owner of a tribute takes two pieces."""


class Using(Task, tag="using", frozen=True):
    """A bonus marker was played and asks for a choice."""

    marker: int


class Bonus(Task, tag="bonus", frozen=True):
    """A permanent marker may be used; `held` pieces came from the claimed route."""

    kind: int
    left: int
    held: tuple[int, int] = (0, 0)
    hand: int = 0
    origin: int = -1
    placed: tuple[int, ...] = ()


class Sharing(Task, tag="sharing", frozen=True):
    """The owner of the tile may hire one piece after somebody else's income."""


class Neutral(Task, tag="neutral", frozen=True):
    """A route full of neutral traders must be resolved."""


class Giving(Task, tag="giving", frozen=True):
    """So many markers must still be turned over for a favour tile."""

    due: int


class Replacing(Task, tag="replacing", frozen=True):
    """Markers of the plate go onto the board at the end of the turn."""


AnyTask = (
    Choosing
    | Paying
    | Relocating
    | Moving
    | Claiming
    | Collecting
    | Using
    | Bonus
    | Sharing
    | Neutral
    | Giving
    | Replacing
)


class Player(Value, frozen=True):
    """What lies in front of one player."""

    levels: bytes  # per ability
    personal: tuple[int, int]  # traders, merchants
    general: tuple[int, int]
    score: int = 0
    unused: tuple[int, ...] = ()  # markers, ascending
    used: tuple[int, ...] = ()
    plate: tuple[int, ...] = ()  # slots drawn in this turn, seen by nobody
    waiting: tuple[int, ...] = ()  # markers face up on the plate
    favours: tuple[int, ...] = ()
    mission: int = -1  # slot of the mission card
    linked: int = 0  # place in the race for East–West, 0 = not yet


class Promo(Value, frozen=True):
    """A tribute or block laid beside a route, with a trader of its owner."""

    route: int
    marker: int
    owner: int


class State(GameState, frozen=True):
    """Everything that all seats know of one match."""

    map: int
    seats: int
    start: int
    max_rounds: int
    silver: bytes  # how many of each marker are in the supply at the start
    missions: int  # 1: mission cards are in play
    stage: int
    players: tuple[Player, ...]
    posts: bytes
    rows: tuple[bytes, ...]
    extras: tuple[bytes, ...]
    markers: bytes  # per route 1 + marker, or 0
    prestige: bytes  # per special prestige space 1 + owner, or 0
    supply: tuple[int, ...]  # slots
    display: tuple[int, ...]  # favour tiles on offer
    promos: tuple[Promo, ...] = ()
    removed: tuple[int, ...] = ()
    completed: int = 0
    linked: int = 0  # players who have scored East–West
    ended: str = ""  # the first trigger of the end
    round: int = 1
    active: int = 0
    actions: int = 0
    fresh: int = 1  # nothing was done in this turn
    permits: tuple[int, ...] = ()  # cities whose permit was used in this turn
    todo: tuple[AnyTask, ...] = ()

    @property
    def board(self) -> Board:
        return BOARDS[self.map]


def piece_code(owner: int, shape: int) -> int:
    """The number that stands for a piece on a post or in a city."""
    return 1 + 2 * owner + shape


def owner_of(code: int) -> int:
    """Whose piece it is; -1 for an empty place."""
    return (code - 1) >> 1


def shape_of(code: int) -> int:
    """Trader or merchant."""
    return (code - 1) & 1


def set_byte(line: bytes, index: int, value: int) -> bytes:
    """A copy of `line` with one place changed."""
    return line[:index] + bytes((value,)) + line[index + 1 :]


def add(stock: tuple[int, int], shape: int, count: int = 1) -> tuple[int, int]:
    """A stock with `count` more pieces of one shape."""
    return (stock[0] + count, stock[1]) if shape == 0 else (stock[0], stock[1] + count)


def change(state: State, seat: int, **fields: Any) -> State:
    """The state with some fields of one player replaced."""
    players = state.players
    player = replace(players[seat], **fields)
    return replace(state, players=(*players[:seat], player, *players[seat + 1 :]))


def put_post(state: State, post: int, code: int) -> State:
    """The state with a post set."""
    return replace(state, posts=set_byte(state.posts, post, code))


def pop(state: State) -> State:
    """The state without its first task."""
    return replace(state, todo=state.todo[1:])


def push(state: State, *tasks: AnyTask) -> State:
    """The state with tasks put before all others."""
    return replace(state, todo=(*tasks, *state.todo))


def retask(state: State, task: AnyTask) -> State:
    """The state with its first task replaced."""
    return replace(state, todo=(task, *state.todo[1:]))
