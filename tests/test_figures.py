"""The limits that `scripts/figures` prints are kept, in Python and in JavaScript."""

from __future__ import annotations

import functools
import importlib.machinery
import importlib.util
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parent.parent


@functools.cache
def _figures() -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("figures", str(ROOT / "scripts" / "figures"))
    spec = importlib.util.spec_from_loader("figures", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


@functools.cache
def _measured() -> list[tuple[str, str, list[str]]]:
    return list(_figures().measured(ROOT, with_hops=False))


def test_no_folder_class_file_or_function_is_larger_than_the_limit() -> None:
    limits = _figures().LIMITS
    assert {title for title, *_ in _measured()} >= set(limits)
    above = {title: below for title, number, below in _measured() if title in limits and not number.endswith(": 0")}
    assert above == {}


def test_no_class_name_is_used_twice_and_no_imports_go_round() -> None:
    numbers = {title: below for title, _, below in _measured()}
    assert numbers["class names used twice"] == [] and numbers["import cycles"] == []


def test_modules_have_names_of_their_own_but_for_packages_of_several_rooms() -> None:
    numbers = {title: below for title, _, below in _measured()}
    assert set(numbers["module names used twice"]) <= {"commands", "ladder", "match", "model", "node", "text"}


def test_scripts_without_an_ending_and_classes_of_javascript_are_counted() -> None:
    figures = _figures()
    paths = figures.code_files(ROOT)
    assert {ROOT / "scripts" / "test", ROOT / "scripts" / "benches" / "bench_main.py"} <= set(paths)
    assert any("MatchPage" in name for _, name in figures.script_classes(paths, ROOT))


def test_methods_of_a_class_in_javascript_are_counted(tmp_path: Path) -> None:
    text = "export class Two {\n  constructor() {\n    if (true) {\n    }\n  }\n\n  async get(a = 1) {\n  }\n}\n"
    (tmp_path / "two.js").write_text(text, encoding="utf-8")
    assert list(_figures().script_classes([tmp_path / "two.js"], tmp_path)) == [(2, "two.js:1 Two")]
