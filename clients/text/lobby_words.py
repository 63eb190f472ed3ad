"""What a lobby says to a person besides its tables and chat, as a sentence: warnings, mutes, announcements."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

_SAID: Final = {
    "warning": "The operators of the lobby warn you: {text}",
    "mute": "The operators of the lobby have muted you{until}: {text}",
    "ban": "The operators of the lobby have banned you{until}: {text}",
    "announcement": "The lobby announces: {text}",
    "shutdown": "The lobby says: {text}",
    "elsewhere": "The lobby says: {text}",
}


def lobby_says(notice: Mapping[str, Any]) -> str | None:
    """The sentence for a `notice` event of the lobby; None for notices about tables and matches."""
    template = _SAID.get(str(notice.get("about", "")))
    if template is None or "id" in notice:
        return None
    return template.format(text=notice["text"], until=_until(notice.get("until")))


def marked(name: str, mark: str | None) -> str:
    """A name as the lobby shows it: with part of the fingerprint if somebody else used it, or one like it, first."""
    return f"{name} ({mark})" if mark else name


def _until(seconds: int | None) -> str:
    """By the clock on this person's wall; nothing for an end beyond all calendars."""
    try:
        return f" until {datetime.fromtimestamp(seconds):%d %B, %H:%M}" if seconds else ""
    except (ValueError, OverflowError, OSError):
        return ""
