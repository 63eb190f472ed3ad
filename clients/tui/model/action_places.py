"""Where on a text board an action belongs, so that the board can show it while the menu is walked through."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from kontor_games.clients.tui.draw.paint import plain

MARGIN, CELL = 5, 4  # of the field of Joban, as its text board draws it


@dataclass(frozen=True)
class Spot:
    """Some columns of one line of the board."""

    row: int
    start: int
    end: int


def spot_of(view: dict[str, Any], text: str, target: str | None, lines: list[str]) -> Spot | None:
    """The place of an action, None if the board does not name it."""
    plains = [plain(line) for line in lines]
    finder = _FINDERS.get(str(view["game"]))
    if finder is not None and target:
        spot = finder(view, target, plains)
        if spot is not None:
            return spot
    return None


def _search(pattern: str, lines: list[str]) -> Spot | None:
    for row, line in enumerate(lines):
        found = re.search(pattern, line)
        if found:
            return Spot(row, found.start(), found.end())
    return None


def _osaka(view: dict[str, Any], target: str, lines: list[str]) -> Spot | None:
    kind, _, rest = target.partition(":")
    place = rest.partition(":")[0]
    match kind:
        case "market" if place.isdigit():
            return _search(rf"(?<![\w]){int(place) + 1}:\w+", lines)
        case "market":
            return _search(r"^Market", lines)
        case "farm":
            return _search(rf"\bf{int(place) + 1}:\w+", lines)
        case "token":
            return _search(rf"^{re.escape(rest)}\b", lines)
        case "hand" | "goods":
            return _own_card(rest, lines)
    return None


def _own_card(card: str, lines: list[str]) -> Spot | None:
    """A card in the viewer's own rows, which stand below the own name."""
    own = next((row for row, line in enumerate(lines) if "(you)" in line), None)
    if own is None:
        return None
    return _below(own, rf"(?<=[\s\[]){re.escape(card)}(?=[\s\]]|$)", lines, 8)


def _hansa(view: dict[str, Any], target: str, lines: list[str]) -> Spot | None:
    kind, _, rest = target.partition(":")
    number = rest.partition(":")[0]
    if not number.isdigit():
        return None
    index, board = int(number), view["board"]
    match kind:
        case "post" | "route" if index < len(board["routes"]):
            return _search(rf"(?<!\S){re.escape(board['routes'][index]['code'])}(?!\S)", lines)
        case "city" | "office" if index < len(board["cities"]):
            return _search(rf"(?<!\S){re.escape(board['cities'][index]['code'])} (?=\S)", lines)
    return None


def _joban(view: dict[str, Any], target: str, lines: list[str]) -> Spot | None:
    kind, _, rest = target.partition(":")
    numbers = re.findall(r"-?\d+", rest)
    if kind not in ("cell", "shop", "dragon") or len(numbers) < 2:
        return None
    x, y = int(numbers[-2]), int(numbers[-1])
    cells = [(shop["x"], shop["y"]) for shop in view["field"]] + [tuple(cell) for cell in view["building_cells"]]
    start = MARGIN + (x - min(cell[0] for cell in cells)) * CELL
    found = _search(rf"^ *{y} (?=[ \[<])", lines)
    if found is None or start + 3 > len(lines[found.row].ljust(start)) + CELL:
        return None
    return Spot(found.row, start, start + 3)


def _yokohama(view: dict[str, Any], target: str, lines: list[str]) -> Spot | None:
    kind, *numbers = target.split(":")
    indices = [int(number) for number in numbers if number.isdigit()]
    if not indices:
        return None
    match kind:
        case "area" | "house" | "five" | "shop" if indices[0] < len(view["areas"]):
            cell = re.escape(view["areas"][indices[0]]["cell"])
            return _search(rf"(?<!\S){cell} \S+", lines)
        case "church" | "customs":
            head = _search(rf"^{kind.capitalize()} \d", lines)
            return None if head is None else _below(head.row, rf"(?<!\S){indices[0] + 1}:\S+", lines, 4)
        case "lab" if len(indices) > 1:
            return _in_slot("Laboratory", indices, lines, 16)
        case "port" if len(indices) > 1:
            return _in_slot("Port", indices, lines, 8)
    return None


def _in_slot(title: str, indices: list[int], lines: list[str], rows: int) -> Spot | None:
    """The slot of a laboratory or port; they are headed by their titles, in order."""
    heads = [row for row, line in enumerate(lines) if re.match(rf"{title}.* \(deck \d+\)$", line)]
    if indices[0] >= len(heads):
        return None
    return _below(heads[indices[0]] + 1, rf"(?<!\S){indices[1] + 1} (?=[(A-Z])\S+( \S+)?", lines, rows)


def _below(row: int, pattern: str, lines: list[str], rows: int) -> Spot | None:
    found = _search(pattern, lines[row : row + rows])
    return None if found is None else Spot(row + found.row, found.start, found.end)


_FINDERS = {"osaka": _osaka, "hansa": _hansa, "joban": _joban, "yokohama": _yokohama}
