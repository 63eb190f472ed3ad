"""What the player at this node wants: a turn that is on its way, a goodbye, a vote about peers that are gone."""

from __future__ import annotations

from collections.abc import Iterable

from kontor_games.engine import Action


class Ballot:
    """A vote counts for one tip, so it is repeated when the chain has moved under it."""

    def __init__(self) -> None:
        self._against: frozenset[int] = frozenset()
        self._cast: tuple[bytes, frozenset[int]] | None = None  # the tip and the set of our last vote

    @property
    def is_open(self) -> bool:
        """Whether there is anything to say, or to take back."""
        return bool(self._against) or self._cast is not None

    def choose(self, against: Iterable[int]) -> None:
        """Our player declares exactly these gone; none takes the vote back."""
        self._against = frozenset(against)
        if self._against:
            self._cast = None  # said again, even if it was said before; taking back needs to know what was said

    def recall(self, tip: bytes, said: frozenset[int]) -> None:
        """What our newest vote at this tip says, after a restart: it still stands, and can be taken back."""
        if said and not self.is_open:
            self._against, self._cast = said, (tip, said)

    def add(self, peer: int) -> None:
        """This one too."""
        self._against |= {peer}

    def due(self, tip: bytes, active: Iterable[int], silent: frozenset[int] = frozenset()) -> frozenset[int] | None:
        """Whom to vote against now, None if our vote for this tip is out; asked once, it counts as cast.

        `silent` are on their way out and will not vote: who votes at all declares them gone too.
        """
        self._against &= frozenset(active)
        against = self._against | (silent & frozenset(active)) if self._against else self._against
        stand = (tip, against)
        if self._cast == stand:
            return None
        was, self._cast = self._cast, stand if against else None
        if not against and (was is None or was[0] != tip):
            return None
        return against


class Wishes:
    """What the player has asked for and the session has not done yet."""

    def __init__(self) -> None:
        self.draft: tuple[Action, ...] | None = None
        self.is_leaving = False  # our player says goodbye as soon as it has its place in the chain
        self.ballot = Ballot()

    def drop(self) -> None:
        """This node signs nothing more; a vote against a cheat stays on the list without being cast."""
        self.draft, self.is_leaving = None, False
