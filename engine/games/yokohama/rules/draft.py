"""The state while an action is carried out: each change makes a new value, events collect."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from kontor_games.engine.core.action import Event
from kontor_games.engine.games.yokohama import events as e
from kontor_games.engine.games.yokohama.state import POINTS, Player, State, Task
from kontor_games.engine.games.yokohama.tables import Purse, Reward, Tables

from .queries import others_at, owns


class Draft:
    """Tables, the running state and what has happened so far."""

    __slots__ = ("events", "s", "t")

    def __init__(self, t: Tables, s: State) -> None:
        self.t = t
        self.s = s
        self.events: list[Event] = []

    @property
    def me(self) -> Player:
        return self.s.players[self.s.active]

    def set(self, **changes: Any) -> None:
        self.s = replace(self.s, **changes)

    def update(self, seat: int, **changes: Any) -> None:
        """Change one player."""
        players = self.s.players
        self.s = replace(self.s, players=(*players[:seat], replace(players[seat], **changes), *players[seat + 1 :]))

    def say(self, event: Event) -> None:
        self.events.append(event)

    def board(self, cell: int) -> int:
        """The number of the area board in a cell, as events name it."""
        return self.s.cells[cell]

    def later(self, *tasks: Task) -> None:
        self.s = replace(self.s, queue=(*self.s.queue, *tasks))

    def gain_yen(self, seat: int, yen: int) -> None:
        if yen:
            self.update(seat, yen=self.s.players[seat].yen + yen)
            self.say(e.Gained(seat, yen, "yen"))

    def gain_imports(self, seat: int, count: int) -> None:
        if count:
            self.update(seat, imports=self.s.players[seat].imports + count)
            self.say(e.Gained(seat, count, "import"))

    def gain_good(self, seat: int, good: int, count: int, bonus: bool = True) -> None:
        """One gain of a good; R22: Mining Technology enlarges a gain of copper once."""
        if not count:
            return
        player = self.s.players[seat]
        if bonus and good == self.t.copper and owns(self.t, player, "mining_technology"):
            count += self.t.param("mining_technology", "copper")
        self.update(seat, goods=added(player.goods, good, count))
        self.say(e.Gained(seat, count, self.t.goods[good]))

    def spend(self, seat: int, purse: Purse) -> None:
        """Pay to the supply."""
        player = self.s.players[seat]
        goods = tuple(have - cost for have, cost in zip(player.goods, purse.goods, strict=True))
        self.update(seat, yen=player.yen - purse.yen, goods=goods, imports=player.imports - purse.imports)
        if purse.yen:
            self.say(e.Spent(seat, purse.yen, "yen"))
        for good, cost in enumerate(purse.goods):
            if cost:
                self.say(e.Spent(seat, cost, self.t.goods[good]))
        if purse.imports:
            self.say(e.Spent(seat, purse.imports, "import"))

    def spend_yen(self, seat: int, yen: int) -> None:
        if yen:
            self.update(seat, yen=self.s.players[seat].yen - yen)
            self.say(e.Spent(seat, yen, "yen"))

    def pay_presidents(self, cell: int) -> None:
        """Pay the fee to each opposing president in a cell."""
        fee = int(self.t.rules["president_fee_yen"])
        seat = self.s.active
        for other in tuple(others_at(self.s, seat, cell)):
            self.update(seat, yen=self.s.players[seat].yen - fee)
            self.update(other, yen=self.s.players[other].yen + fee)
            self.say(e.FeePaid(seat, other, fee))

    def score(self, seat: int, points: int, category: int) -> None:
        if points:
            player = self.s.players[seat]
            self.update(seat, points=added(player.points, category, points))
            self.say(e.Scored(seat, points, POINTS[category]))

    def hand(self, seat: int, item: int, change: int) -> None:
        """More or fewer pieces in hand."""
        self.update(seat, hand=added(self.s.players[seat].hand, item, change))

    def put(self, seat: int, cell: int, change: int) -> None:
        """More or fewer assistants in a cell."""
        self.update(seat, placed=added(self.s.players[seat].placed, cell, change))

    def reward(self, seat: int, reward: Reward, category: int) -> None:
        """R29: the components in the order of the table; what needs a decision is queued."""
        self.score(seat, reward.points, category)
        self.gain_yen(seat, reward.yen)
        for good, count in enumerate(reward.goods):
            self.gain_good(seat, good, count)
        self.gain_imports(seat, reward.imports)
        if reward.any_good:
            copper = reward.goods[self.t.copper] if self.t.copper >= 0 else 0
            self.later(Task("good", reward.any_good, 1 if copper else 0))
        if reward.warehouse:
            self.later(Task("hire", reward.warehouse))
        if reward.move:
            self.later(Task("move", reward.move))
        for _ in range(reward.free_agent):
            self.add_agent(seat, len(self.t.countries))

    def add_agent(self, seat: int, country: int) -> None:
        self.update(seat, agents=(*self.s.players[seat].agents, country))
        self.say(e.AgentGained(seat, country))

    def hire(self, seat: int, item: int, price: int) -> None:
        """A piece from the warehouse to the hand."""
        self.spend_yen(seat, price)
        self.update(seat, warehouse=added(self.s.players[seat].warehouse, item, -1))
        self.hand(seat, item, 1)
        self.say(e.Hired(seat, item))


def added(values: tuple[int, ...], index: int, change: int) -> tuple[int, ...]:
    """The tuple with one entry changed by `change`."""
    return (*values[:index], values[index] + change, *values[index + 1 :])


def with_entry(values: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    """The tuple with one entry replaced."""
    return (*values[:index], value, *values[index + 1 :])
