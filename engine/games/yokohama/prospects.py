"""What things are worth to one seat, and what an action in each area promises at each power."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from kontor_games.engine.core.value import Known
from kontor_games.engine.games.yokohama.rules.queries import count_others, house_price, kind_of, orders_in_hand, power

from .state import ACT, NEUTRAL, NONE, State
from .tables import ASSISTANT, HOUSE, SHOP, Price, Reward, Tables

POINT = 100
SHOP_WORTH, HOUSE_WORTH, BUILT_WORTH = 42, 85, 30  # per own turn still to come
_GOOD = {"copper": 82, "silk": 62, "tea": 42, "fish": 42}
# what a technology brings per own turn still to come
_TECHNOLOGY = {
    "ball": 60,
    "brickworks": 50,
    "electric_lighting": 40,
    "gas_lighting": 42,
    "language_school": 25,
    "letterpress": 20,
    "mining_technology": 55,
    "newspaper": 32,
    "patent_system": 45,
    "postal_system": 32,
    "spinning_mill": 28,
    "stagecoach": 22,
    "station": 50,
    "stock_exchange": 28,
    "telegraph": 25,
    "telephone": 38,
    "tram": 40,
    "university": 32,
    "winery": 42,
}


class Pace(NamedTuple):
    """How long a player wants a match to last."""

    rounds: int  # after which an end is welcome
    rush: int  # what it costs to bring the end nearer before, for each per cent


PACE = Pace(13, 12)


def amount(price: int, have: int) -> int:
    """Many of a kind are worth less each."""
    return price * min(have, 4) + 30 * min(max(0, have - 4), 4) + 12 * max(0, have - 8)


class OrderCard(NamedTuple):
    """What never changes about an order: its goods with their prices, and its worth without imports."""

    needs: tuple[tuple[int, int, int], ...]
    total: int
    worth: int
    imports: int


@cache
def _order_card(t: Tables, face: int) -> OrderCard:
    order = t.order(face)
    assert order is not None
    needs = tuple((good, need, _price(t, good)) for good, need in enumerate(order.goods) if need)
    total = sum(need * price for _, need, price in needs)
    worth = POINT * order.reward.points + 60 * order.reward.yen + 60 - total
    return OrderCard(needs, max(1, total), worth, order.reward.imports)


def _price(t: Tables, good: int) -> int:
    return _GOOD.get(t.goods[good], 42)


class Outlook:
    """One seat's look at a position: prices that depend on what it needs and on the time left."""

    def __init__(self, t: Tables, s: State, seat: int, known: Known, pace: Pace = PACE) -> None:
        self.t, self.s, self.seat = t, s, seat
        self.pace = pace
        self.me = s.players[seat]
        faces = [s.desk.face(slot, known) for slot in self.me.hidden]
        seen = [face for face in faces if face is not None]
        self.known_hidden = len(seen)
        self.orders: tuple[int, ...] = (*self.me.orders, *seen)
        self.turns_left = _turns_left(t, s, seat)
        self.import_worth = 200 if self.turns_left > 1 else 120
        self.prices = [_price(t, good) for good in range(len(t.goods))]
        self.lack = [0] * len(t.goods)  # of each good, what the orders in hand still need
        self.wanted = list(self.prices)  # a good that an order lacks is worth more
        self.pool = list(self.me.goods)  # goods that no order in hand has claimed
        self.orders_worth = 0
        ordered = self.orders
        if len(ordered) > 1:
            ordered = tuple(sorted(ordered, key=lambda face: (-self._share(face), face)))
        for face in ordered:
            self.orders_worth += self.order(face)
            self._want(face)
        self.stops: list[int] | None = None
        self.kinds = [t.technologies[face].kind for face in self.me.techs]
        self._actions: dict[tuple[int, int], int] = {}
        self.placed = list(self.me.placed)
        if s.lifted >= 0 and s.active == seat:
            self.placed[s.lifted] -= 1

    def _share(self, face: int) -> int:
        """How much of an order the goods at hand cover, in per cent of their worth."""
        card = _order_card(self.t, face)
        have = 0
        for good, need, price in card.needs:
            owned = self.pool[good]
            have += price * (need if need < owned else owned)
        return 100 * have // card.total

    def _want(self, face: int) -> None:
        """Claim the goods of an order; what it lacks becomes dearer."""
        card = _order_card(self.t, face)
        slope = self.net(card) * (30 + 120 * self._share(face) // 100)
        for good, need, price in card.needs:
            missing = max(0, need - self.pool[good])
            self.pool[good] -= need - missing
            if missing:
                self.lack[good] += missing
                self.wanted[good] = max(self.wanted[good], price + slope * price // (100 * card.total))

    def gain(self, good: int, count: int) -> int:
        """So many more of a good."""
        needed = min(count, self.lack[good])
        have, price = self.me.goods[good] + needed, self.prices[good]
        return self.wanted[good] * needed + amount(price, have + count - needed) - amount(price, have)

    def reward(self, reward: Reward) -> int:
        """A reward's worth."""
        worth = POINT * reward.points + 60 * reward.yen + self.import_worth * reward.imports
        for good, count in enumerate(reward.goods):
            if count:
                worth += self.gain(good, count)
        worth += 80 * reward.any_good + 60 * reward.warehouse + 30 * reward.move
        return worth + 200 * reward.free_agent

    def order(self, face: int) -> int:
        """An order in hand: what it brings beyond its goods, the more the nearer it is."""
        share = self._share(face)
        if not self.turns_left and share < 100:
            return 0
        return self.net(_order_card(self.t, face)) * (12 + 73 * share * share // 10000) // 100

    def net(self, card: OrderCard) -> int:
        """What an order brings beyond the goods it takes; its flag counts too."""
        return max(60, card.worth + self.import_worth * card.imports)

    def technology(self, face: int) -> int:
        """A technology: its use in the turns to come and its share of the majority."""
        card = self.t.technologies[face]
        return _TECHNOLOGY.get(card.kind, 0) * min(self.turns_left, 8) + 40 * card.production

    def building(self, cell: int) -> int:
        """The best building that could be put up in a cell."""
        s, me = self.s, self.me
        if s.tiles[cell] == NONE:
            return 0
        tile = self.t.tiles[s.tiles[cell]]
        turns = min(self.turns_left, 5)
        best = 0
        if me.hand[SHOP] and self.seat not in s.shops[cell]:
            for owner, reward in zip(s.shops[cell], tile.shops, strict=True):
                if owner == NONE:
                    best = max(best, self.reward(reward) - SHOP_WORTH * turns)
        if me.hand[HOUSE] and s.houses[cell] == NONE:
            best = max(best, self.reward(tile.house) - HOUSE_WORTH * turns)
        return best + BUILT_WORTH * turns if best else 0

    def action(self, cell: int, strength: int) -> int:
        """What the action of a cell brings at this power, with token and building; remembered for this look."""
        known = self._actions.get((cell, strength))
        if known is None:
            known = self._actions[cell, strength] = self._find_action(cell, strength)
        return known

    def _find_action(self, cell: int, strength: int) -> int:
        kind = kind_of(self.t, self.s, cell)
        if strength <= 0 or not kind.assistants:
            return 0
        rules = self.t.rules
        strength = min(strength, int(rules["max_power"]))
        worth = self._action(cell, kind.action, kind.level[strength], kind.management, kind.good)
        worth += POINT * kind.bonus[strength]
        if strength >= int(rules["build_min_power"]):
            worth += self.building(cell)
        if strength >= int(rules["five_power_min_power"]) and self.s.fives[cell] != NONE:
            worth += self.reward(self.t.tokens[self.s.fives[cell]].reward)
        return worth

    def _action(self, cell: int, action: str, level: int, management: str, good: int) -> int:
        match action:
            case "gain_good":
                bonus = self.t.copper == good and level and "mining_technology" in self.kinds
                return self.gain(good, level + (1 if bonus else 0))
            case "gain_yen":
                return amount(60, self.me.yen + level) - amount(60, self.me.yen)
            case "exchange":
                return 25 * min(level, self.me.yen)
            case "church":
                return self.church(level, ())
            case "customs":
                return self.customs(level)
            case "employ":
                return self.employment(level)
            case "research":
                return self.laboratory(management, level)
            case "take_orders":
                return self.port(management, level)
            case _:
                return 0

    def church(self, faith: int, given: tuple[int, ...]) -> int:
        """The best space in reach, less what must still be donated."""
        costs = sorted(
            60 * donation.pay.yen
            + self.import_worth * donation.pay.imports
            + sum(price * n for price, n in zip(self.prices, donation.pay.goods, strict=True))
            for what, donation in enumerate(self.t.donations)
            if what not in given
            and self.me.yen >= donation.pay.yen
            and self.me.imports >= donation.pay.imports
            and all(have >= n for have, n in zip(self.me.goods, donation.pay.goods, strict=True))
        )
        best = 0
        extra = 150 - rush(self, church=1) + rush(self)
        extra += POINT * self.t.param("winery", "points") * ("winery" in self.kinds)
        for owner, space in zip(self.s.church, self.t.church, strict=True):
            missing = max(0, space.need - faith)
            if owner == NONE and missing <= len(costs):
                best = max(best, self.reward(space.reward) + extra - sum(costs[:missing]) - 40)
        return best

    def customs(self, level: int) -> int:
        best = 0
        extra = 200 - rush(self, customs=1) + rush(self)
        extra += POINT * self.t.param("brickworks", "points") * ("brickworks" in self.kinds)
        for owner, space in zip(self.s.customs, self.t.customs, strict=True):
            if owner == NONE and space.need <= min(level, self.me.imports):
                best = max(best, self.reward(space.reward) + extra - self.import_worth * space.need - 40)
        return best

    def employment(self, level: int) -> int:
        me, turns = self.me, min(self.turns_left, 6)
        worth, yen = 0, me.yen
        if level and me.warehouse[HOUSE] and yen >= house_price(self.t, me) and not me.hand[HOUSE]:
            price = house_price(self.t, me)
            worth, level, yen = HOUSE_WORTH * turns - 60 * price, level - 1, yen - price
        if level and me.warehouse[SHOP] and yen >= self.t.prices[SHOP] and me.hand[SHOP] < 2:
            worth, level = worth + SHOP_WORTH * turns - 60 * self.t.prices[SHOP], level - 1
        each = 15 if me.hand[ASSISTANT] < 4 else 6
        return max(0, worth) + each * turns * min(level, me.warehouse[ASSISTANT])

    def laboratory(self, management: str, level: int) -> int:
        lab = next(i for i, board in enumerate(self.t.labs) if board.id == management)
        best = 0
        for slot, face in enumerate(self.s.labs[lab]):
            if face != NONE:
                best = max(best, self._technology_offer(lab, slot, face, level))
        return best

    def _technology_offer(self, lab: int, slot: int, face: int, level: int) -> int:
        t, me = self.t, self.me
        card, board = t.technologies[face], t.labs[lab]
        if card.kind in self.kinds:
            return 0
        extra = len(me.techs) + 1 >= int(t.rules["technology_extra_cost_from_card"])
        bills = max(0, card.production + board.surcharge[slot] - level) + extra
        if bills > self.means(board.price):
            return 0
        worth = self.technology(face) + POINT * t.param(card.kind, "points") * (card.kind == "exhibition") + 150
        return worth - 120 * bills

    def means(self, price: Price) -> int:
        """How many such bills money and imports pay, about."""
        yen = self.me.yen // price.yen if price.yen else 0
        return yen + (self.me.imports // price.imports if price.imports else 0)

    def port(self, management: str, level: int) -> int:
        board = next(i for i, port in enumerate(self.t.ports) if port.id == management)
        if orders_in_hand(self.me) >= int(self.t.rules["order_hand_limit"]):
            return 0
        best = 0
        for face, need in zip(self.s.ports[board], self.t.ports[board].level, strict=True):
            if face != NONE and need <= level:
                best = max(best, self.order(face))
        return best


def rush(look: Outlook, church: int = 0, customs: int = 0) -> int:
    """What it costs to bring the end nearer than stock and pieces have paid off, by more assistants on the boards."""
    t, s = look.t, look.s
    total = 0
    for owners, end, more in (
        (s.church, t.counts[s.seats].church_end, church),
        (s.customs, t.counts[s.seats].customs_end, customs),
    ):
        neutral = owners.count(NEUTRAL)
        filled = len(owners) - owners.count(NONE) - neutral + more
        total += max(0, 100 * filled // max(1, end - neutral) - 100 * s.round // look.pace.rounds)
    return look.pace.rush * total


def _turns_left(t: Tables, s: State, seat: int) -> int:
    """Own turns still to come after the present one; a guess until the end is announced."""
    order, now = (seat - s.start) % s.seats, (s.active - s.start) % s.seats
    if s.ending:
        return max(0, s.final_round - s.round + (order > now))
    church = t.counts[s.seats].church_end - len(s.church) + s.church.count(NONE)
    customs = t.counts[s.seats].customs_end - len(s.customs) + s.customs.count(NONE)
    deck = s.order_deck[1] - s.order_deck[0]
    left = min(church, customs, 1 + deck // s.seats) * 2 + 1
    if s.switches.max_rounds:
        left = min(left, s.switches.max_rounds - s.round + (order > now))
    return max(0, min(left, 10))


def _stops(look: Outlook) -> list[int]:
    """Areas with own assistants where the president could end a move; asked twice, found once."""
    if look.stops is None:
        look.stops = _find_stops(look)
    return look.stops


def _find_stops(look: Outlook) -> list[int]:
    t, s, me = look.t, look.s, look.me
    postal = "postal_system" in look.kinds
    walking = s.active == look.seat and bool(s.steps) and s.stage == "move"
    barred = s.steps if walking else (me.president,)
    open_cells = [
        cell
        for cell, count in enumerate(look.placed)
        if count > 0 and cell not in barred and (postal or not count_others(s, look.seat, cell))
    ]
    if me.president == NONE or ("tram" in look.kinds and not walking):
        return open_cells
    next_to = t.counts[s.seats].layout.next_to
    seen = {me.president}
    edge = [me.president]
    while edge:
        for there in next_to[edge.pop()]:
            passable = look.placed[there] > 0 or (me.yen and not kind_of(t, s, there).assistants)
            if passable and there not in seen and there not in barred:
                seen.add(there)
                edge.append(there)
    stops = [cell for cell in open_cells if cell in seen]
    if walking and look.placed[me.president] > 0 and (postal or not count_others(s, look.seat, me.president)):
        stops.append(me.president)
    return stops


def _strength(look: Outlook, cell: int) -> int:
    """Power with the president brought there."""
    strength = power(look.t, look.s, look.seat, cell)
    return strength + (look.me.president != cell)


def this_turn(look: Outlook) -> int:
    """The best action within reach of the president now."""
    return max((look.action(cell, _strength(look, cell)) for cell in _stops(look)), default=0)


def next_turn(look: Outlook) -> int:
    """What the pieces on the map promise later: the best within reach counts most."""
    stops = _stops(look)
    best = total = 0
    for cell, count in enumerate(look.placed):
        if count > 0:
            worth = look.action(cell, _strength(look, cell)) + 8 * count
            total += worth * (12 if cell in stops else 7) // 100
            if cell in stops:
                best = max(best, worth)
    reach = 45 if look.me.president == NONE else 40
    return best * reach // 100 + total


def in_action(look: Outlook) -> int:
    """What the action in progress still promises."""
    t, s = look.t, look.s
    assert s.stage == ACT
    kind = kind_of(t, s, s.area)
    if s.card != NONE:
        face = s.labs[next(i for i, board in enumerate(t.labs) if board.id == kind.management)][s.card]
        points = POINT * t.param(t.technologies[face].kind, "points") * (t.technologies[face].kind == "exhibition")
        return look.technology(face) + points + 150 - 120 * (s.due + s.extra)
    if s.extra:
        return -120
    if kind.action == "church":
        faith = kind.level[s.power] + sum(t.donations[what].faith for what in s.steps)
        return look.church(faith, s.steps) * 97 // 100
    if s.steps:
        return 0
    return look._action(s.area, kind.action, kind.level[s.power], kind.management, kind.good) * 90 // 100
