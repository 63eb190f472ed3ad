"""B2: the president walks, rides, is deployed or recalled."""

from __future__ import annotations

from kontor_games.engine.core.action import Action
from kontor_games.engine.games.yokohama import events as e
from kontor_games.engine.games.yokohama.actions import Deploy, Done, Recall, TakeAll, TakeBack, ToStation, Tram, Walk
from kontor_games.engine.games.yokohama.state import MOVE, NONE, PHASE_C, RECALL, State
from kontor_games.engine.games.yokohama.tables import ASSISTANT, Tables

from . import reasons
from .acting import begin_action
from .draft import Draft
from .queries import count_others, is_cell, kind_of, owns


def _fee(t: Tables, s: State, cell: int) -> int:
    """What opposing presidents in a cell ask of the moving president."""
    others = count_others(s, s.active, cell)
    return others * int(t.rules["president_fee_yen"]) if others and not owns(t, s.me, "stagecoach") else 0


def entry_fee(t: Tables, s: State, cell: int) -> int | None:
    """What entering a cell costs on a walk; None where it may not be entered."""
    if not kind_of(t, s, cell).assistants:
        return int(t.rules["canal_fee_yen"])  # R04: no assistant needed, Stagecoach does not help
    return _fee(t, s, cell) if s.me.placed[cell] else None


def _why_not_end(t: Tables, s: State, cell: int) -> str | None:
    """Why the president may not end its move in a cell."""
    if not kind_of(t, s, cell).assistants:
        return reasons.NO_STOPPING
    if not s.me.placed[cell]:
        return reasons.NONE_THERE
    if count_others(s, s.active, cell) and not owns(t, s.me, "postal_system"):
        return reasons.OTHER_PRESIDENT
    return None


def _can_finish(t: Tables, s: State, cell: int, yen: int) -> bool:
    """Whether the walk, if it goes on to `cell` and has `yen` left there, can still end somewhere."""
    if _why_not_end(t, s, cell) is None:
        return True
    next_to = t.counts[s.seats].layout.next_to
    closed = {*s.steps, s.me.president, cell}
    edge = [(0, cell)]
    while edge:  # cheapest first; a cheapest way never enters an area twice (R05)
        edge.sort(reverse=True)
        cost, here = edge.pop()
        for there in next_to[here]:
            entry = None if there in closed else entry_fee(t, s, there)
            if entry is None or cost + entry > yen:
                continue
            if _why_not_end(t, s, there) is None:
                return True
            closed.add(there)
            edge.append((cost + entry, there))
    return False


def why_not_walk(t: Tables, s: State, a: Walk) -> str | None:
    """One step: next to the last, not walked yet, with an own assistant, and the walk can be finished."""
    here = s.me.president
    if not is_cell(s, a.area):
        return reasons.NO_AREA
    if here == NONE:
        return reasons.PRESIDENT_IN_HAND
    if a.area not in t.counts[s.seats].layout.next_to[here]:
        return reasons.NOT_NEXT_TO
    return _why_not_step(t, s, a.area)


def _why_not_step(t: Tables, s: State, cell: int) -> str | None:
    """The same for a cell that is next to the president."""
    here, yen = s.me.president, s.me.yen
    if cell in s.steps or cell == here:
        return reasons.TWICE
    entry = entry_fee(t, s, cell)
    if entry is None:
        return reasons.NONE_THERE
    if entry > yen:
        return reasons.entry_too_dear(entry, yen)
    if not _can_finish(t, s, cell, yen - entry):
        return _why_not_end(t, s, cell) or reasons.NO_WAY_ON
    return None


def walk(d: Draft, a: Walk) -> None:
    """Pay and enter; without a further step the move ends here."""
    s = d.s
    seat = s.active
    canal = not kind_of(d.t, s, a.area).assistants
    entry = entry_fee(d.t, s, a.area)
    if canal and entry:
        d.update(seat, yen=d.me.yen - entry)
        d.say(e.CanalPaid(seat, entry))
    elif entry:
        d.pay_presidents(a.area)
    d.set(steps=(*(s.steps or (s.me.president,)), a.area))
    d.update(seat, president=a.area)
    d.say(e.PresidentMoved(seat, "walk", d.board(a.area)))
    if all(_why_not_step(d.t, d.s, cell) for cell in d.t.counts[s.seats].layout.next_to[a.area]):
        stop(d)


def why_not_stop(t: Tables, s: State) -> str | None:
    """Whether the walk may end here."""
    if not s.steps:
        return reasons.MOVE_OR_RECALL
    return _why_not_end(t, s, s.me.president)


def stop(d: Draft) -> None:
    begin_action(d, d.me.president)


def _why_not_jump(t: Tables, s: State, cell: int) -> str | None:
    if not is_cell(s, cell):
        return reasons.NO_AREA
    if s.steps:
        return reasons.PRESIDENT_WALKING
    if cell == s.me.president:
        return reasons.PRESIDENT_THERE_ALREADY
    reason = _why_not_end(t, s, cell)
    if reason:
        return reason
    fee = _fee(t, s, cell)
    return reasons.fee_too_dear(fee, s.me.yen) if fee > s.me.yen else None


def why_not_deploy(t: Tables, s: State, a: Deploy) -> str | None:
    if s.me.president != NONE:
        return reasons.PRESIDENT_ON_MAP
    return _why_not_jump(t, s, a.area)


def why_not_tram(t: Tables, s: State, a: Tram) -> str | None:
    if not owns(t, s.me, "tram"):
        return reasons.NO_TRAM
    if s.me.president == NONE:
        return reasons.PRESIDENT_IN_HAND
    return _why_not_jump(t, s, a.area)


def why_not_to_station(t: Tables, s: State, a: ToStation) -> str | None:
    """R09: an own assistant must be there; other presidents do not matter and get nothing."""
    if not owns(t, s.me, "station") or s.station == NONE:
        return reasons.NO_STATION
    if s.steps:
        return reasons.PRESIDENT_WALKING
    if s.station == s.me.president:
        return reasons.PRESIDENT_THERE_ALREADY
    if not kind_of(t, s, s.station).assistants:
        return reasons.NO_STOPPING
    if s.switches.station_assistant and not s.me.placed[s.station]:
        return reasons.NONE_AT_STATION
    return None


def deploy(d: Draft, a: Deploy) -> None:
    _jump(d, a.area, "deploy", _fee(d.t, d.s, a.area))


def tram(d: Draft, a: Tram) -> None:
    _jump(d, a.area, "tram", _fee(d.t, d.s, a.area))


def to_station(d: Draft, a: ToStation) -> None:
    _jump(d, d.s.station, "station", 0)


def _jump(d: Draft, cell: int, how: str, fee: int) -> None:
    if fee:
        d.pay_presidents(cell)
    d.update(d.s.active, president=cell)
    d.say(e.PresidentMoved(d.s.active, how, d.board(cell)))
    begin_action(d, cell)


def why_not_recall(t: Tables, s: State, a: Recall) -> str | None:
    """R06: also with the president in hand; with the switch off only if it can be deployed nowhere."""
    if s.steps:
        return reasons.PRESIDENT_WALKING
    if s.me.president == NONE and not s.switches.recall_in_hand:
        seat = s.active
        ways = (why_not_deploy(t, s, Deploy(seat, cell)) is None for cell in range(len(s.cells)))
        if any(ways) or why_not_to_station(t, s, ToStation(seat)) is None:
            return reasons.PRESIDENT_IN_HAND
    return None


def recall(d: Draft, a: Recall) -> None:
    d.update(d.s.active, president=NONE)
    d.say(e.PresidentRecalled(d.s.active))
    d.set(stage=RECALL)
    _end_if_empty(d)


def _end_if_empty(d: Draft) -> None:
    if not any(d.me.placed):
        stop_recall(d)


def stop_recall(d: Draft) -> None:
    """Steps 3–6 are skipped after a recall."""
    d.set(stage=PHASE_C)


def why_not_take_back(t: Tables, s: State, a: TakeBack) -> str | None:
    if not is_cell(s, a.area):
        return reasons.NO_AREA
    return None if s.me.placed[a.area] else reasons.NONE_THERE


def take_back(d: Draft, a: TakeBack) -> None:
    _return(d, a.area, 1)
    _end_if_empty(d)


def why_not_take_all(t: Tables, s: State, a: TakeAll) -> str | None:
    return None


def take_all(d: Draft, a: TakeAll) -> None:
    for cell, count in enumerate(d.me.placed):
        if count:
            _return(d, cell, count)
    stop_recall(d)


def _return(d: Draft, cell: int, count: int) -> None:
    """R07: from areas only."""
    d.put(d.s.active, cell, -count)
    d.hand(d.s.active, ASSISTANT, count)
    d.say(e.AssistantsReturned(d.s.active, d.board(cell), count))


def candidates(t: Tables, s: State) -> list[Action]:
    """Exactly the legal moves, or what may be taken back after a recall."""
    seat, me = s.active, s.me
    occupied = [cell for cell, count in enumerate(me.placed) if count]
    if s.stage == RECALL:
        return [Done(seat), TakeAll(seat), *(TakeBack(seat, cell) for cell in occupied)]
    assert s.stage == MOVE
    found: list[Action] = []
    if me.president == NONE:
        found += [Deploy(seat, cell) for cell in occupied if _why_not_jump(t, s, cell) is None]
    else:
        if why_not_stop(t, s) is None:
            found.append(Done(seat))
        beside = t.counts[s.seats].layout.next_to[me.president]
        found += [Walk(seat, cell) for cell in beside if _why_not_step(t, s, cell) is None]
        if owns(t, me, "tram"):
            found += [Tram(seat, cell) for cell in occupied if _why_not_jump(t, s, cell) is None]
    if s.station != NONE and why_not_to_station(t, s, ride := ToStation(seat)) is None:
        found.append(ride)
    if why_not_recall(t, s, home := Recall(seat)) is None:
        found.append(home)
    return found
