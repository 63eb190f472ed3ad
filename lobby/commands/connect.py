"""Help for members of a table who cannot reach each other: a few bytes passed on, or a way through the relay."""

from __future__ import annotations

from kontor_games.lobby.model.records import DAY, RELAY_USE, RelayUse, TableRecord
from kontor_games.lobby.model.stored_tables import table_for
from kontor_games.lobby.model.work import RequestRefused, Who, Work
from kontor_games.net.wire.lobby_messages import AskRelay, RelayPass, Signal


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
        raise RequestRefused("relay-quota", "the relay has carried as much for one of the two keys as it does in a day")
    until = work.now + int(settings.wait_time * 1000)
    try:
        mine, theirs = work.relay.expect(who.key, ask.peer, left, who.address)
    except ValueError as error:
        raise RequestRefused("relay-full", str(error), 5.0) from error
    # The smaller key serves, so that both sides know it without asking.
    serves = who.key < ask.peer
    work.tell([ask.peer], RelayPass(record.id, who.key, theirs, settings.address, not serves, until))
    return RelayPass(record.id, ask.peer, mine, settings.address, serves, until)


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
        raise RequestRefused("no-peer", "there is no such other member at this table")
