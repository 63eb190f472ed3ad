"""Coming and going: sign-in, the way back to one's tables, a lost connection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from msgspec.structs import replace

from kontor_games.lobby.model.records import (
    NAME,
    OFFER,
    PLACE,
    PRESENCE,
    PROFILE,
    QUEUE,
    SEEN,
    TABLE,
    LastSeen,
    NameClaim,
    Presence,
)
from kontor_games.lobby.model.sanctions import ban_of, take_warnings
from kontor_games.lobby.model.seen_addresses import reachable, seen_address
from kontor_games.lobby.model.stored_tables import card_of, has_game, step
from kontor_games.lobby.model.work import RequestRefused, Who, Work
from kontor_games.net.wire.identity import fingerprint
from kontor_games.net.wire.lobby_messages import Marked, Notice, Person, SignedIn, encode, protocol_of
from kontor_games.net.wire.messages import PROTOCOL, Enter
from kontor_games.net.wire.names import skeleton
from kontor_games.net.wire.text import why_not_name

from .acquaintances import tell_friends
from .queue import tell_offer

HOUR = 3600 * 1000
IN_USE = (
    "another running node uses the same key now. Two nodes with one key would sign different things, and others would "
    "take that for cheating: stop the other one (kontor node stop), or let this one have a key of its own"
)
MARK_LETTERS = 19  # four groups of the fingerprint: 80 bits


@dataclass(frozen=True, slots=True)
class Claim:
    """Somebody at the door, whose signature has been checked."""

    key: bytes
    name: str
    address: str
    port: int
    session: str
    may_claim: Callable[[], bool]  # whether this address may still bring up names never seen before
    version: int = PROTOCOL  # of the lobby's language
    home: str = ""  # of the node; another one with the same key is another machine


async def sign_in(work: Work, claim: Claim) -> tuple[Who, SignedIn]:
    """Let somebody in, or raise RequestRefused with the reason; nobody learns anything about the lobby before this."""
    ban = await ban_of(work, claim.key, claim.address)
    if ban is not None:
        raise RequestRefused("banned", ban.reason, (ban.until - work.now) / 1000 if ban.until else 0.0)
    reason = why_not_name(claim.name)
    if reason is not None:
        raise RequestRefused("name", reason)
    id = claim.key.hex()
    mark = await _mark_for(work, claim)
    who = Who(claim.key, id, claim.name, mark, claim.session, claim.address, claim.port, protocol_of(claim.version))
    await _note_presence(work, who, claim.version, claim.home)
    place = await work.get(PLACE, id)
    profile = await work.get(PROFILE, id)
    return who, SignedIn(
        you=Person(who.key, who.name, mark),
        seen=seen_address(who),
        tables=place.tables if place else (),
        marks=tuple(Marked(key, what) for key, what in profile.marks) if profile else (),
        is_queued=await work.get(QUEUE, id) is not None,
        ping_every=int(work.config.limits.ping_every * 1000),
        now=work.now,
    )


async def _mark_for(work: Work, claim: Claim) -> str:
    """Nothing for the key that used this name first; part of the fingerprint for everybody else."""
    looks = skeleton(claim.name)
    held = await work.get(NAME, looks)
    if held is None and claim.may_claim() and await _has_room_for_name(work):
        await work.put(NAME, looks, NameClaim(claim.key, claim.name, work.now, work.now))
        return ""
    if held is None or held.key != claim.key:
        return fingerprint(claim.key)[:MARK_LETTERS]
    if work.now - held.seen > 24 * HOUR:
        await work.put(NAME, looks, replace(held, name=claim.name, seen=work.now))
    return ""


async def _has_room_for_name(work: Work) -> bool:
    """Whether one more name can be kept; any that was used on one day only is free again for it.

    Names are kept for months, so nothing here remembers where somebody came from: not by network as elsewhere.
    """
    if await work.store.count(NAME.name) >= work.config.limits.max_names:
        found = await work.page(NAME, "once", "", 1)
        if not found:
            return False
        await work.delete(NAME, found[0][0])
    return True


async def _note_presence(work: Work, who: Who, version: int, home: str) -> None:
    old = await work.get(PRESENCE, who.id)
    if old is not None and old.away is None:
        if home and old.home and home != old.home:
            raise RequestRefused("elsewhere", IN_USE)
        notice = Notice("elsewhere", "you signed in from another place, so this connection ends")
        work.tell([who.key], notice, order=f"displace:{old.session}")
    process = work.config.process
    since = old.since if old else work.now
    presence = Presence(
        who.key,
        who.name,
        who.mark,
        who.session,
        process,
        who.address,
        who.port,
        since,
        protocol=version,
        appears=old.appears if old else "nobody",
        friends=old.friends if old else (),
        home=home,
    )
    await work.put(PRESENCE, who.id, presence)
    if old is not None:
        await tell_friends(work, old, presence)
    if presence.appears == "everybody" and (old is None or (old.name, old.mark) != (who.name, who.mark)):
        work.tell_hall("people", who.id, encode(Person(who.key, who.name, who.mark)))
    seen = await work.get(SEEN, who.id)
    if seen is None and await work.store.count(SEEN.name) >= work.config.limits.max_seen:
        return  # operators still find whoever is here
    if seen is None or seen.address != who.address or work.now - seen.at > HOUR:
        await work.put(SEEN, who.id, LastSeen(who.address, who.name, work.now))


async def come_back(work: Work, who: Who) -> None:
    """Somebody is here: give back tables, seats, the place in the queue, and what they missed."""
    place = await work.get(PLACE, who.id)
    for id in place.tables if place else ():
        await _return_to(work, who, id)
    entry = await work.get(QUEUE, who.id)
    if entry is not None:
        await work.put(QUEUE, who.id, replace(entry, away=None, name=who.name, mark=who.mark))
        offer = await work.get(OFFER, entry.offer) if entry.offer else None
        if offer is not None:
            await tell_offer(work, offer, [who.key])
    for text in await take_warnings(work, who.key):
        work.tell([who.key], Notice("warning", text))


async def _return_to(work: Work, who: Who, id: str) -> None:
    record = await work.get(TABLE, id)
    member = next((m for m in record.members if m.key == who.key), None) if record else None
    if record is None or member is None or not has_game(work, record):
        return
    enter = Enter(id, reachable(who, member.addresses))
    change = await step(
        work, record, lambda table: table.received(who.key, enter, work.now / 1000, who.protocol), who, (who,)
    )
    work.tell([who.key], card_of(change.record))


async def gone(work: Work, key: bytes, session: str) -> None:
    """A connection ended; the person keeps everything for a while, unless they signed in elsewhere already."""
    presence = await work.get(PRESENCE, key.hex())
    if presence is None or presence.session != session or presence.away is not None:
        return
    until = work.now + int(work.config.times.presence_grace * 1000)
    away = replace(presence, away=until)
    await work.put(PRESENCE, key.hex(), away)
    await tell_friends(work, presence, away)
    place = await work.get(PLACE, key.hex())
    for id in place.tables if place else ():
        record = await work.get(TABLE, id)
        if record is not None and has_game(work, record):
            await step(work, record, lambda table: table.link_lost(key, work.now / 1000))
    entry = await work.get(QUEUE, key.hex())
    if entry is not None:
        await work.put(QUEUE, key.hex(), replace(entry, away=until))
