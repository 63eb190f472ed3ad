"""Rated matches are handed in by themselves: after a restart, past refusals that pass, with the word of a machine."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.task import Clock

from kontor_games.engine.errors import RemoteError
from kontor_games.net.lobbies.lobby_book import Origin
from kontor_games.net.lobbies.lobby_link import LobbyRefused
from kontor_games.net.lockstep.effects import Completed, Diverged, Effect, Ended
from kontor_games.net.node.handing_in_matches import (
    AGAIN_AFTER,
    DIFFERS_AFTER,
    LONGEST,
    MAX_AGE,
    ONE_AFTER_ANOTHER,
    UNSIGNED_AFTER,
    LadderErrands,
)
from kontor_games.net.record.match_files import MatchFiles, page_path
from kontor_games.net.wire.chain import Mark, decode
from kontor_games.net.wire.identity import verify
from kontor_games.net.wire.ladder_messages import HandWord, LadderWord
from kontor_games.net.wire.lobby_messages import Refusal
from tests.worlds.ladder_files import PeopleWorld, rated_match, rated_terms
from tests.worlds.quick_algebra import remembered
from tests.worlds.world import identity, make_terms

ORIGIN = Origin("lobby.example:7460", b"k" * 32, "Ann", "T" * 16)
QUEUED = LadderWord("queued", "safe", "https://games.example.org/match/ab")


class Room:
    """A lobby that answers as the test says, and remembers what it was given."""

    def __init__(self) -> None:
        self.seen: object | None = object()
        self.given: list[bytes] = []
        self.words: list[HandWord] = []
        self.answers: list[Any] = []  # errors, for the next tries; then everything is taken

    def hand_in(self, data: bytes, word: HandWord | None = None) -> Deferred[Any]:
        self.given.append(data)
        if self.answers:
            return fail(self.answers.pop(0))
        self.words += [] if word is None else [word]
        return succeed(QUEUED)


class Desk:
    """A node's errands with a clock of the test; a restart forgets everything but the files."""

    def __init__(self, folder: Path, world: PeopleWorld, seat: int) -> None:
        self.clock, self.room = Clock(), Room()
        self._session = world.nodes[seat].session
        self._identity = identity(world.people[seat])
        ledger = self._session.ledger
        self.files = MatchFiles.of(folder, ledger.match)
        self.files.transcript.write_bytes(b"the file")
        ORIGIN.write(self.files.lobby)
        self.match: Any = SimpleNamespace(
            session=self._session, files=self.files, is_closed=False, write_transcript=lambda: self.files.transcript
        )
        self.restart()

    def restart(self) -> None:
        if hasattr(self, "errands"):
            self.errands.stop()
            assert not self.clock.getDelayedCalls()
        lobbies: Any = SimpleNamespace(open_again=lambda origin: self.room)
        self.errands = LadderErrands(self.clock, self._identity, lobbies, lambda: time.time() + self.clock.seconds())

    def tell(self, effect: Effect) -> None:
        self.errands.told(self.match, ORIGIN, effect)

    def resume(self) -> None:
        self.errands.resume(self.files)

    @property
    def owes(self) -> bool:
        return self.files.handing_in.exists()


@pytest.fixture(scope="module")
def world() -> Iterator[PeopleWorld]:
    with remembered():
        yield rated_match("joban", (0, 1), "handing in")


def refusal(code: str) -> LobbyRefused:
    return LobbyRefused(Refusal(1, code, "no"))


def test_players_hand_in_one_after_another_and_then_owe_nothing(tmp_path: Path, world: PeopleWorld) -> None:
    desk = Desk(tmp_path, world, 1)
    desk.tell(Completed())
    assert desk.owes and not desk.room.given
    desk.clock.advance(ONE_AFTER_ANOTHER)
    assert desk.room.given == [b"the file"] and not desk.owes
    assert page_path(desk.files.transcript).read_text() == QUEUED.page


def test_what_was_not_handed_in_before_a_restart_is_handed_in_after_it(tmp_path: Path, world: PeopleWorld) -> None:
    desk = Desk(tmp_path, world, 0)
    desk.room.seen = None  # the lobby is away
    desk.tell(Completed())
    desk.clock.advance(1)
    assert desk.owes
    desk.restart()
    desk.resume()
    desk.clock.advance(60)
    assert desk.owes and not desk.room.given
    desk.room.seen = object()
    desk.clock.advance(LONGEST)
    assert desk.room.given == [b"the file"] and not desk.owes
    desk.restart()
    desk.resume()
    assert not desk.clock.getDelayedCalls(), "nothing is left to be done"


def test_a_lobby_that_is_away_for_days_is_asked_ever_more_rarely_and_not_for_ever(
    tmp_path: Path, world: PeopleWorld
) -> None:
    desk = Desk(tmp_path, world, 0)
    desk.room.answers = [RemoteError("gone")] * 1000
    desk.tell(Completed())
    desk.clock.pump([60.0] * (2 * 24 * 60))
    assert 48 <= len(desk.room.given) <= 60 and desk.owes
    desk.restart()
    desk.clock.advance(MAX_AGE)  # the node is off for a month
    desk.resume()
    assert not desk.owes and not desk.clock.getDelayedCalls()


def test_a_node_that_is_never_restarted_gives_up_too(tmp_path: Path, world: PeopleWorld) -> None:
    desk = Desk(tmp_path, world, 0)
    desk.room.seen = None
    desk.tell(Completed())
    desk.clock.pump([LONGEST] * int(MAX_AGE // LONGEST - 1))
    assert desk.owes and desk.clock.getDelayedCalls()
    desk.clock.pump([LONGEST] * 3)
    assert not desk.owes and not desk.clock.getDelayedCalls()


@pytest.mark.parametrize(("code", "is_asked_again"), [("later", True), ("too-fast", True), ("ladder", False)])
def test_only_refusals_that_pass_are_tried_again(
    tmp_path: Path, world: PeopleWorld, code: str, is_asked_again: bool
) -> None:
    desk = Desk(tmp_path, world, 0)
    desk.room.answers = [refusal(code)]
    desk.tell(Completed())
    desk.clock.advance(0)
    assert desk.owes == is_asked_again
    desk.clock.advance(AGAIN_AFTER)
    assert len(desk.room.given) == 1 + is_asked_again and not desk.owes


def test_an_end_that_somebody_does_not_sign_is_handed_in_all_the_same_and_again_with_the_signature(
    tmp_path: Path, world: PeopleWorld
) -> None:
    desk = Desk(tmp_path, world, 0)
    desk.tell(Ended("played"))
    desk.clock.advance(UNSIGNED_AFTER - 1)
    assert not desk.room.given
    desk.clock.advance(1)
    assert len(desk.room.given) == 1
    desk.tell(Completed())
    desk.clock.advance(0)
    assert len(desk.room.given) == 2
    # And if everybody signs in time, once is enough.
    (tmp_path / "quick").mkdir()
    quick = Desk(tmp_path / "quick", world, 0)
    quick.tell(Ended("played"))
    quick.tell(Completed())
    quick.clock.advance(UNSIGNED_AFTER)
    assert len(quick.room.given) == 1


def standing(seat: int) -> PeopleWorld:
    """A rated match that has begun and is not over."""
    with remembered():
        world = PeopleWorld(rated_terms("joban", (0, 1), f"standing {seat}"), (0, 1), "standing")
        world.begin()
        world.quiet()
    return world


def test_a_machine_that_differs_hands_in_its_signed_word_also_after_a_restart(tmp_path: Path) -> None:
    world = standing(1)
    desk = Desk(tmp_path, world, 1)
    ledger = world.nodes[1].session.ledger
    desk.tell(Diverged(0, ledger.tip, ledger.digest, b"x" * 32))
    assert not desk.owes
    desk.room.answers = [RemoteError("gone")]
    desk.clock.advance(DIFFERS_AFTER)
    desk.clock.advance(0)
    assert desk.owes and desk.room.words == []
    desk.restart()
    desk.resume()
    desk.clock.advance(60)
    (word,) = desk.room.words
    mark = decode(Mark, word.mark)
    assert (mark.m, mark.p, mark.h, mark.d) == (ledger.match, 1, ledger.tip, ledger.digest)
    assert verify(identity(1).key, "ack", word.mark, word.signature) and not desk.owes


def test_a_machine_that_was_put_right_hands_in_nothing(tmp_path: Path) -> None:
    world = standing(0)
    desk = Desk(tmp_path, world, 0)
    ledger = world.nodes[0].session.ledger
    desk.tell(Diverged(1, ledger.tip, b"y" * 32, ledger.digest))  # our memory was bad, and is not any more
    desk.clock.advance(DIFFERS_AFTER)
    assert not desk.owes and not desk.clock.getDelayedCalls()
    desk.tell(Diverged(1, ledger.tip, ledger.digest, b"x" * 32))
    desk.errands.stop()
    assert not desk.clock.getDelayedCalls()


def test_a_match_that_is_not_rated_is_handed_to_nobody(tmp_path: Path) -> None:
    with remembered():
        world = PeopleWorld(make_terms("joban", 2), (0, 1), "plain")
    desk = Desk(tmp_path, world, 0)
    for effect in (Ended("played"), Completed()):
        desk.tell(effect)
    assert not desk.owes and not desk.clock.getDelayedCalls()


def test_a_damaged_note_is_thrown_away(tmp_path: Path, world: PeopleWorld) -> None:
    desk = Desk(tmp_path, world, 0)
    for text in ("", "[]", "{", '{"match": "zz"}', '{"other": "00"}'):
        desk.files.handing_in.write_text(text)
        desk.resume()
        assert not desk.owes and not desk.clock.getDelayedCalls()
