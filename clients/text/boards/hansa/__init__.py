"""Hansa Teutonica in the terminal: the map, drawn or as lists, and the desks as lines of text."""

from __future__ import annotations

from typing import Any

from ..spot import MapSpot
from .desks import desks, name, wrap
from .drawn_map import WIDTH, draw, has_picture, spots_of
from .lists import city_list, city_signs, route_list, route_signs
from .signs import MARKER, PERMANENT, Paint, cut, letter, painted, piece, plain, route_name, spaced

LEGEND = (
    "[B] trader, (B) merchant of Blue; \N{WHITE CIRCLE} free post, ( ) for merchants only. Offices: [o] (o) free for a "
    "trader or merchant, with the privilege they need (w white < o orange < p pink < k black), +1 coin; +B additional "
    "office, =B who controls the city. * marker beside a route, = printed there for good, ! laid by a player. "
    "5t 1m: five traders, one merchant."
)
ABROAD = " Roads of colons lie in {}, where every piece needs a city's permit."
LAST_ROUNDS = 20  # the limit of rounds is told when it comes near
TASK = {
    "choosing": "chooses trader or merchant for the post",
    "paying": "pays the price: {due} more",
    "relocating": "relocates around {route}",
    "moving": "moves up to {limit} pieces",
    "claiming": "has claimed {route} and chooses what it brings",
    "collecting": "takes the tribute",
    "using": "uses {marker}",
    "bonus": "may use the permanent marker: {permanent}",
    "sharing": "may hire one piece",
    "neutral": "resolves a neutral route",
    "giving": "turns over {due} more for the favour",
    "replacing": "lays the markers of the plate",
}


def render(view: dict[str, Any], width: int, paint: Paint) -> list[str]:
    """The whole table as lines of at most `width` columns; the map is drawn where it fits."""
    if width >= WIDTH and has_picture(view["board"]["id"]):
        return render_wide(view, width, paint)
    return [
        *_headline(view, width, paint),
        "",
        *city_list(view, width, paint),
        "",
        *route_list(view, width, paint),
        "",
        *_rest(view, width, paint),
    ]


def render_wide(view: dict[str, Any], width: int, paint: Paint) -> list[str]:
    """The same with the drawn map, which may be wider than `width`; nothing else is."""
    lines, cities, routes = draw(view, paint)
    if width >= WIDTH:
        lines = [line.rstrip() for line in lines]
    more = [city_signs(view, index) for index in cities] + [route_signs(view, index) for index in routes]
    notes = [painted(signs, paint) if len(plain(signs)) <= width else cut(plain(signs), width) for signs in more]
    return [*_headline(view, width, paint), "", *lines, "", *notes, *_rest(view, width, paint)]


def map_parts(view: dict[str, Any], width: int, paint: Paint) -> dict[str, list[str]]:
    """The drawn map alone, in parts that fit the width: one, or a western and an eastern one that overlap."""
    if width >= WIDTH:
        return {"": draw(view, paint)[0]}
    half = min(width, WIDTH // 2 + 10)
    sides = {"west": slice(0, half), "east": slice(WIDTH - half, WIDTH)}
    return {side: [line.rstrip() for line in draw(view, paint, part)[0]] for side, part in sides.items()}


def _rest(view: dict[str, Any], width: int, paint: Paint) -> list[str]:
    """What stands below the map."""
    return [
        *_beside(view, width, paint),
        "",
        *desks(view, width, paint),
        *(paint(line, "dim") for line in wrap(LEGEND + _abroad(view), width)),
    ]


def _abroad(view: dict[str, Any]) -> str:
    regions = [region for region in view["board"]["regions"] if region != view["board"]["home"]]
    return ABROAD.format(" and ".join(region.capitalize() for region in sorted(regions))) if regions else ""


def spots(view: dict[str, Any], width: int, target: str) -> list[MapSpot]:
    """Where `render_wide` draws an element of the board."""
    top = len(_headline(view, width, lambda text, style: text)) + 1
    return [MapSpot(top + spot.row, spot.start, spot.end) for spot in spots_of(view, target)]


def _headline(view: dict[str, Any], width: int, paint: Paint) -> list[str]:
    board = view["board"]
    near = view["max_rounds"] and view["round"] > view["max_rounds"] - LAST_ROUNDS
    rounds = f"round {view['round']}" + (f" of {view['max_rounds']}" if near else "")
    first = f"{board['name'].partition(' (')[0]} · {rounds} · full cities {view['completed']}/{board['limit']}"
    lines = [paint(cut(f"{first} · supply {view['supply']}", width), "bold")]
    result, seat = view["result"], view["to_act"]
    if result is not None:
        winners = " and ".join(name(view, winner) for winner in result["winners"])
        return [*lines, paint(cut(f"The match is over. Winner: {winners}", width), "bold")]
    if seat is None or seat < 0:
        return [*lines, paint("Cards are being shuffled or turned up.", "dim")]
    active = view["active"]
    task = view["task"]
    if task is None:
        doing = f"{name(view, seat)}: {view['actions_left']} actions left"
    else:
        doing = f"{name(view, seat)} {TASK[task['kind']].format(**_words(view, task))}"
        if seat != active:
            doing += f" (turn of {name(view, active)}, {view['actions_left']} actions left)"
    lines.append(paint(cut(doing, width), "bold"))
    hand = _hand(view, task) if task is not None else ""
    return [*lines, cut(hand, width)] if hand else lines


def _words(view: dict[str, Any], task: dict[str, Any]) -> dict[str, Any]:
    routes = {route["code"]: route_name(view, index) for index, route in enumerate(view["board"]["routes"])}
    named = {"marker": MARKER, "permanent": PERMANENT, "route": routes}
    return {key: named[key][value] if key in named else value for key, value in task.items()}


def _hand(view: dict[str, Any], task: dict[str, Any]) -> str:
    """What is in the hand while pieces are on their way."""
    hand = task.get("hand")
    pieces = hand if isinstance(hand, list) else [hand] if hand else []
    text = " ".join(piece(view, each)[0] for each in pieces)
    parts = [f"in hand {text}"] if text else []
    if task["kind"] == "relocating":
        parts += ["the displaced piece must be settled"] if task["piece"] else []
        parts += [f"up to {task['extra_left']} additional"] if task["extra_left"] else []
    return "  " + " · ".join(parts) if parts else ""


def _beside(view: dict[str, Any], width: int, paint: Paint) -> list[str]:
    """Special prestige, East–West, favour tiles, the own mission."""
    spots = []
    for spot, owner in zip(view["board"]["prestige"], view["prestige"], strict=True):
        taken = f"taken by {letter(view, owner)}" if owner is not None else spot["privilege"]
        spots.append(f"{spot['value']} {taken}")
    names = {city["code"]: city["name"] for city in view["board"]["cities"]}
    ends = "\N{EN DASH}".join(names[code] for code in view["board"]["east_west"])
    points = view["board"]["east_west_points"][view["east_west_awarded"] :]
    left = ", ".join(map(str, points)) or "nothing"
    lines = [f"Special prestige: {' · '.join(spots)}", f"East–West {ends}: next {left}"]
    if view["display"]:
        lines.append(f"Favour tiles on offer: {', '.join(map(spaced, view['display']))}")
    if view["removed"]:
        lines.append(f"Out of the game: {', '.join(MARKER[marker] for marker in view['removed'])}")
    return [cut(line, width) for line in lines]
