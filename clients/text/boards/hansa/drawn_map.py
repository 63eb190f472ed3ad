"""The map, drawn: every side of the board is a picture in `maps/`, into which cities, pieces and markers are put.

In a picture `@got___` is the city with the code «got», with the room that its two lines have; `A1 ` is the first post
of the first route (letters count routes in the order of the game's data, capitals before small ones), and `A*____` the
room beside it for what lies there. All other signs are drawn as they are: dots are roads, waves are ways by sea.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from string import ascii_letters

from ..spot import MapSpot
from .lists import free_post
from .signs import Paint, Sign, View, offices, offices_in_short, on_route, piece, tags

WIDTH = 100
ROUTES = ascii_letters[26:] + ascii_letters[:26]
POST = 3  # columns of a post
_SIGN = re.compile(r"@(?P<city>[a-z]{3})_*|(?P<route>[A-Za-z])(?:(?P<post>[1-9]) ?|\*_*)")


@dataclass(frozen=True)
class Picture:
    """One side of the board: its roads, and where everything else goes."""

    lines: tuple[str, ...]
    cities: dict[str, MapSpot]  # the first line of each
    posts: dict[tuple[int, int], MapSpot]
    markers: dict[int, MapSpot]


@cache
def picture(side: str) -> Picture:
    """The picture of a side of the board."""
    text = resources.files(__package__).joinpath("maps", f"{side}.txt").read_text(encoding="utf-8")
    cities: dict[str, MapSpot] = {}
    posts: dict[tuple[int, int], MapSpot] = {}
    markers: dict[int, MapSpot] = {}
    lines = []
    for row, line in enumerate(text.splitlines()):
        for found in _SIGN.finditer(line):
            start, end = found.span()
            if found["city"]:
                cities[found["city"]] = MapSpot(row, start, end)
            elif found["post"]:
                posts[ROUTES.index(found["route"]), int(found["post"]) - 1] = MapSpot(row, start, start + POST)
            else:
                markers[ROUTES.index(found["route"])] = MapSpot(row, start, end)
        lines.append(_SIGN.sub(lambda found: " " * len(found[0]), line))
    return Picture(tuple(lines), cities, posts, markers)


def has_picture(side: str) -> bool:
    """Whether this side was drawn."""
    return resources.files(__package__).joinpath("maps", f"{side}.txt").is_file()


class _Sheet:
    """Characters with their styles, written over each other."""

    def __init__(self, lines: tuple[str, ...]) -> None:
        self._cells = [[(char, "dim" if char != " " else "") for char in line.ljust(WIDTH)] for line in lines]

    def put(self, spot: MapSpot, signs: list[Sign]) -> bool:
        """Write into a room; False if the end had to be left out."""
        cells = [(char, style) for text, style in signs for char in text]
        room = spot.end - spot.start
        fits = len(cells) <= room
        if not fits:
            cells = [*cells[: room - 1], ("\N{HORIZONTAL ELLIPSIS}", "")]
        self._cells[spot.row][spot.start : spot.start + len(cells)] = cells
        return fits

    def lines(self, paint: Paint, part: slice) -> list[str]:
        """Some columns, painted."""
        out = []
        for row in self._cells:
            line, run, style = "", "", ""
            for char, its in [*row[part], ("", "end")]:
                if its != style:
                    line, run, style = line + (paint(run, style) if style else run), "", its
                run += char
            out.append(line)
        return out


def draw(view: View, paint: Paint, part: slice = slice(None)) -> tuple[list[str], list[int], list[int]]:
    """The lines of the map or some of its columns; cities and routes of which it could not show everything."""
    board = view["board"]
    drawn = picture(board["id"])
    sheet = _Sheet(drawn.lines)
    cities, routes = [], []
    for index, city in enumerate(board["cities"]):
        spot = drawn.cities[city["code"]]
        sheet.put(spot, [(city["name"], "bold"), *((f" {tag}", "dim") for tag in tags(city))])
        below = MapSpot(spot.row + 1, spot.start, spot.end)
        if not sheet.put(below, offices(view, index)):
            sheet.put(below, [*offices_in_short(view, index), (" " * (spot.end - spot.start), "")])
            cities.append(index)
    for index, route in enumerate(board["routes"]):
        for place, facts in enumerate(route["posts"]):
            found = view["posts"][index][place]
            sheet.put(drawn.posts[index, place], [piece(view, found) if found else free_post(facts)])
        signs = on_route(view, index)
        if signs and (index not in drawn.markers or not sheet.put(drawn.markers[index], [*_spaced(signs)])):
            routes.append(index)
    return sheet.lines(paint, part), cities, routes


def _spaced(signs: list[Sign]) -> list[Sign]:
    return [each for sign in signs for each in ((" ", ""), sign)][1:]


def spots_of(view: View, target: str) -> list[MapSpot]:
    """Where on the map an element of the board is: a route is all its posts."""
    kind, *numbers = target.split(":")
    drawn, board = picture(view["board"]["id"]), view["board"]
    if not numbers or not numbers[0].isdigit():
        return []
    index = int(numbers[0])
    match kind:
        case "post" if len(numbers) > 1 and (index, int(numbers[1])) in drawn.posts:
            return [drawn.posts[index, int(numbers[1])]]
        case "route":
            return [spot for (route, _), spot in drawn.posts.items() if route == index]
        case "city" | "office" if index < len(board["cities"]):
            spot = drawn.cities[board["cities"][index]["code"]]
            return [spot, MapSpot(spot.row + 1, spot.start, spot.end)]
    return []
