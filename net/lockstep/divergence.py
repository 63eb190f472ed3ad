"""The report on two nodes whose states differ: one folder with everything that is needed to find the cause."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.record.chain_records import records_of, write_transcript

from .effects import WriteBundle

MAX_LINES = 200


def field_diff(ours: Any, theirs: Any, path: str = "state") -> Iterator[str]:
    """The fields in which two values differ, named as in the source."""
    if type(ours) is not type(theirs):
        yield f"{path}: ours {ours!r:.80}, theirs {theirs!r:.80}"
    elif isinstance(ours, msgspec.Struct):
        for name in ours.__struct_fields__:
            yield from field_diff(getattr(ours, name), getattr(theirs, name), f"{path}.{name}")
    elif isinstance(ours, tuple | list):
        if len(ours) != len(theirs):
            yield f"{path}: ours has {len(ours)} entries, theirs {len(theirs)}"
        for index, (mine, yours) in enumerate(zip(ours, theirs, strict=False)):
            yield from field_diff(mine, yours, f"{path}[{index}]")
    elif ours != theirs:
        yield f"{path}: ours {ours!r:.80}, theirs {theirs!r:.80}"


def diff_states(ledger: Ledger, ours: bytes, theirs: bytes) -> list[str]:
    """The differing fields of two states in their canonical bytes."""
    kind: Any = type(ledger.state)
    try:
        pair = [msgspec.msgpack.decode(raw, type=kind) for raw in (ours, theirs)]
    except (msgspec.DecodeError, RecursionError):
        pair = [msgspec.msgpack.decode(raw) for raw in (ours, theirs)]
    lines = list(field_diff(*pair))
    return lines[:MAX_LINES] + ([f"… and {len(lines) - MAX_LINES} more"] if len(lines) > MAX_LINES else [])


def write_bundle(
    directory: Path, ledger: Ledger, signatures: Sequence[bytes], report: WriteBundle, version: str
) -> Path:
    """Write the folder; what is in it is public to the table, no key and no hidden card."""
    folder = directory / f"divergence-ply-{ledger.ply}-peer-{report.peer}"
    folder.mkdir(parents=True, exist_ok=True)
    write_transcript(folder / "chain.kontor", records_of(ledger, signatures))
    (folder / "ours.msgpack").write_bytes(report.ours)
    (folder / "theirs.msgpack").write_bytes(report.theirs)
    try:
        differences = diff_states(ledger, report.ours, report.theirs)
    except (msgspec.DecodeError, RecursionError, TypeError) as error:
        differences = [f"theirs cannot be read: {error}"]
    facts = {
        "match": ledger.match.hex(),
        "ply": ledger.ply,
        "tip": report.tip.hex(),
        "peer": report.peer,
        "our_version": version,
        "their_version": report.versions,
        "differences": differences,
    }
    (folder / "report.json").write_text(json.dumps(facts, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return folder
