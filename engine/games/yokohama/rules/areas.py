"""B3: chinatown, church, customs house and employment agency."""

from __future__ import annotations

from collections.abc import Iterator

from kontor_games.engine.core.action import Action
from kontor_games.engine.games.yokohama import events as e
from kontor_games.engine.games.yokohama.actions import Clear, Donate, Exchange, Hire, Worship
from kontor_games.engine.games.yokohama.state import CHURCH, CUSTOMS, FIVE, NONE, State, Task
from kontor_games.engine.games.yokohama.tables import ASSISTANT, ITEMS, Purse, Space, Tables

from . import reasons
from .draft import Draft, with_entry
from .queries import can_spend, item_price, kind_of, why_not_hire

FROM_AREA, FROM_HAND = 0, 1


def level(t: Tables, s: State) -> int:
    """What the action's power gives in its area."""
    return kind_of(t, s, s.area).level[s.power]


def _wrong_area(t: Tables, s: State, action: str, name: str) -> str | None:
    return None if kind_of(t, s, s.area).action == action else reasons.wrong_area(name)


def why_not_exchange(t: Tables, s: State, a: Exchange) -> str | None:
    reason = _wrong_area(t, s, "exchange", "chinatown")
    if reason:
        return reason
    if a.trade >= len(t.trades):
        return reasons.NO_EXCHANGE
    if len(s.steps) >= level(t, s):
        return reasons.NO_EXCHANGE_LEFT
    return None if can_spend(s.me, t.trades[a.trade].give) else reasons.EXCHANGE_TOO_DEAR


def exchange(d: Draft, a: Exchange) -> None:
    """One exchange; R22: each purchase of copper is a gain of its own."""
    trade = d.t.trades[a.trade]
    seat = d.s.active
    d.spend(seat, trade.give)
    d.gain_yen(seat, trade.get.yen)
    for good, count in enumerate(trade.get.goods):
        d.gain_good(seat, good, count)
    d.gain_imports(seat, trade.get.imports)
    _step(d, a.trade)


def _step(d: Draft, chosen: int) -> None:
    """Count one use of an action that may be repeated; the last one ends it."""
    steps = (*d.s.steps, chosen)
    d.set(steps=steps)
    if len(steps) >= level(d.t, d.s):
        d.set(stage=FIVE, steps=())


def why_not_employ(t: Tables, s: State, a: Hire) -> str | None:
    reason = _wrong_area(t, s, "employ", "employment agency")
    if reason:
        return reason
    if len(s.steps) >= level(t, s):
        return reasons.NO_MORE_PIECES
    return why_not_hire(t, s.me, a.item)


def employ(d: Draft, a: Hire) -> None:
    d.hire(d.s.active, a.item, item_price(d.t, d.me, a.item))
    _step(d, a.item)


def faith(t: Tables, s: State) -> int:
    """Faith reached with the donations made so far."""
    return level(t, s) + sum(t.donations[what].faith for what in s.steps)


def _reachable_faith(t: Tables, s: State) -> int:
    """Faith if everything that can still be donated is donated; a cautious figure."""
    reached, me = faith(t, s), s.me
    spent = Purse(0, (0,) * len(t.goods), 0)
    for what, donation in enumerate(t.donations):
        if what in s.steps:
            continue
        total = Purse(
            spent.yen + donation.pay.yen,
            tuple(x + y for x, y in zip(spent.goods, donation.pay.goods, strict=True)),
            spent.imports + donation.pay.imports,
        )
        if can_spend(me, total):
            spent, reached = total, reached + donation.faith
    return reached


def _has_assistant(s: State) -> bool:
    return s.me.hand[ASSISTANT] > 0 or s.me.placed[s.area] > 0


def _why_not_source(s: State, source: int) -> str | None:
    if source == FROM_AREA:
        return None if s.me.placed[s.area] else reasons.NONE_IN_AREA
    if source == FROM_HAND:
        return None if s.me.hand[ASSISTANT] else reasons.NONE_IN_HAND
    return reasons.NO_SOURCE


def why_not_donate(t: Tables, s: State, a: Donate) -> str | None:
    """R14: each donation once; only if a space can be reached in the end."""
    reason = _wrong_area(t, s, "church", "church")
    if reason:
        return reason
    if a.what >= len(t.donations):
        return reasons.NO_DONATION
    if a.what in s.steps:
        return reasons.GIVEN_ALREADY
    if not can_spend(s.me, t.donations[a.what].pay):
        return reasons.NOT_OWNED
    if not _has_assistant(s):
        return reasons.NONE_FOR_BOARD
    reach = _reachable_faith(t, s)
    if any(owner == NONE and space.need <= reach for owner, space in zip(s.church, t.church, strict=True)):
        return None
    return reasons.OUT_OF_REACH


def donate(d: Draft, a: Donate) -> None:
    d.spend(d.s.active, d.t.donations[a.what].pay)
    d.set(steps=(*d.s.steps, a.what))


def why_not_worship(t: Tables, s: State, a: Worship) -> str | None:
    reason = _wrong_area(t, s, "church", "church")
    if reason:
        return reason
    if a.space >= len(t.church):
        return reasons.NO_SPACE
    if s.church[a.space] != NONE:
        return reasons.SPACE_TAKEN
    need = t.church[a.space].need
    if faith(t, s) < need:
        return reasons.little_faith(need, faith(t, s))
    return _why_not_source(s, a.source)


def _settle_on(d: Draft, source: int, space: Space, category: int) -> None:
    """An assistant goes to a management board for good, and its reward comes."""
    seat = d.s.active
    if source == FROM_AREA:
        d.put(seat, d.s.area, -1)
    else:
        d.hand(seat, ASSISTANT, -1)
    d.set(stage=FIVE, steps=())
    d.reward(seat, space.reward, category)
    d.later(Task("settled", category))


def worship(d: Draft, a: Worship) -> None:
    d.set(church=with_entry(d.s.church, a.space, d.s.active))
    d.say(e.ChurchJoined(d.s.active, a.space))
    _settle_on(d, a.source, d.t.church[a.space], CHURCH)


def why_not_clear(t: Tables, s: State, a: Clear) -> str | None:
    """R15, R16: pay exactly the number of the space, at most power − 1."""
    reason = _wrong_area(t, s, "customs", "customs house")
    if reason:
        return reason
    if a.space >= len(t.customs):
        return reasons.NO_SPACE
    if s.customs[a.space] != NONE:
        return reasons.SPACE_TAKEN
    need, most = t.customs[a.space].need, level(t, s)
    if need > most or (need < most and not s.switches.customs_up_to):
        return reasons.customs_power(need, most)
    if s.me.imports < need:
        return reasons.few_imports(need, s.me.imports)
    return _why_not_source(s, a.source)


def clear(d: Draft, a: Clear) -> None:
    space = d.t.customs[a.space]
    d.spend(d.s.active, Purse(0, (0,) * len(d.t.goods), space.need))
    d.set(customs=with_entry(d.s.customs, a.space, d.s.active))
    d.say(e.CustomsCleared(d.s.active, a.space))
    _settle_on(d, a.source, space, CUSTOMS)


def candidates(t: Tables, s: State) -> Iterator[Action]:
    """What the action of the area offers, `done` aside."""
    seat = s.active
    match kind_of(t, s, s.area).action:
        case "exchange":
            for trade in range(len(t.trades)):
                yield Exchange(seat, trade)
        case "employ":
            for item in range(len(ITEMS)):
                yield Hire(seat, item)
        case "church":
            for what in range(len(t.donations)):
                yield Donate(seat, what)
            reached = faith(t, s)
            for space, row in enumerate(t.church):
                if s.church[space] == NONE and row.need <= reached:
                    yield Worship(seat, space, FROM_AREA)
                    yield Worship(seat, space, FROM_HAND)
        case "customs":
            for space in range(len(t.customs)):
                if s.customs[space] == NONE:
                    yield Clear(seat, space, FROM_AREA)
                    yield Clear(seat, space, FROM_HAND)
