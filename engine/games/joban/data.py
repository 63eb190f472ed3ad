"""Static tables of the fair: colours, cards, tasks, directions and limits, read from data.toml."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kontor_games.engine.core.data import load_data
from kontor_games.engine.core.game import Option

DATA, DATA_DIGEST = load_data("joban")

Cell = tuple[int, int]

COLOURS: tuple[str, ...] = tuple(colour["id"] for colour in DATA["colours"])
PLAYER_COLOURS: tuple[str, ...] = tuple(colour["id"] for colour in DATA["player_colours"])
PATTERNS: tuple[str, ...] = tuple(pattern["id"] for pattern in DATA["patterns"])
BONUSES: tuple[str, ...] = tuple(bonus["id"] for bonus in DATA["bonuses"])
LINES: tuple[str, ...] = ("horizontal", "vertical", "diagonal_up", "diagonal_down")
SHOPS_PER_COLOUR: tuple[int, ...] = tuple(shop["count"] for shop in DATA["shops"])

ADJACENT, ORTHOGONAL, DIAGONAL = range(3)
SWAP, MOVE, DRAW, TASK, DOUBLE = range(5)
assert PATTERNS == ("adjacent", "orthogonal", "diagonal")
assert BONUSES == ("swap_shops", "move_shop", "draw_two", "change_task", "double_points")

DIRECTIONS: tuple[str, ...] = tuple(DATA["directions"])  # up, down, left, right, then the diagonals
STEPS: tuple[Cell, ...] = tuple((step[0], step[1]) for step in DATA["directions"].values())
RAYS: tuple[tuple[int, ...], ...] = tuple(  # the directions among which a pattern lets its player choose
    () if pattern["mode"] == "all_eight_neighbours" else tuple(DIRECTIONS.index(name) for name in pattern["directions"])
    for pattern in DATA["patterns"]
)


@dataclass(frozen=True)
class ShopCard:
    """One face of a shop card: what it builds, what its upper half scores, what its lower half does."""

    colour: int
    pattern: int
    scores: int
    bonus: int
    code: str


@dataclass(frozen=True)
class TaskCard:
    """One personal task: a direction of lines, a colour that pays and a colour that costs."""

    direction: int
    plus: int
    minus: int
    code: str


_BONUS_CODES = {"swap_shops": "swap", "move_shop": "move", "draw_two": "draw", "change_task": "task"}
_LINE_CODES = {"horizontal": "row", "vertical": "column", "diagonal_up": "rise", "diagonal_down": "fall"}


def _shop_card(card: dict[str, Any]) -> ShopCard:
    letters = card["colour"][0] + card["pattern"][0] + card["scores_colour"][0]
    return ShopCard(
        COLOURS.index(card["colour"]),
        PATTERNS.index(card["pattern"]),
        COLOURS.index(card["scores_colour"]),
        BONUSES.index(card["bonus"]),
        f"{letters}-{_BONUS_CODES.get(card['bonus'], 'double')}",
    )


def _task_card(card: dict[str, Any]) -> TaskCard:
    return TaskCard(
        LINES.index(card["direction"]),
        COLOURS.index(card["plus_colour"]),
        COLOURS.index(card["minus_colour"]),
        f"{_LINE_CODES[card['direction']]}+{card['plus_colour'][0]}-{card['minus_colour'][0]}",
    )


SHOP_CARDS: tuple[ShopCard, ...] = tuple(_shop_card(card) for card in DATA["shop_cards"])
TASKS: tuple[TaskCard, ...] = tuple(_task_card(card) for card in DATA["tasks"])
FIRST_TASK = len(SHOP_CARDS)  # faces: the shop cards, then the tasks
FACES: tuple[str, ...] = (*(card.code for card in SHOP_CARDS), *(task.code for task in TASKS))
assert len(set(FACES)) == len(FACES), "every face is unique"
DECKS: tuple[tuple[int, ...], ...] = tuple(
    tuple(face for face, card in enumerate(SHOP_CARDS) if card.colour == colour) for colour in range(len(COLOURS))
)
TASK_DECK: tuple[int, ...] = tuple(range(FIRST_TASK, len(FACES)))

START_COLOURS: tuple[int, ...] = tuple(COLOURS.index(card["colour"]) for card in DATA["start_cards"])
START_REMOVED: int = DATA["setup"]["start_cards_removed"]
START_CELLS: tuple[Cell, ...] = tuple((cell[0], cell[1]) for cell in DATA["field"]["start_cells"])
TASKS_PER_PLAYER: dict[int, int] = {int(n): tasks for n, tasks in DATA["setup"]["tasks_per_player"].items()}
EMPTY_PILES_NEEDED: dict[int, int] = {int(n): piles for n, piles in DATA["end"]["empty_piles_needed"].items()}

HAND_LIMIT: int = DATA["limits"]["hand"]
ACTIONS_PER_TURN: int = DATA["limits"]["actions_per_turn"]
DRAGONS: int = DATA["limits"]["dragons_per_player"]
BONUS_DRAW_PILES: int = DATA["limits"]["bonus_draw_piles"]
TASK_DRAW: int = DATA["limits"]["change_task_draw"]

PER_SHOP: int = DATA["scoring"]["per_shop"]
PER_FOREIGN_DRAGON: int = DATA["scoring"]["per_foreign_dragon"]
OWNER_PER_DRAGON: int = DATA["scoring"]["owner_per_dragon"]
PLUS_SHOP: int = DATA["final_scoring"]["plus_per_shop"]
MINUS_SHOP: int = DATA["final_scoring"]["minus_per_shop"]
PLUS_DRAGON: int = DATA["final_scoring"]["plus_per_dragon"]
MINUS_DRAGON: int = DATA["final_scoring"]["minus_per_dragon"]
FINAL_OWNER_PER_DRAGON: int = DATA["final_scoring"]["owner_per_dragon"]

_OPTION_TEXTS = {
    "field_half_extent": "How far the field reaches from the first shop; 0 is without bound.",
    "bonus_may_be_declined": "A bonus may be declined; otherwise it must be used where it can be.",
    "bonus_excludes_new_shop": "Swap and move leave the shop just built alone.",
    "move_must_keep_field_connected": "A moved shop must not split the field.",
    "final_own_dragons_count": "In final scoring a player's own dragons count like those of others.",
    "reshuffle_task_discards": "Discarded tasks are shuffled back when the task pile runs short.",
}
OPTIONS: tuple[Option, ...] = tuple(
    Option(option["id"], option["default"], tuple(option["allowed"]), _OPTION_TEXTS[option["id"]])
    for option in DATA["options"]
)
