"""Hansa Teutonica in the terminal: cities and routes by their codes, desks and markers as lines of text.

`[B]` is a trader of Blue, `(B)` a merchant; `·` a free post, `~` one for merchants only; `[o]` and `(o)` are
free office spaces for a trader or a merchant that need the privilege of that letter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

Paint = Callable[[str, str], str]
Cell = tuple[str, str]  # plain text (for its width) and painted text

STYLES = {"blue": "blue", "green": "green", "purple": "magenta", "red": "red", "yellow": "yellow"}
PRIVILEGE = {"white": "w", "orange": "o", "pink": "p", "black": "k"}
ABILITY = {"keys": "keys", "actions": "act", "privilege": "priv", "book": "book", "bank": "bank"}
MARKER = {
    "extra_office": "office+",
    "swap_offices": "swap",
    "move_3": "move3",
    "develop_ability": "develop",
    "plus_3_actions": "+3act",
    "plus_4_actions": "+4act",
    "exchange_marker": "exchange",
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
LEGEND = (
    "[B] trader (B) merchant of Blue · free post, ~ for merchants; [o] (o) free office and its privilege "
    "(w < o < p < k), +1 coin, + additional offices, =B control; * marker"
)
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
    """The whole table as lines of at most `width` columns."""
    return [
        *_headline(view, width, paint),
        "",
        *_columns(_cities(view, paint), width, max(38, width // 2)),
        "",
        *_columns(_routes(view, paint), width, 33),
        "",
        *_beside(view, width, paint),
        "",
        *_players(view, width, paint),
        *(paint(line, "dim") for line in _wrap(LEGEND, width)),
    ]


def _letter(view: dict[str, Any], owner: int | str) -> str:
    return "N" if owner == "neutral" else str(view["players"][owner]["colour"])[0].upper()


def _style(view: dict[str, Any], owner: int | str) -> str:
    return "dim" if owner == "neutral" else STYLES[view["players"][owner]["colour"]]


def _name(view: dict[str, Any], seat: int) -> str:
    names = view.get("names")
    name = names[seat] if names else str(view["players"][seat]["colour"]).capitalize()
    return f"{name[:20]} (you)" if seat == view["seat"] else name[:20]


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _columns(cells: Iterable[Cell], width: int, cell: int) -> list[str]:
    """Cells side by side, column by column; one that is too long takes a line of its own."""
    listed = list(cells)
    count = max(1, width // cell)
    narrow = [each for each in listed if len(each[0]) < cell]
    rows = -(-len(narrow) // count)
    lines = []
    for row in range(rows):
        parts = narrow[row::rows]
        line = "".join(painted + " " * (cell - len(plain)) for plain, painted in parts[:-1])
        lines.append(line + parts[-1][1])
    for plain, painted in listed:
        if len(plain) >= cell:
            lines.append(painted if len(plain) <= width else _cut(plain, width))
    return lines


def _piece(view: dict[str, Any], piece: dict[str, Any], paint: Paint) -> Cell:
    letter = _letter(view, piece["owner"])
    text = f"[{letter}]" if piece["piece"] == "trader" else f"({letter})"
    return text, paint(text, _style(view, piece["owner"]))


def _join(parts: Iterable[Cell]) -> Cell:
    listed = list(parts)
    return "".join(plain for plain, _ in listed), "".join(painted for _, painted in listed)


def _plain(text: str, paint: Paint, style: str = "") -> Cell:
    return text, paint(text, style) if style else text


def _headline(view: dict[str, Any], width: int, paint: Paint) -> list[str]:
    board = view["board"]
    near = view["max_rounds"] and view["round"] > view["max_rounds"] - LAST_ROUNDS
    rounds = f"round {view['round']}" + (f" of {view['max_rounds']}" if near else "")
    first = f"{board['name'].partition(' (')[0]} · {rounds} · full cities {view['completed']}/{board['limit']}"
    lines = [paint(_cut(f"{first} · supply {view['supply']}", width), "bold")]
    result, seat = view["result"], view["to_act"]
    if result is not None:
        winners = " and ".join(_name(view, winner) for winner in result["winners"])
        return [*lines, paint(_cut(f"The match is over. Winner: {winners}", width), "bold")]
    if seat is None or seat < 0:
        return [*lines, paint("Cards are being shuffled or turned up.", "dim")]
    active = view["active"]
    task = view["task"]
    if task is None:
        doing = f"{_name(view, seat)}: {view['actions_left']} actions left"
    else:
        doing = f"{_name(view, seat)} {TASK[task['kind']].format(**_words(task))}"
        if seat != active:
            doing += f" (turn of {_name(view, active)}, {view['actions_left']} actions left)"
    lines.append(paint(_cut(doing, width), "bold"))
    hand = _hand(view, task) if task is not None else ""
    return [*lines, _cut(hand, width)] if hand else lines


def _words(task: dict[str, Any]) -> dict[str, Any]:
    named = {"marker": MARKER, "permanent": PERMANENT}
    return {key: named[key][value] if key in named else value for key, value in task.items()}


def _hand(view: dict[str, Any], task: dict[str, Any]) -> str:
    """What is in the hand while pieces are on their way."""
    hand = task.get("hand")
    pieces = hand if isinstance(hand, list) else [hand] if hand else []
    text = " ".join(_piece(view, piece, lambda plain, _: plain)[0] for piece in pieces)
    parts = [f"in hand {text}"] if text else []
    if task["kind"] == "relocating":
        parts += ["the displaced piece must be settled"] if task["piece"] else []
        parts += [f"up to {task['extra_left']} additional"] if task["extra_left"] else []
    return "  " + " · ".join(parts) if parts else ""


def _cities(view: dict[str, Any], paint: Paint) -> list[Cell]:
    return [_city(view, index, paint) for index in range(len(view["board"]["cities"]))]


def _city(view: dict[str, Any], index: int, paint: Paint) -> Cell:
    """`got Göttingen act      +[R] [B](w)[p] =B`: additional offices, the row, who controls it."""
    city, offices = view["board"]["cities"][index], view["offices"][index]
    tags = [ABILITY[ability] for ability in city["abilities"]]
    tags += ["7-11"] if city["special"] else []
    tags += ["E-W"] if city["east_west_end"] else []
    tags += ["green"] if city["green"] else []
    tags += ["/".join(region[0].upper() for region in city["permits"])] if city["permits"] else []
    head = f"{city['name']} {' '.join(tags)}".strip()
    parts = [_plain(f"{city['code']} ", paint, "bold"), _plain(f"{head:<16} ", paint)]
    if offices["extra"]:
        parts += [_plain("+", paint), *(_piece(view, piece, paint) for piece in offices["extra"]), _plain(" ", paint)]
    parts += [_piece(view, piece, paint) for piece in offices["row"]]
    for space in city["spaces"][len(offices["row"]) :]:
        letter = PRIVILEGE[space["colour"]]
        shape = f"[{letter}]" if space["piece"] == "trader" else f"({letter})"
        parts.append(_plain(shape + (f"+{space['coin']}" if space["coin"] else ""), paint))
    if offices["controller"] is not None:
        owner = offices["controller"]
        parts.append(_plain(f" ={_letter(view, owner)}", paint, _style(view, owner)))
    return _join(parts)


def _routes(view: dict[str, Any], paint: Paint) -> list[Cell]:
    return [_route(view, index, paint) for index in range(len(view["board"]["routes"]))]


def _route(view: dict[str, Any], index: int, paint: Paint) -> Cell:
    """`ham-lub [B] · (G) *swap`: posts from the first city on, then markers."""
    route = view["board"]["routes"][index]
    abroad = route["region"] != view["board"]["home"]
    parts = [_plain(f"{route['code']} ", paint, "bold")]
    for spot, piece in zip(route["posts"], view["posts"][index], strict=True):
        parts.append(_piece(view, piece, paint) if piece else _plain(" ~ " if spot["ship"] else " · ", paint))
    if abroad:
        parts.append(_plain(f" {route['region'][0].upper()}", paint, "dim"))
    if view["markers"][index]:
        parts.append(_plain(f" *{MARKER[view['markers'][index]]}", paint, "bold"))
    for promo in view["promos"]:
        if promo["route"] == index:
            text = f" {MARKER[promo['marker']]}:{_letter(view, promo['owner'])}"
            parts.append(_plain(text, paint, _style(view, promo["owner"])))
    if route["permanent"]:
        parts.append(_plain(f" ={PERMANENT[route['permanent']]}", paint, "dim"))
    return _join(parts)


def _beside(view: dict[str, Any], width: int, paint: Paint) -> list[str]:
    """Special prestige, East–West, favour tiles, the own mission."""
    spots = []
    for spot, owner in zip(view["board"]["prestige"], view["prestige"], strict=True):
        taken = f"taken by {_letter(view, owner)}" if owner is not None else spot["privilege"]
        spots.append(f"{spot['value']} {taken}")
    ends = "–".join(view["board"]["east_west"])
    points = view["board"]["east_west_points"][view["east_west_awarded"] :]
    left = ", ".join(map(str, points)) or "nothing"
    lines = [f"Special prestige: {' · '.join(spots)}", f"East–West {ends}: next {left}"]
    if view["display"]:
        lines.append(f"Favour tiles on offer: {', '.join(view['display'])}")
    if view["removed"]:
        lines.append(f"Out of the game: {', '.join(MARKER[marker] for marker in view['removed'])}")
    return [_cut(line, width) for line in lines]


def _players(view: dict[str, Any], width: int, paint: Paint) -> list[str]:
    lines: list[str] = []
    order = sorted(range(len(view["players"])), key=lambda seat: int(view["players"][seat]["position"]))
    for seat in order:
        lines += _player(view, seat, width, paint)
    return lines


def _player(view: dict[str, Any], seat: int, width: int, paint: Paint) -> list[str]:
    player = view["players"][seat]
    sign = ">" if seat == view["active"] and view["result"] is None else " "
    gone = " (left)" if seat in view["gone"] else ""
    personal, general = player["personal"], player["general"]
    head = f"{sign}{_letter(view, seat)} {_name(view, seat)}{gone}"
    hired = f"supply {personal['traders']}t {personal['merchants']}m"
    stock = f"stock {general['traders']}t {general['merchants']}m"
    first = f"{head:<31} {player['score']:>2} points ({player['would_score']} now)  {hired}, {stock}"
    abilities = " ".join(_ability(each) for each in player["abilities"])
    second = f"    {abilities}"
    if player["unused"]:
        second += " · unused " + " ".join(MARKER[marker] for marker in player["unused"])
    if player["used"]:
        second += " · used " + " ".join(MARKER[marker] for marker in player["used"])
    if player["plate"]:
        second += f" · plate {player['plate']}"
    if player["waiting"]:
        second += " · to lay " + " ".join(MARKER[marker] for marker in player["waiting"])
    lines = [paint(_cut(first, width), STYLES[player["colour"]]), *_wrap(second, width)]
    third = [f"favour {', '.join(player['favours'])}"] if player["favours"] else []
    if player["mission"] is not None:
        third.append(f"mission {player['mission']['number']}: {', '.join(player['mission']['cities'])}")
    if player["linked"]:
        third.append(f"East–West as number {player['linked']}")
    return [*lines, *_wrap("    " + " · ".join(third), width)] if third else lines


def _ability(track: dict[str, Any]) -> str:
    """An ability and its value; `!` marks a track at its end."""
    value = "all" if track["value"] == 99 else track["value"]
    return f"{ABILITY[track['id']]} {value}{'!' if track['level'] == track['steps'] else ''}"


def _wrap(text: str, width: int) -> list[str]:
    """Break at spaces, with the same indent."""
    indent = " " * (len(text) - len(text.lstrip()))
    lines, line = [], indent
    for word in text.split():
        if len(line) + len(word) + 1 > width and line.strip():
            lines.append(line)
            line = indent
        line += word if line == indent else " " + word
    return [*lines, line] if line.strip() else lines
