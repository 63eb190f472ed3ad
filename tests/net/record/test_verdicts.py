"""The first line of a verdict says what holds and who signed it: no more, and nobody's desertion that nobody proved."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace as changed
from itertools import islice

import pytest
from msgspec import Raw
from msgspec.structs import replace

from kontor_games import engine
from kontor_games.net.record.chain_records import final_mark
from kontor_games.net.record.transcript import EndRecord, EntryRecord, FrameRecord, Record, TermsRecord
from kontor_games.net.record.verify import REFUTED, UNREADABLE, VERIFIED
from kontor_games.net.sealed import bodies
from kontor_games.net.wire.chain import DealerMessage, Frame, decode
from kontor_games.net.wire.identity import fingerprint
from kontor_games.net.wire.match_talk import Signed
from tests.worlds.match_files import (
    frame_of,
    judged,
    last_frame,
    named_terms,
    packed,
    played,
    sign_dealer,
    sign_frame,
    signed_terms,
    transcript,
    unpacked,
    without_end,
)
from tests.worlds.world import World, identity

NAMES = ["Anna", "Bruno", "Clara", "Dora", "Emil"]


def short_match(peers: int, **options: str) -> bytes:
    return named_terms("hansa", NAMES[:peers], max_rounds=2, **options)


def after(plies: int) -> Callable[[World], bool]:
    """All nodes that live have got so far, and somebody is to act."""

    def is_there(world: World) -> bool:
        ledgers = [node.session.ledger for node in world.nodes if node.alive]
        return all(ledger.ply >= plies and ledger.turn is not None for ledger in ledgers)

    return is_there


def vote_out(world: World, *gone: int) -> None:
    """The others declare these peers gone, and all of them agree."""
    for peer in gone:
        world.crash(peer)
    for node in world.nodes:
        if node.alive:
            world.perform(node, node.session.vote_gone(gone))
    world.quiet()


def first_line(records: list[Record] | bytes) -> str:
    report = judged(records)
    assert report.line == report.as_dict()["line"]
    return report.line


@pytest.fixture(scope="module")
def three() -> list[Record]:
    """A finished match of three with all final signatures."""
    return transcript(played(short_match(3)))


def test_a_match_that_all_signed_says_so(three: list[Record]) -> None:
    assert first_line(three) == "verified: finished, signed by all 3"
    report = judged(three)
    assert report.finished and report.final and report.notes == ()


def test_a_missing_final_signature_is_named(three: list[Record]) -> None:
    end = three[-1]
    assert isinstance(end, EndRecord)
    for missing, line in (
        ((1,), "verified: finished, signed by 2 of 3 (not by Bruno)"),
        ((0, 2), "verified: finished, signed by 1 of 3 (not by Anna and Clara)"),
        ((0, 1, 2), "verified: finished, signed by 0 of 3 (not by Anna, Bruno and Clara)"),
    ):
        signatures = tuple(b"" if peer in missing else sig for peer, sig in enumerate(end.signatures))
        made = [*three[:-1], replace(end, signatures=signatures)]
        assert first_line(made) == line
        assert judged(made).finished and not judged(made).final
    assert first_line(three[:-1]) == "verified: finished, signed by 0 of 3 (not by Anna, Bruno and Clara)"


def test_the_last_frame_alone_does_not_finish_a_match(three: list[Record]) -> None:
    place = last_frame(three)
    author = NAMES[frame_of(three[place]).s]
    report = judged(three[: place + 1])
    assert report.line == f"verified: ended by {author}'s last move alone; nobody else signed it"
    assert not report.finished and not report.final


def other_ends(world: World) -> Iterator[list[Record]]:
    """What the last mover of a finished match can make of it alone: files with another last move that ends it too."""
    records = transcript(world)
    place = last_frame(records)
    true = frame_of(records[place])
    node = world.nodes[true.s]
    node.journal = [part for item in node.session.ledger.items[: place - 1] for part in item.parts]
    node.boot()
    ledger = node.session.ledger
    assert ledger.tip == true.h and ledger.state is not None
    actions = engine.legal(ledger.game, ledger.state, ledger.known(true.s))
    own = ledger.own
    frames = [own.frame(own.draft([action])) for action in actions if not own.why_not_turn([action])]
    made = ([*records[:place], sign_frame(frame, true.s)] for frame in frames if frame != true)
    yield from (other for other in made if judged(other).result is not None)


def test_whoever_moves_last_cannot_finish_the_match_in_another_way_later() -> None:
    terms = named_terms("joban", NAMES[:2])
    made = list(islice(other_ends(played(terms, "last 0")), 2))
    assert made, "no other last move ended a match"
    for other in made:
        report = judged(other)
        assert report.code == VERIFIED and not report.finished and not report.final
        assert report.line.endswith("'s last move alone; nobody else signed it")


def test_a_cut_file_stops_and_makes_nobody_a_deserter(three: list[Record]) -> None:
    for place, record in enumerate(three[1:], 1):
        if isinstance(record, FrameRecord):
            frame = decode(Frame, record.raw)
            report = judged(three[:place])
            assert report.line == f"verified up to ply {frame.n}; this file stops there (next: {NAMES[frame.s]})"
            assert not report.finished and report.notes == ()
    assert first_line(three[:1]) == "verified up to ply 0; this file stops there (next: Anna, Bruno and Clara)"


def test_a_torn_file_is_unreadable_and_says_what_holds_before(three: list[Record]) -> None:
    place = last_frame(three)
    report = judged(packed(three[: place + 1])[:-1])
    assert report.code == UNREADABLE and not report.final
    assert "the last record is incomplete" in report.line and "before it: verified up to ply" in report.line


def test_who_was_voted_out_where_and_by_whom_is_said() -> None:
    world = played(short_match(3), until=after(9))
    vote_out(world, 0)
    ply = world.nodes[1].session.ledger.run.stand_in_since
    world.play_on()
    report = judged(transcript(world, 1))
    assert report.line == f"verified: finished with 2 of 3; Anna was voted out at ply {ply} by Bruno and Clara"
    assert report.final and [peer["left"] for peer in report.peers] == ["voted out", "", ""]
    end = transcript(world, 1)[-1]
    assert isinstance(end, EndRecord)
    made = [*without_end(transcript(world, 1)), replace(end, signatures=(b"", b"", end.signatures[2]))]
    assert first_line(made).startswith("verified: finished with 2 of 3, signed by 1 of 2 (not by Bruno); Anna was")
    assert not judged(made).final
    late = identity(0).sign("final", final_mark(world.nodes[1].session.ledger, 0))
    made = [*without_end(made), replace(end, signatures=(late, *end.signatures[1:]))]
    assert first_line(made).endswith("by Bruno and Clara; Anna signed the end too")


def test_two_who_were_voted_out_together_and_one_who_left_in_order_are_said() -> None:
    world = played(short_match(5), until=after(8))
    world.perform(world.nodes[4], world.nodes[4].session.bye())
    for _ in range(400):
        if all(4 not in node.session.ledger.active for node in world.nodes):
            break
        world.step()
    world.quiet()
    world.crash(4)
    world.play_on(moves=1)
    world.quiet()
    vote_out(world, 0)
    world.play_on()
    line = first_line(transcript(world, 1))
    assert line.startswith("verified: finished with 3 of 5; Emil left in order at ply "), line
    assert "; Anna was voted out at ply " in line and line.endswith(" by Bruno, Clara and Dora"), line


def test_several_voted_out_at_once_are_said_in_one_sentence() -> None:
    world = played(short_match(5), until=after(6))
    vote_out(world, 1, 3)
    world.play_on()
    line = first_line(transcript(world))
    assert "finished with 3 of 5; Bruno and Dora were voted out at ply" in line and "by Anna, Clara and Emil" in line


def forfeited() -> World:
    """Of two, Bruno has just said goodbye; nobody has heard it yet."""
    world = played(short_match(2), until=after(5))
    world.perform(world.nodes[1], world.nodes[1].session.bye())
    return world


def test_a_forfeit_is_the_goodbye_of_one_and_the_signature_of_the_other() -> None:
    world = forfeited()
    while world.nodes[0].session.ledger.run.forfeit is None:
        world.step()
    world.crash(1)
    world.play_on(ticks=8)
    report = judged(transcript(world, 0))
    assert report.line == "verified: finished with 1 of 2; Bruno left in order at ply 5 and forfeits"
    assert report.finished and report.final


def test_a_goodbye_that_nobody_else_signed_finishes_nothing() -> None:
    report = judged(transcript(forfeited(), 1))
    alone = "verified: ended by Bruno's goodbye alone; nobody else signed it"
    assert report.line == f"{alone}; Bruno left in order at ply 5 and forfeits"
    assert not report.finished and not report.final


def test_who_vanishes_after_the_last_move_keeps_nobody_from_finishing() -> None:
    """Its key stays closed; the others vote it out of a match that is over, and its seat needs no stand-in."""
    world = World(short_match(3), 3, "late")
    world.begin()
    while not world.nodes[0].session.ledger.is_over:
        world.step()
    world.crash(2)
    world.quiet()
    assert not world.nodes[0].session.ledger.is_complete
    plies = world.nodes[0].session.ledger.ply
    vote_out(world, 2)
    world.play_on(ticks=10)
    ledger = world.nodes[0].session.ledger
    assert ledger.is_complete and (ledger.how_ended, ledger.ply) == ("played", plies)
    report = judged(transcript(world))
    assert report.code == VERIFIED and report.finished and not report.final
    signed = "verified: finished, signed by 2 of 3 (not by Clara)"
    assert report.line == f"{signed}; Clara was voted out after the end by Anna and Bruno"


@pytest.mark.parametrize("peers", [2, 3])
def test_nothing_follows_the_opened_keys(peers: int) -> None:
    """A goodbye, or a vote of the rest, would move the tip away from under the final signatures."""
    world = played(short_match(peers))
    files = [transcript(world, peer) for peer in range(peers)]
    leaver, *rest = reversed(world.nodes)
    player, ledger = leaver.session.ledger.player, leaver.session.ledger
    assert player is not None
    message = DealerMessage(ledger.match, leaver.number, ledger.tip, ledger.digest, Raw(bodies.encode(player.bye())))
    raw, signature = sign_dealer(message, leaver.number)
    for node in rest:
        world.perform(node, node.session.heard(leaver.number, Signed("dealer", leaver.number, raw, signature)))
        with contextlib.suppress(engine.IllegalAction):
            world.perform(node, node.session.vote_gone([leaver.number]))
    world.perform(leaver, leaver.session.bye())
    world.quiet()
    assert [transcript(world, peer) for peer in range(peers)] == files
    assert judged([*without_end(files[0]), EntryRecord(((raw, signature),))]).code == REFUTED


def test_every_player_is_shown_with_the_key_that_signed() -> None:
    raw = named_terms("hansa", ["Magnus Carlsen", "Mallory"], max_rounds=2)
    report = judged(transcript(played(raw)))
    keys = [identity(peer).key for peer in range(2)]
    assert [peer["key"] for peer in report.as_dict()["peers"]] == [key.hex() for key in keys]
    assert [peer["fingerprint"] for peer in report.peers] == [fingerprint(key) for key in keys]
    assert [peer["names"] for peer in report.peers] == [["Magnus Carlsen"], ["Mallory"]]


@pytest.mark.parametrize(
    "name", ["Anna\nb.kontor: verified: finished", "A\rB", "A\x1b[2J", "A\u2028B", "A\u202eB", "A\x85B"]
)
def test_a_name_cannot_write_a_verdict_of_its_own(name: str) -> None:
    raw = named_terms("hansa", [name, "Bruno"], max_rounds=2)
    report = judged([TermsRecord(raw, tuple(signed_terms(raw)))])
    assert report.code == REFUTED and name not in report.line and "\n" not in report.line


def test_an_engine_that_stops_in_a_sealed_match_gives_a_verdict_not_a_traceback(
    three: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = engine.load("hansa")

    def recurse(state: object, action: object) -> object:
        return recurse(state, action)

    def broken(state: object, action: object) -> object:
        raise LookupError("made up")

    def greedy(state: object, action: object) -> object:
        raise MemoryError

    for why_not, text in ((broken, "the engine stopped: LookupError: made up"), (recurse, "nested too deeply")):
        monkeypatch.setattr(engine, "load", lambda *_, why_not=why_not: changed(game, why_not=why_not))
        report = judged(three)
        assert report.code == REFUTED and text in report.message
    monkeypatch.setattr(engine, "load", lambda *_: changed(game, apply=greedy))
    assert "the engine stopped: MemoryError" in judged(three).message
    assert unpacked(packed(three)) == three
