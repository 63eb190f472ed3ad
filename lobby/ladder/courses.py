"""The course that a verified file tells, ready to be held against others of the same match.

`net/record/compare.py` finds copies and double signatures. A ladder needs one thing more: when the files of a match
part, who stands behind which of them (`disputed`). A message that is in both tells nothing: in a match that some of the
peers rewrote, what the others had said for an entry that was open at that place may come again after it.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from hashlib import blake2b

from kontor_games.net.record.compare import Story, story_of
from kontor_games.net.record.transcript import EndRecord, EntryRecord, FrameRecord, Record, TermsRecord
from kontor_games.net.record.verify import records_in
from kontor_games.net.wire.chain import DealerMessage, Frame, decode
from kontor_games.net.wire.terms import Terms, decode_terms

Word = tuple[str, bytes]  # the key that signed a message, and what the message is known by


@dataclass(frozen=True)
class Course:
    """One telling of a match: its story with keys for names, the signed words of each item, and who signed the end."""

    story: Story
    words: tuple[frozenset[Word], ...]
    finals: frozenset[str]


def course_of(content: bytes) -> Course:
    """The course in a file that was verified before."""
    placed, _ = records_in(io.BytesIO(content))
    records: Sequence[Record] = [each.record for each in placed]
    first = records[0]
    assert isinstance(first, TermsRecord)
    terms = decode_terms(first.raw)
    keys = tuple(peer.key.hex() for peer in terms.peers)
    chain = [record for record in records if isinstance(record, FrameRecord | EntryRecord)]
    ends = [record for record in records if isinstance(record, EndRecord)]
    finals = {keys[peer] for end in ends for peer, signature in enumerate(end.signatures) if signature}
    words = tuple(frozenset(_words(record, terms, keys)) for record in chain)
    return Course(replace(story_of(placed), names=keys), words, frozenset(finals))


def disputed(course: Course, other: Course, proven: Set[str]) -> bool:
    """Whether somebody who is not proven to have signed two things stands behind the other course, and not this one."""
    fork = 0
    for one, two in zip(course.story.links, other.story.links, strict=False):
        if one != two:
            break
        fork += 1
    ours = frozenset[Word]().union(*course.words)
    behind = {key for key, _ in frozenset[Word]().union(*other.words[fork:]) - ours} | other.finals
    return bool(behind - proven)


def _words(record: FrameRecord | EntryRecord, terms: Terms, keys: Sequence[str]) -> Iterator[Word]:
    if isinstance(record, FrameRecord):
        yield keys[terms.seats[decode(Frame, record.raw).s].peer], _mark(record.raw)
    else:
        yield from ((keys[decode(DealerMessage, raw).p], _mark(raw)) for raw, _ in record.messages)


def _mark(raw: bytes) -> bytes:
    return blake2b(raw, digest_size=16).digest()
