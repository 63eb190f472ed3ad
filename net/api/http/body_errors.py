"""What is wrong with a body, in a sentence: the field, what it must be, what it is, and what to do."""

from __future__ import annotations

import json
import re
from typing import Any, Final

LOOK: Final = "docs/local-api.md lists the fields of every request"
_PLACE: Final = re.compile(r"(?P<fault>.*?)(?: - at `\$(?P<place>[^`]*)`)?", re.S)
_RULES: Final = (
    (re.compile(r"Object missing required field `(.+)`"), "{0} is missing: send it too"),
    (re.compile(r"Object contains unknown field `(.+)`"), "there is no field {0} here: leave it out"),
    (
        re.compile(r"Expected `str` of length >= (\d+)"),
        "{place} has {0} or more characters, not {size}: write more",
    ),
    (re.compile(r"Expected `str` of length <= (\d+)"), "{place} has at most {0} characters, not {size}: shorten it"),
    (re.compile(r"Expected `array` of length >= (\d+)"), "{place} has {0} or more entries, not {size}: add some"),
    (re.compile(r"Expected `\w+` of length <= (\d+)"), "{place} has at most {0} entries, not {size}: take some away"),
    (re.compile(r"Expected `int` >= (-?\d+)"), "{place} is at least {0}, not {value}: send a larger number"),
    (re.compile(r"Expected `int` <= (-?\d+)"), "{place} is at most {0}, not {value}: send a smaller number"),
    (re.compile(r"Expected `int` < (-?\d+)"), "{place} is less than {0}, not {value}: send a smaller number"),
    (re.compile(r"Expected `str` matching regex"), "{place} cannot be {value}: " + LOOK),
    (re.compile(r"Invalid enum value"), "{place} cannot be {value}: " + LOOK),
    (re.compile(r"Expected `([^`]+)`, got `(?:[^`]+)`"), "{place} must be {0}, not {value}"),
)
_KINDS: Final = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object with fields",
}


def what_is_wrong(raw: bytes, fault: str) -> str:
    """The sentence for a fault that the decoder found in these bytes."""
    try:
        data = json.loads(raw or b"{}")
    except (ValueError, RecursionError):
        return f"the body is not JSON in UTF-8: send an object such as {{}}; {LOOK}"
    found = _PLACE.fullmatch(fault)
    place = found["place"] if found and found["place"] else ""
    value = _value_at(data, place)
    facts = {
        "place": place.lstrip(".").replace("[...]", " (one of its values)") or "the body",
        "value": _short(value),
        "size": len(value) if isinstance(value, str | list | dict) else 0,
    }
    for pattern, sentence in _RULES:
        if match := pattern.match(fault):
            return sentence.format(*map(_kinds, match.groups()), **facts)
    return f"the body is not what is asked for: {LOOK}"


def _kinds(words: str) -> str:
    """«int | null» in words; anything else as it is."""
    parts = words.split(" | ")
    return " or ".join(_KINDS[part] for part in parts) if set(parts) <= set(_KINDS) else words


def _value_at(data: Any, place: str) -> Any:
    for name, number in re.findall(r"\.(\w+)|\[(\d+)\]", place):
        try:
            data = data[name] if name else data[int(number)]
        except (LookupError, TypeError):
            return None
    return data


def _short(value: Any) -> str:
    """A value as it was sent; the middle of a long one is left out."""
    text = json.dumps(value)  # in ASCII: what was sent may hold anything
    return text if len(text) <= 60 else f"{text[:40]} … {text[-10:]}"
