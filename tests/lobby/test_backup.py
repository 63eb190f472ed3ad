"""Back-ups: made while others write, judged before they are put back, and nothing is ever overwritten."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest

from kontor_games.engine.errors import StoreError
from kontor_games.lobby.admin.backup import MANIFEST, back_up, restore
from kontor_games.lobby.commands.operators import perform
from kontor_games.lobby.store.sqlite import DATABASE, SqliteStore
from kontor_games.net.wire.identity import FILE_NAME, create, load
from tests.worlds.quick_start import run
from tests.worlds.redis_server import needs_redis, redis_server

from .bench import Lobby, done
from .child import KONTOR, ROOT
from .several import shared_lobby
from .test_people import operate


def ban(store: SqliteStore, number: int) -> None:
    lobby = Lobby(store)
    operate(lobby, do="ban", who=f"{number:064x}", reason="spam")


def bans(directory: Path) -> int:
    store = SqliteStore(directory / DATABASE)
    try:
        return len(Lobby(store).run(lambda work: perform(work, {"do": "sanctions"}))["sanctions"])
    finally:
        done(store.close())


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """The data of a lobby with one ban, its key, and a back-up from the moment of that ban, before a second one."""
    data = tmp_path / "data"
    data.mkdir()
    create(data)
    store = SqliteStore(data / DATABASE)
    ban(store, 1)
    back_up(data, tmp_path / "copy.tar")  # while the store is open
    ban(store, 2)
    done(store.close())
    return tmp_path


def test_a_back_up_is_one_moment_of_a_lobby_that_runs_and_comes_back_whole(made: Path) -> None:
    copy, there = made / "copy.tar", made / "there"
    assert copy.stat().st_mode & 0o777 == 0o600
    found = restore(there, copy)
    assert (bans(made / "data"), bans(there)) == (2, 1)
    assert load(there / FILE_NAME).key == load(made / "data" / FILE_NAME).key
    assert {(there / name).stat().st_mode & 0o777 for name in (DATABASE, FILE_NAME)} == {0o600}
    assert found["moved"] == [] and sorted(path.name for path in there.iterdir() if "lock" not in path.name) == [
        FILE_NAME,
        DATABASE,
    ]


def test_what_is_there_is_moved_aside_and_only_when_the_operator_says_so(made: Path) -> None:
    data = made / "data"
    with pytest.raises(StoreError, match="--replace"):
        restore(data, made / "copy.tar")
    assert bans(data) == 2
    found = restore(data, made / "copy.tar", replace=True)
    assert bans(data) == 1
    kept = next(name for name in found["moved"] if name.startswith(f"{DATABASE}.before"))
    (data / kept).rename(data / DATABASE)
    assert bans(data) == 2


def test_no_back_up_is_put_under_a_running_lobby_or_over_another_file(made: Path) -> None:
    store = SqliteStore(made / "data" / DATABASE)
    with pytest.raises(StoreError, match="running"):
        restore(made / "data", made / "copy.tar", replace=True)
    done(store.close())
    with pytest.raises(StoreError, match="never overwrites"):
        back_up(made / "data", made / "copy.tar")
    with pytest.raises(StoreError, match="no lobby"):
        back_up(made / "nowhere", made / "other.tar")
    assert not (made / "other.tar").exists()


def test_without_the_key_the_back_up_has_none(made: Path) -> None:
    back_up(made / "data", made / "bare.tar", with_key=False)
    restore(made / "bare", made / "bare.tar")
    assert not (made / "bare" / FILE_NAME).exists() and bans(made / "bare") == 2


def parts_of(path: Path) -> dict[str, bytes]:
    with tarfile.open(path) as archive:
        return {entry.name: archive.extractfile(entry).read() for entry in archive}  # type: ignore[union-attr]


def packed(path: Path, parts: dict[str, bytes], link: str = "") -> Path:
    with tarfile.open(path, "w") as archive:
        for name, data in parts.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            if name == link:
                entry.type, entry.linkname, entry.size = tarfile.SYMTYPE, "/etc/passwd", 0
            archive.addfile(entry, io.BytesIO(data))
    return path


@pytest.mark.parametrize(
    "how", ["cut", "flipped", "more", "outside", "link", "newer", "nothing", "twice", "other", "text"]
)
def test_a_doctored_back_up_changes_nothing(made: Path, how: str) -> None:
    parts = parts_of(made / "copy.tar")
    target = made / "bad.tar"
    match how:
        case "cut":
            target.write_bytes((made / "copy.tar").read_bytes()[:6000])
        case "flipped":
            data = bytearray(parts[DATABASE])
            data[-40] ^= 1
            packed(target, {**parts, DATABASE: bytes(data)})
        case "more":
            packed(target, {**parts, "evil.txt": b"x"})
        case "outside":
            packed(target, {**parts, "../evil.txt": b"x"})
        case "link":
            packed(target, parts, link=DATABASE)
        case "newer":
            packed(target, {**parts, MANIFEST: json.dumps({**json.loads(parts[MANIFEST]), "schema": 99}).encode()})
        case "nothing":
            packed(target, {name: parts[name] for name in (MANIFEST, DATABASE)})
        case "twice":
            with tarfile.open(packed(target, parts), "a") as archive:
                entry = tarfile.TarInfo(DATABASE)
                entry.size = len(parts[DATABASE])
                archive.addfile(entry, io.BytesIO(parts[DATABASE]))
        case "other":
            packed(target, {DATABASE: parts[DATABASE]})
        case "text":
            target.write_text("hello")
    with pytest.raises(StoreError):
        restore(made / "data", target, replace=True)
    assert bans(made / "data") == 2
    assert not [path for path in made.rglob("*") if "evil" in path.name or ".kontor-" in path.name]
    with pytest.raises(StoreError):
        restore(made / "data", made / "missing.tar", replace=True)


@needs_redis
def test_a_back_up_of_redis_is_one_moment_and_comes_back_into_an_empty_one_or_into_sqlite(tmp_path: Path) -> None:
    with redis_server(tmp_path / "redis") as server, redis_server(tmp_path / "new") as new:
        data, copy = str(tmp_path / "data"), str(tmp_path / "copy.tar")

        def kontor(*words: str) -> tuple[int, str]:
            told = run([*KONTOR, "lobby", "--data", data, *words], cwd=ROOT, text=True, timeout=60)
            return told.returncode, told.stdout + told.stderr

        on_redis = ("--store", server.url)
        assert "nothing of a lobby" in kontor(*on_redis, "backup", copy)[1]
        with shared_lobby(tmp_path, server, 1) as lobby:
            for number in range(3):
                assert kontor(*on_redis, "admin", "ban", f"{number:064x}", "--reason", "spam")[0] == 0
            code, told = kontor(*on_redis, "backup", copy)  # while it runs
            assert code == 0 and "and the key" in told, told
            key = lobby.key
            assert "in use by p0" in kontor(*on_redis, "restore", copy)[1]
        assert "not empty" in kontor(*on_redis, "restore", copy)[1]
        data = str(tmp_path / "other")
        code, told = kontor("--store", new.url, "restore", copy)
        assert code == 0 and f"restored to {new.url}" in told, told
        assert load(Path(data) / FILE_NAME).key == key
        assert kontor("--store", new.url, "admin", "sanctions")[1].count("spam") == 3
        assert len(kontor("--store", new.url, "admin", "log")[1].splitlines()) == 4
        data = str(tmp_path / "third")
        assert kontor("restore", copy)[0] == 0 and bans(Path(data)) == 3
