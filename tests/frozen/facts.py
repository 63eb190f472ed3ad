"""The facts that must not change, each under a name, worked out by the code of today."""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kontor_games import engine
from kontor_games.engine import LocalMatch, canonical
from kontor_games.engine.core.stream import Stream
from kontor_games.lobby.model import records
from kontor_games.lobby.store.sqlite import SqliteStore
from kontor_games.net.record.verify import verify, verify_stream
from tests import golden
from tests.engine.playouts import bounded, policies, steps
from tests.lobby.bench import done
from tests.mutants.change import Bounds
from tests.mutants.evidence import evidence
from tests.mutants.matches import MATCHES, match_named
from tests.worlds.local_matches import new_table, play_on
from tests.worlds.match_files import packed

from .schedules import schedules

ROOT = Path(__file__).parents[2]
FILES = Path(__file__).parent / "files"
FACTS = Path(__file__).parent / "facts.json"
DOCUMENTS = ("wire.md", "wire-match.md", "wire-sealed.md", "wire-lobby.md", "transcript.md")  # the local API may grow
LOCAL_SEATS = tuple((name, "random") for name in ("Anna", "Bruno", "Clara"))
FIRST = 1  # the rules version of the day when facts were first recorded: their names have no version
LEAVES_AT = 40  # ply at which all but one leave
LATER: dict[str, dict[str, Any]] = {  # fields of a lobby's records since then, and what they are in older ones
    "presence": {"appears": "nobody", "friends": (), "home": ""},
    "table": {"is_over": False, "kept_for": ()},
}

Fact = tuple[str, str]


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def recorded() -> dict[str, str]:
    """What was said then."""
    said: dict[str, str] = json.loads(FACTS.read_text(encoding="utf-8"))
    return said


def all_facts() -> Iterator[Fact]:
    """Everything; some minutes."""
    yield from goldens()
    yield from examples()
    yield from local_files()
    yield from departures()
    yield from sealed_files()
    yield from verdicts()
    yield from lobby_records()
    yield from schedules()


def versions() -> Iterator[tuple[str, engine.Game[Any]]]:
    """Every game under every version of its rules, and how facts about it begin."""
    for game in engine.game_ids():
        for rules in engine.rules_versions(game):
            yield game + _version(rules), engine.load(game, rules)


def _version(rules: int) -> str:
    return "" if rules == FIRST else f"/v{rules}"


def goldens() -> Iterator[Fact]:
    """Golden matches again: every digest and every word of notation; those of the newest rules are played anew."""
    for path in [*sorted(golden.FOLDER.glob("*/*.json")), *golden.of_older_rules()]:
        recorded = json.loads(path.read_text(encoding="utf-8"))
        game, name = recorded["game"], path.stem
        if path.parent.name == game:
            ending = next(each for each in golden.endings(game)[0] if each[0] == name)
            played = golden.play_ending(golden.load_game(game), *ending[1:])
        else:
            played = golden.replayed(recorded)
        assert played["plies"] == recorded["plies"], path
        yield f"golden/{game}{_version(recorded['rules'])}/{name}", digest(json.dumps(played, sort_keys=True).encode())


def examples() -> Iterator[Fact]:
    """Example blocks of the documents; the tests of the documents hold them against the code."""
    for name in DOCUMENTS:
        text = (ROOT / "docs" / name).read_text(encoding="utf-8")
        for number, block in enumerate(re.findall(r"^```\w*\n(.*?)^```", text, re.M | re.S)):
            yield f"example/{name}/{number}", digest(block.encode())


def local_files() -> Iterator[Fact]:
    """A match of every game on one node: its file and its verdict."""
    with TemporaryDirectory() as folder:
        for name, game in versions():
            path = Path(folder) / f"{game.id}-{game.rules_version}.kontor"
            limit = {} if game.rules_version == FIRST else bounded(game)  # the first versions had one by default
            table = new_table(path, "frozen", game, LOCAL_SEATS, **limit)
            play_on(table, choices=Stream("frozen", game.id.encode()))
            table.close()
            yield f"local/{name}/file", digest(path.read_bytes())
            yield f"local/{name}/verdict", verify(path).line


def departures() -> Iterator[Fact]:
    """Matches in which all but one leave early: whatever stand-ins do is part of the rules."""
    for name, game in versions():
        for seats in game.seats:
            match = LocalMatch(game, {}, seats, b"departures")
            players, said = policies("random", seats, b"departures"), hashlib.sha256()
            for _ in steps(match, players, LEAVES_AT):
                pass
            match.leave(*range(1, seats))
            for _, action, after, _ in steps(match, players, LEAVES_AT + 400):
                said.update(canonical(action) + engine.digest(after))
            yield f"departed/{name}/{seats}", f"{match.ply} {said.hexdigest()}"


def sealed_files() -> Iterator[Fact]:
    """Sealed matches played anew, with departures: every message of every peer is in the file."""
    for name, plan in MATCHES.items():
        for rules in engine.rules_versions(plan.game):
            records = replace(plan, rules=rules).play("s")
            yield f"sealed/{name}{_version(rules)}/file", digest(packed(records))


def sample_files() -> Iterator[tuple[str, bytes]]:
    """Files to keep: all sealed matches, and evidence of a few kinds."""
    for name in MATCHES:
        yield f"{name}.kontor", packed(match_named(name).records)
    kinds: set[str] = set()
    for mutant in evidence(match_named("hansa-5-bye-and-votes"), Bounds(changes=1)):
        kind = mutant.field.split(".")[1]
        if kind not in kinds and verify_stream(io.BytesIO(mutant.data), "evidence").fault:
            kinds.add(kind)
            yield f"evidence-{kind}.kontor", mutant.data


def verdicts(pattern: str = "*") -> Iterator[Fact]:
    """What `verify` says to the kept files."""
    for path in sorted(FILES.glob(f"{pattern}.kontor")):
        report = verify(path).as_dict()
        report["path"] = ""
        yield f"verdict/{path.stem}", str(report["line"])
        yield f"report/{path.stem}", digest(json.dumps(report, sort_keys=True, default=str).encode())


def lobby_records() -> Iterator[Fact]:
    """What is in the kept database of a lobby, read with the record types of today."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "lobby.db"
        path.write_bytes((FILES / "lobby.db").read_bytes())
        store = SqliteStore(path)
        for kind in (value for value in vars(records).values() if isinstance(value, records.RecordKind)):
            page = done(store.scan(kind.name, limit=100))
            told = [(id, _without_later(kind, record.data), record.group, record.expires) for id, record in page]
            yield f"lobby/{kind.name}", f"{len(told)} {digest(repr(told).encode())}"
        done(store.close())


def _without_later(kind: records.RecordKind[Any], data: bytes) -> str:
    """A record in the fields of the day when the database was written; those that came later mean what was so then."""
    record, later = kind.decode(data), LATER.get(kind.name, {})
    assert {name: getattr(record, name) for name in later} == later
    kept = (name for name in record.__struct_fields__ if name not in later)
    return f"{type(record).__name__}({', '.join(f'{name}={getattr(record, name)!r}' for name in kept)})"
