"""Tables in the lobby: the keeper of net/table/keeper.py works on a table's record for one step, which is then stored.

The lobby adds what a table host on a LAN does not need: who may find the table, an invite code, a note, the names of
visitors, and an end for tables that nobody touches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from msgspec.structs import replace

from kontor_games.net.table.catalogue import Catalogue
from kontor_games.net.table.keeper import Effect, Started, TableKeeper, Tell
from kontor_games.net.wire.lobby_messages import Person, TableCard, TableGone, TableRow, encode
from kontor_games.net.wire.messages import AnyMessage, Error, TableView

from .records import CODE, PLACE, TABLE, TABLE_SHARE, CodeRecord, Member, PlaceRecord, TableRecord
from .shares import let_go
from .work import RequestRefused, Who, Work

MAX_REMOVED = 64
GONE = "there is no such table, or it is not open to you"


def keeper_of(record: TableRecord, catalogue: Catalogue) -> TableKeeper[TableRecord]:
    """The keeper of a stored table; RequestRefused if this lobby no longer has its game."""
    facts = catalogue.find(record.game)
    if facts is None:
        raise RequestRefused("no-table", f"this lobby no longer knows the game {record.game}")
    return TableKeeper(record, facts, catalogue.package(record.game), Member)


def _record_of(keeper: TableKeeper[TableRecord], newcomers: Iterable[Who]) -> TableRecord:
    """The table as it is now, with the names of newcomers and the time of its next tick."""
    came = {who.key: who for who in newcomers}
    members = keeper.state.members
    wake_at = keeper.wake_at
    return replace(
        keeper.state,
        members=tuple(
            replace(m, name=came[m.key].name, mark=came[m.key].mark) if m.key in came else m for m in members
        ),
        wake_at=None if wake_at is None else int(wake_at * 1000) + 1,
    )


@dataclass(frozen=True, slots=True)
class Change:
    """What one step did to a table."""

    record: TableRecord
    started: bool


def has_game(work: Work, record: TableRecord) -> bool:
    """Whether this lobby still has the table's game; an upgrade may have taken it away."""
    return work.catalogue.find(record.game) is not None


async def table_for(work: Work, id: str, who: Who) -> TableRecord:
    """The table, for one of its members; RequestRefused if it is not there or not theirs."""
    record = await work.get(TABLE, id)
    if record is None or all(member.key != who.key for member in record.members):
        raise RequestRefused("no-table", GONE)
    return record


async def step(
    work: Work,
    before: TableRecord,
    act: Callable[[TableKeeper[TableRecord]], list[Effect]],
    who: Who | None = None,
    newcomers: Iterable[Who] = (),
) -> Change:
    """Let the keeper act once, store the table, tell whom it concerns; RequestRefused if the keeper refused `who`."""
    keeper = keeper_of(before, work.catalogue)
    return await settle(work, before, keeper, act(keeper), who, newcomers)


async def settle(
    work: Work,
    before: TableRecord,
    keeper: TableKeeper[TableRecord],
    effects: list[Effect],
    who: Who | None = None,
    newcomers: Iterable[Who] = (),
) -> Change:
    """Store the table of a keeper that has acted, and carry out its effects."""
    for effect in effects:
        if isinstance(effect, Tell) and isinstance(effect.message, Error) and who and effect.peer == who.key:
            raise RequestRefused(effect.message.about, effect.message.reason)
    after = _record_of(keeper, newcomers)
    gone = {m.key for m in before.members} - {m.key for m in after.members}
    if who:
        sent_away = tuple(key for key in gone if key != who.key)
        after = replace(after, active=work.now, removed=(*after.removed, *sent_away)[-MAX_REMOVED:])
    idle = work.config.times.match_idle if after.phase == "started" else work.config.times.table_idle
    after = replace(after, ends=after.active + int(idle * 1000))
    await _note_places(work, before, after)
    if after.phase == "closed":
        await close(work, before, "everybody left the table", tell=())
    else:
        await work.put(TABLE, after.id, after)
        _pass_on(work, after, effects)
        _tell_cards(work, before, after)
        tell_hall(work, before, after)
    for key in gone - ({who.key} if who else set()):
        work.tell([key], TableGone(before.id, "you are no longer at this table"))
    return Change(after, any(isinstance(effect, Started) for effect in effects))


async def close(work: Work, record: TableRecord, reason: str, tell: Iterable[bytes]) -> None:
    """Forget a table and tell the people at it."""
    await work.delete(TABLE, record.id)
    await let_go(work, TABLE_SHARE, record.id, record.since)
    if record.code:
        await work.delete(CODE, record.code)
    work.drop_lines(record.id)
    for member in record.members:
        await _leave_place(work, member.key, record.id)
    work.tell(tell, TableGone(record.id, reason))
    if record.is_listed:
        work.tell_hall("gone", record.id, b"")


async def set_code(work: Work, record: TableRecord, code: str) -> TableRecord:
    """Give the table another invite code, or none."""
    if record.code:
        await work.delete(CODE, record.code)
    if code:
        await work.put(CODE, code, CodeRecord(record.id))
    return replace(record, code=code)


async def _note_places(work: Work, before: TableRecord, after: TableRecord) -> None:
    old, new = {m.key for m in before.members}, {m.key for m in after.members}
    for key in sorted(new - old):
        place = await work.get(PLACE, key.hex()) or PlaceRecord(())
        if len(place.tables) >= work.config.limits.max_tables_per_key:
            raise RequestRefused(
                "too-many-tables", f"you can be at {len(place.tables)} tables at a time; leave one first"
            )
        await work.put(PLACE, key.hex(), PlaceRecord((*place.tables, after.id)))
    for key in sorted(old - new):
        await _leave_place(work, key, after.id)


async def _leave_place(work: Work, key: bytes, table: str) -> None:
    place = await work.get(PLACE, key.hex())
    if place is None or table not in place.tables:
        return
    tables = tuple(id for id in place.tables if id != table)
    if tables:
        await work.put(PLACE, key.hex(), PlaceRecord(tables))
    else:
        await work.delete(PLACE, key.hex())


def _pass_on(work: Work, record: TableRecord, effects: list[Effect]) -> None:
    """Tell members what the keeper has for them, each message once with everybody who gets it."""
    audiences: dict[int, tuple[AnyMessage, list[bytes]]] = {}
    tells = [effect for effect in effects if isinstance(effect, Tell)]
    # Of several views for a member only the last still shows the table as it is.
    last = {effect.peer: id(effect.message) for effect in tells if isinstance(effect.message, TableView)}
    for effect in tells:
        if not isinstance(effect.message, TableView) or last[effect.peer] == id(effect.message):
            audiences.setdefault(id(effect.message), (effect.message, []))[1].append(effect.peer)
    for message, keys in audiences.values():
        if isinstance(message, TableView):
            tell_view(work, record, message, keys)
        elif not isinstance(message, Error):
            work.tell(keys, message)  # type: ignore[arg-type]


def tell_view(work: Work, record: TableRecord, view: TableView, keys: Iterable[bytes]) -> None:
    """Show the table; addresses only to those who play, and to those who may watch once it has started."""
    seated = record.holders
    shows_all = record.phase == "started" and record.spectators
    keys = list(keys)
    full = [key for key in keys if shows_all or key in seated]
    bare = [key for key in keys if not shows_all and key not in seated]
    work.tell(full, view)
    if bare:
        members = tuple(replace(member, addresses=()) for member in view.members)
        work.tell(bare, replace(view, members=members))


def card_of(record: TableRecord) -> TableCard:
    """What members know besides the view."""
    people = tuple(Person(m.key, m.name, m.mark, m.lost_at is None) for m in record.members)
    return TableCard(record.id, record.visibility, record.note, record.code, people)


def _tell_cards(work: Work, before: TableRecord, after: TableRecord) -> None:
    if card_of(before) != card_of(after):
        tell_card(work, after)


def tell_card(work: Work, record: TableRecord) -> None:
    """Send the card to all members."""
    work.tell([m.key for m in record.members if m.lost_at is None], card_of(record))


def row_of(record: TableRecord) -> TableRow:
    """The table as the public list shows it."""
    # The host of a started match may have left; then whoever has been there longest stands for the table.
    host = next((m for m in record.members if m.key == record.host), record.members[0])
    return TableRow(
        table=record.id,
        game=record.game,
        phase=record.phase,
        host=Person(host.key, host.name, host.mark),
        seats=tuple(seat.name if seat else None for seat in record.seats),
        spectators=record.spectators,
        note=record.note,
        since=record.since,
    )


def tell_hall(work: Work, before: TableRecord, after: TableRecord) -> None:
    """Tell the hall what changed in its list."""
    was_listed = before.is_listed and bool(before.members)
    if after.is_listed:
        if not was_listed or row_of(before) != row_of(after):
            work.tell_hall("rows", after.id, encode(row_of(after)))
    elif was_listed:
        work.tell_hall("gone", after.id, b"")
