"""The commands as a user meets them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from kontor_games.clients import entry
from kontor_games.clients.node.node_client import NodeClient
from kontor_games.net.api import daemon
from kontor_games.net.record.transcript import MAGIC, pack

from .command import environment, kontor

BOTS = ("play", "osaka", "--seats", "bot:random,bot:random,bot:random", "--seed", "7", "--quiet")
ME = ("play", "osaka", "--seats", "me:Ada,bot:random,bot:random")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A person's home with a node, shared by the tests that begin matches of their own in it."""
    folder = tmp_path_factory.mktemp("home")
    yield folder
    daemon.stop(folder)


def match_of(output: str) -> str:
    """The id of the match that was begun."""
    found = re.search(r"(?m)^Match ([0-9a-f]{32})$", output)
    assert found is not None, output[-1000:]
    return found[1]


def test_help_needs_neither_engine_nor_network(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom kontor_games.clients.entry import kontor\n"
        "try:\n    kontor(['--help'])\nexcept SystemExit:\n    pass\n"
        "rooms = {f'kontor_games.{room}' for room in ('engine', 'net', 'lobby')}\n"
        "assert 'kontor_games.clients' in sys.modules\n"
        "assert not {*rooms, 'twisted', 'msgspec'} & set(sys.modules), sorted(sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment(tmp_path), capture_output=True, text=True, check=True
    )
    assert "verify" in run.stdout


def test_games_are_listed(tmp_path: Path) -> None:
    assert "Merchants of Osaka, 2 to 4 players" in kontor(tmp_path, "games").stdout
    listed = json.loads(kontor(tmp_path, "games", "--json").stdout)
    assert {"id", "title", "seats", "options", "rules_version"} == set(listed[0])
    assert kontor(tmp_path, "--version").stdout.startswith("kontor 0.")


def test_one_seed_gives_the_same_match_and_it_verifies(tmp_path: Path) -> None:
    first = kontor(tmp_path, *BOTS, "--save", "a.kontor")
    data = (tmp_path / "a.kontor").read_bytes()
    again = kontor(tmp_path, *BOTS, "--save", "a.kontor")
    assert first.returncode == again.returncode == 0 and first.stdout == again.stdout
    assert (tmp_path / "a.kontor").read_bytes() == data
    assert "Winner" in first.stdout and "Points" in first.stdout and len(first.stdout.splitlines()) < 15
    verified = kontor(tmp_path, "verify", "a.kontor")
    assert verified.returncode == 0 and "verified: consistent, unsigned" in verified.stdout
    digests = kontor(tmp_path, "replay", "a.kontor", "--digests").stdout
    kontor(tmp_path, *BOTS, "--save", "b.kontor")
    assert kontor(tmp_path, "replay", "b.kontor", "--digests").stdout == digests
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.kontor", "b.kontor"]


def test_verify_takes_files_and_directories_and_gives_the_gravest_code(tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    folder.mkdir()
    kontor(tmp_path, *BOTS, "--save", "archive/good.kontor")
    good = folder / "good.kontor"
    (folder / "torn.kontor").write_bytes(good.read_bytes()[:-9])
    run = kontor(tmp_path, "verify", "archive", "--json")
    reports = [json.loads(line) for line in run.stdout.splitlines()]
    assert [(Path(report["path"]).name, report["verdict"]) for report in reports] == [
        ("good.kontor", "verified"),
        ("torn.kontor", "unreadable"),
    ]
    assert run.returncode == 2 and reports[0]["result"]["winners"]
    quiet = kontor(tmp_path, "verify", "archive", "--quiet").stdout
    assert "good" not in quiet and "torn.kontor: unreadable: byte" in quiet
    assert kontor(tmp_path, "verify", "none.kontor").returncode == 2
    (tmp_path / "empty").mkdir()
    assert kontor(tmp_path, "verify", "empty").returncode == 2


def test_hostile_files_cannot_steer_the_terminal(tmp_path: Path) -> None:
    from kontor_games.net.record.transcript import TermsRecord

    evil = tmp_path / "evil.kontor"
    evil.write_bytes(MAGIC + pack(TermsRecord(b"\x1b[2J\x1b]0;owned\x07")))
    for command, code in ((("verify", "evil.kontor"), 1), (("replay", "evil.kontor"), 2)):
        run = kontor(tmp_path, *command)
        assert run.returncode == code and "\x1b" not in run.stdout + run.stderr
    (tmp_path / "foreign.kontor").write_bytes(b"\x1b[31mnot a match" * 10)
    run = kontor(tmp_path, "verify", "foreign.kontor")
    assert run.returncode == 2 and "\x1b" not in run.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("play", "chess"), "there is no game 'chess'"),
        (("play", "osaka", "--seats", "me,cat"), "a seat is me, me:NAME, bot or bot:KIND"),
        (("play", "osaka", "--seats", "bot"), "players, not 1"),
        (("play", "osaka", "--colour", "red"), "has no option --colour"),
        (("play", "osaka", "--tokens-to-end", "many"), "is a number"),
        (("play", "osaka", "--seats", "bot,bot", "--tokens-to-end", "99"), "tokens_to_end is one of"),
        (("play", "osaka", "--tokens-to-end"), "needs a value"),
        (("play", "osaka", "--show-hands", "perhaps"), "is on or off"),
        (("play", "osaka", "red"), "unexpected 'red'"),
        (("play", "none.kontor"), "there is no game 'none.kontor'"),
        (("replay", "none.kontor"), "no such file"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    run = kontor(tmp_path, *arguments)
    assert run.returncode == 2 and words in run.stderr, run.stderr


def test_options_of_a_game_are_explained_and_used(tmp_path: Path) -> None:
    shown = kontor(tmp_path, "play", "osaka", "--options").stdout
    assert "--tokens-to-end 6|7|8|9|10" in shown and all(len(line) <= 80 for line in shown.splitlines())
    kontor(tmp_path, *BOTS, "--tokens-to-end", "6", "--show-hands=on", "--save", "short.kontor")
    kontor(tmp_path, *BOTS, "--save", "long.kontor")
    short, long = (
        json.loads(kontor(tmp_path, "verify", name, "--json").stdout) for name in ("short.kontor", "long.kontor")
    )
    assert short["plies"] < long["plies"]


def test_what_the_node_refuses_is_said_in_one_line(home: Path) -> None:
    for arguments, words in (
        (("play", "osaka", "--seats", "me"), "players, not 1"),
        (("play", "osaka", "--seats", "me,bot", "--tokens-to-end", "99"), "tokens_to_end is one of"),
        (("play", "osaka", "--seats", "me:A\x1bB,bot"), "control character"),
        (("host", "osaka", "--seats", "9"), "9"),
        (("host", "osaka", "--bots", "2"), "kontor play is for that"),
        (("resume", "ffff"), "No unfinished match begins ffff"),
        (("join", "127.0.0.1:1"), ""),
        (("join", "NOBODY"), "no open table of NOBODY"),
        (("watch", "zzzz"), "no match of zzzz"),
        (("queue", "osaka"), "which lobby?"),
    ):
        run = kontor(home, *arguments)
        said = run.stdout + run.stderr
        assert run.returncode in (1, 2) and words in said and "\x1b" not in said, (arguments, said)


def test_a_person_plays_by_numbers_and_the_turn_is_final_only_when_confirmed(home: Path) -> None:
    run = kontor(home, *ME, typed="1\n")
    assert "Enter confirms, u undoes" in run.stdout and "The match is kept" in run.stdout
    match = match_of(run.stdout)
    resumed = kontor(home, "resume", match[:8], typed="undo\nredo\nu\nq\n")
    assert resumed.stdout.count("Enter confirms") == 2, "the draft is taken up again, undone, redone, undone"
    assert "\nYou start" not in resumed.stdout
    final = kontor(home, "resume", match, typed="1\ncommit\nq\n")
    assert "\nYou start with a red token" in final.stdout


def test_a_whole_match_can_be_played_by_a_script(home: Path, tmp_path: Path) -> None:
    saved = tmp_path / "me.kontor"
    more = ("--seed", "7", "--no-confirm", "--brief", "--tokens-to-end", "6")
    run = kontor(home, *ME, *more, "--save", str(saved), typed="1\n" * 400)
    assert run.returncode == 0 and "Winner" in run.stdout, run.stdout[-500:]
    long = [line for line in run.stdout.splitlines() if len(line) > 80]
    assert not [line for line in long if str(home) not in line and str(saved) not in line], "80 columns but for paths"
    assert "\x1b" not in run.stdout, "no colours when piped"
    assert kontor(tmp_path, "verify", str(saved)).returncode == 0
    path = re.search(r"The whole match is in (\S+)", run.stdout)
    assert path is not None and Path(path[1]).read_bytes() == saved.read_bytes()
    assert "verified: consistent, unsigned" in run.stdout
    again = kontor(home, *ME, *more, typed="1\n" * 400)
    story = [[line for line in r.stdout.splitlines() if ": " in line and str(home) not in line] for r in (run, again)]
    assert story[0] == story[1], "the same seed and the same lines give the same output"


def test_notation_reasons_and_help_at_the_prompt(home: Path) -> None:
    typed = "?\nfly away\n999\nu\nc\nb\nm\nforms on\nm\nl\nL\nf\n;\nx token red\nx fly\n/board\n"
    run = kontor(home, *ME, typed=typed + "token red, fly\n/token blue\nundo all\nq\n")
    for words in (
        "parted by",
        "no action begins with 'fly'",
        "the menu has numbers 1 to",
        "nothing to undo",
        "nothing is drafted",
        "nothing was typed",
        "You start with a red token",
        "fly: nothing is left to choose in this turn",
        "Draft: You start with a blue token.\nEnter confirms",
        "  1  Choose the red token\n",
        "  1  Choose the red token  (token red)",
        "token {colour:colour}",
    ):
        assert words in run.stdout, words


def test_without_a_terminal_the_full_screen_gives_way_to_the_plain_mode(home: Path) -> None:
    run = kontor(home, *ME, "-f", typed="q\n")
    assert run.returncode == 0 and "Here is the plain mode" in run.stdout and "The match is kept" in run.stdout


def test_no_notation_begins_like_a_command() -> None:
    from kontor_games import engine
    from kontor_games.clients.cli.match import line_mode, line_talk

    words = {*line_mode.SHORT, *line_mode.AT_ANY_TIME, *line_mode.ON_TURN, *line_talk.WORDS}
    for game in engine.game_ids():
        first = {form.split(" ")[0] for form in engine.load(game).notation.forms.values()}
        assert not first & words, game


def test_replay_steps_both_ways_jumps_and_prints(tmp_path: Path) -> None:
    kontor(tmp_path, *BOTS, "--save", "a.kontor")
    log = kontor(tmp_path, "replay", "a.kontor", "--log").stdout
    assert log.startswith("   0  ") and "Random 1: " in log
    board = kontor(tmp_path, "replay", "a.kontor", "--ply", "40").stdout
    typed = kontor(tmp_path, "replay", "a.kontor", typed="40\nn\np\n+3\n-3\ne\ns\nv 1\nv\nv 9\n?\nl\nq\n").stdout
    assert typed.count(board.strip()) >= 3, "40, back from 41, back from 43"
    assert "Winner" in typed and "seats are 1 to 3" in typed
    seat = kontor(tmp_path, "replay", "a.kontor", "--ply", "40", "--seat", "1").stdout
    assert seat != board, "a finished match shows a seat's hand"
    assert kontor(tmp_path, "replay", "a.kontor", "--ply", "-1").stdout.count("Winner") == 1
    assert kontor(tmp_path, "replay", "a.kontor", "--seat", "9").returncode == 2


def test_people_who_share_a_screen_do_not_see_each_others_hands(home: Path) -> None:
    run = kontor(home, "play", "osaka", "--seats", "me:Ada,me:Bob", "--seed", "3", typed="\n1\n\n" * 3 + "\n")
    first, second = run.stdout.split("Everybody else looks away")[3:5]  # starting hands are drawn openly
    assert "Ada" in first and "Bob" in second and "presses Enter" in second
    hands = [line for line in (first + second).splitlines() if line.strip().startswith("hand")]
    assert [" hidden" in hand for hand in hands[:2]] != [" hidden" in hand for hand in hands[-2:]], hands
    assert sum(" hidden" in hand for hand in hands) * 2 == len(hands), "of two hands one is hidden"


def test_a_person_without_a_name_is_called_by_the_key_until_one_is_chosen(home: Path) -> None:
    shown = json.loads(kontor(home, "id", "--json").stdout)
    assert shown["name"] == shown["words"].split(" ")[0].capitalize()
    assert f"Joban: {shown['name']}, Skilled" in kontor(home, "play", "joban", typed="q\n").stdout
    assert json.loads(kontor(home, "id", "--name", "Grace", "--json").stdout)["name"] == "Grace"
    assert "Grace, Skilled" in kontor(home, "play", "joban", typed="q\n").stdout


def test_home_is_understood_by_every_command(tmp_path: Path) -> None:
    group = entry.kontor
    for name in set(entry.COMMANDS) - entry.OWN_HOME:
        command = group.get_command(click.Context(group), name)
        assert command is not None and any("--home" in each.opts for each in command.params), name
    assert kontor(tmp_path, "--home", str(tmp_path / "other"), "id").returncode == 0
    assert (tmp_path / "other" / "identity.pem").exists()
    daemon.stop(tmp_path / "other")


def test_finished_matches_are_listed_and_opened(tmp_path: Path) -> None:
    try:
        assert "no finished match" in kontor(tmp_path, "replays").stdout
        node = NodeClient(tmp_path)
        seats = [{"kind": "greedy", "name": "Ada"}, {"kind": "greedy", "name": "Bob"}]
        match = node.post("matches", {"game": "osaka", "seats": seats, "options": {"tokens_to_end": 6}})["id"]
        until = time.monotonic() + 60
        while node.get(f"matches/{match}?seat=none")["status"] != "over":
            assert time.monotonic() < until
            time.sleep(0.1)
        node.close()
        listed = kontor(tmp_path, "replays").stdout
        assert re.search(r"(?m)^  1  \d{4}-\d\d-\d\d \d\d:\d\d  Merchants of Osaka: Ada, Bob$", listed), listed
        opened = kontor(tmp_path, "replays", "1", typed="e\nq\n")
        assert re.search("(?m)^(Winner: (Ada|Bob)|Winners: Ada, Bob)$", opened.stdout), opened.stdout[-800:]
        assert "The list ends with number 1." in kontor(tmp_path, "replays", "9").stdout
    finally:
        daemon.stop(tmp_path)


def test_a_guided_match_is_read_line_by_line_and_left(home: Path) -> None:
    typed = "\n\nalone\nq\n"
    run = kontor(home, "learn", "osaka", typed=typed)
    assert run.returncode == 0, run.stderr
    first, second = run.stdout.index("Guide, 1 of "), run.stdout.index("Guide, 2 of ")
    assert first < second < run.stdout.index("Guide, 3 of ")
    assert "The match is kept" in run.stdout and "Choose the red token" in run.stdout
    assert "no game" in kontor(home, "learn", "chess").stderr


def test_a_hint_is_told_to_one_person_against_bots_alone(home: Path) -> None:
    run = kontor(home, "play", "osaka", "--seats", "me:Ada,bot", "--seed", "3", typed="hint\n?\nq\n")
    told = " ".join(run.stdout.split())
    assert re.search(r"token\. The expert sees a chance to win of about \d+ % with it, after trying \d+ cont", told), (
        told
    )
    assert re.search(r"(The next best|About as good): Choose the \w+ token \(about \d+ %\)\.", told), told
    assert "hint what an expert would do" in told
    both = kontor(home, "play", "osaka", "--seats", "me:Ada,me:Bob", "--seed", "4", typed="\nhint\nq\n")
    assert "Not possible: hints are for matches of one person against bots" in " ".join(both.stdout.split())


def test_a_match_is_played_again_with_seats_rotated(tmp_path: Path) -> None:
    assert "There is no finished match here." in kontor(tmp_path, "rematch").stdout
    first = kontor(
        tmp_path, "play", "osaka", "--seats", "me:Ada,bot:random", "--tokens_to_end", "6", typed="bye\nbye\n"
    ).stdout
    assert "You have left the match in order." in first
    node = NodeClient(tmp_path)
    try:
        end = time.monotonic() + 60
        while node.get(f"matches/{match_of(first)}")["status"] != "over":
            assert time.monotonic() < end
            time.sleep(0.1)
        again = kontor(tmp_path, "rematch", match_of(first)[:8], typed="q\n").stdout
        assert match_of(again) != match_of(first)
        seats = node.get(f"matches/{match_of(again)}")["seats"]
        assert [seat["name"] for seat in seats][1] == "Ada"
    finally:
        node.close()
        daemon.stop(tmp_path)
