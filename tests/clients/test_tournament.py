"""`kontor tournament` as docs/organising.md tells it: a whole evening, every command as it is written there."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kontor_games.clients import entry
from kontor_games.engine.errors import KontorError
from tests.test_rooms import ROOT
from tests.worlds.event_matches import PEOPLE, table_file, table_terms
from tests.worlds.quick_algebra import quick_algebra as quick_algebra

NAMES = ("Ada", "Bob", "Cleo", "Dan", "Eve")
HANDED = {1: ("ada.kontor", "bob.kontor"), 2: ("cleo.kontor", "dan.kontor")}


def kontor(*words: str) -> Result:
    return CliRunner().invoke(entry.kontor, list(words), prog_name="kontor")


def told() -> list[list[str]]:
    """The commands of the chapter, in order."""
    text = (ROOT / "docs" / "organising.md").read_text(encoding="utf-8").partition("## Tournaments")[2]
    return [shlex.split(line) for line in re.findall(r"(?m)^    kontor (tournament .*)$", text)]


def play(round_number: int) -> None:
    """The players of a round play, and one of each table sends a file."""
    event = json.loads(kontor("tournament", "standings", "thursday", "--json").output)
    book = entry.LocalServices().tournament(Path("thursday"))
    for table, name in zip(event["rounds"][-1]["tables"], HANDED[round_number], strict=True):
        Path(name).write_bytes(table_file(table_terms(book.invitation(table["seats"][0]["key"]))))


def test_the_evening_of_the_document_goes_as_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KONTOR_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    people = [f"{PEOPLE[number].key.hex()} {name}\n" for number, name in enumerate(NAMES)]
    Path("players.txt").write_text("".join(people[1:]), encoding="utf-8")
    commands = [words for words in told() if words[1] != "play"]  # a table needs nodes: tests/integration
    assert " ".join(sorted({words[1] for words in commands})) == "add check drop end new page pair result standings"
    drawn = 0
    for words in commands:
        if words[1] == "result":
            play(drawn)
        if "--older" in words:
            Path("event.txt").write_bytes(b"".join(Path("thursday/event.txt").read_bytes().splitlines(True)[:9]))
        run = kontor(*[PEOPLE[0].key.hex() if word == "KEY" else word for word in words])
        assert run.exit_code == 0, (words, run.output)
        drawn += words[1] == "pair"
        if words[1] == "end":
            assert "Final standings" in run.output and all(name in run.output for name in NAMES)
        if words[1] == "check":
            assert "holds: Thursday at the club, 14 records signed by" in " ".join(run.output.split())
    assert Path("wall.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert Path("standings.csv").read_text(encoding="utf-8").startswith("rank,name,key,points,opponents,wins,seconds,")
    chain = Path("thursday/event.txt").read_bytes()
    Path("thursday/event.txt").write_bytes(chain.replace(b'"Eve"', b'"Eva"', 1))
    run = kontor("tournament", "check", "thursday")
    assert run.exit_code == 1 and "wrong: record 5 of the event is not signed by the organiser" in run.output


def test_mistakes_are_told_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KONTOR_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    for words, said in {
        ("new", "x", "chess", "--name", "X"): "there is no game 'chess'",
        ("new", "x", "hansa", "--name", "X", "--tables", "4,7"): "Hansa Teutonica is for 2, 3, 4, 5, not 7 players",
        ("new", "x", "hansa", "--name", "X", "--tables", "two"): "--tables takes numbers with commas",
        ("new", "x", "hansa", "--name", "X", "--points", "3,2,1,0"): "a table of 3 needs a list of 3 numbers",
        ("add", "x"): "who? Give a name and a key",
        ("page", "x"): "say where",
    }.items():
        run = kontor("tournament", *words)
        assert run.exit_code == 2 and said in run.output, run.output
    run = kontor("tournament", "standings", "nowhere")
    assert isinstance(run.exception, KontorError) and "nowhere is not an event" in str(run.exception)
    assert kontor("tournament", "new", "x", "hansa", "--name", "X").exit_code == 0
    run = kontor("tournament", "new", "x", "hansa", "--name", "X")
    assert "is there already" in str(run.exception)
    run = kontor("tournament", "pair", "x")
    assert "a table needs 3 players, and 0 take part" in str(run.exception)
    keys = [PEOPLE[number].key.hex() for number in range(3)]
    Path("list").write_text(f"# club\n{keys[0]} Ada\nzzz Bob\n{keys[2]} Cleo\n", encoding="utf-8")
    run = kontor("tournament", "add", "x", "--players", "list")
    assert run.output == "Ada takes part\n" and "'zzz' is not a key" in str(run.exception)
    run = kontor("tournament", "pair", "x")
    assert "a table needs 3 players, and only 1 takes part" in str(run.exception)
    Path("list").write_text(f"# club\n{keys[0].upper()} Ada\n{keys[1]} Bob\n{keys[2]} Cleo\n", encoding="utf-8")
    run = kontor("tournament", "add", "x", "--players", "list")  # the same list, mended
    assert run.output == "Bob takes part\nCleo takes part\n1 of the list took part already\n" and not run.exit_code
    Path("list").write_bytes(b"\xff\xfe")
    assert "not a text in UTF-8" in kontor("tournament", "add", "x", "--players", "list").output
    assert kontor("tournament", "pair", "x").exit_code == 0
    run = kontor("tournament", "check", "x/event.txt")
    assert "1 round as the method draws it, 0 results of which no file was looked at" in " ".join(run.output.split())
    run = kontor("tournament", "new", "y", "hansa", "--name", "Y", "--points", "0,6,12", "--tables", "3")
    assert "a worse place would score more" in str(run.exception)
