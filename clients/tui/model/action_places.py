"""Where on a text board an action belongs, so that the board can show it while the menu is walked through."""

from __future__ import annotations

import re
from typing import Any

from kontor_games.clients.text.boards import hansa
from kontor_games.clients.text.boards.spot import MapSpot
from kontor_games.clients.tui.draw.paint import plain

MARGIN, CELL = 5, 4  # of the field of Joban, as its text board draws it


def spots_of(view: dict[str, Any], target: str | None, lines: list[str], width: int) -> list[MapSpot]:
    """The places of an action on a board drawn in this width, none if the board does not name them."""
    if not target:
        return []
    if view["game"] == "hansa":
        return hansa.spots(view, width, target)
    finder = _FINDERS.get(str(view["game"]))
    spot = None if finder is None else finder(view, target, [plain(line) for line in lines])
    return [] if spot is None else [spot]


def _search(pattern: str, lines: list[str]) -> MapSpot | None:
    for row, line in enumerate(lines):
        found = re.search(pattern, line)
        if found:
            return MapSpot(row, found.start(), found.end())
    return None


def _osaka(view: dict[str, Any], target: str, lines: list[str]) -> MapSpot | None:
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


def _own_card(card: str, lines: list[str]) -> MapSpot | None:
    """A card in the viewer's own rows, which stand below the own name."""
    own = next((row for row, line in enumerate(lines) if "(you)" in line), None)
    if own is None:
        return None
    return _below(own, rf"(?<=[\s\[]){re.escape(card)}(?=[\s\]]|$)", lines, 8)


def _joban(view: dict[str, Any], target: str, lines: list[str]) -> MapSpot | None:
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
    return MapSpot(found.row, start, start + 3)


def _yokohama(view: dict[str, Any], target: str, lines: list[str]) -> MapSpot | None:
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


def _in_slot(title: str, indices: list[int], lines: list[str], rows: int) -> MapSpot | None:
    """The slot of a laboratory or port; they are headed by their titles, in order."""
    heads = [row for row, line in enumerate(lines) if re.match(rf"{title}.* \(deck \d+\)$", line)]
    if indices[0] >= len(heads):
        return None
    return _below(heads[indices[0]] + 1, rf"(?<!\S){indices[1] + 1} (?=[(A-Z])\S+( \S+)?", lines, rows)


def _below(row: int, pattern: str, lines: list[str], rows: int) -> MapSpot | None:
    found = _search(pattern, lines[row : row + rows])
    return None if found is None else MapSpot(row + found.row, found.start, found.end)


_FINDERS = {"osaka": _osaka, "joban": _joban, "yokohama": _yokohama}
