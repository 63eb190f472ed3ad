"""Words for facts: events, actions, reasons and categories from the catalogue `clients/words/<language>/<game>.json`.

Templates have places in braces:

- `{n}` a value; `{n:one card|{n} cards}` one or many; `{n:no card|one card|{n} cards}` none, one or many;
- `{n:sign {n} left|here|{n} right}` below zero, zero or above, where `n` is written without its sign;
- `{card:kind}` the word for a value, from the catalogue's "names"; `{card:a kind}` the same with "a" or "an";
  such a word may have places of its own, for the same values; a name that is a text is a template for the value as
  `{0}`, or for the items of a list as `{0}`, `{1}`, …: so a cell of a grid becomes words;
- `{seat:player}` a player's name, or "you" for the reader; `{seat:whose}` "Anna's" or "your",
  for another field also "their own" where it is the `seat` of the sentence;
  `{seat:verb plays/play}` the verb for that player, or for "you";
- `{traders,merchants:counts}` "two traders and one merchant", leaving out what is zero, by the catalogue's "counts".

Lists join with commas. "You" has a capital where a sentence begins.

A phrase says what a choice does («Place a merchant on Lübeck–Hamburg, post 2»). Its template in "phrases" has the name
that the game's `details` give as `phrase`, or the tags of its actions joined with «+»; its values are those details.

A question in "ask" is put to somebody who ends the turn while something else could still be done: by the kind of the
choice that ends it, then by what was asked before it (a word in "now", whose values it has), or «any».
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

    def __init__(
        self, game: str, players: list[str], catalogue: dict[str, Any] | None = None, you: int | None = None
    ) -> None:
        self._catalogue = load_catalogue(game) if catalogue is None else catalogue
        self._players = players
        self._you = you  # the reader's seat

    def player(self, seat: int | None) -> str:
        """A player's name, "you" for the reader; numbers stand for seats that have none."""
        if seat is None:
            return NOBODY
        if seat == self._you:
            return "you"
        return self._players[seat] if 0 <= seat < len(self._players) else f"seat {seat}"

    def event(self, event: dict[str, Any]) -> str:
        """One fact as a sentence; a fact without a template is spelled out."""
        template = self._catalogue.get("events", {}).get(event["event"])
        if template is None:
            fields = ", ".join(f"{name} {self._plain(value)}" for name, value in event.items() if name != "event")
            return f"{event['event']}: {fields}" if fields else str(event["event"])
        return self.fill(template, event)

    def phrase(self, details: dict[str, Any], tags: list[str]) -> str | None:
        """What a choice does, None if the catalogue has no words for it."""
        template = self._catalogue.get("phrases", {}).get(details.get("phrase", "+".join(tags)))
        return None if template is None else self.fill(template, details)

    def figure(self, figure: dict[str, Any]) -> str:
        """What a number on the board means."""
        return self.fill(self._catalogue.get("figures", {}).get(figure["id"], "{amount} {id}"), figure)

    def now(self, now: dict[str, Any], seat: int | None) -> str | None:
        """What the seat to act is asked: the catalogue has two sentences, to the reader and about somebody else."""
        pair = self._catalogue.get("now", {}).get(now["now"])
        return None if pair is None else self.fill(pair[seat != self._you], {**now, "seat": seat})

    def refusal(self, id: str, values: dict[str, Any]) -> str | None:
        """Why something is not possible; None where the sentence of the rules needs no other words."""
        template = self._catalogue.get("refusals", {}).get(id)
        return None if template is None else self.fill(template, values)

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
        if "{" not in template:
            return template
        out = ""
        for literal, inside in split(template):
            out += literal
            if inside is not None:
                words = self._place(inside, fields)
                begins = not out or out.endswith((". ", ": ", "! ", "? "))
                out += words[:1].upper() + words[1:] if begins and _is_you(words) else words
        return out

    def _place(self, inside: str, fields: dict[str, Any]) -> str:
        name, colon, kind = inside.partition(":")
        if kind == "counts":
            return self._counts({each: fields[each] for each in name.split(",")})
        if name not in fields:
            return "{" + inside + "}"
        value = fields[name]
        if not colon:
            return self._plain(value)
        if kind.startswith("sign "):
            below, none, above = _alternatives(kind.removeprefix("sign "))
            return self.fill(below if value < 0 else above if value else none, {**fields, name: abs(value)})
        if "|" in kind:
            *no, one, many = _alternatives(kind)
            count = len(value) if isinstance(value, list | tuple) else value
            return self.fill(no[0] if no and count == 0 else one if count == 1 else many, fields)
        if kind.startswith("verb "):
            of_others, _, of_you = kind.removeprefix("verb ").partition("/")
            return of_you if value == self._you and value is not None else of_others
        if kind == "whose" and name != "seat" and value == fields.get("seat") != self._you:
            return "their own"
        if kind.startswith("a "):
            word = self._named(value, kind.removeprefix("a "), fields)
            return f"{'an' if word[:1].lower() in 'aeiou' else 'a'} {word}"
        return self._named(value, kind, fields)

    def _counts(self, fields: dict[str, int]) -> str:
        """Several things with their numbers, without those of which there are none."""
        words = [
            self.fill("{n:" + self._catalogue["counts"][name] + "}", {"n": count})
            for name, count in fields.items()
            if count
        ]
        return " and ".join([*([", ".join(words[:-1])] if words[1:] else []), *words[-1:]]) or "nothing"

    def _named(self, value: Any, kind: str, fields: dict[str, Any]) -> str:
        words = self._catalogue.get("names", {}).get(kind)
        if isinstance(words, str):
            items = value if isinstance(value, list | tuple) else [value]
            return self.fill(words, {str(place): item for place, item in enumerate(items)})
        if isinstance(value, list | tuple):
            named = [self._named(each, kind, fields) for each in value]
            if kind == "player" and len(named) > 1:  # people are a sentence, things are a list
                named = [*named[:-2], " and ".join(named[-2:])]
            return ", ".join(named) or NOBODY
        if value is None:
            return NOBODY
        if kind == "player":
            return self.player(value)
        if kind == "whose":
            return "your" if value == self._you else f"{self.player(value)}\N{RIGHT SINGLE QUOTATION MARK}s"
        if isinstance(words, list) and isinstance(value, int) and 0 <= value < len(words):
            return self.fill(str(words[value]), fields)
        if isinstance(words, dict) and str(value) in words:
            return self.fill(str(words[str(value)]), fields)
        return str(value)

    def _plain(self, value: Any) -> str:
        if isinstance(value, list | tuple):
            return ", ".join(self._plain(each) for each in value) or NOBODY
        return NOBODY if value is None else str(value)


def _is_you(words: str) -> bool:
    return words.partition(" ")[0] in ("you", "your")


@cache
def _alternatives(kind: str) -> tuple[str, ...]:
    """The parts between the bars that are not inside braces of their own."""
    parts, depth = [""], 0
    for char in kind:
        depth += {"{": 1, "}": -1}.get(char, 0)
        if char == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return tuple(parts)


@cache
def split(template: str) -> tuple[tuple[str, str | None], ...]:
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
    return tuple(parts)
