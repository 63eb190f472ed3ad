"""Match files for an event: judged by processes of their own, described, and compared with those of the same match.

Judges are those of `net/archive`: a file that kills, hangs or confuses one costs only itself. What they answer is about
the bytes that were hashed; the terms are read here from the same bytes, once they are verified.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from kontor_games.net.archive.asking import Asked, FileAsking, digest_of, read_file
from kontor_games.net.archive.duties import report_in
from kontor_games.net.archive.judge_identity import identity_mark, judge_identity
from kontor_games.net.archive.judge_pool import JudgePool
from kontor_games.net.archive.match_rows import Description, description_in
from kontor_games.net.archive.verdict_cache import VerdictCache
from kontor_games.net.record.compare import Contradiction, Kept, fold, story_of
from kontor_games.net.record.transcript import TermsRecord, UnreadableFile
from kontor_games.net.record.verify import NOT_JUDGED, VERIFIED, Report, records_in, unreadable
from kontor_games.net.wire.terms import Terms, decode_terms

from .played_match import PlayedMatch

Tick = Callable[[int, int], None]


def played_in(
    paths: Sequence[Path], cache: Path | None, tick: Tick = lambda done, total: None
) -> Iterator[PlayedMatch]:
    """What these files are, in their order."""
    if not paths:
        return
    files = [(number, str(path)) for number, path in enumerate(paths)]
    judges = JudgePool(max(1, min(os.cpu_count() or 1, len(files))))
    known = VerdictCache(cache, identity_mark(judge_identity()))
    try:
        asking = FileAsking(judges, known, "judge", lambda done: tick(done, len(files)))
        judged = list(asking.answers(iter(files)))
        verified = [each for each in judged if (report := _report(each)) and report.code == VERIFIED and report.sealed]
        again = FileAsking(judges, known, "describe", lambda done: None)
        told = {each.number: each for each in again.answers((each.number, each.path) for each in verified)}
        for each in judged:
            yield _played(each, told.get(each.number))
    finally:
        judges.close()
        known.close()


def _report(asked: Asked) -> Report | None:
    """None: nobody could judge it."""
    if asked.answer is not None:
        return report_in(asked.answer)
    return unreadable(asked.path, asked.unreadable) if asked.unreadable else None


def _played(asked: Asked, told: Asked | None) -> PlayedMatch:
    report = _report(asked)
    if report is None:
        return PlayedMatch(asked.content.hex(), NOT_JUDGED, asked.not_judged)
    found = PlayedMatch(asked.content.hex(), report.verdict, report.line, report.match, report.fault)
    if told is None:
        return found
    if told.answer is None or told.content != asked.content:
        return replace(found, verdict=NOT_JUDGED, line=told.not_judged or "the file changes while it is read")
    return _described(found, report, description_in(told.answer), _terms(Path(asked.path), asked.content))


def _described(found: PlayedMatch, report: Report, told: Description, terms: Terms) -> PlayedMatch:
    seats = told.seats
    left = tuple(seat.seat for seat in seats if seat.left)
    places = tuple(seat.place for seat in seats if seat.place is not None)
    scores = tuple(seat.score for seat in seats if seat.score is not None)
    if told.match.ending == "forfeit":  # of two: whoever left is second
        left = tuple(n for n, seat in enumerate(terms.seats) if report.peers[seat.peer]["left"])
        places = tuple(2 if seat in left else 1 for seat in range(len(seats)))
    is_whole = len(places) == len(seats)
    return replace(
        found,
        terms=terms,
        finished=report.finished,
        final=report.final,
        places=places if is_whole else (),
        scores=scores if len(scores) == len(seats) else (),
        left=left,
    )


def _terms(path: Path, content: bytes) -> Terms:
    """The terms of a verified file."""
    data = bytes_of(path, content.hex())
    first = records_in(io.BytesIO(data))[0][0].record
    assert isinstance(first, TermsRecord)
    return decode_terms(first.raw)


def bytes_of(path: Path, file: str) -> bytes:
    """The bytes of a file that has this digest; raises UnreadableFile."""
    data = read_file(str(path))
    if digest_of(data).hex() != file:
        raise UnreadableFile(f"{path.name} has changed: its bytes are not those that were handed in")
    return data


def clashes(files: Sequence[tuple[str, bytes]]) -> tuple[Contradiction, ...]:
    """What the last of these verified files of one match, labels and bytes, contradicts in those before it."""
    kept: Kept = []
    found: tuple[Contradiction, ...] = ()
    for label, data in files:
        found = fold(kept, label, story_of(records_in(io.BytesIO(data))[0])).contradicts
    return found
