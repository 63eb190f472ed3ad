"""Merchants of Osaka in the terminal: a pure function from a view to lines of text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Any

Paint = Callable[[str, str], str]
Word = tuple[str, str]  # text and style; "" is plain

STYLES = {"red": "red", "blue": "blue", "yellow": "yellow", "green": "green"}
SEA = {"start": ".", "safe": ".", "shelter": ".", "waves": "~", "goal": "."}
SUBTITLES = {"start": "start", "safe": "", "shelter": "anchor", "waves": "waves", "goal": "goal"}
INDENT = 9


def render(view: dict[str, Any], width: int, paint: Paint) -> list[str]:
    """The whole board in at most `width` columns; letters and signs carry what colours repeat."""
    lines = [*_sea(view, paint), ""]
    lines += _row("Market", "", view["market"], view, width, paint)
    lines += _row("Farm", "f", view["farm"], view, width, paint)
    counts = [count for count in view["discard"] if count]
    whose = "you" if view["seat"] is not None else _name(view, view["active"])
    about = f"Market costs {view['price']} for {whose} · pile {view['pile']} · discard pile {sum(counts)}"
    lines += [" " * INDENT + paint(about[: width - INDENT], "dim"), ""]
    for player in view["players"]:
        lines += _player(view, player, width, paint)
    return [*lines, *_in_progress(view, width, paint)]


def _name(view: dict[str, Any], seat: int) -> str:
    names = view.get("names")
    return str(names[seat]) if names else str(view["players"][seat]["piece"]).capitalize()


def _card(view: dict[str, Any], card: dict[str, Any]) -> Word:
    return card["card"], STYLES[view["board"]["colours"][card["colour"]]]


def _flow(label: str, words: Iterable[Word], width: int, paint: Paint) -> list[str]:
    """Words after a label, wrapped under each other."""
    lines, line, used = [], f"{label:<{INDENT}}", INDENT
    for text, style in words:
        if used > INDENT and used + len(text) > width:
            lines.append(line.rstrip())
            line, used = " " * INDENT, INDENT
        line += (paint(text, style) if style else text) + " "
        used += len(text) + 1
    return [*lines, line.rstrip()]


def _sea(view: dict[str, Any], paint: Paint) -> list[str]:
    track = view["board"]["track"]
    cell = 11
    head = " " * INDENT + "".join(f"{space['name']:<{cell}}" for space in track)
    below = " " * INDENT + "".join(f"{SUBTITLES[space['kind']]:<{cell}}" for space in track)
    lines = [paint(head.rstrip(), "bold"), paint(below.rstrip(), "dim")]
    for colour, at in enumerate(view["ships"]):
        name = view["board"]["colours"][colour]
        sunk = colour in view["sunk"]
        ship = f"<{name[0].upper()}>" + (" sinks!" if sunk else "")
        sea = [SEA[space["kind"]] for space in track]
        cells = [
            paint(ship, STYLES[name]) + " " * (cell - len(ship)) if index == at else f"{sign:<{cell}}"
            for index, sign in enumerate(sea)
        ]
        lines.append(f"{name:<{INDENT}}" + "".join(cells).rstrip())
    return lines


def _row(
    label: str, prefix: str, cards: list[dict[str, Any]], view: dict[str, Any], width: int, paint: Paint
) -> list[str]:
    """Cards with their places; a reservation piece is the owner's name in brackets."""
    words = []
    for place, card in enumerate(cards, 1):
        text, style = _card(view, card)
        piece = card["reserved_by"]
        held = "" if piece is None else f"[{_name(view, piece)}]"
        words.append((f"{prefix}{place}:{text}{held} ", style))
    return _flow(label, words or [("empty", "dim")], width, paint)


def _player(view: dict[str, Any], player: dict[str, Any], width: int, paint: Paint) -> list[str]:
    seat = player["seat"]
    mark = ">" if view["to_act"] == seat else " "
    you = " (you)" if view["seat"] == seat else ""
    gone = " (left)" if seat in view["gone"] else ""
    tokens = player["tokens"]
    letters = [f"{name[0]}{count}" for name, count in zip(view["board"]["colours"], tokens, strict=True) if count]
    need = view["options"]["tokens_to_end"]
    points = "1 point" if player["vp"] == 1 else f"{player['vp']} points"
    head: list[Word] = [
        (f"{mark} {_name(view, seat)}{you}{gone}", "bold"),
        (f" {points} · tokens {' '.join([f'{sum(tokens)}/{need}', *letters])} ·", ""),
        ("piece free" if player["can_reserve"] else "piece placed", "dim"),
    ]
    lines = [" ".join(paint(text, style) if style else text for text, style in head)]
    hand = player["hand"]
    count = f"{player['hand_count']}:"
    if hand is None:
        lines += _flow("    hand", [(count + " hidden", "dim")], width, paint)
    else:
        coins = sum(card["value"] for card in hand)
        cards = [_card(view, card) for card in hand]
        lines += _flow("    hand", [(count, ""), *cards, (f"= {coins}", "")], width, paint)
    return lines + _goods(view, player, width, paint)


def _goods(view: dict[str, Any], player: dict[str, Any], width: int, paint: Paint) -> list[str]:
    """Merchandise by colour; insured goods in brackets."""
    words: list[Word] = []
    ordered = sorted(player["goods"], key=lambda good: (good["colour"], -good["value"]))
    for _, goods in groupby(ordered, key=lambda good: good["colour"]):
        if words:
            words.append(("|", "dim"))
        for good in goods:
            text, style = _card(view, good)
            words.append((f"[{text}]" if good["insured"] else text, style))
    return _flow("   goods", words or [("-", "dim")], width, paint)


def _in_progress(view: dict[str, Any], width: int, paint: Paint) -> list[str]:
    """The payment or insurance that is being laid out."""
    lines: list[str] = []
    if view["chosen"]:
        lines += _flow("Insuring", [_card(view, card) for card in view["chosen"]], width, paint)
    if view["phase"] == "pay" or view["laid"]:
        due = [(f"({view['due']} still due)", "")] if view["phase"] == "pay" else []
        lines += _flow("Laid", [*(_card(view, card) for card in view["laid"]), *due], width, paint)
    return ["", *lines] if lines else []
