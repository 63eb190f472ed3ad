"""A lobby with a ladder over real connections: rated tables, files handed in piece by piece, bounds on both."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_twisted
from msgspec.structs import replace

from kontor_games.engine.errors import KontorError, RemoteError
from kontor_games.lobby.ladder.ladder_checking import check
from kontor_games.lobby.ladder.manifest import page_in
from kontor_games.lobby.ladder.published import FolderLadder
from kontor_games.lobby.ladder.uploads import SILENCE, Uploads
from kontor_games.lobby.model.work import RequestRefused
from kontor_games.lobby.server.common_shares import CommonShares
from kontor_games.lobby.settings.config import Config, LadderSettings, load_config
from kontor_games.lobby.store.memory import MemoryStore
from kontor_games.net.lobbies.handing_in import hand_in
from kontor_games.net.wire.chain import Mark, encode
from kontor_games.net.wire.ladder_messages import LAN_CLAUSE, MAX_PIECE, HandIn, HandWord, lobby_clause
from kontor_games.net.wire.lobby_messages import MakeTable
from kontor_games.net.wire.messages import Clauses
from tests.worlds.ladder_files import PeopleWorld, file_of, name_of, rated_match, rated_terms
from tests.worlds.lobby_hall import Node, party, pause
from tests.worlds.match_files import packed, unpacked
from tests.worlds.quick_algebra import remembered
from tests.worlds.world import identity

ON = LadderSettings(enabled=True, files_per_day=4)


def keeping(folder: Path, **settings: Any) -> Config:
    return Config(hall_every=0.05, data=str(folder), ladder=replace(ON, **settings))


async def sent(node: Node, data: bytes) -> str:
    assert node.link is not None
    word = await hand_in(node.link.ask, data)
    return str(word.state)


async def published(folder: Path, done: Any) -> Any:
    """What the ladder says as soon as that is so."""
    source = FolderLadder(folder / "ladder" / "published")
    for _ in range(600):
        try:
            page = page_in(source.manifest())
        except RemoteError:
            page = None
        if page is not None and done(page):
            return page
        await pause(0.05)
    raise AssertionError("the ladder did not come to that")


@pytest_twisted.ensureDeferred
async def test_a_lobby_without_a_ladder_says_so(tmp_path: Path) -> None:
    async with party() as hall:
        ann = await hall.node("Ann")
        with pytest.raises(KontorError, match="does not keep a ladder"):
            await sent(ann, b"x" * 100)
        rated = MakeTable("hansa", {}, 2, clauses=Clauses(rated=lobby_clause(hall.lobby.key)))
        with pytest.raises(KontorError, match="tables cannot be rated"):
            await ann.ask(rated)


@pytest_twisted.ensureDeferred
async def test_a_match_that_is_handed_in_is_counted_and_can_be_checked(tmp_path: Path) -> None:
    async with party(config=keeping(tmp_path)) as hall:
        key = hall.lobby.key
        with remembered():
            data = file_of(rated_match("joban", (0, 1), "lobby", ladder=lobby_clause(key)))
        assert len(data) > 2 * MAX_PIECE
        ann, ben = await hall.node("Ann"), await hall.node("Ben")
        records = unpacked(data)
        assert await sent(ann, data) == "queued"
        assert await sent(ann, packed([*records[:5], *records[6:]])) == "queued", "it is judged later"
        page = await published(tmp_path, lambda page: page.said["counted"] == 1 and page.refused)
        assert await sent(ben, data) == "known"
        assert page.refused[0].reason.startswith("refuted") and len(page.book) == 1
        found = check(FolderLadder(tmp_path / "ladder" / "published"), 1, keeper=None)
        assert (found.code, found.matches) == (0, 1)
        assert name_of(data) == page.book[0].file
    async with party(config=keeping(tmp_path / "other")) as hall:
        cat = await hall.node("Cat")
        assert await sent(cat, data) == "queued"
        page = await published(tmp_path / "other", lambda page: page.refused)
        assert "another ladder" in page.refused[0].reason, "of another lobby"


@pytest_twisted.ensureDeferred
async def test_a_rated_table_counts_for_the_ladder_of_its_lobby_alone(tmp_path: Path) -> None:
    async with party(config=keeping(tmp_path)) as hall:
        ann = await hall.node("Ann")
        ours = MakeTable("hansa", {}, 2, clauses=Clauses(rated=lobby_clause(hall.lobby.key)))
        assert (await ann.ask(ours)).table
        for clause in (lobby_clause(b"k" * 32), LAN_CLAUSE):
            with pytest.raises(KontorError, match="counts for this lobby's ladder"):
                await ann.ask(replace(ours, clauses=Clauses(rated=clause)))


@pytest_twisted.ensureDeferred
async def test_uploads_are_bounded_in_size_and_number(tmp_path: Path) -> None:
    async with party(config=keeping(tmp_path, max_file=2048)) as hall:
        ann = await hall.node("Ann")
        with pytest.raises(KontorError, match="takes at most 2048"):
            await sent(ann, b"x" * 2049)
        for number in range(4):
            assert await sent(ann, b"%d" % number) == "queued"
        with pytest.raises(KontorError, match="try again tomorrow"):
            await sent(ann, b"more")
        ben = await hall.node("Ben")
        assert await sent(ben, b"another key") == "queued"


@pytest_twisted.ensureDeferred
async def test_the_word_of_a_machine_that_differs_is_taken_with_its_signature_alone(tmp_path: Path) -> None:
    async with party(config=keeping(tmp_path)) as hall:
        with remembered():
            terms = rated_terms("joban", (0, 1), "a word", ladder=lobby_clause(hall.lobby.key))
            world = PeopleWorld(terms, (0, 1), "a word")
            world.begin()
            world.quiet()
        ledger = world.nodes[0].session.ledger
        ann = await hall.node("Ann")
        mark = encode(Mark(ledger.match, 1, ledger.tip, b"x" * 32))

        async def say(signer: int) -> str:
            return str((await ann.ask(HandWord(ledger.match, mark, identity(signer).sign("ack", mark)))).state)

        assert await say(1) == "queued", "it is judged later, and comes to nothing: there is no file yet"
        assert await sent(ann, file_of(world)) == "queued"
        assert await say(0) == "queued", "somebody else's signature"
        assert await say(1) == "queued"
        page = await published(tmp_path, lambda page: page.said["differed"])
        assert page.said["differed"] == {identity(1).key.hex(): 1} and len(page.book) == 2
        with pytest.raises(KontorError, match="try again tomorrow"):
            await say(1)
        assert check(FolderLadder(tmp_path / "ladder" / "published"), 1, keeper=None).code == 0


# ---- the machine


def piece(data: bytes, offset: int, size: int, whole: bytes | None = None) -> HandIn:
    whole = data if whole is None else whole
    return HandIn(bytes.fromhex(name_of(whole)), len(whole), offset, data[offset : offset + size])


def test_pieces_come_in_order_or_not_at_all() -> None:
    uploads, data = Uploads(100, 10, 2), b"0123456789"
    assert uploads.take(b"a", piece(data, 0, 4), 0) is None
    with pytest.raises(RemoteError, match="does not follow"):
        uploads.take(b"a", piece(data, 6, 4), 1)
    with pytest.raises(RemoteError, match="begin again"):
        uploads.take(b"a", piece(data, 4, 6), 1)
    assert uploads.take(b"a", piece(data, 0, 4), 2) is None
    assert uploads.take(b"a", piece(data, 4, 6), 2) == data


def test_a_file_that_is_not_what_was_announced_is_not_taken() -> None:
    uploads = Uploads(100, 10, 2)
    with pytest.raises(RemoteError, match="not the one that was announced"):
        uploads.take(b"a", piece(b"abc", 0, 3, b"xyz"), 0)


def test_whoever_begins_and_falls_silent_keeps_no_place() -> None:
    uploads, data = Uploads(100, 10, 2), b"0123456789"
    for key in (b"a", b"b"):
        assert uploads.take(key, piece(data, 0, 4), 0) is None
    with pytest.raises(RemoteError, match="in a few minutes"):
        uploads.take(b"c", piece(data, 0, 4), 1)
    assert uploads.take(b"c", piece(data, 0, 4), SILENCE + 1) is None


def test_the_network_that_holds_most_places_makes_room_and_nobody_in_their_first_seconds() -> None:
    uploads, data = Uploads(100, 10, 3), b"0123456789"
    for at, (key, network) in enumerate(((b"a", "bad"), (b"b", "good"), (b"c", "bad"))):
        assert uploads.take(key, piece(data, 0, 4), at, network) is None
    with pytest.raises(RemoteError, match="in a few minutes"):
        uploads.take(b"d", piece(data, 0, 4), 5, "other")  # all of them have only begun
    for key, network in ((b"a", "bad"), (b"b", "good"), (b"c", "bad")):
        assert uploads.take(key, piece(data, 4, 1), 20, network) is None  # a byte now and then
    assert uploads.take(b"d", piece(data, 0, 4), 21, "other") is None
    with pytest.raises(RemoteError, match="begin again"):
        uploads.take(b"a", piece(data, 5, 1), 22, "bad")
    assert uploads.take(b"b", piece(data, 5, 5), 22, "good") == data
    assert uploads.take(b"a", piece(data, 0, 4), 23, "bad") is None
    with pytest.raises(RemoteError, match="in a few minutes"):
        uploads.take(b"e", piece(data, 0, 4), 40, "bad")  # it holds most itself


def test_beginning_counts_even_if_nothing_is_finished() -> None:
    uploads = Uploads(100, 2, 5)
    for _ in range(2):
        uploads.take(b"a", piece(b"0123", 0, 1), 0)
    with pytest.raises(RemoteError, match="within a day"):
        uploads.take(b"a", piece(b"0123", 0, 1), 1)
    assert uploads.take(b"a", piece(b"0123", 0, 1), 90_000) is None


@pytest_twisted.ensureDeferred
async def test_what_a_key_hands_in_is_counted_over_all_processes() -> None:
    jobs: Any = SimpleNamespace(store=MemoryStore(), now=1_000)
    one, two = CommonShares(jobs), CommonShares(jobs)
    for process in (one, two, one):
        await process.demand_file(b"a", 3)
    with pytest.raises(RequestRefused, match="within a day"):
        await two.demand_file(b"a", 3)
    await two.demand_file(b"b", 3)


def test_a_ladder_needs_the_lobbys_own_key(tmp_path: Path) -> None:
    (tmp_path / "lobby.toml").write_text("[ladder]\nenabled = true\nwindow_hours = 24\n")
    assert load_config(tmp_path / "lobby.toml", {}).ladder.window_hours == 24
    with pytest.raises(KontorError, match="cannot go with a certificate"):
        load_config(tmp_path / "lobby.toml", {"certificate": "a.pem", "private_key": "b.pem"})
