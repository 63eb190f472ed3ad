"""What the field of the fair offers: points that builds would bring, and how the lines of a task stand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

from kontor_games.engine import Known
from kontor_games.engine.games.joban.data import (
    DIAGONAL,
    FINAL_OWNER_PER_DRAGON,
    FIRST_TASK,
    MINUS_DRAGON,
    MINUS_SHOP,
    ORTHOGONAL,
    PLUS_DRAGON,
    PLUS_SHOP,
    SHOP_CARDS,
    STEPS,
    TASKS,
    Cell,
)
from kontor_games.engine.games.joban.field import Shops, building_cells, line_index, lookup
from kontor_games.engine.games.joban.state import NOBODY, Shop, State

KINDS = 9  # of upper halves


class BuildSpot(NamedTuple):
    """A build for points: what it brings, where, and how many dragons of others score with it."""

    points: int
    cell: Cell
    direction: int  # -1 where the card scores all around
    dragons: int


def kind_of(face: int) -> int:
    """The number of a card's upper half: what it scores and how."""
    card = SHOP_CARDS[face]
    return 3 * card.pattern + card.scores


@lru_cache(maxsize=16)
def spots(field: tuple[Shop, ...], half: int, seat: int) -> tuple[tuple[BuildSpot, ...], ...]:
    """By kind of upper half: every build that would bring a seat points, the directions of a ray apart."""
    shops = lookup(field)
    found: tuple[list[BuildSpot], ...] = tuple([] for _ in range(KINDS))
    for cell in building_cells(half, shops):
        around, dragons = [0, 0, 0], [0, 0, 0]  # by colour
        for number, (dx, dy) in enumerate(STEPS):
            x, y = cell[0] + dx, cell[1] + dy
            shop = shops.get((x, y))
            if shop is None:
                continue
            colour = shop[0]
            around[colour] += 1
            dragons[colour] += shop[1] not in (NOBODY, seat)
            length = foreign = 0
            while shop is not None and shop[0] == colour:
                length += 1
                foreign += shop[1] not in (NOBODY, seat)
                x, y = x + dx, y + dy
                shop = shops.get((x, y))
            kind = colour + 3 * (ORTHOGONAL if number < 4 else DIAGONAL)
            found[kind].append(BuildSpot(length + foreign, cell, number, foreign))
        for colour in range(3):
            if around[colour]:
                found[colour].append(BuildSpot(around[colour] + dragons[colour], cell, -1, dragons[colour]))
    return tuple(map(tuple, found))


def best_points(shops: Shops, half: int, seat: int) -> tuple[list[int], list[int]]:
    """By kind of upper half: the most points that a build can bring now, to a seat and to any other.

    A rival's own dragons are taken for somebody else's, which makes little difference and saves half of the work.
    """
    mine, theirs = [0] * KINDS, [0] * KINDS
    for x0, y0 in building_cells(half, shops):
        near, own_near = [0, 0, 0], [0, 0, 0]
        for number, (dx, dy) in enumerate(STEPS):
            shop = shops.get((x0 + dx, y0 + dy))
            if shop is None:
                continue
            colour, dragon = shop
            value = 1 if dragon == NOBODY else 2
            own = int(dragon == seat)
            near[colour] += value
            own_near[colour] += own
            x, y = x0 + 2 * dx, y0 + 2 * dy
            while (shop := shops.get((x, y))) is not None and shop[0] == colour:
                value += 1 if shop[1] == NOBODY else 2
                own += shop[1] == seat
                x, y = x + dx, y + dy
            kind = colour + 3 * (ORTHOGONAL if number < 4 else DIAGONAL)
            if value > theirs[kind]:
                theirs[kind] = value
            if value - own > mine[kind]:
                mine[kind] = value - own
        for colour in range(3):
            if near[colour] > theirs[colour]:
                theirs[colour] = near[colour]
            if near[colour] - own_near[colour] > mine[colour]:
                mine[colour] = near[colour] - own_near[colour]
    return mine, theirs


class TaskLines:
    """The lines of one task: what each would bring now, and how changes of the field would change the best."""

    def __init__(self, shops: Shops, task: int, seat: int, own_dragons: int) -> None:
        card = TASKS[task - FIRST_TASK]
        self.plus, self._minus, self._direction = card.plus, card.minus, card.direction
        self._seat, self._own = seat, own_dragons
        sums: dict[int, int] = {}
        self._shops: dict[Cell, tuple[int, int]] = {}  # the line of every shop, and what it adds to it
        for cell, shop in shops.items():
            line, by = line_index(card.direction, cell), self.brings(shop)
            self._shops[cell] = line, by
            sums[line] = sums.get(line, 0) + by
        self._sums = sums
        self._known: dict[tuple[int, int], dict[tuple[int, int], int]] = {}
        self._top = sorted(sums.items(), key=lambda item: -item[1])[:3]  # a change touches two lines at most
        self.best = self._top[0][1]

    def brings(self, shop: tuple[int, int]) -> int:
        """What a shop adds to its line."""
        colour, dragon = shop
        if colour == self.plus:
            if dragon == NOBODY or (dragon == self._seat and not self._own):
                return PLUS_SHOP
            return PLUS_SHOP + PLUS_DRAGON + FINAL_OWNER_PER_DRAGON * (dragon == self._seat)
        if colour != self._minus:
            return 0
        if dragon == NOBODY or (dragon == self._seat and not self._own):
            return MINUS_SHOP
        return MINUS_SHOP + MINUS_DRAGON + FINAL_OWNER_PER_DRAGON * (dragon == self._seat)

    def line(self, cell: Cell) -> int:
        """The number of the line through a cell."""
        return line_index(self._direction, cell)

    def gain(self, line: int, by: int) -> int:
        """How the best line changes when one line changes by so much."""
        value = self._sums.get(line, 0) + by
        for other, best in self._top:
            if other != line:
                return max(best, value) - self.best
        return value - self.best

    def _gain_of_two(self, line: int, by: int, other: int, by_other: int) -> int:
        """The same when two lines change, or one of them twice."""
        if line == other:
            return self.gain(line, by + by_other)
        value, second = self._sums.get(line, 0) + by, self._sums.get(other, 0) + by_other
        if second > value:
            value = second
        for third, best in self._top:
            if third != line and third != other:
                return max(best, value) - self.best
        return value - self.best

    def shifts(self, pick: Cell, is_swap: bool) -> Callable[[Cell], int]:
        """How the best line changes when the shop on a cell goes to another one; what was there goes back, or away.

        Ask for swaps or for moves, not for both.
        """
        line, mine = self._shops[pick]
        known = self._known.setdefault((line, mine), {})  # cells that are alike are the same for the task
        shops, direction = self._shops, self._direction

        def gain(target: Cell) -> int:
            place = shops.get(target) or (line_index(direction, target), 0)
            found = known.get(place)
            if found is None:
                there, other = place
                found = self._gain_of_two(line, other * is_swap - mine, there, mine - other)
                known[place] = found
            return found

        return gain

    def gain_of(self, cell: Cell, colour: int, dragon: int) -> int:
        """How the best line changes with a new shop."""
        by = self.brings((colour, dragon))
        return self.gain(self.line(cell), by) if by else 0


def lines_of(state: State, shops: Shops, seat: int, known: Known, slots: Iterable[int]) -> list[TaskLines]:
    """The lines of those tasks that a seat can read."""
    faces = (state.desk.face(slot, known) for slot in slots)
    return [TaskLines(shops, face, seat, state.own_dragons) for face in faces if face is not None]
