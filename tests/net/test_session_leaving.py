"""Goodbyes at every moment of a match: what remains is a file that verifies, even if nobody is left for an entry."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import IllegalAction
from net.archive import records_of, write_transcript
from net.effects import Ended
from net.verify import VERIFIED, verify
from tests.net.test_session import new_world
from tests.net.world import World, identity


def leave_after(world: World, steps: int, peer: int) -> None:
    """Let `steps` things happen in the world, then this peer says goodbye, whatever is under way."""
    world.begin()
    for _ in range(steps):
        if world.works:
            world.work()
        elif world.flying:
            world.deliver(world.rng.below(len(world.flying)))
        elif not world.move():
            world.tick()
    session = world.nodes[peer].session
    try:
        world.perform(world.nodes[peer], session.bye())
    except IllegalAction:  # no keys yet: there is nothing to leave
        return
    world.play_on()


@pytest.mark.parametrize("peers", [2, 3])
def test_a_goodbye_at_any_moment_leaves_a_file_that_verifies(peers: int, tmp_path: Path) -> None:
    seen = set()
    for steps in range(40, 400, 24):
        world = new_world("joban", peers, seed=f"leave {steps}")
        leave_after(world, steps, peer=1)
        stays = world.nodes[0]
        ledger = stays.session.ledger
        how = "forfeit" if peers == 2 else "stand-in"
        if Ended("played") in stays.told:
            continue  # it was over before the goodbye counted
        assert Ended(how) in stays.told, steps
        assert ledger.is_complete
        path = tmp_path / f"{steps}.kontor"
        signatures = [identity(p).sign("terms", ledger.terms_raw) for p in range(peers)]
        write_transcript(path, records_of(ledger, signatures, stays.session.finals()))
        report = verify(path)
        assert (report.code, report.message) == (VERIFIED, "sealed, signed by all"), (steps, report)
        seen.add(len(ledger.items))
    assert len(seen) > 5  # it was at many different places
