"""The wheel and the sdist hold what they must, and nothing besides."""

from __future__ import annotations

import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from .building import ROOT, build, unpacked

ROOMS = ("engine", "net", "lobby", "clients")
PACKED = {".py", ".toml", ".json", ".md", ".txt", ".js", ".css", ".svg", ".html"}
PACKED |= {".service", ".yml", ".yaml", ""}  # for operators, in lobby/deploy
PACKED |= {".lua"}  # what the store in Redis runs there
TOOLS_ALONE = {  # settings of the tools that check the web client
    "clients/web/eslint.config.js",
    "clients/web/jsconfig.json",
    "clients/web/package.json",
    "clients/web/vendor/tweetnacl.d.ts",
}
PACKAGE = ROOT / "scripts" / "package" / "kontor_games"


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("sdist", ROOT, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def is_ignored(path: Path) -> bool:
    return "__pycache__" in path.parts or "node_modules" in path.parts or path.suffix == ".pyc"


def of_the_rooms() -> dict[str, bytes]:
    """Every file of the rooms in this checkout that a wheel must have, by its name there."""
    files = [path for room in ROOMS for path in (ROOT / room).rglob("*") if path.is_file() and not is_ignored(path)]
    named = {str(path.relative_to(ROOT).as_posix()): path for path in files}
    return {f"kontor_games/{name}": path.read_bytes() for name, path in named.items() if name not in TOOLS_ALONE}


def test_the_wheel_has_one_top_level_name(wheel: Path) -> None:
    assert {name.split("/")[0] for name in contents(wheel)} == {"kontor_games", "kontor_games-0.1.0.dist-info"}


def test_the_wheel_has_every_file_of_the_rooms_and_nothing_besides(wheel: Path) -> None:
    found = {name: data for name, data in contents(wheel).items() if ".dist-info/" not in name}
    own = {f"kontor_games/{path.name}": path.read_bytes() for path in PACKAGE.iterdir() if path.is_file()}
    expected = {**of_the_rooms(), **own}
    assert len(expected) > 400
    assert sorted(found) == sorted(expected)
    assert [name for name in found if found[name] != expected[name]] == []


def test_the_rooms_hold_no_other_kind_of_file() -> None:
    """A new kind must be thought of here: who reads it, and whether the wheel needs it."""
    assert {Path(name).suffix for name in of_the_rooms()} == PACKED


def test_neither_holds_links_caches_or_environments(wheel: Path, sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        members = archive.getmembers()
    assert [member.name for member in members if not (member.isfile() or member.isdir())] == []
    names = [*contents(wheel), *(member.name for member in members)]
    unwanted = ("__pycache__", ".venv", "node_modules", ".hypothesis", ".mypy_cache", "package/links")
    assert [name for name in names if any(part in name for part in unwanted) or name.endswith(".pyc")] == []
    with zipfile.ZipFile(wheel) as opened:
        assert [each.filename for each in opened.infolist() if (each.external_attr >> 16) & 0o170000 == 0o120000] == []


def test_the_wheel_has_neither_tests_nor_scripts(wheel: Path) -> None:
    found = {name.split("/")[1] for name in contents(wheel) if name.startswith("kontor_games/") and name.count("/") > 1}
    assert found == set(ROOMS)


def tracked() -> list[str]:
    """What git knows of this checkout; an sdist unpacked somewhere has no git."""
    run = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        pytest.skip("this tree is not a checkout")
    return run.stdout.splitlines()


def test_the_sdist_has_all_that_git_has(sdist: Path, tmp_path: Path) -> None:
    tree = unpacked(sdist, tmp_path)
    expected = [name for name in tracked() if not name.startswith("scripts/package/links/") and (ROOT / name).exists()]
    assert [name for name in expected if not (tree / name).is_file()] == []
    assert {"tests", "docs", "scripts", *ROOMS} <= {path.name for path in tree.iterdir()}


def test_the_sdist_builds_the_same_wheel(wheel: Path, sdist: Path, tmp_path: Path) -> None:
    again = build("wheel", unpacked(sdist, tmp_path / "tree"), tmp_path / "wheel")
    assert again.name == wheel.name
    assert again.read_bytes() == wheel.read_bytes()
