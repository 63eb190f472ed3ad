"""Statistics of matches between bots: intervals of shares, a sequential test, a Plackett–Luce fit.

A match counts for a bot as a win, or as its share of one if several win. One deal is played once with every rotation of
the seats, so the matches of a deal are not quite independent; the intervals take them as if they were, which is on the
safe side, because a rotation takes the luck of the deal out.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

Z = 1.959964  # 95 %
RISK = 0.05  # of each kind of error in the sequential test
ROUNDS = 200  # of the fit, and as many resamples for its intervals

Ranking = list[list[str]]  # the bots of a match by place; those on one place share it


def wilson(wins: float, matches: int) -> tuple[float, float]:
    """The 95 % interval of a share."""
    if not matches:
        return 0.0, 1.0
    share, square = wins / matches, Z * Z / matches
    middle = (share + square / 2) / (1 + square)
    half = Z * math.sqrt(share * (1 - share) / matches + square / (4 * matches)) / (1 + square)
    return max(0.0, middle - half), min(1.0, middle + half)


def decided(wins: float, matches: int, low: float, high: float) -> str | None:
    """Wald's sequential test of a share `low` against `high`: which one holds, or None for more matches."""
    ratio = wins * math.log(high / low) + (matches - wins) * math.log((1 - high) / (1 - low))
    bound = math.log((1 - RISK) / RISK)
    return "high" if ratio >= bound else "low" if ratio <= -bound else None


def share_of(match: dict[str, Any], bot: str) -> float:
    """What a match was worth to a bot that has one seat in it."""
    seat = match["bots"].index(bot)
    return 1 / len(match["winners"]) if seat in match["winners"] else 0.0


def is_stuck(match: dict[str, Any]) -> bool:
    """Whether a match did not end as its rules mean it to: cut off, by the cap on rounds, or in a standstill."""
    return match["reason"] in ("stall", "rounds", "standstill")


def summary(matches: Sequence[dict[str, Any]]) -> Iterator[str]:
    """How the matches of each game and number of players ended, and what their winners scored."""
    groups: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for match in matches:
        groups.setdefault((match["game"], len(match["bots"])), []).append(match)
    for (game, seats), group in sorted(groups.items()):
        reasons = Counter(match["reason"] for match in group)
        ends = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items()))
        plies = sorted(match["plies"] for match in group)
        stuck = sum(map(is_stuck, group))
        yield f"{game}, {seats} players: {len(group)} matches, {stuck} stuck; ends: {ends}; longest {plies[-1]} plies"
        won = [match for match in group if match["winners"]]
        if won:
            best = sorted(max(match["scores"]) for match in won)
            low, middle, high = (best[len(best) * part // 10] for part in (1, 5, 9))
            yield f"  winners: mean {sum(best) / len(best):.1f}, middle {middle}, eight of ten {low}–{high}"
            parts: Counter[str] = Counter()
            for match in won:
                for name, each in match.get("parts", {}).items():
                    parts[name] += each[match["winners"][0]]
            yield "  from: " + ", ".join(f"{name} {total / len(won):.1f}" for name, total in parts.items())


def ranking(match: dict[str, Any]) -> Ranking:
    """The bots of a match by place."""
    places = sorted(set(match["places"]))
    return [[bot for bot, at in zip(match["bots"], match["places"], strict=True) if at == place] for place in places]


def fit(rankings: Sequence[Ranking]) -> dict[str, float]:
    """Plackett–Luce strengths by Hunter's iteration, as shares of a match of one of each.

    Bots on one place are taken as chosen in the order listed; with rotated seats that favours nobody.
    """
    bots = sorted({bot for ranks in rankings for place in ranks for bot in place})
    strength = dict.fromkeys(bots, 1 / len(bots))
    orders = [[bot for place in ranks for bot in place] for ranks in rankings]
    chosen = dict.fromkeys(bots, 0.1)  # a tenth of a choice: a bot that never won has a strength, too
    for order in orders:
        for bot in order[:-1]:
            chosen[bot] += 1
    for _ in range(ROUNDS):
        offered = dict.fromkeys(bots, 0.1)
        for order in orders:
            total = sum(strength[bot] for bot in order)
            passed = 0.0  # sum of 1 / total over the choices in which whoever is left was offered
            for bot in order[:-1]:
                passed += 1 / total
                offered[bot] += passed
                total -= strength[bot]
            offered[order[-1]] += passed
        strength = {bot: chosen[bot] / offered[bot] for bot in bots}
        whole = sum(strength.values())
        strength = {bot: value / whole for bot, value in strength.items()}
    return strength


def fitted(rankings: Sequence[Ranking], samples: int = 100) -> dict[str, tuple[float, float, float]]:
    """Each bot's strength with a 95 % interval from resampled matches."""
    best, dice = fit(rankings), random.Random(1)  # figures are the same every time
    drawn: dict[str, list[float]] = {bot: [] for bot in best}
    for _ in range(samples):
        sample = fit([rankings[dice.randrange(len(rankings))] for _ in rankings])
        for bot in best:
            drawn[bot].append(sample.get(bot, 0.0))
    cut = samples // 40
    return {bot: (best[bot], sorted(drawn[bot])[cut], sorted(drawn[bot])[-1 - cut]) for bot in best}
