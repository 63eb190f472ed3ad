"""Help for members of a table who cannot reach each other: a few bytes passed on, or a way through the relay."""

from __future__ import annotations

from functools import partial

from kontor_games.lobby.model.records import DAY, PRESENCE, RELAY_USE, RelayUse, TableRecord
from kontor_games.lobby.model.stored_tables import table_for
from kontor_games.lobby.model.work import RequestRefused, Who, Work
from kontor_games.net.wire.lobby_messages import (
    PUNCH_VERSION,
)
from kontor_games.net.wire.way_messages import (
    AskPunch,
    AskRelay,
    PunchPass,
    RelayPass,
    Signal,
)


async def signal(work: Work, who: Who, ask: Signal) -> None:
    """Pass a few bytes on to another member."""
    record = await table_for(work, ask.table, who)
    _check_peer(record, who, ask.peer)
    work.tell([ask.peer], Signal(ask.table, who.key, ask.data), who.key)


async def ask_relay(work: Work, who: Who, ask: AskRelay) -> RelayPass:
    """Give both sides a token each; the relay of this process pairs them when they come."""
    settings = work.config.relay
    if not settings.enabled or work.relay is None:
        raise RequestRefused("no-relay", "this lobby has no relay")
    record = await table_for(work, ask.table, who)
    _check_peer(record, who, ask.peer)
    left = await _left(work, who.key), await _left(work, ask.peer)
    if min(left) <= 0:
        raise RequestRefused("relay-quota", "one of the two keys has used up what the relay carries for it in a day")
    until = work.now + int(settings.wait_time * 1000)
    try:
        mine, theirs = work.relay.expect(who.key, ask.peer, left, who.address)
    except ValueError as error:
        raise RequestRefused("relay-full", str(error), 5.0) from error
    work.undo.append(partial(work.relay.forget, mine))
    # The smaller key serves, so that both sides know it without asking.
    serves = who.key < ask.peer
    work.tell([ask.peer], RelayPass(record.id, who.key, theirs, settings.address, not serves, until))
    return RelayPass(record.id, ask.peer, mine, settings.address, serves, until)


async def ask_punch(work: Work, who: Who, ask: AskPunch) -> PunchPass:
    """Give both sides a token each; whoever shows it is told where the other comes out of its router."""
    settings = work.config.relay
    if not settings.punch or work.punches is None:
        raise RequestRefused("no-punch", "this lobby does not help with holes through routers")
    record = await table_for(work, ask.table, who)
    _check_peer(record, who, ask.peer)
    presence = await work.get(PRESENCE, ask.peer.hex())
    if presence is None or presence.away is not None or presence.protocol < PUNCH_VERSION:
        raise RequestRefused("no-punch", "the other member's node is not here, or too old for a hole")
    if presence.process != work.config.process:
        raise RequestRefused(
            "no-punch", "the other member is at another process of this lobby, which sees only its own"
        )
    try:
        mine, theirs, gate = work.punches.expect(who.key, ask.peer, who.address)
    except ValueError as error:
        raise RequestRefused("punch-full", str(error), 5.0) from error
    work.undo.append(partial(work.punches.forget, mine))
    until = work.now + int(settings.wait_time * 1000)
    work.tell([ask.peer], PunchPass(record.id, who.key, theirs, gate, until))
    return PunchPass(record.id, ask.peer, mine, gate, until)


async def _left(work: Work, key: bytes) -> int:
    """The bytes that the relay still carries for a key today."""
    use = await work.get(RELAY_USE, key.hex())
    used = use.used if use is not None and use.until > work.now else 0
    return work.config.relay.bytes_per_day - used


async def note_use(work: Work, key: bytes, size: int) -> None:
    """Remember what the relay carried for a key."""
    use = await work.get(RELAY_USE, key.hex())
    if use is None or use.until <= work.now:
        use = RelayUse(0, work.now + DAY)
    await work.put(RELAY_USE, key.hex(), RelayUse(use.used + size, use.until))


def _check_peer(record: TableRecord, who: Who, peer: bytes) -> None:
    if peer == who.key or all(member.key != peer for member in record.members):
        raise RequestRefused("no-peer", "this member is not at the table")
