"""Comparing verified files: which are copies, which contradict each other, and who is proven to have signed both ways.

A fold: give `fold` the stories of a match that are kept so far and one more; it answers what that one adds. Files of
different matches never meet. Of every match hashes of the longest chain of each story are kept, in memory or, for whole
archives, on the disk (`net/archive/match_groups.py`).

A story is read from the records alone. It tells nothing unless the file was verified before: that is the caller's part.

Three outcomes for network matches, no others:

- one chain is the beginning of the other, or equal to it: a copy;
- somebody signed two different messages for one place (docs/wire-match.md, «Places»): proven, whatever else is true;
- the two cannot both have happened, but nobody is proven to have done wrong. A majority that goes on from an earlier
  tip without a peer signs no place twice but the end. «Gave shares for a departure, then went on» is not evidence: two
  messages of different kinds have different places, and honest peers sign both when messages cross.

Local matches are not signed, so two courses of one of them prove nothing and accuse nobody: anybody can have made
either, for instance by going on from an older copy. They are said to differ, no more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import NamedTuple

from kontor_games.engine.core.stream import H, u32
from kontor_games.net.ledger.places import Place, place_of
from kontor_games.net.wire.chain import DealerMessage, Frame, Mark, decode, encode, match_id
from kontor_games.net.wire.match_talk import Signed
from kontor_games.net.wire.terms import decode_terms

from .chain_records import decode_end
from .rerun import SEALED_DECK, deck_of
from .transcript import EndRecord, EntryRecord, FrameRecord, Placed, TermsRecord

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
    names: tuple[str, ...]  # of the peers; nobody's in a local match
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
    differs: tuple[str, ...] = ()  # of a local match: files that tell another course of it


Kept = list[tuple[str, Story]]  # the stories of one match so far, each with the label of a file that tells it


def story_of(records: Sequence[Placed]) -> Story:
    """The story of a verified file; evidence at its end is left out."""
    first = records[0].record
    assert isinstance(first, TermsRecord)
    match = match_id(first.raw)
    chain = [placed.record for placed in records[1:] if isinstance(placed.record, FrameRecord | EntryRecord)]
    raws = [[each.raw] if isinstance(each, FrameRecord) else [raw for raw, _ in each.messages] for each in chain]
    links = tuple(H("link", *each, size=32) for each in raws)
    if deck_of(records[0]) != SEALED_DECK:
        return Story(match, (), links, {})
    terms = decode_terms(first.raw)
    names = tuple(
        " & ".join(seat.name for seat in terms.seats if seat.peer == peer) for peer in range(len(terms.peers))
    )
    said: dict[bytes, Statement] = {}
    for record in chain:
        if isinstance(record, FrameRecord):
            author = terms.seats[decode(Frame, record.raw).s].peer
            _note(said, Signed("frame", author, record.raw, record.signature))
        else:
            for raw, signature in record.messages:
                _note(said, Signed("dealer", decode(DealerMessage, raw).p, raw, signature))
    for end in (placed.record for placed in records if isinstance(placed.record, EndRecord)):
        place = decode_end(end.raw)
        for peer in (peer for peer, signature in enumerate(end.signatures) if signature):
            mark = encode(Mark(match, peer, place.h, place.d))
            _note(said, Signed("final", peer, mark, end.signatures[peer]))
    return Story(match, names, links, said)


def fold(kept: Kept, label: str, story: Story) -> Compared:
    """What one more verified file of a match adds to its stories, which take it in."""
    found: list[Contradiction] = []
    differs: list[str] = []
    home: int | None = None
    for number, (other, told) in enumerate(kept):
        twice = _twice(story, told)
        if twice:
            found.append(Contradiction(other, twice, _proven(twice)))
        if _is_one_chain(story, told):
            home = number if home is None else home
        elif not story.names:
            differs.append(other)
        elif not twice:
            text = "the two cannot both have happened, and nobody is proven to have done wrong"
            found.append(Contradiction(other, (), text))
    copy_of = "" if home is None else kept[home][0]
    if home is not None:
        kept[home] = _joined(kept[home], (label, story))
    elif len(kept) < MAX_STORIES:
        kept.append((label, story))
    return Compared(copy_of, tuple(found), tuple(differs))


def _note(said: dict[bytes, Statement], signed: Signed) -> None:
    place = place_of(signed)
    assert place is not None, "there are no acknowledgements in a file"
    said[_key(place)] = Statement(place.peer, place.kind, H("said", signed.raw, size=32))


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
