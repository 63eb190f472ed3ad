"""The direction of imports: a line in the wrong room, or in the wrong package of a room, is named."""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NAME = "kontor_games"  # the one name under which the rooms are imported
ROOMS = ("engine", "net", "lobby", "clients")
MAY_IMPORT = {"engine": set(), "net": {"engine"}, "lobby": {"engine", "net"}, "clients": set()}
# The command, the node and the lobby's pages: they wire the rooms.
ENTRIES = {Path("clients/entry.py"), Path("clients/node_process.py"), Path("clients/page_process.py")}
ENGINE_NEEDS = {"msgspec"}  # the rules run on the standard library and this (ADR 2)
INDEPENDENT = ROOT / "tests" / "independent"  # the verifier that was written from the documents alone
INDEPENDENT_NEEDS = {"msgpack", "nacl"}

# Packages, lowest first: each imports only itself and packages above it in its list that it names.
PACKAGES: dict[str, set[str]] = {
    "net.system": set(),
    "net.wire": {"net.system"},
    "net.bundle": {"net.system"},
    "net.sealed": {"net.wire"},
    "net.ledger": {"net.sealed", "net.wire"},
    "net.record": {"net.ledger", "net.system", "net.wire"},
    "net.archive": {"net.record", "net.ledger", "net.system", "net.wire"},
    "net.tournament": {"net.archive", "net.record", "net.system", "net.wire"},
    "net.lockstep": {"net.record", "net.ledger", "net.sealed", "net.system", "net.wire"},
    "net.links": {"net.system", "net.wire"},
    "net.table": {"net.system", "net.wire"},
    "net.lobbies": {"net.links", "net.table", "net.system", "net.wire"},
    "net.node": {
        "net.lobbies", "net.table", "net.links", "net.lockstep", "net.record", "net.ledger", "net.sealed",
        "net.system", "net.wire",
    },
    "net.api.http": {"net.links", "net.system", "net.wire"},
    "net.api.matches": {
        "net.api.http", "net.node", "net.lockstep", "net.record", "net.ledger", "net.sealed", "net.system", "net.wire",
    },
    "net.api.network": {
        "net.api.matches", "net.api.http", "net.node", "net.lobbies", "net.table", "net.links", "net.lockstep",
        "net.record", "net.ledger", "net.system", "net.wire",
    },
    "net.api.routes": {
        "net.api.network", "net.api.matches", "net.api.http", "net.node", "net.lobbies", "net.table", "net.record",
        "net.system", "net.wire",
    },
    "net.api.guests": {
        "net.api.routes", "net.api.network", "net.api.matches", "net.api.http", "net.bundle", "net.node", "net.links",
        "net.system", "net.wire",
    },
    "net.api": {
        "net.api.guests", "net.api.routes", "net.api.network", "net.api.matches", "net.api.http", "net.node",
        "net.system", "net.wire",
    },
    "lobby.settings": {"net.system", "net.wire"},
    "lobby.ladder": {"net.archive", "net.record", "net.system", "net.wire"},
    "lobby.store": {"net.system"},
    "lobby.store.redis": {"lobby.store", "net.system"},
    "lobby.model": {"lobby.store", "lobby.settings", "net.table", "net.links", "net.system", "net.wire"},
    "lobby.commands": {"lobby.model", "net.table", "net.system", "net.wire"},
    "lobby.server": {
        "lobby.commands", "lobby.ladder", "lobby.model", "lobby.store", "lobby.settings", "net.lobbies", "net.table",
        "net.links", "net.system", "net.wire",
    },
    "lobby.admin": {
        "lobby.server", "lobby.commands", "lobby.model", "lobby.store.redis", "lobby.store", "lobby.settings",
        "net.table", "net.system", "net.wire",
    },
    "lobby.pages": {
        "lobby.model", "lobby.settings", "net.archive", "net.api.routes", "net.api.matches", "net.api.http",
        "net.record", "net.system", "net.wire",
    },
    "clients.text": set(),
    "clients.node": {"clients.text"},
    "clients.bots": {"clients.node"},
    "clients.cli.match": {"clients.node", "clients.text"},
    "clients.tui.draw": {"clients.text"},
    "clients.tui.model": {"clients.tui.draw", "clients.node", "clients.text"},
    "clients.tui.panes": {"clients.tui.model", "clients.tui.draw", "clients.text"},
    "clients.tui": {"clients.tui.panes", "clients.tui.model", "clients.tui.draw", "clients.node", "clients.text"},
    "clients.cli": {"clients.cli.match", "clients.tui", "clients.tui.draw", "clients.node", "clients.text"},
    "clients.cli.ladder": {"clients.cli", "clients.node", "clients.text"},
    "clients.cli.event": {
        "clients.cli.commands", "clients.cli", "clients.cli.match", "clients.tui", "clients.node", "clients.text",
    },
    "clients.cli.commands": {"clients.cli", "clients.cli.match", "clients.tui", "clients.node", "clients.text"},
}  # fmt: skip

# What runs a room from above all its packages: they do not import it.
ON_TOP = {"lobby.run", "lobby.lobby_command", "lobby.admin_socket", "lobby.status"}

# Machines: values in, values out. Time, threads, files and sockets belong to their adapters.
MACHINES = {
    "net/lockstep": "session steps intake faults finals standing speaker pledges our_part wishes catch_up partings "
    "standoff workbench spectator",
    "net/ledger": "ledger turn facts places item_chain game_run frame_judge held_messages own_side",
    "net/system": "admission buckets networks",
    "net/links": "link roster limits claims paths",
    "net/table": "keeper guest table_rules table_state table_talk",
    "net/lobbies": "lobby_talk",
    "net/tournament": "event_records event_state event_chain pairing standings played_match event_page",
    "net/sealed": "entries position sightings forks departures goodbyes judging votes",
    "lobby/server": "throttle allowances fairness counter",
    "lobby/commands": "acquaintances catching_up chat connect expiry operators people processes queue sign_in "
    "table_requests",
    "lobby/pages": "visitor told_matches replay_pack",
    "lobby/ladder": "ladder match_case ladder_boards book courses ladder_rules rating_model manifest uploads",
    "lobby/model": "matching shares sanctions stored_tables seen_addresses records work",
}
OUTSIDE_WORLD = {"twisted", "os", "time", "socket", "threading"}


@functools.cache
def statements(text: str) -> list[ast.Import | ast.ImportFrom]:
    """Every import in a text; most files are looked at by several tests."""
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and absolute module name of every import in a file, local ones included."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    if package[0] in ROOMS:
        package = (NAME, *package)
    for node in statements(path.read_text(encoding="utf-8")):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        else:
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)


def files(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


def in_house(module: str) -> str:
    """The module as its room knows it (`net.wire.chain.tip`), empty if it is not ours."""
    name, _, rest = module.partition(".")
    return rest if name == NAME else ""


def package_of(module: str) -> str:
    """The package of the table that a module of ours belongs to, empty if none."""
    parts = module.split(".")
    return next((found for size in (3, 2) if (found := ".".join(parts[:size])) in PACKAGES), "")


def allowed(path: Path, room: str) -> set[str]:
    """The rooms that this file may import; bots may look ahead with the engine."""
    relative = path.relative_to(ROOT)
    if relative in ENTRIES:
        return set(ROOMS)
    return {room} | MAY_IMPORT[room] | ({"engine"} if relative.parts[:2] == ("clients", "bots") else set())


def wrong_rooms(path: Path, room: str) -> Iterator[str]:
    """The lines of a file that import what its room may not."""
    where = path.relative_to(ROOT)
    for line, module in imports(path):
        target = in_house(module).split(".")[0]
        if target and target not in allowed(path, room):
            yield f"{where}:{line} imports {module}; {room} may not import {target}"
        is_plan = where.with_suffix("").parts[:4] == ("clients", "bots", "plans", (in_house(module).split(".") * 3)[2])
        if in_house(module).startswith("engine.games.") and room != "engine" and not is_plan:  # a plan knows its game
            yield f"{where}:{line} reaches into {module}; use engine.load"
        if module.split(".")[0] in ("tests", "scripts"):
            yield f"{where}:{line} imports {module}, which is not shipped"


def wrong_packages(path: Path) -> Iterator[str]:
    """The lines of a file that import against the direction of the packages."""
    where = path.relative_to(ROOT)
    own = package_of(".".join(where.with_suffix("").parts))
    for line, module in imports(path):
        target = package_of(in_house(module))
        on_top = ".".join(in_house(module).split(".")[:2])
        if own and target and target != own and target not in PACKAGES[own]:
            yield f"{where}:{line} imports {module}; {own} may not import {target}"
        elif own and on_top in ON_TOP:
            yield f"{where}:{line} imports {module}; {on_top} is above all packages of its room"


def not_a_machine(path: Path) -> Iterator[str]:
    """The lines of a machine that reach for the outside world."""
    for line, module in imports(path):
        if module.split(".")[0] in OUTSIDE_WORLD:
            yield f"{path.relative_to(ROOT)}:{line} imports {module}; machines take values and return values"


@pytest.mark.parametrize("room", ROOMS)
def test_imports_go_one_way(room: str) -> None:
    wrong = [line for path in files(room) for line in wrong_rooms(path, room)]
    assert not wrong, "\n".join(wrong)


def test_packages_import_only_those_below_them() -> None:
    wrong = [line for room in ROOMS for path in files(room) for line in wrong_packages(path)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("room", ["net", "lobby"])
def test_every_file_of_a_room_belongs_to_a_package(room: str) -> None:
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in files(room) if path.name != "__init__.py"
    ]
    lost = [module for module in modules if not package_of(module) and module not in ON_TOP]
    assert not lost, "\n".join(lost)


def test_the_table_of_packages_has_no_circle() -> None:
    below: set[str] = set()
    waiting = dict(PACKAGES)
    while free := {name for name, needs in waiting.items() if needs <= below}:
        below |= free
        waiting = {name: needs for name, needs in waiting.items() if name not in free}
    assert not waiting, sorted(waiting)


def test_machines_do_not_know_the_outside_world() -> None:
    machines = [ROOT / folder / f"{name}.py" for folder, names in MACHINES.items() for name in names.split()]
    wrong = [line for path in machines for line in not_a_machine(path)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("where", [*ROOMS, "tests", "scripts"])
def test_the_rooms_are_imported_under_their_one_name(where: str) -> None:
    """A bare `import engine` works in a checkout, as a second copy of every module."""
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {module}; write {NAME}.{module}"
        for path in files(where)
        for line, module in imports(path)
        if module.split(".")[0] in ROOMS
    ]
    assert not wrong, "\n".join(wrong)


def test_the_engine_runs_on_the_standard_library_and_msgspec() -> None:
    wrong = []
    for path in files("engine"):
        for line, module in imports(path):
            target = module.split(".")[0]
            if target not in sys.stdlib_module_names | ENGINE_NEEDS | {NAME}:
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {module}")
    assert not wrong, "\n".join(wrong)


def test_the_engine_knows_no_clock_chance_or_outside_world() -> None:
    forbidden = {"random", "secrets", "time", "datetime", "os", "socket", "locale", "logging", "threading", "uuid"}
    wrong = []
    for path in files("engine"):
        for line, module in imports(path):
            if module.split(".")[0] in forbidden:
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {module}")
    assert not wrong, "\n".join(wrong)


def test_games_do_not_know_each_other() -> None:
    wrong = []
    for path in files("engine"):
        parts = path.relative_to(ROOT).parts
        if parts[1] != "games" or len(parts) < 4:
            continue
        for line, module in imports(path):
            if in_house(module).startswith("engine.games.") and module.split(".")[3] != parts[2]:
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {module}")
    assert not wrong, "\n".join(wrong)


def not_independent(path: Path) -> list[str]:
    """The imports with which the independent verifier would lean on ours."""
    wrong = []
    for line, module in imports(path):
        of_its_own = f"{module}.".startswith(("tests.independent.", f"{NAME}.engine."))
        if not of_its_own and module.split(".")[0] not in sys.stdlib_module_names | INDEPENDENT_NEEDS:
            wrong.append(f"{path.name}:{line} imports {module}; the documents do not")
    return wrong


def test_the_independent_verifier_knows_the_documents_and_the_engine_alone() -> None:
    files = [path for path in sorted(INDEPENDENT.glob("*.py")) if not path.name.startswith("test_")]
    assert len(files) > 8, "its files are looked for in the wrong place"
    wrong = [line for path in files for line in not_independent(path)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "line",
    [
        "import kontor_games.net",
        "from kontor_games import net",
        "from kontor_games.net.wire.chain import decode",
        "import kontor_games.lobby.store",
        "from kontor_games.clients import entry",
        "from net import wire",
        "from tests.worlds.match_files import judged",
        "from tests import mutants",
        "from ..worlds import match_files",
        "import msgspec",
        "def judge():\n    from kontor_games.net.record import verify",
    ],
)
def test_an_independent_verifier_that_leans_on_ours_is_named(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "read_text", lambda path, encoding: line)
    assert not_independent(INDEPENDENT / "chain.py")


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("net/wire/chain.py", "from kontor_games.net.lockstep.session import Session"),
        ("net/ledger/ledger.py", "from ..record import verify"),
        ("lobby/store/sqlite.py", "from kontor_games.lobby.model.records import TABLE"),
        ("lobby/settings/config.py", "from ..server import allowances"),
        ("lobby/model/work.py", "from kontor_games.lobby import run"),
        ("lobby/commands/queue.py", "from kontor_games.net.lobbies.lobby_talk import LobbyTalk"),
        ("net/api/http/router.py", "def late():\n    from kontor_games.net.api.routes import about_routes"),
    ],
)
def test_an_import_against_the_direction_is_named(path: str, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "read_text", lambda path, encoding: line)
    (named,) = wrong_packages(ROOT / path)
    assert named.startswith(f"{path}:{line.count(chr(10)) + 1} imports kontor_games.")
