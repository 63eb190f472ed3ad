"""Engine figures: random playouts against python-chess, digests against their parts, verification, cost of `legal`."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import bench_rounds
import chess
import msgpack

from kontor_games import engine
from kontor_games.clients import bots
from kontor_games.engine import LocalMatch, canonical, digest
from kontor_games.engine.core.dealer import LocalDealer
from kontor_games.engine.core.stream import H, Stream, u32
from kontor_games.net.record.bot_match import BotMatch
from kontor_games.net.record.local_match import RecordedMatch, seed_from
from kontor_games.net.record.verify import VERIFIED, verify

GOAL_VERIFY = 15_000
GOAL_LEGAL_MS = 20


def run(rounds: int, seconds: float) -> dict[str, Any]:
    """One row per game; python-chess runs in the same rounds."""
    games = [engine.load(game) for game in engine.game_ids()]
    contenders: dict[str, bench_rounds.Contender] = {"chess": chess_playouts()}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for game in games:
            file, plies = transcript(game, Path(folder))
            states = sample_states(game)
            contenders[f"play {game.id}"] = playouts(game)
            contenders[f"greedy {game.id}"] = rollouts(game, "greedy")
            contenders[f"skilled {game.id}"] = rollouts(game, "skilled")
            contenders[f"digest {game.id}"] = per_call(states, digest)
            contenders[f"parts {game.id}"] = per_call(list(map(canonical, states)), pack_and_hash())
            contenders[f"verify {game.id}"] = verification(file, plies)
        found = bench_rounds.rounds(contenders, rounds, seconds)
    for game in games:
        timing = cost(game)
        rows.append(
            {
                "game": game.id,
                "choices/s": bench_rounds.middle(found, f"play {game.id}"),
                "vs chess": bench_rounds.ratio(found, f"play {game.id}", "chess"),
                "greedy/s": bench_rounds.middle(found, f"greedy {game.id}"),
                "skilled/s": bench_rounds.middle(found, f"skilled {game.id}"),
                "digest vs msgpack+BLAKE2b": bench_rounds.ratio(found, f"digest {game.id}", f"parts {game.id}"),
                "verify plies/s": bench_rounds.middle(found, f"verify {game.id}"),
                **timing,
            }
        )
    chess_rate = bench_rounds.middle(found, "chess")
    return {
        "rows": rows,
        "chess moves/s": chess_rate,
        "notes": [
            f"python-chess: {chess_rate:,.0f} random moves/s (legal list, push) in the same rounds",
            "choices: decisions among two or more actions; every ply costs legal + apply + digest, chance included",
            "greedy/s, skilled/s: decisions of a roll-out by that bot, three players; an expert lives from them",
            "digest vs …: above 1 a digest is faster than packing the same values with msgpack and hashing them",
            "all rates are per CPU second of one process",
            f"goals: vs chess >= 1.0, verify >= {GOAL_VERIFY:,} plies/s, no `legal` above {GOAL_LEGAL_MS} ms",
        ],
    }


def chess_playouts() -> bench_rounds.Contender:
    """Random moves: legal list and push; a game ends when there is no move, or after 150 moves."""
    choice = random.Random(1)
    board = chess.Board()

    def burst() -> int:
        for _ in range(50):
            moves = list(board.legal_moves)
            if not moves or board.fullmove_number > 150:
                board.reset()
                continue
            board.push(choice.choice(moves))
        return 50

    return lambda seconds: bench_rounds.rate(burst, seconds)


def playouts(game: Any) -> bench_rounds.Contender:
    """Random matches with a digest after every ply; counts real choices only."""
    choice = random.Random(2)
    number = 0
    limit = {"max_rounds": 200} if game.id == "hansa" else {"max_rounds": 100} if game.id == "yokohama" else {}

    def burst() -> int:
        nonlocal number
        seats = game.seats[number % len(game.seats)]
        number += 1
        dealer = LocalDealer(u32(number))
        state = game.begin(limit, seats, dealer.entropy())
        known: dict[int, Any] = {}  # what a seat knows changes only when cards are dealt or shown
        choices = 0
        while (turn := engine.to_act(game, state)) is not None:
            if turn == engine.CHANCE:
                dealer.serve(state.desk.want)
                action = dealer.ready()
                known.clear()
            else:
                if turn not in known:
                    known[turn] = dealer.known(turn)
                actions = engine.legal(game, state, known[turn])
                choices += len(actions) > 1
                action = actions[choice.randrange(len(actions))] if len(actions) > 1 else actions[0]
                pairs = game.opens(state, action)
                if pairs:
                    dealer.open(pairs)
                    known.clear()
            state, _ = engine.advance(game, state, action)
            digest(state)
        return choices

    return lambda seconds: bench_rounds.rate(burst, seconds)


def rollouts(game: Any, kind: str) -> bench_rounds.Contender:
    """Matches of one kind of bot, twenty decisions at a time."""
    number = 0
    match: LocalMatch[Any] | None = None
    players: list[Any] = []  # one for each seat: a plan may keep a line of its turn

    def burst() -> int:
        nonlocal number, match, players
        done = 0
        while done < 20:
            if match is None or match.turn is None:
                number += 1
                match = LocalMatch(game, {}, 3, u32(number))
                players = [bots.make(kind, bytes(32)) for _ in range(3)]
            for _ in match.settle():
                pass
            if (seat := match.turn) is not None:
                match.play(players[seat].choose(game, match.state, match.known(seat), seat, match.ply))
                done += 1
        return done

    return lambda seconds: bench_rounds.rate(burst, seconds)


def sample_states(game: Any) -> list[Any]:
    """States of one match, from all its phases."""
    match = LocalMatch(game, {}, game.seats[-1], b"states")
    choose = Stream("states").below
    states = []
    while match.turn is not None:
        for _ in match.settle():
            pass
        actions = match.legal()
        if not actions:
            break
        states.append(match.state)
        match.play(actions[choose(len(actions))])
    return states[:: max(1, len(states) // 50)]


def per_call(values: list[Any], function: Callable[[Any], Any]) -> bench_rounds.Contender:
    """Calls per second over these values."""

    def burst() -> int:
        for value in values:
            function(value)
        return len(values)

    return lambda seconds: bench_rounds.rate(burst, seconds / 2)


def pack_and_hash() -> Callable[[bytes], bytes]:
    """What a digest must at least do, by msgpack: pack the same values, hash the same bytes."""
    values: dict[bytes, Any] = {}

    def work(raw: bytes) -> bytes:
        value = values.get(raw)
        if value is None:
            value = values[raw] = msgpack.unpackb(raw, use_list=False)
        return blake2b(msgpack.packb(value), digest_size=32).digest()

    return work


def transcript(game: Any, folder: Path) -> tuple[Path, int]:
    """A finished local match of random bots."""
    seats = game.seats[len(game.seats) // 2]
    path = folder / f"{game.id}.kontor"
    names = tuple((f"Bot {seat + 1}", "random") for seat in range(seats))
    table = RecordedMatch.create(path, game, {}, names, seed_from("bench"))
    play = BotMatch(table, {seat: bots.make("random", H("bot-seed", u32(seat), size=32)) for seat in range(seats)})
    while not play.is_over:
        play.advance()
    play.close()
    report = verify(path)
    assert report.code == VERIFIED, report.message
    return path, report.plies


def verification(path: Path, plies: int) -> bench_rounds.Contender:
    """Plies per second of `kontor verify`, reading the file included."""

    def burst() -> int:
        assert verify(path).code == VERIFIED
        return plies

    return lambda seconds: bench_rounds.rate(burst, seconds)


def cost(game: Any) -> dict[str, Any]:
    """Mean microseconds of `legal` and `apply`, and the worst `legal` in milliseconds (best of two looks)."""
    clock = time.thread_time
    legal_time = apply_time = worst = 0.0
    count = longest = 0
    for number in range(4):
        match = LocalMatch(game, {}, game.seats[number % len(game.seats)], b"cost %d" % number)
        choose = Stream("cost", u32(number)).below
        while match.turn is not None:
            for _ in match.settle():
                pass
            if match.turn is None:
                break
            start = clock()
            actions = match.legal()
            took = clock() - start
            if took > worst:  # a second look tells a slow position from a disturbed one
                start = clock()
                match.legal()
                worst = max(worst, min(took, clock() - start))
            legal_time += took
            longest = max(longest, len(actions))
            action = actions[choose(len(actions))]
            start = clock()
            engine.advance(game, match.state, action)
            apply_time += clock() - start
            count += 1
            match.play(action)
    return {
        "legal us": 1e6 * legal_time / count,
        "apply us": 1e6 * apply_time / count,
        "worst legal ms": 1e3 * worst,
        "longest menu": longest,
    }
