"""A match file to step through in both directions, as plain data for clients."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine import digest, result_dict, view
from engine import load as load_game

from .local_chain import LOCAL_DECK, deck_mode
from .local_play import said_plies
from .replayer import Load, Replayer, seed_in
from .sealed_replay import SealedReplay
from .transcript import Placed, TermsRecord, Torn, Unreadable, open_file, read


def open_replay(path: Path, load: Load = load_game) -> Replay | SealedReplay:
    """The match in a file, local or among peers."""
    records, is_torn = _records(path)
    if isinstance(records[0].record, TermsRecord) and deck_mode(records[0].record.raw) != LOCAL_DECK:
        return SealedReplay(path, records, load)
    return Replay(path, load, (records, is_torn))


def _records(path: Path) -> tuple[list[Placed], bool]:
    with open_file(path) as file:
        items = list(read(file))
    records = [item for item in items if not isinstance(item, Torn)]
    if not records:
        raise Unreadable(f"{path}: no match was begun in this file")
    return records, len(records) < len(items)


class Replay:
    """Every position of one match; states share what did not change, so keeping them all is cheap."""

    def __init__(
        self, path: Path, load: Load = load_game, read_already: tuple[list[Placed], bool] | None = None
    ) -> None:
        self._load = load
        self._records, self.is_torn = read_already or _records(path)
        self._seed = seed_in(self._records)
        self._path = path
        # The whole match once: its length, its log, and the certainty that every ply can be shown.
        whole = Replayer(self._records[0], self._seed, load)
        plies = [ply for placed in self._records[1:] for ply in whole.feed(placed)]
        if not whole.has_begun:
            raise Unreadable(f"{path}: no match was begun in this file")
        self._game = whole.game
        self._terms = whole.terms
        self._match_id = whole.match_id
        self._log = said_plies(whole.game, plies)
        self._states = [ply.before for ply in plies] + [whole.state]
        self._is_finished = whole.end is not None

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
            "open": self._seed is not None,
        }

    def view(self, ply: int, seat: int | None) -> dict[str, Any]:
        """What a seat saw (None: a spectator) before ply `ply`; hands are readable once the match is over."""
        state = self._states[ply]
        known = self._known(ply, seat) if seat is not None and self._seed is not None else dict(state.desk.faces)
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
        replayer = Replayer(self._records[0], self._seed, self._load)
        known: dict[int, int] = {}
        for placed in self._records[1:]:
            if replayer.has_begun and replayer.ply > ply:
                break
            replayer.feed(placed)
            if replayer.ply <= ply and replayer.has_begun:
                known = replayer.known(seat)
        return known
