"""Set-up choice and the additional actions of phases A and C (rules 10)."""

from __future__ import annotations

from collections.abc import Iterator

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.value import Known
from kontor_games.engine.games.yokohama import events as e
from kontor_games.engine.games.yokohama.actions import (
    Claim,
    EndPhase,
    Fulfil,
    KeepOrder,
    OpenOrder,
    SpinningMill,
    University,
    UseAgent,
)
from kontor_games.engine.games.yokohama.state import ACHIEVEMENTS, ORDERS, PHASE_A, PLACE, State, Task
from kontor_games.engine.games.yokohama.tables import ASSISTANT, Order, Purse, Tables

from . import reasons
from .acting import begin_action
from .draft import Draft, with_entry
from .queries import is_cell, owns, progress, why_not_mill, why_not_university
from .turns import begin_turn, end_turn


def why_not_keep(t: Tables, s: State, a: KeepOrder) -> str | None:
    return None if a.which < len(s.me.hidden) else reasons.NOT_DRAWN


def keep(d: Draft, a: KeepOrder) -> None:
    """Keep one starting order; the other leaves the game unseen (set-up step 8)."""
    s = d.s
    seat = s.active
    kept = s.me.hidden[a.which]
    d.set(desk=s.desk.forget(slot for slot in s.me.hidden if slot != kept))
    d.update(seat, hidden=(kept,))
    d.say(e.OrderKept(seat))
    following = (seat + 1) % s.seats
    if following == s.start:
        d.set(round=1)
        begin_turn(d, s.start)
    else:
        d.set(active=following)


def why_not_agent(t: Tables, s: State, a: UseAgent) -> str | None:
    if not is_cell(s, a.area):
        return reasons.NO_AREA
    if s.agent_used >= int(t.rules["agent_use_per_turn"]):
        return reasons.AGENT_USED
    if not s.me.unused:
        return reasons.NO_AGENT
    if not s.me.placed[a.area]:
        return reasons.NONE_THERE
    return reasons.PRESIDENT_THERE if s.me.president == a.area else None


def use_agent(d: Draft, a: UseAgent) -> None:
    """10.1: steps B3–B6 in an area without the own president; the agent adds no power."""
    d.update(d.s.active, used=d.me.used + 1)
    d.say(e.AgentUsed(d.s.active, d.board(a.area)))
    d.set(agent=1, agent_used=d.s.agent_used + 1, back=d.s.stage)
    begin_action(d, a.area)


def why_not_claim(t: Tables, s: State, a: Claim) -> str | None:
    if a.tile >= len(s.achievements):
        return reasons.NO_ACHIEVEMENT
    return _why_not_tile(t, s, a.tile)


def _why_not_tile(t: Tables, s: State, tile: int) -> str | None:
    if s.active in s.claims[tile]:
        return reasons.CLAIMED_ALREADY
    if not s.me.hand[ASSISTANT]:
        return reasons.NONE_TO_CLAIM
    have, need = progress(t, s, s.active, t.achievements[s.achievements[tile]])
    return None if have >= need else reasons.have_of(have, need)


def claim(d: Draft, a: Claim) -> None:
    """10.2: the first claimant gets more; nothing is spent but the assistant."""
    s = d.s
    seat = s.active
    tile = d.t.achievements[s.achievements[a.tile]]
    d.hand(seat, ASSISTANT, -1)
    d.say(e.AchievementClaimed(seat, s.achievements[a.tile]))
    d.score(seat, tile.later if s.claims[a.tile] else tile.first, ACHIEVEMENTS)
    d.set(claims=with_entry(s.claims, a.tile, (*s.claims[a.tile], seat)))
    if s.switches.mini_1 and all(seat in claimants for claimants in d.s.claims):
        d.later(Task("reward"))


def _why_not_deliver(s: State, order: Order | None) -> str | None:
    if order is None:
        return reasons.NO_ORDER
    for have, need in zip(s.me.goods, order.goods, strict=True):
        if have < need:
            return reasons.GOODS_MISSING
    return None


def why_not_fulfil(t: Tables, s: State, a: Fulfil) -> str | None:
    if a.card not in s.me.orders:
        return reasons.NOT_IN_HAND
    return _why_not_deliver(s, t.order(a.card))


def why_not_open(t: Tables, s: State, a: OpenOrder) -> str | None:
    if a.slot not in s.me.hidden:
        return reasons.NOT_STARTING_ORDER
    if s.desk.face(a.slot) not in (None, a.card):
        return reasons.ANOTHER_CARD
    return _why_not_deliver(s, t.order(a.card))


def fulfil(d: Draft, a: Fulfil) -> None:
    orders = list(d.me.orders)
    orders.remove(a.card)
    d.update(d.s.active, orders=tuple(orders))
    _deliver(d, a.card)


def open_order(d: Draft, a: OpenOrder) -> None:
    d.set(desk=d.s.desk.forget((a.slot,)))
    d.update(d.s.active, hidden=tuple(slot for slot in d.me.hidden if slot != a.slot))
    _deliver(d, a.card)


def _deliver(d: Draft, face: int) -> None:
    """10.3: goods, card, reward; then the effects of technologies and the flag pair."""
    order = d.t.order(face)
    assert order is not None
    seat = d.s.active
    d.say(e.OrderFulfilled(seat, face))
    d.spend(seat, Purse(0, order.goods, 0))
    d.update(seat, done=(*d.me.done, face))
    d.reward(seat, order.reward, ORDERS)
    d.later(Task("order"), Task("pair", order.country))


def mill(d: Draft, a: SpinningMill) -> None:
    cost = tuple(d.t.param("spinning_mill", "pay_silk") if i == d.t.silk else 0 for i in range(len(d.t.goods)))
    d.spend(d.s.active, Purse(0, cost, 0))
    d.gain_yen(d.s.active, d.t.param("spinning_mill", "yen"))
    d.set(mill_used=1)


def university(d: Draft, a: University) -> None:
    d.set(university_used=1)
    d.hire(d.s.active, ASSISTANT, d.t.param("university", "pay_yen"))


def end_phase(d: Draft, a: EndPhase) -> None:
    """10.5: A leads to placement, C ends the turn."""
    d.say(e.PhaseEnded(d.s.active, d.s.stage))
    if d.s.stage == PHASE_A:
        d.set(stage=PLACE)
    else:
        end_turn(d)


def candidates(t: Tables, s: State, known: Known) -> list[Action]:
    """Exactly the legal additional actions, `end` first."""
    seat, me = s.active, s.me
    found: list[Action] = [EndPhase(seat)]
    found += [Fulfil(seat, card) for card in dict.fromkeys(me.orders) if _why_not_deliver(s, t.order(card)) is None]
    for slot in me.hidden:
        face = s.desk.face(slot, known)
        if face is not None and why_not_open(t, s, opening := OpenOrder(seat, slot, face)) is None:
            found.append(opening)
    if me.hand[ASSISTANT]:
        found += [Claim(seat, tile) for tile in range(len(s.achievements)) if _why_not_tile(t, s, tile) is None]
    if me.unused and not s.agent_used:
        uses = [UseAgent(seat, cell) for cell, count in enumerate(me.placed) if count]
        found += [use for use in uses if why_not_agent(t, s, use) is None]
    return found


def free_candidates(t: Tables, s: State) -> Iterator[Action]:
    """R23: the technologies used once per turn."""
    if not s.me.techs:
        return
    if owns(t, s.me, "spinning_mill") and why_not_mill(t, s) is None:
        yield SpinningMill(s.active)
    if owns(t, s.me, "university") and why_not_university(t, s) is None:
        yield University(s.active)
