"""The records that the printed facts are kept in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

ITEMS = ("assistant", "shop", "trading_house")
ASSISTANT, SHOP, HOUSE = range(3)
YEN, IMPORT = range(2)  # the two means of payment


@dataclass(frozen=True)
class Reward:
    """What a space, card or token brings (rules 11)."""

    points: int
    yen: int
    goods: tuple[int, ...]
    imports: int
    any_good: int
    warehouse: int
    move: int
    free_agent: int


@dataclass(frozen=True)
class Purse:
    """An amount of yen, goods and imports."""

    yen: int
    goods: tuple[int, ...]
    imports: int


@dataclass(frozen=True)
class Price:
    """One payment with one of two means; None where that means is not accepted."""

    yen: int | None
    imports: int | None

    @cached_property
    def ways(self) -> tuple[tuple[int, int, int], ...]:
        """(means, yen, imports) of each way to pay."""
        out: list[tuple[int, int, int]] = []
        if self.yen is not None:
            out.append((YEN, self.yen, 0))
        if self.imports is not None:
            out.append((IMPORT, 0, self.imports))
        return tuple(out)


@dataclass(frozen=True)
class Kind:
    """A kind of area: its action and what each power gives."""

    id: str
    name: str
    category: str
    action: str
    good: int
    level: tuple[int, ...]  # by power, index 0 is power 0
    bonus: tuple[int, ...]
    management: str
    building: bool
    five_power: bool
    assistants: bool


@dataclass(frozen=True)
class Board:
    """One physical area board."""

    id: str
    name: str
    kind: Kind
    used_in: tuple[int, ...]


@dataclass(frozen=True)
class Layout:
    """Cells and borders of one player count."""

    rows: tuple[int, ...]
    cells: tuple[str, ...]
    places: tuple[tuple[int, int], ...]  # row, column of each cell, from 0
    next_to: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Count:
    """What depends on the number of players."""

    layout: Layout
    boards: tuple[int, ...]
    orders_removed: int
    church_end: int
    customs_end: int
    neutral: bool
    laboratories: tuple[str, ...]
    ports: tuple[str, ...]


@dataclass(frozen=True)
class Space:
    """A space on the church or customs board; `need` is faith or imports."""

    need: int
    reward: Reward
    blocked: bool


@dataclass(frozen=True)
class Trade:
    id: str
    give: Purse
    get: Purse


@dataclass(frozen=True)
class Donation:
    id: str
    pay: Purse
    faith: int


@dataclass(frozen=True)
class Laboratory:
    id: str
    surcharge: tuple[int, ...]
    price: Price


@dataclass(frozen=True)
class Port:
    id: str
    level: tuple[int, ...]


@dataclass(frozen=True)
class Technology:
    """A technology card face."""

    id: str
    kind: str
    name: str
    effect: str
    country: int
    production: int


@dataclass(frozen=True)
class Order:
    """An order card face."""

    id: str
    country: int
    goods: tuple[int, ...]
    reward: Reward


@dataclass(frozen=True)
class Achievement:
    id: str
    set: str
    type: str
    good: int
    count: int
    production: int
    commercial: int
    first: int
    later: int
    note: str


@dataclass(frozen=True)
class Tile:
    id: str
    shops: tuple[Reward, ...]
    house: Reward


@dataclass(frozen=True)
class Token:
    id: str
    reward: Reward


@dataclass(frozen=True)
class RewardToken:
    id: str
    country: int  # -1: no flag
    free_agent: int


@dataclass(frozen=True)
class Start:
    """What a player begins with."""

    hand: tuple[int, int, int]
    warehouse: tuple[int, int, int]
    goods: tuple[int, ...]
    imports: int
    yen_first: int
    yen_others: int
    orders_drawn: int


@dataclass(frozen=True)
class Scoring:
    church: tuple[int, ...]
    customs: tuple[int, ...]
    technology: tuple[int, ...]
    sets: tuple[int, ...]
    agent: int
    free_agent: int
    imports: int
    yen_per_point: int
    goods_per_point: int


@dataclass(frozen=True, eq=False)
class Tables:
    """All printed facts of the game; compared by identity, so that what follows from them can be remembered."""

    goods: tuple[str, ...]
    countries: tuple[str, ...]
    colours: tuple[str, ...]
    rules: Mapping[str, Any]
    boards: tuple[Board, ...]
    counts: Mapping[int, Count]
    trades: tuple[Trade, ...]
    donations: tuple[Donation, ...]
    church: tuple[Space, ...]
    customs: tuple[Space, ...]
    labs: tuple[Laboratory, ...]
    ports: tuple[Port, ...]
    agents: tuple[int, ...]  # supply per country
    achievements: tuple[Achievement, ...]
    technologies: tuple[Technology, ...]  # by face
    technology_deck: tuple[int, ...]  # a face per card
    orders: tuple[Order, ...]  # by face − first_order
    order_deck: tuple[int, ...]
    params: Mapping[str, Mapping[str, int]]
    tiles: tuple[Tile, ...]
    tokens: tuple[Token, ...]  # mini expansion 2 at the end
    base_tokens: int
    reward_tokens: tuple[RewardToken, ...]
    reward_tokens_drawn: int
    start: Start
    prices: tuple[int, int]  # assistant, shop
    house_prices: tuple[int, ...]
    extra_price: Price
    second_card_price: Price
    ends: Mapping[str, Any]
    scoring: Scoring

    @cached_property
    def first_order(self) -> int:
        """Order faces follow the technology faces."""
        return len(self.technologies)

    @cached_property
    def faces(self) -> tuple[str, ...]:
        return (*(card.kind for card in self.technologies), *(card.id for card in self.orders))

    @cached_property
    def copper(self) -> int:
        return self.goods.index("copper") if "copper" in self.goods else -1

    @cached_property
    def silk(self) -> int:
        return self.goods.index("silk") if "silk" in self.goods else -1

    def order(self, face: int) -> Order | None:
        """The order with this face, if it is one."""
        index = face - self.first_order
        return self.orders[index] if 0 <= index < len(self.orders) else None

    def param(self, kind: str, name: str) -> int:
        """A figure printed on a technology; 0 where the data file has no such card."""
        return int(self.params.get(kind, {}).get(name, 0))
