"""The elements of the board that mean a choice when clicked; the first is where the choice is drawn.

Actions that are not legal, whatever their values, have an element too: clients ask about them why they are not.
"""

from __future__ import annotations

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.offer import Path
from kontor_games.engine.games.yokohama import actions as a
from kontor_games.engine.games.yokohama.rules import cards, moving
from kontor_games.engine.games.yokohama.rules.queries import is_cell
from kontor_games.engine.games.yokohama.state import MOVE, NONE, State
from kontor_games.engine.games.yokohama.tables import Tables

from .kinds import kind


def targets(t: Tables, s: State, path: Path) -> tuple[str, ...]:
    """Every element whose click may mean the choice."""
    meant = leading(path)
    if isinstance(meant, a.EndPhase | a.Done):
        return _going_on(t, s, path)
    if isinstance(meant, a.Walk) and _is_dear(t, s, path):
        return ("button:move",)
    found = [*_own(t, s, meant), *_area(s, meant)]
    return tuple(dict.fromkeys(found))


def leading(path: Path) -> Action:
    """The action that says what a choice is about: where a walk ends, else the first that decides something."""
    walks = [action for action in path if isinstance(action, a.Walk)]
    if walks:
        return walks[-1]
    return next((action for action in path if not isinstance(action, a.EndPhase | a.Done)), path[0])


def _going_on(t: Tables, s: State, path: Path) -> tuple[str, ...]:
    """Choices that only end something."""
    button = f"button:{kind(t, s, path)}"
    if s.stage == MOVE and not s.queue:  # the walk ends here
        return (f"area:{s.me.president}", f"president:{s.active}", button)
    return (button,)


def _is_dear(t: Tables, s: State, path: Path) -> bool:
    """Whether a walk costs more than it must: then a click on its end means another."""
    walked = [action.area for action in path if isinstance(action, a.Walk)]
    fees = [moving.entry_fee(t, s, cell) or 0 for cell in walked if is_cell(s, cell)]
    return sum(fees) > _least_fee(t, s, walked[-1], sum(fees))


def _least_fee(t: Tables, s: State, goal: int, bound: int) -> int:
    """The cheapest walk from where the president stands, `bound` if none costs less."""
    next_to = t.counts[s.seats].layout.next_to
    closed = set(s.steps) if s.stage == MOVE else set()
    edge = [(0, s.me.president)]
    while edge:
        edge.sort(reverse=True)
        cost, here = edge.pop()
        if here == goal:
            return cost
        closed.add(here)
        for there in next_to[here]:
            fee = None if there in closed else moving.entry_fee(t, s, there)
            if fee is not None and cost + fee < bound:
                edge.append((cost + fee, there))
    return bound


def _own(t: Tables, s: State, action: Action) -> tuple[str, ...]:
    """The element of the action itself."""
    seat = s.active
    match action:
        case a.Place() | a.Deploy() | a.Walk() | a.Tram() | a.TakeBack() | a.Drop() | a.PlaceStation():
            return (f"area:{action.area}",)
        case a.UseAgent(area=area):
            return (f"area:{area}", f"desk:{seat}:agents")
        case a.ToStation():
            return (f"area:{s.station}",)
        case a.Lift(source=source):
            return (f"area:{source}" if source != NONE else f"hand:{seat}",)
        case a.Recall() if s.me.president != NONE:
            return (f"president:{seat}", f"area:{s.me.president}")
        case a.Recall():
            return (f"president:{seat}",)
        case a.TakeAll():
            return (f"president:{seat}", f"hand:{seat}")
        case a.Recover(leave=0):
            return (f"hand:{seat}", "button:recover")
        case a.Recover():
            return (f"area:{s.area}", "button:recover")
        case a.Claim(tile=tile):
            return (f"achievement:{tile}",)
        case a.Fulfil(card=card):
            return (f"order:{card}",)
        case a.OpenOrder(slot=slot):
            return (f"hidden:{slot}",)
        case a.KeepOrder(which=which):
            return tuple(f"hidden:{slot}" for slot in s.me.hidden[which : which + 1]) or ("button:keep",)
        case a.SpinningMill():
            return ("technology:spinning_mill", "button:mill")
        case a.University():
            return ("technology:university", "button:university")
        case a.ChooseGood(good=good):
            return (f"good:{good}", *(f"desk:{seat}:{name}" for name in t.goods[good : good + 1]))
        case a.ChooseReward(token=token):
            return (f"reward:{token}",)
        case _:
            return _in_area(t, s, action)


def _in_area(t: Tables, s: State, action: Action) -> tuple[str, ...]:
    """The element of what the action area offers."""
    seat = s.active
    match action:
        case a.Exchange(trade=trade):
            return (f"trade:{trade}",)
        case a.Donate(what=what):
            return (f"donation:{what}", *(f"desk:{seat}:{gift.id}" for gift in t.donations[what : what + 1]))
        case a.Worship(space=space):
            return (f"church:{space}", *_source(s, action.source))
        case a.Clear(space=space):
            return (f"customs:{space}", *_source(s, action.source))
        case a.Hire(item=item):
            return (f"warehouse:{seat}:{item}",)
        case a.Research(slot=slot):
            return (f"lab:{cards.laboratory(t, s)}:{slot}",)
        case a.TakeOrder(slot=slot):
            return (f"port:{cards.port(t, s)}:{slot}",)
        case a.Pay(means=means):
            return (f"pay:{means}", f"desk:{seat}:{'import' if means else 'yen'}")
        case a.TakeToken():
            return (f"five:{s.area}",)
        case a.BuildShop(space=space):
            return (f"shop:{s.area}:{space}",)
        case _:
            return (f"house:{s.area}",)


def _source(s: State, source: int) -> tuple[str, ...]:
    """Where an assistant for a management board comes from."""
    return (f"hand:{s.active}",) if source else ()


_HERE = (a.Exchange, a.Donate, a.Worship, a.Clear, a.Research, a.TakeOrder, a.TakeToken, a.BuildShop, a.BuildHouse)


def _area(s: State, action: Action) -> tuple[str, ...]:
    """The whole action area, for all that can be done in it."""
    here = isinstance(action, _HERE) or (isinstance(action, a.Hire) and not s.queue)
    return (f"area:{s.area}",) if here else ()
