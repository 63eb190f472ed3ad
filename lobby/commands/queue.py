"""Matchmaking: wait, be offered a match, say yes in time, find oneself at a table."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from kontor_games.engine.errors import ConfigError
from kontor_games.lobby.model.codes import new_id
from kontor_games.lobby.model.matching import Group, form_groups
from kontor_games.lobby.model.records import (
    OFFER,
    PRESENCE,
    PROFILE,
    QUEUE,
    QUEUE_SHARE,
    OfferRecord,
    Presence,
    QueueRecord,
    TableRecord,
)
from kontor_games.lobby.model.seen_addresses import reachable
from kontor_games.lobby.model.shares import hold, let_go, make_room
from kontor_games.lobby.model.stored_tables import step
from kontor_games.lobby.model.work import RequestRefused, Who, Work
from kontor_games.net.table.keeper import Effect, TableKeeper
from kontor_games.net.wire.lobby_messages import (
    MakeTable,
    OfferOver,
    Person,
    Proposal,
    Queue,
    Reply,
    Unqueue,
    protocol_of,
)
from kontor_games.net.wire.messages import Enter, Sit
from kontor_games.net.wire.text import MAX_NAME, same_name

from .table_requests import demand_protocol, open_table


async def queue(work: Work, who: Who, ask: Queue) -> None:
    """Wait for people; asking again changes what one waits for and keeps the place."""
    demand_protocol(who)
    for game in ask.games:
        facts = work.catalogue.find(game)
        if facts is None:
            raise RequestRefused("queue", f"this lobby does not know the game {game}")
        if not set(ask.seats) & set(facts.seats):
            numbers = ", ".join(map(str, sorted(facts.seats)))
            raise RequestRefused("queue", f"{game} is played by {numbers}")
    old = await work.get(QUEUE, who.id)
    if old is None and await work.store.count(QUEUE.name) >= work.config.limits.max_queue:
        await _send_newest_away(work, who)
    if old is not None and old.offer:
        raise RequestRefused("queue", "answer the offer first")
    profile = await work.get(PROFILE, who.id)
    blocked = tuple(key for key, mark in profile.marks if mark == "block") if profile else ()
    since = old.since if old else work.now
    entry = QueueRecord(
        who.key, who.name, who.mark, ask.games, ask.seats, ask.addresses, since, blocked=blocked
    )  # fmt: skip
    await work.put(QUEUE, who.id, entry)
    await hold(work, QUEUE_SHARE, who, who.id, since)


async def _send_newest_away(work: Work, who: Who) -> None:
    """The newest of the network that has most people waiting makes room, and learns why."""
    full = "the queue is full, and your network already has as many people waiting as any other; try again later"
    id = await make_room(work, QUEUE_SHARE, who, full)
    entry = await work.get(QUEUE, id)
    assert entry is not None, "a place in the queue and its share are stored together"
    reason = "the queue is full: the network with the most people waiting gives up its newest places to others"
    offer = await work.get(OFFER, entry.offer) if entry.offer else None
    if offer is not None:
        await dissolve(work, offer, {entry.key}, reason)
    else:
        await drop_entry(work, entry)
        work.tell([entry.key], OfferOver(new_id(), reason, False))


async def drop_entry(work: Work, entry: QueueRecord) -> None:
    """Somebody waits no longer."""
    await work.delete(QUEUE, entry.key.hex())
    await let_go(work, QUEUE_SHARE, entry.key.hex(), entry.since)


async def unqueue(work: Work, who: Who, ask: Unqueue) -> None:
    """Wait no longer; an open offer fails for the others too."""
    entry = await work.get(QUEUE, who.id)
    if entry is None:
        return
    offer = await work.get(OFFER, entry.offer) if entry.offer else None
    await drop_entry(work, entry)
    if offer is not None:
        await dissolve(work, offer, {who.key}, "one of the players left the queue")


async def reply(work: Work, who: Who, ask: Reply) -> None:
    """Yes or no to an offer; the last yes makes the table."""
    offer = await work.get(OFFER, ask.offer)
    if offer is None or who.key not in offer.keys or offer.until <= work.now:
        raise RequestRefused("no-offer", "this offer is over")
    if not ask.yes:
        await dissolve(work, offer, {who.key}, "one of the players declined")
        return
    offer = replace(offer, yes=tuple(dict.fromkeys((*offer.yes, who.key))))
    if len(offer.yes) == len(offer.keys):
        await _seat_everybody(work, offer)
    else:
        await work.put(OFFER, offer.id, offer)


async def match_round(work: Work) -> int:
    """Offer matches to whoever can play together now; how many offers were made."""
    entries = [entry for _, entry in await work.page(QUEUE, "waiting", "", work.config.limits.max_queue)]
    made = 0
    for group in form_groups(entry for entry in entries if entry.away is None):
        if len(group.people) in _allowed(work, group.game):
            made += await _offer(work, group)
    return made


def _allowed(work: Work, game: str) -> Iterable[int]:
    facts = work.catalogue.find(game)
    return facts.seats if facts else ()


async def _offer(work: Work, group: Group) -> bool:
    people = [await work.get(QUEUE, person.key.hex()) for person in group.people]
    if any(person is None or person.offer or person.away for person in people):
        return False  # another process was faster
    keys = tuple(person.key for person in group.people)
    offer = OfferRecord(new_id(), group.game, keys, (), work.now + int(work.config.times.accept * 1000))
    await work.put(OFFER, offer.id, offer)
    for person in group.people:
        await work.put(QUEUE, person.key.hex(), replace(person, offer=offer.id))
    await tell_offer(work, offer, keys)
    return True


async def tell_offer(work: Work, offer: OfferRecord, keys: Iterable[bytes]) -> None:
    """Show an open offer."""
    people = []
    for key in offer.keys:
        entry = await work.get(QUEUE, key.hex())
        people.append(Person(key, entry.name, entry.mark, entry.away is None) if entry else Person(key, "?"))
    work.tell(keys, Proposal(offer.id, offer.game, tuple(people), offer.until))


async def dissolve(work: Work, offer: OfferRecord, without: set[bytes], reason: str) -> None:
    """The offer comes to nothing; those in `without` lose their place, the others wait on where they were."""
    await work.delete(OFFER, offer.id)
    for key in offer.keys:
        entry = await work.get(QUEUE, key.hex())
        if entry is not None and key in without:
            await drop_entry(work, entry)
        elif entry is not None:
            await work.put(QUEUE, key.hex(), replace(entry, offer=""))
        work.tell([key], OfferOver(offer.id, reason, entry is not None and key not in without))


async def offer_expired(work: Work, id: str) -> None:
    """Not everybody answered in time: people who did not say yes lose their place."""
    offer = await work.get(OFFER, id)
    if offer is not None and offer.until <= work.now:
        await dissolve(work, offer, set(offer.keys) - set(offer.yes), "not everybody answered in time")


async def _seat_everybody(work: Work, offer: OfferRecord) -> None:
    people: list[tuple[Who, QueueRecord]] = []
    for key in offer.keys:
        entry, presence = await work.get(QUEUE, key.hex()), await work.get(PRESENCE, key.hex())
        if entry is None or presence is None:
            await dissolve(work, offer, {key}, "one of the players is gone")
            return
        people.append((_who(presence), entry))
    host, first = people[0]
    ask = MakeTable(offer.game, {}, len(people), visibility="unlisted", addresses=first.addresses)
    try:
        record = await open_table(work, host, ask)
    except (RequestRefused, ConfigError) as error:
        await dissolve(work, offer, set(offer.keys), f"the table could not be opened: {error}"[:400])
        return
    names = _different(who.name for who, _ in people)

    def all_sit(keeper: TableKeeper[TableRecord]) -> list[Effect]:
        effects: list[Effect] = []
        for seat, (who, entry) in enumerate(people):
            now = work.now / 1000
            if who is not host:
                enter = Enter(record.id, reachable(who, entry.addresses))
                effects += keeper.received(who.key, enter, now, who.protocol)
            effects += keeper.received(who.key, Sit(record.id, seat, names[seat]), now)
        return effects

    await step(work, record, all_sit, host, [who for who, _ in people])
    await work.delete(OFFER, offer.id)
    for _, entry in people:
        await drop_entry(work, entry)


def _who(presence: Presence) -> Who:
    return Who(
        presence.key,
        presence.key.hex(),
        presence.name,
        presence.mark,
        presence.session,
        presence.address,
        presence.port,
        protocol_of(presence.protocol),
    )


def _different(names: Iterable[str]) -> list[str]:
    """Names that cannot be taken for each other, for people who did not choose to sit together."""
    chosen: list[str] = []
    for name in names:
        number, tried = 2, name
        while any(same_name(tried, other) for other in chosen):
            tried = f"{name[: MAX_NAME - 2].rstrip()} {number}"
            number += 1
        chosen.append(tried)
    return chosen
