"""Sealed decks in numbers: shuffles, key set-up, draws; `scripts/bench` prints the table, so does this file alone."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from kontor_games.engine.core.chance import Deal, Mix
from kontor_games.engine.core.stream import H, u32
from kontor_games.net.sealed.algebra import mix
from kontor_games.net.sealed.algebra.group import G, add, base, face_point, h2s, mul, prepare
from kontor_games.net.sealed.algebra.mix import Pair
from kontor_games.net.sealed.bodies import encode
from kontor_games.net.sealed.card_table import CardTable
from kontor_games.net.sealed.player import Player

T = TypeVar("T")
MATCH = H("terms", b"bench", size=32)
SIZES = (12, 36, 108)


def timed(call: Callable[[], T], runs: int) -> tuple[list[float], T]:
    """The processor time of several runs in milliseconds, and what the call returned."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        result = call()
        times.append((time.process_time() - start) * 1000)
    return times, result


def best(call: Callable[[], T], runs: int = 5) -> tuple[float, T]:
    """The least of several runs: others may be busy."""
    times, result = timed(call, runs)
    return min(times), result


def usual(call: Callable[[], T], runs: int = 5) -> tuple[float, T]:
    """The median of several runs: to be compared with something else that others may keep waiting."""
    times, result = timed(call, runs)
    return median(times), result


def multiplication() -> float:
    """M: one variable-base multiplication in milliseconds."""
    P, k = base(h2s("bench", "point")), h2s("bench", "scalar")

    def hundred() -> None:
        for _ in range(100):
            mul(k, P)

    return best(hundred)[0] / 100


def shuffle(m: int, of: Callable[..., tuple[float, Any]] = best) -> tuple[float, float, int]:
    """Prove and check one shuffle of m cards in milliseconds, and the bytes of the message body."""
    key = base(h2s("bench", "key"))
    inputs: list[Pair] = [(base(i + 2), add(face_point(i), key)) for i in range(m)]
    prepare(m)
    runs = 5 if m < 100 else 3
    proved, given = of(lambda: mix.prove(b"z" * 32, b"b" * 32, key, inputs), runs)
    checked, _ = of(lambda: mix.verify(b"b" * 32, key, inputs, given), runs)
    return proved, checked, sum(map(len, (given.o, given.p, given.h, given.c, given.s)))


def _table(n: int) -> tuple[CardTable, list[Player]]:
    table = CardTable(MATCH, n, tuple(range(n)))
    return table, [Player(table, p, H("bench", "secret", u32(p), size=32)) for p in range(n)]


def _run(table: CardTable, players: list[Player]) -> dict[int, float]:
    """Serve what is open with one shared table; milliseconds of making and checking by peer, as if each had its own."""
    spent = dict.fromkeys(range(len(players)), 0.0)
    while table.task is not None:
        if table.complete:
            table.close()
            continue
        for player in players:
            for name in table.owed(player.me):
                start = time.process_time()
                body = player.make(name)
                made = time.process_time()
                verdict = table.check(player.me, body).run()
                checked = time.process_time()
                table.commit(verdict)
                for p in spent:
                    spent[p] += ((made - start) if p == player.me else (checked - made)) * 1000
    return spent


def set_up(n: int) -> float:
    """Keys, escrow and roll 0: milliseconds of one peer."""
    return min(max(_run(*_table(n)).values()) for _ in range(3))


def draw(n: int) -> tuple[float, float, int]:
    """One public card: make one share, check one share, bytes of the body."""
    table, players = _table(n)
    _run(table, players)
    table.serve(Mix(1, (1, 2, 3), (), (0, 1, 2)))
    _run(table, players)
    table.serve(Deal(2, ((0, None),)))
    made, body = best(lambda: players[0].make("shr"))
    checked, _ = best(lambda: table.check(0, body).run())
    assert table.cards.slots[0].A != G
    return made, checked, len(encode(body))


def rows() -> list[str]:
    """The whole table as lines of text."""
    M = multiplication()
    out = [f"one multiplication   {M * 1000:6.0f} µs"]
    for m in SIZES:
        proved, checked, size = shuffle(m)
        out.append(
            f"shuffle m={m:<4}   prove {proved:6.1f} ms ({proved / M:5.0f} M)   check {checked:6.1f} ms "
            f"({checked / M:5.0f} M)   {size:6} bytes   chain n=5 {5 * (proved + checked):6.0f} ms"
        )
    for n in (2, 3, 4, 5):
        out.append(f"keys, escrow, roll 0 n={n}   {set_up(n):5.1f} ms per peer")
    made, checked, size = draw(5)
    out.append(f"public draw          make {made:5.2f} ms   check {checked:5.2f} ms   {size} bytes")
    return out


if __name__ == "__main__":
    print("\n".join(rows()))
