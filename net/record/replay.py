"""A match file to step through in both directions, as plain data for clients."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kontor_games.engine import Game, GameState, digest, result_dict, view
from kontor_games.engine import load as load_game
from kontor_games.net.ledger.facts import Ply

from .bot_match import said_plies
from .local_replay import Load, Replayer, judging, seed_in
from .sealed_replay import SealedCourse
from .transcript import Placed, Torn, Unreadable, open_file, read
from .verify import SEALED_DECK, deck_of


class Replay:
    """Every position of one match; states share what did not change, so keeping them all is cheap."""

    def __init__(self, path: Path, load: Load = load_game) -> None:
        self._load = load
        self._records: list[Placed] = []
        self.is_torn = False
        with open_file(path) as file:
            for item in read(file):
                if isinstance(item, Torn):
                    self.is_torn = True
                else:
                    self._records.append(item)
        if not self._records:
            raise Unreadable(f"{path}: no match was begun in this file")
        self._path = path
        self._sealed = SealedCourse(self._records) if deck_of(self._records[0]) == SEALED_DECK else None
        if self._sealed is not None:
            course = self._sealed
            self._seed: bytes | None = None
            self._set(course.game, course.terms, course.match_id, course.plies, course.last, course.is_finished)
            return
        self._seed = seed_in(self._records)
        # The whole match once: its length, its log, and the certainty that every ply can be shown.
        whole = Replayer(self._records[0], self._seed, load)
        plies: list[Ply] = []
        for placed in self._records[1:]:
            with judging(whole, placed):
                plies += whole.feed(placed)
        if not whole.has_begun:
            raise Unreadable(f"{path}: no match was begun in this file")
        self._set(whole.game, whole.terms, whole.match_id, plies, whole.state, whole.end is not None)

    def _set(
        self, game: Game[Any], terms: Any, match: bytes, plies: Sequence[Ply], last: GameState, is_finished: bool
    ) -> None:
        self._game = game
        self._terms = terms
        self._match_id = match
        self._log = said_plies(plies)
        self._states = [ply.before for ply in plies] + [last]
        self._is_finished = is_finished

    @property
    def _is_open(self) -> bool:
        """Whether the file tells what every seat held."""
        return self._seed is not None if self._sealed is None else self._sealed.is_open

    def info(self) -> dict[str, Any]:
        """What does not change while stepping."""
        return {
            "game": self._game.id,
            "title": self._game.title,
            "match": self._match_id.hex(),
            "path": str(self._path),
            "options": dict(self._terms.options),
            "seats": [{"name": seat.name, "kind": seat.kind} for seat in self._terms.seats],
            "plies": len(self._log),
            "finished": self._is_finished,
            "open": self._is_open,
        }

    def view(self, ply: int, seat: int | None) -> dict[str, Any]:
        """What a seat saw (None: a spectator) before ply `ply`; hands are readable once the match is over."""
        state = self._states[ply]
        known = self._known(ply, seat) if seat is not None and self._is_open else dict(state.desk.faces)
        return view(self._game, state, seat, known)

    def digest(self, ply: int) -> str:
        """Digest of the state before ply `ply`."""
        return digest(self._states[ply]).hex()

    def log(self) -> list[dict[str, Any]]:
        """Every ply of the match in words of the notation, with its facts."""
        return self._log

    def result(self) -> dict[str, Any] | None:
        result = self._game.result(self._states[-1])
        return None if result is None else result_dict(result)

    def _known(self, ply: int, seat: int) -> dict[int, int]:
        """Private knowledge is the dealer's, so the match is dealt again up to here."""
        if self._sealed is not None:
            return {**dict(self._states[ply].desk.faces), **self._sealed.known(ply, seat)}
        replayer = Replayer(self._records[0], self._seed, self._load)
        known: dict[int, int] = {}
        for placed in self._records[1:]:
            if replayer.has_begun and replayer.ply > ply:
                break
            replayer.feed(placed)
            if replayer.ply <= ply and replayer.has_begun:
                known = replayer.known(seat)
        return known
