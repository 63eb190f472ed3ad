"""What happened, as facts that everybody may know. Cities and routes are named by id, posts counted from 1."""

from __future__ import annotations

from kontor_games.engine.core.action import Event


class TurnStarted(Event, tag="turn_started", frozen=True):
    seat: int
    actions: int
    round: int


class Hired(Event, tag="hired", frozen=True):
    seat: int
    traders: int
    merchants: int


class Placed(Event, tag="placed", frozen=True):
    seat: int
    piece: int
    route: str
    post: int


class Paid(Event, tag="paid", frozen=True):
    seat: int
    traders: int
    merchants: int


class Displaced(Event, tag="displaced", frozen=True):
    seat: int
    owner: int
    piece: int
    route: str
    post: int


class NeutralDisplaced(Event, tag="neutral_displaced", frozen=True):
    seat: int
    route: str
    post: int


class Relocated(Event, tag="relocated", frozen=True):
    seat: int
    piece: int
    route: str
    post: int


class ExtraPlaced(Event, tag="extra_placed", frozen=True):
    seat: int
    piece: int
    route: str
    post: int


class NeutralRelocated(Event, tag="neutral_relocated", frozen=True):
    seat: int
    route: str
    post: int


class Moved(Event, tag="moved_piece", frozen=True):
    seat: int
    owner: int
    piece: int
    source: str
    source_post: int
    route: str
    post: int


class NeutralMoved(Event, tag="neutral_moved", frozen=True):
    seat: int
    source: str
    source_post: int
    route: str
    post: int


class Claimed(Event, tag="claimed", frozen=True):
    seat: int
    route: str


class ControlPaid(Event, tag="control_paid", frozen=True):
    seat: int
    city: str
    points: int


class MarkerTaken(Event, tag="marker_taken", frozen=True):
    seat: int
    marker: int


class MarkerDrawn(Event, tag="marker_drawn", frozen=True):
    seat: int
    left: int


class SupplyEmpty(Event, tag="supply_empty", frozen=True):
    seat: int


class OfficeFounded(Event, tag="office_founded", frozen=True):
    seat: int
    piece: int
    city: str
    kind: int  # 0 printed space, 1 additional, 2 by the permanent marker


class NeutralOfficeFounded(Event, tag="neutral_office_founded", frozen=True):
    seat: int
    route: str
    city: str


class NeutralRouteCleared(Event, tag="neutral_route_cleared", frozen=True):
    seat: int
    route: str


class CoinPaid(Event, tag="coin_paid", frozen=True):
    seat: int
    city: str
    points: int


class CityCompleted(Event, tag="city_completed", frozen=True):
    city: str
    count: int
    limit: int


class EastWestLinked(Event, tag="east_west_linked", frozen=True):
    seat: int
    place: int
    points: int


class Developed(Event, tag="developed", frozen=True):
    seat: int
    ability: int
    level: int


class PrestigeTaken(Event, tag="prestige_taken", frozen=True):
    seat: int
    value: int


class NothingTaken(Event, tag="nothing_taken", frozen=True):
    seat: int


class TributeTaken(Event, tag="tribute_taken", frozen=True):
    seat: int
    traders: int
    merchants: int


class PermanentOffered(Event, tag="permanent_offered", frozen=True):
    seat: int
    permanent: int


class MarkerUsed(Event, tag="marker_used", frozen=True):
    seat: int
    marker: int


class ActionsGained(Event, tag="actions_gained", frozen=True):
    seat: int
    count: int


class OfficesSwapped(Event, tag="offices_swapped", frozen=True):
    seat: int
    city: str
    left: int


class MarkersExchanged(Event, tag="markers_exchanged", frozen=True):
    seat: int
    opponent: int
    marker: int


class MarkerLaid(Event, tag="marker_laid", frozen=True):
    seat: int
    marker: int
    route: str


class FavourBought(Event, tag="favour_bought", frozen=True):
    seat: int
    tile: int


class MarkerGivenUp(Event, tag="marker_given_up", frozen=True):
    seat: int
    marker: int


class TurnEnded(Event, tag="turn_ended", frozen=True):
    seat: int


class PlateTurned(Event, tag="plate_turned", frozen=True):
    seat: int
    markers: tuple[int, ...]


class MarkerPlaced(Event, tag="marker_placed", frozen=True):
    seat: int
    marker: int
    route: str


class MarkerWaits(Event, tag="marker_waits", frozen=True):
    seat: int
    marker: int


class MarkerRemoved(Event, tag="marker_removed", frozen=True):
    seat: int
    marker: int


class NeutralPlaced(Event, tag="neutral_placed", frozen=True):
    route: str
    post: int


class EndTriggered(Event, tag="end_triggered", frozen=True):
    reason: str


class MissionShown(Event, tag="mission_shown", frozen=True):
    seat: int
    mission: int  # 1 … 9
    cities: tuple[str, ...]


class MatchEnded(Event, tag="match_ended", frozen=True):
    reason: str


EVENT_TYPES: tuple[type[Event], ...] = tuple(
    found
    for found in list(globals().values())
    if isinstance(found, type) and issubclass(found, Event) and found is not Event
)
