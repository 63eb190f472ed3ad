"""The vote book of one tip: who says whom gone (`gon`), and who gave which shares (`giv`) on which votes.

It is the only place that keeps votes. A new tip means a new, empty book. What it answers:

- **Which vote of a peer counts?** The one with the highest number (`newest`). Two with one number are a fork, and never
  get here.
- **Do the survivors agree?** If the newest votes of all peers outside a set declare exactly that set gone
  (`agreement`). The caller says which votes count at all: a node must hold what a vote names.
- **Do these shares rest on an agreement?** Shares name their votes by hash (`g`), because votes may change while shares
  are under way: shares count together only if they name the same ones (`named_by`, `gives`), and old votes on which
  shares rest are kept beside newer ones.

What an attacker would try: vote without end. So many votes of one peer are held and no more; a newer one takes the
place of its oldest on which no shares rest, so that it can still change its mind. Shares are counted for each set of
departing peers, so that a peer that votes again and again cannot use up the others' room for its own departure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .algebra.group import pieces
from .bodies import Giv, Gon
from .events import SignedBody

MAX_VOTES = 16  # per peer and tip; of shares, for each set of peers that are declared gone


@dataclass(frozen=True, slots=True)
class AgreedVotes:
    """The votes of all survivors, in order of peers, that declare the same peers gone."""

    gone: tuple[int, ...]
    votes: tuple[SignedBody, ...]

    def belonging(self) -> dict[bytes, int] | None:
        """Hash -> departed peer for the messages that belong to the open entry; None if one of them forked."""
        named: dict[bytes, int] = {}
        for index, peer in enumerate(self.gone):
            hashes = {gon.f[index] for gon in self._gons()} - {None}
            if len(hashes) > 1:
                return None
            named.update((digest, peer) for digest in hashes if digest is not None)
        return named

    def authors_named(self) -> set[int]:
        """The departed peers of whom some vote names a message."""
        pairs = [pair for gon in self._gons() for pair in zip(gon.w, gon.f, strict=True)]
        return {peer for peer, digest in pairs if digest is not None}

    def _gons(self) -> list[Gon]:
        return [signed.body for signed in self.votes if isinstance(signed.body, Gon)]


class Votes:
    """All `gon` and `giv` under one tip, by hash."""

    def __init__(self) -> None:
        self._gons: dict[bytes, tuple[SignedBody, Gon]] = {}
        self._givs: dict[bytes, tuple[SignedBody, Giv]] = {}

    @property
    def is_empty(self) -> bool:
        """Whether nobody has voted here."""
        return not self._gons and not self._givs

    # --- taking

    def is_full(self, signed: SignedBody) -> bool:
        """Whether this peer has voted, or given shares, more often than anybody needs to."""
        if isinstance(signed.body, Giv):
            return not self.may_give(signed.peer, signed.body.g)
        theirs = self._votes_of(signed.peer)
        is_newest = isinstance(signed.body, Gon) and all(gon.v < signed.body.v for _, gon in theirs)
        return len(theirs) >= MAX_VOTES and not (is_newest and self._spare(signed.peer))

    def may_give(self, peer: int, g: bytes) -> bool:
        """Whether there is room for this peer's shares on these votes."""
        same = [s for s, giv in self._givs.values() if s.peer == peer and self._gone(giv.g) == self._gone(g)]
        return len(same) < MAX_VOTES

    def _gone(self, g: bytes) -> tuple[int, ...] | None:
        """Whom the votes that `g` names declare gone, as far as one of them is here."""
        votes = (self._gons[digest] for digest in pieces(g) if digest in self._gons)
        return next((gon.w for _, gon in votes), None)

    def _votes_of(self, peer: int) -> list[tuple[SignedBody, Gon]]:
        return [pair for pair in self._gons.values() if pair[0].peer == peer]

    def _spare(self, peer: int) -> list[SignedBody]:
        """The votes of this peer on which no shares rest, the oldest first."""
        used = {digest for _, giv in self._givs.values() for digest in pieces(giv.g)}
        return [s for s, gon in sorted(self._votes_of(peer), key=lambda pair: pair[1].v) if s.hash not in used]

    def take(self, signed: SignedBody) -> None:
        """Keep a vote, or shares."""
        match signed.body:
            case Gon() as gon:
                if len(self._votes_of(signed.peer)) >= MAX_VOTES:
                    del self._gons[self._spare(signed.peer)[0].hash]
                self._gons[signed.hash] = signed, gon
            case Giv() as giv:
                self._givs[signed.hash] = signed, giv
            case _:
                raise AssertionError("not a vote")

    def drop(self, signed: SignedBody) -> None:
        """Forget shares that turned out wrong."""
        del self._givs[signed.hash]

    # --- asking

    def all(self) -> list[SignedBody]:
        """Everything, votes first."""
        return [signed for signed, _ in (*self._gons.values(), *self._givs.values())]

    def newest(self, peer: int) -> tuple[SignedBody, Gon] | None:
        """The vote of this peer that counts."""
        return max(self._votes_of(peer), key=lambda pair: pair[1].v, default=None)

    def agreement(self, active: Sequence[int], counts: Callable[[Gon], bool]) -> AgreedVotes | None:
        """The newest votes of all survivors, if they name the same peers and all count."""
        newest = {p: vote for p in active if (vote := self.newest(p)) is not None and counts(vote[1])}
        for _, gon in newest.values():
            survivors = [p for p in active if p not in gon.w]
            if gon.w and all(p in newest and newest[p][1].w == gon.w for p in survivors):
                return AgreedVotes(gon.w, tuple(newest[p][0] for p in survivors))
        return None

    def behind(self, g: bytes) -> list[SignedBody]:
        """All votes that `g` names, none of them if one is not here."""
        hashes = pieces(g)
        return [self._gons[digest][0] for digest in hashes] if all(each in self._gons for each in hashes) else []

    def named_by(self, g: bytes, active: Sequence[int]) -> AgreedVotes | None:
        """The votes that `g` names, if they are all here and are those of all survivors for the same peers."""
        votes = [self._gons[signed.hash] for signed in self.behind(g)]
        if not votes:
            return None
        gone = votes[0][1].w
        survivors = [p for p in active if p not in gone]
        if not gone or any(gon.w != gone for _, gon in votes) or [signed.peer for signed, _ in votes] != survivors:
            return None
        return AgreedVotes(gone, tuple(signed for signed, _ in votes))

    def bases(self) -> list[bytes]:
        """The sets of votes on which shares were given."""
        return sorted({giv.g for _, giv in self._givs.values()})

    def given(self) -> list[tuple[SignedBody, Giv]]:
        """All shares."""
        return list(self._givs.values())

    def gives(self, g: bytes) -> list[tuple[SignedBody, Giv]]:
        """Shares given on the strength of these votes, in order of peers."""
        return sorted((pair for pair in self._givs.values() if pair[1].g == g), key=lambda pair: pair[0].peer)

    def gave(self, peer: int, g: bytes) -> bool:
        """Whether this peer gave shares on the strength of these votes."""
        return any(signed.peer == peer and giv.g == g for signed, giv in self._givs.values())
