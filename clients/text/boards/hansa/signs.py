"""What stands for what: pieces by shape and owner, markers and abilities by short words.

`[B]` is a trader of Blue, `(B)` a merchant; `[o]` and `(o)` are free office spaces for a trader or a merchant that
need the privilege of that letter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

View = dict[str, Any]
Paint = Callable[[str, str], str]
Sign = tuple[str, str]  # a text and its style

STYLES = {"blue": "blue", "green": "green", "purple": "magenta", "red": "red", "yellow": "yellow"}
PRIVILEGE = {"white": "w", "orange": "o", "pink": "p", "black": "k"}
MARKER = {
    "extra_office": "office+",
    "swap_offices": "swap",
    "move_3": "move 3",
    "develop_ability": "develop",
    "plus_3_actions": "+3 act",
    "plus_4_actions": "+4 act",
    "exchange_marker": "trade",
    "office_tribute": "tribute",
    "route_block": "block",
}
PERMANENT = {
    "move_any_2": "move any 2",
    "develop_privilege": "privilege",
    "office_in_green_city": "green office",
    "reuse_2_from_route": "keep 2",
    "place_2_in_wales_scotland": "2 to W/S",
}


def letter(view: View, owner: int | str) -> str:
    """An owner's letter: the first of the colour, N for the neutral player."""
    return "N" if owner == "neutral" else str(view["players"][owner]["colour"])[0].upper()


def style(view: View, owner: int | str) -> str:
    """An owner's colour."""
    return "dim" if owner == "neutral" else STYLES[view["players"][owner]["colour"]]


def piece(view: View, found: View) -> Sign:
    """A piece on a post or in an office."""
    name = letter(view, found["owner"])
    return f"[{name}]" if found["piece"] == "trader" else f"({name})", style(view, found["owner"])


def route_name(view: View, index: int) -> str:
    """A route by its cities, in the order in which its posts are counted."""
    cities, route = view["board"]["cities"], view["board"]["routes"][index]
    return f"{cities[route['a']]['name']}\N{EN DASH}{cities[route['b']]['name']}"


def tags(city: View) -> list[str]:
    """What a city offers besides offices."""
    found = [*city["abilities"]]
    found += ["prestige"] if city["special"] else []
    found += ["E\N{EN DASH}W"] if city["east_west_end"] else []
    found += ["green"] if city["green"] else []
    found += ["permit " + "/".join(region[0].upper() for region in city["permits"])] if city["permits"] else []
    return found


def offices(view: View, index: int) -> list[Sign]:
    """`+BG [R](w)[p]+1 =B`: additional offices, the row with its free spaces and coins, who controls the city."""
    city, held = view["board"]["cities"][index], view["offices"][index]
    signs: list[Sign] = []
    if held["extra"]:
        signs.append(("+", ""))
        signs += [(letter(view, each["owner"]), style(view, each["owner"])) for each in held["extra"]]
        signs.append((" ", ""))
    signs += [piece(view, each) for each in held["row"]]
    for space in city["spaces"][len(held["row"]) :]:
        sign = PRIVILEGE[space["colour"]]
        shape = f"[{sign}]" if space["piece"] == "trader" else f"({sign})"
        signs.append((shape + (f"+{space['coin']}" if space["coin"] else ""), ""))
    return [*signs, *_control(view, held["controller"])]


def offices_in_short(view: View, index: int) -> list[Sign]:
    """The same where room is scarce: owners by their letters alone, without free spaces."""
    held = view["offices"][index]
    signs: list[Sign] = [("+", "")] if held["extra"] else []
    signs += [(letter(view, each["owner"]), style(view, each["owner"])) for each in held["extra"]]
    signs += [(" ", "")] if held["extra"] else []
    signs += [(letter(view, each["owner"]), style(view, each["owner"])) for each in held["row"]]
    return [*signs, *_control(view, held["controller"])]


def _control(view: View, owner: int | str | None) -> list[Sign]:
    return [] if owner is None else [(f" ={letter(view, owner)}", style(view, owner))]


def on_route(view: View, index: int) -> list[Sign]:
    """What lies beside a route: `*swap`, a promo marker with its owner, the printed permanent marker."""
    route = view["board"]["routes"][index]
    signs: list[Sign] = []
    if view["markers"][index]:
        signs.append((f"*{MARKER[view['markers'][index]]}", "bold"))
    for promo in view["promos"]:
        if promo["route"] == index:
            text = f"!{MARKER[promo['marker']]} {letter(view, promo['owner'])}"
            signs.append((text, style(view, promo["owner"])))
    if route["permanent"]:
        signs.append((f"={PERMANENT[route['permanent']]}", "dim"))
    return signs


def plain(signs: Iterable[Sign]) -> str:
    """Without styles, for its width."""
    return "".join(text for text, _ in signs)


def painted(signs: Iterable[Sign], paint: Paint) -> str:
    """With styles."""
    return "".join(paint(text, style) if style else text for text, style in signs)


def cut(text: str, width: int) -> str:
    """At most so many columns."""
    return text if len(text) <= width else text[: width - 1] + "\N{HORIZONTAL ELLIPSIS}"


def spaced(id: str) -> str:
    """An id as words: `free_relocation` reads «free relocation»."""
    return id.replace("_", " ")
