"""What things are worth to one seat, and what an action in each area promises at each power."""

from __future__ import annotations

from ...core.value import Known
from .rules.cards import payable
from .rules.queries import count_others, house_price, kind_of, orders_in_hand, owns, power
from .state import ACT, NONE, State
from .tables import ASSISTANT, HOUSE, SHOP, Order, Reward, Tables

POINT = 100
_GOOD = {"copper": 95, "silk": 80, "tea": 55, "fish": 55}
# what a technology brings per own turn still to come
_TECHNOLOGY = {
    "ball": 40,
    "brickworks": 40,
    "electric_lighting": 35,
    "gas_lighting": 40,
    "language_school": 20,
    "letterpress": 15,
    "mining_technology": 35,
    "newspaper": 25,
    "patent_system": 30,
    "postal_system": 25,
    "spinning_mill": 30,
    "stagecoach": 15,
    "station": 40,
    "stock_exchange": 25,
    "telegraph": 20,
    "telephone": 30,
    "tram": 35,
    "university": 30,
    "winery": 35,
}


def amount(price: int, have: int) -> int:
    """Many of a kind are worth less each."""
    return price * min(have, 7) + 40 * max(0, have - 7)


class Outlook:
    """One seat's look at a position: prices that depend on what it needs and on the time left."""

    def __init__(self, t: Tables, s: State, seat: int, known: Known) -> None:
        self.t, self.s, self.seat = t, s, seat
        self.me = s.players[seat]
        faces = [s.desk.face(slot, known) for slot in self.me.hidden]
        seen = [face for face in faces if face is not None]
        self.known_hidden = len(seen)
        self.orders: tuple[int, ...] = (*self.me.orders, *seen)
        self.turns_left = _turns_left(t, s, seat)
        self.import_worth = 200 if self.turns_left > 1 else 120
        self.prices = [_GOOD.get(good, 55) for good in t.goods]
        for face in self.orders:
            order = t.order(face)
            if order is not None:
                for good, need in enumerate(order.goods):
                    if need > self.me.goods[good]:
                        self.prices[good] += 20
        self.placed = list(self.me.placed)
        if s.lifted >= 0 and s.active == seat:
            self.placed[s.lifted] -= 1

    def reward(self, reward: Reward) -> int:
        """A reward's worth."""
        worth = POINT * reward.points + 60 * reward.yen + self.import_worth * reward.imports
        worth += sum(price * count for price, count in zip(self.prices, reward.goods, strict=True))
        worth += 80 * reward.any_good + 60 * reward.warehouse + 30 * reward.move
        return worth + 200 * reward.free_agent

    def order(self, face: int) -> int:
        """An order in hand: what it brings beyond its goods, the more the nearer it is."""
        order = self.t.order(face)
        assert order is not None
        need = have = 0
        for price, wanted, owned in zip(self.prices, order.goods, self.me.goods, strict=True):
            need += price * wanted
            have += price * min(wanted, owned)
        net = self.net(order)
        if not self.turns_left and have < need:
            return 0
        return net * (20 + 65 * have // max(1, need)) // 100

    def net(self, order: Order) -> int:
        goods = sum(price * wanted for price, wanted in zip(self.prices, order.goods, strict=True))
        return max(60, self.reward(order.reward) + 120 - goods)

    def technology(self, face: int) -> int:
        """A technology: its use in the turns to come and its share of the majority."""
        card = self.t.technologies[face]
        return _TECHNOLOGY.get(card.kind, 0) * min(self.turns_left, 8) + 25 * card.production

    def building(self, cell: int) -> int:
        """The best building that could be put up in a cell."""
        s, me = self.s, self.me
        if s.tiles[cell] == NONE:
            return 0
        tile = self.t.tiles[s.tiles[cell]]
        best = 0
        if me.hand[SHOP] and self.seat not in s.shops[cell]:
            for owner, reward in zip(s.shops[cell], tile.shops, strict=True):
                if owner == NONE:
                    best = max(best, self.reward(reward))
        if me.hand[HOUSE] and s.houses[cell] == NONE:
            best = max(best, self.reward(tile.house))
        return best

    def action(self, cell: int, strength: int) -> int:
        """What the action of a cell brings at this power, with token and building."""
        kind = kind_of(self.t, self.s, cell)
        if strength <= 0 or not kind.assistants:
            return 0
        rules = self.t.rules
        strength = min(strength, int(rules["max_power"]))
        worth = self._action(cell, kind.action, kind.level[strength], kind.management, kind.good)
        worth += POINT * kind.bonus[strength]
        if strength >= int(rules["build_min_power"]):
            worth += max(0, self.building(cell) - 60)
        if strength >= int(rules["five_power_min_power"]) and self.s.fives[cell] != NONE:
            worth += self.reward(self.t.tokens[self.s.fives[cell]].reward)
        return worth

    def _action(self, cell: int, action: str, level: int, management: str, good: int) -> int:
        match action:
            case "gain_good":
                bonus = self.t.copper == good and level and owns(self.t, self.me, "mining_technology")
                return (level + (1 if bonus else 0)) * self.prices[good]
            case "gain_yen":
                return 60 * level
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
        extra = 150 + POINT * self.t.param("winery", "points") * owns(self.t, self.me, "winery")
        for owner, space in zip(self.s.church, self.t.church, strict=True):
            missing = max(0, space.need - faith)
            if owner == NONE and missing <= len(costs):
                best = max(best, self.reward(space.reward) + extra - sum(costs[:missing]) - 40)
        return best

    def customs(self, level: int) -> int:
        best = 0
        extra = 200 + POINT * self.t.param("brickworks", "points") * owns(self.t, self.me, "brickworks")
        for owner, space in zip(self.s.customs, self.t.customs, strict=True):
            if owner == NONE and space.need <= min(level, self.me.imports):
                best = max(best, self.reward(space.reward) + extra - self.import_worth * space.need - 40)
        return best

    def employment(self, level: int) -> int:
        me, turns = self.me, min(self.turns_left, 6)
        worth, yen = 0, me.yen
        if level and me.warehouse[HOUSE] and yen >= house_price(self.t, me) and not me.hand[HOUSE]:
            worth, level, yen = 75 * turns - 60 * house_price(self.t, me), level - 1, yen - house_price(self.t, me)
        if level and me.warehouse[SHOP] and yen >= self.t.prices[SHOP] and me.hand[SHOP] < 2:
            worth, level = worth + 45 * turns - 60 * self.t.prices[SHOP], level - 1
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
        if owns(t, me, card.kind):
            return 0
        extra = len(me.techs) + 1 >= int(t.rules["technology_extra_cost_from_card"])
        bills = [board.price] * max(0, card.production + board.surcharge[slot] - level) + [t.extra_price] * extra
        if not payable(me.yen, me.imports, bills):
            return 0
        worth = self.technology(face) + POINT * t.param(card.kind, "points") * (card.kind == "exhibition") + 150
        return worth - 120 * len(bills)

    def port(self, management: str, level: int) -> int:
        board = next(i for i, port in enumerate(self.t.ports) if port.id == management)
        if orders_in_hand(self.me) >= int(self.t.rules["order_hand_limit"]):
            return 0
        best = 0
        for face, need in zip(self.s.ports[board], self.t.ports[board].level, strict=True):
            if face != NONE and need <= level:
                best = max(best, self.order(face))
        return best


def _turns_left(t: Tables, s: State, seat: int) -> int:
    """Own turns still to come after the present one; a guess until the end is announced."""
    order, now = (seat - s.start) % s.seats, (s.active - s.start) % s.seats
    if s.ending:
        return max(0, s.final_round - s.round + (order > now))
    count = t.counts[s.seats]
    church = count.church_end - sum(1 for owner in s.church if owner != NONE)
    customs = count.customs_end - sum(1 for owner in s.customs if owner != NONE)
    deck = s.order_deck[1] - s.order_deck[0]
    left = min(church, customs, 1 + deck // s.seats) * 2 + 1
    if s.switches.max_rounds:
        left = min(left, s.switches.max_rounds - s.round + (order > now))
    return max(0, min(left, 10))


def _stops(look: Outlook) -> list[int]:
    """Areas with own assistants where the president could end a move."""
    t, s, me = look.t, look.s, look.me
    postal = owns(t, me, "postal_system")
    walking = s.active == look.seat and bool(s.steps) and s.stage == "move"
    barred = s.steps if walking else (me.president,)
    open_cells = [
        cell
        for cell, count in enumerate(look.placed)
        if count > 0 and cell not in barred and (postal or not count_others(s, look.seat, cell))
    ]
    if me.president == NONE or (owns(t, me, "tram") and not walking):
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
