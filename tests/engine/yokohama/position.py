"""Positions built by hand: a match after set-up whose state a test may change, played in notation."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from kontor_games import engine
from kontor_games.engine import Event, Game, LocalMatch
from kontor_games.engine.core.data import load_data
from kontor_games.engine.games.yokohama.data import tables
from kontor_games.engine.games.yokohama.state import MOVE, NONE, PHASE_A, PLACE, Player, State

GAME: Game[State] = engine.load("yokohama")
RAW, _ = load_data("yokohama")
T = tables(RAW)

F4 = {
    "r1c2": "fishing_ground_1",
    "r1c3": "laboratory_a",
    "r2c2": "employment_agency",
    "r2c3": "silk_mill_1",
    "r3c2": "copper_mine_1",
    "r3c3": "canal",
    "r4c2": "bank",
}


def tech(kind: str) -> int:
    """The face of a technology."""
    return next(i for i, card in enumerate(T.technologies) if card.kind == kind)


def order(name: str) -> int:
    """The face of an order by its id."""
    return T.first_order + next(i for i, card in enumerate(T.orders) if card.id == name)


def token(**reward: int) -> int:
    """A 5-power token with exactly this reward."""
    return next(i for i, row in enumerate(RAW["five_power_tokens"]) if row["reward"] == reward)


class Position:
    """A match of seats 0…n−1, seat 0 first, at the start of seat 0's first turn."""

    def __init__(self, seats: int = 4, seed: bytes = b"position", game: Game[State] = GAME, **options: Any) -> None:
        self.game = game
        self.match = LocalMatch(game, {"start": 0, **options}, seats, seed)
        self.events: list[Event] = []
        self._settle()
        while self.s.stage == "keep":
            self.do("keep 1")
        self.events.clear()

    @property
    def s(self) -> State:
        return self.match.state

    def set(self, **changes: Any) -> Position:
        self.match.state = replace(self.s, **changes)
        return self

    def player(self, seat: int, **changes: Any) -> Position:
        players = list(self.s.players)
        players[seat] = replace(players[seat], **changes)
        return self.set(players=tuple(players))

    def p(self, seat: int = 0) -> Player:
        return self.s.players[seat]

    def cell(self, board: str) -> int:
        """The cell of an area board."""
        return next(i for i, other in enumerate(self.s.cells) if T.boards[other].id == board)

    def lay(self, wanted: dict[str, str]) -> Position:
        """Swap boards so that these cells hold these boards; tiles and tokens follow the canal."""
        cells = list(self.s.cells)
        layout = T.counts[self.s.seats].layout.cells
        for name, board in wanted.items():
            here = layout.index(name)
            there = next(i for i, other in enumerate(cells) if T.boards[other].id == board)
            cells[here], cells[there] = cells[there], cells[here]
        canal = next((i for i, other in enumerate(cells) if T.boards[other].id == "canal"), NONE)

        def spread(values: tuple[Any, ...], nothing: Any) -> tuple[Any, ...]:
            some = iter([value for value in values if value != nothing])
            return tuple(nothing if i == canal else next(some) for i in range(len(cells)))

        return self.set(
            cells=tuple(cells),
            tiles=spread(self.s.tiles, NONE),
            fives=spread(self.s.fives, NONE),
            shops=spread(self.s.shops, ()),
        )

    def assistants(self, seat: int, **count: int) -> Position:
        """So many assistants of a seat in these areas and nowhere else; the hand pays for them."""
        placed = [0] * len(self.s.cells)
        for board, number in count.items():
            placed[self.cell(board)] = number
        return self.player(seat, placed=tuple(placed))

    def president(self, seat: int, board: str | None) -> Position:
        return self.player(seat, president=NONE if board is None else self.cell(board))

    def hand(self, seat: int, assistants: int, shops: int = 2, houses: int = 0) -> Position:
        return self.player(seat, hand=(assistants, shops, houses))

    def owns(self, seat: int, *kinds: str) -> Position:
        return self.player(seat, techs=tuple(tech(kind) for kind in kinds))

    def placing(self) -> Position:
        return self.set(stage=PLACE)

    def moving(self) -> Position:
        return self.set(stage=MOVE)

    def phase_a(self) -> Position:
        return self.set(stage=PHASE_A)

    def acting(self, board: str, power: int) -> Position:
        """The active player acts in an area at this power, with the president and power − 1 assistants."""
        seat = self.s.active
        self.assistants(seat, **{board: max(power - 1, 1)})
        self.president(seat, None).moving()
        self.do(f"deploy {board}")
        return self

    def do(self, *texts: str) -> list[Event]:
        """Play these actions for whoever is to act; raises IllegalAction. Returns their events."""
        start = len(self.events)
        for text in texts:
            turn = self.match.turn
            assert turn is not None and turn >= 0
            self.events += self.match.play(self.game.notation.read(self.s, turn, text))
            self._settle()
        return self.events[start:]

    def why_not(self, text: str) -> str | None:
        """Why the seat to act may not do this."""
        turn = self.match.turn
        assert turn is not None and turn >= 0
        return self.match.why_not(self.game.notation.read(self.s, turn, text))

    def menu(self) -> list[str]:
        """The legal actions in notation."""
        return [self.game.notation.say(self.s, action) for action in self.match.legal()]

    def _settle(self) -> None:
        for _, events in self.match.settle():
            self.events += events


def rewarded(**reward: int) -> Position:
    """Seat 0 has just taken a 5-power token with this reward."""
    x = Position(4)
    cell = x.cell("bank")
    x.set(fives=tuple(token(**reward) if i == cell else five for i, five in enumerate(x.s.fives)))
    x.hand(0, 4, shops=0).acting("bank", 5)
    x.do("token")
    return x
