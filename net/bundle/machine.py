"""What kind of machine this is, in the words in which a bundle says what it is made for."""

from __future__ import annotations

import platform
import sys


def this_machine() -> str:
    """System and processor, such as «Linux (x86-64)»."""
    system = {"linux": "Linux", "darwin": "macOS", "win32": "Windows"}.get(sys.platform, sys.platform)
    kind = platform.machine().lower()
    if system == "macOS":
        return f"macOS ({'Apple silicon' if kind == 'arm64' else 'Intel'})"
    return f"{system} ({ {'x86_64': 'x86-64', 'amd64': 'x86-64', 'aarch64': 'ARM', 'arm64': 'ARM'}.get(kind, kind) })"


def this_python() -> str:
    """The version of Python whose compiled packages fit."""
    return f"{sys.version_info[0]}.{sys.version_info[1]}"
