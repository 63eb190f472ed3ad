"""Departures by vote: who says whom gone, who gave which shares for that, and what this node must not do meanwhile.

A vote (`gon`) under the current tip declares peers gone and names, for each of them, its message in the open entry that
the voter has found good. When the newest votes of all survivors declare the same peers gone, each survivor gives its
shares of their keys (`giv`), on the strength of exactly these votes. When all shares are here, the keys are rebuilt and
the departure goes into the chain, before the open entry. Towards one departure a node is in one of these states:

    quiet      It has not voted, or has taken its vote back.
    voted      It has stopped listening to those whom its newest vote declares gone (`deaf`), except to what votes name.
    given      Its shares are out. They do not lapse, whatever it votes later: another survivor may have all shares and
               close the departure. So this node waits for that departure. It closes nothing else at this tip, signs
               no turn and makes no shuffle that rests on what the departure would leave out, unless another survivor
               is seen beyond it, for then some share will never be given; or unless all votes are taken back.
    departed   All shares for one set of votes are here. The tip moves; votes and shares of before are void.

The rules, and why they are so:

1. A vote counts here only when this node holds every message that it names and has found it good. Otherwise a voter
   could make everybody wait for a message that does not exist, or put one into the file that nobody can show.
2. Nothing that was named lapses, not even with its voter's own departure: an honest peer would have to sign a second
   shuffle for one place.
3. Peers that this node's newest vote declares gone are not witnesses that somebody is beyond the departure. An accused
   peer that is only slow may play on while the last shares are under way, and the survivors would split.
4. A message that comes after its author was voted gone counts only if votes name it. If two votes name different
   messages of one peer, that peer forked, and the entry starts again from nothing. A shuffle always does, under terms
   of version 2, so that votes name nothing of it.
5. Shares that rest on votes which are all here and do not agree are a fault: nobody gives those by mistake.

What an attacker would try: name what nobody has (1); vote back and forth to fill memory or to use up everybody's room
(`votes` has bounds, and counts shares for each set of departing peers); gather shares, then play on and keep the others
waiting (state *given*: whoever is seen beyond is followed); accuse a slow peer and race it (3); give wrong shares (each
is checked against the escrow, and its author is blamed).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from kontor_games.engine.errors import LocalError
from kontor_games.net.wire.chain import DealerMessage, entry_tip

from .bodies import Cheat, Giv, Gon
from .events import Duty, Event, MessagesMissing, SignedBody, as_message
from .forks import Forks
from .player import Player
from .position import Open, Position
from .sightings import MAX_EARLY, Sightings
from .votes import AgreedVotes, Votes


@dataclass(frozen=True, repr=False)  # it holds keys: they are public, but need not be shown anywhere
class CompleteDeparture:
    """Peers whose departure is complete."""

    secrets: dict[int, int]  # their deck keys
    named: dict[bytes, int] | None  # messages of theirs that belong to the open entry; None: that entry starts afresh
    raws: tuple[bytes, ...]  # the messages of the entry


class Departures:
    """The votes and shares under one tip, and this node's part in them."""

    def __init__(self, position: Position, forks: Forks, sightings: Sightings, me: int | None) -> None:
        self.me = me
        self.deaf: frozenset[int] = frozenset()  # this node's own vote: it stops listening to them
        self._position = position
        self._table = position.table
        self._forks = forks
        self._sightings = sightings
        self._votes = Votes()
        self._given = False

    # --- what comes in

    def takes(self, signed: SignedBody) -> bool:
        """Whether a vote or shares may be taken: at the current tip only, and nobody may fill our memory."""
        is_here = signed.h == self._position.tip and signed.peer in self._table.active
        return is_here and not self._votes.is_full(signed)

    def take(self, signed: SignedBody) -> Iterator[Event]:
        """Take a vote, or shares."""
        if isinstance(signed.body, Gon):
            try:
                self._table.check_vote(signed.peer, signed.body)
            except Cheat as cheat:
                yield from self._forks.blame(cheat, (signed.raw,))
                return
        self._votes.take(signed)
        if self.me is not None and (absent := self.lacking()):
            yield MessagesMissing(absent)
        if signed.peer != self.me:
            return
        self.deaf = self._own_vote()
        self._given = self._given or isinstance(signed.body, Giv)

    def moved(self) -> None:
        """The tip has moved: votes and shares for the one before are void."""
        self._votes, self._given = Votes(), False
        self.deaf = frozenset()

    # --- for others to see

    @property
    def is_empty(self) -> bool:
        """Whether nobody has voted here."""
        return self._votes.is_empty

    @property
    def is_waiting(self) -> bool:
        """Whether this node has given shares or listens to somebody no longer, so that it matters where others are."""
        return self._given or bool(self.deaf)

    @property
    def accused(self) -> frozenset[int]:
        """Whom this node's newest vote at this tip declares gone."""
        return self._own_vote()

    def _own_vote(self) -> frozenset[int]:
        newest = None if self.me is None else self._votes.newest(self.me)
        return frozenset(newest[1].w if newest else ())

    def ballots(self) -> dict[int, tuple[int, ...]]:
        """Whom each active peer says gone at this tip, for people to see."""
        newest = {p: vote for p in self._table.active if (vote := self._votes.newest(p)) is not None}
        return {p: gon.w for p, (_, gon) in newest.items() if gon.w}

    def has_given(self, peer: int) -> bool:
        """Whether a peer gave shares here, on whatever votes."""
        return any(signed.peer == peer for signed, _ in self._votes.given())

    def messages(self) -> list[SignedBody]:
        """All votes and shares that are held."""
        return self._votes.all()

    # --- our own vote

    def vote(self, gone: Iterable[int]) -> DealerMessage:
        """This node's vote that these peers are gone (none: it takes its vote back)."""
        w = tuple(sorted(gone))
        reason = self._table.why_not_gone(w) if w else None
        if self.me is None or not self._position.settled or reason:
            raise LocalError(reason or "no vote is possible now")
        newest = self._votes.newest(self.me)
        body = Gon(newest[1].v + 1 if newest else 1, w, self.names(w))
        here = self._position
        return as_message(here.match_id, self.me, here.tip, here.digest, body)

    @property
    def is_vote_stale(self) -> bool:
        """Whether our newest vote names other messages of the accused than we hold: it has to be said again.

        Until it is, no shuffle of ours may rest on what it does not name: the departure might close without that.
        """
        newest = None if self.me is None else self._votes.newest(self.me)
        return newest is not None and newest[1].w != () and self.names(newest[1].w) != newest[1].f

    @property
    def what_we_would_name(self) -> tuple[object, ...]:
        """Where we stand, and what a vote against the same peers would name now."""
        return self._position.tip, self.names(sorted(self.accused))

    def names(self, accused: Sequence[int]) -> tuple[bytes | None, ...]:
        """For each of these peers its message of the open entry that this node has found good, if that will count."""
        entry = self._position.main
        is_void = entry is None or self._position.starts_afresh(entry)
        applied = {} if entry is None or is_void else {s.peer: s.hash for s in entry.applied.values()}
        return tuple(applied.get(j) for j in accused)

    # --- what votes name

    def _counts(self, vote: Gon) -> bool:
        """Whether this node holds all that a vote names, each a good message of the accused for the open entry."""
        return all(d is None or self._stands(p, d) for p, d in zip(vote.w, vote.f, strict=True))

    def _stands(self, peer: int, digest: bytes) -> bool:
        """Whether a message that a vote names can be relied on.

        One that proves wrong would be missing in the file for ever. Those of an entry that waits for an escrow can
        be judged only after it. Of two versions either will do: the entry starts again from nothing then.
        """
        entry, named = self._position.main, self._forks.find(digest)
        if entry is None or self._position.starts_afresh(entry) or named is None:
            return False
        if (named.peer, named.h) != (peer, entry.h):
            return False
        applied = entry.applied.get(named.key)
        if applied is None:
            return entry is not self._position.open
        return applied.hash == digest or self._forks.banned.get(peer) == "fork"

    def named_in_votes(self) -> frozenset[bytes]:
        """The messages that the votes here name."""
        newest = (pair[1] for p in self._table.active if (pair := self._votes.newest(p)) is not None)
        return frozenset(digest for gon in newest for digest in gon.f if digest is not None)

    def lacking(self) -> tuple[bytes, ...]:
        """Messages that votes here name and this node does not hold."""
        return tuple(sorted(d for d in self.named_in_votes() if self._forks.find(d) is None)[:MAX_EARLY])

    def is_heard(self, signed: SignedBody) -> bool:
        """Whether this node listens to a message: not if it declares its author gone and nobody names it."""
        if signed.peer not in self.deaf or signed.hash in self._position.named:
            return True
        return signed.hash in self.named_in_votes()

    def listen_again(self) -> None:
        """Take what those say whom this node had stopped listening to."""
        self.deaf = frozenset()

    def follow_others(self) -> None:
        """Listen again if others closed the open entry with what this node no longer listened to."""
        entry = self._position.open
        if entry is None or not self.deaf:
            return
        planned = entry.task.planned(self._table.waits_for)
        here = [entry.applied.get(m) or entry.waiting.get(m) for m in planned]
        raws = tuple(signed.raw for signed in here if signed is not None)
        if len(raws) == len(planned) and self.is_seen(entry_tip(self._position.tip, raws)):
            self.listen_again()

    # --- shares, and what they bind us to

    def shares_due(self, player: Player) -> Duty | None:
        """The shares that this node owes now and has not given."""
        agreed = self._votes.agreement(self._table.active, self._counts)
        if agreed is None or player.me not in (vote.peer for vote in agreed.votes):
            return None
        g = b"".join(vote.hash for vote in agreed.votes)
        if self._votes.gave(player.me, g) or not self._votes.may_give(player.me, g):
            return None
        here = self._position
        seal = partial(as_message, here.match_id, player.me, here.tip, here.digest)
        return Duty("giv", here.tip, player.draft_shares(g, agreed.gone), seal)

    def is_seen(self, tip: bytes) -> bool:
        """Whether another peer that we do not declare gone stands at this tip or has stood there."""
        return self._sightings.has_seen(tip, self.accused)

    def is_bound_elsewhere(self, tip: bytes) -> bool:
        """Whether this node gave its shares for a departure at this tip and must wait for that.

        It need not once everybody has taken their votes back: honest peers give no more shares then. Whoever has them
        all and shows the departure later is followed even so (`Following._returns`).
        """
        return self._given and bool(self.ballots()) and not self.is_seen(tip)

    @property
    def bound_to(self) -> tuple[int, ...]:
        """Those whose departure this node waits for before it signs a turn: others would take that, it could not."""
        return self._given_against if self._given and self.ballots() else ()

    @property
    def awaited(self) -> tuple[int, ...]:
        """Those without whom this node can do nothing here until they are gone, for people to see."""
        entry = self._position.open
        is_stuck = entry is not None and entry.is_shuffle and self.leaves_out(entry)
        return self._given_against if self._given and (is_stuck or self.ballots()) else ()

    @property
    def _given_against(self) -> tuple[int, ...]:
        return tuple(sorted({peer for gone, _ in self.given_for() for peer in gone}))

    def given_for(self) -> Iterator[tuple[tuple[int, ...], dict[bytes, int]]]:
        """The departures for which this node gave its shares here: who is gone, and what the votes name of them."""
        for signed, give in self._votes.given():
            agreed = self._votes.named_by(give.g, self._table.active)
            if signed.peer == self.me and agreed is not None:
                yield agreed.gone, agreed.belonging() or {}

    def leaves_out(self, entry: Open) -> bool:
        """Whether a shuffle of ours would rest on what a departure leaves out.

        Our newest vote may be old. And shares that we gave do not lapse, whatever we voted later: whoever gets the
        others' shares too can close that departure, and our shuffle would be worth nothing and could not be made again.
        """
        if self._position.starts_afresh(entry):
            return False  # then a shuffle of before counts for nothing, and that of after has a tip of its own
        if self.is_vote_stale:
            return True
        for gone, named in self.given_for():
            if any(s.peer in gone and s.hash not in named for s in entry.applied.values()):
                return True
        return False

    # --- what closes a departure

    def complete(self) -> Iterator[Event | CompleteDeparture]:
        """Departures for which all survivors gave their shares on the strength of the same votes; faults on the way."""
        for g in self._votes.bases():
            agreed = self._votes.named_by(g, self._table.active)
            if agreed is None:
                yield from self._blame_for_odd_votes(g)
                continue
            if not self._has_place_for_named(agreed):
                continue
            votes, gives = agreed.votes, self._votes.gives(g)
            shares: dict[int, tuple[int, ...]] = {}
            for signed, give in gives:
                try:
                    shares[signed.peer] = self._table.check_shares(signed.peer, give, agreed.gone).run().result
                except Cheat as cheat:
                    self._votes.drop(signed)
                    yield from self._forks.blame(cheat, (*(vote.raw for vote in votes), signed.raw))
            if sorted(shares) == [vote.peer for vote in votes]:
                named = None if self._position.starts_afresh(self._position.main) else agreed.belonging()
                secrets = self._table.rebuild(agreed.gone, shares)
                yield CompleteDeparture(
                    secrets, named, tuple(s.raw for s in (*votes, *(signed for signed, _ in gives)))
                )

    def _blame_for_odd_votes(self, g: bytes) -> Iterator[Event]:
        """Shares that rest on votes which are all here and do not agree: nobody gives those by mistake."""
        votes = self._votes.behind(g)
        for signed, _ in self._votes.gives(g) if votes else ():
            self._votes.drop(signed)
            shown = (*(vote.raw for vote in votes), signed.raw)
            yield from self._forks.blame(Cheat(signed.peer, "giv.unexpected"), shown)

    def _has_place_for_named(self, agreed: AgreedVotes) -> bool:
        """Whether each message that these votes name has a place in the open entry: else the file could not hold it."""
        entry, authors = self._position.main, agreed.authors_named()
        if not authors:
            return True
        return entry is not None and not self._position.starts_afresh(entry) and all(map(entry.plans, authors))
