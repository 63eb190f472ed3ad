"""The printed facts as typed tables, built by a function from the data file's content.

Nothing here is a module global: another data file gives other tables and another game record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from .tables import (
    Achievement,
    Board,
    Count,
    Donation,
    Kind,
    Laboratory,
    Layout,
    Order,
    Port,
    Price,
    Purse,
    Reward,
    RewardToken,
    Scoring,
    Space,
    Start,
    Tables,
    Technology,
    Tile,
    Token,
    Trade,
)

_LEVELS = (
    "by_power",
    "exchanges_by_power",
    "base_faith_by_power",
    "max_imports_by_power",
    "max_items_by_power",
    "production_by_power",
    "max_slot_level_by_power",
)


def tables(raw: Mapping[str, Any]) -> Tables:
    """The tables of one data file."""
    read = _Reader(tuple(raw["meta"]["goods"]), tuple(raw["meta"]["countries"]))
    kinds = {row["id"]: _kind(row, read.goods) for row in raw["area_kinds"]}
    boards = tuple(_board(row, kinds, raw["area_boards"]) for row in raw["area_boards"])
    technologies, technology_deck = read.technologies(raw)
    orders, order_deck = read.orders(raw)
    tokens = [*raw["five_power_tokens"], *raw["mini_expansion_2"]["tokens"]]
    agents = [row["country"] for row in raw["foreign_agents"]]
    return Tables(
        goods=read.goods,
        countries=read.countries,
        colours=tuple(raw["meta"]["colours"]),
        rules=dict(raw["rules"]),
        boards=boards,
        counts={row["players"]: _count(row, raw["layouts"], boards) for row in raw["setup"].values()},
        trades=tuple(
            Trade(row["id"], read.purse(row["give"]), read.purse(row["get"])) for row in raw["chinatown"]["trades"]
        ),
        donations=tuple(
            Donation(row["id"], read.purse(row["pay"]), row["faith"]) for row in raw["church"]["donations"]
        ),
        church=read.spaces(raw["church"]["spaces"], "faith"),
        customs=read.spaces(raw["customs_house"]["spaces"], "imports"),
        labs=tuple(_laboratory(row) for row in raw["laboratories"]),
        ports=tuple(Port(row["id"], tuple(row["slot_level"])) for row in raw["ports"]),
        agents=tuple(agents.count(country) for country in read.countries),
        achievements=tuple(_achievement(row, read.goods) for row in raw["achievements"]),
        technologies=technologies,
        technology_deck=technology_deck,
        orders=orders,
        order_deck=tuple(face + len(technologies) for face in order_deck),
        params={row["id"]: dict(row["params"]) for row in raw["technology_kinds"]},
        tiles=tuple(
            Tile(row["id"], tuple(map(read.reward, row["shops"])), read.reward(row["trading_house"]))
            for row in raw["building_tiles"]
        ),
        tokens=tuple(Token(row["id"], read.reward(row["reward"])) for row in tokens),
        base_tokens=len(raw["five_power_tokens"]),
        reward_tokens=tuple(map(read.reward_token, raw["mini_expansion_1"]["tokens"])),
        reward_tokens_drawn=raw["mini_expansion_1"]["tokens_drawn"],
        start=read.start(raw["player_start"]),
        prices=(raw["employment"]["assistant_yen"], raw["employment"]["shop_yen"]),
        house_prices=tuple(raw["employment"]["trading_house_yen"]),
        extra_price=_price(raw["rules"]["technology_extra_cost"]),
        second_card_price=_price(raw["rules"]["port_second_card_cost"]),
        ends=dict(raw["end_conditions"]),
        scoring=_scoring(raw),
    )


@dataclass(frozen=True)
class _Reader:
    """Reads what names goods or countries by word; tables number them."""

    goods: tuple[str, ...]
    countries: tuple[str, ...]

    def reward(self, row: Mapping[str, int]) -> Reward:
        return Reward(
            points=row.get("points", 0),
            yen=row.get("yen", 0),
            goods=tuple(row.get(good, 0) for good in self.goods),
            imports=row.get("import", 0),
            any_good=row.get("any_good", 0),
            warehouse=row.get("warehouse", 0),
            move=row.get("move", 0),
            free_agent=row.get("free_agent", 0),
        )

    def purse(self, row: Mapping[str, int]) -> Purse:
        return Purse(row.get("yen", 0), tuple(row.get(good, 0) for good in self.goods), row.get("import", 0))

    def spaces(self, rows: Iterable[Mapping[str, Any]], price: str) -> tuple[Space, ...]:
        return tuple(Space(row[price], self.reward(row["reward"]), row["blocked_2p"]) for row in rows)

    def technologies(self, raw: Mapping[str, Any]) -> tuple[tuple[Technology, ...], tuple[int, ...]]:
        kinds = {row["id"]: row for row in raw["technology_kinds"]}

        def card(row: Mapping[str, Any]) -> Technology:
            kind = kinds[row["kind"]]
            country = self.countries.index(row["country"])
            return Technology("", row["kind"], kind["name"], kind["effect"], country, row["production"])

        return _faces((row["id"], card(row)) for row in raw["technology_cards"])

    def orders(self, raw: Mapping[str, Any]) -> tuple[tuple[Order, ...], tuple[int, ...]]:
        def card(row: Mapping[str, Any]) -> Order:
            country = self.countries.index(row["country"])
            return Order("", country, self.purse(row["cost"]).goods, self.reward(row["reward"]))

        return _faces((row["id"], card(row)) for row in raw["order_cards"])

    def reward_token(self, row: Mapping[str, Any]) -> RewardToken:
        country = self.countries.index(row["country"]) if row["country"] else -1
        return RewardToken(row["id"], country, 1 if row["free_agent"] else 0)

    def start(self, row: Mapping[str, int]) -> Start:
        return Start(
            hand=(row["assistants_hand"], row["shops_hand"], row["trading_houses_hand"]),
            warehouse=(row["assistants_warehouse"], row["shops_warehouse"], row["trading_houses_warehouse"]),
            goods=tuple(row[good] for good in self.goods),
            imports=row["import"],
            yen_first=row["yen_start_player"],
            yen_others=row["yen_other_players"],
            orders_drawn=row["orders_drawn"],
        )


def _laboratory(row: Mapping[str, Any]) -> Laboratory:
    price = Price(row.get("pay_yen_per_production"), row.get("pay_import_per_production"))
    return Laboratory(row["id"], tuple(row["slot_surcharge"]), price)


def _scoring(raw: Mapping[str, Any]) -> Scoring:
    row = raw["scoring"]
    return Scoring(
        church=tuple(row["church"]),
        customs=tuple(row["customs_house"]),
        technology=tuple(row["technology"]),
        sets=tuple(row["country_set_points"]),
        agent=row["points_per_unused_agent"],
        free_agent=raw["rules"]["unused_free_agent_points"],
        imports=row["points_per_import"],
        yen_per_point=row["yen_per_point"],
        goods_per_point=row["goods_per_point"],
    )


def _price(ways: Iterable[Mapping[str, int]]) -> Price:
    merged: dict[str, int] = {}
    for way in ways:
        merged.update(way)
    return Price(merged.get("yen"), merged.get("import"))


def _kind(row: Mapping[str, Any], goods: tuple[str, ...]) -> Kind:
    level: list[int] = next((row[key] for key in _LEVELS if key in row), [0])
    bonus: list[int] = row.get("bonus_points_by_power", [0] * len(level))
    return Kind(
        id=row["id"],
        name=row["name"],
        category=row["category"],
        action=row["action"],
        good=goods.index(row["good"]) if "good" in row else -1,
        level=(0, *level),
        bonus=(0, *bonus),
        management=row.get("management", ""),
        building=row["building_tile"],
        five_power=row["five_power_space"],
        assistants=row["assistants_allowed"],
    )


def _board(row: Mapping[str, Any], kinds: Mapping[str, Kind], rows: list[Mapping[str, Any]]) -> Board:
    kind = kinds[row["kind"]]
    twins = [other["id"] for other in rows if other["kind"] == row["kind"]]
    name = kind.name if len(twins) == 1 else f"{kind.name} {twins.index(row['id']) + 1}"
    return Board(row["id"], name, kind, tuple(row["used_in"]))


def _count(row: Mapping[str, Any], layouts: Mapping[str, Any], boards: tuple[Board, ...]) -> Count:
    layout = layouts[row["layout"]]
    cells = tuple(layout["cells"])
    places = tuple((r, c) for r, length in enumerate(layout["rows"]) for c in range(length))
    next_to = tuple(tuple(sorted(cells.index(other) for other in layout["adjacency"][cell])) for cell in cells)
    return Count(
        layout=Layout(tuple(layout["rows"]), cells, places, next_to),
        boards=tuple(i for i, board in enumerate(boards) if row["players"] in board.used_in),
        orders_removed=row["orders_removed"],
        church_end=row["church_end_count"],
        customs_end=row["customs_end_count"],
        neutral=row["neutral_blocking"],
        laboratories=tuple(row["laboratories"]),
        ports=tuple(row["ports"]),
    )


def _achievement(row: Mapping[str, Any], goods: tuple[str, ...]) -> Achievement:
    need = row["requirement"]
    return Achievement(
        id=row["id"],
        set=row["set"],
        type=need["type"],
        good=goods.index(need["good"]) if "good" in need else -1,
        count=need.get("count", 0),
        production=need.get("production", 0),
        commercial=need.get("commercial", 0),
        first=row["first_points"],
        later=row["other_points"],
        note=row["note"],
    )


def _faces(rows: Iterable[tuple[str, Any]]) -> tuple[tuple[Any, ...], tuple[int, ...]]:
    """Equal cards share a face: the distinct faces, named after their first card, and the deck as faces."""
    seen: dict[Any, int] = {}
    faces: list[Any] = []
    deck: list[int] = []
    for name, card in rows:
        if card not in seen:
            seen[card] = len(faces)
            faces.append(replace(card, id=name))
        deck.append(seen[card])
    return tuple(faces), tuple(deck)
