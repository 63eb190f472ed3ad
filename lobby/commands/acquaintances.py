"""Friends, invitations, profiles and reports: what people may know of each other, and what operators are told.

Who may know that somebody is here is that person's decision. It is made with `appear`, which also names the keys that
the person calls friends; nothing is assumed for anybody who never said it.

| they appear to | who sees them in the list of people | who is told that they are here |
|---|---|---|
| nobody | nobody | nobody |
| friends | nobody | whoever they named, if that person named them too |
| everybody | everybody who is here | whoever named them |

A friend is therefore not somebody whose key one has, but two people who each named the other. The lists last as long as
the presence does; a node says them again with every connection.

What an attacker would try, and what happens:

* Learn whether a key is here: `profile` and `invite` answer the same for somebody who is away, who hides, who blocked
  the asker, and who never existed.
* Fill the store with friends of many keys: each names at most `max_friends`, all together `max_watches`; a list beyond
  that is refused, and everything else goes on.
* Pester: an invitation reaches only those who named the inviter, or who appear to everybody, and nobody who muted or
  blocked the inviter; each key may send a few a minute.
* Smear: a report has lines as its sender claims them. Those that the lobby itself kept are marked as such; operators
  see which are not. There is one report of each key about each key, and networks share the room for them.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from kontor_games.lobby.model.codes import new_id
from kontor_games.lobby.model.records import (
    KNOWN,
    NAME,
    PLACE,
    PRESENCE,
    PROFILE,
    REPORT,
    REPORT_SHARE,
    TABLE,
    WATCH,
    Known,
    Presence,
    ReportedLine,
    ReportRecord,
    TableRecord,
    WatchRecord,
)
from kontor_games.lobby.model.shares import hold, let_go, make_room
from kontor_games.lobby.model.stored_tables import table_for
from kontor_games.lobby.model.work import RequestRefused, Who, Work
from kontor_games.net.wire.lobby_messages import (
    HALL_PLACE,
    Said,
    decode_from_lobby,
    encode,
)
from kontor_games.net.wire.names import skeleton
from kontor_games.net.wire.people_messages import (
    AboutPerson,
    Appear,
    AskProfile,
    FriendSeen,
    FriendsHere,
    Invite,
    Invited,
    Person,
    ReportKey,
)
from kontor_games.net.wire.text import why_not_chat

NOT_SEEN: Final = "this person is not here, or does not show that to you"
MAX_GAMES: Final = 16  # counted by themselves
MAX_KEPT: Final = 100  # lines of a place that are compared with a report
MAX_TOLD: Final = 500  # people who are told that one of their friends is here


def shows_itself(presence: Presence | None, to: bytes) -> bool:
    """Whether somebody who is here wants `to` to know it."""
    if presence is None or presence.away is not None:
        return False
    return presence.appears == "everybody" or (presence.appears == "friends" and to in presence.friends)


async def appear(work: Work, who: Who, ask: Appear) -> FriendsHere:
    """Say to whom one appears and whom one calls a friend; answered with those friends who are here."""
    before = await work.get(PRESENCE, who.id)
    if before is None:
        raise RequestRefused("gone", "you are not signed in any more")
    if len(ask.friends) > work.config.limits.max_friends:
        raise RequestRefused("friends", f"a lobby looks out for at most {work.config.limits.max_friends} friends")
    friends = tuple(dict.fromkeys(key for key in ask.friends if key != who.key))
    await _watch(work, who.key, before.friends, friends)
    after = replace(before, appears=ask.to, friends=friends)
    await work.put(PRESENCE, who.id, after)
    if is_listed(before) != is_listed(after):
        work.tell_hall("people", who.id, encode(Person(who.key, who.name, who.mark, is_listed(after))))
    await tell_friends(work, before, after)
    here = []
    for key in friends:
        friend = await work.get(PRESENCE, key.hex())
        if friend is not None and shows_itself(friend, who.key):
            here.append(Person(key, friend.name, friend.mark))
    return FriendsHere(tuple(here))


def is_listed(presence: Presence | None) -> bool:
    """Whether the list of people names somebody."""
    return presence is not None and presence.away is None and presence.appears == "everybody"


async def _watch(work: Work, key: bytes, old: tuple[bytes, ...], new: tuple[bytes, ...]) -> None:
    """Keep the index by which somebody who comes finds those who look out for them."""
    fresh = [friend for friend in new if friend not in old]
    if fresh and await work.store.count(WATCH.name) + len(fresh) > work.config.limits.max_watches:
        raise RequestRefused("full", "this lobby cannot look out for more friends at the moment; try again later")
    for friend in fresh:
        await work.put(WATCH, _watch_id(friend, key), WatchRecord(friend, key))
    for friend in old:
        if friend not in new:
            await work.delete(WATCH, _watch_id(friend, key))


def _watch_id(friend: bytes, key: bytes) -> str:
    return f"{friend.hex()}:{key.hex()}"


async def tell_friends(work: Work, before: Presence | None, after: Presence | None) -> None:
    """Somebody came, went or appears to others now: tell those friends for whom that is a change."""
    person = after or before
    assert person is not None
    for _, watch in await work.page(WATCH, person.key.hex(), "", MAX_TOLD):
        is_seen = shows_itself(after, watch.by)
        if is_seen != shows_itself(before, watch.by):
            work.tell([watch.by], FriendSeen(Person(person.key, person.name, person.mark, is_seen)))


async def stop_watching(work: Work, presence: Presence) -> None:
    """Somebody is gone for good: they look out for nobody any more."""
    await _watch(work, presence.key, presence.friends, ())


async def ask_profile(work: Work, who: Who, ask: AskProfile) -> AboutPerson:
    """What this lobby knows of somebody who shows that they are here, or sits at a table with the asker."""
    presence = await work.get(PRESENCE, ask.key.hex())
    if presence is None or not (ask.key == who.key or await _may_know(work, who, presence)):
        raise RequestRefused("no-profile", NOT_SEEN)
    known = await work.get(KNOWN, ask.key.hex()) or Known()
    name = await work.get(NAME, skeleton(presence.name))
    since = [presence.since, *([known.since] if known.since else [])]
    if name is not None and name.key == ask.key and name.since:
        since.append(name.since)
    person = Person(presence.key, presence.name, presence.mark, presence.away is None)
    return AboutPerson(person, min(since), known.matches, known.games)


async def _may_know(work: Work, who: Who, presence: Presence) -> bool:
    if await _is_marked(work, presence.key, who.key, ("block",)):
        return False
    if shows_itself(presence, who.key):
        return True
    place = await work.get(PLACE, who.id)
    for table in place.tables if place else ():
        record = await work.get(TABLE, table)
        if record is not None and record.member(presence.key) is not None:
            return True
    return False


async def _is_marked(work: Work, by: bytes, key: bytes, marks: tuple[str, ...]) -> bool:
    profile = await work.get(PROFILE, by.hex())
    return profile is not None and any((key, mark) in profile.marks for mark in marks)


async def invite(work: Work, who: Who, ask: Invite) -> None:
    """Invite somebody to a table where one is."""
    record = await table_for(work, ask.table, who)
    presence = await work.get(PRESENCE, ask.key.hex())
    if record.phase != "open":
        raise RequestRefused("started", "the match at this table has begun")
    if presence is None or not shows_itself(presence, who.key):
        raise RequestRefused("no-person", NOT_SEEN)
    if await _is_marked(work, ask.key, who.key, ("mute", "block")) or ask.key in record.removed:
        return  # it looks as if they had heard it
    code = record.code or record.id
    work.tell([ask.key], Invited(Person(who.key, who.name, who.mark), record.id, record.game, code), who.key)


async def note_match(work: Work, record: TableRecord) -> None:
    """A match is complete: count it for everybody who played."""
    room = work.config.limits.max_known - await work.store.count(KNOWN.name)
    for key in record.order:
        known = await work.get(KNOWN, key.hex())
        if known is None:
            room -= 1
            if room < 0:
                continue
        known = known or Known(since=work.now)
        games = dict(known.games)
        games[record.game] = games.get(record.game, 0) + 1
        seen = replace(known, matches=known.matches + 1, games=tuple(sorted(games.items()))[:MAX_GAMES], seen=work.now)
        await work.put(KNOWN, key.hex(), seen)


async def report(work: Work, who: Who, ask: ReportKey) -> None:
    """Tell the operators about somebody, with the lines in question."""
    if ask.key == who.key:
        raise RequestRefused("report", "you cannot report yourself")
    if problem := why_not_chat(ask.reason):
        raise RequestRefused("report", problem)
    kept = await _kept_lines(work, who, ask)
    lines = tuple(
        ReportedLine(line.key, line.name, line.text, line.at, (line.key, line.text, line.at) in kept)
        for line in ask.lines
        if not why_not_chat(line.text)
    )
    id = f"{ask.key.hex()}:{who.id}"
    old = await work.get(REPORT, id)
    if old is None:
        if await work.store.count(REPORT.name) >= work.config.limits.max_reports:
            full = "the operators have as many reports as this lobby can keep; try again later"
            await _drop(work, await make_room(work, REPORT_SHARE, who, full))
        await hold(work, REPORT_SHARE, who, id, work.now)
    number = new_id() if old is None else old.number
    since = work.now if old is None else old.since
    name = await _name_of(work, ask.key)
    made = ReportRecord(number, ask.key, name, who.key, who.name, ask.reason, ask.place, lines, since, work.now)
    await work.put(REPORT, id, made)


async def _kept_lines(work: Work, who: Who, ask: ReportKey) -> set[tuple[bytes, str, int]]:
    """The lines of this place that the lobby itself has, as far as the reporter could read them."""
    if ask.place != HALL_PLACE:
        record = await work.get(TABLE, ask.place)
        if record is None or record.member(who.key) is None:
            return set()
    said = [decode_from_lobby(data) for _, data in await work.store.tail(ask.place, MAX_KEPT)]
    return {(line.author.key, line.text, line.at) for line in said if isinstance(line, Said)}


async def _name_of(work: Work, key: bytes) -> str:
    presence = await work.get(PRESENCE, key.hex())
    return presence.name if presence else ""


async def _drop(work: Work, id: str) -> None:
    old = await work.get(REPORT, id)
    if old is not None:
        await drop_report(work, id, old)


async def drop_report(work: Work, id: str, report: ReportRecord) -> None:
    """Forget a report."""
    await work.delete(REPORT, id)
    await let_go(work, REPORT_SHARE, id, report.since)
