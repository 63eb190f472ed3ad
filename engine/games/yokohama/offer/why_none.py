"""Why a kind of action has no choice now, as a player is told."""

from __future__ import annotations

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.reason import Reason
from kontor_games.engine.core.value import Known
from kontor_games.engine.games.yokohama import actions as a
from kontor_games.engine.games.yokohama import rules
from kontor_games.engine.games.yokohama.rules import placing, queries, reasons
from kontor_games.engine.games.yokohama.state import MOVE, NONE, PHASE_A, PHASE_C, PLACE, State
from kontor_games.engine.games.yokohama.tables import ASSISTANT, Tables

from .kinds import KINDS, present

NO_ROOM = Reason("no_room", "no area is left where you could place another assistant")
HAND_EMPTY = Reason(
    "hand_empty", "you have no assistant in hand: take some back, or hire them at the Employment Agency"
)
NO_WAY = Reason("no_way", "your president can reach no area with your assistants: recall it")
NO_ARRIVAL = Reason("no_arrival", "there is no area with your assistants for your president: recall some of them")
BEFORE_RECALL = Reason("before_recall", "a recall comes in place of the move: go on to the move first")
AGENT_IDLE = Reason("agent_idle", "an agent acts in an area with your assistants but without your president")
NO_ORDERS = Reason("no_orders", "you have no order in hand: take one at a port")
GOODS_SHORT = Reason("goods_short", "you lack the goods for the orders in your hand")
ALL_CLAIMED = Reason("all_claimed", "you have claimed every achievement")
NOT_ACHIEVED = Reason("not_achieved", "you have reached none of the achievements that are left to you")
MAIN_FIRST = Reason("main_first", "move your president, or recall it, before you end the turn")


def why_none(t: Tables, s: State, kind: str, known: Known) -> Reason | None:
    """None exactly where a choice of this kind exists."""
    if kind in present(t, s, known):
        return None
    if kind not in KINDS:
        return reasons.NOT_NOW
    if s.stage in (PHASE_A, PLACE) and not s.queue:
        reason = _before_move(t, s, kind)
        if reason is not None:
            return reason
    if s.stage == MOVE and kind == "move" and not s.queue:
        return NO_ARRIVAL if s.me.president == NONE else NO_WAY
    if s.stage in (PHASE_A, PHASE_C) and not s.queue and kind in _ADDITIONAL:
        return _ADDITIONAL[kind](t, s)
    return _refusal(t, s, kind)


def _before_move(t: Tables, s: State, kind: str) -> Reason | None:
    """While assistants are placed, or before that."""
    if kind == "place":
        return NO_ROOM if s.me.hand[ASSISTANT] else HAND_EMPTY
    if kind == "move":
        return reasons.PLACE_ONE if placing.why_not_stop(t, s) else NO_WAY if s.me.president != NONE else NO_ARRIVAL
    if kind == "recall":
        return reasons.PLACE_ONE if placing.why_not_stop(t, s) else BEFORE_RECALL
    return MAIN_FIRST if kind == "end" else None


def _why_no_agent(t: Tables, s: State) -> Reason:
    if s.agent_used >= int(t.rules["agent_use_per_turn"]):
        return reasons.AGENT_USED
    return AGENT_IDLE if s.me.unused else reasons.NO_AGENT


def _why_no_order(t: Tables, s: State) -> Reason:
    return GOODS_SHORT if queries.orders_in_hand(s.me) else NO_ORDERS


def _why_no_claim(t: Tables, s: State) -> Reason:
    if all(s.active in claimants for claimants in s.claims):
        return ALL_CLAIMED
    return NOT_ACHIEVED if s.me.hand[ASSISTANT] else reasons.NONE_TO_CLAIM


_ADDITIONAL = {"agent": _why_no_agent, "fulfil": _why_no_order, "claim": _why_no_claim}


def _refusal(t: Tables, s: State, kind: str) -> Reason:
    """What the rules say to an action of this kind at this stage."""
    seat = s.active
    samples: dict[str, Action] = {
        "place": a.Place(seat, 0),
        "move": a.Deploy(seat, 0),
        "recall": a.Recall(seat),
        "agent": a.UseAgent(seat, 0),
        "fulfil": a.Fulfil(seat, 0),
        "claim": a.Claim(seat, 0),
        "end": a.EndPhase(seat),
    }
    reason = rules.why_not(t, s, samples[kind])
    return reason if isinstance(reason, Reason) else reasons.NOT_NOW
