"""Two verifiers, one of them written from the documents alone, say the same to every file that there is.

Where they did not, the documents decided who was right, or got the sentence that was missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Literal

import pytest

from net.chain import DealerMessage, decode, encode
from net.sealed import bodies
from net.transcript import EntryRecord, FrameRecord, Record, SignedRecord
from net.verify import UNREADABLE, VERIFIED, Report
from tests.independent import Judgement, judge
from tests.mutants import MATCHES, match_named, mutants, originals
from tests.mutants.change import frame_changes, message_changes, spread
from tests.mutants.rare import features, rare
from tests.net.files import body_of, frame_of, judged, packed, terms_of, without_end
from tests.net.world import identity

GOLDEN = Path(__file__).parent.parent / "golden" / "sealed"


def agreed(data: bytes) -> tuple[Report, Judgement]:
    """What both say to a file; fails if they differ in the code, or in words and tip where there are any."""
    ours, theirs = judged(data), judge(data)
    assert ours.code == theirs.code, f"{ours.line}\n{theirs.text}"
    if ours.fault:
        assert ours.line.startswith(f"{theirs.text} ("), f"{ours.line}\n{theirs.text}"
    elif ours.code == VERIFIED or (ours.code == UNREADABLE and ours.tip):
        assert _what_holds(ours.line) == _what_holds(theirs.text)
    if ours.tip:
        assert theirs.tip is not None and ours.tip == theirs.tip.hex()
    return ours, theirs


def _what_holds(line: str) -> str:
    """The part that speaks of the match: of a torn file, what is before the cut."""
    return line[line.index("verified") :]


# ---- evidence


def _loose(kind: Literal["frame", "dealer"], peer: int, raw: bytes, signature: bytes | None = None) -> SignedRecord:
    return SignedRecord(kind, peer, raw, signature or identity(peer).sign(kind, raw))


def evidence(records: Sequence[Record], place: int) -> Iterator[tuple[str, bytes]]:
    """Files that show what might have been signed instead of the record at this place."""
    record, before = records[place], list(records[:place])
    if isinstance(record, FrameRecord):
        frame = frame_of(record)
        author = terms_of(records).seats[frame.s].peer
        true = _loose("frame", author, record.raw, record.signature)
        for field, how, other in frame_changes(records, place, frame):
            lie = _loose("frame", author, encode(other))
            yield f"frame.{field} | {how}", packed([*before, lie])
            yield f"frame.{field} | {how}, twice", packed([*before, true, lie])
            yield f"frame.{field} | {how}, late", packed([*before, record, lie])
    if isinstance(record, EntryRecord):
        parts = [_loose("dealer", decode(DealerMessage, raw).p, raw, mark) for raw, mark in record.messages]
        for number, part in enumerate(parts):
            message = decode(DealerMessage, part.raw)
            for field, how, another in message_changes(message):
                lie = _loose("dealer", message.p, encode(another))
                yield f"dealer.{field} | {how}", packed([*before, *parts[:number], lie])
                yield f"dealer.{field} | {how}, twice", packed([*before, *parts[: number + 1], lie])
                yield f"dealer.{field} | {how}, alone", packed([*before, lie])
                yield f"dealer.{field} | {how}, late", packed([*before, record, lie])


def places_of_each_kind(records: Sequence[Record], count: int) -> list[int]:
    """So many records of each kind: frames, and entries by what they hold."""
    found: dict[str, list[int]] = {}
    for place, record in enumerate(without_end(records)[1:], 1):
        kind = "frame"
        if isinstance(record, EntryRecord):
            kind = bodies.kind(body_of(record.messages[0][0]))
        found.setdefault(kind, []).append(place)
    return sorted({place for places in found.values() for place in spread(places, count)})


def check(made: Iterable[tuple[str, bytes]]) -> Counter[tuple[str, str]]:
    """Both verifiers on all of these, by «kind.field | how»; how often each field came to which outcome."""
    found: Counter[tuple[str, str]] = Counter()
    for label, data in made:
        try:
            ours, _ = agreed(data)
        except AssertionError as error:
            raise AssertionError(f"{label}: {error}") from None
        found[label.split(" | ")[0], "a fault" if ours.fault else str(ours.as_dict()["verdict"])] += 1
    return found


def mutants_of(name: str, per: int = 1) -> Iterator[tuple[str, bytes]]:
    """The mutants of a match, without its name in front."""
    yield from ((label.partition(" | ")[2], data) for label, data in mutants(per, [name]))


def shown(title: str, found: Counter[tuple[str, str]]) -> str:
    """Title, kind and field, outcome of both, how often."""
    rows = [f"{title:<24} {field:<18} {outcome:<13} {count}" for (field, outcome), count in sorted(found.items())]
    return "\n".join([*rows, f"{title}: {sum(found.values())} files, both say the same"])


# ---- what is run always


def test_both_verifiers_agree_about_mutants_of_a_short_match() -> None:
    found = check(islice(mutants_of("hansa-2-forfeit"), 0, None, 5))
    assert {outcome for _, outcome in found} >= {"verified", "refuted", "cannot judge"}


@pytest.mark.parametrize("number", [1, 3, 9, 12, 21, 29])
def test_both_verifiers_agree_about_rare_matches(number: int) -> None:
    ours, _ = agreed(packed(rare(number)))
    assert ours.code == VERIFIED, ours.line


# ---- everything


@pytest.mark.long
@pytest.mark.parametrize("name", MATCHES)
def test_both_verifiers_agree_about_every_mutant(name: str) -> None:
    ours, _ = agreed(dict(originals([name]))[name])
    assert ours.code == VERIFIED
    print(shown(name, check(mutants_of(name, 2 if name.startswith("hansa") else 1))))


@pytest.mark.long
@pytest.mark.parametrize("name", MATCHES)
def test_both_verifiers_agree_about_all_evidence(name: str) -> None:
    records = match_named(name).records
    for place in places_of_each_kind(records, 2):
        print(shown(f"{name} at {place}", check(evidence(records, place))))


@pytest.mark.long
def test_both_verifiers_agree_about_hundreds_of_rare_matches() -> None:
    found: Counter[str] = Counter()
    for number in range(500):
        records = rare(number)
        ours, _ = agreed(packed(records))
        assert ours.code == VERIFIED, f"{number}: {ours.line}"
        found.update(features(records))
    print("\n".join(f"{count:>4} {feature}" for feature, count in sorted(found.items())))
