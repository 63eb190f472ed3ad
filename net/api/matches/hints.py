"""Hints: what an expert would do in the place of the one person who plays against bots on this machine.

The bots' process is handed the position as that person knows it, and nothing else: no token, so it cannot act for them.
It answers with one or two lines of play, the best first; they are read by the rules and worded like the menu here.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated, Any, Final

import msgspec
from twisted.internet.defer import Deferred
from twisted.logger import Logger

from kontor_games.engine import GameState
from kontor_games.engine.errors import KontorError
from kontor_games.net.api.http.api_errors import refused

from .bot_process import Bots
from .draft import Draft, read_path
from .menu import menu_of
from .positions import position_of
from .shown import ShownMatch
from .wording import Wording

SECONDS: Final = 20.0
MOST: Final = 4  # that are thought about at once
_log = Logger(namespace="kontor.hints")


class HintLine(msgspec.Struct):
    """A line of play in notation, and the chance to win with it, in per cent."""

    texts: Annotated[list[str], msgspec.Meta(min_length=1, max_length=64)]
    chance: Annotated[int, msgspec.Meta(ge=0, le=100)]


class HintAnswer(msgspec.Struct):
    """What the bots' process found."""

    hint: int
    worlds: Annotated[int, msgspec.Meta(ge=1, le=10_000)]  # in which both lines were played on
    lines: Annotated[list[HintLine], msgspec.Meta(min_length=1, max_length=2)]


@dataclass
class _Asked:
    """A hint that somebody waits for."""

    number: int
    shown: ShownMatch
    draft: Draft
    state: GameState
    seat: int
    answer: Deferred[dict[str, Any]]
    timer: Any


def why_no_hints(shown: ShownMatch, here: Collection[int]) -> str | None:
    """Why nobody is given hints in this match; None if they are. `here` are the seats at this node's own screens: a
    guest with a phone is another person, whose hand would be read off the hint."""
    if shown.kind != "local" or len(shown.mine) != 1 or not shown.bots or set(here) != set(shown.mine):
        return "hints are for matches of one person against bots on this machine"
    if shown.status == "over":
        return "the match is over"
    if shown.guided is not None and shown.guided.shown([]) is not None:
        return "the guide leads through this match; hints come when it is done"
    return None


class Hints:
    """All hints that are being thought about, one for each match."""

    def __init__(self, reactor: Any, bots: Bots, wording: Wording) -> None:
        self._reactor = reactor
        self._bots = bots
        self._wording = wording
        self._asked: dict[str, _Asked] = {}
        self._count = 0
        bots.on_line = self.answered

    def ask(self, shown: ShownMatch, here: Collection[int]) -> Deferred[dict[str, Any]]:
        """What an expert would do in the drafted position; raises a refusal, or the Deferred ends with one."""
        reason = why_no_hints(shown, here)
        if reason is not None:
            raise refused(reason)
        (seat,) = shown.mine
        draft = shown.draft
        if draft is None or shown.to_act != seat or seat in shown.gone:
            raise refused("it is not your turn")
        draft.begin(seat)
        if not draft.choices(seat):
            raise refused("there is nothing left to choose in this turn: confirm it, or undo")
        if shown.id in self._asked:
            raise refused("a hint is on its way already")
        if len(self._asked) >= MOST:
            raise refused("hints for other matches come first; ask again in a few seconds")
        return self._send(shown, draft, seat)

    def _send(self, shown: ShownMatch, draft: Draft, seat: int) -> Deferred[dict[str, Any]]:
        self._count += 1
        order = {
            "match": shown.id,
            "hint": self._count,
            "seat": seat,
            "ply": shown.ply + len(draft.plies),
            **position_of(shown.game, draft.state, draft.known(seat)),
        }
        if not self._bots.ask(shown.id, order):
            raise refused("the bots are not ready; ask again in a few seconds")
        timer = self._reactor.callLater(SECONDS, self._too_late, shown.id)
        answer: Deferred[dict[str, Any]] = Deferred()
        self._asked[shown.id] = _Asked(self._count, shown, draft, draft.state, seat, answer, timer)
        return answer

    def answered(self, line: bytes) -> None:
        """The bots' process said something; what nobody waits for is not listened to."""
        try:
            found = msgspec.json.decode(line, type=HintAnswer)
        except msgspec.MsgspecError:
            return
        asked = next((each for each in self._asked.values() if each.number == found.hint), None)
        if asked is None:
            return
        del self._asked[asked.shown.id]
        asked.timer.cancel()
        if asked.shown.draft is not asked.draft or asked.draft.state is not asked.state:
            asked.answer.errback(refused("the position has changed meanwhile; ask again"))
            return
        try:
            asked.answer.callback(self._told(asked, found))
        except KontorError as error:
            _log.warn("a hint was not legal: {error}", error=str(error))
            asked.answer.errback(refused("no hint was found"))

    def stop(self) -> None:
        """The node stops: nobody waits any longer."""
        for asked in self._asked.values():
            asked.timer.cancel()
        self._asked.clear()

    def _too_late(self, match: str) -> None:
        self._asked.pop(match).answer.errback(refused("no hint was found in time; ask again"))

    def _told(self, asked: _Asked, found: HintAnswer) -> dict[str, Any]:
        """The first choice of the best line, and that of the best line which begins otherwise."""
        best, *others = (self._choice(asked, line) for line in found.lines)
        return {**best, "worlds": found.worlds, "next": others[0] if others else None}

    def _choice(self, asked: _Asked, line: HintLine) -> dict[str, Any]:
        """The entry of the menu with which a line begins; raises IllegalAction or MalformedAction."""
        shown, draft, seat = asked.shown, asked.draft, asked.seat
        actions = tuple(read_path(shown, draft.state, seat, line.texts))
        found = draft.choices(seat)
        fitting = [place for place, choice in enumerate(found) if actions[: len(choice.actions)] == choice.actions]
        if not fitting:
            return {"text": line.texts[0], "phrase": line.texts[0], "chance": line.chance}
        entry = menu_of(shown, draft, seat, self._wording)[max(fitting, key=lambda n: len(found[n].actions))]
        return {"text": entry["text"], "phrase": entry["phrase"], "chance": line.chance}
