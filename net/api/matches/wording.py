"""Where sentences come from. The node sends facts; whoever starts it may hand in words for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class Wording(Protocol):
    """Sentences about one game in the reader's language; texts are plain, never markup."""

    def event(self, game: str, names: Sequence[str], event: dict[str, Any]) -> str:
        """One fact."""

    def chance(self, game: str, kind: str) -> str:
        """What chance did, where no event tells more."""

    def label(self, game: str, names: Sequence[str], action: dict[str, Any]) -> str | None:
        """What an action means, None if there are no words for it."""

    def help(self, game: str) -> str:
        """What the game is about, in a sentence or two; empty if there are no words for it."""

    def rules(self, game: str) -> list[list[str | list[str]]]:
        """The rules in short: chapters, each a title and then paragraphs (texts) and lists (of texts)."""

    def terms(self, game: str) -> dict[str, dict[str, str]]:
        """Words for `reasons` of an end and `categories` of points."""

    def agreement(self, id: str, facts: dict[str, Any]) -> str:
        """One thing that people agree to at a table, in a sentence; see net/api/matches/agreement.py."""


class PlainWording:
    """Facts spelled out, for a node that nobody gave words to."""

    def event(self, game: str, names: Sequence[str], event: dict[str, Any]) -> str:
        return _spelled(str(event["event"]), {name: value for name, value in event.items() if name != "event"})

    def chance(self, game: str, kind: str) -> str:
        return kind

    def label(self, game: str, names: Sequence[str], action: dict[str, Any]) -> str | None:
        return None

    def help(self, game: str) -> str:
        return ""

    def rules(self, game: str) -> list[list[str | list[str]]]:
        return []

    def terms(self, game: str) -> dict[str, dict[str, str]]:
        return {"reasons": {}, "categories": {}}

    def agreement(self, id: str, facts: dict[str, Any]) -> str:
        return _spelled(id, facts)


def _spelled(what: str, facts: dict[str, Any]) -> str:
    fields = ", ".join(f"{name} {value}" for name, value in facts.items())
    return f"{what}: {fields}" if fields else what
