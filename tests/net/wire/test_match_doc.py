"""docs/wire-match.md and docs/transcript.md say what the code does: their byte examples hold."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Raw

from kontor_games.engine.core.digest import canonical
from kontor_games.engine.core.game import Result
from kontor_games.net.record.chain_records import SealedEnd
from kontor_games.net.record.transcript import MAGIC, EntryRecord, pack
from kontor_games.net.wire.chain import Frame, Mark, encode, parts

DOCS = Path(__file__).parents[3] / "docs"
M, TIP, DIGEST = (bytes([byte]) * 32 for byte in (0x11, 0x22, 0x33))


def example(document: str, label: str) -> bytes:
    """The bytes beside a label in one of the example blocks."""
    found = re.search(rf"^{re.escape(label)} {{2,}}([0-9a-f ]+)$", (DOCS / document).read_text(), re.MULTILINE)
    assert found, f"no example for {label}"
    return bytes.fromhex(found[1])


def test_the_examples_of_signed_messages_hold() -> None:
    assert example("wire-match.md", "frame") == encode(Frame(M, 1, TIP, 0, DIGEST, parts([["pass", 1]])))
    assert example("wire-match.md", "final") == encode(Mark(M, 2, TIP, DIGEST))


def test_the_examples_of_ends_hold() -> None:
    result = Result("rounds", (1,), (3, 7), (2, 1), (("points", (3, 7)),))
    assert example("wire-match.md", "end of a forfeit") == canonical(
        SealedEnd(TIP, DIGEST, "forfeit", Raw(canonical(None)))
    )
    assert example("wire-match.md", "end with a result") == canonical(
        SealedEnd(TIP, DIGEST, "played", Raw(canonical(result)))
    )


def test_the_example_of_a_record_and_the_magic_hold() -> None:
    assert example("transcript.md", "record") == pack(EntryRecord(((b"\x80", bytes(64)),)))
    assert f"`{MAGIC.hex()}`" in (DOCS / "transcript.md").read_text()
