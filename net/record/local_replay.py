"""Re-running a chain: every record against the engine, ply by ply. Verifier, viewer and resume share it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from msgspec import Raw

from kontor_games.engine import (
    Action,
    Chance,
    ConfigError,
    Game,
    GameState,
    Known,
    KontorError,
    Result,
    canonical,
    digest,
    public_knowledge,
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
from kontor_games.net.wire.terms import Terms

from .local_chain import LOCAL_DECK, LocalAnswer, LocalEnd, LocalTerms, deck_mode, decode, decode_terms
from .transcript import EndRecord, EntryRecord, FrameRecord, Placed, SignedRecord, TermsRecord

MAX_PLIES = 200_000
NO_STATE = bytes(32)  # stands for the state digest in the entry that comes before the first state
Load = Callable[[str], Game[Any]]
_GOES_ON = "the frame goes on after another's decision or a draw"


class Differs(KontorError):
    """The file says something else than the rules do; the text names ply and place."""

    def __init__(self, ply: int, place: object, fact: str) -> None:
        super().__init__(f"ply {ply} ({place}): {fact}")
        self.ply = ply


class CannotJudge(KontorError):
    """The match was played under rules that this program does not have."""


class _Course(Protocol):
    """Whatever counts plies: a ledger or a replayer."""

    @property
    def ply(self) -> int: ...


@contextmanager
def judging(course: _Course | None, place: object) -> Iterator[None]:
    """Whatever a made-up file brings the rules to, the answer is a verdict: Differs with ply and place."""
    try:
        yield
    except (Differs, CannotJudge):
        raise
    except KontorError as error:
        reason = str(error)
    except RecursionError:
        reason = "nested too deeply"
    except Exception as error:
        reason = f"the engine stopped: {type(error).__name__}: {error!s:.200}"
    else:
        return
    raise Differs(0 if course is None else course.ply, place, reason)


class Replayer:
    """The state of a match as its records are fed in; raises Differs at the first record that does not follow.

    With the seed of a local match every answer of chance is computed again and compared; without it,
    the stored answers are taken as they are.
    """

    def __init__(self, first: Placed, seed: bytes | None, load: Load = load_game) -> None:
        if not isinstance(first.record, TermsRecord):
            raise Differs(0, first, "the first record must be the terms")
        raw = first.record.raw
        deck = deck_mode(raw)
        if deck != LOCAL_DECK:
            raise CannotJudge(f"deck mode {deck!a} is not known here")
        self.terms: LocalTerms = decode_terms(raw)
        self.match_id = self.tip = match_id(raw)
        self.game = game_of(self.terms, load)
        if first.record.signatures:
            raise Differs(0, first, "a local match is not signed")
        self.dealer = None if seed is None else LocalDealer(seed)
        self.ply = 0
        self.end: LocalEnd | None = None
        self._state: GameState | None = None  # until the first entry brings the entropy of set-up

    @property
    def state(self) -> GameState:
        assert self._state is not None
        return self._state

    @property
    def has_begun(self) -> bool:
        return self._state is not None

    @property
    def result(self) -> Result | None:
        return self.game.result(self.state)

    def known(self, seat: int | None) -> Known:
        """What this seat knows of hidden cards, if the seed is at hand."""
        if self.dealer is None or seat is None:
            return public_knowledge(self.state)
        return self.dealer.known(seat)

    def feed(self, placed: Placed) -> list[Ply]:
        """Apply one record after the terms."""
        if self.end is not None:
            raise Differs(self.ply, placed, "nothing may follow the end")
        match placed.record:
            case EntryRecord():
                return self._entry(placed, placed.record)
            case _ if not self.has_begun:
                raise Differs(0, placed, "the entropy of set-up must come first")
            case FrameRecord():
                return self._frame(placed, placed.record)
            case EndRecord():
                return self._end(placed, placed.record)
            case TermsRecord():
                raise Differs(self.ply, placed, "terms come once, at the beginning")
            case SignedRecord():
                raise Differs(self.ply, placed, "single messages belong in the journal of a network match")

    def follow(self) -> Iterator[Ply]:
        """What stand-ins do now; they are computed, never recorded."""
        while self.state.desk.want is None and self.game.turn(self.state) in self.state.desk.gone:
            if self.ply >= MAX_PLIES:
                raise Differs(self.ply, "stand-in", f"a match has at most {MAX_PLIES} plies")
            yield self._apply(self.game.stand_in(self.state))

    def _begin(self, placed: Placed, answer: LocalAnswer, action: Chance) -> None:
        """Roll 0 feeds the set-up; there is no state before it."""
        if not isinstance(action, Rolled) or action.r != 0 or answer.h != self.tip or answer.d != NO_STATE:
            raise Differs(0, placed, "the entropy of set-up must come first")
        if self.dealer is not None and action.value != self.dealer.entropy():
            raise Differs(0, placed, "the entropy of set-up does not follow from the seed")
        try:
            self._state = self.game.begin(self.terms.options, len(self.terms.seats), action.value)
        except ConfigError as error:
            raise Differs(0, placed, str(error)) from None

    def _frame(self, placed: Placed, record: FrameRecord) -> list[Ply]:
        frame = self._decode_frame(record.raw, placed)
        if record.signature or frame.u is not None:
            raise Differs(self.ply, placed, "a frame of a local match has neither signature nor openings")
        plies = list(self.follow())
        self._compare(placed, frame.h, frame.d)
        if frame.m != self.match_id:
            raise Differs(self.ply, placed, "the frame belongs to another match")
        if frame.n != self.ply:
            raise Differs(self.ply, placed, f"the frame is for ply {frame.n}")
        turn = self._turn(placed, frame)
        if self.dealer is not None:
            for shown in turn.shown:
                self.dealer.open(shown.pairs)
        self._state = turn.after
        self.ply += len(turn.plies)
        if self.ply > MAX_PLIES:
            raise Differs(MAX_PLIES, "end", f"a match has at most {MAX_PLIES} plies")
        self.tip = frame_tip(self.tip, record.raw)
        return [*plies, *turn.plies]

    def _turn(self, placed: Placed, frame: Frame) -> Turn:
        """The frame as the rules work it out; of several things that are wrong with it, the first is named."""
        readable, wrong = self._readable(frame)
        judge = None if self.dealer is None else shown_by(self.game, self.dealer)
        try:
            turn = work_out(self.game, self.state, frame.s, readable, self.ply, None, judge)
        except Forbidden as error:
            self.ply += error.index  # the actions before it hold
            raise Differs(self.ply, placed, self._forbidden(frame.s, error)) from None
        if wrong is not None:
            self.ply += len(readable)
            has_passed = readable and to_act(self.game, turn.after) != frame.s
            raise Differs(self.ply, placed, _GOES_ON if has_passed else wrong)
        return turn

    def _readable(self, frame: Frame) -> tuple[list[Raw], str | None]:
        """The actions before the first that cannot be read, and what is wrong with that one."""
        for index, raw in enumerate(frame.a):
            try:
                self.game.codec.decode(bytes(raw))
            except KontorError as error:
                return list(frame.a[:index]), str(error)
        return list(frame.a), None

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
            raise Differs(self.ply, placed, "an entry of a local match is one unsigned message")
        raw = record.messages[0][0]
        answer = self._decode(LocalAnswer, raw, placed)
        action = self._action(bytes(answer.a), placed)
        if not isinstance(action, CHANCE_TYPES):
            raise Differs(self.ply, placed, "only chance speaks in entries")
        plies: list[Ply] = []
        if not self.has_begun:
            self._begin(placed, answer, action)
            self.tip = entry_tip(self.tip, [raw])
            return plies
        plies += self.follow()
        self._compare(placed, answer.h, answer.d)
        reason = why_not(self.game, self.state, action)
        if reason:
            raise Differs(self.ply, placed, f"chance answered {type(action).__name__}: {reason}")
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
            assert self.state.desk.want is not None
            self.dealer.serve(self.state.desk.want)
            expected = self.dealer.ready()
        if action != expected:
            raise Differs(self.ply, placed, f"chance answered {_short(action)}, the seed gives {_short(expected)}")

    def _end(self, placed: Placed, record: EndRecord) -> list[Ply]:
        end = self._decode(LocalEnd, record.raw, placed)
        if record.signatures:
            raise Differs(self.ply, placed, "a local match is not signed")
        plies = list(self.follow())
        self._compare(placed, end.h, end.d)
        result = self.result
        if result is None:
            raise Differs(self.ply, placed, "the file ends the match, the rules do not")
        if canonical(result) != bytes(end.r):
            raise Differs(self.ply, placed, f"the rules give the result {_short(result)}, not the one in the file")
        self.end = end
        return plies

    def _compare(self, placed: Placed, tip: bytes, found: bytes) -> None:
        if tip != self.tip:
            raise Differs(self.ply, placed, f"the chain is at {self.tip.hex()[:12]}, the record says {tip.hex()[:12]}")
        ours = digest(self.state)
        if found != ours:
            raise Differs(self.ply, placed, f"the state is {ours.hex()[:12]}, the record says {found.hex()[:12]}")

    def _action(self, raw: bytes, placed: Placed) -> Action | Chance:
        try:
            return self.game.codec.decode(raw)
        except KontorError as error:
            raise Differs(self.ply, placed, str(error)) from None

    def _decode_frame(self, raw: bytes, placed: Placed) -> Frame:
        try:
            return decode_link(Frame, raw)
        except KontorError as error:
            raise Differs(self.ply, placed, str(error)) from None

    def _decode(self, cls: Any, raw: bytes, placed: Placed) -> Any:
        try:
            return decode(cls, raw)
        except KontorError as error:
            raise Differs(self.ply, placed, str(error)) from None

    def _say(self, state: GameState, action: Action) -> str:
        try:
            return self.game.notation.say(state, action)
        except (LookupError, ValueError, TypeError):  # a value that the rules refuse need not have a name
            return _short(action)

    def _apply(self, action: Action | Chance) -> Ply:
        if self.ply >= MAX_PLIES:
            raise Differs(self.ply, "end", f"a match has at most {MAX_PLIES} plies")
        self._state, ply = played(self.game, self.state, action, self.ply)
        self.ply += 1
        return ply


def shown_by(game: Game[Any], dealer: LocalDealer) -> WhyNot:
    """Judges the hidden cards that the actions of one turn show, one after the other, by what the dealer has dealt."""
    opened: set[int] = set()  # by actions before; nobody holds them alone any more

    def why_not_shown(state: GameState, action: Action) -> str | None:
        pairs = game.opens(state, action)
        reason = dealer.why_not_open(action.seat, pairs)
        if reason is None and game.why_not_hidden:
            own = dealer.known(action.seat).items()
            reason = game.why_not_hidden(state, action, {slot: face for slot, face in own if slot not in opened})
        opened.update(slot for slot, _ in pairs)
        return reason

    return why_not_shown


def game_of(terms: LocalTerms | Terms, load: Load) -> Game[Any]:
    """The game of these terms, if this program has the same rules and data."""
    package = terms.package if isinstance(terms, Terms) else None
    if package is not None:
        raise CannotJudge(f"{terms.game}: the match was played with the package {package.name} {package.version}")
    try:
        game = load(terms.game)
    except KontorError as error:
        raise CannotJudge(str(error)) from None
    if game.rules_version != terms.rules:
        raise CannotJudge(f"{terms.game}: the match has rules version {terms.rules}, this program {game.rules_version}")
    if game.data_digest != terms.data:
        raise CannotJudge(f"{terms.game}: the match was played with other data (digest {terms.data.hex()[:12]})")
    return game


def seed_in(records: Iterable[Placed]) -> bytes | None:
    """The seed that a finished local match carries in its end record."""
    for placed in records:
        if isinstance(placed.record, EndRecord):
            return decode(LocalEnd, placed.record.raw).z
    return None


def _short(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= 80 else text[:77] + "..."
