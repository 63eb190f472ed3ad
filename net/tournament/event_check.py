"""The check of a whole event, from its files alone: what anybody can do, trusting nobody.

The chain first (`event_chain.py`), then everything that lies in the folder, then every match file: is it there, are its
bytes those that were handed in, does it verify, is it a match of this round's table with everything that was declared,
and does the record say what the file says? Points and standings follow. One fault does not hide the others.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from kontor_games.engine.errors import StoreError
from kontor_games.net.record.verify import NOT_JUDGED

from .event_chain import read_chain, why_not_after
from .event_folder import CHAIN, MATCHES, EventFolder, chain_in
from .event_records import BrokenChain, ResultFiled
from .event_state import EventState
from .played_match import PlayedMatch, result_of, why_not_played
from .result_files import Tick, bytes_of, clashes, played_in


@dataclass(slots=True)
class EventChecked:
    """What a check found; without faults and open questions the event holds."""

    state: EventState | None = None
    faults: list[str] = field(default_factory=list)
    not_judged: list[str] = field(default_factory=list)  # files that no process could judge: nothing is known of them
    notes: list[str] = field(default_factory=list)
    has_files: bool = True  # False: a chain alone was checked, without the files of its results

    @property
    def code(self) -> int:
        """An exit code: 0 it holds, 1 it does not, 3 it cannot be said."""
        return 1 if self.faults else 3 if self.not_judged else 0


def check(
    path: Path, cache: Path | None = None, older: Path | None = None, tick: Tick = lambda done, total: None
) -> EventChecked:
    """Check an event's folder, and that it goes on from an older copy; never raises for what they hold."""
    found = EventChecked()
    try:
        data = chain_in(path)
        found.state = state = read_chain(data)
    except (BrokenChain, StoreError) as error:
        found.faults.append(str(error))
        return found
    if older is not None:
        found.faults += _against(older, data)
    found.has_files = path.is_dir()
    if not found.has_files:
        found.notes.append(f"this is a copy of {CHAIN} alone: the match files were not checked")
        return found
    folder = EventFolder(path)
    for name in folder.strangers(state):
        hint = "; no record names it" if name.startswith(f"{MATCHES}/") else ""
        found.faults.append(f"{name} does not belong to the event{hint}")
    _check_files(folder, state, cache, found, tick)
    return found


def _against(older: Path, data: bytes) -> list[str]:
    try:
        before = chain_in(older)
        read_chain(before)
    except (BrokenChain, StoreError) as error:
        return [f"the older copy: {error}"]
    reason = why_not_after(before, data)
    return [] if reason is None else [f"compared with the older copy: {reason}"]


def _check_files(folder: EventFolder, state: EventState, cache: Path | None, found: EventChecked, tick: Tick) -> None:
    filed = list(state.filed.values())
    there = []
    for record in filed:
        if folder.match_path(record.file).is_file():
            there.append(record)
        else:
            found.faults.append(f"{_where(record)}: its file {MATCHES}/{record.file}.kontor is missing")
    paths = [folder.match_path(record.file) for record in there]
    for record, played in zip(there, played_in(paths, cache, tick), strict=True):
        reason = _why_not_file(state, record, played)
        if reason is not None:
            kind = found.not_judged if played.verdict == NOT_JUDGED else found.faults
            kind.append(f"{_where(record)}: {reason}")
    if not found.faults and not found.not_judged:  # only then are all files what they were when they were handed in
        _note_clashes(folder, filed, found)


def _why_not_file(state: EventState, record: ResultFiled, played: PlayedMatch) -> str | None:
    if played.file != record.file and played.verdict != NOT_JUDGED:
        return f"the bytes of {MATCHES}/{record.file}.kontor are not those that were handed in"
    refusal = why_not_played(state, played)
    if refusal is not None:
        return f"its file does not count ({refusal.fault}): {refusal.text}"
    if result_of(state, played) != record:
        return "the record says something else than its file"
    return None


def _note_clashes(folder: EventFolder, filed: list[ResultFiled], found: EventChecked) -> None:
    groups: dict[str, list[ResultFiled]] = defaultdict(list)
    for record in filed:
        groups[record.match].append(record)
    for group in groups.values():
        if len(group) > 1:
            files = [(each.file[:12], bytes_of(folder.match_path(each.file), each.file)) for each in group]
            for clash in clashes(files):
                found.notes.append(f"{_where(group[-1])}: the file contradicts one handed in before it: {clash.text}")


def _where(record: ResultFiled) -> str:
    return f"round {record.round}, table {record.table}"
