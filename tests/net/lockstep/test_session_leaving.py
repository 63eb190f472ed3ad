"""Goodbyes at every moment of a match: what remains is a file that verifies, even if nobody is left for an entry."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import Raw

from kontor_games.engine.errors import IllegalAction
from kontor_games.net.ledger.facts import Fault
from kontor_games.net.lockstep.effects import Ended
from kontor_games.net.lockstep.session import Session
from kontor_games.net.record.chain_records import records_of, write_transcript
from kontor_games.net.record.transcript import EntryRecord
from kontor_games.net.record.verify import REFUTED, VERIFIED, verify
from kontor_games.net.sealed import bodies
from kontor_games.net.wire.chain import DealerMessage
from tests.worlds.match_files import body_of, judged, sign_dealer, transcript, without_end
from tests.worlds.world import Node, World, identity, make_terms

from .test_session import new_world


def let_happen(world: World, steps: int) -> None:
    """So many things happen in this world: messages arrive, proofs are checked, people play."""
    for _ in range(steps):
        world.step()


def leave_after(world: World, steps: int, peer: int) -> None:
    """Let `steps` things happen in the world, then this peer says goodbye, whatever is under way."""
    world.begin()
    let_happen(world, steps)
    session = world.nodes[peer].session
    try:
        world.perform(world.nodes[peer], session.bye())
    except IllegalAction:  # no keys yet: there is nothing to leave
        return
    world.play_on()


@pytest.mark.parametrize("peers", [2, 3])
def test_a_goodbye_at_any_moment_leaves_a_file_that_verifies(peers: int, tmp_path: Path) -> None:
    assert len(places_of_goodbyes(peers, range(40, 400, 90), tmp_path)) > 1


@pytest.mark.long
@pytest.mark.parametrize("peers", [2, 3, 4])
def test_a_goodbye_at_very_many_moments_leaves_a_file_that_verifies(peers: int, tmp_path: Path) -> None:
    assert len(places_of_goodbyes(peers, range(40, 400, 9), tmp_path)) > 12


def places_of_goodbyes(peers: int, moments: range, folder: Path) -> set[int]:
    """How long the chains were from which a peer said goodbye; after each goodbye the file that remains verifies."""
    seen = set()
    for steps in moments:
        world = new_world("joban", peers, seed=f"leave {steps}")
        leave_after(world, steps, peer=1)
        stays = world.nodes[0]
        ledger = stays.session.ledger
        how = "forfeit" if peers == 2 else "stand-in"
        if Ended("played") in stays.told:
            continue  # it was over before the goodbye counted
        assert Ended(how) in stays.told, steps
        assert ledger.is_complete
        path = folder / f"{steps}.kontor"
        signatures = [identity(p).sign("terms", ledger.terms_raw) for p in range(peers)]
        write_transcript(path, records_of(ledger, signatures, stays.session.finals()))
        report = verify(path)
        assert report.code == VERIFIED and report.final, (steps, report)
        assert report.message.startswith(f"finished with {peers - 1} of {peers}; Player 1 left in order at ply"), report
        seen.add(len(ledger.items))
    return seen


def test_of_two_a_goodbye_that_crosses_a_turn_needs_no_entry_for_the_cards_it_asked_for(tmp_path: Path) -> None:
    """The turn asks for a card that only the leaver could have opened: that entry has no messages, and no record."""
    empty = 0
    for moves in range(2, 60, 3):
        if empty > 1:
            break
        world = new_world("joban", 2, seed=f"cross {moves}")
        world.begin()
        stays, goes = world.nodes
        world.play_on(moves=moves)
        world.quiet()
        while stays.session.ledger.turn is None or stays.session.ledger.seat_peer(stays.session.ledger.turn) != 0:
            assert world.move()
            world.quiet()
        assert world.move_of(stays)
        empty += wants_only(stays.session, peer=1)
        world.perform(goes, goes.session.bye())
        world.play_on(ticks=8)
        assert Ended("forfeit") in stays.told and stays.session.ledger.is_complete
        path = tmp_path / f"{moves}.kontor"
        signatures = [identity(p).sign("terms", stays.terms) for p in range(2)]
        write_transcript(path, records_of(stays.session.ledger, signatures, stays.session.finals()))
        report = verify(path)
        assert report.code == VERIFIED and report.final, (moves, report)
        assert report.message.endswith("and forfeits"), report
    assert empty, "no turn asked for such a card"


def both_leave(steps: int) -> World:
    """Two say goodbye in the same moment, whatever is under way."""
    world = new_world("joban", 2, seed=f"x{steps}")
    world.begin()
    let_happen(world, steps)
    for node in world.nodes:
        world.perform(node, node.session.bye())
    world.play_on(ticks=8)
    return world


@pytest.mark.timeout(60)
@pytest.mark.parametrize("steps", [20, 25, 37, 43, 61])
def test_of_two_goodbyes_that_cross_each_leaves_a_file_that_holds(steps: int) -> None:
    """Whoever is left alone does not leave: nobody could answer the open want, and no key would be opened."""
    world = both_leave(steps)
    for node in world.nodes:
        ledger, name = node.session.ledger, f"Player {node.number}"
        assert ledger.active == (1 - node.number,)
        left = f"{name} left in order at ply {ledger.run.stand_in_since} and forfeits"
        report = judged(transcript(world, node.number))
        alone = f"verified: ended by {name}'s goodbye alone; nobody else signed it; {left}"
        seen = f"verified: finished with 1 of 2; {left}; {name} signed the end too"
        assert report.line in (alone, seen), "the other's last word may have come before it left"


def test_shares_signed_before_a_goodbye_do_not_witness_it() -> None:
    """Peer 1 gave its shares for a deal that was open when peer 0 left: it need not know of that to this day."""
    open_deals = 0
    for steps in range(60, 150, 3):
        if open_deals:
            break
        records = without_end(transcript(both_leave(steps), 0))
        last = records[-1]
        if not isinstance(last, EntryRecord) or bodies.kind(body_of(last.messages[0][0])) != "shr":
            continue
        open_deals += 1
        assert judged(records).message.startswith("ended by Player 0's goodbye alone; nobody else signed it")
        assert judged(records[:-1]).message == judged(records).message
    assert open_deals, "no deal was open when they left"


@pytest.mark.timeout(60)
@pytest.mark.parametrize("steps", [20, 25, 40, 43])
def test_a_file_in_which_the_last_peer_leaves_too_is_refuted(steps: int) -> None:
    """With nobody left the keys would be opened by nobody, again and again."""
    world = both_leave(steps)
    for node, last in (world.nodes, reversed(world.nodes)):
        ledger, player = node.session.ledger, last.session.ledger.player
        assert player is not None and ledger.entries.busy
        message = DealerMessage(ledger.match, last.number, ledger.tip, ledger.digest, Raw(bodies.encode(player.bye())))
        records = without_end(transcript(world, node.number))
        assert judged(records).code == VERIFIED
        assert judged([*records, EntryRecord((sign_dealer(message, last.number),))]).code == REFUTED


def wants_only(session: Session, peer: int) -> bool:
    """Whether the open entry has nothing to come but from this peer."""
    task = session.ledger.table.task
    return task is not None and {author for phase in task.phases for _, author in phase} == {peer}


def assert_one_end(rest: list[Node]) -> None:
    """Those who stayed have played to one and the same end, and blame nobody."""
    assert all(node.session.ledger.is_complete for node in rest), [node.session.ledger.position for node in rest]
    assert len({node.session.ledger.tip for node in rest}) == 1, "the survivors have parted"
    assert not any(isinstance(effect, Fault) for node in rest for effect in node.told)


def cross(seed: int) -> None:
    """Two of four say goodbye in the same moment, whatever is under way."""
    world = new_world("joban", 4, seed=f"byes {seed}")
    world.begin()
    let_happen(world, 60 + seed * 37 % 300)
    leavers = [seed % 4, (seed + 1 + seed // 4 % 3) % 4]
    for peer in leavers:
        world.perform(world.nodes[peer], world.nodes[peer].session.bye())
    world.play_on()
    assert_one_end([node for node in world.nodes if node.number not in leavers])


@pytest.mark.parametrize("seed", [12, 33])
def test_goodbyes_that_cross_do_not_part_the_survivors(seed: int) -> None:
    cross(seed)


@pytest.mark.long
def test_goodbyes_that_cross_do_not_part_the_survivors_in_many_matches() -> None:
    for seed in range(150):
        cross(seed)
    print("150 matches in which two goodbyes crossed: one chain in each")


def vanish_beside(seed: int) -> bool:
    """Of five one says goodbye and one vanishes: the other three go on. False if nothing could be left yet."""
    world = World(make_terms("hansa", 5, max_rounds=2), 5, f"b5 {seed}")
    world.begin()
    let_happen(world, 80 + seed * 53 % 400)
    leaver, gone = world.nodes[seed % 5], world.nodes[(seed + 1 + seed // 5 % 4) % 5]
    rest = [node for node in world.nodes if node not in (leaver, gone)]
    if any(node.session.ledger.table.why_not_gone((gone.number,)) for node in world.nodes):
        return False
    world.perform(leaver, leaver.session.bye())
    for _ in range(seed % 12):
        if world.flying:
            world.deliver(world.rng.below(len(world.flying)))
    world.crash(gone.number, at_once=False)
    for node in (*rest, leaver):
        if node.number not in node.session.ledger.entries.goodbyes.leaving:  # whose goodbye is not out has a vote still
            world.perform(node, node.session.vote_gone({gone.number}))
    world.play_on()
    assert_one_end(rest)
    return True


def test_a_goodbye_does_not_keep_the_others_from_declaring_another_peer_gone() -> None:
    assert vanish_beside(5)


@pytest.mark.long
def test_a_goodbye_beside_a_disappearance_in_many_matches() -> None:
    runs = sum(vanish_beside(seed) for seed in range(60))
    print(f"{runs} matches with a goodbye beside a disappearance: one chain in each")
    assert runs > 20
