"""What a report says of an archive that `making_main.py` made, against what its manifest says must be found.

Four things can be wrong: a true file that is not verified, a doctored one that is, a pair that contradicts and is not
named (or one that is named and does not), and a player who is said to have signed twice and did not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.worlds.match_files import frame_of, last_frame, unpacked

Pair = frozenset[str]


class Comparison:
    """A manifest beside a report in JSON lines."""

    def __init__(self, folder: Path, report: Path, names: tuple[str, ...]) -> None:
        self._folder = folder
        self._names = names
        self._manifest = {line["path"]: line for line in _lines(folder / "manifest.jsonl")}
        self._found = {str(Path(line["path"]).relative_to(folder)): line for line in _lines(report)}

    def figures(self) -> str:
        """What was there to be found, and what was found."""
        doctored = [path for path, line in self._manifest.items() if line["expected"] == "refused"]
        refused = sum(path in self._found and self._found[path]["verdict"] != "verified" for path in doctored)
        pairs, named = self._expected_pairs(), self._named_pairs()
        return (
            f"{len(self._found):,} of {len(self._manifest):,} files told; {refused} of {len(doctored)} doctored files "
            f"refused; {len(pairs & named.keys())} of {len(pairs)} contradicting pairs named"
        )

    def mistakes(self) -> Iterator[str]:
        """Everything that the report gets wrong, in words."""
        for path in self._manifest.keys() ^ self._found.keys():
            yield f"{path}: only in the {'manifest' if path in self._manifest else 'report'}"
        for path, line in self._found.items():
            expected = self._manifest.get(path, {}).get("expected")
            if expected == "verified" and line["verdict"] != "verified":
                yield f"{path}: {line['line']}, but nothing is wrong with it"
            if expected == "refused" and line["verdict"] == "verified":
                yield f"{path}: verified, but it was doctored ({self._manifest[path]['what']})"
        pairs, named = self._expected_pairs(), self._named_pairs()
        for pair in sorted(map(sorted, pairs - named.keys())):
            yield f"{' and '.join(pair)}: contradict each other, and that is not named"
        for both, accused in named.items():
            if both not in pairs:
                yield f"{' and '.join(sorted(both))}: do not contradict each other"
            elif accused != (guilty := self._guilty(both)):
                yield f"{' and '.join(sorted(both))}: {sorted(accused)} named, but {sorted(guilty)} signed twice"

    def _expected_pairs(self) -> set[Pair]:
        return {frozenset((path, line["clash"])) for path, line in self._manifest.items() if line["clash"]}

    def _named_pairs(self) -> dict[Pair, set[str]]:
        """Pairs that the report names, with whoever is said to have signed twice."""
        named: dict[Pair, set[str]] = {}
        for path, line in self._found.items():
            for other in line["contradicts"]:
                pair = frozenset((path, str(Path(other["path"]).relative_to(self._folder))))
                named.setdefault(pair, set()).update(player for player in self._names if player in other["text"])
        return named

    def _guilty(self, pair: Pair) -> set[str]:
        """Whoever signed both stories: all but the one who was put out, or the one who moved last."""
        whole = self._folder / min(pair, key=len)
        records = unpacked(whole.read_bytes())
        if int(whole.stem) % 2:
            return {self._names[frame_of(records[last_frame(records)]).s]}
        return set(self._names[1:3])


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
