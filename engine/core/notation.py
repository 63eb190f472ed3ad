"""Notation: each action has one short text form, said and read back by one table per game.

A form is a line such as «pay {card:card}»: words stand for themselves, `{field:kind}` is one token
that the kind can say and read. Several values of one kind join with «+»: `{cards:card*}`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from kontor_games.engine.errors import MalformedAction

from .action import Action

S = TypeVar("S")
NONE = "-"  # an empty list


@dataclass(frozen=True)
class Kind(Generic[S]):
    """How one kind of value is written; `read` raises ValueError with a hint for people."""

    say: Callable[[S, Any], str]
    read: Callable[[S, str], Any]


def _read_number(state: Any, text: str) -> int:
    if not re.fullmatch(r"-?\d{1,6}", text):
        raise ValueError(f"{text!r} is not a number")
    return int(text)


NUMBER: Kind[Any] = Kind(lambda state, value: str(value), _read_number)


def names(*words: str) -> Kind[Any]:
    """A kind whose values are indexes into a list of words."""

    def read(state: Any, text: str) -> int:
        if text in words:
            return words.index(text)
        raise ValueError(f"{text!r} is none of {', '.join(words)}")

    return Kind(lambda state, value: words[value] if 0 <= value < len(words) else f"?{value}", read)


@dataclass(frozen=True)
class _Form:
    cls: type[Action]
    words: tuple[str | tuple[str, str, bool], ...]  # a literal, or (field, kind, many)


class Notation(Generic[S]):
    """Text <-> action for one game."""

    def __init__(self, forms: Mapping[type[Action], str], kinds: Mapping[str, Kind[S]]) -> None:
        self._kinds: dict[str, Kind[S]] = {"number": NUMBER, **kinds}
        self._forms = {cls: _Form(cls, tuple(map(_word, text.split()))) for cls, text in forms.items()}
        self.forms = dict(forms)
        for cls, form in self._forms.items():
            fields = [word[0] for word in form.words if not isinstance(word, str)]
            assert sorted(fields) == sorted(cls.__struct_fields__[1:]), f"{cls.__name__} says {fields}"

    def say(self, state: S, action: Action) -> str:
        """The one text form of `action` in `state`."""
        return " ".join(self._say(state, action, word) for word in self._forms[type(action)].words)

    def read(self, state: S, seat: int, text: str) -> Action:
        """The action that `text` means for `seat`; raises MalformedAction with the closest form."""
        tokens = text.split()
        best: tuple[int, str] = (-1, f"no action begins with {tokens[0]!r}" if tokens else "nothing was typed")
        for form in self._forms.values():
            matched, outcome = self._read(form, state, seat, tokens)
            if isinstance(outcome, Action):
                return outcome
            if matched > best[0]:
                best = (matched, outcome)
        raise MalformedAction(best[1])

    def _say(self, state: S, action: Action, word: str | tuple[str, str, bool]) -> str:
        if isinstance(word, str):
            return word
        name, kind, many = word
        value = getattr(action, name)
        say = self._kinds[kind].say
        return ("+".join(say(state, each) for each in value) or NONE) if many else say(state, value)

    def _read(self, form: _Form, state: S, seat: int, tokens: list[str]) -> tuple[int, Action | str]:
        values: dict[str, Any] = {}
        for place, word in enumerate(form.words):
            if place >= len(tokens):
                return place - 1, f"more is needed: {self.forms[form.cls]}"
            token = tokens[place]
            if isinstance(word, str):
                if token.casefold() != word.casefold():
                    return (place - 1, f"expected {word!r}, not {token!r}: {self.forms[form.cls]}")
                continue
            name, kind, many = word
            read = self._kinds[kind].read
            try:
                if many:
                    values[name] = tuple(read(state, part) for part in token.split("+")) if token != NONE else ()
                else:
                    values[name] = read(state, token)
            except ValueError as error:
                return place, str(error)
        if len(tokens) > len(form.words):
            return len(form.words) - 1, f"{tokens[len(form.words)]!r} is too much: {self.forms[form.cls]}"
        return len(tokens), form.cls(seat, **values)


def _word(text: str) -> str | tuple[str, str, bool]:
    if not text.startswith("{"):
        return text
    name, _, kind = text[1:-1].partition(":")
    return name, kind.removesuffix("*"), kind.endswith("*")
