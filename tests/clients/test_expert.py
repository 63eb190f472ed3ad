"""The expert: fair worlds, whole turns, the same moves with any number of workers, and no process left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from typing import Any

import pytest

from kontor_games import engine
from kontor_games.clients import bots
from kontor_games.clients.bots.expert import Expert
from kontor_games.clients.bots.expert.continuation import play_on
from kontor_games.clients.bots.expert.halving import Halving
from kontor_games.clients.bots.expert.lines import candidates
from kontor_games.clients.bots.expert.styles import style_of
from kontor_games.clients.bots.expert.workers import Workers
from kontor_games.clients.bots.worlds import World
from kontor_games.engine import LocalMatch, advance, why_not
from tests.engine.playouts import all_games, play, policies

GAMES = engine.game_ids()


def position(game: Any, plies: int, seats: int = 3, seed: bytes = b"expert") -> LocalMatch[Any]:
    """A match after so many plies of greedy players, with a decision to make."""
    match = play(LocalMatch(game, {}, seats, seed), policies("greedy", seats, seed), plies)
    while any(True for _ in match.settle()):
        pass
    return match


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.id)
def test_what_a_world_answers_is_what_a_dealer_may_answer(game: Any) -> None:
    """Random play in a world: every answer of chance is legal, and every action that the rules allow can be taken."""
    match = LocalMatch(game, {}, 2, b"world")
    world = World(game, match.state, {}, b"world")
    players = policies("random", 2, b"world")
    state = match.state
    answers = 0
    for ply in range(300):
        if state.desk.want is not None:
            answer = world.answer(state.desk)
            assert why_not(game, state, answer) is None
            state, _ = advance(game, state, answer)
            answers += 1
            continue
        turn = game.turn(state)
        if turn is None:
            break
        state, _ = advance(game, state, players[turn].choose(game, state, world.faces, turn, ply))
    assert answers


@pytest.mark.parametrize("name", GAMES)
def test_a_world_keeps_to_what_the_seat_knows(name: str) -> None:
    game = engine.load(name)
    match = position(game, 40)
    for seat in range(3):
        known = match.known(seat)
        world = World(game, match.state, known, b"seed")
        assert known.items() <= world.faces.items()
        for faces, slots in game.unseen(match.state, known):
            drawn = Counter(world.faces[slot] for slot in slots)
            assert drawn <= Counter(faces)


def test_worlds_differ_by_their_seed_alone() -> None:
    game = engine.load("joban")
    match = position(game, 30)
    known = match.known(0)
    drawn = [World(game, match.state, known, seed).faces for seed in (b"a", b"a", b"b")]
    assert drawn[0] == drawn[1] != drawn[2]


@pytest.mark.parametrize("name", GAMES)
def test_a_continuation_ends_where_a_turn_begins(name: str) -> None:
    game = engine.load(name)
    match = position(game, 30)
    seat = match.turn
    assert seat is not None
    world = World(game, match.state, match.known(seat), b"turn")
    after = play_on(game, match.state, world, seat, 1, style_of(name))
    assert game.result(after) is not None or (game.turn(after) == seat and game.offer.at_rest(after))


@pytest.mark.parametrize("name", GAMES)
def test_the_line_of_a_skilled_player_is_among_those_compared(name: str) -> None:
    game = engine.load(name)
    most = 0
    for plies in (20, 27, 35):
        match = position(game, plies)
        seat = match.turn
        assert seat is not None
        arguments = (game, match.state, match.known(seat), seat, match.ply)
        lines = candidates(*arguments, style_of(name)).lines
        assert lines[0][0] == bots.make("skilled", b"").choose(*arguments)
        assert len(set(lines)) == len(lines)
        most = max(most, len(lines))
    assert most > 1


@pytest.mark.parametrize("name", GAMES)
def test_no_line_is_thought_better_of_than_it_is(name: str) -> None:
    """The plan takes its own line for the best of those that it judges; only a wider beam may find a better one."""
    game = engine.load(name)
    match = position(game, 24)
    seat = match.turn
    assert seat is not None
    found = candidates(game, match.state, match.known(seat), seat, match.ply, style_of(name))
    assert len(found.opinions) == len(found.lines) and found.opinions[0] == 0
    if name in ("hansa", "joban"):
        assert max(found.opinions) == 0


def test_the_better_line_is_found_and_the_first_is_kept_among_equals() -> None:
    worth = [50, 50, 90, 10, 50]
    search = Halving(lambda jobs: [worth[line] + world % 7 for line, world in jobs], 5, nodes=60)
    assert search.run()[0].line == 2
    equal = Halving(lambda jobs: [world % 7 for _, world in jobs], 5, nodes=60)
    assert equal.run()[0].line == 0


def test_what_the_plan_thinks_counts_as_much_as_some_worlds() -> None:
    def search(worlds: int, gain: int) -> int:
        """Which of two lines is taken, if the plan takes the second for worse, by four worlds of 300."""
        found = Halving(lambda jobs: [5000 + gain * line for line, _ in jobs], 2, nodes=2 * worlds, opinions=(0, -1200))
        return found.run()[0].line

    assert search(worlds=2, gain=500) == 0, "two worlds outweighed the plan"
    assert search(worlds=12, gain=500) == 1, "the plan outweighed a dozen worlds"
    assert search(worlds=12, gain=50) == 0


def test_a_gain_that_chance_may_bring_is_no_reason_to_leave_the_first_line() -> None:
    swing = [900, -850]
    search = Halving(lambda jobs: [5000 + line * swing[world % 2] for line, world in jobs], 2, nodes=48)
    assert search.run()[0].line == 0
    steady = Halving(lambda jobs: [5000 + 150 * line for line, _ in jobs], 2, nodes=48)
    assert steady.run()[0].line == 1


def test_a_budget_of_one_world_for_each_line_looks_at_every_line_once() -> None:
    asked: list[tuple[int, int]] = []

    def judge(jobs: Any) -> list[int]:
        asked.extend(jobs)
        return [5000 + 1000 * (line == 5) for line, _ in jobs]

    assert Halving(judge, 7, nodes=8).run()[0].line == 5
    assert sorted(asked) == [(line, 0) for line in range(7)]


def test_a_budget_is_kept() -> None:
    asked: list[tuple[int, int]] = []

    def judge(jobs: Any) -> list[int]:
        asked.extend(jobs)
        return [line for line, _ in jobs]

    Halving(judge, 9, nodes=200).run()
    assert 150 < len(asked) <= 200
    assert len(set(asked)) == len(asked), "a continuation was played twice"


def choices(workers: Workers | None, nodes: int, game: str = "osaka") -> list[Any]:
    """What experts do in the first plies of a match."""
    rules = engine.load(game)
    match = LocalMatch(rules, {}, 2, b"same")
    players = [Expert(bytes([seat]), nodes, workers) for seat in range(2)]
    done = []
    while match.ply < 12:
        if any(True for _ in match.settle()):
            continue
        seat = match.turn
        assert seat is not None
        done.append(players[seat].choose(rules, match.state, match.known(seat), seat, match.ply))
        match.play(done[-1])
    return done


def test_the_number_of_workers_does_not_change_a_move() -> None:
    alone = choices(None, 24)
    for count in (1, 3):
        workers = Workers(count)
        try:
            assert choices(workers, 24) == alone
        finally:
            workers.close()


def test_a_worker_that_dies_changes_nothing() -> None:
    workers = Workers(2)
    try:
        choices(workers, 4)
        for worker in workers._free:
            worker._process.kill()
        assert choices(workers, 24) == choices(None, 24)
        assert not workers._free
    finally:
        workers.close()


ASKS = """
from kontor_games.clients.bots.expert.workers import Workers
from tests.clients.test_expert import choices
workers = Workers(2)
choices(workers, 4)
print(*(worker._process.pid for worker in workers._free), flush=True)
input()
"""


@pytest.mark.skipif(os.name == "nt", reason="processes are looked for as POSIX does")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_workers_end_with_the_process_that_started_them(how: signal.Signals) -> None:
    command = [sys.executable, "-c", ASKS]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as parent:
        assert parent.stdout is not None
        pids = [int(word) for word in parent.stdout.readline().split()]
        assert len(pids) == 2
        parent.send_signal(how)
        parent.wait(20)
    until = time.monotonic() + 20
    while any(map(runs, pids)):
        assert time.monotonic() < until, "workers were left behind"
        time.sleep(0.05)


def runs(pid: int) -> bool:
    """Whether a process is there and has not ended; whoever adopts an orphan may be slow to bury it."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
