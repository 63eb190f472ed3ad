"""A match file to step through in both directions, as plain data for clients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from kontor_games.engine import Known, digest, public_knowledge, result_dict, view
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


class Replay:
    """Every position of one match; states share what did not change, so keeping them all is cheap."""

    def __init__(self, path: Path, load: Load = load_game) -> None:
        self._path = path
        with open_file(path) as file:  # a torn end is not shown
            self._records = [item for item in read(file) if isinstance(item, Placed)]
        if not self._records:
            raise UnreadableFile(f"{path}: no match was begun in this file")
        # Whatever is not sealed is for the local kind, which says what is wrong with terms that it does not know.
        self._match = _KINDS.get(deck_of(self._records[0]), LocalReplay.of)(self._records, load)
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

    def _known(self, ply: int, seat: int) -> Known:
        """Private knowledge is the dealer's, so the match is dealt again up to here."""
        match = self._match.again()
        for placed, plies in zip(self._records[1:], self._plies_after, strict=True):
            if plies > ply:
                break
            match.feed(placed)
        return match.known(seat)
