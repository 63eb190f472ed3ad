"""This node's own side of a match: what it knows of hidden cards, what it owes, and the turns that it may play."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Raw

from kontor_games import engine
from kontor_games.engine import Action, GameState
from kontor_games.engine.errors import IllegalAction, MalformedAction
from kontor_games.net.sealed import bodies, events
from kontor_games.net.sealed.card_table import CardTable
from kontor_games.net.sealed.entries import Entries
from kontor_games.net.sealed.player import Player
from kontor_games.net.wire.chain import Frame, parts
from kontor_games.net.wire.terms import Terms

from .game_run import GameRun
from .held_messages import HeldMessages
from .turn import Turn, work_out


class OwnSide:
    """What only this node can say; `me` and `player` are None for spectators and verifiers, who can say nothing."""

    def __init__(
        self,
        match: bytes,
        terms: Terms,
        me: int | None,
        player: Player | None,
        table: CardTable,
        entries: Entries,
        run: GameRun,
        messages: HeldMessages,
    ) -> None:
        self.match = match
        self.terms = terms
        self.player = player
        self._me = me
        self._table = table
        self._entries = entries
        self._run = run
        self._messages = messages
        self._drafted: Turn | None = None  # what `draft` worked out last

    def known(self, seat: int) -> engine.Known:
        """What this node knows of a seat's hidden cards: nothing unless the seat is its own."""
        return {} if self.player is None else self.player.known(seat)

    def why_not_our_secret(self) -> str | None:
        """Why the table secret at hand is not the one behind the keys that this node has signed here, or None."""
        if self.player is None or self._me is None:
            return "the table secret of this match is missing"
        keys: tuple[bytes, bytes] | None = self._table.peers.keys.get(self._me)
        if keys is None and (shown := self._messages.keys_of(self._me)) is not None:
            keys = (shown.Y, shown.T)
        return None if keys in (None, self.player.keys) else "the table secret on the disk is not the one of this match"

    def due(self) -> list[events.Duty]:
        """What this node has to make, sign and send now."""
        return [] if self.player is None else self._entries.due(self.player)

    def ahead(self) -> events.Ahead | None:
        """What this node may make already, because it will most likely be due."""
        return None if self.player is None else self._entries.ahead(self.player)

    def why_not_turn(self, actions: Sequence[Action]) -> str | None:
        """Why this node may not send these actions as one frame now, or None."""
        try:
            self.draft(actions)
        except (IllegalAction, MalformedAction) as error:
            return str(error)
        return None

    def draft(self, actions: Sequence[Action]) -> Turn:
        """These actions worked out as one frame of this node; raises IllegalAction with what forbids them."""
        run = self._run
        seat, state = run.to_act, run.state
        if seat is None or state is None or self._entries.busy:
            raise IllegalAction("it is nobody's turn now")
        if self.terms.peer_of(seat) != self._me:
            raise IllegalAction(f"it is {self.terms.seats[seat].name}'s turn")
        if not actions:
            raise IllegalAction("there is nothing to send")
        raws = parts(actions)
        if self._drafted is None or self._drafted.before is not state or self._drafted.raws != raws:
            self._drafted = work_out(run.game, state, seat, raws, run.ply, self._me, self.why_not_shown)
        return self._drafted

    def why_not_shown(self, state: GameState, action: Action) -> str | None:
        """Why this node may not play a legal `action` because of the hidden cards in it, or None."""
        game, known = self._run.game, self.known(action.seat)
        if game.why_not_hidden is not None and (reason := game.why_not_hidden(state, action, known)):
            return reason
        for slot, face in game.opens(state, action):
            if known.get(slot, state.desk.face(slot)) != face:
                return f"slot {slot} is not card {face}, or not yours to show"
        return None

    def frame(self, turn: Turn) -> Frame:
        """The frame to sign for a turn of this node."""
        assert self.player is not None
        openings = []
        for shown in turn.shown:
            opening = self.player.open(shown.r, [slot for slot, _ in shown.pairs])
            openings.append(None if opening is None else Raw(bodies.encode(opening)))
        u = parts(openings) if openings else None
        entries = self._entries
        return Frame(self.match, turn.seat, entries.tip, self._run.ply, entries.digest, turn.raws, u)
