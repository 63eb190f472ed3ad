"""What clients are told, as JSON: the one place that writes it."""

from __future__ import annotations

import json
from typing import Any

import msgspec

_encode = msgspec.json.Encoder().encode


def to_json(data: Any) -> bytes:
    """The shortest JSON of `data`, in UTF-8."""
    try:
        return _encode(data)
    except UnicodeEncodeError:  # the name of a file need not be text
        return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
