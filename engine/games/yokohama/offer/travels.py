"""What moves from which element to which when an event happens, told from the state before its action."""

from __future__ import annotations

from kontor_games.engine.core.action import Event
from kontor_games.engine.core.offer import Travel
from kontor_games.engine.games.yokohama import events as e
from kontor_games.engine.games.yokohama.rules.cards import laboratory, port
from kontor_games.engine.games.yokohama.state import NEUTRAL, NONE, State
from kontor_games.engine.games.yokohama.tables import ASSISTANT, ITEMS, Tables


def travels(t: Tables, s: State, event: Event) -> tuple[Travel, ...]:
    """The things that an event moves."""
    return _pieces(s, event) or _cards(t, s, event) or _stock(t, s, event)


def _pieces(s: State, event: Event) -> tuple[Travel, ...]:
    """Assistants, presidents, buildings, the station."""
    match event:
        case e.AssistantPlaced(seat=seat, area=board):
            return (Travel("assistant", _hand(seat), _area(s, board), seat),)
        case e.AssistantMoved(seat=seat, area=board):
            source = _hand(seat) if s.lifted in (NONE, NEUTRAL) else f"area:{s.lifted}"
            return (Travel("assistant", source, _area(s, board), seat),)
        case e.AssistantsReturned(seat=seat, area=board, count=count):
            return (Travel("assistant", _area(s, board), _hand(seat), seat, count),)
        case e.PresidentMoved(seat=seat, area=board):
            return (Travel("president", _president(s, seat), _area(s, board), seat),)
        case e.PresidentRecalled(seat=seat) if s.players[seat].president != NONE:
            return (Travel("president", _president(s, seat), f"desk:{seat}:president", seat),)
        case e.ShopBuilt(seat=seat, area=board, space=space):
            return (Travel("shop", _hand(seat), f"shop:{s.cells.index(board)}:{space}", seat),)
        case e.HouseBuilt(seat=seat, area=board):
            return (Travel("trading_house", _hand(seat), f"house:{s.cells.index(board)}", seat),)
        case e.ChurchJoined(seat=seat, space=space):
            return (Travel("assistant", _board_source(s, seat), f"church:{space}", seat),)
        case e.CustomsCleared(seat=seat, space=space):
            return (Travel("assistant", _board_source(s, seat), f"customs:{space}", seat),)
        case e.AchievementClaimed(seat=seat, tile=tile):
            return (Travel("assistant", _hand(seat), f"achievement:{s.achievements.index(tile)}", seat),)
        case e.Hired(seat=seat, item=item):
            return (Travel(ITEMS[item], f"desk:{seat}:warehouse:{item}", _hand(seat), seat),)
        case e.StationPlaced(area=board):
            return (Travel("station", f"desk:{s.active}:technologies", _area(s, board)),)
        case _:
            return ()


def _hand(seat: int) -> str:
    return f"desk:{seat}:hand"


def _here(s: State) -> str:
    """The area whose action is being done; nothing outside of one."""
    return "" if s.area == NONE else f"area:{s.area}"


def _area(s: State, board: int) -> str:
    return f"area:{s.cells.index(board)}"


def _president(s: State, seat: int) -> str:
    cell = s.players[seat].president
    return f"desk:{seat}:president" if cell == NONE else f"area:{cell}"


def _board_source(s: State, seat: int) -> str:
    """Where an assistant for a management board comes from; the area where the event leaves it open."""
    player = s.players[seat]
    from_hand = player.hand[ASSISTANT] and not player.placed[s.area]
    return _hand(seat) if from_hand else f"area:{s.area}"


def _cards(t: Tables, s: State, event: Event) -> tuple[Travel, ...]:
    """Orders, technologies, tokens, agents."""
    match event:
        case e.OrderTaken(seat=seat, card=face):
            at = port(t, s)
            return (Travel("order", f"port:{at}:{s.ports[at].index(face)}", f"desk:{seat}:orders", seat),)
        case e.OrderFulfilled(seat=seat):
            return (Travel("order", f"desk:{seat}:orders", f"desk:{seat}:done", seat),)
        case e.OrdersTurned(area=board, cards=cards):
            at = [row.id for row in t.ports].index(t.boards[board].kind.management)
            return _turned("order", "deck:orders", "port", at, s.ports[at], len(cards))
        case e.TechnologiesTurned(area=board, cards=cards):
            lab = [row.id for row in t.labs].index(t.boards[board].kind.management)
            return _turned("technology", "deck:technologies", "lab", lab, s.labs[lab], len(cards))
        case e.TechnologyGained(seat=seat, card=face):
            lab = laboratory(t, s)
            slot = s.labs[lab].index(face) if s.card == NONE else s.card
            return (Travel("technology", f"lab:{lab}:{slot}", f"desk:{seat}:technologies", seat),)
        case e.TokenTaken(seat=seat, area=board):
            return (Travel("token", f"five:{s.cells.index(board)}", f"desk:{seat}:tokens", seat),)
        case e.RewardChosen(seat=seat, token=token):
            return (Travel("reward", f"reward:{token}", f"desk:{seat}:tokens", seat),)
        case e.AgentGained(seat=seat, country=country):
            source = f"agents:{t.countries[country]}" if country < len(t.countries) else ""
            return (Travel("agent", source, f"desk:{seat}:agents", seat),)
        case e.AgentUsed(seat=seat, area=board):
            return (Travel("agent", f"desk:{seat}:agents", _area(s, board), seat),)
        case _:
            return ()


def _turned(what: str, deck: str, name: str, index: int, board: tuple[int, ...], count: int) -> tuple[Travel, ...]:
    """New cards fill a board from its first empty place on."""
    first = sum(1 for face in board if face != NONE)
    return tuple(Travel(what, deck, f"{name}:{index}:{first + i}") for i in range(count))


def _stock(t: Tables, s: State, event: Event) -> tuple[Travel, ...]:
    """Money, goods, points."""
    match event:
        case e.FeePaid(seat=seat, to=to, yen=yen):
            return (Travel("yen", f"desk:{seat}:yen", f"desk:{to}:yen", seat, yen),)
        case e.CanalPaid(seat=seat, yen=yen):
            return (Travel("yen", f"desk:{seat}:yen", "", seat, yen),)
        case e.HouseIncome(seat=seat, yen=yen, area=board):
            return (Travel("yen", f"house:{s.cells.index(board)}", f"desk:{seat}:yen", seat, yen),)
        case e.Gained(seat=seat, count=count, what=what):
            return (Travel(what, _here(s), f"desk:{seat}:{what}", seat, count),)
        case e.Spent(seat=seat, count=count, what=what):
            return (Travel(what, f"desk:{seat}:{what}", "", seat, count),)
        case e.Scored(seat=seat, points=points):
            return (Travel("points", _here(s), f"points:{seat}", seat, points),)
        case _:
            return ()
