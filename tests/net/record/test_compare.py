"""Files of one match side by side: copies are found, contradictions are named, and nobody is blamed without proof."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from kontor_games.engine.core.digest import canonical
from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.record.chain_records import decode_end, final_mark, item_of
from kontor_games.net.record.compare import MAX_STORIES, Compared, Kept, Story, fold, story_of
from kontor_games.net.record.transcript import EndRecord, EntryRecord, Placed, Record
from kontor_games.net.record.verify import VERIFIED
from kontor_games.net.sealed.bodies import Opn
from tests.worlds.match_files import body_of, frame_of, judged, last_frame, named_terms, played, transcript
from tests.worlds.world import World, identity

from .test_verdicts import after, other_ends, short_match, vote_out

NOBODY = "the two cannot both have happened, and nobody is proven to have done wrong"


def story(records: list[Record]) -> Story:
    report = judged(records)
    assert report.code == VERIFIED, report
    return story_of([Placed(number, 0, record) for number, record in enumerate(records)])


def compared(*files: list[Record]) -> list[Compared]:
    matches: dict[bytes, Kept] = {}
    stories = [story(records) for records in files]
    return [fold(matches.setdefault(told.match, []), str(number), told) for number, told in enumerate(stories)]


def gone_back(world: World, gone: int, count: int, seed: str) -> World:
    """The others of a finished match take its first items, declare one peer gone there and play on: a second match."""
    first = world.nodes[0].session.ledger
    again = World(first.terms_raw, len(world.nodes), seed)
    rest = [node for node in again.nodes if node.number != gone]
    again.nodes[gone].alive = False
    for node in rest:
        node.journal = [part for item in first.items[:count] for part in item.parts]
        node.synced = len(node.journal)
        node.boot()
        again.perform(node, node.session.start())
    for one in rest:
        for other in rest:
            if one.number < other.number:
                again.link(one.number, other.number)
    again.quiet()
    vote_out(again, gone)
    again.play_on()
    return again


@pytest.fixture(scope="module")
def rewritten() -> tuple[list[Record], list[Record]]:
    """A match of three, and what Bruno and Clara made of it afterwards without Anna."""
    true = played(short_match(3), "lost")
    frames = [k for k, item in enumerate(true.nodes[0].session.ledger.items) if item.kind == "frame"]
    false = gone_back(true, gone=0, count=frames[4], seed="again")
    return transcript(true), transcript(false, 1)


Pair = tuple[list[Record], list[Record]]


def test_a_majority_that_rewrites_a_lost_match_is_named_by_its_two_final_signatures(rewritten: Pair) -> None:
    """The two files hold no frame and no dealer message twice; who signed both ends is proven all the same."""
    first, second = rewritten
    assert judged(second).line.startswith("verified: finished with 2 of 3; Anna was voted out at ply")
    for files in ((first, second), (second, first)):
        result = compared(*files)[1]
        assert result.copy_of == "" and len(result.contradicts) == 1
        assert dict(result.contradicts[0].twice) == {"Bruno": "final", "Clara": "final"}
        text = "Bruno signed two different final signatures; Clara signed two different final signatures"
        assert result.contradicts[0].text == text


def test_contradicting_files_without_a_double_signature_blame_nobody(rewritten: Pair) -> None:
    """The same two files, but no final signatures in one: that somebody gave shares and went on proves nothing."""
    first, second = rewritten[0][:-1], rewritten[1]
    for files in ((first, second), (second, first)):
        (found,) = compared(*files)[1].contradicts
        assert (found.twice, found.text) == ((), NOBODY)


def test_copies_and_beginnings_are_counted_once_in_any_order() -> None:
    world = played(short_match(3), "copies")
    whole, other = transcript(world), transcript(world, 2)
    cut, half = whole[: last_frame(whole)], whole[: len(whole) // 2]
    for files in ((whole, other, cut, half), (half, cut, whole, other), (cut, whole, half, whole)):
        first, *rest = compared(*files)
        assert first == Compared()
        assert all(each.copy_of and not each.contradicts for each in rest)


def test_files_of_different_matches_never_meet() -> None:
    one, other = (transcript(played(named_terms("hansa", ["A", "B"], tag, max_rounds=2))) for tag in ("x", "y"))
    assert compared(one, other) == [Compared(), Compared()]


def test_a_second_last_move_is_proven_by_the_two_turns() -> None:
    world = played(named_terms("joban", ["Anna", "Bruno"]), "last 0")
    whole = transcript(world)
    name = ["Anna", "Bruno"][frame_of(whole[last_frame(whole)]).s]
    (found,) = compared(whole, next(other_ends(world)))[1].contradicts
    assert found.twice == ((name, "frame"),) and found.text == f"{name} signed two different turns"


def test_a_final_signature_under_an_earlier_tip_and_another_under_the_last_are_two() -> None:
    """A peer that signs the end before the keys are opened, and again after."""
    world = played(short_match(2), "early end")
    whole = transcript(world)
    early = [record for record in whole[:-1] if not _opens(record)]
    ledger = judged(early)
    end = whole[-1]
    assert isinstance(end, EndRecord) and not ledger.finished
    short = Ledger(world.nodes[0].terms, inline=True)
    for number, record in enumerate(early[1:]):
        short.take_item(item_of(Placed(number, 0, record), short), trusted=True)
    raw = decode_end(end.raw)
    marks = tuple(identity(p).sign("final", final_mark(short, p)) if p == 1 else b"" for p in range(2))
    made = [*early, EndRecord(canonical(replace(raw, h=short.tip, d=short.digest)), marks)]
    assert judged(made).code == VERIFIED
    (found,) = compared(whole, made)[1].contradicts
    assert found.twice == (("Bruno", "final"),)


def _opens(record: Record) -> bool:
    return isinstance(record, EntryRecord) and isinstance(body_of(record.messages[0][0]), Opn)


def test_many_stories_of_one_match_are_kept_within_bounds() -> None:
    """Somebody tells fifty stories that differ in the last turn: each is found, and memory stays bounded."""
    told = story(transcript(played(short_match(2), "many", until=after(6)), finals=False))
    kept: Kept = []
    fold(kept, "true", told)
    for number in range(50):
        other = bytes([number]) * 32
        said = {
            place: each._replace(digest=other) if each.kind == "frame" else each for place, each in told.said.items()
        }
        found = fold(kept, str(number), Story(told.match, told.names, (*told.links[:-1], other), said))
        assert found.contradicts and all(each.twice for each in found.contradicts)
    assert len(kept) == MAX_STORIES
