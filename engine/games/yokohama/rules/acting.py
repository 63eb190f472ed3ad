"""The beginning of an area action: power, income of a trading house, gains without a choice (B3)."""

from __future__ import annotations

from kontor_games.engine.games.yokohama import events as e
from kontor_games.engine.games.yokohama.state import ACT, FIVE, NONE, PORTS

from .draft import Draft
from .queries import kind_of, power


def begin_action(d: Draft, cell: int) -> None:
    """Fix the power (R12), pay the owner of the trading house (R13), gain what needs no choice."""
    t, seat = d.t, d.s.active
    strength = power(t, d.s, seat, cell)
    d.set(area=cell, power=strength, stage=ACT, steps=())
    d.say(e.ActionBegan(seat, d.board(cell), strength))
    owner = d.s.houses[cell]
    if owner not in (NONE, seat):
        income = int(t.rules["trading_house_income_yen"])
        d.update(owner, yen=d.s.players[owner].yen + income)
        d.say(e.HouseIncome(owner, income, d.board(cell)))
    kind = kind_of(t, d.s, cell)
    level = kind.level[strength]
    if kind.action == "gain_good":
        d.gain_good(seat, kind.good, level)
        d.set(stage=FIVE)
    elif kind.action == "gain_yen":
        d.gain_yen(seat, level)
        d.set(stage=FIVE)
    else:
        if not d.s.switches.port_bonus_card:  # R17
            d.score(seat, kind.bonus[strength], PORTS)
        if not level:
            d.set(stage=FIVE)
