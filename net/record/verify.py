"""`verify`: re-run a match file from nothing but its bytes, and say what was found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from kontor_games.engine import KontorError, result_dict
from kontor_games.engine import load as load_game
from kontor_games.net.wire.identity import fingerprint

from .compare import Comparison, Story, story_of
from .evidence import judge
from .local_chain import LOCAL_DECK, deck_mode
from .local_replay import CannotJudge, Differs, Load, Replayer, judging, seed_in
from .proof import Proven, prove
from .transcript import Placed, SignedRecord, TermsRecord, Torn, Unreadable, open_file, read
from .verdict import headline, notes, words

SEALED_DECK = "sealed/1"

VERIFIED, REFUTED, UNREADABLE, CANNOT_JUDGE = range(4)
VERDICTS = ("verified", "refuted", "unreadable", "cannot judge")


@dataclass(frozen=True)
class Report:
    """What verification found in one file; `code` is the exit code."""

    path: str
    code: int
    message: str
    game: str = ""
    match: str = ""
    players: tuple[str, ...] = ()
    plies: int = 0
    differs_at: int | None = None  # the first ply that differs
    finished: bool = False  # over, and not only by the word of whoever moved last
    final: bool = False  # signed at its end by all who stayed
    result: dict[str, Any] | None = None
    notes: tuple[str, ...] = ()
    peers: tuple[dict[str, Any], ...] = ()  # of a network match: key, fingerprint, names, signed, left
    sealed: bool = False  # a network match whose hidden cards are proven
    fault: str = ""  # what the file proves somebody did, if it is evidence
    tip: str = ""  # the last link of a network match's chain: equal tips are equal matches
    copy_of: str = ""  # among several files: one that holds the same match
    contradicts: tuple[dict[str, Any], ...] = ()  # among several files: those that cannot be true beside this one
    story: Story | None = field(default=None, repr=False)  # what comparing needs

    def as_dict(self) -> dict[str, Any]:
        """Plain data for `--json`."""
        shown = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "story"}
        return {"verdict": VERDICTS[self.code], "line": self.line, **shown}

    def beside(self, comparison: Comparison) -> Report:
        """This report with what the file adds to those that were fed before."""
        if self.code != VERIFIED or self.story is None:
            return self
        found = comparison.feed(self.path, self.story)
        contradicts = tuple(
            {"path": each.label, "twice": [list(pair) for pair in each.twice], "text": each.text}
            for each in found.contradicts
        )
        return replace(self, copy_of=found.copy_of, contradicts=contradicts, story=None)

    @property
    def line(self) -> str:
        """The verdict in one line."""
        return headline(VERDICTS[self.code], self.message)


Progress: TypeAlias = Callable[[int, int], None]


def verify(path: Path, load: Load = load_game, progress: Progress | None = None) -> Report:
    """Check one file completely; never raises for what the file holds."""
    try:
        with open_file(path) as file:
            return verify_stream(file, str(path), load, progress)
    except Unreadable as error:
        return Report(str(path), UNREADABLE, str(error))


def verify_stream(file: BinaryIO, path: str, load: Load = load_game, progress: Progress | None = None) -> Report:
    """Check an open file completely; `path` is what the report calls it."""
    try:
        records, torn = _records(file)
    except Unreadable as error:
        return Report(path, UNREADABLE, str(error))
    if not records:
        return Report(path, UNREADABLE, "the file holds no match: not even the terms are complete")
    deck = deck_of(records[0])
    if deck not in (None, LOCAL_DECK, SEALED_DECK):
        return Report(path, CANNOT_JUDGE, f"deck mode {deck!a} is not known here")
    if deck == SEALED_DECK:
        return _verify_sealed(path, records, torn, load, progress)
    try:
        seed = seed_in(records)
        replayer = Replayer(records[0], seed, load)
    except CannotJudge as error:
        return Report(path, CANNOT_JUDGE, str(error))
    except KontorError as error:
        return Report(path, REFUTED, str(error), differs_at=0)
    try:
        for placed in records[1:]:
            with judging(replayer, placed):
                replayer.feed(placed)
            if progress and placed.number % 64 == 0:
                progress(placed.number, len(records))
    except Differs as error:
        return _report(path, replayer, REFUTED, str(error), differs_at=error.ply)
    if torn is not None:
        return _report(path, replayer, UNREADABLE, f"{_torn(torn)}; everything before it is consistent")
    return _good(path, replayer)


def deck_of(first: Placed) -> str | None:
    """The deck mode that a file's terms name, None if they cannot be read."""
    try:
        return deck_mode(first.record.raw) if isinstance(first.record, TermsRecord) else None
    except KontorError:
        return None


def _verify_sealed(
    path: str,
    records: list[Placed],
    torn: Torn | None,
    load: Load,
    progress: Progress | None,
) -> Report:
    """A network match, or evidence: a chain followed by signed messages that prove a fault."""
    count = next((k for k, placed in enumerate(records) if isinstance(placed.record, SignedRecord)), len(records))
    extra = records[count:]
    try:
        proven = prove(records[:count], load, progress)
        report = _proven(path, proven, torn)
        return _judged(report, proven, extra) if extra else report
    except CannotJudge as error:
        return Report(path, CANNOT_JUDGE, str(error))
    except Differs as error:
        return Report(path, REFUTED, str(error), differs_at=error.ply)


def _proven(path: str, proven: Proven, torn: Torn | None) -> Report:
    ledger = proven.ledger
    code, message = VERIFIED, words(proven)
    if torn is not None:
        code, message = UNREADABLE, f"{_torn(torn)}; before it: {headline(VERDICTS[VERIFIED], message)}"
    return Report(
        path,
        code,
        message,
        game=ledger.terms.game,
        match=ledger.match.hex(),
        players=tuple(seat.name for seat in ledger.terms.seats),
        peers=tuple(_peers(proven)),
        plies=ledger.ply,
        finished=proven.is_finished,
        final=proven.is_finished and not proven.unsigned,
        result=None if ledger.result is None else result_dict(ledger.result),
        notes=notes(proven),
        sealed=True,
        tip=ledger.tip.hex(),
        story=story_of(proven),
    )


def _judged(report: Report, proven: Proven, extra: list[Placed]) -> Report:
    """The same match with messages after it: evidence, which says nothing about how the match ended."""
    if any(not isinstance(placed.record, SignedRecord) for placed in extra):
        raise Differs(report.plies, extra[0], "evidence comes last")
    if proven.has_end:
        raise Differs(report.plies, extra[0], "evidence follows a chain without an end")
    fault = judge(proven.ledger, extra)
    message = f"proves a fault of {proven.names[fault.peer]} ({fault.code}): {fault.detail}"
    if report.code == UNREADABLE:
        message = report.message
    return replace(report, message=message, fault=fault.code, finished=False, final=False)


def _peers(proven: Proven) -> Iterator[dict[str, Any]]:
    """Who holds which key: names prove nothing."""
    left = {peer: departure for departure in proven.departures for peer in departure.peers}
    for number, peer in enumerate(proven.ledger.terms.peers):
        departure = left.get(number)
        yield {
            "key": peer.key.hex(),
            "fingerprint": fingerprint(peer.key),
            "names": [seat.name for seat in proven.ledger.terms.seats if seat.peer == number],
            "signed": number in proven.signed,
            "left": "" if departure is None else "voted out" if departure.voters else "in order",
        }


def _torn(torn: Torn) -> str:
    return f"byte {torn.offset}: the last record is incomplete ({torn.size} bytes of it)"


def _records(file: BinaryIO) -> tuple[list[Placed], Torn | None]:
    records: list[Placed] = []
    for item in read(file):
        if isinstance(item, Torn):
            return records, item
        records.append(item)
    return records, None


def _good(path: str, replayer: Replayer) -> Report:
    if replayer.end is None:
        notes = ["unfinished: chance and hidden cards can be checked once the match is over"]
        if not replayer.has_begun:
            notes = ["unfinished: the match has terms, but was not begun"]
        return _report(path, replayer, VERIFIED, "consistent so far, unsigned, unfinished", notes=tuple(notes))
    return _report(path, replayer, VERIFIED, "consistent, unsigned")


def _report(path: str, replayer: Replayer, code: int, message: str, **more: Any) -> Report:
    result = replayer.result if replayer.has_begun and replayer.end is not None else None
    return Report(
        path,
        code,
        message,
        game=replayer.game.id,
        match=replayer.match_id.hex(),
        players=tuple(seat.name for seat in replayer.terms.seats),
        plies=replayer.ply,
        finished=replayer.end is not None,
        result=None if result is None else result_dict(result),
        **more,
    )
