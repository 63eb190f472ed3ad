"""Words for the node's API, from the catalogue: handed to the node by whoever starts it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .phrases import Words, load_catalogue


class CatalogueWording:
    """Sentences of one language."""

    def event(self, game: str, names: Sequence[str], event: dict[str, Any]) -> str:
        return Words(game, list(names)).event(event)

    def chance(self, game: str, kind: str) -> str:
        return Words(game, []).chance(kind)

    def label(self, game: str, names: Sequence[str], action: dict[str, Any]) -> str | None:
        template = load_catalogue(game).get("actions", {}).get(action["action"])
        return None if template is None else Words(game, list(names)).fill(template, action)

    def help(self, game: str) -> str:
        return str(load_catalogue(game).get("help", {}).get("short", ""))

    def rules(self, game: str) -> list[list[str | list[str]]]:
        return list(load_catalogue(game).get("help", {}).get("rules", []))

    def agreement(self, id: str, facts: dict[str, Any]) -> str:
        words = Words("", [])
        return words.fill(load_catalogue("")["agreement"][id], facts)

    def terms(self, game: str) -> dict[str, dict[str, str]]:
        catalogue = load_catalogue(game)
        return {section: dict(catalogue.get(section, {})) for section in ("reasons", "categories")}
