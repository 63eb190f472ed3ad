"""Bots against each other: win shares with intervals, and a Plackett–Luce fit over all matches of a file.

    scripts/bot_ladder hansa skilled,greedy,greedy --matches 200 --test 75,90 --out hansa.jsonl

The first bot of the line is the one that is measured. Match number k is deal k // players with the seats rotated by
k % players (where the bots differ), so the same command gives the same matches on every machine. Each match is appended
to the file as one line of JSON; what is there already is not played again. With `--test LOW,HIGH` (per cent) it stops
as soon as the share is known to be about HIGH rather than about LOW, or the other way round.

    scripts/bot_ladder self skilled --matches 500 --out self.jsonl

plays one kind of bot against itself in every game and with every number of players, in turns, so that a run that is
stopped has seen them all; `--games` and `--seats` name some of them. The summary says how matches ended (a stall is one
that did not), what winners scored and from what, and fails if any match stalled or stood still.

    scripts/bot_ladder goals --out goals.jsonl

plays what the levels are meant to reach (`ladder_goals.py`), with `curve` the expert by its budget, and prints a table.

    scripts/bot_ladder fit --games joban --matches 160

finds the weights by which the expert foretells final points, where a plan has such a forecast (`ladder_fit.py`).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import ladder_figures as figures
import ladder_fit
import ladder_goals

from kontor_games import engine
from kontor_games.clients import bots
from kontor_games.engine import LocalMatch
from kontor_games.engine.core.stream import H, u32

MAX_PLIES = 20_000

Job = tuple[str, dict[str, Any], tuple[str, ...], str, int]  # game, options, line, seed, number


def play(job: Job) -> dict[str, Any]:
    """One match as plain data."""
    name, options, line, seed, number = job
    seats = len(line)
    turns = 1 if len(set(line)) == 1 else seats  # a table of equals needs no rotation
    kinds = [line[(seat - number % turns) % seats] for seat in range(seats)]
    raw = H("ladder", seed.encode(), u32(number // turns), size=32)
    game = engine.load(name)
    match = LocalMatch(game, options, seats, raw)
    made = [bots.make(kind, H("bot-seed", raw, u32(seat), size=32)) for seat, kind in enumerate(kinds)]
    spent, choices = [0.0] * seats, [0] * seats
    while match.turn is not None and match.ply < MAX_PLIES:
        if any(True for _ in match.settle()):
            continue
        seat = match.turn
        begun = time.process_time()
        action = made[seat].choose(game, match.state, match.known(seat), seat, match.ply)
        spent[seat] += time.process_time() - begun
        choices[seat] += 1
        match.play(action)
    result = match.result
    return {
        "game": name,
        "options": options,
        "line": ",".join(line),
        "seed": seed,
        "number": number,
        "bots": kinds,
        "reason": "stall" if result is None else result.reason,
        "winners": [] if result is None else list(result.winners),
        "scores": [] if result is None else list(result.scores),
        "parts": {} if result is None else {name: list(each) for name, each in result.breakdown},
        "places": [1] * seats if result is None else list(result.places),
        "plies": match.ply,
        "ms": [round(1000 * each / max(1, count), 2) for each, count in zip(spent, choices, strict=True)],
    }


def stored(path: Path | None) -> list[dict[str, Any]]:
    """The matches of a file; a line cut short by a kill is left out."""
    if path is None or not path.exists():
        return []
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def append(path: Path, match: dict[str, Any]) -> None:
    """One more line, on a line of its own even after one that was cut short."""
    torn = path.exists() and not path.read_bytes().endswith(b"\n")
    with path.open("a", encoding="utf-8") as file:
        file.write("\n" * torn + json.dumps(match) + "\n")


def played(jobs: list[Job], workers: int) -> Iterator[dict[str, Any]]:
    """The matches of these jobs, in order."""
    if workers == 1:
        yield from map(play, jobs)
        return
    with ProcessPoolExecutor(workers) as pool:
        try:
            yield from pool.map(play, jobs)
        finally:
            pool.shutdown(cancel_futures=True)


class Measure:
    """The matches of one line so far."""

    def __init__(self, line: tuple[str, ...], test: tuple[float, float] | None) -> None:
        self.hero, self._test = line[0], test
        self.is_single = line.count(line[0]) == 1
        self.matches: list[dict[str, Any]] = []

    def add(self, match: dict[str, Any]) -> str | None:
        """Take one more; what the sequential test says now."""
        self.matches.append(match)
        if self._test is None or not self.is_single:
            return None
        return figures.decided(self.wins, len(self.matches), *self._test)

    @property
    def wins(self) -> float:
        return sum(figures.share_of(match, self.hero) for match in self.matches) if self.is_single else 0.0

    def line(self) -> str:
        """The share so far, in one line."""
        count = len(self.matches)
        low, high = figures.wilson(self.wins, count)
        return f"{self.wins:g} of {count}: {self.wins / count:.1%} [{low:.1%}, {high:.1%}]"

    def report(self) -> Iterator[str]:
        """Points, length, ends and time, by bot."""
        if self.is_single:
            yield f"{self.hero} wins {self.line()}"
        for bot in sorted({bot for match in self.matches for bot in match["bots"]}):
            rows = [
                (match["scores"][seat], match["scores"][seat] == max(match["scores"]), match["ms"][seat])
                for match in self.matches
                for seat, kind in enumerate(match["bots"])
                if kind == bot and match["scores"]
            ]
            if rows:
                scores = sorted(score for score, _, _ in rows)
                best = [score for score, is_best, _ in rows if is_best]
                winners = f"{sum(best) / len(best):.1f}" if best else "-"
                yield (
                    f"  {bot}: points {sum(scores) / len(scores):.1f} (median {scores[len(scores) // 2]}), as winner "
                    f"{winners}; {sum(ms for *_, ms in rows) / len(rows):.2f} ms per choice"
                )
        ends: dict[str, int] = {}
        for match in self.matches:
            ends[match["reason"]] = ends.get(match["reason"], 0) + 1
        plies = sorted(match["plies"] for match in self.matches)
        said = ", ".join(f"{reason} {count}" for reason, count in sorted(ends.items()))
        yield f"  ends: {said}; plies {plies[len(plies) // 2]} (longest {plies[-1]})"


def run(options: argparse.Namespace) -> int:
    """Play what is missing and print the figures."""
    line = tuple(options.line.split(","))
    if len(line) == 1:
        line = line * options.players
    chosen = json.loads(options.options)
    jobs: list[Job] = [(options.game, chosen, line, options.seed, number) for number in range(options.matches)]
    mine = {"game": options.game, "options": chosen, "line": ",".join(line), "seed": options.seed}
    before = stored(options.out)
    ready = {m["number"]: m for m in before if all(m[key] == value for key, value in mine.items())}
    test = tuple(int(part) / 100 for part in options.test.split(",")) if options.test else None
    measure = Measure(line, test)  # type: ignore[arg-type]
    verdict = None
    for number in range(options.matches):
        if number in ready and verdict is None:
            verdict = measure.add(ready[number])
    missing = [job for job in jobs if job[4] not in ready] if verdict is None else []
    for match in played(missing, options.jobs):
        if options.out is not None:
            append(options.out, match)
        verdict = measure.add(match)
        if not options.quiet:
            shown = measure.line() if measure.is_single else f"{len(measure.matches)} matches"
            print(f"\r{options.game} {options.line}: {shown}   ", end="", file=sys.stderr, flush=True)
        if verdict is not None:
            break
    print(file=sys.stderr)
    print(f"{options.game}, {len(line)} players, {','.join(line)}, options {chosen}, seed {options.seed!r}")
    for text in measure.report():
        print(text)
    if verdict is not None and test is not None:
        print(f"  the sequential test stopped: about {test[verdict == 'high']:.0%}, not {test[verdict != 'high']:.0%}")
    return 0


def tables(options: argparse.Namespace) -> list[tuple[str, int]]:
    """The games and numbers of players of a campaign."""
    games = options.games.split(",") if options.games else list(engine.game_ids())
    seats = {int(each) for each in options.seats.split(",")} if options.seats else set()
    return [(name, number) for name in games for number in engine.load(name).seats if not seats or number in seats]


def campaign(options: argparse.Namespace) -> int:
    """One kind of bot against itself everywhere; 1 if a match had no proper end."""
    chosen = json.loads(options.options)
    rounds: list[Job] = [
        (name, chosen, (options.line,) * seats, options.seed, number)
        for number in range(options.matches)
        for name, seats in tables(options)
    ]
    keys = ("game", "line", "seed", "number")
    wanted = {(name, ",".join(line), seed, number): None for name, _, line, seed, number in rounds}
    before = [m for m in stored(options.out) if m["options"] == chosen and tuple(m[key] for key in keys) in wanted]
    ready = {tuple(match[key] for key in keys) for match in before}
    missing = [job for job in rounds if (job[0], ",".join(job[2]), job[3], job[4]) not in ready]
    begun = time.monotonic()
    for count, match in enumerate(played(missing, options.jobs), 1):
        if options.out is not None:
            append(options.out, match)
        before.append(match)
        if not options.quiet:
            left = (time.monotonic() - begun) / count * (len(missing) - count) / 60
            print(
                f"\r{len(before)} of {len(rounds)} matches, {left:.0f} minutes to go   ",
                end="",
                file=sys.stderr,
                flush=True,
            )
    print(file=sys.stderr)
    for text in figures.summary(before):
        print(text)
    return 1 if any(figures.is_stuck(match) for match in before) else 0


def reach(options: argparse.Namespace) -> int:
    """Every goal, or every budget of the curve, in turns; the table at the end, also after Ctrl-C."""
    games = options.games.split(",") if options.games else list(engine.game_ids())
    rows = ladder_goals.goals(games) if options.game == "goals" else ladder_goals.curve(games)
    found: dict[ladder_goals.Goal, dict[int, dict[str, Any]]] = {row: {} for row in rows}
    by_line = {(row.game, row.line): row for row in rows}
    for match in stored(options.out):
        row = by_line.get((match["game"], match["line"]))
        if row is not None and match["seed"] == options.seed and not match["options"]:
            found[row][match["number"]] = match

    def play_all(wanted: list[tuple[ladder_goals.Goal, int]]) -> Iterator[dict[str, Any]]:
        jobs: list[Job] = [(row.game, {}, tuple(row.line.split(",")), options.seed, number) for row, number in wanted]
        return played(jobs, options.jobs)

    try:
        for match in ladder_goals.in_turns(rows, found, play_all):
            if options.out is not None:
                append(options.out, match)
            if not options.quiet:
                print(
                    f"\r{match['game']} {match['line']} {match['number'] + 1}   ", end="", file=sys.stderr, flush=True
                )
    except KeyboardInterrupt:
        print("\nstopped; the same command goes on from here", file=sys.stderr)
    for text in ladder_goals.table(rows, found):
        print(text)
    return 0


def ratings(path: Path) -> None:
    """The fit over every match of a file, by game and number of players."""
    groups: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for match in stored(path):
        if match["winners"]:
            groups.setdefault((match["game"], len(match["bots"])), []).append(match)
    for (game, players), matches in sorted(groups.items()):
        print(f"{game}, {players} players, {len(matches)} matches: Plackett–Luce share of a match of one of each")
        for bot, (best, low, high) in sorted(
            figures.fitted([figures.ranking(match) for match in matches]).items(), key=lambda item: -item[1][0]
        ):
            print(f"  {bot}: {best:.1%} [{low:.1%}, {high:.1%}]")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="bot_ladder", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "game",
        choices=(*engine.game_ids(), "self", "goals", "curve", "fit", "ratings"),
        help="a game; «self»: all of them; «goals», «curve», «fit»: see above; «ratings» to fit a file",
    )
    parser.add_argument("line", nargs="?", help="bots by seat, the measured one first; one name: all seats")
    parser.add_argument("--players", type=int, default=3, help="seats when the line is one name")
    parser.add_argument("--games", help="games of «self», «goals» and «curve», such as osaka,joban (all)")
    parser.add_argument("--seats", help="numbers of players of «self», such as 2,3 (all)")
    parser.add_argument(
        "--matches", type=int, default=60, help="the cap (60); of «self», for each game and number of players"
    )
    parser.add_argument("--seed", default="1")
    parser.add_argument("--options", default="{}", help="options of the match, as JSON")
    parser.add_argument("--test", help="LOW,HIGH in per cent: stop when one of them is excluded")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    parser.add_argument("--out", type=Path, help="file to append to and to go on from")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    options = parser.parse_args(arguments)
    if options.game == "ratings":
        if options.out is None:
            parser.error("ratings needs --out FILE")
        ratings(options.out)
        return 0
    if options.game in ("goals", "curve"):
        return reach(options)
    if options.game == "fit":
        if options.games != "joban":
            parser.error("only the plan of joban has a forecast: --games joban")
        for text in ladder_fit.report(options.games, options.matches):
            print(text)
        return 0
    if options.line is None:
        parser.error("name the bots, such as skilled,greedy,greedy")
    return campaign(options) if options.game == "self" else run(options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
