"""A match among peers, played or watched by this node, as the API shows it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from kontor_games.engine import Action, GameState, Known, public_knowledge, why_not
from kontor_games.engine import to_act as engine_to_act
from kontor_games.engine.core.stream import H, u32
from kontor_games.engine.errors import IllegalAction
from kontor_games.net.api.matches.agreement import Agreed, agreed_in
from kontor_games.net.api.matches.draft import Draft, restored
from kontor_games.net.api.matches.shown import PERSON, SeatFacts, ShownMatch, Status
from kontor_games.net.ledger.departed import voters_against
from kontor_games.net.ledger.facts import Fault, Grown, Ply
from kontor_games.net.ledger.ledger import Ledger, names_of
from kontor_games.net.lockstep.effects import (
    Completed,
    DiskTrouble,
    Diverged,
    Dropped,
    Effect,
    Ended,
    GoesOn,
    Healed,
    Heard,
    ReadsOnly,
    Waiting,
)
from kontor_games.net.lockstep.match import Match
from kontor_games.net.lockstep.session import Session
from kontor_games.net.node.node import Node
from kontor_games.net.record import draft_file
from kontor_games.net.record.match_files import match_name
from kontor_games.net.wire.identity import fingerprint, six_words
from kontor_games.net.wire.marks import marks_of
from kontor_games.net.wire.messages import HUMAN
from kontor_games.net.wire.terms import Terms

from .grid import match_pairs, match_rows
from .patience import Patience

PATIENCE_SECONDS = 2.0  # most losses heal by themselves
MAX_CHAT = 500  # lines kept for clients


class ShownNetMatch(ShownMatch):
    """One match; without `match` it is only watched."""

    kind = "net"

    def __init__(
        self,
        ledger: Ledger,
        match: Match | None,
        node: Node | None,
        on_change: Callable[[ShownMatch], None],
        on_line: Callable[[ShownMatch, dict[str, Any]], None],
    ) -> None:
        terms, me = ledger.terms, None if match is None else match.session.me
        marks = _marks(terms, me)
        seats = [
            SeatFacts(
                seat.name,
                PERSON if seat.kind == HUMAN else seat.kind,
                seat.peer,
                seat.peer == me,
                marks[number],
                number in (terms.guests or ()),
            )
            for number, seat in enumerate(terms.seats)
        ]
        super().__init__(match_name(ledger.match), ledger.game, seats, on_change)
        self.match = match
        self.chat: list[dict[str, Any]] = []
        self.updated = int(time.time())
        self.faults: list[str] = []
        self.ended: str | None = None
        self.is_complete = False
        self._on_line = on_line
        self.ledger = ledger
        self._node = node
        self._draft: Draft | None = None
        self._draft_tip = b""
        self._missing: dict[int, float] = {}  # peers that nobody reaches and people should know about, and since when
        self._votes = ledger.entries.departures.ballots()  # as clients were told last
        self._may_vote = True  # likewise: the time of grace is over for those who are missing
        self._patience = Patience(terms.grace)
        self._at_fault: set[int] = set()
        self._turn: int | None = None
        self._disk_trouble = ""
        self._differing: tuple[int, ...] = ()

    # ---- what happens in the match

    def on_effect(self, effect: Effect) -> None:
        """Something happened in the match; clients are told if they can see a difference."""
        match effect:
            case Ply():
                self.happens(effect)
            case Heard(peer=peer, number=number, text=text):
                self._heard(peer, number, text)
                return
            case Fault(peer=peer, code=code):
                self._at_fault.add(peer)
                self.faults.append(f"{names_of(self.ledger, peer)} broke the rules of the table ({code})")
            case Ended(how=how):
                self.ended = how
            case GoesOn():
                self.ended = None
            case Completed():
                self.is_complete = True
            case Grown():
                if self.to_act == self._turn:
                    return
            case Healed(differing=differing):
                self._differing = differing
            case DiskTrouble(reason=reason):
                self._disk_trouble = reason
            case Waiting() | Dropped() | Diverged() | ReadsOnly():
                pass
            case _:
                return
        self.updated = int(time.time())
        self._turn = self.to_act
        self._on_change(self)

    def _heard(self, peer: int, number: int, text: str) -> None:
        mark = next((seat.mark for seat in self.seats if seat.peer == peer and seat.mark), "")
        spoken = {"peer": peer, "name": names_of(self.ledger, peer), "mark": mark, "n": number, "text": text}
        self.chat = [*self.chat, spoken][-MAX_CHAT:]
        self._on_line(self, spoken)

    def links_changed(self) -> None:
        """A link came or went, or time passed."""
        now = time.monotonic()
        if self.match is not None:
            session = self.match.session
            self._patience.look(now, self.ledger.tip, session.missing, self._owing(session))
        missing = {peer: since for peer, since in self._patience.lost.items() if now - since >= PATIENCE_SECONDS}
        seen = missing, self.ledger.entries.departures.ballots(), self._grace_left(missing) == 0
        if seen != (self._missing, self._votes, self._may_vote):
            self._missing, self._votes, self._may_vote = seen
            self._on_change(self)

    # ---- what clients see

    @property
    def draft(self) -> Draft | None:
        """The draft belongs to one tip: once the chain has moved it is gone."""
        ledger = self.ledger
        if ledger.state is None:
            return None
        if self._draft is None or self._draft_tip != ledger.tip:
            actions: list[Action] = []
            if self._draft is None and self.match is not None:
                actions, _ = draft_file.load(self._draft_path, ledger.tip, ledger.game.codec)
            self._draft_tip = ledger.tip
            self._draft = restored(self, ledger.state, actions)
        return self._draft

    @property
    def options(self) -> dict[str, Any]:
        return dict(self.ledger.terms.options)

    @property
    def ply(self) -> int:
        return self.ledger.ply

    @property
    def state(self) -> GameState | None:
        return self.ledger.state

    @property
    def to_act(self) -> int | None:
        ledger = self.ledger
        if ledger.is_over:
            return None
        if ledger.state is None or ledger.entries.busy:
            return -1
        return engine_to_act(ledger.game, ledger.state)

    @property
    def is_committed(self) -> bool:
        return self.match is not None and self.match.session.is_committed

    @property
    def status(self) -> Status:
        if self.ledger.is_over:
            return "over"
        if self.ended is not None or (self.match is not None and self.match.session.is_stopped):
            return "stopped"
        return "waiting" if self._missing else "playing"

    def known(self, seat: int | None) -> Known:
        state = self.ledger.state
        if state is None:
            return {}
        return public_knowledge(state) if seat is None else self.ledger.known(seat)

    def why_not(self, state: GameState, action: Action) -> str | None:
        return why_not(self.game, state, action) or self.ledger.own.why_not_shown(state, action)

    def commit(self) -> None:
        assert self.draft is not None
        self.play(self.draft.actions)

    def play(self, actions: Sequence[Action]) -> None:
        match = self._playing()
        match.play(actions)  # the session checks it; the draft was checked as it grew
        if match.session.is_committed:
            # It waits until all have caught up; once this is written it survives us. A turn that is sent lies
            # in the journal already.
            draft_file.save(self._draft_path, self.ledger.tip, actions, committed=True)
        else:
            match.files.delete_draft()

    def play_again(self) -> None:
        """After a restart: send what was committed and could not be sent before."""
        ledger = self.ledger
        actions, committed = draft_file.load(self._draft_path, ledger.tip, ledger.game.codec)
        if committed and self.match is not None and self.match.session.why_not_play(actions) is None:
            self.match.play(actions)

    def save_draft(self) -> None:
        if self.draft is not None and self.match is not None:
            draft_file.save(self._draft_path, self.ledger.tip, self.draft.actions)

    def bot_seed(self, seat: int) -> bytes:
        return H("bot-seed", self._playing().files.secret.read_bytes(), u32(seat), size=32)

    def file(self) -> bytes:
        return self._playing().write_transcript().read_bytes()

    @property
    def path(self) -> Path | None:
        return None if self.match is None else self.match.files.transcript

    def leave(self) -> None:
        self._playing().bye()

    def say(self, text: str) -> None:
        """Say a line to the table."""
        self._playing().chat(text)

    def vote(self, peers: Sequence[int]) -> None:
        """Declare peers gone; none takes the vote back. Refused while one of them has grace."""
        match = self._playing()
        declared = self.ledger.entries.departures.ballots().get(match.session.me, ())
        new = [peer for peer in peers if peer not in declared]
        seconds = self._grace_left(new)
        if seconds:
            who = " and ".join(names_of(self.ledger, peer) for peer in new)
            wait = f"you can go on without them in {_lasting(seconds)}"
            raise IllegalAction(f"the table agreed to wait for {who}; {wait}")
        match.vote_gone(peers)

    def _grace_left(self, peers: Iterable[int]) -> int:
        """Seconds until these may be put out; nobody waits for those who broke the rules or differ."""
        waited = [peer for peer in peers if peer not in self._at_fault and peer not in self._differing]
        return self._patience.left(waited, time.monotonic()) if waited else 0

    def _owing(self, session: Session) -> set[int]:
        """For whom the match waits: for their part of an entry, an acknowledgement, a decision."""
        ledger = self.ledger
        entry, turn = ledger.entries.position.open, self.to_act
        owing = {peer for peer in ledger.active if entry is not None and entry.expects(peer)} | set(session.absent())
        deciding = None if turn is None or turn < 0 else ledger.seat_peer(turn)
        return {peer for peer in owing | {deciding} if peer is not None and peer != session.me}

    def close(self) -> None:
        """The node keeps the match."""

    @property
    def missing_names(self) -> tuple[str, ...]:
        return tuple(names_of(self.ledger, peer) for peer in sorted(self._missing))

    @property
    def agreed(self) -> Agreed:
        return agreed_in(self.ledger.terms)

    def extra(self) -> dict[str, Any]:
        ledger = self.ledger
        return {
            "match": ledger.match.hex(),
            "waiting": self._waiting(),
            "grid": [] if self._node is None else match_rows(self._node, ledger, self._missing),
            "pairs": [] if self._node is None else match_pairs(self._node, ledger),
            "words": six_words(ledger.match).split(" "),
            "recovery": ledger.terms.recovery,
            "chat": self.chat,
            "votes": {str(peer): list(gone) for peer, gone in sorted(ledger.entries.departures.ballots().items())},
            "faults": [*self.faults, *self._troubles()],
            "ended": ledger.how_ended if ledger.is_over else None,
            "complete": self.is_complete,
            "watching": self.match is None,
            "spectators": ledger.terms.spectators,
            "addresses": [] if self._node is None else list(self._node.where.addresses),
            "rematch": None if self._node is None else _rematch(self._node, ledger),
            "put_out": None if self.match is None else _put_out(ledger, self.match.session.me),
        }

    def _troubles(self) -> list[str]:
        """What keeps this match from going on as it should, besides broken rules, in sentences without a full stop."""
        out = []
        if self._disk_trouble:
            refused = f"The disk of this computer takes nothing ({self._disk_trouble})"
            out.append(f"{refused}. What you do waits until there is room; nothing is lost")
        me = None if self.match is None else self.match.session.me
        if self.match is not None and me is not None and (reason := self.match.session.reads_only):
            out.append(f"This computer can only look on here, because {reason}. {self._without(me, 'it')}")
        bound = () if self.match is None or self.ledger.is_over else self.ledger.entries.departures.awaited
        for peer in bound:
            who = names_of(self.ledger, peer)
            gave = f"This computer has done its part to go on without {who}, and that cannot be taken back"
            out.append(f"{gave}. It waits until the others do theirs; vote again with them if nothing moves")
        for peer in self._differing:
            if peer in self.ledger.active and not self.ledger.is_over:
                who = names_of(self.ledger, peer)
                differs = f"The computer of {who} shows another state of the match; this one has checked its own"
                out.append(f"{differs}. {self._without(peer, who)}")
        return out

    def _without(self, peer: int, who: str) -> str:
        """Whether the others can go on, as a sentence without its full stop."""
        if self.ledger.table.why_not_gone((peer,)) is None:
            return f"The others can vote to go on without {who}"
        return f"Under the terms of this match nobody can go on without {who}"

    def _waiting(self) -> dict[str, Any] | None:
        if not self._missing or self.ledger.is_over:
            return None
        missing = sorted(self._missing)
        can_vote, grace = self.ledger.table.why_not_gone(missing) is None, self._grace_left(missing)
        return {
            "for": missing,
            "seconds": int(time.monotonic() - min(self._missing.values())),
            "can_vote": can_vote and not grace,
            "grace": grace if can_vote else 0,
        }

    def _playing(self) -> Match:
        if self.match is None:
            raise IllegalAction("this match is only watched")
        return self.match

    @property
    def _draft_path(self) -> Path:
        return self._playing().files.draft


def _rematch(node: Node, ledger: Ledger) -> dict[str, Any] | None:
    """The table at which somebody wants to play this match again."""
    found = node.rematches.shown(ledger.match) if ledger.is_over else None
    if found is None:
        return None
    proposal, seconds = found
    peer = ledger.terms.index_of(proposal.peer)
    return {
        "by": "" if peer is None else names_of(ledger, peer),
        "mine": proposal.peer == node.key,
        "table": proposal.table,
        "seconds": int(seconds),
    }


def _put_out(ledger: Ledger, me: int) -> dict[str, Any] | None:
    """By whom the people at this node were put out, None if they were not."""
    voters = () if me in ledger.active else voters_against(ledger.items, me)
    names = [names_of(ledger, peer) for peer in voters]
    return {"by": names, "can_watch": ledger.terms.spectators} if voters else None


def _lasting(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    return f"{minutes}:{rest:02}" if minutes else f"{rest} s"


def _marks(terms: Terms, me: int | None) -> list[str]:
    """By seat, the marks of look-alike names; on one's own screen one's own name counts as the first."""
    order = sorted(range(len(terms.seats)), key=lambda number: (terms.seats[number].peer != me, number))
    people = [(fingerprint(terms.peers[terms.seats[number].peer].key), terms.seats[number].name) for number in order]
    found = dict(zip(order, marks_of(people), strict=True))
    return [found[number] for number in range(len(terms.seats))]
