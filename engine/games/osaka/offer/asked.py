"""What the seat to decide is asked, and why a kind of action is not among it."""

from __future__ import annotations

from collections.abc import Callable

from kontor_games.engine.core.offer import Details
from kontor_games.engine.core.reason import Reason
from kontor_games.engine.core.value import Known

from ..actions import Buy, Decline, Done, Insure, Pass, Reserve
from ..data import COLOUR, COLOURS
from ..insurance import count, icons, sunk_colours
from ..rules import candidates, why_not
from ..state import COVER, INSURE, OVER, PAY, TOKEN, TURN, State, takeable, worth
from .choice import kind


def now(state: State) -> Details:
    """What is asked, and its values."""
    asker = _ASKERS.get(state.phase)
    return {"now": "over" if state.phase == OVER else "chance"} if asker is None else asker(state)


def _turn(state: State) -> Details:
    """The word for it depends on public cards alone; only the reader's own sentence says what the hand allows (R14)."""
    can = {kind(state, (action,)) for action in candidates(state, {})}
    price = worth(takeable(state.market, state.seat))
    return {
        "now": "turn" if "take" in can else "turn_reserve" if "reserve" in can else "turn_pass",
        "buy": int("buy" in can),
        "reserve": int("reserve" in can),
        "price": price,
        "money": worth(state.players[state.seat].hand),
    }


def _payment(state: State) -> Details:
    return {"now": "pay" if state.due > 0 else "paid", "due": state.due}


def _storm(state: State) -> Details:
    sunk = sunk_colours(state.ships)
    goods = [good for good in state.players[state.seat].goods if COLOUR[good] in sunk]
    word = "insure_more" if state.chosen else "insure" if goods else "insure_ahead"
    return {"now": word, "colours": sunk, "goods": goods, "chosen": list(state.chosen)}


def _cover(state: State) -> Details:
    need = [count(state.chosen, colour) - icons(state.laid, colour) for colour in range(len(COLOURS))]
    return {"now": "cover", "goods": list(state.chosen), "shields": sum(max(0, each) for each in need)}


_ASKERS: dict[int, Callable[[State], Details]] = {
    TOKEN: lambda state: {"now": "token"},
    TURN: _turn,
    PAY: _payment,
    INSURE: _storm,
    COVER: _cover,
}


def why_none(state: State, wanted: str, known: Known) -> Reason | None:
    """Why there is no choice of this kind, None if there is one."""
    if state.desk.want is not None:
        return Reason("chance_first", "a card or a roll must come first")
    if state.phase == OVER:
        return why_not(state, Buy(state.seat))
    if wanted in {kind(state, (action,)) for action in candidates(state, known)}:
        return None
    match wanted:
        case "token":
            return Reason("tokens_chosen", "starting tokens are chosen before the first turn")
        case "pay":
            return Reason("nothing_to_pay", "nothing is to be paid: buy first")
        case "insure" | "decline" | "cover":
            return _why_no_insurance(state, wanted)
    return _why_no_turn(state, wanted)


def _why_no_insurance(state: State, wanted: str) -> Reason | None:
    seat = state.seat
    if state.phase not in (INSURE, COVER):
        return Reason("no_storm", "no storm threatens your goods now")
    if wanted == "decline":
        return why_not(state, Decline(seat))
    if wanted == "cover":
        return why_not(state, Done(seat))
    if state.phase == COVER:
        return why_not(state, Insure(seat, 0))
    return Reason("no_more_goods", "no more goods can be insured with the cards of your hand")


def _why_no_turn(state: State, wanted: str) -> Reason | None:
    seat = state.seat
    if wanted == "pass":
        return why_not(state, Pass(seat))
    reason = why_not(state, Reserve(seat, 0)) if wanted == "reserve" else why_not(state, Buy(seat))
    if reason is not None and reason.id == "reserved":
        return Reason("all_reserved", "every card of Market and Farm is reserved")
    return reason
