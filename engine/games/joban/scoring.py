"""Points: of a build, of a line at the end, and who has won."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kontor_games.engine.core.game import Result

from .data import (
    EMPTY_PILES_NEEDED,
    FINAL_OWNER_PER_DRAGON,
    FIRST_TASK,
    MINUS_DRAGON,
    MINUS_SHOP,
    OWNER_PER_DRAGON,
    PER_FOREIGN_DRAGON,
    PER_SHOP,
    PLUS_DRAGON,
    PLUS_SHOP,
    RAYS,
    SHOP_CARDS,
    TASKS,
    Cell,
)
from .field import Shops, around, line_index, ray
from .state import CATEGORIES, NOBODY, OVER, State


def scored_cells(shops: Shops, card: int, cell: Cell, direction: int | None) -> list[Cell]:
    """The shops that a card scores from its new shop; the new shop itself never counts."""
    face = SHOP_CARDS[card]
    if not RAYS[face.pattern]:
        return around(shops, cell, face.scores)
    assert direction is not None
    return ray(shops, cell, direction, face.scores)


def build_points(shops: Shops, scored: Iterable[Cell], seat: int) -> int:
    """Points of the builder: each scored shop, and each dragon of somebody else on one."""
    points = 0
    for cell in scored:
        points += PER_SHOP
        if shops[cell][1] not in (NOBODY, seat):
            points += PER_FOREIGN_DRAGON
    return points


def scored_dragons(
    shops: Shops, scored: Iterable[Cell], seat: int, seats: int
) -> tuple[tuple[int, tuple[Cell, ...]], ...]:
    """The other owners of dragons on scored shops, clockwise from the builder's left, with the cells (R4)."""
    cells: dict[int, list[Cell]] = {}
    for cell in sorted(scored):
        cells.setdefault(shops[cell][1], []).append(cell)
    clockwise = ((seat + step) % seats for step in range(1, seats))
    return tuple((owner, tuple(cells[owner])) for owner in clockwise if owner in cells)


def owner_points(dragons: int) -> int:
    """What the owner of scored dragons gets."""
    return dragons * OWNER_PER_DRAGON


def task_lines(field: Iterable[tuple[int, int, int, int]], task: int) -> list[int]:
    """The lines of a task's direction that hold at least one shop (R14), ascending."""
    direction = TASKS[task - FIRST_TASK].direction
    return sorted({line_index(direction, (x, y)) for x, y, _, _ in field})


def line_points(shops: Shops, task: int, line: int, seat: int, own_dragons: int) -> tuple[int, dict[int, int]]:
    """Points of a whole line for the one who scores it, and what each owner of a dragon on it gets."""
    card = TASKS[task - FIRST_TASK]
    points = 0
    owners: dict[int, int] = {}
    for cell, (colour, dragon) in shops.items():
        if colour not in (card.plus, card.minus) or line_index(card.direction, cell) != line:
            continue
        points += PLUS_SHOP if colour == card.plus else MINUS_SHOP
        if dragon != NOBODY and (dragon != seat or own_dragons):  # R12
            points += PLUS_DRAGON if colour == card.plus else MINUS_DRAGON
            owners[dragon] = owners.get(dragon, 0) + FINAL_OWNER_PER_DRAGON
    return points, owners


def line_values(shops: Shops, task: int, seat: int, own_dragons: int) -> dict[int, int]:
    """What each line of a task would bring its owner, own dragons included; as `line_points`, for all lines at once."""
    card = TASKS[task - FIRST_TASK]
    values: dict[int, int] = {}
    for cell, (colour, dragon) in shops.items():
        line = line_index(card.direction, cell)
        value = values.get(line, 0)
        if colour in (card.plus, card.minus):
            value += PLUS_SHOP if colour == card.plus else MINUS_SHOP
            if dragon != NOBODY and (dragon != seat or own_dragons):  # R12
                value += PLUS_DRAGON if colour == card.plus else MINUS_DRAGON
                value += FINAL_OWNER_PER_DRAGON * (dragon == seat)
        values[line] = value
    return values


def is_last_round(piles: Sequence[Sequence[int]], seats: int) -> bool:
    """Whether enough piles are empty to end the match with this round."""
    return sum(not pile for pile in piles) >= EMPTY_PILES_NEEDED[seats]


def winners(scores: Sequence[int]) -> tuple[int, ...]:
    """All seats with the most points: ties share the win."""
    return tuple(seat for seat, score in enumerate(scores) if score == max(scores))


def result(state: State) -> Result | None:
    """How the match ended, or None while it goes on."""
    if state.phase != OVER:
        return None
    scores = tuple(player.score for player in state.players)
    return Result(
        reason="one_pile" if EMPTY_PILES_NEEDED[len(scores)] == 1 else "two_piles",
        winners=winners(scores),
        scores=scores,
        places=tuple(1 + sum(other > score for other in scores) for score in scores),
        breakdown=tuple(
            (name, tuple(player.points[index] for player in state.players)) for index, name in enumerate(CATEGORIES)
        ),
    )
