"""Beginning and end of turns, the conditions that end the match (rules 7 and 13)."""

from __future__ import annotations

from kontor_games.engine.games.yokohama import events as e
from kontor_games.engine.games.yokohama.state import NONE, OVER, PHASE_A, State
from kontor_games.engine.games.yokohama.tables import Tables

from .draft import Draft
from .queries import houses_built, most_shops_built, owns


def begin_turn(d: Draft, seat: int) -> None:
    """Reset what lasts for a turn; Stock Exchange."""
    d.set(active=seat, stage=PHASE_A, agent_used=0, mill_used=0, university_used=0)
    d.say(e.TurnBegan(seat, d.s.round))
    refill = d.t.param("stock_exchange", "refill_to_yen")
    if d.me.yen < refill and owns(d.t, d.me, "stock_exchange"):
        d.gain_yen(seat, refill - d.me.yen)


def condition(t: Tables, s: State) -> str:
    """The first end condition that holds, or nothing."""
    seats = range(s.seats)
    if any(houses_built(s, seat) >= s.switches.houses_end for seat in seats):
        return "trading_houses"
    if most_shops_built(s) >= s.switches.shops_end:
        return "shops"
    if s.short and t.ends["port_refill_short"]:
        return "port"
    if len(s.church) - s.church.count(NONE) >= t.counts[s.seats].church_end:
        return "church"
    if len(s.customs) - s.customs.count(NONE) >= t.counts[s.seats].customs_end:
        return "customs"
    return ""


def end_turn(d: Draft) -> None:
    """R30: the conditions are tested now; the round and one more are completed."""
    s = d.s
    if not s.ending:
        reason = condition(d.t, s)
        if reason:
            final = s.round + int(d.t.ends["extra_rounds_after_current"])
            d.set(ending=reason, final_round=final)
            d.say(e.EndTriggered(reason, final))
    following = (s.active + 1) % s.seats
    if following == s.start:
        if d.s.ending and s.round >= d.s.final_round:
            finish(d, d.s.ending)
            return
        if s.switches.max_rounds and s.round >= s.switches.max_rounds:
            finish(d, "rounds")
            return
        d.set(round=s.round + 1)
    begin_turn(d, following)


def finish(d: Draft, reason: str) -> None:
    d.set(stage=OVER, ending=reason)
    d.say(e.MatchEnded(reason))
