"""Whether this terminal can show a full screen."""

from __future__ import annotations

import locale
import os
import sys
from typing import TextIO


def why_not(out: TextIO | None = None) -> str | None:
    """Why the full screen cannot be shown here, in words for the person; None if it can."""
    out = out or sys.stdout
    if not (out.isatty() and sys.stdin.isatty()):
        return "The full screen needs a terminal for input and output."
    if os.environ.get("TERM", "") in ("dumb", "unknown", "") and sys.platform != "win32":
        return f"This terminal (TERM={os.environ.get('TERM') or 'not set'}) cannot show a full screen."
    encoding = (out.encoding or locale.getpreferredencoding(False)).replace("-", "").casefold()
    if encoding not in ("utf8", "cp65001"):
        return f"This terminal writes {out.encoding}, and the full screen needs UTF-8 (for example LANG=C.UTF-8)."
    return None
