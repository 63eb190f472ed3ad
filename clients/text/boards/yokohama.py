"""Yokohama in the terminal: a pure function from a view to lines of text.

Players are the letters A to D, `*` is a president, a number after a letter counts assistants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import zip_longest
from textwrap import wrap
from typing import Any

Paint = Callable[[str, str], str]

SHORT = {
    "points": "pt",
    "yen": "¥",
    "copper": "cu",
    "silk": "si",
    "tea": "te",
    "fish": "fi",
    "import": "im",
    "any_good": "any",
    "warehouse": "wh",
    "move": "mv",
    "free_agent": "agent",
}
KINDS = {
    "copper_mine": "Copper",
    "fishing_ground": "Fishing",
    "silk_mill": "Silk",
    "tea_plantation": "Tea",
    "chinatown": "Chinatown",
    "customs_house": "Customs",
    "employment_agency": "Employment",
    "laboratory_a": "Lab A",
    "laboratory_b": "Lab B",
}
GIVES = {
    "gain_good": "",
    "gain_yen": "yen",
    "exchange": "trades",
    "church": "faith",
    "customs": "imports",
    "employ": "pieces",
    "research": "prod.",
    "take_orders": "level",
}
STAGES = {
    "setup": "setting up",
    "keep": "keep one of two starting orders",
    "phase_a": "additional actions before the main action, then «end»",
    "place": "place assistants: up to 3 in different areas, or 2 in one; then «done»",
    "move": "move the president (deploy, walk, tram, station) or recall it",
    "recall": "take assistants back, then «done»",
    "act": "action of the area",
    "five": "take the 5-power token, or «done»",
    "build": "build a shop or the trading house, or «done»",
    "recover": "leave an assistant behind?",
    "phase_c": "additional actions after the main action, then «end»",
    "over": "the match is over",
}
PENDING = {
    "good": "choose {n} more good(s)",
    "hire": "take up to {n} piece(s) from the warehouse, or «done»",
    "move": "move up to {n} assistant(s), or «done»",
    "station": "choose the area of the station",
    "reward": "choose a reward token",
}


LEGEND = (
    "A-D players, * president, number: assistants · s shops h house · 5> token for power 5 · by power 1-5 · "
    "[X] taken # neutral · cu copper si silk te tea fi fish im import any good of choice wh from warehouse mv moves"
)


def render(view: dict[str, Any], width: int, paint: Paint) -> list[str]:
    """The whole table in at most `width` columns."""
    lines = _status(view, width, paint)
    lines += _map(view, width, paint)
    lines += [paint(line, "dim") for line in wrap(LEGEND, width)]
    lines += _details(view, width, paint)
    lines += _management(view, width, paint)
    for player in view["players"]:
        lines += _player(view, player, width, paint)
    return [line.rstrip() for line in lines]


def letter(seat: Any) -> str:
    """A seat's letter; a neutral piece is #, an empty space a dot."""
    return "." if seat is None else "#" if seat == "neutral" else "ABCDEFGH"[seat]


def gain(reward: dict[str, int]) -> str:
    """A reward in short: 4pt+¥2."""
    parts = [f"¥{n}" if what == "yen" else f"{n}{SHORT.get(what, what)}" for what, n in reward.items()]
    return "+".join(parts) or "nothing"


def _name(view: dict[str, Any], seat: int) -> str:
    names = view.get("names")
    return str(names[seat]) if names else str(view["players"][seat]["colour"]).capitalize()


def _short_name(area: dict[str, Any]) -> str:
    twin = area["name"].rsplit(" ", 1)[-1]
    name = KINDS.get(area["kind"], area["name"])
    return f"{name} {twin}" if twin.isdigit() else name


def _fit(text: str, width: int) -> str:
    return text[:width].ljust(width)


def _status(view: dict[str, Any], width: int, paint: Paint) -> list[str]:
    turn = view["turn"]
    pending = turn["pending"][0] if turn["pending"] else None
    what = STAGES[view["stage"]]
    if pending and pending["what"] in PENDING:
        what = PENDING[pending["what"]].format(n=pending["count"])
    elif view["stage"] == "act":
        area = view["areas"][turn["area"]]
        what = f"{area['name']} at power {turn['power']}"
        what += f", faith {turn['faith']}" if turn["faith"] else ""
        what += f", {turn['due']} payment(s) due: ¥2 or 1 import each" if turn["due"] else ", or «done»"
    head = f"Round {view['round']} · {letter(view['active'])} {_name(view, view['active'])}: {what}"
    lines = [paint(head[:width], "bold")]
    if view["ending"]:
        lines.append(
            paint(f"The end is near ({view['ending']}): round {view['final_round']} is the last."[:width], "bold")
        )
    return lines


def _map(view: dict[str, Any], width: int, paint: Paint) -> list[str]:
    """The pyramid; each lower row is shifted by half a board."""
    rows = view["layout"]["rows"]
    cell = max(10, min(20, width // max(rows)))
    lines: list[str] = []
    for number, _ in enumerate(rows):
        areas = [area for area in view["areas"] if area["row"] == number]
        shift = " " * (number * cell // 2)
        blocks = [_block(view, area, cell - 1, paint) for area in areas]
        for parts in zip(*blocks, strict=True):
            lines.append(shift + " ".join(parts))
        lines.append("")
    return lines


def _block(view: dict[str, Any], area: dict[str, Any], width: int, paint: Paint) -> list[str]:
    here = view["turn"]["area"] >= 0 and view["areas"][view["turn"]["area"]] is area
    title = _fit(f"{area['cell']} {_short_name(area)}" + ("!" if here else ""), width)
    table = "".join(str(n) if n else "-" for n in area["by_power"])
    gives = GIVES.get(area["action"], "") or SHORT.get(_good(view, area), "")
    if area["action"] == "none":
        return [paint(title, "bold"), *(_fit(text, width) for text in ("  ~~~~~~", "  ¥1 to pass", "", ""))]
    pieces = " ".join(
        letter(seat) + ("*" if seat in area["presidents"] else "") + (str(count) if count else "")
        for seat, count in enumerate(area["assistants"])
        if count or seat in area["presidents"]
    )
    shops = "".join(letter(shop["owner"]) for shop in area["shops"])
    house = letter(area["house"]["owner"]) if area["house"] else ""
    token = f"5>{gain(area['five']['reward'])}" if area["five"] else "5>-"
    station = " STA" if area["station"] else ""
    return [
        paint(title, "bold"),
        _fit(f" {pieces or '-'}", width),
        _fit(f" s {shops} h {house}{station}", width),
        _fit(f" {token}", width),
        paint(_fit(f" {table} {gives}", width), "dim"),
    ]


def _good(view: dict[str, Any], area: dict[str, Any]) -> str:
    return {"copper_mine": "copper", "silk_mill": "silk", "tea_plantation": "tea", "fishing_ground": "fish"}.get(
        area["kind"], ""
    )


def _columns(cells: list[str], width: int, count: int = 2) -> list[str]:
    """Texts side by side, read downwards."""
    height = -(-len(cells) // count)
    stripes = [cells[i * height : (i + 1) * height] for i in range(count)]
    each = width // count
    return ["".join(_fit(text, each - 1) + " " for text in row) for row in zip_longest(*stripes, fillvalue="")]


def _details(view: dict[str, Any], width: int, paint: Paint) -> list[str]:
    """What shops and the trading house of each area bring; a letter where somebody has built."""
    cells = []
    for area in view["areas"]:
        if not area["house"]:
            continue
        shops = " ".join(
            gain(shop["reward"]) if shop["owner"] is None else f"[{letter(shop['owner'])}]" for shop in area["shops"]
        )
        house = area["house"]
        last = gain(house["reward"]) if house["owner"] is None else f"[{letter(house['owner'])}]"
        cells.append(f"{area['cell']} {_short_name(area)}: {shops} | {last}")
    head = paint("Buildings: shop spaces 1 to 4 | trading house", "dim")
    return [head[: width + len(head)], *_columns(cells, width)]


def _wrap(label: str, parts: Iterable[str], width: int) -> list[str]:
    """Parts after a label, wrapped under each other."""
    indent = " " * len(label)
    lines, line = [], label
    for part in parts:
        if len(line) > len(indent) and len(line) + len(part) + 2 > width:
            lines.append(line)
            line = indent
        line += part + "  "
    return [*lines, line]


def _management(view: dict[str, Any], width: int, paint: Paint) -> list[str]:
    lines: list[str] = []
    for name, label, unit in (("church", "Church", "faith"), ("customs", "Customs", "im")):
        board = view[name]
        parts = [
            f"{number}:{space['need']}{'f' if unit == 'faith' else 'im'} "
            + (gain(space["reward"]) if space["owner"] is None else f"[{letter(space['owner'])}]")
            for number, space in enumerate(board["spaces"], 1)
        ]
        lines += _wrap(f"{label} {board['taken']}/{board['end']}  ", parts, width)
    for lab in view["laboratories"]:
        lines.append(paint(f"{_board_name(view, lab['id'])} (deck {view['decks']['technologies']})", "bold"))
        for n, slot in enumerate(lab["slots"], 1):
            lines += wrap(_technology_slot(n, slot), width, subsequent_indent="    ", initial_indent="  ")
    for port in view["ports"]:
        lines.append(paint(f"{_board_name(view, port['id'])} (deck {view['decks']['orders']})", "bold"))
        lines += _columns([_order_slot(n, slot) for n, slot in enumerate(port["slots"], 1)], width, width // 50 or 1)
    tiles = [
        f"{tile['set']} {tile['note']}: {tile['later'] if tile['claims'] else tile['first']}pt"
        + (f" [{''.join(map(letter, tile['claims']))}]" if tile["claims"] else "")
        for tile in view["achievements"]
    ]
    lines += _wrap("Achievements  ", tiles, width)
    if view["rewards"]:
        lines += _wrap("Reward tokens  ", [token["id"].removeprefix("reward_") for token in view["rewards"]], width)
    lines += _wrap("Agents left  ", [f"{country} {n}" for country, n in view["agents"].items()], width)
    return lines


def _board_name(view: dict[str, Any], board: str) -> str:
    return next((str(area["name"]) for area in view["areas"] if area["kind"] == board), board)


def _technology_slot(number: int, slot: dict[str, Any]) -> str:
    card = slot["card"]
    if card is None:
        return f"{number} empty"
    cost = f"{card['production']}" + (f"+{slot['surcharge']}" if slot["surcharge"] else "")
    return f"{number} {card['name']} {cost} ({card['country']}): {card['effect']}"


def _order_slot(number: int, slot: dict[str, Any]) -> str:
    card = slot["card"]
    return f"  {number} (power {slot['level']}) " + ("empty" if card is None else _order(card))


def _order(card: dict[str, Any]) -> str:
    cost = "".join(f"{n}{SHORT[good]}" for good, n in card["cost"].items())
    return f"{card['id'].removeprefix('order_')} {card['country']} {cost}>{gain(card['reward'])}"


def _player(view: dict[str, Any], player: dict[str, Any], width: int, paint: Paint) -> list[str]:
    seat = player["seat"]
    mark = ">" if view["to_act"] == seat else " "
    you = " (you)" if view["seat"] == seat else ""
    gone = " (left)" if seat in view["gone"] else ""
    end = sum(player["forecast"].values())
    head = f"{mark}{letter(seat)} {_name(view, seat)}{you}{gone}  {player['score']} points (+{end} if scored now)"
    goods = " ".join(f"{n}{SHORT[good]}" for good, n in player["goods"].items())
    hand, store = player["hand"], player["warehouse"]
    pieces = f"hand {hand['assistant']}a {hand['shop']}s {hand['trading_house']}h"
    pieces += f" · warehouse {store['assistant']}a {store['shop']}s {store['trading_house']}h"
    where = "in hand" if player["president"] < 0 else view["areas"][player["president"]]["cell"]
    lines = [
        paint(head[:width], "bold"),
        *_wrap(
            "   ", [f"¥{player['yen']} {goods} {player['imports']}im", f"· president {where}", f"· {pieces}"], width
        ),
    ]
    cards = _orders(player, view["stage"] == "keep")
    agents = f"{player['unused_agents']}/{len(player['agents'])}"
    flags = " ".join(f"{country}{n}" for country, n in player["flags"].items() if n)
    cards.append(
        f"done {len(player['done'])} · agents {agents} · 5-power {len(player['five_power'])} · flags {flags or '-'}"
    )
    lines += _wrap("   ", cards, width)
    if player["technologies"]:
        lines += _wrap("   techs: ", [card["name"] for card in player["technologies"]], width)
    return lines


def _orders(player: dict[str, Any], is_keeping: bool) -> list[str]:
    if player["orders"] is None:
        return [f"orders in hand {player['orders_hand']}"]
    own = [_order(card) for card in player["orders"]]
    signs = ("left:", "right:") if len(player["hidden"]) == 2 and is_keeping else ()
    hidden = [card for card in player["hidden"] if card["card"]]
    own += [
        f"{signs[n] if n < len(signs) else '#' + str(card['slot'])} {_order(card['card'])}"
        for n, card in enumerate(hidden)
    ]
    return [f"orders: {text}" if n == 0 else text for n, text in enumerate(own)] or ["no orders"]
