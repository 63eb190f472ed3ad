"""What clients are told, as JSON: the one place that writes it."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import msgspec


def _plain(value: Any) -> str:
    """A text that carries more than its letters, such as a `Reason`, is told as a text."""
    if isinstance(value, str):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON")


_encode = msgspec.json.Encoder(enc_hook=_plain).encode

# Invisible characters, line separators and those that turn the direction of what follows. No door of this node lets
# them in, but a hostile keeper, lobby or file can hold them, and in a window they would rearrange what stands around.
# In UTF-8: U+7F to 9F, AD, 61C, 180E, 200B, 200E to 200F, 2028 to 202E, 2060 to 206F, FEFF, FFF9 to FFFB, tags.
_STEERING: Final = re.compile(
    rb"\x7f|\xc2[\x80-\x9f\xad]|\xd8\x9c|\xe1\xa0\x8e|\xe2(?:\x80[\x8b\x8e\x8f\xa8-\xae]|\x81[\xa0-\xaf])"
    rb"|\xef(?:\xbb\xbf|\xbf[\xb9-\xbb])|\xf3\xa0[\x80\x81][\x80-\xbf]"
)
_FIRST: Final = (b"\x7f", b"\xc2", b"\xd8", b"\xe1", b"\xe2", b"\xef", b"\xf3")  # bytes with which these begin
_DOT: Final = "\N{MIDDLE DOT}".encode()


def to_json(data: Any) -> bytes:
    """The shortest JSON of `data`, in UTF-8; characters that hide or rearrange text show as a dot."""
    try:
        raw = _encode(data)
    except UnicodeEncodeError:  # the name of a file need not be text
        raw = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return _STEERING.sub(_DOT, raw) if any(first in raw for first in _FIRST) else raw
