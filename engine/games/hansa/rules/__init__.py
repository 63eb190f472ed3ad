"""Legality and consequences: which decision is open, what it allows, and what follows by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec.structs import replace

from kontor_games.engine.core.action import Action, Event
from kontor_games.engine.core.chance import Chance, Dealt, Left
from kontor_games.engine.core.reason import Reason
from kontor_games.engine.core.value import Known
from kontor_games.engine.games.hansa import actions as a
from kontor_games.engine.games.hansa.data import FIRST_MISSION, MISSIONS
from kontor_games.engine.games.hansa.events import MissionShown, PlateTurned
from kontor_games.engine.games.hansa.state import (
    DEALING,
    OVER,
    PLAYING,
    SHOWING,
    SUPPLY,
    AnyTask,
    Bonus,
    Choosing,
    Claiming,
    Collecting,
    Giving,
    Moving,
    Neutral,
    Paying,
    Relocating,
    Replacing,
    Sharing,
    State,
    Using,
    change,
)
from kontor_games.engine.games.hansa.state import MISSIONS as MIXING_MISSIONS

from . import claim, markers, move, neutral, permanent, place, relocate, turn
from .common import Log, Rule

Auto = Callable[[State, Any, Log], State | None]
Candidates = Callable[[State, Any], Iterable[Action]]

MAIN: dict[type[Action], Rule] = {
    a.Income: (turn.why_not_income, turn.apply_income),
    a.Place: (place.why_not_place, place.apply_place),
    a.Displace: (place.why_not_displace, place.apply_displace),
    a.Lift: (move.why_not_start, move.apply_start),
    a.Claim: (claim.why_not_claim, claim.apply_claim),
    a.UseMarker: (markers.why_not_use, markers.apply_use),
    a.BuyFavour: (turn.why_not_favour, turn.apply_favour),
    a.EndTurn: (turn.why_not_end, turn.apply_end),
}

PHASES: dict[type[AnyTask], dict[type[Action], Rule]] = {
    Choosing: {a.Choose: (place.why_not_choose, place.apply_choose)},
    Paying: {a.Pay: (place.why_not_pay, place.apply_pay)},
    Relocating: {
        a.Settle: (relocate.why_not_settle, relocate.apply_settle),
        a.Extra: (relocate.why_not_extra, relocate.apply_extra),
        a.Lift: (relocate.why_not_lift, relocate.apply_lift),
        a.Put: (relocate.why_not_put, relocate.apply_put),
        a.Done: (relocate.why_not_done, relocate.apply_done),
    },
    Moving: {
        a.Lift: (move.why_not_lift, move.apply_lift),
        a.Put: (move.why_not_put, move.apply_put),
        a.Done: (move.why_not_done, move.apply_done),
    },
    Claiming: {
        a.Office: (claim.why_not_office, claim.apply_office),
        a.ExtraOffice: (claim.why_not_extra_office, claim.apply_extra_office),
        a.Develop: (claim.why_not_ability, claim.apply_ability),
        a.Prestige: (claim.why_not_prestige, claim.apply_prestige),
        a.Done: (claim.why_not_nothing, claim.apply_nothing),
    },
    Collecting: {a.Collect: (claim.why_not_collect, claim.apply_collect)},
    Using: {
        a.Swap: (markers.why_not_swap, markers.apply_swap),
        a.Develop: (markers.why_not_step, markers.apply_step),
        a.Exchange: (markers.why_not_exchange, markers.apply_exchange),
        a.Lay: (markers.why_not_lay, markers.apply_lay),
    },
    Bonus: {
        a.Develop: (permanent.why_not_develop_privilege, permanent.apply_develop_privilege),
        a.GreenOffice: (permanent.why_not_green, permanent.apply_green),
        a.Extra: (permanent.why_not_extra, permanent.apply_extra),
        a.Lift: (permanent.why_not_lift, permanent.apply_lift),
        a.Put: (permanent.why_not_put, permanent.apply_put),
        a.Done: (permanent.why_not_done, permanent.apply_done),
    },
    Sharing: {
        a.Income: (turn.why_not_shared, turn.apply_shared),
        a.Done: (turn.why_not_decline, turn.apply_decline),
    },
    Neutral: {a.NeutralOffice: (neutral.why_not_neutral, neutral.apply_neutral)},
    Giving: {a.GiveUp: (turn.why_not_give, turn.apply_give)},
    Replacing: {a.PlaceMarker: (turn.why_not_place_marker, turn.apply_place_marker)},
}

CANDIDATES: dict[type[AnyTask], Candidates] = {
    Choosing: place.choosing_candidates,
    Paying: place.paying_candidates,
    Relocating: relocate.candidates,
    Moving: move.candidates,
    Claiming: claim.claiming_candidates,
    Collecting: claim.collecting_candidates,
    Using: markers.candidates,
    Bonus: permanent.candidates,
    Sharing: turn.sharing_candidates,
    Neutral: neutral.candidates,
    Giving: turn.giving_candidates,
    Replacing: turn.replacing_candidates,
}

AUTOMATIC: dict[type[AnyTask], Auto] = {
    Choosing: place.auto_choosing,
    Paying: place.auto_paying,
    Relocating: relocate.auto,
    Moving: move.auto,
    Collecting: claim.auto_collecting,
    Bonus: permanent.auto,
    Sharing: turn.auto_sharing,
    Giving: turn.auto_giving,
    Replacing: turn.auto_replacing,
}

OPEN: dict[type[AnyTask], Reason] = {
    Choosing: Reason("open_choosing", "first choose a trader or a merchant for the post"),
    Paying: Reason("open_paying", "first pay what the action costs"),
    Relocating: Reason("open_relocating", "first the displaced piece must be relocated"),
    Moving: Reason("open_moving", "first finish moving pieces"),
    Claiming: Reason("open_claiming", "first choose what the claim brings"),
    Collecting: Reason("open_collecting", "first the tribute must be taken"),
    Using: Reason("open_using", "first use the marker that was played"),
    Bonus: Reason("open_bonus", "first use or decline the permanent marker"),
    Sharing: Reason("open_sharing", "first the shared income must be decided"),
    Neutral: Reason("open_neutral", "first a neutral route must be resolved"),
    Giving: Reason("open_giving", "first turn over the markers for the favour tile"),
    Replacing: Reason("open_replacing", "first place the markers of the plate"),
}
NOT_BEGUN = Reason("not_begun", "nothing asks for that now; choose an action, a marker or the end of your turn")


def to_decide(state: State) -> int | None:
    """The seat that decides, wants aside."""
    if state.stage == OVER:
        return None
    return state.todo[0].by if state.todo else state.active


def why_not(state: State, action: Action) -> str | None:
    """The rule that forbids an action of the seat to act, or None."""
    turn_of = to_decide(state)
    if action.seat != turn_of:
        if turn_of is None:
            return Reason("over", "the match is over")
        return Reason("not_your_turn", "seat {turn} is to act, not seat {seat}", turn=turn_of, seat=action.seat)
    if state.todo:
        task: AnyTask | None = state.todo[0]
        rule = PHASES[type(state.todo[0])].get(type(action))
        if rule is None:
            return OPEN[type(state.todo[0])]
    else:
        task, rule = None, MAIN.get(type(action))
        if rule is None:
            return NOT_BEGUN
    return rule[0](state, task, action)


def candidates(state: State, known: Known) -> Iterable[Action]:
    """Exactly the legal actions, in a fixed order."""
    if state.todo:
        task = state.todo[0]
        return CANDIDATES[type(task)](state, task)
    return [
        *claim.claim_candidates(state),
        *turn.income_candidates(state),
        *place.candidates(state),
        *move.start_candidates(state),
        *markers.use_candidates(state),
        *turn.favour_candidates(state),
        a.EndTurn(state.active),
    ]


def apply(state: State, action: Action) -> tuple[State, tuple[Event, ...]]:
    """The state after a legal action and everything that follows by itself."""
    log: Log = []
    task = state.todo[0] if state.todo else None
    rules = PHASES[type(task)] if task is not None else MAIN
    state = rules[type(action)][1](state, task, action, log)
    return _proceed(state, log), tuple(log)


def _proceed(state: State, log: Log) -> State:
    """Resolve what needs no decision, up to the next decision, want or the end."""
    while state.desk.want is None:
        if state.seats == 2:
            state = neutral.interrupt(state)
        if not state.todo:
            return turn.finish(state, log) if state.ended else state
        task = state.todo[0]
        automatic = AUTOMATIC.get(type(task))
        after = automatic(state, task, log) if automatic else None
        if after is None:
            return state
        state = after
    return state


def chance(state: State, answer: Chance) -> tuple[State, tuple[Event, ...]]:
    """Go on after a shuffle or after cards were opened."""
    log: Log = []
    shown = [(slot, face) for slot, _, face in answer.cards if face is not None] if isinstance(answer, Dealt) else []
    if state.stage == SUPPLY and state.missions:
        faces = range(FIRST_MISSION, FIRST_MISSION + len(MISSIONS))
        desk, slots = state.desk.mix(faces)
        state = replace(state, desk=desk, stage=MIXING_MISSIONS)
        for seat in range(state.seats):
            state = change(state, seat, mission=slots[seat])
    elif state.stage == MIXING_MISSIONS:
        desk = state.desk.deal((player.mission, seat) for seat, player in enumerate(state.players))
        state = replace(state, desk=desk, stage=DEALING)
    elif state.stage in (SUPPLY, DEALING):
        # a card for a seat that has left meanwhile came face up
        state = replace(state, desk=state.desk.show(shown) if shown else state.desk, stage=PLAYING)
        state = turn.start_turn(state, log)
    elif state.stage == PLAYING:
        faces_up = tuple(sorted(face for _, face in shown))
        log.append(PlateTurned(state.active, faces_up))
        waiting = tuple(sorted((*state.players[state.active].waiting, *faces_up)))
        state = _proceed(change(state, state.active, plate=(), waiting=waiting), log)
    else:
        assert state.stage == SHOWING
        state = replace(state, desk=state.desk.show(shown))
        for seat, player in enumerate(state.players):
            number = (state.desk.face(player.mission) or 0) - FIRST_MISSION
            log.append(MissionShown(seat, number + 1, MISSIONS[number]))
        state = turn.close(state, log)
    return state, tuple(log)


def left(state: State, gone: Left) -> tuple[State, tuple[Event, ...]]:
    """Nothing changes on the table when players leave: a stand-in goes on."""
    return state, ()
