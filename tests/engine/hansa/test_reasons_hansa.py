"""Every refusal has an id of its own, so that it can be worded in another language."""

from __future__ import annotations

import ast
from pathlib import Path

from kontor_games.engine.games.hansa import rules

FOLDER = Path(rules.__file__).parent.parent


def templates() -> list[tuple[str, str]]:
    """Id and sentence of every reason in the source; a sentence may stand in a variable just above."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.rglob("*.py"))]
    return [pair for tree in trees for pair in _in(tree, {})]


def _in(node: ast.AST, texts: dict[str, str]) -> list[tuple[str, str]]:
    """Reasons below a node in the order of the source; `texts` are the values of variables by now."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Constant):
        texts[node.targets[0].id] = str(node.value.value)
    found = []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Reason":
        id, text = node.args
        assert isinstance(id, ast.Constant)
        found.append((str(id.value), texts[text.id] if isinstance(text, ast.Name) else str(ast.literal_eval(text))))
    return found + [pair for child in ast.iter_child_nodes(node) for pair in _in(child, texts)]


def test_an_id_means_one_sentence_and_a_sentence_has_one_id() -> None:
    found = set(templates())
    assert len(found) > 80
    assert len({id for id, _ in found}) == len({text for _, text in found}) == len(found)
