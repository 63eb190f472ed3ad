"""The choices of a match in the groups of their kinds, and its draft in sentences: every terminal shows them alike."""

from __future__ import annotations

from typing import Any

Data = dict[str, Any]


def groups_of(state: Data) -> list[tuple[str, list[Data]]]:
    """The titles of the kinds in the order of their buttons, each with its choices; choices of no kind come last."""
    titles = {kind["id"]: str(kind["label"]) for kind in state["kinds"]}
    found: dict[str, list[Data]] = {title: [] for title in titles.values()}
    rest: list[Data] = []
    guide = state.get("guide")
    for entry in state["menu"] if guide is None else (state["menu"][place] for place in guide["choices"]):
        found.get(titles.get(entry["kind"], ""), rest).append(entry)
    groups = [(title, entries) for title, entries in found.items() if entries]
    return [*groups, ("", rest)] if rest else groups


def choices_of(state: Data) -> list[Data]:
    """All choices in the order in which they are numbered."""
    return [entry for _, entries in groups_of(state) for entry in entries]


def guide_words(state: Data) -> str:
    """What the guide of a first match says now; empty if there is none."""
    guide = state.get("guide")
    return "" if guide is None else f"Guide, {guide['step']} of {guide['of']}: {guide['title']}. {guide['text']}"


def reads_on(state: Data) -> bool:
    """Whether the guide waits for nothing but being read."""
    return state.get("guide") is not None and state["guide"]["wait"] == "next"


def sentences(state: Data) -> list[str]:
    """What is drafted, step by step; several are numbered."""
    says = [str(step["say"]) for step in state["draft"]["steps"]]
    return says if len(says) < 2 else [f"{number}. {say}" for number, say in enumerate(says, 1)]
