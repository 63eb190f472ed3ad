"""What the seat to act is asked: a word of the catalogue's «now», and its values."""

from __future__ import annotations

from kontor_games.engine.core.offer import Details
from kontor_games.engine.games.yokohama.rules import areas, cards, placing, queries
from kontor_games.engine.games.yokohama.rules.pending import DECISIONS
from kontor_games.engine.games.yokohama.state import ACT, MOVE, NEUTRAL, NONE, PLACE, SETUP, State
from kontor_games.engine.games.yokohama.tables import ASSISTANT, Tables


def now(t: Tables, s: State) -> Details:
    """What is asked in this position."""
    if s.queue:
        return _pending(s)
    if s.stage == PLACE:
        return _placing(t, s)
    if s.stage == MOVE:
        return {"now": "walk" if s.steps else "deploy" if s.me.president == NONE else "move"}
    if s.stage == ACT:
        return _acting(t, s)
    area = NONE if s.area == NONE else s.cells[s.area]
    return {"now": s.stage, "area": area, "power": s.power, "round": s.round}


def _pending(s: State) -> Details:
    task = s.queue[0]
    if task.what not in DECISIONS:
        return {"now": "setup" if s.stage == SETUP else "cards"}
    word = "drop" if task.what == "move" and s.lifted != NEUTRAL else task.what
    return {"now": f"pending_{word}", "left": task.a}


def _placing(t: Tables, s: State) -> Details:
    """How many more assistants may be placed, whichever way is taken."""
    left = min(placing.most(t, s) - len(s.steps), s.me.hand[ASSISTANT])
    return {"now": "place" if s.steps else "place_first", "left": left}


def _acting(t: Tables, s: State) -> Details:
    action = queries.kind_of(t, s, s.area).action
    level = areas.level(t, s)
    if s.card != NONE or s.extra:
        return {"now": "pay", "left": len(cards.bills(t, s))}
    values: Details = {"now": f"act_{action}", "area": s.cells[s.area], "power": s.power, "level": level}
    if action in ("exchange", "employ"):
        return values | {"left": level - len(s.steps)}
    if action == "church":
        return values | {"faith": areas.faith(t, s)}
    if action == "take_orders" and s.steps:
        price = t.second_card_price
        return values | {"now": "act_second", "pay_yen": price.yen, "pay_import": price.imports}
    return values
