"""How the fair is offered to people: buttons, what belongs together, what is asked, and why something is not offered.

A build is two decisions: which half of which card, then where; the direction of a ray belongs to the second. To join
all of them would make a menu of a thousand entries, most of which differ by a cell.

A turn has two actions and neither can be left out, so a turn rests only before the first of them.
"""

from __future__ import annotations

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.offer import Details, Offer, Path
from kontor_games.engine.core.reason import Reason
from kontor_games.engine.core.value import Known

from ..actions import (
    Aim,
    BonusDraw,
    Design,
    DragonMove,
    MoveTo,
    Pick,
    Place,
    Play,
    ScoreTask,
    SwapWith,
    TaskDraw,
    TaskKeep,
)
from ..data import ACTIONS_PER_TURN, DRAW, HAND_LIMIT, MOVE, SHOP_CARDS, SWAP, TASK, TASKS_PER_PLAYER
from ..rules import can_act, may_design, most_bonus_cards, must_pass, must_use_bonus, no_dragon_left, not_now, turn
from ..state import AIM, BONUS, FINAL, KEEP, NOBODY, OVER, PLACE, SCORE, TARGET, TURN, Player, State
from .details import details
from .elements import targets
from .foresight import FIGURES, foresee
from .travel import travels

KINDS = ("take", "points", "bonus", "score")
STEPS = ("place", "aim", "swap", "move", "draw", "tasks", "keep", "decline", "dragon", "stay", "pass")
_BONUS_KINDS = {SWAP: "swap", MOVE: "move", DRAW: "draw", TASK: "tasks"}
_PLAIN_KINDS: dict[type[Action], str] = {
    Design: "take",
    Place: "place",
    Aim: "aim",
    SwapWith: "swap",
    MoveTo: "move",
    BonusDraw: "draw",
    TaskDraw: "tasks",
    TaskKeep: "keep",
    DragonMove: "dragon",
    ScoreTask: "score",
}


def kind(state: State, path: Path) -> str:
    """The button a choice belongs to."""
    match path[0]:
        case Play(mode=mode):
            return "points" if mode == SCORE else "bonus"
        case Pick():
            return "move" if SHOP_CARDS[state.card].bonus == MOVE else "swap"
        case action:
            return _PLAIN_KINDS.get(type(action), str(action.__struct_config__.tag))


def continues(state: State, path: Path, after: State) -> bool:
    """A place and the direction in which the card scores from it are one decision."""
    return isinstance(path[-1], Place) and after.phase == AIM


def at_rest(state: State) -> bool:
    """Whether nothing of a turn, or of the scoring of somebody's tasks, is half done."""
    if state.phase == FINAL:
        return not state.players[state.active].scored
    return state.phase == OVER or (state.phase == TURN and state.action_no == 1)


def now(state: State) -> Details:
    """What the seat to act is asked."""
    if state.desk.want is not None:
        return {"now": "cards"}
    match state.phase:
        case "turn":
            return _now_turn(state)
        case "place":
            key = "place" if state.mode == SCORE else "place with dragon"
            return {"now": key, "colour": SHOP_CARDS[state.card].colour}
        case "aim":
            return {"now": "aim", "scores": SHOP_CARDS[state.card].scores}
        case "dragons":
            return {"now": "dragons", "n": len(state.queue[0][1])}
        case "bonus":
            most = most_bonus_cards(state)
            return {"now": f"bonus {_bonus_kind(state)}", "may": state.may_decline, "most": most}
        case "target":
            return {"now": f"second to {_bonus_kind(state)}"}
        case "keep":
            return {"now": "keep", "n": TASKS_PER_PLAYER[len(state.players)]}
        case "final":
            return {"now": "score", "n": len(state.players[state.active].tasks)}
        case _:
            return {"now": "over"}


def _now_turn(state: State) -> Details:
    player = state.players[state.active]
    if must_pass(state):
        key = "turn to pass"
    elif not may_design(state, player):
        key = "turn to build"
    else:
        key = "turn" if player.cards else "turn to take"
    left = ACTIONS_PER_TURN + 1 - state.action_no
    return {"now": key, "left": left, "last": state.ended, "double": state.double}


def _bonus_kind(state: State) -> str:
    return "" if state.card == NOBODY else _BONUS_KINDS.get(SHOP_CARDS[state.card].bonus, "")


def why_none(state: State, kind: str, known: Known) -> Reason | None:
    """Why there is no choice of a kind, None if there is one."""
    seat = turn(state)
    if seat is None:
        return Reason("over", "the match is over")
    if state.desk.want is not None:
        return not_now(state)
    player = state.players[seat]
    match kind:
        case "take":
            return _why_no_take(state, player) if state.phase == TURN else not_now(state)
        case "points" | "bonus":
            return _why_no_build(state, player, kind, known) if state.phase == TURN else not_now(state)
        case "score":
            return _why_no_score(state, player, known)
        case "pass":
            return (None if must_pass(state) else can_act()) if state.phase == TURN else not_now(state)
        case "decline" if state.phase == BONUS:
            return None if state.may_decline else must_use_bonus()
        case _:
            return None if kind in _steps_now(state) else _nothing_begun(state, kind)


def _why_no_take(state: State, player: Player) -> Reason | None:
    if player.cards >= HAND_LIMIT:
        return Reason("full_build_first", "you have {limit} cards and cannot hold more: build first", limit=HAND_LIMIT)
    return None if any(state.piles) else Reason("piles_empty", "all piles are empty")


def _why_no_build(state: State, player: Player, kind: str, known: Known) -> Reason | None:
    if not player.cards:
        if any(state.piles):
            return Reason("no_card", "you have no card: take one first")
        return Reason("no_card_at_all", "you have no card, and all piles are empty")
    if all(state.desk.face(slot, known) is None for slots in player.hand for slot in slots):
        return Reason("cards_unknown", "these cards are not known")
    return no_dragon_left() if kind == "bonus" and not player.reserve else None


def _why_no_score(state: State, player: Player, known: Known) -> Reason | None:
    if state.phase != FINAL:
        return Reason("score_later", "tasks are scored after the last round")
    if all(state.desk.face(slot, known) is None for slot in player.tasks):
        return Reason("tasks_unknown", "these tasks are not known")
    return None


def _steps_now(state: State) -> tuple[str, ...]:
    """The kinds that finish what was begun."""
    match state.phase:
        case "dragons":
            return "dragon", "stay"
        case "bonus" | "target":
            return (_bonus_kind(state),)
        case phase:
            return (phase,) if phase in (PLACE, AIM, KEEP) else ()


def _nothing_begun(state: State, kind: str) -> Reason:
    if kind in ("dragon", "stay"):
        return Reason("no_dragons_scored", "no dragon of yours was scored just now")
    if kind in ("place", "aim") or state.phase not in (BONUS, TARGET, KEEP):
        return Reason("no_such_card", "no card that asks for it is in play")
    return not_now(state)


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
