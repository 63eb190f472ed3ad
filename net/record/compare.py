"""Comparing verified files: which are copies, which contradict each other, and who is proven to have signed both ways.

A fold: feed it one verified match after another; it answers for each what that one adds. Files of different matches
never meet. For every match it keeps hashes of the longest chain of each story, so its memory grows with the matches and
not with the files; a reader that takes an archive in order of match ids forgets each match when the next one begins.

Three outcomes, no others:

- one chain is the beginning of the other, or equal to it: a copy;
- somebody signed two different messages for one place (docs/wire-match.md, «Places»): proven, whatever else is true;
- the two cannot both have happened, but nobody is proven to have done wrong. A majority that goes on from an earlier
  tip without a peer signs no place twice but the end. «Gave shares for a departure, then went on» is not evidence: two
  messages of different kinds have different places, and honest peers sign both when messages cross.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import NamedTuple

from kontor_games.engine.core.stream import H, u32
from kontor_games.net.ledger.places import Place, place_of
from kontor_games.net.wire.match_talk import Item

from .chain_records import final_mark
from .proof import Proven

MAX_STORIES = 8  # contradicting chains of one match that are kept; further ones are compared with these
_WORDS = {"frame": "turns", "final": "final signatures"}


class Statement(NamedTuple):
    """What one peer signed for a place."""

    author: int
    kind: str
    digest: bytes


@dataclass(frozen=True)
class Story:
    """What one verified file tells, in hashes."""

    match: bytes
    names: tuple[str, ...]  # of the peers
    links: tuple[bytes, ...]  # one for each item of the chain
    said: Mapping[bytes, Statement]  # by place


@dataclass(frozen=True)
class Contradiction:
    """Another file that cannot be true beside this one; `twice` is empty if nobody is proven to have signed both."""

    label: str
    twice: tuple[tuple[str, str], ...]  # name, kind of message
    text: str


@dataclass(frozen=True)
class Compared:
    """What a file adds to those before it."""

    copy_of: str = ""  # the file that tells all of this, or of which this one tells more
    contradicts: tuple[Contradiction, ...] = ()


def story_of(proven: Proven) -> Story:
    """The story of a match that was just proven, before any evidence is added to its ledger."""
    ledger = proven.ledger
    links = tuple(H("link", *(part.raw for part in item.parts), size=32) for item in ledger.items)
    said = dict(_messages(ledger.items))
    for peer in proven.signed:
        digest = H("said", final_mark(ledger, peer), size=32)
        said[_key(Place(peer, "final", ledger.match))] = Statement(peer, "final", digest)
    return Story(ledger.match, proven.names, links, said)


class Comparison:
    """All stories so far, by match."""

    def __init__(self) -> None:
        self._matches: dict[bytes, list[tuple[str, Story]]] = {}

    def feed(self, label: str, story: Story) -> Compared:
        """One more verified file, called `label`."""
        kept = self._matches.setdefault(story.match, [])
        found: list[Contradiction] = []
        home: int | None = None
        for number, (other, told) in enumerate(kept):
            twice = _twice(story, told)
            if twice:
                found.append(Contradiction(other, twice, _proven(twice)))
            if not _is_one_chain(story, told):
                if not twice:
                    text = "the two cannot both have happened, and nobody is proven to have done wrong"
                    found.append(Contradiction(other, (), text))
            elif home is None:
                home = number
        copy_of = "" if home is None else kept[home][0]
        if home is not None:
            kept[home] = _joined(kept[home], (label, story))
        elif len(kept) < MAX_STORIES:
            kept.append((label, story))
        return Compared(copy_of, tuple(found))

    def forget(self, match: bytes) -> None:
        """No further file of this match will come."""
        self._matches.pop(match, None)


def _messages(items: Sequence[Item]) -> Iterator[tuple[bytes, Statement]]:
    for item in items:
        for part in item.parts:
            place = place_of(part)
            assert place is not None, "there are no acknowledgements in a chain"
            yield _key(place), Statement(place.peer, place.kind, H("said", part.raw, size=32))


def _key(place: Place) -> bytes:
    """A place in 32 bytes: an archive has millions."""
    extra = u32(place.extra) if isinstance(place.extra, int) else place.extra
    return H("place", place.kind, u32(place.peer), place.match, place.tip, place.digest, extra, size=32)


def _is_one_chain(one: Story, other: Story) -> bool:
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one.links, other.links, strict=False)))
    return common == min(len(one.links), len(other.links))


def _twice(one: Story, other: Story) -> tuple[tuple[str, str], ...]:
    """Who signed two different messages for one place, and of which kinds."""
    shared = one.said.keys() & other.said.keys()
    found = {(said.author, said.kind) for place in shared if (said := one.said[place]) != other.said[place]}
    return tuple((one.names[author], name) for author, name in sorted(found))


def _proven(twice: Sequence[tuple[str, str]]) -> str:
    authors = dict.fromkeys(name for name, _ in twice)
    kinds = {author: [kind for name, kind in twice if name == author] for author in authors}
    said = [f"{author} signed two different {listed([_WORDS.get(k, k) for k in kinds[author]])}" for author in authors]
    return "; ".join(said)


def listed(names: Sequence[str]) -> str:
    """Names as a sentence has them."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _joined(old: tuple[str, Story], new: tuple[str, Story]) -> tuple[str, Story]:
    """Of two tellings of one chain the longer, with the final signatures of both."""
    longer, shorter = (new, old) if len(new[1].links) > len(old[1].links) else (old, new)
    label, story = longer
    return label, replace(story, said={**shorter[1].said, **story.said})
