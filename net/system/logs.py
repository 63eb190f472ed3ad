"""The node's log: one line per event, in a file that rotates and that only its owner can read."""

from __future__ import annotations

import contextlib
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, cast

from twisted.logger import LogLevel, globalLogBeginner
from twisted.python.logfile import LogFile

from kontor_games.engine.errors import StoreError

from .private_file import open_private

NAME: Final = "node.log"
ROTATE_BYTES: Final = 1024 * 1024
KEPT: Final = 3


def line_of(event: dict[str, Any]) -> str | None:
    """The line for a log event; None for chatter of libraries. Of failures it names places, never values."""
    level = event.get("log_level", LogLevel.info)
    namespace = str(event.get("log_namespace", ""))
    is_ours = namespace.startswith("kontor.")
    if not is_ours and level < LogLevel.warn:
        return None
    when = datetime.fromtimestamp(event.get("log_time", 0), UTC).isoformat(timespec="milliseconds")
    text = str(event.get("log_format") or "")
    if is_ours:
        fields = {name: value for name, value in event.items() if not name.startswith("log_")}
        with contextlib.suppress(KeyError, IndexError, ValueError, AttributeError):
            text = text.format(**fields)
    failure = event.get("log_failure")
    if failure is not None:
        places = " < ".join(f"{Path(frame[1]).name}:{frame[2]} {frame[0]}" for frame in reversed(failure.frames[-6:]))
        text += f" | {failure.type.__name__}: {failure.getErrorMessage()} | {places}"
    return _plain(f"{when} {level.name} {namespace or '-'}: {text}")


def _plain(text: str) -> str:
    """One line that shows what it is: names and reasons come from outside and could forge lines or steer a terminal."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


def begin_logging(home: Path) -> None:
    """Send everything that is logged to the file in `home`; StoreError if it is not this home's alone."""
    old = os.umask(0o077)
    try:
        if (home / NAME).is_symlink():
            (home / NAME).unlink()  # or what it points to would be written to and lose its mode
        os.close(open_private(home / NAME))
        file: Any = cast(Any, LogFile)(
            NAME, str(home), rotateLength=ROTATE_BYTES, maxRotatedFiles=KEPT, defaultMode=0o600
        )
    except OSError as error:
        raise StoreError(f"{home / NAME} cannot be written: {error.strerror}") from None
    finally:
        os.umask(old)

    def observe(event: dict[str, Any]) -> None:
        line = line_of(event)
        if line is not None:
            file.write(line + "\n")

    observer: Any = observe
    globalLogBeginner.beginLoggingTo([observer], redirectStandardIO=False, discardBuffer=True)
