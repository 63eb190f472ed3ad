"""Positions of Hansa Teutonica built by hand from names, and the invariants of the pieces.

A piece is written «0t» (trader of seat 0), «1m» (merchant of seat 1), «nt» (neutral trader).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from kontor_games import engine
from kontor_games.engine import Action, Event
from kontor_games.engine.core.chance import Deal, Dealt, Desk
from kontor_games.engine.games.hansa import GAME
from kontor_games.engine.games.hansa.data import (
    BOARD_AT,
    MARKERS,
    MARKERS_IN_PLAY,
    MERCHANTS,
    NEUTRAL,
    RELEASES,
    STEPS,
    TRADER,
    TRADERS,
)
from kontor_games.engine.games.hansa.state import (
    PLAYING,
    Bonus,
    Moving,
    Relocating,
    State,
    owner_of,
    piece_code,
    shape_of,
)

NO_ENTROPY = bytes(32)


def piece(text: str) -> int:
    """The number of a piece written like «0t»."""
    return piece_code(NEUTRAL if text[0] == "n" else int(text[0]), "tm".index(text[1]))


def post(state: State, name: str) -> int:
    """The index of a post written like the rules file does: «route:index», counted from 0."""
    route, _, index = name.partition(":")
    return state.board.routes[route_of(state, route)].first + int(index)


def route_of(state: State, name: str) -> int:
    return [route.id for route in state.board.routes].index(name)


def city_of(state: State, name: str) -> int:
    return [city.id for city in state.board.cities].index(name)


def marker(name: str) -> int:
    return MARKERS.index(name)


def names_of(state: State, posts: Iterable[int]) -> set[str]:
    """Posts as the rules file writes them."""
    out = set()
    for index in posts:
        found = state.board.routes[state.board.post_route[index]]
        out.add(f"{found.id}:{index - found.first}")
    return out


def position(
    map: str = "base_45",
    seats: int = 0,
    posts: Mapping[str, str] | None = None,
    rows: Mapping[str, str] | None = None,
    extras: Mapping[str, str] | None = None,
    markers: Mapping[str, str] | None = None,
    players: Mapping[int, Mapping[str, Any]] | None = None,
    supply: int = 12,
    options: Mapping[str, Any] | None = None,
    **more: Any,
) -> State:
    """Seat 0 to act with the actions of its desk; `posts`, `rows` and `extras` name pieces as «0t 1m»."""
    board = BOARD_AT[map]
    seats = seats or (4 if map in ("base_45", "britannia_45") else 3)
    state: State = GAME.begin({"map": map, **(options or {})}, seats, NO_ENTROPY)
    first = state.start  # the stocks go by the turn order, which begins with seat 0 here
    empty = (b"",) * len(board.cities)
    fresh = {"start": 0, "active": 0, "stage": PLAYING, "actions": 2, "supply": tuple(range(supply))}
    state = replace(state, desk=Desk(next_slot=100), posts=bytes(len(state.posts)), rows=empty, extras=empty, **fresh)
    line = bytearray(state.posts)
    for name, text in (posts or {}).items():
        line[post(state, name)] = piece(text)
    rows_now, extras_now, markers_now = list(empty), list(empty), bytearray(len(board.routes))
    for name, text in (rows or {}).items():
        rows_now[city_of(state, name)] = bytes(map_pieces(text))
    for name, text in (extras or {}).items():
        extras_now[city_of(state, name)] = bytes(map_pieces(text))
    for name, kind in (markers or {}).items():
        markers_now[route_of(state, name)] = 1 + marker(kind)
    people = [*state.players[first:], *state.players[:first]]
    for seat, fields in (players or {}).items():
        people[seat] = replace(people[seat], **fields)
    return replace(
        state,
        posts=bytes(line),
        rows=tuple(rows_now),
        extras=tuple(extras_now),
        markers=bytes(markers_now),
        players=tuple(people),
        **more,
    )


def map_pieces(text: str) -> list[int]:
    return [piece(word) for word in text.split()]


def levels(**steps: int) -> bytes:
    """Ability levels by name."""
    return bytes(steps.get(name, 0) for name in ("keys", "actions", "privilege", "book", "bank"))


def full_route(map: str, route: str, pieces: str) -> dict[str, str]:
    """All posts of a route, filled from the first: «0t 0t 0m»."""
    return {f"{route}:{index}": text for index, text in enumerate(pieces.split())}


def play(state: State, *actions: Action) -> State:
    """The state after these actions, each checked by the rules."""
    for action in actions:
        state = engine.step(GAME, state, action)[0]
    return state


def told(state: State, *actions: Action) -> list[Event]:
    """Everything that happens through these actions."""
    out: list[Event] = []
    for action in actions:
        state, events = engine.step(GAME, state, action)
        out += events
    return out


def say(state: State, *lines: str) -> State:
    """The state after actions in notation, each by the seat to act."""
    for line in lines:
        seat = engine.to_act(GAME, state)
        assert seat is not None and seat >= 0
        state = play(state, GAME.notation.read(state, seat, line))
    return state


def menu(state: State) -> list[str]:
    """The legal actions in notation."""
    return [GAME.notation.say(state, action) for action in engine.legal(GAME, state, {})]


def refusal(state: State, action: Action | str) -> str:
    """Why an action is illegal; fails if it is legal."""
    seat = engine.to_act(GAME, state)
    assert seat is not None
    found = GAME.notation.read(state, seat, action) if isinstance(action, str) else action
    reason = engine.why_not(GAME, state, found)
    assert reason, f"{action} is legal"
    assert found not in engine.legal(GAME, state, {})
    return reason


def turn_up(state: State, *faces: int) -> State:
    """Answer an open deal with these faces."""
    want = state.desk.want
    assert isinstance(want, Deal)
    cards = tuple((slot, seat, face) for (slot, seat), face in zip(want.cards, faces, strict=True))
    return engine.step(GAME, state, Dealt(want.r, cards))[0]


def check_invariants(state: State) -> None:
    """Section 5: no piece or marker is ever lost or made."""
    board = state.board
    in_hand = _in_hand(state)
    whole = b"".join((*state.rows, *state.extras, state.posts, bytes(in_hand)))
    for seat, player in enumerate(state.players):
        covered = [0, 0]
        for ability, level in enumerate(player.levels):
            assert 0 <= level <= STEPS[ability]
            covered[RELEASES[ability]] += STEPS[ability] - level
        laid = sum(promo.owner == seat for promo in state.promos)
        held = next((task.held for task in state.todo if isinstance(task, Bonus) and task.by == seat), (0, 0))
        assert min(*player.personal, *player.general) >= 0, player
        traders = covered[0] + 1 + player.personal[0] + player.general[0] + whole.count(piece_code(seat, 0)) + laid
        assert traders + held[0] == TRADERS, (seat, traders, state.todo)
        merchants = covered[1] + player.personal[1] + player.general[1] + whole.count(piece_code(seat, 1))
        merchants += state.prestige.count(1 + seat)
        assert merchants + held[1] == MERCHANTS, (seat, merchants, state.todo)
    piles = sum(len(p.unused) + len(p.used) + len(p.plate) + len(p.waiting) for p in state.players)
    on_routes = sum(1 for kind in state.markers if kind)
    assert len(state.supply) + on_routes + piles + len(state.promos) + len(state.removed) == MARKERS_IN_PLAY
    for index, code in enumerate(state.posts):
        assert not (code and shape_of(code) == TRADER and board.post_ship[index]), f"a trader at sea: {index}"
        assert owner_of(code) in (*range(-1, state.seats), NEUTRAL)
    for city, row in zip(board.cities, state.rows, strict=True):
        assert city.green or len(row) <= len(city.spaces)
    done = sum(
        bool(row or extra) if city.green else len(row) == len(city.spaces)
        for city, row, extra in zip(board.cities, state.rows, state.extras, strict=True)
    )
    assert state.completed == done
    assert state.linked == sum(1 for player in state.players if player.linked)


def _in_hand(state: State) -> list[int]:
    """Pieces that stand nowhere while a decision is open."""
    out: list[int] = []
    for task in state.todo:
        if isinstance(task, Moving):
            out += [code for _, code in task.lifted]
        if isinstance(task, Relocating) and task.piece:
            out.append(task.piece)
        if isinstance(task, Relocating | Bonus) and task.hand and task.origin < 0:
            out.append(task.hand)
    return out
