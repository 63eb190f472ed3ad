"""Positions built by hand, and chance answered without a dealer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from kontor_games import engine
from kontor_games.engine import Action, Event
from kontor_games.engine.core.chance import Deal, Dealt, Desk, Mix, Mixed, Move, Moved
from kontor_games.engine.games.joban import GAME
from kontor_games.engine.games.joban.actions import Aim, Place, Play
from kontor_games.engine.games.joban.data import BONUSES, COLOURS, DATA, DIRECTIONS, DRAGONS, PATTERNS, SHOP_CARDS, Cell
from kontor_games.engine.games.joban.field import Shops, lookup
from kontor_games.engine.games.joban.state import NOBODY, TURN, USE_BONUS, Player, State

EXAMPLES: dict[str, dict[str, Any]] = {example["id"].partition("_")[0]: example for example in DATA["examples"]}
START = ((0, 0, 0, NOBODY), (-1, 1, 1, NOBODY), (1, 1, 2, NOBODY), (-1, -1, 0, NOBODY), (1, -1, 1, NOBODY))
ROW = tuple((x, 0, x % 3, NOBODY) for x in range(5))


def face(
    colour: str | None = None, pattern: str | None = None, scores: str | None = None, bonus: str | None = None
) -> int:
    """The first shop card that fits the description."""
    for number, card in enumerate(SHOP_CARDS):
        if (
            colour in (None, COLOURS[card.colour])
            and pattern in (None, PATTERNS[card.pattern])
            and scores in (None, COLOURS[card.scores])
            and bonus in (None, BONUSES[card.bonus])
        ):
            return number
    raise AssertionError(f"no card {colour} {pattern} {scores} {bonus}")


def task(code: str) -> int:
    """The face of a task by its code, such as `row+g-r`."""
    return GAME.faces.index(code)


def position(
    seats: int = 3,
    field: Iterable[tuple[int, int, int, int]] = START,
    hands: Sequence[Sequence[int]] = (),
    tasks: int | None = None,
    piles: Sequence[int] = (12, 12, 12),
    task_pile: int = 8,
    options: dict[str, Any] | None = None,
    **more: Any,
) -> State:
    """A state with these shops, hands (cards per colour) and piles (sizes), seat 0 to act; more as fields."""
    state: State = GAME.begin(options or {}, seats, bytes(32))
    slots = iter(range(1000))

    def take(count: int) -> tuple[int, ...]:
        return tuple(next(slots) for _ in range(count))

    each = (2 if seats == 2 else 1) if tasks is None else tasks
    players = []
    shops = tuple(sorted(field))
    for seat in range(seats):
        counts = hands[seat] if seat < len(hands) else (0, 0, 0)
        placed = sum(1 for shop in shops if shop[3] == seat)
        players.append(Player(tuple(map(take, counts)), take(each), reserve=DRAGONS - placed))
    full = {
        "first": 0,
        "active": 0,
        "phase": TURN,
        "field": shops,
        "players": tuple(players),
        "piles": tuple(map(take, piles)),
        "task_pile": take(task_pile),
        **more,
    }
    return replace(state, desk=Desk(next_slot=next(slots)), **full)


def resolving(card: int, new: Cell, **more: Any) -> State:
    """A position in which seat 0 has just built on `new` and may use the bonus of `card`."""
    return position(**{"phase": "bonus", "card": card, "mode": USE_BONUS, "new": new, **more})


def settle(state: State) -> tuple[State, tuple[Event, ...]]:
    """Answer open wants as chance would, showing nothing."""
    events: tuple[Event, ...] = ()
    while (want := state.desk.want) is not None:
        answer: engine.Chance
        match want:
            case Mix(r=r):
                answer = Mixed(r)
            case Deal(r=r, cards=cards):
                assert not state.desk.gone, "positions by hand have no leavers"
                answer = Dealt(r, tuple((slot, seat, None) for slot, seat in cards))
            case Move(r=r):
                answer = Moved(r)
            case _:
                raise AssertionError(want)
        state, more = engine.step(GAME, state, answer)
        events += more
    return state, events


def play(state: State, *actions: Action) -> State:
    """The state after these actions, each checked; chance answers at once."""
    for action in actions:
        state, _ = settle(engine.step(GAME, state, action)[0])
    return state


def told(state: State, action: Action) -> list[Event]:
    """All that happens through one action, chance included."""
    state, events = engine.step(GAME, state, action)
    return [*events, *settle(state)[1]]


def refusal(state: State, action: Action) -> str:
    """Why the action is illegal; fails if it is legal."""
    reason = engine.why_not(GAME, state, action)
    assert reason is not None, f"{action} is legal"
    return reason


def allows(state: State, action: Action) -> bool:
    """Whether the action is legal; both ways of asking must agree (faces are taken from the action)."""
    legal = engine.why_not(GAME, state, action) is None
    known = {action.slot: action.card} if isinstance(action, Play) else {}
    assert legal == (action in engine.legal(GAME, state, known))
    return legal


def first_card(state: State, seat: int, colour: int) -> int:
    """The slot of a seat's first card of a colour."""
    return state.players[seat].hand[colour][0]


def build(state: State, card: int, cell: Cell, direction: str = "", bonus: bool = False) -> State:
    """The seat to act plays a card of its hand on a cell."""
    seat = state.active
    slot = first_card(state, seat, SHOP_CARDS[card].colour)
    state = play(state, Play(seat, slot, card, int(bonus)), Place(seat, cell))
    return play(state, Aim(seat, DIRECTIONS.index(direction))) if direction else state


def shops(state: State) -> Shops:
    """The field by cell."""
    return lookup(state.field)


def scores(state: State) -> list[int]:
    """Points by seat."""
    return [player.score for player in state.players]


def names_of(example: dict[str, Any]) -> list[str]:
    """The people of an example in the order of their seats: those who act, then owners of dragons."""
    people = [example[key] for key in ("player", "owner") if key in example] + list(example.get("order", ()))
    if "new_shop" in example:
        people = ["anna", "boris"]
    for shop in [*example.get("field", ()), *example.get("expect_field", ())]:
        people.append(shop["dragon"])
    people += list(example.get("expect_points", ()))
    return [name for name in dict.fromkeys(people) if name]


def field_of(example: dict[str, Any], people: list[str], key: str = "field") -> tuple[tuple[int, int, int, int], ...]:
    """The shops of an example as a state keeps them."""
    return tuple(
        sorted(
            (*shop["at"], COLOURS.index(shop["colour"]), people.index(shop["dragon"]) if shop["dragon"] else NOBODY)
            for shop in example[key]
        )
    )
