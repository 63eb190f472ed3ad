"""B3: laboratories and ports, and paying for what was chosen there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kontor_games.engine.core.action import Action
from kontor_games.engine.games.yokohama import events as e
from kontor_games.engine.games.yokohama.actions import Pay, Research, TakeOrder
from kontor_games.engine.games.yokohama.state import FIVE, NONE, PORTS, State, Task
from kontor_games.engine.games.yokohama.tables import Price, Purse, Tables

from . import reasons
from .areas import level
from .draft import Draft, with_entry
from .queries import kind_of, orders_in_hand, owns


def laboratory(t: Tables, s: State) -> int:
    """The number of the laboratory board of the action area, NONE elsewhere."""
    kind = kind_of(t, s, s.area)
    if kind.action != "research":
        return NONE
    return next(i for i, board in enumerate(t.labs) if board.id == kind.management)


def port(t: Tables, s: State) -> int:
    """The number of the port board of the action area, NONE elsewhere."""
    kind = kind_of(t, s, s.area)
    if kind.action != "take_orders":
        return NONE
    return next(i for i, board in enumerate(t.ports) if board.id == kind.management)


def payable(yen: int, imports: int, bills: Sequence[Price]) -> bool:
    """Whether all bills can be paid, each with one of its means."""
    purses = {(yen, imports)}
    for price in bills:
        purses = {
            (have - cost, left - fee)
            for have, left in purses
            for _, cost, fee in price.ways
            if have >= cost and left >= fee
        }
        if not purses:
            return False
    return True


def research_bills(t: Tables, s: State, lab: int, slot: int) -> list[Price]:
    """R19: power first, each missing point is a bill; from the fourth technology on one bill more."""
    board = t.labs[lab]
    card = t.technologies[s.labs[lab][slot]]
    missing = max(0, card.production + board.surcharge[slot] - level(t, s))
    return [board.price] * missing + [t.extra_price] * _is_extra(t, s)


def _is_extra(t: Tables, s: State) -> int:
    return 1 if len(s.me.techs) + 1 >= int(t.rules["technology_extra_cost_from_card"]) else 0


def bills(t: Tables, s: State) -> list[Price]:
    """What is still to pay, in order."""
    if s.card != NONE:
        return [t.labs[laboratory(t, s)].price] * s.due + [t.extra_price] * s.extra
    return [t.second_card_price] * s.extra


def why_not_research(t: Tables, s: State, a: Research) -> str | None:
    lab = laboratory(t, s)
    if lab == NONE:
        return reasons.NOT_LABORATORY
    if s.card != NONE:
        return reasons.PAY_TECHNOLOGY
    if a.slot >= len(s.labs[lab]) or s.labs[lab][a.slot] == NONE:
        return reasons.NO_CARD
    card = t.technologies[s.labs[lab][a.slot]]
    if owns(t, s.me, card.kind) and not t.rules["technology_duplicates_allowed"]:
        return reasons.technology_owned(card.name)
    if not payable(s.me.yen, s.me.imports, research_bills(t, s, lab, a.slot)):
        return reasons.technology_too_dear(card.name)
    return None


def research(d: Draft, a: Research) -> None:
    s = d.s
    lab = laboratory(d.t, s)
    extra = _is_extra(d.t, s)
    due = len(research_bills(d.t, s, lab, a.slot)) - extra
    d.set(card=a.slot, due=due, extra=extra)
    _pay_forced(d)


def why_not_pay(t: Tables, s: State, a: Pay) -> str | None:
    """One bill; the rest must stay payable."""
    owed = bills(t, s)
    if not owed:
        return reasons.NOTHING_DUE
    for means, yen, imports in owed[0].ways:
        if means == a.means:
            if s.me.yen < yen or s.me.imports < imports:
                return reasons.NOT_THAT_MUCH
            rest = payable(s.me.yen - yen, s.me.imports - imports, owed[1:])
            return None if rest else reasons.REST_TOO_DEAR
    return reasons.NO_PAYMENT


def pay(d: Draft, a: Pay) -> None:
    price = bills(d.t, d.s)[0]
    for means, yen, imports in price.ways:
        if means == a.means:
            d.spend(d.s.active, Purse(yen, (0,) * len(d.t.goods), imports))
    if d.s.due:
        d.set(due=d.s.due - 1)
    else:
        d.set(extra=d.s.extra - 1)
    _pay_forced(d)


def _pay_forced(d: Draft) -> None:
    """Pay what leaves no choice; once all is paid the cards are taken."""
    owed = bills(d.t, d.s)
    if not owed:
        _finish_research(d) if d.s.card != NONE else finish_port(d)
        return
    ways = [way[0] for way in owed[0].ways if why_not_pay(d.t, d.s, Pay(d.s.active, way[0])) is None]
    if len(ways) == 1:
        pay(d, Pay(d.s.active, ways[0]))


def _finish_research(d: Draft) -> None:
    """Rules 12: card, refill, own effect, effects of cards owned before, flag pair."""
    s = d.s
    lab = laboratory(d.t, s)
    face = s.labs[lab][s.card]
    d.update(s.active, techs=(*d.me.techs, face))
    d.set(labs=with_entry(s.labs, lab, with_entry(s.labs[lab], s.card, NONE)), card=NONE, stage=FIVE)
    d.say(e.TechnologyGained(s.active, face))
    d.later(
        Task("lab", lab, s.area),
        Task("gained", face),
        Task("patents", face),
        Task("pair", d.t.technologies[face].country),
    )


def why_not_take(t: Tables, s: State, a: TakeOrder) -> str | None:
    """R18: both cards from the board as it stands; the second costs."""
    board = port(t, s)
    if board == NONE:
        return reasons.NOT_PORT
    if s.extra:
        return reasons.PAY_ORDER
    if a.slot >= len(s.ports[board]) or s.ports[board][a.slot] == NONE:
        return reasons.NO_CARD
    need = t.ports[board].level[a.slot]
    if need > level(t, s):
        return reasons.slot_needs(need)
    if orders_in_hand(s.me) >= int(t.rules["order_hand_limit"]):
        return reasons.THREE_ORDERS
    if s.steps and not payable(s.me.yen, s.me.imports, [t.second_card_price]):
        return reasons.SECOND_TOO_DEAR
    return None


def take(d: Draft, a: TakeOrder) -> None:
    """R31: everybody sees which card is taken."""
    s = d.s
    board = port(d.t, s)
    face = s.ports[board][a.slot]
    d.update(s.active, orders=(*d.me.orders, face))
    d.say(e.OrderTaken(s.active, face))
    d.set(ports=with_entry(s.ports, board, with_entry(s.ports[board], a.slot, NONE)), steps=(*s.steps, a.slot))
    if len(d.s.steps) > 1:
        d.set(extra=1)
        _pay_forced(d)
    elif not any(why_not_take(d.t, d.s, TakeOrder(s.active, slot)) is None for slot in range(len(s.ports[board]))):
        finish_port(d)


def finish_port(d: Draft) -> None:
    """Slide and refill; with the switch of R17 the bonus needs a card."""
    kind = kind_of(d.t, d.s, d.s.area)
    if d.s.switches.port_bonus_card:
        d.score(d.s.active, kind.bonus[d.s.power], PORTS)
    d.later(Task("port", port(d.t, d.s), d.s.area))
    d.set(stage=FIVE, steps=())


def candidates(t: Tables, s: State) -> Iterator[Action]:
    seat = s.active
    if s.card != NONE or s.extra:
        yield Pay(seat, 0)
        yield Pay(seat, 1)
        return
    lab = laboratory(t, s)
    if lab != NONE:
        for slot in range(len(s.labs[lab])):
            yield Research(seat, slot)
        return
    board = port(t, s)
    if board != NONE:
        for slot in range(len(s.ports[board])):
            yield TakeOrder(seat, slot)
