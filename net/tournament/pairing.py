"""Who plays whom, and who sits where: a pure function of the records so far. A machine.

A round is drawn in five steps.

1. *Tables.* Of all ways to cut the players into tables of the declared sizes: the fewest byes, then the sizes that were
   declared first.
2. *Byes* go to those who had the fewest, of these to those with the fewest points (Swiss), of these by lot.
3. *Order.* Swiss: by points, equals by lot, cut into tables from the top: the score groups. Round robin: by lot alone.
4. *Exchange.* Two players of different tables change places as long as that makes the round better: fewer people meet
   again, and the more often they have met the worse; then (Swiss) smaller squares of the differences in points at each
   table. Where people would still meet again, a few are moved by lot and the exchange begins anew, `KICKS` times; the
   best round counts. This is local search as for the «social golfer» problem: not always the best round that exists,
   always the same one.
5. *Seats.* At each table the order in which everybody sits where they sat least so far; among equals by lot.

A round robin of tables of two is the circle method instead of steps 1 to 4 (one player stays, the others move round):
every two meet once in n − 1 rounds. Somebody whose opponent has left has a bye.

Every lot follows from the declared seed and the number of the round. Nothing here may ever change what it draws for
records that exist: whoever checks an event draws it again. A better method gets a name of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, permutations
from typing import Final

from kontor_games.engine.core.stream import Stream

from .event_records import RoundDrawn
from .event_state import EventState
from .standings import lot, scores

KICKS: Final = 60
PASSES: Final = 40  # of the exchange; each one ends sooner when nothing is better
TRIALS: Final = 500_000  # exchanges that are tried for one round, some seconds: whoever checks must come to an end
_AGAIN: Final = 10**12  # two who meet again weigh more than any difference in points
Pair = frozenset[str]


def why_not_draw(state: EventState) -> str | None:
    """Why no round can be drawn now, or None."""
    if len(state.rounds) >= state.settings.rounds:
        return f"all {state.settings.rounds} rounds that were declared are drawn"
    least = min(state.settings.sizes)
    if len(state.here) < least:
        few = f"{len(state.here)} take part" if len(state.here) != 1 else "only 1 takes part"
        return f"a table needs {least} players, and {few}"
    return None


def draw(state: EventState) -> RoundDrawn:
    """The next round, as everybody computes it."""
    number = len(state.rounds) + 1
    if state.settings.method == "robin" and state.settings.sizes == (2,):
        tables, byes = _circle(state, number)
    else:
        tables, byes = _drawn(state, number)
    seats = seat_counts(state)
    seated = tuple(_seated(state, number, table, seats) for table in tables)
    return RoundDrawn(number, seated, tuple(byes))


def table_sizes(count: int, sizes: Sequence[int]) -> tuple[int, ...]:
    """The sizes of the tables for so many players, the largest first; whoever is left over has a bye."""
    best: list[tuple[int, int, tuple[int, ...]] | None] = [(0, 0, ())]  # by players seated: dislike, tables, sizes
    for total in range(1, count + 1):
        ways = []
        for dislike, size in enumerate(sizes):
            before = best[total - size] if size <= total else None
            if before is not None:
                ways.append((before[0] + dislike, before[1] + 1, tuple(sorted((*before[2], size), reverse=True))))
        best.append(min(ways, default=None))
    found = next(each for each in reversed(best) if each is not None)
    return found[2]


def meetings(state: EventState) -> Counter[Pair]:
    """How often every two were drawn to one table."""
    return Counter(
        frozenset(pair) for drawn in state.rounds for table in drawn.tables for pair in combinations(table, 2)
    )


def seat_counts(state: EventState) -> Counter[tuple[str, int]]:
    """How often everybody was drawn to each seat."""
    return Counter((key, seat) for drawn in state.rounds for table in drawn.tables for seat, key in enumerate(table))


def _drawn(state: EventState, number: int) -> tuple[list[list[str]], list[str]]:
    is_swiss = state.settings.method == "swiss"
    points = {key: score.points if is_swiss else 0 for key, score in scores(state, is_closed=True).items()}
    lots = {each.key: lot(state.settings.seed, "round", str(number), each.key) for each in state.here}
    order = sorted(lots, key=lambda key: (-points[key], lots[key], key))
    sizes = table_sizes(len(order), state.settings.sizes)
    had = Counter(key for drawn in state.rounds for key in drawn.byes)
    free = sorted(order, key=lambda key: (had[key], points[key], lots[key], key))[: len(order) - sum(sizes)]
    playing = [key for key in order if key not in free]
    tables = []
    for size in sizes:
        tables.append(playing[:size])
        del playing[:size]
    stream = Stream("event-kicks", state.settings.seed, str(number))
    return Exchange(meetings(state), points, stream).best(tables), sorted(free)


class Exchange:
    """Players change places until nobody can for the better."""

    def __init__(self, met: Mapping[Pair, int], points: Mapping[str, int], stream: Stream) -> None:
        self._met, self._points, self._stream = met, points, stream
        self._trials = TRIALS

    def best(self, tables: Sequence[Sequence[str]]) -> list[list[str]]:
        """The best round that is found from this one."""
        found = self._settled([list(table) for table in tables])
        cost = self._total(found)
        for _ in range(KICKS):
            if cost < _AGAIN or len(found) < 2 or self._trials <= 0:
                break
            other = self._settled(self._kicked(found))
            if (new := self._total(other)) < cost:
                found, cost = other, new
        return found

    def _total(self, tables: Sequence[Sequence[str]]) -> int:
        return sum(map(self._cost, tables))

    def _cost(self, table: Sequence[str]) -> int:
        total = 0
        for place, one in enumerate(table):
            for other in table[place + 1 :]:
                total += (self._points[one] - self._points[other]) ** 2
                again = self._met.get(frozenset((one, other)), 0)
                if again:
                    total += _AGAIN * again
        return total

    def _settled(self, tables: list[list[str]]) -> list[list[str]]:
        costs = [self._cost(table) for table in tables]
        for _ in range(PASSES):
            is_better = False
            for one, other in combinations(range(len(tables)), 2):
                if self._trials <= 0:
                    return tables
                self._trials -= len(tables[one]) * len(tables[other])
                for a in range(len(tables[one])):
                    for b in range(len(tables[other])):
                        is_better |= self._exchange(tables, costs, (one, a), (other, b))
            if not is_better:
                break
        return tables

    def _exchange(
        self, tables: list[list[str]], costs: list[int], one: tuple[int, int], other: tuple[int, int]
    ) -> bool:
        """Change two players if that is better."""
        (s, a), (t, b) = one, other
        tables[s][a], tables[t][b] = tables[t][b], tables[s][a]
        first, second = self._cost(tables[s]), self._cost(tables[t])
        if first + second < costs[s] + costs[t]:
            costs[s], costs[t] = first, second
            return True
        tables[s][a], tables[t][b] = tables[t][b], tables[s][a]
        return False

    def _kicked(self, tables: Sequence[Sequence[str]]) -> list[list[str]]:
        """The same with three exchanges by lot."""
        kicked = [list(table) for table in tables]
        for _ in range(3):
            s, t = self._stream.below(len(kicked)), self._stream.below(len(kicked))
            a, b = self._stream.below(len(kicked[s])), self._stream.below(len(kicked[t]))
            kicked[s][a], kicked[t][b] = kicked[t][b], kicked[s][a]
        return kicked


def _circle(state: EventState, number: int) -> tuple[list[list[str]], list[str]]:
    """Round `number` of all against all, tables of two."""
    known = [each.key for each in state.entrants.values() if each.first_round == 1]
    keys: list[str | None] = [*sorted(known, key=lambda key: (lot(state.settings.seed, "circle", key), key))]
    if len(keys) % 2:
        keys.append(None)
    turn = (number - 1) % (len(keys) - 1)
    rest = keys[1:]
    ring = [keys[0], *rest[turn:], *rest[:turn]]
    here = {each.key for each in state.here}
    tables, byes = [], []
    for place in range(len(ring) // 2):
        pair = [key for key in (ring[place], ring[-1 - place]) if key is not None and key in here]
        if len(pair) == 2:
            tables.append(pair)
        else:
            byes += pair
    return tables, sorted(byes)


def _seated(
    state: EventState, number: int, table: Sequence[str], seats: Mapping[tuple[str, int], int]
) -> tuple[str, ...]:
    """The table in the order of its seats."""
    order = sorted(table, key=lambda key: (lot(state.settings.seed, "seat", str(number), key), key))
    return min(
        permutations(order),  # the first of equals: by lot
        key=lambda way: sum(seats[key, seat] ** 2 for seat, key in enumerate(way)),  # thrice on one seat is worse yet
    )
