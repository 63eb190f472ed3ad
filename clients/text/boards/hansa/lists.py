"""Cities and routes as lists: for narrow terminals, for ears, and for whatever the map has no room to say."""

from __future__ import annotations

from collections.abc import Iterable

from .signs import Paint, Sign, View, cut, offices, on_route, painted, piece, plain, route_name, tags

CITY, ROUTE = 40, 40  # columns of an entry, where it fits


def city_list(view: View, width: int, paint: Paint) -> list[str]:
    """All cities."""
    entries = [city_signs(view, index) for index in range(len(view["board"]["cities"]))]
    return _columns(entries, width, max(CITY, width // 2), paint)


def route_list(view: View, width: int, paint: Paint) -> list[str]:
    """All routes."""
    entries = [route_signs(view, index) for index in range(len(view["board"]["routes"]))]
    return _columns(entries, width, max(ROUTE, width // 2), paint)


def city_signs(view: View, index: int) -> list[Sign]:
    """`Göttingen actions: +B [G](w)[p] =G`."""
    city = view["board"]["cities"][index]
    head = " ".join([city["name"], *tags(city)])
    return [(city["name"], "bold"), (head[len(city["name"]) :], ""), (": ", ""), *offices(view, index)]


def route_signs(view: View, index: int) -> list[Sign]:
    """`Hamburg–Lübeck [B] ○ (G) *swap`: posts from the first city on, then markers."""
    route = view["board"]["routes"][index]
    signs: list[Sign] = [(route_name(view, index), "bold"), (" ", "")]
    for spot, found in zip(route["posts"], view["posts"][index], strict=True):
        signs.append(piece(view, found) if found else free_post(spot))
    if route["region"] != view["board"]["home"]:
        signs.append((f" {route['region'].capitalize()}", "dim"))
    return [*signs, *((f" {text}", style) for text, style in on_route(view, index))]


def free_post(spot: View) -> Sign:
    """A post on which nobody stands; brackets say that it takes merchants only."""
    return ("( )", "") if spot["ship"] else (" \N{WHITE CIRCLE} ", "")


def _columns(entries: Iterable[list[Sign]], width: int, cell: int, paint: Paint) -> list[str]:
    """Entries side by side, column by column; one that is too long takes a line of its own."""
    listed = [(plain(signs), painted(signs, paint)) for signs in entries]
    count = max(1, width // cell)
    narrow = [each for each in listed if len(each[0]) < cell]
    rows = -(-len(narrow) // count)
    lines = []
    for row in range(rows):
        parts = narrow[row::rows]
        line = "".join(text + " " * (cell - len(bare)) for bare, text in parts[:-1])
        lines.append(line + parts[-1][1])
    for bare, text in listed:
        if len(bare) >= cell:
            lines.append(text if len(bare) <= width else cut(bare, width))
    return lines
