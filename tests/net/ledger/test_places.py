"""A signature counts for its match, its place and its author: nothing of another match or peer gets into a file."""

from __future__ import annotations

import itertools

import pytest
from msgspec import Raw
from msgspec.structs import replace

from kontor_games import engine
from kontor_games.engine.core.stream import H
from kontor_games.engine.errors import RemoteError
from kontor_games.net.ledger.facts import Fault, FrameRefused, Grown, two_frames
from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.lockstep.effects import Effect
from kontor_games.net.lockstep.spectator import Spectator
from kontor_games.net.record.transcript import EntryRecord, FrameRecord, Record
from kontor_games.net.record.verify import REFUTED, VERIFIED
from kontor_games.net.sealed import bodies, escrow
from kontor_games.net.sealed.player import Player
from kontor_games.net.wire.chain import DealerMessage, Frame, decode, encode
from kontor_games.net.wire.match_talk import Chunk, Item, Signed
from tests.net.lockstep.test_session import at_a_turn, forged
from tests.worlds.match_files import (
    body_of,
    entry_at,
    evidence,
    judged,
    last_frame,
    named_terms,
    played,
    sign_dealer,
    sign_frame,
    signed_terms,
    transcript,
)
from tests.worlds.world import World, identity

VICTOR, MALLORY = 0, 1


def begun(tag: str) -> World:
    """A match of Victor and Mallory after its set-up."""

    def is_begun(world: World) -> bool:
        return all(node.session.ledger.turn is not None for node in world.nodes)

    return played(named_terms("hansa", ["Victor", "Mallory"], tag), tag, is_begun)


@pytest.fixture(scope="module")
def twins() -> tuple[World, World]:
    """Two matches of the same two people that begin in the same state, with Victor's first turn, another in each."""
    seen: dict[bytes, World] = {}
    for number in itertools.count():
        world = begun(str(number))
        ledger = world.nodes[VICTOR].session.ledger
        if ledger.turn != VICTOR:
            continue
        if ledger.digest in seen:
            twin = seen[ledger.digest]
            break
        seen[ledger.digest] = world
    for each, choice in ((twin, 0), (world, -1)):
        node = each.nodes[VICTOR]
        ledger = node.session.ledger
        assert ledger.state is not None
        each.perform(node, node.session.play([engine.legal(ledger.game, ledger.state, {})[choice]]))
        each.quiet()
    return twin, world


def turns(twins: tuple[World, World]) -> tuple[list[Record], Signed, Signed]:
    """The second match as a file without its last frame; that frame; the frame of the other match."""
    other, here = (world.nodes[MALLORY].session.ledger.items[-1].parts[0] for world in twins)
    assert decode(Frame, other.raw).d == decode(Frame, here.raw).d
    return transcript(twins[1], MALLORY, finals=False)[:-1], here, other


def test_a_frame_of_another_match_does_not_verify(twins: tuple[World, World]) -> None:
    before, here, other = turns(twins)
    assert judged([*before, FrameRecord(here.raw, here.sig)]).code == VERIFIED
    report = judged([*before, FrameRecord(other.raw, other.sig)])
    assert report.code == REFUTED and "another match" in report.message
    assert "fault" not in report.message and not report.fault  # its author has done nothing wrong


def test_frames_of_two_matches_prove_no_fork(twins: tuple[World, World]) -> None:
    before, here, other = turns(twins)
    for files in (
        [*before, FrameRecord(other.raw, other.sig), evidence(here)],
        [*before, FrameRecord(here.raw, here.sig), evidence(other)],
        [*before, evidence(here), evidence(other)],
        [*before, evidence(other)],
    ):
        report = judged(files)
        assert (report.code, report.fault) == (REFUTED, ""), report
        assert "Victor" not in report.message and "fault" not in report.message.partition("no fault")[0]
    assert two_frames(here, other) is None and two_frames(other, here) is None


def test_a_frame_signed_for_another_tip_or_match_is_refused_and_accuses_nobody(twins: tuple[World, World]) -> None:
    before, here, _ = turns(twins)
    frame = decode(Frame, here.raw)
    for changed in (replace(frame, m=bytes(32)), replace(frame, h=bytes(32)), replace(frame, h=frame.m)):
        record = sign_frame(changed, VICTOR)
        report = judged([*before, record])
        assert report.code == REFUTED and "fault" not in report.message, report
        report = judged([*before, evidence(Signed("frame", VICTOR, record.raw, record.signature))])
        assert (report.code, report.fault) == (REFUTED, ""), report


def test_two_frames_are_a_fork_only_for_one_match_tip_and_state_and_one_author() -> None:
    frame = Frame(b"m" * 32, 0, b"h" * 32, 4, b"d" * 32, (engine.canonical(["pass", 0]),))  # type: ignore[arg-type]

    def signed(peer: int = 0, **changes: bytes | int) -> Signed:
        raw = encode(replace(frame, **changes))  # type: ignore[arg-type]
        return Signed("frame", peer, raw, identity(peer).sign("frame", raw))

    other = signed(n=5)
    assert two_frames(signed(), other) == Fault(0, "fork", "signed two different frames for one tip", (signed(), other))
    assert two_frames(signed(), signed()) is None
    for one in (signed(n=5, m=b"x" * 32), signed(n=5, h=b"x" * 32), signed(n=5, d=b"x" * 32), signed(1, n=5)):
        assert two_frames(signed(), one) is None and two_frames(one, signed()) is None


def test_a_journal_with_frames_for_two_states_of_one_tip_convicts_nobody() -> None:
    """A node whose memory was wrong, went on from a replay and died: both frames are in its journal."""
    _, node = at_a_turn()
    ledger = node.session.ledger
    mine = forged(node, None)
    wrong = replace(decode(Frame, mine.raw), d=bytes(32))
    raw = encode(wrong)
    other = Signed("frame", node.number, raw, identity(node.number).sign("frame", raw))
    journal = [part for item in ledger.items for part in item.parts]
    for again in ([*journal, mine, other], [*journal, other, mine]):
        node.journal = again
        told = node.boot()
        assert not any(isinstance(effect, Fault) for effect in told)
        assert node.session.ledger.position == ledger.position + 1


def test_the_ledger_refuses_a_frame_that_is_passed_off_as_another_peers() -> None:
    world, node = at_a_turn()
    mine = forged(node, None)
    other = next(each for each in world.nodes if each is not node)
    facts = other.session.ledger.take_frame(replace(mine, peer=other.number), decode(Frame, mine.raw))
    assert [type(fact) for fact in facts] == [FrameRefused]


def watching(world: World, teller: int) -> tuple[Spectator, list[Effect]]:
    """A spectator that sees a match through one of its peers, and what it is told."""
    told: list[Effect] = []
    ledger = world.nodes[teller].session.ledger
    spectator = Spectator(ledger.match, identity(teller).key)
    spectator.subscribe(told.append)
    spectator.charter(ledger.terms_raw, tuple(signed_terms(ledger.terms_raw)))
    return spectator, told


def grown(told: list[Effect]) -> int:
    return sum(isinstance(effect, Grown) for effect in told)


def test_a_spectator_believes_no_message_that_its_author_did_not_sign() -> None:
    """The peer through which one watches signs in somebody else's name: a key, then a turn."""
    world, node = at_a_turn()
    teller = (node.number + 1) % 4
    key, ledger = identity(teller).key, world.nodes[teller].session.ledger
    own, *others = (part for part in ledger.items[0].parts if part.peer == teller or part.peer == node.number)
    theirs = own if own.peer == node.number else others[0]
    lie = Signed("dealer", teller, theirs.raw, identity(teller).sign("dealer", theirs.raw))
    spectator, told = watching(world, teller)
    with pytest.raises(RemoteError, match="passes off"):
        spectator.heard(key, Chunk(0, (Item("entry", (lie,)),), 0))
    spectator, told = watching(world, teller)
    spectator.heard(key, Chunk(0, tuple(ledger.items), 0))
    assert grown(told) == ledger.position
    turn = forged(node, None)
    lie = Signed("frame", teller, turn.raw, identity(teller).sign("frame", turn.raw))
    with pytest.raises(RemoteError, match="passes off"):
        spectator.heard(key, Chunk(ledger.position, (Item("frame", (lie,)),), 0))
    assert grown(told) == ledger.position
    spectator.heard(key, Chunk(ledger.position, (Item("frame", (turn,)),), 0))
    assert grown(told) == ledger.position + 1


# ---- evidence


Cheated = tuple[list[Record], Signed, Signed, Signed]


@pytest.fixture(scope="module")
def cheated() -> Cheated:
    """A match up to a turn; two frames that its author signed for it, and a third."""
    world, node = at_a_turn()
    frames = [forged(node, None, choice) for choice in range(3)]
    return transcript(world, (node.number + 1) % 4, finals=False), frames[0], frames[1], frames[2]


def test_evidence_of_a_fork_convinces_and_names_the_player(cheated: Cheated) -> None:
    chain, one, two, _ = cheated
    report = judged([*chain, evidence(one), evidence(two)])
    assert (report.code, report.fault, report.finished, report.final) == (VERIFIED, "fork", False, False), report
    assert f"proves a fault of Player {one.peer}" in report.line


def test_evidence_with_anything_that_is_not_needed_is_refuted(cheated: Cheated) -> None:
    chain, one, two, three = cheated
    shuffled = next(record for record in reversed(chain) if isinstance(record, EntryRecord))
    again = Signed("dealer", decode(DealerMessage, shuffled.messages[0][0]).p, *shuffled.messages[0])
    late = Signed("chat", one.peer, one.raw, identity(one.peer).sign("chat", one.raw))
    for made in (
        [*chain, evidence(one), evidence(two), evidence(three)],  # after the proof
        [*chain[:-1], evidence(one), chain[-1], evidence(two)],  # between records of the chain
        [*chain, evidence(late), evidence(one), evidence(two)],
        [*chain, evidence(one), replace(evidence(two), signature=one.sig)],
        [*chain, evidence(one), replace(evidence(two), peer=(two.peer + 1) % 4)],
        [*chain, evidence(one)],
    ):
        report = judged(made)
        assert (report.code, report.fault) == (REFUTED, ""), report
    assert judged([*chain, evidence(again), evidence(one), evidence(two)]).fault == "fork"  # it is of this chain


def test_a_message_that_cannot_be_read_is_no_evidence_for_this_match(cheated: Cheated) -> None:
    chain, one, _, _ = cheated
    for raw in (b"\x80", one.raw[:-1], one.raw + b"\0"):
        unread = Signed("frame", one.peer, raw, identity(one.peer).sign("frame", raw))
        report = judged([*chain, evidence(unread)])
        assert (report.code, report.fault) == (REFUTED, ""), report


def test_evidence_after_the_end_of_a_match_is_refuted() -> None:
    world = played(named_terms("hansa", ["Anna", "Bruno"], max_rounds=2))
    records = transcript(world)
    frame = records[last_frame(records)]
    assert isinstance(frame, FrameRecord)
    author = world.nodes[0].session.ledger.seat_peer(decode(Frame, frame.raw).s)
    assert author is not None
    again = evidence(Signed("frame", author, frame.raw, frame.signature))
    assert judged([*records, again]).code == REFUTED
    assert entry_at(records, "opn") > last_frame(records)


def before_entry(world: World, kind: str, peer: int) -> tuple[list[Record], Ledger, Player, EntryRecord]:
    """The file before the first entry with such a message, one peer's ledger and secrets there, and the entry."""
    records = transcript(world, finals=False)
    place = entry_at(records, kind)
    entry = records[place]
    assert isinstance(entry, EntryRecord)
    ledger = Ledger(world.nodes[peer].terms, peer, H("test", f"secret {peer}", size=32), inline=True)
    for item in world.nodes[0].session.ledger.items[: place - 1]:
        ledger.take_item(item, trusted=True)
    assert ledger.player is not None
    return records[:place], ledger, ledger.player, entry


def dealt(ledger: Ledger, peer: int, body: bodies.Body) -> Signed:
    """A dealer message for the open entry."""
    message = DealerMessage(ledger.match, peer, ledger.tip, ledger.digest, Raw(bodies.encode(body)))
    return Signed("dealer", peer, *sign_dealer(message, peer))


def test_a_shuffle_on_top_of_one_of_two_does_not_convict_its_honest_author() -> None:
    """Peer 0 shuffles in two ways; peer 1 went on from the first, and is shown beside the second."""
    world = begun("two shuffles")
    chain, ledger, player, entry = before_entry(world, "mix", 0)
    player._z = bytes(32)  # other randomness: as good a shuffle as the first
    other = dealt(ledger, 0, player.make("mix"))
    victim = Signed("dealer", 1, *entry.messages[1])
    assert body_of(victim.raw).__class__ is bodies.MixBody and other.raw != entry.messages[0][0]
    report = judged([*chain, evidence(other), evidence(victim)])
    assert (report.code, report.fault) == (REFUTED, "") and "may have signed two" in report.message
    first = Signed("dealer", 0, *entry.messages[0])
    assert judged([*chain, evidence(first), evidence(other)]).fault == "fork"
    bad = dealt(ledger, 0, replace(body_of(first.raw), c=bytes(31) + b"\1"))  # type: ignore[call-arg]
    assert judged([*chain, evidence(bad)]).fault == "mix.proof"  # it rests on the chain alone


def test_a_complaint_about_one_of_two_escrows_does_not_convict_its_honest_author() -> None:
    """Peer 0 gives peer 1 a bad share, is complained about, and shows a good escrow beside the complaint."""
    world = played(named_terms("hansa", ["A", "B", "C"]), "escrow", lambda world: world.nodes[0].session.ledger.ply > 0)
    chain, ledger, player, entry = before_entry(world, "esc", 0)
    keys = ledger.table.peers.keys
    ctx, transport = ledger.table.peers.ctx, {p: keys[p][1] for p in range(3)}
    bad = dealt(ledger, 0, escrow.make(player._z, player._x + 1, ctx, 0, 0, transport))
    good = Signed("dealer", 0, *entry.messages[0])
    wrong = escrow.verify(ctx, 0, 0, keys[0][0], (0, 1, 2), body_of(bad.raw))  # type: ignore[arg-type]
    victim = Player(ledger.table, 1, H("test", "secret 1", size=32))
    complaint = dealt(ledger, 1, escrow.complain(victim._z, victim._t, ctx, 1, 0, 0, wrong))
    assert judged([*chain, evidence(bad), evidence(complaint)]).fault == "esc.share"  # the bad share convicts itself
    report = judged([*chain, evidence(good), evidence(complaint)])
    assert (report.code, report.fault) == (REFUTED, "") and "may have signed two" in report.message
