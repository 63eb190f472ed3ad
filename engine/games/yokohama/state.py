"""What all peers know of a match of Yokohama. Areas are cell numbers of the layout, cards are faces."""

from __future__ import annotations

from kontor_games.engine.core.game import GameState
from kontor_games.engine.core.value import Value

NONE = -1  # nobody, nothing, the hand
NEUTRAL = -2  # a blocking assistant with two players; nothing lifted

SETUP, KEEP, PHASE_A, PLACE, MOVE, RECALL = "setup", "keep", "phase_a", "place", "move", "recall"
ACT, FIVE, BUILD, RECOVER, PHASE_C, OVER = "act", "five", "build", "recover", "phase_c", "over"

POINTS = ("orders", "church", "customs", "buildings", "tokens", "achievements", "technologies", "ports")
ORDERS, CHURCH, CUSTOMS, BUILDINGS, TOKENS, ACHIEVEMENTS, TECHNOLOGIES, PORTS = range(8)


class Switches(Value, frozen=True):
    """The options of the match as numbers."""

    mini_1: int = 0
    mini_2: int = 0
    max_rounds: int = 0
    placement_zero: int = 1
    recall_in_hand: int = 1
    station_assistant: int = 1
    station_canal: int = 0
    customs_up_to: int = 1
    port_bonus_card: int = 0
    neutral_score: int = 0
    houses_end: int = 4  # buildings of one player that end the match
    shops_end: int = 8


class Task(Value, frozen=True):
    """Something still to happen, in order: an automatic step, a card to come, or a sub-decision."""

    what: str
    a: int = 0
    b: int = 0


class Player(Value, frozen=True):
    """One seat."""

    yen: int
    goods: tuple[int, ...]
    imports: int
    hand: tuple[int, int, int]  # assistants, shops, trading houses
    warehouse: tuple[int, int, int]
    placed: tuple[int, ...]  # assistants by cell
    president: int = NONE  # cell
    points: tuple[int, ...] = (0,) * len(POINTS)
    orders: tuple[int, ...] = ()  # faces in hand that all have seen
    hidden: tuple[int, ...] = ()  # slots of starting orders in hand
    done: tuple[int, ...] = ()  # faces of fulfilled orders
    techs: tuple[int, ...] = ()  # faces, in the order gained
    agents: tuple[int, ...] = ()  # countries (their number: a free agent), in the order gained
    used: int = 0  # this many of `agents`, from the front, are face down
    fives: tuple[int, ...] = ()  # 5-power tokens
    reward: int = NONE  # achievement reward token

    @property
    def score(self) -> int:
        return sum(self.points)

    @property
    def unused(self) -> int:
        """Agents that can still be used."""
        return len(self.agents) - self.used


class State(GameState, frozen=True):
    """The whole match."""

    switches: Switches
    seats: int
    start: int
    cells: tuple[int, ...]  # area board in each cell
    tiles: tuple[int, ...]  # building tile, NONE on the canal
    fives: tuple[int, ...]  # 5-power token still there
    shops: tuple[tuple[int, ...], ...]  # owner of each shop space
    houses: tuple[int, ...]  # owner of the trading house
    church: tuple[int, ...]  # owner of each space
    customs: tuple[int, ...]
    labs: tuple[tuple[int, ...], ...]  # face in each slot
    ports: tuple[tuple[int, ...], ...]
    supply: tuple[int, ...]  # foreign agents by country
    achievements: tuple[int, ...]
    claims: tuple[tuple[int, ...], ...]  # seats in the order of claiming
    rewards: tuple[int, ...]  # reward tokens left (mini expansion 1)
    players: tuple[Player, ...]
    queue: tuple[Task, ...]
    tech_deck: tuple[int, int] = (0, 0)  # first slot, end
    order_deck: tuple[int, int] = (0, 0)
    station: int = NONE
    round: int = 0
    active: int = 0
    stage: str = SETUP
    agent: int = 0  # 1 while a foreign agent acts
    back: str = ""  # the phase an agent was used in
    area: int = NONE
    power: int = 0
    steps: tuple[int, ...] = ()  # what the decision in progress has chosen so far
    card: int = NONE  # laboratory slot being paid for
    due: int = 0  # production points still to pay
    extra: int = 0  # 1: the surcharge for a further technology, or for a second order, is still to pay
    lifted: int = NEUTRAL  # where the assistant being moved comes from
    agent_used: int = 0
    mill_used: int = 0
    university_used: int = 0
    short: int = 0  # a port could not be refilled
    ending: str = ""
    final_round: int = 0

    @property
    def me(self) -> Player:
        """The active player."""
        return self.players[self.active]
