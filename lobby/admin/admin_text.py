"""An operator's answers as people read them: tables with names and ISO times, or one sentence.

What strangers wrote (names, notes, lines of chat) is shown on an operator's terminal. The lobby refuses control
characters at its door; here whatever is not printable becomes a question mark once more, so that nothing that got into
the database by another way can steer the terminal or pose as a line of the table.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from kontor_games.net.wire.identity import fingerprint

MARK: Final = 19  # letters of a fingerprint that tell people apart: four groups
WIDEST: Final = 48  # letters of one cell; the whole text is in --json
Row = dict[str, Any]


class Column(NamedTuple):
    """A heading, and what stands below it for a row."""

    title: str
    cell: Callable[[Row], str]


def when(milliseconds: int | None) -> str:
    """A time in ISO 8601, UTC."""
    if not milliseconds:
        return "-"
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def until(milliseconds: int | None) -> str:
    """The end of a measure."""
    return when(milliseconds) if milliseconds else "lifted"


def mark_of(id: str) -> str:
    """A key, or a record named after one, as people compare it; anything else as it is."""
    last = id.rpartition(":")[2]
    if len(last) == 64 and set(last) <= set("0123456789abcdef"):
        return fingerprint(bytes.fromhex(last))[:MARK]
    return id.removeprefix("ban:net:")


def clean(text: object) -> str:
    """A cell that cannot steer a terminal, cut if it is long."""
    shown = long(text)
    return shown if len(shown) <= WIDEST else f"{shown[: WIDEST - 1]}…"


def long(text: object) -> str:
    """The same for what should be read whole."""
    return "".join(char if char.isprintable() else "?" for char in str(text))


def width_of(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def table(columns: Sequence[Column], rows: Iterable[Row], nothing: str) -> str:
    """Rows below their headings; `nothing` if there are none."""
    cells = [[column.title for column in columns], *([clean(column.cell(row)) for column in columns] for row in rows)]
    if len(cells) == 1:
        return nothing
    widths = [max(width_of(line[place]) for line in cells) for place in range(len(columns))]
    return "\n".join(
        "  ".join(cell + " " * (wide - width_of(cell)) for cell, wide in zip(line, widths, strict=True)).rstrip()
        for line in cells
    )


def _named(row: Row) -> str:
    """A person with the mark that protects against impersonation."""
    return f"{row['name']} ({row['mark']})" if row.get("mark") else str(row.get("name") or "")


def _targets(row: Row) -> str:
    target = row.get("target")
    targets = target if isinstance(target, list) else [target or ""]
    shown = ", ".join(dict.fromkeys(mark_of(str(one)) for one in targets))
    named = str(row.get("named") or "")
    return shown if not named or named == shown or mark_of(named) == shown else f"{named} {shown}".strip()


_TABLES: Final[dict[str, tuple[Sequence[Column], str]]] = {
    "people": (
        (
            Column("NAME", _named),
            Column("FINGERPRINT", lambda row: row["fingerprint"][:MARK]),
            Column("ADDRESS", lambda row: row["address"]),
            Column("HERE", lambda row: "yes" if row["here"] else "a moment ago"),
            Column("SINCE", lambda row: when(row["since"])),
        ),
        "nobody is here",
    ),
    "tables": (
        (
            Column("TABLE", lambda row: row["table"]),
            Column("GAME", lambda row: row["game"]),
            Column("PHASE", lambda row: row["phase"]),
            Column("WHO FINDS IT", lambda row: row["visibility"]),
            Column("SINCE", lambda row: when(row["since"])),
            Column("PEOPLE", lambda row: ", ".join(row["people"])),
            Column("NOTE", lambda row: row["note"]),
        ),
        "there are no tables",
    ),
    "sanctions": (
        (
            Column("WHAT", lambda row: row["what"]),
            Column("WHOM", lambda row: f"{row.get('name') or ''} {mark_of(row['id'])}".strip()),
            Column("SINCE", lambda row: when(row["at"])),
            Column("UNTIL", lambda row: until(row["until"])),
            Column("REASON", lambda row: row["reason"]),
        ),
        "no ban or mute is in force",
    ),
    "log": (
        (
            Column("WHEN", lambda row: when(row["at"])),
            Column("WHO", lambda row: row["by"]),
            Column("DID", lambda row: row["do"]),
            Column("TO WHOM", _targets),
            Column("FOR", lambda row: row.get("for") or ""),
            Column("WHY", lambda row: row.get("reason") or ""),
        ),
        "no operator has done anything yet",
    ),
}


def _report_text(row: Row) -> str:
    """A report with its lines below it; those that the lobby did not keep are only claimed."""
    about = f"{row['name']} ({mark_of(row['key'])})".strip()
    lines = [
        f"{row['report']}  {when(row['at'])}  {clean(about)}, by {clean(row['by_name'])} ({mark_of(row['by'])})",
        f"    {long(row['reason'])}",
    ]
    for line in row["lines"]:
        proof = "" if line["kept"] else "  [claimed by the reporter; this lobby does not have it]"
        who = f"{line['name']} ({mark_of(line['key'])[:9]})"
        lines.append(f"    {when(line['at'])} in {clean(row['place'])}, {clean(who)}: {long(line['text'])}{proof}")
    return "\n".join(lines)


def _reports(answer: Row) -> str:
    return "\n".join(map(_report_text, answer["reports"])) or "there are no reports"


def text_of(do: str, answer: Row) -> str:
    """An answer to `do`, for people."""
    if do in _TABLES:
        columns, nothing = _TABLES[do]
        lines = [table(columns, answer[do], nothing)]
        if answer.get("more"):
            lines.append(f"… and more: these are the first {len(answer[do])}")
        return "\n".join(lines)
    return _SENTENCES[do](answer)


def _whom(answer: Row, what: str) -> str:
    found = mark_of(str(answer[what]))
    return f"{clean(answer['name'])} ({found})" if answer.get("name") else found


def _status(answer: Row) -> str:
    counted = ("people", "tables", "queue", "sanctions", "reports")
    words = {"queue": "in the queue", "sanctions": "bans and mutes", "reports": "reports to read"}
    lines = [f"{answer[name]:>7}  {words.get(name, name)}" for name in counted if name in answer]
    if processes := answer.get("processes"):
        lines.append(
            f"{len(processes):>7}  {'process' if len(processes) == 1 else 'processes'}: {', '.join(processes)}"
        )
    return "\n".join(lines)


def _banned(answer: Row) -> str:
    away = f"; {answer['sent away']} people were sent away" if "sent away" in answer else ""
    return f"{_whom(answer, 'banned')} is banned until {until(answer['until'])}{away}"


def _lifted(answer: Row) -> str:
    kinds = [id.partition(":")[0] for id in answer["lifted"]]
    return f"lifted: {' and '.join(kinds)}" if kinds else "nothing was in force against them"


def _reloaded(answer: Row) -> str:
    if "processes" in answer:
        return "\n".join(f"{name}: {_reloaded(said)}" for name, said in answer["processes"].items())
    lines = [f"taken over: {', '.join(answer['reloaded'])}" if answer["reloaded"] else "nothing to take over"]
    if answer["waiting"]:
        lines.append(f"these differ too, but need a restart: {', '.join(answer['waiting'])}")
    return "\n".join(lines)


_SENTENCES: Final[dict[str, Callable[[Row], str]]] = {
    "status": _status,
    "warn": lambda answer: f"{_whom(answer, 'warned')} is warned",
    "mute": lambda answer: f"{_whom(answer, 'muted')} is muted until {until(answer['until'])}",
    "ban": _banned,
    "lift": _lifted,
    "close": lambda answer: f"table {answer['closed']} is closed",
    "announce": lambda answer: f"{answer['told']} people were told",
    "reload": _reloaded,
    "reports": _reports,
    "dismiss": lambda answer: f"report {answer['dismissed']} is put away",
}
