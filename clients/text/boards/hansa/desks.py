"""The players' desks as lines of text."""

from __future__ import annotations

from .signs import MARKER, STYLES, Paint, View, cut, letter, spaced


def name(view: View, seat: int) -> str:
    """A player's name, cut to what a line holds."""
    names = view.get("names")
    found = names[seat] if names else str(view["players"][seat]["colour"]).capitalize()
    return f"{found[:20]} (you)" if seat == view["seat"] else found[:20]


def desks(view: View, width: int, paint: Paint) -> list[str]:
    """One desk below the other, in the order of play."""
    lines: list[str] = []
    order = sorted(range(len(view["players"])), key=lambda seat: int(view["players"][seat]["position"]))
    for seat in order:
        lines += _player(view, seat, width, paint)
    return lines


def _player(view: View, seat: int, width: int, paint: Paint) -> list[str]:
    player = view["players"][seat]
    sign = ">" if seat == view["active"] and view["result"] is None else " "
    gone = " (left)" if seat in view["gone"] else ""
    personal, general = player["personal"], player["general"]
    head = f"{sign}{letter(view, seat)} {name(view, seat)}{gone}"
    hired = f"supply {_count(personal)}"
    stock = f"stock {_count(general)}"
    first = f"{head:<31} {player['score']:>2} points ({player['would_score']} now)  {hired}, {stock}"
    abilities = " ".join(_ability(each) for each in player["abilities"])
    second = f"    {abilities}"
    if player["unused"]:
        second += " · unused " + ", ".join(MARKER[marker] for marker in player["unused"])
    if player["used"]:
        second += " · used " + ", ".join(MARKER[marker] for marker in player["used"])
    if player["plate"]:
        second += f" · plate {player['plate']}"
    if player["waiting"]:
        second += " · to lay " + ", ".join(MARKER[marker] for marker in player["waiting"])
    lines = [paint(cut(first, width), STYLES[player["colour"]]), *wrap(second, width)]
    third = [f"favour {', '.join(map(spaced, player['favours']))}"] if player["favours"] else []
    if player["mission"] is not None:
        third.append(f"mission: {', '.join(_city_name(view, city) for city in player['mission']['cities'])}")
    if player["linked"]:
        third.append(f"East–West as number {player['linked']}")
    return [*lines, *wrap("    " + " · ".join(third), width)] if third else lines


def _city_name(view: View, city: int | str) -> str:
    """A city of a mission card."""
    return next((each["name"] for each in view["board"]["cities"] if city in (each["id"], each["code"])), str(city))


def _ability(track: View) -> str:
    """An ability and its value; `!` marks a track at its end."""
    value = "all" if track["value"] == 99 else track["value"]
    return f"{track['id']} {value}{'!' if track['level'] == track['steps'] else ''}"


def _count(pieces: View) -> str:
    """`5 traders, 1 merchant` in short."""
    return f"{pieces['traders']}t {pieces['merchants']}m"


def wrap(text: str, width: int) -> list[str]:
    """Break at spaces, with the same indent."""
    indent = " " * (len(text) - len(text.lstrip()))
    lines, line = [], indent
    for word in text.split():
        if len(line) + len(word) + 1 > width and line.strip():
            lines.append(line)
            line = indent
        line += word if line == indent else " " + word
    return [*lines, line] if line.strip() else lines
