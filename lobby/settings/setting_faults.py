"""Everything that is wrong with an operator's settings, at once, with the name that was probably meant.

Whoever writes a file by hand makes several mistakes, and one that is told of them one by one has to start the check as
often. So the file is looked at field by field: a wrong value or an unknown name is noted, left out, and the rest is
looked at as if it were not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Final

import msgspec
from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

Settings = type[Struct]
_KINDS: Final = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "str": "a text in quotes",
    "array": "a list in brackets",
}
_BOUNDS: Final = {
    ">=": "it should be at least {0}",
    "<=": "it should be at most {0}",
    ">": "it should be more than {0}",
    "<": "it should be less than {0}",
}
_WORDS: Final = (
    *((re.compile(rf"Expected `{kind}`, got"), f"it should be {told}") for kind, told in _KINDS.items()),
    *(
        (re.compile(rf"Expected `(?:int|float)` {sign} ([0-9.]+?)(?:\.0)?(?:e\+|$| - )"), told)
        for sign, told in _BOUNDS.items()
    ),
    (re.compile(r"Expected `str` of length <= ([0-9]+)"), "it should have at most {0} characters"),
    (re.compile(r".*regex '\^\[a-z0-9-\]"), "it should be made of small letters, digits and -, at most 32 of them"),
    (re.compile(r".*regex '\^\(sqlite"), "it should be sqlite, memory or an address such as redis://host:6379/0"),
)


def split(
    raw: Mapping[str, Any], kind: Settings, path: str = "", root: Settings | None = None
) -> tuple[dict[str, Any], list[str]]:
    """What of `raw` fits the settings `kind`, and what is wrong with the rest, in the order of the file."""
    root = root or kind
    known = {field.name: field for field in fields(kind)}
    good: dict[str, Any] = {}
    faults: list[str] = []
    for name, value in raw.items():
        where = f"{path}{name}"
        if name not in known:
            faults.append(f"{where}: there is no such setting{_meant(name, path, kind, root)}")
            continue
        inner = known[name].type
        if _is_settings(inner) and isinstance(value, Mapping):
            part, wrong = split(value, inner, f"{where}.", root)
            faults += wrong
            if not wrong or not _needed(inner):
                good[name] = part
        elif reason := _why_not_value(value, inner):
            faults.append(f"{where}: {reason}")
        else:
            good[name] = value
    missing = [name for name in _needed(kind) if name not in raw]
    if missing:
        faults.append(f"{path.rstrip('.')}: {' and '.join(missing)} missing")
    return good, faults


def _is_settings(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Struct)


def _needed(kind: Settings) -> list[str]:
    return [field.name for field in fields(kind) if field.default is NODEFAULT and field.default_factory is NODEFAULT]


def _why_not_value(value: Any, kind: Any) -> str | None:
    if _is_settings(kind):
        names = ", ".join(field.name for field in fields(kind))
        return f"this is a section with {names}, not {value!r}"[:200]
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        return f"{_plain(str(error))}, and it is {_shown(value)}"[:200]
    return None


def _plain(text: str) -> str:
    """What is expected, as somebody says it who writes the file; what is not known here stays as it is."""
    for pattern, sentence in _WORDS:
        if found := pattern.match(text):
            return sentence.format(*found.groups())
    return text


def _shown(value: Any) -> str:
    """A value as the file writes it, without what may be a password."""
    if isinstance(value, bool):
        return str(value).lower()
    return re.sub(r":[^@:]*@", ":…@", repr(value))


def names_of(kind: Settings, path: str = "") -> Iterator[tuple[str, str]]:
    """Every setting as a file writes it: its section, empty for the top, and its name."""
    for field in fields(kind):
        yield path, field.name
        if _is_settings(field.type) and not _needed(field.type):
            yield from names_of(field.type, f"{path}{field.name}.")


def _meant(name: str, path: str, kind: Settings, root: Settings) -> str:
    """A hint at the setting that was meant: one of this section that is spelt almost so, or one of another section."""
    here = [field.name for field in fields(kind)]
    spelt = get_close_matches(name.lower().replace("-", "_"), here, n=1, cutoff=0.7)
    if spelt:
        return f"; did you mean {path}{spelt[0]}?"
    everywhere = [(f"{section}{known}", known) for section, known in names_of(root)]
    meant = get_close_matches(name, {known for _, known in everywhere}, n=1, cutoff=0.8)
    places = [place for place, known in everywhere if known in meant]
    return f"; did you mean {places[0]}?" if places else ""
