"""Which searches are done: a campaign writes it down, so that another can go on where it stopped.

One line for each part that was searched to its end without a finding: what was searched, and how much that was. What
was cut short or found something is not written: it is searched again, and so found again. Results count only for the
code that gave them: each line has a digest of all that is explored and of all that explores.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .findings import Tally

if TYPE_CHECKING:
    from .campaign import Part

ROOT = Path(__file__).parents[2]
EXPLORED = ("engine", "net/ledger", "net/lockstep", "net/record", "net/sealed", "net/system", "net/wire")
EXPLORERS = ("tests/explore", "tests/worlds")
COUNTED = ("schedules", "states", "deliveries", "executed")


def files() -> Iterator[Path]:
    """What is explored and what explores."""
    for name in (*EXPLORED, *EXPLORERS):
        path = ROOT / name
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (each for each in found if each.suffix in (".py", ".toml") and not each.name.startswith("test_"))


def digest() -> str:
    """Changes with every change of these files."""
    whole = blake2b(digest_size=16)
    for path in files():
        raw = path.read_bytes()
        whole.update(f"{path.relative_to(ROOT).as_posix()} {len(raw)}\n".encode())
        whole.update(raw)
    return whole.hexdigest()


class Done:
    """The file, as far as it is about this code."""

    def __init__(self, path: Path, code: str | None = None) -> None:
        self._path = path
        self._code = code or digest()
        self._tallies: dict[str, Tally] = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            self._read(line)

    def _read(self, line: str) -> None:
        try:
            raw: dict[str, Any] = json.loads(line)
        except ValueError:
            return  # the process ended while it was written
        if raw["code"] == self._code:
            counts = {name: raw[name] for name in COUNTED}
            self._tallies[json.dumps(raw["part"])] = Tally(**counts, endings=Counter(raw["endings"]))

    def tally(self, part: Part) -> Tally | None:
        """What this part gave, if it is done."""
        return self._tallies.get(json.dumps(_named(part)))

    def add(self, part: Part, tally: Tally) -> None:
        """A part has ended."""
        if part.seed is not None or tally.incomplete or tally.findings:
            return
        counts = {name: getattr(tally, name) for name in COUNTED}
        line = {"code": self._code, "part": _named(part), **counts, "endings": dict(tally.endings)}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def _named(part: Part) -> list[Any]:
    return [part.name, part.liars, part.plans, part.depth, part.leaves]
