"""A local match run again: every record against the engine, ply by ply. Verifier, viewer and resume share it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Raw

from kontor_games.engine import (
    Action,
    Chance,
    ConfigError,
    Game,
    GameState,
    Known,
    KontorError,
    MalformedAction,
    Result,
    canonical,
    digest,
    to_act,
    why_not,
)
from kontor_games.engine import load as load_game
from kontor_games.engine.core.chance import CHANCE_TYPES, Left, Rolled
from kontor_games.engine.core.dealer import LocalDealer
from kontor_games.net.ledger.facts import Ply
from kontor_games.net.ledger.turn import Forbidden, Turn, WhyNot, played, work_out
from kontor_games.net.wire.chain import Frame, entry_tip, frame_tip, match_id
from kontor_games.net.wire.chain import decode as decode_link

from .local_chain import LOCAL_DECK, LocalAnswer, LocalEnd, LocalTerms, deck_mode, decode, decode_terms
from .rerun import CannotJudge, Load, Refuted, game_of, judging
from .transcript import EndRecord, EntryRecord, FrameRecord, Placed, SignedRecord, TermsRecord

MAX_PLIES = 200_000
NO_STATE = bytes(32)  # stands for the state digest in the entry that comes before the first state
_GOES_ON = "the frame goes on after another's decision or a draw"


class LocalReplay:
    """The state of a match as its records are fed in; raises Refuted at the first record that does not follow.

    With the seed of a local match every answer of chance is computed again and compared; without it,
    the stored answers are taken as they are.
    """

    def __init__(self, first: Placed, seed: bytes | None, load: Load = load_game) -> None:
        if not isinstance(first.record, TermsRecord):
            raise Refuted(0, first, "the first record must be the terms")
        raw = first.record.raw
        deck = deck_mode(raw)
        if deck != LOCAL_DECK:
            raise CannotJudge(f"deck mode {deck!a} is not known here")
        self.terms: LocalTerms = decode_terms(raw)
        self.match = self.tip = match_id(raw)
        self.game = game_of(self.terms, load)
        if first.record.signatures:
            raise Refuted(0, first, "a local match is not signed")
        self.dealer = None if seed is None else LocalDealer(seed)
        self._again = first, seed, load
        self.ply = 0
        self.end: LocalEnd | None = None
        self._state: GameState | None = None  # until the first entry brings the entropy of set-up

    @classmethod
    def of(cls, records: Sequence[Placed], load: Load = load_game) -> LocalReplay:
        """The match that these records begin; a finished one brings its seed."""
        return cls(records[0], seed_in(records), load)

    def again(self) -> LocalReplay:
        return LocalReplay(*self._again)

    @property
    def state(self) -> GameState | None:
        return self._state

    @property
    def _now(self) -> GameState:
        assert self._state is not None
        return self._state

    @property
    def has_end(self) -> bool:
        return self.end is not None

    @property
    def is_open(self) -> bool:
        return self.dealer is not None

    @property
    def result(self) -> Result | None:
        """The result that the file ends with."""
        return None if self.end is None else self.game.result(self._now)

    def known(self, seat: int) -> Known:
        return {} if self.dealer is None else self.dealer.known(seat)

    def feed(self, placed: Placed) -> list[Ply]:
        with judging(self, placed):
            return self._take(placed)

    def _take(self, placed: Placed) -> list[Ply]:
        if self.end is not None:
            raise Refuted(self.ply, placed, "nothing may follow the end")
        match placed.record:
            case EntryRecord():
                return self._entry(placed, placed.record)
            case _ if self._state is None:
                raise Refuted(0, placed, "the entropy of set-up must come first")
            case FrameRecord():
                return self._frame(placed, placed.record)
            case EndRecord():
                return self._end(placed, placed.record)
            case TermsRecord():
                raise Refuted(self.ply, placed, "terms come once, at the beginning")
            case SignedRecord():
                raise Refuted(self.ply, placed, "single messages belong in the journal of a network match")

    def follow(self) -> Iterator[Ply]:
        """What stand-ins do now; they are computed, never recorded."""
        while self._now.desk.want is None and self.game.turn(self._now) in self._now.desk.gone:
            if self.ply >= MAX_PLIES:
                raise Refuted(self.ply, "stand-in", f"a match has at most {MAX_PLIES} plies")
            yield self._apply(self.game.stand_in(self._now))

    def _begin(self, placed: Placed, answer: LocalAnswer, action: Chance) -> None:
        """Roll 0 feeds the set-up; there is no state before it."""
        if not isinstance(action, Rolled) or action.r != 0 or answer.h != self.tip or answer.d != NO_STATE:
            raise Refuted(0, placed, "the entropy of set-up must come first")
        if self.dealer is not None and action.value != self.dealer.entropy():
            raise Refuted(0, placed, "the entropy of set-up does not follow from the seed")
        try:
            self._state = self.game.begin(self.terms.options, len(self.terms.seats), action.value)
        except ConfigError as error:
            raise Refuted(0, placed, str(error)) from None

    def _frame(self, placed: Placed, record: FrameRecord) -> list[Ply]:
        frame = self._decode_frame(record.raw, placed)
        if record.signature or frame.u is not None:
            raise Refuted(self.ply, placed, "a frame of a local match has neither signature nor openings")
        plies = list(self.follow())
        self._compare(placed, frame.h, frame.d)
        if frame.m != self.match:
            raise Refuted(self.ply, placed, "the frame belongs to another match")
        if frame.n != self.ply:
            raise Refuted(self.ply, placed, f"the frame is for ply {frame.n}")
        turn = self._turn(placed, frame)
        if self.dealer is not None:
            for shown in turn.shown:
                self.dealer.open(shown.pairs)
        self._state = turn.after
        self.ply += len(turn.plies)
        if self.ply > MAX_PLIES:
            raise Refuted(MAX_PLIES, "end", f"a match has at most {MAX_PLIES} plies")
        self.tip = frame_tip(self.tip, record.raw)
        return [*plies, *turn.plies]

    def _turn(self, placed: Placed, frame: Frame) -> Turn:
        """The frame as the rules work it out; of several things that are wrong with it, the first is named."""
        try:
            return self._worked_out(placed, frame.s, frame.a)
        except MalformedAction as error:
            readable = self._readable(frame)
            turn = self._worked_out(placed, frame.s, readable)
            self.ply += len(readable)
            has_passed = readable and to_act(self.game, turn.after) != frame.s
            raise Refuted(self.ply, placed, _GOES_ON if has_passed else str(error)) from None

    def _worked_out(self, placed: Placed, seat: int, raws: Sequence[Raw]) -> Turn:
        judge = None if self.dealer is None else shown_by(self.game, self.dealer)
        try:
            return work_out(self.game, self._now, seat, raws, self.ply, None, judge)
        except Forbidden as error:
            self.ply += error.index  # the actions before it hold
            raise Refuted(self.ply, placed, self._forbidden(seat, error)) from None

    def _readable(self, frame: Frame) -> list[Raw]:
        """The actions before the first that cannot be read."""
        for index, raw in enumerate(frame.a):
            try:
                self.game.codec.decode(bytes(raw))
            except MalformedAction:
                return list(frame.a[:index])
        return list(frame.a)

    def _forbidden(self, seat: int, error: Forbidden) -> str:
        action = error.action
        if error.index and to_act(self.game, error.state) != seat:
            return _GOES_ON
        if isinstance(action, CHANCE_TYPES):
            return "chance does not speak in frames"
        if action.seat != seat:
            return f"seat {seat} acts for seat {action.seat}"
        return f"{self._say(error.state, action)}: {error.reason}"

    def _entry(self, placed: Placed, record: EntryRecord) -> list[Ply]:
        if len(record.messages) != 1 or record.messages[0][1] or record.action:
            raise Refuted(self.ply, placed, "an entry of a local match is one unsigned message")
        raw = record.messages[0][0]
        answer = self._decode(LocalAnswer, raw, placed)
        action = self._action(bytes(answer.a), placed)
        if not isinstance(action, CHANCE_TYPES):
            raise Refuted(self.ply, placed, "only chance speaks in entries")
        plies: list[Ply] = []
        if self._state is None:
            self._begin(placed, answer, action)
            self.tip = entry_tip(self.tip, [raw])
            return plies
        plies += self.follow()
        self._compare(placed, answer.h, answer.d)
        reason = why_not(self.game, self._now, action)
        if reason:
            raise Refuted(self.ply, placed, f"chance answered {type(action).__name__}: {reason}")
        if self.dealer is not None:
            self._check_answer(placed, action)
        plies.append(self._apply(action))
        self.tip = entry_tip(self.tip, [raw])
        return plies

    def _check_answer(self, placed: Placed, action: Chance) -> None:
        assert self.dealer is not None
        expected: Chance | None
        if isinstance(action, Left):
            expected = self.dealer.leave(action.seats)
        else:
            assert self._now.desk.want is not None
            self.dealer.serve(self._now.desk.want)
            expected = self.dealer.ready()
        if action != expected:
            raise Refuted(self.ply, placed, f"chance answered {_short(action)}, the seed gives {_short(expected)}")

    def _end(self, placed: Placed, record: EndRecord) -> list[Ply]:
        end = self._decode(LocalEnd, record.raw, placed)
        if record.signatures:
            raise Refuted(self.ply, placed, "a local match is not signed")
        plies = list(self.follow())
        self._compare(placed, end.h, end.d)
        result = self.game.result(self._now)
        if result is None:
            raise Refuted(self.ply, placed, "the file ends the match, the rules do not")
        if canonical(result) != bytes(end.r):
            raise Refuted(self.ply, placed, "the rules give another result than the file")
        self.end = end
        return plies

    def _compare(self, placed: Placed, tip: bytes, found: bytes) -> None:
        if tip != self.tip:
            raise Refuted(self.ply, placed, f"the chain is at {self.tip.hex()[:12]}, the record says {tip.hex()[:12]}")
        ours = digest(self._now)
        if found != ours:
            raise Refuted(self.ply, placed, f"the state is {ours.hex()[:12]}, the record says {found.hex()[:12]}")

    def _action(self, raw: bytes, placed: Placed) -> Action | Chance:
        try:
            return self.game.codec.decode(raw)
        except KontorError as error:
            raise Refuted(self.ply, placed, str(error)) from None

    def _decode_frame(self, raw: bytes, placed: Placed) -> Frame:
        try:
            return decode_link(Frame, raw)
        except KontorError as error:
            raise Refuted(self.ply, placed, str(error)) from None

    def _decode(self, cls: Any, raw: bytes, placed: Placed) -> Any:
        try:
            return decode(cls, raw)
        except KontorError as error:
            raise Refuted(self.ply, placed, str(error)) from None

    def _say(self, state: GameState, action: Action) -> str:
        try:
            return self.game.notation.say(state, action)
        except (LookupError, ValueError, TypeError):  # a value that the rules refuse need not have a name
            return _short(action)

    def _apply(self, action: Action | Chance) -> Ply:
        if self.ply >= MAX_PLIES:
            raise Refuted(self.ply, "end", f"a match has at most {MAX_PLIES} plies")
        self._state, ply = played(self.game, self._now, action, self.ply)
        self.ply += 1
        return ply


def shown_by(game: Game[Any], dealer: LocalDealer) -> WhyNot:
    """Judges the hidden cards that the actions of one turn show, one after the other, by what the dealer has dealt."""
    opened: set[int] = set()  # by actions before; nobody holds them alone any more

    def why_not_shown(state: GameState, action: Action) -> str | None:
        pairs = game.opens(state, action)
        reason = dealer.why_not_open(action.seat, pairs) if pairs else None  # most actions show nothing
        if reason is None and game.why_not_hidden:
            own = dealer.known(action.seat).items()
            reason = game.why_not_hidden(state, action, {slot: face for slot, face in own if slot not in opened})
        if pairs:
            opened.update(slot for slot, _ in pairs)
        return reason

    return why_not_shown


def seed_in(records: Iterable[Placed]) -> bytes | None:
    """The seed that a finished local match carries in its end record."""
    for placed in records:
        if isinstance(placed.record, EndRecord):
            return decode(LocalEnd, placed.record.raw).z
    return None


def _short(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= 80 else text[:77] + "..."
