"""The fair of Joban in text: the field as a grid, letters for colours, marks for dragons."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import wrap
from typing import Any

Paint = Callable[[str, str], str]
Cell = tuple[int, int]

LETTERS = {"green": "G", "red": "R", "yellow": "Y"}
DRAGONS = {"black": "k", "orange": "o", "light_blue": "b", "violet": "v"}
STYLES = {"black": "bold", "orange": "bold yellow", "light_blue": "bold cyan", "violet": "bold magenta"}
PATTERNS = {"adjacent": "around it", "orthogonal": "in one straight row", "diagonal": "in one diagonal row"}
BONUSES = {
    "swap_shops": "swap two shops",
    "move_shop": "move a shop",
    "draw_two": "draw two cards",
    "change_task": "change your task",
    "double_points": "double your other build",
}
LINES = {  # the word for a line, and where lines with a number below and above zero lie
    "horizontal": ("row", "below", "above"),
    "vertical": ("column", "left", "right"),
    "diagonal_up": ("rising diagonal", "left", "right"),
    "diagonal_down": ("falling diagonal", "left", "right"),
}
SHORT_PATTERNS = {"adjacent": "around", "orthogonal": "straight", "diagonal": "diagonally"}
SHORT_BONUSES = {
    "swap_shops": "swap",
    "move_shop": "move",
    "draw_two": "draw",
    "change_task": "task",
    "double_points": "double",
}
DOING = {
    "turn": "designs or builds",
    "place": "places the new shop",
    "aim": "chooses a direction",
    "dragons": "may move the dragons marked !",
    "bonus": "uses the bonus or declines",
    "target": "chooses the second cell; <> is the first",
    "keep": "chooses which task to keep",
    "final": "scores a task",
    "over": "",
}
CELL = 4  # columns of one cell
MARGIN = 5  # columns of the row labels


def render(view: dict[str, Any], width: int, paint: Paint) -> list[str]:
    """The whole table as lines of at most `width` columns."""
    return [
        *_headline(view, width, paint),
        "",
        *_field(view, width, paint),
        "",
        *_piles(view, width),
        "",
        *_players(view, width, paint),
        *_own(view, width, paint),
        *_played(view, width, paint),
    ]


def _headline(view: dict[str, Any], width: int, paint: Paint) -> list[str]:
    seat = view["to_act"]
    if view["result"] is not None:
        winners = " and ".join(_name(view, winner) for winner in view["result"]["winners"])
        return [paint(f"The fair is over. Winner: {winners}", "bold")]
    if seat is None or seat < 0:
        return [paint("Cards are being shuffled and dealt.", "dim")]
    action = f" (action {view['action_no']} of 2)" if view["phase"] != "final" else ""
    doing = wrap(f"{_name(view, seat)} {DOING.get(view['phase'], '')}{action}", width)
    lines = [paint(line, "bold") for line in doing]
    if view["card"] is not None:
        card = view["card"]
        half = _scores(card) if view["mode"] == "points" else BONUSES[card["bonus"]]
        lines += wrap(
            f"In play for {'points' if view['mode'] == 'points' else 'its bonus'}: {_card(card)}; {half}", width
        )
    if view["double"]:
        lines.append("The points of the next build in this turn count twice.")
    if view["last_round"] and view["phase"] != "final":
        lines.append(paint("This is the last round.", "bold"))
    return lines


def _field(view: dict[str, Any], width: int, paint: Paint) -> list[str]:
    """The grid; a field wider than the terminal is cut into bands from left to right."""
    shops = {(shop["x"], shop["y"]): shop for shop in view["field"]}
    free = {(x, y) for x, y in view["building_cells"]}
    xs = [x for x, _ in [*shops, *free]]
    ys = [y for _, y in [*shops, *free]]
    across = max(1, (width - MARGIN) // CELL)
    lines: list[str] = []
    for left in range(min(xs), max(xs) + 1, across):
        columns = range(left, min(left + across, max(xs) + 1))
        if lines:
            lines.append("")
        for y in range(max(ys), min(ys) - 1, -1):
            cells = "".join(_cell(view, shops, free, (x, y), paint) for x in columns)
            lines.append(paint(f"{y:>{MARGIN - 1}} ", "dim") + cells)
        lines.append(paint(" " * MARGIN + "".join(f"{x:>2}".ljust(CELL) for x in columns), "dim"))
    letters = " ".join(DRAGONS[player["colour"]] for player in view["players"])
    signs = ["G R Y shop", "· free to build", "[ ] new", f"{letters} dragons"]
    lines += [paint(line, "dim") for line in _wrap(" " * MARGIN, signs, width)]
    return lines


def _cell(view: dict[str, Any], shops: dict[Cell, dict[str, Any]], free: set[Cell], cell: Cell, paint: Paint) -> str:
    shop = shops.get(cell)
    if shop is None:
        return paint(" ·  ", "dim") if cell in free else " " * CELL
    before, after = " ", " "
    if view["new"] == list(cell):
        before, after = "[", "]"
    elif view["picked"] == list(cell):
        before, after = "<", ">"
    elif view["dragon_queue"] and list(cell) in view["dragon_queue"][0]["cells"]:
        after = "!"
    colour = None if shop["dragon"] is None else view["players"][shop["dragon"]]["colour"]
    dragon = " " if colour is None else paint(DRAGONS[colour], STYLES[colour])
    return before + paint(LETTERS[shop["colour"]], shop["colour"]) + dragon + after


def _piles(view: dict[str, Any], width: int) -> list[str]:
    piles = ", ".join(f"{colour} {count}" for colour, count in view["piles"].items())
    discarded = len(view["task_discard"])
    return wrap(
        f"Piles: {piles}.  Tasks: {view['task_pile']}" + (f" ({discarded} discarded)" if discarded else ""), width
    )


def _played(view: dict[str, Any], width: int, paint: Paint) -> list[str]:
    """The open discards by colour, for those who count cards."""
    lines = ["", paint("Played cards", "bold")] if view["discard"] else []
    for colour in LETTERS:
        halves = [_halves(card) for card in view["discard"] if card["colour"] == colour]
        if halves:
            lines += wrap(f"  {colour}: {', '.join(halves)}", width, subsequent_indent=" " * 6)
    return lines


def _players(view: dict[str, Any], width: int, paint: Paint) -> list[str]:
    lines = [paint("   player                 score  dragons        hand          tasks", "dim")]
    for player in view["players"]:
        placed = sum(1 for shop in view["field"] if shop["dragon"] == player["seat"])
        dragons = f"{player['dragons']} left, {placed} out"
        hand = " ".join(LETTERS[card["colour"]] for card in player["hand"])
        mark = ">" if player["seat"] == view["to_act"] else " "
        first = "*" if player["seat"] == view["first"] else " "
        name = f"{DRAGONS[player['colour']]} {_name(view, player['seat']):<20}"
        text = f" {player['score']:>4}  {dragons:<14} {hand or '-':<13} {len(player['tasks'])}"
        lines.append(f"{mark}{first} " + paint(name, STYLES[player["colour"]]) + text.rstrip())
    for player in view["players"]:
        for scored in player["scored_tasks"]:
            task = scored["task"]
            line = f"{LINES[task['direction']][0]} {_where(task, scored['line'])}"
            pays = f"{task['plus']} pays, {task['minus']} costs"
            said = f"{_name(view, player['seat'])} scored the {line} ({pays}): {scored['points']:+d}"
            lines += wrap(f"   {said}", width, subsequent_indent=" " * 6)
    return lines


def _own(view: dict[str, Any], width: int, paint: Paint) -> list[str]:
    """The viewer's cards and tasks in words, and hands that lie open because their owner has left."""
    lines: list[str] = []
    for seat in view["gone"]:
        lines += ["", paint(f"Open cards of {_name(view, seat)}", "bold")]
        lines += _cards(view["players"][seat], width)
    if view["seat"] is None or view["seat"] in view["gone"]:
        return lines
    return [*lines, "", paint("Your cards", "bold"), *_cards(view["players"][view["seat"]], width)]


def _cards(player: dict[str, Any], width: int) -> list[str]:
    """Shop cards, then tasks with what their best lines bring now."""
    lines = []
    for card in player["hand"]:
        lines += wrap(f"  {LETTERS[card['colour']]}   {_card_text(card)}", width, subsequent_indent=" " * 6)
    for task in player["tasks"]:
        lines += _task_lines(task, width)
    return lines or ["  none"]


def _task_lines(task: dict[str, Any], width: int) -> list[str]:
    face = task["task"]
    if face is None:
        return [f"  {task['name']:<2}  a task not known yet"]
    kind = LINES[face["direction"]][0]
    text = f"  {task['name']:<2}  a {kind}: +2 per {face['plus']} shop, -2 per {face['minus']} shop"
    best = sorted(task["lines"], key=lambda line: (-line["points"], line["line"]))
    values = [f"{_where(face, line['line'])}: {line['points']:+d}" for line in best]
    return [*wrap(text, width, subsequent_indent=" " * 6), *_wrap("      lines now: ", values[:6], width)]


def _where(task: dict[str, Any], line: int) -> str:
    """A line of a task's direction, counted from the middle of the field as phrases do."""
    _, below, above = LINES[task["direction"]]
    return f"{abs(line)} {below if line < 0 else above}" if line else "middle"


def _card_text(item: dict[str, Any]) -> str:
    card = item["card"]
    if card is None:
        return f"a {item['colour']} card, not known yet"
    return f"{_card(card)}: {_scores(card)}; or {BONUSES[card['bonus']]}"


def _card(card: dict[str, Any]) -> str:
    return f"a {card['colour']} shop"


def _halves(card: dict[str, Any]) -> str:
    """Both halves of a card, as the log names it."""
    return f"{card['scores']} {SHORT_PATTERNS[card['pattern']]} / {SHORT_BONUSES[card['bonus']]}"


def _scores(card: dict[str, Any]) -> str:
    return f"scores {card['scores']} {PATTERNS[card['pattern']]}"


def _name(view: dict[str, Any], seat: int) -> str:
    names = view.get("names") or []  # the client adds them
    name = str(names[seat]) if seat < len(names) else f"seat {seat}"
    mark = " (left)" if seat in view["gone"] else " (you)" if seat == view["seat"] else ""
    return name[:14] + mark


def _wrap(head: str, words: list[str], width: int) -> list[str]:
    """Words after a head, on as many lines as they need."""
    lines, line = [], head
    for word in words:
        if len(line) + len(word) + 2 > width and line.strip():
            lines.append(line.rstrip())
            line = " " * len(head)
        line += word + "  "
    return [*lines, line.rstrip()]
