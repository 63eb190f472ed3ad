"""A match on this machine, kept in a `.kontor` file as it goes; its seed and the draft lie beside it.

A match is in one of three states, told by its files (`match_files.py`):

- not begun: there are terms, but not the first entry, which brings the entropy of set-up. Nobody was told of it.
- going on: the seed lies beside the file. Chance, stand-ins and players take turns.
- over: the end record has the seed, the result and the last tip; seed file and draft are gone.

Rules of writing, in order:

1. The transcript is created first: that refuses an existing match, whose seed must not be overwritten.
2. The seed is on the disk before the terms, because without it the match could not go on.
3. Whatever happens is written before anybody is told of it. Turns of people and the end are synced; for chance and bots
   the system may take its time, since the seed brings the same answers again and bots can choose once more.
4. The seed file goes after the end record is synced.

The process may be killed between any two of these steps. `resume` runs the whole file again, checks it on the way, and
makes up for the step that is missing: the first entry, the end record, or the removal of the seed. What stand-ins do is
computed and never written.

Nothing is signed. Whoever has the file of a match that is over can tell whether it is consistent, and no more: the
owner of this machine could have made it up from the first card on. What must hold is that nobody sees hidden cards in
the file before the end. Thus entries have no faces of hidden cards, and the seed can be read by its owner alone (0600).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from kontor_games.engine import (
    Action,
    Chance,
    Game,
    GameState,
    IllegalAction,
    Known,
    Result,
    canonical,
    digest,
    public_knowledge,
    to_act,
    why_not,
)
from kontor_games.engine import load as load_game
from kontor_games.engine.core.chance import Rolled
from kontor_games.engine.core.dealer import LocalDealer
from kontor_games.engine.core.game import Options
from kontor_games.engine.core.stream import H
from kontor_games.engine.errors import ConfigError, StoreError
from kontor_games.net.ledger.facts import Ply
from kontor_games.net.ledger.turn import played, work_out
from kontor_games.net.wire.chain import Frame, encode, entry_tip, frame_tip, parts

from .local_chain import LOCAL_DECK, LocalAnswer, LocalEnd, LocalSeat, LocalTerms, decode_terms, is_plain
from .local_replay import NO_STATE, LocalReplay, seed_in, shown_by
from .match_files import LocalFiles
from .rerun import Load
from .transcript import EndRecord, EntryRecord, FrameRecord, Placed, TermsRecord, TranscriptWriter

PERSON = "person"


def seed_from(text: str) -> bytes:
    """The seed that a word or number given by a player stands for."""
    return H("local-seed", text, size=32)


def local_terms(game: Game[Any], options: Options, seats: Sequence[tuple[str, str]], seed: bytes) -> bytes:
    """Raw terms of a local match; the nonce follows from the seed, so one seed gives one match id."""
    full = game.check_options(options, len(seats))
    nonce = H("local-nonce", seed, size=16)
    players = tuple(LocalSeat(name, kind) for name, kind in seats)
    for name, kind in seats:
        if not is_plain(name) or not is_plain(kind):
            raise ConfigError(f"a name is one line of visible characters, not {name!a}")
    terms = LocalTerms(1, game.id, game.rules_version, game.data_digest, full, players, nonce, LOCAL_DECK)
    raw = canonical(terms)
    decode_terms(raw)
    return raw


class RecordedMatch:
    """One local match over its file: chance, stand-ins and frames are written the moment they happen."""

    def __init__(self, path: Path, writer: TranscriptWriter, replay: LocalReplay, seed: bytes) -> None:
        assert replay.dealer is not None and replay.state is not None
        self.path = path
        self.files = LocalFiles(path)
        self.game: Game[Any] = replay.game
        self.terms = replay.terms
        self.match_id = replay.match
        self.seed = seed
        self.state: GameState = replay.state
        self.ply = replay.ply
        self.tip = replay.tip
        self.dealer: LocalDealer = replay.dealer
        self.is_closed = replay.has_end
        self.history: list[Ply] = []
        self._writer = writer

    @classmethod
    def create(
        cls, path: Path, game: Game[Any], options: Options, seats: Sequence[tuple[str, str]], seed: bytes
    ) -> RecordedMatch:
        """Begin a new match in a new file."""
        raw = local_terms(game, options, seats, seed)
        terms, files = TermsRecord(raw), LocalFiles(path)
        writer = TranscriptWriter.create(path)  # first: it refuses to touch an existing match, seed included
        try:
            _write_secret(files.seed, seed)
            writer.append(terms)
            replay = LocalReplay(Placed(0, 0, terms), seed, lambda *_: game)
            entry = _entry(replay.tip, NO_STATE, Rolled(0, LocalDealer(seed).entropy()))
            replay.feed(Placed(1, 0, entry))
            writer.append(entry, durable=True)
        except BaseException:  # no room, no more open files: nobody was told of this match
            writer.close()
            files.delete()
            raise
        return cls(path, writer, replay, seed)

    @classmethod
    def resume(cls, path: Path, load: Load = load_game) -> RecordedMatch:
        """Go on with a match where its file ends; the history is re-run and checked on the way."""
        writer, records, _ = TranscriptWriter.resume(path)
        try:
            if not records:
                raise StoreError(f"{path}: no match was begun in this file")
            seed = seed_in(records) or _read_secret(LocalFiles(path).seed)
            replay = LocalReplay(records[0], seed, load)
            history = [ply for placed in records[1:] for ply in replay.feed(placed)]
            if replay.state is None:  # killed between the terms and the first entry
                entry = _entry(replay.tip, NO_STATE, Rolled(0, LocalDealer(seed).entropy()))
                replay.feed(Placed(1, 0, entry))
                writer.append(entry, durable=True)
        except BaseException:
            writer.close()
            raise
        match = cls(path, writer, replay, seed)
        match.history = history
        match._tidy()
        return match

    @property
    def turn(self) -> int | None:
        return to_act(self.game, self.state)

    @property
    def result(self) -> Result | None:
        return self.game.result(self.state)

    def known(self, seat: int | None) -> Known:
        """What this seat (None: a spectator) knows of hidden cards."""
        return public_knowledge(self.state) if seat is None else self.dealer.known(seat)

    def why_not(self, state: GameState, action: Action) -> str | None:
        """The rule that forbids `action` in a drafted state, secret ones included, or None."""
        return why_not(self.game, state, action) or shown_by(self.game, self.dealer)(state, action)

    def commit(self, actions: Sequence[Action]) -> list[Ply]:
        """Play these actions of the seat to act as one frame; it is on disk before this returns."""
        if not actions:
            raise IllegalAction("a frame has at least one action")
        seat, raws = actions[0].seat, parts(actions)
        turn = work_out(self.game, self.state, seat, raws, self.ply, None, shown_by(self.game, self.dealer))
        frame = Frame(self.match_id, seat, self.tip, self.ply, digest(self.state), raws)
        record = FrameRecord(encode(frame))
        self._writer.append(record, durable=self.terms.seats[seat].kind == PERSON)
        self.tip = _tip_after(self.tip, record)
        for shown in turn.shown:
            self.dealer.open(shown.pairs)
        self.state = turn.after
        self.ply += len(turn.plies)
        self.history += turn.plies
        self._finish_if_over()
        return list(turn.plies)

    def follow(self) -> list[Ply]:
        """The next ply that needs no player: an answer of chance, or a stand-in's action; empty if there is none."""
        want = self.state.desk.want
        if want is not None:
            self.dealer.serve(want)
            answer = self.dealer.ready()
            assert answer is not None
            return self._chance(answer)
        if self.turn in self.state.desk.gone:
            action = self.game.stand_in(self.state)
            self.dealer.open(self.game.opens(self.state, action))
            ply = self._advance(action)
            self._finish_if_over()
            return [ply]
        return []

    def leave(self, *seats: int) -> list[Ply]:
        """These seats leave for good."""
        if self.result is not None or not set(seats) <= set(range(len(self.terms.seats))) - set(self.state.desk.gone):
            raise IllegalAction(f"seats {seats} cannot leave")
        return self._chance(self.dealer.leave(seats))

    def close(self) -> None:
        """Let go of the file; the match can be resumed from it."""
        self._writer.close()

    def _chance(self, answer: Chance) -> list[Ply]:
        record = _entry(self.tip, digest(self.state), answer)
        self._writer.append(record)
        self.tip = _tip_after(self.tip, record)
        ply = self._advance(answer)
        self._finish_if_over()
        return [ply]

    def _advance(self, action: Action | Chance) -> Ply:
        self.state, ply = played(self.game, self.state, action, self.ply)
        self.ply += 1
        self.history.append(ply)
        return ply

    def _finish_if_over(self) -> None:
        if self.turn is None and not self.is_closed:
            end = LocalEnd(self.tip, digest(self.state), msgspec.Raw(canonical(self.result)), self.seed)
            self._writer.append(EndRecord(canonical(end)), durable=True)
            self.is_closed = True
            self._tidy()

    def _tidy(self) -> None:
        """After the end the seed lies in the file itself."""
        if self.is_closed:
            self.files.delete_secrets()
        else:
            self._finish_if_over()  # killed between the last ply and the end record


def _entry(tip: bytes, state_digest: bytes, answer: Chance) -> EntryRecord:
    raw = canonical(LocalAnswer(tip, state_digest, msgspec.Raw(canonical(answer))))
    return EntryRecord(((raw, b""),))


def _tip_after(tip: bytes, record: FrameRecord | EntryRecord) -> bytes:
    if isinstance(record, FrameRecord):
        return frame_tip(tip, record.raw)
    return entry_tip(tip, [raw for raw, _ in record.messages])


def _write_secret(path: Path, seed: bytes) -> None:
    try:
        path.unlink(missing_ok=True)  # left by a match that never got its first record
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(seed.hex() + "\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror}") from None


def _read_secret(path: Path) -> bytes:
    try:
        text = path.read_text(encoding="ascii").strip()
        seed = bytes.fromhex(text)
    except FileNotFoundError:
        raise StoreError(
            f"{path}: missing; without the seed the match cannot go on (it can still be replayed)"
        ) from None
    except (OSError, ValueError) as error:
        raise StoreError(f"{path}: no seed ({type(error).__name__})") from None
    if len(seed) != 32:
        raise StoreError(f"{path}: a seed has 32 bytes, not {len(seed)}")
    return seed
