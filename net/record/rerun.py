"""Running a match again from its records: what verifying, viewing and resuming have in common, whatever kind it is.

There are two kinds of match files: local ones (`local_replay.py`) and those of network matches (`sealed_replay.py`;
`proof.py` judges every message besides). Both are a `Rerun`, so nobody else has to ask which kind a file is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from kontor_games.engine import Game, GameState, Known, KontorError
from kontor_games.net.ledger.facts import Ply
from kontor_games.net.wire.terms import Terms

from .local_chain import LocalTerms, deck_mode
from .transcript import Placed, TermsRecord

SEALED_DECK = "sealed/1"

Load = Callable[[str, int], Game[Any]]  # by id and rules version; KontorError for what it does not have


class Refuted(KontorError):
    """The file says something that does not hold; the text names ply and place."""

    def __init__(self, ply: int, place: object, fact: str) -> None:
        super().__init__(f"ply {ply} ({place}): {fact}")
        self.ply = ply


class CannotJudge(KontorError):
    """The match was played under rules that this program does not have."""


class Rerun(Protocol):
    """One match, from its terms on, as its records are fed in."""

    @property
    def game(self) -> Game[Any]: ...

    @property
    def terms(self) -> LocalTerms | Terms: ...

    @property
    def match(self) -> bytes:
        """The match id."""

    @property
    def ply(self) -> int:
        """How many plies there are so far."""

    @property
    def tip(self) -> bytes: ...

    @property
    def state(self) -> GameState | None:
        """What everybody knows; None before the set-up."""

    @property
    def has_end(self) -> bool:
        """Whether the end record has come."""

    @property
    def is_open(self) -> bool:
        """Whether the file tells what every seat held: by the seed, or by the deck keys of all peers."""

    def feed(self, placed: Placed) -> Sequence[Ply]:
        """Take the next record after the terms: the plies that it brings. Raises Refuted if it does not follow."""

    def known(self, seat: int) -> Known:
        """The hidden cards that this seat holds alone now, if the file is open."""

    def again(self) -> Rerun:
        """The same match from its terms on, with all that this run has learnt of hidden cards."""


class _CountsPlies(Protocol):
    @property
    def ply(self) -> int: ...


@contextmanager
def judging(match: _CountsPlies | None, place: object) -> Iterator[None]:
    """Whatever a made-up file brings the rules to, the answer is a verdict: Refuted with ply and place."""
    try:
        yield
    except (Refuted, CannotJudge):
        raise
    except KontorError as error:
        reason = str(error)
    except RecursionError:
        reason = "nested too deeply"
    except Exception as error:
        reason = f"the engine stopped: {type(error).__name__}: {error!s:.200}"
    else:
        return
    raise Refuted(0 if match is None else match.ply, place, reason)


def deck_of(first: Placed) -> str | None:
    """The deck mode that a file's terms name, None if they cannot be read."""
    try:
        return deck_mode(first.record.raw) if isinstance(first.record, TermsRecord) else None
    except KontorError:
        return None


def game_of(terms: LocalTerms | Terms, load: Load) -> Game[Any]:
    """The game of these terms, if this program has the same rules and data."""
    package = terms.package if isinstance(terms, Terms) else None
    if package is not None:
        raise CannotJudge(f"{terms.game}: the match was played with the package {package.name} {package.version}")
    try:
        game = load(terms.game, terms.rules)
    except KontorError as error:
        raise CannotJudge(str(error)) from None
    if game.data_digest != terms.data:
        raise CannotJudge(f"{terms.game}: the match was played with other data (digest {terms.data.hex()[:12]})")
    return game
