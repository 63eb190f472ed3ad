"""The mends of known faults taken back, one at a time, so that the explorer can show that it would find each again.

Each function puts the behaviour before its mend back for as long as a test runs: the least that lets the fault return,
not the old code. The names are those of the review that found them (see docs/threats.md where it is there).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from kontor_games.engine.core.stream import H
from kontor_games.engine.errors import RemoteError
from kontor_games.net.ledger.own_side import OwnSide
from kontor_games.net.lockstep.catch_up import Following
from kontor_games.net.lockstep.effects import DropPeer, Effect, Pledge, Send
from kontor_games.net.lockstep.intake import Intake
from kontor_games.net.lockstep.our_part import OurPart
from kontor_games.net.lockstep.pledges import Pledges
from kontor_games.net.lockstep.session import Session
from kontor_games.net.lockstep.standing import Standing
from kontor_games.net.sealed.departures import Departures
from kontor_games.net.wire.match_talk import Kind, Signed, Talk, Where

from . import starts
from .host import Disk


@contextmanager
def _replaced(*changes: tuple[type, str, Any]) -> Iterator[None]:
    """Starts in which the fault has happened already are built anew, before and after."""
    starts.forget()
    try:
        with ExitStack() as stack:
            for owner, name, value in changes:
                stack.enter_context(patch.object(owner, name, value))
            yield
    finally:
        starts.forget()


def _own_messages_count_before_they_are_written() -> AbstractContextManager[None]:
    """A2: what we sign is taken and shown at once, and nothing remembers its place."""

    def pledge(self: Any, kind: Kind, raw: bytes, then: Callable[[Signed], list[Effect]]) -> list[Effect]:
        signed = self.seal(kind, raw)
        self._number += 1
        return [Pledge(self._number, signed, (signed,)), *then(signed)]

    stack = ExitStack()
    stack.enter_context(_nonsense_is_an_exception())
    stack.enter_context(_replaced((Pledges, "pledge", pledge), (Session, "written", lambda self, number: [])))
    return stack


def _nonsense_is_an_exception() -> AbstractContextManager[None]:
    """A3: what somebody sent for later is charged to whoever's message leads there."""
    heard = Session.heard

    def charged(self: Session, source: int, talk: Talk) -> list[Effect]:
        try:
            return heard(self, source, talk)
        except RemoteError as error:
            return [DropPeer(source, str(error))]

    return _replaced((Intake, "signed", _taken), (Session, "heard", charged))


def _taken(self: Any, source: int | None, signed: Signed, in_chain: bool = False) -> list[Effect]:
    found: list[Effect] = self._taken(source, signed, in_chain)
    return found


def _votes_count_whatever_they_name() -> AbstractContextManager[None]:
    """A4."""
    return _replaced((Departures, "_counts", lambda self, vote: True))


def _an_unsigned_digest_stops_the_match() -> AbstractContextManager[None]:
    """A5: and until nobody differs, nobody votes."""
    where, resume, vote = Session._where, Session._resume, OurPart.leave_or_vote

    def stopped(self: Any, source: int, said: Where) -> list[Effect]:
        differs = said.tip == self.ledger.tip and said.digest != self.ledger.digest
        return [*where(self, source, said), *(self._standoff.claim(source, said.tip, said.digest) if differs else ())]

    def waits(self: Any, is_confirmed: bool) -> list[Effect]:
        differing = [p for p in self.absent() if self._peers[p].tip == self.ledger.tip]
        return [] if differing else resume(self, is_confirmed)

    def silent(self: Any) -> list[Effect]:
        return [] if self._standoff.is_on else vote(self)

    return _replaced((Session, "_where", stopped), (Session, "_resume", waits), (OurPart, "leave_or_vote", silent))


def _acknowledgements_are_not_passed_on() -> AbstractContextManager[None]:
    """B1: a peer signs where it stands only if it knows that a link is missing, and nobody repeats it."""
    offer = Session._offer

    def reach(self: Any, active: Sequence[int]) -> bool:
        return any(p != self._me and not self._peers[p].linked for p in active)

    def hear(self: Any, peer: int, author: int) -> bool:
        return author != self._me and author in self._peers[peer].links

    def offers(self: Any, peer: int) -> list[Effect]:
        return [effect for effect in offer(self, peer) if not _is_ack(effect)]

    return _replaced((Standing, "is_out_of_reach", reach), (Standing, "hear", hear), (Session, "_offer", offers))


def _is_ack(effect: Effect) -> bool:
    return isinstance(effect, Send) and isinstance(effect.talk, Signed) and effect.talk.kind == "ack"


def _the_accused_are_witnesses() -> AbstractContextManager[None]:
    """N1: and who followed them does not come back."""
    nobody = property(lambda self: frozenset())
    nowhere = (Following, "_returns", lambda self, source, position, item: [])
    return _replaced((Departures, "accused", nobody), nowhere)


def _a_lost_secret_is_made_anew() -> AbstractContextManager[None]:
    """N2."""
    lost = Disk.after_crash

    def another(self: Disk, how: str, me: int) -> None:
        lost(self, how, me)
        if how == "secret":
            self.secret = H("test", f"another secret {me}", size=32)

    return _replaced((Disk, "after_crash", another), (OwnSide, "why_not_our_secret", lambda self: None))


def _there_is_no_second_place() -> AbstractContextManager[None]:
    """N3."""
    restore = Session.restore

    def forgetful(self: Session, journal: Any, own: Any = (), doubt: str | None = None) -> list[Effect]:
        return restore(self, journal)

    return _replaced((Session, "restore", forgetful))


def _a_failed_replay_confirms() -> AbstractContextManager[None]:
    """N7."""
    replayed = Session.replayed

    def believed(self: Any, state: bytes | None) -> list[Effect]:
        return replayed(self, self._standoff.state if state is None else state)

    return _replaced((Session, "replayed", believed))


TAKEN_BACK: dict[str, Callable[[], AbstractContextManager[None]]] = {
    "A2": _own_messages_count_before_they_are_written,
    "A3": _nonsense_is_an_exception,
    "A4": _votes_count_whatever_they_name,
    "A5": _an_unsigned_digest_stops_the_match,
    "B1": _acknowledgements_are_not_passed_on,
    "N1": _the_accused_are_witnesses,
    "N2": _a_lost_secret_is_made_anew,
    "N3": _there_is_no_second_place,
    "N7": _a_failed_replay_confirms,
}


def taken_back(fault: str) -> AbstractContextManager[None]:
    """The mend of this fault is not there."""
    return TAKEN_BACK[fault]()
