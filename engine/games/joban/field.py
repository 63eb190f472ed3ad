"""Geometry of the field: neighbours, rays, lines, legal cells; pure functions over a lookup of shops."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from kontor_games.engine.core.reason import Reason

from .data import STEPS, Cell
from .state import NOBODY, Shop, State

Shops = dict[Cell, tuple[int, int]]  # cell -> colour, seat of the dragon or NOBODY


def lookup(field: Iterable[Shop]) -> Shops:
    """The field by cell."""
    return {(x, y): (colour, dragon) for x, y, colour, dragon in field}


def compact(shops: Shops) -> tuple[Shop, ...]:
    """The field as the state keeps it: ascending by cell."""
    return tuple(sorted((x, y, colour, dragon) for (x, y), (colour, dragon) in shops.items()))


@lru_cache(maxsize=4096)
def neighbours(cell: Cell) -> tuple[Cell, ...]:
    """The eight cells that touch this one by side or corner."""
    x, y = cell
    return tuple((x + dx, y + dy) for dx, dy in STEPS)


def inside(half: int, cell: Cell) -> bool:
    """Whether the cell lies in the frame (R1)."""
    return half == 0 or (-half <= cell[0] <= half and -half <= cell[1] <= half)


def touches(shops: Shops, cell: Cell, lifted: Cell | None = None) -> bool:
    """Whether the cell touches a shop other than the lifted one."""
    return any(near in shops and near != lifted for near in neighbours(cell))


def say_cell(cell: Cell) -> str:
    """A cell as players write it; not with a comma, which parts actions typed in one line."""
    return f"{cell[0]}/{cell[1]}"


def on_cell(cell: Cell) -> dict[str, str | Cell]:
    """A cell in a reason: as players write it, and as numbers."""
    return {"cell": say_cell(cell), "at": cell}


def why_not_build(half: int, shops: Shops, cell: Cell, lifted: Cell | None = None) -> str | None:
    """Why no shop may be put on this cell (`lifted`: the shop being moved), or None."""
    if cell in shops:
        return Reason("shop_there", "there is a shop on {cell}", **on_cell(cell))
    if not inside(half, cell):
        return Reason("outside", "{cell} lies outside the field, which ends at {half}", **on_cell(cell), half=half)
    if not touches(shops, cell, lifted):
        if lifted:
            return Reason("touches_no_other", "{cell} touches no other shop", **on_cell(cell))
        return Reason("touches_none", "{cell} touches no shop", **on_cell(cell))
    return None


@lru_cache(maxsize=4096)
def _inside_around(half: int, cell: Cell) -> frozenset[Cell]:
    """The cells of the frame that touch this one."""
    return frozenset(near for near in neighbours(cell) if inside(half, near))


def building_cells(half: int, shops: Iterable[Cell]) -> tuple[Cell, ...]:
    """All empty cells of the frame that touch a shop, ascending."""
    return _building_cells(half, tuple(shops))


@lru_cache(maxsize=256)
def _building_cells(half: int, shops: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """Remembered: who compares cards to play asks about one field again and again."""
    found: set[Cell] = set().union(*(_inside_around(half, cell) for cell in shops))
    return tuple(sorted(found.difference(shops)))


def ray(shops: Shops, cell: Cell, direction: int, colour: int) -> list[Cell]:
    """The unbroken row of shops of one colour that starts next to `cell`."""
    dx, dy = STEPS[direction]
    x, y = cell[0] + dx, cell[1] + dy
    found = []
    while (shop := shops.get((x, y))) is not None and shop[0] == colour:
        found.append((x, y))
        x, y = x + dx, y + dy
    return found


def around(shops: Shops, cell: Cell, colour: int) -> list[Cell]:
    """The neighbouring shops of one colour."""
    return [near for near in neighbours(cell) if near in shops and shops[near][0] == colour]


def line_index(direction: int, cell: Cell) -> int:
    """The number of the line of this direction through a cell: y, x, x − y or x + y."""
    x, y = cell
    return (y, x, x - y, x + y)[direction]


def components(cells: Iterable[Cell]) -> list[set[Cell]]:
    """The groups of cells that hang together by sides and corners; their order means nothing."""
    rest = set(cells)
    groups = []
    while rest:
        group = {rest.pop()}
        edge = list(group)
        while edge:
            for near in neighbours(edge.pop()):
                if near in rest:
                    rest.discard(near)
                    group.add(near)
                    edge.append(near)
        groups.append(group)
    return groups


def free_shops(shops: Shops, cell: Cell) -> list[Cell]:
    """Neighbouring shops without a dragon: where a dragon may go (R3), ascending."""
    return sorted(near for near in neighbours(cell) if near in shops and shops[near][1] == NOBODY)


def bonus_cells(state: State) -> list[Cell]:
    """The shops that swap and move may touch, ascending; R6: not the one just built."""
    return [(x, y) for x, y, _, _ in state.field if not state.spare_new or (x, y) != state.new]


def twins(state: State) -> list[Cell]:
    """The shops like the picked one, ascending: to swap it with any of them, or to put it on any, is the same."""
    shops = lookup(state.field)
    picked = state.picked
    if picked is None or picked not in shops:
        return []
    return [cell for cell in bonus_cells(state) if cell != picked and shops[cell] == shops[picked]]


def groups_without(state: State, shops: Shops, origin: Cell) -> list[set[Cell]]:
    """The parts that only the shop on `origin` holds together; none if splitting is allowed (R7)."""
    if not state.keep_connected:
        return []
    if len(components(near for near in neighbours(origin) if near in shops)) < 2:
        return []  # its neighbours touch each other: the quick and usual case
    groups = components(cell for cell in shops if cell != origin)
    return groups if len(groups) > 1 and len(components(shops)) == 1 else []


def joining_cells(state: State, shops: Shops, groups: list[set[Cell]]) -> list[Cell]:
    """The empty cells of the frame that touch every one of these groups, ascending."""
    found = set.intersection(*({near for cell in group for near in neighbours(cell)} for group in groups))
    return sorted(cell for cell in found if cell not in shops and inside(state.half, cell))


def move_targets(state: State, shops: Shops, origin: Cell) -> list[Cell]:
    """Where the shop on `origin` may move, ascending: empty building cells and shops to replace."""
    groups = groups_without(state, shops, origin)
    if groups:
        return joining_cells(state, shops, groups)
    rest = {cell: shop for cell, shop in shops.items() if cell != origin}
    empty = [cell for cell in building_cells(state.half, rest) if cell != origin]
    return sorted(empty + [cell for cell in bonus_cells(state) if cell != origin])


def can_move(state: State, shops: Shops, origin: Cell) -> bool:
    """Whether the shop on `origin` has anywhere to go; quicker than listing where."""
    groups = groups_without(state, shops, origin)
    if groups:
        return bool(joining_cells(state, shops, groups))
    another = len(shops) > (2 if state.spare_new else 1)  # an earlier shop that can be replaced
    return another or bool(move_targets(state, shops, origin))
