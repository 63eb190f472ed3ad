"""Requests about tables: open, find, enter, describe, finish; and the table's own messages."""

from __future__ import annotations

from msgspec.structs import replace

from kontor_games.engine.errors import ConfigError
from kontor_games.lobby.model.codes import new_code, new_id, read_code
from kontor_games.lobby.model.records import CODE, NAME, PRESENCE, PROFILE, TABLE, TABLE_SHARE, Member, TableRecord
from kontor_games.lobby.model.seen_addresses import reachable
from kontor_games.lobby.model.shares import hold, make_room
from kontor_games.lobby.model.stored_tables import (
    GONE,
    close,
    row_of,
    set_code,
    settle,
    step,
    table_for,
    tell_card,
    tell_hall,
)
from kontor_games.lobby.model.work import RequestRefused, Who, Work
from kontor_games.net.system.admission import Residents
from kontor_games.net.table import advice
from kontor_games.net.table.keeper import TableKeeper, Tell
from kontor_games.net.table.table_rules import MAX_MEMBERS
from kontor_games.net.wire.chain import match_id
from kontor_games.net.wire.lobby_messages import (
    MAX_PAGE,
    Describe,
    EnterByCode,
    Finish,
    ListTables,
    Made,
    MakeTable,
    MatchOver,
    TableCommand,
    TableList,
)
from kontor_games.net.wire.messages import PROTOCOL, Enter, Leave, Rename, Sit
from kontor_games.net.wire.names import skeleton
from kontor_games.net.wire.text import why_not_chat

from .acquaintances import note_match


async def make_table(work: Work, who: Who, ask: MakeTable) -> Made:
    """Open a table with `who` as its host."""
    return Made((await open_table(work, who, ask)).id)


async def open_table(work: Work, who: Who, ask: MakeTable) -> TableRecord:
    """A new table with `who` as host and first member."""
    _check_note(ask.note)
    demand_protocol(who)
    if await work.store.count(TABLE.name) >= work.config.limits.max_tables:
        await _close_newest(work, who)
    blank = TableRecord(
        new_id(),
        who.key,
        ask.game,
        ask.options,
        (None,) * ask.seats,
        ask.recovery,
        ask.spectators,
        visibility=ask.visibility,
        note=ask.note,
        since=work.now,
        active=work.now,
        clauses=ask.clauses,
    )
    if ask.visibility == "invite":
        blank = await set_code(work, blank, new_code())
    try:
        keeper = TableKeeper.open(blank, work.catalogue, reachable(who, ask.addresses), Member)
    except ConfigError as error:
        raise RequestRefused("options", str(error)) from error
    await hold(work, TABLE_SHARE, who, blank.id, blank.since)
    return (await settle(work, blank, keeper, [Tell(who.key, keeper.view())], who, (who,))).record


def demand_protocol(who: Who) -> None:
    """RequestRefused if the node of this person is too old for any table here."""
    if who.protocol < PROTOCOL:
        raise RequestRefused("version", advice.older_yourself(who.protocol))


async def _close_newest(work: Work, who: Who) -> None:
    """The newest table of the network that has most makes room, and the people at it learn why."""
    full = "this lobby is full, and your network already has as many tables as any other; try again later"
    record = await work.get(TABLE, await make_room(work, TABLE_SHARE, who, full))
    assert record is not None, "a table and its share are stored together"
    reason = "the lobby is full: the network with the most tables gives up its newest ones to others"
    await close(work, record, reason, [member.key for member in record.members])


def _check_note(note: str) -> None:
    if note and (reason := why_not_chat(note)):
        raise RequestRefused("note", reason)


async def enter_by_code(work: Work, who: Who, ask: EnterByCode) -> Made:
    """Come to the table of an invite code; a wrong code and a code of somebody's blocked table look the same."""
    code = read_code(ask.code)
    found = await work.get(CODE, code) if code else None
    record = await work.get(TABLE, found.table) if found else None
    if record is None or code != record.code:
        raise RequestRefused("no-code", "no table has this code; ask for it again")
    return await _enter(work, who, record, ask.addresses)


async def enter(work: Work, who: Who, ask: Enter) -> Made:
    """Come, or come back, to a table whose id is known."""
    record = await work.get(TABLE, ask.table)
    is_member = record is not None and any(m.key == who.key for m in record.members)
    if record is None or (record.visibility == "invite" and not is_member):
        raise RequestRefused("no-table", GONE)
    return await _enter(work, who, record, ask.addresses)


async def _enter(work: Work, who: Who, record: TableRecord, addresses: tuple[str, ...]) -> Made:
    if all(m.key != who.key for m in record.members):
        if who.key in record.removed:
            raise RequestRefused("no-table", GONE)
        profile = await work.get(PROFILE, record.host.hex())
        if profile is not None and (who.key, "block") in profile.marks:
            raise RequestRefused("no-table", GONE)
        if record.is_over:
            raise RequestRefused("over", "the match at this table is over")
        if record.phase == "started" and not record.spectators:
            raise RequestRefused("started", "the match has started and is not open to spectators")
        if len(record.members) >= MAX_MEMBERS:
            record = await _send_visitor_away(work, who, record)
    message = Enter(record.id, reachable(who, addresses))
    now = work.now / 1000
    await step(work, record, lambda table: table.received(who.key, message, now, who.protocol), who, (who,))
    return Made(record.id)


async def _send_visitor_away(work: Work, who: Who, record: TableRecord) -> TableRecord:
    """A member without a seat makes room at a full table: one who is gone, or else the newest of the largest network.

    Otherwise anybody with sixteen keys could fill a table with visitors, and nobody could enter to play.
    """
    visitors = [member for member in record.members if member.key not in (*record.holders, record.host)]
    places: Residents[bytes] = Residents(len(visitors))
    for member in visitors:
        presence = await work.get(PRESENCE, member.key.hex())
        if member.lost_at is not None or presence is None:
            goes: bytes | None = member.key
            break
        places.enter(member.key, presence.address)
    else:
        goes = places.enter(who.key, who.address)
    if not visitors or goes is None or goes == who.key:
        raise RequestRefused("full", "the table is full; ask its host to make room")
    leaving = goes
    change = await step(work, record, lambda table: table.received(leaving, Leave(record.id), work.now / 1000))
    return change.record


async def at_table(work: Work, who: Who, ask: TableCommand) -> None:
    """Any message of net/table/keeper.py from a member."""
    record = await table_for(work, ask.table, who)
    if isinstance(ask, Sit | Rename) and ask.name != who.name:
        held = await work.get(NAME, skeleton(ask.name))
        if held is not None and held.key != who.key:
            raise RequestRefused("name", f"{ask.name} is somebody else's name here; choose another one")
    await step(work, record, lambda table: table.received(who.key, ask, work.now / 1000), who)


async def describe(work: Work, who: Who, ask: Describe) -> None:
    """The host changes the note or who may find the table."""
    before = await table_for(work, ask.table, who)
    if before.host != who.key:
        raise RequestRefused("describe", "only the host may do that")
    _check_note(ask.note)
    after = replace(before, note=ask.note, visibility=ask.visibility, active=work.now)
    if ask.visibility != before.visibility:
        after = await set_code(work, after, new_code() if ask.visibility == "invite" else "")
    await work.put(TABLE, after.id, after)
    tell_card(work, after)
    tell_hall(work, before, after)


async def list_tables(work: Work, who: Who, ask: ListTables) -> TableList:
    """A page of public tables; with a game, only its tables, so that a page may be short."""
    found = await work.page(TABLE, "public", ask.after, MAX_PAGE + 1)
    more = len(found) > MAX_PAGE
    rows = [row_of(record) for _, record in found[:MAX_PAGE] if ask.game in (None, record.game)]
    return TableList(tuple(rows), more, found[:MAX_PAGE][-1][0] if more else "")


async def match_over(work: Work, who: Who, ask: MatchOver) -> None:
    """A player says that the match is over: nobody is shown the table any more, but its relay still helps members."""
    before = await _started_by(work, who, ask)
    after = replace(before, is_over=True)
    await work.put(TABLE, after.id, after)
    tell_hall(work, before, after)


async def _started_by(work: Work, who: Who, ask: Finish | MatchOver) -> TableRecord:
    record = await table_for(work, ask.table, who)
    if record.phase != "started" or match_id(record.terms) != ask.match or who.key not in record.order:
        raise RequestRefused("finish", "you did not start a match with these terms at this table")
    return record


async def finish(work: Work, who: Who, ask: Finish) -> None:
    """A player reports that the match is complete; the lobby forgets the table."""
    record = await _started_by(work, who, ask)
    await note_match(work, record)
    others = [m.key for m in record.members if m.key != who.key]
    await close(work, record, f"the match is over: {ask.result}"[:400], tell=others)
