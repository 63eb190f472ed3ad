"""Labels for actions that the node gives in notation alone, because they do nothing yet: with names for codes."""

from __future__ import annotations

import re
from typing import Any

VERBS = {"place": "Place", "displace": "Displace", "lift": "Take off"}


def label_of(view: dict[str, Any], text: str) -> str:
    """The notation in words, as far as the board knows the names."""
    game = str(view["game"])
    if game == "hansa":
        return _hansa(view, text)
    if game == "yokohama":
        return _yokohama(view, text)
    return text


def _hansa(view: dict[str, Any], text: str) -> str:
    verb, _, post = text.partition(" ")
    code, _, number = post.partition(":")
    cities = {city["code"]: str(city["name"]) for city in view["board"]["cities"]}
    ends = code.split("-")
    if verb not in VERBS or not number or not all(end in cities for end in ends):
        return text
    return f"{VERBS[verb]} {'–'.join(cities[end] for end in ends)} {number}"


def _yokohama(view: dict[str, Any], text: str) -> str:
    verb, _, rest = text.partition(" ")
    if verb == "research" and rest.isdigit():
        here = view["areas"][view["turn"]["area"]]["kind"] if view["turn"]["area"] >= 0 else ""
        slots = [lab["slots"] for lab in view["laboratories"] if lab["id"] == here]
        card = slots[0][int(rest) - 1]["card"] if slots and int(rest) <= len(slots[0]) else None
        return f"Research {card['name']} ({rest})" if card else text
    if verb == "lift":
        return f"Move an assistant from {re.sub('[_-]', ' ', rest)}"
    return text
