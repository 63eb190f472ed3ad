"""Which people in the queue can play together. Pure: entries in, groups out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .records import QueueRecord


class Group(NamedTuple):
    """People found for one table."""

    game: str
    people: tuple[QueueRecord, ...]


def form_groups(entries: Iterable[QueueRecord]) -> list[Group]:
    """Groups for whoever can be served now; those who wait longest choose first, and the most players they allow."""
    waiting = {entry.key: entry for entry in sorted(entries, key=lambda entry: (entry.since, entry.key))}
    groups: list[Group] = []
    for entry in list(waiting.values()):
        group = _group_for(entry, waiting) if entry.key in waiting else None
        if group is not None:
            groups.append(group)
            for person in group.people:
                del waiting[person.key]
    return groups


def _group_for(first: QueueRecord, waiting: dict[bytes, QueueRecord]) -> Group | None:
    for size in sorted(set(first.seats), reverse=True):
        for game in first.games:
            people = [first]
            for other in waiting.values():
                if len(people) == size:
                    break
                if other.key != first.key and game in other.games and size in other.seats and _get_along(other, people):
                    people.append(other)
            if len(people) == size:
                return Group(game, tuple(people))
    return None


def _get_along(newcomer: QueueRecord, people: list[QueueRecord]) -> bool:
    return all(newcomer.key not in person.blocked and person.key not in newcomer.blocked for person in people)
