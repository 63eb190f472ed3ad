"""Whole nodes on disks that are full for a while, damaged, or restored in part: nothing is lost, nobody is blamed."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from kontor_games.net.record.match_files import MatchFiles
from kontor_games.net.record.transcript import HEADER, MAGIC
from tests.worlds.party import Data, Party

from .test_matches import check_alike


class DiskParty(Party):
    """Remembers what nodes say about their disks and about themselves."""

    said: dict[str, str]  # by node; empty: no longer

    def saw(self, name: str, state: Data) -> None:
        own = [text for text in state["faults"] if text.startswith(("The disk of this", "This computer can only look"))]
        if own or name in self.said:
            self.said[name] = "; ".join(own)
        super().saw(name, {**state, "faults": [text for text in state["faults"] if text not in own]})

    def ply(self) -> int:
        return max(self.plies, default=0)


def party_in(folder: Path, count: int = 3) -> DiskParty:
    party = DiskParty(folder, "osaka", count, "random", tokens_to_end=6)
    party.said = {}
    return party


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of its own for Bruno's node."""
    home = tmp_path / "bruno"
    home.mkdir(mode=0o700)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=140k,mode=0700", "tmpfs", str(home)], check=True, timeout=20)
    yield home
    subprocess.run(["umount", "--lazy", str(home)], check=True, timeout=20)


@pytest.mark.netns
def test_a_full_disk_is_named_and_the_match_goes_on_by_itself_when_there_is_room(
    tmp_path: Path, small_disk: Path
) -> None:
    party = party_in(tmp_path)
    try:
        party.begin()
        party.until(lambda: bool(party.said.get("Bruno")))
        assert "No space left" in party.said["Bruno"]
        assert not list(small_disk.rglob("*.part"))
        subprocess.run(["mount", "-o", "remount,size=16m", str(small_disk)], check=True, timeout=20)
        party.until(lambda: party.said["Bruno"] == "")
        party.until(lambda: party.completed >= set(party.names))
    finally:
        party.stop()
    assert check_alike(party) > 20


def journal_of(party: Party, name: str) -> Path:
    return MatchFiles.beside(party.file(name)).journal


@pytest.mark.long
@pytest.mark.parametrize("spoiled", ["the last bytes", "cut at a record", "second half zeros"])
def test_a_damaged_journal_costs_neither_the_match_nor_anybodys_name(tmp_path: Path, spoiled: str) -> None:
    party = party_in(tmp_path)
    try:
        party.begin()
        party.until(lambda: party.ply() >= 12)
        party.kill("Bruno")
        spoil(journal_of(party, "Bruno"), spoiled)
        party.restart("Bruno")
        party.until(lambda: party.completed >= set(party.names))
    finally:
        party.stop()
    assert not party.said
    assert check_alike(party) > 20


def spoil(path: Path, how: str) -> None:
    """Damage the last record of a journal."""
    data = bytearray(path.read_bytes())
    offset = last = len(MAGIC)
    while offset < len(data):
        last, offset = offset, offset + HEADER + int.from_bytes(data[offset : offset + 4], "big")
    match how:
        case "the last bytes":
            data[-6:] = bytes(byte ^ 0x5A for byte in data[-6:])
        case "cut at a record":
            del data[last:]
        case "second half zeros":
            middle = last + (len(data) - last) // 2
            data[middle:] = bytes(len(data) - middle)
    path.write_bytes(data)


def test_a_node_with_a_cut_journal_and_then_without_its_secret_is_blamed_by_nobody(tmp_path: Path) -> None:
    """The journal lacks a record: the node takes it from the others. A back-up without the secret is put back: it only
    reads, until the secret is there again; before, the node made a new one and convicted itself.
    """
    party = party_in(tmp_path)
    try:
        party.begin()
        party.until(lambda: party.ply() >= 8)
        party.kill("Bruno")
        spoil(journal_of(party, "Bruno"), "cut at a record")
        party.restart("Bruno")
        party.until(lambda: party.ply() >= 12)
        assert not party.said
        party.kill("Bruno")
        secret = MatchFiles.beside(party.file("Bruno")).secret
        kept = secret.read_bytes()
        secret.unlink()
        party.restart("Bruno")
        party.until(lambda: "Bruno" in party.said)
        assert "can only look" in party.said["Bruno"] and "secret" in party.said["Bruno"] and not secret.exists()
        party.kill("Bruno")
        secret.write_bytes(kept)
        party.restart("Bruno")
        party.until(lambda: party.completed >= set(party.names))
    finally:
        party.stop()
    assert check_alike(party) > 20
    assert not list(tmp_path.rglob("*.secret")), "once the keys are open and the last word is written, it is deleted"
