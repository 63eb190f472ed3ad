"""An engine with a bug in one process: both sides stop at the very ply, and their reports name the field."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

from kontor_games import engine
from kontor_games.net.ledger.ledger import Ledger
from kontor_games.net.record.proof import prove
from kontor_games.net.record.transcript import Placed, open_file, read
from kontor_games.net.system.child import environment
from tests.worlds.party import Data, Party

WANTS = 8  # the bug begins to bite when so many cards and rolls have been asked for
PLANT = f"""
import dataclasses, msgspec
from kontor_games import engine
healthy = engine.load

def load(game, rules=None):
    record = healthy(game, rules)
    def apply(state, action):
        state, events = record.apply(state, action)
        if state.desk.next_want >= {WANTS}:
            state = msgspec.structs.replace(state, passes=state.passes + 1)
        return state, events
    return dataclasses.replace(record, apply=apply)

engine.load = load
"""


class PartyWithABug(Party):
    """All nodes but the first run an engine with a bug in it, and so do the processes that they start."""

    diverged_at: float | None = None

    def invite(self) -> None:
        """The others join the first."""
        place = self.folder / "planted"
        place.mkdir()
        (place / "sitecustomize.py").write_text(PLANT, encoding="utf-8")
        healthy = self.nodes.environment
        self.nodes.environment = {**healthy, "PYTHONPATH": f"{place}:{environment()['PYTHONPATH']}"}
        super().invite()
        self.nodes.environment = healthy

    def troubled(self, name: str, state: Data) -> None:
        """Differing is what this party is for."""
        differs = all("shows another state of the match" in fault for fault in state["faults"])
        assert differs, f"{name}: a divergence is never reported as fraud: {state['faults']}"
        self.diverged_at = self.diverged_at or time.monotonic()

    def bundle(self, name: str) -> Data | None:
        """What the node's report says, as soon as it is written."""
        found = list((self.nodes.home(name) / "matches").glob("*.reports/divergence-*/report.json"))
        text = found[0].read_text(encoding="utf-8") if found else ""
        assert len(found) <= 1, "one bundle"
        return {**json.loads(text), "folder": found[0].parent} if text.endswith("}\n") else None


def first_wrong_ply(chain: Path) -> int:
    """How many plies the match has after the frame in which the bug must show."""
    with open_file(chain) as file:
        proven = prove([item for item in read(file) if isinstance(item, Placed)], engine.load).ledger
    fresh = Ledger(proven.terms_raw, inline=True)
    for item in proven.items:
        fresh.take_item(item, trusted=True)
        if item.kind == "frame" and fresh.state is not None and fresh.state.desk.next_want >= WANTS:
            return fresh.ply
    raise AssertionError("the bug never showed")


@pytest.mark.long
def test_an_engine_bug_in_one_node_stops_the_match_at_its_ply_and_both_reports_name_the_field(tmp_path: Path) -> None:
    party = PartyWithABug(tmp_path, "osaka", 2)
    try:
        party.begin()
        party.until(lambda: party.diverged_at is not None)
        assert party.diverged_at is not None
        until = time.monotonic() + 60
        while not all(party.bundle(name) for name in party.names) and time.monotonic() < until:
            time.sleep(0.02)
        took = time.monotonic() - party.diverged_at
        print(f"both bundles were there {took:.2f} s after the divergence was told of (goal 2 s)")
        anna, bruno = (party.bundle(name) for name in party.names)
        assert anna is not None and bruno is not None
        assert anna["ply"] == bruno["ply"] == first_wrong_ply(anna["folder"] / "chain.kontor")
        (at_anna,), (at_bruno,) = anna["differences"], bruno["differences"]
        found = re.fullmatch(r"state\.passes: ours (\d+), theirs (\d+)", at_anna)
        assert found and at_bruno == f"state.passes: ours {found[2]}, theirs {found[1]}"
        assert anna["our_version"] == bruno["their_version"] and anna["tip"] == bruno["tip"]
        assert max(party.plies) < anna["ply"], "nobody plays on"
    finally:
        party.stop()
