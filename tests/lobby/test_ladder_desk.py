"""The ladder on the disk and in public: counted exactly once, published, computed again by anybody."""

from __future__ import annotations

import functools
import http.server
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kontor_games.clients.entry import kontor
from kontor_games.engine.errors import KontorError
from kontor_games.lobby.ladder import ladder_desk
from kontor_games.lobby.ladder.ladder_checking import check
from kontor_games.lobby.ladder.ladder_desk import LadderDesk, ask_to_hide, put_in_queue
from kontor_games.lobby.ladder.ladder_rules import HOUR, LadderRules
from kontor_games.lobby.ladder.manifest import page_in
from kontor_games.lobby.ladder.own_ladder import count_files, hide_name
from kontor_games.lobby.ladder.published import FolderLadder, source_at
from kontor_games.net.system import filelock
from kontor_games.net.wire.identity import fingerprint
from kontor_games.net.wire.messages import Ladder as LadderClause
from tests.worlds.ladder_files import KEEPER, file_of, name_of, rated_match, told
from tests.worlds.match_files import packed, without_end
from tests.worlds.quick_algebra import remembered
from tests.worlds.quick_start import quick_judges  # noqa: F401 - each test has files judged
from tests.worlds.world import identity

RULES = LadderRules(KEEPER.key.hex(), since=0, provisional=2)


@pytest.fixture(scope="module")
def files() -> list[bytes]:
    """Three matches: of Person 0 with 1 twice, and of 1 with 2."""
    with remembered():
        return [file_of(rated_match("joban", people, f"desk {people}{n}")) for n, people in enumerate(PAIRS)]


PAIRS = ((0, 1), (0, 1), (1, 2))


def opened(folder: Path) -> LadderDesk:
    return LadderDesk(folder, RULES, KEEPER, "Test ladder")


def worked(folder: Path, now: int = HOUR) -> LadderDesk:
    """A desk that has done all there is to do."""
    desk = opened(folder)
    try:
        while not desk.is_idle():
            desk.work(now, 0.05)
        desk.work(now)
    finally:
        desk.close()
    return desk


@pytest.fixture(scope="module")
def season(files: list[bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three counted files, one that was doctored and one handed in twice."""
    folder = tmp_path_factory.mktemp("ladder")
    for at, data in enumerate([*files, files[0][:-3] + b"abc", files[1]]):
        put_in_queue(folder, data, at)
    worked(folder)
    return folder


def found(folder: Path) -> Any:
    return check(FolderLadder(folder), 1)


def copied(folder: Path, target: Path) -> Path:
    subprocess.run(["cp", "-r", str(folder / "published"), str(target)], check=True)
    return target


def changed(folder: Path, change: Callable[[dict[str, Any]], None], signer: Any = KEEPER) -> Path:
    """What a keeper who lies would publish: changed, and signed with the true key."""
    manifest = folder / "ladder.json"
    said = json.loads(manifest.read_bytes())["ladder"]
    change(said)
    raw = json.dumps(said, sort_keys=True, separators=(",", ":")).encode()
    manifest.write_text(json.dumps({"ladder": said, "signature": signer.sign("ladder", raw).hex()}))
    return folder


def test_everything_follows_from_the_published_files(season: Path, files: list[bytes]) -> None:
    result = found(season / "published")
    assert (result.code, result.differences) == (0, [])
    assert (result.files, result.matches, result.ratings) == (3, 3, 3)
    page = page_in(FolderLadder(season / "published").manifest())
    (refused,) = page.refused
    assert refused.file == name_of(files[0][:-3] + b"abc") and refused.reason.startswith("unreadable")
    assert not (season / "published" / "files" / f"{refused.file}.kontor").exists()
    assert list((season / "queue").iterdir()) == []


def test_a_keeper_who_lies_about_a_rating_is_found_in_words(season: Path, tmp_path: Path) -> None:
    def better(said: dict[str, Any]) -> None:
        said["said"]["boards"][0]["people"][-1]["points"] += 100

    result = found(changed(copied(season, tmp_path / "lie"), better))
    assert result.code == 1
    (text,) = result.differences
    assert text.startswith("season 1, open, joban with 2: ") and "by the files" in text


def test_a_keeper_who_hides_orders_or_adds_files_is_found(season: Path, files: list[bytes], tmp_path: Path) -> None:
    def swapped(said: dict[str, Any]) -> None:
        book = said["book"]
        book[0]["file"], book[1]["file"] = book[1]["file"], book[0]["file"]
        book[0]["size"], book[1]["size"] = book[1]["size"], book[0]["size"]

    assert found(changed(copied(season, tmp_path / "order"), swapped)).code == 1

    gone = copied(season, tmp_path / "gone")
    (gone / "files" / f"{name_of(files[0])}.kontor").unlink()
    result = found(gone)
    assert result.code == 1 and "is in the book, but not published" in result.differences[0]

    def twice(said: dict[str, Any]) -> None:
        said["book"].append({**said["book"][0], "n": 4})

    result = found(changed(copied(season, tmp_path / "twice"), twice))
    assert result.code == 1 and "handed in before" in result.differences[0]


def test_a_file_exchanged_under_its_name_is_found(season: Path, files: list[bytes], tmp_path: Path) -> None:
    folder = copied(season, tmp_path / "other")
    (folder / "files" / f"{name_of(files[0])}.kontor").write_bytes(files[1])
    result = found(folder)
    assert result.code == 1 and "other bytes" in result.differences[0]


def test_a_manifest_of_another_key_cannot_be_read(season: Path, tmp_path: Path) -> None:
    folder = changed(copied(season, tmp_path / "forged"), lambda said: None, identity(5))
    with pytest.raises(KontorError, match="not signed by the key"):
        found(folder)


def test_a_removed_name_leaves_ratings_that_can_be_computed_again(files: list[bytes], tmp_path: Path) -> None:
    for at, data in enumerate(files):
        put_in_queue(tmp_path, data, at)
    worked(tmp_path)
    before = page_in(FolderLadder(tmp_path / "published").manifest()).said["boards"]
    ask_to_hide(tmp_path, identity(2).key.hex(), HOUR)
    worked(tmp_path, 2 * HOUR)
    page = page_in(FolderLadder(tmp_path / "published").manifest())
    assert b"Person 2" not in b"".join(path.read_bytes() for path in (tmp_path / "published").rglob("*.*"))
    rows = [{**row, "name": ""} for row in page.said["boards"][0]["people"]]
    assert rows == [{**row, "name": ""} for row in before[0]["people"]]
    result = found(tmp_path / "published")
    assert (result.code, result.on_word, result.matches) == (0, 1, 3)
    assert worked(tmp_path, 3 * HOUR).ladder.said()["boards"] == page.said["boards"], "after a restart too"


def test_a_name_removed_while_its_match_waits_goes_when_the_match_is_decided(tmp_path: Path) -> None:
    with remembered():
        data = file_of(rated_match("joban", (0, 3), "waits"), finals=False)
    put_in_queue(tmp_path, data, 1)
    worked(tmp_path)
    ask_to_hide(tmp_path, identity(3).key.hex(), HOUR)
    desk = worked(tmp_path, 2 * HOUR)
    public = tmp_path / "published" / "files" / f"{name_of(data)}.kontor"
    assert public.exists() and desk.ladder.said()["files"][0]["state"] == "waiting"
    desk = worked(tmp_path, 100 * HOUR)
    assert desk.ladder.said()["files"][0]["state"] == "counted" and not public.exists()
    assert b"Person 3" not in b"".join(path.read_bytes() for path in (tmp_path / "published").rglob("*.*"))
    result = found(tmp_path / "published")
    assert (result.code, result.on_word, result.matches) == (0, 1, 1)
    assert worked(tmp_path, 101 * HOUR).ladder.said() == desk.ladder.said(), "after a restart too"


def test_a_keeper_who_serves_other_bytes_the_second_time_is_found(tmp_path: Path) -> None:
    """Files that contradict each other are read twice: to be judged, and to be held against each other."""

    asked: set[str] = set()

    class Turncoat(FolderLadder):
        def file(self, digest: str, size: int) -> bytes | None:
            is_first = digest not in asked
            asked.add(digest)
            return super().file(digest, size) if is_first else b"other bytes"

    with remembered():
        world = rated_match("joban", (0, 1), "twice")
        bare, whole = file_of(world, finals=False), file_of(world)
    for at, data in enumerate((bare, whole)):
        put_in_queue(tmp_path, data, at)
    worked(tmp_path)
    assert check(FolderLadder(tmp_path / "published"), 1).code == 0
    assert check(Turncoat(tmp_path / "published"), 1).code == 1


def test_rules_stay_as_the_ladder_began_with_them(tmp_path: Path) -> None:
    opened(tmp_path).close()
    other = LadderRules(KEEPER.key.hex(), since=5, window_hours=1)
    desk = LadderDesk(tmp_path, other, KEEPER, "Test ladder")
    desk.close()
    assert desk.rules == RULES
    assert "window_hours" in (ladder_desk.why_other_rules(desk.rules, other) or "")
    with pytest.raises(KontorError, match="another lobby's key"):
        LadderDesk(tmp_path, LadderRules(identity(1).key.hex(), since=0), KEEPER, "")


# ---- killed between any two steps

CHILD = """
import os, signal, sys
from pathlib import Path
from kontor_games.lobby.ladder import ladder_desk
from tests.lobby.test_ladder_desk import worked
left = [int(sys.argv[2])]
def dying(real):
    def step(*given, **named):
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= 1
        return real(*given, **named)
    return step
os.fsync = dying(os.fsync)
os.replace = dying(os.replace)
os.truncate = dying(os.truncate)
Path.unlink = dying(Path.unlink)
worked(Path(sys.argv[1]))
"""


def killed_at(folder: Path, data: bytes, step: int) -> bool:
    """Whether a desk that is killed before its step of this number counts the file once after the next start."""
    put_in_queue(folder, data, 1)
    done = subprocess.run([sys.executable, "-c", CHILD, str(folder), str(step)], timeout=120, check=False)
    if done.returncode == 0:
        return False  # it has fewer steps
    assert done.returncode == -signal.SIGKILL
    worked(folder)
    page = page_in(FolderLadder(folder / "published").manifest())
    assert [entry.n for entry in page.book] == [1] and page.said["counted"] == 1 and not page.refused
    assert list((folder / "queue").glob("[0-9]*")) == []
    return True


@pytest.mark.parametrize("step", [3, 6, 9])
def test_a_desk_killed_between_two_steps_counts_a_file_once(files: list[bytes], tmp_path: Path, step: int) -> None:
    assert killed_at(tmp_path, files[0], step)


@pytest.mark.long
def test_a_desk_killed_between_any_two_steps_counts_a_file_once(files: list[bytes], tmp_path: Path) -> None:
    """Every call that changes the disk is once the last one that the process made."""
    steps = 0
    while killed_at(tmp_path / str(steps), files[0], steps):
        steps += 1
    assert steps > 9


def test_a_torn_line_of_the_book_is_cut_off(files: list[bytes], tmp_path: Path) -> None:
    put_in_queue(tmp_path, files[0], 1)
    worked(tmp_path)
    book = tmp_path / "book.jsonl"
    whole = book.read_bytes()
    book.write_bytes(whole + whole[: len(whole) // 2])
    put_in_queue(tmp_path, files[1], 2)
    assert worked(tmp_path).ladder.said()["counted"] == 2
    assert found(tmp_path / "published").code == 0


def test_a_full_queue_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ladder_desk, "MAX_QUEUE", 1)
    put_in_queue(tmp_path, b"one", 1)
    with pytest.raises(KontorError, match="hand it in later"):
        put_in_queue(tmp_path, b"two", 2)


def test_a_file_that_costs_too_much_is_given_up(tmp_path: Path) -> None:
    """The bound is in seconds of a processor, and the process that used them is ended."""
    with remembered():
        long = packed(without_end(told(rated_match("osaka", (0, 1), "dear"))))
    put_in_queue(tmp_path, long, 1)
    desk = LadderDesk(tmp_path, RULES, KEEPER, "", cpu=60)
    desk._cpu = -1  # a second of grace less one: nothing is left
    try:
        while not desk.is_idle():
            desk.work(HOUR, 0.05)
    finally:
        desk.close()
    (refused,) = desk._refused
    assert refused.reason == "judging this file took longer than the time limit; nothing is known about it"


# ---- the command


@pytest.fixture
def served(season: Path) -> Iterator[str]:
    """The published folder behind a real HTTP server on loopback."""
    handler = functools.partial(_Quiet, directory=str(season / "published"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        if self.path.startswith("/moved"):
            self.send_response(302)
            self.send_header("Location", "file:///etc/passwd")
            self.end_headers()
        else:
            super().do_GET()


def test_a_ladder_on_the_web_is_checked_by_its_address(served: str) -> None:
    runner = CliRunner()
    done = runner.invoke(kontor, ["ladder", "check", f"{served}/"])
    assert done.exit_code == 0, done.output
    assert "holds" in done.output and "3 files, 3 matches, 3 ratings" in done.output
    told_json = runner.invoke(kontor, ["ladder", "check", "--json", f"{served}/ladder.json"])
    assert json.loads(told_json.output)["code"] == 0
    wrong = runner.invoke(kontor, ["ladder", "check", "--key", "AAAA-" * 7 + "AAAA", served])
    assert wrong.exit_code == 1 and "it is kept by" in wrong.output


def test_anybody_can_keep_a_ladder_of_matches_on_a_local_network(
    files: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KONTOR_HOME", str(tmp_path / "home"))
    with remembered():
        lan = file_of(rated_match("joban", (3, 4), "lan", ladder=LadderClause("lan", None)))
    for name, data in (("lan", lan), ("other", files[0])):
        (tmp_path / f"{name}.kontor").write_bytes(data)
    monkeypatch.chdir(tmp_path)
    runner, folder, paths = CliRunner(), "club", ["lan.kontor", "other.kontor"]
    done = runner.invoke(kontor, ["ladder", "count", folder, *paths, "--title", "Club", "--jobs", "1"])
    assert done.exit_code == 1, "one of them was refused"
    assert f"{paths[0]}: counted" in done.output and "rated for another ladder" in done.output
    shown = runner.invoke(kontor, ["ladder", "show", f"{folder}/published"])
    assert "played on local networks" in shown.output and "Person 3" in shown.output
    hidden = runner.invoke(kontor, ["ladder", "hide", folder, fingerprint(identity(3).key)])
    assert hidden.exit_code == 0 and "the ratings stay" in hidden.output
    assert "Person 3" not in runner.invoke(kontor, ["ladder", "show", f"{folder}/published"]).output
    checked = runner.invoke(kontor, ["ladder", "check", f"{folder}/published"])
    assert checked.exit_code == 0 and "lobby's word" in checked.output


def test_whoever_keeps_a_ladder_now_removes_the_name(files: list[bytes], tmp_path: Path) -> None:
    """The operator of a running lobby asks; the lobby, which has the lock and the key, does it."""
    put_in_queue(tmp_path, files[2], 1)
    worked(tmp_path)
    with (tmp_path / ".lock").open("ab") as lock:
        assert filelock.try_lock(lock)
        hide_name(tmp_path, fingerprint(identity(2).key), identity(7))
        with pytest.raises(KontorError, match="another process keeps"):
            count_files(tmp_path, [], identity(7), "", 1)
    worked(tmp_path, 2 * HOUR)
    assert b"Person 2" not in (tmp_path / "published" / "ladder.json").read_bytes()


def test_addresses_that_are_not_ladders_are_said_in_words(served: str) -> None:
    for place, words in (
        (f"{served}/nowhere", "there is no ladder.json"),
        (f"{served}/moved", "has moved to file:///etc/passwd"),
        ("file:///etc", "begins with https://"),
        ("http://user@127.0.0.1/", "begins with https://"),
        ("http://127.0.0.1:9/", "cannot be fetched"),
    ):
        with pytest.raises(KontorError, match=words):
            source_at(place).manifest()


def test_the_tables_are_shown_and_a_missing_folder_is_told(season: Path, tmp_path: Path) -> None:
    runner = CliRunner()
    done = runner.invoke(kontor, ["ladder", "show", str(season / "published")])
    assert done.exit_code == 0 and "joban with 2 players" in done.output and "Person 1" in done.output
    assert "provisional" in done.output
    missing = runner.invoke(kontor, ["ladder", "check", str(tmp_path)])
    assert isinstance(missing.exception, KontorError) and "holds no ladder.json" in str(missing.exception)
