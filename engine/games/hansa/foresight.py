"""What a choice would bring, as figures that stand on the board before it is chosen, and the points so far."""

from __future__ import annotations

from collections.abc import Iterator

from kontor_games.engine.core.action import Event
from kontor_games.engine.core.offer import Figure, Path
from kontor_games.engine.core.value import Known

from . import actions as a
from . import events as e
from .data import ABILITIES, DOUBLE_RETURN, MERCHANT, NEUTRAL
from .elements import post_element, targets
from .position import controller
from .rules import apply
from .rules.claim import tribute_due
from .rules.move import start_task
from .rules.place import price_of
from .state import Collecting, State, owner_of, shape_of

FIGURES = (
    "points",  # on the track, at once
    "prestige",  # points of a special space, counted at the end
    "control",  # this seat would control the city
    "completed",  # the city would be full, as this number of those that end the match
    "end",  # the match would end
    "marker",  # bonus markers taken
    "step",  # the step that an ability reaches
    "actions",  # actions gained at once
    "tribute",  # pieces that the owner of a tribute hires
    "hired",  # pieces hired
    "moves",  # pieces that one move may take along
    "toll",  # pieces paid
    "added",  # pieces that the owner of the displaced one may add
)
_QUIET = (a.Place, a.Displace, a.Lift, a.Put, a.Settle, a.Extra, a.Choose, a.Pay, a.Income, a.Collect, a.EndTurn)


def points(state: State) -> tuple[int, ...]:
    """The prestige track."""
    return tuple(player.score for player in state.players)


def foresee(state: State, path: Path, known: Known) -> tuple[Figure, ...]:
    """The figures of a choice."""
    first = path[0]
    match first:
        case a.Place(post=post) | a.Displace(post=post):
            return tuple(_on_post(state, first.seat, post))
        case a.Lift() if not state.todo:
            most = start_task(state, first.seat).limit
            return (Figure("moves", most, first.seat, post_element(state.board, first.post)),)
        case a.Income() | a.Collect():
            return (Figure("hired", first.traders + first.merchants, first.seat, targets(state, path)[0]),)
    if isinstance(first, _QUIET):
        return ()
    after, events = state, list[Event]()
    for action in path:
        after, more = apply(after, action)
        events += more
    return (*_told(state, path, events), *_lasting(state, after, path))


def _on_post(state: State, seat: int, post: int) -> Iterator[Figure]:
    """What a piece on a post costs, and what its displaced owner gains."""
    element, lost = post_element(state.board, post), state.posts[post]
    toll = price_of(state, post, lost)
    if toll:
        yield Figure("toll", toll, seat, element)
    if lost:
        owner = owner_of(lost)
        doubled = owner != NEUTRAL and (shape_of(lost) == MERCHANT or DOUBLE_RETURN in state.players[owner].favours)
        yield Figure("added", 2 if doubled else 1, 1 - seat if owner == NEUTRAL else owner, element)


def _told(state: State, path: Path, events: list[Event]) -> Iterator[Figure]:
    """Figures of what would happen at once."""
    first = targets(state, path)[0]
    city_at = {city.id: f"city:{number}" for number, city in enumerate(state.board.cities)}
    for event in events:
        match event:
            case e.ControlPaid(seat=seat, city=city, points=gained) | e.CoinPaid(seat=seat, city=city, points=gained):
                yield Figure("points", gained, seat, city_at[city])
            case e.EastWestLinked(seat=seat, points=gained) if gained:
                yield Figure("points", gained, seat, first)
            case e.PrestigeTaken(seat=seat, value=value):
                yield Figure("prestige", value, seat, first)
            case e.CityCompleted(city=city, count=count):
                yield Figure("completed", count, None, city_at[city])
            case e.EndTriggered():
                yield Figure("end", 1, None, first)
            case e.MarkerTaken(seat=seat):
                assert isinstance(path[0], a.Claim)
                yield Figure("marker", 1, seat, f"route:{path[0].route}")
            case e.Developed(seat=seat, ability=ability, level=level):
                yield Figure("step", level, seat, f"ability:{ABILITIES[ability]}")
            case e.TributeTaken(seat=seat, traders=traders, merchants=merchants):
                yield Figure("tribute", traders + merchants, seat, first)


def _lasting(state: State, after: State, path: Path) -> Iterator[Figure]:
    """Figures of how the position would change."""
    seat, first = path[0].seat, targets(state, path)[0]
    spent = sum(isinstance(action, a.Claim) for action in path)
    more = after.actions - state.actions + spent
    if more > 0 and after.active == state.active:
        yield Figure("actions", more, seat, first)
    for city, (before, now) in enumerate(zip(state.rows, after.rows, strict=True)):
        if before is not now or state.extras[city] is not after.extras[city]:
            rules = controller(after, city)
            if rules != controller(state, city) and rules != NEUTRAL:
                yield Figure("control", 1, rules, f"city:{city}")
    for task in after.todo:
        if isinstance(task, Collecting):
            yield Figure("tribute", tribute_due(after, task.by), task.by, first)
