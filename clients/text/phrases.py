"""Words for facts: events, reasons and categories from the catalogue `clients/words/<language>/<game>.json`.

Templates: `{seat:player}` a player's name; `{n}` a value; `{n:one card|{n} cards}` one or many;
`{card:kind}` the word for a value, from the catalogue's "names". Lists join with commas.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

NOBODY = "\N{EN DASH}"


@cache
def load_catalogue(game: str, language: str = "en") -> dict[str, Any]:
    """The catalogue of one game over the common one; an unknown game has the common words only."""
    base = resources.files("kontor_games.clients").joinpath("words", language)
    merged: dict[str, Any] = {}
    for name in ("common", game):
        path = base.joinpath(f"{name}.json")
        if not path.is_file():
            continue
        for section, entries in json.loads(path.read_text(encoding="utf-8")).items():
            merged.setdefault(section, {}).update(entries)
    return merged


class Words:
    """Sentences about one match."""

    def __init__(self, game: str, players: list[str], catalogue: dict[str, Any] | None = None) -> None:
        self._catalogue = load_catalogue(game) if catalogue is None else catalogue
        self._players = players

    def player(self, seat: int | None) -> str:
        """A player's name; numbers stand for seats that have none."""
        if seat is None:
            return NOBODY
        return self._players[seat] if 0 <= seat < len(self._players) else f"seat {seat}"

    def event(self, event: dict[str, Any]) -> str:
        """One fact as a sentence; a fact without a template is spelled out."""
        template = self._catalogue.get("events", {}).get(event["event"])
        if template is None:
            fields = ", ".join(f"{name} {self._plain(value)}" for name, value in event.items() if name != "event")
            return f"{event['event']}: {fields}" if fields else str(event["event"])
        return self.fill(template, event)

    def reason(self, reason: str) -> str:
        """Why the match ended."""
        return str(self._catalogue.get("reasons", {}).get(reason, reason))

    def category(self, category: str) -> str:
        """A row of the score sheet."""
        return str(self._catalogue.get("categories", {}).get(category, category))

    def chance(self, kind: str) -> str:
        """What chance did, where no event tells more."""
        return str(self._catalogue.get("chance", {}).get(kind, kind))

    def fill(self, template: str, fields: dict[str, Any]) -> str:
        """The template with its places filled."""
        out: list[str] = []
        for literal, inside in split(template):
            out.append(literal)
            if inside is not None:
                out.append(self._place(inside, fields))
        return "".join(out)

    def _place(self, inside: str, fields: dict[str, Any]) -> str:
        name, colon, kind = inside.partition(":")
        if name not in fields:
            return "{" + inside + "}"
        value = fields[name]
        if not colon:
            return self._plain(value)
        if "|" in kind:
            one, _, many = kind.partition("|")
            count = len(value) if isinstance(value, list | tuple) else value
            return self.fill(one if count == 1 else many, fields)
        return self._named(value, kind)

    def _named(self, value: Any, kind: str) -> str:
        if isinstance(value, list | tuple):
            return ", ".join(self._named(each, kind) for each in value) or NOBODY
        if value is None:
            return NOBODY
        if kind == "player":
            return self.player(value)
        words = self._catalogue.get("names", {}).get(kind)
        if isinstance(words, list) and isinstance(value, int) and 0 <= value < len(words):
            return str(words[value])
        if isinstance(words, dict) and str(value) in words:
            return str(words[str(value)])
        return str(value)

    def _plain(self, value: Any) -> str:
        if isinstance(value, list | tuple):
            return ", ".join(self._plain(each) for each in value) or NOBODY
        return NOBODY if value is None else str(value)


def split(template: str) -> list[tuple[str, str | None]]:
    """Literal text and the inside of the {place} that follows it, in turn; places may nest."""
    parts: list[tuple[str, str | None]] = []
    literal = ""
    position = 0
    while position < len(template):
        char = template[position]
        if char != "{":
            literal += char
            position += 1
            continue
        depth, end = 1, position + 1
        while end < len(template) and depth:
            depth += {"{": 1, "}": -1}.get(template[end], 0)
            end += 1
        if depth:
            raise ValueError(f"a brace is not closed in {template!r}")
        parts.append((literal, template[position + 1 : end - 1]))
        literal, position = "", end
    parts.append((literal, None))
    return parts
