"""What one seat sees, as plain data with everything a client needs to draw the table."""

from __future__ import annotations

from typing import Any

from kontor_games.engine.core.value import Known
from kontor_games.engine.games.yokohama.rules.cards import bills
from kontor_games.engine.games.yokohama.rules.queries import (
    flags,
    house_price,
    kind_of,
    orders_in_hand,
    power,
    progress,
)

from .rules import areas
from .scoring import final_points
from .state import ACT, NEUTRAL, NONE, POINTS, State
from .tables import ITEMS, Reward, Space, Tables


def view(t: Tables, s: State, seat: int | None, known: Known) -> dict[str, Any]:
    """The table as `seat` sees it; hands of others only as numbers."""
    forecast = final_points(t, s)
    return {
        "round": s.round,
        "active": s.active,
        "start": s.start,
        "stage": s.stage,
        "ending": s.ending,
        "final_round": s.final_round,
        "turn": _turn(t, s),
        "goods": list(t.goods),
        "countries": list(t.countries),
        "layout": {"rows": list(t.counts[s.seats].layout.rows)},
        "areas": [_area(t, s, cell) for cell in range(len(s.cells))],
        "church": _board(t, s.church, t.church, t.counts[s.seats].church_end),
        "customs": _board(t, s.customs, t.customs, t.counts[s.seats].customs_end),
        "trades": [{"id": trade.id} for trade in t.trades],
        "donations": [{"id": donation.id} for donation in t.donations],
        "laboratories": [_laboratory(t, s, lab) for lab in range(len(s.labs)) if s.labs[lab]],
        "ports": [_port(t, s, port) for port in range(len(s.ports)) if s.ports[port]],
        "decks": {"technologies": s.tech_deck[1] - s.tech_deck[0], "orders": s.order_deck[1] - s.order_deck[0]},
        "agents": dict(zip(t.countries, s.supply, strict=True)),
        "achievements": [_achievement(t, s, index) for index in range(len(s.achievements))],
        "rewards": [_reward_token(t, token) for token in s.rewards],
        "players": [_player(t, s, other, seat, known, forecast) for other in range(s.seats)],
        "options": {name: getattr(s.switches, name) for name in s.switches.__struct_fields__},
    }


def _turn(t: Tables, s: State) -> dict[str, Any]:
    """Where the active player is in the turn."""
    acting = s.stage == ACT and kind_of(t, s, s.area)
    return {
        "pending": [{"what": task.what, "count": task.a} for task in s.queue],
        "context": "agent" if s.agent else "main",
        "area": s.area,
        "power": s.power,
        "level": acting.level[s.power] if acting else 0,
        "steps": list(s.steps),
        "faith": areas.faith(t, s) if acting and acting.action == "church" else 0,
        "card": s.card,
        "due": len(bills(t, s)) if s.area != NONE else 0,
        "lifted": None if s.lifted == NEUTRAL else s.lifted,
        "agent_used": s.agent_used,
        "mill_used": s.mill_used,
        "university_used": s.university_used,
    }


def reward(t: Tables, row: Reward) -> dict[str, int]:
    """A reward's components that are not zero."""
    parts = {"points": row.points, "yen": row.yen, **dict(zip(t.goods, row.goods, strict=True))}
    parts |= {"import": row.imports, "any_good": row.any_good, "warehouse": row.warehouse, "move": row.move}
    parts["free_agent"] = row.free_agent
    return {name: count for name, count in parts.items() if count}


def _area(t: Tables, s: State, cell: int) -> dict[str, Any]:
    board, layout = t.boards[s.cells[cell]], t.counts[s.seats].layout
    row, column = layout.places[cell]
    tile = None if s.tiles[cell] == NONE else t.tiles[s.tiles[cell]]
    shops = [] if tile is None else zip(tile.shops, s.shops[cell], strict=True)
    return {
        "cell": layout.cells[cell],
        "row": row,
        "column": column,
        "x": 2 * column + row,  # in half boards
        "y": row,
        "next_to": list(layout.next_to[cell]),
        "board": s.cells[cell],
        "id": board.id,
        "name": board.name,
        "kind": board.kind.id,
        "category": board.kind.category,
        "action": board.kind.action,
        "by_power": list(board.kind.level[1:]),
        "bonus_by_power": list(board.kind.bonus[1:]),
        "assistants": [player.placed[cell] for player in s.players],
        "presidents": [seat for seat, player in enumerate(s.players) if player.president == cell],
        "powers": [power(t, s, seat, cell) for seat in range(s.seats)],
        "tile": None if tile is None else tile.id,
        "shops": [{"reward": reward(t, gain), "owner": _owner(owner)} for gain, owner in shops],
        "house": None if tile is None else {"reward": reward(t, tile.house), "owner": _owner(s.houses[cell])},
        "five": None if s.fives[cell] == NONE else _token(t, s.fives[cell]),
        "station": s.station == cell,
    }


def _owner(owner: int) -> int | str | None:
    return None if owner == NONE else "neutral" if owner == NEUTRAL else owner


def _board(t: Tables, owners: tuple[int, ...], spaces: tuple[Space, ...], end: int) -> dict[str, Any]:
    return {
        "spaces": [
            {"need": space.need, "reward": reward(t, space.reward), "owner": _owner(owner)}
            for owner, space in zip(owners, spaces, strict=True)
        ],
        "taken": sum(1 for owner in owners if owner != NONE),
        "end": end,
    }


def technology(t: Tables, face: int) -> dict[str, Any]:
    """A technology card."""
    card = t.technologies[face]
    return {
        "face": face,
        "id": card.kind,
        "name": card.name,
        "effect": card.effect,
        "country": t.countries[card.country],
        "production": card.production,
    }


def order(t: Tables, face: int) -> dict[str, Any]:
    """An order card."""
    card = t.order(face)
    assert card is not None
    cost = {good: count for good, count in zip(t.goods, card.goods, strict=True) if count}
    return {
        "face": face,
        "id": card.id,
        "country": t.countries[card.country],
        "cost": cost,
        "reward": reward(t, card.reward),
    }


def _laboratory(t: Tables, s: State, lab: int) -> dict[str, Any]:
    slots = zip(s.labs[lab], t.labs[lab].surcharge, strict=True)
    return {
        "index": lab,
        "id": t.labs[lab].id,
        "slots": [{"surcharge": n, "card": None if face == NONE else technology(t, face)} for face, n in slots],
    }


def _port(t: Tables, s: State, port: int) -> dict[str, Any]:
    slots = zip(s.ports[port], t.ports[port].level, strict=True)
    return {
        "index": port,
        "id": t.ports[port].id,
        "slots": [{"level": n, "card": None if face == NONE else order(t, face)} for face, n in slots],
    }


def _achievement(t: Tables, s: State, index: int) -> dict[str, Any]:
    tile = t.achievements[s.achievements[index]]
    steps = [progress(t, s, seat, tile) for seat in range(s.seats)]
    return {
        "id": tile.id,
        "set": tile.set,
        "note": tile.note,
        "first": tile.first,
        "later": tile.later,
        "claims": list(s.claims[index]),
        "progress": [have for have, _ in steps],
        "need": steps[0][1],
    }


def _token(t: Tables, token: int) -> dict[str, Any]:
    return {"id": t.tokens[token].id, "reward": reward(t, t.tokens[token].reward)}


def _reward_token(t: Tables, token: int) -> dict[str, Any]:
    row = t.reward_tokens[token]
    country = t.countries[row.country] if row.country >= 0 else ""
    return {"token": token, "id": row.id, "country": country, "free_agent": row.free_agent}


def _player(
    t: Tables, s: State, other: int, seat: int | None, known: Known, forecast: list[tuple[str, list[int]]]
) -> dict[str, Any]:
    player = s.players[other]
    own = seat == other
    hidden = [(slot, s.desk.face(slot, known if own else None)) for slot in player.hidden]
    return {
        "seat": other,
        "colour": t.colours[other],
        "score": player.score,
        "points": dict(zip(POINTS, player.points, strict=True)),
        "forecast": {name: points[other] for name, points in forecast},
        "yen": player.yen,
        "goods": dict(zip(t.goods, player.goods, strict=True)),
        "imports": player.imports,
        "president": player.president,
        "hand": dict(zip(ITEMS, player.hand, strict=True)),
        "warehouse": dict(zip(ITEMS, player.warehouse, strict=True)),
        "house_price": house_price(t, player),
        "orders_hand": orders_in_hand(player),
        "orders": [order(t, face) for face in player.orders] if own else None,
        "hidden": [{"slot": slot, "card": None if face is None else order(t, face)} for slot, face in hidden if own],
        "done": [order(t, face) for face in player.done],
        "technologies": [technology(t, face) for face in player.techs],
        "agents": [
            {"country": t.countries[country] if country < len(t.countries) else "free", "used": index < player.used}
            for index, country in enumerate(player.agents)
        ],
        "unused_agents": player.unused,
        "five_power": [_token(t, token) for token in player.fives],
        "reward": None if player.reward == NONE else _reward_token(t, player.reward),
        "flags": dict(zip(t.countries, flags(t, player), strict=True)),
    }
