"""Analyses of matches: fair, the same however often they are stopped, and wary of what lies beside a file."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kontor_games.clients.bots.analysis import Analysis, MatchKey, StoredAnalysis
from kontor_games.clients.bots.analysis.stored import MAX_BYTES, load, path_of
from kontor_games.clients.bots.expert.workers import Workers
from kontor_games.clients.text.match_analysis import AnalysedMatch, different, report, told, why
from kontor_games.clients.text.phrases import Words
from kontor_games.clients.text.terminal import Terminal
from kontor_games.net.record.replay import Replay

from .command import ROOT, kontor

SEALED = ROOT / "tests" / "frozen" / "files" / "hansa-3.kontor"  # a short one
BUDGET = 8


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match of bots with hidden hands, played to its end."""
    home = tmp_path_factory.mktemp("analysed")
    run = kontor(
        home, "play", "joban", "--seats", "bot:greedy,bot:greedy", "--seed", "7", "--save", "m.kontor", "--quiet"
    )
    assert run.returncode == 0, run.stderr
    return home / "m.kontor"


class Part:
    """An analysis of the first decisions of a match: enough to be stopped in the middle."""

    def __init__(self, file: Path, decisions: int = 10) -> None:
        replay = Replay(file)
        plies = list(replay.decisions())[:decisions]
        self.steps: list[tuple[int, int]] = []
        self.analysis = Analysis(file, replay.game, MatchKey(replay.info()["match"], "end", 2), plies, BUDGET)

    def run(self, stop_after: int = 1000) -> StoredAnalysis:
        def progress(done: int, total: int) -> None:
            self.steps.append((done, total))
            if len(self.steps) > stop_after:
                raise KeyboardInterrupt

        return self.analysis.run(Workers(0), Words("joban", ["Anna", "Ben"]), progress)


@pytest.mark.parametrize("file", ["joban-4-tasks", "hansa-3", "yokohama-3"])
def test_a_decision_is_seen_with_what_its_seat_knew_then(file: str) -> None:
    replay = Replay(SEALED.with_name(f"{file}.kontor"))
    seen = 0
    for ply, known in list(replay.decisions())[:40]:
        # At the ply itself: a card that was shown earlier in the same frame is not held alone any more.
        assert known.items() <= replay._known(ply.number, ply.action.seat).items()
        seen += len(known)
    assert seen > 10


def test_an_analysis_that_was_stopped_goes_on_to_the_same_end(finished: Path, tmp_path: Path) -> None:
    whole, parted = tmp_path / "a.kontor", tmp_path / "b.kontor"
    for copy in (whole, parted):
        copy.write_bytes(finished.read_bytes())
    expected = Part(whole).run()
    for stop in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            Part(parted).run(stop)
    again = Part(parted)
    assert again.run() == expected
    assert again.steps[0][0] > 0, "it began anew"
    assert len(expected.decisions) > 3 and all(sum(point.chances) <= 10_000 for point in expected.curve)
    done = Part(parted)
    assert done.run() == expected and len(done.steps) == 1, "what was done was done again"


def foreign(stored: bytes) -> dict[str, bytes]:
    """Files that are not the analysis of this match, by what is wrong with them."""
    data = json.loads(stored)
    first = data["decisions"][0]
    return {
        "empty": b"",
        "torn": stored[: len(stored) // 2],
        "no text": b"\xff\xfe",
        "deep": b"[" * 100_000,
        "too long": stored.ljust(MAX_BYTES + 1),
        "another match": json.dumps({**data, "match": "00" * 16}).encode(),
        "another budget": json.dumps({**data, "budget": 9}).encode(),
        "an older version": json.dumps({**data, "version": 1}).encode(),
        "another end": json.dumps({**data, "end": "another"}).encode(),
        "parts that are there twice": json.dumps({**data, "decisions": [first, first]}).encode(),
        "more parts than the match has": json.dumps({**data, "total": 1}).encode(),
        "a seat too many": json.dumps({**data, "decisions": [{**first, "seat": 2}]}).encode(),
        "a curve without a seat": json.dumps({**data, "seats": 3}).encode(),
        "points of nobody": json.dumps({**data, "decisions": [{**first, "points": [1, 2, 3]}]}).encode(),
        "a chance of 200 %": json.dumps({**data, "decisions": [{**first, "best": 20_000}]}).encode(),
        "a seat that is none": json.dumps({**data, "decisions": [{**first, "seat": -1}]}).encode(),
        "a long sentence": json.dumps({**data, "decisions": [{**first, "played": ["x" * 601]}]}).encode(),
        "more than is told": json.dumps({**data, "more": 1}).encode(),
    }


def test_a_file_that_does_not_fit_is_made_anew(finished: Path, tmp_path: Path) -> None:
    file = tmp_path / "c.kontor"
    file.write_bytes(finished.read_bytes())
    expected = Part(file, 4).run()
    stored = path_of(file).read_bytes()
    wanted = msgspec.structs.replace(expected, curve=[], decisions=[])
    assert load(path_of(file), wanted) == expected
    for name, raw in foreign(stored).items():
        path_of(file).write_bytes(raw)
        assert not load(path_of(file), wanted).decisions, name


def test_the_command_tells_curve_decisions_and_players(tmp_path: Path) -> None:
    """A sealed match; the second time everything is there already."""
    file = tmp_path / "match.kontor"
    file.write_bytes(SEALED.read_bytes())
    first = kontor(tmp_path, "analyse", "match.kontor", "--budget", "8")
    assert first.returncode == 0, first.stderr
    assert "Chances to win" in first.stdout and "How well everybody played" in first.stdout
    again = kontor(tmp_path, "analyse", "match.kontor", "--budget", "8", "--json")
    data = json.loads(again.stdout)
    assert data["decisions"] and data["curve"] and path_of(file).exists()
    third = kontor(tmp_path, "analyse", "match.kontor", "--json")
    assert json.loads(third.stdout)["budget"] == 8, "what was begun with another budget goes on with it"


def test_a_match_that_is_not_over_is_refused_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "m.kontor").write_bytes(SEALED.with_name("osaka-3-unfinished.kontor").read_bytes())
    run = kontor(tmp_path, "analyse", "m.kontor")
    assert run.returncode == 2 and "played to its end" in run.stderr


def test_what_a_stranger_wrote_into_an_analysis_cannot_steer_a_terminal() -> None:
    out = io.StringIO()
    played = decision(played=["\x1b[2Jgone"], better=["\x1b]0;title\x07"], facts=["\x1b[1m"], better_facts=["\x1b[2m"])
    report(Terminal(out), "T", analysis(played), MATCH)
    assert "\x1b" not in out.getvalue() and "\x07" not in out.getvalue()
    assert "Anna: a chance of 40 %, where 60 % was possible" in out.getvalue()


MATCH = AnalysedMatch(["Anna", "Ben"], [(0, 0), (2, 1), (6, 2)], 9, {"winners": [1]})


def decision(**more: Any) -> dict[str, Any]:
    """One that was clearly worse, unless it is told otherwise."""
    return {
        "ply": 3, "seat": 0, "lines": 4, "worlds": 8, "played": ["Take red 2"], "better": ["Insure blue 2", "Pass"],
        "chance": 4000, "best": 6000, "error": 100, "points": [10, 20], "best_points": [15, 20], "rounds": 1,
        "facts": [], "better_facts": [], "ends": [], **more,
    }  # fmt: skip


def analysis(*decisions: dict[str, Any]) -> dict[str, Any]:
    curve = [{"ply": ply, "chances": [5000, 5000], "errors": [900, 900]} for ply in (2, 4, 6)]
    return {"budget": 8, "total": 9, "curve": curve, "decisions": list(decisions)}


def test_a_decision_is_told_with_its_turn_what_was_better_and_why() -> None:
    facts = {"facts": ["Anna pays 2"], "better_facts": ["Anna gets 3 points", "the match ends"]}
    (each,) = told(analysis(decision(**facts)), MATCH)["turning"]
    assert (each["turn"], each["better"]) == (1, "Insure blue 2, then pass")
    assert each["why"] == (
        "A round later Anna has 1.5 points on average instead of 1. The better move at once: Anna gets 3 points and "
        "the match ends. The one that was played: Anna pays 2. Measured in 8 continuations, give or take 2 %."
    )


def test_why_says_what_has_changed_and_nothing_else() -> None:
    names = MATCH.names
    assert "the points of Anna are the same" in why(decision(best_points=[10, 15]), names)
    assert "Ben, the strongest rival, has 1.5 instead of 2" in why(decision(best_points=[15, 15]), names)
    assert "what is better is the position" in why(decision(best_points=[10, 20]), names)
    assert "points" not in why(decision(points=[], best_points=[]), names)
    ended = why(decision(ends=[0, 8, 2, 0]), names)
    assert "was lost in 8 of 8 continuations, with the better move in none" in ended
    assert "the better move had won the match in 2 of 8 continuations, the other in none" in ended
    assert "By then" not in why(decision(ends=[1, 2, 1, 2]), names)
    assert why(decision(error=1), names).endswith("give or take less than 1 %.")


@pytest.mark.parametrize(
    ("line", "other", "told"),
    [
        ("abc", "axc", "b"),
        ("abc", "adec", "b"),
        ("adec", "abc", "de"),
        ("a", "ab", "a"),
        ("ab", "a", "ab"),
        ("ab", "xy", "ab"),
        ("aab", "ab", "ab"),
        ("ab", "aab", "b"),
        ("abc", "ab", "bc"),
    ],
)
def test_what_both_lines_have_in_common_is_left_out(line: str, other: str, told: str) -> None:
    assert "".join(different(list(line), list(other))) == told


def test_five_decisions_at_most_are_told_in_the_order_of_the_match_and_doubtful_ones_never() -> None:
    worse = [decision(ply=ply, best=6000 + ply) for ply in range(8)]
    doubtful = [
        decision(ply=20, best=9000, error=2600),
        decision(ply=21, best=4099, error=1),
        decision(ply=22, better=[]),
    ]
    found = told(analysis(*worse, *doubtful), MATCH)
    assert [each["ply"] for each in found["turning"]] == [3, 4, 5, 6, 7]
    assert found["players"][0] == {"seat": 0, "decisions": 11, "good": 3, "given_away": (8 * 2000 + 28) // 11}
    assert found["players"][1]["decisions"] == 0


def test_the_curve_is_the_mean_of_neighbours_with_a_smaller_doubt_and_ends_with_the_result() -> None:
    data = analysis()
    data["curve"][1]["chances"] = [8000, 2000]
    curve = told(data, MATCH)["curve"]
    assert [point["chances"][0] for point in curve] == [6500, 6000, 6500, 0]
    assert [point["doubts"][0] for point in curve] == [1272, 1038, 1272, 0]  # 1800 by the root of two, and of three
    assert [point["turn"] for point in curve] == [1, 1, 2, 2]
