"""Events for tests: declared, filled, drawn and decided without a match being played."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from kontor_games import engine
from kontor_games.net.tournament.event_chain import read_chain, why_not_next
from kontor_games.net.tournament.event_records import (
    NOTHING,
    EventRecord,
    EventSettings,
    PlayerAdded,
    ResultFiled,
    read_line,
    signed_line,
)
from kontor_games.net.tournament.event_state import EventState
from kontor_games.net.tournament.pairing import draw
from kontor_games.net.tournament.tournament import SEATS
from tests.worlds.world import identity

ORGANISER = identity(1000)


def key_of(number: int) -> str:
    return identity(number).key.hex()


def settings(**more: Any) -> EventSettings:
    game = engine.load("hansa")
    sizes = more.get("sizes", (4, 3))
    usual = EventSettings(
        version=1,
        name="Thursday",
        organiser=ORGANISER.key.hex(),
        game=game.id,
        rules=game.rules_version,
        data=game.data_digest.hex(),
        options=game.check_options({"max_rounds": 12}, sizes[0]),
        recovery="majority",
        grace=0,
        spectators=True,
        method="swiss",
        rounds=5,
        sizes=sizes,
        points=tuple(SEATS[size] for size in sizes),
        bye=12,
        late=0,
        missing=0,
        unfinished=0,
        unsigned="places",
        left="nothing",
        tie_breaks=("opponents", "wins"),
        seed="seed",
    )
    return replace(usual, **more)


class ChainBook:
    """A chain that grows, and the event that it tells."""

    def __init__(self, **more: Any) -> None:
        self.lines = [signed_line(0, NOTHING, settings(**more), ORGANISER)]
        self.state: EventState = read_chain(self.data)

    @property
    def data(self) -> bytes:
        return b"".join(self.lines)

    def take(self, record: EventRecord) -> None:
        assert why_not_next(self.state, record) is None
        line = signed_line(self.state.count, self.state.tip, record, ORGANISER)
        _, digest = read_line(line[:-1], self.state.count, self.state.tip, self.state.settings.organiser)
        self.lines.append(line)
        self.state.take(record, digest)

    def add(self, *numbers: int) -> None:
        for number in numbers:
            self.take(PlayerAdded(key_of(number), f"Player {chr(65 + number // 26)}{chr(65 + number % 26)}"))

    def draw(self) -> None:
        self.take(draw(self.state))

    def decide(self, strength: Callable[[str], int]) -> None:
        """Every table of the last round ends as the strength of its players says."""
        drawn = self.state.rounds[-1]
        for table, keys in enumerate(drawn.tables, 1):
            order = sorted(keys, key=strength, reverse=True)
            places = tuple(order.index(key) + 1 for key in keys)
            self.take(result(drawn.number, table, places))


def result(number: int, table: int, places: tuple[int, ...], **more: Any) -> ResultFiled:
    """A result that no file tells: for what is computed from results."""
    file = f"{number:04}{table:04}".ljust(64, "0")
    usual = ResultFiled(number, table, file, file, "signed", places, tuple(100 - place for place in places), ())
    return replace(usual, **more)


def by_key(order: Mapping[str, int]) -> Callable[[str], int]:
    return lambda key: order[key]
