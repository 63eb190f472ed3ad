"""The web client's catalogue: every text that the code asks for is there, and none lies there unused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kontor_games.engine import game_ids, load

WEB = Path(__file__).parent.parent.parent / "clients" / "web"
PLURALS = {"zero", "one", "two", "few", "many", "other"}


def texts(entry: Any, path: str = "") -> Iterator[str]:
    """All keys; an entry with plural forms is one key."""
    for name, value in entry.items():
        key = f"{path}{name}"
        if isinstance(value, dict) and not set(value) <= PLURALS:
            yield from texts(value, f"{key}.")
        else:
            yield key


KEYS = set(texts(json.loads((WEB / "words" / "en.json").read_text(encoding="utf-8"))))
CODE = "\n".join(path.read_text(encoding="utf-8") for path in sorted(WEB.rglob("*.js")))


def asked() -> set[str]:
    """Keys written out in the code."""
    return set(re.findall(r'"([\w.]+)"', CODE)) & KEYS


def stems() -> set[str]:
    """What keys begin with that the code puts together: t(`osaka.doing_${phase}`)."""
    return set(re.findall(r"`([a-z]\w*\.\w*)\$\{", CODE))


def test_every_text_that_the_code_asks_for_is_in_the_catalogue() -> None:
    literal = set(re.findall(r'\bt\("([\w.]+)"', CODE))
    assert literal and literal <= KEYS, sorted(literal - KEYS)
    missing = [stem for stem in stems() if not any(key.startswith(stem) for key in KEYS)]
    assert not missing, missing


def test_no_text_of_the_catalogue_lies_unused() -> None:
    used = {key for key in KEYS if key in asked() or any(key.startswith(stem) for stem in stems())}
    assert not KEYS - used, sorted(KEYS - used)


def needed(names: list[str]) -> set[str]:
    """These modules and all that they import at once."""
    found: set[Path] = set()
    waiting = [WEB / name for name in names]
    while waiting:
        path = waiting.pop().resolve()
        if path not in found:
            found.add(path)
            waiting += [
                path.parent / name for name in re.findall(r'^import [^;]*?from "(\.[^"]+)"', path.read_text(), re.M)
            ]
    return {f"/{path.relative_to(WEB.resolve())}" for path in found}


def test_the_page_asks_for_all_modules_of_its_first_screens_at_once() -> None:
    listed = re.findall(r'rel="modulepreload" href="([^"]+)"', (WEB / "index.html").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(needed(["app.js", "screens/home.js", "screens/match.js"]) - {"/app.js"})


def test_the_client_loads_nothing_from_outside_and_parses_no_markup() -> None:
    pages = CODE + "\n".join(
        path.read_text(encoding="utf-8") for path in [WEB / "index.html", *sorted((WEB / "style").glob("*.css"))]
    )
    outside = [url for url in re.findall(r"(?:https?:)?//[a-z][\w.-]+", pages) if url != "http://www.w3.org"]
    assert not outside, outside
    assert "innerHTML" not in CODE.replace('{ property: "innerHTML" }', "")
    assert not re.search(r"<script(?![^>]*\bsrc=)|\sstyle=|\son\w+=", (WEB / "index.html").read_text(encoding="utf-8"))


def test_every_option_has_a_name_and_an_explanation_for_players() -> None:
    words = json.loads((WEB / "words" / "en.json").read_text(encoding="utf-8"))["options"]
    code = re.compile(r"\w_\w|[A-Z]\d\d|[«»{}|]")
    for option in {option.id: option for game in game_ids() for option in load(game).options}.values():
        for text in (words[option.id], words[f"about_{option.id}"]):
            assert not code.search(text), text
        assert words[f"about_{option.id}"].endswith(".")
        shown = [value for value in option.allowed if isinstance(value, str)]
        assert all(f"is_{option.id}_{value}" in words for value in shown), (option.id, shown)
        assert not re.search(r"\b[A-Z]\d\d\b", option.text), option.text
