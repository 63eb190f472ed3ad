"""How Hansa Teutonica is offered to people: kinds of action, what belongs together, and why there is none.

A kind is what a button says. «Place a trader» and «place a merchant» are two kinds, so that a kind and a post are a
whole decision. These belong together and are one choice: the post, its piece and what it costs; a claim and what it
brings; a marker and what it does, unless it goes beside a route; an additional piece and its post; a favour tile and
the markers that it costs. Picking up and putting down are two choices, since several pieces are picked up before the
first is put down.
"""

from __future__ import annotations

from collections.abc import Iterator

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.offer import Offer, Path
from kontor_games.engine.core.reason import Reason
from kontor_games.engine.core.value import Known

from . import actions as a
from .asked import now
from .data import DEVELOP_ABILITY, EXCHANGE_MARKER, MERCHANT, PIECES, PLACE_2, SWAP_OFFICES, TRADER
from .details import details, shape_placed
from .elements import targets
from .foresight import FIGURES, foresee
from .rules import MAIN, NOT_BEGUN, OPEN, candidates
from .rules.claim import claim_candidates
from .rules.common import NO_ACTIONS
from .rules.markers import use_candidates
from .rules.move import start_candidates
from .rules.place import candidates as place_candidates
from .rules.place import shapes_for
from .rules.turn import favour_candidates, income_candidates
from .state import (
    Bonus,
    Choosing,
    Claiming,
    Giving,
    Paying,
    Relocating,
    State,
    Using,
    owner_of,
)
from .travel import travels

KINDS = ("hire", "place_trader", "place_merchant", "displace", "move", "claim", "marker", "end_turn")
STEPS = (
    "favour",  # belongs to a module: without its tiles nobody needs the button
    "choose",
    "pay",
    "settle",
    "add_trader",
    "add_merchant",
    "lift",
    "put",
    "office",
    "develop",
    "prestige",
    "swap",
    "exchange",
    "lay",
    "collect",
    "give_up",
    "neutral",
    "done",
)

_KIND: dict[type[Action], str] = {
    a.Income: "hire",
    a.Displace: "displace",
    a.Choose: "choose",
    a.Pay: "pay",
    a.Settle: "settle",
    a.Put: "put",
    a.Claim: "claim",
    a.Office: "office",
    a.ExtraOffice: "office",
    a.GreenOffice: "office",
    a.Develop: "develop",
    a.Prestige: "prestige",
    a.NeutralOffice: "neutral",
    a.Collect: "collect",
    a.UseMarker: "marker",
    a.Swap: "swap",
    a.Exchange: "exchange",
    a.Lay: "lay",
    a.PlaceMarker: "lay",
    a.BuyFavour: "favour",
    a.GiveUp: "give_up",
    a.Done: "done",
    a.EndTurn: "end_turn",
}


def kind(state: State, path: Path) -> str:
    """The button under which a choice is found."""
    match path[0]:
        case a.Place():
            return f"place_{PIECES[shape_placed(state, path)]}"
        case a.Lift():
            return "lift" if state.todo else "move"
        case a.Extra(piece=piece):
            return f"add_{PIECES[piece]}"
    return _KIND[type(path[0])]


def continues(state: State, path: Path, after: State) -> bool:
    """Whether the decision after a path is part of the same choice."""
    task = after.todo[0] if after.todo else None
    match path[-1], task:
        case a.Place() | a.Displace(), Choosing():
            return True
        case a.Place() | a.Displace() | a.Choose() | a.Pay(), Paying():
            return True
        case a.BuyFavour() | a.GiveUp(), Giving():
            return isinstance(path[0], a.BuyFavour)
        case a.Claim(), Claiming():
            return True
        case a.UseMarker(), Using(marker=marker):
            return marker in (SWAP_OFFICES, DEVELOP_ABILITY, EXCHANGE_MARKER)
        case a.Extra(), Relocating():
            return True
        case a.Extra(), Bonus():
            return task.kind == PLACE_2
    return False


def why_none(state: State, kind_: str, known: Known) -> Reason | None:
    """Why there is no choice of a kind, None where there is one."""
    if state.todo:
        found = {kind(state, (action,)) for action in candidates(state, known)}
        return None if kind_ in found else OPEN[type(state.todo[0])]
    if any(True for _ in _of_kind(state, kind_)):
        return None
    if kind_ not in (*KINDS, "favour"):
        return NOT_BEGUN
    if state.actions < 1 and kind_ not in ("marker", "favour"):
        return NO_ACTIONS
    return _REASONS[kind_](state)


def _of_kind(state: State, kind_: str) -> Iterator[Action]:
    """The actions of a kind that the player in turn may begin with."""
    match kind_:
        case "hire":
            return income_candidates(state)
        case "place_trader" | "place_merchant":
            shape = TRADER if kind_ == "place_trader" else MERCHANT
            return (
                action
                for action in place_candidates(state)
                if isinstance(action, a.Place) and shape in shapes_for(state, Choosing(state.active, action.post, 0))
            )
        case "displace":
            return (action for action in place_candidates(state) if isinstance(action, a.Displace))
        case "move":
            return iter(start_candidates(state))
        case "claim":
            return claim_candidates(state)
        case "marker":
            return use_candidates(state)
        case "favour":
            return favour_candidates(state)
        case "end_turn":
            return iter((a.EndTurn(state.active),))
    return iter(())


def _no_hire(state: State) -> Reason:
    return Reason("stock_empty", "your stock is empty: all your pieces are hired already")


def _no_place(state: State, shape: int) -> Reason:
    board, stock = state.board, state.players[state.active].personal
    if not any(stock):
        return Reason("supply_empty", "your supply is empty: hire first")
    if not stock[shape]:
        return Reason("supply_has_none", "your supply has no {piece}", piece=PIECES[shape])
    if not any(not code and (shape == MERCHANT or not board.post_ship[post]) for post, code in enumerate(state.posts)):
        return Reason("no_free_post", "no free post takes a {piece}", piece=PIECES[shape])
    return Reason("no_open_post", "every free post needs a permit or more pieces than your supply holds")


def _no_displace(state: State) -> Reason:
    if not any(code and owner_of(code) != state.active for code in state.posts):
        return Reason("nobody_to_displace", "nobody else stands on a post")
    held = sum(state.players[state.active].personal)
    if held < 2:
        text = "displacing takes at least two pieces of your supply, which holds {held}"
        return Reason("displacing_costs", text, held=held)
    return Reason(
        "none_displaceable", "your supply or your permits do not suffice to displace any of the others' pieces"
    )


def _no_move(state: State) -> Reason:
    if any(owner_of(code) == state.active for code in state.posts if code):
        return Reason("pieces_stuck", "your pieces on the board have nowhere to go")
    return Reason("no_piece_on_board", "you have no piece on the board")


def _no_claim(state: State) -> Reason:
    return Reason("no_full_route", "no route is full of your pieces")


def _no_marker(state: State) -> Reason:
    unused = state.players[state.active].unused
    if not unused:
        return Reason("no_unused_marker", "you have no unused bonus marker")
    reasons = {MAIN[a.UseMarker][0](state, None, a.UseMarker(state.active, marker)) for marker in unused}
    only = reasons.pop() if len(reasons) == 1 else None
    return only if isinstance(only, Reason) else Reason("markers_useless", "none of your bonus markers can be used now")


def _no_favour(state: State) -> Reason:
    if not state.display:
        return Reason("no_tiles", "no favour tile is on offer")
    reason = MAIN[a.BuyFavour][0](state, None, a.BuyFavour(state.active, state.display[0]))
    assert isinstance(reason, Reason)
    return reason


_REASONS = {
    "hire": _no_hire,
    "place_trader": lambda state: _no_place(state, TRADER),
    "place_merchant": lambda state: _no_place(state, MERCHANT),
    "displace": _no_displace,
    "move": _no_move,
    "claim": _no_claim,
    "marker": _no_marker,
    "favour": _no_favour,
}


def at_rest(state: State) -> bool:
    """Nothing begun is unfinished: no decision is open but that of the player in turn."""
    return not state.todo


OFFER: Offer[State] = Offer(
    kinds=KINDS,
    steps=STEPS,
    kind=kind,
    targets=targets,
    details=details,
    continues=continues,
    why_none=why_none,
    at_rest=at_rest,
    now=now,
    figures=FIGURES,
    foresee=foresee,
    travels=travels,
)
