"""Where sentences come from. The node sends facts; whoever starts it may hand in words for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from kontor_games.engine import Reason


@dataclass(frozen=True)
class Audience:
    """Whom a sentence is for: the game, the names at its table, and the reader's seat (None: somebody who watches)."""

    game: str
    names: tuple[str, ...]
    you: int | None = None


class Wording(Protocol):
    """Sentences about one game in the reader's language; texts are plain, never markup."""

    def event(self, to: Audience, event: dict[str, Any]) -> str:
        """One fact."""

    def chance(self, game: str, kind: str) -> str:
        """What chance did, where no event tells more."""

    def phrase(self, to: Audience, details: dict[str, Any], tags: list[str]) -> str | None:
        """What a choice of actions with these tags does, None if there are no words for it."""

    def kind(self, game: str, kind: str) -> str:
        """The button of a kind of action."""

    def figure(self, to: Audience, figure: dict[str, Any]) -> str:
        """What a number on the board means."""

    def now(self, to: Audience, now: dict[str, Any], seat: int | None) -> str:
        """What the seat to act is asked, or what everybody waits for."""

    def ask(self, to: Audience, kind: str, now: dict[str, Any]) -> str | None:
        """What to ask somebody who ended the turn by a choice of this kind, in answer to `now`; None: nothing."""

    def refusal(self, to: Audience, id: str, values: dict[str, Any]) -> str | None:
        """Why something is not possible, a clause without a full stop; None: what the rules say is good enough."""

    def help(self, game: str) -> str:
        """What the game is about, in a sentence or two; empty if there are no words for it."""

    def guide(self, game: str) -> dict[str, Any] | None:
        """The script of a guided first match (net/api/matches/guide.py), None if there is none."""

    def rules(self, game: str) -> list[dict[str, Any]]:
        """The rules: chapters of paragraphs, as docs/local-api.md tells them."""

    def terms(self, game: str) -> dict[str, dict[str, str]]:
        """Words for `reasons` of an end and `categories` of points."""

    def agreement(self, id: str, facts: dict[str, Any]) -> str:
        """One thing that people agree to at a table, in a sentence; see net/api/matches/agreement.py."""


def worded(wording: Wording, to: Audience, reason: str) -> str:
    """A reason of the rules in the reader's words; one that is not a `Reason` stays as it is."""
    said = wording.refusal(to, reason.id, reason.values) if isinstance(reason, Reason) else None
    return reason.worded(said) if isinstance(reason, Reason) and said is not None else reason


class PlainWording:
    """Facts spelled out, for a node that nobody gave words to."""

    def event(self, to: Audience, event: dict[str, Any]) -> str:
        return _spelled(str(event["event"]), {name: value for name, value in event.items() if name != "event"})

    def chance(self, game: str, kind: str) -> str:
        return kind

    def phrase(self, to: Audience, details: dict[str, Any], tags: list[str]) -> str | None:
        return None

    def kind(self, game: str, kind: str) -> str:
        return kind

    def figure(self, to: Audience, figure: dict[str, Any]) -> str:
        return f"{figure['amount']} {figure['id']}"

    def now(self, to: Audience, now: dict[str, Any], seat: int | None) -> str:
        facts = {**now, "seat": seat}
        return _spelled(str(facts.pop("now")), facts)

    def ask(self, to: Audience, kind: str, now: dict[str, Any]) -> str | None:
        return None

    def refusal(self, to: Audience, id: str, values: dict[str, Any]) -> str | None:
        return None

    def help(self, game: str) -> str:
        return ""

    def guide(self, game: str) -> dict[str, Any] | None:
        return None

    def rules(self, game: str) -> list[dict[str, Any]]:
        return []

    def terms(self, game: str) -> dict[str, dict[str, str]]:
        return {"reasons": {}, "categories": {}}

    def agreement(self, id: str, facts: dict[str, Any]) -> str:
        return _spelled(id, facts)


def _spelled(what: str, facts: dict[str, Any]) -> str:
    fields = ", ".join(f"{name} {value}" for name, value in facts.items())
    return f"{what}: {fields}" if fields else what
