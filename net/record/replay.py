"""A match file to step through in both directions, as plain data for clients."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from kontor_games.engine import Action, Known, digest, public_knowledge, result_dict, to_act, view
from kontor_games.engine import load as load_game
from kontor_games.net.ledger.facts import Ply

from .bot_match import said_plies
from .local_replay import LocalReplay
from .rerun import SEALED_DECK, Load, Rerun, deck_of
from .sealed_replay import SealedReplay
from .transcript import Placed, UnreadableFile, open_file, read

_KINDS: dict[str | None, Callable[[Sequence[Placed], Load], Rerun]] = {
    SEALED_DECK: lambda records, load: SealedReplay(records[0]),
}


def rerun_of(records: Sequence[Placed], load: Load = load_game) -> Rerun:
    """The match that these records begin, to be fed with those after the terms."""
    # Whatever is not sealed is for the local kind, which says what is wrong with terms that it does not know.
    return _KINDS.get(deck_of(records[0]), LocalReplay.of)(records, load)


class Replay:
    """Every position of one match; states share what did not change, so keeping them all is cheap."""

    def __init__(self, path: Path, load: Load = load_game, content: bytes | None = None) -> None:
        """The match in the file at `path`; or in `content`, which is then only called so."""
        self._path = path
        with open_file(path) if content is None else io.BytesIO(content) as file:  # a torn end is not shown
            self._records = [item for item in read(file) if isinstance(item, Placed)]
        if not self._records:
            raise UnreadableFile(f"{path}: no match was begun in this file")
        self._match = rerun_of(self._records, load)
        # The whole match once: its length, its log, and the certainty that every ply can be shown.
        plies: list[Ply] = []
        self._plies_after: list[int] = []  # by record after the terms
        for placed in self._records[1:]:
            plies += self._match.feed(placed)
            self._plies_after.append(len(plies))
        if self._match.state is None:
            raise UnreadableFile(f"{path}: the match in this file ended before its set-up was complete")
        self.plies = tuple(plies)
        self.game = self._match.game
        self._log = said_plies(plies)
        self._states = [*(ply.before for ply in plies), self._match.state]

    def info(self) -> dict[str, Any]:
        """What does not change while stepping."""
        match = self._match
        return {
            "game": match.game.id,
            "title": match.game.title,
            "match": match.match.hex(),
            "path": str(self._path),
            "options": dict(match.terms.options),
            "seats": [{"name": seat.name, "kind": seat.kind} for seat in match.terms.seats],
            "plies": len(self._log),
            "finished": match.has_end,
            "open": match.is_open,
        }

    def view(self, ply: int, seat: int | None) -> dict[str, Any]:
        """What a seat saw (None: a spectator) before ply `ply`; hands are readable once the match is over."""
        state = self._states[ply]
        known = self._known(ply, seat) if seat is not None and self._match.is_open else public_knowledge(state)
        return view(self._match.game, state, seat, known)

    def views(self) -> Iterator[list[dict[str, Any]]]:
        """For every ply `view` of a spectator and then of each seat, in one walk through the match."""
        match = self._match.again()
        seats = range(len(match.terms.seats))
        shown = 0
        for placed, plies in zip(self._records[1:], self._plies_after, strict=True):
            if plies > shown:  # a frame brings several plies; what a seat knew is what it knew before the frame
                known = [match.known(seat) for seat in seats] if self._match.is_open else None
                yield from (self._seen(ply, known, seats) for ply in range(shown, plies))
                shown = plies
            match.feed(placed)
        known = [match.known(seat) for seat in seats] if self._match.is_open else None
        yield self._seen(shown, known, seats)

    def _seen(self, ply: int, known: list[Known] | None, seats: range) -> list[dict[str, Any]]:
        state, game = self._states[ply], self._match.game
        public = public_knowledge(state)
        own = [view(game, state, seat, public if known is None else known[seat]) for seat in seats]
        return [view(game, state, None, public), *own]

    def points(self, ply: int) -> list[int]:
        """Points of each seat before ply `ply`; none if the game has none before its end."""
        return list(self.game.points(self._states[ply]))

    def digest(self, ply: int) -> str:
        """Digest of the state before ply `ply`."""
        return digest(self._states[ply]).hex()

    def log(self) -> list[dict[str, Any]]:
        """Every ply of the match in words of the notation, with its facts."""
        return self._log

    def result(self) -> dict[str, Any] | None:
        """The result, if the match in the file is over."""
        result = self._match.game.result(self._states[-1])
        return None if result is None else result_dict(result)

    @property
    def is_played_out(self) -> bool:
        """Whether the match has ended by its rules and its cards are open, so that all of it may be told to anybody."""
        return self._match.has_end and self._match.is_open and self.result() is not None

    def decisions(self) -> Iterator[tuple[Ply, Known]]:
        """Every action of a player, with what its seat alone knew of hidden cards before it; stand-ins are left out."""
        match = self._match.again()
        for placed in self._records[1:]:
            turn = None if match.state is None else to_act(self.game, match.state)
            known = {} if turn is None or turn < 0 else match.known(turn)
            for ply in match.feed(placed):
                action = ply.action
                if isinstance(action, Action) and action.seat not in ply.before.desk.gone:
                    yield ply, dict(known)
                    for slot, _ in self.game.opens(ply.before, action):
                        known.pop(slot, None)

    def _known(self, ply: int, seat: int) -> Known:
        """Private knowledge is the dealer's, so the match is dealt again up to here."""
        match = self._match.again()
        for placed, plies in zip(self._records[1:], self._plies_after, strict=True):
            if plies > ply:
                break
            match.feed(placed)
        return match.known(seat)
