"""A local match survives everything that can happen to its process, and its file proves it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from kontor_games.engine import IllegalAction, digest
from kontor_games.engine.core.chance import Left
from kontor_games.engine.errors import ConfigError, KontorError, StoreError
from kontor_games.net.record import draft_file, local_match, transcript
from kontor_games.net.record.local_chain import LocalEnd, decode
from kontor_games.net.record.local_match import RecordedMatch, seed_from
from kontor_games.net.record.local_replay import LocalReplay
from kontor_games.net.record.match_files import LocalFiles
from kontor_games.net.record.replay import Replay
from kontor_games.net.record.transcript import EndRecord, Placed, TranscriptWriter
from kontor_games.net.record.verify import REFUTED, UNREADABLE, VERIFIED, verify
from tests.engine import toy
from tests.worlds.local_matches import SEATS, finished, load, menu, new_table, play_on


def test_without_its_seed_a_match_is_replayed_from_the_stored_answers_and_nothing_hidden_is_known(
    tmp_path: Path,
) -> None:
    records = records_of(finished(tmp_path / "a.kontor"))
    seeded, blind = LocalReplay.of(records, load), LocalReplay(records[0], None, load)
    hands = 0
    for placed in records[1:]:
        assert blind.feed(placed) == seeded.feed(placed)
        assert all(blind.known(seat) == {} for seat in range(len(SEATS)))
        hands += any(seeded.known(seat) for seat in range(len(SEATS)))
    assert hands and seeded.is_open and not blind.is_open
    assert blind.state == seeded.state and blind.has_end and blind.tip == seeded.tip


def records_of(path: Path) -> list[Placed]:
    with path.open("rb") as file:
        return [item for item in transcript.read(file) if isinstance(item, Placed)]


def test_a_whole_match_verifies(tmp_path: Path) -> None:
    report = verify(finished(tmp_path / "a.kontor"), load)
    assert (report.code, report.message, report.finished) == (VERIFIED, "consistent, unsigned", True)
    assert report.result is not None and report.players == ("Ada", "Bob", "Cyd") and report.plies > 10


def test_a_match_that_cannot_begin_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, seed: bytes) -> None:
        raise StoreError(f"{path.name}: too many open files")

    monkeypatch.setattr(local_match, "_write_secret", full)
    with pytest.raises(StoreError):
        new_table(tmp_path / "a.kontor")
    assert list(tmp_path.iterdir()) == []


def test_one_seed_gives_one_file_byte_for_byte(tmp_path: Path) -> None:
    one, two = finished(tmp_path / "1.kontor"), finished(tmp_path / "2.kontor")
    other = finished(tmp_path / "3.kontor", seed="8")
    assert one.read_bytes() == two.read_bytes() != other.read_bytes()


def test_the_seed_is_private_while_the_match_lasts_and_in_the_file_after_it(tmp_path: Path) -> None:
    path = tmp_path / "a.kontor"
    table = new_table(path)
    secret = LocalFiles(path).seed
    assert bytes.fromhex(secret.read_text()) == seed_from("7")
    if os.name == "posix":
        assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert seed_from("7") not in path.read_bytes()
    play_on(table)
    table.close()
    assert not secret.exists()
    end = records_of(path)[-1].record
    assert isinstance(end, EndRecord) and decode(LocalEnd, end.raw).z == seed_from("7")


def test_a_match_stopped_after_any_record_goes_on_in_the_same_state(tmp_path: Path) -> None:
    whole = finished(tmp_path / "whole.kontor")
    data = whole.read_bytes()
    for placed in records_of(whole)[2:]:
        path = tmp_path / f"{placed.number}.kontor"
        path.write_bytes(data[: placed.offset + 5])  # the record itself is torn
        LocalFiles(path).seed.write_text(seed_from("7").hex())
        table = RecordedMatch.resume(path, load)
        film = Replay(whole, load)
        if not table.is_closed:
            assert digest(table.state).hex() == film.digest(table.ply)
        table.close()
        assert verify(path, load).code == VERIFIED


def test_a_match_killed_between_terms_and_first_entry_begins_when_resumed(tmp_path: Path) -> None:
    whole = finished(tmp_path / "whole.kontor")
    second = records_of(whole)[1]
    path = tmp_path / "a.kontor"
    path.write_bytes(whole.read_bytes()[: second.offset])
    LocalFiles(path).seed.write_text(seed_from("7").hex())
    assert "not begun" in verify(path, load).notes[0]
    table = RecordedMatch.resume(path, load)
    play_on(table)
    table.close()
    assert path.read_bytes() == whole.read_bytes()


def test_a_match_killed_before_its_end_record_gets_it_when_resumed(tmp_path: Path) -> None:
    whole = finished(tmp_path / "whole.kontor")
    last = records_of(whole)[-1]
    path = tmp_path / "a.kontor"
    path.write_bytes(whole.read_bytes()[: last.offset])
    LocalFiles(path).seed.write_text(seed_from("7").hex())
    RecordedMatch.resume(path, load).close()
    assert path.read_bytes() == whole.read_bytes()
    assert not LocalFiles(path).seed.exists()


@pytest.mark.parametrize("text", [None, "", "zz", "00", "00" * 33])
def test_without_a_sound_seed_a_match_does_not_go_on(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "a.kontor"
    table = new_table(path)
    play_on(table, 9)
    table.close()
    if text is None:
        LocalFiles(path).seed.unlink()
    else:
        LocalFiles(path).seed.write_text(text)
    with pytest.raises(StoreError, match="seed"):
        RecordedMatch.resume(path, load)
    assert verify(path, load).message == "consistent so far, unsigned, unfinished"


def test_another_seed_than_the_match_began_with_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.kontor"
    new_table(path).close()
    LocalFiles(path).seed.write_text(seed_from("8").hex())
    with pytest.raises(KontorError, match="does not follow from the seed"):
        RecordedMatch.resume(path, load)


def test_a_new_match_never_touches_an_existing_one(tmp_path: Path) -> None:
    path = tmp_path / "a.kontor"
    new_table(path).close()
    before, secret = path.read_bytes(), LocalFiles(path).seed.read_bytes()
    with pytest.raises(StoreError):
        new_table(path, seed="8")
    assert (path.read_bytes(), LocalFiles(path).seed.read_bytes()) == (before, secret)


def test_an_empty_file_is_no_match(tmp_path: Path) -> None:
    path = tmp_path / "a.kontor"
    TranscriptWriter.create(path).close()
    with pytest.raises(StoreError, match="no match was begun"):
        RecordedMatch.resume(path, load)
    assert verify(path, load).code == UNREADABLE


def test_illegal_frames_are_refused_and_leave_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "a.kontor"
    table = new_table(path)
    while table.follow():
        pass
    size = path.stat().st_size
    turn = table.turn
    assert turn is not None
    other = (turn + 1) % 3
    hidden = table.state.hands[turn][0]  # type: ignore[attr-defined]
    wrong_face = (table.known(turn)[hidden] + 1) % 6
    for actions in (
        [],
        [toy.Gamble(other)],
        [toy.Bonus(turn, 1)],
        [toy.Play(turn, hidden, wrong_face)],
        [toy.Gamble(turn), toy.Gamble(turn)],
    ):
        with pytest.raises(IllegalAction):
            table.commit(actions)
    assert path.stat().st_size == size
    table.close()


def test_several_actions_of_one_turn_are_one_frame(tmp_path: Path) -> None:
    path = tmp_path / "a.kontor"
    table = new_table(path)
    while table.follow():
        pass
    before = len(records_of(path))
    turn = table.turn
    assert turn is not None
    slot, face = next(iter(table.known(turn).items()))
    table.commit([toy.Play(turn, slot, face), toy.Bonus(turn, 1)])
    assert len(records_of(path)) == before + 1
    play_on(table)
    table.close()
    assert verify(path, load).code == VERIFIED


def test_seats_that_leave_are_played_by_stand_ins_and_the_file_still_verifies(tmp_path: Path) -> None:
    path = tmp_path / "a.kontor"
    table = new_table(path)
    play_on(table, 12)
    (ply,) = table.leave(0)
    assert isinstance(ply.action, Left)
    with pytest.raises(IllegalAction):
        table.leave(0)
    with pytest.raises(IllegalAction):
        table.leave(5)
    play_on(table, 16)
    table.close()
    table = RecordedMatch.resume(path, load)
    assert table.state.desk.gone == (0,)
    play_on(table)
    table.close()
    assert verify(path, load).code == VERIFIED


def test_drafts_lie_apart_and_are_taken_up_again(tmp_path: Path) -> None:
    path = tmp_path / "a.kontor"
    draft = LocalFiles(path).draft
    table = new_table(path)
    while table.follow():
        pass
    before, codec = path.read_bytes(), table.game.codec
    actions = menu(table)[:1]
    draft_file.save(draft, table.tip, actions)
    assert path.read_bytes() == before and draft_file.load(draft, table.tip, codec) == (actions, False)
    table.commit(actions)
    assert draft_file.load(draft, table.tip, codec) == ([], False)  # it belonged to the position before
    draft_file.save(draft, table.tip, [])
    assert not draft.exists()
    draft.write_bytes(b"\xc1 damaged")
    assert draft_file.load(draft, table.tip, codec) == ([], False)
    table.close()


def test_names_that_cannot_be_shown_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="visible"):
        new_table(tmp_path / "a.kontor", seats=(("A\x1b[31m", "person"), *SEATS[1:]))
    with pytest.raises(ConfigError, match="players"):
        new_table(tmp_path / "a.kontor", seats=SEATS[:1])
    with pytest.raises(ConfigError, match="rounds"):
        new_table(tmp_path / "a.kontor", rounds=3)
    assert list(tmp_path.iterdir()) == []


def test_a_match_that_is_over_takes_no_more_actions(tmp_path: Path) -> None:
    table = RecordedMatch.resume(finished(tmp_path / "a.kontor"), load)
    assert table.is_closed and table.follow() == []
    with pytest.raises(IllegalAction, match="over"):
        table.commit([toy.Gamble(0)])
    table.close()
    assert verify(table.path, load).code != REFUTED
