"""What happened, as facts. `area` is the number of the area board, cards are faces."""

from __future__ import annotations

from kontor_games.engine.core.action import Event
from kontor_games.engine.core.value import Index, Number, Seat


class TurnBegan(Event, tag="turn", frozen=True):
    seat: Seat
    round: Index


class OrderKept(Event, tag="kept", frozen=True):
    seat: Seat


class PhaseEnded(Event, tag="phase", frozen=True):
    seat: Seat
    phase: str


class AssistantPlaced(Event, tag="placed", frozen=True):
    seat: Seat
    area: Index


class FeePaid(Event, tag="fee", frozen=True):
    seat: Seat
    to: Seat
    yen: Index


class CanalPaid(Event, tag="canal", frozen=True):
    seat: Seat
    yen: Index


class PresidentMoved(Event, tag="president", frozen=True):
    """`how` is deploy, walk, tram or station."""

    seat: Seat
    how: str
    area: Index


class PresidentRecalled(Event, tag="recalled", frozen=True):
    seat: Seat


class AssistantsReturned(Event, tag="returned", frozen=True):
    seat: Seat
    area: Index
    count: Index


class ActionBegan(Event, tag="action", frozen=True):
    seat: Seat
    area: Index
    power: Index


class ActionSkipped(Event, tag="skipped", frozen=True):
    seat: Seat
    area: Index


class HouseIncome(Event, tag="income", frozen=True):
    seat: Seat
    yen: Index
    area: Index


class Gained(Event, tag="gained", frozen=True):
    """`what` is yen, import or a good."""

    seat: Seat
    count: Index
    what: str


class Spent(Event, tag="spent", frozen=True):
    seat: Seat
    count: Index
    what: str


class Scored(Event, tag="scored", frozen=True):
    seat: Seat
    points: Number
    category: str


class OrderTaken(Event, tag="order_taken", frozen=True):
    seat: Seat
    card: Index


class OrderFulfilled(Event, tag="order_done", frozen=True):
    seat: Seat
    card: Index


class OrdersTurned(Event, tag="orders_turned", frozen=True):
    area: Index
    cards: tuple[Index, ...]


class TechnologiesTurned(Event, tag="techs_turned", frozen=True):
    area: Index
    cards: tuple[Index, ...]


class PortShort(Event, tag="port_short", frozen=True):
    area: Index


class TechnologyGained(Event, tag="tech", frozen=True):
    seat: Seat
    card: Index


class AgentGained(Event, tag="agent_gained", frozen=True):
    """`country` is the number of countries for a free agent."""

    seat: Seat
    country: Index


class AgentUsed(Event, tag="agent_used", frozen=True):
    seat: Seat
    area: Index


class AchievementClaimed(Event, tag="claimed", frozen=True):
    seat: Seat
    tile: Index


class TokenTaken(Event, tag="token_taken", frozen=True):
    seat: Seat
    token: Index
    area: Index


class ShopBuilt(Event, tag="shop_built", frozen=True):
    seat: Seat
    area: Index
    space: Index


class HouseBuilt(Event, tag="house_built", frozen=True):
    seat: Seat
    area: Index


class ChurchJoined(Event, tag="church_joined", frozen=True):
    seat: Seat
    space: Index


class CustomsCleared(Event, tag="customs_cleared", frozen=True):
    seat: Seat
    space: Index


class Hired(Event, tag="hired", frozen=True):
    seat: Seat
    item: Index


class AssistantMoved(Event, tag="moved_assistant", frozen=True):
    seat: Seat
    area: Index


class StationPlaced(Event, tag="station_placed", frozen=True):
    seat: Seat
    area: Index


class RewardChosen(Event, tag="reward_chosen", frozen=True):
    seat: Seat
    token: Index


class EndTriggered(Event, tag="end_triggered", frozen=True):
    reason: str
    final_round: Index


class MatchEnded(Event, tag="match_ended", frozen=True):
    reason: str


class SeatLeft(Event, tag="seat_left", frozen=True):
    seat: Seat


EVENTS: tuple[type[Event], ...] = (
    TurnBegan,
    OrderKept,
    PhaseEnded,
    AssistantPlaced,
    FeePaid,
    CanalPaid,
    PresidentMoved,
    PresidentRecalled,
    AssistantsReturned,
    ActionBegan,
    ActionSkipped,
    HouseIncome,
    Gained,
    Spent,
    Scored,
    OrderTaken,
    OrderFulfilled,
    OrdersTurned,
    TechnologiesTurned,
    PortShort,
    TechnologyGained,
    AgentGained,
    AgentUsed,
    AchievementClaimed,
    TokenTaken,
    ShopBuilt,
    HouseBuilt,
    ChurchJoined,
    CustomsCleared,
    Hired,
    AssistantMoved,
    StationPlaced,
    RewardChosen,
    EndTriggered,
    MatchEnded,
    SeatLeft,
)
