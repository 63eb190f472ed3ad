"""Pictures that follow from the code: the steps of a session (`net/lockstep/steps.py`), for `docs/session-steps.md`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from kontor_games.net.lockstep.steps import STEPS

TARGET = Path(__file__).parents[2] / "docs" / "session-steps.md"

SOURCE = "[net/lockstep/steps.py](../net/lockstep/steps.py)"
HEAD = f"""# The steps of a session

Written by `scripts/diagrams` from {SOURCE}, which says why this order; do not edit it here.

After every input a session takes the first step that has something to do and begins again at the top, until none has.
A message of our own ends the round: it must be on the disk first. A gate may end the round although steps after it have
something to do.
"""


def page() -> str:
    """The whole document."""
    return "\n".join([HEAD, "```mermaid", *flowchart(), "```", "", *table(), ""])


def flowchart() -> Iterator[str]:
    """The steps from top to bottom, each with its ways out."""
    yield "flowchart TD"
    yield '  input(["an input was taken"]) --> ' + STEPS[0].name
    for number, step in enumerate(STEPS):
        after = STEPS[number + 1].name if number + 1 < len(STEPS) else "rest"
        yield f'  {step.name}{{{{"{label(step.name)}"}}}}' if step.is_gate else f'  {step.name}["{label(step.name)}"]'
        yield f"  {step.name} -- nothing to do --> {after}"
        if step.is_gate:
            yield f"  {step.name} -- closed --> rest"
        yield f"  {step.name} -- effects --> again"
    yield '  again(["begin at the top"]) --> ' + STEPS[0].name
    yield '  rest(["wait for the next input"])'


def table() -> Iterator[str]:
    """The same in words."""
    yield "| | step | what it does |"
    yield "|---|---|---|"
    for number, step in enumerate(STEPS, 1):
        yield f"| {number} | `{step.name}`{' (gate)' if step.is_gate else ''} | {step.text} |"


def label(name: str) -> str:
    """A function's name as words."""
    return name.replace("_", " ")


def main(arguments: list[str]) -> int:
    """Write the document, or only say whether it is as the code has it."""
    made = page()
    if "--check" in arguments:
        return int(not TARGET.exists() or TARGET.read_text(encoding="utf-8") != made)
    TARGET.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
