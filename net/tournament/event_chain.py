"""A whole chain read: signatures, hashes and rules checked, drawings and standings computed again. A machine.

Reading is checking: the organiser's own commands refuse a chain that others would refuse. Bytes in, an event out.
"""

from __future__ import annotations

from collections.abc import Sequence

from .event_records import (
    MAX_CHAIN,
    NOTHING,
    BrokenChain,
    EventEnded,
    EventRecord,
    EventSettings,
    RoundDrawn,
    read_line,
)
from .event_state import EventState
from .pairing import draw, why_not_draw
from .standings import standings


def read_chain(data: bytes) -> EventState:
    """The event in these bytes; raises BrokenChain, which names the first record that does not hold."""
    state: EventState | None = None
    for number, line in enumerate(lines_of(data)):
        if state is None:
            record, digest = read_line(line, number, NOTHING, None)
            assert isinstance(record, EventSettings)
            if reason := why_not_settings(record):
                raise BrokenChain(f"the settings of the event: {reason}")
            state = EventState(record, digest)
            continue
        record, digest = read_line(line, number, state.tip, state.settings.organiser)
        if reason := why_not_next(state, record):
            raise BrokenChain(f"record {number} of the event: {reason}")
        state.take(record, digest)
    if state is None:
        raise BrokenChain("the event has no records")
    return state


def lines_of(data: bytes) -> Sequence[bytes]:
    """The lines of a chain; raises BrokenChain."""
    if len(data) > MAX_CHAIN:
        raise BrokenChain(f"an event has at most {MAX_CHAIN} bytes of records, not {len(data)}")
    if not data.endswith(b"\n"):
        raise BrokenChain("the last record of the event is incomplete")
    return data[:-1].split(b"\n")


def why_not_next(state: EventState, record: EventRecord) -> str | None:
    """Why this record cannot be the next one, drawing and standings included, or None."""
    if reason := state.why_not(record):
        return reason
    if isinstance(record, RoundDrawn):
        if reason := why_not_draw(state):
            return reason
        if record != draw(state):
            return f"round {record.number} is not what the declared method draws from the records before it"
    if isinstance(record, EventEnded) and record.standings != standings(state, is_closed=True):
        return "the standings are not what the results before them come to"
    return None


def why_not_settings(settings: EventSettings) -> str | None:
    """Why an event cannot be declared like this, or None."""
    if not settings.name.isprintable() or settings.name != settings.name.strip():
        return "the name has signs that cannot be seen"
    if len(set(settings.sizes)) != len(settings.sizes):
        return "a size of tables is named twice"
    if len(settings.points) != len(settings.sizes):
        return "points are declared for other sizes of tables"
    for size, points in zip(settings.sizes, settings.points, strict=True):
        if len(points) != size:
            return f"a table of {size} needs points for {size} places, not {len(points)}"
        if list(points) != sorted(points, reverse=True):
            return f"at a table of {size} a worse place would score more"
    if len(set(settings.tie_breaks)) != len(settings.tie_breaks):
        return "a tie-break is named twice"
    if not settings.seed.isprintable():
        return "the seed has signs that cannot be seen"
    return None


def why_not_after(older: bytes, newer: bytes) -> str | None:
    """Why the newer of two chains does not go on from the older one, or None. Both must have been read already."""
    before, after = lines_of(older), lines_of(newer)
    if before[0] != after[0]:
        return "the two are different events: their settings differ"
    for number, (one, other) in enumerate(zip(before, after, strict=False)):
        if one != other:
            return (
                f"record {number} differs, and the organiser's key has signed both: the organiser has told this event "
                "in two ways"
            )
    if len(before) > len(after):
        return f"{len(before) - len(after)} records that the organiser had signed are missing at the end"
    return None
