"""Words for the node's API, from the catalogue: handed to the node by whoever starts it."""

from __future__ import annotations

from typing import Any, Protocol

from .phrases import Words, load_catalogue


class ReadBy(Protocol):
    """Whom a sentence is for; the node's `Audience` is one."""

    @property
    def game(self) -> str: ...

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def you(self) -> int | None: ...


class CatalogueWording:
    """Sentences of one language."""

    def event(self, to: ReadBy, event: dict[str, Any]) -> str:
        return _words(to).event(event)

    def chance(self, game: str, kind: str) -> str:
        return Words(game, []).chance(kind)

    def phrase(self, to: ReadBy, details: dict[str, Any], tags: list[str]) -> str | None:
        return _words(to).phrase(details, tags)

    def kind(self, game: str, kind: str) -> str:
        return str(load_catalogue(game).get("kinds", {}).get(kind) or kind.replace("_", " ").capitalize())

    def figure(self, to: ReadBy, figure: dict[str, Any]) -> str:
        return _words(to).figure(figure)

    def now(self, to: ReadBy, now: dict[str, Any], seat: int | None) -> str:
        words = _words(to)
        return words.now(now, seat) or words.now({"now": "act"}, seat) or ""

    def ask(self, to: ReadBy, kind: str, now: dict[str, Any]) -> str | None:
        questions = load_catalogue(to.game).get("ask", {}).get(kind, {})
        template = questions.get(now["now"], questions.get("any"))
        return None if template is None else _words(to).fill(template, now)

    def refusal(self, to: ReadBy, id: str, values: dict[str, Any]) -> str | None:
        return _words(to).refusal(id, values)

    def help(self, game: str) -> str:
        return str(load_catalogue(game).get("help", {}).get("short", ""))

    def guide(self, game: str) -> dict[str, Any] | None:
        script = load_catalogue(game).get("guide")
        return None if script is None else dict(script)

    def rules(self, game: str) -> list[dict[str, Any]]:
        return list(load_catalogue(game).get("help", {}).get("rules", []))

    def agreement(self, id: str, facts: dict[str, Any]) -> str:
        words = Words("", [])
        return words.fill(load_catalogue("")["agreement"][id], facts)

    def terms(self, game: str) -> dict[str, dict[str, str]]:
        catalogue = load_catalogue(game)
        return {section: dict(catalogue.get(section, {})) for section in ("reasons", "categories")}


def _words(to: ReadBy) -> Words:
    return Words(to.game, list(to.names), you=to.you)
