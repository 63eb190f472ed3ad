"""`scripts/figures` counts what it says, in this checkout and in older ones."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from .building import ROOT


def tree(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def figures(*folders: Path) -> list[str]:
    command = [sys.executable, str(ROOT / "scripts" / "figures"), *map(str, folders)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


SMALL = {
    "net/ledger/__init__.py": "",
    "net/ledger/ledger.py": "class Ledger:\n    def one(self): ...\n    def two(self): ...\n",
    "net/words.py": "WORDS = [\n" + "    'a',\n" * 700 + "]\n",
    "lobby/one.py": "from kontor_games.lobby import two\n\n\ndef long():\n" + "    x = 1\n" * 70,
    "lobby/two.py": "def late():\n    from .one import long\n    return long\n",
}


def test_a_package_and_its_namesake_are_one_name_and_tables_do_not_count(tmp_path: Path) -> None:
    said = figures(tree(tmp_path, SMALL))
    assert "module names used twice: 0" in said and "files in all: 4" in said
    assert "methods of a class: 2, above 35: 0" in said and "lines of a file: 74, above 500: 0" in said
    assert "lines of a function: 71, above 60: 1" in said


def test_cycles_are_found_through_late_imports_and_bare_names(tmp_path: Path) -> None:
    assert "import cycles: 1" in figures(tree(tmp_path / "new", SMALL))
    bare = {**SMALL, "lobby/one.py": "from lobby.two import late\n\n\ndef long():\n    return late\n"}
    assert "import cycles: 1" in figures(tree(tmp_path / "old", bare))


def test_a_name_in_two_packages_is_used_twice(tmp_path: Path) -> None:
    twice = {**SMALL, "clients/ledger.py": "class Ledger:\n    def one(self): ...\n"}
    said = figures(tree(tmp_path, twice))
    assert said[said.index("class names used twice: 1") + 1] == "  Ledger"
    assert said[said.index("module names used twice: 1") + 1] == "  ledger"


def test_two_checkouts_are_compared_in_one_table(tmp_path: Path) -> None:
    before = tree(tmp_path / "before", SMALL)
    after = tree(tmp_path / "after", {**SMALL, "lobby/two.py": ""})
    assert "| import cycles | 1 | 0 |" in figures(before, after)


def test_a_room_called_links_counts_and_the_links_for_mypy_do_not(tmp_path: Path) -> None:
    rooms = {**SMALL, "net/links/mesh.py": "class Ledger:\n    def one(self): ...\n", "net/links/__init__.py": ""}
    said = figures(tree(tmp_path, {**rooms, "scripts/package/links/kontor_games/copy.py": "class Ledger: ...\n"}))
    assert "files in all: 6" in said and "class names used twice: 1" in said


def test_what_is_not_a_checkout_is_refused_with_a_sentence(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "scripts" / "figures"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "is not a checkout of Kontor" in done.stderr and "Traceback" not in done.stderr
