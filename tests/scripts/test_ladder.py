"""The ladder of bots: its statistics, and that it goes on where it was stopped."""

from __future__ import annotations

import importlib
import random
import sys
from pathlib import Path
from typing import Any

import pytest

TOOLS = Path(__file__).parent.parent.parent / "scripts" / "tools"
LINE = ["osaka", "greedy,random", "--quiet", "--seed", "t"]


@pytest.fixture
def ladder(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(sys, "path", [str(TOOLS), *sys.path])
    return importlib.import_module("ladder_main")


def test_intervals_are_wilsons(ladder: Any) -> None:
    low, high = ladder.figures.wilson(15, 20)
    assert (round(low, 3), round(high, 3)) == (0.531, 0.888)
    assert ladder.figures.wilson(0, 0) == (0.0, 1.0)


def test_the_sequential_test_stops_when_one_share_is_excluded(ladder: Any) -> None:
    decided = ladder.figures.decided
    assert decided(0, 0, 0.33, 0.6) is None and decided(3, 4, 0.33, 0.6) is None
    assert decided(10, 10, 0.33, 0.6) == "high" and decided(1, 12, 0.33, 0.6) == "low"


def test_the_fit_finds_who_wins_how_often(ladder: Any) -> None:
    strength = ladder.figures.fit([[["a"], ["b"]]] * 30 + [[["b"], ["a"]]] * 10)
    assert abs(strength["a"] - 0.75) < 0.02
    best, low, high = ladder.figures.fitted([[["a"], ["b"]]] * 30 + [[["b"], ["a"]]] * 10, samples=40)["a"]
    assert low < best < high


def test_seats_are_rotated_over_one_deal(ladder: Any) -> None:
    jobs = [("osaka", {}, ("greedy", "random", "random"), "t", number) for number in range(3)]
    assert [ladder.play(job)["bots"].index("greedy") for job in jobs] == [0, 1, 2]
    again = ladder.play(jobs[1])
    assert {**again, "ms": 0} == {**ladder.play(jobs[1]), "ms": 0}


def test_matches_that_are_stored_are_not_played_again(
    ladder: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "l.jsonl"
    ladder.main([*LINE, "--matches", "2", "--out", str(out)])
    with out.open("a") as file:
        file.write('{"game": "osa')  # killed in the middle of a line
    again: list[int] = []
    real = ladder.play
    monkeypatch.setattr(ladder, "play", lambda job: again.append(job[4]) or real(job))
    ladder.main([*LINE, "--matches", "2", "--out", str(out)])
    assert not again
    ladder.main([*LINE, "--matches", "3", "--out", str(out)])
    assert again == [2] and len(ladder.stored(out)) == 3
    first, second, _ = capsys.readouterr().out.split("osaka, 2 players")[1:]
    assert first == second
    ladder.main(["ratings", "--out", str(out)])
    assert "greedy: " in capsys.readouterr().out


def test_a_campaign_plays_every_table_and_goes_on_where_it_was_stopped(
    ladder: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "s.jsonl"
    line = ["self", "greedy", "--games", "joban,osaka", "--seats", "2,3", "--quiet", "--out", str(out)]
    assert ladder.main([*line, "--matches", "1"]) in (0, 1)
    assert [(m["game"], len(m["bots"])) for m in ladder.stored(out)] == [
        ("joban", 2), ("joban", 3), ("osaka", 2), ("osaka", 3),
    ]  # fmt: skip
    capsys.readouterr()
    monkeypatch.setattr(ladder, "play", lambda job: pytest.fail("played again"))
    ladder.main([*line, "--matches", "1"])
    said = capsys.readouterr().out
    assert "joban, 2 players: 1 matches, 0 stuck; ends: one_pile 1" in said and "  from: shops " in said


def test_a_campaign_fails_if_a_match_has_no_proper_end(ladder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    end = {"reason": "standstill", "winners": [0], "scores": [3, 1], "parts": {}, "bots": ["greedy"] * 2, "plies": 9}
    monkeypatch.setattr(ladder, "play", lambda job: {**end, "game": job[0]})
    line = ["self", "greedy", "--games", "osaka", "--seats", "2", "--matches", "2", "--quiet"]
    assert ladder.main(line) == 1
    end["reason"] = "tokens"
    assert ladder.main(line) == 0


def test_goals_are_played_in_turns_until_each_is_told(
    ladder: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An expert that always wins, a skilled player that never does: every row ends by its test."""

    def play(job: Any) -> dict[str, Any]:
        game, options, line, seed, number = job
        winner = 0 if line[0].startswith("expert") else 1
        facts = {"game": game, "options": options, "line": ",".join(line), "seed": seed, "number": number}
        return {**facts, "bots": list(line), "winners": [winner]}

    monkeypatch.setattr(ladder, "play", play)
    out = tmp_path / "g.jsonl"
    line = ["goals", "--games", "osaka", "--quiet", "--out", str(out)]
    assert ladder.main(line) == 0
    first = [(match["line"], match["number"]) for match in ladder.stored(out)[:3]]
    assert [number for _, number in first] == [0, 0, 0] and len({each for each, _ in first}) == 3
    rows = capsys.readouterr().out.splitlines()[2:]
    assert [row.split("|")[-2].strip() for row in rows] == ["missed", "met", "met"]
    assert all("of 200" not in row for row in rows)
    monkeypatch.setattr(ladder, "play", lambda job: pytest.fail("played again"))
    assert ladder.main(line) == 0
    assert capsys.readouterr().out.splitlines()[2:] == rows


def test_a_share_above_a_third_is_told_by_its_interval(ladder: Any) -> None:
    goal = ladder.ladder_goals.goals(["osaka"])[2]
    won = {"bots": goal.line.split(","), "winners": [0]}
    lost = {**won, "winners": [1]}
    half = [won, lost] * 10
    assert goal.verdict(half) == "open" and not goal.is_over(half)
    assert goal.verdict(half * 3) == "met" and goal.is_over(half * 3)
    assert goal.verdict([lost] * 40) == "missed" and goal.verdict([]) == "not played"


def test_least_squares_find_the_weights_behind_the_points(ladder: Any) -> None:
    fit = ladder.ladder_fit
    size = 2 * len(fit.NAMES)
    truth = [float(place % 5 - 2) for place in range(size)]
    dice = random.Random(1)
    rows = [[dice.uniform(-5, 5) for _ in range(size)] for _ in range(400)]
    found = [
        fit.FittedMoment(0, [row], [3.0], [3 + sum(a * b for a, b in zip(truth, row, strict=True))]) for row in rows
    ]
    weights = fit.fitted(found)
    assert max(abs(a - b) for a, b in zip(weights, truth, strict=True)) < 0.2
    assert fit.foretold(found, weights) > 0.99 and fit.foretold(found, [0.0] * size) < 0.1


def test_positions_of_a_match_are_told_against_the_mean_of_the_table(ladder: Any) -> None:
    fit = ladder.ladder_fit
    found = list(fit.moments(fit.engine.load("joban"), 1))
    assert len(found) > 20 and len({moment.left for moment in found}) > 5
    for moment in found:
        assert len(moment.rows) == fit.SEATS and abs(sum(moment.points)) < 1e-6
        assert all(abs(sum(column)) < 1e-6 for column in zip(*moment.rows, strict=True))
