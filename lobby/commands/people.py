"""Who is here, and whom a person does not want to hear or to meet."""

from __future__ import annotations

from msgspec.structs import replace

from kontor_games.lobby.model.records import PRESENCE, PROFILE, Profile
from kontor_games.lobby.model.work import RequestRefused, Who, Work
from kontor_games.net.wire.lobby_messages import MAX_PAGE, ListPeople, Marked, MarkKey, Marks, PeopleList, Person


async def list_people(work: Work, who: Who, ask: ListPeople) -> PeopleList:
    """A page of the people who appear to everybody; the total counts the others too."""
    found = await work.page(PRESENCE, "listed", ask.after.hex() if ask.after else "", MAX_PAGE + 1)
    people = tuple(Person(p.key, p.name, p.mark, p.away is None) for _, p in found[:MAX_PAGE])
    return PeopleList(people, len(found) > MAX_PAGE, await work.store.count(PRESENCE.name))


async def mark_key(work: Work, who: Who, ask: MarkKey) -> Marks:
    """Mute or block a key, or take it back."""
    profile = await work.get(PROFILE, who.id)
    if profile is None and await work.store.count(PROFILE.name) >= work.config.limits.max_profiles:
        raise RequestRefused("full", "this lobby cannot remember more muted or blocked keys at the moment")
    profile = profile or Profile()
    marks = {key: mark for key, mark in profile.marks if key != ask.key}
    if ask.mark != "none":
        marks[ask.key] = ask.mark
    if len(marks) > work.config.limits.max_marks:
        raise RequestRefused("marks", f"you can mute or block at most {work.config.limits.max_marks} keys")
    profile = replace(profile, marks=tuple(marks.items()), seen=work.now)
    if profile.marks or profile.warnings:
        await work.put(PROFILE, who.id, profile)
    else:
        await work.delete(PROFILE, who.id)
    answer = Marks(tuple(Marked(key, mark) for key, mark in marks.items()))
    # Whichever process holds the connection filters by these from now on.
    work.tell([who.key], answer, order="marks")
    return answer
