"""Code of others in the web client is what its list says, byte by byte."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

VENDOR = Path(__file__).parent.parent.parent / "clients" / "web" / "vendor"


def test_every_file_of_others_has_the_hash_and_the_licence_of_the_list() -> None:
    rows = re.findall(
        r"^\| `([^`]+)` \|.*\(`([^`]+)`\) \| `([0-9a-f]{64})` \|$", (VENDOR / "README.md").read_text(), re.M
    )
    assert {row[0] for row in rows} == {path.name for path in VENDOR.glob("*.js")} and rows
    for name, licence, digest in rows:
        assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == digest, name
        assert (VENDOR / licence).read_text(encoding="utf-8").strip()
