"""Points so far, and the figures that stand on the board before a choice is made."""

from __future__ import annotations

from collections.abc import Iterator

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.offer import Figure, Path
from kontor_games.engine.core.value import Known
from kontor_games.engine.games.yokohama import actions as a
from kontor_games.engine.games.yokohama import events as e
from kontor_games.engine.games.yokohama.rules import areas, cards, queries
from kontor_games.engine.games.yokohama.scoring import result
from kontor_games.engine.games.yokohama.state import NONE, State
from kontor_games.engine.games.yokohama.tables import Tables

from .course import GAINS, Course, costs, course, gains
from .targets import leading, targets

# what the power of an area action allows, by the action of the area
_ALLOWED = {
    "exchange": "exchanges",
    "church": "faith",
    "customs": "clearance",
    "employ": "hiring",
    "research": "production",
    "take_orders": "berth",
}
PAID = ("pay_yen", "pay_copper", "pay_silk", "pay_tea", "pay_fish", "pay_import")
FIGURES = (*GAINS, *PAID, "power", "fee", "toll", "income", *_ALLOWED.values(), "payments", "worth")


def points(t: Tables, s: State) -> tuple[int, ...]:
    """Points of each seat as the track shows them; at the end those of the result."""
    final = result(t, s)
    return tuple(player.score for player in s.players) if final is None else final.scores


def foresee(t: Tables, s: State, path: Path, known: Known) -> tuple[Figure, ...]:
    """What a choice would bring and cost, and on which element that stands."""
    done = course(t, s, path)
    element = targets(t, s, path)[0]
    return (*_scored(t, s, done, element), *_of_path(t, s, path, done, element), *_of_card(t, s, path, known, element))


def _scored(t: Tables, s: State, done: Course, element: str) -> Iterator[Figure]:
    for seat, (before, after) in enumerate(zip(points(t, s), points(t, done.after), strict=True)):
        if before != after:
            yield Figure("points", after - before, seat, element if seat == s.active else f"points:{seat}")


def _of_path(t: Tables, s: State, path: Path, done: Course, element: str) -> Iterator[Figure]:
    """Power, fees, what is gained and paid."""
    seat = s.active
    meant = leading(path)
    if isinstance(meant, a.Place):
        yield Figure("power", _power_with_president(t, done.after, seat, meant.area), seat, element)
    for action, events in zip(path, done.events, strict=True):
        for event in events:
            yield from _of_event(t, s, action, event, element)
    brought, paid = gains(s, done), costs(s, done)
    for name in GAINS[1:]:  # points were compared
        if brought[name]:
            yield Figure(name, brought[name], seat, element)
    for name, amount in paid.items():
        yield Figure(f"pay_{name}", amount, seat, element)
    if isinstance(meant, a.Donate):
        yield Figure("faith", areas.faith(t, done.after), seat, element)
    if isinstance(meant, a.Research) and done.after.card != NONE:
        yield Figure("payments", len(cards.bills(t, done.after)), seat, element)


def _power_with_president(t: Tables, s: State, seat: int, cell: int) -> int:
    """The power of an action there if the president came."""
    comes = s.players[seat].president != cell
    return min(queries.power(t, s, seat, cell) + comes, int(t.rules["max_power"]))


def _of_event(t: Tables, s: State, action: Action, event: object, element: str) -> Iterator[Figure]:
    match event:
        case e.FeePaid(to=to, yen=yen):
            yield Figure("fee", yen, to, f"area:{getattr(action, 'area', s.area)}")
        case e.CanalPaid(yen=yen):
            yield Figure("toll", yen, s.active, f"area:{getattr(action, 'area', s.area)}")
        case e.HouseIncome(seat=owner, yen=yen):
            yield Figure("income", yen, owner, element)
        case e.ActionBegan(area=board, power=power):
            yield Figure("power", power, s.active, element)
            area = t.boards[board].kind
            if area.action in _ALLOWED and area.level[power]:
                yield Figure(_ALLOWED[area.action], area.level[power], s.active, element)


def _of_card(t: Tables, s: State, path: Path, known: Known, element: str) -> Iterator[Figure]:
    """The points that an order in question would bring."""
    face: int | None = None
    match leading(path):
        case a.KeepOrder(which=which):
            face = s.desk.face(s.me.hidden[which], known)
        case a.TakeOrder(slot=slot):
            face = s.ports[cards.port(t, s)][slot]
        case _:
            pass
    order = None if face is None else t.order(face)
    if order is not None:
        yield Figure("worth", order.reward.points, s.active, element)
