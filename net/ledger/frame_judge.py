"""Whether a frame is right at its place: meant for it, played by the rules, its hidden cards truly shown.

Session, spectator and verifier judge frames here and nowhere else. What was signed for another match or another tip
says nothing about its author's play in this one, so it is refused and nobody is at fault. Everything after that is the
author's own doing: it signed this state and this place.
"""

from __future__ import annotations

from typing import NamedTuple

from kontor_games.engine.errors import IllegalAction, MalformedAction
from kontor_games.net.sealed.bodies import Cheat
from kontor_games.net.sealed.card_table import CardTable
from kontor_games.net.sealed.checks import Verdict
from kontor_games.net.sealed.entries import Entries
from kontor_games.net.sealed.openings import checked_openings
from kontor_games.net.wire.chain import Frame
from kontor_games.net.wire.match_talk import Signed
from kontor_games.net.wire.terms import Terms

from .facts import Differs, Fact, Fault, FrameRefused
from .game_run import GameRun
from .turn import Turn, work_out


class RightFrame(NamedTuple):
    """What a frame that is right at its place comes to."""

    turn: Turn
    openings: list[Verdict]


class FrameJudge:
    """Judges frames where the chain stands; it changes nothing but the list of those who cheat."""

    def __init__(self, match: bytes, terms: Terms, table: CardTable, entries: Entries, run: GameRun) -> None:
        self.match = match
        self.terms = terms
        self._table = table
        self._entries = entries
        self._run = run

    def judge(
        self, signed: Signed, frame: Frame, trusted: bool = False, turn: Turn | None = None
    ) -> RightFrame | list[Fact]:
        """Whether a frame is right here; else what speaks against it, or nothing if it must wait.

        `turn` is what this node itself worked out to make the frame.
        """
        run, entries = self._run, self._entries
        reason = self._why_not_here(signed, frame)
        if reason:
            return [FrameRefused(reason)]
        if frame.d != entries.digest:
            return [Differs(signed.peer, frame.h, frame.d)]
        if entries.busy or run.to_act != frame.s or run.state is None:
            return [self._fault(signed, "rule", f"seat {frame.s} is not to act")]
        if frame.n != run.ply:
            return [self._fault(signed, "frame.form", f"ply {frame.n}, not {run.ply}")]
        if entries.why_not_frame(signed.raw):
            return []
        try:
            if turn is None or turn.before is not run.state:
                turn = work_out(run.game, run.state, frame.s, frame.a, run.ply, signed.peer)
            openings = self._openings(turn, frame, signed.peer, trusted) if turn.shown or frame.u else []
        except (MalformedAction, IllegalAction) as error:
            return [self._fault(signed, "rule", str(error))]
        except Cheat as cheat:
            return [self._fault(signed, cheat.code, str(cheat))]
        return RightFrame(turn, openings)

    def _why_not_here(self, signed: Signed, frame: Frame) -> str | None:
        """Why a frame is not meant for this place of this match, or None."""
        tip = self._entries.tip
        if frame.m != self.match:
            return "a frame of another match"
        if frame.h != tip:
            return f"the chain is at {tip.hex()[:12]}, the frame is for {frame.h.hex()[:12]}"
        if self.terms.peer_of(frame.s) != signed.peer:
            return f"seat {frame.s} is not played by peer {signed.peer}"
        return None

    def _openings(self, turn: Turn, frame: Frame, author: int, trusted: bool) -> list[Verdict]:
        """The checked openings of the cards that a turn shows."""
        claims = [(shown.r, shown.pairs) for shown in turn.shown]
        return checked_openings(self._table, author, frame.s, claims, [bytes(raw) for raw in frame.u or ()], trusted)

    def _fault(self, signed: Signed, code: str, detail: str) -> Fault:
        self._entries.banned.setdefault(signed.peer, code)
        return Fault(signed.peer, code, detail, (signed,))
