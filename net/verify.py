"""`verify`: re-run a match file from nothing but its bytes, and say what was found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from engine import KontorError, result_dict
from engine import load as load_game

from .evidence import judge
from .local_chain import MalformedRecord, deck_mode
from .proof import prove
from .replayer import CannotJudge, Differs, Load, Replayer, seed_in
from .transcript import Placed, SignedRecord, TermsRecord, Torn, Unreadable, open_file, read

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
    finished: bool = False
    result: dict[str, Any] | None = None
    notes: tuple[str, ...] = field(default=())
    sealed: bool = False  # a network match whose hidden cards are proven
    fault: str = ""  # what the file proves somebody did, if it is evidence
    tip: str = ""  # the last link of a network match's chain: equal tips are equal matches

    def as_dict(self) -> dict[str, Any]:
        """Plain data for `--json`."""
        return {"verdict": VERDICTS[self.code], **asdict(self)}


def verify(path: Path, load: Load = load_game, progress: Callable[[int, int], None] | None = None) -> Report:
    """Check one file completely; never raises for what the file holds."""
    try:
        records, torn = _records(path)
    except Unreadable as error:
        return Report(str(path), UNREADABLE, str(error))
    if not records:
        return Report(str(path), UNREADABLE, "the file holds no match: not even the terms are complete")
    if deck_of(records[0]) == SEALED_DECK:
        return _verify_sealed(path, records, torn, load, progress)
    try:
        seed = seed_in(records)
        replayer = Replayer(records[0], seed, load)
    except MalformedRecord as error:
        return Report(str(path), UNREADABLE, str(error))
    except CannotJudge as error:
        return Report(str(path), CANNOT_JUDGE, str(error))
    except KontorError as error:
        return Report(str(path), REFUTED, str(error), differs_at=0)
    try:
        for placed in records[1:]:
            _feed(replayer, placed)
            if progress and placed.number % 64 == 0:
                progress(placed.number, len(records))
    except Differs as error:
        return _report(path, replayer, REFUTED, str(error), differs_at=error.ply)
    if torn is not None:
        place = f"byte {torn.offset}: the last record is incomplete ({torn.size} bytes of it)"
        return _report(path, replayer, UNREADABLE, f"{place}; everything before it is consistent")
    return _good(path, replayer)


def deck_of(first: Placed) -> str:
    """The deck mode that a file's terms name, empty if they cannot be read."""
    try:
        return deck_mode(first.record.raw) if isinstance(first.record, TermsRecord) else ""
    except KontorError:
        return ""


def _verify_sealed(
    path: Path,
    records: list[Placed],
    torn: Torn | None,
    load: Load,
    progress: Callable[[int, int], None] | None,
) -> Report:
    """A network match, or evidence: a chain followed by signed messages that prove a fault."""
    chain = [placed for placed in records if not isinstance(placed.record, SignedRecord)]
    extra = [placed for placed in records if isinstance(placed.record, SignedRecord)]
    try:
        proven = prove(chain, load, progress)
        fault = judge(proven.ledger, extra)
    except CannotJudge as error:
        return Report(str(path), CANNOT_JUDGE, str(error))
    except Differs as error:
        return Report(str(path), REFUTED, str(error), differs_at=error.ply)
    ledger = proven.ledger
    code, message = VERIFIED, "sealed, signed by all"
    if fault is not None:
        names = ", ".join(seat.name for seat in ledger.terms.seats if seat.peer == fault.peer)
        message = f"proves a fault of {names} ({fault.code}): {fault.detail}"
    elif extra:
        code, message = REFUTED, "the messages at the end prove no fault"
    elif torn is not None:
        code, message = UNREADABLE, f"byte {torn.offset}: the last record is incomplete; all before it is verified"
    elif not ledger.is_over:
        message = "sealed, unfinished"
    elif proven.unsigned:
        message = "sealed, without all final signatures"
    return Report(
        str(path),
        code,
        message,
        game=ledger.terms.game,
        match=ledger.match.hex(),
        players=tuple(seat.name for seat in ledger.terms.seats),
        plies=ledger.ply,
        finished=ledger.is_over,
        result=None if ledger.result is None else result_dict(ledger.result),
        notes=proven.notes,
        sealed=True,
        fault="" if fault is None else fault.code,
        tip=ledger.tip.hex(),
    )


def _records(path: Path) -> tuple[list[Placed], Torn | None]:
    records: list[Placed] = []
    with open_file(path) as file:
        for item in read(file):
            if isinstance(item, Torn):
                return records, item
            records.append(item)
    return records, None


def _feed(replayer: Replayer, placed: Placed) -> None:
    try:
        replayer.feed(placed)
    except Differs:
        raise
    except RecursionError:
        raise Differs(replayer.ply, placed, "nested too deeply") from None
    except Exception as error:  # whatever a made-up file brings the engine to, the answer is a verdict
        raise Differs(replayer.ply, placed, f"the engine stopped: {type(error).__name__}: {error!s:.200}") from None


def _good(path: Path, replayer: Replayer) -> Report:
    if replayer.end is None:
        notes = ["unfinished: chance and hidden cards can be checked once the match is over"]
        if not replayer.has_begun:
            notes = ["unfinished: the match has terms, but was not begun"]
        return _report(path, replayer, VERIFIED, "consistent so far, unsigned, unfinished", notes=tuple(notes))
    return _report(path, replayer, VERIFIED, "consistent, unsigned")


def _report(path: Path, replayer: Replayer, code: int, message: str, **more: Any) -> Report:
    result = replayer.result if replayer.has_begun and replayer.end is not None else None
    return Report(
        str(path),
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
