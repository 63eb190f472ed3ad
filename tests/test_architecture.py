"""docs/architecture.md and the index of decisions: links lead somewhere, and the picture shows what test_rooms says."""

from __future__ import annotations

import re
from pathlib import Path

from .test_rooms import PACKAGES, ROOT

DOCS = ROOT / "docs"
TEXT = (DOCS / "architecture.md").read_text(encoding="utf-8")
ROOMS, WAY = re.findall(r"```mermaid\n(.*?)```", TEXT, re.S)
BOX = re.compile(r'(\w+)\["[^"]*"\]')
CLICK = re.compile(r'(?m)^  click (\w+) "([^"]+)"$')
ARROW = re.compile(r'(\w+)(?:\["[^"]*"\])? --> (\w+)')
LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")
DECISIONS = DOCS / "adr"


def package(target: str) -> str:
    """`../net/wire/` is the package net.wire."""
    return target.removeprefix("../").rstrip("/").replace("/", ".")


def reachable(arrows: set[tuple[str, str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = {start}
    while waiting:
        further = {target for source, target in arrows if source in waiting}
        waiting = further - found
        found |= further
    return found


def test_every_link_leads_to_a_file_or_folder() -> None:
    links = [*LINK.findall(TEXT), *(target for _, target in CLICK.findall(TEXT))]
    assert len(links) > 80
    assert [link for link in links if "://" not in link and not (DOCS / link).exists()] == []


def test_every_box_of_both_pictures_links_to_its_folder() -> None:
    for picture in (ROOMS, WAY):
        targets = dict(CLICK.findall(picture))
        boxes = {box for box in BOX.findall(picture) if f"subgraph {box}" not in picture}
        assert boxes == set(targets)
        assert all((DOCS / target).is_dir() for target in targets.values())


def test_a_box_is_called_as_its_folder() -> None:
    assert {box: package(target) for box, target in CLICK.findall(ROOMS)} == {
        box: box.replace("_", ".") for box, _ in CLICK.findall(ROOMS)
    }


def test_every_package_is_in_the_picture_and_in_the_table() -> None:
    drawn = {package(target) for _, target in CLICK.findall(ROOMS)}
    told = {package(target) for target in re.findall(r"(?m)^\| \[[^]]+\]\(([^)]+/)\) \|", TEXT)}
    assert set(PACKAGES) <= drawn and drawn == told


def test_arrows_are_allowed_and_say_all_that_is_allowed() -> None:
    arrows = {(source.replace("_", "."), target.replace("_", ".")) for source, target in ARROW.findall(ROOMS)}
    between = {(source, target) for source, target in arrows if source in PACKAGES and target in PACKAGES}
    assert {(source, target) for source, target in between if target not in PACKAGES[source]} == set()
    hidden = {name: needs - reachable(between, name) for name, needs in PACKAGES.items()}
    assert {name: needs for name, needs in hidden.items() if needs} == {}


def test_the_walk_names_one_file_for_each_wish() -> None:
    rows = re.findall(
        r"(?m)^\| (.+?) \| \[([^]]+)\]\(([^)]+)\)(?:, then .+)? \|$", TEXT.partition("## I want to change")[2]
    )
    assert len(rows) >= 20 and len({wish for wish, _, _ in rows}) == len(rows)
    assert len(rows) == TEXT.partition("## I want to change")[2].count("\n| ") - 1  # all but the heading
    for wish, name, target in rows:
        assert target == f"../{name}" and (ROOT / name).is_file(), wish


def test_the_index_of_decisions_has_them_all_with_their_titles() -> None:
    index = (DECISIONS / "README.md").read_text(encoding="utf-8")
    listed = {
        file: (int(number), title) for number, file, title in re.findall(r"\| \[(\d+)\]\((.+?)\) \| (.+) \|", index)
    }
    found = {path.name: title_of(path) for path in DECISIONS.glob("[0-9]*.md")}
    assert listed == found


def test_the_index_of_decisions_explains_every_gap() -> None:
    index = (DECISIONS / "README.md").read_text(encoding="utf-8")
    used = {int(path.name[:4]) for path in DECISIONS.glob("[0-9]*.md")}
    explained = re.search(r"The numbers ([\d, and]+) are not used", index)
    assert explained is not None
    assert {int(number) for number in re.findall(r"\d+", explained[1])} == set(range(1, max(used))) - used


def title_of(path: Path) -> tuple[int, str]:
    number, _, title = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ").partition(". ")
    return int(number), title
