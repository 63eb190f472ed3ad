"""Questions about a position that several rules ask; nothing here changes anything."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from kontor_games.engine.games.yokohama.state import (
    ACT,
    BUILD,
    FIVE,
    MOVE,
    NONE,
    PHASE_A,
    PHASE_C,
    PLACE,
    Player,
    State,
)
from kontor_games.engine.games.yokohama.tables import HOUSE, Achievement, Kind, Purse, Tables

from . import reasons

# R23: Spinning Mill and University may be used at these stages while no decision is in progress
FREE_STAGES = (PHASE_A, PLACE, MOVE, ACT, FIVE, BUILD, PHASE_C)


def kind_of(t: Tables, s: State, cell: int) -> Kind:
    """The kind of area in a cell."""
    return t.boards[s.cells[cell]].kind


def is_cell(s: State, cell: int) -> bool:
    return 0 <= cell < len(s.cells)


@lru_cache(maxsize=4096)
def _kinds_of(t: Tables, techs: tuple[int, ...]) -> frozenset[str]:
    return frozenset(t.technologies[face].kind for face in techs)


def owns(t: Tables, player: Player, kind: str) -> bool:
    """Whether the player has a technology of this kind."""
    return kind in _kinds_of(t, player.techs)


def others_at(s: State, seat: int, cell: int) -> Iterator[int]:
    """The seats whose presidents stand in a cell, the given one aside."""
    for other, player in enumerate(s.players):
        if player.president == cell and other != seat:
            yield other


def count_others(s: State, seat: int, cell: int) -> int:
    count = 0
    for other, player in enumerate(s.players):
        if player.president == cell and other != seat:
            count += 1
    return count


def can_spend(player: Player, purse: Purse) -> bool:
    return (
        player.yen >= purse.yen
        and player.imports >= purse.imports
        and all(have >= need for have, need in zip(player.goods, purse.goods, strict=True))
    )


def power(t: Tables, s: State, seat: int, cell: int) -> int:
    """Rules B3.2: own assistants, president, shop, trading house, station; at most 5."""
    player = s.players[seat]
    strength = player.placed[cell]
    strength += player.president == cell
    strength += seat in s.shops[cell]
    strength += s.houses[cell] == seat
    strength += s.station == cell
    return min(strength, int(t.rules["max_power"]))


def house_price(t: Tables, player: Player) -> int:
    """R34: the price depends on how many trading houses have left the warehouse so far."""
    taken = t.start.warehouse[HOUSE] - player.warehouse[HOUSE]
    return t.house_prices[min(taken, len(t.house_prices) - 1)]


def item_price(t: Tables, player: Player, item: int) -> int:
    return house_price(t, player) if item == HOUSE else t.prices[item]


def why_not_hire(t: Tables, player: Player, item: int) -> str | None:
    """Why this piece cannot be taken from the warehouse."""
    if not 0 <= item < 3:
        return reasons.NO_PIECE
    if not player.warehouse[item]:
        return reasons.WAREHOUSE_EMPTY
    price = item_price(t, player, item)
    return reasons.piece_too_dear(price, player.yen) if player.yen < price else None


def orders_in_hand(player: Player) -> int:
    return len(player.orders) + len(player.hidden)


def flags(t: Tables, player: Player) -> list[int]:
    """Symbols of each country: technologies, fulfilled orders, reward token (10.4)."""
    count = [0] * len(t.countries)
    for face in player.techs:
        count[t.technologies[face].country] += 1
    for face in player.done:
        order = t.order(face)
        assert order is not None
        count[order.country] += 1
    if player.reward != NONE and t.reward_tokens[player.reward].country >= 0:
        count[t.reward_tokens[player.reward].country] += 1
    return count


@lru_cache(maxsize=1024)
def _shops_by_seat(shops: tuple[tuple[int, ...], ...], seats: int) -> tuple[int, ...]:
    return tuple(sum(seat in tile for tile in shops) for seat in range(seats))


def shops_built(s: State, seat: int) -> int:
    return _shops_by_seat(s.shops, s.seats)[seat]


def most_shops_built(s: State) -> int:
    """By any one player."""
    return max(_shops_by_seat(s.shops, s.seats))


def houses_built(s: State, seat: int) -> int:
    return s.houses.count(seat)


def built_areas(t: Tables, s: State, seat: int) -> tuple[int, int]:
    """Production and commercial areas with an own building; an area counts once."""
    return _built_areas(t, s.cells, s.shops, s.houses, seat)


@lru_cache(maxsize=1024)
def _built_areas(
    t: Tables, cells: tuple[int, ...], shops: tuple[tuple[int, ...], ...], houses: tuple[int, ...], seat: int
) -> tuple[int, int]:
    production = commercial = 0
    for cell, tile in enumerate(shops):
        if seat in tile or houses[cell] == seat:
            category = t.boards[cells[cell]].kind.category
            production += category == "production"
            commercial += category == "commercial"
    return production, commercial


def progress(t: Tables, s: State, seat: int, tile: Achievement) -> tuple[int, int]:
    """How far a player is toward an achievement: have, need."""
    player = s.players[seat]
    match tile.type:
        case "goods":
            return player.goods[tile.good], tile.count
        case "technologies":
            return len(player.techs), tile.count
        case "yen":
            return player.yen, tile.count
        case "agents_and_five_power":  # R21: used or not; R27: a free agent is its 5-power token
            foreign = sum(1 for country in player.agents if country < len(t.countries))
            return foreign + len(player.fives), tile.count
        case "orders_fulfilled":
            return len(player.done), tile.count
        case "built_areas":
            production, commercial = built_areas(t, s, seat)
            have = min(production, tile.production) + min(commercial, tile.commercial)
            return have, tile.production + tile.commercial
        case _:
            return 0, 1


def why_not_house(s: State) -> str | None:
    """Why the active player cannot build the trading house of the action area."""
    if not s.me.hand[HOUSE]:
        return reasons.NO_HOUSE
    return reasons.HOUSE_TAKEN if s.houses[s.area] != NONE else None


def why_not_any_shop(s: State) -> str | None:
    """Why the active player cannot build a shop in the action area at all."""
    tile = s.shops[s.area]
    if not s.me.hand[1]:
        return reasons.NO_SHOP
    if s.active in tile:
        return reasons.OWN_SHOP
    return None if NONE in tile else reasons.SHOPS_TAKEN


def in_progress(s: State) -> bool:
    """Whether a decision of several steps has begun."""
    return bool(s.steps) or s.card != NONE or s.extra > 0


def why_not_mill(t: Tables, s: State) -> str | None:
    """R23, Spinning Mill."""
    if not owns(t, s.me, "spinning_mill"):
        return reasons.NO_MILL
    if s.mill_used:
        return reasons.MILL_USED
    if in_progress(s):
        return reasons.UNFINISHED
    if t.silk < 0 or s.me.goods[t.silk] < t.param("spinning_mill", "pay_silk"):
        return reasons.NO_SILK
    return None


def why_not_university(t: Tables, s: State) -> str | None:
    """R23, University."""
    if not owns(t, s.me, "university"):
        return reasons.NO_UNIVERSITY
    if s.university_used:
        return reasons.UNIVERSITY_USED
    if in_progress(s):
        return reasons.UNFINISHED
    if s.me.yen < t.param("university", "pay_yen"):
        return reasons.TOO_LITTLE_MONEY
    return None if s.me.warehouse[0] else reasons.NO_ASSISTANT_STORED
