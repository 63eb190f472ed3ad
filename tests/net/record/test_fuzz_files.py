"""Minutes of damaged frames and files: refused with nothing changed, never believed, never a traceback."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from msgspec import Raw
from msgspec.structs import replace

from kontor_games.engine import load as load_game
from kontor_games.engine.errors import RemoteError
from kontor_games.net.ledger.facts import Grown
from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.record.chain_records import records_of, write_transcript
from kontor_games.net.record.transcript import MAGIC, EntryRecord, FrameRecord, Record, pack
from kontor_games.net.record.verify import VERIFIED, verify
from kontor_games.net.wire.chain import Frame, decode, encode
from kontor_games.net.wire.match_talk import Item, Signed
from tests.net.links.test_fuzz_links import damaged, run
from tests.worlds.local_matches import finished, load
from tests.worlds.world import World, identity, make_terms

from .test_verify import records

GAME, PEERS = "joban", 2


@pytest.fixture(scope="module")
def world() -> World:
    """A sealed match somewhere in the middle, in which hidden cards were shown."""
    made = World(make_terms(GAME, PEERS), PEERS, "fuzz")
    made.begin()
    made.play_on(moves=24)
    return made


class FrameTarget:
    """A ledger before one of the match's frames, given damaged frames whose signatures hold."""

    def __init__(self, world: World) -> None:
        self._whole = world.nodes[0].session.ledger
        self._places = [number for number, item in enumerate(self._whole.items) if item.kind == "frame"]
        self._frames = [(item.parts[0].peer, item.parts[0].raw) for item in self._items(self._places)]
        self._fed = 0
        self._ledger = self._at(self._places[0])

    def _items(self, places: list[int]) -> list[Item]:
        return [self._whole.items[place] for place in places]

    def _at(self, place: int) -> Ledger:
        ledger = Ledger(self._whole.terms_raw, inline=True)
        for item in self._whole.items[:place]:
            ledger.take_item(item, trusted=True)
        return ledger

    def __call__(self, source: random.Random) -> None:
        if self._fed % 500 == 0:
            self._ledger = self._at(source.choice(self._places))
        self._fed += 1
        peer, raw = source.choice(self._frames)
        try:
            made = self._damage(source, decode(Frame, raw))
            frame = decode(Frame, made)
        except RemoteError:
            return
        ledger = self._ledger
        before = (ledger.tip, ledger.digest, ledger.ply, len(ledger.items))
        facts = ledger.take_frame(Signed("frame", peer, made, identity(peer).sign("frame", made)), frame)
        if any(isinstance(fact, Grown) for fact in facts):
            self._fed = 0  # another legal turn: begin anew somewhere else
        else:
            assert (ledger.tip, ledger.digest, ledger.ply, len(ledger.items)) == before

    def _damage(self, source: random.Random, frame: Frame) -> bytes:
        """Damaged as bytes, or in one field with all others right for the place where the ledger is."""
        right = replace(frame, h=self._ledger.tip, d=self._ledger.digest, n=self._ledger.ply)
        match source.randrange(5):
            case 0:
                return damaged(source, encode(frame))
            case 1:
                return damaged(source, encode(right))
            case 2:
                other = decode(Frame, source.choice(self._frames)[1])
                return encode(replace(right, a=(*right.a, *other.a), u=other.u))
            case 3:
                return encode(replace(right, a=tuple(Raw(damaged(source, bytes(part))) for part in right.a)))
            case _:
                shown = tuple(Raw(damaged(source, bytes(part))) for part in right.u or (b"\xc0",))
                return encode(replace(right, u=shown, s=source.randrange(PEERS)))


class FileTarget:
    """Files damaged as bytes, and files whose every check was repaired after the damage."""

    def __init__(self, world: World, folder: Path) -> None:
        self._path = folder / "damaged.kontor"
        local = finished(folder / "local.kontor", rounds=2).read_bytes()
        session = world.nodes[0].session
        terms = session.ledger.terms_raw
        signatures = [identity(peer).sign("terms", terms) for peer in range(PEERS)]
        write_transcript(folder / "sealed.kontor", records_of(session.ledger, signatures))
        self._local, self._sealed = local, (folder / "sealed.kontor").read_bytes()

    def __call__(self, source: random.Random) -> None:
        whole = self._sealed if source.random() < 0.2 else self._local
        made = damaged(source, whole) if source.random() < 0.5 else self._repaired(source, whole)
        self._path.write_bytes(made)
        report = verify(self._path, load if whole is self._local else load_game)
        assert report.message and len(report.message) < 2000
        assert report.code != VERIFIED or made == whole

    def _repaired(self, source: random.Random, whole: bytes) -> bytes:
        found: list[Record] = records(whole)
        place = source.randrange(min(len(found), 12) if whole is self._sealed else len(found))
        record = found[place]
        if isinstance(record, EntryRecord):
            (raw, signature), *others = record.messages
            record = EntryRecord(((damaged(source, raw), signature), *others))
        elif isinstance(record, FrameRecord):
            record = FrameRecord(damaged(source, record.raw), record.signature)
        else:
            return damaged(source, whole)
        return MAGIC + b"".join(map(pack, [*found[:place], record, *found[place + 1 :]]))


def some(target: FrameTarget | FileTarget, runs: int) -> None:
    source = random.Random(5)
    for _ in range(runs):
        target(source)


def test_a_few_damaged_frames_change_nothing(world: World) -> None:
    some(FrameTarget(world), 600)


def test_a_few_damaged_files_convince_nobody(world: World, tmp_path: Path) -> None:
    some(FileTarget(world, tmp_path), 60)


@pytest.mark.long
def test_damaged_frames_change_nothing(world: World) -> None:
    run(FrameTarget(world), "frames")


@pytest.mark.long
def test_damaged_files_convince_nobody(world: World, tmp_path: Path) -> None:
    run(FileTarget(world, tmp_path), "transcript reader")
