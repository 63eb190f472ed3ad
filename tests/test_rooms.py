"""The direction of imports: a line in the wrong room is named."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("engine", "net", "lobby", "clients")
MAY_IMPORT = {"engine": set(), "net": {"engine"}, "lobby": {"engine", "net"}, "clients": set()}
ENTRIES = {
    Path("clients/entry.py"),
    Path("clients/node_process.py"),
}  # of the command and the node: they wire the rooms
ENGINE_NEEDS = {"msgspec"}  # the rules run on the standard library and this (ADR 2)
INDEPENDENT = ROOT / "tests" / "independent"  # the verifier that was written from the documents alone
INDEPENDENT_NEEDS = {"msgpack", "nacl", "engine"}


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and absolute module name of every import in a file, local ones included."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)


def files(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


def allowed(path: Path, room: str) -> set[str]:
    """The rooms that this file may import; bots may look ahead with the engine."""
    relative = path.relative_to(ROOT)
    if relative in ENTRIES:
        return set(ROOMS)
    return {room} | MAY_IMPORT[room] | ({"engine"} if relative.parts[:2] == ("clients", "bots") else set())


@pytest.mark.parametrize("room", ROOMS)
def test_imports_go_one_way(room: str) -> None:
    wrong = []
    for path in files(room):
        for line, module in imports(path):
            target = module.split(".")[0]
            if target in ROOMS and target not in allowed(path, room):
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {module}; {room} may not import {target}")
            if module.startswith("engine.games.") and room != "engine":
                wrong.append(f"{path.relative_to(ROOT)}:{line} reaches into {module}; use engine.load")
            if target in ("tests", "scripts"):
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {module}, which is not shipped")
    assert not wrong, "\n".join(wrong)


def test_the_engine_runs_on_the_standard_library_and_msgspec() -> None:
    wrong = []
    for path in files("engine"):
        for line, module in imports(path):
            target = module.split(".")[0]
            if target not in sys.stdlib_module_names | ENGINE_NEEDS | {"engine"}:
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
            if module.startswith("engine.games.") and module.split(".")[2] != parts[2]:
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {module}")
    assert not wrong, "\n".join(wrong)


def not_independent(path: Path) -> list[str]:
    """The imports with which the independent verifier would lean on ours."""
    wrong = []
    for line, module in imports(path):
        of_its_own = f"{module}.".startswith("tests.independent.")
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
        "import net",
        "from net.chain import decode",
        "import lobby.store",
        "from clients import entry",
        "from tests.net.files import judged",
        "from tests import mutants",
        "from ..net import files",
        "import msgspec",
        "def judge():\n    from net import verify",
    ],
)
def test_an_independent_verifier_that_leans_on_ours_is_named(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "read_text", lambda path, encoding: line)
    assert not_independent(INDEPENDENT / "chain.py")
